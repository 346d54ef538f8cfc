/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a segment of rdp to its record. All implementations compile this one function, because it
 * is floating point. Private to common/rdp*.c and cuda/rdp*.
 */
#pragma once

#include "common/rdp/rdp.h"

#include <math.h>

/* Constants of all records of a grid. */
typedef struct {
  int rows, cell_height, height; /* cells, pixels, pixels */
  float overhang;                /* from a cell's centre to its last image row, in cells */
  float end;                     /* the image's last row, in cells from the centre of cell 0 */
  float step;                    /* pixels of disparity */
} StxRdpRecords;

STX_INLINE StxRdpRecords stx_rdp_records(const StxGrid *grid)
{
  float cell = (float)grid->cell_height;
  float middle = 0.5f * (float)(grid->cell_height - 1);
  StxRdpRecords records = {stx_grid_rows(grid), grid->cell_height, grid->height, middle / cell,
      ((float)(grid->height - 1) - middle) / cell, 1.0f / (float)stx_grid_steps(grid)};
  return records;
}

/* A segment (f, l); in a column with one row f = l = 0. */
typedef struct {
  int column, f, l;
  uint32_t disparity_f, disparity_l; /* of its ends, steps; both 0: unknown */
  uint32_t largest;                  /* x_i of its cells, below 2^30 */
  uint32_t weight;                   /* sum over the cells it owns */
} StxRdpSegment;

STX_INLINE float stx_rdp_pixels(const StxRdpRecords *grid, float disparity)
{
  return (disparity > 0 ? disparity : 0) * grid->step;
}

/* The fields of a record, in 32 bits each, for vectors. */
typedef struct {
  int top, bottom; /* image rows */
  float disparity_top, disparity_bottom, cost, confidence;
} StxRdpLine;

STX_INLINE StxRdpLine stx_rdp_line(const StxRdpRecords *grid, const StxRdpSegment *segment)
{
  int f = segment->f, l = segment->l, length = l - f > 1 ? l - f : 1;
  int last = l == grid->rows - 1;
  int cells = length + (last & (l > f)); /* no branch: a vector would divide once for each */
  float from = (float)(int32_t)segment->disparity_f;
  float rise = (float)((int32_t)segment->disparity_l - (int32_t)segment->disparity_f);
  float slope = rise / (float)length;
  /* The ends of the record, in cells from the centres of its first and its last chord end. */
  float above = length > 1 ? grid->overhang : 0.0f;
  float below = length > 1 ? (last ? grid->end - (float)f : (float)(length - 1) + grid->overhang)
                           : (float)(cells - 1);
  float weight = (float)(int32_t)segment->weight / ((float)cells * (float)STX_WEIGHT_ONE);
  StxRdpLine line = {.top = f * grid->cell_height,
      .bottom = last ? grid->height - 1 : l * grid->cell_height - 1,
      .disparity_top = stx_rdp_pixels(grid, from - slope * above),
      .disparity_bottom = stx_rdp_pixels(grid, from + slope * below),
      .cost = (float)(int32_t)segment->largest / (float)length * grid->step,
      .confidence = weight < 1.0f ? sqrtf(weight) : 1.0f};
  return line;
}

STX_INLINE StxStixel stx_rdp_record(const StxRdpRecords *grid, const StxRdpSegment *segment)
{
  StxRdpLine line = stx_rdp_line(grid, segment);
  StxStixel record = {.column = (uint16_t)segment->column,
      .top = (uint16_t)line.top,
      .bottom = (uint16_t)line.bottom,
      .kind = STX_KIND_SEGMENT,
      .label = STX_LABEL_NONE,
      .disparity_top = line.disparity_top,
      .disparity_bottom = line.disparity_bottom,
      .cost = line.cost,
      .confidence = line.confidence};
  return record;
}
