/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The road in the v-disparity histogram of a tilt: that of the cells whose rows are moved up or
 * down by their column until a road of this tilt is as high everywhere.
 *
 *   H(r, b)    Σ weight of the cells of row bin r whose disparity lies in [b, b+1) px
 *   L(r, b)    likewise of those that lie
 *   points     the up to PEAKS highest maxima of L(r, ·) in ANCHORS rows
 *   candidates the prior, then the lines through two points of different rows
 *   score      Σ over the rows that have some on it of  L on the line (its bin and the ones beside
 *              it) − twice H behind it, times their share of all rows: nothing can be seen through
 *              the road, so a line with much behind it runs through objects or is the top of one,
 *              and the distant background reaches over few rows. From steeply above, half of H:
 *              most is the road, and what is behind it are false matches, as on a bare table. Rows
 *              without any say nothing: there the road is hidden, or nearer than can be measured.
 *              The best one (the first of equals) of the tilts is
 *   refined    to a plane by weighted least squares on the cells near it that lie.
 *
 * Where this and the feet of things find nothing, noise or holes may hide a road. So the same is
 * done again with medians of a column, three times as far apart: noise counts less than a third.
 *
 * Without a prior the tilts are TILTS steps either way. Only the solution of the least squares is
 * floating point, from exact sums.
 *
 * A Hough transform over (slope, horizon) needs the same scores on a grid of some 10^5 lines to
 * come as near; two points of the data give them for some 10^3.
 */
#include "common/roadline/roadline_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH 12      /* pixels above and below a cell that say whether it lies */
#define WIDE_REACH 36 /* the same for a road of noise or with holes */
#define MEDIAN 2      /* values to either side of one that its median is of, for such a road */

/* ---- Cells -------------------------------------------------------------------------------- */

/* A row that counts as another: half rows by which a column is moved up for a tilt, … */
static int rise_of(double tilt, int x)
{
  return (int)floor(tilt * x + 0.5);
}

/* … and in cells. */
static int rise_cells(const StxGrid *grid, int rise)
{
  return (int)floor((double)rise / (2 * grid->cell_height) + 0.5);
}

static int column_x(const StxGrid *grid, int c)
{
  int left = c * grid->cell_width, right = left + grid->cell_width;
  return left + (right < grid->width ? right : grid->width) - grid->width;
}

static uint32_t cell_weight(uint32_t disparity, uint32_t weight)
{
  return disparity > 0 ? (weight + 2048u) >> 12 : 0;
}

/* The lower median of the known ones of up to 5 values around a cell; 0 if fewer than 2 are. */
static uint16_t median_at(const uint16_t *d, int rows, int r, int step)
{
  uint16_t known[2 * MEDIAN + 1];
  int count = 0;
  for (int i = r - MEDIAN * step; i <= r + MEDIAN * step; i += step) {
    if (i < 0 || i >= rows || d[i] == STX_DISPARITY_UNKNOWN)
      continue;
    int k = count++;
    for (; k > 0 && known[k - 1] > d[i]; k--)
      known[k] = known[k - 1];
    known[k] = d[i];
  }
  return count >= 2 ? known[(count - 1) / 2] : STX_DISPARITY_UNKNOWN;
}

/* Adds the cells of a column that lie. Near the ends of the column the cells beside the nearest one
 * that has both neighbours tell. */
static void add_lying(StxRoadCells *cells, int c, int reach, uint16_t *medians)
{
  const StxGrid *grid = cells->grid;
  const uint16_t *d = stx_column(grid, (void *)cells->columns, 0, c);
  const uint16_t *weight = stx_column(grid, (void *)cells->columns, 1, c);
  int rows = stx_grid_rows(grid), x = column_x(grid, c), most = 0;
  for (int r = 0; r < rows; r++)
    most = d[r] > most ? d[r] : most;
  for (int r = 0; r < rows && cells->wide; r++)
    medians[r] = median_at(d, rows, r, (reach + 8) / 9);
  const uint16_t *tells = cells->wide ? medians : d;
  cells->bins = (most >> 8) + 1 > cells->bins ? (most >> 8) + 1 : cells->bins;
  for (int r = 0; r < rows && rows > 2 * reach; r++) {
    int middle = r < reach ? reach : r >= rows - reach ? rows - 1 - reach : r;
    int above = tells[middle - reach], growth = tells[middle + reach] - above;
    int off = 2 * tells[middle] - above - tells[middle + reach];
    uint32_t w = cell_weight(d[r], weight[r]);
    StxRoadCell cell = {x, (uint16_t)(stx_grid_top(grid, r) + stx_grid_top(grid, r + 1) - 1),
        (uint16_t)r, d[r], (uint16_t)growth, w};
    cells->cell[cells->count] = cell;
    cells->count += w > 0 && above > 0 && growth > 0 && 2 * abs(off) <= growth;
  }
}

StxRoadCells stx_road_cells(
    const StxGrid *grid, const void *columns, bool wide, StxRoadScratch *scratch)
{
  int rows = stx_grid_rows(grid), height = grid->cell_height;
  int reach = ((wide ? WIDE_REACH : REACH) + height - 1) / height;
  int64_t count = (int64_t)rows * stx_grid_columns(grid);
  int step = (int)((count + STX_ROAD_CELLS - 1) / STX_ROAD_CELLS);
  StxRoadCells cells = {grid, columns, step, 2 * reach * height, 0, 2, wide, scratch->cell};
  for (int c = step / 2; c < stx_grid_columns(grid); c += step)
    add_lying(&cells, c, reach, scratch->column);
  return cells;
}

static bool grows(const StxRoadCells *cells, const StxRoadCell *cell, const StxRoadLying *lying)
{
  return cell->growth >= lying->low * cells->span && cell->growth <= lying->high * cells->span;
}

/* ---- The histogram -------------------------------------------------------------------------- */

static int begin_histogram(const StxGrid *grid, int bins, StxRoadHistogram *histogram)
{
  int rows = stx_grid_rows(grid), shift = 0;
  while (((rows - 1) >> shift) >= STX_ROAD_ROW_BINS)
    shift++;
  histogram->height = grid->height;
  histogram->rows = ((rows - 1) >> shift) + 1;
  histogram->bins = bins;
  for (int r = 0; r < histogram->rows; r++) {
    memset(histogram->bin[r], 0, (size_t)bins * sizeof histogram->bin[r][0]);
    int last = ((r + 1) << shift) < rows ? (r + 1) << shift : rows;
    histogram->y[r] = stx_grid_top(grid, r << shift) + stx_grid_top(grid, last) - 1;
  }
  return shift;
}

static void end_histogram(StxRoadHistogram *histogram)
{
  for (int r = 0; r < histogram->rows; r++) {
    uint32_t sum = 0;
    for (int b = 0; b < histogram->bins; b++) {
      histogram->upto[r][b] = sum;
      sum += histogram->bin[r][b].weight;
    }
    histogram->upto[r][histogram->bins] = sum;
  }
}

static void add_cell(uint32_t disparity, uint32_t w, StxRoadBin *bins)
{
  bins[disparity >> 8].weight += w;
  bins[disparity >> 8].moment += w * (disparity & 255);
}

void stx_road_histograms(const StxRoadCells *cells, double tilt, const StxRoadLying *lying,
    StxRoadHistogram *all, StxRoadHistogram *those)
{
  const StxGrid *grid = cells->grid;
  int rows = stx_grid_rows(grid), shift = begin_histogram(grid, cells->bins, all);
  begin_histogram(grid, cells->bins, those);
  for (int c = cells->step / 2; c < stx_grid_columns(grid); c += cells->step) {
    const uint16_t *d = stx_column(grid, (void *)cells->columns, 0, c);
    const uint16_t *weight = stx_column(grid, (void *)cells->columns, 1, c);
    int up = rise_cells(grid, rise_of(tilt, column_x(grid, c)));
    for (int r = up > 0 ? up : 0; r < rows && r - up < rows; r++)
      add_cell(d[r], cell_weight(d[r], weight[r]), all->bin[(r - up) >> shift]);
  }
  for (int i = 0, up = 0; i < cells->count; i++) {
    const StxRoadCell *cell = &cells->cell[i];
    if (i == 0 || cell->x != cell[-1].x)
      up = rise_cells(grid, rise_of(tilt, cell->x));
    int r = cell->row - up;
    if (r >= 0 && r < rows && grows(cells, cell, lying))
      add_cell(cell->disparity, cell->weight, those->bin[r >> shift]);
  }
  end_histogram(all);
  end_histogram(those);
}

/* ---- Peaks --------------------------------------------------------------------------- */

/* The highest pair of neighbouring bins of a row that is not beside one already found. */
static int next_peak(
    const StxRoadHistogram *histogram, int row, const StxRoadPoint *found, int count)
{
  uint32_t best = 0;
  int best_bin = -1;
  for (int b = 0; b + 1 < histogram->bins; b++) {
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
    if (b < 0 || b >= histogram->bins)
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

/* ---- Lines -------------------------------------------------------------------------------- */

#define SCORED_ROWS 64
#define ANCHORS 16
#define MIN_BOTTOM (3 * 256) /* disparity of the road at the bottom of the image, 1/256 px */
#define PRIOR_SLOPE 0.25
#define PRIOR_HORIZON 0.1
#define PRIOR_TILT 0.1
#define TILTS 4
#define REFINEMENTS 8       /* at most */
#define HYSTERESIS 8        /* another line must be better by this share of the prior's score */
#define FLATTEST (1 / 64.0) /* px per row, the least of cells that lie */
#define STEEPEST 4.0        /* px per row, the most of cells that lie */
#define LEAST_GROWTH 0.5    /* least slope of cells that lie as the plane, as a share of its */
#define MOST_GROWTH 2.0     /* most slope of cells that lie as the plane, as a share of its */
#define LEAST_ROWS 5        /* one in so many rows below the horizon is supported, at least */
#define LEAST_HEIGHT 20     /* one in so many of all rows is supported, at least */
#define STEEP_VIEW 0.5      /* picture heights above it of a steep view's horizon */
#define STEEPEST_VIEW 16.0  /* the same at most: nearly straight down */
#define STEEP_SHARE 3       /* one in so many cells is in the plane of a steep view, at least */
#define WIDE_SHARE 10       /* one in so many cells is in a plane of noise, at least */
#define FARTHEST_ROWS 3     /* so many in five rows have cells on what is farthest away */
#define FARTHEST_ON 8       /* so many cells are on it for one behind it, at least */

static StxRoadLine line_to(const StxRoadInt *line, double tilt, const StxGrid *grid)
{
  return (StxRoadLine){.slope = line->slope / (128.0 * 65536),
      .horizon = line->slope > 0 ? -0.5 * line->offset / line->slope : 0,
      .tilt = tilt,
      .centre = (grid->width - 1) / 2.0};
}

/* True if the line is one that a road could have. */
static bool is_plausible(
    const StxRoadInt *line, double tilt, const StxGrid *grid, const StxRoadLine *prior)
{
  int height = grid->height;
  if (line->slope <= 0 || stx_road_int_at(line, 2 * height - 2) < MIN_BOTTOM)
    return false;
  StxRoadLine road = line_to(line, tilt, grid);
  if (prior != NULL)
    return fabs(road.slope - prior->slope) <= PRIOR_SLOPE * prior->slope &&
           fabs(road.horizon - prior->horizon) <= PRIOR_HORIZON * height &&
           fabs(road.tilt - prior->tilt) <= PRIOR_TILT && fabs(road.tilt) <= STX_ROAD_TILT;
  return road.horizon >= -STEEPEST_VIEW * height && road.horizon <= 0.9 * height &&
         fabs(road.tilt) <= STX_ROAD_TILT;
}

typedef struct {
  const StxRoadHistogram *all, *lying;
} Histograms;

/* Weight of a row's cells that lie on the line, of all that are on it, of those farther away than
 * the road can be: beyond a margin that grows with the disparity, as cambers and kerbs do; and of
 * all. */
typedef struct {
  int64_t lying, on, behind, all;
  bool supported;
} RowWeights;

static RowWeights weigh_row(const Histograms *h, int r, int64_t d)
{
  int bin = d < 256 * STX_ROAD_BINS ? (int)(d >> 8) : STX_ROAD_BINS + STX_ROAD_BINS / 32;
  int near = STX_ROAD_NEAR + bin / 64;
  uint32_t lying = stx_road_weight(h->lying, r, bin - near, bin + near);
  uint32_t all = stx_road_row(h->all, r);
  return (RowWeights){lying, stx_road_weight(h->all, r, bin - near, bin + near),
      stx_road_weight(h->all, r, 0, bin - near - STX_ROAD_FAR - bin / 8), all,
      lying > 0 && lying >= all / 16};
}

/* True if the camera looks down steeply on a road. */
static bool is_steep(const StxRoadInt *line, int height)
{
  return (double)line->offset > 2 * STEEP_VIEW * height * (double)line->slope;
}

/* Some rows will do where there are many. */
static int64_t score(const Histograms *h, const StxRoadInt *line)
{
  int step = (h->all->rows + SCORED_ROWS - 1) / SCORED_ROWS;
  bool steep = is_steep(line, h->all->height);
  int64_t sum = 0, rows = 0, supported = 0;
  for (int r = h->all->rows - 1; r >= 0; r -= step) {
    int64_t d = stx_road_int_at(line, h->all->y[r]);
    if (d < 256)
      break;
    RowWeights row = weigh_row(h, r, d);
    if (row.supported)
      sum += row.lying - (steep ? row.behind / 2 : 2 * row.behind);
    supported += row.supported;
    rows++;
  }
  return rows > 0 ? sum * supported / rows : 0;
}

/* ---- Candidates --------------------------------------------------------------------------- */

/* A line, and its tilt. */
typedef struct {
  StxRoadInt line;
  double tilt;
} Plane;

/* The best plausible one so far. */
typedef struct {
  const StxRoadLine *prior;
  Plane plane;
  int64_t score;
  bool kept; /* it is the prior */
} Best;

static void consider(const Histograms *h, const StxGrid *grid, Plane plane, Best *best)
{
  if (!is_plausible(&plane.line, plane.tilt, grid, best->prior))
    return;
  int64_t s = score(h, &plane.line);
  if (s > best->score) {
    best->score = s;
    best->plane = plane;
    best->kept = false;
  }
}

/* Offers the candidates of a tilt. */
static void search(const StxRoadCells *cells, double tilt, StxRoadScratch *scratch, Best *best)
{
  StxRoadPoint points[ANCHORS * STX_ROAD_PEAKS];
  const StxRoadLine *prior = best->prior;
  StxRoadLying lying = prior != NULL ? stx_road_lying(prior->slope, LEAST_GROWTH, MOST_GROWTH)
                                     : stx_road_lying(1, FLATTEST, STEEPEST);
  Histograms h = {&scratch->all, &scratch->lying};
  stx_road_histograms(cells, tilt, &lying, &scratch->all, &scratch->lying);
  int count = stx_road_points(h.lying, ANCHORS, points);
  if (prior != NULL) {
    int64_t slope = (int64_t)floor(prior->slope * 128 * 65536 + 0.5);
    StxRoadInt line = {slope, (int64_t)floor(-2 * prior->horizon * slope + 0.5)};
    consider(&h, cells->grid, (Plane){line, tilt}, best);
    best->score += best->score / HYSTERESIS;
    best->kept = best->score > 0;
  }
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      if (points[i].row != points[j].row)
        consider(
            &h, cells->grid, (Plane){stx_road_through(h.lying, points[i], points[j]), tilt}, best);
}

/* ---- Refinement --------------------------------------------------------------------------- */

/* Exact moments of cells: x and y in half pixels, e how far the disparity is from the plane's so
 * far, 1/256 px. Σ weight <= 15 · 2^15, |x|, |y|, |e| <= 2^16. */
typedef struct {
  int64_t w, x, y, e, xx, xy, yy, xe, ye;
} Moments;

static StxRoadLying lying_as(const Plane *plane)
{
  return stx_road_lying(plane->line.slope / (128.0 * 65536), LEAST_GROWTH, MOST_GROWTH);
}

/* Sums the cells that lie as the plane does, within `near` times half a pixel and 1/64 of it. */
static Moments moments_near(const StxRoadCells *cells, const Plane *plane, int near)
{
  StxRoadLying lying = lying_as(plane);
  Moments m = {0};
  for (int i = 0, rise = 0; i < cells->count; i++) {
    const StxRoadCell *cell = &cells->cell[i];
    if (i == 0 || cell->x != cell[-1].x)
      rise = rise_of(plane->tilt, cell->x);
    int64_t x = cell->x, y = cell->y, w = cell->weight;
    int64_t d = (plane->line.offset + plane->line.slope * (y - rise) + (1 << 15)) >> 16;
    int64_t e = cell->disparity - d;
    if (d >= 256 && (e < 0 ? -e : e) <= near * (128 + d / 64) && grows(cells, cell, &lying))
      m = (Moments){m.w + w, m.x + w * x, m.y + w * y, m.e + w * e, m.xx + w * x * x,
          m.xy + w * x * y, m.yy + w * y * y, m.xe + w * x * e, m.ye + w * y * e};
  }
  return m;
}

/* w² times the covariance of two. */
static double covariance(int64_t w, int64_t a, int64_t b, int64_t ab)
{
  return (double)((__int128)w * ab - (__int128)a * b);
}

/* Moves the plane to the least squares fit of those cells; false if that is none. A tilt costs as
 * much as in cells a 32nd of the width from the middle, so that few columns tell next to none. */
static bool refine(const StxRoadCells *cells, int near, Plane *plane)
{
  Moments m = moments_near(cells, plane, near);
  double w = (double)m.w, loose = w * w * cells->grid->width * cells->grid->width / 256;
  double yy = covariance(m.w, m.y, m.y, m.yy), xx = covariance(m.w, m.x, m.x, m.xx) + loose;
  double xy = covariance(m.w, m.x, m.y, m.xy), ye = covariance(m.w, m.y, m.e, m.ye);
  double slope = (double)plane->line.slope / 65536, lean = -slope * plane->tilt;
  double xe = covariance(m.w, m.x, m.e, m.xe) - loose * lean, det = xx * yy - xy * xy;
  if (!(det > 0))
    return false;
  double steeper = (ye * xx - xe * xy) / det, more = (xe * yy - ye * xy) / det;
  double higher = ((double)m.e - steeper * (double)m.y - more * (double)m.x) / w;
  slope += steeper;
  if (!(slope > 0 && slope < 128 * STX_ROAD_BINS))
    return false;
  plane->tilt = floor(-(lean + more) / slope * 0x1p20 + 0.5) / 0x1p20;
  plane->line.slope = (int64_t)floor(slope * 65536 + 0.5);
  plane->line.offset += (int64_t)floor(higher * 65536 + 0.5);
  return fabs(plane->tilt) <= 2 * STX_ROAD_TILT;
}

/* True if planes differ by next to nothing: 1/16 px and 1/4 of a row. */
static bool is_same(const StxGrid *grid, const Plane *a, const Plane *b)
{
  double slope = fabs((double)(a->line.slope - b->line.slope)) * 2 * grid->height;
  double offset = fabs((double)(a->line.offset - b->line.offset));
  return slope + offset <= 16 * 65536 && fabs(a->tilt - b->tilt) * grid->width <= 0.5;
}

/* ---- Support ------------------------------------------------------------------------------ */

/* Sums over the rows below the horizon, and numbers of rows. */
typedef struct {
  RowWeights sum;          /* `behind`: of the supported rows */
  int64_t far, all_far;    /* behind it, from the lowest supported row up, and of all rows */
  int rows, supported, on; /* `on`: a 16th of the row's weight is on the line */
} Support;

static Support add_rows(const Histograms *h, const StxRoadInt *line)
{
  Support s = {0};
  for (int r = h->all->rows - 1; r >= 0; r--) {
    int64_t d = stx_road_int_at(line, h->all->y[r]);
    if (d < 256)
      break;
    RowWeights row = weigh_row(h, r, d);
    s.sum.lying += row.lying;
    s.sum.on += row.on;
    s.sum.behind += row.supported ? row.behind : 0;
    s.sum.all += row.all;
    s.supported += row.supported;
    s.far += s.supported > 0 ? row.behind : 0;
    s.all_far += row.behind;
    s.on += row.on > 0 && row.on >= row.all / 16;
    s.rows++;
  }
  return s;
}

/* The share of the weight below the horizon that is in the plane; 0 if that is no road. What few
 * rows show may as well be the top of a thing. Nothing can be seen through a road, neither in the
 * rows that show it nor, much, in those above them; below, it may be nearer than can be measured.
 * From steeply above the road is most of the picture; what leans looks the same, but is less. Where
 * noise hides what lies, the road is what most rows have farthest away. */
static double support(const StxRoadCells *cells, const Plane *plane, StxRoadScratch *scratch)
{
  StxRoadLying which = lying_as(plane);
  Histograms h = {&scratch->all, &scratch->lying};
  stx_road_histograms(cells, plane->tilt, &which, &scratch->all, &scratch->lying);
  Support s = add_rows(&h, &plane->line);
  bool steep = is_steep(&plane->line, cells->grid->height);
  bool enough =
      (steep || LEAST_ROWS * s.supported >= s.rows) && LEAST_HEIGHT * s.supported >= h.all->rows;
  bool clear = 2 * s.sum.behind <= s.sum.on && s.far <= s.sum.on &&
               (double)s.sum.lying >= STX_ROAD_LEAST * (double)s.sum.all;
  bool farthest = !steep && 5 * s.on >= FARTHEST_ROWS * s.rows &&
                  LEAST_HEIGHT * s.on >= h.all->rows && FARTHEST_ON * s.all_far <= s.sum.on;
  bool right = enough && clear && (!steep || STEEP_SHARE * s.sum.on >= s.sum.all);
  if (cells->wide)
    right = (right || farthest) && WIDE_SHARE * s.sum.on >= s.sum.all;
  return right && s.sum.all > 0 ? (double)s.sum.on / (double)s.sum.all : 0;
}

/* ---- Noise -------------------------------------------------------------------------------- */

#define NEAR_PLANE 3 /* px and a 16th of the disparity; so far off is no cell of the plane */

/* `y` as if there were no tilt. */
static int64_t off_plane(const Plane *plane, int y, int64_t disparity)
{
  int64_t d = stx_road_int_at(&plane->line, y), off = disparity - d;
  bool near = d >= 256 && disparity > 0 && llabs(off) <= 256 * NEAR_PLANE + d / 16;
  return near ? off : INT64_MAX;
}

/* From neighbours in a row, both on the plane. Slopes across the picture hardly count. */
static double noise_of(const StxRoadCells *cells, const Plane *plane)
{
  const StxGrid *grid = cells->grid;
  int64_t sum = 0, count = 0;
  for (int c = cells->step / 2; c + 1 < stx_grid_columns(grid); c += cells->step) {
    const uint16_t *left = stx_column(grid, (void *)cells->columns, 0, c);
    const uint16_t *right = stx_column(grid, (void *)cells->columns, 0, c + 1);
    int up = rise_of(plane->tilt, column_x(grid, c));
    int next = rise_of(plane->tilt, column_x(grid, c + 1));
    for (int r = 0; r < stx_grid_rows(grid); r++) {
      int y = stx_grid_top(grid, r) + stx_grid_top(grid, r + 1) - 1;
      int64_t a = off_plane(plane, y - up, left[r]), b = off_plane(plane, y - next, right[r]);
      int64_t apart = a == INT64_MAX || b == INT64_MAX ? -1 : llabs(a - b);
      apart = apart < 256 * NEAR_PLANE ? apart : 256 * NEAR_PLANE;
      sum += apart < 0 ? 0 : apart * apart;
      count += apart >= 0;
    }
  }
  return count > 0 ? sqrt((double)sum / (2 * (double)count)) / 256 : 0;
}

/* True if a plane's cells are the fronts of steps: of those between two known ones of the column
 * more than a third have nearly their disparity, where the plane's grows. */
static bool is_stepped(const StxRoadCells *cells, const Plane *plane)
{
  const StxGrid *grid = cells->grid;
  int64_t growth = (int64_t)(line_to(&plane->line, 0, grid).slope * 256 * grid->cell_height);
  int64_t fronts = 0, count = 0;
  for (int c = cells->step / 2; c < stx_grid_columns(grid); c += cells->step) {
    const uint16_t *d = stx_column(grid, (void *)cells->columns, 0, c);
    int up = rise_of(plane->tilt, column_x(grid, c));
    for (int r = 1; r + 1 < stx_grid_rows(grid); r++) {
      int y = stx_grid_top(grid, r) + stx_grid_top(grid, r + 1) - 1;
      if (off_plane(plane, y - up, d[r]) == INT64_MAX || d[r - 1] == STX_DISPARITY_UNKNOWN ||
          d[r + 1] == STX_DISPARITY_UNKNOWN)
        continue;
      count++;
      fronts += abs(d[r] - d[r - 1]) <= growth / 2 && abs(d[r + 1] - d[r]) <= growth / 2;
    }
  }
  return 3 * fronts > count;
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

StxRoadLine stx_roadline_in_column(const StxRoadLine *line, double column)
{
  StxRoadLine own = *line;
  double drop = line->tilt * (column - line->centre);
  own.horizon += drop;
  for (int i = 0; i < own.bends; i++)
    own.bend[i].row += drop;
  own.tilt = 0;
  return own;
}

StxRoadLine stx_roadline_times(const StxRoadLine *line, double factor)
{
  StxRoadLine scaled = *line;
  scaled.slope *= factor;
  scaled.noise *= factor;
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
  return sizeof(StxRoadScratch);
}

/* Returns the best plane's support. */
static double find_plane(
    const StxRoadCells *cells, const StxRoadLine *prior, StxRoadScratch *scratch, Plane *found)
{
  Best best = {.prior = prior};
  search(cells, prior != NULL ? prior->tilt : 0, scratch, &best);
  for (int i = 1; i <= TILTS && prior == NULL; i++) {
    search(cells, STX_ROAD_TILT / TILTS * i, scratch, &best);
    search(cells, -STX_ROAD_TILT / TILTS * i, scratch, &best);
  }
  *found = best.plane;
  bool right = best.score > 0;
  for (int i = 0; i < REFINEMENTS && right; i++) {
    Plane last = *found;
    right = refine(cells, i == 0 && !best.kept ? 4 : 2, found);
    if ((i > 1 || best.kept) && is_same(cells->grid, found, &last)) {
      *found = last; /* so that it stays while nothing moves */
      break;
    }
  }
  right = right && !(cells->wide && is_stepped(cells, found));
  return right ? support(cells, found, scratch) : 0;
}

/* With 256 steps in a pixel. */
static bool estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, StxRoadScratch *scratch)
{
  Plane found;
  if (prior != NULL && !(prior->slope > 0 && prior->slope < STX_ROAD_BINS &&
                           fabs(prior->horizon) < 1e6 && fabs(prior->tilt) <= 1))
    return false;
  StxRoadCells cells;
  double share = 0;
  for (int wide = 0; wide < 2 && share == 0; wide++) {
    cells = stx_road_cells(grid, columns, wide, scratch);
    share = find_plane(&cells, prior, scratch, &found);
    if (share > 0 || prior != NULL)
      continue;
    share = stx_road_of_feet(&cells, &found.line);
    found.tilt = 0;
  }
  if (share == 0 || !is_plausible(&found.line, found.tilt, grid, prior))
    return false;
  *line = line_to(&found.line, found.tilt, grid);
  line->support = share;
  line->noise = noise_of(&cells, &found);
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
