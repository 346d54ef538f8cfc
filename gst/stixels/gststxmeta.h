/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metas that gst-stixels hangs on buffers, as a small library of its own, so that an
 * application reads them without loading the plugin:
 *
 *   pkg-config --cflags --libs gststxmeta-1.0
 *
 *   GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta (frame);
 *   GstMapInfo map;
 *   gst_buffer_map (meta->stixels, &map, GST_MAP_READ);
 *   const StxStixel *stixels = (const StxStixel *) map.data;
 *   gsize count = map.size / sizeof (StxStixel);
 *   StxMetres where;
 *   if (gst_stx_stixel_info_get_metres (&meta->info, &stixels[0], &where))
 *     g_print ("%g m ahead\n", where.z);
 *
 * Every meta holds a reference on a buffer that never changes again; whoever wants to keep it
 * takes a reference of their own. None carries tags: elements that copy frames keep them.
 * The functions may be called from any thread; the buffer that gets a meta must be writable.
 */
#ifndef GST_STX_META_H
#define GST_STX_META_H

#include <gst/gst.h>

#include "common/metres.h"

G_BEGIN_DECLS

/* ---- Stixels of a video frame -------------------------------------------------------------- */

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
gboolean gst_stx_stixel_info_get_metres(
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

GType gst_stx_stixel_meta_api_get_type(void);
const GstMetaInfo *gst_stx_stixel_meta_get_info(void);

/*
 * Adds the meta to `frame` and takes a reference on `stixels`. NULL, after a critical, when a
 * pointer is NULL or `frame` is not writable. The meta belongs to the frame.
 */
GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info);

/* The frame's first stixel meta, or NULL. Nothing is transferred. */
GstStxStixelMeta *gst_buffer_get_stx_stixel_meta(GstBuffer *frame);

/* ---- Confidence of a disparity frame ------------------------------------------------------- */

/*
 * How certain each pixel of a disparity frame is.
 *
 * confidence  width × height bytes, rows packed without padding; 255 = certain, 0 = a guess or
 *             unknown
 * Converters and scalers copy the meta as it is: use it only if width and height are the frame's.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *confidence;
  guint width, height; /* pixels, as the frame */
} GstStxConfidenceMeta;

GType gst_stx_confidence_meta_api_get_type(void);
const GstMetaInfo *gst_stx_confidence_meta_get_info(void);

/*
 * Adds the meta to `frame` and takes a reference on `confidence`. NULL, after a critical, when a
 * pointer is NULL, `frame` is not writable or `confidence` is not width · height bytes long.
 */
GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height);

/* The frame's first confidence meta, or NULL. Nothing is transferred. */
GstStxConfidenceMeta *gst_buffer_get_stx_confidence_meta(GstBuffer *frame);

/* ---- Labels of a scan's points ------------------------------------------------------------- */

/*
 * What each point of a LiDAR scan is.
 *
 * labels  one uint32_t per point, in the order of the points, in SemanticKITTI's encoding: the
 * class in the low 16 bits, the cluster or instance in the high ones. Perhaps in CUDAMemory.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *labels;
} GstStxPointLabelsMeta;

GType gst_stx_point_labels_meta_api_get_type(void);
const GstMetaInfo *gst_stx_point_labels_meta_get_info(void);

/*
 * Adds the meta to `scan` and takes a reference on `labels`. NULL, after a critical, when a pointer
 * is NULL, `scan` is not writable or `labels` is not a quarter as long as the scan.
 */
GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(GstBuffer *scan, GstBuffer *labels);

/* The scan's first labels meta, or NULL. Nothing is transferred. */
GstStxPointLabelsMeta *gst_buffer_get_stx_point_labels_meta(GstBuffer *scan);

G_END_DECLS

#endif
