/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: errors, devices, contexts, modules and launches. */
#include "tests/emu/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/emu/emu_launch.h"
#include "tests/emu/fake_ptx.h"

#define FATBIN_MAGIC 0xba55ed50u

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);

/* ---- Errors ------------------------------------------------------------------------------- */

static const char *error_name(CUresult error)
{
#define NAME(e)                                                                                    \
  case e:                                                                                          \
    return #e;
  switch (error) {
    NAME(CUDA_SUCCESS)
    NAME(CUDA_ERROR_INVALID_VALUE)
    NAME(CUDA_ERROR_OUT_OF_MEMORY)
    NAME(CUDA_ERROR_NOT_INITIALIZED)
    NAME(CUDA_ERROR_NO_DEVICE)
    NAME(CUDA_ERROR_INVALID_DEVICE)
    NAME(CUDA_ERROR_DEVICE_UNAVAILABLE)
    NAME(CUDA_ERROR_INVALID_IMAGE)
    NAME(CUDA_ERROR_INVALID_CONTEXT)
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    NAME(CUDA_ERROR_INVALID_HANDLE)
    NAME(CUDA_ERROR_NOT_FOUND)
    NAME(CUDA_ERROR_NOT_READY)
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED)
    NAME(CUDA_ERROR_LAUNCH_FAILED)
    NAME(CUDA_ERROR_NOT_SUPPORTED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    NAME(CUDA_ERROR_ILLEGAL_STATE)
    NAME(CUDA_ERROR_UNKNOWN)
  default:
    return NULL;
  }
#undef NAME
}

/* Not counted as calls: they only come after one that failed. */
FAKE_API cuGetErrorName(CUresult error, const char **name)
{
  *name = error_name(error);
  return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FAKE_API cuGetErrorString(CUresult error, const char **text)
{
  return cuGetErrorName(error, text);
}

/* ---- Devices ------------------------------------------------------------------------------ */

/* Initialisation lasts: only the first call can fail on its own. */
FAKE_API cuInit(unsigned flags)
{
  static bool done;
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (result == CUDA_ERROR_UNKNOWN && done)
    result = CUDA_SUCCESS;
  if (result == CUDA_SUCCESS && fake_settings()->devices < 1)
    result = CUDA_ERROR_NO_DEVICE;
  done = done || result == CUDA_SUCCESS;
  return fake_end(result);
}

FAKE_API cuDriverGetVersion(int *version)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *version = fake_settings()->driver;
  return fake_end(result);
}

FAKE_API cuDeviceGetCount(int *count)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *count = result == CUDA_SUCCESS ? fake_settings()->devices : 0;
  return fake_end(result);
}

static bool is_device(int device)
{
  return device >= 0 && device < fake_settings()->devices;
}

FAKE_API cuDeviceGet(CUdevice *device, int ordinal)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *device = ordinal;
  if (result == CUDA_SUCCESS && !is_device(ordinal))
    result = CUDA_ERROR_INVALID_DEVICE;
  return fake_end(result);
}

FAKE_API cuDeviceGetName(char *name, int length, CUdevice device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (result == CUDA_SUCCESS && !is_device(device))
    result = CUDA_ERROR_INVALID_DEVICE;
  snprintf(name, (size_t)length, "emulated GPU %d", device);
  return fake_end(result);
}

FAKE_API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (result == CUDA_SUCCESS && !is_device(device))
    result = CUDA_ERROR_INVALID_DEVICE;
  *bytes = fake_settings()->memory;
  return fake_end(result);
}

/* Bytes of shared memory that a block may ask for: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". */
static int shared_optin(void)
{
  const FakeSettings *s = fake_settings();
  switch (s->major * 10 + s->minor) {
  case 75:
    return 64 << 10;
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
  case 121:
    return 99 << 10;
  default:
    return s->major < 7 ? 48 << 10 : 227 << 10;
  }
}

/* -1: not known here; add it. */
static int attribute_value(CUdevice_attribute attribute)
{
  switch ((int)attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return fake_settings()->major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return fake_settings()->minor;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return 2;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return shared_optin();
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 << 10;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 1 << 20;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1000000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 128;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    return 512;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
    return 32;
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    return 1;
  default:
    return -1;
  }
}

/* Attributes that a driver may not know. */
static bool is_detail(CUdevice_attribute attribute)
{
  return attribute == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE ||
         attribute == CU_DEVICE_ATTRIBUTE_CLOCK_RATE ||
         attribute == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE ||
         attribute == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH;
}

FAKE_API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  *value = attribute_value(attribute);
  if (result == CUDA_SUCCESS && !is_device(device))
    result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && fake_settings()->silent && is_detail(attribute))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && *value < 0) {
    fprintf(stderr, "fake libcuda: no value for device attribute %d\n", (int)attribute);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  return fake_end(result);
}

/* ---- Contexts ----------------------------------------------------------------------------- */

FAKE_API cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  if (result == CUDA_SUCCESS && !is_device(device))
    result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS) {
    FakeContext *c = fake_new(FAKE_CONTEXT, NULL, sizeof *c);
    result = c == NULL ? CUDA_ERROR_OUT_OF_MEMORY : fake_push(c);
    if (c != NULL)
      c->device = device;
    *context = (CUcontext)c;
  }
  return fake_end(result);
}

/* Ends the program if an enqueued operation of that kind still needs the resource: our code must
 * not rely on a driver that waits. After a fault this is not checked. */
static void refuse_under_way(const FakeContext *context, FakeOpKind first, const char *goes)
{
  for (const FakeOp *op = context->queue.first; op != NULL && !fake_settings()->faults;
       op = op->next) {
    if (op->kind < first || op->kind == FAKE_RECORD)
      continue;
    fprintf(stderr, "fake libcuda: %s, and %s is under way\n", goes,
        op->kind == FAKE_LAUNCH ? op->function->name : "a copy");
    abort();
  }
}

FAKE_API cuCtxDestroy_v2(CUcontext handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context = fake_find(FAKE_CONTEXT, handle), *current;
  if (context == NULL)
    return fake_end(CUDA_ERROR_INVALID_CONTEXT);
  fake_current(&current);
  if (current == context)
    fake_pop();
  refuse_under_way(context, FAKE_COPY, "a context is destroyed");
  fake_delete_context(context);
  return fake_end(result);
}

FAKE_API cuCtxPushCurrent_v2(CUcontext handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context = fake_find(FAKE_CONTEXT, handle);
  if (result == CUDA_SUCCESS)
    result = context == NULL ? CUDA_ERROR_INVALID_CONTEXT : fake_push(context);
  return fake_end(result);
}

/* An injected fault stands for one of earlier work: the context is popped. */
FAKE_API cuCtxPopCurrent_v2(CUcontext *handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context = fake_pop();
  if (handle != NULL)
    *handle = (CUcontext)context;
  if (context == NULL)
    result = CUDA_ERROR_INVALID_CONTEXT;
  return fake_end(result);
}

FAKE_API cuCtxGetDevice(CUdevice *device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context;
  if (result == CUDA_SUCCESS)
    result = fake_current(&context);
  if (result == CUDA_SUCCESS)
    *device = context->device;
  return fake_end(result);
}

FAKE_API cuCtxSynchronize(void)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context;
  if (result == CUDA_SUCCESS)
    result = fake_current(&context);
  return fake_end(result == CUDA_SUCCESS ? fake_run_all(context) : result);
}

/* ---- Modules ------------------------------------------------------------------------------ */

static CUresult load_module(CUmodule *module, const void *image)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  uint32_t magic;
  memcpy(&magic, image, sizeof magic);
  if (magic != FATBIN_MAGIC || (uintptr_t)image % 8 != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  if (fake_settings()->major * 10 + fake_settings()->minor < 75)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (fake_settings()->driver < CUDA_VERSION)
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (fake_ptx_wanted() && !fake_ptx_load())
    return CUDA_ERROR_INVALID_PTX;
  *module = fake_new(FAKE_MODULE, context, sizeof(FakeObject));
  return *module != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FAKE_API cuModuleLoadData(CUmodule *module, const void *image)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_NO_BINARY_FOR_GPU);
  return fake_end(result == CUDA_SUCCESS ? load_module(module, image) : result);
}

FAKE_API cuModuleUnload(CUmodule module)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeObject *object = fake_find(FAKE_MODULE, module);
  if (object == NULL)
    return fake_end(CUDA_ERROR_INVALID_HANDLE);
  refuse_under_way(object->context, FAKE_LAUNCH, "a module is unloaded");
  fake_run_all(object->context);
  fake_delete(object);
  return fake_end(result);
}

static void function_destroy(FakeObject *object)
{
  free(((FakeFunction *)object)->name);
}

/* The emulator knows kernels by name only: every module has all of them. */
static CUresult get_function(CUfunction *handle, CUmodule module, const char *name)
{
  FakeObject *object = fake_find(FAKE_MODULE, module);
  if (object == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  size_t args_size = fake_ptx_wanted() ? fake_ptx_args_size(name) : stx_emu_args_size(name);
  if (args_size == 0)
    return CUDA_ERROR_NOT_FOUND;
  FakeFunction *function = fake_new(FAKE_FUNCTION, object->context, sizeof *function);
  if (function == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  function->name = strdup(name);
  function->object.destroy = function_destroy;
  function->args_size = args_size;
  function->shared_limit = (size_t)48 << 10;
  *handle = (CUfunction)function;
  return CUDA_SUCCESS;
}

FAKE_API cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_NOT_FOUND);
  return fake_end(result == CUDA_SUCCESS ? get_function(function, module, name) : result);
}

FAKE_API cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (result == CUDA_SUCCESS && fake_find(FAKE_FUNCTION, handle) == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS && attribute != CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    result = CUDA_ERROR_INVALID_VALUE;
  *value = 1 << 10; /* what code for 9.0 and 12.0 keeps for the system: no block goes without it */
  return fake_end(result);
}

FAKE_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeFunction *function = fake_find(FAKE_FUNCTION, handle);
  if (result == CUDA_SUCCESS && function == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS && (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                                    value < 0 || value > shared_optin()))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    function->shared_limit = (size_t)value;
  return fake_end(result);
}

/* ---- Launches ----------------------------------------------------------------------------- */

static bool is_launchable(const FakeOp *op)
{
  const unsigned *g = op->grid, *b = op->block;
  return g[0] > 0 && g[0] <= 0x7fffffffu && g[1] > 0 && g[1] <= 65535 && g[2] > 0 &&
         g[2] <= 65535 && b[0] > 0 && b[1] > 0 && b[2] > 0 && b[0] <= 1024 && b[1] <= 1024 &&
         b[2] <= 64 && (size_t)b[0] * b[1] * b[2] <= 1024 &&
         op->shared <= op->function->shared_limit;
}

static bool is_mapped(uintptr_t address)
{
  uintptr_t page = address & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
  unsigned char resident;
  return mincore((void *)page, 1, &resident) == 0;
}

/* Kernels would read host memory without complaint, so look for its addresses among the
 * arguments: 8-byte words that lie where Linux maps programs, heaps and stacks. Padding behind a
 * small number may hold the upper half of an address: no block is allocated there. */
static bool has_host_pointer(const FakeOp *op)
{
  for (size_t i = 0; i + sizeof(uintptr_t) <= op->args_size; i += sizeof(uintptr_t)) {
    uintptr_t word;
    memcpy(&word, (const char *)op->args + i, sizeof word);
    bool number = (word & 0xffffffffu) < 0x10000;
    if (number || word >> 44 < 5 || word >> 47 != 0 || !is_mapped(word) ||
        fake_memory_at(FAKE_DEVICE_MEMORY, (void *)word, 0) != NULL ||
        fake_memory_at(FAKE_HOST_MEMORY, (void *)word, 0) != NULL)
      continue;
    fprintf(stderr, "fake libcuda: %s: the argument at byte %zu, %#zx, is a host address\n",
        op->function->name, i, (size_t)word);
    return true;
  }
  return false;
}

/* Completes the launch of a kernel, of which grid, block and shared memory are given. On success it
 * owns its arguments. */
static CUresult take_launch(FakeContext *context, FakeOp *op, CUfunction handle, void **params)
{
  op->function = fake_find(FAKE_FUNCTION, handle);
  if (op->function == NULL || op->function->object.context != context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!is_launchable(op) || params == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  op->args_size = op->function->args_size;
  op->args = malloc(op->args_size);
  if (op->args == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(op->args, params[0], op->args_size);
  if (has_host_pointer(op))
    context->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  return CUDA_SUCCESS;
}

static CUresult launch(FakeOp *op, CUfunction handle, CUstream stream, void **params)
{
  FakeContext *context;
  CUresult result = fake_current_stream(stream, &context, &op->stream);
  if (result == CUDA_SUCCESS)
    result = take_launch(context, op, handle, params);
  return result == CUDA_SUCCESS ? fake_enqueue(context, op) : result;
}

FAKE_API cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
    void **params, void **extra)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_LAUNCH_FAILED);
  FakeOp op = {.kind = FAKE_LAUNCH,
      .grid = {grid_x, grid_y, grid_z},
      .block = {block_x, block_y, block_z},
      .shared = shared};
  return fake_end(result == CUDA_SUCCESS ? launch(&op, function, stream, params) : result);
}
