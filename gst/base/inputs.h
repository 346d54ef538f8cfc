/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of inputs that are not video, and their refusals. A function named after a virtual method
 * of GstBaseTransform fits it.
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "common/stx.h"

/*
 * accept_caps that lets every caps pass on the sink pad. The caps event then reaches set_caps,
 * which refuses with a reason that the user sees; a refused query would only end in a bare
 * not-negotiated error of some element upstream.
 */
gboolean gst_stx_accept_caps(GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps);

/* The query function of a sink pad of what is no transform: all caps may come, so that a message
 * says why the element refuses them, and not the pad. */
gboolean gst_stx_accepting_query(GstPad *pad, GstObject *parent, GstQuery *query);

/*
 * sink_event, which has GstBaseTransform's own at its end: where caps are refused because the next
 * element takes nothing that can be made of them, an element error says what it takes. Else a
 * bare not-negotiated error of some element upstream would be all.
 */
gboolean gst_stx_sink_event(GstBaseTransform *transform, GstEvent *event);

/*
 * prepare_output_buffer for an output whose size is known only when it is made: a buffer without
 * memory, with the input's time stamps and flags. `transform` appends the memory.
 */
GstFlowReturn gst_stx_prepare_output_buffer(
    GstBaseTransform *transform, GstBuffer *input, GstBuffer **output);

/* Is this no video, and was it in the memory of a GPU that has failed since? */
gboolean gst_stx_input_is_lost(GstBuffer *buffer, const GstCaps *caps);

/* submit_input_buffer of an element that works on the CPU: a gap takes the place of what is lost,
 * of which an element warning tells. */
GstFlowReturn gst_stx_submit_input(
    GstBaseTransform *transform, gboolean is_discont, GstBuffer *input);

/*
 * For each sink pad, where it is made: a buffer that comes before any caps, as from filesrc, ends
 * in an element error that says what is needed and what to put before. Not for a pad that takes
 * bytes.
 */
void gst_stx_want_caps(GstPad *sink);

/* For each sink pad of an element that uses the camera's motion: stereo-sgm and onnx-stereo with
 * motion=auto compute it for this element. */
void gst_stx_want_motion(GstPad *sink);

/* Does an element behind this source pad use the camera's motion? */
gboolean gst_stx_motion_is_wanted(GstPad *src);

/* Are these caps of LiDAR points? FALSE with a text that says what to put before `element`. */
gboolean gst_stx_check_scan_caps(GstElement *element, const GstCaps *caps, StxError *error);

#define GST_STX_POINT_BYTES (4 * sizeof(float)) /* of application/x-lidar */

/*
 * Checks that `buffer` is `size` bytes long, or, with `size` 0, a whole number (at least one) of
 * records of `unit` bytes. FALSE with a text in `error` that names the size.
 */
gboolean gst_stx_check_input(GstBuffer *buffer, gsize size, gsize unit, StxError *error);

/* The same, and maps it for reading. FALSE after an element error, and then nothing is mapped. */
gboolean gst_stx_map_input(
    GstElement *element, GstBuffer *buffer, gsize size, gsize unit, GstMapInfo *map);
