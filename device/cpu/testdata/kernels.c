// Entries for the tests of the CPU device, compiled when they run.
#include <stdint.h>
#include <string.h>
#include "frame.h"

static uint64_t thread(void) {
  uint64_t p;
  __asm__("movq %%fs:0, %0" : "=r"(p));
  return p;
}

static uint64_t now(void) { return __builtin_ia32_rdtsc(); }

static void spin(uint64_t ticks) {
  for (uint64_t start = now(); now() - start < ticks;)
    __builtin_ia32_pause();
}

int32_t empty(struct kiln_frame *f) { return 0; }

// clock has another shape than entries: it stores the ticks.
int32_t clock_ticks(uint64_t *at) {
  *at = now();
  return 0;
}

int32_t host(struct kiln_frame *f) {
  struct { double a, b, result; } *p = f->params;
  if (f->first != 0 || f->last != 1 || f->grid[0] != 1 || f->block[2] != 1)
    return 1;
  p->result = p->a * 10 + p->b;
  return 0;
}

// mark counts each group, and checks what the frame says.
int32_t mark(struct kiln_frame *f) {
  struct { uint32_t *counts; uint64_t groups; uint32_t block[3]; } *p = f->params;
  if ((uint64_t)f->grid[0] * f->grid[1] * f->grid[2] != p->groups)
    return 1;
  if (memcmp(f->block, p->block, sizeof p->block))
    return 2;
  if (f->first >= f->last || f->last > p->groups)
    return 3;
  for (uint64_t g = f->first; g < f->last; g++)
    p->counts[g]++;
  return 0;
}

// sums adds up a row of values for each group.
int32_t sums(struct kiln_frame *f) {
  struct { const double *in; double *out; uint64_t row; } *p = f->params;
  for (uint64_t g = f->first; g < f->last; g++) {
    double sum = 0;
    for (uint64_t i = 0; i < p->row; i++)
      sum += p->in[g * p->row + i];
    p->out[g] = sum;
  }
  return 0;
}

// work spends ticks[g] on group g and notes who began it, and when.
int32_t work(struct kiln_frame *f) {
  struct { const uint64_t *ticks; uint64_t *threads; uint64_t *began; } *p = f->params;
  for (uint64_t g = f->first; g < f->last; g++) {
    p->began[g] = now();
    p->threads[g] = thread();
    spin(p->ticks[g]);
  }
  return 0;
}

int32_t who(struct kiln_frame *f) {
  **(uint64_t **)f->params = thread();
  return 0;
}

// elsewhere faults on every thread but the given one.
int32_t elsewhere(struct kiln_frame *f) {
  struct { uint64_t caller, ticks; } *p = f->params;
  if (thread() != p->caller)
    *(volatile int *)16 = 1;
  for (uint64_t g = f->first; g < f->last; g++)
    spin(p->ticks);
  return 0;
}

// halfway faults in one group.
int32_t halfway(struct kiln_frame *f) {
  struct { uint64_t group, ticks; } *p = f->params;
  for (uint64_t g = f->first; g < f->last; g++) {
    if (g == p->group)
      __builtin_trap();
    spin(p->ticks);
  }
  return 0;
}

// memory checks that each participant has memory of its own.
int32_t memory(struct kiln_frame *f) {
  struct { uint64_t shared, context, ticks; } *p = f->params;
  if (f->shared_bytes != p->shared || (uintptr_t)f->shared % 128 || (uintptr_t)f->context % 64)
    return 1;
  if (!f->shared != !p->shared || !f->context != !p->context)
    return 2;
  uint64_t me = thread() ^ f->first;
  uint64_t *shared = f->shared, *context = f->context;
  for (uint64_t i = 0; i < p->shared / 8; i++)
    shared[i] = me + i;
  for (uint64_t i = 0; i < p->context / 8; i++)
    context[i] = me - i;
  spin(p->ticks);
  for (uint64_t i = 0; i < p->shared / 8; i++)
    if (shared[i] != me + i)
      return 3;
  for (uint64_t i = 0; i < p->context / 8; i++)
    if (context[i] != me - i)
      return 4;
  return 0;
}

int32_t status(struct kiln_frame *f) { return *(int32_t *)f->params; }

// flags says that it has begun, waits, and says that it has ended.
int32_t flags(struct kiln_frame *f) {
  struct { uint32_t *begun, *ended; uint64_t ticks; } *p = f->params;
  __atomic_store_n(p->begun, 1, __ATOMIC_SEQ_CST);
  spin(p->ticks);
  __atomic_store_n(p->ended, 1, __ATOMIC_SEQ_CST);
  return 0;
}

int32_t null_store(struct kiln_frame *f) {
  **(volatile int **)f->params = 1;
  return 0;
}

int32_t divide(struct kiln_frame *f) {
  volatile int32_t *p = f->params;
  p[0] = p[0] / p[1];
  return 0;
}

int32_t trap(struct kiln_frame *f) { __builtin_trap(); }

int32_t debug_trap(struct kiln_frame *f) {
  __builtin_debugtrap();
  return 0;
}

int32_t call(struct kiln_frame *f) { return (*(int32_t (*volatile *)(void))f->params)() + 1; }

int32_t tail_call(struct kiln_frame *f) { return (*(int32_t (*volatile *)(void))f->params)(); }

__attribute__((noinline)) static int64_t deeper(int64_t n) {
  volatile char room[64];
  room[n % 64] = (char)n;
  return n == INT64_MAX ? 0 : deeper(n + 1) + room[n % 64];
}

int32_t recurse(struct kiln_frame *f) { return (int32_t)deeper(0); }

int32_t large_frame(struct kiln_frame *f) {
  volatile char room[20 << 20];
  for (unsigned i = 0; i < sizeof room; i += 4096)
    room[i] = (char)i;
  return room[12345];
}

// units leaves the x87 stack full, the rounding modes changed and the
// direction flag set when it faults.
int32_t units(struct kiln_frame *f) {
  uint32_t vector = 0x7f80;
  uint16_t x87 = 0x0c7f;
  __asm__ volatile("ldmxcsr %0\n\tfldcw %1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tfld1\n\tstd\n\tud2"
                   : : "m"(vector), "m"(x87));
  return 0;
}

// units_check returns 0 if all is as a function may expect.
int32_t units_check(struct kiln_frame *f) {
  uint32_t vector;
  uint16_t x87;
  uint64_t flags;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tpushfq\n\tpopq %2" : "=m"(vector), "=m"(x87), "=r"(flags));
  if ((vector & 0xffc0) != 0x1f80 || x87 != 0x37f || (flags & 1 << 10))
    return 1;
  volatile long double a = 3, b = 4;
  return a * b == 12 ? 0 : 2;
}

// inside_libc faults where locks could be held.
int32_t inside_libc(struct kiln_frame *f) {
  size_t (*volatile length)(const char *) = strlen;
  return (int32_t)length(*(const char *volatile *)f->params);
}

// callback calls back into Go before and after it writes.
int32_t callback(struct kiln_frame *f) {
  struct { int64_t (*call)(int64_t); int64_t sum; } *p = f->params;
  for (uint64_t g = f->first; g < f->last; g++)
    p->sum += p->call((int64_t)g);
  return 0;
}

// callbacks calls back from every thread, and counts the calls from others.
int32_t callbacks(struct kiln_frame *f) {
  struct { int64_t (*call)(int64_t); uint64_t caller; int64_t sum, foreign; } *p = f->params;
  for (uint64_t g = f->first; g < f->last; g++) {
    __atomic_fetch_add(&p->sum, p->call((int64_t)g), __ATOMIC_RELAXED);
    if (thread() != p->caller)
      __atomic_fetch_add(&p->foreign, 1, __ATOMIC_RELAXED);
  }
  return 0;
}
