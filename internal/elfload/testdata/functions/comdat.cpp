// Templates, inline functions and variables, virtual functions, RTTI: what
// compilers put into COMDAT groups.
#include <stdint.h>
template <int N> struct Power { static int64_t of(int64_t x) { return x * Power<N - 1>::of(x); } };
template <> struct Power<0> { static int64_t of(int64_t) { return 1; } };
template <typename T> struct Cell { static int64_t writes; T value; __attribute__((noinline)) void set(T v) { value = v; writes++; } };
template <typename T> int64_t Cell<T>::writes = 3;
inline int64_t inline_counter = 40;
__attribute__((noinline)) inline int64_t inline_function(int64_t x) { static int64_t calls = 5; return x + calls++; }
struct Shape { virtual int64_t area() const = 0; virtual const char *name() const { return "shape"; } virtual ~Shape() {} };
struct Square : Shape { int64_t side; explicit Square(int64_t s) : side(s) {} int64_t area() const override { return side * side; } };
struct Named { virtual int64_t id() const { return 8; } virtual ~Named() {} };
struct Both : Square, Named { explicit Both(int64_t s) : Square(s) {} int64_t id() const override { return side + 1; } const char *name() const override { return "both"; } };
template <typename F> __attribute__((noinline)) static int64_t apply(F f, int64_t x) { return f(x) + f(x + 1); }

extern "C" {
int64_t kf_template(int64_t x) { return Power<5>::of(x % 1000); }
int64_t kf_template_static(int64_t x) { Cell<int32_t> a; Cell<double> b; a.set((int32_t)x); b.set((double)x); b.set(1); return Cell<int32_t>::writes * 100 + Cell<double>::writes + a.value; }
int64_t kf_inline_variable(int64_t x) { return inline_counter++ + x; }
int64_t kf_inline_static(int64_t x) { return inline_function(x) * 3; }
int64_t kf_virtual(int64_t x) { Both b(x % 1000); Square s(3); Shape *p = x & 1 ? static_cast<Shape *>(&b) : &s; __asm__("" : "+r"(p)); return p->area() * 1000 + p->name()[0]; }
int64_t kf_dynamic_cast(int64_t x) { Both b(x); Square s(x); Shape *p = x & 1 ? static_cast<Shape *>(&b) : &s; __asm__("" : "+r"(p)); Named *n = dynamic_cast<Named *>(p); return n ? n->id() : -1; }
int64_t kf_lambda(int64_t x) { int64_t k = x / 3; return apply([k](int64_t y) { return k * y - 1; }, x); }
int64_t kf_new_delete(int64_t x) { Shape *p = new Both(x % 100); int64_t n = p->area(); delete p; return n; }
}
