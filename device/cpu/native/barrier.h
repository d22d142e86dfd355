// What the runtime calls the exception barrier with.
#pragma once
#include <stdint.h>
#include "frame.h"

struct kiln_barrier_call {
  int32_t (*entry)(struct kiln_frame *);
  struct kiln_frame *frame;
  int32_t caught;
  char type[128]; // mangled
  char text[256];
};
