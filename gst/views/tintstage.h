/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps as colours (common/tint/tint.h) in buffers, where a stage works, with their legend.
 * Everything here belongs to the streaming thread.
 */
#ifndef GST_TINT_STAGE_H
#define GST_TINT_STAGE_H

#include <gst/video/video.h>

#include "common/tint/tint.h"
#include "gst/base/stage.h"
#include "gst/shared/memory.h"
#include "gst/views/sheetstage.h"
#include "gst/stixels/stixels.h"

G_BEGIN_DECLS

/* What comes in, as its caps say. */
typedef struct {
  gboolean is_stixels;
  GstVideoInfo map;         /* GRAY16_LE or GRAY8, unless they are stixels */
  GstStxStixelInfo stixels; /* if they are */
  GstVideoInfo truth;       /* GRAY16_LE, for errors */
} GstTintInput;

/* What is prepared for frames of one kind. Zero it to begin with. */
typedef struct {
  StxTintParams params, truth_params; /* mode and numbers are known */
  GstTintInput input;
  GstVideoInfo output;
  StxLegend legend;

  GstStxScratch memory;            /* of the table and, where they are needed, … */
  const StxTintTable *table;       /* NULL: prepare first */
  StxTintDisparities *disparities; /* NULL: numbers are plain */
  const void *table_on_device, *disparities_on_device;

  StxTintSpan span;       /* of the table */
  StxTintSpan followed;   /* of range=frame, before it is rounded */
  gboolean is_followed;   /* … is there */
  GstStxScratch rendered; /* stixels as a map, and … */
  GstStxScratch records;  /* … those that are not aligned */
  GstSheetStage sheet;    /* the legend */
  StxTintCount told;      /* what it says of errors */
  gboolean sheet_is_drawn;
} GstTintStage;

/* Makes ready for maps of params and input, and pictures of `output`. `truth` is looked at for
 * errors. FALSE with the reason in `error`. */
gboolean gst_tint_stage_prepare(GstTintStage *self, const StxTintParams *params,
    const StxTintParams *truth, const GstTintInput *input, const GstVideoInfo *output,
    StxLegend legend, StxError *error);

/* Colours the buffers map (and truth, of errors) into `picture`. FALSE with the reason in `error`.
 */
gboolean gst_tint_stage_paint(GstTintStage *self, GstStxStage *stage, GstBuffer *map,
    GstBuffer *truth, GstBuffer *picture, StxError *error);

/* The next frame is another scene: its range does not follow the last one's. */
void gst_tint_stage_forget(GstTintStage *self);

void gst_tint_stage_clear(GstTintStage *self);

G_END_DECLS

#endif
