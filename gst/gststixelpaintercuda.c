/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststixelpaintercuda.h"

#include "gst/gststxtransform.h"

enum { RECORDS, PLANES, PREPARED = PLANES + 3, RESULT, HOST_RESULT, SCRATCH };

/* What one frame needs, on the device. */
typedef struct {
  const StxOverlayImpl *impl;
  StxPlace place;
  StxFrame frame;
  const StxStixel *records;
  gsize count;
  void *prepared, *scratch;
  StxOverlayResult *result, *host_result;
} Job;

/* ---- Memory -------------------------------------------------------------------------------- */

static gboolean find_planes(
    GstStixelPainter *painter, GstStxCuda *cuda, GstBuffer *frame, StxFrame *view, StxError *error)
{
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&painter->video); p++) {
    void *device;
    gsize stride;

    if (!gst_stx_cuda_input_plane(cuda, frame, &painter->video, p, GST_MAP_READWRITE, PLANES + p,
            &device, &stride, error))
      return FALSE;
    view->data[p] = device;
    view->stride[p] = (ptrdiff_t)stride;
  }
  return TRUE;
}

static gboolean find_records(GstStxCuda *cuda, GstBuffer *stixels, Job *job, StxError *error)
{
  gsize size = gst_buffer_get_size(stixels);
  const void *device;

  if (!gst_stx_cuda_input_bytes(cuda, stixels, size, RECORDS, &device, error))
    return FALSE;
  job->records = device;
  job->count = size / sizeof(StxStixel);
  return TRUE;
}

static gboolean reserve(GstStixelPainter *painter, GstStxCuda *cuda, Job *job, StxError *error)
{
  gsize scratch = job->impl->scratch_size(&painter->params, job->count, 1);

  return (job->prepared = gst_stx_cuda_block(
              cuda, PREPARED, stx_overlay_size(&painter->params), error)) != NULL &&
         (job->result = gst_stx_cuda_block(cuda, RESULT, sizeof(*job->result), error)) != NULL &&
         (job->host_result = gst_stx_cuda_host_block(
              cuda, HOST_RESULT, sizeof(*job->host_result), error)) != NULL &&
         (job->scratch = gst_stx_cuda_block(cuda, SCRATCH, scratch, error)) != NULL;
}

/* ---- Drawing ------------------------------------------------------------------------------- */

static gboolean upload(GstStixelPainter *painter, GstStxCuda *cuda, const Job *job, StxError *error)
{
  if (painter->on_device == job->prepared)
    return TRUE;
  if (!job->impl->upload(painter->overlay, job->prepared, &job->place, error))
    return FALSE;
  painter->on_device = job->prepared;
  return TRUE;
}

/* The legend of kinds and classes lists what the records hold, and is lettered here. */
static gboolean update_legend(
    GstStixelPainter *painter, GstStxCuda *cuda, const Job *job, StxError *error)
{
  if (painter->params.legend == STX_LEGEND_NONE || painter->params.mode == STX_OVERLAY_DISTANCE)
    return TRUE;
  if (!gst_stx_cuda_finish(cuda, FALSE, TRUE, error))
    return FALSE;
  if (stx_overlay_see(painter->overlay, job->host_result->seen))
    painter->on_device = NULL;
  return upload(painter, cuda, job, error);
}

static gboolean enqueue(
    GstStixelPainter *painter, GstStxCuda *cuda, const Job *job, StxError *error)
{
  return upload(painter, cuda, job, error) &&
         job->impl->link(painter->overlay, job->prepared, job->records, job->count, job->result,
             job->scratch, &job->place, error) &&
         stx_cuda_download_bytes(cuda->cuda, job->host_result, job->result,
             sizeof(*job->host_result), cuda->stream, error) &&
         update_legend(painter, cuda, job, error) &&
         job->impl->draw(painter->overlay, job->prepared, &job->frame, job->records, job->count,
             job->scratch, &job->place, error);
}

/* A frame of the host: its planes come back as they went. */
static gboolean download(
    GstStxCuda *cuda, const StxFrame *view, GstVideoFrame *frame, StxError *error)
{
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(frame); p++) {
    guint component = 0;
    StxCudaCopy copy;

    while (GST_VIDEO_FORMAT_INFO_PLANE(frame->info.finfo, component) != p)
      component++;
    copy = (StxCudaCopy){.device = view->data[p],
        .device_stride = (gsize)view->stride[p],
        .host = GST_VIDEO_FRAME_PLANE_DATA(frame, p),
        .host_stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, p),
        .row_bytes = (gsize)GST_VIDEO_FRAME_COMP_WIDTH(frame, component) *
                     (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component),
        .rows = (gsize)GST_VIDEO_FRAME_COMP_HEIGHT(frame, component)};
    if (!stx_cuda_download(cuda->cuda, &copy, cuda->stream, error))
      return FALSE;
  }
  return gst_stx_cuda_finish(cuda, FALSE, TRUE, error);
}

static gboolean bring_back(GstStixelPainter *painter, GstStxCuda *cuda, const StxFrame *view,
    GstBuffer *buffer, StxError *error)
{
  GstVideoFrame frame;
  gboolean done;

  if (!gst_video_frame_map(&frame, &painter->video, buffer, GST_MAP_READWRITE))
    return stx_fail(error, "cannot write to a frame");
  done = download(cuda, view, &frame, error);
  gst_video_frame_unmap(&frame);
  return done;
}

/* A frame in host memory is unchanged after a failure. */
static gboolean draw_on_device(GstStixelPainter *painter, GstStxCuda *cuda, GstBuffer *frame,
    GstBuffer *stixels, StxOverlayResult *counts, StxError *error)
{
  gboolean on_device = gst_stx_cuda_is_on_device(cuda, frame);
  Job job = {.impl = gst_stx_cuda_impl(cuda), .place = stx_cuda_place(cuda->cuda, cuda->stream)};

  if (!find_records(cuda, stixels, &job, error) || !reserve(painter, cuda, &job, error) ||
      !find_planes(painter, cuda, frame, &job.frame, error) || !enqueue(painter, cuda, &job, error))
    return FALSE;
  if (!(on_device ? gst_stx_cuda_finish(cuda, TRUE, TRUE, error)
                  : bring_back(painter, cuda, &job.frame, frame, error)))
    return FALSE;
  *counts = *job.host_result;
  return TRUE;
}

gboolean gst_stixel_painter_draw_on_either(GstStixelPainter *painter, GstStxCuda *cuda,
    StxBackend backend, GstElement *element, GstBuffer *frame, GstBuffer *stixels,
    StxOverlayResult *counts)
{
  StxError error;

  if (cuda->cuda == NULL ||
      (backend != STX_BACKEND_CUDA && !gst_stx_cuda_is_on_device(cuda, frame)))
    return gst_stixel_painter_draw(painter, element, frame, stixels, counts);
  if (!gst_stx_check_input(element, stixels, 0, sizeof(StxStixel)))
    return FALSE;
  if (draw_on_device(painter, cuda, frame, stixels, counts, &error))
    return TRUE;
  return gst_stx_cuda_fail(cuda, &error) &&
         gst_stixel_painter_draw(painter, element, frame, stixels, counts);
}
