// One guarded call of a kernel's entry, and what is told of one that went wrong.
#include <stdlib.h>
#include <string.h>

static struct lock errors_lock;
static struct kept_error {
  struct kept_error *next;
  struct kiln_error error;
} *kept_errors;
static int32_t last_error;

// keep_error stores e until Go asks for it, and returns its id.
static int32_t keep_error(const struct kiln_error *e) {
  struct kept_error *k = malloc(sizeof *k);
  if (!k)
    return -KILN_MEMORY;
  k->error = *e;
  lock(&errors_lock);
  last_error = last_error == INT32_MAX ? 1 : last_error + 1;
  k->error.id = last_error;
  k->next = kept_errors;
  kept_errors = k;
  int32_t id = last_error;
  unlock(&errors_lock);
  return id;
}

// kiln_error_take fills in the error whose id it is given, and forgets it.
int32_t kiln_error_take(struct kiln_error *out) {
  struct kept_error *found = NULL;
  lock(&errors_lock);
  for (struct kept_error **p = &kept_errors; *p; p = &(*p)->next)
    if ((*p)->error.id == out->id) {
      found = *p;
      *p = found->next;
      break;
    }
  unlock(&errors_lock);
  if (!found)
    return -1;
  *out = found->error;
  free(found);
  return 0;
}

// run_barrier is run for images that can throw.
__attribute__((noinline)) static int32_t run_barrier(struct kiln_frame *frame, struct guard *g, struct kiln_error *e) {
  struct kiln_barrier_call call;
  call.entry = (int32_t (*)(struct kiln_frame *))g->function->entry;
  call.frame = frame;
  call.caught = 0;
  int32_t code = kiln_enter(&call, g->function->barrier, g);
  if (!call.caught || g->signal)
    return code;
  e->kind = KILN_EXCEPTION;
  memcpy(e->type, call.type, sizeof e->type);
  memcpy(e->text, call.text, sizeof e->text);
  return 1;
}

__attribute__((noinline, cold)) static void explain(const struct guard *g, int32_t code, struct kiln_error *e) {
  if (g->signal) {
    e->kind = KILN_FAULT;
    e->code = g->signal;
    e->stack_overflow = g->stack_overflow;
    e->address = g->address;
    e->offset = (int64_t)(g->pc - g->function->entry);
  } else if (e->kind != KILN_EXCEPTION) {
    e->kind = KILN_STATUS;
    e->code = code;
  }
}

// run calls the entry for the frame's groups. Where it returns 0, e tells why.
static inline int run(struct slot *s, const struct kiln_function *f, struct kiln_frame *frame, struct kiln_error *e) {
  struct guard g;
  g.function = f;
  g.signal = 0;
  g.outer = s->guard;
  s->guard = &g;
  e->kind = KILN_OK;
  int32_t code = likely(!f->barrier) ? kiln_enter(frame, f->entry, &g) : run_barrier(frame, &g, e);
  s->guard = g.outer;
  if (likely(!(code | g.signal)))
    return 1;
  explain(&g, code, e);
  return 0;
}
