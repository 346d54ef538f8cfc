/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels of a video frame, as a meta on it. */
#ifndef GST_STX_STIXEL_META_H
#define GST_STX_STIXEL_META_H

#include "gst/stixels/stixelinfo.h"

G_BEGIN_DECLS

/**
 * GstStxStixelMeta:
 * @meta: the parent
 * @stixels: #StxStixel records, sorted by column, then from the bottom of the image up; their
 *   number is the buffer's size over the record's
 * @info: the image to which they belong
 *
 * A #GstStxStixels made of the frame maps the records, and knows where they lie in a frame that has
 * been scaled, cropped or mirrored since. The meta is lost in copies of a part of the frame's
 * bytes, and in elements that change the frame without describing the change; docs/applications.md
 * lists these.
 */
typedef struct _GstStxStixelMeta {
  GstMeta meta;
  GstBuffer *stixels;
  GstStxStixelInfo info;
} GstStxStixelMeta;

GST_STX_API GType gst_stx_stixel_meta_api_get_type(void);

/**
 * gst_stx_stixel_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_stixel_meta_get_info(void);

/**
 * gst_buffer_add_stx_stixel_meta:
 * @frame: a writable buffer
 * @stixels: records, of which the meta takes a reference, and which never change again
 * @info: the image to which they belong
 *
 * The image fills the frame.
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the frame. %NULL, after a
 * critical, when a pointer is %NULL or @frame is not writable
 */
GST_STX_API GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info);

/**
 * gst_buffer_get_stx_stixel_meta:
 * @frame: any buffer
 *
 * Returns: (transfer none) (nullable): the frame's first stixel meta, which lives as long as it
 */
GST_STX_API GstStxStixelMeta *gst_buffer_get_stx_stixel_meta(GstBuffer *frame);

/**
 * gst_stx_stixel_meta_set_frame_size:
 * @meta: a meta that was just added to a writable frame
 * @width: of the frame, pixels
 * @height: of the frame, pixels
 *
 * Sets the size of the frame, which a buffer does not know, so that an unannounced change of it is
 * noticed. Needed where the frame has another shape than the image.
 */
GST_STX_API void gst_stx_stixel_meta_set_frame_size(
    GstStxStixelMeta *meta, guint width, guint height);

G_END_DECLS

#endif
