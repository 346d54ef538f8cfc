/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the elements that read columns share: columns of a street, and a harness. */
#ifndef STX_COLUMNS_FIXTURE_H
#define STX_COLUMNS_FIXTURE_H

#include "common/columns.h"
#include "tests/elements/util.h"

#define COLUMNS_FRAME (100 * GST_MSECOND)

/* The road of columns_street: pixels of disparity per image row, and the row where it is 0. */
#define COLUMNS_SLOPE 0.4
#define COLUMNS_HORIZON 30.0

/* Road below the horizon, a box standing on it in the middle, sky above, noise and holes. The
 * caller's, g_free. */
guint16 *columns_street(const StxGrid *grid, guint32 seed);

/* A buffer with a copy of them. */
GstBuffer *columns_buffer(const StxGrid *grid, const guint16 *data, GstClockTime pts);

/* An element, alone in a harness. `more_caps` is appended to the caps of the grid: "" or fields
 * that begin with a comma. */
typedef struct {
  GstHarness *harness;
  GstElement *element;
  GstBus *bus;
} ColumnsFixture;

ColumnsFixture columns_begin(
    const char *factory, const char *properties, const StxGrid *grid, const char *more_caps);
void columns_end(ColumnsFixture *fixture);

/* New caps in mid-stream. */
void columns_set_grid(ColumnsFixture *fixture, const StxGrid *grid, const char *more_caps);

/* What a frame becomes; NULL: nothing came out. */
GstBuffer *columns_run(ColumnsFixture *fixture, const StxGrid *grid, const guint16 *data);

/* A flush: start, stop, and a new segment. */
void columns_flush(ColumnsFixture *fixture);

/* Fails the test unless `stixels` are `expected`; takes both. */
void columns_expect(GstBuffer *stixels, GByteArray *expected, const char *what);

/* The same for caps behind the element. */
void columns_expect_caps(GstHarness *harness, const char *expected);

/* A line with a bad property, or with bad caps, ends in an error that contains every word. */
void columns_expect_refusal(
    const char *line, const char *caps, gsize bytes, const char *const *words);

#endif
