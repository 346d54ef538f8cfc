/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstCuda allocates pictures in formats of its list only; GRAY8, GRAY16_LE and plain bytes are not
 * among them. So every buffer is one row of RGBA pixels for GstCuda: contiguous, and of a size that
 * is known beforehand, which two-dimensional memory is not.
 */
#include "gst/cuda/cuda_private.h"

#define PIXEL 4 /* bytes of an RGBA pixel */

struct _GstStxCudaPool {
  GstBufferPool parent;

  /* Constant after construction. */
  GstStxCudaDevice *device;
  gsize size;
  gboolean shrinks;
  gboolean has_video;
  GstVideoInfo video;
};

G_DEFINE_FINAL_TYPE(GstStxCudaPool, gst_stx_cuda_pool, GST_TYPE_BUFFER_POOL)

static GstMemory *allocate(GstStxCudaPool *self)
{
  gsize pixels = MAX((self->size + PIXEL - 1) / PIXEL, 1);
  GstVideoInfo row;
  GstMemory *memory;
  GstMapInfo map;

  if (pixels > G_MAXINT / PIXEL ||
      !gst_video_info_set_format(&row, GST_VIDEO_FORMAT_RGBA, (guint)pixels, 1))
    return NULL;
  memory = gst_stx_cuda_lib_alloc(self->device->lib, self->device->context, &row);
  if (memory == NULL)
    return NULL;
  /* GstCuda maps memory to the host through page-locked memory that it allocates as large as the
   * GstMemory is at the first map, and fills with the whole row: too much, if the GstMemory was
   * made smaller before. So that first map happens here. */
  if (self->shrinks || self->size % PIXEL != 0) {
    if (!gst_memory_map(memory, &map, GST_MAP_READ)) {
      gst_memory_unref(memory);
      return NULL;
    }
    gst_memory_unmap(memory, &map);
  }
  gst_memory_resize(memory, 0, self->size);
  gst_stx_cuda_memory_mark(memory);
  return memory;
}

static GstFlowReturn alloc_buffer(
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstStxCudaPool *self = GST_STX_CUDA_POOL(pool);
  GstMemory *memory = allocate(self);

  if (memory == NULL)
    return GST_FLOW_ERROR;
  *buffer = gst_buffer_new();
  gst_buffer_append_memory(*buffer, memory);
  if (self->has_video)
    gst_buffer_add_video_meta_full(*buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT(&self->video), GST_VIDEO_INFO_WIDTH(&self->video),
        GST_VIDEO_INFO_HEIGHT(&self->video), GST_VIDEO_INFO_N_PLANES(&self->video),
        self->video.offset, self->video.stride);
  return GST_FLOW_OK;
}

/*
 * An element of another plugin may have enqueued on its own stream what reads the memory, and given
 * it back at once. What is enqueued on the default stream waits for the other streams, and they
 * wait for it: GstCuda's and ours are ordered with it.
 */
static gboolean wait_for_readers(GstStxCudaDevice *device, GstBuffer *buffer)
{
  gboolean good = FALSE;
  GstMapInfo map;

  if (!g_atomic_int_get(&device->foreign))
    return TRUE;
  if (gst_buffer_map(buffer, &map, GST_MAP_READ | GST_MAP_CUDA)) {
    good = stx_cuda_fill_bytes(device->cuda, map.data, 0, 1, NULL, NULL);
    gst_buffer_unmap(buffer, &map);
  }
  return good;
}

static GstFlowReturn acquire_buffer(
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstFlowReturn flow =
      GST_BUFFER_POOL_CLASS(gst_stx_cuda_pool_parent_class)->acquire_buffer(pool, buffer, params);

  if (flow == GST_FLOW_OK && !wait_for_readers(GST_STX_CUDA_POOL(pool)->device, *buffer)) {
    gst_clear_buffer(buffer);
    flow = GST_FLOW_ERROR;
  }
  return flow;
}

/* Enqueued work may still use it. The driver waits when memory is freed, but need not. */
static void free_buffer(GstBufferPool *pool, GstBuffer *buffer)
{
  GstStxCudaDevice *device = GST_STX_CUDA_POOL(pool)->device;

  stx_cuda_synchronize(device->cuda, device->stream, NULL);
  GST_BUFFER_POOL_CLASS(gst_stx_cuda_pool_parent_class)->free_buffer(pool, buffer);
}

/* GStreamer would give back its whole size to a buffer that was made smaller, and where a copy of
 * the buffer shares the memory, part it for that: CUDAMemory cannot be, so it leaves the pool. */
static void reset_buffer(GstBufferPool *pool, GstBuffer *buffer)
{
  if (!gst_buffer_is_all_memory_writable(buffer))
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_TAG_MEMORY);
  GST_BUFFER_POOL_CLASS(gst_stx_cuda_pool_parent_class)->reset_buffer(pool, buffer);
}

static const gchar **get_options(GstBufferPool *pool)
{
  static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, NULL};

  return options;
}

static void finalize(GObject *object)
{
  GstStxCudaPool *self = GST_STX_CUDA_POOL(object);

  /* The parent frees the buffers that it still has. */
  GstStxCudaDevice *device = self->device;

  G_OBJECT_CLASS(gst_stx_cuda_pool_parent_class)->finalize(object);
  gst_stx_cuda_device_unref(device);
}

static void gst_stx_cuda_pool_class_init(GstStxCudaPoolClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = alloc_buffer;
  GST_BUFFER_POOL_CLASS(klass)->acquire_buffer = acquire_buffer;
  GST_BUFFER_POOL_CLASS(klass)->free_buffer = free_buffer;
  GST_BUFFER_POOL_CLASS(klass)->reset_buffer = reset_buffer;
  GST_BUFFER_POOL_CLASS(klass)->get_options = get_options;
}

static void gst_stx_cuda_pool_init(GstStxCudaPool *self)
{
}

GstBufferPool *gst_stx_cuda_pool_new(GstStxCudaDevice *device, GstCaps *caps, gsize size,
    const GstVideoInfo *video, gboolean shrinks)
{
  GstStxCudaPool *self = g_object_new(GST_TYPE_STX_CUDA_POOL, NULL);
  GstBufferPool *pool = gst_object_ref_sink(GST_BUFFER_POOL(self));
  GstStructure *config = gst_buffer_pool_get_config(pool);

  self->device = gst_stx_cuda_device_ref(device);
  self->size = size;
  self->shrinks = shrinks;
  self->has_video = video != NULL;
  if (video != NULL)
    self->video = *video;
  gst_buffer_pool_config_set_params(config, caps, (guint)size, 0, 0);
  gst_buffer_pool_set_config(pool, config);
  return pool;
}
