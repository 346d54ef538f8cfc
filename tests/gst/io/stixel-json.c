/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-json: every line parses, says what the records say, and is right in any locale. */
#include "tests/gst/fixtures/util.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "common/stixel.h"

#define FRAME (100 * GST_MSECOND)
#define STIXELS "application/x-stixels,framerate=10/1,"
#define SMALL STIXELS "width=10,height=20,stixel-width=8,columns=2"
#define METRIC SMALL ",camera-focal=700.0,camera-baseline=0.5,camera-cx=4.5"

static const StxStixel stixels[] = {
    {0, 12, 19, STX_KIND_GROUND, 0, 1.5f, 7.0f, 3.25f, 1.0f},
    {0, 4, 11, STX_KIND_OBJECT, 13, 3.5f, 3.5f, -0.5f, 0.5f},
    {0, 0, 3, STX_KIND_SKY, 10, 0, 0, 0, 0},
    {1, 0, 19, STX_KIND_SEGMENT, STX_LABEL_NONE, NAN, INFINITY, 0, 0.25f},
};

static GstBuffer *records(GstClockTime pts)
{
  GstBuffer *buffer = stx_test_buffer(sizeof stixels, 0, pts, FRAME);

  gst_buffer_fill(buffer, 0, stixels, sizeof stixels);
  return buffer;
}

/* The one line that comes out, parsed. */
static json_t *convert(GstHarness *harness, GstClockTime pts)
{
  g_autoptr(GstBuffer) line = gst_harness_push_and_pull(harness, records(pts));
  json_error_t error;
  GstMapInfo map;
  json_t *json;

  ck_assert(line != NULL && gst_buffer_map(line, &map, GST_MAP_READ));
  ck_assert_uint_eq(GST_BUFFER_PTS(line), pts);
  ck_assert_ptr_eq(memchr(map.data, '\n', map.size), map.data + map.size - 1);
  json = json_loadb((const char *)map.data, map.size, 0, &error);
  ck_assert_msg(json != NULL, "%s: %.*s", error.text, (int)map.size, map.data);
  gst_buffer_unmap(line, &map);
  return json;
}

static void expect_number(json_t *object, const char *key, double value)
{
  json_t *number = json_object_get(object, key);

  ck_assert_msg(json_is_number(number), "%s is no number", key);
  ck_assert_msg(fabs(json_number_value(number) - value) < 1e-3, "%s is %g, not %g", key,
      json_number_value(number), value);
}

static void expect_null(json_t *object, const char *key)
{
  ck_assert_msg(json_is_null(json_object_get(object, key)), "%s is not null", key);
}

static void expect_text(json_t *object, const char *key, const char *value)
{
  ck_assert_str_eq(json_string_value(json_object_get(object, key)), value);
}

static void expect_record(json_t *object, const StxStixel *stixel)
{
  expect_number(object, "column", stixel->column);
  expect_number(object, "top", stixel->top);
  expect_number(object, "bottom", stixel->bottom);
  expect_number(object, "cost", stixel->cost);
  expect_number(object, "confidence", stixel->confidence);
}

STX_TEST(says_what_the_records_say)
{
  g_autoptr(Harness) harness = gst_harness_new("stixel-json");
  json_t *json, *list, *metres;

  gst_harness_set_src_caps_str(harness, METRIC);
  json = convert(harness, 3 * FRAME);
  expect_number(json, "pts", 3 * FRAME);
  expect_number(json, "width", 10);
  expect_number(json, "height", 20);
  expect_number(json, "stixel_width", 8);
  expect_number(json, "columns", 2);
  g_autofree gchar *md5 =
      g_compute_checksum_for_data(G_CHECKSUM_MD5, (const guint8 *)stixels, sizeof stixels);
  expect_text(json, "md5", md5);
  expect_number(json_object_get(json, "camera"), "focal", 700);
  expect_number(json_object_get(json, "camera"), "baseline", 0.5);
  expect_number(json_object_get(json, "camera"), "cx", 4.5);
  expect_null(json_object_get(json, "camera"), "cy");
  expect_null(json_object_get(json, "camera"), "height");
  expect_null(json_object_get(json, "camera"), "pitch");
  list = json_object_get(json, "stixels");
  ck_assert_uint_eq(json_array_size(list), G_N_ELEMENTS(stixels));
  for (guint i = 0; i < G_N_ELEMENTS(stixels); i++)
    expect_record(json_array_get(list, i), &stixels[i]);

  expect_text(json_array_get(list, 0), "kind", "ground");
  expect_text(json_array_get(list, 0), "class", "road");
  expect_number(json_array_get(list, 0), "disparity_top", 1.5);
  expect_number(json_array_get(list, 0), "disparity_bottom", 7);
  expect_number(json_array_get(list, 0), "distance", 50); /* 700 · 0.5 / 7, the nearer end */
  expect_number(json_array_get(list, 0), "distance_deviation", 3.571); /* half a pixel of 7 */
  expect_text(json_array_get(list, 1), "kind", "object");
  expect_text(json_array_get(list, 1), "class", "car");
  expect_number(json_array_get(list, 1), "distance", 100);
  metres = json_object_get(json_array_get(list, 1), "metres");
  expect_number(metres, "x", (3.5 - 4.5) / 7);
  expect_null(metres, "y"); /* without cy */
  expect_number(metres, "z", 100);
  expect_number(metres, "z_top", 100);
  expect_number(metres, "width", 8 / 7.);
  expect_number(metres, "height", 8 / 7.);
  metres = json_object_get(json_array_get(list, 0), "metres");
  expect_number(metres, "z", 50);
  expect_number(metres, "z_top", 700 * .5 / 1.5);
  expect_null(metres, "height");
  expect_null(json_array_get(list, 2), "metres");
  expect_null(json_array_get(list, 3), "metres");
  expect_text(json_array_get(list, 2), "kind", "sky");
  expect_null(json_array_get(list, 2), "distance");
  expect_null(json_array_get(list, 2), "distance_deviation");
  expect_text(json_array_get(list, 3), "kind", "segment");
  expect_null(json_array_get(list, 3), "label");
  expect_null(json_array_get(list, 3), "class");
  expect_null(json_array_get(list, 3), "disparity_top");
  expect_null(json_array_get(list, 3), "disparity_bottom");
  expect_null(json_array_get(list, 3), "distance");
  json_decref(json);
}

STX_TEST(unknown_is_null)
{
  g_autoptr(Harness) harness = gst_harness_new("stixel-json");
  json_auto_t *json = NULL;

  gst_harness_set_src_caps_str(harness, SMALL);
  json = convert(harness, GST_CLOCK_TIME_NONE);
  expect_null(json, "pts");
  expect_null(json, "camera");
  expect_null(json_array_get(json_object_get(json, "stixels"), 0), "distance");
  expect_null(json_array_get(json_object_get(json, "stixels"), 0), "metres");
}

STX_TEST(metres_may_be_left_out)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("stixel-json metres=false");
  json_t *json, *stixel;

  gst_harness_set_src_caps_str(harness, METRIC);
  json = convert(harness, 0);
  stixel = json_array_get(json_object_get(json, "stixels"), 1);
  ck_assert(json_object_get(stixel, "metres") == NULL);
  expect_number(stixel, "distance", 100);
  json_decref(json);
}

/* 0 is said as 0, and an unknown number is null. */
STX_TEST(zero_is_not_unknown)
{
  g_autoptr(Harness) harness = gst_harness_new("stixel-json");
  json_t *json, *camera;

  gst_harness_set_src_caps_str(
      harness, SMALL ",camera-focal=700.0,camera-cx=0.0,camera-cy=0.0,camera-pitch=0.0");
  json = convert(harness, 0);
  camera = json_object_get(json, "camera");
  expect_number(camera, "cx", 0);
  expect_number(camera, "cy", 0);
  expect_number(camera, "pitch", 0);
  expect_null(camera, "baseline");
  expect_null(camera, "height");
  json_decref(json);
}

/* A locale with a decimal comma must not reach the numbers. */
STX_TEST(numbers_do_not_follow_the_locale)
{
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  g_autoptr(Harness) harness = gst_harness_new("stixel-json");
  gboolean comma = FALSE;
  json_auto_t *json = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(locales) && !comma; i++)
    comma = setlocale(LC_NUMERIC, locales[i]) != NULL;
  if (!comma)
    g_print("skipped in part: no locale with a decimal comma is installed\n");
  gst_harness_set_src_caps_str(harness, METRIC);
  json = convert(harness, 0);
  expect_number(json_array_get(json_object_get(json, "stixels"), 0), "disparity_top", 1.5);
}

STX_TEST(size_may_change_in_mid_stream)
{
  g_autoptr(Harness) harness = gst_harness_new("stixel-json");
  json_auto_t *json = NULL;

  gst_harness_set_src_caps_str(harness, SMALL);
  json_decref(convert(harness, 0));
  gst_harness_set_src_caps_str(harness, STIXELS "width=7,height=20,stixel-width=4,columns=2");
  json = convert(harness, FRAME);
  expect_number(json, "width", 7);
}

static const Refusal refusals[] = {
    {SMALL, 25, {"25 bytes", "24"}},
    {SMALL, 0, {"0 bytes", "24"}},
    {STIXELS "width=10,height=20,stixel-width=8,columns=3", 24, {"columns=3", "2"}},
    {STIXELS "width=10,height=20,columns=2", 24, {"stixel-width", "lack"}},
    {METRIC ",camera-image-width=20,camera-image-height=40", 24, {"20x40", "10x20"}},
    {"application/x-stixel-columns", 24, {"x-stixel-columns", "application/x-stixels"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("stixel-json", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}
