/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files pairing*.c only. */
#pragma once

#include "gst/base/queued.h"
#include "gst/base/links.h"
#include "gst/base/pairing.h"
#include "gst/base/deadline.h"
#include "gst/core/delay.h"
#include "gst/core/load.h"
#include "gst/core/qos.h"
#include "gst/core/stats.h"
#include "gst/core/timeline.h"

/* Guarded by the object lock, except what only the streaming thread touches (marked §). */
typedef struct {
  GstStxStage stage; /* under its own rules */
  GstStxQos qos;
  GstStxDeadline deadline;
  GstStxLinks links; /* under its own rules */
  GstStxStats stats;
  GstStxDelay delay;
  GstStxLoad load; /* § */
  guint64 unpaired, unpaired_of[GST_STX_ROLES_MAX];
  gint told_clock; /* atomic: that the latency cannot be configured */
  gint tolerance;  /* property */
  GstStxSkew skew; /* § with the property of the last look at the pads */
  GstStxTimeline timelines[GST_STX_ROLES_MAX]; /* § */
  GstStxHeld held[GST_STX_ROLES_MAX];          /* § */
  GstClockTime taken[GST_STX_ROLES_MAX];       /* § when the last of each was believed */
  GstCaps *caps[GST_STX_ROLES_MAX];
  GstCaps *src_caps;                       /* § */
  GstClockTime dropped[GST_STX_ROLES_MAX]; /* § time stamp of the last gap that qos made */
  GstClockTime frame; /* duration of a frame of the leading pad; 0: unknown. Written by § alone */
  GstClockTime time;  /* § running time of the set at hand; NONE: unknown */
  gboolean refused;   /* § caps of some pad */
  gboolean discont;   /* § a set was dropped */
  gboolean segment;   /* § a new one has not gone downstream */
  guint32 seqnum;     /* § of the leading pad's segment */
  guint ended;        /* § roles at EOS, for which nothing can be paired; 0: there are none */
  gboolean told_end;  /* § downstream has had EOS */
  gboolean parked;    /* § all pads are at EOS (gst_stx_pad_set_parked) */
} GstStxPairingPrivate;

GstStxPairingPrivate *gst_stx_pairing_private(GstStxPairing *self);

/* Streaming thread: the times of these roles begin anew. */
void gst_stx_pairing_forget_times(GstStxPairing *self, guint roles);

/* Any thread: tells GstAggregator what follows from the rate and the work of the element. */
void gst_stx_pairing_plan_latency(GstStxPairing *self);

/* Virtual functions of GstAggregatorClass. */
GstFlowReturn gst_stx_pairing_aggregate(GstAggregator *aggregator, gboolean timeout);
GstClockTime gst_stx_pairing_get_next_time(GstAggregator *aggregator);

/* Downstream, with the seqnum of the stream. */
gboolean gst_stx_pairing_push_event(GstStxPairing *self, GstEvent *event);

/* Counts a buffer that is dropped without a partner. */
void gst_stx_pairing_count_unpaired(GstStxPairing *self, guint role);

/* For this moment of the leading pad nothing comes out, since it would be `late` or since something
 * is missing: what waits for it downstream is told. */
GstFlowReturn gst_stx_pairing_push_gap(
    GstStxPairing *self, const GstStxQueued *queued, GstBuffer *lead, gboolean late);

/* An event goes to GstAggregator itself. */
gboolean gst_stx_pairing_forward(GstStxPairing *self, GstAggregatorPad *pad, GstEvent *event);

/* ---- pairingend.c ---- */

/* Nothing can be paired any more: drops what lies on the pads. */
GstFlowReturn gst_stx_pairing_end(GstStxPairing *self, const GstStxQueued *queued);

/* Something comes out: if downstream has had EOS, a new stream begins there. */
void gst_stx_pairing_resume(GstStxPairing *self);

/* A serialized event has come: all pads but its own are at EOS again. */
void gst_stx_pairing_wake(GstStxPairing *self, GstAggregatorPad *pad);

/* Probe of the sink pads. */
GstPadProbeReturn gst_stx_pairing_clip(GstPad *pad, GstPadProbeInfo *info, gpointer nothing);
