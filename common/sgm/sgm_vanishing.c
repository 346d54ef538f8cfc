/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_vanishing.h"

#include <math.h>
#include <string.h>

enum {
  BLOCK = STX_SGM_VANISHING_BLOCK,
  MOST_EDGES = STX_SGM_VANISHING_EDGES,
  DRAWS = 400,
  STEPS = 128,  /* samples of the plane in a row */
  POINTS = 240, /* of a vanishing line, over 3/2 of the width */
  DIRECTIONS = 48,
  CAP = 6,       /* votes of a direction */
  LEAST = 20,    /* votes */
  FARTHEST = 100 /* px */
};

/* d = a·x + b·y + c */
typedef struct {
  double a, b, c;
} Plane;

/* A point on an edge, and the unit vector across it. */
typedef struct {
  float x, y, nx, ny;
} Edge;

typedef struct {
  const StxImage8 *left;
  const StxImage16 *disparity;
  Plane plane;
  Edge *edges;
  int count;
} Scene;

size_t stx_sgm_vanishing_scratch(void)
{
  return stx_align(MOST_EDGES * sizeof(Edge));
}

/* Disparity in pixels; 0: unknown. */
static double disparity_at(const Scene *s, int x, int y)
{
  return stx_row16(s->disparity, y)[x] / (double)STX_DISPARITY_ONE;
}

static double plane_at(const Plane *plane, double x, double y)
{
  return plane->a * x + plane->b * y + plane->c;
}

/* ---- The plane ----------------------------------------------------------------------------- */

/* Sums over the samples that agree with a plane, for the next one by least squares. */
typedef struct {
  double n, x, y, d, xx, xy, yy, xd, yd;
} Sums;

static void add(Sums *s, double x, double y, double d)
{
  s->n++, s->x += x, s->y += y, s->d += d;
  s->xx += x * x, s->xy += x * y, s->yy += y * y, s->xd += x * d, s->yd += y * d;
}

/* False: the samples are on a line, or their plane is no ground. */
static bool solve(const Sums *s, Plane *plane)
{
  double xx = s->n * s->xx - s->x * s->x, xy = s->n * s->xy - s->x * s->y;
  double yy = s->n * s->yy - s->y * s->y, xd = s->n * s->xd - s->x * s->d;
  double yd = s->n * s->yd - s->y * s->d, area = xx * yy - xy * xy;
  if (!(area > 0))
    return false;
  plane->a = (xd * yy - yd * xy) / area;
  plane->b = (yd * xx - xd * xy) / area;
  plane->c = (s->d - plane->a * s->x - plane->b * s->y) / s->n;
  return plane->b > .02 && fabs(plane->a) <= plane->b / 2;
}

static int sample_step(const Scene *s)
{
  return s->left->width / STEPS + 1;
}

static Sums agreeing(const Scene *s, const Plane *plane)
{
  Sums sums = {0};
  int step = sample_step(s);
  for (int y = 2 * s->left->height / 5; y < s->left->height; y += step)
    for (int x = 0; x < s->left->width; x += step) {
      double d = disparity_at(s, x, y);
      if (d > 0 && fabs(d - plane_at(plane, x, y)) < 1)
        add(&sums, x, y, d);
    }
  return sums;
}

/* A number below n; the same ones for the same picture. */
static int draw(uint32_t *state, int n)
{
  *state = *state * 1664525u + 1013904223u;
  return (int)((uint64_t)*state * (uint64_t)n >> 32);
}

/* The plane of three known samples. */
static bool draw_plane(const Scene *s, uint32_t *state, Plane *plane)
{
  Sums three = {0};
  int from = 2 * s->left->height / 5;
  for (int k = 0; k < 3; k++) {
    int x = draw(state, s->left->width), y = from + draw(state, s->left->height - from);
    double d = disparity_at(s, x, y);
    if (d == 0)
      return false;
    add(&three, x, y, d);
  }
  return solve(&three, plane);
}

static bool find_plane(Scene *s)
{
  uint32_t state = 1;
  double most = 0;
  Plane plane;
  for (int k = 0; k < DRAWS; k++) {
    if (!draw_plane(s, &state, &plane))
      continue;
    Sums sums = agreeing(s, &plane);
    if (sums.n > most && solve(&sums, &plane)) {
      most = sums.n;
      s->plane = plane;
    }
  }
  return most > 0;
}

/* ---- Edges --------------------------------------------------------------------------------- */

/* Most of the disparities around are the plane's. */
static bool is_on_plane(const Scene *s, double x, double y)
{
  double d = plane_at(&s->plane, x, y);
  int on = 0, off = 0;
  for (int k = 0; k < 9; k++) {
    int i = (int)x + 4 * (k % 3 - 1), j = (int)y + 4 * (k / 3 - 1);
    if (i < 0 || j < 0 || i >= s->left->width || j >= s->left->height)
      continue;
    double found = disparity_at(s, i, j);
    on += found > 0 && fabs(found - d) < 1.5;
    off += found > 0 && fabs(found - d) >= 1.5;
  }
  return d > 0 && on >= 2 && off <= 2;
}

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
  return fabs(ny) < .985 && nx * nx * xx + 2 * nx * ny * xy + ny * ny * yy < BLOCK * BLOCK / 40. &&
         ny * ny * xx - 2 * nx * ny * xy + nx * nx * yy > BLOCK * BLOCK / 24.;
}

static void find_edges(Scene *s)
{
  for (int y = 2; y + BLOCK + 2 < s->left->height; y += BLOCK / 2)
    for (int x = 2; x + BLOCK + 2 < s->left->width && s->count < MOST_EDGES; x += BLOCK / 2) {
      Edge *edge = &s->edges[s->count];
      s->count += find_edge(s->left, x, y, edge) && is_on_plane(s, edge->x, edge->y);
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

/* The most votes for a point where the plane has disparity i. */
static int most_votes(const Scene *s, int i)
{
  int most = 0;
  for (int k = 0; k < POINTS; k++) {
    double x = s->left->width * (k * 1.5 / POINTS - .25);
    double y = (i - s->plane.c - s->plane.a * x) / s->plane.b;
    int votes = votes_for(s, (float)x, (float)y);
    most = votes > most ? votes : most;
  }
  return most;
}

/* The disparity that the edges prove; 0: none. */
static int meeting(const Scene *s)
{
  int zero = 0, most = 0, infinity = 0;
  for (int i = -2; i <= FARTHEST && s->count >= LEAST; i++) {
    int votes = most_votes(s, i);
    zero = i <= 2 && votes > zero ? votes : zero;
    infinity = votes > most ? i : infinity;
    most = votes > most ? votes : most;
  }
  return most >= LEAST && 5 * most >= 7 * zero ? infinity : 0;
}

/* The disparity that a fiftieth of the known ones does not reach, rounded down. */
static int farthest(const Scene *s)
{
  int counts[256] = {0}, step = sample_step(s), known = 0, i = 0;
  for (int y = 0; y < s->left->height; y += step)
    for (int x = 0; x < s->left->width; x += step) {
      double d = disparity_at(s, x, y);
      known += d > 0;
      counts[(int)d] += d > 0;
    }
  for (int sum = counts[0]; i < 255 && 50 * sum < known; sum += counts[i])
    i++;
  return i;
}

int stx_sgm_vanishing(const StxImage8 *left, const StxImage16 *disparity, void *scratch)
{
  Scene s = {.left = left, .disparity = disparity, .edges = scratch};
  int far = farthest(&s), met;
  if (160 * far < left->width || !find_plane(&s))
    return 0;
  find_edges(&s);
  met = meeting(&s);
  if (160 * met < left->width || met > far + 3 || met + left->width / 64 < far)
    return 0;
  return met > far ? far : met > far - 4 ? met : far - 4;
}
