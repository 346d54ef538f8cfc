/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "cuda/driver/driver.h"

#define CHUNK ((size_t)4 << 20)   /* bytes of a slot, unless a single row is longer */
#define PIECE ((size_t)512 << 10) /* the same of a download, which waits for each */

/* Makes the slot free, and large enough. */
static bool reserve(const StxDriver *driver, StxCudaSlot *slot, size_t size, StxError *error)
{
  CUresult result = CUDA_SUCCESS;
  if (slot->busy)
    result = driver->p_cuEventSynchronize(slot->done);
  if (!stx_driver_check(driver, error, result, "cuEventSynchronize of an upload"))
    return false;
  slot->busy = false;
  if (slot->done == NULL)
    result = driver->p_cuEventCreate(&slot->done, CU_EVENT_DISABLE_TIMING);
  if (!stx_driver_check(driver, error, result, "cuEventCreate"))
    return false;
  if (slot->size >= size)
    return true;
  if (slot->memory != NULL)
    driver->p_cuMemFreeHost(slot->memory);
  result = driver->p_cuMemAllocHost_v2(&slot->memory, size);
  slot->size = result == CUDA_SUCCESS ? size : 0;
  slot->memory = result == CUDA_SUCCESS ? slot->memory : NULL;
  return stx_driver_check(driver, error, result, "cuMemAllocHost of %zu bytes", size);
}

/* Rows of a copy that pass through a slot. */
typedef struct {
  StxCudaSlot *slot;
  size_t first, rows;
} Piece;

/* Copies them between the slot, where they are without gaps, and the host's memory. */
static void copy_piece(const StxCudaCopy *copy, const Piece *piece, StxDirection direction)
{
  for (size_t y = 0; y < piece->rows; y++) {
    char *packed = (char *)piece->slot->memory + y * copy->row_bytes;
    char *row = (char *)copy->host + (ptrdiff_t)(piece->first + y) * copy->host_stride;
    if (direction == STX_UPLOAD)
      memcpy(packed, row, copy->row_bytes);
    else
      memcpy(row, packed, copy->row_bytes);
  }
}

/* Enqueues a piece in the next slot. */
static bool enqueue(const StxDriver *driver, StxCudaRing *ring, const StxCudaCopy *copy,
    Piece *piece, StxDirection direction, StxCudaStream stream, StxError *error)
{
  StxCudaSlot *slot = piece->slot = &ring->slot[ring->next];
  if (!reserve(driver, slot, piece->rows * copy->row_bytes, error))
    return false;
  ring->next = (ring->next + 1) % STX_CUDA_SLOTS;
  const StxCudaCopy part = {
      .device = (char *)copy->device + piece->first * copy->device_stride,
      .device_stride = copy->device_stride,
      .host = slot->memory,
      .host_stride = (ptrdiff_t)copy->row_bytes,
      .row_bytes = copy->row_bytes,
      .rows = piece->rows,
  };
  if (direction == STX_UPLOAD)
    copy_piece(copy, piece, direction);
  CUresult result = stx_driver_copy(driver, &part, direction, stream);
  if (result == CUDA_SUCCESS)
    result = driver->p_cuEventRecord(slot->done, stream);
  slot->busy = result == CUDA_SUCCESS;
  return stx_driver_check(driver, error, result, "%s of %zu rows of %zu bytes",
      stx_direction_names[direction], copy->rows, copy->row_bytes);
}

/* Waits for a piece of a download, and takes it. */
static bool take(
    const StxDriver *driver, const StxCudaCopy *copy, const Piece *piece, StxError *error)
{
  if (!stx_driver_check(driver, error, driver->p_cuEventSynchronize(piece->slot->done),
          "cuEventSynchronize of a download"))
    return false;
  piece->slot->busy = false;
  copy_piece(copy, piece, STX_DOWNLOAD);
  return true;
}

/* Piece by piece; those of a download are taken, each while the next one is under way. */
static bool pass(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy, StxDirection direction,
    StxCudaStream stream, StxError *error)
{
  const StxDriver *driver = &cuda->driver;
  bool takes = direction == STX_DOWNLOAD, good = true;
  Piece before = {NULL, 0, 0};
  if (copy->row_bytes == 0 || copy->rows == 0)
    return true;
  size_t most = takes ? PIECE : CHUNK, step = copy->row_bytes < most ? most / copy->row_bytes : 1;
  if (!stx_cuda_enter(cuda, error))
    return false;
  for (size_t y = 0; y < copy->rows && good; y += step) {
    Piece piece = {NULL, y, copy->rows - y < step ? copy->rows - y : step};
    good = enqueue(driver, ring, copy, &piece, direction, stream, error) &&
           (!takes || before.rows == 0 || take(driver, copy, &before, error));
    before = piece;
  }
  good = good && (!takes || take(driver, copy, &before, error));
  stx_cuda_leave(cuda);
  return good;
}

bool stx_cuda_ring_upload(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error)
{
  return pass(cuda, ring, copy, STX_UPLOAD, stream, error);
}

bool stx_cuda_ring_download(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error)
{
  return pass(cuda, ring, copy, STX_DOWNLOAD, stream, error);
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
