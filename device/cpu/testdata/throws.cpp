// Entries that throw.
#include <cstdint>
#include <stdexcept>
#include <string>
extern "C" {
#include "frame.h"
}

static uint64_t thread() {
  uint64_t p;
  __asm__("movq %%fs:0, %0" : "=r"(p));
  return p;
}

static void spin(uint64_t ticks) {
  for (uint64_t start = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - start < ticks;)
    __builtin_ia32_pause();
}

static int cleanups;
struct cleanup {
  ~cleanup() { cleanups++; }
};

__attribute__((noinline)) static void thrower(int n) {
  cleanup c;
  throw std::runtime_error("boom " + std::to_string(n));
}

extern "C" int32_t throw_runtime_error(kiln_frame *f) {
  cleanup c;
  thrower(*static_cast<int *>(f->params));
  return 0;
}

extern "C" int32_t throw_int(kiln_frame *f) { throw 5; }

extern "C" int32_t throw_long_text(kiln_frame *f) { throw std::logic_error(std::string(1000, 'x')); }

extern "C" int32_t catches(kiln_frame *f) {
  try {
    thrower(1);
  } catch (const std::exception &e) {
    return e.what() == std::string("boom 1") ? 0 : 1;
  }
  return 2;
}

extern "C" int32_t count_cleanups(kiln_frame *f) {
  *static_cast<int *>(f->params) = cleanups;
  return 0;
}

extern "C" int32_t throw_elsewhere(kiln_frame *f) {
  struct params { uint64_t caller, ticks; } *p = static_cast<params *>(f->params);
  if (thread() != p->caller)
    thrower(2);
  for (uint64_t g = f->first; g < f->last; g++)
    spin(p->ticks);
  return 0;
}

extern "C" int32_t fault_in_try(kiln_frame *f) {
  try {
    **static_cast<int *volatile *>(f->params) = 1;
    thrower(3);
  } catch (...) {
    return 1;
  }
  return 0;
}
