/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quality of service for elements that are no GstBaseTransform: remembers what the sink reports,
 * says which frames would come too late, and tells the application about each one dropped.
 */
#ifndef GST_STX_QOS_H
#define GST_STX_QOS_H

#include <gst/gst.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Embedded in an element. The first three are guarded by its object lock, the counts belong to
 * the streaming thread. */
typedef struct {
  bool enabled;          /* the property "qos" */
  GstClockTime earliest; /* running time; a frame up to here is late; NONE: none is */
  gdouble proportion;    /* as in the last event */
  guint64 processed, dropped;
} GstStxQos;

/* Forgets what the sink reported; after a flush and at the start. */
void gst_stx_qos_reset(GstStxQos *qos, GstElement *element);

/* Takes note of a QoS event; others are ignored. Nothing is transferred. */
void gst_stx_qos_take_event(GstStxQos *qos, GstElement *element, GstEvent *event);

/* Would `buffer`, whose running time is `time`, be shown too late? Then it is counted as dropped,
 * and a message is posted; otherwise it is counted as processed. */
gboolean gst_stx_qos_drops(
    GstStxQos *qos, GstElement *element, GstBuffer *buffer, GstClockTimeDiff time);

G_END_DECLS

#endif
