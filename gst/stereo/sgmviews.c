/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/sgmviews.h"

const gchar *const gst_stereo_sgm_roles[] = {"sink", "sink_left", "sink_right"};

const StxFieldChoice gst_stereo_sgm_layouts[] = {
    {GST_STEREO_SGM_LAYOUT_AUTO, "auto", "As multiview-mode in the caps"},
    {GST_STEREO_SGM_LAYOUT_SIDE_BY_SIDE, "side-by-side", "Left view in the left half"},
    {GST_STEREO_SGM_LAYOUT_TOP_BOTTOM, "top-bottom", "Left view in the upper half"},
    {0},
};

/* ---- Where the views are ------------------------------------------------------------------- */

static GstStereoSgmLayout layout_of(const GstVideoInfo *info, GstStereoSgmLayout wanted)
{
  if (wanted != GST_STEREO_SGM_LAYOUT_AUTO)
    return wanted;
  switch (GST_VIDEO_INFO_MULTIVIEW_MODE(info)) {
  case GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE:
    return GST_STEREO_SGM_LAYOUT_SIDE_BY_SIDE;
  case GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM:
    return GST_STEREO_SGM_LAYOUT_TOP_BOTTOM;
  default:
    return GST_STEREO_SGM_LAYOUT_AUTO;
  }
}

/* Cuts the frames of pad "sink" in two. */
static gboolean plan_halves(GstStereoSgmViews *views, GstStereoSgmLayout wanted, StxError *error)
{
  const GstVideoInfo *info = &views->info[GST_STEREO_SGM_BOTH];
  GstStereoSgmLayout layout = layout_of(info, wanted);
  const gchar *mode = gst_video_multiview_mode_to_caps_string(GST_VIDEO_INFO_MULTIVIEW_MODE(info));
  gint *size;

  if (layout == GST_STEREO_SGM_LAYOUT_AUTO)
    return stx_fail(error,
        "Frames of pad sink have multiview-mode=%s, which is not a stereo pair: set "
        "layout=side-by-side or layout=top-bottom, or use the pads sink_left and sink_right",
        mode != NULL ? mode : "mono");
  views->rows = layout == GST_STEREO_SGM_LAYOUT_TOP_BOTTOM;
  views->swap =
      (GST_VIDEO_INFO_MULTIVIEW_FLAGS(info) & GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST) != 0;
  size = views->rows ? &views->height : &views->width;
  if (*size % 2 != 0)
    return stx_fail(error, "Frames of pad sink are %dx%d: with layout=%s the %s must be even",
        views->width, views->height, views->rows ? "top-bottom" : "side-by-side",
        views->rows ? "height" : "width");
  *size /= 2;
  return TRUE;
}

gboolean gst_stereo_sgm_views_plan(
    GstStereoSgmViews *views, guint roles, GstStereoSgmLayout layout, StxError *error)
{
  const GstVideoInfo *right = &views->info[GST_STEREO_SGM_RIGHT], *lead;

  views->lead = roles & 1u << GST_STEREO_SGM_BOTH ? GST_STEREO_SGM_BOTH : GST_STEREO_SGM_LEFT;
  lead = &views->info[views->lead];
  views->width = GST_VIDEO_INFO_WIDTH(lead);
  views->height = GST_VIDEO_INFO_HEIGHT(lead);
  if (views->lead == GST_STEREO_SGM_BOTH)
    return plan_halves(views, layout, error);
  return (views->width == GST_VIDEO_INFO_WIDTH(right) &&
             views->height == GST_VIDEO_INFO_HEIGHT(right)) ||
         stx_fail(error, "The views differ in size: sink_left is %dx%d, sink_right is %dx%d",
             views->width, views->height, GST_VIDEO_INFO_WIDTH(right),
             GST_VIDEO_INFO_HEIGHT(right));
}

/* ---- Pixels -------------------------------------------------------------------------------- */

void gst_stereo_sgm_views_cut(
    const GstStereoSgmViews *views, gint pixel, StxImage8 *left, StxImage8 *right)
{
  StxImage8 first = *left, second;

  if (views->lead != GST_STEREO_SGM_BOTH)
    return;
  first.width = views->width;
  first.height = views->height;
  second = first;
  second.data = views->rows ? stx_row8(&first, first.height) : first.data + first.width * pixel;
  *left = views->swap ? second : first;
  *right = views->swap ? first : second;
}
