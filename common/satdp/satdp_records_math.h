/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a finished recurrence to records: backtracking (paper §4.5). All CPU implementations of
 * satdp share it; it costs a pass over the column's cells, next to nothing.
 */
#pragma once

#include "common/satdp/satdp_cost_math.h"

/* One column's answers by kind (0 ground, 1 object, 2 sky): T_K(k) = energy[K][k · stride], its
 * link likewise. */
typedef struct {
  const double *energy[3], *link[3];
  ptrdiff_t stride;
} StxTrace;

/* Bit k: class k belongs to kind `kind` (an StxBelow). */
STX_INLINE uint32_t stx_kind_classes(const StxSatdpParams *params, int kind)
{
  int classes = params->grid.classes;
  uint32_t all = classes >= 32 ? UINT32_MAX : (1u << classes) - 1;
  uint32_t others = ~(params->ground_classes | params->sky_classes);
  return all & (kind == 0 ? params->ground_classes : kind == 1 ? others : params->sky_classes);
}

/* The kind of the topmost stixel, as an StxBelow. */
STX_INLINE int stx_trace_top(const StxTrace *trace, int rows)
{
  ptrdiff_t last = (rows - 1) * trace->stride;
  return (int)stx_choose(trace->energy[0][last], trace->energy[1][last], trace->energy[2][last])
      .below;
}

/* The segment of kind `kind` that ends at cell vt; *below: the kind of the one below it. */
STX_INLINE StxSegment stx_trace_segment(const StxTrace *trace, int kind, int vt, int *below)
{
  int link = (int)trace->link[kind][vt * trace->stride];
  StxSegment segment = {link / 4, vt, (StxKind)(STX_KIND_GROUND + kind),
      (int64_t)trace->energy[kind][vt * trace->stride]};
  *below = segment.vb == 0 ? STX_BELOW_NONE : link % 4;
  if (*below != STX_BELOW_NONE)
    segment.energy -= (int64_t)trace->energy[*below][(segment.vb - 1) * trace->stride];
  return segment;
}

/* The summed energy of a class in `cells` cells. */
STX_INLINE int32_t stx_class_sum(const uint16_t *cost, int cells, int32_t class_scale)
{
  int32_t sum = 0;
  for (int i = 0; i < cells; i++)
    sum += stx_class_energy(cost[i], class_scale);
  return sum;
}

typedef int32_t StxClassSum(const uint16_t *cost, int cells, int32_t class_scale);

/* The smallest class of the least summed energy over n cells, or STX_LABEL_NONE; `add` is
 * stx_class_sum, or does what that does. */
STX_INLINE int stx_segment_label(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSegment *segment, StxClassSum *add)
{
  int label = STX_LABEL_NONE, cells = segment->vt - segment->vb + 1;
  int32_t least = 0;
  uint32_t classes = stx_kind_classes(params, segment->kind - STX_KIND_GROUND);
  for (int c = 0; c < params->grid.classes; c++) {
    if (!(classes >> c & 1))
      continue;
    const uint16_t *cost = stx_column(&params->grid, (void *)columns, 2 + c, column);
    cost += tables->rows - 1 - segment->vt;
    int32_t sum = add(cost, cells, tables->class_scale);
    if (label == STX_LABEL_NONE || sum < least) {
      label = c;
      least = sum;
    }
  }
  return label;
}

STX_INLINE uint32_t stx_kind_scale(
    const StxSatdpTables *tables, StxKind kind, int u, uint32_t disparity)
{
  return kind == STX_KIND_GROUND   ? tables->ground_scale[u]
         : kind == STX_KIND_OBJECT ? tables->object_scale[disparity >> STX_OBJECT_BIN]
                                   : tables->sky_scale;
}

STX_INLINE StxSegmentSums stx_segment_sums(const StxGrid *grid, const StxSatdpTables *tables,
    const void *columns, int column, const StxSegment *segment)
{
  const uint16_t *disparity = stx_column(grid, (void *)columns, 0, column);
  const uint16_t *weight = stx_column(grid, (void *)columns, 1, column);
  float horizon = stx_column_horizon(tables, column);
  StxSegmentSums sums = {0};
#if defined __AVX512F__ && !defined __clang__ && __GNUC__ >= 14
#pragma GCC novector /* gcc 14 makes other sums of it */
#endif
  for (int u = segment->vb, drop = stx_drop_cells(tables, column); u <= segment->vt; u++) {
    int row = tables->rows - 1 - u, v = stx_road_cell(tables, drop, u);
    int64_t x = tables->x[u], d = disparity[row];
    uint32_t scale = stx_kind_scale(tables, segment->kind, v, disparity[row]);
    int64_t w = stx_fold(weight[row], scale, disparity[row]);
    if (segment->kind == STX_KIND_GROUND)
      d = stx_deviation(tables->ground_slope, horizon, tables->x[u], disparity[row]);
    sums.w += w;
    sums.x += w * x;
    sums.xx += w * x * x;
    sums.d += w * d;
    sums.xd += w * x * d;
    sums.dd += w * d * d;
    sums.weight += stx_known_weight(weight[row], disparity[row]);
  }
  return sums;
}

/* Writes the column's records, the lowest first; returns how many. */
STX_INLINE int stx_write_column(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxTrace *trace, StxClassSum *add, StxStixel *stixels)
{
  int count = 0, below;
  int top = stx_trace_top(trace, tables->rows);
  for (int kind = top, vt = tables->rows - 1; vt >= 0; kind = below, count++)
    vt = stx_trace_segment(trace, kind, vt, &below).vb - 1;
  int left = count;
  for (int kind = top, vt = tables->rows - 1; vt >= 0; kind = below) {
    StxSegment segment = stx_trace_segment(trace, kind, vt, &below);
    StxSegmentSums sums = stx_segment_sums(&params->grid, tables, columns, column, &segment);
    int label = stx_segment_label(params, tables, columns, column, &segment, add);
    stixels[--left] = stx_make_stixel(&params->grid, tables, column, &segment, &sums, label);
    if (stx_satdp_slanted(params))
      stx_slant_stixel(&params->grid, tables, &sums, &stixels[left]);
    stx_refuse_foot(&params->grid, tables, &stixels[left]);
    vt = segment.vb - 1;
  }
  for (int i = 0; i + 1 < count; i++)
    stx_settle_foot(&params->grid, &stixels[i], &stixels[i + 1]);
  return count;
}
