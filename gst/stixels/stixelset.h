/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stixels of one frame, to read and to look up. */
#ifndef GST_STX_STIXEL_SET_H
#define GST_STX_STIXEL_SET_H

#include "gst/stixels/stixelinfo.h"

G_BEGIN_DECLS

#define GST_STX_TYPE_STIXELS (gst_stx_stixels_get_type())

/**
 * GstStxStixels:
 *
 * The stixels of one frame. It never changes, and any thread may read it. It holds references to
 * what it needs: the buffers and samples from which it was made may be freed.
 *
 * Positions and rectangles are in pixels of the frame, whatever was done to it, from its top left
 * corner: the middle of its first pixel is (0.5, 0.5). Records and metres are of the image that was
 * segmented, #GstStxStixelInfo.
 */
typedef struct _GstStxStixels GstStxStixels;

GST_STX_API GType gst_stx_stixels_get_type(void);

/**
 * gst_stx_stixels_new:
 * @records: a buffer of #StxStixel
 * @info: their image; the frame is this image
 * @error: why not
 *
 * Returns: (transfer full) (nullable): the stixels, or %NULL if the buffer cannot be mapped or is
 * not made of whole records
 */
GST_STX_API GstStxStixels *gst_stx_stixels_new(
    GstBuffer *records, const GstStxStixelInfo *info, GError **error);

/**
 * gst_stx_stixels_new_from_buffer:
 * @buffer: a frame of video that carries #GstStxStixelMeta, or a buffer of application/x-stixels
 * @caps: (nullable): its caps
 * @error: why not
 *
 * Returns: (transfer full) (nullable): the stixels; or %NULL if it carries none, or if it is a
 * frame that an element cut or scaled without transforming the meta
 */
GST_STX_API GstStxStixels *gst_stx_stixels_new_from_buffer(
    GstBuffer *buffer, const GstCaps *caps, GError **error);

/**
 * gst_stx_stixels_new_from_sample:
 * @sample: of an appsink: buffer and caps
 * @error: why not
 *
 * As gst_stx_stixels_new_from_buffer().
 *
 * Returns: (transfer full) (nullable): the stixels, or %NULL
 */
GST_STX_API GstStxStixels *gst_stx_stixels_new_from_sample(GstSample *sample, GError **error);

/**
 * gst_stx_stixels_ref:
 * @self: stixels
 *
 * Returns: (transfer full): the same
 */
GST_STX_API GstStxStixels *gst_stx_stixels_ref(GstStxStixels *self);

/**
 * gst_stx_stixels_unref:
 * @self: (transfer full): stixels, which go with the last reference
 */
GST_STX_API void gst_stx_stixels_unref(GstStxStixels *self);

/**
 * gst_stx_stixels_get_info:
 * @self: stixels
 *
 * Returns: (transfer none): their image
 */
GST_STX_API const GstStxStixelInfo *gst_stx_stixels_get_info(const GstStxStixels *self);

/**
 * gst_stx_stixels_get_buffer:
 * @self: stixels
 *
 * Returns: (transfer none): the records, to map without a copy. They must not be written.
 */
GST_STX_API GstBuffer *gst_stx_stixels_get_buffer(const GstStxStixels *self);

/**
 * gst_stx_stixels_get_count:
 * @self: stixels
 *
 * Returns: how many there are
 */
GST_STX_API guint gst_stx_stixels_get_count(const GstStxStixels *self);

/**
 * gst_stx_stixels_get_records: (skip)
 * @self: stixels
 *
 * Returns: the first record, as long as @self lives
 */
GST_STX_API const StxStixel *gst_stx_stixels_get_records(const GstStxStixels *self);

/**
 * gst_stx_stixels_get_stixel:
 * @self: stixels
 * @index: from 0, sorted by column, then from the bottom up
 * @stixel: (out caller-allocates): a copy of the record
 *
 * Returns: %FALSE, and @stixel is all 0, if there are not so many
 */
GST_STX_API gboolean gst_stx_stixels_get_stixel(
    const GstStxStixels *self, guint index, StxStixel *stixel);

/**
 * gst_stx_stixels_get_metres:
 * @self: stixels
 * @index: from 0
 * @metres: (out caller-allocates): where it stands, and its size
 *
 * Returns: as gst_stx_stixel_info_get_metres(); %FALSE also if there are not so many
 */
GST_STX_API gboolean gst_stx_stixels_get_metres(
    const GstStxStixels *self, guint index, StxMetres *metres);

/**
 * gst_stx_stixels_get_rectangle:
 * @self: stixels
 * @index: from 0
 * @x: (out): left edge
 * @y: (out): upper edge
 * @width: (out): towards the right
 * @height: (out): down
 *
 * The part of the frame that the stixel covers: upright, also in a frame that was turned.
 *
 * Returns: %FALSE, and all are 0, if nothing of it is in the frame, or there are not so many
 */
GST_STX_API gboolean gst_stx_stixels_get_rectangle(const GstStxStixels *self, guint index,
    gdouble *x, gdouble *y, gdouble *width, gdouble *height);

/**
 * gst_stx_stixels_find_at:
 * @self: stixels
 * @x: towards the right
 * @y: down
 *
 * Returns: the index of the stixel at this position of the frame, or -1
 */
GST_STX_API gint gst_stx_stixels_find_at(const GstStxStixels *self, gdouble x, gdouble y);

/**
 * gst_stx_stixels_find_nearest:
 * @self: stixels
 * @column: of the image, from 0
 *
 * The free space ends there: where no stixel is an object of known distance, nothing is in the way
 * as far as can be seen. Line segments have no kinds: of them there is none.
 *
 * Returns: the index of the nearest object of the column, or -1
 */
GST_STX_API gint gst_stx_stixels_find_nearest(const GstStxStixels *self, guint column);

/**
 * gst_stx_stixels_get_position:
 * @self: stixels
 * @u: of the image, towards the right
 * @v: down
 * @x: (out): of the frame, towards the right
 * @y: (out): down
 *
 * Converts a position of the image to the frame. It may be outside: the frame may have been cut.
 */
GST_STX_API void gst_stx_stixels_get_position(
    const GstStxStixels *self, gdouble u, gdouble v, gdouble *x, gdouble *y);

/**
 * gst_stx_stixels_get_camera:
 * @self: stixels
 * @camera: (out caller-allocates): that of the frame, in pixels of the frame
 *
 * A frame that was scaled or cut has another focal length and principal point than the image. In
 * one that is mirrored x has the other sign, in one that lies on its side x and y change places;
 * height and pitch are known only of one that stands upright.
 *
 * Returns: %FALSE, and the camera is unknown, if there is none: pixels that are not square
 */
GST_STX_API gboolean gst_stx_stixels_get_camera(const GstStxStixels *self, StxCamera *camera);

#ifdef G_DEFINE_AUTOPTR_CLEANUP_FUNC
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GstStxStixels, gst_stx_stixels_unref)
#endif

G_END_DECLS

#endif
