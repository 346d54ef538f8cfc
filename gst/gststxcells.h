/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How an image becomes cells (common/colmean.h), as properties: stixel-width, stixel-height,
 * reduction, fill-width, disparity-encoding, label-encoding. They count from the next start or
 * change of caps.
 */
#ifndef GST_STX_CELLS_H
#define GST_STX_CELLS_H

#include <gst/gst.h>

#include "common/colmean.h"

G_BEGIN_DECLS

typedef enum { GST_STX_DISPARITY_KITTI, GST_STX_DISPARITY_CITYSCAPES } GstStxDisparityEncoding;
typedef enum { GST_STX_LABELS_TRAIN_IDS, GST_STX_LABELS_CITYSCAPES_IDS } GstStxLabelEncoding;

typedef struct {
  gint stixel_width, stixel_height; /* pixels */
  StxReduction reduction;
  gint fill_width; /* pixels */
  GstStxDisparityEncoding disparity_encoding;
  GstStxLabelEncoding label_encoding;
} GstStxCells;

#define GST_STX_CELLS_DEFAULTS                                                                     \
  ((GstStxCells){8, 8, STX_REDUCE_WEIGHTED, STX_FILL_WIDTH_DEFAULT, GST_STX_DISPARITY_KITTI,       \
      GST_STX_LABELS_TRAIN_IDS})

/* In class_init: adds the properties with ids from `first` on; the element uses none above. */
void gst_stx_cells_install_properties(GObjectClass *klass, guint first);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_stx_cells_set_property(GstStxCells *cells, guint first, guint id, const GValue *value);
gboolean gst_stx_cells_get_property(const GstStxCells *cells, guint first, guint id, GValue *value);

/* Fills in what they decide: cell size, reduction, encodings. Image size, classes and semantics
 * are the caller's. */
void gst_stx_cells_apply(const GstStxCells *cells, StxColmeanParams *params);

G_END_DECLS

#endif
