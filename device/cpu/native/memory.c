// Memory, locks and clocks.
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static void lock(struct lock *l) {
  while (unlikely(atomic_exchange_explicit(&l->held, 1, memory_order_acquire)))
    sched_yield();
}

static void unlock(struct lock *l) { atomic_store_explicit(&l->held, 0, memory_order_release); }

static uint64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t start_ticks, start_nanoseconds;
static _Atomic uint64_t measured_rate;

// microsecond returns the ticks of one. The rate is measured once, over the
// time since the runtime started, which must be long against the clock's own cost.
static uint64_t microsecond(void) {
  uint64_t rate = atomic_load_explicit(&measured_rate, memory_order_relaxed);
  if (likely(rate))
    return rate;
  uint64_t ns, t;
  do {
    ns = nanoseconds() - start_nanoseconds;
    t = ticks() - start_ticks;
  } while (ns < 20000);
  // A tick counter that stood still or went back is no reason to divide by zero later.
  rate = (int64_t)t > 0 ? t * 1000 / ns : 1;
  rate += rate == 0;
  atomic_store_explicit(&measured_rate, rate, memory_order_relaxed);
  return rate;
}

static const uint64_t shared_align = 128;

// arena_fit gives the frame its memory, uncleared. 0 means there is none.
static int arena_fit(struct arena *a, struct kiln_frame *frame, uint64_t shared, uint64_t context) {
  const uint64_t granule = 64 << 10, most = (uint64_t)1 << 46;
  if (unlikely(shared > most || context > most))
    return 0;
  uint64_t at = (shared + shared_align - 1) / shared_align * shared_align;
  uint64_t need = at + context;
  if (unlikely(need > a->size)) {
    if (a->size)
      munmap(a->base, a->size);
    a->size = 0;
    need = (need + granule - 1) / granule * granule;
    void *p = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      return 0;
    a->base = p;
    a->size = need;
  }
  frame->shared = shared ? a->base : NULL;
  frame->context = context ? a->base + at : NULL;
  return 1;
}

static void arena_release(struct arena *a) {
  if (a->size)
    munmap(a->base, a->size);
  a->size = 0;
}
