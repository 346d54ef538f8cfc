/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the checks of the canvas: canvases in guarded memory, and drawings. */
#pragma once

#include "common/canvas/canvas.h"
#include "tests/testing.h"

StxCanvasParams canvas_params(const char *format, int width, int height);
StxCanvas *canvas_new(const StxCanvasParams *params);
void canvas_free(StxCanvas *canvas);
STX_AUTO_POINTER(StxCanvas, canvas_free)

/* Lays the canvas with that implementation on a frame of random pixels, always the same, with
 * padding, and returns the hash of all its bytes. */
uint64_t canvas_lay_hash(const StxCanvas *canvas, const char *impl, int threads);

/* The same on an RGB frame of one value; bytes of pixel (x, y). The canvas's format is RGB. */
void canvas_pixel(const StxCanvas *canvas, int value, int x, int y, uint8_t rgb[3]);

/* The coverage of a pixel, if the drawing is white with opacity 1, 0…255. */
int canvas_cover(const StxCanvas *canvas, int x, int y);

/* Some shape, perhaps beyond the frame. */
void canvas_draw_any(StxCanvas *canvas, StxRandom *random);

extern const StxInk canvas_white;
