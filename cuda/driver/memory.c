/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/driver.h"

bool stx_cuda_alloc(StxCuda *cuda, size_t size, void **device, StxError *error)
{
  CUdeviceptr address = 0;
  bool ok = STX_CUDA_CALL(
      cuda, error, cuMemAlloc_v2(&address, size > 0 ? size : 1), "cuMemAlloc of %zu bytes", size);
  *device = ok ? (void *)(uintptr_t)address : NULL;
  return ok;
}

void stx_cuda_free(StxCuda *cuda, void *device)
{
  if (device != NULL)
    STX_CUDA_RELEASE(cuda, cuMemFree_v2((uintptr_t)device));
}

bool stx_cuda_alloc_host(StxCuda *cuda, size_t size, void **host, StxError *error)
{
  *host = NULL;
  if (STX_CUDA_CALL(cuda, error, cuMemAllocHost_v2(host, size > 0 ? size : 1),
          "cuMemAllocHost of %zu bytes", size))
    return true;
  *host = NULL;
  return false;
}

void stx_cuda_free_host(StxCuda *cuda, void *host)
{
  if (host != NULL)
    STX_CUDA_RELEASE(cuda, cuMemFreeHost(host));
}

/* ---- Copies ------------------------------------------------------------------------------- */

const char *const stx_direction_names[] = {[STX_UPLOAD] = "upload", [STX_DOWNLOAD] = "download"};

static bool check_strides(const StxCudaCopy *copy, StxDirection direction, StxError *error)
{
  if (copy->rows < 2)
    return true;
  if (copy->device_stride < copy->row_bytes)
    return stx_fail(error, "%s of rows of %zu bytes: the device's stride is only %zu",
        stx_direction_names[direction], copy->row_bytes, copy->device_stride);
  size_t host_stride =
      copy->host_stride < 0 ? -(size_t)copy->host_stride : (size_t)copy->host_stride;
  if (host_stride < copy->row_bytes)
    return stx_fail(error, "%s of rows of %zu bytes: the host's stride is only %td",
        stx_direction_names[direction], copy->row_bytes, copy->host_stride);
  return true;
}

/* The driver takes strides from the row size on. */
CUresult stx_driver_copy(
    const StxDriver *driver, const StxCudaCopy *copy, StxDirection direction, StxCudaStream stream)
{
  CUDA_MEMCPY2D c = {.WidthInBytes = copy->row_bytes, .Height = copy->rows};
  size_t device_stride = copy->rows > 1 ? copy->device_stride : copy->row_bytes;
  size_t host_stride = copy->rows > 1 ? (size_t)copy->host_stride : copy->row_bytes;
  if (direction == STX_UPLOAD) {
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = copy->host;
    c.srcPitch = host_stride;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = (uintptr_t)copy->device;
    c.dstPitch = device_stride;
  } else {
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = (uintptr_t)copy->device;
    c.srcPitch = device_stride;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = copy->host;
    c.dstPitch = host_stride;
  }
  return driver->p_cuMemcpy2DAsync_v2(&c, stream);
}

/* Row by row, for images that are upside down on the host. */
static CUresult copy_rows(
    const StxDriver *driver, const StxCudaCopy *copy, StxDirection direction, StxCudaStream stream)
{
  CUresult result = CUDA_SUCCESS;
  for (size_t y = 0; y < copy->rows && result == CUDA_SUCCESS; y++) {
    char *host = (char *)copy->host + (ptrdiff_t)y * copy->host_stride;
    CUdeviceptr device = (uintptr_t)copy->device + y * copy->device_stride;
    result = direction == STX_UPLOAD
                 ? driver->p_cuMemcpyHtoDAsync_v2(device, host, copy->row_bytes, stream)
                 : driver->p_cuMemcpyDtoHAsync_v2(host, device, copy->row_bytes, stream);
  }
  return result;
}

static bool copy_image(StxCuda *cuda, const StxCudaCopy *copy, StxDirection direction,
    StxCudaStream stream, StxError *error)
{
  if (copy->row_bytes == 0 || copy->rows == 0)
    return true;
  if (!check_strides(copy, direction, error) || !stx_cuda_enter(cuda, error))
    return false;
  bool upside_down = copy->rows > 1 && copy->host_stride < 0;
  CUresult result =
      (upside_down ? copy_rows : stx_driver_copy)(&cuda->driver, copy, direction, stream);
  return stx_cuda_left(cuda, error, result, "%s of %zu rows of %zu bytes",
      stx_direction_names[direction], copy->rows, copy->row_bytes);
}

bool stx_cuda_upload(StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error)
{
  return copy_image(cuda, copy, STX_UPLOAD, stream, error);
}

bool stx_cuda_download(
    StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error)
{
  return copy_image(cuda, copy, STX_DOWNLOAD, stream, error);
}

bool stx_cuda_upload_bytes(StxCuda *cuda, void *device, const void *host, size_t size,
    StxCudaStream stream, StxError *error)
{
  return size == 0 ||
         STX_CUDA_CALL(cuda, error, cuMemcpyHtoDAsync_v2((uintptr_t)device, host, size, stream),
             "cuMemcpyHtoDAsync of %zu bytes", size);
}

bool stx_cuda_download_bytes(StxCuda *cuda, void *host, const void *device, size_t size,
    StxCudaStream stream, StxError *error)
{
  return size == 0 ||
         STX_CUDA_CALL(cuda, error, cuMemcpyDtoHAsync_v2(host, (uintptr_t)device, size, stream),
             "cuMemcpyDtoHAsync of %zu bytes", size);
}

bool stx_cuda_copy_bytes(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error)
{
  return size == 0 || STX_CUDA_CALL(cuda, error,
                          cuMemcpyDtoDAsync_v2((uintptr_t)to, (uintptr_t)from, size, stream),
                          "cuMemcpyDtoDAsync of %zu bytes", size);
}

bool stx_cuda_fill_bytes(
    StxCuda *cuda, void *device, int value, size_t size, StxCudaStream stream, StxError *error)
{
  return size == 0 || STX_CUDA_CALL(cuda, error,
                          cuMemsetD8Async((uintptr_t)device, (unsigned char)value, size, stream),
                          "cuMemsetD8Async of %zu bytes", size);
}
