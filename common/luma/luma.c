/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma: the tables of formats and of implementations; the method is in luma.h. */
#include "common/cpu.h"
#include "common/luma/luma.h"

#include <string.h>

/* ---- Formats ------------------------------------------------------------------------------- */

#define BYTES(name, pixel, at)                                                                     \
  {                                                                                                \
    name, STX_LUMA_BYTES, pixel, {at, 0, 0}, 0                                                     \
  }
#define WORDS(name, low, high, bits)                                                               \
  {                                                                                                \
    name, STX_LUMA_WORDS, 2, {low, high, 0}, bits                                                  \
  }
#define COLOURS(name, pixel, r, g, b)                                                              \
  {                                                                                                \
    name, STX_LUMA_COLOURS, pixel, {r, g, b}, 0                                                    \
  }

static const StxLumaFormat formats[] = {
    BYTES("YUY2", 2, 0),
    BYTES("YVYU", 2, 0),
    BYTES("UYVY", 2, 1),
    BYTES("VYUY", 2, 1),
    BYTES("AYUV", 4, 1),
    BYTES("VUYA", 4, 2),
    BYTES("P010_10LE", 2, 1),
    BYTES("P012_LE", 2, 1),
    BYTES("P016_LE", 2, 1),
    WORDS("GRAY16_LE", 0, 1, 0),
    WORDS("GRAY16_BE", 1, 0, 0),
    WORDS("I420_10LE", 0, 1, 10),
    WORDS("I422_10LE", 0, 1, 10),
    COLOURS("RGB", 3, 0, 1, 2),
    COLOURS("BGR", 3, 2, 1, 0),
    COLOURS("RGBx", 4, 0, 1, 2),
    COLOURS("BGRx", 4, 2, 1, 0),
    COLOURS("xRGB", 4, 1, 2, 3),
    COLOURS("xBGR", 4, 3, 2, 1),
    COLOURS("RGBA", 4, 0, 1, 2),
    COLOURS("BGRA", 4, 2, 1, 0),
    COLOURS("ARGB", 4, 1, 2, 3),
    COLOURS("ABGR", 4, 3, 2, 1),
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
