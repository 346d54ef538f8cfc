/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/driver.h"

#include <stdlib.h>

bool stx_cuda_enter(StxCuda *cuda, StxError *error)
{
  return stx_driver_check(
      &cuda->driver, error, cuda->driver.p_cuCtxPushCurrent_v2(cuda->context), "cuCtxPushCurrent");
}

/* A failure here is one of earlier asynchronous work, which the next synchronisation reports
 * too; the context is popped all the same. */
void stx_cuda_leave(StxCuda *cuda)
{
  CUcontext popped;
  cuda->driver.p_cuCtxPopCurrent_v2(&popped);
}

static int count_devices(const StxDriver *driver, StxError *error)
{
  int count = 0;
  if (!stx_driver_check(driver, error, driver->p_cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return 0;
  if (count == 0)
    stx_fail(error, "the NVIDIA driver sees no GPU");
  return count;
}

int stx_cuda_count(StxError *error)
{
  StxDriver driver;
  if (!stx_driver_open(&driver, error))
    return 0;
  int count = count_devices(&driver, error);
  stx_driver_close(&driver);
  return count;
}

typedef struct {
  CUdevice_attribute attribute;
  const char *name; /* NULL: nothing depends on it, and what the driver does not know is 0 */
  int value;
} Attribute;

static bool read_attributes(
    const StxDriver *driver, CUdevice device, Attribute *list, size_t count, StxError *error)
{
  for (size_t i = 0; i < count; i++) {
    CUresult result = driver->p_cuDeviceGetAttribute(&list[i].value, list[i].attribute, device);
    if (list[i].name == NULL)
      list[i].value = result == CUDA_SUCCESS ? list[i].value : 0;
    else if (!stx_driver_check(
                 driver, error, result, "cuDeviceGetAttribute of the %s", list[i].name))
      return false;
  }
  return true;
}

static bool read_info(const StxDriver *driver, CUdevice device, StxCudaInfo *info, StxError *error)
{
  if (!stx_driver_check(driver, error,
          driver->p_cuDeviceGetName(info->name, sizeof info->name, device), "cuDeviceGetName") ||
      !stx_driver_check(
          driver, error, driver->p_cuDeviceTotalMem_v2(&info->memory, device), "cuDeviceTotalMem"))
    return false;
  if (driver->p_cuDriverGetVersion(&info->driver) != CUDA_SUCCESS)
    info->driver = 0;
  Attribute list[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "compute capability", 0},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "compute capability", 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "multiprocessors", 0},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "shared memory", 0},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, NULL, 0},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, NULL, 0},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, NULL, 0},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, NULL, 0},
  };
  if (!read_attributes(driver, device, list, sizeof list / sizeof list[0], error))
    return false;
  info->major = list[0].value;
  info->minor = list[1].value;
  info->processors = list[2].value;
  info->shared_optin = (size_t)list[3].value;
  info->l2_cache = (size_t)list[4].value;
  info->clock_khz = list[5].value;
  info->memory_clock_khz = list[6].value;
  info->memory_bus_bits = list[7].value;
  return true;
}

/* An StxCuda with an open driver and no context yet. */
static StxCuda *cuda_new(StxError *error)
{
  StxCuda *cuda = calloc(1, sizeof *cuda);
  if (cuda == NULL) {
    stx_fail(error, "out of host memory");
    return NULL;
  }
  if (!stx_driver_open(&cuda->driver, error)) {
    free(cuda);
    return NULL;
  }
  pthread_mutex_init(&cuda->lock, NULL);
  return cuda;
}

static void cuda_delete(StxCuda *cuda)
{
  stx_driver_close(&cuda->driver);
  pthread_mutex_destroy(&cuda->lock);
  free(cuda->modules);
  free(cuda->kernels);
  free(cuda);
}

static bool create_context(StxCuda *cuda, int ordinal, StxError *error)
{
  const StxDriver *driver = &cuda->driver;
  int count = count_devices(driver, error);
  if (count == 0)
    return false;
  if (ordinal < 0 || ordinal >= count)
    return stx_fail(
        error, "there is no GPU %d: the NVIDIA driver counts 0 to %d", ordinal, count - 1);
  CUdevice device;
  if (!stx_driver_check(driver, error, driver->p_cuDeviceGet(&device, ordinal),
          "cuDeviceGet of GPU %d", ordinal) ||
      !read_info(driver, device, &cuda->info, error) ||
      !stx_driver_check(driver, error, driver->p_cuCtxCreate_v2(&cuda->context, 0, device),
          "cuCtxCreate on GPU %d", ordinal))
    return false;
  cuda->own = true;
  stx_cuda_leave(cuda); /* creating a context makes it current */
  return true;
}

StxCuda *stx_cuda_open(int device, StxError *error)
{
  StxCuda *cuda = cuda_new(error);
  if (cuda != NULL && !create_context(cuda, device, error)) {
    cuda_delete(cuda);
    return NULL;
  }
  return cuda;
}

StxCuda *stx_cuda_wrap(void *cu_context, StxError *error)
{
  if (cu_context == NULL) {
    stx_fail(error, "no CUDA context to load the kernels into");
    return NULL;
  }
  CUdevice device;
  StxCuda *cuda = cuda_new(error);
  if (cuda == NULL)
    return NULL;
  cuda->context = cu_context;
  if (STX_CUDA_CALL(cuda, error, cuCtxGetDevice(&device), "cuCtxGetDevice") &&
      read_info(&cuda->driver, device, &cuda->info, error))
    return cuda;
  cuda_delete(cuda);
  return NULL;
}

void stx_cuda_close(StxCuda *cuda)
{
  if (cuda == NULL)
    return;
  bool entered = stx_cuda_enter(cuda, NULL);
  stx_cuda_unload(cuda);
  if (entered)
    stx_cuda_leave(cuda);
  if (cuda->own)
    cuda->driver.p_cuCtxDestroy_v2(cuda->context);
  cuda_delete(cuda);
}

const StxCudaInfo *stx_cuda_info(const StxCuda *cuda)
{
  return &cuda->info;
}

/* ---- Streams ------------------------------------------------------------------------------ */

bool stx_cuda_stream_new(StxCuda *cuda, StxCudaStream *stream, StxError *error)
{
  *stream = NULL;
  return STX_CUDA_CALL(cuda, error, cuStreamCreate(stream, CU_STREAM_DEFAULT), "cuStreamCreate");
}

void stx_cuda_stream_free(StxCuda *cuda, StxCudaStream stream)
{
  if (stream != NULL)
    STX_CUDA_RELEASE(cuda, cuStreamDestroy_v2(stream));
}

bool stx_cuda_synchronize(StxCuda *cuda, StxCudaStream stream, StxError *error)
{
  return STX_CUDA_CALL(cuda, error, cuStreamSynchronize(stream), "cuStreamSynchronize");
}
