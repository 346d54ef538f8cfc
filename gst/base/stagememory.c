/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a stage: its blocks, and the buffers of a frame, where it works. */
#include "gst/base/stage.h"

#include <gst/base/gstaggregator.h>
#include <gst/base/gstbasetransform.h>
#include <string.h>

#include "common/luma/luma.h"
#include "cuda/stxcuda.h"
#include "gst/core/frames.h"
#include "gst/core/memory.h"

#define BYTES_ALIGN 4       /* of what is read: floats and records */
#define ROW_ALIGN 128       /* bytes: on the GPU rows begin at whole memory transactions */
#define DEVICE_ALIGN 256    /* of what kernels read as bytes: as of all that is allocated there */
#define ROOM_MIN (16 << 10) /* bytes of the smallest buffer of a growing pool */

static gboolean fail_write(StxError *error)
{
  stx_fail(error, "cannot write to a buffer of the next element");
  return stx_fail_as(error, STX_ERROR_OUTPUT);
}

/* Says which input an error is about. */
static gboolean fail_at(const gchar *what, const StxError *cause, StxError *error)
{
  stx_fail(error, "%s%s%.200s", what, *what != '\0' ? ": " : "", cause->text);
  return stx_fail_as(error, STX_ERROR_INPUT);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

void *gst_stx_stage_block(GstStxStage *self, guint slot, gsize size, StxError *error)
{
  if (self->on_device)
    return gst_stx_cuda_block(&self->cuda, slot, size, error);
  if (gst_stx_scratch_reserve(&self->slot[slot].host, size, error))
    return self->slot[slot].host.data;
  stx_fail_as(error, STX_ERROR_MEMORY);
  return NULL;
}

const void *gst_stx_stage_constant(
    GstStxStage *self, guint slot, const void *data, gsize size, StxError *error)
{
  return self->on_device ? gst_stx_cuda_constant(&self->cuda, slot, data, size, error) : data;
}

const void *gst_stx_stage_table(
    GstStxStage *self, guint slot, const void *data, gsize size, const void **copy, StxError *error)
{
  void *device;

  if (!self->on_device)
    return data;
  device = gst_stx_cuda_block(&self->cuda, slot, size, error);
  if (device != NULL && *copy == device)
    return device;
  *copy = NULL;
  if (device == NULL || !gst_stx_cuda_upload_bytes(&self->cuda, device, data, size, error))
    return NULL;
  *copy = device;
  return device;
}

const void *gst_stx_stage_bring(
    GstStxStage *self, guint slot, const void *data, gsize size, StxError *error)
{
  void *host;

  if (!self->on_device)
    return data;
  host = gst_stx_cuda_host_block(&self->cuda, slot, size, error);
  if (host == NULL ||
      !stx_cuda_download_bytes(self->cuda.cuda, host, data, size, self->cuda.stream, error))
    return NULL;
  self->awaits = TRUE;
  return host;
}

gboolean gst_stx_stage_wait(GstStxStage *self, StxError *error)
{
  gboolean awaits = self->awaits;

  self->awaits = FALSE;
  return !awaits || stx_cuda_synchronize(self->cuda.cuda, self->cuda.stream, error);
}

StxCudaRing *gst_stx_stage_ring(GstStxStage *self)
{
  return &self->cuda.ring;
}

/* ---- Maps ---------------------------------------------------------------------------------- */

/* Frames that a GPU had in its memory cannot be read when it has failed for good: GstCuda notices
 * only what fails at once, so it is not asked in the frame in which that was seen. */
static gboolean fail_read(GstStxStage *self, StxError *error)
{
  self->input_lost = TRUE;
  return stx_fail(error, GST_STX_CUDA_LOST);
}

static gboolean map_bytes(
    GstStxStage *self, guint slot, GstBuffer *buffer, GstMapFlags access, StxError *error)
{
  GstStxStageSlot *place = &self->slot[slot];
  gboolean on_a_gpu = !self->on_device && gst_stx_cuda_is_on_any(buffer);

  if (on_a_gpu && self->gpu_lost)
    return fail_read(self, error);
  if (!gst_buffer_map(buffer, &place->map, access))
    return on_a_gpu ? fail_read(self, error) : stx_fail(error, "cannot read a buffer's memory");
  place->buffer = buffer;
  place->is_frame = FALSE;
  return TRUE;
}

static gboolean map_frame(GstStxStage *self, guint slot, GstBuffer *buffer,
    const GstVideoInfo *info, GstMapFlags access, StxError *error)
{
  GstStxStageSlot *place = &self->slot[slot];
  gboolean on_a_gpu = !self->on_device && gst_stx_cuda_is_on_any(buffer);

  if (on_a_gpu && self->gpu_lost)
    return fail_read(self, error);
  if (!gst_stx_frame_map(&place->frame, info, buffer, access, error))
    return on_a_gpu ? fail_read(self, error) : FALSE;
  place->buffer = buffer;
  place->is_frame = TRUE;
  place->clears = (access & GST_MAP_READWRITE) == GST_MAP_WRITE;
  return TRUE;
}

static void unmap(GstStxStageSlot *place)
{
  if (place->is_frame && place->clears)
    gst_stx_frame_clear_padding(&place->frame);
  if (place->is_frame)
    gst_video_frame_unmap(&place->frame);
  else
    gst_buffer_unmap(place->buffer, &place->map);
  place->buffer = NULL;
}

/* ---- Bytes --------------------------------------------------------------------------------- */

gboolean gst_stx_stage_owns(const GstStxStage *self, GstBuffer *buffer)
{
  return gst_stx_stage_has_device(self) && gst_stx_cuda_is_on_device(&self->cuda, buffer);
}

/* A part of a larger memory may begin anywhere. */
static gboolean align(GstStxStage *self, guint slot, gsize size, const void **data, StxError *error)
{
  GstStxStageSlot *place = &self->slot[slot];
  void *copy;

  *data = place->map.data;
  if ((gsize)*data % BYTES_ALIGN == 0)
    return TRUE;
  copy = gst_stx_stage_block(self, slot, size, error);
  *data = copy != NULL ? memcpy(copy, place->map.data, size) : NULL;
  return copy != NULL;
}

static gboolean upload(
    GstStxStage *self, guint slot, gsize size, const void **data, StxError *error)
{
  void *device = gst_stx_cuda_block(&self->cuda, slot, size, error);

  *data = device;
  return device != NULL &&
         gst_stx_cuda_upload_bytes(&self->cuda, device, self->slot[slot].map.data, size, error);
}

/* A part of a foreign memory may begin anywhere. To kernels that is a fault: the GPU is lost. */
static gboolean find_bytes(GstStxStage *self, guint slot, GstBuffer *buffer, gsize size,
    const void **data, StxError *error)
{
  const void *found;
  void *copy;

  if (!gst_stx_cuda_map_bytes(&self->cuda, buffer, GST_MAP_READ, (void **)&found, error))
    return FALSE;
  *data = found;
  if ((gsize)found % DEVICE_ALIGN == 0)
    return TRUE;
  *data = copy = gst_stx_cuda_block(&self->cuda, slot, size, error);
  return copy != NULL &&
         stx_cuda_copy_bytes(self->cuda.cuda, copy, found, size, self->cuda.stream, error);
}

gboolean gst_stx_stage_read(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    gsize size, const void **data, StxError *error)
{
  gsize actual = gst_buffer_get_size(buffer);
  gboolean found = FALSE;
  StxError cause;

  if (actual < size)
    stx_fail(&cause, "a buffer of %" G_GSIZE_FORMAT " bytes, but its caps make %" G_GSIZE_FORMAT,
        actual, size);
  else if (self->on_device && gst_stx_cuda_is_bytes(&self->cuda, buffer))
    found = find_bytes(self, slot, buffer, size, data, &cause);
  else if (map_bytes(self, slot, buffer, GST_MAP_READ, &cause))
    found = self->on_device ? upload(self, slot, size, data, &cause)
                            : align(self, slot, size, data, &cause);
  return found || fail_at(what, &cause, error);
}

gboolean gst_stx_stage_write(
    GstStxStage *self, guint slot, GstBuffer *buffer, gsize size, void **data, StxError *error)
{
  GstStxStageSlot *place = &self->slot[slot];

  if (self->on_device && gst_stx_cuda_is_bytes(&self->cuda, buffer)) {
    self->gives = TRUE;
    return gst_stx_cuda_map_bytes(&self->cuda, buffer, GST_MAP_WRITE, data, error);
  }
  if (!map_bytes(self, slot, buffer, GST_MAP_WRITE, error) || place->map.size < size)
    return fail_write(error);
  *data = place->map.data;
  if (!self->on_device)
    return TRUE;
  *data = gst_stx_cuda_block(&self->cuda, slot, size, error);
  place->download = (StxCudaCopy){.device = *data,
      .host = place->map.data,
      .row_bytes = size,
      .rows = 1,
      .device_stride = size,
      .host_stride = (ptrdiff_t)size};
  return *data != NULL;
}

gboolean gst_stx_stage_fill(
    GstStxStage *self, GstBuffer *buffer, const void *data, gsize size, StxError *error)
{
  return gst_buffer_fill(buffer, 0, data, size) == size || fail_write(error);
}

gboolean gst_stx_stage_copy(
    GstStxStage *self, guint slot, GstBuffer *buffer, const void *data, gsize size, StxError *error)
{
  void *to;

  if (!self->on_device)
    return gst_stx_stage_fill(self, buffer, data, size, error);
  return gst_stx_stage_write(self, slot, buffer, size, &to, error) &&
         stx_cuda_copy_bytes(self->cuda.cuda, to, data, size, self->cuda.stream, error);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* A plane of the slot's frame on the host, and its memory on the GPU. */
static gboolean lay_out_plane(GstStxStage *self, guint slot, const GstVideoInfo *info, guint plane,
    StxCudaCopy *copy, StxError *error)
{
  const GstVideoFrame *frame = &self->slot[slot].frame;
  GstStxPlane shape = gst_stx_plane(info, plane);

  copy->row_bytes = shape.row_bytes;
  copy->rows = shape.rows;
  copy->host = GST_VIDEO_FRAME_PLANE_DATA(frame, plane);
  copy->host_stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
  copy->device_stride = (shape.row_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
  copy->device =
      gst_stx_cuda_block(&self->cuda, slot + plane, copy->device_stride * shape.rows, error);
  return copy->device != NULL;
}

static gboolean upload_planes(GstStxStage *self, guint slot, const GstVideoInfo *info, guint planes,
    GstMapFlags access, StxFrame *picture, StxError *error)
{
  for (guint p = 0; p < planes; p++) {
    StxCudaCopy copy;

    if (!lay_out_plane(self, slot, info, p, &copy, error) ||
        ((access & GST_MAP_READ) && !gst_stx_cuda_upload(&self->cuda, &copy, error)))
      return FALSE;
    if (access & GST_MAP_WRITE)
      self->slot[slot + p].download = copy;
    picture->data[p] = copy.device;
    picture->stride[p] = (ptrdiff_t)copy.device_stride;
  }
  return TRUE;
}

/* Samples of several bytes may begin anywhere in foreign memory: a copy that is aligned. */
static gboolean align_plane(GstStxStage *self, guint slot, const GstVideoInfo *info, guint plane,
    StxFrame *picture, StxError *error)
{
  GstStxPlane shape = gst_stx_plane(info, plane);
  guint8 *to;

  if (((gsize)picture->data[plane] | (gsize)picture->stride[plane]) % shape.unit == 0)
    return TRUE;
  to = gst_stx_stage_block(self, slot + plane, shape.row_bytes * shape.rows, error);
  for (gsize y = 0; to != NULL && y < shape.rows; y++)
    memcpy(to + y * shape.row_bytes, picture->data[plane] + (ptrdiff_t)y * picture->stride[plane],
        shape.row_bytes);
  picture->data[plane] = to;
  picture->stride[plane] = (ptrdiff_t)shape.row_bytes;
  return to != NULL;
}

static gboolean map_planes(GstStxStage *self, guint slot, const GstVideoInfo *info, guint planes,
    GstMapFlags access, StxFrame *picture, StxError *error)
{
  const GstVideoFrame *frame = &self->slot[slot].frame;

  for (guint p = 0; p < planes; p++) {
    picture->data[p] = GST_VIDEO_FRAME_PLANE_DATA(frame, p);
    picture->stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE(frame, p);
    if (!(access & GST_MAP_WRITE) && !align_plane(self, slot, info, p, picture, error))
      return FALSE;
  }
  return TRUE;
}

/* The same on the GPU, where samples at other addresses are faults. */
static gboolean align_device_plane(
    GstStxStage *self, guint slot, GstStxPlane shape, void **device, gsize *stride, StxError *error)
{
  gsize row = (shape.row_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
  const guint8 *from = *device;
  guint8 *to;

  if (((gsize)from | *stride) % shape.unit == 0)
    return TRUE;
  to = gst_stx_cuda_block(&self->cuda, slot, row * shape.rows, error);
  for (gsize y = 0; to != NULL && y < shape.rows; y++)
    if (!stx_cuda_copy_bytes(self->cuda.cuda, to + y * row, from + y * *stride, shape.row_bytes,
            self->cuda.stream, error))
      return FALSE;
  *device = to;
  *stride = row;
  return to != NULL;
}

static gboolean find_planes(GstStxStage *self, guint slot, GstBuffer *buffer,
    const GstVideoInfo *info, guint planes, GstMapFlags access, StxFrame *picture, StxError *error)
{
  for (guint p = 0; p < planes; p++) {
    void *device;
    gsize stride;

    if (!gst_stx_cuda_map_plane(&self->cuda, buffer, info, p, access, &device, &stride, error) ||
        (!(access & GST_MAP_WRITE) &&
            !align_device_plane(self, slot + p, gst_stx_plane(info, p), &device, &stride, error)))
      return FALSE;
    picture->data[p] = device;
    picture->stride[p] = (ptrdiff_t)stride;
  }
  self->gives |= (access & GST_MAP_WRITE) != 0;
  return TRUE;
}

gboolean gst_stx_stage_picture(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, guint planes, GstMapFlags access, StxFrame *picture, StxError *error)
{
  StxError cause;
  gboolean found;

  if (self->on_device && gst_stx_cuda_is_picture(&self->cuda, buffer))
    found = find_planes(self, slot, buffer, info, planes, access, picture, &cause);
  else
    found = map_frame(self, slot, buffer, info, access, &cause) &&
            (self->on_device ? upload_planes : map_planes)(
                self, slot, info, planes, access, picture, &cause);
  return found || fail_at(what, &cause, error);
}

gboolean gst_stx_stage_image8(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, StxImage8 *image, StxError *error)
{
  StxFrame picture;

  if (!gst_stx_stage_picture(self, slot, what, buffer, info, 1, GST_MAP_READ, &picture, error))
    return FALSE;
  *image = (StxImage8){
      picture.data[0], picture.stride[0], GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return TRUE;
}

gboolean gst_stx_stage_gray(GstStxStage *self, guint scratch_slot, guint slot,
    const GstVideoInfo *info, gint bits, StxImage8 *image, StxError *error)
{
  const StxLumaFormat *format = stx_luma_format(GST_VIDEO_INFO_NAME(info));
  const StxLumaImpl *impl;
  gsize stride = stx_align((gsize)image->width);
  StxImage8 gray = {NULL, (ptrdiff_t)stride, image->width, image->height};
  void *scratch;

  if (format == NULL)
    return TRUE;
  impl = gst_stx_stage_impl_of(self, &stx_luma_impls, &stx_luma_cuda_impls, error);
  scratch = gst_stx_stage_block(self, scratch_slot, STX_LUMA_SCRATCH, error);
  gray.data = gst_stx_stage_block(self, slot, stride * (gsize)image->height, error);
  if (impl == NULL || scratch == NULL || gray.data == NULL ||
      !impl->run(format, bits, image, &gray, scratch, &self->place, error))
    return FALSE;
  *image = gray;
  return TRUE;
}

gboolean gst_stx_stage_confidence(GstStxStage *self, guint slot, const GstStxConfidenceMeta *meta,
    gint width, gint height, StxImage8 *image, StxError *error)
{
  const void *data;

  if (meta->width != (guint)width || meta->height != (guint)height)
    return stx_fail(error, "the confidence meta has %ux%u, but the disparity %dx%d", meta->width,
        meta->height, width, height);
  if (!gst_stx_stage_read(self, slot, "the confidence meta", meta->confidence,
          (gsize)width * (gsize)height, &data, error))
    return FALSE;
  *image = (StxImage8){(uint8_t *)data, width, width, height};
  return TRUE;
}

/* ---- Outputs ------------------------------------------------------------------------------- */

GstFlowReturn gst_stx_stage_acquire(
    GstStxStage *self, GstBufferPool *pool, GstBuffer **buffer, StxError *error)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active(pool, TRUE))
    flow = gst_buffer_pool_acquire_buffer(pool, buffer, NULL);
  if (flow == GST_FLOW_ERROR) {
    /* A GPU that has failed is not offered again. */
    if (!self->on_device || gst_stx_cuda_finish(&self->cuda, FALSE, TRUE, error))
      stx_fail(error, "no memory %sfor an output buffer", self->device_output ? "on the GPU " : "");
    stx_fail_as(error, STX_ERROR_MEMORY);
  }
  return flow;
}

static void clear_pool(GstBufferPool **pool)
{
  if (*pool != NULL)
    gst_buffer_pool_set_active(*pool, FALSE);
  gst_clear_object(pool);
}

static GstBuffer *allocate(GstStxStage *self, gsize size, gboolean attached)
{
  GstAllocationParams params;
  GstAllocator *allocator = NULL;
  GstBuffer *buffer;

  gst_allocation_params_init(&params);
  if (!attached && GST_IS_BASE_TRANSFORM(self->element))
    gst_base_transform_get_allocator(GST_BASE_TRANSFORM(self->element), &allocator, &params);
  else if (!attached && GST_IS_AGGREGATOR(self->element))
    gst_aggregator_get_allocator(GST_AGGREGATOR(self->element), &allocator, &params);
  params.align |= STX_ALIGN - 1;
  buffer = gst_buffer_new_allocate(allocator, size, &params);
  g_clear_object(&allocator);
  return buffer;
}

GstFlowReturn gst_stx_stage_new_output(
    GstStxStage *self, gsize size, gboolean attached, GstBuffer **buffer, StxError *error)
{
  GstBufferPool **pool = &self->growing[attached].pool;
  gsize *room = &self->growing[attached].room;
  GstFlowReturn flow;

  if (!self->device_output) {
    *buffer = allocate(self, size, attached);
    if (*buffer != NULL)
      return GST_FLOW_OK;
    stx_fail(error, "no memory: %" G_GSIZE_FORMAT " bytes of output are needed", size);
    stx_fail_as(error, STX_ERROR_MEMORY);
    return GST_FLOW_ERROR;
  }
  if (*pool == NULL || *room < size) {
    clear_pool(pool);
    for (*room = MAX(*room, ROOM_MIN); *room < size;)
      *room *= 2;
    *pool = gst_stx_cuda_pool_bytes_new(&self->cuda, NULL, *room, TRUE);
  }
  flow = gst_stx_stage_acquire(self, *pool, buffer, error);
  if (flow == GST_FLOW_OK)
    gst_buffer_resize(*buffer, 0, (gssize)size);
  return flow;
}

GstBufferPool *gst_stx_stage_bytes_pool(GstStxStage *self, GstQuery *query, gsize size)
{
  GstCaps *caps = NULL;

  if (!self->device_output)
    return gst_stx_host_pool_new(query, (guint)size);
  if (query != NULL)
    gst_query_parse_allocation(query, &caps, NULL);
  return gst_stx_cuda_pool_bytes_new(&self->cuda, caps, size, FALSE);
}

gboolean gst_stx_stage_take_bytes_pool(GstStxStage *self, GstQuery *query, gsize size)
{
  gst_stx_take_pool(query, gst_stx_stage_bytes_pool(self, query, size), (guint)size, 0, 0);
  return TRUE;
}

gboolean gst_stx_stage_take_video_pool(GstStxStage *self, GstQuery *query)
{
  GstVideoInfo info;
  GstCaps *caps;

  if (!self->device_output)
    return gst_stx_decide_video_pool(query);
  gst_query_parse_allocation(query, &caps, NULL);
  if (!gst_video_info_from_caps(&info, caps))
    return FALSE;
  gst_stx_take_pool(query, gst_stx_cuda_pool_video_new(&self->cuda, caps),
      (guint)GST_VIDEO_INFO_SIZE(&info), 0, 0);
  return TRUE;
}

/* ---- The end of a frame -------------------------------------------------------------------- */

static gboolean download_all(GstStxStage *self, StxError *error)
{
  for (guint i = 0; i < GST_STX_STAGE_SLOTS; i++) {
    const StxCudaCopy *copy = &self->slot[i].download;

    if (copy->rows > 0 && !gst_stx_cuda_download(&self->cuda, copy, error))
      return FALSE;
  }
  return TRUE;
}

GstFlowReturn gst_stx_stage_end_frame(GstStxStage *self, GstFlowReturn flow, StxError *error)
{
  if (flow == GST_FLOW_OK && self->on_device &&
      !(download_all(self, error) &&
          gst_stx_cuda_finish(&self->cuda, self->gives, self->awaits, error)))
    flow = GST_FLOW_ERROR;
  if (flow != GST_FLOW_OK && self->on_device) /* what is enqueued may still use the buffers */
    self->gpu_lost = !gst_stx_cuda_finish(&self->cuda, FALSE, TRUE, NULL);
  for (guint i = 0; i < GST_STX_STAGE_SLOTS; i++) {
    if (self->slot[i].buffer != NULL)
      unmap(&self->slot[i]);
    self->slot[i].download.rows = 0;
  }
  self->gives = self->awaits = FALSE;
  return flow;
}

/* ---- Forgetting ---------------------------------------------------------------------------- */

void gst_stx_stage_leave_device(GstStxStage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(self->growing); i++) {
    clear_pool(&self->growing[i].pool);
    self->growing[i].room = 0;
  }
}

void gst_stx_stage_free_memory(GstStxStage *self)
{
  gst_stx_stage_leave_device(self);
  for (guint i = 0; i < GST_STX_STAGE_SLOTS; i++)
    gst_stx_scratch_clear(&self->slot[i].host);
}
