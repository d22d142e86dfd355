// The kernels of the suite, made into kernels.bc by ./make.sh.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define SREG(name) ((unsigned)__nvvm_read_ptx_sreg_##name())

static __device__ unsigned group(void) { return SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z)); }

static __device__ unsigned item(void) { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }

static __device__ unsigned items(void) { return SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z); }

__device__ unsigned counter = 7;
__device__ unsigned long long totals[3] = {1, 2, 3};
__constant__ unsigned step = 1;

extern "C" {
__global__ void empty(void) {}

// add adds to an element for each work-item.
__global__ void add(unsigned *p, unsigned by) { p[group() * items() + item()] += by; }

// append makes p = 10 p + digit, so that the order of launches shows.
__global__ void append(unsigned long long *p, unsigned digit) { *p = *p * 10 + digit; }

// spin spends time on each group, and then counts it.
__global__ void spin(unsigned *done, unsigned long long rounds) {
  volatile unsigned long long at = 0;
  while (at < rounds)
    at = at + 1;
  __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
}

// wait waits until the host writes to *flag.
__global__ void wait(volatile unsigned *flag) {
  while (*flag == 0)
    ;
}

__global__ void store(unsigned *p, unsigned v) { *p = v; }

__global__ void count(void) {
  __atomic_fetch_add(&counter, step, __ATOMIC_RELAXED);
  __atomic_fetch_add(&totals[1], 2 * step, __ATOMIC_RELAXED);
}

__global__ void read(unsigned *out) { *out = counter; }
}
