/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks of the sheet share: sheets in guarded memory, and what is drawn on them. */
#ifndef SHEET_CASE_H
#define SHEET_CASE_H

#include "common/sheet/sheet.h"
#include "tests/testing.h"

StxSheetParams sheet_params(const char *format, int width, int height);
StxSheet *sheet_new(const StxSheetParams *params);
void sheet_free(StxSheet *sheet);

/* Lays the sheet with that implementation on a frame of random pixels, always the same, with
 * padding, and returns the hash of all its bytes. */
uint64_t sheet_lay_hash(const StxSheet *sheet, const char *impl, int threads);

/* The same on an RGB frame of one value; bytes of pixel (x, y). The sheet's format is RGB. */
void sheet_pixel(const StxSheet *sheet, int value, int x, int y, uint8_t rgb[3]);

/* How many pixels from (left, top) to (right, bottom) of a gray frame it changes. */
int sheet_drawn(const StxSheet *sheet, int left, int top, int right, int bottom);

/* How many pixels of a black frame it gives that colour. */
int sheet_find(const StxSheet *sheet, StxRgb colour);

/* How much of a pixel is covered by what was drawn in white with opacity 1, 0…255. */
int sheet_cover(const StxSheet *sheet, int x, int y);

/* Some shape, perhaps beyond the frame. */
void sheet_draw_any(StxSheet *sheet, StxRandom *random);

extern const StxInk sheet_white;

#endif
