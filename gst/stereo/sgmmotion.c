/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/sgmmotion.h"

gboolean gst_stereo_sgm_motion_check(const StxCamera *camera, StxError *error)
{
  const gchar *lacks = camera->focal <= 0                ? "focal length is"
                       : camera->baseline <= 0           ? "baseline is"
                       : camera->missing & STX_CAMERA_CX ? "cx is"
                       : camera->missing & STX_CAMERA_CY ? "cy is"
                                                         : NULL;

  return lacks == NULL ||
         stx_fail(error,
             "motion=true needs the camera, but its %s not known: set calibration, or focal, cx "
             "and cy (pixels) and baseline (metres), or put camera-focal, camera-cx, camera-cy "
             "and camera-baseline into the caps",
             lacks);
}

static GstBuffer *points_of(const StxEgomotionResult *result)
{
  return result->count > 0
             ? gst_buffer_new_memdup(result->points, result->count * sizeof *result->points)
             : gst_buffer_new();
}

gboolean gst_stereo_sgm_motion_find(StxEgomotion **state, const StxEgomotionImpl *impl,
    const StxEgomotionFrame *frame, gboolean restart, GstStxMotionMeta *meta, gdouble offset[2],
    StxError *error)
{
  const gint width = frame->left.width, height = frame->left.height;
  StxEgomotionResult result;

  if (*state == NULL)
    *state = stx_egomotion_new();
  if (*state == NULL)
    return stx_fail(error, "no memory for the camera's motion");
  if (restart)
    stx_egomotion_reset(*state);
  if (!stx_egomotion_prepare_for(*state, impl, width, height, error) ||
      !stx_egomotion_frame(*state, frame, &result, error))
    return FALSE;
  offset[0] = result.offset;
  offset[1] = result.offset_deviation;
  meta->motion = result.motion;
  meta->interval = result.interval;
  meta->points = points_of(&result);
  meta->width = (guint)width;
  meta->height = (guint)height;
  return TRUE;
}
