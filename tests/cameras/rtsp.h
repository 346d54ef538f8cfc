/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cameras in the network: an RTSP server of GStreamer's for each, on the loopback. What lines of
 * the pages call them is replaced by where they are:
 *   rtsp://192.168.1.10/…  the left camera     rtsp://192.168.1.11/…  the right one
 * They send H.264, or JPEG to lines that have rtpjpegdepay.
 */
#ifndef STX_CAMERAS_RTSP_H
#define STX_CAMERAS_RTSP_H

#include <gst/gst.h>

typedef struct RtspPair RtspPair;

/* `delay`: how much longer the right camera takes than the left one until a frame is sent.
 * `honest`: the cameras say when a picture was taken, not when it was sent. */
RtspPair *rtsp_start(gboolean jpeg, GstClockTime delay, gboolean honest);
void rtsp_stop(RtspPair *pair);

/* Puts their addresses into a pipeline. */
void rtsp_redirect(RtspPair *pair, GstElement *pipeline);

/* The right camera is gone, from one moment to the next. */
void rtsp_unplug(RtspPair *pair);

#endif
