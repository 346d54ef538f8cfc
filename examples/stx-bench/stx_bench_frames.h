/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench frames: how many frames per second go through whole pipelines of GStreamer. */
#ifndef STX_BENCH_FRAMES_H
#define STX_BENCH_FRAMES_H

#include "common/stx.h"

#include <glib.h>

/* The pipelines to measure, and for how long. */
typedef struct {
  const char *pipeline; /* with two appsrc, left and right, and a fakesink, out */
  const char *views[2]; /* gst-launch lines that end in a picture: what is fed, over and over */
  int frames;           /* of each view that are kept */
  double seconds;
  double rate; /* frames per second that are fed; 0: as many as it takes */
} FramesRun;

/* Of one frame, in the mean. */
typedef struct {
  double ms;         /* from one to the next */
  double cpu_ms;     /* of all threads of the process */
  double latency_ms; /* from its way in to its way out */
} FramesResult;

/* Runs it in this process, once; false with what GStreamer says on stderr. */
bool frames_run(const FramesRun *run, FramesResult *result);

/* `stx-bench frames …`: argv[0] is "frames"; `program` is what to start for each run. */
bool bench_frames(const char *program, int argc, char **argv, StxError *error);

#endif
