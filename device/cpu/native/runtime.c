// The CPU device's runtime: one object, loaded once and never unloaded, since
// the process's signal handlers lead into it. What Go calls has external
// linkage and takes one pointer.
#include "runtime.h"
#if defined(__x86_64__)
#include "arch_amd64.h"
#else
#error "no runtime for this architecture"
#endif
#include "memory.c"
#include "guard.c"
#include "run.c"
#include "pool.c"
#include "launch.c"

struct kiln_start {
  int32_t spinners; // workers that may spin at once, over all devices
};

// kiln_start is called once. It returns 0, or 1 where the system takes no signal handlers.
int32_t kiln_start(const struct kiln_start *options) {
  most_spinners = options->spinners;
  start_nanoseconds = nanoseconds();
  start_ticks = ticks();
  return !guard_install();
}

struct kiln_open {
  struct kiln_device *device; // result
  uint32_t workers;
  // A mask of processors for the workers, 0 bytes for all.
  const uint64_t *processors;
  uint64_t processors_bytes;
};

// kiln_device_open returns 0, or 1 where memory is out.
int32_t kiln_device_open(struct kiln_open *o) {
  struct kiln_device *d = aligned_alloc(CACHE_LINE, sizeof *d);
  if (!d)
    return 1;
  memset(d, 0, sizeof *d);
  d->most = o->workers;
  d->workers = calloc(o->workers + 1, sizeof *d->workers);
  if (o->processors_bytes && (d->processors = malloc(o->processors_bytes))) {
    memcpy(d->processors, o->processors, o->processors_bytes);
    d->processors_bytes = o->processors_bytes;
  }
  if (!d->workers || (o->processors_bytes && !d->processors)) {
    free(d->processors);
    free(d->workers);
    free(d);
    return 1;
  }
  o->device = d;
  return 0;
}

static int launching(struct kiln_device *d) {
  for (unsigned i = 0; i < BUCKETS; i++)
    for (struct slot *s = atomic_load(&buckets[i]); s; s = s->next)
      if (atomic_load(&s->device) == d)
        return 1;
  return atomic_load(&d->nested) > 0;
}

// kiln_device_close refuses further launches, waits for those under way and
// ends the workers. It is called once; the structure stays for late launches
// to find it closed.
int32_t kiln_device_close(struct kiln_device *d) {
  atomic_store(&d->closing, 1);
  struct timespec pause = {.tv_nsec = 20000};
  while (launching(d)) {
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 2000000)
      pause.tv_nsec *= 2;
  }
  atomic_store(&d->quit, 1);
  atomic_fetch_add(&d->publications, 1);
  futex_wake(&d->publications, INT32_MAX);
  uint32_t started = atomic_load(&d->started);
  for (uint32_t i = 0; i < started; i++)
    pthread_join(d->workers[i].thread, NULL);
  for (uint32_t i = 0; i < d->most; i++) {
    free(d->workers[i].signal_stack);
    arena_release(&d->workers[i].arena);
  }
  free(d->workers);
  free(d->processors);
  for (struct arena *a = d->arenas; a;) {
    struct arena *next = a->next;
    arena_release(a);
    free(a);
    a = next;
  }
  return 0;
}

// kiln_device_free gives up a closed device that no launch can reach any more.
int32_t kiln_device_free(struct kiln_device *d) {
  free(d);
  return 0;
}
