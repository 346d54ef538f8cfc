/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by check_overlay.c and check_overlay_look.c: parameters, guarded frames of any format,
 * records.
 */
#pragma once

#include "common/overlay/overlay.h"
#include "tests/testing.h"

#define OVERLAY_ALL_KINDS 15u
#define OVERLAY_FORMATS 24

extern const char *const overlay_format_names[OVERLAY_FORMATS];

/* Class colours at alpha 1 without outlines and legend, on a frame of the image's own size. */
StxOverlayParams overlay_plain(const char *format, int width, int height, int stixel_width);

/* The number of planes of a frame in memory. */
int overlay_frame_planes(const StxOverlayParams *params);

/* The bytes of a row of such a plane. */
int overlay_frame_row(const StxOverlayParams *params, int p);

/* Guarded planes whose rows have `padding` bytes that must not be touched, and their view. */
void overlay_frame_new(
    const StxOverlayParams *params, int padding, StxImage8 plane[3], StxFrame *frame);
void overlay_frame_fill(const StxOverlayParams *params, StxImage8 plane[3], int value);
void overlay_frame_free(const StxOverlayParams *params, StxImage8 plane[3]);

/* The same as one, filled; and drawn on by the reference. */
typedef struct {
  StxImage8 plane[3];
  StxFrame frame;
} OverlayFrame;
OverlayFrame overlay_frame(const StxOverlayParams *params, int padding, int fill);
OverlayFrame overlay_drawn(
    const StxOverlayParams *params, int padding, int fill, const StxStixel *records, size_t count);
void overlay_frame_end(OverlayFrame *f);
STX_AUTO_VALUE(OverlayFrame, overlay_frame_end)

/* Checks, prepares and draws once, with the legend, if there is one; state and scratch in guarded
 * memory of the stated size. */
StxOverlayResult overlay_draw_with(const char *impl_name, int threads,
    const StxOverlayParams *params, const StxFrame *frame, const StxStixel *records, size_t count);

/* The same with the reference. */
StxOverlayResult overlay_draw(
    const StxOverlayParams *params, const StxFrame *frame, const StxStixel *records, size_t count);

/* A record of one disparity. */
StxStixel overlay_stixel(int column, int top, int bottom, StxKind kind, int label, float disparity);

/* The three channels of a pixel, filled with `fill`, after drawing `record` on all of it. */
void overlay_draw_pixel(StxOverlayParams params, StxStixel record, int fill, uint8_t bytes[3]);

/* Random complete columns with labels, in the order of stixel.h. Returns their number. */
size_t overlay_random_stixels(const StxOverlayParams *params, StxRandom *random, StxStixel *out);

/* Random bytes, half of the records nearly right. */
void overlay_garbage(
    const StxOverlayParams *params, size_t count, StxRandom *random, StxStixel *records);

void overlay_expect_bytes(const uint8_t *actual, const int *expected, int n, const char *what);
