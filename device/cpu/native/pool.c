// The workers of a device. A launch that is worth sharing is published to
// them as a job; its caller always works on it too. Workers that have worked
// spin for a while, then sleep.
//
// A job is closed, and its memory given up, once its caller finds no chunk
// left and those that joined have gone. Workers that come too late do not
// join, so no caller waits for a sleeper.
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  spin_time = 150, // µs a worker, or a caller at the end of its job, spins
  awake_cost = 5,  // µs of work that pay for a spinning worker's help
  asleep_cost = 50, // and for waking one
  unmade_cost = 200, // and for making the first
  longest_chunk = 1000, // µs between looks at whether another has failed
};

struct job {
  struct kiln_function *function;
  struct kiln_frame frame; // but for first, last and the memory
  uint64_t context_bytes;
  uint64_t groups, chunk;
  const _Atomic uint32_t *stop; // of the launch, or NULL
  _Atomic uint32_t wakes; // sleepers still to be woken
  _Alignas(CACHE_LINE) _Atomic uint64_t next; // first group not taken
  _Alignas(CACHE_LINE) _Atomic uint64_t busy; // ticks spent in groups
  _Atomic uint32_t failed;
  struct kiln_error error; // of whoever set failed
};

struct worker {
  struct kiln_device *device;
  pthread_t thread;
  uint32_t seen; // publication at which it was made
  struct arena arena;
  char *signal_stack;
};

// Bits of a device's gate: the count of those at work on its job, and
enum { gate_open = 1u << 31, gate_awaited = 1u << 30, gate_count = gate_awaited - 1 };

struct kiln_device {
  // What workers watch.
  _Alignas(CACHE_LINE) _Atomic uint32_t publications;
  _Atomic uint32_t quit;
  // What they join by.
  _Alignas(CACHE_LINE) _Atomic uint32_t gate;
  _Atomic uint32_t limit; // of those that join
  _Atomic(struct job *) job;
  // What callers share.
  _Alignas(CACHE_LINE) _Atomic uint32_t owned; // a job is published
  _Atomic uint32_t sleepers;
  _Atomic uint32_t started; // workers, at the front of the array
  _Atomic uint64_t missed, missed_at; // see worth_waking
  _Atomic uint64_t nested; // launches from within a launch
  struct lock arenas_lock;
  struct arena *arenas; // unused ones, for callers
  // What seldom changes.
  _Alignas(CACHE_LINE) _Atomic uint32_t closing;
  uint32_t most; // workers
  struct worker *workers;
  // The processors that workers may run on, a bit each; all where there is no mask.
  uint64_t *processors;
  uint64_t processors_bytes;
};

// No more workers spin in the process than there are processors beside the caller's.
static _Atomic int32_t spinners;
static int32_t most_spinners;

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

// spun_out tells, every few rounds, whether spinning since start has been long enough.
static int spun_out(uint64_t start, uint64_t most) {
  for (int i = 0; i < 8; i++)
    relax();
  return ticks() - start > most;
}

// await_publication returns the number of a publication later than seen.
static uint32_t await_publication(struct kiln_device *d, uint32_t seen) {
  if (atomic_fetch_add_explicit(&spinners, 1, memory_order_relaxed) < most_spinners) {
    uint64_t start = ticks(), most = spin_time * microsecond();
    while (atomic_load_explicit(&d->publications, memory_order_acquire) == seen && !spun_out(start, most))
      ;
  }
  atomic_fetch_sub_explicit(&spinners, 1, memory_order_relaxed);
  if (atomic_load(&d->publications) == seen) {
    atomic_fetch_add(&d->sleepers, 1);
    while (atomic_load(&d->publications) == seen)
      futex_wait(&d->publications, seen);
    atomic_fetch_sub(&d->sleepers, 1);
  }
  return atomic_load(&d->publications);
}

static int join(struct kiln_device *d) {
  uint32_t gate = atomic_load_explicit(&d->gate, memory_order_acquire);
  do {
    if (!(gate & gate_open) || (gate & gate_count) >= atomic_load_explicit(&d->limit, memory_order_relaxed))
      return 0;
  } while (!atomic_compare_exchange_weak_explicit(&d->gate, &gate, gate + 1, memory_order_acquire, memory_order_acquire));
  return 1;
}

static void leave(struct kiln_device *d) {
  uint32_t before = atomic_fetch_sub_explicit(&d->gate, 1, memory_order_acq_rel);
  if ((before & (gate_awaited | gate_count)) == (gate_awaited | 1))
    futex_wake(&d->gate, 1);
}

// pass_on_wakes wakes two of the sleepers a job asks for; they wake the next.
static void pass_on_wakes(struct kiln_device *d, struct job *job) {
  uint32_t wakes = atomic_load_explicit(&job->wakes, memory_order_relaxed), some;
  do {
    some = wakes < 2 ? wakes : 2;
    if (some == 0)
      return;
  } while (!atomic_compare_exchange_weak_explicit(&job->wakes, &wakes, wakes - some, memory_order_relaxed, memory_order_relaxed));
  futex_wake(&d->publications, some);
}

// fail makes e the job's error unless it has one.
static void fail(struct job *job, const struct kiln_error *e) {
  uint32_t none = 0;
  if (atomic_compare_exchange_strong(&job->failed, &none, 1))
    job->error = *e;
}

static int failed(struct job *job) { return atomic_load_explicit(&job->failed, memory_order_relaxed) != 0; }

// ended tells that no further groups are to be taken.
static int ended(struct job *job) {
  return failed(job) || (job->stop && atomic_load_explicit(job->stop, memory_order_relaxed) != 0);
}

// take_chunk gives the frame the next groups. 0 means there are none left.
static int take_chunk(struct job *job, struct kiln_frame *frame) {
  uint64_t first = atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
  if (first >= job->groups)
    return 0;
  frame->first = first;
  frame->last = job->groups - first < job->chunk ? job->groups : first + job->chunk;
  return 1;
}

static void help(struct job *job, struct slot *s, struct arena *arena) {
  struct kiln_frame frame = job->frame;
  struct kiln_error e;
  uint64_t start = ticks();
  // Without memory of its own the worker leaves the work to the others.
  if (!arena_fit(arena, &frame, frame.shared_bytes, job->context_bytes))
    return;
  while (!ended(job) && take_chunk(job, &frame))
    if (!run(s, job->function, &frame, &e))
      fail(job, &e);
  atomic_fetch_add_explicit(&job->busy, ticks() - start, memory_order_relaxed);
}

static const size_t worker_stack = 8 << 20, worker_guard = 64 << 10, worker_signal_stack = 64 << 10;

static void *work(void *argument) {
  struct worker *w = argument;
  struct kiln_device *d = w->device;
  stack_t signals = {.ss_sp = w->signal_stack, .ss_size = worker_signal_stack};
  sigaltstack(&signals, NULL);
  sigset_t mask;
  sigemptyset(&mask);
  for (unsigned i = 0; i < FAULTS; i++)
    sigaddset(&mask, faults[i]);
  pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
  prctl(PR_SET_NAME, "kiln-worker");
  if (d->processors)
    syscall(SYS_sched_setaffinity, 0, d->processors_bytes, d->processors);
  struct slot *s = slot_own();
  uint32_t seen = w->seen;
  for (;;) {
    seen = await_publication(d, seen);
    if (atomic_load(&d->quit))
      break;
    if (s && join(d)) {
      struct job *job = atomic_load_explicit(&d->job, memory_order_relaxed);
      pass_on_wakes(d, job);
      help(job, s, &w->arena);
      leave(d);
    }
  }
  signals.ss_flags = SS_DISABLE;
  sigaltstack(&signals, NULL);
  return NULL;
}

// start_worker adds a worker, which joins the next publication. 0 means that
// the system has no thread or memory for it.
static int start_worker(struct kiln_device *d) {
  uint32_t n = atomic_load_explicit(&d->started, memory_order_relaxed);
  struct worker *w = &d->workers[n];
  w->device = d;
  w->seen = atomic_load(&d->publications);
  if (!w->signal_stack && !(w->signal_stack = malloc(worker_signal_stack)))
    return 0;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return 0;
  pthread_attr_setstacksize(&attributes, worker_stack);
  pthread_attr_setguardsize(&attributes, worker_guard);
  // The process's signals are none of the workers' business.
  sigset_t all, own;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &own);
  int err = pthread_create(&w->thread, &attributes, work, w);
  pthread_sigmask(SIG_SETMASK, &own, NULL);
  pthread_attr_destroy(&attributes);
  if (err)
    return 0;
  atomic_store_explicit(&d->started, n + 1, memory_order_relaxed);
  return 1;
}

// awake returns the number of workers that would join a job without being woken.
static uint32_t awake(struct kiln_device *d) {
  uint32_t started = atomic_load_explicit(&d->started, memory_order_relaxed);
  uint32_t asleep = atomic_load_explicit(&d->sleepers, memory_order_relaxed);
  return asleep < started ? started - asleep : 0;
}

// shared_chunk returns how many groups to take at a time: so few that all
// participants end together and stop soon when one fails, so many that taking
// them costs nothing.
static uint64_t shared_chunk(uint64_t left, uint64_t participants, uint64_t group_ticks) {
  uint64_t chunk = left / (8 * participants);
  if (group_ticks) {
    uint64_t least = 2 * awake_cost * microsecond() / group_ticks, most = longest_chunk * microsecond() / group_ticks;
    if (chunk < least)
      chunk = least;
    if (chunk > most)
      chunk = most;
  }
  if (chunk > left / participants)
    chunk = left / participants;
  return chunk + (chunk == 0);
}

// recruit publishes the job to as many workers as the given ticks of work pay
// for. 0 means that the caller is left alone with it: another launch has the
// workers, or there is none.
static int recruit(struct kiln_device *d, struct job *job, uint64_t work_ticks, uint64_t group_ticks) {
  uint32_t free = 0;
  if (d->most == 0 || atomic_load_explicit(&d->owned, memory_order_relaxed) ||
      !atomic_compare_exchange_strong_explicit(&d->owned, &free, 1, memory_order_acquire, memory_order_relaxed))
    return 0;
  uint64_t left = job->groups - atomic_load_explicit(&job->next, memory_order_relaxed);
  uint32_t ready = awake(d), most = d->most;
  if (most > left - 1)
    most = (uint32_t)(left - 1);
  uint64_t want = work_ticks / (awake_cost * microsecond()), woken = work_ticks / (asleep_cost * microsecond());
  if (want > ready)
    want = woken > ready ? woken : ready;
  if (want > most)
    want = most;
  want += want == 0;
  while (atomic_load_explicit(&d->started, memory_order_relaxed) < want && start_worker(d))
    ready++;
  if (atomic_load_explicit(&d->started, memory_order_relaxed) == 0) {
    atomic_store_explicit(&d->owned, 0, memory_order_release);
    return 0;
  }
  job->chunk = shared_chunk(left, want + 1, group_ticks);
  atomic_store_explicit(&job->wakes, want > ready ? (uint32_t)want - ready : 0, memory_order_relaxed);
  atomic_store_explicit(&d->limit, (uint32_t)want, memory_order_relaxed);
  atomic_store_explicit(&d->job, job, memory_order_relaxed);
  atomic_store_explicit(&d->gate, gate_open, memory_order_release);
  atomic_fetch_add(&d->publications, 1);
  // A worker may have gone to sleep since they were counted.
  if (want <= ready && atomic_load(&d->sleepers) > 0)
    atomic_store_explicit(&job->wakes, 1, memory_order_relaxed);
  pass_on_wakes(d, job);
  return 1;
}

// dismiss closes the job: those that joined it are gone when it returns.
static void dismiss(struct kiln_device *d) {
  atomic_fetch_and_explicit(&d->gate, ~(uint32_t)gate_open, memory_order_acq_rel);
  uint64_t start = ticks(), most = spin_time * microsecond();
  uint32_t gate;
  while ((gate = atomic_load_explicit(&d->gate, memory_order_acquire)) & gate_count) {
    if (!spun_out(start, most))
      continue;
    uint32_t awaited = gate | gate_awaited;
    if (gate == awaited || atomic_compare_exchange_strong(&d->gate, &gate, awaited))
      futex_wait(&d->gate, awaited);
  }
  atomic_store_explicit(&d->gate, 0, memory_order_relaxed);
  atomic_store_explicit(&d->job, NULL, memory_order_relaxed);
  atomic_store_explicit(&d->owned, 0, memory_order_release);
}
