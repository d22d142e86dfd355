// A launch, from its caller's side.

static struct arena *arena_take(struct kiln_device *d) {
  lock(&d->arenas_lock);
  struct arena *a = d->arenas;
  if (a)
    d->arenas = a->next;
  unlock(&d->arenas_lock);
  return a ? a : calloc(1, sizeof *a);
}

static void arena_give(struct kiln_device *d, struct arena *a) {
  lock(&d->arenas_lock);
  a->next = d->arenas;
  d->arenas = a;
  unlock(&d->arenas_lock);
}

static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

enum { few = 64 }; // groups of which none stands for the others

static int have_workers(struct kiln_device *d) { return atomic_load_explicit(&d->started, memory_order_relaxed) != 0; }

// worth_sharing tells whether help with so many ticks of work comes soon enough.
static int worth_sharing(struct kiln_device *d, uint64_t work) {
  uint64_t cost = awake(d) ? awake_cost : have_workers(d) ? 2 * asleep_cost : unmade_cost;
  return work >= cost * microsecond();
}

// may_be_long tells of a job whose groups have never been timed whether to ask
// for help before the first of them has. A process that starts for a small
// launch, and ends, makes no threads for it.
static int may_be_long(struct kiln_device *d, struct job *job) {
  const uint64_t small = 4096; // work-items
  if (job->groups >= few)
    return 0;
  const uint32_t *block = job->frame.block;
  return have_workers(d) || times(job->groups, times(block[0], times(block[1], block[2]))) > small;
}

// worth_waking tells whether to wake workers for a launch that is too short
// for that alone: when many such follow each other so closely that, once
// woken, workers will be spinning for the next.
static int worth_waking(struct kiln_device *d, uint64_t work) {
  uint64_t us = microsecond(), now = ticks();
  if (work < 2 * awake_cost * us)
    return 0;
  uint64_t at = atomic_exchange_explicit(&d->missed_at, now, memory_order_relaxed);
  uint64_t missed = atomic_load_explicit(&d->missed, memory_order_relaxed);
  missed = now - at < spin_time * us ? missed + work : work;
  atomic_store_explicit(&d->missed, missed, memory_order_relaxed);
  return missed >= 20 * asleep_cost * us;
}

// next_chunk returns how many groups to run before looking at the clock again.
// Those to come may be of another kind, so it is never all of them.
static uint64_t next_chunk(uint64_t group_ticks, uint64_t left) {
  const uint64_t sample = 16;
  uint64_t chunk = group_ticks ? 2 * asleep_cost * microsecond() / group_ticks : sample;
  uint64_t most = group_ticks ? left / 2 : left / few;
  if (chunk > most)
    chunk = most;
  return chunk + (chunk == 0);
}

enum { launch_failed, launch_done, launch_stopped };

// launch_many runs a job of several groups, on this thread until it is clear
// that there is enough to share, then with the workers as well.
static int launch_many(struct slot *s, struct kiln_device *d, struct job *job, struct kiln_frame *frame) {
  struct kiln_function *f = job->function;
  struct kiln_error e;
  uint64_t known = atomic_load_explicit(&f->group_ticks, memory_order_relaxed);
  uint64_t work_known = times(known, job->groups);
  int shared = 0;
  if (known == 0) {
    if (may_be_long(d, job))
      shared = recruit(d, job, UINT64_MAX, 0);
  } else if (worth_sharing(d, work_known) || worth_waking(d, work_known))
    shared = recruit(d, job, work_known, known);
  if (!shared)
    job->chunk = known && work_known <= awake_cost * microsecond() ? job->groups : next_chunk(known, job->groups);
  uint64_t done = 0, busy = 0, start = ticks();
  while (!ended(job) && take_chunk(job, frame)) {
    if (!run(s, f, frame, &e)) {
      fail(job, &e);
      break;
    }
    uint64_t now = ticks();
    busy += now - start;
    start = now;
    if (shared)
      continue;
    done += frame->last - frame->first;
    uint64_t left = job->groups - done, per = busy / done + 1;
    if (left > 1 && worth_sharing(d, times(per, left))) {
      shared = recruit(d, job, times(per, left), per);
      start = ticks();
    }
    if (!shared)
      job->chunk = next_chunk(per, left);
  }
  if (shared)
    dismiss(d);
  if (failed(job))
    return launch_failed;
  if (atomic_load_explicit(&job->next, memory_order_relaxed) < job->groups)
    return launch_stopped;
  busy += atomic_load_explicit(&job->busy, memory_order_relaxed);
  uint64_t per = busy / job->groups + 1;
  atomic_store_explicit(&f->group_ticks, known ? (known + per) / 2 : per, memory_order_relaxed);
  return launch_done;
}

static inline void frame_fill(struct kiln_frame *frame, const struct kiln_launch *l) {
  frame->params = l->params;
  frame->first = 0;
  frame->last = l->groups;
  for (int i = 0; i < 3; i++) {
    frame->grid[i] = l->grid[i];
    frame->block[i] = l->block[i];
  }
  frame->shared = NULL;
  frame->shared_bytes = l->shared_bytes;
  frame->context = NULL;
  frame->launch = NULL;
}

// launch_one is a launch that needs neither company nor memory.
static inline int32_t launch_one(struct slot *s, const struct kiln_launch *l) {
  struct kiln_frame frame;
  struct kiln_error e;
  frame_fill(&frame, l);
  return likely(run(s, l->function, &frame, &e)) ? 0 : keep_error(&e);
}

__attribute__((noinline)) static int32_t launch_any(struct slot *s, const struct kiln_launch *l) {
  struct kiln_device *d = l->device;
  struct job job;
  job.function = l->function;
  frame_fill(&job.frame, l);
  job.context_bytes = l->function->context_bytes;
  job.groups = l->groups;
  job.stop = l->stop;
  atomic_init(&job.next, 0);
  atomic_init(&job.busy, 0);
  atomic_init(&job.failed, 0);
  // From here on the kernel may call back into Go, and that may move l.
  struct kiln_frame frame = job.frame;
  struct arena *arena = NULL;
  if (job.context_bytes | frame.shared_bytes) {
    arena = arena_take(d);
    if (!arena)
      return -KILN_MEMORY;
    if (!arena_fit(arena, &frame, frame.shared_bytes, job.context_bytes)) {
      arena_give(d, arena);
      return -KILN_MEMORY;
    }
  }
  // One that can be stopped goes chunk by chunk even where there is no company.
  int whole = job.groups == 1 || (d->most == 0 && !job.stop);
  int outcome = whole ? run(s, job.function, &frame, &job.error) : launch_many(s, d, &job, &frame);
  if (arena)
    arena_give(d, arena);
  if (outcome == launch_stopped)
    return -KILN_STOPPED;
  return outcome ? 0 : keep_error(&job.error);
}

// kiln_launch runs all groups of l and returns when they have ended. It reads
// l before it runs the kernel and not afterwards.
int32_t kiln_launch(const struct kiln_launch *l) {
  struct slot *s = slot_own();
  if (unlikely(!s))
    return -KILN_MEMORY;
  struct kiln_device *d = l->device;
  // The device is told of the launch before it is asked whether it is
  // closing: kiln_device_close does the reverse.
  int nested = atomic_load_explicit(&s->device, memory_order_relaxed) != NULL;
  if (likely(!nested))
    atomic_exchange(&s->device, d);
  else
    atomic_fetch_add(&d->nested, 1);
  int32_t result;
  if (unlikely(atomic_load(&d->closing)))
    result = -KILN_CLOSED;
  else if (likely(l->groups == 1 && !(l->shared_bytes | l->function->context_bytes)))
    result = launch_one(s, l);
  else
    result = launch_any(s, l);
  if (likely(!nested))
    atomic_store_explicit(&s->device, NULL, memory_order_release);
  else
    atomic_fetch_sub(&d->nested, 1);
  return result;
}
