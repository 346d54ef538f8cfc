/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ground: a plane in the disparity map, and what tiles differ from it.
 *
 *   tiles   median of the known disparities of each tile, where a third of it is known
 *   plane   of TRIES planes through three tiles of a trapezoid ahead that one the most tiles are
 *           near to; then least squares over those, three times. A plane in space is one in the
 *           disparity map
 *   offset  of each tile the median of what tiles around are off the plane, of those within 4
 *           pixels of it: the road's crown, slopes, and a wrong camera. Tiles at the feet of things
 *           are off, too, but the median is not, as long as most tiles around are ground
 */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <string.h>

#define TRIES 500
#define NEAR_PLANE .5 /* px, and a hundredth of the disparity */
#define OFF_PLANE (4 * STX_DISPARITY_ONE)
#define AROUND_X 3 /* tiles to each side of which the median is */
#define AROUND_Y 2
#define ENOUGH_AROUND 8
#define ENOUGH_TILES 12 /* on the plane */
#define HIDING 64       /* columns to the right in which something nearer is looked for */

void stx_hazards_tile(Tiles *tiles, const StxHazardsFrame *frame)
{
  double focal = frame->camera.focal;
  int width = frame->disparity.width, height = frame->disparity.height;
  tiles->width = (int)fmin(fmax(.045 * focal, 8), 256);
  tiles->height = (int)fmin(fmax(.0112 * focal, 4), 64);
  tiles->across = width / tiles->width;
  tiles->down = height / tiles->height;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The number that would be at place n if they were sorted (C. A. R. Hoare's FIND); the order
 * changes. */
static double nth(double *values, int count, int n)
{
  for (int low = 0, high = count - 1; low < high;) {
    double pivot = values[n];
    int i = low, k = high;
    while (i <= k) {
      while (values[i] < pivot)
        i++;
      while (pivot < values[k])
        k--;
      if (i > k)
        break;
      double value = values[i];
      values[i++] = values[k];
      values[k--] = value;
    }
    low = k < n ? i : low;
    high = n < i ? k : high;
  }
  return values[n];
}

/* Every second pixel of every second row counts. Not a number: too few are known. */
static double median_of_tile(const Tiles *tiles, const StxImage16 *map, int i, int k)
{
  double known[256 * 64 / 4];
  int count = 0, all = 0;
  for (int y = k * tiles->height; y < (k + 1) * tiles->height; y += 2)
    for (int x = i * tiles->width; x < (i + 1) * tiles->width; x += 2, all++) {
      uint16_t d = stx_row16(map, y)[x];
      if (d != STX_DISPARITY_UNKNOWN)
        known[count++] = d;
    }
  if (3 * count < all || count == 0)
    return NAN;
  return nth(known, count, count / 2) / STX_DISPARITY_ONE;
}

static double centre(int tile, int size)
{
  return tile * size + .5 * (size - 1);
}

/* ---- Plane ----------------------------------------------------------------------------------- */

/* Tiles that may be ground: in a trapezoid ahead. */
typedef struct {
  double x, y, d;
} Point;

static bool is_ahead(const StxHazardsWork *work, double x, double y)
{
  const StxCamera *camera = &work->frame->camera;
  double below = y - work->plane.cy, unit = camera->focal / 720;
  return below > 25 * unit && fabs(x - camera->cx) < 2.2 * below + 20 * unit;
}

/* Could the ground be there? As high as the camera says, within a third; else whatever is below. */
static bool is_likely(const StxHazardsWork *work, const Plane *plane)
{
  const StxCamera *camera = &work->frame->camera;
  if (!(plane->down > 0) || fabs(plane->across) > .12 * plane->down)
    return false;
  double horizon = -plane->ahead / plane->down; /* below cy */
  double height = camera->baseline / plane->down;
  if (camera->height > 0 && (height < camera->height / 1.4 || height > camera->height * 1.4))
    return false;
  return fabs(horizon) < .2 * camera->focal && height > .02 && height < 100;
}

static bool through_three(const Point p[3], Plane *plane)
{
  double x1 = p[1].x - p[0].x, y1 = p[1].y - p[0].y, d1 = p[1].d - p[0].d;
  double x2 = p[2].x - p[0].x, y2 = p[2].y - p[0].y, d2 = p[2].d - p[0].d;
  double area = x1 * y2 - x2 * y1;
  if (area == 0)
    return false;
  plane->across = (d1 * y2 - d2 * y1) / area;
  plane->down = (x1 * d2 - x2 * d1) / area;
  plane->ahead = p[0].d - plane->across * (p[0].x - plane->cx) - plane->down * (p[0].y - plane->cy);
  return true;
}

static bool is_on(const Plane *plane, const Point *p)
{
  return fabs(p->d - hazards_plane(plane, p->x, p->y)) < NEAR_PLANE + .01 * p->d;
}

/* Normal equations of three unknowns, by Cramer's rule. */
static bool solve(const double m[3][4], double x[3])
{
  double minor[3];
  for (int i = 0; i < 3; i++)
    minor[i] = m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3];
  double whole = m[0][0] * minor[0] + m[0][1] * minor[1] + m[0][2] * minor[2];
  if (!(fabs(whole) > 1e-9))
    return false;
  for (int k = 0; k < 3; k++) {
    double c[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        c[i][j] = m[i][j == k ? 3 : j];
    x[k] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
               c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
               c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
           whole;
  }
  return true;
}

static bool refine(const Point *points, int count, Plane *plane)
{
  double m[3][4] = {{0}}, x[3];
  for (int i = 0; i < count; i++) {
    double v[4] = {points[i].x - plane->cx, points[i].y - plane->cy, 1, points[i].d};
    for (int a = 0; is_on(plane, &points[i]) && a < 3; a++)
      for (int b = 0; b < 4; b++)
        m[a][b] += v[a] * v[b];
  }
  if (!solve((const double(*)[4])m, x))
    return false;
  plane->across = x[0];
  plane->down = x[1];
  plane->ahead = x[2];
  return true;
}

static bool find_plane(StxHazardsWork *work, const Point *points, int count)
{
  uint64_t state = 1;
  int most = ENOUGH_TILES - 1;
  Plane best = {0};
  if (count < ENOUGH_TILES)
    return false;
  for (int i = 0; i < TRIES; i++) {
    Point three[3];
    for (int k = 0; k < 3; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u; /* as in every frame */
      three[k] = points[(int)((state >> 33) % (uint64_t)count)];
    }
    Plane plane = work->plane;
    if (!through_three(three, &plane) || !is_likely(work, &plane))
      continue;
    int on = 0;
    for (int k = 0; k < count; k++)
      on += is_on(&plane, &points[k]);
    if (on > most) {
      most = on;
      best = plane;
    }
  }
  bool good = most >= ENOUGH_TILES;
  for (int i = 0; good && i < 3; i++)
    good = refine(points, count, &best);
  if (!good || !is_likely(work, &best))
    return false;
  work->plane = best;
  return true;
}

/* ---- Offsets --------------------------------------------------------------------------------- */

static int16_t smooth(const Tiles *tiles, const double *off, int i, int k)
{
  double around[(2 * AROUND_X + 1) * (2 * AROUND_Y + 1)];
  int count = 0;
  for (int y = k - AROUND_Y; y <= k + AROUND_Y; y++)
    for (int x = i - AROUND_X; x <= i + AROUND_X; x++)
      if (x >= 0 && x < tiles->across && y >= 0 && y < tiles->down) {
        double value = off[y * tiles->across + x];
        if (fabs(value) < OFF_PLANE)
          around[count++] = value;
      }
  if (count < ENOUGH_AROUND)
    return UNKNOWN_OFFSET;
  double upper = nth(around, count, count / 2);
  return (int16_t)lrint(.5 * (nth(around, count, (count - 1) / 2) + upper));
}

bool stx_hazards_find_ground(StxHazardsWork *work, double *scratch)
{
  const StxCamera *camera = &work->frame->camera;
  Tiles *tiles = &work->tiles;
  int count = 0, all = tiles->across * tiles->down;
  Point *points = (Point *)(scratch + all);
  work->plane = (Plane){
      .cx = camera->cx, .cy = camera->missing & STX_CAMERA_CY ? .5 * work->height : camera->cy};
  for (int t = 0; t < all; t++) {
    int i = t % tiles->across, k = t / tiles->across;
    Point p = {centre(i, tiles->width), centre(k, tiles->height),
        median_of_tile(tiles, &work->frame->disparity, i, k)};
    scratch[t] = p.d;
    if (!isnan(p.d) && is_ahead(work, p.x, p.y))
      points[count++] = p;
  }
  if (!find_plane(work, points, count))
    return false;
  for (int t = 0; t < all; t++)
    scratch[t] = (scratch[t] - hazards_plane(&work->plane, centre(t % tiles->across, tiles->width),
                                   centre(t / tiles->across, tiles->height))) *
                 STX_DISPARITY_ONE;
  for (int t = 0; t < all; t++)
    tiles->offset[t] = smooth(tiles, scratch, t % tiles->across, t / tiles->across);
  return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Between which tiles a place lies, and how far from the first to the second. */
static int between(int at, int size, int count, double *share)
{
  double place = (at - .5 * (size - 1)) / size;
  int first = place < 0 ? 0 : (int)place;
  first = first > count - 2 ? count - 2 : first;
  *share = fmin(fmax(place - first, 0), 1);
  return first < 0 ? 0 : first;
}

/* The tiles' correction at a place, 1/256 pixel; not a number: the ground is not known. */
static double offset_at(const Tiles *tiles, int x, int row)
{
  double right, below, sum = 0;
  int i = between(x, tiles->width, tiles->across, &right);
  int k = between(row, tiles->height, tiles->down, &below);
  for (int corner = 0; corner < 4; corner++) {
    int across = i + (corner & 1), down = k + (corner >> 1);
    double share = (corner & 1 ? right : 1 - right) * (corner >> 1 ? below : 1 - below);
    if (share == 0)
      continue;
    int16_t offset = tiles->offset[down * tiles->across + across];
    if (offset == UNKNOWN_OFFSET)
      return NAN;
    sum += share * offset;
  }
  return sum;
}

/* Pixels of disparity by which what may hide the ground at column x is nearer: the right picture
 * sees the point behind whatever is nearer by as many pixels as it lies to the right, or more; the
 * window reaches out by `half`. */
static int nearer_at(const uint16_t *map, int width, int x, int ground, int half)
{
  int most = 0, count = width - x < HIDING ? width - x : HIDING;
#pragma omp simd reduction(max : most)
  for (int i = 0; i < count; i++) {
    int over = (map[x + i] - ground * (STX_DISPARITY_ONE / FINE)) >> 8; /* unknown: not above 0 */
    over = over >= i - half ? over : 0;
    most = most > over ? most : over;
  }
  return most < 254 ? most : 254;
}

void stx_hazards_ground_row(StxHazardsWork *work, int row)
{
  const uint16_t *map = stx_row16(&work->frame->disparity, row);
  int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)work->width;
  uint8_t *nearer = work->nearer + hazards_at(work, row, 0);
  double offset = NAN;
  memset(nearer, 255, (size_t)work->cells);
  for (int x = 0; x < work->width; x++) {
    if (x % CELL == 0) /* the tiles change little within a cell */
      offset = offset_at(&work->tiles, x, row);
    double d =
        hazards_plane(&work->plane, x, row) + (isnan(offset) ? 0 : offset / STX_DISPARITY_ONE);
    ground[x] = (int16_t)lrint(fmin(fmax(d * FINE, 0), 256 * FINE - 1));
    int half = (int)work->half[row - work->top] * CELL;
    if (x % CELL == CELL / 2 && !isnan(offset) && x - half > d + LEVELS / 4)
      nearer[x / CELL] = (uint8_t)nearer_at(map, work->width, x, ground[x], half);
  }
}
