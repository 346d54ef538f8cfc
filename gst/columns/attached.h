/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semantics attached to pictures of any format, with GStreamer 1.26: class scores, as onnxinference
 * attaches them (GstTensorMeta), or a segmentation (GstAnalyticsSegmentationMtd).
 */
#pragma once

#include "gst/columns/semantics.h"

/* The caps of such pictures, for a pad's template. Builds for older releases have them, too, and
 * refuse the pictures with a reason. */
#define GST_STX_ATTACHED_CAPS "; video/x-raw; video/x-raw(ANY)"

/*
 * Reads what a picture brings, for a disparity of width × height pixels: the first tensor that is
 * scores of one of the sizes of semantics.h, or else all of its segmentations, later ones on top,
 * scaled to the disparity's size. Regions have the class of the name that a related classification
 * gives them, or, without one, the class `ids` of their number.
 *
 * Fills in `semantics`, of whose caps gst_stx_semantics_from_caps() has made `attached`: from here
 * on it is as if such scores or labels, which are train ids, came by themselves, in *data (transfer
 * full). FALSE with a text in `error`: it brings nothing of that kind.
 */
gboolean gst_stx_attached_read(GstStxSemantics *semantics, GstBuffer *picture, int width,
    int height, const uint8_t ids[256], GstBuffer **data, StxError *error);
