/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The position of an image in the frame that carries its records, and the effects of elements on
 * it.
 *
 * Metas of an image have the tags video, size and orientation: elements that change these and say
 * how call the transform with a scale or a matrix, elements that change them and say nothing drop
 * the meta. What is left is a copy of the whole frame.
 */
#pragma once

#include "common/lookup/placement.h"
#include "gst/stixels/stixelinfo.h"

extern const gchar *gst_stx_image_tags[];

/* Such a meta is as large as this: its placement lies behind what everybody sees. */
#define GST_STX_PLACED_SIZE(Type) (sizeof(Type) + sizeof(StxPlacement))

/* The numbers of such a meta: its `info` and its placement. */
#define GST_STX_PLACED_FIELDS(Type)                                                                \
  GST_STX_META_RUN(Type, info.width, info.columns, 4),                                             \
      GST_STX_META_RUN(Type, info.camera.focal, info.camera.pitch, 8),                             \
      GST_STX_META_RUN(Type, info.camera.image_width, info.camera.missing, 4),                     \
  {                                                                                                \
    sizeof(Type), 8, sizeof(StxPlacement) / 8                                                      \
  }

/* Are these numbers, of bytes from elsewhere, possible? */
gboolean gst_stx_placed_is_sound(const GstStxStixelInfo *info, const StxPlacement *placement);

/* The placement of such a meta; all 0: the image fills the frame, of unknown size. */
static inline StxPlacement *gst_stx_placement_of(gpointer meta)
{
  return (StxPlacement *)((gchar *)meta + ((GstMeta *)meta)->info->size) - 1;
}

/* The transform of such a meta, whose `info` follows its buffers. */
gboolean gst_stx_placed_transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data);

/* Moves `meta`; FALSE if it is NULL. */
gboolean gst_stx_place(gpointer meta, const StxPlacement *placement);

/* The work of …_meta_set_frame_size (). */
void gst_stx_place_in_size(gpointer meta, const GstStxStixelInfo *info, guint width, guint height);

/* True if the transform leaves every pixel where it was. */
gboolean gst_stx_placement_is_kept(GQuark type, gpointer data);

/* The placement in the frame at hand, whose size the caps say, with its GstVideoCropMeta. */
gboolean gst_stx_placement_in_frame(const GstStxStixelInfo *info, const StxPlacement *placement,
    GstBuffer *frame, const GstCaps *caps, StxPlacement *result, GError **error);
