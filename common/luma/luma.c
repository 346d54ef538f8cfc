/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma: the tables of formats and of implementations; the method is in luma.h. */
#include "common/cpu.h"
#include "common/luma/luma.h"

#include <string.h>

/* ---- Formats ------------------------------------------------------------------------------- */

#define BYTES(pixel, at) STX_LUMA_BYTES, pixel, {at, 0, 0}, 0
#define WORDS(low, high, bits) STX_LUMA_WORDS, 2, {low, high, 0}, bits
#define COLOURS(pixel, r, g, b) STX_LUMA_COLOURS, pixel, {r, g, b}, 0

static const StxLumaFormat formats[] = {
    {"YUY2", BYTES(2, 0)},
    {"YVYU", BYTES(2, 0)},
    {"UYVY", BYTES(2, 1)},
    {"VYUY", BYTES(2, 1)},
    {"AYUV", BYTES(4, 1)},
    {"VUYA", BYTES(4, 2)},
    {"P010_10LE", BYTES(2, 1)},
    {"P012_LE", BYTES(2, 1)},
    {"P016_LE", BYTES(2, 1)},
    {"GRAY16_LE", WORDS(0, 1, 0)},
    {"GRAY16_BE", WORDS(1, 0, 0)},
    {"I420_10LE", WORDS(0, 1, 10)},
    {"I422_10LE", WORDS(0, 1, 10)},
    {"RGB", COLOURS(3, 0, 1, 2)},
    {"BGR", COLOURS(3, 2, 1, 0)},
    {"RGBx", COLOURS(4, 0, 1, 2)},
    {"BGRx", COLOURS(4, 2, 1, 0)},
    {"xRGB", COLOURS(4, 1, 2, 3)},
    {"xBGR", COLOURS(4, 3, 2, 1)},
    {"RGBA", COLOURS(4, 0, 1, 2)},
    {"BGRA", COLOURS(4, 2, 1, 0)},
    {"ARGB", COLOURS(4, 1, 2, 3)},
    {"ABGR", COLOURS(4, 3, 2, 1)},
};

const StxLumaFormat *stx_luma_format(const char *name)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  return NULL;
}

/* ---- Implementations ---------------------------------------------------------------------- */

STX_DECLARE(StxLumaImpl, stx_luma, run);
#define FUNCTIONS(isa) stx_luma_run_##isa
STX_HOST_TABLE(StxLumaImpl, stx_luma, FUNCTIONS);
