/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The road in the v-disparity histogram.
 *
 *   H(r, b)    Σ weight of the cells of row bin r whose disparity lies in [b, b+1) px
 *   points     the up to PEAKS highest maxima of H(r, ·) in ANCHORS rows
 *   candidates the prior, then the lines through two points of different rows
 *   score      Σ over rows of  H on the line (its bin and the two beside it) − H behind it,
 *              times the share of rows that have some on it: nothing can be seen through the road,
 *              so a line with much behind it runs through objects, and the distant background
 *              reaches over few rows. The best one (the first of equals) is
 *   refined    by weighted least squares on the cells near it: within 2 bins, then twice within 1.
 *
 * Only the slope and the intercept of the least squares are floating point, from exact sums.
 *
 * A Hough transform over (slope, horizon) needs the same scores on a grid of some 10^5 lines to
 * come as near; two points of the data give them for some 10^3.
 */
#include "common/roadline/roadline.h"

#include <math.h>
#include <string.h>

#define BINS 256         /* of one pixel */
#define MAX_ROW_BINS 256 /* beyond, neighbouring rows share one */
#define MAX_CELLS 32768  /* looked at */
#define SCORED_ROWS 64
#define ANCHORS 16
#define PEAKS 3
#define NEAR 1 /* bins beside the line's own that count as on the line */
#define FAR 2  /* bins beyond NEAR in which a cell is too far to be the road's */
#define MIN_SUPPORT 0.15
#define MIN_BOTTOM (3 * 256) /* disparity of the road at the bottom of the image, 1/256 px */
#define PRIOR_SLOPE 0.25
#define PRIOR_HORIZON 0.1

/* Σ w and Σ w·(disparity mod 256) of one bin; w <= 15, so that 32 bits hold 32768 columns. */
typedef struct {
  uint32_t weight, moment;
} Bin;

typedef struct {
  Bin bin[MAX_ROW_BINS][BINS];
  uint32_t upto[MAX_ROW_BINS][BINS + 1]; /* Σ weight of the bins before */
  int32_t y[MAX_ROW_BINS];               /* twice the image row of the row bin's centre */
  int rows;
  int height;
} Histogram;

/* D(y) = (offset + slope·y) / 2^16 in 1/256 px, y in half image rows. */
typedef struct {
  int64_t slope, offset;
} Line;

typedef struct {
  int row, disparity; /* row bin; 1/256 px */
} Point;

/* ---- Histogram ---------------------------------------------------------------------------- */

static int row_shift(int rows)
{
  int shift = 0;
  while (((rows - 1) >> shift) >= MAX_ROW_BINS)
    shift++;
  return shift;
}

static void add_column(
    const uint16_t *disparity, const uint16_t *weight, int rows, int shift, Histogram *histogram)
{
  for (int r = 0; r < rows; r++) {
    uint32_t w = (weight[r] + 2048u) >> 12;
    Bin *bin = &histogram->bin[r >> shift][disparity[r] >> 8];
    bin->weight += disparity[r] > 0 ? w : 0;
    bin->moment += disparity[r] > 0 ? w * (disparity[r] & 255) : 0;
  }
}

static void prepare_rows(const StxGrid *grid, int shift, Histogram *histogram)
{
  int rows = stx_grid_rows(grid);
  histogram->height = grid->height;
  histogram->rows = ((rows - 1) >> shift) + 1;
  memset(histogram->bin, 0, histogram->rows * sizeof histogram->bin[0]);
  for (int r = 0; r < histogram->rows; r++) {
    int last = ((r + 1) << shift) < rows ? (r + 1) << shift : rows;
    histogram->y[r] = stx_grid_top(grid, r << shift) + stx_grid_top(grid, last) - 1;
  }
}

static void fill_histogram(const StxGrid *grid, const void *columns, Histogram *histogram)
{
  int rows = stx_grid_rows(grid), count = stx_grid_columns(grid), shift = row_shift(rows);
  int64_t cells = (int64_t)rows * count;
  int step = (int)((cells + MAX_CELLS - 1) / MAX_CELLS);
  prepare_rows(grid, shift, histogram);
  for (int c = step / 2; c < count; c += step)
    add_column(stx_column(grid, (void *)columns, 0, c), stx_column(grid, (void *)columns, 1, c),
        rows, shift, histogram);
  for (int r = 0; r < histogram->rows; r++) {
    uint32_t sum = 0;
    for (int b = 0; b < BINS; b++) {
      histogram->upto[r][b] = sum;
      sum += histogram->bin[r][b].weight;
    }
    histogram->upto[r][BINS] = sum;
  }
}

/* Σ weight of the bins [from, to] of a row. */
static uint32_t weight_between(const Histogram *histogram, int row, int from, int to)
{
  from = from < 0 ? 0 : from;
  to = to >= BINS ? BINS - 1 : to;
  return from > to ? 0 : histogram->upto[row][to + 1] - histogram->upto[row][from];
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* In 1/256 px; negative above the horizon. */
static int64_t line_at(const Line *line, int y)
{
  return (line->offset + line->slope * y) >> 16;
}

static Line line_through(const Histogram *histogram, Point a, Point b)
{
  int32_t ya = histogram->y[a.row], yb = histogram->y[b.row];
  Line line = {(int64_t)(b.disparity - a.disparity) * 65536 / (yb - ya), 0};
  line.offset = (int64_t)a.disparity * 65536 - line.slope * ya;
  return line;
}

static Line line_from(const StxRoadLine *road)
{
  int64_t slope = (int64_t)floor(road->slope * 128 * 65536 + 0.5);
  return (Line){slope, (int64_t)floor(-2 * road->horizon * slope + 0.5)};
}

static StxRoadLine line_to(const Line *line)
{
  return (StxRoadLine){.slope = line->slope / (128.0 * 65536),
      .horizon = line->slope > 0 ? -0.5 * line->offset / line->slope : 0};
}

/* True if the line is one that a road could have. */
static bool is_plausible(const Line *line, int height, const StxRoadLine *prior)
{
  if (line->slope <= 0 || line_at(line, 2 * height - 2) < MIN_BOTTOM)
    return false;
  StxRoadLine road = line_to(line);
  if (prior != NULL)
    return fabs(road.slope - prior->slope) <= PRIOR_SLOPE * prior->slope &&
           fabs(road.horizon - prior->horizon) <= PRIOR_HORIZON * height;
  return road.horizon >= -0.5 * height && road.horizon <= 0.9 * height;
}

/* Weight of a row's cells on the line, and of those farther away than the road can be: beyond a
 * margin that grows with the disparity, as cambers and kerbs do. */
typedef struct {
  int64_t on, behind;
  bool supported;
} RowWeights;

static RowWeights weigh_row(const Histogram *histogram, int r, int64_t d)
{
  int bin = d < 256 * BINS ? (int)(d >> 8) : BINS + NEAR;
  uint32_t on = weight_between(histogram, r, bin - NEAR, bin + NEAR);
  return (RowWeights){on, weight_between(histogram, r, 0, bin - NEAR - FAR - bin / 8),
      on > 0 && on >= histogram->upto[r][BINS] / 16};
}

/* Some rows will do where there are many. */
static int64_t score(const Histogram *histogram, const Line *line)
{
  int step = (histogram->rows + SCORED_ROWS - 1) / SCORED_ROWS;
  int64_t sum = 0, rows = 0, supported = 0;
  for (int r = histogram->rows - 1; r >= 0; r -= step) {
    int64_t d = line_at(line, histogram->y[r]);
    if (d < 256)
      break;
    RowWeights row = weigh_row(histogram, r, d);
    sum += row.on - row.behind;
    supported += row.supported;
    rows++;
  }
  return rows > 0 ? sum * supported / rows : 0;
}

/* ---- Candidates --------------------------------------------------------------------------- */

/* The highest pair of neighbouring bins of a row that is not beside one already found. */
static int next_peak(const Histogram *histogram, int row, const Point *found, int count)
{
  uint32_t best = 0;
  int best_bin = -1;
  for (int b = 0; b + 1 < BINS; b++) {
    uint32_t weight = weight_between(histogram, row, b, b + 1);
    bool taken = false;
    for (int i = 0; i < count; i++)
      taken |= (found[i].disparity >> 8) >= b - 2 && (found[i].disparity >> 8) <= b + 3;
    if (weight > best && !taken) {
      best = weight;
      best_bin = b;
    }
  }
  return best_bin;
}

/* The mean disparity of two neighbouring bins that are not both empty. */
static int peak_disparity(const Bin *pair, int bin)
{
  uint64_t weight = (uint64_t)pair[0].weight + pair[1].weight;
  uint64_t moment = (uint64_t)pair[0].moment + pair[1].moment + 256ull * pair[1].weight;
  return bin * 256 + (int)(moment / weight);
}

/* Points in order from the bottom row of the image up. */
static int find_points(const Histogram *histogram, Point points[ANCHORS * PEAKS])
{
  int count = 0;
  for (int i = 0; i < ANCHORS; i++) {
    int row = histogram->rows - 1 - i * histogram->rows / ANCHORS;
    int first = count;
    if (count > 0 && points[count - 1].row == row)
      continue;
    for (int k = 0; k < PEAKS; k++) {
      int bin = next_peak(histogram, row, points + first, count - first);
      if (bin < 0)
        break;
      points[count++] = (Point){row, peak_disparity(&histogram->bin[row][bin], bin)};
    }
  }
  return count;
}

/* The best plausible line so far. */
typedef struct {
  const StxRoadLine *prior;
  Line line;
  int64_t score;
} Best;

static void consider(const Histogram *histogram, Line line, Best *best)
{
  if (!is_plausible(&line, histogram->height, best->prior))
    return;
  int64_t s = score(histogram, &line);
  if (s > best->score) {
    best->score = s;
    best->line = line;
  }
}

static Best best_candidate(const Histogram *histogram, const StxRoadLine *prior)
{
  Point points[ANCHORS * PEAKS];
  int count = find_points(histogram, points);
  Best best = {.prior = prior};
  if (prior != NULL)
    consider(histogram, line_from(prior), &best);
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      if (points[i].row != points[j].row)
        consider(histogram, line_through(histogram, points[i], points[j]), &best);
  return best;
}

/* ---- Refinement --------------------------------------------------------------------------- */

/* Moments of the cells near a line; exact: Σ weight <= 15 · 2^15, y and d < 2^16. */
typedef struct {
  int64_t w, y, d, yy, yd;
} Moments;

static void add_row(const Histogram *histogram, int r, int bin, int near, Moments *sums)
{
  int64_t y = histogram->y[r];
  for (int b = bin - near; b <= bin + near; b++) {
    if (b < 0 || b >= BINS)
      continue;
    int64_t w = histogram->bin[r][b].weight;
    int64_t d = histogram->bin[r][b].moment + 256 * b * w;
    sums->w += w;
    sums->y += w * y;
    sums->d += d;
    sums->yy += w * y * y;
    sums->yd += d * y;
  }
}

/* Moves the line to the least squares fit of the cells within `near` bins of it. */
static bool refine(const Histogram *histogram, int near, Line *line)
{
  Moments m = {0};
  for (int r = histogram->rows - 1; r >= 0; r--) {
    int64_t d = line_at(line, histogram->y[r]);
    if (d < 256)
      break;
    if (d < 256 * BINS)
      add_row(histogram, r, (int)(d >> 8), near, &m);
  }
  __int128 det = (__int128)m.w * m.yy - (__int128)m.y * m.y;
  if (det <= 0)
    return false;
  double slope = (double)((__int128)m.w * m.yd - (__int128)m.y * m.d) / (double)det;
  double offset = ((double)m.d - slope * (double)m.y) / (double)m.w;
  line->slope = (int64_t)floor(slope * 65536 + 0.5);
  line->offset = (int64_t)floor(offset * 65536 + 0.5);
  return true;
}

/* ---- Support ------------------------------------------------------------------------------ */

/* The share of the weight below the horizon that lies on the line; 0 if too few rows have any. */
static double support(const Histogram *histogram, const Line *line)
{
  int64_t on = 0, all = 0;
  int rows = 0, supported = 0;
  for (int r = histogram->rows - 1; r >= 0; r--) {
    int64_t d = line_at(line, histogram->y[r]);
    if (d < 0)
      break;
    RowWeights row = weigh_row(histogram, r, d);
    on += row.on;
    all += histogram->upto[r][BINS];
    supported += row.supported;
    rows++;
  }
  return 2 * supported < rows || all == 0 ? 0 : (double)on / (double)all;
}

/* ---- Entry points ------------------------------------------------------------------------- */

bool stx_roadline_from_camera(const StxCamera *camera, StxRoadLine *line)
{
  if (!stx_camera_has_ground(camera))
    return false;
  line->slope = camera->baseline / camera->height * cos(camera->pitch);
  line->horizon = camera->cy - camera->focal * tan(camera->pitch);
  line->support = 1;
  return true;
}

size_t stx_roadline_scratch(const StxGrid *grid)
{
  return sizeof(Histogram);
}

bool stx_roadline_estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, void *scratch)
{
  Histogram *histogram = scratch;
  if (prior != NULL && !(prior->slope > 0 && prior->slope < BINS && fabs(prior->horizon) < 1e6))
    return false;
  fill_histogram(grid, columns, histogram);
  Best best = best_candidate(histogram, prior);
  Line found = best.line;
  if (best.score <= 0)
    return false;
  for (int i = 0; i < 3; i++)
    if (!refine(histogram, i == 0 ? 2 : 1, &found))
      return false;
  double share = support(histogram, &found);
  if (share < MIN_SUPPORT || !is_plausible(&found, grid->height, prior))
    return false;
  *line = line_to(&found);
  line->support = share;
  return true;
}
