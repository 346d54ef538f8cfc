/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststereosgmcuda.h"

enum { LEAD, RIGHT, SCRATCH, DISPARITY, CONFIDENCE };

/* ---- Views --------------------------------------------------------------------------------- */

static gboolean find_view(GstStxCuda *cuda, const GstStereoSgmViews *views, GstBuffer **set,
    guint role, guint index, StxImage8 *image, StxError *error)
{
  const GstVideoInfo *info = &views->info[role];
  void *device;
  gsize stride;
  StxError cause;

  if (!gst_stx_cuda_input_plane(
          cuda, set[role], info, 0, GST_MAP_READ, index, &device, &stride, &cause))
    return stx_fail(error, "pad %s: %.230s", gst_stereo_sgm_roles[role], cause.text);
  *image = (StxImage8){
      device, (ptrdiff_t)stride, GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return TRUE;
}

static gboolean find_views(
    GstStxCuda *cuda, GstStereoSgmViews *views, GstBuffer **set, StxError *error)
{
  StxImage8 lead, right = {0};

  if (!find_view(cuda, views, set, views->lead, LEAD, &lead, error))
    return FALSE;
  if (views->lead != GST_STEREO_SGM_BOTH &&
      !find_view(cuda, views, set, GST_STEREO_SGM_RIGHT, RIGHT, &right, error))
    return FALSE;
  gst_stereo_sgm_views_place(views, &lead, &right);
  return TRUE;
}

/* ---- Outputs ------------------------------------------------------------------------------- */

/* Where the GPU writes: into the buffers, or into blocks that are downloaded into them. */
typedef struct {
  StxImage16 disparity;
  StxImage8 confidence; /* data NULL: not wanted */
} Outputs;

static gsize stride_of(const GstStereoSgmPlan *plan, GstBuffer *disparity)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(disparity);

  return meta != NULL ? (gsize)meta->stride[0]
                      : (gsize)GST_VIDEO_INFO_PLANE_STRIDE(plan->output, 0);
}

static GstFlowReturn acquire_on_device(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    GstBuffer **disparity, GstBuffer **confidence, Outputs *outputs, StxError *error)
{
  void *d, *c = NULL;
  GstFlowReturn flow = gst_stx_cuda_acquire(cuda, plan->pool, disparity, &d, error);

  if (flow == GST_FLOW_OK && plan->confidence_pool != NULL)
    flow = gst_stx_cuda_acquire(cuda, plan->confidence_pool, confidence, &c, error);
  if (flow != GST_FLOW_OK)
    return flow;
  outputs->disparity.data = d;
  outputs->disparity.stride = (ptrdiff_t)stride_of(plan, *disparity);
  outputs->confidence.data = c;
  return GST_FLOW_OK;
}

static GstFlowReturn acquire_on_host(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    GstBuffer **disparity, GstBuffer **confidence, Outputs *outputs, StxError *error)
{
  gsize pixels = (gsize)plan->params->width * (gsize)plan->params->height;
  GstFlowReturn flow = gst_buffer_pool_acquire_buffer(plan->pool, disparity, NULL);

  if (flow == GST_FLOW_OK && plan->confidence_pool != NULL)
    flow = gst_buffer_pool_acquire_buffer(plan->confidence_pool, confidence, NULL);
  if (flow != GST_FLOW_OK) {
    stx_fail(error, "no memory for an output buffer");
    return flow;
  }
  outputs->disparity.stride = 2 * (ptrdiff_t)plan->params->width;
  outputs->disparity.data = gst_stx_cuda_block(cuda, DISPARITY, 2 * pixels, error);
  if (outputs->disparity.data == NULL)
    return GST_FLOW_ERROR;
  if (plan->confidence_pool == NULL)
    return GST_FLOW_OK;
  outputs->confidence.data = gst_stx_cuda_block(cuda, CONFIDENCE, pixels, error);
  return outputs->confidence.data != NULL ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static gboolean download_disparity(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    const Outputs *outputs, GstBuffer *disparity, StxError *error)
{
  GstVideoFrame frame;
  StxCudaCopy copy;
  gboolean done;

  if (!gst_video_frame_map(&frame, plan->output, disparity, GST_MAP_WRITE))
    return stx_fail(error, "cannot write to a buffer of the next element");
  copy = (StxCudaCopy){.device = outputs->disparity.data,
      .device_stride = (gsize)outputs->disparity.stride,
      .host = GST_VIDEO_FRAME_PLANE_DATA(&frame, 0),
      .host_stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
      .row_bytes = 2 * (gsize)plan->params->width,
      .rows = (gsize)plan->params->height};
  done = stx_cuda_download(cuda->cuda, &copy, cuda->stream, error) &&
         gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
  gst_stx_frame_clear_padding(&frame);
  gst_video_frame_unmap(&frame);
  return done;
}

static gboolean download_confidence(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    const Outputs *outputs, GstBuffer *confidence, StxError *error)
{
  gsize size = (gsize)plan->params->width * (gsize)plan->params->height;
  GstMapInfo map;
  gboolean done;

  if (confidence == NULL)
    return TRUE;
  if (!gst_buffer_map(confidence, &map, GST_MAP_WRITE))
    return stx_fail(error, "cannot write to a buffer's memory");
  done = stx_cuda_download_bytes(
             cuda->cuda, map.data, outputs->confidence.data, size, cuda->stream, error) &&
         gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
  gst_buffer_unmap(confidence, &map);
  return done;
}

/* ---- A pair -------------------------------------------------------------------------------- */

static gboolean enqueue(GstStxCuda *cuda, const GstStereoSgmPlan *plan, GstBuffer **set,
    const Outputs *outputs, StxError *error)
{
  const StxSgmImpl *impl = gst_stx_cuda_impl(cuda);
  StxPlace place = stx_cuda_place(cuda->cuda, cuda->stream);
  void *scratch = gst_stx_cuda_block(cuda, SCRATCH, impl->scratch_size(plan->params, 1), error);

  return scratch != NULL && find_views(cuda, plan->views, set, error) &&
         impl->run(plan->params, &plan->views->left, &plan->views->right, &outputs->disparity,
             &outputs->confidence, scratch, &place, error);
}

GstFlowReturn gst_stereo_sgm_cuda_run(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    GstBuffer **set, GstBuffer **disparity, GstBuffer **confidence, StxError *error)
{
  int width = plan->params->width, height = plan->params->height;
  Outputs outputs = {{NULL, 0, width, height}, {NULL, width, width, height}};
  GstFlowReturn flow;

  flow = (plan->device_output ? acquire_on_device : acquire_on_host)(
      cuda, plan, disparity, confidence, &outputs, error);
  if (flow == GST_FLOW_OK && !enqueue(cuda, plan, set, &outputs, error))
    flow = GST_FLOW_ERROR;
  if (flow == GST_FLOW_OK && plan->device_output && !gst_stx_cuda_finish(cuda, TRUE, FALSE, error))
    flow = GST_FLOW_ERROR;
  if (flow == GST_FLOW_OK && !plan->device_output &&
      !(download_disparity(cuda, plan, &outputs, *disparity, error) &&
          download_confidence(cuda, plan, &outputs, *confidence, error)))
    flow = GST_FLOW_ERROR;
  if (flow != GST_FLOW_OK) {
    gst_clear_buffer(disparity);
    gst_clear_buffer(confidence);
  }
  return flow;
}
