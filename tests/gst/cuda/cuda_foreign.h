/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Elements that know nothing of ours and use the GPU on streams of their own, which are ordered
 * with no other: stx-test-upload brings what comes into CUDAMemory, stx-test-download back. What
 * the upload writes, each time, is the same memory, once downstream has let go of it.
 *
 *   stx-test-upload streams=false  waits for its copies, as elements of GStreamer 1.22 do
 *                   streams=true   as those of 1.24: the memory has a stream, on which the copy may
 *                                  still wait to be done when the buffer leaves
 */
#pragma once

#include <gst/gst.h>

void cuda_foreign_register(void);

/* Has GstCuda memories with streams? */
gboolean cuda_foreign_has_streams(void);
