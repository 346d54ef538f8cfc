/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool find(void *library, const char *name, void *slot, StxError *error)
{
  void *symbol = dlsym(library, name);
  if (symbol == NULL)
    return stx_fail(error, "libcuda.so.1 has no %s: the NVIDIA driver is too old", name);
  memcpy(slot, &symbol, sizeof symbol);
  return true;
}

bool stx_driver_open(StxDriver *driver, StxError *error)
{
  memset(driver, 0, sizeof *driver);
  /* Never unmapped: the driver leaves threads and exit handlers behind. */
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (driver->library == NULL)
    return stx_fail(error, "no NVIDIA driver: %s", dlerror());
  bool found = true;
#define FIND(name, arguments)                                                                      \
  found = found && find(driver->library, #name, &driver->p_##name, error);
  STX_DRIVER_CALLS(FIND)
#undef FIND
  if (found && stx_driver_check(driver, error, driver->p_cuInit(0), "cuInit"))
    return true;
  stx_driver_close(driver);
  return false;
}

void stx_driver_close(StxDriver *driver)
{
  if (driver->library != NULL)
    dlclose(driver->library);
  driver->library = NULL;
}

static bool check(const StxDriver *driver, StxError *error, CUresult result, const char *format,
    va_list arguments)
{
  char what[192];
  if (result == CUDA_SUCCESS)
    return true;
  vsnprintf(what, sizeof what, format, arguments);
  const char *name = NULL;
  if (driver->p_cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
    return stx_fail(error, "%s: error %d of the NVIDIA driver", what, (int)result);
  return stx_fail(error, "%s: %s", what, name);
}

bool stx_driver_check(
    const StxDriver *driver, StxError *error, CUresult result, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bool good = check(driver, error, result, format, arguments);
  va_end(arguments);
  return good;
}

bool stx_cuda_left(StxCuda *cuda, StxError *error, CUresult result, const char *format, ...)
{
  va_list arguments;
  stx_cuda_leave(cuda);
  va_start(arguments, format);
  bool good = check(&cuda->driver, error, result, format, arguments);
  va_end(arguments);
  return good;
}
