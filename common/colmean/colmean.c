/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: the cost table, the tables of implementations and of fields, and the checks. */
#include "common/colmean/colmean_private.h"
#include "common/cpu.h"

#include <math.h>

/* log() of common libraries is exact to less than one unit in the last place, and no entry lies
 * nearer than 1e-4 to a half, so that the rounded table is the same everywhere. */
void stx_colmean_prepare(StxColmeanTables *tables)
{
  for (int i = 0; i < 4096; i++)
    tables->class_cost[i] = (uint16_t)lround(-STX_CLASS_COST_ONE * log(fmax(i / 4095.0, 1e-3)));
}

size_t stx_colmean_score_size(StxSemantics semantics)
{
  switch (semantics) {
  case STX_SEMANTICS_SCORES_U8:
  case STX_SEMANTICS_SCORES_I8:
    return 1;
  case STX_SEMANTICS_SCORES_F16:
    return 2;
  case STX_SEMANTICS_SCORES_F32:
    return 4;
  default:
    return 0;
  }
}

#define FUNCTIONS(isa) stx_colmean_scratch_size_##isa, stx_colmean_run_##isa
STX_HOST_TABLE(StxColmeanImpl, stx_colmean, FUNCTIONS);

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice reductions[] = {
    {STX_REDUCE_MEAN, "mean", "Mean"},
    {STX_REDUCE_WEIGHTED, "weighted", "Confidence-weighted mean near the median"},
    {STX_REDUCE_MEDIAN, "median", "Median"},
    {0},
};
static const StxFieldChoice semantics[] = {
    {STX_SEMANTICS_NONE, "none", "No classes"},
    {STX_SEMANTICS_LABELS, "labels", "A label per pixel"},
    {STX_SEMANTICS_SCORES_U8, "uint8 scores", "Scores per pixel and class, 8 bits"},
    {STX_SEMANTICS_SCORES_F32, "float32 scores", "Scores per pixel and class, float32"},
    {STX_SEMANTICS_SCORES_F16, "float16 scores", "Scores per pixel and class, float16"},
    {STX_SEMANTICS_SCORES_I8, "int8 scores", "Scores per pixel and class, 8 bits from -128 on"},
    {0},
};
const StxFieldChoice stx_disparity_encodings[] = {
    {STX_DISPARITY_AUTO, "auto", "From the caps, else kitti, of tensors pixels"},
    {STX_DISPARITY_KITTI, "kitti", "uint16 p/256 pixels"},
    {STX_DISPARITY_CITYSCAPES, "cityscapes", "uint16 (p - 1)/256 pixels"},
    {STX_DISPARITY_OPENCV, "opencv", "int16 p/16 pixels"},
    {STX_DISPARITY_DEPTH_MM, "depth-mm", "uint16 millimetres"},
    {STX_DISPARITY_PIXELS, "pixels", "float32 pixels"},
    {STX_DISPARITY_DEPTH_M, "depth-m", "float32 metres"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxColmeanParams, member)

static const StxField fields[] = {
    {"reduction", "Reduction", "Disparity of a cell", FIELD(CHOICE, reduction),
        .choices = reductions},
    {FIELD(CHOICE, semantics), .choices = semantics},
    {"fill-width", "Fill width",
        "Widest hole filled with the farther neighbour's disparity, pixels (0 = none)",
        FIELD(INT, fill_width), .high = STX_FILL_WIDTH_MAX, .unit = "pixels"},
    {FIELD(CHOICE, disparity.encoding), .choices = stx_disparity_encodings},
    {"min-disparity", "Least disparity",
        "Smallest known disparity, pixels of the map, as OpenCV's minDisparity (0 = all above 0)",
        FIELD(DOUBLE, disparity.minimum), .low = -4096, .high = 4096, .unit = "px"},
    {"disparity-scale", "Disparity scale",
        "Factor from the map's disparities to pixels of the map (0 = 1, with a camera of this size "
        "in the caps)",
        FIELD(DOUBLE, disparity.scale), .high = 1000},
    {"disparity-offset", "Disparity offset",
        "Pixels added to known disparities, for cameras with different principal points",
        FIELD(DOUBLE, disparity.offset), .low = -4096, .high = 4096, .unit = "px"},
};
static const StxColmeanParams defaults = STX_COLMEAN_DEFAULTS;
const StxFields stx_colmean_fields = {
    STX_FIELDS_OF(fields), &defaults, .must = "; it must be ", .choose = "; it must be "};

int stx_colmean_interleaved(const StxColmeanParams *params, const StxColmeanInput *input)
{
  int classes = params->grid.classes;
  ptrdiff_t size = (ptrdiff_t)stx_colmean_score_size(params->semantics);
  ptrdiff_t elements = input->pixel_stride / size;
  bool fits = input->class_stride == size && elements * size == input->pixel_stride &&
              elements >= classes && elements <= 2 * classes && classes > 1;
  return fits ? (int)elements : 0;
}

/* ---- Checks ------------------------------------------------------------------------------- */

bool stx_colmean_check(const StxColmeanParams *params, StxError *error)
{
  double focal_baseline = params->disparity.focal_baseline;
  if (!stx_grid_check(&params->grid, error) ||
      !stx_fields_check(&stx_colmean_fields, params, error))
    return false;
  if (stx_disparity_is_depth(params->disparity.encoding) &&
      !(focal_baseline > 0 && focal_baseline <= STX_FOCAL_BASELINE_MAX))
    return stx_fail(error,
        "focal length times baseline is %g; to make disparities of depths, it must be more than 0 "
        "and at most %g px m",
        focal_baseline, STX_FOCAL_BASELINE_MAX);
  if (params->semantics == STX_SEMANTICS_NONE && params->grid.classes > 0)
    return stx_fail(
        error, "number of classes is %d without semantics; it must be 0", params->grid.classes);
  if (params->semantics != STX_SEMANTICS_NONE && params->grid.classes == 0)
    return stx_fail(
        error, "number of classes is 0 with semantics; it must be 1 to %d", STX_MAX_CLASSES);
  for (int i = 0; params->semantics == STX_SEMANTICS_LABELS && i < 256; i++)
    if (params->label_map[i] != 255 && params->label_map[i] >= params->grid.classes)
      return stx_fail(error,
          "the label map leads from pixel value %d to class %d; it must lead to 0 to %d, or to 255 "
          "(no label)",
          i, params->label_map[i], params->grid.classes - 1);
  return true;
}
