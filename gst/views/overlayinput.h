/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What frames bring along that are drawn on, and what they take with them. Streaming thread. */
#ifndef GST_OVERLAY_INPUT_H
#define GST_OVERLAY_INPUT_H

#include <gst/video/video.h>

#include "gst/formats/regions.h"
#include "gst/views/overlaystage.h"

G_BEGIN_DECLS

/* Stixels of which nobody said the camera have that of the video, brought to their image. */
void gst_overlay_complete_camera(GstStxStixelInfo *info, const StxCamera *video);

/* The stixels that are attached to `frame`, of these caps: a new reference, or NULL with the reason
 * in `error`, also where nobody says any more where they lie in it. */
GstBuffer *gst_overlay_attached(
    GstBuffer *frame, const GstCaps *caps, GstStxImage *image, StxError *error);

/* Attaches stixels whose image fills the frame, in place of others that were before. */
void gst_overlay_attach(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info, const GstVideoInfo *video);

/* Attaches the obstacles that were drawn, with their regions of interest, to a frame of these caps
 * that has its stixels; those that it had itself stay as they are. */
void gst_overlay_attach_obstacles(
    const GstStxRegionsFrame *frame, const GstCaps *caps, const GstOverlayDrawing *drawing);

/* Sets obstacles and free space of `drawing` to those that the frame carries, or else its stixels,
 * if they are of the same image. They live as long as that meta. */
void gst_overlay_find_obstacles(
    GstBuffer *frame, const GstStxStixelInfo *info, GstOverlayDrawing *drawing);

/* Whether stixels of `info` can be compared with `truth` (NULL: a frame without), those of
 * `truth_info` (NULL: there is no pad for them). FALSE with the reason in `error`. */
gboolean gst_overlay_check_truth(const GstStxStixelInfo *info, const GstStxStixelInfo *truth_info,
    GstBuffer *truth, StxError *error);

/* What users are told, once: of a frame without stixels, without obstacles, without true stixels,
 * of bad records. */
void gst_overlay_warn_of_none(GstElement *element, GstBuffer *frame, gboolean linked);
void gst_overlay_warn_of_no_obstacles(GstElement *element);
void gst_overlay_warn_of_no_truth(GstElement *element);
void gst_overlay_warn_of_skipped(GstElement *element, guint skipped, guint drawn);

G_END_DECLS

#endif
