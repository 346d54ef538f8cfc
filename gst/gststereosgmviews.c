/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststereosgmviews.h"

#include "gst/gststxutil.h"

const gchar *const gst_stereo_sgm_roles[] = {"sink", "sink_left", "sink_right"};

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

static gboolean refuse_mode(GstElement *element, GstVideoMultiviewMode mode)
{
  const gchar *name = gst_video_multiview_mode_to_caps_string(mode);

  GST_ELEMENT_ERROR(element, STREAM, FORMAT,
      ("Frames of pad sink have multiview-mode=%s, which is not a stereo pair: set "
       "layout=side-by-side or layout=top-bottom, or use the pads sink_left and sink_right",
          name != NULL ? name : "mono"),
      (NULL));
  return FALSE;
}

/* Cuts the frames of pad "sink" in two. */
static gboolean plan_halves(
    GstStereoSgmViews *views, GstElement *element, GstStereoSgmLayout wanted)
{
  const GstVideoInfo *info = &views->info[GST_STEREO_SGM_BOTH];
  GstStereoSgmLayout layout = layout_of(info, wanted);
  gint *size;

  if (layout == GST_STEREO_SGM_LAYOUT_AUTO)
    return refuse_mode(element, GST_VIDEO_INFO_MULTIVIEW_MODE(info));
  views->rows = layout == GST_STEREO_SGM_LAYOUT_TOP_BOTTOM;
  views->swap =
      (GST_VIDEO_INFO_MULTIVIEW_FLAGS(info) & GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST) != 0;
  size = views->rows ? &views->height : &views->width;
  if (*size % 2 != 0) {
    GST_ELEMENT_ERROR(element, STREAM, FORMAT,
        ("Frames of pad sink are %dx%d: with layout=%s the %s must be even", views->width,
            views->height, views->rows ? "top-bottom" : "side-by-side",
            views->rows ? "height" : "width"),
        (NULL));
    return FALSE;
  }
  *size /= 2;
  return TRUE;
}

gboolean gst_stereo_sgm_views_plan(
    GstStereoSgmViews *views, GstElement *element, GstBuffer **set, GstStereoSgmLayout layout)
{
  const GstVideoInfo *right = &views->info[GST_STEREO_SGM_RIGHT], *lead;

  views->lead = set[GST_STEREO_SGM_BOTH] != NULL ? GST_STEREO_SGM_BOTH : GST_STEREO_SGM_LEFT;
  lead = &views->info[views->lead];
  views->width = GST_VIDEO_INFO_WIDTH(lead);
  views->height = GST_VIDEO_INFO_HEIGHT(lead);
  if (views->lead == GST_STEREO_SGM_BOTH)
    return plan_halves(views, element, layout);
  if (views->width == GST_VIDEO_INFO_WIDTH(right) && views->height == GST_VIDEO_INFO_HEIGHT(right))
    return TRUE;
  GST_ELEMENT_ERROR(element, STREAM, FORMAT,
      ("The views differ in size: sink_left is %dx%d, sink_right is %dx%d", views->width,
          views->height, GST_VIDEO_INFO_WIDTH(right), GST_VIDEO_INFO_HEIGHT(right)),
      (NULL));
  return FALSE;
}

/* ---- Pixels -------------------------------------------------------------------------------- */

static gboolean map(GstStereoSgmViews *views, GstElement *element, guint role, GstBuffer *buffer,
    GstVideoFrame *frame)
{
  const GstVideoInfo *info = &views->info[role];

  if (gst_video_frame_map(frame, info, buffer, GST_MAP_READ))
    return TRUE;
  GST_ELEMENT_ERROR(element, STREAM, FORMAT,
      ("A buffer of pad %s has %" G_GSIZE_FORMAT " bytes; %dx%d in %s needs %" G_GSIZE_FORMAT,
          gst_stereo_sgm_roles[role], gst_buffer_get_size(buffer), GST_VIDEO_INFO_WIDTH(info),
          GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_NAME(info), GST_VIDEO_INFO_SIZE(info)),
      (NULL));
  return FALSE;
}

void gst_stereo_sgm_views_place(
    GstStereoSgmViews *views, const StxImage8 *lead, const StxImage8 *right)
{
  StxImage8 first = *lead, second = *right;

  if (views->lead != GST_STEREO_SGM_BOTH) {
    views->left = first;
    views->right = second;
    return;
  }
  first.width = views->width;
  first.height = views->height;
  second = first;
  second.data = views->rows ? stx_row8(&first, first.height) : first.data + first.width;
  views->left = views->swap ? second : first;
  views->right = views->swap ? first : second;
}

gboolean gst_stereo_sgm_views_map(GstStereoSgmViews *views, GstElement *element, GstBuffer **set)
{
  StxImage8 lead, right = {0};

  if (!map(views, element, views->lead, set[views->lead], &views->frame[0]))
    return FALSE;
  lead = gst_stx_frame_image8(&views->frame[0]);
  if (views->lead == GST_STEREO_SGM_BOTH) {
    gst_stereo_sgm_views_place(views, &lead, &right);
    return TRUE;
  }
  if (!map(views, element, GST_STEREO_SGM_RIGHT, set[GST_STEREO_SGM_RIGHT], &views->frame[1])) {
    gst_video_frame_unmap(&views->frame[0]);
    return FALSE;
  }
  right = gst_stx_frame_image8(&views->frame[1]);
  gst_stereo_sgm_views_place(views, &lead, &right);
  return TRUE;
}

void gst_stereo_sgm_views_unmap(GstStereoSgmViews *views)
{
  gst_video_frame_unmap(&views->frame[0]);
  if (views->lead != GST_STEREO_SGM_BOTH)
    gst_video_frame_unmap(&views->frame[1]);
}
