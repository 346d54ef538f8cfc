/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/hazards/hazards_case.h"

#include <math.h>

#define FOCAL 360.
#define BASELINE .54
#define HEIGHT 1.65
#define CY 30.

/* Noise 0 … 1 on cells of the two sizes, the same for both eyes. */
static double grain(double u, double v, double cell_u, double cell_v)
{
  double a = floor(u / cell_u), b = floor(v / cell_v), s = u / cell_u - a, t = v / cell_v - b;
  double corner[4];
  for (int i = 0; i < 4; i++) {
    uint64_t bits = (uint64_t)(int64_t)(a + (i & 1)) * 0x9e3779b97f4a7c15u +
                    (uint64_t)(int64_t)(b + (i >> 1)) * 0xc2b2ae3d27d4eb4fu;
    bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
    corner[i] = (double)(bits >> 40) / (1 << 24);
  }
  return (1 - t) * ((1 - s) * corner[0] + s * corner[1]) +
         t * ((1 - s) * corner[2] + s * corner[3]);
}

/* The point that a ray meets: its depth and brightness. */
typedef struct {
  double z, value;
} Hit;

static Hit on_ground(double x, double z)
{
  return (Hit){z, 60 + 90 * grain(x, z, .06, .7) + 60 * grain(x, z, .2, 2.5)};
}

static double lit(const HazardsCase *c, const Hit *hit, double x, double gain)
{
  bool sunny = c->light > 0 && grain(x + 30, hit->z, .5, .8) > .5;
  return fmin(255, hit->value * (sunny ? c->light : 1) * (c->light > 0 ? gain : 1));
}

static Hit on_wall(double x, double y, double z)
{
  return (Hit){z, 20 + 120 * grain(x + 50, y, .08, .06) + 90 * grain(x, y + 9, .03, .03)};
}

static bool within(const HazardsCase *c, double x)
{
  return fabs(x - c->x) < c->width / 2;
}

static Hit cast(const HazardsCase *c, double eye, double u, double v)
{
  double right = (u - .5 * (c->width_px - 1)) / FOCAL, down = (v - CY) / FOCAL;
  double far = c->z + c->length, road = down > 0 ? HEIGHT / down : INFINITY;
  if (road > 60)
    return (Hit){60, 200};
  if (c->height > 0 && road > c->z && within(c, eye + right * c->z) &&
      down * c->z > HEIGHT - c->height)
    return on_wall(eye + right * c->z, down * c->z, c->z);
  double top = (HEIGHT - c->height) / down;
  if (c->height > 0 && top > c->z && top < far && within(c, eye + right * top))
    return on_wall(eye + right * top, top, top);
  if (c->height < 0 && road > c->z && road < far && within(c, eye + right * road)) {
    double floor_z = (HEIGHT - c->height) / down;
    return floor_z < far ? on_ground(eye + right * floor_z + 7, floor_z)
                         : on_wall(eye + right * far, down * far, far);
  }
  return on_ground(eye + right * road, road);
}

HazardsPictures hazards_pictures(const HazardsCase *given)
{
  HazardsCase copy = *given, *c = &copy;
  int width = c->width_px = given->width_px > 0 ? given->width_px : 320;
  int height = given->height_px > 0 ? given->height_px : 120;
  HazardsPictures pictures = {
      {stx_test_image8(width, height, c->padding), stx_test_image8(width, height, c->padding + 1),
          stx_test_image16(width, height, 2 * c->padding),
          {.focal = FOCAL,
              .cx = .5 * (width - 1),
              .cy = CY,
              .baseline = BASELINE,
              .height = HEIGHT,
              .image_width = width,
              .image_height = height}}};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      Hit left = cast(c, 0, x, y), right = cast(c, BASELINE, x, y - c->lower);
      double across = (x - .5 * (width - 1)) / FOCAL;
      stx_row8(&pictures.frame.left, y)[x] = (uint8_t)lit(c, &left, across * left.z, 1);
      stx_row8(&pictures.frame.right, y)[x] =
          (uint8_t)lit(c, &right, BASELINE + across * right.z, .9);
      stx_row16(&pictures.frame.disparity, y)[x] =
          (uint16_t)(FOCAL * BASELINE / left.z * STX_DISPARITY_ONE + .5);
    }
  return pictures;
}

void hazards_pictures_free(HazardsPictures *pictures)
{
  stx_test_image8_free(&pictures->frame.left);
  stx_test_image8_free(&pictures->frame.right);
  stx_test_image16_free(&pictures->frame.disparity);
}
