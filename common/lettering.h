/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lettering on pictures. A font of strokes: digits, small letters, space and . + - ; anything else
 * is a box. `size` is the height of a digit in pixels. The same pixels on every machine.
 */
#ifndef STX_LETTERING_H
#define STX_LETTERING_H

/* Pixels from a glyph's origin to the next one's. */
double stx_glyph_advance(char glyph, double size);
double stx_text_width(const char *text, double size);

/* How much of the pixel whose centre is (x, y) the glyph covers, 0…255. Its baseline begins at
 * (0, 0); y grows downwards. */
int stx_glyph_coverage(char glyph, double size, double x, double y);

#endif
