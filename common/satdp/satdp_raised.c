/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Low things on the ground, by connected components of the cells that are raised above the road:
 *
 *   raised     nearer than the road by more than a pixel, NOISE times the road's noise, and at each
 *              level a share of its disparity there, which is that share of the camera's height
 *   component  raised cells that touch by their sides
 *   thing      a component of CELLS columns and rows at least that does not reach the sides or the
 *              bottom of the image, where it may go on; whose far end is at most LONG times as far
 *              as its near one, unlike pavements and banks; and which is lower than HIGH of the
 *              camera's height: higher ones are objects by the cells of their columns. Half of
 *              the cells two steps beside and behind it are known (the right camera does not see
 *              those to its left), and seven tenths of these less than two thirds as high as it is
 *              on the average: it is a rock or a mound, not the crest of a slope
 *
 * Components are looked for at three levels, as one thing may stand on another.
 */
#include "common/satdp/satdp_prior.h"

#include <math.h>

#define NOISE 6
#define CELLS 3
enum { LEVELS = 3 };
static const int shares[LEVELS] = {32, 22, 15};
#define LONG 2
#define HIGH 0.3
#define SEEN 0x80 /* in the prior while it is made */

typedef struct {
  int columns, rows;
  const uint16_t *disparity, *road; /* road: 0 where there is none */
  int least, share; /* by which raised cells are nearer: steps, and 1/share of the road's */
  uint8_t *prior;
  int32_t *queue; /* cells of a component */
} Raised;

static int above_road(const Raised *s, int at)
{
  return s->disparity[at] - s->road[at];
}

static bool is_raised(const Raised *s, int at)
{
  int off = above_road(s, at);
  return s->road[at] > 0 && off > s->least && s->share * off > s->road[at];
}

static bool is_inside(const Raised *s, int column, int row)
{
  return column >= 0 && column < s->columns && row >= 0 && row < s->rows;
}

/* The road's disparity at each cell that is farther down than where it has a pixel. */
static void draw_road(const StxGrid *grid, const StxRoadLine *line, uint16_t *road)
{
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid);
  double pixel = stx_grid_steps(grid), most = UINT16_MAX / pixel;
  for (int column = 0; column < columns; column++) {
    StxRoadLine own = stx_roadline_in_column(line, (column + 0.5) * grid->cell_width - 0.5);
    for (int row = 0; row < rows; row++) {
      double centre = (stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1) / 2.0;
      double d = own.bends > 0 ? stx_roadline_at(&own, centre) : own.slope * (centre - own.horizon);
      *road++ = d < 1 ? 0 : (uint16_t)(d < most ? pixel * d + 0.5 : UINT16_MAX);
    }
  }
}

/* Collects the component of a raised cell; returns how many cells it has. */
static int collect(const Raised *s, int first)
{
  int count = 1;
  s->queue[0] = first;
  s->prior[first] |= SEEN;
  for (int k = 0; k < count; k++) {
    int at = s->queue[k], column = at / s->rows, row = at - column * s->rows;
    int beside[4] = {column > 0 ? at - s->rows : at, column + 1 < s->columns ? at + s->rows : at,
        row > 0 ? at - 1 : at, row + 1 < s->rows ? at + 1 : at};
    for (int side = 0; side < 4; side++)
      if (!(s->prior[beside[side]] & SEEN) && is_raised(s, beside[side])) {
        s->queue[count++] = beside[side];
        s->prior[beside[side]] |= SEEN;
      }
  }
  return count;
}

/* The sum by which a component's cells are above the road, if it has a thing's size; else 0. */
static int64_t height_of_thing(const Raised *s, int count)
{
  int left = s->columns, right = 0, top = s->rows, bottom = 0, far = 65535, near = 0;
  int64_t height = 0, road = 0;
  for (int k = 0; k < count; k++) {
    int at = s->queue[k], column = at / s->rows, row = at % s->rows;
    left = column < left ? column : left;
    right = column > right ? column : right;
    top = row < top ? row : top;
    bottom = row > bottom ? row : bottom;
    far = s->road[at] < far ? s->road[at] : far;
    near = s->road[at] > near ? s->road[at] : near;
    height += above_road(s, at);
    road += s->road[at];
  }
  bool whole = left > 0 && right + 1 < s->columns && bottom + 1 < s->rows;
  bool sized = right - left + 1 >= CELLS && bottom - top + 1 >= CELLS;
  return whole && sized && near <= LONG * far && (double)height <= HIGH * (double)road ? height : 0;
}

/* True if it falls beside and behind a component, of this height in all. */
static bool stands_out(const Raised *s, int count, int64_t height)
{
  static const int beside[3][2] = {{-1, 0}, {1, 0}, {0, -1}};
  int edges = 0, known = 0, drops = 0;
  for (int k = 0; k < count; k++)
    for (int side = 0; side < 3; side++) {
      int column = s->queue[k] / s->rows + beside[side][0];
      int row = s->queue[k] % s->rows + beside[side][1];
      int next = column * s->rows + row, beyond = 2 * next - s->queue[k];
      bool inside = is_inside(s, column, row);
      if (inside && is_raised(s, next))
        continue;
      if (!is_inside(s, column + beside[side][0], row + beside[side][1]))
        beyond = next;
      edges++;
      if (!inside || s->disparity[beyond] == STX_DISPARITY_UNKNOWN)
        continue;
      known++;
      drops += 3 * (int64_t)count * above_road(s, beyond) < 2 * height;
    }
  return 10 * drops >= 7 * known && 2 * known >= edges;
}

/* Marks the things among the components of this level; true if there are any. */
static bool find_at_level(const Raised *s)
{
  bool found = false;
  for (int at = 0; at < s->columns * s->rows; at++) {
    if (s->prior[at] & SEEN || !is_raised(s, at))
      continue;
    int count = collect(s, at);
    int64_t height = height_of_thing(s, count);
    bool is_thing = height > 0 && stands_out(s, count, height);
    for (int k = 0; k < count && is_thing; k++)
      s->prior[s->queue[k]] |= STX_SATDP_RAISED;
    found |= is_thing;
  }
  for (int at = 0; at < s->columns * s->rows; at++)
    s->prior[at] &= (uint8_t)~SEEN;
  return found;
}

bool stx_satdp_find_raised(const StxGrid *grid, const uint16_t *disparity, const StxRoadLine *line,
    uint8_t *prior, uint16_t *road, int32_t *queue)
{
  double least = fmax(1, NOISE * line->noise) * stx_grid_steps(grid);
  Raised s = {stx_grid_columns(grid), stx_grid_rows(grid), disparity, road, (int)fmin(least, 65535),
      0, prior, queue};
  bool found = false;
  draw_road(grid, line, road);
  for (int k = 0; k < LEVELS; k++) {
    s.share = shares[k];
    found |= find_at_level(&s);
  }
  return found;
}
