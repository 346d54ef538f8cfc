/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything that is compared is an integer: |e − t| > 3 px reads 256·3 < |e − t|, and
 * |e − t| > t/20 reads 20·|e − t| > t, in 1/256 pixel.
 */
#include "common/metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_PIXELS 3
#define OUTLIER_PART 20 /* 5 % = 1/20 */

static bool is_far_off(int truth, int estimate)
{
  return abs(estimate - truth) > OUTLIER_PIXELS * STX_DISPARITY_ONE;
}

static bool is_large_share(int truth, int estimate)
{
  return OUTLIER_PART * abs(estimate - truth) > truth;
}

bool stx_disparity_is_bad(uint16_t truth, uint16_t estimate)
{
  return estimate == STX_DISPARITY_UNKNOWN ||
         (is_far_off(truth, estimate) && is_large_share(truth, estimate));
}

void stx_disparity_score_add(
    StxDisparityScore *score, const StxImage16 *truth, const StxImage16 *estimate)
{
  for (int y = 0; y < truth->height; y++) {
    const uint16_t *t = stx_row16(truth, y), *e = stx_row16(estimate, y);
    for (int x = 0; x < truth->width; x++) {
      if (t[x] == STX_DISPARITY_UNKNOWN)
        continue;
      bool hole = e[x] == STX_DISPARITY_UNKNOWN;
      score->truth++;
      score->known += !hole;
      score->bad_and += stx_disparity_is_bad(t[x], e[x]);
      score->bad_or += hole || is_far_off(t[x], e[x]) || is_large_share(t[x], e[x]);
    }
  }
}

/* ---- Holes -------------------------------------------------------------------------------- */

/* A line of pixels, `step` elements apart: a row or a column. */
typedef struct {
  uint16_t *data;
  ptrdiff_t step;
  int length;
} Line;

static uint16_t *at(const Line *line, int i)
{
  return line->data + i * line->step;
}

static void fill_run(const Line *line, int begin, int end, uint16_t value)
{
  for (int i = begin; i < end; i++)
    *at(line, i) = value;
}

/* Steps 2 and 3: the two ends take the nearest known value. */
static void extrapolate(const Line *line)
{
  int first = 0, last = line->length - 1;
  while (first < line->length && *at(line, first) == STX_DISPARITY_UNKNOWN)
    first++;
  if (first == line->length)
    return;
  while (*at(line, last) == STX_DISPARITY_UNKNOWN)
    last--;
  fill_run(line, 0, first, *at(line, first));
  fill_run(line, last + 1, line->length, *at(line, last));
}

/* Step 1. */
static void interpolate(const Line *line)
{
  int previous = -1;
  for (int i = 0; i < line->length; i++) {
    uint16_t value = *at(line, i);
    if (value == STX_DISPARITY_UNKNOWN)
      continue;
    if (previous >= 0) {
      uint16_t before = *at(line, previous);
      fill_run(line, previous + 1, i, before < value ? before : value);
    }
    previous = i;
  }
}

void stx_disparity_fill(const StxImage16 *disparity)
{
  for (int y = 0; y < disparity->height; y++) {
    Line row = {stx_row16(disparity, y), 1, disparity->width};
    interpolate(&row);
    extrapolate(&row);
  }
  for (int x = 0; x < disparity->width; x++) {
    Line column = {disparity->data + x, disparity->stride / 2, disparity->height};
    extrapolate(&column);
  }
}

/* ---- Stixels as maps ---------------------------------------------------------------------- */

/* The pixels of a stixel inside a map: columns [left, right) and rows [top, bottom]. */
typedef struct {
  int left, right, top, bottom;
} Area;

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

static Area area_of(const StxStixel *stixel, int cell_width, int width, int height)
{
  int left = stixel->column * cell_width;
  return (Area){
      smaller(left, width),
      smaller(left + cell_width, width),
      stixel->top,
      smaller(stixel->bottom, height - 1),
  };
}

uint16_t stx_stixel_disparity_at(const StxStixel *stixel, int row)
{
  if (stixel->kind == STX_KIND_SKY)
    return 1;
  if (stixel->disparity_top == 0 && stixel->disparity_bottom == 0)
    return STX_DISPARITY_UNKNOWN;
  int rows = stixel->bottom - stixel->top;
  double part = rows == 0 ? 0 : (double)(row - stixel->top) / rows;
  double span = (double)stixel->disparity_bottom - stixel->disparity_top;
  double value = (stixel->disparity_top + part * span) * STX_DISPARITY_ONE + 0.5;
  return (uint16_t)fmin(fmax(floor(value), 1), UINT16_MAX);
}

static void clear8(const StxImage8 *image, uint8_t value)
{
  for (int y = 0; y < image->height; y++)
    memset(stx_row8(image, y), value, (size_t)image->width);
}

static void fill_area8(const StxImage8 *image, Area area, uint8_t value)
{
  for (int y = area.top; y <= area.bottom; y++)
    for (int x = area.left; x < area.right; x++)
      stx_row8(image, y)[x] = value;
}

void stx_render_disparity(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage16 *disparity)
{
  for (int y = 0; y < disparity->height; y++)
    memset(stx_row16(disparity, y), 0, (size_t)disparity->width * sizeof(uint16_t));
  for (size_t i = 0; i < count; i++) {
    Area area = area_of(&stixels[i], cell_width, disparity->width, disparity->height);
    for (int y = area.top; y <= area.bottom; y++) {
      uint16_t value = stx_stixel_disparity_at(&stixels[i], y);
      for (int x = area.left; x < area.right; x++)
        stx_row16(disparity, y)[x] = value;
    }
  }
}

void stx_render_labels(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage8 *labels)
{
  clear8(labels, STX_LABEL_NONE);
  for (size_t i = 0; i < count; i++)
    fill_area8(
        labels, area_of(&stixels[i], cell_width, labels->width, labels->height), stixels[i].label);
}

void stx_render_kinds(
    const StxStixel *stixels, size_t count, int cell_width, const StxImage8 *kinds)
{
  clear8(kinds, STX_KIND_SEGMENT);
  for (size_t i = 0; i < count; i++)
    fill_area8(
        kinds, area_of(&stixels[i], cell_width, kinds->width, kinds->height), stixels[i].kind);
}

/* ---- Classes ------------------------------------------------------------------------------ */

static uint8_t majority_of(const StxImage8 *labels, Area area)
{
  int counts[STX_MAX_CLASSES] = {0};
  for (int y = area.top; y <= area.bottom; y++)
    for (int x = area.left; x < area.right; x++)
      if (stx_row8(labels, y)[x] < STX_MAX_CLASSES)
        counts[stx_row8(labels, y)[x]]++;
  int best = 0;
  for (int k = 1; k < STX_MAX_CLASSES; k++)
    if (counts[k] > counts[best])
      best = k;
  return counts[best] == 0 ? STX_LABEL_NONE : (uint8_t)best;
}

void stx_render_majority(const StxGrid *grid, const StxImage8 *labels, const StxImage8 *majority)
{
  for (int row = 0; row < stx_grid_rows(grid); row++)
    for (int column = 0; column < stx_grid_columns(grid); column++) {
      int left = column * grid->cell_width;
      Area cell = {left, smaller(left + grid->cell_width, grid->width), stx_grid_top(grid, row),
          stx_grid_top(grid, row + 1) - 1};
      fill_area8(majority, cell, majority_of(labels, cell));
    }
}
