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
    {"disparity-steps", "Disparity steps",
        "Steps of a pixel in which columns tell disparities: 256, 128, 64, 32 or 16; they end at "
        "65535 steps, that is at 256 pixels, or at 512, 1024, 2048, 4096",
        STX_FIELD(INT, GstStxCells, disparity_steps),
        .low = STX_DISPARITY_ONE >> STX_GRID_MAX_COARSE, .high = STX_DISPARITY_ONE},
    {"label-encoding", "Label encoding", "What a value of a label image means",
        STX_FIELD(CHOICE, GstStxCells, label_encoding), .choices = label_encodings},
    {"confidence-is-sky", "Confidence is sky",
        "At pad confidence, the value of an unknown pixel says how surely it is sky, as "
        "stereo-sgm's meta does",
        STX_FIELD(BOOL, GstStxCells, confidence_is_sky)},
};
static const GstStxCells defaults = GST_STX_CELLS_DEFAULTS;
const StxFields gst_stx_cells_fields = {STX_FIELDS_OF(fields), &defaults};

gboolean gst_stx_cells_apply(const GstStxCells *cells, StxColmeanParams *params, StxError *error)
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
  return stx_grid_set_steps(&params->grid, cells->disparity_steps, error);
}
