/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When a frame was taken, for what compares one with the next: its time stamp, or where it has none
 * a frame after the one before, if the caps say how long that is. Streaming thread.
 */
#pragma once

#include <gst/gst.h>

typedef struct {
  GstClockTime frame; /* how long one lasts; NONE: unknown */
  GstClockTime next;  /* of a frame without a time stamp */
} GstStxFrameTime;

/* A stream of these caps; and: a new one begins at 0. */
void gst_stx_frame_time_set_caps(GstStxFrameTime *self, const GstCaps *caps);
void gst_stx_frame_time_reset(GstStxFrameTime *self);

/* NONE: unknown. To be called for every frame, in order. */
GstClockTime gst_stx_frame_time_of(GstStxFrameTime *self, GstBuffer *frame);

/* Does this frame begin another scene than the one before, whose time is in *last (NONE: there is
 * none)? Sources mark lost frames as a discontinuity, too, and files forget the mark: so a hole of
 * up to a second is none, with or without it, and a longer one is. */
gboolean gst_stx_frame_is_cut(GstBuffer *frame, GstClockTime *last);

/* The duration of a frame; NONE: unknown. */
GstClockTime gst_stx_frame_time_duration(const GstStxFrameTime *self, GstBuffer *frame);
