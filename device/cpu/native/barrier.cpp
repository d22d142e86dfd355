// The exception barrier: loaded only for images that can throw, since it
// needs the C++ library.
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>

extern "C" {
#include "barrier.h"
}

template <size_t size> static void copy(char (&to)[size], const char *from) {
  size_t n = strnlen(from, size - 1);
  memcpy(to, from, n);
  memset(to + n, 0, size - n);
}

extern "C" int32_t kiln_barrier(struct kiln_barrier_call *call) {
  try {
    return call->entry(call->frame);
  } catch (const std::exception &e) {
    copy(call->type, typeid(e).name());
    copy(call->text, e.what());
  } catch (...) {
    // An exception of another language has no type.
    const std::type_info *type = abi::__cxa_current_exception_type();
    copy(call->type, type ? type->name() : "");
    copy(call->text, "");
  }
  call->caught = 1;
  return 0;
}
