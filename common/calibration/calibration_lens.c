/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/calibration/calibration_lens.h"

#include <math.h>

#include "common/rotation.h"

#define MOST_RADIUS 20.0 /* tangent of 87 degrees */
#define MOST_ANGLE 3.1   /* radians from the axis */
#define STEPS 20000      /* in which the reach is looked for */
#define NEWTON_STEPS 30
#define PRECISE 1e-10 /* of normalized coordinates: a millionth of a pixel is 1e-9 */

/* ---- Models ------------------------------------------------------------------------------- */

static double fisheye(const double d[STX_LENS_COEFFICIENTS], double angle)
{
  double a2 = angle * angle;
  return angle * (1 + a2 * (d[0] + a2 * (d[1] + a2 * (d[2] + a2 * d[3]))));
}

static double double_sphere(const double d[STX_LENS_COEFFICIENTS], double angle)
{
  double s = sin(angle), z = d[0] + cos(angle);
  double depth = d[1] * sqrt(s * s + z * z) + (1 - d[1]) * z;
  return depth > 0 ? s / depth : NAN;
}

static double extended(const double d[STX_LENS_COEFFICIENTS], double angle)
{
  double s = sin(angle), z = cos(angle);
  double depth = d[0] * sqrt(d[1] * s * s + z * z) + (1 - d[0]) * z;
  return depth > 0 ? s / depth : NAN;
}

static double fov(const double d[STX_LENS_COEFFICIENTS], double angle)
{
  return atan2(2 * sin(angle) * tan(d[0] / 2), cos(angle)) / d[0];
}

#define COUNT(n) (1u << (n))
const StxLensKind stx_lens_kinds[STX_LENS_MODELS] = {
    [STX_LENS_BROWN] = {"plumb_bob|rational_polynomial|thin_prism|radtan|radial-tangential|"
                        "pinhole-radtan8|pinhole|PINHOLE|PinHole|none|",
        "k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tx ty", "4, 5, 8, 12 or 14",
        COUNT(0) | COUNT(4) | COUNT(5) | COUNT(8) | COUNT(12) | COUNT(14), 0, NULL},
    [STX_LENS_FISHEYE] = {"equidistant|fisheye|equi|kannala_brandt|KANNALA_BRANDT|KannalaBrandt8|"
                          "kb4",
        "k1 k2 k3 k4", "4 of a fisheye lens", COUNT(4), 0, fisheye},
    [STX_LENS_DOUBLE_SPHERE] = {"double_sphere|ds", "xi alpha", "xi and alpha", COUNT(2), 2,
        double_sphere},
    [STX_LENS_EXTENDED] = {"extended_unified|eucm", "alpha beta", "alpha and beta", COUNT(2), 2,
        extended},
    [STX_LENS_OMNI] = {"omni|omnidirectional|mei|MEI", "xi k1 k2 p1 p2 k3",
        "xi and none, 4 or 5 more", COUNT(1) | COUNT(5) | COUNT(6), 1, NULL},
    [STX_LENS_FOV] = {"fov", "w", "1", COUNT(1), 0, fov},
};

/* The coefficients of the polynomials, without xi. */
static const double *plane_of(const StxPreparedLens *model)
{
  return model->lens.d + (model->lens.model == STX_LENS_OMNI);
}

static double radial(const double *d, double r2)
{
  return (1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]))) / (1 + r2 * (d[5] + r2 * (d[6] + r2 * d[7])));
}

/* The first place where the distance no longer grows. */
static double find_reach(const StxPreparedLens *model)
{
  const StxLensKind *kind = &stx_lens_kinds[model->lens.model];
  double most = kind->distance != NULL ? MOST_ANGLE : MOST_RADIUS, last = 0;
  for (int i = 1; i <= STEPS; i++) {
    double at = most * i / STEPS;
    double next = kind->distance != NULL ? kind->distance(model->lens.d, at)
                                         : at * radial(plane_of(model), at * at);
    if (!(next > last))
      return most * (i - 1) / STEPS;
    last = next;
  }
  return most;
}

StxPreparedLens stx_lens_prepare(const StxLens *lens)
{
  StxPreparedLens model = {.lens = *lens, .tilt = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double tx = lens->d[12], ty = lens->d[13];
  model.xi = lens->model == STX_LENS_OMNI ? lens->d[0] : 0;
  model.reach = find_reach(&model);
  if (lens->model == STX_LENS_BROWN && (tx != 0 || ty != 0)) {
    const double turn[9] = {cos(ty), sin(ty) * sin(tx), -sin(ty) * cos(tx), 0, cos(tx), sin(tx),
        sin(ty), -cos(ty) * sin(tx), cos(ty) * cos(tx)};
    const double onto[9] = {turn[8], 0, -turn[2], 0, turn[8], -turn[5], 0, 0, 1};
    stx_matrix_product(onto, turn, model.tilt);
  }
  return model;
}

/* ---- There -------------------------------------------------------------------------------- */

static void bend(const StxPreparedLens *model, double x, double y, double out[2])
{
  const double *d = plane_of(model), r2 = x * x + y * y, q = radial(d, r2);
  double bent[3] = {x * q + 2 * d[2] * x * y + d[3] * (r2 + 2 * x * x) + r2 * (d[8] + r2 * d[9]),
      y * q + d[2] * (r2 + 2 * y * y) + 2 * d[3] * x * y + r2 * (d[10] + r2 * d[11]), 1};
  double on[3];
  stx_matrix_apply(model->tilt, bent, on);
  out[0] = on[0] / on[2];
  out[1] = on[1] / on[2];
}

/* A direction of any length. Behind the place where a sphere shows its rim, with xi above 1, it
 * would show the same a second time. */
static bool bend_ray(const StxPreparedLens *model, const double ray[3], double out[2])
{
  double r = sqrt(ray[0] * ray[0] + ray[1] * ray[1]);
  double (*distance)(const double *, double) = stx_lens_kinds[model->lens.model].distance;
  if (distance != NULL) {
    double angle = atan2(r, ray[2]), scale = r > 0 ? distance(model->lens.d, angle) / r : 0;
    out[0] = ray[0] * scale;
    out[1] = ray[1] * scale;
    return angle < model->reach;
  }
  double length = sqrt(r * r + ray[2] * ray[2]), depth = ray[2] + model->xi * length;
  if (!(depth > 0) || !(r < model->reach * depth) || !(length + model->xi * ray[2] > 0))
    return false;
  bend(model, ray[0] / depth, ray[1] / depth, out);
  return true;
}

bool stx_lens_project(const StxPreparedLens *model, const double ray[3], double pixel[2])
{
  double bent[2];
  if (!bend_ray(model, ray, bent))
    return false;
  pixel[0] = model->lens.fx * bent[0] + model->lens.cx;
  pixel[1] = model->lens.fy * bent[1] + model->lens.cy;
  return isfinite(pixel[0]) && isfinite(pixel[1]);
}

/* ---- Back --------------------------------------------------------------------------------- */

static bool unbend_angle(const StxPreparedLens *model, const double bent[2], double ray[3])
{
  double (*distance)(const double *, double) = stx_lens_kinds[model->lens.model].distance;
  double wanted = sqrt(bent[0] * bent[0] + bent[1] * bent[1]), low = 0, high = model->reach;
  if (!(wanted < distance(model->lens.d, high)))
    return false;
  for (int i = 0; i < 60; i++) { /* it grows: halving finds it */
    double middle = (low + high) / 2;
    if (distance(model->lens.d, middle) < wanted)
      low = middle;
    else
      high = middle;
  }
  double scale = wanted > 0 ? sin(low) / wanted : 0;
  ray[0] = bent[0] * scale;
  ray[1] = bent[1] * scale;
  ray[2] = cos(low);
  return true;
}

/* One step of Newton's method from (at[0], at[1]), with slopes from differences; returns how far
 * off it was. */
static double step(const StxPreparedLens *model, const double bent[2], double at[2])
{
  const double h = 1e-6;
  double here[2], right[2], below[2];
  bend(model, at[0], at[1], here);
  bend(model, at[0] + h, at[1], right);
  bend(model, at[0], at[1] + h, below);
  double a = (right[0] - here[0]) / h, b = (below[0] - here[0]) / h;
  double c = (right[1] - here[1]) / h, d = (below[1] - here[1]) / h;
  double off[2] = {bent[0] - here[0], bent[1] - here[1]}, det = a * d - b * c;
  at[0] += (d * off[0] - b * off[1]) / det;
  at[1] += (a * off[1] - c * off[0]) / det;
  return fabs(off[0]) + fabs(off[1]);
}

/* The direction through a place of the plane, from the sphere's rim if there is one. */
static bool unbend(const StxPreparedLens *model, const double bent[2], double ray[3])
{
  double at[2] = {bent[0], bent[1]}, off = 1, xi = model->xi;
  for (int i = 0; i < NEWTON_STEPS && !(off < PRECISE); i++)
    off = step(model, bent, at);
  double r2 = at[0] * at[0] + at[1] * at[1], root = 1 + (1 - xi * xi) * r2;
  if (!(off < PRECISE) || !(r2 < model->reach * model->reach) || !(root > 0))
    return false;
  double scale = (xi + sqrt(root)) / (1 + r2);
  ray[0] = at[0] * scale;
  ray[1] = at[1] * scale;
  ray[2] = scale - xi;
  return true;
}

bool stx_lens_unproject(const StxPreparedLens *model, const double pixel[2], double ray[3])
{
  const double bent[2] = {
      (pixel[0] - model->lens.cx) / model->lens.fx, (pixel[1] - model->lens.cy) / model->lens.fy};
  return stx_lens_kinds[model->lens.model].distance != NULL ? unbend_angle(model, bent, ray)
                                                            : unbend(model, bent, ray);
}

void stx_lens_approach(const StxPreparedLens *model, const double bent[2], double ray[3])
{
  const double *d = model->lens.d, x = ray[0], y = ray[1], r2 = x * x + y * y;
  double q = radial(d, r2);
  if (!(q > 0)) { /* the polynomial means nothing there */
    ray[0] = bent[0];
    ray[1] = bent[1];
    return;
  }
  ray[0] = (bent[0] - 2 * d[2] * x * y - d[3] * (r2 + 2 * x * x) - r2 * (d[8] + r2 * d[9])) / q;
  ray[1] = (bent[1] - d[2] * (r2 + 2 * y * y) - 2 * d[3] * x * y - r2 * (d[10] + r2 * d[11])) / q;
}
