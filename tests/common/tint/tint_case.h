/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of every kind, and their tables, for the tests of all implementations. */
#ifndef STX_TINT_CASE_H
#define STX_TINT_CASE_H

#include "common/tint/tint.h"
#include "tests/testing.h"

typedef struct {
  StxTintParams params;
  const StxPixelFormat *format;
  StxTintTable *table;
  StxTintDisparities *disparities; /* NULL: numbers are plain */
  StxTintInput input;
  int width, height, square;
} TintCase;

#define TINT_CASES 9 /* kinds: maps, bytes, stixels' parts, errors plain and by tables, … */

/* Up to `most` × `most` pixels; that of seed 0 has one, 1 one row, 2 one column. */
TintCase tint_case_new(int kind, uint64_t seed, int most);
void tint_case_free(TintCase *c);

int tint_case_pixel(const TintCase *c); /* bytes */

#endif
