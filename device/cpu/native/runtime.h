// What the parts of the CPU device's runtime share. Structures named kiln_ are
// laid out the same way on the Go side (native_unsafe.go).
#pragma once
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "barrier.h"
#include "frame.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define CACHE_LINE 64

// What became of a launch. kiln_launch returns 0 for KILN_OK, minus the
// outcome where there is nothing more to say, else the id of a kiln_error.
enum {
  KILN_OK,
  KILN_STATUS,    // the entry returned code
  KILN_FAULT,     // signal code at offset
  KILN_EXCEPTION, // of a C++ type, with a text
  KILN_MEMORY,
  KILN_CLOSED,
  KILN_STOPPED, // before all groups were taken
};

// A loaded kernel. The launches of it share what they learn about its cost.
struct kiln_function {
  uint64_t entry;
  uint64_t text, text_end; // the image's code: a fault elsewhere is not the kernel's
  uint64_t barrier;        // kiln_barrier where the image can throw, else 0
  uint64_t context_bytes;
  _Atomic uint64_t group_ticks; // measured time of a group, 0 while unknown
};

struct kiln_device;

struct kiln_launch {
  struct kiln_function *function;
  struct kiln_device *device;
  void *params;
  uint64_t groups;
  uint64_t shared_bytes;
  uint32_t grid[3], block[3];
  const _Atomic uint32_t *stop; // not 0: no further groups are to be taken; or NULL
};

struct kiln_error {
  int32_t id;
  int32_t kind;
  int32_t code;
  int32_t stack_overflow;
  uint64_t address;
  int64_t offset; // of the instruction, from the entry
  char type[128];
  char text[256];
};

// guard is a call of kernel code under way. The architecture's kiln_enter
// knows the offsets of the first three members.
struct guard {
  uint64_t sp;
  uint32_t vector_control;
  uint16_t float_control;
  const struct kiln_function *function;
  struct guard *outer;
  int32_t signal; // 0, or what ended the call
  int32_t stack_overflow;
  uint64_t address, pc;
};

// slot is a thread that has run kernel code. Slots are found by the thread
// pointer, also in a signal handler, and are never freed: a new thread whose
// pointer is the same takes over the slot.
struct slot {
  uintptr_t thread;
  struct slot *next;
  struct guard *volatile guard;
  // The device of the thread's outermost launch, for kiln_device_close.
  _Atomic(struct kiln_device *) device;
} __attribute__((aligned(CACHE_LINE)));

// lock is held for a few instructions at most.
struct lock {
  _Atomic uint32_t held;
};

// arena is memory of one participant in launches, kept and grown.
struct arena {
  struct arena *next;
  char *base;
  uint64_t size;
};
