/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The 8-bit pixel formats that can be drawn on. */
#include "common/colour/colour.h"

#include <string.h>

#define PACKED3(name, a, b, c)                                                                     \
  {                                                                                                \
    name, false, 1,                                                                                \
    {                                                                                              \
      {                                                                                            \
        3, {a, b, c, -1}, 0, 0                                                                     \
      }                                                                                            \
    }                                                                                              \
  }
#define PACKED4(name, a, b, c, d)                                                                  \
  {                                                                                                \
    name, false, 1,                                                                                \
    {                                                                                              \
      {                                                                                            \
        4, {a, b, c, d}, 0, 0                                                                      \
      }                                                                                            \
    }                                                                                              \
  }
#define LUMA                                                                                       \
  {                                                                                                \
    1, {0, -1, -1, -1}, 0, 0                                                                       \
  }
#define SINGLE(channel, sx, sy)                                                                    \
  {                                                                                                \
    1, {channel, -1, -1, -1}, sx, sy                                                               \
  }
#define PAIR(a, b, sx, sy)                                                                         \
  {                                                                                                \
    2, {a, b, -1, -1}, sx, sy                                                                      \
  }
/* Packed 4:2:2: luma in the even or odd bytes, chroma in the others. */
#define EVEN                                                                                       \
  {                                                                                                \
    2, {0, -1, -1, -1}, 0, 0                                                                       \
  }
#define ODD                                                                                        \
  {                                                                                                \
    2, {-1, 0, -1, -1}, 0, 0                                                                       \
  }
#define EVEN_PAIR(a, b)                                                                            \
  {                                                                                                \
    4, {a, -1, b, -1}, 1, 0                                                                        \
  }
#define ODD_PAIR(a, b)                                                                             \
  {                                                                                                \
    4, {-1, a, -1, b}, 1, 0                                                                        \
  }

static const StxPixelFormat formats[] = {
    PACKED3("RGB", 0, 1, 2),
    PACKED3("BGR", 2, 1, 0),
    PACKED4("RGBA", 0, 1, 2, -1),
    PACKED4("RGBx", 0, 1, 2, -1),
    PACKED4("BGRA", 2, 1, 0, -1),
    PACKED4("BGRx", 2, 1, 0, -1),
    PACKED4("ARGB", -1, 0, 1, 2),
    PACKED4("xRGB", -1, 0, 1, 2),
    PACKED4("ABGR", -1, 2, 1, 0),
    PACKED4("xBGR", -1, 2, 1, 0),
    {"I420", true, 3, {LUMA, SINGLE(1, 1, 1), SINGLE(2, 1, 1)}},
    {"YV12", true, 3, {LUMA, SINGLE(2, 1, 1), SINGLE(1, 1, 1)}},
    {"Y42B", true, 3, {LUMA, SINGLE(1, 1, 0), SINGLE(2, 1, 0)}},
    {"Y444", true, 3, {LUMA, SINGLE(1, 0, 0), SINGLE(2, 0, 0)}},
    {"NV12", true, 2, {LUMA, PAIR(1, 2, 1, 1)}},
    {"NV21", true, 2, {LUMA, PAIR(2, 1, 1, 1)}},
    {"NV16", true, 2, {LUMA, PAIR(1, 2, 1, 0)}},
    {"NV61", true, 2, {LUMA, PAIR(2, 1, 1, 0)}},
    {"NV24", true, 2, {LUMA, PAIR(1, 2, 0, 0)}},
    {"AYUV", true, 1, {{4, {-1, 0, 1, 2}, 0, 0}}},
    {"YUY2", true, 2, {EVEN, ODD_PAIR(1, 2)}, true},
    {"YVYU", true, 2, {EVEN, ODD_PAIR(2, 1)}, true},
    {"UYVY", true, 2, {ODD, EVEN_PAIR(1, 2)}, true},
    {"VYUY", true, 2, {ODD, EVEN_PAIR(2, 1)}, true},
};

const StxPixelFormat *stx_pixel_format(const char *name)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  return NULL;
}
