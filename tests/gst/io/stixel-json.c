/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-json: each kind of buffer, as stixel-json.lines has it; in any locale; every line fits the
 * schema. After a change that was meant, run with STX_LINES=stixel-json.lines and look at the diff.
 */
#include "tests/gst/fixtures/util.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "common/obstacle.h"
#include "gst/stixels/stixels.h"

#define FRAME (100 * GST_MSECOND)
#define IMAGE "width=20,height=20,stixel-width=8,columns=3"
#define CAMERA ",camera-focal=700.0,camera-baseline=0.5,camera-cx=4.5,camera-cy=9.5"
#define STIXELS "application/x-stixels,framerate=10/1," IMAGE
#define VIDEO "video/x-raw,format=RGB,width=20,height=20,framerate=10/1"
#define SCAN "application/x-lidar,framerate=10/1"
#define OBSTACLES "application/x-obstacles,framerate=10/1"

static const StxStixel stixels[] = {
    {0, 0, 19, STX_KIND_OBJECT, 13, 3.5f, 3.5f, -0.5f, 0.5f},
    {1, 10, 19, STX_KIND_GROUND, 0, 3, 7, 0, 1},
    {1, 0, 9, STX_KIND_SKY, 10, 0, 0, 0, 0},
    {2, 0, 19, STX_KIND_SEGMENT, STX_LABEL_NONE, NAN, INFINITY, NAN, 0.25f},
};

static const StxObstacle obstacles[] = {
    {.id = 7,
        .age = 12,
        .left = 1,
        .top = 2,
        .right = 16,
        .bottom = 18,
        .first_column = 0,
        .last_column = 2,
        .count = 3,
        .source = STX_OBSTACLE_STEREO,
        .label = 13,
        .flags = STX_OBSTACLE_IN_CORRIDOR,
        .confidence = .75f,
        .x = -1.5f,
        .y = 1.25f,
        .z = 12.5f,
        .width = 1.75f,
        .height = 1.5f,
        .depth = 4,
        .closing_speed = 2.5f,
        .lateral_speed = -.5f},
    {.count = 40,
        .source = STX_OBSTACLE_LIDAR,
        .label = STX_LABEL_NONE,
        .flags = STX_OBSTACLE_CUT,
        .x = NAN,
        .y = NAN,
        .z = NAN,
        .width = NAN,
        .height = NAN,
        .depth = NAN,
        .closing_speed = NAN,
        .lateral_speed = INFINITY},
};

static const StxFreeSpace free_space[] = {
    {-1.5f, 12.5f, 17, 0},
    {NAN, INFINITY, 0, STX_FREE_NO_OBSTACLE},
    {NAN, NAN, 0, STX_FREE_NO_OBSTACLE},
};

/* Two points of cluster 2, one of ground, one of none, and cluster 5, which is nowhere. */
static const gfloat points[][4] = {
    {10, 2, 1, 0}, {12, -1, -1, 0}, {5, 0, -1.5f, 0}, {300, 0, 0, 0}, {NAN, 0, 0, 0}};
static const guint32 labels[] = {2 << 16 | 99, 2 << 16 | 10, 49, 0, 5 << 16 | 99};

/* ---- Buffers ------------------------------------------------------------------------------- */

static GstBuffer *buffer_of(gconstpointer bytes, gsize size)
{
  GstBuffer *buffer = stx_test_buffer(size, 0, FRAME, FRAME);

  gst_buffer_fill(buffer, 0, bytes, size);
  return buffer;
}

static GstStxStixelInfo image_info(void)
{
  return (GstStxStixelInfo){20, 20, 8, 3,
      {.focal = 700, .baseline = .5, .cx = 4.5, .cy = 9.5, .missing = STX_CAMERA_PITCH}};
}

static GstBuffer *with_obstacles(GstBuffer *buffer, const GstStxStixelInfo *info)
{
  g_autoptr(GstBuffer) records = buffer_of(obstacles, sizeof obstacles);
  g_autoptr(GstBuffer) profile = buffer_of(free_space, sizeof free_space);

  gst_buffer_add_stx_obstacles_meta(buffer, records, profile, info);
  return buffer;
}

static GstBuffer *with_stixels(GstBuffer *frame)
{
  GstStxStixelInfo info = image_info();
  g_autoptr(GstBuffer) records = buffer_of(stixels, sizeof stixels);

  gst_buffer_add_stx_stixel_meta(frame, records, &info);
  return frame;
}

static GstBuffer *stixels_alone(void)
{
  return buffer_of(stixels, sizeof stixels);
}

static GstBuffer *stixels_with_obstacles(void)
{
  GstStxStixelInfo info = image_info();

  return with_obstacles(stixels_alone(), &info);
}

static GstBuffer *video_alone(void)
{
  return stx_test_buffer(60 * 20, 0, FRAME, FRAME);
}

static GstBuffer *video_with_stixels(void)
{
  return with_stixels(video_alone());
}

static GstBuffer *video_with_both(void)
{
  GstStxStixelInfo info = image_info();

  return with_obstacles(video_with_stixels(), &info);
}

static const StxMotion motion = {STX_MOTION_KNOWN, {1, 0, 0, 0, 1, -.5, 0, .5, 1}, {.25, -.125, -1},
    {.001, .002, .003, .01, .02, .03}, 500, 450};

static GstBuffer *with_motion(GstBuffer *buffer)
{
  gst_buffer_add_stx_motion_meta(buffer, &motion, FRAME, NULL, 0, 0);
  return buffer;
}

static GstBuffer *stixels_with_motion(void)
{
  return with_motion(stixels_alone());
}

static GstBuffer *video_with_motion(void)
{
  return with_motion(video_with_both());
}

static GstBuffer *video_without_motion(void)
{
  const StxMotion none = {.state = STX_MOTION_DISAGREE, .points = 40, .agree = 3};
  GstBuffer *buffer = video_alone();

  gst_buffer_add_stx_motion_meta(buffer, &none, GST_CLOCK_TIME_NONE, NULL, 0, 0);
  return buffer;
}

static const StxVelocity velocities[] = {
    {.x = 3,
        .z = -8.5f,
        .deviation_x = .25f,
        .deviation_z = .5f,
        .contact = 2,
        .contact_deviation = .125f,
        .moves = STX_MOVES_ONCOMING},
    {.x = NAN,
        .z = NAN,
        .deviation_x = 4,
        .deviation_z = NAN,
        .contact = NAN,
        .contact_deviation = NAN},
    {.moves = STX_MOVES_NOT},
    {.moves = 77},
};

/* Attaches velocities of both obstacles, and of all stixels. */
static GstBuffer *with_velocities(GstBuffer *buffer)
{
  g_autoptr(GstBuffer) two = buffer_of(velocities, 2 * sizeof velocities[0]);
  g_autoptr(GstBuffer) four = buffer_of(velocities, sizeof velocities);

  gst_buffer_add_stx_velocities_meta(buffer, two, four);
  return buffer;
}

static GstBuffer *stixels_with_velocities(void)
{
  return with_velocities(stixels_with_obstacles());
}

static GstBuffer *obstacles_with_velocities(void)
{
  return with_velocities(buffer_of(obstacles, sizeof obstacles));
}

/* As a program leaves them that has changed one of both: they are no obstacle's. */
static GstBuffer *velocities_of_another_number(void)
{
  return with_velocities(buffer_of(obstacles, sizeof obstacles[0]));
}

static GstBuffer *stixels_without_time(void)
{
  GstBuffer *buffer = stixels_alone();

  GST_BUFFER_PTS(buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

static GstBuffer *scan_alone(void)
{
  return buffer_of(points, sizeof points);
}

static GstBuffer *scan_with_labels(void)
{
  GstBuffer *scan = scan_alone();
  g_autoptr(GstBuffer) words = buffer_of(labels, sizeof labels);

  gst_buffer_add_stx_point_labels_meta(scan, words);
  return scan;
}

static GstBuffer *scan_with_both(void)
{
  return with_obstacles(scan_with_labels(), NULL);
}

static GstBuffer *empty_scan(void)
{
  GstBuffer *scan = gst_buffer_new();
  g_autoptr(GstBuffer) words = gst_buffer_new();

  gst_buffer_add_stx_point_labels_meta(scan, words);
  return scan;
}

static GstBuffer *obstacles_alone(void)
{
  return buffer_of(obstacles, sizeof obstacles);
}

static GstBuffer *no_obstacles(void)
{
  return stx_test_buffer(0, 0, FRAME, FRAME);
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* Buffers, and the element with its caps: stixel-json.lines has the line of each, in this order. */
static const struct {
  const char *line, *caps;
  GstBuffer *(*make)(void);
} varieties[] = {
    {"stixel-json", STIXELS, stixels_alone},
    {"stixel-json", STIXELS CAMERA, stixels_alone},
    {"stixel-json metres=false", STIXELS CAMERA, stixels_alone},
    {"stixel-json write=obstacles", STIXELS CAMERA, stixels_alone},
    {"stixel-json", STIXELS CAMERA, stixels_with_obstacles},
    {"stixel-json write=obstacles", STIXELS, stixels_with_obstacles},
    {"stixel-json write=stixels+free-space", STIXELS, stixels_with_obstacles},
    {"stixel-json", VIDEO, video_alone},
    {"stixel-json", VIDEO, video_with_stixels},
    {"stixel-json", VIDEO, video_with_both},
    {"stixel-json write=obstacles", VIDEO, video_with_both},
    {"stixel-json", STIXELS CAMERA, stixels_with_motion},
    {"stixel-json write=stixels", STIXELS, stixels_with_motion},
    {"stixel-json", VIDEO, video_with_motion},
    {"stixel-json write=motion", VIDEO, video_with_motion},
    {"stixel-json", VIDEO, video_without_motion},
    {"stixel-json", STIXELS CAMERA, stixels_with_velocities},
    {"stixel-json", OBSTACLES, obstacles_with_velocities},
    {"stixel-json", SCAN, scan_alone},
    {"stixel-json", SCAN, scan_with_labels},
    {"stixel-json", SCAN, empty_scan},
    {"stixel-json", SCAN, scan_with_both},
    {"stixel-json write=free-space", SCAN, scan_with_both},
    {"stixel-json", OBSTACLES, obstacles_alone},
    {"stixel-json", OBSTACLES "," IMAGE CAMERA, obstacles_alone},
    {"stixel-json", OBSTACLES, no_obstacles},
    {"stixel-json", STIXELS ",camera-focal=700.0,camera-baseline=0.5,camera-cx=4.5", stixels_alone},
    {"stixel-json", STIXELS ",camera-focal=700.0,camera-cx=0.0,camera-cy=0.0,camera-pitch=0.0",
        stixels_alone},
    {"stixel-json", STIXELS, stixels_without_time},
    {"stixel-json", OBSTACLES, velocities_of_another_number},
};

/* The line that a buffer becomes; to be freed. */
static gchar *line_of(const char *line, const char *caps, GstBuffer *buffer)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(GstBuffer) output = NULL;
  gchar *text;

  gst_harness_set_src_caps_str(harness, caps);
  output = gst_harness_push_and_pull(harness, buffer);
  ck_assert(output != NULL);
  text = g_malloc0(gst_buffer_get_size(output) + 1);
  gst_buffer_extract(output, 0, text, gst_buffer_get_size(output));
  ck_assert_ptr_eq(strchr(text, '\n'), text + gst_buffer_get_size(output) - 1);
  ck_assert_msg(gst_buffer_get_stx_stixel_meta(output) == NULL &&
                    gst_buffer_get_stx_obstacles_meta(output) == NULL &&
                    gst_buffer_get_stx_motion_meta(output) == NULL &&
                    gst_buffer_get_stx_velocities_meta(output) == NULL,
      "text carries records");
  return text;
}

static gchar *line_number(guint i)
{
  return line_of(varieties[i].line, varieties[i].caps, varieties[i].make());
}

static gchar *expected_line(guint i)
{
  g_autofree gchar *name =
      g_strconcat(g_getenv("STX_SOURCE_DIR"), "/tests/gst/io/stixel-json.lines", NULL);
  g_autofree gchar *text = NULL;
  g_auto(GStrv) lines = NULL;

  ck_assert(g_file_get_contents(name, &text, NULL, NULL));
  lines = g_strsplit(text, "\n", 0);
  ck_assert_uint_eq(g_strv_length(lines), G_N_ELEMENTS(varieties) + 1);
  return g_strconcat(lines[i], "\n", NULL);
}

STX_TEST_LOOP(lines_are_those_that_were_looked_at, G_N_ELEMENTS(varieties))
{
  g_autofree gchar *line = line_number(_i), *expected = expected_line(_i);

  ck_assert_str_eq(line, expected);
}

/* A locale with a decimal comma must not reach the numbers. */
STX_TEST(numbers_do_not_follow_the_locale)
{
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  g_autofree gchar *line = NULL, *expected = expected_line(0);
  gboolean comma = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS(locales) && !comma; i++)
    comma = setlocale(LC_NUMERIC, locales[i]) != NULL;
  if (!comma)
    g_print("skipped in part: no locale with a decimal comma is installed\n");
  line = line_number(0);
  ck_assert_str_eq(line, expected);
}

/* The undefined-behaviour sanitizer reports reads that are not aligned. */
STX_TEST(a_scan_that_is_not_aligned_gives_the_same_line)
{
  g_autoptr(GstBuffer) usual = scan_with_labels();
  GstBuffer *moved = stx_test_at_odd_address(usual);
  g_autoptr(GstBuffer) words =
      stx_test_at_odd_address(gst_buffer_get_stx_point_labels_meta(usual)->labels);
  g_autofree gchar *wanted = line_of("stixel-json", SCAN, gst_buffer_ref(usual));
  g_autofree gchar *line = NULL;

  gst_buffer_add_stx_point_labels_meta(moved, words);
  line = line_of("stixel-json", SCAN, moved);
  ck_assert_str_eq(line, wanted);
}

/* ---- Nothing to write ---------------------------------------------------------------------- */

STX_TEST(says_once_that_nothing_is_there)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("stixel-json write=obstacles+free-space");
  g_autoptr(GstElement) element = gst_harness_find_element(harness, "stixel-json");
  g_autoptr(Watch) bus = stx_test_watch(element);
  g_autoptr(GstMessage) message = NULL;
  g_autoptr(GError) warning = NULL;

  gst_harness_set_src_caps_str(harness, VIDEO);
  for (int i = 0; i < 3; i++)
    gst_buffer_unref(gst_harness_push_and_pull(harness, video_with_stixels()));
  message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING);
  ck_assert(message != NULL);
  warning = stx_test_read(message, NULL);
  ck_assert(strstr(warning->message, "free-space+obstacles") != NULL ||
            strstr(warning->message, "obstacles+free-space") != NULL);
  ck_assert(strstr(warning->message, "stixel-obstacles") != NULL);
  ck_assert(gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING) == NULL);
}

static const Refusal refusals[] = {
    {STIXELS, 25, {"25 bytes", "24"}},
    {STIXELS, 0, {"0 bytes", "24"}},
    {"application/x-stixels,width=10,height=20,stixel-width=8,columns=3", 24, {"columns=3", "2"}},
    {"application/x-stixels,width=10,height=20,columns=2", 24, {"stixel-width", "lack"}},
    {STIXELS CAMERA ",camera-image-width=20,camera-image-height=40", 24, {"20x40", "20x20"}},
    {"application/x-stixel-columns", 24, {"x-stixel-columns", "application/x-stixels"}},
    {OBSTACLES, 63, {"63 bytes", "64"}},
    {OBSTACLES ",width=20", 63, {"x-obstacles lack", "'height'"}},
    {OBSTACLES "," IMAGE CAMERA ",camera-image-width=40,camera-image-height=40", 63,
        {"40x40", "20x20"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("stixel-json", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

/* ---- The schema ---------------------------------------------------------------------------- */

/* Adds what a pipeline writes. */
static void add_lines(GString *lines, const char *begin)
{
  g_autofree gchar *text = NULL;
  g_autofree gchar *line = g_strconcat(begin, " ! stixel-json ! filesink location=lines", NULL);

  stx_test_runs(line);
  ck_assert(g_file_get_contents("lines", &text, NULL, NULL));
  g_string_append(lines, text);
}

static void check_lines(const GString *lines)
{
  const char *root = g_getenv("STX_SOURCE_DIR");
  g_autofree gchar *output = NULL;
  g_autofree gchar *command = g_strdup_printf(
      "python3 %s/tests/gst/io/check_lines.py %s/docs/stixel-json-1.schema.json all "
      "%s/docs/elements/stixel-json.md",
      root, root, root);
  gint status;

  stx_test_write("all", lines->str);
  ck_assert(g_spawn_command_line_sync(command, &output, NULL, &status, NULL));
  g_print("%s", output);
  ck_assert_msg(status == 0 || WEXITSTATUS(status) == 77, "%s", output);
}

#define HAZARDS(view, pad)                                                                         \
  "street-scene-src scene=hazards seed=4 num-buffers=2 view=" view                                 \
  ",width=640,height=240 ! h." pad " "

STX_TEST(every_line_fits_the_schema)
{
  g_autoptr(GString) lines = g_string_new(NULL);

  stx_test_folder();
  for (guint i = 0; i < G_N_ELEMENTS(varieties); i++) {
    g_autofree gchar *line = line_number(i);

    g_string_append(lines, line);
  }
  if (g_getenv("STX_LINES") != NULL)
    ck_assert(g_file_set_contents(g_getenv("STX_LINES"), lines->str, -1, NULL));
  add_lines(lines,
      "street-scene-src view=disparity num-buffers=1 ! video/x-raw,width=160,height=90 ! "
      "downsample-transpose stixel-width=80 ! sat-dp-stixels");
  add_lines(lines, "street-scene-src view=lidar num-buffers=1 ! lidar-ground");
  add_lines(lines,
      "street-scene-src view=disparity num-buffers=2 ! downsample-transpose stixel-width=64 ! "
      "sat-dp-stixels ! stixel-obstacles");
  add_lines(lines,
      "street-scene-src view=lidar num-buffers=2 beams=16 ! lidar-ground ! stixel-obstacles ! "
      "application/x-obstacles");
  add_lines(lines, HAZARDS("left ! video/x-raw,format=GRAY8", "sink_left")
                       HAZARDS("right ! video/x-raw,format=GRAY8", "sink_right")
                           HAZARDS("disparity ! video/x-raw", "disparity") "road-hazards name=h");
  check_lines(lines);
}
