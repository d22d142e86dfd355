// The one argument of every kernel entry on the CPU device: int32_t entry(struct kiln_frame *).
// An entry returns 0, or a code > 0 that names why it stopped.
#pragma once
#include <stdint.h>

struct kiln_frame {
  void *params;          //  0  parameter block, C struct layout; a host function's result follows the parameters
  uint64_t first;        //  8  first work-group to run, linear: x + grid.x * (y + grid.y * z)
  uint64_t last;         // 16  one past the last work-group to run
  uint32_t grid[3];      // 24  work-groups of the launch
  uint32_t block[3];     // 36  work-items of a group
  void *shared;          // 48  dynamic shared memory, this worker's own
  uint64_t shared_bytes; // 56
  void *context;         // 64  this worker's own memory for group-wide arrays (image.ContextBytes), 64-byte aligned
  void *launch;          // 72  launch-wide state
};                       // 80 bytes
