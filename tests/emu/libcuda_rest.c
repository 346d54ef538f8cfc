/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the driver that GStreamer's CUDA library wants to find, and that the fake driver
 * does not offer: OpenGL, textures, access between GPUs and, from GStreamer 1.24 and 1.26 on,
 * memory of other processes and interfaces. It looks for functions of its choice by name, and gives
 * up where one is missing. */
#include "tests/emu/fake.h"

#include <stdio.h>

/* Without the prototypes of cudaGL.h, which needs OpenGL's headers. */
#define NOT_SUPPORTED(name)                                                                        \
  CUresult CUDAAPI name(void);                                                                     \
  FAKE_API name(void)                                                                              \
  {                                                                                                \
    return not_supported(#name);                                                                   \
  }

static CUresult not_supported(const char *function)
{
  fprintf(stderr, "fake libcuda: no %s\n", function);
  fake_begin(function, CUDA_ERROR_UNKNOWN);
  return fake_end(CUDA_ERROR_NOT_SUPPORTED);
}

NOT_SUPPORTED(cuGraphicsGLRegisterImage)
NOT_SUPPORTED(cuGraphicsGLRegisterBuffer)
NOT_SUPPORTED(cuGLGetDevices_v2)

FAKE_API cuGraphicsMapResources(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
  return not_supported(__func__);
}

FAKE_API cuGraphicsUnmapResources(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
  return not_supported(__func__);
}

FAKE_API cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
  return not_supported(__func__);
}

FAKE_API cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned flags)
{
  return not_supported(__func__);
}

FAKE_API cuGraphicsSubResourceGetMappedArray(
    CUarray *array, CUgraphicsResource resource, unsigned index, unsigned level)
{
  return not_supported(__func__);
}

FAKE_API cuGraphicsResourceGetMappedPointer_v2(
    CUdeviceptr *device, size_t *size, CUgraphicsResource resource)
{
  return not_supported(__func__);
}

FAKE_API cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
    const CUDA_TEXTURE_DESC *description, const CUDA_RESOURCE_VIEW_DESC *view)
{
  return not_supported(__func__);
}

FAKE_API cuTexObjectDestroy(CUtexObject texture)
{
  return not_supported(__func__);
}

FAKE_API cuCtxEnablePeerAccess(CUcontext context, unsigned flags)
{
  return not_supported(__func__);
}

FAKE_API cuCtxDisablePeerAccess(CUcontext context)
{
  return not_supported(__func__);
}

/* ---- Other processes, other interfaces ----------------------------------------------------- */

FAKE_API cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
  return not_supported(__func__);
}

FAKE_API cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
  return not_supported(__func__);
}

FAKE_API cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr device)
{
  return not_supported(__func__);
}

/* GStreamer takes the old name, which cuda.h makes the new one. */
#undef cuIpcOpenMemHandle
CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr *device, CUipcMemHandle handle, unsigned flags);
FAKE_API cuIpcOpenMemHandle(CUdeviceptr *device, CUipcMemHandle handle, unsigned flags)
{
  return not_supported(__func__);
}

FAKE_API cuIpcCloseMemHandle(CUdeviceptr device)
{
  return not_supported(__func__);
}

FAKE_API cuImportExternalMemory(
    CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *description)
{
  return not_supported(__func__);
}

FAKE_API cuDestroyExternalMemory(CUexternalMemory memory)
{
  return not_supported(__func__);
}

FAKE_API cuExternalMemoryGetMappedBuffer(CUdeviceptr *device, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *description)
{
  return not_supported(__func__);
}

FAKE_API cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *array, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description)
{
  return not_supported(__func__);
}

FAKE_API cuImportExternalSemaphore(
    CUexternalSemaphore *semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description)
{
  return not_supported(__func__);
}

FAKE_API cuDestroyExternalSemaphore(CUexternalSemaphore semaphore)
{
  return not_supported(__func__);
}

FAKE_API cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *values, unsigned count, CUstream stream)
{
  return not_supported(__func__);
}

FAKE_API cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *values, unsigned count, CUstream stream)
{
  return not_supported(__func__);
}

/* ---- Limits, words ------------------------------------------------------------------------- */

/* Of the stack of a kernel's thread, say: the emulated ones have no limit that a program could see.
 */
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

FAKE_API cuMemsetD2D16_v2(
    CUdeviceptr device, size_t pitch, unsigned short value, size_t width, size_t height)
{
  return not_supported(__func__);
}

FAKE_API cuMemsetD2D16Async(CUdeviceptr device, size_t pitch, unsigned short value, size_t width,
    size_t height, CUstream stream)
{
  return not_supported(__func__);
}

FAKE_API cuMemsetD2D32_v2(
    CUdeviceptr device, size_t pitch, unsigned value, size_t width, size_t height)
{
  return not_supported(__func__);
}

FAKE_API cuMemsetD2D32Async(
    CUdeviceptr device, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream)
{
  return not_supported(__func__);
}

/* Asked for every pair of devices when a context is made: the answer is no. */
FAKE_API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *can = 0;
  return fake_end(result);
}
