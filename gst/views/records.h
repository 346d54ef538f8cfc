/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that a view gets: stixels and where they lie, labels and obstacles of scans. */
#pragma once

#include "common/clusters/clusters_hues.h"
#include "common/lookup/placement.h"
#include "gst/base/mapped.h"
#include "gst/stixels/stixels.h"

/* The labels that are attached to a scan, if they fit its points, or NULL. */
GstBuffer *gst_stx_scan_labels(GstBuffer *scan);

/* The obstacles that were found in a scan and are attached to it, or NULL. */
GstBuffer *gst_stx_scan_obstacles(GstBuffer *scan);

/* Labels of scans with numbers of clusters, and so colours, that stay with things. */
typedef struct {
  StxClusterHues *state;
  GstStxScratch memory;
  const guint32 *labels; /* of this scan; NULL: it has none */
} GstStxScanHues;

gboolean gst_stx_scan_hues_follow(
    GstStxScanHues *hues, const GstStxMapped *points, const GstStxMapped *labels, StxError *error);
void gst_stx_scan_hues_clear(GstStxScanHues *hues);

/* The image of stixels, and its place in the frame; a placement of zeros: it fills it. */
typedef struct {
  GstStxStixelInfo info;
  StxPlacement placement;
} GstStxImage;

/* The stixels that are attached to `frame`, of these caps: a new reference, or NULL with the reason
 * in `error`, also where nothing says any more where they lie in it. */
GstBuffer *gst_stx_attached_stixels(
    GstBuffer *frame, const GstCaps *caps, GstStxImage *image, StxError *error);

/* The share of `range` metres that a view of these stixels needs: 1, or a fifth of it, and so on
 * down to `least` metres, while seven tenths of the rows of known disparity are nearer. */
gdouble gst_stx_needed_share(
    const GstStxMapped *stixels, const StxCamera *camera, gdouble range, gdouble least);

/* The share of the rows of known disparity that have more than that. */
gdouble gst_stx_share_above(const GstStxMapped *stixels, gdouble disparity);

/* Kinds of input at pad `sink` of views; frames have stixels attached. */
typedef enum { GST_STX_INPUT_STIXELS, GST_STX_INPUT_FRAMES, GST_STX_INPUT_SCANS } GstStxInput;

/* Parses caps: the kind of input, the camera of frames, of any size, and `info` of stixels. FALSE
 * with a text for other caps; `scans` follows the media type of scans in it, `cure` says what to
 * do. */
gboolean gst_stx_input_parse(const GstCaps *caps, GstStxInput *input, StxCamera *frame_camera,
    GstStxStixelInfo *info, const gchar *scans, const gchar *cure, StxError *error);
