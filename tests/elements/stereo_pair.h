/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm between harnesses, with frames whose disparity is known. */
#ifndef STX_ELEMENTS_STEREO_PAIR_H
#define STX_ELEMENTS_STEREO_PAIR_H

#include "common/sgm/sgm.h"
#include "tests/elements/util.h"

#include <gst/video/video.h>

typedef struct {
  GstElement *element;
  GstHarness *left, *right; /* output is pulled from `left` */
  GstBus *bus;
} StereoPair;

#define FRAME (100 * GST_MSECOND) /* duration of a frame in all tests: 10 per second */

/* The element alone, with properties "name=value name=value", and a bus. */
StereoPair stereo_element(const char *properties);

/* With both views linked: caps of GRAY8 frames of this size at 10 frames per second. */
StereoPair stereo_pair(const char *properties, int width, int height);
void stereo_pair_free(StereoPair *pair);

/* Caps of such frames, to be freed. */
char *stereo_caps(const char *format, int width, int height);

/* A new texture in each frame `seed`; `shift` pixels is its disparity. The view is the left one,
 * or the right one, which shows everything `shift` pixels further left. The PTS is that of frame
 * number `number`; none if it is negative. */
GstBuffer *stereo_view(
    const char *format, int width, int height, gboolean right, int seed, int shift, int number);

void stereo_push_left(StereoPair *pair, GstBuffer *buffer);
void stereo_push_right(StereoPair *pair, GstBuffer *buffer);

/* Disparity in 1/256 pixel at the pixel (x, y) of a frame of that size. */
guint stereo_at(GstBuffer *disparity, int width, int height, int x, int y);

#endif
