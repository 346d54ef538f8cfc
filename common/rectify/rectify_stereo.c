/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two cameras to a pair: J.-Y. Bouguet's rotations. With X_right = R·X_left + T and v the vector of
 * R, the right camera turns by exp(−v/2), the left one by exp(v/2): both then look the same way,
 * and neither has turned more than it had to. A last rotation W, the shortest, brings the baseline
 * onto the x axis:
 *
 *   R_left = W·exp(v/2)    R_right = W·exp(−v/2)
 *
 * The principal point, the same for both, puts the mean of the pictures' corners into the middle.
 * The focal length is the cameras', or follows from the rectangles, upright in the rectified view,
 * that lie wholly within both pictures (alpha = 0), or hold them wholly (alpha = 1).
 */
#include "common/rectify/rectify_lens.h"
#include "common/rectify/rectify_private.h"

#include <math.h>
#include <string.h>

#include "common/rotation.h"

#define EDGE 256       /* places at which each edge of a picture is looked at */
#define NOWHERE 1e9    /* normalized coordinates of what is not seen */
#define LEAST_DEPTH .1 /* of a direction, z: what lies farther out than 84 degrees is left out */

/* ---- Rotations ---------------------------------------------------------------------------- */

static void turn_to_baseline(const double towards[3], double out[9])
{
  double length = sqrt(towards[1] * towards[1] + towards[2] * towards[2]);
  double angle = atan2(length, towards[0]);
  const double axis[3] = {0, length > 0 ? towards[2] / length * angle : 0,
      length > 0 ? -towards[1] / length * angle : 0};
  stx_rotation_from_vector(axis, out);
}

static void find_rotations(const StxCalibration *c, StxRectifiedPair *pair)
{
  double v[3], half[2][9], towards[3], last[9];
  stx_rotation_to_vector(c->r, v);
  for (int i = 0; i < 3; i++)
    v[i] /= 2;
  stx_rotation_from_vector(v, half[0]);
  stx_matrix_transpose(half[0], half[1]);
  stx_matrix_apply(half[1], c->t, towards);
  for (int i = 0; i < 3; i++)
    towards[i] = -towards[i];
  turn_to_baseline(towards, last);
  for (int i = 0; i < 2; i++)
    stx_matrix_product(last, half[i], pair->r[i]);
  pair->baseline = sqrt(c->t[0] * c->t[0] + c->t[1] * c->t[1] + c->t[2] * c->t[2]);
}

/* ---- What is seen ------------------------------------------------------------------------- */

/* In normalized coordinates of the rectified view. */
typedef struct {
  double inner[4], outer[4]; /* left, top, right, bottom */
  double corners[2];         /* their sum */
  int count;                 /* of corners that can be seen */
} Seen;

/* Where a pixel of the camera lies. */
static bool rectified_place(
    const StxPreparedLens *lens, const double r[9], double x, double y, double place[2])
{
  const double pixel[2] = {x, y};
  double ray[3], turned[3];
  if (!stx_lens_unproject(lens, pixel, ray))
    return false;
  stx_matrix_apply(r, ray, turned);
  if (!(turned[2] > LEAST_DEPTH))
    return false;
  place[0] = turned[0] / turned[2];
  place[1] = turned[1] / turned[2];
  return true;
}

/* A place on edge `side` (0 left, 1 top, 2 right, 3 bottom). */
static void add_place(Seen *seen, int side, const double place[2])
{
  double at = place[side % 2];
  if (side < 2 ? at > seen->inner[side] : at < seen->inner[side])
    seen->inner[side] = at;
  for (int i = 0; i < 2; i++) {
    seen->outer[i] = fmin(seen->outer[i], place[i]);
    seen->outer[2 + i] = fmax(seen->outer[2 + i], place[i]);
  }
}

static void look_along(const StxCalibratedCamera *camera, const StxPreparedLens *lens,
    const double r[9], int side, Seen *seen)
{
  double far_x = camera->width - 1, far_y = camera->height - 1, place[2];
  for (int i = 0; i <= EDGE; i++) {
    double along = (double)i / EDGE;
    double x = side % 2 == 1 ? along * far_x : side == 0 ? 0 : far_x;
    double y = side % 2 == 0 ? along * far_y : side == 1 ? 0 : far_y;
    if (!rectified_place(lens, r, x, y, place))
      continue;
    add_place(seen, side, place);
    if (side % 2 == 0 && (i == 0 || i == EDGE)) {
      seen->corners[0] += place[0];
      seen->corners[1] += place[1];
      seen->count++;
    }
  }
}

static Seen look(const StxCalibratedCamera *camera, const double r[9])
{
  StxPreparedLens lens = stx_lens_prepare(&camera->lens);
  Seen seen = {.inner = {-NOWHERE, -NOWHERE, NOWHERE, NOWHERE},
      .outer = {NOWHERE, NOWHERE, -NOWHERE, -NOWHERE}};
  for (int side = 0; side < 4; side++)
    look_along(camera, &lens, r, side, &seen);
  return seen;
}

/* ---- Projection --------------------------------------------------------------------------- */

/* The focal length with which `rectangle` just fills the picture: the largest, or smallest, that
 * its four sides ask for. */
static double focal_of(const double rectangle[4], const double sides[4], bool largest)
{
  double f = largest ? 0 : NOWHERE;
  for (int i = 0; i < 4; i++) {
    double wanted = sides[i] / rectangle[i];
    f = largest ? fmax(f, wanted) : fmin(f, wanted);
  }
  return f;
}

/* Does the view hold what lies ahead? No edge of a picture may be wholly out of sight. */
static bool sees_ahead(const double inner[4], const double sides[4])
{
  for (int i = 0; i < 4; i++) {
    double sign = i < 2 ? -1 : 1;
    if (!(sign * inner[i] > 0 && sign * inner[i] < NOWHERE && sign * sides[i] > 0))
      return false;
  }
  return true;
}

static bool fit(const Seen seen[2], int width, int height, double alpha, StxRectifiedPair *pair,
    StxError *error)
{
  const double sides[4] = {-pair->cx, -pair->cy, width - 1 - pair->cx, height - 1 - pair->cy};
  double all = 0, most = NOWHERE;
  for (int i = 0; i < 2; i++) {
    if (!sees_ahead(seen[i].inner, sides))
      return stx_fail(error,
          "the %s camera does not see what lies ahead of the rectified pair: R, T or the lens are "
          "not those of two cameras side by side, or the lens shows half the world: set alpha=-1",
          i == 0 ? "left" : "right");
    all = fmax(all, focal_of(seen[i].inner, sides, true));
    most = fmin(most, focal_of(seen[i].outer, sides, false));
  }
  pair->f = all * (1 - alpha) + most * alpha;
  return true;
}

bool stx_rectify_pair(const StxCalibration *c, int width, int height, double alpha,
    StxRectifiedPair *pair, StxError *error)
{
  const StxCalibratedCamera *left = &c->camera[0], *right = &c->camera[1];
  Seen seen[2];
  double centre[2] = {0, 0};
  find_rotations(c, pair);
  /* Everything in pixels of the left camera, should the right one have others. */
  double f = (left->lens.fy + right->lens.fy * left->height / right->height) / 2;
  for (int i = 0; i < 2; i++) {
    seen[i] = look(&c->camera[i], pair->r[i]);
    double share = seen[i].count > 0 ? f / seen[i].count : 0;
    centre[0] += ((left->width - 1) / 2.0 - share * seen[i].corners[0]) / 2;
    centre[1] += ((left->height - 1) / 2.0 - share * seen[i].corners[1]) / 2;
  }
  pair->cx = (centre[0] + .5) * width / left->width - .5;
  pair->cy = (centre[1] + .5) * height / left->height - .5;
  pair->f = f * height / left->height;
  return alpha < 0 || fit(seen, width, height, alpha, pair, error);
}
