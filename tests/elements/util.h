/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the element tests share. A program tests/elements/<factory>.c is
 *
 *   GST_START_TEST(refuses_rgb) { … } GST_END_TEST;
 *   static Suite *stereo_sgm_suite(void)
 *   {
 *     Suite *suite = suite_create("stereo-sgm");
 *     TCase *tests = tcase_create("stereo-sgm");
 *     suite_add_tcase(suite, tests);
 *     tcase_add_test(tests, refuses_rgb);
 *     …
 *     return suite;
 *   }
 *   GST_CHECK_MAIN(stereo_sgm)
 *
 * Every test runs in its own process, with the registry and the plugin of this build;
 * warnings and criticals of GLib fail it. GStreamer carries a libcheck of its own, so
 * tests/testing.h (which needs the system's) cannot be used here.
 */
#ifndef STX_ELEMENTS_UTIL_H
#define STX_ELEMENTS_UTIL_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

/* ---- Messages ----------------------------------------------------------------------------- */

/* Gives an element that is in no pipeline (a harness's) a bus to post on. Unref it at the end. */
GstBus *stx_test_watch(GstElement *element);

/* Waits up to 10 s for an error message whose text contains every word; the list ends with NULL.
 * Fails the test when there is none or a word is missing. */
void stx_test_expect_error(GstBus *bus, ...) G_GNUC_NULL_TERMINATED;

/* Fails the test if an error or warning was posted. */
void stx_test_expect_silence(GstBus *bus);

/* ---- Whole pipelines ----------------------------------------------------------------------- */

/* Runs a gst-launch line until EOS; an error, or 60 s without an end, fails the test. */
void stx_test_runs(const char *line);

/* Runs a gst-launch line that must end in an error whose text contains every word. */
void stx_test_breaks(const char *line, ...) G_GNUC_NULL_TERMINATED;

/* Takes a gst-launch line through NULL → PAUSED → PLAYING → READY → NULL 50 times. PAUSED must be
 * reached each time, so the line needs a source that delivers at once and a sink that prerolls. */
void stx_test_state_cycles(const char *line);

/* ---- Leaks --------------------------------------------------------------------------------- */

/* Runs `body` several times: the number of live GStreamer objects may not grow. Needs the leaks
 * tracer, which the build's test environment switches on. */
void stx_test_no_leaks(void (*body)(void));

/* ---- Buffers ------------------------------------------------------------------------------- */

/* A buffer of `size` bytes, each `value`, with that PTS and duration. */
GstBuffer *stx_test_buffer(gsize size, guint8 value, GstClockTime pts, GstClockTime duration);

/* Fails the test unless the buffer holds exactly these bytes. */
void stx_test_expect_bytes(GstBuffer *buffer, const void *bytes, gsize size, const char *what);

#endif
