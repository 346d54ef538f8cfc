/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: memory and copies. */
#include "tests/emu/fake.h"
#include "tests/emu/fake_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define ALIGNMENT 256 /* promised for device memory */
#define PITCH 512     /* rows of cuMemAllocPitch */
#define MAX_PITCH 0x7fffffff
#define FILL 0xCD

/* ---- Allocation --------------------------------------------------------------------------- */

#define SPARSE ((size_t)1 << 30) /* from that many bytes on */

/* Device memory ends at a page that faults, but for what its alignment leaves: kernels are not
 * instrumented, and what one of them reads or writes too far is seen here. */
static size_t rounded(size_t size, size_t unit)
{
  return (size + unit - 1) / unit * unit;
}

/* The bytes before and behind memory, up to its pages. */
static size_t bytes_before(size_t size, size_t page)
{
  return rounded(size, page) - rounded(size, ALIGNMENT);
}

static uint8_t *new_pages(size_t size, bool sparse)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = rounded(size, page);
  uint8_t *pages = stx_ptx_zeros(room + page);
  if (mprotect(pages + room, page, PROT_NONE) != 0)
    abort();
  if (!sparse)
    memset(pages, FILL, room);
  return pages + bytes_before(size, page);
}

static void check_filled(const uint8_t *from, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (from[i] != FILL) {
      fprintf(stderr, "fake libcuda: there was a write around device memory\n");
      abort();
    }
}

static void memory_destroy(FakeObject *object)
{
  FakeMemory *memory = (FakeMemory *)object;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = memory->size;
  size_t before = bytes_before(size, page);
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(memory->base, size);
#endif
  if (!memory->sparse) {
    check_filled(memory->base - before, before);
    check_filled(memory->base + size, rounded(size, ALIGNMENT) - size);
  }
  stx_ptx_zeros_free(memory->base - before, rounded(size, page) + page);
  stx_ptx_zeros_free(memory->known, size);
}

static CUresult allocate(FakeKind kind, size_t size, FakeMemory **memory)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  size_t used = kind == FAKE_DEVICE_MEMORY ? fake_memory_used(context->device) : 0;
  if (used > fake_settings()->memory || size > fake_settings()->memory - used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  bool sparse = size >= SPARSE;
  *memory = fake_new(kind, context, sizeof **memory);
  if (*memory == NULL)
    abort();
  (*memory)->base = new_pages(size, sparse);
  (*memory)->sparse = sparse;
  (*memory)->size = size;
  (*memory)->object.destroy = memory_destroy;
  if (kind == FAKE_DEVICE_MEMORY && fake_ptx_wanted())
    (*memory)->known = stx_ptx_zeros(size);
  fake_memory_close();
  return CUDA_SUCCESS;
}

static CUresult allocate_device(CUdeviceptr *device, size_t size)
{
  FakeMemory *memory;
  CUresult result = allocate(FAKE_DEVICE_MEMORY, size, &memory);
  if (result == CUDA_SUCCESS)
    *device = (uintptr_t)memory->base;
  return result;
}

FAKE_API cuMemAlloc_v2(CUdeviceptr *device, size_t size)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(result == CUDA_SUCCESS ? allocate_device(device, size) : result);
}

FAKE_API cuMemAllocPitch_v2(
    CUdeviceptr *device, size_t *pitch, size_t width, size_t height, unsigned element)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  if (result == CUDA_SUCCESS && element != 4 && element != 8 && element != 16)
    result = CUDA_ERROR_INVALID_VALUE;
  return fake_end(result == CUDA_SUCCESS ? allocate_device(device, *pitch * height) : result);
}

static CUresult allocate_host(void **host, size_t size)
{
  FakeMemory *memory;
  CUresult result = allocate(FAKE_HOST_MEMORY, size, &memory);
  if (result == CUDA_SUCCESS)
    *host = memory->base;
  return result;
}

FAKE_API cuMemAllocHost_v2(void **host, size_t size)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(result == CUDA_SUCCESS ? allocate_host(host, size) : result);
}

FAKE_API cuMemHostAlloc(void **host, size_t size, unsigned flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(result == CUDA_SUCCESS ? allocate_host(host, size) : result);
}

static bool holds(const FakeMemory *memory, uintptr_t address)
{
  return address - (uintptr_t)memory->base < memory->size;
}

/* Does the enqueued operation use the memory? Any argument of a kernel may be an address. */
static bool uses(const FakeOp *op, const FakeMemory *memory)
{
  const CUDA_MEMCPY2D *c = &op->copy;
  if (op->kind == FAKE_COPY || op->kind == FAKE_FILL)
    return holds(memory, c->dstDevice) || holds(memory, c->srcDevice) ||
           holds(memory, (uintptr_t)c->dstHost) || holds(memory, (uintptr_t)c->srcHost);
  for (size_t i = 0; i + sizeof(uintptr_t) <= op->args_size; i += sizeof(uintptr_t)) {
    uintptr_t word;
    memcpy(&word, (const char *)op->args + i, sizeof word);
    if (holds(memory, word))
      return true;
  }
  return false;
}

static void refuse_use(const FakeContext *context, const FakeMemory *memory)
{
  for (const FakeOp *op = context->queue.first; op != NULL; op = op->next) {
    if (!uses(op, memory))
      continue;
    fprintf(stderr, "fake libcuda: %zu bytes were freed before %s had used them\n", memory->size,
        op->kind == FAKE_LAUNCH ? op->function->name : "a copy");
    abort();
  }
}

/* The driver waits for all that runs, but need not: no code of ours may count on it. After a fault
 * it may: the call that failed may have been one that waits. */
static CUresult release(FakeKind kind, const void *base, CUresult result)
{
  /* With its first byte: memory may begin where other memory ends. */
  FakeMemory *memory = fake_memory_at(kind, base, 1);
  if (memory == NULL || memory->base != base) {
    fprintf(stderr, "fake libcuda: %p was freed, but never allocated\n", base);
    return CUDA_ERROR_INVALID_VALUE;
  }
  FakeContext *context = memory->object.context;
  if (fake_settings()->faults)
    fake_run_all(context);
  refuse_use(context, memory);
  fake_delete(memory);
  return result != CUDA_SUCCESS ? result : context->sticky;
}

FAKE_API cuMemFree_v2(CUdeviceptr device)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (device == 0)
    return fake_end(result);
  return fake_end(release(FAKE_DEVICE_MEMORY, (void *)(uintptr_t)device, result));
}

FAKE_API cuMemFreeHost(void *host)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(release(FAKE_HOST_MEMORY, host, result));
}

/* ---- Validity ----------------------------------------------------------------------------- */

/* The bytes from the first to the last of a rectangle. */
static bool area_size(size_t pitch, size_t width, size_t height, size_t *size)
{
  *size = width > 0 && height > 0 ? pitch * (height - 1) + width : 0;
  return height < 2 || (pitch >= width && pitch <= MAX_PITCH);
}

static bool device_area_valid(
    CUdeviceptr base, size_t x, size_t y, size_t pitch, const CUDA_MEMCPY2D *copy, const char *name)
{
  size_t size;
  if (!area_size(pitch, copy->WidthInBytes, copy->Height, &size)) {
    fprintf(stderr, "fake libcuda: %s: pitch %zu, width %zu\n", name, pitch, copy->WidthInBytes);
    return false;
  }
  const void *first = (void *)(uintptr_t)(base + y * pitch + x);
  if (fake_memory_at(FAKE_DEVICE_MEMORY, first, size) != NULL)
    return true;
  fprintf(stderr, "fake libcuda: %s: %zu bytes at %p are not inside of one allocation\n", name,
      size, first);
  return false;
}

static bool host_area_valid(
    const void *base, size_t x, size_t y, size_t pitch, const CUDA_MEMCPY2D *copy, const char *name)
{
  size_t size;
  const char *first = (const char *)base + y * pitch + x;
  bool valid = area_size(pitch, copy->WidthInBytes, copy->Height, &size) && base != NULL &&
               fake_memory_at(FAKE_DEVICE_MEMORY, first, 1) == NULL &&
               (fake_memory_at(FAKE_HOST_MEMORY, first, 1) == NULL ||
                   fake_memory_at(FAKE_HOST_MEMORY, first, size) != NULL);
  if (!valid)
    fprintf(stderr, "fake libcuda: %s: %p with pitch %zu is no host memory for rows of %zu\n", name,
        (const void *)first, pitch, copy->WidthInBytes);
  return valid;
}

static bool source_valid(const CUDA_MEMCPY2D *c)
{
  if (c->srcMemoryType == CU_MEMORYTYPE_DEVICE)
    return device_area_valid(c->srcDevice, c->srcXInBytes, c->srcY, c->srcPitch, c, "source");
  return c->srcMemoryType == CU_MEMORYTYPE_HOST &&
         host_area_valid(c->srcHost, c->srcXInBytes, c->srcY, c->srcPitch, c, "source");
}

static bool target_valid(const CUDA_MEMCPY2D *c)
{
  if (c->dstMemoryType == CU_MEMORYTYPE_DEVICE)
    return device_area_valid(c->dstDevice, c->dstXInBytes, c->dstY, c->dstPitch, c, "target");
  return c->dstMemoryType == CU_MEMORYTYPE_HOST &&
         host_area_valid(c->dstHost, c->dstXInBytes, c->dstY, c->dstPitch, c, "target");
}

bool fake_op_valid(const FakeOp *op)
{
  switch (op->kind) {
  case FAKE_COPY:
    return source_valid(&op->copy) && target_valid(&op->copy);
  case FAKE_FILL:
    return target_valid(&op->copy);
  case FAKE_LAUNCH:
    return fake_find(FAKE_FUNCTION, op->function) != NULL;
  default:
    return fake_find(FAKE_EVENT, op->event) != NULL;
  }
}

/* ---- Copies ------------------------------------------------------------------------------- */

/* Copies pageable memory as the driver does: during the call, except for graphs. */
static void take_snapshot(FakeOp *op)
{
  const CUDA_MEMCPY2D *c = &op->copy;
  bool recorded = op->stream != NULL && op->stream->capture != NULL;
  if (c->srcMemoryType != CU_MEMORYTYPE_HOST || recorded || c->WidthInBytes == 0)
    return;
  const char *from = (const char *)c->srcHost + c->srcY * c->srcPitch + c->srcXInBytes;
  if (fake_settings()->late || fake_memory_at(FAKE_HOST_MEMORY, from, 1) != NULL)
    return;
  op->snapshot = malloc(c->WidthInBytes * c->Height);
  if (op->snapshot == NULL)
    abort();
  for (size_t y = 0; y < c->Height; y++)
    memcpy(op->snapshot + y * c->WidthInBytes, from + y * c->srcPitch, c->WidthInBytes);
}

static CUresult enqueue(FakeOp *op, CUstream stream, bool wait)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result == CUDA_SUCCESS)
    result = fake_stream(stream, context, &op->stream);
  if (result == CUDA_SUCCESS && !fake_op_valid(op))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS || op->copy.WidthInBytes == 0 || op->copy.Height == 0)
    return result;
  if (op->kind == FAKE_COPY)
    take_snapshot(op);
  result = fake_enqueue(context, op);
  return result == CUDA_SUCCESS && wait ? fake_run_stream(context, op->stream) : result;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, bool wait)
{
  FakeOp op = {.kind = FAKE_COPY, .copy = *copy};
  if (op.copy.srcPitch == 0)
    op.copy.srcPitch = copy->WidthInBytes + copy->srcXInBytes;
  if (op.copy.dstPitch == 0)
    op.copy.dstPitch = copy->WidthInBytes + copy->dstXInBytes;
  return enqueue(&op, stream, wait);
}

FAKE_API cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(copy, NULL, true) : result);
}

FAKE_API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(copy, stream, false) : result);
}

/* `size` bytes in one row. */
static CUDA_MEMCPY2D to_device(CUdeviceptr to, const void *from, size_t size)
{
  return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
      .srcHost = from,
      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
      .dstDevice = to,
      .WidthInBytes = size,
      .Height = 1};
}

static CUDA_MEMCPY2D to_host(void *to, CUdeviceptr from, size_t size)
{
  return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
      .srcDevice = from,
      .dstMemoryType = CU_MEMORYTYPE_HOST,
      .dstHost = to,
      .WidthInBytes = size,
      .Height = 1};
}

static CUDA_MEMCPY2D on_device(CUdeviceptr to, CUdeviceptr from, size_t size)
{
  return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
      .srcDevice = from,
      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
      .dstDevice = to,
      .WidthInBytes = size,
      .Height = 1};
}

FAKE_API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = to_device(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, NULL, true) : result);
}

FAKE_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = to_device(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, stream, false) : result);
}

FAKE_API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = to_host(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, NULL, true) : result);
}

FAKE_API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = to_host(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, stream, false) : result);
}

FAKE_API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = on_device(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, NULL, true) : result);
}

FAKE_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  CUDA_MEMCPY2D copy = on_device(to, from, size);
  return fake_end(result == CUDA_SUCCESS ? copy_2d(&copy, stream, false) : result);
}

static FakeOp fill_of(
    CUdeviceptr device, size_t pitch, unsigned char value, size_t width, size_t height)
{
  return (FakeOp){.kind = FAKE_FILL,
      .value = value,
      .copy = {.dstMemoryType = CU_MEMORYTYPE_DEVICE,
          .dstDevice = device,
          .dstPitch = pitch,
          .WidthInBytes = width,
          .Height = height}};
}

FAKE_API cuMemsetD8Async(CUdeviceptr device, unsigned char value, size_t size, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeOp op = fill_of(device, size, value, size, 1);
  return fake_end(result == CUDA_SUCCESS ? enqueue(&op, stream, false) : result);
}

FAKE_API cuMemsetD2D8_v2(
    CUdeviceptr device, size_t pitch, unsigned char value, size_t width, size_t height)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeOp op = fill_of(device, pitch, value, width, height);
  return fake_end(result == CUDA_SUCCESS ? enqueue(&op, NULL, true) : result);
}

FAKE_API cuMemsetD2D8Async(CUdeviceptr device, size_t pitch, unsigned char value, size_t width,
    size_t height, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeOp op = fill_of(device, pitch, value, width, height);
  return fake_end(result == CUDA_SUCCESS ? enqueue(&op, stream, false) : result);
}
