/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-json: obstacles, free space and points; video and scans; every line fits the schema. */
#include "tests/gst/fixtures/util.h"

#include <jansson.h>
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

/* Keys at the top of each line, after version and pts. */
#define OF_IMAGE "width height stixel_width columns camera "

static const struct {
  const char *line, *caps;
  GstBuffer *(*make)(void);
  const char *keys;
} varieties[] = {
    {"stixel-json", STIXELS, stixels_alone, OF_IMAGE "stixels md5"},
    {"stixel-json", STIXELS CAMERA, stixels_alone, OF_IMAGE "stixels md5"},
    {"stixel-json metres=false", STIXELS CAMERA, stixels_alone, OF_IMAGE "stixels md5"},
    {"stixel-json write=obstacles", STIXELS CAMERA, stixels_alone, OF_IMAGE},
    {"stixel-json", STIXELS CAMERA, stixels_with_obstacles,
        OF_IMAGE "stixels obstacles free_space md5"},
    {"stixel-json write=obstacles", STIXELS, stixels_with_obstacles, OF_IMAGE "obstacles md5"},
    {"stixel-json write=stixels+free-space", STIXELS, stixels_with_obstacles,
        OF_IMAGE "stixels free_space md5"},
    {"stixel-json", VIDEO, video_alone, ""},
    {"stixel-json", VIDEO, video_with_stixels, OF_IMAGE "stixels md5"},
    {"stixel-json", VIDEO, video_with_both, OF_IMAGE "stixels obstacles free_space md5"},
    {"stixel-json write=obstacles", VIDEO, video_with_both, OF_IMAGE "obstacles md5"},
    {"stixel-json", STIXELS CAMERA, stixels_with_motion, OF_IMAGE "motion stixels md5"},
    {"stixel-json write=stixels", STIXELS, stixels_with_motion, OF_IMAGE "stixels md5"},
    {"stixel-json", VIDEO, video_with_motion, OF_IMAGE "motion stixels obstacles free_space md5"},
    {"stixel-json write=motion", VIDEO, video_with_motion, OF_IMAGE "motion"},
    {"stixel-json", VIDEO, video_without_motion, "motion"},
    {"stixel-json", STIXELS CAMERA, stixels_with_velocities,
        OF_IMAGE "stixels obstacles free_space md5"},
    {"stixel-json", OBSTACLES, obstacles_with_velocities, "obstacles md5"},
    {"stixel-json", SCAN, scan_alone, ""},
    {"stixel-json", SCAN, scan_with_labels, "points md5"},
    {"stixel-json", SCAN, empty_scan, "points md5"},
    {"stixel-json", SCAN, scan_with_both, "obstacles free_space points md5"},
    {"stixel-json write=free-space", SCAN, scan_with_both, "free_space md5"},
    {"stixel-json", OBSTACLES, obstacles_alone, "obstacles md5"},
    {"stixel-json", OBSTACLES "," IMAGE CAMERA, obstacles_alone, OF_IMAGE "obstacles md5"},
    {"stixel-json", OBSTACLES, no_obstacles, "obstacles md5"},
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
  ck_assert_msg(gst_buffer_get_stx_stixel_meta(output) == NULL &&
                    gst_buffer_get_stx_obstacles_meta(output) == NULL &&
                    gst_buffer_get_stx_motion_meta(output) == NULL &&
                    gst_buffer_get_stx_velocities_meta(output) == NULL,
      "text carries records");
  return text;
}

static json_t *parsed(gchar *text)
{
  json_error_t error;
  json_t *json = json_loads(text, 0, &error);

  ck_assert_msg(json != NULL, "%s: %s", error.text, text);
  g_free(text);
  return json;
}

static json_t *line_parsed(const char *caps, GstBuffer *buffer)
{
  return parsed(line_of("stixel-json", caps, buffer));
}

STX_TEST_LOOP(has_the_parts_that_are_there, G_N_ELEMENTS(varieties))
{
  json_auto_t *json = parsed(line_of(varieties[_i].line, varieties[_i].caps, varieties[_i].make()));
  g_autofree gchar *wanted = g_strconcat("version pts ", varieties[_i].keys, NULL);
  g_autoptr(GString) keys = g_string_new(NULL);
  const char *key;
  json_t *value;

  json_object_foreach(json, key, value)
      g_string_append_printf(keys, "%s%s", keys->len > 0 ? " " : "", key);
  ck_assert_str_eq(keys->str, g_strchomp(wanted));
  ck_assert_int_eq(json_integer_value(json_object_get(json, "version")), 1);
}

/* An empty format means null: expect (line, "{s:n}"). */
#define EXPECT(json, ...)                                                                          \
  do {                                                                                             \
    json_t *expected = json_pack(__VA_ARGS__);                                                     \
    gchar *is = json_dumps(json, JSON_ENCODE_ANY), *should = json_dumps(expected, 0);              \
    ck_assert(expected != NULL);                                                                   \
    ck_assert_msg(json_equal(json, expected), "%s\nis not\n%s", is, should);                       \
    free(is);                                                                                      \
    free(should);                                                                                  \
    json_decref(expected);                                                                         \
  } while (0)

STX_TEST(obstacles_are_the_records)
{
  json_auto_t *json = line_parsed(STIXELS, stixels_with_obstacles());
  json_t *list = json_object_get(json, "obstacles");

  ck_assert_uint_eq(json_array_size(list), 2);
  EXPECT(json_array_get(list, 0),
      "{s:i,s:i,s:s,s:i,s:s,s:{s:i,s:i,s:i,s:i,s:i,s:i},s:i,s:{s:f,s:f,s:f,s:n,s:f,s:f,s:f},s:f,"
      "s:n,s:f,s:n,s:b,s:b,s:f}",
      "id", 7, "age", 12, "source", "stereo", "label", 13, "class", "car", "box", "left", 1, "top",
      2, "right", 16, "bottom", 18, "first_column", 0, "last_column", 2, "count", 3, "metres", "x",
      -1.5, "y", 1.25, "z", 12.5, "z_deviation", "width", 1.75, "height", 1.5, "depth", 4.,
      "closing_speed", 2.5, "closing_speed_deviation", "lateral_speed", -.5,
      "lateral_speed_deviation", "in_corridor", 1, "cut", 0, "confidence", .75);
  EXPECT(json_array_get(list, 1), "{s:n,s:i,s:s,s:n,s:n,s:n,s:i,s:n,s:n,s:n,s:n,s:n,s:b,s:b,s:f}",
      "id", "age", 0, "source", "lidar", "label", "class", "box", "count", 40, "metres",
      "closing_speed", "closing_speed_deviation", "lateral_speed", "lateral_speed_deviation",
      "in_corridor", 0, "cut", 1, "confidence", 0.);
}

/* Whole numbers are written without a point. */
STX_TEST(motion_is_that_of_the_meta)
{
  json_t *json = line_parsed(STIXELS, stixels_with_motion());

  EXPECT(json_object_get(json, "motion"),
      "{s:s,s:[i,i,i,i,i,f,i,f,i],s:[f,f,i],s:[f,f,f,f,f,f],s:I,s:i,s:i}", "state", "known",
      "rotation", 1, 0, 0, 0, 1, -.5, 0, .5, 1, "translation", .25, -.125, -1, "deviation", .001,
      .002, .003, .01, .02, .03, "interval", (json_int_t)FRAME, "points", 500, "agree", 450);
  json_decref(json);
  json = line_parsed(VIDEO, video_without_motion());
  EXPECT(json_object_get(json, "motion"), "{s:s,s:n,s:n,s:n,s:n,s:i,s:i}", "state", "no agreement",
      "rotation", "translation", "deviation", "interval", "points", 40, "agree", 3);
  json_decref(json);
}

STX_TEST(velocities_are_the_records)
{
  json_t *json = line_parsed(STIXELS, stixels_with_velocities());
  json_t *list = json_object_get(json, "obstacles");

  EXPECT(json_object_get(json_array_get(list, 0), "velocity"), "{s:s,s:f,s:f,s:f,s:f,s:f,s:f}",
      "state", "oncoming", "x", 3., "z", -8.5, "deviation_x", .25, "deviation_z", .5,
      "time_to_contact", 2., "time_to_contact_deviation", .125);
  EXPECT(json_object_get(json_array_get(list, 1), "velocity"), "{s:n,s:n,s:n,s:f,s:n,s:n,s:n}",
      "state", "x", "z", "deviation_x", 4., "deviation_z", "time_to_contact",
      "time_to_contact_deviation");
  list = json_object_get(json, "stixels");
  EXPECT(json_object_get(json_array_get(list, 0), "velocity"), "{s:s,s:f,s:f,s:f,s:f}", "state",
      "oncoming", "x", 3., "z", -8.5, "deviation_x", .25, "deviation_z", .5);
  EXPECT(json_object_get(json_array_get(list, 3), "velocity"), "{s:n,s:f,s:f,s:f,s:f}", "state",
      "x", 0., "z", 0., "deviation_x", 0., "deviation_z", 0.);
  json_decref(json);
  json = line_parsed(OBSTACLES, obstacles_with_velocities());
  list = json_object_get(json, "obstacles");
  ck_assert(json_object_get(json_array_get(list, 1), "velocity") != NULL);
  json_decref(json);
}

/* A program that changed one of them left them so: none is that of another. */
STX_TEST(velocities_of_another_number_are_left_out)
{
  json_auto_t *json =
      line_parsed(OBSTACLES, with_velocities(buffer_of(obstacles, sizeof obstacles[0])));

  ck_assert(
      json_object_get(json_array_get(json_object_get(json, "obstacles"), 0), "velocity") == NULL);
}

STX_TEST(free_space_is_the_records)
{
  json_auto_t *json = line_parsed(VIDEO, video_with_both());
  json_t *list = json_object_get(json, "free_space");

  EXPECT(list, "[{s:s,s:f,s:f,s:i,s:i},{s:s,s:n,s:n,s:n,s:n},{s:s,s:n,s:n,s:n,s:n}]", "state",
      "obstacle", "x", -1.5, "z", 12.5, "row", 17, "obstacle", 0, "state", "free", "x", "z", "row",
      "obstacle", "state", "unknown", "x", "z", "row", "obstacle");
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

STX_TEST(points_are_counted)
{
  json_auto_t *json = line_parsed(SCAN, scan_with_labels());

  EXPECT(json_object_get(json, "points"),
      "{s:i,s:i,s:i,s:i,s:[{s:i,s:i,s:{s:[f,f],s:[f,f],s:[f,f]}},{s:i,s:i,s:n}]}", "count", 5,
      "ground", 1, "obstacle", 3, "unknown", 1, "clusters", "id", 2, "count", 2, "metres", "x", -2.,
      1., "y", -1., 1., "z", 10., 12., "id", 5, "count", 1, "metres");
}

/* The same lines of records and of video that carries them. */
STX_TEST(video_says_what_records_say)
{
  g_autofree gchar *records = line_of("stixel-json", STIXELS CAMERA, stixels_with_obstacles());
  g_autofree gchar *video = line_of("stixel-json", VIDEO, video_with_both());

  ck_assert_str_eq(records, video);
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

STX_TEST_LOOP(refuses_parts_of_records, 3)
{
  static const struct {
    const char *caps, *words[4];
  } cases[] = {
      {OBSTACLES, {"63 bytes", "64"}},
      {OBSTACLES ",width=20", {"x-obstacles lack", "'height'"}},
      {OBSTACLES "," IMAGE CAMERA ",camera-image-width=40,camera-image-height=40",
          {"40x40", "20x20"}},
  };

  stx_test_refuses("stixel-json", cases[_i].caps, 63, cases[_i].words);
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
    g_autofree gchar *line = line_of(varieties[i].line, varieties[i].caps, varieties[i].make());

    g_string_append(lines, line);
  }
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
