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
#include "common/roadline/roadline_private.h"

#include <math.h>
#include <string.h>

#define MAX_CELLS 32768 /* looked at */

/* ---- The histogram -------------------------------------------------------------------------- */

static void add_cell(uint32_t disparity, uint32_t weight, StxRoadBin *bins)
{
  uint32_t w = (weight + 2048u) >> 12;
  StxRoadBin *bin = &bins[disparity >> 8];
  bin->weight += disparity > 0 ? w : 0;
  bin->moment += disparity > 0 ? w * (disparity & 255) : 0;
}

/* A column, and the rows of cells that the bins are of. */
typedef struct {
  const uint16_t *disparity, *weight;
  int rows, shift;
} Column;

/* Only those of its cells that lie. */
static void add_lying(
    const Column *c, const StxRoadLying *lying, int cell_height, StxRoadHistogram *histogram)
{
  int reach = lying->reach, span = 2 * reach * cell_height;
  for (int r = reach; r < c->rows - reach; r++) {
    int64_t above = c->disparity[r - reach], below = c->disparity[r + reach];
    int64_t growth = below - above, off = 2 * (int64_t)c->disparity[r] - above - below;
    if (above > 0 && growth >= lying->low * span && growth <= lying->high * span &&
        2 * (off < 0 ? -off : off) <= growth)
      add_cell(c->disparity[r], c->weight[r], histogram->bin[r >> c->shift]);
  }
}

void stx_road_histogram(const StxGrid *grid, const void *columns, const StxRoadLying *lying,
    StxRoadHistogram *histogram)
{
  int rows = stx_grid_rows(grid), count = stx_grid_columns(grid), shift = 0;
  int64_t cells = (int64_t)rows * count;
  int step = (int)((cells + MAX_CELLS - 1) / MAX_CELLS);
  while (((rows - 1) >> shift) >= STX_ROAD_ROW_BINS)
    shift++;
  histogram->height = grid->height;
  histogram->rows = ((rows - 1) >> shift) + 1;
  memset(histogram->bin, 0, histogram->rows * sizeof histogram->bin[0]);
  for (int r = 0; r < histogram->rows; r++) {
    int last = ((r + 1) << shift) < rows ? (r + 1) << shift : rows;
    histogram->y[r] = stx_grid_top(grid, r << shift) + stx_grid_top(grid, last) - 1;
  }
  for (int c = step / 2; c < count; c += step) {
    Column column = {stx_column(grid, (void *)columns, 0, c),
        stx_column(grid, (void *)columns, 1, c), rows, shift};
    for (int r = 0; r < rows && lying == NULL; r++)
      add_cell(column.disparity[r], column.weight[r], histogram->bin[r >> shift]);
    if (lying != NULL)
      add_lying(&column, lying, grid->cell_height, histogram);
  }
  for (int r = 0; r < histogram->rows; r++) {
    uint32_t sum = 0;
    for (int b = 0; b < STX_ROAD_BINS; b++) {
      histogram->upto[r][b] = sum;
      sum += histogram->bin[r][b].weight;
    }
    histogram->upto[r][STX_ROAD_BINS] = sum;
  }
}

/* ---- Peaks --------------------------------------------------------------------------- */

/* The highest pair of neighbouring bins of a row that is not beside one already found. */
static int next_peak(
    const StxRoadHistogram *histogram, int row, const StxRoadPoint *found, int count)
{
  uint32_t best = 0;
  int best_bin = -1;
  for (int b = 0; b + 1 < STX_ROAD_BINS; b++) {
    uint32_t weight = stx_road_weight(histogram, row, b, b + 1);
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

int stx_road_points(const StxRoadHistogram *histogram, int anchors, StxRoadPoint *points)
{
  int count = 0;
  for (int i = 0; i < anchors; i++) {
    int row = histogram->rows - 1 - i * histogram->rows / anchors;
    int first = count;
    if (count > 0 && points[count - 1].row == row)
      continue;
    for (int k = 0; k < STX_ROAD_PEAKS; k++) {
      int bin = next_peak(histogram, row, points + first, count - first);
      if (bin < 0)
        break;
      /* The mean disparity of both bins, which are not both empty. */
      const StxRoadBin *pair = &histogram->bin[row][bin];
      uint64_t weight = (uint64_t)pair[0].weight + pair[1].weight;
      uint64_t moment = (uint64_t)pair[0].moment + pair[1].moment + 256ull * pair[1].weight;
      points[count++] = (StxRoadPoint){row, bin * 256 + (int)(moment / weight)};
    }
  }
  return count;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

void stx_road_add_row(
    const StxRoadHistogram *histogram, int r, int bin, int near, StxRoadMoments *sums)
{
  int64_t y = histogram->y[r];
  for (int b = bin - near; b <= bin + near; b++) {
    if (b < 0 || b >= STX_ROAD_BINS)
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

#define SCORED_ROWS 64
#define ANCHORS 16
#define MIN_SUPPORT 0.15
#define MIN_BOTTOM (3 * 256) /* disparity of the road at the bottom of the image, 1/256 px */
#define PRIOR_SLOPE 0.25
#define PRIOR_HORIZON 0.1

/* ---- Lines -------------------------------------------------------------------------------- */

static StxRoadLine line_to(const StxRoadInt *line)
{
  return (StxRoadLine){.slope = line->slope / (128.0 * 65536),
      .horizon = line->slope > 0 ? -0.5 * line->offset / line->slope : 0};
}

/* True if the line is one that a road could have. */
static bool is_plausible(const StxRoadInt *line, int height, const StxRoadLine *prior)
{
  if (line->slope <= 0 || stx_road_int_at(line, 2 * height - 2) < MIN_BOTTOM)
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

static RowWeights weigh_row(const StxRoadHistogram *histogram, int r, int64_t d)
{
  int bin = d < 256 * STX_ROAD_BINS ? (int)(d >> 8) : STX_ROAD_BINS + STX_ROAD_NEAR;
  uint32_t on = stx_road_weight(histogram, r, bin - STX_ROAD_NEAR, bin + STX_ROAD_NEAR);
  return (RowWeights){on,
      stx_road_weight(histogram, r, 0, bin - STX_ROAD_NEAR - STX_ROAD_FAR - bin / 8),
      on > 0 && on >= histogram->upto[r][STX_ROAD_BINS] / 16};
}

/* Some rows will do where there are many. */
static int64_t score(const StxRoadHistogram *histogram, const StxRoadInt *line)
{
  int step = (histogram->rows + SCORED_ROWS - 1) / SCORED_ROWS;
  int64_t sum = 0, rows = 0, supported = 0;
  for (int r = histogram->rows - 1; r >= 0; r -= step) {
    int64_t d = stx_road_int_at(line, histogram->y[r]);
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

/* The best plausible line so far. */
typedef struct {
  const StxRoadLine *prior;
  StxRoadInt line;
  int64_t score;
} Best;

static void consider(const StxRoadHistogram *histogram, StxRoadInt line, Best *best)
{
  if (!is_plausible(&line, histogram->height, best->prior))
    return;
  int64_t s = score(histogram, &line);
  if (s > best->score) {
    best->score = s;
    best->line = line;
  }
}

static Best best_candidate(const StxRoadHistogram *histogram, const StxRoadLine *prior)
{
  StxRoadPoint points[ANCHORS * STX_ROAD_PEAKS];
  int count = stx_road_points(histogram, ANCHORS, points);
  Best best = {.prior = prior};
  if (prior != NULL) {
    int64_t slope = (int64_t)floor(prior->slope * 128 * 65536 + 0.5);
    StxRoadInt line = {slope, (int64_t)floor(-2 * prior->horizon * slope + 0.5)};
    consider(histogram, line, &best);
  }
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      if (points[i].row != points[j].row)
        consider(histogram, stx_road_through(histogram, points[i], points[j]), &best);
  return best;
}

/* ---- Refinement --------------------------------------------------------------------------- */

/* Moves the line to the least squares fit of the cells within `near` bins of it. */
static bool refine(const StxRoadHistogram *histogram, int near, StxRoadInt *line)
{
  StxRoadMoments m = {0};
  for (int r = histogram->rows - 1; r >= 0; r--) {
    int64_t d = stx_road_int_at(line, histogram->y[r]);
    if (d < 256)
      break;
    if (d < 256 * STX_ROAD_BINS)
      stx_road_add_row(histogram, r, (int)(d >> 8), near, &m);
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
static double support(const StxRoadHistogram *histogram, const StxRoadInt *line)
{
  int64_t on = 0, all = 0;
  int rows = 0, supported = 0;
  for (int r = histogram->rows - 1; r >= 0; r--) {
    int64_t d = stx_road_int_at(line, histogram->y[r]);
    if (d < 0)
      break;
    RowWeights row = weigh_row(histogram, r, d);
    on += row.on;
    all += histogram->upto[r][STX_ROAD_BINS];
    supported += row.supported;
    rows++;
  }
  return 2 * supported < rows || all == 0 ? 0 : (double)on / (double)all;
}

/* ---- Bent lines --------------------------------------------------------------------------- */

/* A straight piece: its disparity is d at `row`. */
typedef struct {
  double row, d, slope;
} Piece;

/* The piece on which a row lies; beyond all bends for -INFINITY. */
static Piece piece_at(const StxRoadLine *line, double row)
{
  Piece piece = {line->horizon, 0, line->slope};
  for (int i = 0; i < line->bends && row < line->bend[i].row; i++)
    piece = (Piece){line->bend[i].row, piece.d + piece.slope * (line->bend[i].row - piece.row),
        line->bend[i].slope};
  return piece;
}

double stx_roadline_at(const StxRoadLine *line, double row)
{
  Piece piece = piece_at(line, row);
  return piece.d + piece.slope * (row - piece.row);
}

double stx_roadline_end(const StxRoadLine *line)
{
  Piece piece = piece_at(line, -INFINITY);
  return piece.row - piece.d / piece.slope;
}

double stx_roadline_slope(const StxRoadLine *line, double row)
{
  return piece_at(line, row).slope;
}

StxRoadLine stx_roadline_times(const StxRoadLine *line, double factor)
{
  StxRoadLine scaled = *line;
  scaled.slope *= factor;
  for (int i = 0; i < scaled.bends; i++)
    scaled.bend[i].slope *= factor;
  return scaled;
}

/* ---- Entry points ------------------------------------------------------------------------- */

bool stx_roadline_from_camera(const StxCamera *camera, StxRoadLine *line)
{
  if (!stx_camera_has_ground(camera))
    return false;
  *line = (StxRoadLine){.slope = camera->baseline / camera->height * cos(camera->pitch),
      .horizon = camera->cy - camera->focal * tan(camera->pitch),
      .support = 1};
  return true;
}

size_t stx_roadline_scratch(const StxGrid *grid)
{
  return 2 * sizeof(StxRoadHistogram);
}

/* With 256 steps in a pixel. */
static bool estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, void *scratch)
{
  StxRoadHistogram *histogram = scratch;
  if (prior != NULL &&
      !(prior->slope > 0 && prior->slope < STX_ROAD_BINS && fabs(prior->horizon) < 1e6))
    return false;
  stx_road_histogram(grid, columns, NULL, histogram);
  Best best = best_candidate(histogram, prior);
  StxRoadInt found = best.line;
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

bool stx_roadline_estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, void *scratch)
{
  double pixel = stx_grid_pixel(grid);
  StxRoadLine near;
  if (prior != NULL)
    near = stx_roadline_times(prior, 1 / pixel);
  if (!estimate(grid, columns, prior != NULL ? &near : NULL, line, scratch))
    return false;
  *line = stx_roadline_times(line, pixel);
  return true;
}
