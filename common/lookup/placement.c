/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/lookup/placement.h"

#include <math.h>

#define MOST_BORDER 2   /* pixels, which are too many to be ignored */
#define ROUNDING 1e-6   /* of numbers that are whole but for the arithmetic */
#define NOT_TURNED 1e-9 /* of the other axis: less than a pixel in all */

StxPlacement stx_placement_fill(
    double width, double height, double frame_width, double frame_height)
{
  return (StxPlacement){.xx = frame_width / width,
      .yy = frame_height / height,
      .width = frame_width,
      .height = frame_height};
}

StxPlacement stx_placement_of_corners(double width, double height, const double corners[3][2],
    double frame_width, double frame_height)
{
  return (StxPlacement){.xx = (corners[1][0] - corners[0][0]) / width,
      .yx = (corners[1][1] - corners[0][1]) / width,
      .xy = (corners[2][0] - corners[0][0]) / height,
      .yy = (corners[2][1] - corners[0][1]) / height,
      .x0 = corners[0][0],
      .y0 = corners[0][1],
      .width = frame_width,
      .height = frame_height};
}

StxPlacement stx_placement_then(const StxPlacement *placement, const StxPlacement *step)
{
  StxPlacement both = {.width = step->width, .height = step->height};
  both.xx = step->xx * placement->xx + step->xy * placement->yx;
  both.xy = step->xx * placement->xy + step->xy * placement->yy;
  both.yx = step->yx * placement->xx + step->yy * placement->yx;
  both.yy = step->yx * placement->xy + step->yy * placement->yy;
  stx_placement_point(step, placement->x0, placement->y0, &both.x0, &both.y0);
  return both;
}

bool stx_placement_scaled(double width, double height, double new_width, double new_height,
    double shape, StxPlacement *step)
{
  double aspect = width / height * shape; /* that of the new pixels that it would fill */
  double filled_height = floor(new_width / aspect + ROUNDING);
  double filled_width = floor(new_height * aspect + ROUNDING);
  double border =
      filled_height <= new_height ? new_height - filled_height : new_width - filled_width;
  *step = stx_placement_fill(width, height, new_width, new_height);
  return border < MOST_BORDER;
}

void stx_placement_point(const StxPlacement *placement, double u, double v, double *x, double *y)
{
  *x = placement->xx * u + placement->xy * v + placement->x0;
  *y = placement->yx * u + placement->yy * v + placement->y0;
}

bool stx_placement_back(const StxPlacement *p, double x, double y, double *u, double *v)
{
  double determinant = p->xx * p->yy - p->xy * p->yx;
  if (!isfinite(determinant) || determinant == 0)
    return false;
  *u = (p->yy * (x - p->x0) - p->xy * (y - p->y0)) / determinant;
  *v = (p->xx * (y - p->y0) - p->yx * (x - p->x0)) / determinant;
  return isfinite(*u) && isfinite(*v);
}

bool stx_placement_rectangle(
    const StxPlacement *placement, const StxRectangle *image, StxRectangle *frame)
{
  double ax, ay, bx, by;
  /* The bounding box of a parallelogram: along each axis the extremes of both edges add up. */
  stx_placement_point(placement, image->x, image->y, &ax, &ay);
  bx = ax + fmax(placement->xx * image->width, 0) + fmax(placement->xy * image->height, 0);
  by = ay + fmax(placement->yx * image->width, 0) + fmax(placement->yy * image->height, 0);
  ax += fmin(placement->xx * image->width, 0) + fmin(placement->xy * image->height, 0);
  ay += fmin(placement->yx * image->width, 0) + fmin(placement->yy * image->height, 0);
  ax = fmax(ax, 0), ay = fmax(ay, 0);
  bx = fmin(bx, placement->width), by = fmin(by, placement->height);
  *frame = (StxRectangle){0};
  if (!(bx > ax && by > ay))
    return false;
  *frame = (StxRectangle){ax, ay, bx - ax, by - ay};
  return true;
}

/* ---- The camera ----------------------------------------------------------------------------- */

static bool is_small(double value, double beside)
{
  return fabs(value) <= NOT_TURNED * fabs(beside);
}

/* Unknown stays unknown; on its side, what is unknown changes places, too. */
static void place_centre(
    const StxPlacement *placement, const StxCamera *image, bool is_on_side, StxCamera *frame)
{
  double x, y;
  unsigned no_x = is_on_side ? STX_CAMERA_CY : STX_CAMERA_CX;
  unsigned no_y = is_on_side ? STX_CAMERA_CX : STX_CAMERA_CY;
  stx_placement_point(placement, image->cx + .5, image->cy + .5, &x, &y);
  frame->missing &= ~(unsigned)(STX_CAMERA_CX | STX_CAMERA_CY);
  frame->missing |= image->missing & no_x ? STX_CAMERA_CX : 0;
  frame->missing |= image->missing & no_y ? STX_CAMERA_CY : 0;
  frame->cx = image->missing & no_x ? 0 : x - .5;
  frame->cy = image->missing & no_y ? 0 : y - .5;
}

bool stx_placement_camera(const StxPlacement *p, const StxCamera *image, StxCamera *frame)
{
  bool is_upright = is_small(p->xy, p->xx) && is_small(p->yx, p->yy) && p->xx != 0 && p->yy != 0;
  bool is_on_side = is_small(p->xx, p->xy) && is_small(p->yy, p->yx) && p->xy != 0 && p->yx != 0;
  double across = is_upright ? p->xx : p->yx, down = is_upright ? p->yy : p->xy;
  *frame = (StxCamera){.missing = STX_CAMERA_ALL};
  /* Both scales may differ by what rounding the sides of the frame to whole pixels makes them. */
  double slack = fmin(1 / p->width + 1 / p->height, .1);
  if ((!is_upright && !is_on_side) || !(fabs(fabs(across) / fabs(down) - 1) <= slack))
    return false;
  *frame = *image;
  /* Disparities are measured along the rows of the image. */
  frame->focal = image->focal * fabs(across);
  place_centre(p, image, is_on_side, frame);
  frame->image_width = (int)lround(p->width);
  frame->image_height = (int)lround(p->height);
  if (!is_upright || p->yy < 0) {
    frame->height = frame->pitch = 0;
    frame->missing |= STX_CAMERA_PITCH;
  }
  return true;
}
