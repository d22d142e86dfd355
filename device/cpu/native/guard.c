// The fault guard: a fault in kernel code ends the call, not the process.
#include <signal.h>
#include <stdlib.h>

#define BUCKETS 256

static _Atomic(struct slot *) buckets[BUCKETS];

static unsigned bucket_of(uintptr_t thread) { return (unsigned)((thread * 0x9e3779b97f4a7c15u) >> 56) % BUCKETS; }

// slot_find returns the thread's slot or NULL. It is safe in a signal handler.
static inline struct slot *slot_find(uintptr_t thread) {
  struct slot *s = atomic_load_explicit(&buckets[bucket_of(thread)], memory_order_acquire);
  while (s && unlikely(s->thread != thread))
    s = s->next;
  return s;
}

// slot_own returns the calling thread's slot, NULL only where memory is out.
static inline struct slot *slot_own(void) {
  uintptr_t thread = thread_pointer();
  struct slot *s = slot_find(thread);
  if (likely(s != NULL))
    return s;
  s = aligned_alloc(CACHE_LINE, sizeof *s);
  if (!s)
    return NULL;
  s->thread = thread;
  s->guard = NULL;
  atomic_init(&s->device, NULL);
  _Atomic(struct slot *) *head = &buckets[bucket_of(thread)];
  s->next = atomic_load_explicit(head, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(head, &s->next, s, memory_order_release, memory_order_relaxed))
    ;
  return s;
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define FAULTS (sizeof faults / sizeof *faults)

static struct sigaction previous[65];

static int in_text(const struct kiln_function *f, uint64_t pc) { return pc - f->text < f->text_end - f->text; }

// claim ends the guarded call if the fault is the kernel's own doing.
static int claim(struct guard *g, int signal, const siginfo_t *info, ucontext_t *context) {
  // Signals that a process sends are not faults, whatever their number.
  if (info->si_code <= 0)
    return 0;
  int access = signal == SIGSEGV || signal == SIGBUS;
  uint64_t pc = context_pc(context), sp = context_sp(context), address = (uint64_t)info->si_addr;
  if (signal == SIGTRAP) {
    pc--; // reported behind the instruction
    address = pc;
  }
  if (!in_text(g->function, pc)) {
    // A call through a bad pointer faults at the callee's address: the kernel
    // is where it would have returned to.
    if (!access || address != pc)
      return 0;
    pc = context_caller(context);
    if (!in_text(g->function, pc) && pc != (uint64_t)kiln_returned)
      return 0;
  }
  g->signal = signal;
  g->address = address;
  g->pc = pc;
  // What lies between the stack pointer (and the red zone with a push below
  // it) and the guard is the stack in use. It only faults where it has ended.
  g->stack_overflow = access && address >= sp - 256 && address < g->sp;
  context_abandon(context, g);
  return 1;
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  struct slot *s = slot_find(thread_pointer());
  if (s && s->guard && claim(s->guard, signal, info, context))
    return;
  const struct sigaction *p = &previous[signal];
  if (p->sa_flags & SA_SIGINFO)
    p->sa_sigaction(signal, info, context);
  else if (p->sa_handler == SIG_DFL || p->sa_handler == SIG_IGN) {
    // Back in place, the default meets the same fault again; a signal that was
    // sent must be sent once more.
    sigaction(signal, p, NULL);
    if (info->si_code <= 0)
      raise(signal);
  } else
    p->sa_handler(signal);
}

// guard_install puts the handler in front of those that are there, which keep
// their own stack and mask.
static int guard_install(void) {
  for (unsigned i = 0; i < FAULTS; i++) {
    int signal = faults[i];
    struct sigaction a;
    if (sigaction(signal, NULL, &previous[signal]))
      return 0;
    a = previous[signal];
    a.sa_sigaction = on_fault;
    a.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    a.sa_flags &= ~SA_RESETHAND;
    if (sigaction(signal, &a, NULL))
      return 0;
  }
  return 1;
}
