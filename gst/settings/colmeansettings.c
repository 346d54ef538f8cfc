/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/settings/colmeansettings.h"

#include "common/labels.h"

static const StxFieldChoice label_encodings[] = {
    {GST_STX_LABELS_TRAIN_IDS, "train-ids", "Cityscapes train ids, 0 ... 18"},
    {GST_STX_LABELS_CITYSCAPES_IDS, "cityscapes-ids",
        "Cityscapes label ids, 0 ... 33, as in KITTI's semantic folder"},
    {0},
};
static const StxField fields[] = {
    {"disparity-encoding", "Disparity encoding", "What a number of the disparity map means",
        STX_FIELD(CHOICE, GstStxCells, params.disparity.encoding),
        .choices = stx_disparity_encodings},
    {"label-encoding", "Label encoding", "What a value of a label image means",
        STX_FIELD(CHOICE, GstStxCells, label_encoding), .choices = label_encodings},
    {"confidence-is-sky", "Confidence is sky",
        "At pad confidence, the value of an unknown pixel says how surely it is sky, as "
        "stereo-sgm's meta does",
        STX_FIELD(BOOL, GstStxCells, confidence_is_sky)},
};
static const GstStxCells defaults = GST_STX_CELLS_DEFAULTS;
const StxFields gst_stx_cells_fields = {STX_FIELDS_OF(fields), &defaults};

void gst_stx_cells_apply(const GstStxCells *cells, StxColmeanParams *params)
{
  params->grid.cell_width = cells->params.grid.cell_width;
  params->grid.cell_height = cells->params.grid.cell_height;
  params->reduction = cells->params.reduction;
  params->fill_width = cells->params.fill_width;
  params->disparity = cells->params.disparity;
  if (cells->label_encoding == GST_STX_LABELS_CITYSCAPES_IDS)
    stx_labels_from_cityscapes(params->label_map);
  else
    stx_labels_identity(params->label_map);
}
