/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plumbing.c and plumbingwatch.c share; nobody else includes it. */
#ifndef GST_PLUMBING_PRIVATE_H
#define GST_PLUMBING_PRIVATE_H

#include "gst/bins/plumbing.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN(gst_stereo_stixels_debug);

/* Any video that videoconvert takes, in whatever memory. Transfer full. */
GstCaps *gst_plumbing_any_video(void);

/* Reads what `calibration` names: sets `rectifies`, and hands the file of a rectified pair on to
 * stereo-sgm. FALSE after an element error. */
gboolean gst_plumbing_choose(GstPlumbing *self);

/* Once: looks at the caps that come to the parts that are interested in them. */
void gst_plumbing_watch(GstPlumbing *self);

/* Looks at the caps that leave the bin by this pad. */
void gst_plumbing_watch_output(GstPlumbing *self, GstPad *pad);

/* Looks at what comes to a new pad of `inputs`, which the bin's pad `name` (static) leads to. */
void gst_plumbing_watch_input(GstPlumbing *self, GstPad *pad, const gchar *name);

G_END_DECLS

#endif
