/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stixel-overlay.c and stixel-overlay-stream.c share.
 *
 * Frames of 16×8 pixels in RGB at 10 per second, under stixels of two columns of 8 pixels: the left
 * one a car from top to bottom, the right one road. Drawn by class at alpha 1, without lines and
 * legend, a car is (0, 0, 142) and road (128, 64, 128).
 */
#ifndef OVERLAY_FIXTURE_H
#define OVERLAY_FIXTURE_H

#include "common/stixel.h"
#include "tests/elements/util.h"

#define OVERLAY_VIDEO_CAPS(format, width, height)                                                  \
  "video/x-raw,format=" format ",width=" #width ",height=" #height ",framerate=10/1"
#define OVERLAY_STIXEL_CAPS                                                                        \
  "application/x-stixels,width=16,height=8,stixel-width=8,columns=2,framerate=10/1"
#define OVERLAY_FRAME (100 * GST_MSECOND)
#define OVERLAY_FRAME_SIZE (16 * 8 * 3)
#define OVERLAY_PLAIN "mode=class alpha=1 outlines=false legend=none"

typedef struct {
  GstElement *element;
  GstHarness *video, *stixels; /* stixels NULL: no such pad */
  GstBus *bus;
} OverlayFixture;

OverlayFixture overlay_setup_with(const char *line, gboolean with_stixels);
OverlayFixture overlay_setup(void); /* OVERLAY_PLAIN, both pads */
void overlay_teardown(OverlayFixture *f);

/* The stixels described above. */
extern const StxStixel overlay_two_columns[2];

GstBuffer *overlay_frame_at(GstClockTime pts); /* every byte is 100 */
GstBuffer *overlay_records_at(GstClockTime pts, const StxStixel *records, gsize count);
GstBuffer *overlay_stixels_at(GstClockTime pts); /* overlay_two_columns */
void overlay_push_frame(OverlayFixture *f, GstClockTime pts);
void overlay_push_stixels(OverlayFixture *f, GstClockTime pts);

/* A property of type uint64. */
guint64 overlay_counter(OverlayFixture *f, const char *name);

/* Pulls the frame of that time. It must be drawn and carry its stixels, or be untouched. */
void overlay_expect_frame(OverlayFixture *f, GstClockTime pts, gboolean drawn);

/* One warning, whose text has the word, was posted; no error. */
void overlay_expect_one_warning(OverlayFixture *f, const char *word);

#endif
