/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a source that plays a live camera keeps time: frame n lasts from n to n + 1 frame durations
 * after the running time 0 of the pipeline, whenever it begins, so that all that are live show the
 * same moment at the same time. Streaming thread.
 */
#ifndef GST_STX_CAMERA_CLOCK_H
#define GST_STX_CAMERA_CLOCK_H

#include <gst/video/video.h>

#include "common/stx.h"

G_BEGIN_DECLS

/* FALSE with a text in `error`: a frame lasts for more than an hour, and comes when it ends. */
gboolean gst_stx_camera_check(const GstVideoInfo *info, StxError *error);

/* Where it begins that would begin at `position`: now, if that is later. FALSE: there is no clock.
 */
gboolean gst_stx_camera_begin(GstElement *element, GstClockTime *position);

/* Which frame to deliver in place of `frame`: the one that lasts now, if that one is late by more
 * than a frame, since nobody took the ones before in time. Cameras do not keep what they could not
 * deliver. */
gint64 gst_stx_camera_skip(GstElement *element, const GstVideoInfo *info, gint64 frame);

G_END_DECLS

#endif
