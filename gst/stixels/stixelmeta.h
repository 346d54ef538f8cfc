/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels of a video frame, as a meta on it. */
#ifndef GST_STX_STIXEL_META_H
#define GST_STX_STIXEL_META_H

#include "gst/stixels/api.h"

#include "common/metres.h"

G_BEGIN_DECLS

/*
 * The image that the stixels were computed on, the unit of every record, and how it was cut into
 * columns. It stays as it is when the frame is scaled: with a frame of W × H pixels, column c
 * begins at frame column c · stixel_width · W / width, and a record covers the frame rows
 * top · H / height … (bottom + 1) · H / height. The camera is that of the image, too: a stixel has
 * the same place in metres whatever has been done to the frame since.
 */
typedef struct {
  guint width, height; /* pixels of the image that was segmented */
  guint stixel_width;  /* pixels of that image per column; the last column may be narrower */
  guint columns;       /* number of columns */
  StxCamera camera;    /* of that image (common/camera.h); focal 0: unknown */
} GstStxStixelInfo;

/*
 * Where a stixel stands, in metres, in the axes of the left camera: common/metres.h. FALSE, and
 * everything in `metres` is not a number, if its disparity is unknown or 0, or the camera lacks its
 * focal length or baseline; single numbers may be unknown as that header says.
 */
GST_STX_API gboolean gst_stx_stixel_info_get_metres(
    const GstStxStixelInfo *info, const StxStixel *stixel, StxMetres *metres);

/*
 * stixels  StxStixel records (common/stixel.h), sorted by column, then from the bottom of the
 *          image up; their number is the buffer's size over sizeof (StxStixel)
 * A copy of a region of the frame's bytes loses the meta. A cropped frame keeps it, but then it
 * no longer fits the pixels: crop before the stixels are attached.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *stixels;
  GstStxStixelInfo info;
} GstStxStixelMeta;

GST_STX_API GType gst_stx_stixel_meta_api_get_type(void);
GST_STX_API const GstMetaInfo *gst_stx_stixel_meta_get_info(void);

/*
 * Adds the meta to `frame` and takes a reference on `stixels`. NULL, after a critical, when a
 * pointer is NULL or `frame` is not writable. The meta belongs to the frame.
 */
GST_STX_API GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info);

/* The frame's first stixel meta, or NULL. Nothing is transferred. */
GST_STX_API GstStxStixelMeta *gst_buffer_get_stx_stixel_meta(GstBuffer *frame);

G_END_DECLS

#endif
