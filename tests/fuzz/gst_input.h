/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the targets that read caps. Single-threaded. */
#pragma once

#include <gst/gst.h>

#include "tests/fuzz/fuzz.h"

/* After gst_init, once: from now on warnings and criticals of GLib abort. */
void stx_fuzz_watch_glib(void);

/* Fixed caps of the text that the input goes on with, transfer full; NULL: it is none. What
 * GStreamer says of texts that are no caps is no finding. */
GstCaps *stx_fuzz_caps(StxFuzzInput *input);

/* Adds the fields of a camera to caps, as the input says: none, those of a usual camera, or any
 * numbers. The other writes a seed for it; a low one is all but on the road,
 * and level. */
typedef enum { STX_FUZZ_NO_CAMERA, STX_FUZZ_CAMERA, STX_FUZZ_LOW_CAMERA } StxFuzzCamera;
void stx_fuzz_add_camera(StxFuzzInput *input, GstCaps *caps);
void stx_fuzz_put_camera(StxBytes *seed, StxFuzzCamera camera);

/* Texts of caps of every media type that the plugin reads, and words in them; NULL ends both. */
extern const char *const stx_fuzz_caps_texts[];
extern const char *const stx_fuzz_caps_words[];
