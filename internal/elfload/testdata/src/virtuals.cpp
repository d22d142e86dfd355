// Virtual functions and run-time type information.
#include <stdint.h>
struct Shape {
	virtual ~Shape() {}
	virtual double area() const = 0;
};
struct Square : Shape {
	double side;
	explicit Square(double s) : side(s) {}
	double area() const override { return side * side; }
};
struct Named { virtual int id() const { return 1; } };
struct Circle : Shape, Named {
	double r;
	explicit Circle(double x) : r(x) {}
	double area() const override { return 3 * r * r; }
	int id() const override { return 2; }
};
__attribute__((noinline)) static double total(Shape **s, int n) {
	double t = 0;
	for (int i = 0; i < n; i++) t += s[i]->area();
	return t;
}
__attribute__((noinline)) static int identify(Shape *s) {
	if (auto *n = dynamic_cast<Named *>(s)) return n->id();
	return 0;
}
extern "C" int32_t test(void *arg) {
	Square sq(3);
	Circle c(2);
	Shape *all[] = {&sq, &c};
	if (total(all, 2) != 21) return __LINE__;
	return identify(&c) == 2 && identify(&sq) == 0 ? 0 : __LINE__;
}
