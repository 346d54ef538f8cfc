/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caps of application/x-obstacles: StxObstacle records (common/obstacle.h), one buffer per frame.
 * Of stixels they have the fields that those have (columns.h): width, height, stixel-width,
 * columns, framerate, camera-…; of a scan framerate alone. `source` says which: stereo or lidar.
 */
#ifndef GST_STX_OBSTACLES_H
#define GST_STX_OBSTACLES_H

#include "common/stx.h"
#include "gst/stixels/stixels.h"

G_BEGIN_DECLS

/* What may leave where that comes, and what may come where that leaves: the same, in whatever
 * memory it is, and after it the records. The sizes of video are not those of its stixels, so they
 * are left open. What comes may be anything, so that caps which are refused get as far as to be
 * refused with a reason. Transfer full. */
GstCaps *gst_stx_obstacles_outputs(const GstCaps *inputs);
GstCaps *gst_stx_obstacles_inputs(const GstCaps *outputs);

/* FALSE: `error` says what the caps of an input should be, and what makes such. */
gboolean gst_stx_obstacles_refuse(const GstCaps *caps, StxError *error);

/* Fixed caps of the obstacles of video whose stixels are those of `info`; framerate is taken from
 * `timing`. Transfer full. */
GstCaps *gst_stx_obstacles_caps_new(const GstStxStixelInfo *info, const GstCaps *timing);

G_END_DECLS

#endif
