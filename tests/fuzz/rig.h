/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An element between pads of ours, through which one input after another runs. It stays alive as
 * long as it posts no error, so that thousands of inputs go through in a second; what an input
 * leaves behind in it may therefore matter to later ones, and to no other process.
 *
 *   StxRig *rig = &rigs[choice];
 *   stx_rig_begin(rig);
 *   stx_rig_caps(rig, 0, caps);
 *   stx_rig_push(rig, 0, buffer);
 *   stx_rig_end(rig);
 *
 * stx_rig_end demands that the element has done one of two things within a minute: passed on the
 * end of the streams on every pad, or posted an error whose text says something. A pad that refuses
 * without such an error, a warning or a critical of GLib, and whatever `take` finds in a buffer
 * that comes out, are findings.
 *
 * Everything is called from one thread; `take` is called from that of the element.
 */
#pragma once

#include <gst/video/video.h>

#include "tests/fuzz/gst_input.h"

#define STX_RIG_PADS 3
#define STX_RIG_OUTS 2
#define STX_RIG_FRAME (100 * GST_MSECOND)

/* A calibration of small pictures, for `calibration`. */
#define STX_RIG_CALIBRATION                                                                        \
  "K1: [20, 0, 8, 0, 20, 7, 0, 0, 1]\nD1: [-0.1, 0.02, 0, 0]\n"                                    \
  "K2: [20, 0, 7, 0, 20, 8, 0, 0, 1]\nD2: [-0.1, 0.02, 0, 0]\n"                                    \
  "R: [1, 0, 0.01, 0, 1, 0, -0.01, 0, 1]\nT: [-0.1, 0, 0]\n"

typedef struct StxRig StxRig;
struct StxRig {
  const char *line;               /* of gst-launch: one element, or several from sink to src */
  const char *pads[STX_RIG_PADS]; /* sink pads that are linked; the first that is NULL ends them */
  const char *accepts;            /* caps that are taken behind it; NULL: any */
  void (*take)(StxRig *rig, GstBuffer *output, const GstCaps *caps);
  const char *outs[STX_RIG_OUTS]; /* source pads; none: "src" */
  const char *calibration;        /* text of the element's file; NULL: it has none */

  gpointer expected; /* for `take`, the target's own */
  guint outputs;     /* of this input: buffers that came out */

  /* Private. */
  GstElement *element;
  GstPad *sources[STX_RIG_PADS], *sinks[STX_RIG_OUTS];
  GMutex lock;
  GCond ended_or_failed;
  guint ends; /* that came out; under the lock, like the next */
  gboolean failed;
  gboolean refused; /* an event or buffer */
};

/* A stream begins on each pad, without caps and segments. */
void stx_rig_begin(StxRig *rig);

/* Each takes what it gets, and does nothing once something was refused. */
void stx_rig_caps(StxRig *rig, guint pad, GstCaps *caps);
void stx_rig_event(StxRig *rig, guint pad, GstEvent *event);
void stx_rig_push(StxRig *rig, guint pad, GstBuffer *buffer);

/* A segment in time from 0 on; needs caps before. */
void stx_rig_segment(StxRig *rig, guint pad);

/* Flushes all pads; a segment has to follow. */
void stx_rig_flush(StxRig *rig);

/* The end of the streams; FALSE: it was an error. */
gboolean stx_rig_end(StxRig *rig);

/* ---- Buffers ------------------------------------------------------------------------------- */

/*
 * Reads from the input how memory lies: whether it begins at an odd address, and is cut in two.
 * Then a buffer of `size` bytes of exactly that much memory, which repeat what is left of the input
 * (without moving on in it), with the time of frame `number`.
 */
typedef struct {
  guint begin; /* bytes in front of it */
  guint cut;   /* 1/256 of it are the first memory */
} StxRigLayout;
StxRigLayout stx_rig_layout(StxFuzzInput *input);
GstBuffer *stx_rig_buffer(
    const StxFuzzInput *payload, StxRigLayout layout, gsize size, guint number);

/* Sometimes `size`, sometimes another number of bytes, but not above 1 MiB. */
gsize stx_rig_wrong_size(StxFuzzInput *input, gsize size);
