/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/columns_fixture.h"

/* ---- Columns of a street ------------------------------------------------------------------- */

guint16 *columns_street(const StxGrid *grid, guint32 seed)
{
  GRand *random = g_rand_new_with_seed(seed);
  guint16 *data = g_malloc0(stx_grid_bytes(grid));
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid);

  for (int column = 0; column < columns; column++)
    for (int row = 0; row < rows; row++) {
      double y = (stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1) / 2.0;
      double disparity = CLAMP(COLUMNS_SLOPE * (y - COLUMNS_HORIZON), 0, 250);

      if (column > columns / 3 && column < columns / 2 && y > COLUMNS_HORIZON / 2 && disparity < 8)
        disparity = 8;
      if (disparity > 0)
        disparity += g_rand_double_range(random, -0.3, 0.3);
      if (g_rand_int_range(random, 0, 10) == 0)
        disparity = 0;
      stx_column(grid, data, 0, column)[row] = MAX(0, disparity) * STX_DISPARITY_ONE;
      stx_column(grid, data, 1, column)[row] = disparity > 0 ? STX_WEIGHT_ONE * 3 / 4 : 0;
      for (int k = 0; k < grid->classes; k++)
        stx_column(grid, data, 2 + k, column)[row] = g_rand_int_range(random, 0, 3000);
    }
  g_rand_free(random);
  return data;
}

GstBuffer *columns_buffer(const StxGrid *grid, const guint16 *data, GstClockTime pts)
{
  GstBuffer *buffer = stx_test_buffer(stx_grid_bytes(grid), 0, pts, COLUMNS_FRAME);

  gst_buffer_fill(buffer, 0, data, stx_grid_bytes(grid));
  return buffer;
}

/* ---- The element under test ---------------------------------------------------------------- */

void columns_set_grid(ColumnsFixture *fixture, const StxGrid *grid, const char *more_caps)
{
  gchar *caps = g_strdup_printf("application/x-stixel-columns,width=%d,height=%d,stixel-width=%d,"
                                "stixel-height=%d,columns=%d,rows=%d,classes=%d,framerate=10/1%s",
      grid->width, grid->height, grid->cell_width, grid->cell_height, stx_grid_columns(grid),
      stx_grid_rows(grid), grid->classes, more_caps);

  gst_harness_set_src_caps_str(fixture->harness, caps);
  g_free(caps);
}

ColumnsFixture columns_begin(
    const char *factory, const char *properties, const StxGrid *grid, const char *more_caps)
{
  gchar *line = g_strdup_printf("%s %s", factory, properties);
  GstHarness *harness = gst_harness_new_parse(line);
  ColumnsFixture fixture = {harness, gst_harness_find_element(harness, factory)};

  fixture.bus = stx_test_watch(fixture.element);
  columns_set_grid(&fixture, grid, more_caps);
  g_free(line);
  return fixture;
}

void columns_end(ColumnsFixture *fixture)
{
  gst_element_set_bus(fixture->element, NULL);
  gst_object_unref(fixture->bus);
  gst_object_unref(fixture->element);
  gst_harness_teardown(fixture->harness);
}

GstBuffer *columns_run(ColumnsFixture *fixture, const StxGrid *grid, const guint16 *data)
{
  return gst_harness_push_and_pull(fixture->harness, columns_buffer(grid, data, 0));
}

void columns_flush(ColumnsFixture *fixture)
{
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(fixture->harness, gst_event_new_flush_start());
  gst_harness_push_event(fixture->harness, gst_event_new_flush_stop(TRUE));
  gst_harness_push_event(fixture->harness, gst_event_new_segment(&segment));
}

/* ---- Expectations -------------------------------------------------------------------------- */

void columns_expect(GstBuffer *stixels, GByteArray *expected, const char *what)
{
  ck_assert_msg(stixels != NULL, "%s: no stixels came out", what);
  stx_test_expect_bytes(stixels, expected->data, expected->len, what);
  g_byte_array_unref(expected);
  gst_buffer_unref(stixels);
}

void columns_expect_caps(GstHarness *harness, const char *expected)
{
  GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad);
  GstCaps *wanted = gst_caps_from_string(expected);
  gchar *text = gst_caps_to_string(caps);

  ck_assert_msg(gst_caps_is_equal(caps, wanted), "caps are %s, not %s", text, expected);
  g_free(text);
  gst_caps_unref(wanted);
  gst_caps_unref(caps);
}

void columns_expect_refusal(
    const char *line, const char *caps, gsize bytes, const char *const *words)
{
  gchar *factory = g_strndup(line, strcspn(line, " "));
  GstHarness *harness = gst_harness_new_parse(line);
  GstElement *element = gst_harness_find_element(harness, factory);
  GstBus *bus = stx_test_watch(element);

  gst_harness_set_src_caps_str(harness, caps);
  gst_harness_push(harness, stx_test_buffer(bytes, 0, 0, COLUMNS_FRAME));
  stx_test_expect_error(bus, words[0], words[1], words[2], NULL);
  gst_element_set_bus(element, NULL);
  gst_object_unref(bus);
  gst_object_unref(element);
  gst_harness_teardown(harness);
  g_free(factory);
}
