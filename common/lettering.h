/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lettering on pictures. A font of strokes: the printable characters of ASCII, and °, ±, ², · and
 * ≈; anything else is a box. Texts are UTF-8. `size` is the height of a digit and of a capital in
 * pixels; letters that reach below the baseline do so by a third of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define STX_GLYPH_UNKNOWN 0xFFFD
#define STX_GLYPH_STROKES 16 /* of one glyph, at most */

/* The next character, and `text` behind it; 0 at the end. What is no UTF-8, or more than two bytes
 * long but ≈, is STX_GLYPH_UNKNOWN. */
uint32_t stx_text_next(const char **text);

/* Pixels from a glyph's origin to the next one's. */
double stx_glyph_advance(uint32_t glyph, double size);
double stx_text_width(const char *text, double size);

/* A line with round ends, pixels from the glyph's origin on the baseline; y grows downwards. */
typedef struct {
  double x0, y0, x1, y1;
} StxStroke;

/* Returns their number, 0 … STX_GLYPH_STROKES. */
size_t stx_glyph_strokes(uint32_t glyph, double size, StxStroke strokes[STX_GLYPH_STROKES]);

/* Half of their width. */
double stx_stroke_radius(double size);
