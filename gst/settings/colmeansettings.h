/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How an image becomes cells (common/colmean/colmean.h), as properties: stixel-width,
 * stixel-height, reduction, fill-width, disparity-encoding, disparity-steps, label-encoding,
 * confidence-is-sky. They count from the next start or change of caps.
 */
#ifndef GST_STX_COLMEANSETTINGS_H
#define GST_STX_COLMEANSETTINGS_H

#include "common/colmean/colmean.h"
#include "gst/shared/properties.h"

G_BEGIN_DECLS

typedef enum { GST_STX_LABELS_TRAIN_IDS, GST_STX_LABELS_CITYSCAPES_IDS } GstStxLabelEncoding;

typedef struct {
  StxColmeanParams params; /* image size, classes, semantics and label map are not set here */
  GstStxLabelEncoding label_encoding;
  int disparity_steps;    /* of a pixel, in columns */
  bool confidence_is_sky; /* what comes at the pad says in unknown pixels how surely they are sky */
} GstStxCells;

#define GST_STX_CELLS_DEFAULTS                                                                     \
  ((GstStxCells){STX_COLMEAN_DEFAULTS, GST_STX_LABELS_TRAIN_IDS, STX_DISPARITY_ONE, false})

/* The three groups (properties.h) of an element whose GstStxCells are `member`. */
extern const StxFields gst_stx_cells_fields;
#define GST_STX_CELLS_PROPERTIES(Element, member)                                                  \
  {&stx_grid_fields, offsetof(Element, member.params.grid), GST_PARAM_MUTABLE_READY, NULL},        \
      {&stx_colmean_fields, offsetof(Element, member.params), GST_PARAM_MUTABLE_READY, "GstStx"},  \
  {                                                                                                \
    &gst_stx_cells_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, "GstStx"            \
  }

/* Fills in what they decide: cell size, reduction, encodings, steps. Image size, classes and
 * semantics are the caller's. FALSE with a text in `error` for steps that there are not. */
gboolean gst_stx_cells_apply(const GstStxCells *cells, StxColmeanParams *params, StxError *error);

G_END_DECLS

#endif
