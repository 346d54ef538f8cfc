/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metas as bytes: all of them there and back, cut, forged, and of another version. */
#include "gst/stixels/stixels.h"

#include "tests/gst/fixtures/util.h"

#include <string.h>

enum { POINTS = 6, METAS = 8, HEAD = 6 };

static GstBuffer *bytes_of(gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = (guint8)(i * 7 + size);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/* A scan of POINTS points with one meta of each kind: what no element makes, but all fits. */
static GstBuffer *new_carrier(void)
{
  static const GstStxStixelInfo info = {64, 32, 8, 8,
      {.focal = 50, .cx = 31.5, .baseline = .5, .image_width = 64, .missing = STX_CAMERA_PITCH}};
  StxMotion motion = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {.25, 0, 1}};
  GstBuffer *carrier = bytes_of(POINTS * 16);
  g_autoptr(GstBuffer) stixels = bytes_of(3 * sizeof(StxStixel));
  g_autoptr(GstBuffer) obstacles = bytes_of(2 * sizeof(StxObstacle));
  g_autoptr(GstBuffer) speeds = bytes_of(2 * sizeof(StxVelocity));
  g_autoptr(GstBuffer) none = gst_buffer_new();
  g_autoptr(GstBuffer) confidence = bytes_of(4 * 3);
  g_autoptr(GstBuffer) marks = bytes_of(POINTS * sizeof(GstStxPointMark));
  g_autoptr(GstBuffer) labels = bytes_of(POINTS * 4);
  GstStxStixelMeta *placed = gst_buffer_add_stx_stixel_meta(carrier, stixels, &info);
  GstStxOccupancyMeta *grid;
  GstStxTurnMeta *turn;

  gst_stx_stixel_meta_set_frame_size(placed, 128, 64);
  gst_buffer_add_stx_obstacles_meta(carrier, obstacles, NULL, &info);
  motion.points = 9;
  gst_buffer_add_stx_motion_meta(carrier, &motion, 100 * GST_MSECOND, NULL, 0, 0);
  gst_buffer_add_stx_velocities_meta(carrier, speeds, none);
  gst_buffer_add_stx_confidence_meta(carrier, confidence, 4, 3);
  grid = gst_buffer_add_stx_occupancy_meta(carrier, confidence, 3, 4, .2);
  grid->epoch = 5;
  grid->yaw = -.5;
  turn = gst_buffer_add_stx_turn_meta(carrier, marks);
  turn->sensor_time = G_MAXUINT64;
  turn->lost = 2;
  gst_buffer_add_stx_point_labels_meta(carrier, labels);
  return carrier;
}

/* A little-endian number of so many bytes, anywhere. */
static guint64 number_at(guint bytes, const guint8 *at)
{
  guint64 value = 0;

  for (guint i = 0; i < bytes; i++)
    value |= (guint64)at[i] << 8 * i;
  return value;
}

static gdouble double_at(const guint8 *at)
{
  guint64 bits = number_at(8, at);
  gdouble value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

static guint count_metas(GstBuffer *buffer)
{
  gpointer state = NULL;
  guint count = 0;

  while (gst_buffer_iterate_meta(buffer, &state) != NULL)
    count++;
  return count;
}

static GBytes *changed(GBytes *bytes, gsize at, guint8 value)
{
  gsize size;
  guint8 *copy = g_memdup2(g_bytes_get_data(bytes, &size), g_bytes_get_size(bytes));

  ck_assert_uint_lt(at, size);
  copy[at] = value;
  return g_bytes_new_take(copy, size);
}

/* Reads them on a scan of that many points. NULL: they were refused, and nothing was added. */
static GstBuffer *read_on(GBytes *bytes, gsize points)
{
  GstBuffer *buffer = bytes_of(points * 16);
  g_autoptr(GError) error = NULL;

  if (gst_stx_metas_from_bytes(buffer, bytes, &error)) {
    ck_assert_ptr_eq(error, NULL);
    return buffer;
  }
  ck_assert(error != NULL && error->message[0] != '\0');
  ck_assert_uint_eq(count_metas(buffer), 0);
  gst_buffer_unref(buffer);
  return NULL;
}

STX_TEST(all_metas_come_back_byte_for_byte)
{
  g_autoptr(GstBuffer) carrier = new_carrier();
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(carrier);
  g_autoptr(GstBuffer) copy = read_on(bytes, POINTS);
  g_autoptr(GBytes) again = gst_stx_metas_to_bytes(copy);
  GstStxStixelMeta *stixels = gst_buffer_get_stx_stixel_meta(copy);
  GstStxTurnMeta *turn = gst_buffer_get_stx_turn_meta(copy);

  ck_assert_uint_eq(count_metas(copy), METAS);
  ck_assert(g_bytes_equal(bytes, again));
  ck_assert(stixels->info.columns == 8 && stixels->info.camera.missing == STX_CAMERA_PITCH);
  ck_assert_uint_eq(gst_buffer_get_size(stixels->stixels), 3 * sizeof(StxStixel));
  ck_assert(turn->sensor_time == G_MAXUINT64 && turn->lost == 2 && turn->number == 0);
  ck_assert_ptr_eq(gst_buffer_get_stx_obstacles_meta(copy)->free_space, NULL);
  ck_assert_uint_eq(gst_buffer_get_size(gst_buffer_get_stx_velocities_meta(copy)->stixels), 0);
}

STX_TEST(a_buffer_without_metas_has_no_bytes)
{
  g_autoptr(GstBuffer) buffer = gst_buffer_new();

  ck_assert_ptr_eq(gst_stx_metas_to_bytes(buffer), NULL);
  ASSERT_CRITICAL(gst_stx_metas_to_bytes(NULL));
  ASSERT_CRITICAL(gst_stx_metas_from_bytes(buffer, NULL, NULL));
}

/* The layout of docs/formats.md: one kind changes, and files of before cannot be read. */
STX_TEST(the_layout_of_motion_is_the_one_that_the_page_says)
{
  g_autoptr(GstBuffer) buffer = gst_buffer_new();
  StxMotion motion = {.state = STX_MOTION_KNOWN, .translation = {0, 0, 2}, .agree = 3};
  g_autoptr(GBytes) bytes = NULL;
  const guint8 *at;

  gst_buffer_add_stx_motion_meta(buffer, &motion, 258, NULL, 7, 8);
  bytes = gst_stx_metas_to_bytes(buffer);
  ck_assert_uint_eq(g_bytes_get_size(bytes), HEAD + 4 + 18 * 8 + 2 * 4 + 8 + 2 * 4 + 4);
  at = g_bytes_get_data(bytes, NULL);
  ck_assert(at[0] == 3 && at[1] == 1 && (guint32)number_at(4, at + 2) == 176);
  ck_assert(double_at(at + HEAD + 4 + 11 * 8) == 2);
  ck_assert_uint_eq((guint32)number_at(4, at + HEAD + 152), 3);
  ck_assert_uint_eq(number_at(8, at + HEAD + 156), 258);
  ck_assert_uint_eq((guint32)number_at(4, at + HEAD + 168), 8);
  ck_assert_uint_eq((guint32)number_at(4, at + HEAD + 172), G_MAXUINT32);
}

STX_TEST(bytes_that_are_cut_are_refused)
{
  g_autoptr(GstBuffer) carrier = new_carrier();
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(carrier);
  const guint8 *data = g_bytes_get_data(bytes, NULL);
  gsize size = g_bytes_get_size(bytes), end = 0;

  for (gsize length = 0; length < size; length++) {
    g_autoptr(GBytes) cut = g_bytes_new_from_bytes(bytes, 0, length);
    g_autoptr(GstBuffer) read = read_on(cut, POINTS);

    /* A cut between two metas is none. */
    ck_assert_msg((read != NULL) == (length == end), "%u of %u bytes", (guint)length, (guint)size);
    if (length == end)
      end += HEAD + (guint32)number_at(4, data + end + 2);
  }
}

STX_TEST(metas_of_another_version_or_kind_are_left_out)
{
  g_autoptr(GstBuffer) carrier = new_carrier();
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(carrier);
  g_autoptr(GBytes) newer = changed(bytes, 1, 2);
  g_autoptr(GBytes) other = changed(bytes, 0, METAS + 1);
  g_autoptr(GstBuffer) of_newer = read_on(newer, POINTS);
  g_autoptr(GstBuffer) of_other = read_on(other, POINTS);

  ck_assert_ptr_eq(gst_buffer_get_stx_stixel_meta(of_newer), NULL);
  ck_assert_uint_eq(count_metas(of_newer), METAS - 1);
  ck_assert_uint_eq(count_metas(of_other), METAS - 1);
}

STX_TEST(forged_numbers_are_refused)
{
  g_autoptr(GstBuffer) carrier = new_carrier();
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(carrier);
  g_autoptr(GstBuffer) elsewhere = read_on(bytes, POINTS + 1); /* labels of another scan */
  g_autoptr(GBytes) twice = changed(
      bytes, HEAD + (guint32)number_at(4, (const guint8 *)g_bytes_get_data(bytes, NULL) + 2), 1);
  /* The image's width, its columns, the exponent of its focal length, of its placement. */
  const gsize places[] = {HEAD + 1, HEAD + 12, HEAD + 16 + 7, HEAD + 16 + 48 + 12 + 7};

  ck_assert_ptr_eq(elsewhere, NULL);
  ck_assert_ptr_eq(read_on(twice, POINTS), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autoptr(GBytes) forged = changed(bytes, places[i], i < 2 ? 0x77 : 0x7f);
    g_autoptr(GBytes) infinite = changed(forged, places[i] - (i < 2 ? 0 : 1), i < 2 ? 0x77 : 0xf0);
    g_autoptr(GstBuffer) read = read_on(infinite, POINTS);

    ck_assert_msg(read == NULL, "place %u", i);
  }
}

/* The functions that GStreamer calls, from 1.24 on. */
STX_TEST(gstreamer_can_serialise_each_meta)
{
#if GST_CHECK_VERSION(1, 24, 0)
  g_autoptr(GstBuffer) carrier = new_carrier();
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(carrier);
  g_autoptr(GstBuffer) copy = bytes_of(POINTS * 16);
  g_autoptr(GBytes) again = NULL;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta(carrier, &state)) != NULL) {
    g_autoptr(GByteArray) data = g_byte_array_new();
    guint32 used = 0;

    ck_assert(gst_meta_serialize_simple(meta, data));
    ck_assert_ptr_eq(gst_meta_deserialize(copy, data->data, data->len - 1, &used), NULL);
    ck_assert_ptr_ne(gst_meta_deserialize(copy, data->data, data->len, &used), NULL);
    ck_assert_uint_eq(used, data->len);
  }
  again = gst_stx_metas_to_bytes(copy);
  ck_assert(g_bytes_equal(bytes, again));
#endif
}
