/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lettering: a font of strokes with round ends, drawn for this project.
 *
 * A glyph is a text of polylines separated by spaces; each point is two digits, x then y, on a
 * grid where the baseline is y = 2, small letters reach 6, digits and ascenders 8 and descenders
 * 0. Corners are cut, which anti-aliasing turns into curves at the sizes of a legend. Tried and
 * rejected: a 5 × 7 bitmap, which is either tiny or made of bricks.
 */
#include "common/lettering.h"

#include <math.h>
#include <string.h>

#define BASELINE 2
#define DIGIT_HEIGHT 6. /* grid units from the baseline to the top of a digit */
#define HALF_STROKE .07 /* in digit heights */
#define GAP 1.9         /* grid units between glyphs, from rightmost point to the next leftmost */

static const char *const digits[10] = {
    "12,32,43,47,38,18,07,03,12",
    "06,28,22",
    "07,18,38,47,46,02,42",
    "07,18,38,47,46,35,15 35,44,43,32,12,03",
    "32,38,04,44",
    "48,08,05,35,44,43,32,12,03",
    "38,18,07,03,12,32,43,44,35,15,04",
    "08,48,12",
    "15,06,07,18,38,47,46,35,15,04,03,12,32,43,44,35",
    "12,32,43,47,38,18,07,06,15,35,46",
};

static const char *const letters[26] = {
    "46,42 45,36,16,05,03,12,32,43",       /* a */
    "08,02 05,16,36,45,43,32,12,03",       /* b */
    "45,36,16,05,03,12,32,43",             /* c */
    "48,42 45,36,16,05,03,12,32,43",       /* d */
    "04,44,45,36,16,05,03,12,32,43",       /* e */
    "38,28,17,12 06,36",                   /* f */
    "45,36,16,05,03,12,32,43 46,41,30,10", /* g */
    "08,02 05,16,36,45,42",                /* h */
    "06,02 08,08",                         /* i */
    "16,11,00 18,18",                      /* j */
    "08,02 46,04,42",                      /* k */
    "08,03,12",                            /* l */
    "06,02 05,16,26,35,32 35,46,56,65,62", /* m */
    "06,02 05,16,36,45,42",                /* n */
    "16,36,45,43,32,12,03,05,16",          /* o */
    "06,00 05,16,36,45,43,32,12,03",       /* p */
    "46,40 45,36,16,05,03,12,32,43",       /* q */
    "06,02 05,16,36",                      /* r */
    "45,36,16,05,14,34,43,32,12,03",       /* s */
    "18,13,22,32 06,36",                   /* t */
    "06,03,12,32,43 46,42",                /* u */
    "06,22,46",                            /* v */
    "06,12,36,52,66",                      /* w */
    "06,42 46,02",                         /* x */
    "06,22 46,22,10",                      /* y */
    "06,46,02,42",                         /* z */
};

static const char *strokes(char glyph)
{
  if (glyph >= '0' && glyph <= '9')
    return digits[glyph - '0'];
  if (glyph >= 'a' && glyph <= 'z')
    return letters[glyph - 'a'];
  switch (glyph) {
  case ' ':
    return "";
  case '.':
    return "02,02";
  case '-':
    return "05,35";
  case '+':
    return "05,45 23,27";
  default:
    return "02,42,48,08,02";
  }
}

double stx_glyph_advance(char glyph, double size)
{
  int right = glyph == ' ' ? 1 : 0;
  const char *points = strokes(glyph);
  for (size_t i = 0; points[i] != '\0'; i += 3) {
    right = points[i] - '0' > right ? points[i] - '0' : right;
    if (points[i + 2] == '\0')
      break;
  }
  return (right + GAP) * size / DIGIT_HEIGHT;
}

double stx_text_width(const char *text, double size)
{
  double width = 0;
  for (; *text != '\0'; text++)
    width += stx_glyph_advance(*text, size);
  return width;
}

/* Distance of (x, y) from the line between two points of the grid. */
static double distance_to_line(const char *from, const char *to, double x, double y)
{
  double ax = from[0] - '0', ay = from[1] - '0', dx = to[0] - from[0], dy = to[1] - from[1];
  double length2 = dx * dx + dy * dy;
  double t = length2 > 0 ? ((x - ax) * dx + (y - ay) * dy) / length2 : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  double ex = x - ax - t * dx, ey = y - ay - t * dy;
  return sqrt(ex * ex + ey * ey);
}

int stx_glyph_coverage(char glyph, double size, double x, double y)
{
  double unit = size / DIGIT_HEIGHT, nearest = 1e9;
  double gx = x / unit, gy = BASELINE - y / unit;
  for (const char *point = strokes(glyph); strlen(point) >= 5; point += 3) {
    if (point[2] == ' ')
      continue;
    double distance = distance_to_line(point, point + 3, gx, gy);
    nearest = distance < nearest ? distance : nearest;
  }
  double radius = size * HALF_STROKE > .6 ? size * HALF_STROKE : .6;
  double coverage = radius + .5 - nearest * unit;
  return coverage <= 0 ? 0 : coverage >= 1 ? 255 : (int)(coverage * 255 + .5);
}
