/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: checks, the cost table and the table of implementations. */
#include "common/colmean_private.h"
#include "common/cpu.h"

#include <math.h>

/* log() of common libraries is exact to less than one unit in the last place, and no entry lies
 * nearer than 1e-4 to a half, so that the rounded table is the same everywhere. */
void stx_colmean_prepare(StxColmeanTables *tables)
{
  for (int i = 0; i < 4096; i++)
    tables->class_cost[i] = (uint16_t)lround(-STX_CLASS_COST_ONE * log(fmax(i / 4095.0, 1e-3)));
}

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_colmean_scratch_##suffix,                         \
        stx_colmean_run_##suffix                                                                   \
  }
static const StxColmeanImpl impls[] = {STX_HOST_IMPLS(IMPL)};

const StxImplTable stx_colmean_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};

static bool check_enums(const StxColmeanParams *params, StxError *error)
{
  int reduction = params->reduction, semantics = params->semantics;
  if (reduction < STX_REDUCE_MEAN || reduction > STX_REDUCE_MEDIAN)
    return stx_fail(error, "reduction is %d; it must be %d (mean), %d (weighted) or %d (median)",
        reduction, STX_REDUCE_MEAN, STX_REDUCE_WEIGHTED, STX_REDUCE_MEDIAN);
  if (semantics < STX_SEMANTICS_NONE || semantics > STX_SEMANTICS_SCORES_F32)
    return stx_fail(error,
        "semantics is %d; it must be %d (none), %d (labels), %d (uint8 scores) or %d (float32 "
        "scores)",
        semantics, STX_SEMANTICS_NONE, STX_SEMANTICS_LABELS, STX_SEMANTICS_SCORES_U8,
        STX_SEMANTICS_SCORES_F32);
  return true;
}

static bool check_label_map(const StxColmeanParams *params, StxError *error)
{
  for (int i = 0; i < 256; i++)
    if (params->label_map[i] != 255 && params->label_map[i] >= params->grid.classes)
      return stx_fail(error,
          "the label map leads from pixel value %d to class %d; it must lead to 0 to %d, or to 255 "
          "(no label)",
          i, params->label_map[i], params->grid.classes - 1);
  return true;
}

bool stx_colmean_check(const StxColmeanParams *params, StxError *error)
{
  if (!stx_grid_check(&params->grid, error) || !check_enums(params, error))
    return false;
  if (params->fill_width < 0 || params->fill_width > STX_FILL_WIDTH_MAX)
    return stx_fail(error, "fill_width is %d; it must be 0 to %d pixels", params->fill_width,
        STX_FILL_WIDTH_MAX);
  if (params->semantics == STX_SEMANTICS_NONE && params->grid.classes > 0)
    return stx_fail(
        error, "number of classes is %d without semantics; it must be 0", params->grid.classes);
  if (params->semantics != STX_SEMANTICS_NONE && params->grid.classes == 0)
    return stx_fail(
        error, "number of classes is 0 with semantics; it must be 1 to %d", STX_MAX_CLASSES);
  return params->semantics != STX_SEMANTICS_LABELS || check_label_map(params, error);
}
