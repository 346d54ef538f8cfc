/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lettering: a font of strokes with round ends, drawn for this project.
 *
 * A glyph is a text of polylines separated by spaces; each point is two digits, x then y, on a
 * grid where the baseline is y = 2, small letters reach 6, digits, capitals and ascenders 8 and
 * descenders 0. Corners are cut, which anti-aliasing turns into curves at the sizes of a legend.
 * Tried and rejected: a 5 × 7 bitmap, which is either tiny or made of bricks.
 */
#include "common/lettering.h"

#include <string.h>

#define ABOUT 0x2248 /* ≈ */
#define BASELINE 2
#define DIGIT_HEIGHT 6. /* grid units from the baseline to the top of a digit */
#define HALF_STROKE .07 /* in digit heights */
#define GAP 1.9         /* grid units between glyphs, from rightmost point to the next leftmost */

/* The strokes of ASCII's characters from the space on. */
static const char *const ascii[95] = {
    "",                                                /* space */
    "08,04 02,02",                                     /* ! */
    "08,06 28,26",                                     /* " */
    "18,12 38,32 06,46 04,44",                         /* # */
    "46,37,17,06,15,35,44,33,13,04 28,22",             /* $ */
    "58,02 08,18,17,07,08 43,53,52,42,43",             /* % */
    "52,06,07,18,28,37,36,04,03,12,22,44",             /* & */
    "08,06",                                           /* ' */
    "18,06,03,11",                                     /* ( */
    "08,16,13,01",                                     /* ) */
    "28,24 07,45 05,47",                               /* asterisk */
    "05,45 23,27",                                     /* + */
    "12,00",                                           /* , */
    "05,35",                                           /* - */
    "02,02",                                           /* . */
    "38,02",                                           /* slash */
    "12,32,43,47,38,18,07,03,12",                      /* 0 */
    "06,28,22",                                        /* 1 */
    "07,18,38,47,46,02,42",                            /* 2 */
    "07,18,38,47,46,35,15 35,44,43,32,12,03",          /* 3 */
    "32,38,04,44",                                     /* 4 */
    "48,08,05,35,44,43,32,12,03",                      /* 5 */
    "38,18,07,03,12,32,43,44,35,15,04",                /* 6 */
    "08,48,12",                                        /* 7 */
    "15,06,07,18,38,47,46,35,15,04,03,12,32,43,44,35", /* 8 */
    "12,32,43,47,38,18,07,06,15,35,46",                /* 9 */
    "05,05 02,02",                                     /* : */
    "15,15 12,00",                                     /* ; */
    "47,05,43",                                        /* < */
    "06,46 04,44",                                     /* = */
    "07,45,03",                                        /* > */
    "07,18,38,47,46,25,24 22,22",                      /* ? */
    "52,12,03,07,18,48,57,54,44,46,26,24,44",          /* @ */
    "02,28,42 14,34",                                  /* A */
    "02,08,38,47,46,35,05 35,44,43,32,02",             /* B */
    "47,38,18,07,03,12,32,43",                         /* C */
    "02,08,28,46,44,22,02",                            /* D */
    "48,08,02,42 05,35",                               /* E */
    "48,08,02 05,35",                                  /* F */
    "47,38,18,07,03,12,32,43,45,25",                   /* G */
    "08,02 48,42 05,45",                               /* H */
    "08,28 18,12 02,22",                               /* I */
    "38,33,22,12,03",                                  /* J */
    "08,02 48,04 15,42",                               /* K */
    "08,02,42",                                        /* L */
    "02,08,34,68,62",                                  /* M */
    "02,08,42,48",                                     /* N */
    "18,38,47,43,32,12,03,07,18",                      /* O */
    "02,08,38,47,46,35,05",                            /* P */
    "18,38,47,43,32,12,03,07,18 24,51",                /* Q */
    "02,08,38,47,46,35,05 25,42",                      /* R */
    "47,38,18,07,06,15,35,44,43,32,12,03",             /* S */
    "08,48 28,22",                                     /* T */
    "08,03,12,32,43,48",                               /* U */
    "08,22,48",                                        /* V */
    "08,12,36,52,68",                                  /* W */
    "08,42 48,02",                                     /* X */
    "08,25,48 25,22",                                  /* Y */
    "08,48,02,42",                                     /* Z */
    "28,08,01,21",                                     /* [ */
    "08,32",                                           /* backslash */
    "08,28,21,01",                                     /* ] */
    "06,28,46",                                        /* ^ */
    "01,41",                                           /* _ */
    "08,16",                                           /* ` */
    "46,42 45,36,16,05,03,12,32,43",                   /* a */
    "08,02 05,16,36,45,43,32,12,03",                   /* b */
    "45,36,16,05,03,12,32,43",                         /* c */
    "48,42 45,36,16,05,03,12,32,43",                   /* d */
    "04,44,45,36,16,05,03,12,32,43",                   /* e */
    "38,28,17,12 06,36",                               /* f */
    "45,36,16,05,03,12,32,43 46,41,30,10",             /* g */
    "08,02 05,16,36,45,42",                            /* h */
    "06,02 08,08",                                     /* i */
    "16,11,00 18,18",                                  /* j */
    "08,02 46,04,42",                                  /* k */
    "08,03,12",                                        /* l */
    "06,02 05,16,26,35,32 35,46,56,65,62",             /* m */
    "06,02 05,16,36,45,42",                            /* n */
    "16,36,45,43,32,12,03,05,16",                      /* o */
    "06,00 05,16,36,45,43,32,12,03",                   /* p */
    "46,40 45,36,16,05,03,12,32,43",                   /* q */
    "06,02 05,16,36",                                  /* r */
    "45,36,16,05,14,34,43,32,12,03",                   /* s */
    "18,13,22,32 06,36",                               /* t */
    "06,03,12,32,43 46,42",                            /* u */
    "06,22,46",                                        /* v */
    "06,12,36,52,66",                                  /* w */
    "06,42 46,02",                                     /* x */
    "06,22 46,22,10",                                  /* y */
    "06,46,02,42",                                     /* z */
    "28,17,16,05,14,12,21",                            /* { */
    "08,01",                                           /* | */
    "08,17,16,25,14,12,01",                            /* } */
    "05,16,34,45",                                     /* ~ */
};

/* Unknown characters are drawn as a box. */
static const char *strokes_of(uint32_t glyph)
{
  if (glyph >= ' ' && glyph < ' ' + sizeof ascii / sizeof ascii[0])
    return ascii[glyph - ' '];
  switch (glyph) {
  case 0xB0: /* degree */
    return "18,27,26,15,06,07,18";
  case 0xB1: /* plus-minus */
    return "06,46 24,28 02,42";
  case 0xB2: /* superscript two */
    return "07,18,27,26,04,24";
  case 0xB7: /* middle dot */
    return "05,05";
  case ABOUT: /* two waves */
    return "06,17,36,47 03,14,33,44";
  default:
    return "02,42,48,08,02";
  }
}

uint32_t stx_text_next(const char **text)
{
  const unsigned char *byte = (const unsigned char *)*text;
  if (byte[0] == 0)
    return 0;
  if (byte[0] >= 0xC2 && byte[0] < 0xE0 && byte[1] >> 6 == 2) {
    *text += 2;
    return (uint32_t)(byte[0] & 0x1F) << 6 | (byte[1] & 0x3F);
  }
  if (strncmp(*text, "\u2248", 3) == 0) {
    *text += 3;
    return ABOUT;
  }
  int length = 1; /* of what is shown as one box */
  if (byte[0] >= 0xE0)
    while (length < 4 && byte[length] >> 6 == 2)
      length++;
  *text += length;
  return byte[0] < 0x80 ? byte[0] : STX_GLYPH_UNKNOWN;
}

double stx_glyph_advance(uint32_t glyph, double size)
{
  int right = glyph == ' ' ? 1 : 0;
  const char *points = strokes_of(glyph);
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
  for (uint32_t glyph; (glyph = stx_text_next(&text)) != 0;)
    width += stx_glyph_advance(glyph, size);
  return width;
}

double stx_stroke_radius(double size)
{
  return size * HALF_STROKE > .6 ? size * HALF_STROKE : .6;
}

size_t stx_glyph_strokes(uint32_t glyph, double size, StxStroke strokes[STX_GLYPH_STROKES])
{
  double unit = size / DIGIT_HEIGHT;
  size_t count = 0;
  for (const char *at = strokes_of(glyph); at[0] != '\0' && at[2] != '\0'; at += 3)
    if (at[2] == ',')
      strokes[count++] = (StxStroke){(at[0] - '0') * unit, (BASELINE - (at[1] - '0')) * unit,
          (at[3] - '0') * unit, (BASELINE - (at[4] - '0')) * unit};
  return count;
}
