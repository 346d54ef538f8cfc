/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles of the synthetic street, as programs get them, held against the street's truth: regions
 * of interest on pictures of stereo-stixels, read with GStreamer's functions alone, and obstacles
 * of scans. A box that is a column off, another axis or a wrong unit breaks the bounds; what should
 * be one obstacle and what two is measured by stx-eval.
 */
#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <math.h>

#include "common/scene/scene.h"
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define FRAMES 2
#define WIDTH 1242
#define HEIGHT 375
#define STEP 3      /* pixels between samples of the truth */
#define FARTHEST 30 /* m: what counts */

typedef GstVideoRegionOfInterestMeta Region;

static GstSample *pull(GstElement *pipeline, const gchar *name)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 60 * GST_SECOND);

  fail_unless(sample != NULL, "nothing came to %s", name);
  return sample;
}

static GstElement *play(const char *line)
{
  GstElement *pipeline = stx_test_parse(line);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void stop(GstElement *pipeline)
{
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

/* A share of many: how many of those that were looked at are right. */
typedef struct {
  guint right, all;
} Share;

static void add(Share *share, gboolean right)
{
  share->right += right != FALSE;
  share->all++;
}

static void expect_share(const Share *share, gdouble least, guint count, const char *what)
{
  g_print("%u of %u %s\n", share->right, share->all, what);
  ck_assert_msg(share->all >= count, "%u %s, too few for a test", share->all, what);
  ck_assert_msg(share->right >= least * share->all, "%u of %u %s", share->right, share->all, what);
}

/* ---- The truth of pictures ----------------------------------------------------------------- */

/* Of a pixel. */
typedef struct {
  gfloat distance; /* metres ahead; 0: unknown */
  guint8 label;
} Truth;

static gboolean is_vehicle(guint8 label)
{
  return label == STX_SCENE_CAR || label == STX_SCENE_TRUCK || label == STX_SCENE_BUS;
}

static gboolean is_upright(guint8 label)
{
  return label != STX_SCENE_ROAD && label != STX_SCENE_SIDEWALK && label != STX_SCENE_TERRAIN &&
         label != STX_SCENE_SKY;
}

static Truth *truth_of(StxScene *scene, guint frame)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  Truth *truth = g_new0(Truth, WIDTH * HEIGHT);
  StxImage16 disparities = {g_malloc(2 * WIDTH * HEIGHT), 2 * WIDTH, WIDTH, HEIGHT};
  StxImage8 labels = {g_malloc(WIDTH * HEIGHT), WIDTH, WIDTH, HEIGHT};

  stx_scene_move(scene, frame);
  stx_scene_truth(scene, &disparities, &labels);
  for (gsize i = 0; i < WIDTH * HEIGHT; i++) {
    if (disparities.data[i] > 0)
      truth[i].distance = (gfloat)(camera->focal * camera->baseline * 256 / disparities.data[i]);
    truth[i].label = labels.data[i];
  }
  g_free(disparities.data);
  g_free(labels.data);
  return truth;
}

/* ---- Regions against it -------------------------------------------------------------------- */

static gdouble number(Region *region, const char *field)
{
  gdouble value = 0;

  ck_assert(gst_structure_get_double(
      gst_video_region_of_interest_meta_get_param(region, "stx-obstacle"), field, &value));
  return value;
}

static Region *next_region(GstBuffer *frame, gpointer *state)
{
  return (Region *)gst_buffer_iterate_meta_filtered(
      frame, state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

/* Is it within a tenth of where the obstacle begins and ends? */
static gboolean agrees(Region *region, gdouble distance)
{
  gdouble begin = number(region, "distance");

  return distance > .9 * begin && distance < 1.1 * (begin + number(region, "depth"));
}

/* Does a part of what stands in the box stand where it says? The rest is in front, or behind. */
static gboolean is_right(Region *region, const Truth *truth)
{
  guint upright = 0, right = 0;

  for (guint y = region->y; y < region->y + region->h; y += STEP)
    for (guint x = region->x; x < region->x + region->w; x += STEP) {
      const Truth *pixel = &truth[y * WIDTH + x];

      upright += is_upright(pixel->label);
      right += is_upright(pixel->label) && agrees(region, pixel->distance);
    }
  return right > 0 && right >= upright / 5;
}

static gboolean covers(const Region *region, guint x, guint y)
{
  return x >= region->x && x < region->x + region->w && y >= region->y && y < region->y + region->h;
}

static gboolean is_found(GstBuffer *frame, guint x, guint y, gdouble distance)
{
  gpointer state = NULL;
  Region *region;

  while ((region = next_region(frame, &state)) != NULL)
    if (covers(region, x, y) && agrees(region, distance))
      return TRUE;
  return FALSE;
}

static void judge(GstBuffer *frame, const Truth *truth, Share *right, Share *found)
{
  gpointer state = NULL;
  Region *region;

  while ((region = next_region(frame, &state)) != NULL)
    if (number(region, "distance") < FARTHEST)
      add(right, is_right(region, truth));
  for (guint y = 0; y < HEIGHT; y += 3 * STEP)
    for (guint x = 0; x < WIDTH; x += 3 * STEP) {
      const Truth *pixel = &truth[y * WIDTH + x];

      if (is_vehicle(pixel->label) && pixel->distance > 5 && pixel->distance < FARTHEST)
        add(found, is_found(frame, x, y, pixel->distance));
    }
}

/* The same boxes, in half the size. */
static void expect_halves(GstBuffer *frame, GstBuffer *half)
{
  gpointer state = NULL, half_state = NULL;
  Region *whole, *scaled;

  while ((whole = next_region(frame, &state)) != NULL) {
    scaled = next_region(half, &half_state);
    fail_unless(scaled != NULL, "a region was lost");
    ck_assert_uint_eq(scaled->x, whole->x / 2);
    ck_assert_uint_eq(scaled->w, whole->w / 2);
    ck_assert_uint_eq(scaled->roi_type, whole->roi_type);
  }
  ck_assert(next_region(half, &half_state) == NULL);
}

#define VIEW(name)                                                                                 \
  "street-scene-src num-buffers=2 view=" name " ! "                                                \
  "video/x-raw,width=1242,height=375,framerate=10/1"

STX_TEST(regions_are_where_things_stand)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  GstElement *pipeline =
      play("stereo-stixels name=s obstacles=true ! tee name=t "
           "t. ! queue ! appsink name=whole sync=false "
           "t. ! queue ! videoconvert ! videoscale ! "
           "video/x-raw,format=I420,width=621,height=188 ! appsink name=half sync=false " VIEW(
               "left") " ! s.sink_left " VIEW("right") " ! s.sink_right");
  Share right = {0}, found = {0};
  StxScene *scene;

  params.width = WIDTH;
  params.height = HEIGHT;
  scene = stx_scene_new(&params, NULL);
  for (guint i = 0; i < FRAMES; i++) {
    g_autoptr(GstSample) whole = pull(pipeline, "whole");
    g_autoptr(GstSample) half = pull(pipeline, "half");
    Truth *truth = truth_of(scene, i);

    judge(gst_sample_get_buffer(whole), truth, &right, &found);
    expect_halves(gst_sample_get_buffer(whole), gst_sample_get_buffer(half));
    g_free(truth);
  }
  stop(pipeline);
  stx_scene_free(scene);
  expect_share(&right, .85, 10 * FRAMES, "regions hold what they say");
  expect_share(&found, .95, 1000 * FRAMES, "pixels of vehicles are in a region");
}

/* ---- Scans --------------------------------------------------------------------------------- */

/* A scan with its obstacles and the truth of its points. */
typedef struct {
  GstMapInfo points, labels, obstacles;
  gsize count, obstacle_count;
} Scan;

static gboolean stands(guint32 label)
{
  guint kind = label & 0xFFFF;

  return kind != STX_SCENE_POINT_ROAD && kind != STX_SCENE_POINT_SIDEWALK &&
         kind != STX_SCENE_POINT_TERRAIN;
}

static gboolean moves(guint32 label)
{
  return label >> 16 != 0;
}

/* Axes are x to the right and z ahead; those of points x ahead and y to the left. What is behind
 * the sensor reaches backwards. */
static gboolean is_in(const StxObstacle *obstacle, const gfloat *point, gfloat more)
{
  gfloat near = fabsf(obstacle->z), ahead = obstacle->z < 0 ? -point[0] : point[0];

  return fabsf(-point[1] - obstacle->x) < obstacle->width / 2 + more && ahead > near - more &&
         ahead < near + obstacle->depth + more;
}

static void judge_scan(const Scan *scan, Share *right, Share *found)
{
  const gfloat *points = (const gfloat *)(gpointer)scan->points.data;
  const guint32 *labels = (const guint32 *)(gpointer)scan->labels.data;
  const StxObstacle *obstacles = (const StxObstacle *)(gpointer)scan->obstacles.data;
  g_autofree guint *inside = g_new0(guint, scan->obstacle_count + 1);

  for (gsize i = 0; i < scan->count; i += 3) {
    const gfloat *point = points + 4 * i;
    gboolean hit = FALSE;

    for (gsize k = 0; stands(labels[i]) && k < scan->obstacle_count; k++)
      if (is_in(&obstacles[k], point, .1f)) {
        inside[k]++;
        hit = TRUE;
      }
    if (moves(labels[i]) && point[0] > 3 && point[0] < FARTHEST && point[2] > -1.2f)
      add(found, hit);
  }
  for (gsize k = 0; k < scan->obstacle_count; k++)
    if (obstacles[k].count >= 12)
      add(right, inside[k] > 0);
}

static void judge_buffers(GstBuffer *scan, GstBuffer *labels, Share *right, Share *found)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(scan);
  Scan it;

  fail_unless(meta != NULL, "a scan without obstacles");
  gst_buffer_map(scan, &it.points, GST_MAP_READ);
  gst_buffer_map(labels, &it.labels, GST_MAP_READ);
  gst_buffer_map(meta->obstacles, &it.obstacles, GST_MAP_READ);
  it.count = it.labels.size / sizeof(guint32);
  it.obstacle_count = it.obstacles.size / sizeof(StxObstacle);
  ck_assert_uint_eq(it.points.size, 16 * it.count);
  judge_scan(&it, right, found);
  gst_buffer_unmap(meta->obstacles, &it.obstacles);
  gst_buffer_unmap(labels, &it.labels);
  gst_buffer_unmap(scan, &it.points);
}

STX_TEST(obstacles_of_scans_are_where_things_stand)
{
  GstElement *pipeline = play("street-scene-src view=lidar num-buffers=3 ! lidar-ground ! "
                              "stixel-obstacles ! appsink name=scans sync=false "
                              "street-scene-src view=lidar-labels num-buffers=3 ! "
                              "appsink name=truth sync=false");
  Share right = {0}, found = {0};

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GstSample) scan = pull(pipeline, "scans");
    g_autoptr(GstSample) truth = pull(pipeline, "truth");

    judge_buffers(gst_sample_get_buffer(scan), gst_sample_get_buffer(truth), &right, &found);
  }
  stop(pipeline);
  expect_share(&right, .95, 30, "obstacles of scans hold points of something");
  expect_share(&found, .9, 1000, "points of vehicles and people are in one");
}

double stx_test_prepare(void)
{
  return 120;
}
