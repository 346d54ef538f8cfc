/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the driver that GStreamer's CUDA library wants to find, and that the fake driver
 * does not offer: OpenGL, textures, access between GPUs. */
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

/* Asked for every pair of devices when a context is made: the answer is no. */
FAKE_API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *can = 0;
  return fake_end(result);
}
