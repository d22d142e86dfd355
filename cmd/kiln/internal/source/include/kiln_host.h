// What host code beside the kernels names of the run time: declarations alone,
// for only kernels are compiled. Included once for CUDA and once for HIP, with
// KILN_RT(name) putting the prefix before the name.
#pragma once

enum KILN_RT(Error_t) { KILN_RT(Success), KILN_RT(ErrorInvalidValue), KILN_RT(ErrorOutOfMemory), KILN_RT(ErrorUnknown) };
enum KILN_RT(MemcpyKind) {
  KILN_RT(MemcpyHostToHost), KILN_RT(MemcpyHostToDevice), KILN_RT(MemcpyDeviceToHost), KILN_RT(MemcpyDeviceToDevice), KILN_RT(MemcpyDefault)
};
typedef struct KILN_RT(kiln_stream) *KILN_RT(Stream_t);
typedef struct KILN_RT(kiln_event) *KILN_RT(Event_t);
struct KILN_RT(DeviceProp) {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
  int multiProcessorCount, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
};
#ifdef __HIP__
typedef hipDeviceProp hipDeviceProp_t;
#else
typedef cudaEvent_t CUevent;
typedef cudaStream_t CUstream;
#endif

#define KILN_HOST_CALL(name, ...) KILN_RT(Error_t) KILN_RT(name)(__VA_ARGS__);
template <typename T> KILN_RT(Error_t) KILN_RT(Malloc)(T **p, size_t bytes);
template <typename T> KILN_RT(Error_t) KILN_RT(MallocManaged)(T **p, size_t bytes, unsigned flags = 1);
template <typename T> KILN_RT(Error_t) KILN_RT(MallocHost)(T **p, size_t bytes, unsigned flags = 0);
template <typename T> KILN_RT(Error_t) KILN_RT(HostAlloc)(T **p, size_t bytes, unsigned flags);
template <typename T> KILN_RT(Error_t) KILN_RT(MallocAsync)(T **p, size_t bytes, KILN_RT(Stream_t) stream);
KILN_HOST_CALL(Free, void *p)
KILN_HOST_CALL(FreeHost, void *p)
KILN_HOST_CALL(HostFree, void *p)
KILN_HOST_CALL(FreeAsync, void *p, KILN_RT(Stream_t) stream)
KILN_HOST_CALL(Memcpy, void *to, const void *from, size_t bytes, KILN_RT(MemcpyKind) kind)
KILN_HOST_CALL(MemcpyAsync, void *to, const void *from, size_t bytes, KILN_RT(MemcpyKind) kind, KILN_RT(Stream_t) stream = 0)
KILN_HOST_CALL(Memset, void *p, int value, size_t bytes)
KILN_HOST_CALL(MemsetAsync, void *p, int value, size_t bytes, KILN_RT(Stream_t) stream = 0)
KILN_HOST_CALL(MemGetInfo, size_t *free, size_t *total)
KILN_HOST_CALL(MemPrefetchAsync, const void *p, size_t bytes, int device, KILN_RT(Stream_t) stream = 0)
template <typename T> KILN_RT(Error_t) KILN_RT(MemcpyToSymbol)(const T &symbol, const void *from, size_t bytes, size_t offset = 0, KILN_RT(MemcpyKind) kind = KILN_RT(MemcpyHostToDevice));
template <typename T> KILN_RT(Error_t) KILN_RT(MemcpyFromSymbol)(void *to, const T &symbol, size_t bytes, size_t offset = 0, KILN_RT(MemcpyKind) kind = KILN_RT(MemcpyDeviceToHost));
KILN_HOST_CALL(DeviceSynchronize)
KILN_HOST_CALL(DeviceReset)
KILN_HOST_CALL(GetDevice, int *device)
KILN_HOST_CALL(SetDevice, int device)
KILN_HOST_CALL(GetDeviceCount, int *count)
KILN_HOST_CALL(GetDeviceProperties, KILN_RT(DeviceProp) *properties, int device)
KILN_HOST_CALL(GetLastError)
KILN_HOST_CALL(PeekAtLastError)
const char *KILN_RT(GetErrorString)(KILN_RT(Error_t) error);
const char *KILN_RT(GetErrorName)(KILN_RT(Error_t) error);
KILN_HOST_CALL(StreamCreate, KILN_RT(Stream_t) *stream)
KILN_HOST_CALL(StreamCreateWithFlags, KILN_RT(Stream_t) *stream, unsigned flags)
KILN_HOST_CALL(StreamDestroy, KILN_RT(Stream_t) stream)
KILN_HOST_CALL(StreamSynchronize, KILN_RT(Stream_t) stream)
KILN_HOST_CALL(StreamWaitEvent, KILN_RT(Stream_t) stream, KILN_RT(Event_t) event, unsigned flags = 0)
KILN_HOST_CALL(EventCreate, KILN_RT(Event_t) *event)
KILN_HOST_CALL(EventCreateWithFlags, KILN_RT(Event_t) *event, unsigned flags)
KILN_HOST_CALL(EventDestroy, KILN_RT(Event_t) event)
KILN_HOST_CALL(EventRecord, KILN_RT(Event_t) event, KILN_RT(Stream_t) stream = 0)
KILN_HOST_CALL(EventSynchronize, KILN_RT(Event_t) event)
KILN_HOST_CALL(EventElapsedTime, float *ms, KILN_RT(Event_t) start, KILN_RT(Event_t) stop)
template <typename... T, typename... A> KILN_RT(Error_t) KILN_RT(LaunchKernel)(void (*kernel)(T...), dim3 grid, dim3 block, A... rest);
#undef KILN_HOST_CALL
