/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The image that stixels belong to, in caps and beside them. */
#ifndef GST_STX_STIXEL_INFO_H
#define GST_STX_STIXEL_INFO_H

#include "gst/stixels/api.h"

#include "common/metres.h"

G_BEGIN_DECLS

#define GST_STX_TYPE_STIXEL_INFO (gst_stx_stixel_info_get_type())

/**
 * GstStxStixelInfo:
 * @width: pixels of the image that was segmented
 * @height: pixels of that image
 * @stixel_width: pixels of that image per column; the last column may be narrower
 * @columns: number of columns
 * @camera: of that image; focal 0: unknown
 *
 * The image that the stixels were computed on, the unit of every record, and how it was cut into
 * columns. It does not change if the frame is scaled or cropped: a stixel keeps its position in
 * metres. #GstStxStixels knows its position in the frame.
 */
typedef struct _GstStxStixelInfo {
  guint width, height;
  guint stixel_width;
  guint columns;
  StxCamera camera;
} GstStxStixelInfo;

GST_STX_API GType gst_stx_stixel_info_get_type(void);

/**
 * gst_stx_stixel_info_copy:
 * @info: an image
 *
 * Returns: (transfer full): the same, to be freed with gst_stx_stixel_info_free()
 */
GST_STX_API GstStxStixelInfo *gst_stx_stixel_info_copy(const GstStxStixelInfo *info);

/**
 * gst_stx_stixel_info_free:
 * @info: (transfer full): a copy
 */
GST_STX_API void gst_stx_stixel_info_free(GstStxStixelInfo *info);

/**
 * gst_stx_stixel_info_get_metres:
 * @info: an image
 * @stixel: one of its stixels
 * @metres: (out caller-allocates): where to put the answer
 *
 * The position of a stixel, in metres, in the axes of the left camera: metres.h.
 *
 * Returns: %FALSE, and everything in @metres is not a number, if its disparity is unknown or 0, or
 * the camera lacks its focal length or baseline; single numbers may be unknown as that header says
 */
GST_STX_API gboolean gst_stx_stixel_info_get_metres(
    const GstStxStixelInfo *info, const StxStixel *stixel, StxMetres *metres);

/**
 * gst_stx_stixel_info_from_caps:
 * @info: (out caller-allocates): where to put it
 * @caps: fixed caps of application/x-stixels, or of application/x-obstacles
 * @error: why not
 *
 * Obstacles of a scan have no image: all of it is 0 then.
 *
 * Returns: %FALSE, and @info is as before, if the media type is another, a field is missing, a size
 * is out of range, columns contradict the sizes, or the camera is that of an image of another size
 */
GST_STX_API gboolean gst_stx_stixel_info_from_caps(
    GstStxStixelInfo *info, const GstCaps *caps, GError **error);

/**
 * gst_stx_stixel_info_to_caps:
 * @info: an image
 * @framerate_numerator: frames …
 * @framerate_denominator: … per so many seconds; 0/1: unknown
 *
 * Returns: (transfer full): caps of application/x-stixels
 */
GST_STX_API GstCaps *gst_stx_stixel_info_to_caps(
    const GstStxStixelInfo *info, gint framerate_numerator, gint framerate_denominator);

G_END_DECLS

#endif
