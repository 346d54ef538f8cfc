/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Things on the ground, by connected components of the cells that are raised above the road:
 *
 *   raised     nearer than the road by more than its scatter, and at each level a share of its
 *              disparity there, which is that share of the camera's height. That cell is no part of
 *              a top which the matcher filled: its weight is at most FILLED
 *   component  raised cells that touch by their sides
 *   thing      a component of CELLS columns and rows at least that reaches neither the bottom of
 *              the image nor both sides, where it may go on; whose far end is at most LONG times as
 *              far as its near one, unlike pavements and banks; and which is lower than HIGH of the
 *              camera's height: higher ones are objects by the cells of their columns. Half of
 *              the cells two steps beside and behind it are known (the right camera does not see
 *              those to its left), and seven tenths of these less than two thirds as high as it is
 *              on the average: it is a rock or a mound, not the crest of a slope
 *   top        a component more than a third of the camera's height above the road. A seat lies as
 *              the road does. Unlike noise the component has a square of SQUARE cells each way; and
 *              under half of its lower ends at least the disparity grows by less than half as much
 *              as the road's, as at an edge or a front. On a road that rises it grows
 *
 * Things are looked for at three levels, as one may stand on another.
 */
#include "common/satdp/satdp_prior.h"

#define CELLS 3
#define SQUARE 4
#define FILLED (STX_WEIGHT_ONE / 16)
enum { LEVELS = 4, TOPS = 2 };
static const int shares[LEVELS] = {32, 22, 15, TOPS};
#define LONG 2
#define HIGH 0.3
#define SEEN 0x80 /* in the prior while it is made */

typedef struct {
  int columns, rows;
  const uint16_t *disparity, *weight, *road; /* road: 0 where there is none */
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
  return s->road[at] > 0 && off > s->least && s->share * off > s->road[at] &&
         (s->share != TOPS || s->weight[at] > FILLED);
}

static bool is_inside(const Raised *s, int column, int row)
{
  return column >= 0 && column < s->columns && row >= 0 && row < s->rows;
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
  bool whole = (left > 0 || right + 1 < s->columns) && bottom + 1 < s->rows;
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

/* True if a cell is the first of a square of raised ones. */
static bool has_square(const Raised *s, int first)
{
  bool square = is_inside(s, first / s->rows + SQUARE - 1, first % s->rows + SQUARE - 1);
  for (int i = 0; i < SQUARE * SQUARE && square; i++)
    square = is_raised(s, first + i / SQUARE * s->rows + i % SQUARE);
  return square;
}

/* True if the disparity grows by less than half as much as the road's from a cell to the next known
 * one below. */
static bool is_edge(const Raised *s, int at)
{
  int below = at + 1, end = at - at % s->rows + s->rows;
  while (below < end && s->disparity[below] == STX_DISPARITY_UNKNOWN)
    below++;
  return below < end && 2 * (s->disparity[below] - s->disparity[at]) < s->road[below] - s->road[at];
}

/* True if a component is the top of something. */
static bool is_top(const Raised *s, int count)
{
  int ends = 0, edges = 0;
  bool solid = false;
  for (int k = 0; k < count; k++) {
    int at = s->queue[k];
    solid = solid || has_square(s, at);
    if ((at + 1) % s->rows > 0 && is_raised(s, at + 1))
      continue;
    ends++;
    edges += is_edge(s, at);
  }
  return solid && 2 * edges >= ends;
}

/* True if a component is a low thing. */
static bool is_low_thing(const Raised *s, int count)
{
  int64_t height = height_of_thing(s, count);
  return height > 0 && stands_out(s, count, height);
}

/* Marks the things among the components of this level; true if there are any. */
static bool find_at_level(const Raised *s)
{
  bool found = false;
  for (int at = 0; at < s->columns * s->rows; at++) {
    if (s->prior[at] & SEEN || !is_raised(s, at))
      continue;
    int count = collect(s, at);
    bool is_thing = s->share == TOPS ? is_top(s, count) : is_low_thing(s, count);
    for (int k = 0; k < count && is_thing; k++)
      s->prior[s->queue[k]] |= STX_SATDP_RAISED;
    found |= is_thing;
  }
  for (int at = 0; at < s->columns * s->rows; at++)
    s->prior[at] &= (uint8_t)~SEEN;
  return found;
}

bool stx_satdp_find_raised(const StxGrid *grid, const uint16_t *disparity, const uint16_t *road,
    int scatter, uint8_t *prior, int32_t *queue)
{
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid);
  const uint16_t *weight = disparity + (size_t)columns * (size_t)rows;
  Raised s = {columns, rows, disparity, weight, road, scatter, 0, prior, queue};
  bool found = false;
  for (int k = 0; k < LEVELS; k++) {
    s.share = shares[k];
    found |= find_at_level(&s);
  }
  return found;
}
