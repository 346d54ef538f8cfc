/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views and maps for the tests of rectify. */
#pragma once

#include "common/rectify/rectify.h"
#include "tests/testing.h"

/* Pictures that stay as they are. */
StxRectifyView rectify_plain_view(int width, int height);

/* Sides of 16 to 105 pixels; bent, turned, shrunk or stretched, so that there is something of which
 * the camera sees nothing. */
StxRectifyView rectify_random_view(StxRandom *random);

/* The map of a view, in guarded memory. */
StxRectifyMap rectify_new_map(const StxRectifyView *view, int shift_x, int shift_y);
void rectify_free_map(StxRectifyMap *map);
STX_AUTO_VALUE(StxRectifyMap, rectify_free_map)

/* Both maps of packed 4:2:2. */
typedef struct {
  StxRectifyMap pixels, colours;
} RectifyPackedMaps;

RectifyPackedMaps rectify_new_packed_maps(const StxRectifyView *view);
void rectify_free_packed_maps(RectifyPackedMaps *maps);

/* Bytes of a row of so many pixels in packed 4:2:2. */
int rectify_packed_bytes(int width);

/* Rectifies a packed picture by its planes: taken apart, rectified by the reference, and put
 * together. The byte behind an odd width becomes 0. */
void rectify_run_planes(const RectifyPackedMaps *maps, const StxRectifyPacked *packed,
    const StxImage8 *source, const StxImage8 *target);

void rectify_run_reference(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target);
