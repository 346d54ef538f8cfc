/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver API, opened at run time, and what device.c, memory.c, launch.c and timing.c share:
 * private to cuda/.
 *
 * The names below are those that drivers of CUDA 11 to 13 export. cuda.h maps some short names to
 * newer versions with other arguments (cuCtxCreate to _v4 in CUDA 13), hence prototypes of our
 * own with the version spelled out.
 */
#pragma once

#include <cuda.h>
#include <pthread.h>

#include "cuda/stxcuda.h"

#define STX_DRIVER_CALLS(X)                                                                        \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuDriverGetVersion, (int *version))                                                            \
  X(cuGetErrorName, (CUresult result, const char **name))                                          \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                                                 \
  X(cuDeviceGetName, (char *name, int length, CUdevice device))                                    \
  X(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))             \
  X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                        \
  X(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))                        \
  X(cuCtxDestroy_v2, (CUcontext context))                                                          \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                      \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                     \
  X(cuCtxGetDevice, (CUdevice * device))                                                           \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                                           \
  X(cuStreamDestroy_v2, (CUstream stream))                                                         \
  X(cuStreamSynchronize, (CUstream stream))                                                        \
  X(cuMemAlloc_v2, (CUdeviceptr * device, size_t size))                                            \
  X(cuMemFree_v2, (CUdeviceptr device))                                                            \
  X(cuMemAllocHost_v2, (void **host, size_t size))                                                 \
  X(cuMemFreeHost, (void *host))                                                                   \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream))        \
  X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream))              \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))        \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                              \
  X(cuMemsetD8Async, (CUdeviceptr device, unsigned char value, size_t size, CUstream stream))      \
  X(cuModuleLoadData, (CUmodule * module, const void *image))                                      \
  X(cuModuleUnload, (CUmodule module))                                                             \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))               \
  X(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function))         \
  X(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))          \
  X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,       \
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,     \
                        CUstream stream, void **params, void **extra))                             \
  X(cuEventCreate, (CUevent * event, unsigned flags))                                              \
  X(cuEventDestroy_v2, (CUevent event))                                                            \
  X(cuEventRecord, (CUevent event, CUstream stream))                                               \
  X(cuEventSynchronize, (CUevent event))                                                           \
  X(cuEventElapsedTime, (float *milliseconds, CUevent begin, CUevent end))                         \
  X(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                          \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                        \
  X(cuGraphInstantiateWithFlags,                                                                   \
      (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                         \
  X(cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                      \
  X(cuGraphDestroy, (CUgraph graph))                                                               \
  X(cuGraphExecDestroy, (CUgraphExec executable))

typedef struct {
  void *library;
#define STX_DRIVER_MEMBER(name, arguments) CUresult(CUDAAPI *p_##name) arguments;
  STX_DRIVER_CALLS(STX_DRIVER_MEMBER)
#undef STX_DRIVER_MEMBER
} StxDriver;

/* Opens libcuda.so.1 and initialises it. Every success needs an stx_driver_close. */
bool stx_driver_open(StxDriver *driver, StxError *error);
void stx_driver_close(StxDriver *driver);

/* Returns whether the result is a success; else the error is "<what was called, for what>: <the
 * driver's name of the result>". */
bool stx_driver_check(const StxDriver *driver, StxError *error, CUresult result, const char *format,
    ...) __attribute__((format(printf, 4, 5)));

/* launch.c: what is loaded into a context. */
typedef struct {
  const struct StxCudaModule *key;
  CUmodule module;
} StxLoadedModule;

typedef struct {
  const struct StxCudaModule *module;
  const char *name;
  CUfunction function;
  size_t shared_static; /* bytes of the kernel's own shared memory */
  size_t shared_limit;  /* static and dynamic bytes that a launch may ask for at the moment */
} StxLoadedKernel;

struct StxCuda {
  StxDriver driver;
  CUcontext context;
  bool own; /* the context is destroyed by stx_cuda_close */
  StxCudaInfo info;
  pthread_mutex_t lock; /* of all that follows */
  StxLoadedModule *modules;
  size_t module_count;
  StxLoadedKernel *kernels;
  size_t kernel_count;
};

/* Makes the context current until stx_cuda_leave. Failure: do not leave. Releases go on without
 * it: the driver knows most handles anyway. */
bool stx_cuda_enter(StxCuda *cuda, StxError *error);
void stx_cuda_leave(StxCuda *cuda);

/* Leaves the context first. */
bool stx_cuda_left(StxCuda *cuda, StxError *error, CUresult result, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* One call of the driver in the context: whether it went well, else its text as of printf. */
#define STX_CUDA_CALL(cuda, error, call, ...)                                                      \
  (stx_cuda_enter(cuda, error) && stx_cuda_left(cuda, error, (cuda)->driver.p_##call, __VA_ARGS__))

/* The same of a call that releases: its failure is of earlier work, or leaves nothing to do. */
#define STX_CUDA_RELEASE(cuda, call)                                                               \
  do {                                                                                             \
    bool entered_ = stx_cuda_enter(cuda, NULL);                                                    \
    (cuda)->driver.p_##call;                                                                       \
    if (entered_)                                                                                  \
      stx_cuda_leave(cuda);                                                                        \
  } while (0)

typedef enum { STX_UPLOAD, STX_DOWNLOAD } StxDirection;
extern const char *const stx_direction_names[]; /* "upload", "download" */

/* Enqueues all rows at once, whose stride on the host is positive. */
CUresult stx_driver_copy(
    const StxDriver *driver, const StxCudaCopy *copy, StxDirection direction, StxCudaStream stream);

/* Unloads what was loaded. The context is current. */
void stx_cuda_unload(StxCuda *cuda);
