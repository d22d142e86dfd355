// Exceptions thrown and caught, through clean-ups, rethrown, by base and by type.
#include <stdint.h>
struct Base { int64_t code; virtual int64_t weight() const { return code; } virtual ~Base() {} };
struct Heavy : Base { int64_t weight() const override { return code * 10; } };
struct Other { char name[24]; };
static int64_t cleaned;
struct Cleanup { int64_t n; ~Cleanup() { cleaned += n; } };

__attribute__((noinline)) static int64_t thrower(int64_t x) {
  if (x % 3 == 0) { Heavy h; h.code = x; throw h; }
  if (x % 3 == 1) { Base b; b.code = x; throw b; }
  if (x % 5 == 0) throw Other{"five"};
  return x * 2;
}
__attribute__((noinline)) static int64_t through(int64_t x) { Cleanup c{x & 7}; return thrower(x) + 1; }

extern "C" {
int64_t kf_catch_base(int64_t x) { try { return through(x); } catch (const Base &b) { return b.weight(); } catch (...) { return -7; } }
int64_t kf_catch_type(int64_t x) { try { return through(x); } catch (Heavy &) { return 1; } catch (Other &o) { return o.name[1]; } catch (Base &b) { return b.code; } }
int64_t kf_rethrow(int64_t x) {
  try { try { return through(x); } catch (Base &b) { b.code += 3; throw; } } catch (Base &b) { return b.weight(); } catch (Other &) { return 55; }
}
int64_t kf_cleanups(int64_t x) { cleaned = 0; try { through(x); through(x + 1); } catch (...) { cleaned += 100; } return cleaned; }
int64_t kf_loop_of_throws(int64_t x) {
  int64_t s = 0;
  for (int64_t i = 0; i < 20; i++) try { s += through(x + i); } catch (Base &b) { s ^= b.weight(); } catch (Other &) { s++; }
  return s;
}
int64_t kf_nested(int64_t x) { try { through(x); } catch (...) { try { through(x + 1); } catch (...) { return 2; } return 1; } return 0; }
}
