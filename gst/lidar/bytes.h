/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by lidar-parse and lidar-decode, which make points of files and packets. */
#pragma once

#include <gst/gst.h>

/* A query function of the sink pad: bytes have all kinds of caps, or none. Their content says what
 * they are. */
gboolean gst_stx_query_of_bytes(GstPad *pad, GstObject *parent, GstQuery *query);

/* The segment event itself, or one of time in its place: bytes have none, points have. `start`
 * becomes where its time begins, 0 without one. */
GstEvent *gst_stx_time_segment(GstEvent *event, GstClockTime *start);

/* Sends caps of points at rate / per scans a second; FALSE if downstream refuses, which an element
 * error says. */
gboolean gst_stx_send_scan_caps(GstElement *element, GstPad *src, gint rate, gint per);
