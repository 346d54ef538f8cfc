/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plane of a road with one upright box on it or one pit in it, seen by an exact stereo camera. */
#pragma once

#include "common/hazards/hazards.h"
#include "tests/testing.h"

/* Metres; height 0: a bare road, negative: a pit. */
typedef struct {
  double x, z, width, length, height; /* x of the middle, z of the nearer edge */
  double lower;                       /* pixels by which the right picture is too low */
  double light; /* 0, or how much brighter leaves let the sun make the road; the right camera's
                   gain is a tenth less */
  int width_px, height_px, padding; /* 0, 0: 320 x 120 */
} HazardsCase;

#define HAZARDS_CASE(...)                                                                          \
  (HazardsCase)                                                                                    \
  {                                                                                                \
    .width = .6, .length = .5, __VA_ARGS__                                                         \
  }

typedef struct {
  StxHazardsFrame frame;
} HazardsPictures;

HazardsPictures hazards_pictures(const HazardsCase *c);
void hazards_pictures_free(HazardsPictures *pictures);
STX_AUTO_VALUE(HazardsPictures, hazards_pictures_free)

STX_AUTO_POINTER(StxHazards, stx_hazards_free)
