/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two views of stereo-sgm, wherever they come from: two pads, or the halves of one pad's
 * frames. Streaming thread only.
 */
#ifndef GST_STEREO_SGM_VIEWS_H
#define GST_STEREO_SGM_VIEWS_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/stx.h"
#include "gst/gststereosgmsettings.h"

G_BEGIN_DECLS

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

  StxImage8 left, right; /* after _place; between _map and _unmap */

  /* Between _map and _unmap. */
  GstVideoFrame frame[2];
} GstStereoSgmViews;

/*
 * Where the views are in sets like `set` (GstStxPairingClass.process), as long as the caps stay.
 * FALSE after an element error: the views differ in size, or a frame cannot be cut in two.
 */
gboolean gst_stereo_sgm_views_plan(
    GstStereoSgmViews *views, GstElement *element, GstBuffer **set, GstStereoSgmLayout layout);

/* Sets left and right, given where the first plane of the leading pad's buffer lies and, if that is
 * the left view alone, that of the right one's. */
void gst_stereo_sgm_views_place(
    GstStereoSgmViews *views, const StxImage8 *lead, const StxImage8 *right);

/* Maps the buffers for reading, and places them. FALSE after an element error, if a buffer is too
 * short. */
gboolean gst_stereo_sgm_views_map(GstStereoSgmViews *views, GstElement *element, GstBuffer **set);
void gst_stereo_sgm_views_unmap(GstStereoSgmViews *views);

G_END_DECLS

#endif
