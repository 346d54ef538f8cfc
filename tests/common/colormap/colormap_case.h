/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of every kind, and their tables, for the tests of all implementations. */
#pragma once

#include "common/colormap/colormap.h"
#include "tests/testing.h"

typedef struct {
  StxColormapParams params;
  const StxPixelFormat *format;
  StxColormapTable *table;
  StxColormapInput input;
  int width, height, square;
} ColormapCase;

#define COLORMAP_CASES 7 /* kinds: maps, bytes, stixels' parts, … */

/* Up to `most` × `most` pixels; that of seed 0 has one, 1 one row, 2 one column. */
ColormapCase colormap_case_new(int kind, uint64_t seed, int most);
void colormap_case_free(ColormapCase *c);
STX_AUTO_VALUE(ColormapCase, colormap_case_free)

int colormap_case_pixel(const ColormapCase *c); /* bytes */
