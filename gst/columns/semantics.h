/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semantics on a pad: a label image (video/x-raw,format=GRAY8), class scores (other/tensors,
 * NNStreamer's caps), or pictures with either attached (attached.h). docs/formats.md describes
 * them.
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/colmean/colmean.h"

/* Caps of a semantics pad, as the caps alone tell them. */
typedef struct {
  StxSemantics kind;  /* NONE: attached, and no picture has been read */
  GstVideoInfo video; /* LABELS */
  int dimensions[3];  /* SCORES_*: of the tensor, innermost first; what follows them is 1 */
  gboolean attached;  /* to pictures of this size; the rest is what the last of them brought */
  int attached_width, attached_height;
  const gchar *attached_format; /* lives as long as the process */
} GstStxSemantics;

/*
 * Reads fixed caps. False with a text in `error` when they are neither GRAY8 video nor one static
 * tensor of uint8, int8, float16 or float32 with three dimensions; with GStreamer 1.26 video of
 * any other format has semantics attached.
 */
gboolean gst_stx_semantics_from_caps(
    GstStxSemantics *semantics, const GstCaps *caps, StxError *error);

/*
 * Their layout for an image of width × height pixels: the number of classes, and for scores the
 * strides and score_shift in `input` (scores itself is left alone). False with a text in `error`
 * when they have another size (scores: and not 1/2, 1/4 or 1/8 of it, rounded up), more than
 * STX_MAX_CLASSES classes, or are a tensor that is planar and interleaved at once, as with 19 × 19
 * pixels and 19 classes.
 */
gboolean gst_stx_semantics_layout(const GstStxSemantics *semantics, int width, int height,
    int *classes, StxColmeanInput *input, StxError *error);

/* Bytes that a buffer of scores holds at least. */
gsize gst_stx_semantics_score_bytes(const GstStxSemantics *semantics);
