/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The number of records comes back from the GPU with a few bytes, and with it as many records as
 * the frame before had, and some more: so one wait is enough for nearly every frame.
 */
#include "gst/gststxrecords.h"

enum { RECORDS, RESULT, HOST_RESULT, HOST_RECORDS };

#define ROOM_MIN 256 /* records in the smallest buffer on the device */

static void clear_pool(GstStxRecords *self)
{
  if (self->pool != NULL)
    gst_buffer_pool_set_active(self->pool, FALSE);
  gst_clear_object(&self->pool);
}

void gst_stx_records_leave_device(GstStxRecords *self)
{
  clear_pool(self);
  *self = (GstStxRecords){.first = self->first, .host = self->host};
}

void gst_stx_records_clear(GstStxRecords *self)
{
  gst_stx_records_leave_device(self);
  gst_stx_scratch_clear(&self->host);
}

static gsize worst_count(const StxGrid *grid)
{
  return (gsize)stx_grid_columns(grid) * (gsize)stx_grid_rows(grid);
}

/* ---- On the CPU ---------------------------------------------------------------------------- */

gboolean gst_stx_records_reserve(GstStxRecords *self, const StxGrid *grid, StxError *error)
{
  return gst_stx_scratch_reserve(&self->host, worst_count(grid) * sizeof(StxStixel), error);
}

GstBuffer *gst_stx_records_buffer(GstBaseTransform *base, const StxStixel *records, gsize count)
{
  gsize size = count * sizeof(StxStixel);
  GstAllocationParams params;
  GstAllocator *allocator;
  GstBuffer *buffer;

  gst_base_transform_get_allocator(base, &allocator, &params);
  buffer = gst_buffer_new_allocate(allocator, size, &params);
  g_clear_object(&allocator);
  if (buffer == NULL)
    GST_ELEMENT_ERROR(base, RESOURCE, NO_SPACE_LEFT,
        ("no memory: %" G_GSIZE_FORMAT " bytes of stixels are needed", size), (NULL));
  else
    gst_buffer_fill(buffer, 0, records, size);
  return buffer;
}

/* ---- From the GPU -------------------------------------------------------------------------- */

gboolean gst_stx_records_reserve_device(GstStxRecords *self, GstStxCuda *cuda, const StxGrid *grid,
    const GstStxRecordsResult *layout, void **result, StxError *error)
{
  gsize size = worst_count(grid) * sizeof(StxStixel);

  self->device = gst_stx_cuda_block(cuda, self->first + RECORDS, size, error);
  *result = self->device != NULL
                ? gst_stx_cuda_block(cuda, self->first + RESULT, layout->size, error)
                : NULL;
  return *result != NULL;
}

/* Enqueues the way back of the first `count` records. NULL with the reason in `error`. */
static StxStixel *download(GstStxRecords *self, GstStxCuda *cuda, gsize count, StxError *error)
{
  gsize size = count * sizeof(StxStixel);
  StxStixel *host = gst_stx_cuda_host_block(cuda, self->first + HOST_RECORDS, size, error);

  return host != NULL &&
                 stx_cuda_download_bytes(cuda->cuda, host, self->device, size, cuda->stream, error)
             ? host
             : NULL;
}

gboolean gst_stx_records_fetch(GstStxRecords *self, GstStxCuda *cuda, const StxGrid *grid,
    const GstStxRecordsResult *layout, const void *result, void *host, const StxStixel **records,
    StxError *error)
{
  gsize worst = worst_count(grid), guess = MIN(self->count + self->count / 4 + ROOM_MIN, worst);
  void *landing = gst_stx_cuda_host_block(cuda, self->first + HOST_RESULT, layout->size, error);

  if (landing == NULL ||
      !stx_cuda_download_bytes(cuda->cuda, landing, result, layout->size, cuda->stream, error) ||
      (records != NULL && (*records = download(self, cuda, guess, error)) == NULL) ||
      !gst_stx_cuda_finish(cuda, FALSE, TRUE, error))
    return FALSE;
  memcpy(host, landing, layout->size);
  self->count = *(const guint32 *)((const char *)host + layout->count_offset);
  if (self->count == 0 || self->count > worst)
    return stx_fail(error, "the GPU counts %" G_GSIZE_FORMAT " records of at most %" G_GSIZE_FORMAT,
        self->count, worst);
  if (records == NULL || self->count <= guess)
    return TRUE;
  *records = download(self, cuda, self->count, error);
  return *records != NULL && gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
}

/* Sizes in powers of two: the pool is replaced a few times in a stream, not at every frame. */
static void reserve_pool(GstStxRecords *self, GstStxCuda *cuda)
{
  if (self->pool != NULL && self->room >= self->count)
    return;
  self->room = MAX(self->room, ROOM_MIN);
  while (self->room < self->count)
    self->room *= 2;
  clear_pool(self);
  self->pool = gst_stx_cuda_pool_bytes_new(cuda, NULL, self->room * sizeof(StxStixel), TRUE);
}

GstFlowReturn gst_stx_records_give(
    GstStxRecords *self, GstStxCuda *cuda, GstBuffer **buffer, StxError *error)
{
  gsize size = self->count * sizeof(StxStixel);
  GstFlowReturn flow;
  void *device;

  reserve_pool(self, cuda);
  flow = gst_stx_cuda_acquire(cuda, self->pool, buffer, &device, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (stx_cuda_copy_bytes(cuda->cuda, device, self->device, size, cuda->stream, error) &&
      gst_stx_cuda_finish(cuda, TRUE, FALSE, error)) {
    gst_buffer_resize(*buffer, 0, (gssize)size);
    return GST_FLOW_OK;
  }
  gst_clear_buffer(buffer);
  return GST_FLOW_ERROR;
}
