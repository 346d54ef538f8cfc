/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in every format of luma.h, for the tests of all implementations. */
#pragma once

#include "common/luma/luma.h"
#include "tests/testing.h"

#define LUMA_CASE_FORMATS 23

typedef struct {
  const StxLumaFormat *format;
  int bits;
  StxImage8 picture; /* width in pixels */
} LumaCase;

/* A picture of up to `most` × `most` pixels, in the format of that number; the one of seed 0 has
 * one pixel. Words have 8 to 16 bits, and `bits` may say so or not. */
LumaCase luma_case_new(int format, uint64_t seed, int most);
void luma_case_free(LumaCase *c);
STX_AUTO_VALUE(LumaCase, luma_case_free)
