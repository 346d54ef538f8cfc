/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/live/camera.h"

#define LONGEST 3600 /* seconds */

gboolean gst_stx_camera_check(const GstVideoInfo *info, StxError *error)
{
  if (info->fps_n <= 0 || (gint64)info->fps_d <= (gint64)info->fps_n * LONGEST)
    return TRUE;
  return stx_fail(error,
      "framerate=%d/%d with is-live=true: the first frame would come after %d hours; choose 1/%d "
      "or more",
      info->fps_n, info->fps_d, info->fps_d / info->fps_n / 3600, LONGEST);
}

gboolean gst_stx_camera_begin(GstElement *element, GstClockTime *position)
{
  GstClockTime now = gst_element_get_current_running_time(element);

  if (!GST_CLOCK_TIME_IS_VALID(now))
    return FALSE;
  *position = MAX(*position, now);
  return TRUE;
}

gint64 gst_stx_camera_skip(GstElement *element, const GstVideoInfo *info, gint64 frame)
{
  GstClockTime now = gst_element_get_current_running_time(element);
  guint64 unit = (guint64)info->fps_d * GST_SECOND;
  gint64 current;

  if (!GST_CLOCK_TIME_IS_VALID(now) || info->fps_n <= 0)
    return frame;
  current = (gint64)gst_util_uint64_scale(now, (guint64)info->fps_n, unit);
  return current > frame + 1 ? current : frame;
}
