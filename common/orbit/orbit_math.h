/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour of a pixel of the view, for the reference and for the fast code. */
#pragma once

#include <math.h>

#include "common/orbit/orbit_private.h"

STX_INLINE double stx_orbit_at(const StxAffine *a, int x, int y)
{
  return a->one + (x + .5) * a->across + (y + .5) * a->down;
}

/* The whole number that is not less than n / d; d > 0. */
STX_INLINE int64_t stx_orbit_ceil(int64_t n, int64_t d)
{
  return n >= 0 ? (n + d - 1) / d : -(-n / d);
}

/* The pixels of a row that a quad covers: `first` … `end` − 1. The outline is convex: two of its
 * edges cross the row's middle, or none does. */
STX_INLINE void stx_orbit_span(const StxOrbitQuad *quad, int row, int *first, int *end)
{
  enum { HALF = STX_ORBIT_GRAIN / 2 };
  int64_t middle = (int64_t)row * STX_ORBIT_GRAIN + HALF, low = INT32_MAX, high = INT32_MIN;
  for (int i = 0; i < quad->corners; i++) {
    int j = i + 1 < quad->corners ? i + 1 : 0;
    bool falls = quad->y[i] < quad->y[j];
    int64_t x0 = quad->x[falls ? i : j], y0 = quad->y[falls ? i : j];
    int64_t dx = quad->x[falls ? j : i] - x0, dy = quad->y[falls ? j : i] - y0;
    if (middle < y0 || middle >= y0 + dy)
      continue;
    int64_t column = stx_orbit_ceil((x0 - HALF) * dy + (middle - y0) * dx, STX_ORBIT_GRAIN * dy);
    low = column < low ? column : low;
    high = column > high ? column : high;
  }
  *first = (int)low;
  *end = (int)high;
}

/* Larger is seen; 0 is nothing. Planes are evaluated at centres of pixels, of which some lie a
 * little outside of the true outline: there they are as far as the nearest corner. */
STX_INLINE uint64_t stx_orbit_key(const StxOrbitQuad *quad, uint32_t index, int x, int y)
{
  double nearness = stx_orbit_at(&quad->nearness, x, y);
  nearness = nearness < quad->least ? quad->least : nearness;
  nearness = nearness > quad->most ? quad->most : nearness;
  return (uint64_t)(int32_t)(nearness * STX_ORBIT_KEY) << 32 | (UINT32_MAX - index);
}

STX_INLINE double stx_orbit_within(double value, double low, double high)
{
  return value > low ? value < high ? value : high : low;
}

STX_INLINE uint8_t stx_orbit_byte(int32_t value)
{
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Pixel (x, y) of the picture. */
STX_INLINE StxRgb stx_orbit_read(const StxOrbitFrame *frame, int x, int y)
{
  const StxOrbitPicture *picture = frame->scene->picture;
  int value[3] = {0};
  for (int p = 0; p < picture->format->planes; p++) {
    const StxPlane *plane = &picture->format->plane[p];
    const StxFrame *data = &picture->frame;
    int of = picture->format->shared ? 0 : p;
    const uint8_t *at = data->data[of] + (y >> plane->shift_y) * data->stride[of] +
                        (x >> plane->shift_x) * plane->pixel_stride;
    for (int i = 0; i < plane->pixel_stride; i++)
      if (plane->channel[i] >= 0)
        value[plane->channel[i]] = at[i];
  }
  if (!picture->format->yuv)
    return (StxRgb){(uint8_t)value[0], (uint8_t)value[1], (uint8_t)value[2]};
  const int32_t *k = frame->yuv;
  int32_t luma = (value[0] - frame->black) * k[0] + 32768, u = value[1] - 128, v = value[2] - 128;
  return (StxRgb){stx_orbit_byte((luma + v * k[1]) >> 16),
      stx_orbit_byte((luma - u * k[2] - v * k[3]) >> 16), stx_orbit_byte((luma + u * k[4]) >> 16)};
}

STX_INLINE StxRgb stx_orbit_shaded(StxRgb colour, unsigned shade)
{
  return (StxRgb){(uint8_t)(colour.r * shade >> 8), (uint8_t)(colour.g * shade >> 8),
      (uint8_t)(colour.b * shade >> 8)};
}

STX_INLINE StxRgb stx_orbit_of_picture(
    const StxOrbitFrame *frame, const StxOrbitQuad *quad, int x, int y)
{
  const StxOrbitPicture *picture = frame->scene->picture;
  const StxPlacement *p = &picture->placement;
  double depth = 1 / stx_orbit_at(&quad->depth, x, y);
  double u = stx_orbit_within(stx_orbit_at(&quad->column, x, y) * depth, quad->left, quad->right);
  double v = stx_orbit_within(stx_orbit_at(&quad->row, x, y) * depth, quad->top, quad->bottom);
  double column = stx_orbit_within(p->xx * u + p->xy * v + p->x0, 0, picture->width - 1);
  double row = stx_orbit_within(p->yx * u + p->yy * v + p->y0, 0, picture->height - 1);
  return stx_orbit_read(frame, (int)column, (int)row);
}

STX_INLINE StxRgb stx_orbit_of_palette(
    const StxOrbitFrame *frame, const StxOrbitQuad *quad, int x, int y)
{
  double metres = stx_orbit_at(&quad->depth, x, y) / stx_orbit_at(&quad->nearness, x, y);
  double far = stx_orbit_within(metres / frame->scene->colours.max_distance, 0, 1);
  return frame->palette[(int)(255 * (1 - far) + .5)];
}

/* The distance of a place from the next line of the grid. */
STX_INLINE double stx_orbit_off_line(double metres)
{
  double lines = metres * .1;
  return fabs(lines - floor(lines + .5)) * 10;
}

/* The road, where no quad is seen: a line of the grid is about a pixel wide. */
STX_INLINE StxRgb stx_orbit_ground(const StxOrbitFrame *frame, int x, int y)
{
  const StxOrbitView *view = &frame->view;
  double dx = stx_orbit_at(&frame->ray[0], x, y), dy = stx_orbit_at(&frame->ray[1], x, y);
  double dz = stx_orbit_at(&frame->ray[2], x, y);
  double rise = view->up.y * dy + view->up.z * dz;
  if (!(rise < 0) || !frame->params->grid)
    return frame->background;
  double height = view->camera_height + view->up.y * view->eye.y + view->up.z * view->eye.z;
  double far = -height / rise, wide = .6 * far / view->focal;
  double aside = view->eye.x + far * dx;
  double along =
      view->level.y * (view->eye.y + far * dy) + view->level.z * (view->eye.z + far * dz);
  if (!(fabs(aside) <= 20 + wide) || !(along >= -wide) || !(along <= 60 + wide))
    return frame->background;
  if (stx_orbit_off_line(aside) < wide || stx_orbit_off_line(along) < -wide / rise)
    return frame->grid;
  return frame->background;
}

STX_INLINE StxRgb stx_orbit_pixel(const StxOrbitFrame *frame, uint64_t key, int x, int y)
{
  if (key == 0)
    return stx_orbit_ground(frame, x, y);
  const StxOrbitQuad *quad = &frame->quads[UINT32_MAX - (uint32_t)key];
  if (frame->scene->picture != NULL)
    return stx_orbit_of_picture(frame, quad, x, y);
  return stx_orbit_shaded(
      quad->by_distance ? stx_orbit_of_palette(frame, quad, x, y) : quad->colour, quad->shade);
}

/* A row of the view, of the keys of its pixels. */
STX_INLINE void stx_orbit_row(
    const StxOrbitFrame *frame, const uint64_t *keys, int y, const StxFrame *view)
{
  const StxPlane *plane = &frame->params->format->plane[0];
  uint8_t *out = view->data[0] + y * view->stride[0];
  for (int x = 0; x < frame->params->width; x++) {
    StxRgb rgb = stx_orbit_pixel(frame, keys[x], x, y);
    const uint8_t value[4] = {rgb.r, rgb.g, rgb.b, 255};
    for (int i = 0; i < plane->pixel_stride; i++)
      *out++ = value[plane->channel[i] & 3]; /* -1: 255 */
  }
}
