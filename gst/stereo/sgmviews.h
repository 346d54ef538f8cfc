/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two views of stereo-sgm (and, of one pad, stereo-rectify), wherever they come from: two pads,
 * or the halves of one pad's frames. Streaming thread only.
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/fields.h"

/* The layout of the two views in a frame of the pad "sink". */
typedef enum {
  GST_STEREO_SGM_LAYOUT_AUTO, /* as the caps say */
  GST_STEREO_SGM_LAYOUT_SIDE_BY_SIDE,
  GST_STEREO_SGM_LAYOUT_TOP_BOTTOM
} GstStereoSgmLayout;
extern const StxFieldChoice gst_stereo_sgm_layouts[]; /* of a property */

/* Roles of GstStxPairing, and what they are called as pads. */
enum {
  GST_STEREO_SGM_BOTH,  /* "sink" */
  GST_STEREO_SGM_LEFT,  /* "sink_left" */
  GST_STEREO_SGM_RIGHT, /* "sink_right" */
  GST_STEREO_SGM_ROLES
};
extern const gchar *const gst_stereo_sgm_roles[GST_STEREO_SGM_ROLES];

typedef struct {
  GstVideoInfo info[GST_STEREO_SGM_ROLES]; /* of each pad, set by the element */

  /* After _plan. */
  gint width, height; /* of one view, pixels */
  guint lead;         /* role whose caps and times go downstream: BOTH or LEFT */
  gboolean rows;      /* BOTH: cut between rows, top-bottom */
  gboolean swap;      /* BOTH: the right view comes first */
} GstStereoSgmViews;

/*
 * The positions of the views in sets of these roles, as long as the caps stay. FALSE with the
 * reason in `error`: they differ in size, or a frame cannot be cut in two.
 */
gboolean gst_stereo_sgm_views_plan(
    GstStereoSgmViews *views, guint roles, GstStereoSgmLayout layout, StxError *error);

/* Cuts left and right out of the first plane of the leading pad's buffer, given as `left`, a pixel
 * of which has so many bytes; does nothing if that is the left view alone. */
void gst_stereo_sgm_views_cut(
    const GstStereoSgmViews *views, gint pixel, StxImage8 *left, StxImage8 *right);
