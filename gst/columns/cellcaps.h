/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The caps of a cell's inputs (common/colmean/colmean.h), on up to three pads: disparity,
 * confidence, semantics; and whether they fit each other.
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/colmean/colmean.h"
#include "gst/columns/disparity.h"
#include "gst/columns/semantics.h"

/* The pads; a set of buffers is an array in this order, a set of roles has bit i for role i. */
enum {
  GST_STX_CELL_DISPARITY,
  GST_STX_CELL_CONFIDENCE,
  GST_STX_CELL_SEMANTICS,
  GST_STX_CELL_ROLES
};

typedef struct {
  GstStxDisparity disparity;
  GstVideoInfo confidence;
  GstStxSemantics semantics;
} GstStxCellCaps;

/* New caps of a pad, by themselves. False with a text in `error` when they are of another format.
 */
gboolean gst_stx_cell_caps_set(
    GstStxCellCaps *self, guint role, const GstCaps *caps, StxError *error);

/*
 * Fills in what the caps of `roles` decide: image size, classes and semantics in `params`, the
 * strides of scores in `layout`. False with a text in `error` when they do not fit each other.
 */
gboolean gst_stx_cell_caps_layout(const GstStxCellCaps *self, guint roles, StxColmeanParams *params,
    StxColmeanInput *layout, StxError *error);
