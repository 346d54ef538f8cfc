/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers in device memory: where they lie, their pools, and the end of a frame. */
#include "gst/core/frames.h"

#include "gst/cuda/cuda.h"
#include "gst/cuda/cuda_private.h"

#define ROW_ALIGN 128 /* bytes: rows of a picture begin at whole memory transactions */

/* ---- Addresses ----------------------------------------------------------------------------- */

gboolean gst_stx_cuda_is_on_device(const GstStxCuda *self, GstBuffer *buffer)
{
  guint count = gst_buffer_n_memory(buffer);

  for (guint i = 0; i < count; i++)
    if (!gst_stx_cuda_device_owns(self->device, gst_buffer_peek_memory(buffer, i)))
      return FALSE;
  return count > 0;
}

gboolean gst_stx_cuda_is_bytes(const GstStxCuda *self, GstBuffer *buffer)
{
  return gst_buffer_n_memory(buffer) == 1 && gst_stx_cuda_is_on_device(self, buffer);
}

gboolean gst_stx_cuda_is_picture(const GstStxCuda *self, GstBuffer *buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);

  for (guint p = 0; meta != NULL && p < meta->n_planes; p++)
    if (meta->stride[p] <= 0)
      return FALSE;
  return gst_stx_cuda_is_on_device(self, buffer);
}

/* The device address of one memory of a buffer. The map is over when this returns: it lets GstCuda
 * bring what was written on the host to the device, and take note of what we write; the address
 * stays as long as the memory. Where a map fails, GStreamer maps a copy, for which GstCuda takes
 * all that was allocated: more than the bytes of a buffer that was made smaller. */
static guint8 *map_memory(GstStxCuda *self, GstBuffer *buffer, guint index, GstMapFlags access)
{
  const GstStxCudaLib *lib = self->device->lib;
  gsize size = gst_memory_get_sizes(gst_buffer_peek_memory(buffer, index), NULL, NULL);
  GstMapInfo map;
  GstMemory *memory;

  if (!gst_buffer_map_range(buffer, index, 1, &map, access | GST_MAP_CUDA))
    return NULL;
  gst_buffer_unmap(buffer, &map);
  if (map.size != size)
    return NULL;
  memory = gst_buffer_peek_memory(buffer, index); /* writing may have replaced a shared one */
  if (!gst_stx_cuda_memory_is_marked(memory)) {
    self->foreign_input = TRUE;
    if (lib->memory_sync != NULL)
      lib->memory_sync(GST_CUDA_MEMORY_CAST(memory));
  }
  return map.data;
}

gboolean gst_stx_cuda_map_bytes(
    GstStxCuda *self, GstBuffer *buffer, GstMapFlags access, void **device, StxError *error)
{
  *device = map_memory(self, buffer, 0, access);
  return *device != NULL || stx_fail(error, "cannot reach a buffer's memory on the GPU");
}

/* ---- Copies -------------------------------------------------------------------------------- */

gboolean gst_stx_cuda_upload(GstStxCuda *self, const StxCudaCopy *copy, StxError *error)
{
  return stx_cuda_ring_upload(self->cuda, &self->ring, copy, self->stream, error);
}

gboolean gst_stx_cuda_upload_bytes(
    GstStxCuda *self, void *device, const void *host, gsize size, StxError *error)
{
  const gsize row = 4096, rest = size % row;
  const StxCudaCopy whole = {device, row, (void *)host, (ptrdiff_t)row, row, size / row};
  const StxCudaCopy tail = {
      (guint8 *)device + (size - rest), rest, (guint8 *)host + (size - rest), 0, rest, 1};

  return gst_stx_cuda_upload(self, &whole, error) && gst_stx_cuda_upload(self, &tail, error);
}

gboolean gst_stx_cuda_download(GstStxCuda *self, const StxCudaCopy *copy, StxError *error)
{
  return stx_cuda_ring_download(self->cuda, &self->ring, copy, self->stream, error);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Does a picture's description have the planes of `info`? */
static gboolean covers(const GstVideoMeta *meta, const GstVideoInfo *info, guint plane)
{
  return meta->format == GST_VIDEO_INFO_FORMAT(info) && plane < meta->n_planes &&
         meta->width >= (guint)GST_VIDEO_INFO_WIDTH(info) &&
         meta->height >= (guint)GST_VIDEO_INFO_HEIGHT(info);
}

gboolean gst_stx_cuda_map_plane(GstStxCuda *self, GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GstMapFlags access, void **device, gsize *stride, StxError *error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  gsize offset = meta != NULL ? meta->offset[plane] : GST_VIDEO_INFO_PLANE_OFFSET(info, plane);
  GstStxPlane shape = gst_stx_plane(info, plane);
  guint memory, count;
  guint8 *data;
  gsize skip;

  *stride = (gsize)(meta != NULL ? meta->stride[plane] : GST_VIDEO_INFO_PLANE_STRIDE(info, plane));
  if ((meta != NULL && !covers(meta, info, plane)) || *stride < shape.row_bytes ||
      !gst_buffer_find_memory(buffer, offset, 1, &memory, &count, &skip) ||
      skip + *stride * (shape.rows - 1) + shape.row_bytes >
          gst_memory_get_sizes(gst_buffer_peek_memory(buffer, memory), NULL, NULL))
    return gst_stx_fail_fit(buffer, info, error);
  data = map_memory(self, buffer, memory, access);
  if (data == NULL)
    return stx_fail(error, "cannot reach a buffer's memory on the GPU");
  *device = data + skip;
  return TRUE;
}

/* ---- Outputs ------------------------------------------------------------------------------- */

GstBufferPool *gst_stx_cuda_pool_bytes_new(
    GstStxCuda *self, GstCaps *caps, gsize size, gboolean shrinks)
{
  return gst_stx_cuda_pool_new(self->device, caps, size, NULL, shrinks);
}

GstBufferPool *gst_stx_cuda_pool_video_new(GstStxCuda *self, GstCaps *caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps(&info, caps))
    return NULL;
  info.size = 0;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    GstStxPlane shape = gst_stx_plane(&info, p);

    info.offset[p] = info.size;
    info.stride[p] = (gint)((shape.row_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN);
    info.size += (gsize)info.stride[p] * shape.rows;
  }
  return gst_stx_cuda_pool_new(self->device, caps, info.size, &info, FALSE);
}

gboolean gst_stx_cuda_finish(
    GstStxCuda *self, gboolean pushes_device, gboolean download, StxError *error)
{
  gboolean foreign = self->foreign_input || (pushes_device && self->foreign_neighbour);

  self->foreign_input = FALSE;
  if (pushes_device && self->foreign_neighbour)
    g_atomic_int_set(&self->device->foreign, TRUE);
  return !(foreign || download) || stx_cuda_synchronize(self->cuda, self->stream, error);
}
