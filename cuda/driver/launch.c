/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/launch.h"

#include <stdlib.h>

#include "cuda/driver/driver.h"

#define OLDEST_MAJOR 7 /* compute capability 7.5: see cuda/meson.build */
#define OLDEST_MINOR 5
#define SHARED_DEFAULT ((size_t)48 << 10) /* what a block gets without asking */

/* The driver found no code that this GPU can run. */
static bool is_other_architecture(CUresult result)
{
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

/* The driver cannot read what this toolkit makes: code of the next major version not at all, and
 * of a newer minor one no PTX. */
static bool is_old_driver(const StxCudaInfo *info, CUresult result)
{
  if (info->driver == 0 || !is_other_architecture(result))
    return false;
  return info->driver / 1000 < CUDA_VERSION / 1000 ||
         (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION && info->driver < CUDA_VERSION);
}

/* The oldest driver for CUDA 11 … 13, as NVIDIA's release notes list them. */
static const char *first_driver(int major)
{
  static const char *const first[] = {"450", "525", "580"};
  return major >= 11 && major <= 13 ? first[major - 11] : "a newer one";
}

static bool load_failure(
    StxCuda *cuda, CUresult result, const char *call, const char *what, StxError *error)
{
  const StxCudaInfo *info = &cuda->info;
  bool too_old = info->major * 10 + info->minor < OLDEST_MAJOR * 10 + OLDEST_MINOR;
  if (is_other_architecture(result) && too_old)
    return stx_driver_check(&cuda->driver, error, result,
        "the kernels need a GPU of compute capability %d.%d or newer; this one has %d.%d (%s of "
        "%s)",
        OLDEST_MAJOR, OLDEST_MINOR, info->major, info->minor, call, what);
  if (is_old_driver(info, result))
    return stx_driver_check(&cuda->driver, error, result,
        "the NVIDIA driver knows CUDA up to %d.%d, these kernels are of %d.%d: install driver %s "
        "or newer, or build with the older toolkit (%s of %s)",
        info->driver / 1000, info->driver % 1000 / 10, CUDA_VERSION / 1000,
        CUDA_VERSION % 1000 / 10, first_driver(CUDA_VERSION / 1000), call, what);
  if (is_other_architecture(result))
    return stx_driver_check(&cuda->driver, error, result,
        "no kernels for compute capability %d.%d in this build: configure it with "
        "-Dcuda-archs=%d%d or all (%s of %s)",
        info->major, info->minor, info->major, info->minor, call, what);
  return stx_driver_check(&cuda->driver, error, result, "%s of %s", call, what);
}

/* Grows an array of `count` elements of `size` bytes by one. */
static bool grow(void *array, size_t count, size_t size, StxError *error)
{
  void **slot = array;
  void *larger = realloc(*slot, (count + 1) * size);
  if (larger == NULL)
    return stx_fail(error, "out of host memory");
  *slot = larger;
  return true;
}

static bool load_module(StxCuda *cuda, const StxCudaModule *key, CUmodule *module, StxError *error)
{
  for (size_t i = 0; i < cuda->module_count; i++) {
    if (cuda->modules[i].key->image == key->image) {
      *module = cuda->modules[i].module;
      return true;
    }
  }
  if (!grow(&cuda->modules, cuda->module_count, sizeof *cuda->modules, error))
    return false;
  CUresult result = cuda->driver.p_cuModuleLoadData(module, key->image);
  if (result != CUDA_SUCCESS)
    return load_failure(cuda, result, "cuModuleLoadData", key->name, error);
  cuda->modules[cuda->module_count++] = (StxLoadedModule){key, *module};
  return true;
}

static bool load_kernel(
    StxCuda *cuda, const StxCudaKernel *kernel, StxLoadedKernel **loaded, StxError *error)
{
  CUmodule module;
  if (!load_module(cuda, kernel->module, &module, error) ||
      !grow(&cuda->kernels, cuda->kernel_count, sizeof *cuda->kernels, error))
    return false;
  CUfunction function;
  CUresult result = cuda->driver.p_cuModuleGetFunction(&function, module, kernel->name);
  if (result != CUDA_SUCCESS)
    return load_failure(cuda, result, "cuModuleGetFunction", kernel->name, error);
  int shared = 0;
  result =
      cuda->driver.p_cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  if (result != CUDA_SUCCESS)
    return load_failure(cuda, result, "cuFuncGetAttribute", kernel->name, error);
  *loaded = &cuda->kernels[cuda->kernel_count++];
  **loaded =
      (StxLoadedKernel){kernel->module, kernel->name, function, (size_t)shared, SHARED_DEFAULT};
  return true;
}

static bool find_kernel(
    StxCuda *cuda, const StxCudaKernel *kernel, StxLoadedKernel **found, StxError *error)
{
  for (size_t i = 0; i < cuda->kernel_count; i++) {
    StxLoadedKernel *loaded = &cuda->kernels[i];
    if (loaded->name == kernel->name && loaded->module == kernel->module) {
      *found = loaded;
      return true;
    }
  }
  return load_kernel(cuda, kernel, found, error);
}

/* Lets launches have `shared` bytes of dynamic shared memory. */
static bool raise_shared(StxCuda *cuda, StxLoadedKernel *kernel, size_t shared, StxError *error)
{
  if (shared + kernel->shared_static <= kernel->shared_limit)
    return true;
  /* A driver may count what it keeps for itself to the kernel's own, which a block has besides:
   * whether both fit is for the driver to say. */
  if (shared > cuda->info.shared_optin)
    return stx_fail(error, "%s needs %zu bytes of shared memory; this GPU has %zu", kernel->name,
        shared, cuda->info.shared_optin);
  CUresult result = cuda->driver.p_cuFuncSetAttribute(
      kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
  if (!stx_driver_check(&cuda->driver, error, result,
          "cuFuncSetAttribute of %zu bytes of shared memory for %s", shared, kernel->name))
    return false;
  kernel->shared_limit = shared + kernel->shared_static;
  return true;
}

bool stx_cuda_launch(const StxPlace *place, const StxCudaKernel *kernel, StxCudaSize grid,
    StxCudaSize block, size_t shared, const void *args, StxError *error)
{
  StxCuda *cuda = place->device;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return true;
  if (!stx_cuda_enter(cuda, error))
    return false;
  pthread_mutex_lock(&cuda->lock);
  StxLoadedKernel *loaded = NULL; /* the driver's, ready for that much dynamic shared memory */
  bool ok = find_kernel(cuda, kernel, &loaded, error) && raise_shared(cuda, loaded, shared, error);
  CUfunction function = ok ? loaded->function : NULL;
  pthread_mutex_unlock(&cuda->lock);
  if (!ok) {
    stx_cuda_leave(cuda);
    return false;
  }
  void *params[] = {(void *)args};
  return stx_cuda_left(cuda, error,
      cuda->driver.p_cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
          (unsigned)shared, place->stream, params, NULL),
      "cuLaunchKernel of %s (grid %ux%ux%u, block %ux%ux%u, %zu bytes shared)", kernel->name,
      grid.x, grid.y, grid.z, block.x, block.y, block.z, shared);
}

void stx_cuda_unload(StxCuda *cuda)
{
  for (size_t i = 0; i < cuda->module_count; i++)
    cuda->driver.p_cuModuleUnload(cuda->modules[i].module);
  cuda->module_count = cuda->kernel_count = 0;
}
