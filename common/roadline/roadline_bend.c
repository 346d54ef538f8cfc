/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bends of a road that rises or falls ahead, in the v-disparity histogram.
 *
 * A road of slope s from a distance z₀ on lies, in a frame in which it is level before that, at
 *
 *   row = cy + (H + s·z₀)·D/B − f·s     a line in (row, D), flatter or steeper than the near one,
 *                                       that meets it at D = f·B/z₀
 *
 * so a road of several slopes is a polyline. It is searched among the points of ANCHORS rows, by
 * dynamic programming from the bottom of the image up:
 *
 *   score      Σ over rows of  L on the polyline (its bin and the two beside it) − H behind it
 *              − BEND of Σ L for each bend. H: all cells; L: cells that lie, which leaves out
 *              most of houses and cars, through whose far ends a polyline could be drawn, too.
 *              In few rows is there nothing of a road, so these cost something
 *   refined    by least squares on the cells near it, the knots staying in their rows
 *
 * Whatever is summed and compared is an integer but the least squares of the knots, in doubles.
 */
#include "common/roadline/roadline_private.h"

#include <math.h>

#define ANCHORS 20
#define MAX_POINTS (ANCHORS * STX_ROAD_PEAKS)
#define SCORED_ROWS 64
#define LEAST_SLOPE .12 /* of the near line's: steeper roads are walls */
#define MOST_SLOPE 4.0
#define MOST_SHIFT .2 /* of the near line's disparity at the bottom of the image */
#define BEND .02      /* share of the weight that a bend must bring */
#define MISS 16       /* rows without road that cost as much as a bend */
#define SEEN 32       /* a row has road where one of so many of its cells is on it */
#define NOWHERE INT64_MIN

typedef struct {
  const StxRoadHistogram *all, *lying;
  int step;             /* rows scored are this far apart */
  double slope, bottom; /* of the near line: 1/256 px per half row, 1/256 px */
  int count;
  StxRoadPoint point[MAX_POINTS];
  int64_t bend, miss; /* what a bend costs, and a row without road */
} Search;

/* ---- Score -------------------------------------------------------------------------------- */

/* Returns a line's score over the rows of bins (above, below]; ends where the line does. */
static int64_t score_rows(const Search *s, const StxRoadInt *line, int above, int below)
{
  int64_t sum = 0;
  int last = s->all->rows - 1;
  for (int r = last - (last - below + s->step - 1) / s->step * s->step; r > above; r -= s->step) {
    int64_t d = stx_road_int_at(line, s->all->y[r]);
    if (d < 256)
      break;
    int bin = d < 256 * STX_ROAD_BINS ? (int)(d >> 8) : STX_ROAD_BINS + STX_ROAD_NEAR;
    int64_t on = stx_road_weight(s->lying, r, bin - STX_ROAD_NEAR, bin + STX_ROAD_NEAR);
    sum += SEEN * on < stx_road_row(s->all, r) ? -s->miss : on;
    sum -= stx_road_weight(s->all, r, 0, bin - STX_ROAD_NEAR - STX_ROAD_FAR - bin / 8);
  }
  return sum;
}

/* ---- Search ------------------------------------------------------------------------------- */

/* True if a road may lead from the point a up to the point b. */
static bool leads(const Search *s, StxRoadPoint a, StxRoadPoint b, StxRoadInt *line)
{
  if (b.row >= a.row || b.disparity >= a.disparity)
    return false;
  *line = stx_road_through(s->all, a, b);
  double slope = (double)line->slope / 65536;
  return slope >= LEAST_SLOPE * s->slope && slope <= MOST_SLOPE * s->slope;
}

/* The best polylines from the bottom to each point, by number of their bends, that one included. */
typedef struct {
  int64_t score[STX_ROAD_BENDS + 1][MAX_POINTS];
  int8_t from[STX_ROAD_BENDS + 1][MAX_POINTS]; /* the point before */
} Paths;

/* A whole one: its last piece leads from point `a` to point `b` and on. */
typedef struct {
  int64_t score;
  int bends, a, b;
} Whole;

/* Offers a piece from a to b to the polylines that end, or bend, at b. */
static void offer(const Search *s, Paths *paths, int a, int b, Whole *best)
{
  StxRoadInt line;
  if (!leads(s, s->point[a], s->point[b], &line))
    return;
  int last = s->all->rows - 1, row_a = s->point[a].row, row_b = s->point[b].row;
  int64_t piece = score_rows(s, &line, row_b, row_a), tail = score_rows(s, &line, -1, row_b);
  double bottom = (double)stx_road_int_at(&line, 2 * s->all->height - 2);
  bool may_begin = fabs(bottom - s->bottom) <= MOST_SHIFT * s->bottom;
  for (int bends = 0; bends <= STX_ROAD_BENDS; bends++) {
    int64_t below = bends > 0   ? paths->score[bends][a]
                    : may_begin ? score_rows(s, &line, row_a, last)
                                : NOWHERE;
    if (below == NOWHERE)
      continue;
    if (below + piece + tail > best->score)
      *best = (Whole){below + piece + tail, bends, a, b};
    if (bends < STX_ROAD_BENDS && below + piece - s->bend > paths->score[bends + 1][b]) {
      paths->score[bends + 1][b] = below + piece - s->bend;
      paths->from[bends + 1][b] = (int8_t)a;
    }
  }
}

/* ---- Knots -------------------------------------------------------------------------------- */

/* A polyline by its knots, from the bottom row of the image to its end: half image rows, falling,
 * and 1/256 px. */
typedef struct {
  int count;
  double y[STX_ROAD_BENDS + 2], d[STX_ROAD_BENDS + 2];
} Knots;

static double at(const Knots *k, int i, double y)
{
  return k->d[i] + (y - k->y[i]) * (k->d[i + 1] - k->d[i]) / (k->y[i + 1] - k->y[i]);
}

/* Back along the path. */
static Knots knots_of_points(const Search *s, const Paths *paths, Whole best)
{
  Knots k = {.count = best.bends + 2};
  int a = best.a, b = best.b;
  StxRoadInt line = stx_road_through(s->all, s->point[a], s->point[b]);
  k.y[k.count - 1] = -(double)line.offset / (double)line.slope;
  for (int i = best.bends; i > 0; i--) {
    k.y[i] = s->all->y[s->point[a].row];
    k.d[i] = s->point[a].disparity;
    b = a;
    a = paths->from[i][a];
  }
  line = stx_road_through(s->all, s->point[a], s->point[b]);
  k.y[0] = 2 * s->all->height - 2;
  k.d[0] = (double)(line.offset + line.slope * (2 * s->all->height - 2)) / 65536;
  return k;
}

static Knots knots_of_line(const StxRoadLine *line, int height)
{
  Knots k = {.count = line->bends + 2};
  k.y[0] = 2 * height - 2;
  for (int i = 0; i < line->bends; i++)
    k.y[i + 1] = 2 * line->bend[i].row;
  k.y[k.count - 1] = 2 * stx_roadline_end(line);
  for (int i = 0; i + 1 < k.count; i++)
    k.d[i] = 256 * stx_roadline_at(line, k.y[i] / 2);
  return k;
}

static void knots_to_line(const Knots *k, StxRoadLine *line)
{
  double slope[STX_ROAD_BENDS + 1] = {0};
  for (int i = 0; i + 1 < k->count; i++)
    slope[i] = (k->d[i] - k->d[i + 1]) / (k->y[i] - k->y[i + 1]);
  line->slope = slope[0] / 128;
  line->horizon = (k->y[0] - k->d[0] / slope[0]) / 2;
  line->bends = k->count - 2;
  for (int i = 0; i < line->bends; i++)
    line->bend[i] = (StxRoadBend){k->y[i + 1] / 2, slope[i + 1] / 128};
}

/* Returns the score, as search() has it, for knots in any rows. */
static int64_t score_knots(const Search *s, const Knots *k)
{
  int64_t sum = -(k->count - 2) * s->bend;
  int below = s->all->rows - 1;
  for (int i = 0; i + 1 < k->count; i++) {
    double slope = (k->d[i] - k->d[i + 1]) / (k->y[i] - k->y[i + 1]);
    StxRoadInt line = {(int64_t)floor(slope * 65536 + .5), 0};
    line.offset = (int64_t)floor(65536 * (k->d[i] - slope * k->y[i]) + .5);
    int above = -1;
    for (int r = below; i + 2 < k->count && r >= 0 && above < 0; r--)
      if (s->all->y[r] <= k->y[i + 1])
        above = r;
    sum += score_rows(s, &line, above, below);
    below = above;
  }
  return sum;
}

/* ---- Refinement --------------------------------------------------------------------------- */

/* Normal equations of the knots' disparities: tridiagonal, since a cell lies between two. */
typedef struct {
  double diagonal[STX_ROAD_BENDS + 2], beside[STX_ROAD_BENDS + 2], right[STX_ROAD_BENDS + 2];
} Normal;

/* Adds the cells of a piece: t = (y − y_i)/(y_{i+1} − y_i), d ≈ (1 − t)·d_i + t·d_{i+1}. */
static void add_piece(const Knots *k, int i, const StxRoadMoments *m, Normal *n)
{
  double span = k->y[i + 1] - k->y[i], w = (double)m->w;
  double t = ((double)m->y - w * k->y[i]) / span,
         td = ((double)m->yd - (double)m->d * k->y[i]) / span;
  double tt = ((double)m->yy - 2 * k->y[i] * (double)m->y + w * k->y[i] * k->y[i]) / (span * span);
  n->diagonal[i] += w - 2 * t + tt;
  n->beside[i] += t - tt;
  n->diagonal[i + 1] += tt;
  n->right[i] += (double)m->d - td;
  n->right[i + 1] += td;
}

static void solve(Normal *n, Knots *k)
{
  int count = k->count;
  for (int i = 1; i < count; i++) {
    double factor = n->beside[i - 1] / n->diagonal[i - 1];
    n->diagonal[i] -= factor * n->beside[i - 1];
    n->right[i] -= factor * n->right[i - 1];
  }
  for (int i = count - 1; i >= 0; i--)
    k->d[i] = (n->right[i] - (i + 1 < count ? n->beside[i] * k->d[i + 1] : 0)) / n->diagonal[i];
}

/* Moves the knots to the least squares fit of the cells within `near` bins, and the last one to
 * where the road ends. */
static void refine(const Search *s, int near, Knots *k)
{
  Normal n = {{0}};
  int r = s->all->rows - 1;
  for (int i = 0; i + 1 < k->count; i++) {
    StxRoadMoments m = {0};
    for (; r >= 0 && (i + 2 == k->count || s->all->y[r] > k->y[i + 1]); r--) {
      double d = at(k, i, s->all->y[r]);
      if (d >= 256 && d < 256 * STX_ROAD_BINS)
        stx_road_add_row(s->lying, r, (int)d >> 8, near, &m);
    }
    add_piece(k, i, &m, &n);
  }
  double loose = 1;
  for (int i = 0; i < k->count; i++)
    loose += .01 * n.diagonal[i];
  for (int i = 0; i < k->count; i++) { /* what no cell is near stays where it is */
    n.diagonal[i] += loose;
    n.right[i] += loose * k->d[i];
  }
  solve(&n, k);
  int last = k->count - 1;
  double slope = (k->d[last - 1] - k->d[last]) / (k->y[last - 1] - k->y[last]);
  k->y[last] -= k->d[last] / slope;
  k->d[last] = 0;
}

/* True if a road could look like this. */
static bool is_plausible(const Search *s, const Knots *k)
{
  if (!(fabs(k->d[0] - s->bottom) <= MOST_SHIFT * s->bottom))
    return false;
  for (int i = 0; i + 1 < k->count; i++) {
    double slope = (k->d[i] - k->d[i + 1]) / (k->y[i] - k->y[i + 1]);
    if (!(k->y[i] > k->y[i + 1] && slope >= .5 * LEAST_SLOPE * s->slope &&
            slope <= 2 * MOST_SLOPE * s->slope))
      return false;
  }
  return true;
}

/* Refines, and takes what comes of it for the best if it is. */
static void consider(const Search *s, Knots k, Knots *best, int64_t *score)
{
  for (int i = 0; i < 3; i++)
    refine(s, i == 0 ? 2 : 1, &k);
  int64_t now = is_plausible(s, &k) ? score_knots(s, &k) : NOWHERE;
  if (now > *score) {
    *score = now;
    *best = k;
  }
}

/* ---- Entry point -------------------------------------------------------------------------- */

/* Fills the histograms, and finds what there is to choose from. */
static void prepare(const StxGrid *grid, const void *columns, const StxRoadLine *line,
    StxRoadScratch *scratch, Search *s)
{
  StxRoadHistogram *all = &scratch->all, *lying = &scratch->lying;
  StxRoadLying which = stx_road_lying(line->slope, LEAST_SLOPE, MOST_SLOPE);
  StxRoadCells cells = stx_road_cells(grid, columns, false, scratch);
  stx_road_histograms(&cells, line->tilt, &which, all, lying);
  *s = (Search){.all = all, .lying = lying, .slope = 128 * line->slope};
  s->step = (all->rows + SCORED_ROWS - 1) / SCORED_ROWS;
  s->bottom = 256 * stx_roadline_at(line, all->height - 1);
  s->count = stx_road_points(lying, ANCHORS, s->point);
  for (int r = all->rows - 1; r >= 0; r -= s->step)
    s->bend += stx_road_row(lying, r);
  s->bend = (int64_t)(BEND * (double)s->bend);
  s->miss = s->bend / MISS;
}

/* With 256 steps in a pixel. */
static bool bend(const StxGrid *grid, const void *columns, const StxRoadLine *before,
    StxRoadLine *line, void *scratch)
{
  Search s;
  Paths paths;
  line->bends = 0;
  if (!(line->slope > 0 && line->slope < STX_ROAD_BINS && fabs(line->horizon) < 1e6))
    return false;
  prepare(grid, columns, line, scratch, &s);
  Knots best = knots_of_line(line, grid->height);
  int64_t score = score_knots(&s, &best);
  if (before != NULL && before->bends > 0)
    consider(&s, knots_of_line(before, grid->height), &best, &score);
  /* Points come from the bottom up, so that all that leads to one is known when its turn comes. */
  Whole whole = {NOWHERE, 0, 0, 0};
  for (int bends = 0; bends <= STX_ROAD_BENDS; bends++)
    for (int i = 0; i < s.count; i++)
      paths.score[bends][i] = NOWHERE;
  for (int b = 0; b < s.count; b++)
    for (int a = 0; a < b; a++)
      offer(&s, &paths, a, b, &whole);
  if (whole.bends > 0)
    consider(&s, knots_of_points(&s, &paths, whole), &best, &score);
  if (best.count == 2)
    return false;
  knots_to_line(&best, line);
  return true;
}

bool stx_roadline_bend(const StxGrid *grid, const void *columns, const StxRoadLine *before,
    StxRoadLine *line, void *scratch)
{
  double pixel = stx_grid_pixel(grid);
  StxRoadLine near, bent = stx_roadline_times(line, 1 / pixel);
  if (before != NULL)
    near = stx_roadline_times(before, 1 / pixel);
  bool bends = bend(grid, columns, before != NULL ? &near : NULL, &bent, scratch);
  if (bends)
    *line = stx_roadline_times(&bent, pixel);
  else
    line->bends = 0;
  return bends;
}
