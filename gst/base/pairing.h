/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxPairing: base class of the elements with several sink pads. It brings the buffers
 * together that belong to the same moment and hands them over as a set; the element computes.
 *
 * A pad is known by its role (queued.h). The first role that has a pad leads: its segment and its
 * timestamps go downstream. Roles are required, once they have a pad, or optional.
 *
 * Sets, with t the running time of the buffer at the head of a pad:
 *   - buffers match if their t differ by less than half a frame of the highest framerate, after the
 *     skew at which the pads run (queued.h), or by at most 1 ms without a framerate; the property
 *     `tolerance` sets another limit;
 *   - wait until every pad has a buffer or is at EOS;
 *   - a required pad's buffer that is older than another's and does not match it is dropped: its
 *     partner never came; the first time this is posted as a warning. So is an optional pad's
 *     buffer that is older than the leading one. Each is logged, and counted in `unpaired`;
 *   - an optional pad whose buffer is younger, or that is at EOS, is missing from the set;
 *   - if a buffer has no PTS, all queued are taken as they are: pairing by arrival. The first time
 *     this is posted as a warning.
 *   - in a live pipeline the waiting ends after `timeout` (deadline.h): the leading buffer goes on
 *     without optional partners; where a required one is missing, its moment is dropped;
 *   - once a required pad is at EOS and empty nothing can be paired any more: what the other pads
 *     bring is dropped, until a new stream begins on that pad, or on one requested in its place.
 *     Downstream has EOS then; in a live pipeline, GAPs, and EOS once all required pads are at EOS.
 *     A new stream after EOS begins with stream-start, caps and segment.
 * For every moment of the leading pad for which nothing comes out, a GAP event goes downstream; a
 * GAP that comes in is such a moment, too, or a missing optional buffer. So elements further
 * down do not wait for a missing partner.
 * Nothing is ever paired with a buffer of another moment, and no set is handed over twice.
 *
 * It brings the element's stage (stage.h), too: context, caps in CUDAMemory, allocation.
 *
 * Latency: an element with several required pads reports a frame, half of which is for partners
 * that are not in step, and half for its work; what its work takes longer, in the mean, is added.
 * Others report what their work takes (delay.h).
 *
 * Properties it brings: those of the stage, qos (drop sets that would be late), timeout, tolerance,
 * unpaired (read-only). GstAggregator's `latency`, unless it is 0, takes the place of `timeout`,
 * and is told to the sinks, which show everything so much later.
 */
#pragma once

#include <gst/base/gstaggregator.h>

#include "gst/base/queued.h"
#include "gst/base/stage.h"
#include "gst/core/camera.h"

#define GST_TYPE_STX_PAIRING (gst_stx_pairing_get_type())
G_DECLARE_DERIVABLE_TYPE(GstStxPairing, gst_stx_pairing, GST, STX_PAIRING, GstAggregator)

/* State of the stage of an element without `process`. */
typedef struct {
  GstBuffer **set; /* set[i] is the buffer of role i, or NULL: no pad, or missing */
  GstBuffer *out;  /* what is pushed: `work` acquires it */
} GstStxPairingFrame;

/* A result of announce: nothing comes out of this set. */
#define GST_STX_PAIRING_FLOW_NOTHING GST_FLOW_CUSTOM_SUCCESS_1

/*
 * roles    until the pads of a sufficient set exist, buffers wait; after 5 s that is an error
 * stage    what computes; its `prepare`, unless the element has one, calls announce
 * drops_late    with qos=auto what would be late is dropped in live pipelines; of other elements it
 *          is not, as what they get has cost more already than they would save
 * makes_output  what is pushed are buffers of the element's own, in CUDAMemory if the next element
 *          names that; else they leave as they came
 * uses_motion   stereo-sgm with motion=auto computes the camera's motion for this element
 * camera        of the element's GstStxCameraSettings in the instance; 0: it has none
 * uses_sensor   … of which those of the sensor of scans are used, too
 *
 * begin (optional)
 *   At the start, before anything else. FALSE with the reason in `error`.
 *
 * clear (optional)
 *   At the stop, and in finalize: frees what a stream needs.
 *
 * set_role_caps
 *   New caps of a pad, before the first buffer that has them. Called on the streaming thread,
 *   like process. FALSE refuses them, with the reason in `error`, or after an element error. What
 *   depends on several pads is checked in process: only there do the caps of all belong together.
 *   Anything may come, whatever the templates say: a pad that refused caps in the query would leave
 *   the user with "not-negotiated".
 *
 * process (optional)
 *   In place of running the stage on a GstStxPairingFrame: set[i] is the buffer of role i, or NULL
 *   (no pad, or missing). They belong to the base class;
 *   take one by setting its entry to NULL. *out is what is pushed: a buffer of the element's own,
 *   or one of the set that it took; the base class copies the leading buffer's flags, timestamps
 *   and, unless it has one, motion (motionmeta.h) to it. OK with *out NULL pushes nothing. On an
 *   error, post it and return GST_FLOW_ERROR.
 *   gst_stx_pairing_set_src_caps comes before the first buffer, and again when they change.
 *
 * announce
 *   Before every set, and before a gap that comes first: gst_stx_pairing_set_src_caps for sets of
 *   these roles, whose caps are all known, if anything changed. GST_FLOW_ERROR with the reason in
 *   `error`, which is not posted for a gap: the first set will fail likewise.
 *
 * too_late (optional)
 *   A buffer of an optional role whose moment has gone on without it, with its running time. It
 *   will be in no set, and belongs to the base class.
 *
 * choose_pool (optional)
 *   decide_allocation, after the stage has noted whether outputs are in CUDAMemory.
 *
 * tell (optional)
 *   Under the object lock: fields of its own for the property `stats`.
 *
 * reset (optional)
 *   After a flush and at the start: forget what depends on the previous buffer.
 *
 * end (optional)
 *   Before EOS goes downstream.
 *
 * An element may set create_new_pad, sink_query and src_query of GstAggregatorClass, and chain up.
 */
struct _GstStxPairingClass {
  GstAggregatorClass parent_class;

  GstStxRoles roles;
  GstStxStageClass stage;
  gboolean drops_late;
  gboolean makes_output;
  gboolean uses_motion;
  gsize camera;
  gboolean uses_sensor;

  gboolean (*begin)(GstStxPairing *self, StxError *error);
  void (*clear)(GstStxPairing *self);
  gboolean (*set_role_caps)(GstStxPairing *self, guint role, GstCaps *caps, StxError *error);
  GstFlowReturn (*process)(GstStxPairing *self, GstBuffer **set, GstBuffer **out);
  GstFlowReturn (*announce)(GstStxPairing *self, guint roles, StxError *error);
  void (*too_late)(GstStxPairing *self, guint role, GstBuffer *buffer, GstClockTime time);
  gboolean (*choose_pool)(GstStxPairing *self, GstQuery *query);
  void (*tell)(GstStxPairing *self, GstStructure *stats);
  void (*reset)(GstStxPairing *self);
  void (*end)(GstStxPairing *self);
};

/* The element's stage; the same pointer all its life, but not before `constructed`. */
GstStxStage *gst_stx_pairing_stage(GstStxPairing *self);

/* In instance_init: the pad of a template whose presence is "always". Request pads are made by
 * the base class, one per role. */
void gst_stx_pairing_add_pad(GstStxPairing *self, guint role);

/* The pad of a role, or NULL: a new reference. Any thread. */
GstAggregatorPad *gst_stx_pairing_get_pad(GstStxPairing *self, guint role);

/* For process: true in a live pipeline, whose frames cannot be delivered again. */
gboolean gst_stx_pairing_is_live(GstStxPairing *self);

/* From process: the running time of the set, that of its leading buffer; NONE: it has no PTS, or
 * lies before the segment. */
GstClockTime gst_stx_pairing_time(GstStxPairing *self);

/* The caps of the buffers that process sees next on a role, or NULL, until others come. (Not the
 * pad's current caps: those run ahead, by what is queued.) Streaming thread. */
GstCaps *gst_stx_pairing_caps(GstStxPairing *self, guint role);

/* Streaming thread: copies the frame rate and the shape of pixels of a role into other caps. */
void gst_stx_pairing_keep_shape(GstStxPairing *self, guint role, GstStructure *to);

/* Streaming thread: the camera that counts for a stream of these caps, and what the user is told of
 * it (gst_stx_camera_settings_apply). FALSE with the reason in `error`. */
gboolean gst_stx_pairing_find_camera(GstStxPairing *self, const GstCaps *caps, GstStxCameraUse use,
    gint width, gint height, StxCamera *camera, StxError *error);

/* … and where the sensor of the scans of a role stands, which the element uses. */
gboolean gst_stx_pairing_find_sensor(
    GstStxPairing *self, guint role, gdouble matrix[12], StxError *error);

/*
 * From process: fixed caps of the source pad from now on (transfer full), in system memory.
 * Negotiates, and allocates through choose_pool. GST_FLOW_NOT_NEGOTIATED after an element error, if
 * downstream refuses them; GST_FLOW_FLUSHING while the pipeline stops.
 */
GstFlowReturn gst_stx_pairing_set_src_caps(GstStxPairing *self, GstCaps *caps);

/* From the stage's work, after set_src_caps: a buffer of the pool that choose_pool settled on, as
 * gst_stx_stage_acquire gives it. */
GstFlowReturn gst_stx_pairing_acquire(GstStxPairing *self, GstBuffer **buffer, StxError *error);
