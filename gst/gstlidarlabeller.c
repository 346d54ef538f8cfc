/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gstlidarlabeller.h"

GST_DEBUG_CATEGORY_STATIC(lidar_labeller_debug);
#define GST_CAT_DEFAULT lidar_labeller_debug

enum {
  BLOCK_POINTS,
  BLOCK_SCRATCH,
  BLOCK_LABELS,
  BLOCK_RESULT,
  BLOCK_HOST_LABELS,
  BLOCK_HOST_RESULT
};

#define ROOM_MIN 4096 /* labels in the smallest buffer on the device */

/* The GPU failed; what it was stands in an StxError. */
#define FLOW_GPU_FAILED GST_FLOW_CUSTOM_ERROR

static gsize point_count(GstBuffer *points)
{
  return gst_buffer_get_size(points) / GST_STX_POINT_BYTES;
}

/* ---- Configuration ------------------------------------------------------------------------- */

static gboolean choose_host(GstLidarLabeller *self, StxError *error)
{
  if (self->cuda->cuda != NULL)
    return TRUE;
  self->threads = stx_threads(self->run.threads);
  self->impl = gst_stx_run_pick(&self->run, &stx_ground_impls, error);
  if (self->impl != NULL)
    GST_DEBUG_OBJECT(self->element, "implementation %s", self->impl->info.name);
  return self->impl != NULL;
}

static void clear_pool(GstLidarLabeller *self)
{
  if (self->pool != NULL)
    gst_buffer_pool_set_active(self->pool, FALSE);
  gst_clear_object(&self->pool);
  self->room = 0;
}

void gst_lidar_labeller_init(GstLidarLabeller *self, GstElement *element, GstStxCuda *cuda)
{
  GST_DEBUG_CATEGORY_INIT(lidar_labeller_debug, "lidar-labeller", 0, "lidar-ground's scans");
  self->element = element;
  self->cuda = cuda;
}

gboolean gst_lidar_labeller_configure(
    GstLidarLabeller *self, const GstStxRun *run, gboolean device_output, StxError *error)
{
  self->run = *run;
  self->device_output = device_output;
  clear_pool(self);
  return choose_host(self, error);
}

void gst_lidar_labeller_stop(GstLidarLabeller *self)
{
  clear_pool(self);
  gst_stx_scratch_clear(&self->scratch);
}

/* ---- On the CPU ---------------------------------------------------------------------------- */

/* A buffer of `count` labels in system memory, copied from `labels` if there are any; NULL after an
 * element error. */
static GstBuffer *new_labels(GstLidarLabeller *self, const uint32_t *labels, gsize count)
{
  GstAllocationParams params;
  GstBuffer *buffer;

  gst_allocation_params_init(&params);
  params.align = STX_ALIGN - 1;
  buffer = gst_buffer_new_allocate(NULL, count * sizeof(uint32_t), &params);
  if (buffer == NULL)
    GST_ELEMENT_ERROR(self->element, RESOURCE, NO_SPACE_LEFT,
        ("no memory: %" G_GSIZE_FORMAT " bytes of labels are needed", count * sizeof(uint32_t)),
        (NULL));
  else if (labels != NULL)
    gst_buffer_fill(buffer, 0, labels, count * sizeof(uint32_t));
  return buffer;
}

static void label_points(GstLidarLabeller *self, const StxGroundParams *params,
    const GstMapInfo *points, StxGroundResult *result, GstBuffer *labels)
{
  gsize count = points->size / GST_STX_POINT_BYTES;
  StxPlace place = {.threads = self->threads};
  GstMapInfo map = GST_MAP_INFO_INIT;

  if (count > 0 && !gst_buffer_map(labels, &map, GST_MAP_WRITE))
    g_return_if_reached(); /* it is ours, and system memory */
  self->impl->run(params, (const float *)(void *)points->data, count, (uint32_t *)(void *)map.data,
      result, self->scratch.data, &place, NULL);
  if (count > 0)
    gst_buffer_unmap(labels, &map);
}

static GstFlowReturn run_on_host(GstLidarLabeller *self, const StxGroundParams *params,
    GstBuffer *input, StxGroundResult *result, GstBuffer **labels)
{
  GstMapInfo map;
  StxError error;

  if (!gst_stx_scratch_reserve(&self->scratch,
          self->impl->scratch_size(params, point_count(input), self->threads), &error)) {
    GST_STX_ELEMENT_ERROR(self->element, RESOURCE, NO_SPACE_LEFT, &error);
    return GST_FLOW_ERROR;
  }
  if (!gst_buffer_map(input, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(self->element, RESOURCE, READ, ("cannot read a buffer's memory"), (NULL));
    return GST_FLOW_ERROR;
  }
  *labels = new_labels(self, NULL, point_count(input));
  if (*labels != NULL)
    label_points(self, params, &map, result, *labels);
  gst_buffer_unmap(input, &map);
  return *labels != NULL ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* ---- On the GPU ---------------------------------------------------------------------------- */

/* Where the labels go: a buffer of the pool, or a block. */
static GstFlowReturn acquire_labels(
    GstLidarLabeller *self, gsize count, GstBuffer **buffer, uint32_t **labels, StxError *error)
{
  GstFlowReturn flow;

  if (!self->device_output) {
    *labels = gst_stx_cuda_block(self->cuda, BLOCK_LABELS, count * sizeof(uint32_t), error);
    return *labels != NULL ? GST_FLOW_OK : FLOW_GPU_FAILED;
  }
  if (self->pool == NULL || self->room < count) {
    gsize room = MAX(self->room, ROOM_MIN);
    while (room < count)
      room *= 2;
    clear_pool(self);
    self->room = room;
    self->pool = gst_stx_cuda_pool_bytes_new(self->cuda, NULL, room * sizeof(uint32_t), TRUE);
  }
  flow = gst_stx_cuda_acquire(self->cuda, self->pool, buffer, (void **)labels, error);
  return flow == GST_FLOW_ERROR ? FLOW_GPU_FAILED : flow;
}

static gboolean enqueue(GstLidarLabeller *self, const StxGroundParams *params, GstBuffer *input,
    uint32_t *labels, StxGroundResult **result, StxError *error)
{
  const StxGroundImpl *impl = gst_stx_cuda_impl(self->cuda);
  StxPlace place = stx_cuda_place(self->cuda->cuda, self->cuda->stream);
  gsize count = point_count(input);
  const void *points;
  void *scratch;

  if (!gst_stx_cuda_input_bytes(
          self->cuda, input, count * GST_STX_POINT_BYTES, BLOCK_POINTS, &points, error))
    return FALSE;
  scratch =
      gst_stx_cuda_block(self->cuda, BLOCK_SCRATCH, impl->scratch_size(params, count, 1), error);
  *result = scratch != NULL ? gst_stx_cuda_block(self->cuda, BLOCK_RESULT, sizeof(**result), error)
                            : NULL;
  return *result != NULL &&
         impl->run(params, points, count, labels, *result, scratch, &place, error);
}

/* Enqueues the way back of `size` bytes into a block of host memory. */
static const void *download(
    GstLidarLabeller *self, guint block, const void *device, gsize size, StxError *error)
{
  void *host = gst_stx_cuda_host_block(self->cuda, block, size, error);

  return host != NULL && stx_cuda_download_bytes(
                             self->cuda->cuda, host, device, size, self->cuda->stream, error)
             ? host
             : NULL;
}

/* What is wanted on the host comes back. */
static gboolean fetch(GstLidarLabeller *self, const uint32_t *device, gsize count,
    const StxGroundResult *device_result, StxGroundResult *result, const uint32_t **labels,
    StxError *error)
{
  const StxGroundResult *landing = NULL;
  gboolean down = FALSE;

  if (result != NULL) {
    landing = download(self, BLOCK_HOST_RESULT, device_result, sizeof(*landing), error);
    if (landing == NULL)
      return FALSE;
    down = TRUE;
  }
  if (!self->device_output) {
    *labels = download(self, BLOCK_HOST_LABELS, device, count * sizeof(uint32_t), error);
    if (*labels == NULL)
      return FALSE;
    down = TRUE;
  }
  if (!gst_stx_cuda_finish(self->cuda, self->device_output, down, error))
    return FALSE;
  if (result != NULL)
    *result = *landing;
  return TRUE;
}

static GstFlowReturn run_on_device(GstLidarLabeller *self, const StxGroundParams *params,
    GstBuffer *input, StxGroundResult *result, GstBuffer **labels, StxError *error)
{
  gsize count = point_count(input);
  const uint32_t *host = NULL;
  StxGroundResult *device_result;
  uint32_t *device = NULL;
  GstFlowReturn flow = acquire_labels(self, count, labels, &device, error);

  if (flow != GST_FLOW_OK)
    return flow;
  if (!enqueue(self, params, input, device, &device_result, error) ||
      !fetch(self, device, count, device_result, result, &host, error)) {
    gst_clear_buffer(labels);
    return FLOW_GPU_FAILED;
  }
  if (self->device_output)
    gst_buffer_resize(*labels, 0, (gssize)(count * sizeof(uint32_t)));
  else
    *labels = new_labels(self, host, count);
  return *labels != NULL ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* From the GPU to the CPU in mid-stream. FALSE after an element error. */
static gboolean fall_back(GstLidarLabeller *self, const StxError *reason)
{
  StxError error;

  clear_pool(self);
  if (!gst_stx_cuda_fail(self->cuda, reason))
    return FALSE;
  self->device_output = FALSE;
  if (choose_host(self, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self->element, RESOURCE, NOT_FOUND, &error);
  return FALSE;
}

GstFlowReturn gst_lidar_labeller_run(GstLidarLabeller *self, const StxGroundParams *params,
    GstBuffer *input, gboolean wanted, StxGroundResult *result, GstBuffer **labels)
{
  GstFlowReturn flow = FLOW_GPU_FAILED;
  StxError error;

  *labels = NULL;
  if (self->cuda->cuda != NULL) {
    flow = run_on_device(self, params, input, wanted ? result : NULL, labels, &error);
    if (flow == FLOW_GPU_FAILED && !fall_back(self, &error))
      return GST_FLOW_ERROR;
  }
  return flow == FLOW_GPU_FAILED ? run_on_host(self, params, input, result, labels) : flow;
}
