/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clang-format off */
/*
 * The inside of stereo-stixels: its children, and how they are linked for the pads that there are
 * and for the calibration that was given.
 *
 *   sink ────────┐
 *   sink_left ───┴─ inputs ─ convert-left ──┐
 *   sink_right ──── inputs ─ convert-right ─┴─ rectify ─┬─ views ─┬─────────────┬─ sgm
 *                                                       └─────────│─────────────┘   │
 *   src_left ──┬─ left ── (crop) ─────────────────────────────────┘                 │
 *         queue-output              records ── stixels, segments ── reduction ── disparity
 *   src ── overlay ──────────────────┴┴─ src_stixels               src_disparity ──┘
 *   src ── json ── queue-output ──────┘
 *
 * In place of `sgm` stands `onnx` with matcher=onnx.
 *
 * With obstacles `obstacles` stands between `records` and `overlay`, or behind `queue-output` where
 * nothing is drawn.
 *
 * `inputs` is a multiqueue: where one thread brings both views, as a demuxer's does, it takes more
 * of the one as long as the other is missing; from two threads it takes a frame of each. No frame
 * needs a later one, so none can wait for itself: the pads of the matcher take the next pair while
 * it works, and no queue in front of them makes that pair older. The aggregators stereo-sgm,
 * downsample-transpose and stixel-overlay have threads of their own, so that one frame is matched
 * while the one before is segmented.
 */
/* clang-format on */
#pragma once

#include <stdbool.h>

#include "gst/stereo/parts.h"

/* Parts, in the order in which properties ask them. */
typedef enum {
  GST_PLUMBING_SGM,
  GST_PLUMBING_ONNX,
  GST_PLUMBING_RECTIFY,
  GST_PLUMBING_REDUCTION,
  GST_PLUMBING_STIXELS,
  GST_PLUMBING_SEGMENTS,
  GST_PLUMBING_OVERLAY,
  GST_PLUMBING_OBSTACLES,
  GST_PLUMBING_JSON,
  GST_PLUMBING_INPUTS,
  GST_PLUMBING_CONVERT_LEFT,
  GST_PLUMBING_CONVERT_RIGHT,
  GST_PLUMBING_CONVERT_DRAWN,
  GST_PLUMBING_VIEWS,
  GST_PLUMBING_CROP,
  GST_PLUMBING_LEFT,
  GST_PLUMBING_QUEUE_OUTPUT,
  GST_PLUMBING_DISPARITY,
  GST_PLUMBING_RECORDS,
  GST_PLUMBING_PARTS
} GstPlumbingPart;

extern const GstStxPart gst_plumbing_parts[GST_PLUMBING_PARTS];

typedef enum {
  GST_PLUMBING_OUTPUT_OVERLAY,
  GST_PLUMBING_OUTPUT_STIXELS,
  GST_PLUMBING_OUTPUT_JSON
} GstPlumbingOutput;

/* Cuts, in the order of the parts from GST_PLUMBING_STIXELS on. */
typedef enum { GST_PLUMBING_CUT_STIXELS, GST_PLUMBING_CUT_SEGMENTS } GstPlumbingCut;

/* Matchers, in the order of the parts. */
typedef enum { GST_PLUMBING_MATCH_SGM, GST_PLUMBING_MATCH_ONNX } GstPlumbingMatcher;

typedef struct {
  GstPlumbingMatcher matcher;
  GstPlumbingOutput output;
  GstPlumbingCut segmentation;
  bool obstacles;
} GstPlumbingSettings;

#define GST_PLUMBING_PADS 6 /* that can be requested */

/* A requested pad, and what leads from it, or to it. */
typedef struct {
  GstPad *pad;               /* NULL: not requested. The bin owns it */
  GstPad *queued;            /* of a sink pad: that of `inputs`; owned */
  GstElement *queue;         /* of a source pad; the bin owns it */
  GstStxJoints fixed, inner; /* for ever; while the bin is not in NULL */
} GstPlumbingPad;

/* Embedded in the bin. */
typedef struct {
  GstBin *bin;
  GstPad *src;
  gint warned;                          /* atomic: of the unknown camera */
  gpointer feeders[2];                  /* atomic: the threads that brought the last of each view */
  gint waits;                           /* atomic: `inputs` takes a frame of each view */
  GstElement *part[GST_PLUMBING_PARTS]; /* NULL: there is no such factory; the bin owns them */

  GMutex lock; /* for the rest: pads may be requested from any thread */
  gboolean connected, rectifies;
  GstPlumbingSettings settings; /* while connected */
  gboolean lent;                /* the matchers' calibration is the bin's */
  GstStxJoints matched, rectified, pictures, cut, output; /* without links: not wanted */
  GstPlumbingPad pads[GST_PLUMBING_PADS];
} GstPlumbing;

/* Called in class_init and in init; `src` is the bin's pad, without a target. */
void gst_plumbing_add_templates(GstElementClass *klass);
void gst_plumbing_init(GstPlumbing *self, GstBin *bin, GstPad *src);
void gst_plumbing_give_back(GstPlumbing *self); /* in dispose: all requested pads */

/* On the way to READY: reads the calibration and links everything. FALSE after an element error. */
gboolean gst_plumbing_connect(GstPlumbing *self, const GstPlumbingSettings *settings);

/* Back in NULL, or after a failure. */
void gst_plumbing_disconnect(GstPlumbing *self);

/* A ghost pad without a target, of one of the templates for requests. FALSE with a warning in the
 * log if it goes not together with those that there are. */
gboolean gst_plumbing_add_pad(GstPlumbing *self, GstPad *pad);
void gst_plumbing_remove_pad(GstPlumbing *self, GstPad *pad);

/* ---- Of plumbing.c and plumbingwatch.c alone ------------------------------------------------- */

GST_DEBUG_CATEGORY_EXTERN(gst_stereo_stixels_debug);

/* Any video that videoconvert takes, in whatever memory. Transfer full. */
GstCaps *gst_plumbing_any_video(void);

/* Reads what `calibration` names: sets `rectifies`, and hands the file of a rectified pair on to
 * the matchers. FALSE after an element error. */
gboolean gst_plumbing_choose(GstPlumbing *self);

/* Once: looks at the caps that come to the parts that are interested in them. */
void gst_plumbing_watch(GstPlumbing *self);

/* Looks at the caps that leave the bin by this pad. */
void gst_plumbing_watch_output(GstPlumbing *self, GstPad *pad);

/* Looks at what comes to a new pad of `inputs`, which the bin's pad `name` (static) leads to;
 * `view`: 1 is the right one alone. */
void gst_plumbing_watch_input(GstPlumbing *self, GstPad *pad, guint view, const gchar *name);
