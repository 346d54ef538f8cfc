/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_vanishing.h"

#include "common/roadline/roadline.h"
#include "common/sgm/sgm_sky.h"

#include <math.h>
#include <string.h>

enum {
  BLOCK = STX_SGM_VANISHING_BLOCK,
  MOST_EDGES = STX_SGM_VANISHING_EDGES,
  CELLS = 256,  /* of the ground in a row or column, at most */
  POINTS = 240, /* of a vanishing line, over 3/2 of the width */
  DIRECTIONS = 48,
  CAP = 6,       /* votes of a direction */
  LEAST = 20,    /* votes */
  FARTHEST = 100 /* px */
};

#define HIGHEST .36 /* horizon of a camera that looks ahead, of the height */

/* A point on an edge, and the unit vector across it. */
typedef struct {
  float x, y, nx, ny;
} Edge;

typedef struct {
  const StxImage8 *left;
  const StxImage16 *disparity;
  StxGrid grid;      /* of the ground's cells */
  uint16_t *columns; /* these */
  void *road;        /* scratch */
  StxRoadLine line;
  Edge *edges;
  int count;
} Scene;

static size_t lay_out(Scene *s, int width, int height, void *base)
{
  StxLayout at = {.memory = base};
  int side = (width > height ? width : height) / CELLS + 1;
  s->grid = (StxGrid){width, height, side, side, 0, 0};
  s->columns = stx_take(&at, stx_grid_bytes(&s->grid));
  s->road = stx_take(&at, stx_roadline_scratch(&s->grid));
  STX_TAKE(&at, s->edges, MOST_EDGES);
  return at.size;
}

size_t stx_sgm_vanishing_scratch(int width, int height)
{
  Scene scene;
  return lay_out(&scene, width, height, NULL);
}

/* The row of the middle column where it has that disparity. */
static double row_of(const Scene *s, double disparity)
{
  return s->line.horizon + disparity / s->line.slope;
}

/* The middle of each cell stands for it. What is black around a picture is unknown. */
static bool find_ground(Scene *s)
{
  const StxGrid *grid = &s->grid;
  for (int c = 0; c < stx_grid_columns(grid); c++)
    for (int r = 0; r < stx_grid_rows(grid); r++) {
      int x = c * grid->cell_width + grid->cell_width / 2;
      int y = r * grid->cell_height + grid->cell_height / 2;
      bool inside = x < grid->width && y < grid->height;
      bool seen = inside && stx_row8(s->left, y)[x] > STX_SGM_SKY_BLANK;
      uint16_t d = seen ? stx_row16(s->disparity, y)[x] : STX_DISPARITY_UNKNOWN;
      stx_column(grid, s->columns, 0, c)[r] = d;
      stx_column(grid, s->columns, 1, c)[r] = d > 0 ? STX_WEIGHT_ONE : 0;
    }
  return stx_roadline_estimate(grid, s->columns, NULL, &s->line, s->road);
}

/* ---- Edges --------------------------------------------------------------------------------- */

/* Most of the disparities around are the ground's. */
static bool is_on_ground(const Scene *s, double x, double y)
{
  double d = s->line.slope * (y - s->line.horizon - s->line.tilt * (x - s->line.centre));
  int on = 0, off = 0;
  for (int k = 0; k < 9; k++) {
    int i = (int)x + 4 * (k % 3 - 1), j = (int)y + 4 * (k / 3 - 1);
    if (i < 0 || j < 0 || i >= s->left->width || j >= s->left->height)
      continue;
    double found = stx_row16(s->disparity, j)[i] / (double)STX_DISPARITY_ONE;
    on += found > 0 && fabs(found - d) < 1.5;
    off += found > 0 && fabs(found - d) >= 1.5;
  }
  return d > 0 && on >= 2 && off <= 2;
}

/* Sums over the pixels of a block. */
typedef struct {
  double n, x, y, xx, xy, yy;
} Sums;

/* The square of the gradient as weight, of the means of 3 × 3 px; x and y within a block. */
static void add_gradient(
    const StxImage8 *image, int px, int py, Sums *at, double tensor[3], int x, int y)
{
  int gx = 0, gy = 0;
  for (int k = -1; k <= 1; k++) {
    const uint8_t *row = stx_row8(image, py + k) + px;
    gx += row[1] + row[2] - row[-1] - row[-2];
    gy += stx_row8(image, py + 1)[px + k] + stx_row8(image, py + 2)[px + k] -
          stx_row8(image, py - 1)[px + k] - stx_row8(image, py - 2)[px + k];
  }
  double weight = gx * gx + gy * gy;
  at->n += weight, at->x += weight * x, at->y += weight * y;
  at->xx += weight * x * x, at->xy += weight * x * y, at->yy += weight * y * y;
  tensor[0] += gx * gx, tensor[1] += gx * gy, tensor[2] += gy * gy;
}

/* The edge of the block from (x, y) on; false: there is none. */
static bool find_edge(const StxImage8 *image, int x, int y, Edge *edge)
{
  Sums at = {0};
  double tensor[3] = {0};
  for (int j = 0; j < BLOCK; j++)
    for (int i = 0; i < BLOCK; i++)
      add_gradient(image, x + i, y + j, &at, tensor, i, j);
  double across = tensor[0] - tensor[2];
  double length = sqrt(across * across + 4 * tensor[1] * tensor[1]);
  if (at.n < 324 * 16 * BLOCK || length < .9 * at.n) /* 18: a gray level per px */
    return false;
  double nx = sqrt((1 + across / length) / 2), ny = sqrt((1 - across / length) / 2);
  ny = tensor[1] < 0 ? -ny : ny;
  double mx = at.x / at.n, my = at.y / at.n, xx = at.xx / at.n - mx * mx;
  double xy = at.xy / at.n - mx * my, yy = at.yy / at.n - my * my;
  *edge = (Edge){(float)(x + mx), (float)(y + my), (float)nx, (float)ny};
  return nx * nx * xx + 2 * nx * ny * xy + ny * ny * yy < BLOCK * BLOCK / 40. &&
         ny * ny * xx - 2 * nx * ny * xy + nx * nx * yy > BLOCK * BLOCK / 24.;
}

/* Those of the ground, or upright ones of anything. */
static void find_edges(Scene *s, bool upright)
{
  s->count = 0;
  for (int y = 2; y + BLOCK + 2 < s->left->height; y += BLOCK / 2)
    for (int x = 2; x + BLOCK + 2 < s->left->width && s->count < MOST_EDGES; x += BLOCK / 2) {
      Edge *edge = &s->edges[s->count];
      s->count += find_edge(s->left, x, y, edge) &&
                  (upright ? fabsf(edge->ny) < .4f
                           : fabsf(edge->ny) < .985f && is_on_ground(s, edge->x, edge->y));
    }
}

/* ---- Votes --------------------------------------------------------------------------------- */

/* Votes of the edges for a point. */
static int votes_for(const Scene *s, float x, float y)
{
  uint8_t seen[DIRECTIONS] = {0};
  float below = .08f * (float)s->left->height;
  int all = 0, most = 0;
  for (int k = 0; k < s->count; k++) {
    const Edge *edge = &s->edges[k];
    float dx = edge->x - x, dy = edge->y - y, off = dx * edge->nx + dy * edge->ny;
    if (dy < below || 4900 * off * off > dx * dx + dy * dy)
      continue;
    float direction = 8 * dx / dy + DIRECTIONS / 2; /* −3 … 3 */
    int bin = direction < 0 ? 0 : direction < DIRECTIONS ? (int)direction : DIRECTIONS - 1;
    seen[bin] = (uint8_t)(seen[bin] + (seen[bin] < CAP));
  }
  for (int k = 0; k < DIRECTIONS; k++) {
    all += seen[k];
    most = seen[k] > most ? seen[k] : most;
  }
  return 2 * (all - most) < all ? 2 * (all - most) : all;
}

/* The most votes for a point where the ground has disparity i. */
static int most_votes(const Scene *s, int i)
{
  int most = 0;
  for (int k = 0; k < POINTS; k++) {
    double x = s->left->width * (k * 1.5 / POINTS - .25);
    double y = row_of(s, i) + s->line.tilt * (x - s->line.centre);
    int votes = votes_for(s, (float)x, (float)y);
    most = votes > most ? votes : most;
  }
  return most;
}

/* The disparity that one in `share` of the known ones above row `end` does not reach, rounded down.
 * *alike (or NULL): the share of those that have that or at most two pixels more. */
static int farthest(const Scene *s, int end, int share, double *alike)
{
  int counts[256 + 3] = {0}, known = 0, i = 0;
  for (int c = 0; c < stx_grid_columns(&s->grid); c++)
    for (int r = 0; r * s->grid.cell_height < end; r++) {
      uint16_t cell = stx_column(&s->grid, s->columns, 0, c)[r];
      known += cell > 0;
      counts[cell / STX_DISPARITY_ONE] += cell > 0;
    }
  for (int sum = counts[0]; i < 255 && share * sum < known; sum += counts[i])
    i++;
  if (alike != NULL)
    *alike = (counts[i] + counts[i + 1] + counts[i + 2]) / (double)(known > 0 ? known : 1);
  return i;
}

/* ---- Verticals ----------------------------------------------------------------------------- */

/* The lean of upright edges: `all` of them, and `more` to the right per half width; the votes for
 * that, and how far to the sides they are, half widths. */
typedef struct {
  float all, more, votes, spread;
} Lean;

static void try_lean(const Scene *s, float all, float more, Lean *best)
{
  float half = .5f * (float)s->left->width, votes = 0, x = 0, xx = 0;
  for (int k = 0; k < s->count; k++) {
    const Edge *edge = &s->edges[k];
    float u = (edge->x - half) / half, off = (-edge->ny / edge->nx - all - more * u) / .03f;
    float vote = off * off < 1 ? 1 - off * off : 0;
    votes += vote;
    x += vote * u;
    xx += vote * u * u;
  }
  if (votes > best->votes)
    *best = (Lean){all, more, votes, sqrtf(xx / votes - x / votes * (x / votes))};
}

/* The convergence of uprights where the horizon is at that share of the height. */
static double expected(const Scene *s, double horizon)
{
  return (.5 - horizon) * s->left->height / (2 * .64 * s->left->width);
}

/* True if a horizon of that disparity is in the middle of the picture. */
static bool is_level(const Scene *s, int disparity)
{
  double share = row_of(s, disparity) / s->left->height;
  return s->line.support >= STX_SGM_UPRIGHT_SUPPORT && share >= HIGHEST && share <= .58;
}

/* The disparity of the horizon, if the camera looks ahead and not down; 0: that is not proved. */
static int upright(Scene *s, int far)
{
  double meet = row_of(s, far) / s->left->height, zero = row_of(s, 0) / s->left->height;
  if (!is_level(s, far) || meet - zero < .125)
    return 0;
  find_edges(s, true);
  Lean lean = {0, 0, 0, 0};
  for (int more = -30; more <= 30; more++)
    for (int all = -10; all <= 10; all++)
      try_lean(s, .01f * (float)all, .01f * (float)more, &lean);
  bool seen = lean.votes >= 15 && lean.spread >= .25f;
  bool level = -lean.more <= expected(s, zero) / 2;
  int least = farthest(s, s->left->height, 200, NULL);
  int infinity = least > far - 3 ? least : far - 3;
  return seen && level && fabs(-lean.more - expected(s, meet)) <= .05 ? infinity : 0;
}

/* ---- Entry --------------------------------------------------------------------------------- */

int stx_sgm_vanishing(
    const StxImage8 *left, const StxImage16 *disparity, void *scratch, bool *below_sky)
{
  Scene s = {.left = left, .disparity = disparity};
  lay_out(&s, left->width, left->height, scratch);
  *below_sky = false;
  if (!find_ground(&s))
    return 0;
  int far = farthest(&s, left->height, 50, NULL);
  if (160 * far < left->width)
    return 0;
  find_edges(&s, false);
  int zero = 0, most = 0, met = 0; /* the disparity that the edges prove; 0: none */
  for (int i = -2; i <= FARTHEST && s.count >= LEAST; i++) {
    int votes = most_votes(&s, i);
    zero = i <= 2 && votes > zero ? votes : zero;
    met = votes > most ? i : met;
    most = votes > most ? votes : most;
  }
  met = most >= LEAST && 5 * most >= 7 * zero ? met : 0;
  *below_sky = 160 * met < left->width || met > far + 3 || met + left->width / 64 < far;
  if (!*below_sky)
    return met > far ? far : met > far - 4 ? met : far - 4;
  /* The disparity of the sky, if the ground would be a steep wall otherwise; 0: not proved. */
  double alike;
  int sky = farthest(&s, (int)(HIGHEST * left->height), 5, &alike);
  bool down = .5 * left->height - row_of(&s, 0) >= .8 * left->width;
  if (!down || !(alike >= .2) || 64 * (sky - far) > left->width || !is_level(&s, sky))
    sky = 0;
  return sky > 0 ? sky : upright(&s, far);
}
