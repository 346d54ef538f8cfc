/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-frames: how many frames per second go through whole pipelines of GStreamer. */
#ifndef STX_FRAMES_H
#define STX_FRAMES_H

#include <glib.h>

/* What is measured, and for how long. */
typedef struct {
  const char *pipeline; /* with two appsrc, left and right, and a fakesink, out */
  const char *views[2]; /* gst-launch lines that end in a picture: what is fed, over and over */
  int frames;           /* of each view that are kept */
  double seconds;
} StxFramesRun;

/* Of one frame, in the mean. */
typedef struct {
  double ms;         /* from one to the next */
  double cpu_ms;     /* of all threads of the process */
  double latency_ms; /* from its way in to its way out */
  double switches;   /* of threads, voluntary or not */
  double faults;     /* of pages */
} StxFramesResult;

/* Runs it in this process, once; FALSE with what GStreamer says on stderr. */
gboolean stx_frames_run(const StxFramesRun *run, StxFramesResult *result);

#endif
