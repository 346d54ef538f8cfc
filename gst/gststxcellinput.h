/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What cells are made of (common/colmean.h), as it arrives on up to three pads: disparity,
 * confidence, semantics. Their caps, whether they fit each other, and their buffers as one
 * StxColmeanInput.
 */
#ifndef GST_STX_CELL_INPUT_H
#define GST_STX_CELL_INPUT_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "common/colmean.h"
#include "gst/gststxmeta.h"
#include "gst/gststxsemantics.h"

G_BEGIN_DECLS

/* The pads; a set of buffers is an array in this order, a set of roles has bit i for role i. */
enum {
  GST_STX_CELL_DISPARITY,
  GST_STX_CELL_CONFIDENCE,
  GST_STX_CELL_SEMANTICS,
  GST_STX_CELL_ROLES
};

/* ---- Caps ---------------------------------------------------------------------------------- */

typedef struct {
  GstVideoInfo disparity, confidence;
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

/* ---- Buffers ------------------------------------------------------------------------------- */

/* Is the confidence meta of the disparity's size? False with a text in `error`. */
gboolean gst_stx_cell_meta_fits(
    const GstStxCellCaps *self, const GstStxConfidenceMeta *meta, StxError *error);

/* What is mapped of a set. Zero it before. */
typedef struct {
  GstVideoFrame frame[GST_STX_CELL_ROLES];
  GstMapInfo meta, scores;
} GstStxCellMap;

/*
 * Maps a set (entries but the disparity may be NULL) and points `input`, which already has the
 * strides of scores, to it. Without a confidence buffer the disparity's GstStxConfidenceMeta
 * counts; without that either, input->confidence is left as it is. False with a text in `error`
 * when a buffer does not fit its caps. Call gst_stx_cell_unmap in any case.
 */
gboolean gst_stx_cell_map(const GstStxCellCaps *self, GstBuffer **set, GstStxCellMap *map,
    StxColmeanInput *input, StxError *error);
void gst_stx_cell_unmap(GstBuffer **set, GstStxCellMap *map);

G_END_DECLS

#endif
