/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures in buffers. A GstVideoMeta says where their planes lie, which may be wrong: GStreamer
 * maps it without a look at the memory behind. Every picture that this plugin touches on the CPU
 * is checked here.
 */
#pragma once

#include <gst/video/video.h>

#include "common/stx.h"

/* gst_video_info_from_caps, and FALSE with a text in `error` that shows the caps. */
gboolean gst_stx_video_info(GstVideoInfo *info, const GstCaps *caps, StxError *error);

/* Contents of a plane, by the caps. */
typedef struct {
  gsize row_bytes, rows;
  guint unit; /* bytes of a sample: its alignment */
} GstStxPlane;

guint gst_stx_first_component(const GstVideoInfo *info, guint plane);
GstStxPlane gst_stx_plane(const GstVideoInfo *info, guint plane);

/*
 * gst_video_frame_map, for a buffer whose planes have at least the rows and columns of `info`, in
 * its format, all within the buffer's memory; strides may be negative. FALSE with a text in
 * `error`, and nothing is mapped, if they have not.
 */
gboolean gst_stx_frame_map(GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
    GstMapFlags access, StxError *error);

/* The same check of a buffer in system memory, which is not mapped: for what is handed on to
 * elements that map it as it says. */
gboolean gst_stx_frame_check(GstBuffer *buffer, const GstVideoInfo *info, StxError *error);

/* FALSE: `error` says that the buffer does not fit its caps, and how many bytes these need. */
gboolean gst_stx_fail_fit(GstBuffer *buffer, const GstVideoInfo *info, StxError *error);

/*
 * The part of a picture that a rectangle cuts out, between two samples of every plane: a buffer
 * with a GstVideoMeta that shares the memory (transfer full). NULL with a text in `error` if the
 * buffer does not fit `info`; whether the description of its planes does is seen when it is mapped.
 */
GstBuffer *gst_stx_frame_part(
    GstBuffer *buffer, const GstVideoInfo *info, const GstVideoRectangle *part, StxError *error);

/* Zeros the bytes between the rows of the first plane, so that files of equal pictures are equal.
 */
void gst_stx_frame_clear_padding(GstVideoFrame *frame);

/* First plane of a mapped frame, 8 bits per pixel. */
static inline StxImage8 gst_stx_frame_image8(const GstVideoFrame *frame)
{
  return (StxImage8){GST_VIDEO_FRAME_PLANE_DATA(frame, 0), GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0),
      GST_VIDEO_FRAME_WIDTH(frame), GST_VIDEO_FRAME_HEIGHT(frame)};
}

/* First plane of a mapped frame, 16 bits per pixel in the machine's byte order. */
static inline StxImage16 gst_stx_frame_image16(const GstVideoFrame *frame)
{
  return (StxImage16){GST_VIDEO_FRAME_PLANE_DATA(frame, 0), GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0),
      GST_VIDEO_FRAME_WIDTH(frame), GST_VIDEO_FRAME_HEIGHT(frame)};
}
