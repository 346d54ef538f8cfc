/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm: the disparity of every kind of input. Caps, errors and states: stereo-sgm-stream.c;
 * what is paired with what: stereo-sgm-pairing.c. */
#include "common/luma/luma.h"
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/stereo_pair.h"

#include <stdlib.h>
#include <string.h>

/* ---- The reference, run by hand ------------------------------------------------------------ */

typedef struct {
  int width, height;
  guint16 *disparity;
  guint8 *confidence;
} Expected;

static StxImage8 packed(const GstVideoFrame *frame)
{
  return (StxImage8){GST_VIDEO_FRAME_PLANE_DATA(frame, 0), GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0),
      GST_VIDEO_FRAME_WIDTH(frame), GST_VIDEO_FRAME_HEIGHT(frame)};
}

static void run_reference(
    const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right, Expected *expected)
{
  const StxSgmImpl *impl = stx_impl_named(&stx_sgm_impls, "omp");
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(impl->scratch_size(params, 1)));
  StxImage16 disparity = {expected->disparity, params->width * 2, params->width, params->height};
  StxImage8 confidence = {expected->confidence, params->width, params->width, params->height};

  impl->run(params, left, right, &disparity, &confidence, scratch, &(StxPlace){.threads = 1}, NULL);
  free(scratch);
}

/* The reference's result for two GRAY8 buffers. */
static Expected reference(
    StxSgmParams params, int width, int height, GstBuffer *left, GstBuffer *right)
{
  Expected expected = {
      width, height, g_new0(guint16, width * height), g_new0(guint8, width * height)};
  GstVideoFrame frames[2];
  StxImage8 views[2];
  GstVideoInfo info;

  params.width = width;
  params.height = height;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  fail_unless(gst_video_frame_map(&frames[0], &info, left, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&frames[1], &info, right, GST_MAP_READ));
  for (int i = 0; i < 2; i++)
    views[i] = packed(&frames[i]);
  run_reference(&params, &views[0], &views[1], &expected);
  gst_video_frame_unmap(&frames[0]);
  gst_video_frame_unmap(&frames[1]);
  return expected;
}

/* The output must have these bytes, in disparity and confidence. Frees both. */
static void expect_result(GstBuffer *output, Expected expected, const char *what)
{
  gsize row = expected.width * 2, pixels = (gsize)expected.width * expected.height;
  GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(output);
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY16_LE, expected.width, expected.height);
  fail_unless(gst_video_frame_map(&frame, &info, output, GST_MAP_READ));
  for (int y = 0; y < expected.height; y++)
    fail_unless(memcmp((guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
                           y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                    expected.disparity + (gsize)y * expected.width, row) == 0,
        "%s: row %d differs from the reference", what, y);
  gst_video_frame_unmap(&frame);
  fail_unless(meta != NULL, "%s: no confidence", what);
  stx_test_expect_bytes(meta->confidence, expected.confidence, pixels, what);
  gst_buffer_unref(output);
  g_free(expected.disparity);
  g_free(expected.confidence);
}

/* ---- Input --------------------------------------------------------------------------------- */

/* Pushes both views as they are and returns the output. */
static GstBuffer *push_pair(StereoPair *pair, GstBuffer *left, GstBuffer *right)
{
  stereo_push_left(pair, left);
  stereo_push_right(pair, right);
  return gst_harness_pull(pair->left);
}

static Expected expected_of(int width, int height)
{
  g_autoptr(GstBuffer) left = stereo_view("GRAY8", width, height, FALSE, 1, 5, 0);
  g_autoptr(GstBuffer) right = stereo_view("GRAY8", width, height, TRUE, 1, 5, 0);
  Expected expected = reference((StxSgmParams)STX_SGM_DEFAULTS, width, height, left, right);

  return expected;
}

/* A picture of random bytes as videoconvert makes it gray. */
static void convert(const char *format, GstBuffer *picture, GstBuffer *gray, int width, int height)
{
  GstVideoConverter *converter;
  GstVideoFrame from, to;
  GstVideoInfo in, out;

  gst_video_info_set_format(&in, gst_video_format_from_string(format), width, height);
  gst_video_info_set_format(&out, GST_VIDEO_FORMAT_GRAY8, width, height);
  converter = gst_video_converter_new(&in, &out, NULL);
  ck_assert(gst_video_frame_map(&from, &in, picture, GST_MAP_READ));
  ck_assert(gst_video_frame_map(&to, &out, gray, GST_MAP_WRITE));
  gst_video_converter_frame(converter, &from, &to);
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  gst_video_converter_free(converter);
}

STX_TEST(gray_has_the_bytes_of_videoconvert)
{
  const StxLumaImpl *impl = stx_impl_named(&stx_luma_impls, "omp");
  g_auto(GStrv) formats = g_strsplit(STX_LUMA_FORMATS, ", ", -1);
  enum { WIDTH = 256, HEIGHT = 65 };

  for (gsize i = 0; formats[i] != NULL; i++) {
    GstVideoInfo info;
    g_autoptr(GstBuffer) picture = NULL, gray = stx_test_buffer(WIDTH * HEIGHT, 0, 0, 0);
    uint8_t made[WIDTH * HEIGHT];
    StxImage8 wanted = {made, WIDTH, WIDTH, HEIGHT}, given = wanted;
    GstMapInfo map;
    gsize size;

    gst_video_info_set_format(&info, gst_video_format_from_string(formats[i]), WIDTH, HEIGHT);
    size = GST_VIDEO_INFO_SIZE(&info);
    picture = gst_buffer_new_allocate(NULL, size, NULL);
    gst_buffer_map(picture, &map, GST_MAP_WRITE);
    for (gsize k = 0; k < size; k++)
      map.data[k] = g_random_int();
    if (g_str_has_suffix(formats[i], "10LE") && formats[i][0] == 'I')
      for (gsize k = 1; k < size; k += 2)
        map.data[k] &= 3; /* the bits of such words that are used */
    given.data = map.data;
    given.stride = GST_VIDEO_INFO_PLANE_STRIDE(&info, 0);
    impl->run(
        stx_luma_format(formats[i]), 0, &given, &wanted, NULL, &(StxPlace){.threads = 1}, NULL);
    gst_buffer_unmap(picture, &map);
    convert(formats[i], picture, gray, WIDTH, HEIGHT);
    gst_buffer_map(gray, &map, GST_MAP_READ);
    ck_assert_msg(memcmp(map.data, made, sizeof made) == 0, "%s", formats[i]);
    gst_buffer_unmap(gray, &map);
  }
}

/* The left picture or the right one with `offset` bytes before it and rows `stride` bytes apart. */
static GstBuffer *with_stride(const char *format, gboolean right, gsize offset, gint stride)
{
  const int width = 45, height = 18;
  g_autoptr(GstBuffer) buffer = stereo_view(format, width, height, right, 1, 5, 0);
  GstVideoInfo info;
  GstBuffer *padded = stx_test_buffer(
      offset + (gsize)stride * height, 77, GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer));
  gsize offsets[GST_VIDEO_MAX_PLANES] = {offset};
  gint strides[GST_VIDEO_MAX_PLANES] = {stride};
  GstMapInfo map;

  gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
  gst_buffer_map(buffer, &map, GST_MAP_READ);
  for (int y = 0; y < height; y++)
    gst_buffer_fill(padded, offset + y * stride,
        map.data + y * GST_VIDEO_INFO_PLANE_STRIDE(&info, 0),
        (gsize)width * GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0));
  gst_buffer_unmap(buffer, &map);
  gst_buffer_add_video_meta_full(padded, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
      width, height, 1, offsets, strides);
  return padded;
}

STX_TEST(strides_are_those_of_the_video_meta)
{
  static const char *const formats[] = {"GRAY8", "YUY2", "GRAY16_BE", "BGRx"};

  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_auto(StereoPair) pair = stereo_pair("", 45, 18);
    g_autofree char *caps = stereo_caps(formats[i], 45, 18);

    gst_harness_set_src_caps_str(pair.left, caps);
    expect_result(push_pair(&pair, with_stride(formats[i], FALSE, 64, i == 0 ? 45 : 45 * 4),
                      with_stride("GRAY8", TRUE, 13, 77)),
        expected_of(45, 18), formats[i]);
  }
}

/* The view in words whose upper bits are not used. */
static GstBuffer *dim_view(gboolean right, int bits)
{
  GstBuffer *buffer = stereo_view("GRAY16_LE", 45, 18, right, 1, 5, 0);
  GstMapInfo map;

  gst_buffer_map(buffer, &map, GST_MAP_READWRITE);
  for (gsize i = 0; i < map.size; i += 2)
    GST_WRITE_UINT16_LE(map.data + i, GST_READ_UINT16_LE(map.data + i) >> (16 - bits));
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static GstBuffer *match_dim_views(const char *properties, int bits)
{
  g_auto(StereoPair) pair = stereo_pair(properties, 45, 18);
  g_autofree char *caps = stereo_caps("GRAY16_LE", 45, 18);
  GstBuffer *output;

  gst_harness_set_src_caps_str(pair.left, caps);
  gst_harness_set_src_caps_str(pair.right, caps);
  output = push_pair(&pair, dim_view(FALSE, bits), dim_view(TRUE, bits));
  return output;
}

/* A camera of 10 or 12 bits, right-aligned in 16, is as good as one of 8. */
STX_TEST(sixteen_bits_may_hold_fewer)
{
  g_autoptr(GstBuffer) dark = NULL;
  guint known = 0;

  for (int bits = 10; bits <= 16; bits += 2) {
    g_autofree char *properties = g_strdup_printf("gray-bits=%d", bits);

    expect_result(match_dim_views("", bits), expected_of(45, 18), "gray-bits=auto");
    expect_result(match_dim_views(properties, bits), expected_of(45, 18), properties);
  }
  dark = match_dim_views("gray-bits=16", 10);
  for (int i = 0; i < 45 * 18; i++)
    known += stereo_at(dark, 45, 18, i % 45, i / 45) != 0;
  ck_assert_uint_eq(known, 0);
}

/* Copies the rows of a GRAY8 view into a frame that holds two, at column x and row y. */
static void paste(
    GstBuffer *both, int both_width, GstBuffer *view, int width, int height, int x, int y)
{
  GstMapInfo map;

  gst_buffer_map(view, &map, GST_MAP_READ);
  for (int row = 0; row < height; row++)
    gst_buffer_fill(both, (y + row) * GST_ROUND_UP_4(both_width) + x,
        map.data + row * GST_ROUND_UP_4(width), width);
  gst_buffer_unmap(view, &map);
  gst_buffer_unref(view);
}

/* One frame with both views of 45 × 18 through pad "sink". */
static void check_both(
    const char *format, const char *properties, const char *fields, gboolean rows, gboolean swap)
{
  int width = rows ? 45 : 90, height = rows ? 36 : 18;
  g_auto(StereoPair) pair = stereo_element(properties);
  g_autofree char *caps = stereo_caps(format, width, height);
  g_autofree char *all = g_strconcat(caps, fields, NULL);
  GstBuffer *both = stx_test_buffer(GST_ROUND_UP_4(width) * height, 0, 0, FRAME);
  int x = rows ? 0 : 45, y = rows ? 18 : 0;
  GstCaps *parsed;

  paste(both, width, stereo_view("GRAY8", 45, 18, swap, 1, 5, 0), 45, 18, 0, 0);
  paste(both, width, stereo_view("GRAY8", 45, 18, !swap, 1, 5, 0), 45, 18, x, y);
  pair.left = gst_harness_new_with_element(pair.element, "sink", "src");
  parsed = gst_caps_from_string(all);
  if (swap)
    gst_caps_set_simple(parsed, "multiview-flags", GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST, GST_FLAG_SET_MASK_EXACT, NULL);
  gst_harness_set_src_caps(pair.left, parsed);
  stereo_push_left(&pair, stereo_as(format, both, width, height));
  expect_result(gst_harness_pull(pair.left), expected_of(45, 18), all);
}

STX_TEST(one_frame_with_both_views_equals_two_pads)
{
  check_both("GRAY8", "layout=side-by-side", "", FALSE, FALSE);
  check_both("GRAY8", "layout=top-bottom", "", TRUE, FALSE);
  check_both("GRAY8", "", ",multiview-mode=side-by-side", FALSE, FALSE);
  check_both("GRAY8", "", ",multiview-mode=top-bottom", TRUE, FALSE);
  check_both("GRAY8", "", ",multiview-mode=side-by-side", FALSE, TRUE);
}

/* 45 columns: the second view begins in the middle of two pixels that share their colour. */
STX_TEST(packed_views_are_cut_at_any_column)
{
  static const char *const formats[] = {"YUY2", "UYVY", "GRAY16_LE", "P010_10LE", "RGB"};

  for (gsize i = 0; i < G_N_ELEMENTS(formats); i++) {
    check_both(formats[i], "layout=side-by-side", "", FALSE, FALSE);
    check_both(formats[i], "", ",multiview-mode=side-by-side", FALSE, TRUE);
    check_both(formats[i], "layout=top-bottom", "", TRUE, FALSE);
  }
}

/* Disparity is metric: what is shifted by d pixels has d, whatever else is in the frame. */
STX_TEST(disparity_is_not_scaled_per_frame)
{
  g_auto(StereoPair) pair = stereo_pair("", 100, 20);

  for (int frame = 0; frame < 4; frame++) {
    int shift = 3 + 11 * frame;
    g_autoptr(GstBuffer) output =
        push_pair(&pair, stereo_view("GRAY8", 100, 20, FALSE, frame, shift, frame),
            stereo_view("GRAY8", 100, 20, TRUE, frame, shift, frame));

    ck_assert_int_eq((stereo_at(output, 100, 20, 70, 10) + 128) / 256, shift);
  }
}

/* ---- max-disparity=auto -------------------------------------------------------------------- */

/* Pairs number `from` … `to` − 1 of a wall at that disparity; the last output. */
static GstBuffer *push_wall(StereoPair *pair, int from, int to, int shift)
{
  GstBuffer *output = NULL;

  for (int i = from; i < to; i++) {
    gst_clear_buffer(&output);
    output = push_pair(pair, stereo_view("GRAY8", 420, 48, FALSE, i, shift, i),
        stereo_view("GRAY8", 420, 48, TRUE, i, shift, i));
  }
  return output;
}

static gint told(const StereoPair *pair, const char *field)
{
  g_autoptr(GstStructure) stats = NULL;
  gint value = 0;

  g_object_get(pair->element, "stats", &stats, NULL);
  fail_unless(gst_structure_get_int(stats, field, &value));
  return value;
}

STX_TEST(auto_follows_what_comes_near_without_new_caps)
{
  g_auto(StereoPair) pair = stereo_pair("", 420, 48);
  g_autoptr(GstBuffer) far = push_wall(&pair, 0, 4, 20);
  guint events = gst_harness_events_received(pair.left);
  g_autoptr(GstBuffer) near = push_wall(&pair, 4, 5, 150);

  ck_assert_int_eq((stereo_at(far, 420, 48, 300, 24) + 128) / 256, 20);
  ck_assert_int_eq((stereo_at(near, 420, 48, 300, 24) + 128) / 256, 150);
  ck_assert_int_eq(told(&pair, "max-disparity"), 256);
  ck_assert_uint_eq(gst_harness_events_received(pair.left), events);
}

STX_TEST(a_fixed_range_stays_and_is_warned_of_once)
{
  g_auto(StereoPair) pair = stereo_pair("max-disparity=64 focal=100 baseline=.32", 420, 48);
  g_autoptr(GstBuffer) near = push_wall(&pair, 0, 9, 150);

  ck_assert_int_eq(told(&pair, "max-disparity"), 64);
  stx_test_expect_warning(pair.bus, "max-disparity=64 (0.5 m)");
}

/* A wall above, which is at infinity, and another one in front of it below. */
static GstBuffer *street_view(gboolean right, int far, int near)
{
  GstBuffer *above = stereo_view("GRAY8", 420, 48, right, 1, far, 0);
  g_autoptr(GstBuffer) below = stereo_view("GRAY8", 420, 48, right, 2, near, 0);
  GstMapInfo to, from;

  fail_unless(gst_buffer_map(above, &to, GST_MAP_WRITE));
  fail_unless(gst_buffer_map(below, &from, GST_MAP_READ));
  memcpy(to.data + to.size / 2, from.data + to.size / 2, to.size / 2);
  gst_buffer_unmap(below, &from);
  gst_buffer_unmap(above, &to);
  return above;
}

STX_TEST(disparities_count_from_an_infinity_that_is_found_and_told)
{
  g_auto(StereoPair) pair = stereo_pair("", 420, 48);
  g_autoptr(GstBuffer) output =
      push_pair(&pair, street_view(FALSE, -16, 20), street_view(TRUE, -16, 20));
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(pair.bus, GST_MESSAGE_INFO);
  g_autoptr(GError) info = NULL;
  gint infinity = told(&pair, "disparity-at-infinity");
  g_autofree char *wanted =
      g_strdup_printf("Disparities count from there; set disparity-at-infinity=%d ", infinity);

  ck_assert_int_le(abs(infinity + 16), 1);
  fail_unless(message != NULL);
  info = stx_test_read(message, NULL);
  fail_unless(strstr(info->message, wanted) != NULL, "%s", info->message);
  ck_assert_int_eq((stereo_at(output, 420, 48, 300, 40) + 128) / 256, 20 - infinity);
}
