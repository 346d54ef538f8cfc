/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the elements that read LiDAR points share: scans, a harness, the reference. */
#ifndef STX_SCAN_FIXTURE_H
#define STX_SCAN_FIXTURE_H

#include "common/ground/ground.h"
#include "tests/elements/util.h"

#define SCAN_TIME (100 * GST_MSECOND)
#define SCAN_CAPS "application/x-lidar,framerate=10/1"

/* A road 1.73 m below the sensor, eight posts on it, some points out of range; in a random order
 * that depends on `seed`. Writes 4 · count floats. */
void scan_points(gfloat *points, gsize count, guint32 seed);

/* A buffer with a copy of them. */
GstBuffer *scan_buffer(const gfloat *points, gsize count, GstClockTime pts);

/* What the reference gives; the caller's, g_free. `result` may be NULL. */
guint32 *scan_reference(
    const StxGroundParams *params, const gfloat *points, gsize count, StxGroundResult *result);

/* A line of elements in a harness, the first one of factory `factory`. */
typedef struct {
  GstHarness *harness;
  GstElement *element;
  GstBus *bus;
} ScanFixture;

ScanFixture scan_begin(const char *factory, const char *line, const char *caps);
void scan_end(ScanFixture *fixture);

/* What a scan becomes; fails the test if nothing comes out. */
GstBuffer *scan_run(ScanFixture *fixture, const gfloat *points, gsize count);

/* A flush: start, stop, and a new segment. */
void scan_flush(ScanFixture *fixture);

#endif
