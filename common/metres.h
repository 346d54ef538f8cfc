/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The position of a stixel in metres, from its record and the camera of its image (camera.h).
 *
 * Axes are the left camera's, origin in its centre: x to the right, y down, z forward along the
 * optical axis. They tilt with the camera: pitch and height are not applied. A point of disparity d
 * at column u and row v of the image lies at
 *   z = focal · baseline / d,  x = (u − cx) · z / focal,  y = (v − cy) · z / focal
 */
#ifndef STX_METRES_H
#define STX_METRES_H

#include <math.h>

#include "common/camera.h"
#include "common/stixel.h"

/* Not a number: unknown. */
typedef struct {
  double x, y,
      z;         /* the middle of the lower edge: where an object stands, where ground is nearest */
  double z_top;  /* of the upper edge: of an object z, of ground how far it reaches */
  double width;  /* at the lower edge; a stixel at the image's right border may be narrower */
  double height; /* from the lower edge up to the upper one, along y; of level ground about 0 */
} StxMetres;

/* Infinitely far is as unknown as not measured. */
static inline double stx_metres_depth(const StxCamera *camera, float disparity)
{
  return disparity > 0 && isfinite(disparity) ? camera->focal * camera->baseline / disparity : NAN;
}

/*
 * `camera` is that of the image of `width` pixels (columns of `stixel_width` each) on which the
 * stixel was computed. False, and everything is unknown, if the camera is not metric or the
 * disparity at the lower edge is unknown or 0. If it is that at the upper edge, z_top and height
 * are unknown; without cx x is, without cy y is, and the height of what does not stand upright.
 */
static inline bool stx_metres(const StxCamera *camera, int width, int stixel_width,
    const StxStixel *stixel, StxMetres *metres)
{
  StxMetres unknown = {NAN, NAN, NAN, NAN, NAN, NAN};
  double left = (double)stixel->column * stixel_width - .5, right = left + stixel_width;
  *metres = unknown;
  if (!stx_camera_is_metric(camera) || !(stixel->disparity_bottom > 0) ||
      !isfinite(stixel->disparity_bottom))
    return false;
  right = right < width - .5 ? right : width - .5;
  double z = metres->z = stx_metres_depth(camera, stixel->disparity_bottom);
  double far = metres->z_top = stx_metres_depth(camera, stixel->disparity_top);
  metres->width = (right - left) * z / camera->focal;
  if (!(camera->missing & STX_CAMERA_CX))
    metres->x = ((left + right) / 2 - camera->cx) * z / camera->focal;
  if (!(camera->missing & STX_CAMERA_CY))
    metres->y = (stixel->bottom + .5 - camera->cy) * z / camera->focal;
  if (!(camera->missing & STX_CAMERA_CY) || far == z)
    metres->height =
        ((stixel->bottom + .5 - camera->cy) * z - (stixel->top - .5 - camera->cy) * far) /
        camera->focal;
  return true;
}

/* Standard deviation of the disparity of a stixel or an obstacle, pixels. */
#define STX_METRES_OFF .5

/* Standard deviation of a depth, which grows with its square. Not a number: the camera is not
 * metric, or the depth unknown. */
static inline double stx_metres_deviation(const StxCamera *camera, double depth)
{
  return stx_camera_is_metric(camera)
             ? depth * depth * STX_METRES_OFF / (camera->focal * camera->baseline)
             : NAN;
}

#ifndef __GI_SCANNER__ /* of the library stixels alone */
/* The same of `count` stixels, for callers that cannot inline; `metres` holds as many. */
STX_API void stx_metres_of_all(const StxCamera *camera, int width, int stixel_width,
    const StxStixel *stixels, size_t count, StxMetres *metres);
#endif /* __GI_SCANNER__ */

#endif
