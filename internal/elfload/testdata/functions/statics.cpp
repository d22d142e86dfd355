// Static constructors and destructors, guarded statics, constructor functions.
#include <stdint.h>
static int64_t order;
static void note(int n) { order = order * 10 + n; }
__attribute__((constructor(300))) static void third() { note(3); }
__attribute__((constructor(200))) static void second() { note(2); }
__attribute__((constructor)) static void plain() { note(4); }
struct Counted {
  static int64_t alive;
  int64_t value;
  explicit Counted(int64_t v) : value(v) { alive++; }
  ~Counted() { alive--; }
};
int64_t Counted::alive;
static Counted a(11), b(a.value + 5);
static Counted list[3] = {Counted(1), Counted(2), Counted(a.value)};
static int64_t computed = a.value * b.value;
static const int64_t &reference = list[2].value;

extern "C" {
int64_t kf_constructed(int64_t x) { return a.value + b.value * x; }
int64_t kf_constructed_array(int64_t x) { return list[(uint64_t)x % 3].value + Counted::alive; }
int64_t kf_constructor_order(int64_t x) { return order * 100 + x % 7; }
int64_t kf_computed_global(int64_t x) { return computed ^ x; }
int64_t kf_reference(int64_t x) { return reference + x; }
int64_t kf_guarded_static(int64_t x) {
  static Counted first(x + 1000);
  return first.value * 3 + x;
}
int64_t kf_local_objects(int64_t x) {
  Counted c(x), d(c.value * 2);
  return c.value + d.value + Counted::alive;
}
}
