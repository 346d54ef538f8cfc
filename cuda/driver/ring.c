/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "cuda/driver/driver.h"

#define CHUNK ((size_t)4 << 20)   /* bytes of a slot, unless a single row is longer */
#define PIECE ((size_t)512 << 10) /* the same of a download, which is done piece by piece */

/* Makes the slot free, and large enough. */
static bool reserve(const StxDriver *driver, StxCudaSlot *slot, size_t size, StxError *error)
{
  CUresult result = CUDA_SUCCESS;
  if (slot->busy)
    result = driver->p_cuEventSynchronize(slot->done);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(driver, error, result, "cuEventSynchronize of an upload");
  slot->busy = false;
  if (slot->done == NULL)
    result = driver->p_cuEventCreate(&slot->done, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(driver, error, result, "cuEventCreate");
  if (slot->size >= size)
    return true;
  if (slot->memory != NULL)
    driver->p_cuMemFreeHost(slot->memory);
  slot->memory = NULL;
  slot->size = 0;
  result = driver->p_cuMemAllocHost_v2(&slot->memory, size);
  if (result != CUDA_SUCCESS) {
    slot->memory = NULL;
    return stx_driver_fail(driver, error, result, "cuMemAllocHost of %zu bytes", size);
  }
  slot->size = size;
  return true;
}

static void pack_rows(char *to, const StxCudaCopy *copy, size_t first, size_t rows)
{
  const char *from = copy->host;
  for (size_t y = 0; y < rows; y++)
    memcpy(to + y * copy->row_bytes, from + (ptrdiff_t)(first + y) * copy->host_stride,
        copy->row_bytes);
}

static CUresult enqueue(const StxDriver *driver, StxCudaSlot *slot, const StxCudaCopy *copy,
    size_t first, size_t rows, StxCudaStream stream)
{
  size_t stride = rows > 1 ? copy->device_stride : copy->row_bytes;
  CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
      .srcHost = slot->memory,
      .srcPitch = copy->row_bytes,
      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
      .dstDevice = (uintptr_t)copy->device + first * copy->device_stride,
      .dstPitch = stride,
      .WidthInBytes = copy->row_bytes,
      .Height = rows};
  CUresult result = driver->p_cuMemcpy2DAsync_v2(&c, stream);
  if (result == CUDA_SUCCESS)
    result = driver->p_cuEventRecord(slot->done, stream);
  slot->busy = result == CUDA_SUCCESS;
  return result;
}

static bool upload_chunk(const StxDriver *driver, StxCudaRing *ring, const StxCudaCopy *copy,
    size_t first, size_t rows, StxCudaStream stream, StxError *error)
{
  StxCudaSlot *slot = &ring->slot[ring->next];
  if (!reserve(driver, slot, rows * copy->row_bytes, error))
    return false;
  ring->next = (ring->next + 1) % STX_CUDA_SLOTS;
  pack_rows(slot->memory, copy, first, rows);
  CUresult result = enqueue(driver, slot, copy, first, rows, stream);
  return result == CUDA_SUCCESS ||
         stx_driver_fail(
             driver, error, result, "upload of %zu rows of %zu bytes", copy->rows, copy->row_bytes);
}

bool stx_cuda_ring_upload(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error)
{
  bool good = true;
  if (copy->row_bytes == 0 || copy->rows == 0)
    return true;
  size_t step = copy->row_bytes < CHUNK ? CHUNK / copy->row_bytes : 1;
  if (!stx_cuda_enter(cuda, error))
    return false;
  for (size_t y = 0; y < copy->rows && good; y += step) {
    size_t rows = copy->rows - y < step ? copy->rows - y : step;
    good = upload_chunk(&cuda->driver, ring, copy, y, rows, stream, error);
  }
  stx_cuda_leave(cuda);
  return good;
}

/* ---- Downloads ---------------------------------------------------------------------------- */

/* Rows of a download in a slot. */
typedef struct {
  StxCudaSlot *slot;
  size_t first, rows;
} Piece;

static bool enqueue_piece(const StxDriver *driver, StxCudaRing *ring, const StxCudaCopy *copy,
    Piece *piece, StxCudaStream stream, StxError *error)
{
  StxCudaSlot *slot = piece->slot = &ring->slot[ring->next];
  if (!reserve(driver, slot, piece->rows * copy->row_bytes, error))
    return false;
  ring->next = (ring->next + 1) % STX_CUDA_SLOTS;
  CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
      .srcDevice = (uintptr_t)copy->device + piece->first * copy->device_stride,
      .srcPitch = piece->rows > 1 ? copy->device_stride : copy->row_bytes,
      .dstMemoryType = CU_MEMORYTYPE_HOST,
      .dstHost = slot->memory,
      .dstPitch = copy->row_bytes,
      .WidthInBytes = copy->row_bytes,
      .Height = piece->rows};
  CUresult result = driver->p_cuMemcpy2DAsync_v2(&c, stream);
  if (result == CUDA_SUCCESS)
    result = driver->p_cuEventRecord(slot->done, stream);
  slot->busy = result == CUDA_SUCCESS;
  return result == CUDA_SUCCESS ||
         stx_driver_fail(driver, error, result, "download of %zu rows of %zu bytes", copy->rows,
             copy->row_bytes);
}

static bool take_piece(
    const StxDriver *driver, const StxCudaCopy *copy, const Piece *piece, StxError *error)
{
  CUresult result = driver->p_cuEventSynchronize(piece->slot->done);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(driver, error, result, "cuEventSynchronize of a download");
  piece->slot->busy = false;
  const char *from = piece->slot->memory;
  for (size_t y = 0; y < piece->rows; y++)
    memcpy((char *)copy->host + (ptrdiff_t)(piece->first + y) * copy->host_stride,
        from + y * copy->row_bytes, copy->row_bytes);
  return true;
}

bool stx_cuda_ring_download(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error)
{
  const StxDriver *driver = &cuda->driver;
  Piece before = {NULL, 0, 0};
  bool good = true;
  if (copy->row_bytes == 0 || copy->rows == 0)
    return true;
  size_t step = copy->row_bytes < PIECE ? PIECE / copy->row_bytes : 1;
  if (!stx_cuda_enter(cuda, error))
    return false;
  for (size_t y = 0; y < copy->rows && good; y += step) {
    Piece piece = {NULL, y, copy->rows - y < step ? copy->rows - y : step};
    good = enqueue_piece(driver, ring, copy, &piece, stream, error) &&
           (before.rows == 0 || take_piece(driver, copy, &before, error));
    before = piece;
  }
  good = good && take_piece(driver, copy, &before, error);
  stx_cuda_leave(cuda);
  return good;
}

void stx_cuda_ring_free(StxCuda *cuda, StxCudaRing *ring)
{
  bool entered = stx_cuda_enter(cuda, NULL);
  for (int i = 0; i < STX_CUDA_SLOTS; i++) {
    if (ring->slot[i].memory != NULL)
      cuda->driver.p_cuMemFreeHost(ring->slot[i].memory);
    if (ring->slot[i].done != NULL)
      cuda->driver.p_cuEventDestroy_v2(ring->slot[i].done);
  }
  if (entered)
    stx_cuda_leave(cuda);
  *ring = (StxCudaRing){0};
}
