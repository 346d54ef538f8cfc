/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reduction to columns (common/colmean/colmean.h) of a set of buffers, where a stage works. */
#ifndef GST_COLMEAN_STAGE_H
#define GST_COLMEAN_STAGE_H

#include "common/doubt/doubt.h"
#include "gst/base/stage.h"
#include "gst/formats/cellcaps.h"

G_BEGIN_DECLS

typedef struct {
  const GstStxCellCaps *caps; /* of the set */
  const StxColmeanParams *params;
  const StxColmeanTables *tables;
  const StxColmeanInput *layout; /* its strides of scores */
  GstBuffer **set;               /* by role; all but the disparity may be NULL */
  GstBuffer *columns;
  StxDoubtCounts *doubt; /* where what tells of a wrong map is added up; NULL: nowhere */
} GstColmeanFrame;

/*
 * Fills the columns. Without a confidence buffer the disparity's GstStxConfidenceMeta counts;
 * without that either, every pixel is certain. FALSE with the reason in `error`, if a buffer does
 * not fit its caps for instance. Doubts are counted of maps of 16 bits, on the CPU alone.
 */
gboolean gst_colmean_stage_reduce(
    GstStxStage *stage, const GstColmeanFrame *frame, StxError *error);

G_END_DECLS

#endif
