/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of the street: mixing colours, and patterns integrated over what a pixel covers.
 */
#ifndef STX_SCENE_PAINT_PRIVATE_H
#define STX_SCENE_PAINT_PRIVATE_H

#include "common/scene/scene_private.h"

#include <math.h>

#define COLOUR(r, g, b) ((SceneColour){(float)(r), (float)(g), (float)(b), 0})

static inline SceneColour blend(SceneColour a, SceneColour b, double share)
{
  return a + (float)share * (b - a);
}

static inline SceneColour times(SceneColour a, double factor)
{
  return a * (float)factor;
}

/* Integral of the pulse that is 1 on [low, high] of every period. */
static inline double pulse_integral(double x, double period, double low, double high)
{
  double n = (double)scene_floor(x / period);
  return n * (high - low) + scene_clamp(x - n * period - low, 0, high - low);
}

/* Share of a pixel (foot wide, around x) within the pulse. */
static inline double stripes(double x, double foot, double period, double low, double high)
{
  double w = scene_max(foot, 1e-3);
  return (pulse_integral(x + .5 * w, period, low, high) -
             pulse_integral(x - .5 * w, period, low, high)) /
         w;
}

/* Share of a pixel within one interval. */
static inline double band(double x, double foot, double low, double high)
{
  double w = scene_max(foot, 1e-3);
  return scene_clamp(scene_min(x + .5 * w, high) - scene_max(x - .5 * w, low), 0, w) / w;
}

/* Where a pattern has a finest structure of `size`: 1 while pixels are smaller, then 0. */
static inline double sharp(double foot, double size)
{
  return scene_clamp(2 - 2 * foot / size, 0, 1);
}

#endif
