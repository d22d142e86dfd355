// A module that does something when it is loaded and when it is unloaded, and
// has one function that uses no variable.
#include <stdint.h>
struct ending {
  int32_t *told;
  ending() : told(0) {}
  ~ending() {
    if (told)
      *told += 100;
  }
};
static ending object;
extern "C" {
void tell(int32_t *p) { object.told = p; }
int32_t started_at_first_use(int32_t v) {
  struct counted {
    int32_t v;
    counted(int32_t v) : v(v) {}
    ~counted() {
      if (object.told)
        *object.told += 1;
    }
  };
  static counted c(v);
  return c.v;
}
}
