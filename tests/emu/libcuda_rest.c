/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the driver that GStreamer's CUDA library wants to find, and that the fake driver
 * does not offer: OpenGL, textures, access between GPUs and, from GStreamer 1.24 and 1.26 on,
 * memory of other processes and interfaces. It looks for functions of its choice by name, and gives
 * up where one is missing. */
#include "tests/emu/fake.h"

#include <stdio.h>

static CUresult not_supported(const char *function)
{
  fprintf(stderr, "fake libcuda: no %s\n", function);
  fake_begin(function, CUDA_ERROR_UNKNOWN);
  return fake_end(CUDA_ERROR_NOT_SUPPORTED);
}

/* Whatever its arguments are, which cuda.h knows: only the exported name is that of the driver. */
#define NOT_SUPPORTED(name)                                                                        \
  CUresult CUDAAPI no_##name(void) __asm__(#name);                                                 \
  FAKE_API no_##name(void)                                                                         \
  {                                                                                                \
    return not_supported(#name);                                                                   \
  }

NOT_SUPPORTED(cuGLGetDevices_v2)
NOT_SUPPORTED(cuGraphicsGLRegisterBuffer)
NOT_SUPPORTED(cuGraphicsGLRegisterImage)
NOT_SUPPORTED(cuGraphicsMapResources)
NOT_SUPPORTED(cuGraphicsResourceGetMappedPointer_v2)
NOT_SUPPORTED(cuGraphicsResourceSetMapFlags_v2)
NOT_SUPPORTED(cuGraphicsSubResourceGetMappedArray)
NOT_SUPPORTED(cuGraphicsUnmapResources)
NOT_SUPPORTED(cuGraphicsUnregisterResource)
NOT_SUPPORTED(cuTexObjectCreate)
NOT_SUPPORTED(cuTexObjectDestroy)
NOT_SUPPORTED(cuCtxDisablePeerAccess)
NOT_SUPPORTED(cuCtxEnablePeerAccess)
/* Other processes, other interfaces. */
NOT_SUPPORTED(cuDestroyExternalMemory)
NOT_SUPPORTED(cuDestroyExternalSemaphore)
NOT_SUPPORTED(cuExternalMemoryGetMappedBuffer)
NOT_SUPPORTED(cuExternalMemoryGetMappedMipmappedArray)
NOT_SUPPORTED(cuImportExternalMemory)
NOT_SUPPORTED(cuImportExternalSemaphore)
NOT_SUPPORTED(cuIpcCloseMemHandle)
NOT_SUPPORTED(cuIpcGetEventHandle)
NOT_SUPPORTED(cuIpcGetMemHandle)
NOT_SUPPORTED(cuIpcOpenEventHandle)
NOT_SUPPORTED(cuIpcOpenMemHandle)
NOT_SUPPORTED(cuSignalExternalSemaphoresAsync)
NOT_SUPPORTED(cuWaitExternalSemaphoresAsync)
/* Words. */
NOT_SUPPORTED(cuMemsetD2D16Async)
NOT_SUPPORTED(cuMemsetD2D16_v2)
NOT_SUPPORTED(cuMemsetD2D32Async)
NOT_SUPPORTED(cuMemsetD2D32_v2)

/* Returns no limit (0), say of a thread's stack: the emulated ones have none that programs see. */
FAKE_API cuCtxGetLimit(size_t *value, CUlimit limit)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *value = 0;
  return fake_end(result);
}

FAKE_API cuCtxSetLimit(CUlimit limit, size_t value)
{
  return fake_end(fake_begin(__func__, CUDA_ERROR_UNKNOWN));
}

/* Asked for every pair of devices when a context is made: the answer is no. */
FAKE_API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *can = 0;
  return fake_end(result);
}
