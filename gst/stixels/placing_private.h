/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where an image lies in the frame that carries what was found on it, and what elements do to it.
 *
 * Metas of an image have the tags video, size and orientation: elements that change these and say
 * how call the transform with a scale or a matrix, elements that change them and say nothing drop
 * the meta. What is left is a copy of the whole frame.
 */
#ifndef GST_STX_PLACING_PRIVATE_H
#define GST_STX_PLACING_PRIVATE_H

#include "common/lookup/placement.h"
#include "gst/stixels/stixelinfo.h"

struct _GstStxStixelMeta;
struct _GstStxObstaclesMeta;

extern const gchar *gst_stx_image_tags[];

/*
 * The placement in the frame that a transform (GstMetaTransformFunction) makes of one in which it
 * was `placement`; all 0 means that the image fills the frame, whose size nobody has said. FALSE:
 * the meta has to go.
 */
gboolean gst_stx_placement_transform(const GstStxStixelInfo *info, const StxPlacement *placement,
    GstBuffer *source, GQuark type, gpointer data, StxPlacement *result);

/* Whether the transform leaves every pixel where it was. */
gboolean gst_stx_placement_is_kept(GQuark type, gpointer data);

/* The same as the first for the frame at hand, whose size the caps say, with its GstVideoCropMeta.
 */
gboolean gst_stx_placement_in_frame(const GstStxStixelInfo *info, const StxPlacement *placement,
    GstBuffer *frame, const GstCaps *caps, StxPlacement *result, GError **error);

/* Where the image lies in the frame that carries the meta; all 0: see above. */
const StxPlacement *gst_stx_stixel_meta_placement(const struct _GstStxStixelMeta *meta);
const StxPlacement *gst_stx_obstacles_meta_placement(const struct _GstStxObstaclesMeta *meta);

#endif
