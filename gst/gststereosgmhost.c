/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststereosgmhost.h"

gboolean gst_stereo_sgm_host_plan(
    GstStereoSgmHost *self, GstElement *element, const GstStxRun *run, const StxSgmParams *params)
{
  StxError error;

  self->threads = stx_threads(run->threads);
  self->impl = gst_stx_run_pick(run, &stx_sgm_impls, &error);
  if (self->impl == NULL) {
    GST_STX_ELEMENT_ERROR(element, LIBRARY, SETTINGS, &error);
    return FALSE;
  }
  if (gst_stx_scratch_reserve(
          &self->scratch, self->impl->scratch_size(params, self->threads), &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, &error);
  return FALSE;
}

/* Fills both outputs; FALSE if one cannot be written to. */
static gboolean match(GstStereoSgmHost *self, const GstStereoSgmPlan *plan, GstBuffer *disparity,
    GstBuffer *confidence)
{
  const StxSgmParams *params = plan->params;
  StxPlace place = {.threads = self->threads};
  StxImage8 certain = {NULL, params->width, params->width, params->height};
  GstVideoFrame frame;
  StxImage16 image;
  GstMapInfo map;

  if (!gst_video_frame_map(&frame, plan->output, disparity, GST_MAP_WRITE))
    return FALSE;
  if (confidence != NULL && gst_buffer_map(confidence, &map, GST_MAP_WRITE))
    certain.data = map.data;
  image = gst_stx_frame_image16(&frame);
  if (confidence == NULL || certain.data != NULL)
    self->impl->run(params, &plan->views->left, &plan->views->right, &image, &certain,
        self->scratch.data, &place, NULL);
  if (certain.data != NULL)
    gst_buffer_unmap(confidence, &map);
  gst_stx_frame_clear_padding(&frame);
  gst_video_frame_unmap(&frame);
  return confidence == NULL || certain.data != NULL;
}

gboolean gst_stereo_sgm_host_run(GstStereoSgmHost *self, GstElement *element,
    const GstStereoSgmPlan *plan, GstBuffer **set, GstBuffer *disparity, GstBuffer *confidence)
{
  gboolean done;

  if (!gst_stereo_sgm_views_map(plan->views, element, set))
    return FALSE;
  done = match(self, plan, disparity, confidence);
  gst_stereo_sgm_views_unmap(plan->views);
  if (!done)
    GST_ELEMENT_ERROR(
        element, RESOURCE, WRITE, ("Cannot write to a buffer of the next element"), (NULL));
  return done;
}

void gst_stereo_sgm_host_clear(GstStereoSgmHost *self)
{
  gst_stx_scratch_clear(&self->scratch);
  self->impl = NULL;
}
