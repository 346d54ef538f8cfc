/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quality of service for elements that make sets: remembers what the sink reports, says which sets
 * would come too late, and tells the application about each one dropped.
 *
 * A set is dropped as a whole: the GAP event that stands for it downstream has a mark, by which
 * others drop what they have of the same moment. A picture that lacks its stixels for once would
 * flicker.
 */
#pragma once

#include <gst/gst.h>

#include "common/fields.h"

/* The property "qos"; the first two are what a boolean is. */
typedef enum { GST_STX_QOS_FALSE, GST_STX_QOS_TRUE, GST_STX_QOS_AUTO } GstStxQosMode;

/* Its choices. */
extern const StxFieldChoice gst_stx_qos_modes[];

/* Late or not, one set comes out in so much time: a picture that is late is better than none. */
#define GST_STX_QOS_LONGEST (400 * GST_MSECOND)

/* Embedded in an element. The first three are guarded by its object lock, the others belong to the
 * streaming thread. */
typedef struct {
  GstStxQosMode mode;
  GstClockTime earliest; /* running time; a frame up to here is late; NONE: none is */
  gdouble proportion;    /* as in the last event */
  GstClockTime passed; /* running time of the last set that was not dropped; NONE: there is none */
  guint64 processed, dropped;
} GstStxQos;

/* Forgets what the sink reported; after a flush and at the start. */
void gst_stx_qos_reset(GstStxQos *qos, GstElement *element);

/* Takes note of a QoS event; others are ignored. Nothing is transferred. */
void gst_stx_qos_take_event(GstStxQos *qos, GstElement *element, GstEvent *event);

/* Would a set of this running time be shown too late, as the sink reports? */
gboolean gst_stx_qos_is_late(GstStxQos *qos, GstElement *element, GstClockTimeDiff time);

/* Is a set that is `late` to be dropped? If not, since so many were before, or since it is not
 * late, it is counted as processed. */
gboolean gst_stx_qos_drops(GstStxQos *qos, gboolean late, GstClockTimeDiff time);

/* Counts the set of `buffer` as dropped, and posts a message. */
void gst_stx_qos_post(
    GstStxQos *qos, GstElement *element, GstBuffer *buffer, GstClockTimeDiff time);

/* The GAP event of a set that was dropped so, and whether an event is one. */
void gst_stx_qos_mark_gap(GstEvent *gap);
gboolean gst_stx_qos_is_gap(GstEvent *event);
