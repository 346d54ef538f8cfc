/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A floor without texture, black or overexposed, has no cells that lie. Then the feet of what
 * stands on it tell: the lowest front of each column above a hole. No foot is behind the floor, and
 * most are on it. RANSAC with every two of them; decisions are made with integers.
 */
#include "common/roadline/roadline_private.h"

#include <math.h>
#include <stdlib.h>

#define COLUMNS 128 /* that are looked at */
#define HOLE 12     /* a hole has one in so many rows, at least */
#define KNOWN 3     /* at most one in so many cells of a hole is known */
#define OPEN 2      /* one in so many of the feet above holes is on the line, at least */
#define ALL 4       /* one in so many columns has a foot on the line, at least */
#define BEHIND 4    /* for so many of these feet, one is behind the line, at most */
#define THIRD 8     /* one in so many of these feet is in each third of their rows */

/* y is twice the distance of its lower end from the top row; below an open one is a hole. */
typedef struct {
  int64_t y, d;
  bool open;
} Foot;

static bool is_known(const uint16_t *d, const uint16_t *weight, int r)
{
  return d[r] >= 256 && weight[r] > 0;
}

/* True if the cells [r, r + run) are known and of one disparity. */
static bool is_front(const uint16_t *d, const uint16_t *weight, int r, int run)
{
  int least = d[r], most = d[r];
  bool known = true;
  for (int i = r; i < r + run; i++) {
    known &= is_known(d, weight, i);
    least = d[i] < least ? d[i] : least;
    most = d[i] > most ? d[i] : most;
  }
  return known && most - least <= 256 + most / 16;
}

static int find_feet(const StxRoadCells *cells, int step, Foot *feet)
{
  const StxGrid *grid = cells->grid;
  int rows = stx_grid_rows(grid), run = cells->span / grid->cell_height, count = 0;
  for (int c = step / 2; c < stx_grid_columns(grid); c += step) {
    const uint16_t *d = stx_column(grid, (void *)cells->columns, 0, c);
    const uint16_t *weight = stx_column(grid, (void *)cells->columns, 1, c);
    int r = rows - run, known = 0;
    while (r >= 0 && !is_front(d, weight, r, run)) {
      r--;
      known += is_known(d, weight, r + run);
    }
    int below = rows - r - run;
    if (r >= 0)
      feet[count++] = (Foot){2 * stx_grid_top(grid, r + run) - 1, d[r + run / 2],
          HOLE * below >= rows && KNOWN * known <= below};
  }
  return count;
}

/* −1: the foot is behind the line, 0: on it, 1: nearer. */
static int side_of(const StxRoadInt *line, const Foot *foot)
{
  int64_t d = stx_road_int_at(line, (int)foot->y), off = foot->d - d, near = 256 + d / 16;
  return d < 256 || off > near ? 1 : off < -near ? -1 : 0;
}

/* The open feet on a line, and all behind it. */
typedef struct {
  StxRoadMoments m;
  int64_t first, last, near, far; /* rows and disparities */
  int on, behind;
} Standing;

static Standing stand(const StxRoadInt *line, const Foot *feet, int count)
{
  Standing s = {.first = INT32_MAX, .far = INT32_MAX};
  for (int i = 0; i < count; i++) {
    int64_t y = feet[i].y, d = feet[i].d;
    int side = side_of(line, &feet[i]);
    s.behind += side < 0;
    if (side != 0 || !feet[i].open)
      continue;
    s.on++;
    s.m = (StxRoadMoments){s.on, s.m.y + y, s.m.d + d, s.m.yy + y * y, s.m.yd + y * d};
    s.first = y < s.first ? y : s.first;
    s.last = y > s.last ? y : s.last;
    s.far = d < s.far ? d : s.far;
    s.near = d > s.near ? d : s.near;
  }
  return s;
}

/* Two things always make a line: there are to be three at least, at other distances. */
static bool is_spread(const Standing *s, const StxRoadInt *line, const Foot *feet, int count)
{
  int third[3] = {0};
  for (int i = 0; i < count; i++)
    if (feet[i].open && side_of(line, &feet[i]) == 0)
      third[3 * (feet[i].y - s->first) / (s->last - s->first + 1)]++;
  int least = third[0] < third[1] ? third[0] : third[1];
  least = third[2] < least ? third[2] : least;
  return THIRD * least >= s->on && 2 * s->near >= 3 * s->far;
}

/* Not from steeply above, where things hide what they stand on. */
static bool can_be_floor(const StxRoadInt *line, int height)
{
  return stx_road_int_at(line, -height) <= 0 && stx_road_int_at(line, 2 * height - 2) >= 3 * 256;
}

static StxRoadInt best_line(const StxRoadCells *cells, const Foot *feet, int count)
{
  StxRoadInt found = {0};
  int best = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      const Foot *a = &feet[i], *b = &feet[j];
      if (!a->open || !b->open || (b->d - a->d) * (b->y - a->y) <= 0)
        continue;
      StxRoadInt line = {(b->d - a->d) * 65536 / (b->y - a->y), 0};
      line.offset = a->d * 65536 - line.slope * a->y;
      if (!can_be_floor(&line, cells->grid->height))
        continue;
      Standing s = stand(&line, feet, count);
      if (s.on - s.behind > best) {
        best = s.on - s.behind;
        found = line;
      }
    }
  return found;
}

/* Least squares of the feet on a line; 128 · 128 · 2^33 fits. */
static bool fit(const StxRoadMoments *m, StxRoadInt *line)
{
  double yy = (double)(m->w * m->yy - m->y * m->y), yd = (double)(m->w * m->yd - m->y * m->d);
  if (!(yy > 0 && yd > 0 && yd / yy < 128 * STX_ROAD_BINS))
    return false;
  double slope = yd / yy, offset = ((double)m->d - slope * (double)m->y) / (double)m->w;
  *line = (StxRoadInt){(int64_t)floor(slope * 65536 + 0.5), (int64_t)floor(offset * 65536 + 0.5)};
  return true;
}

double stx_road_of_feet(const StxRoadCells *cells, StxRoadInt *line)
{
  Foot feet[COLUMNS];
  int all = stx_grid_columns(cells->grid), step = (all + COLUMNS - 1) / COLUMNS, open = 0;
  int count = find_feet(cells, step, feet), columns = (all - step / 2 + step - 1) / step;
  for (int i = 0; i < count; i++)
    open += feet[i].open;
  if (ALL * open < columns)
    return 0;
  *line = best_line(cells, feet, count);
  if (line->slope == 0)
    return 0;
  Standing s = stand(line, feet, count);
  bool good = OPEN * s.on >= open && ALL * s.on >= columns && BEHIND * s.behind <= s.on &&
              is_spread(&s, line, feet, count) && fit(&s.m, line) &&
              can_be_floor(line, cells->grid->height);
  return good ? (double)s.on / columns : 0;
}
