/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels on frames that elements change. The picture is its own truth: each pixel holds the number
 * of the stixel that covers it, and after all that was done to the picture each pixel must be found
 * to lie in the stixel that it names; or the frame carries stixels no more.
 */
#include "gst/stixels/stixels.h"

#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>
#include <math.h>

enum { WIDTH = 60, HEIGHT = 32, CELL = 8, COLUMNS = 8, PER_COLUMN = 4 };

static const GstStxStixelInfo info = {WIDTH, HEIGHT, CELL, COLUMNS,
    {.focal = 50, .cx = 29.5, .cy = 15.5, .baseline = .5, .image_width = 60, .image_height = 32}};

/* Column by column from the bottom up, as everywhere; the third of each is an object. */
static GstBuffer *new_stixels(void)
{
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, COLUMNS * PER_COLUMN * sizeof(StxStixel), NULL);
  GstMapInfo map;

  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < COLUMNS * PER_COLUMN; i++)
    ((StxStixel *)map.data)[i] = (StxStixel){.column = i / PER_COLUMN,
        .top = 24 - 8 * (i % PER_COLUMN),
        .bottom = 31 - 8 * (i % PER_COLUMN),
        .kind = i % PER_COLUMN == 2 ? STX_KIND_OBJECT : STX_KIND_GROUND,
        .disparity_top = 2 + i,
        .disparity_bottom = 2 + i};
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static gint stixel_of_pixel(gint x, gint y)
{
  return x / CELL * PER_COLUMN + (HEIGHT - 1 - y) / 8;
}

static guint8 shade_of(gint stixel)
{
  return (guint8)(20 + 7 * stixel);
}

/* In GRAY8: rows of 60 bytes need no padding. */
static GstBuffer *new_picture(void)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  gst_buffer_map(frame, &map, GST_MAP_WRITE);
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++)
      map.data[y * WIDTH + x] = shade_of(stixel_of_pixel(x, y));
  gst_buffer_unmap(frame, &map);
  GST_BUFFER_PTS(frame) = 0;
  return frame;
}

static GstBuffer *new_frame(gboolean is_told)
{
  GstBuffer *frame = new_picture();
  g_autoptr(GstBuffer) stixels = new_stixels();
  GstStxStixelMeta *meta = gst_buffer_add_stx_stixel_meta(frame, stixels, &info);

  if (is_told)
    gst_stx_stixel_meta_set_frame_size(meta, WIDTH, HEIGHT);
  return frame;
}

#define IN "video/x-raw,format=GRAY8,width=60,height=32,framerate=10/1,pixel-aspect-ratio=1/1"
#define CAPS(width, height) "video/x-raw,width=" #width ",height=" #height
#define TO(width, height) "! capsfilter caps=" CAPS(width, height)

/* Runs one frame through a line of elements. */
static GstSample *pass(const char *line, GstBuffer *frame)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(GstBuffer) result = NULL;
  g_autoptr(GstCaps) caps = NULL;
  GstSample *sample;

  gst_harness_set_src_caps_str(harness, IN);
  result = gst_harness_push_and_pull(harness, frame);
  fail_unless(result != NULL, "%s", line);
  caps = gst_pad_get_current_caps(harness->sinkpad);
  sample = gst_sample_new(result, caps, NULL, NULL);
  return sample;
}

/* ---- Every pixel --------------------------------------------------------------------------- */

static void expect_pixel(const GstStxStixels *stixels, gint x, gint y, guint8 shade)
{
  gint found = gst_stx_stixels_find_at(stixels, x + .5, y + .5);
  gdouble left, top, width, height;

  if (shade == 0) { /* a border */
    ck_assert_int_eq(found, -1);
    return;
  }
  ck_assert_msg(found >= 0 && shade_of(found) == shade, "(%d, %d) is %d, found %d", x, y,
      (shade - 20) / 7, found);
  ck_assert(gst_stx_stixels_get_rectangle(stixels, (guint)found, &left, &top, &width, &height));
  ck_assert(x + .5 > left && x + .5 < left + width && y + .5 > top && y + .5 < top + height);
}

/* Metres are those of the image, whatever became of the frame. */
static void expect_metres(const GstStxStixels *stixels)
{
  for (guint i = 0; i < COLUMNS * PER_COLUMN; i++) {
    StxMetres metres;

    ck_assert(gst_stx_stixels_get_metres(stixels, i, &metres));
    ck_assert(fabs(metres.z - 50 * .5 / (2 + i)) < 1e-9);
    ck_assert(fabs(metres.x - ((i / 4 * 8 + (i / 4 == 7 ? 2. : 4.)) - 30) * metres.z / 50) < 1e-9);
  }
  for (guint column = 0; column < COLUMNS; column++)
    ck_assert_int_eq(
        gst_stx_stixels_find_nearest(stixels, column), (gint)(column * PER_COLUMN + 2));
  ck_assert_int_eq(gst_stx_stixels_find_nearest(stixels, COLUMNS), -1);
}

static gboolean are_equal(gdouble a, gdouble b)
{
  return fabs(fabs(a) - fabs(b)) < 1e-9;
}

/* Through the frame's camera the middle of a stixel has its place, but for what was mirrored or
 * turned. */
static void expect_camera(const GstStxStixels *stixels, gboolean is_square)
{
  const guint index = 4 * PER_COLUMN + 2; /* columns 32 … 39, rows 8 … 15 */
  const gdouble z = 50 * .5 / (2 + index), across = (36 - 30) * z / 50, down = (12 - 16) * z / 50;
  gdouble x, y, width, height;
  StxCamera camera;

  ck_assert_int_eq(gst_stx_stixels_get_camera(stixels, &camera), is_square);
  if (!is_square)
    return;
  ck_assert(gst_stx_stixels_get_rectangle(stixels, index, &x, &y, &width, &height));
  x = (x + width / 2 - .5 - camera.cx) * z / camera.focal;
  y = (y + height / 2 - .5 - camera.cy) * z / camera.focal;
  ck_assert(
      (are_equal(x, across) && are_equal(y, down)) || (are_equal(x, down) && are_equal(y, across)));
}

static void expect_pixels(GstSample *sample, const GstStxStixels *stixels)
{
  GstVideoInfo video;
  GstVideoFrame frame;

  fail_unless(gst_video_info_from_caps(&video, gst_sample_get_caps(sample)));
  fail_unless(gst_video_frame_map(&frame, &video, gst_sample_get_buffer(sample), GST_MAP_READ));
  for (gint y = 0; y < video.height; y++)
    for (gint x = 0; x < video.width; x++)
      expect_pixel(stixels, x, y,
          GST_VIDEO_FRAME_COMP_DATA(&frame, 0)[y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, 0) +
                                               x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0)]);
  gst_video_frame_unmap(&frame);
}

/* Whether the frame still carries stixels; then they are right. */
static gboolean survives(const char *line, gboolean is_told, gboolean is_square)
{
  g_autoptr(GstSample) sample = pass(line, new_frame(is_told));
  GError *error = NULL;
  GstStxStixels *stixels = gst_stx_stixels_new_from_sample(sample, &error);
  gboolean survived = stixels != NULL;

  if (survived) {
    expect_metres(stixels);
    expect_camera(stixels, is_square);
    expect_pixels(sample, stixels);
    gst_stx_stixels_unref(stixels);
  } else {
    ck_assert(error != NULL && error->domain == GST_STREAM_ERROR);
    g_error_free(error);
  }
  return survived;
}

static gboolean has_matrix(void)
{
  guint major, minor, micro, nano;

  gst_version(&major, &minor, &micro, &nano);
  return minor >= 27;
}

#define NEAREST "videoscale method=nearest-neighbour "

STX_TEST(elements_that_leave_the_frame_keep_them)
{
  for (gint is_told = 0; is_told < 2; is_told++) {
    ck_assert(survives("identity", is_told, TRUE));
    ck_assert(survives("queue", is_told, TRUE));
    ck_assert(survives("tee ! queue ! videoconvert", is_told, TRUE));
    ck_assert(survives(
        "videoconvert ! capsfilter caps=video/x-raw,format=RGB ! videoconvert", is_told, TRUE));
    ck_assert(survives("videoconvert ! capsfilter caps=video/x-raw,format=BGRx", is_told, TRUE));
  }
}

STX_TEST(scaled_frames_keep_them)
{
  for (gint is_told = 0; is_told < 2; is_told++) {
    ck_assert(survives(NEAREST TO(120, 64), is_told, TRUE));
    ck_assert(survives(NEAREST TO(30, 16), is_told, TRUE));
    ck_assert(survives(NEAREST TO(240, 128) " ! " NEAREST TO(60, 32), is_told, TRUE));
  }
}

/* Without a word on the shape of the pixels, videoscale changes that and adds no borders. */
STX_TEST(stretched_frames_keep_them)
{
  ck_assert(survives(NEAREST TO(120, 32), TRUE, FALSE));
  ck_assert(survives(NEAREST TO(60, 64), FALSE, FALSE));
  ck_assert(survives(NEAREST TO(120, 32) " ! " NEAREST TO(120, 64), TRUE, TRUE));
}

/* Before 1.28 elements do not say whether there are borders. */
STX_TEST(of_borders_nothing_wrong_is_said)
{
  ck_assert(survives(NEAREST TO(120, 128) ",pixel-aspect-ratio=1/1", TRUE, TRUE) == has_matrix());
  ck_assert(survives(NEAREST TO(160, 64) ",pixel-aspect-ratio=1/1", FALSE, TRUE) == has_matrix());
}

STX_TEST(cut_frames_keep_them_or_lose_them)
{
  const char *lines[] = {"videocrop left=8 top=3", "videocrop right=5 bottom=9",
      "videocrop left=15 right=15 top=8 bottom=8"};

  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    for (gint is_told = 0; is_told < 2; is_told++)
      ck_assert(survives(lines[i], is_told, TRUE) == has_matrix());
  ck_assert(survives("videocrop", TRUE, TRUE));
  /* The first leaves its work to the second, which does not say so. */
  ck_assert(!survives("videocrop left=3 ! videocrop top=2 left=4", TRUE, TRUE));
}

STX_TEST(turned_frames_keep_them_or_lose_them)
{
  for (gint direction = 1; direction <= 7; direction++) {
    g_autofree gchar *line = g_strdup_printf("videoflip video-direction=%d", direction);

    ck_assert(survives(line, TRUE, TRUE) == has_matrix());
    ck_assert(survives(line, FALSE, TRUE) == has_matrix());
  }
  survives("videoflip video-direction=identity", TRUE, TRUE); /* or not, but nothing is wrong */
}

/* ---- As GStreamer 1.28 tells it ------------------------------------------------------------- */

/* GstVideoMetaTransformMatrix. */
typedef struct {
  const GstVideoInfo *in_info;
  GstVideoRectangle in;
  const GstVideoInfo *out_info;
  GstVideoRectangle out;
  gfloat matrix[3][3];
} Matrix;

/* A position of the image is at (x, y) of the frame where that shows what the image does. */
static void expect_position(const GstStxStixels *stixels, gint expected)
{
  gdouble x, y;

  gst_stx_stixels_get_position(stixels, expected / PER_COLUMN * CELL + .5,
      HEIGHT - 1 - expected % PER_COLUMN * 8 + .5, &x, &y);
  if (x >= 0 && y >= 0 && gst_stx_stixels_find_at(stixels, x, y) >= 0)
    ck_assert_int_eq(gst_stx_stixels_find_at(stixels, x, y), expected);
}

/* Position (x, y) of a frame of width × height pixels that was transformed shows stixel `expected`,
 * or none. */
static void expect_transformed(const Matrix *matrix, gdouble x, gdouble y, gint expected)
{
  g_autoptr(GstBuffer) frame = new_frame(TRUE);
  g_autoptr(GstBuffer) target = gst_buffer_new();
  GstMeta *meta = &gst_buffer_get_stx_stixel_meta(frame)->meta;
  g_autoptr(GstCaps) caps = gst_video_info_to_caps(matrix->out_info);
  g_autoptr(GstStxStixels) stixels = NULL;

  ck_assert(meta->info->transform_func(
      target, meta, frame, g_quark_from_static_string("gst-video-matrix"), (gpointer)matrix));
  stixels = gst_stx_stixels_new_from_buffer(target, caps, NULL);
  ck_assert_int_eq(gst_stx_stixels_find_at(stixels, x, y), expected);
  if (expected >= 0)
    expect_position(stixels, expected);
}

STX_TEST(a_matrix_says_what_was_cut)
{
  GstVideoInfo in, out;
  Matrix cut = {&in, {8, 3, 50, 20}, &out, {0, 0, 50, 20}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  gst_video_info_set_format(&in, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  gst_video_info_set_format(&out, GST_VIDEO_FORMAT_GRAY8, 50, 20);
  for (gint y = 0; y < 20; y++)
    for (gint x = 0; x < 50; x++)
      expect_transformed(&cut, x + .5, y + .5, stixel_of_pixel(x + 8, y + 3));
  expect_transformed(&cut, 50, 5, -1);
  expect_transformed(&cut, -.5, 5, -1);
}

STX_TEST(a_matrix_says_where_borders_are)
{
  GstVideoInfo in, out;
  Matrix boxed = {&in, {0, 0, 60, 32}, &out, {0, 20, 120, 64}, {{2, 0, 0}, {0, 2, 0}, {0, 0, 1}}};

  gst_video_info_set_format(&in, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  gst_video_info_set_format(&out, GST_VIDEO_FORMAT_GRAY8, 120, 104);
  expect_transformed(&boxed, 60, 19.5, -1);
  expect_transformed(&boxed, 60, 84.5, -1);
  for (gint y = 0; y < 64; y += 3)
    for (gint x = 0; x < 120; x += 3)
      expect_transformed(&boxed, x + .5, y + 20.5, stixel_of_pixel(x / 2, y / 2));
}

/* As videoflip writes them: the first pixel becomes the last. */
STX_TEST(a_matrix_says_how_it_was_turned)
{
  GstVideoInfo whole, on_side;
  const GstVideoRectangle full = {0, 0, WIDTH, HEIGHT}, turned = {0, 0, HEIGHT, WIDTH};
  Matrix mirror = {&whole, full, &whole, full, {{-1, 0, WIDTH - 1}, {0, 1, 0}, {0, 0, 1}}};
  Matrix right = {&whole, full, &on_side, turned, {{0, -1, HEIGHT - 1}, {1, 0, 0}, {0, 0, 1}}};
  Matrix over = {&whole, full, &on_side, turned, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};

  gst_video_info_set_format(&whole, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  gst_video_info_set_format(&on_side, GST_VIDEO_FORMAT_GRAY8, HEIGHT, WIDTH);
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gint stixel = stixel_of_pixel(x, y);

      expect_transformed(&mirror, WIDTH - 1 - x + .5, y + .5, stixel);
      expect_transformed(&right, HEIGHT - 1 - y + .5, x + .5, stixel);
      expect_transformed(&over, y + .5, x + .5, stixel);
    }
}

/* ---- Frames of which something else is known ------------------------------------------------ */

static GstStxStixels *of_frame(GstBuffer *frame, const char *text)
{
  g_autoptr(GstCaps) caps = gst_caps_from_string(text);
  GstStxStixels *stixels = gst_stx_stixels_new_from_buffer(frame, caps, NULL);

  return stixels;
}

/* As videocrop does if the next element understands it. */
STX_TEST(a_crop_meta_is_seen)
{
  g_autoptr(GstBuffer) frame = new_frame(TRUE);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(frame);
  g_autoptr(GstStxStixels) stixels = NULL;

  crop->x = 9, crop->y = 5, crop->width = 40, crop->height = 20;
  ck_assert(of_frame(frame, CAPS(40, 20)) == NULL); /* of what size was it before? */
  gst_buffer_add_video_meta(
      frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  stixels = of_frame(frame, CAPS(40, 20));
  for (gint y = 0; y < 20; y++)
    for (gint x = 0; x < 40; x++)
      ck_assert_int_eq(
          gst_stx_stixels_find_at(stixels, x + .5, y + .5), stixel_of_pixel(x + 9, y + 5));
  ck_assert_int_eq(gst_stx_stixels_find_at(stixels, 40.5, 5), -1);
}

STX_TEST(a_frame_that_changed_without_a_word_is_refused)
{
  g_autoptr(GstBuffer) told = new_frame(TRUE);
  g_autoptr(GstBuffer) untold = new_frame(FALSE);
  g_autoptr(GstStxStixels) stixels = NULL;

  ck_assert(of_frame(told, CAPS(120, 64)) == NULL);
  ck_assert(of_frame(untold, CAPS(60, 40)) == NULL);
  ck_assert(of_frame(untold, "video/x-raw") == NULL);
  ck_assert(gst_stx_stixels_new_from_buffer(told, NULL, NULL) == NULL);
  stixels = of_frame(untold, CAPS(120, 64));
  ck_assert_int_eq(gst_stx_stixels_find_at(stixels, 119, 63), 28);
}

static void read_frames(void)
{
  g_autoptr(GstBuffer) frame = new_frame(TRUE);

  gst_stx_stixels_unref(of_frame(frame, CAPS(60, 32)));
}

STX_TEST(reading_does_not_leak)
{
  stx_test_no_leaks(read_frames);
}

/* 60×32 pixels on 120×64: twice as far from the corner. */
STX_TEST(positions_are_those_of_the_frame)
{
  g_autoptr(GstBuffer) frame = new_frame(FALSE);
  g_autoptr(GstCaps) caps = gst_caps_from_string("video/x-raw,width=120,height=64");
  g_autoptr(GstStxStixels) stixels = gst_stx_stixels_new_from_buffer(frame, caps, NULL);
  gdouble x, y;

  gst_stx_stixels_get_position(stixels, 10.5, 3, &x, &y);
  ck_assert(fabs(x - 21) < 1e-9 && fabs(y - 6) < 1e-9);
}
