/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metres from the meta, with the calibration where users put it, on the matcher: those of the
 * synthetic street and of KITTI's pictures are the same at half their size, and cut.
 */
#include <gst/app/gstappsink.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

/* ---- Running -------------------------------------------------------------------------------- */

/* Both pictures go the same way, one of them also to the overlay, which attaches the stixels. */
#define README_LINE                                                                                \
  "%s ! %s tee name=left left. ! queue ! videoconvert ! overlay.sink left. ! queue ! "             \
  "sgm.sink_left %s ! %s sgm.sink_right stereo-sgm name=sgm %s ! downsample-transpose %s ! "       \
  "sat-dp-stixels ground=estimate ! overlay.stixels stixel-overlay name=overlay ! appsink "        \
  "name=out sync=false"

typedef struct {
  const char *left, *right; /* sources of gray pictures */
  const char *change;       /* "videoscale ! … !", or "" */
  const char *sgm, *cells;  /* properties */
} Way;

static GstElement *start(const Way *way)
{
  g_autofree gchar *line = g_strdup_printf(
      README_LINE, way->left, way->change, way->right, way->change, way->sgm, way->cells);
  GstElement *pipeline = stx_test_parse(line);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return pipeline;
}

/* The next frame, or NULL. */
static GstSample *next(GstElement *pipeline)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 60 * GST_SECOND);

  return sample;
}

static void stop(GstElement *pipeline)
{
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

/* ---- Objects of a frame --------------------------------------------------------------------- */

typedef struct {
  StxStixel stixel;
  StxMetres metres;
} Object;

static GArray *objects_of(GstSample *sample)
{
  GArray *objects = g_array_new(FALSE, FALSE, sizeof(Object));
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(gst_sample_get_buffer(sample));
  const StxStixel *stixels;
  GstMapInfo map;

  ck_assert_msg(meta != NULL, "a frame without stixels");
  ck_assert(gst_buffer_map(meta->stixels, &map, GST_MAP_READ));
  stixels = (const StxStixel *)(gconstpointer)map.data;
  for (gsize i = 0; i < map.size / sizeof *stixels; i++) {
    Object object = {.stixel = stixels[i]};

    if (stixels[i].kind == STX_KIND_OBJECT &&
        gst_stx_stixel_info_get_metres(&meta->info, &stixels[i], &object.metres))
      g_array_append_val(objects, object);
  }
  gst_buffer_unmap(meta->stixels, &map);
  return objects;
}

/* ---- Two ways of one sequence ---------------------------------------------------------------- */

/* Differences of what is the same object in both, in metres, and of z as a share of it. */
typedef struct {
  GArray *x, *y, *z;
} Differences;

/* The position of the second image in the first one: cut off, then scaled. */
typedef struct {
  int left, top, scale; /* pixels of the first, cells in it; 1/scale */
} Geometry;

#define CELL 8 /* of the first way, pixels */

/* The row of the second image that shows a row of the first. */
static double row_there(const Geometry *geometry, double row)
{
  return (row - geometry->top) / geometry->scale;
}

/* The object that covers most of the same rows in the same column, if it is one and the same. */
static const Object *find(const GArray *objects, const Object *object, const Geometry *geometry)
{
  int column = object->stixel.column - geometry->left / CELL;
  double top = row_there(geometry, object->stixel.top);
  double bottom = row_there(geometry, object->stixel.bottom + 1);

  for (guint i = 0; i < objects->len; i++) {
    const Object *other = &g_array_index(objects, Object, i);
    double common = MIN(bottom, other->stixel.bottom + 1) - MAX(top, other->stixel.top);
    double all = MAX(bottom, other->stixel.bottom + 1) - MIN(top, other->stixel.top);

    if (other->stixel.column == column && common > .7 * all)
      return other;
  }
  return NULL;
}

static void add(GArray *values, double value)
{
  g_array_append_val(values, value);
}

static void compare(
    GstSample *one, GstSample *other, const Geometry *geometry, Differences *differences)
{
  g_autoptr(GArray) here = objects_of(one);
  g_autoptr(GArray) there = objects_of(other);

  for (guint i = 0; i < here->len; i++) {
    const Object *a = &g_array_index(here, Object, i), *b = find(there, a, geometry);

    if (b == NULL || a->metres.z > 40)
      continue;
    add(differences->x, b->metres.x - a->metres.x);
    add(differences->y, b->metres.y - a->metres.y);
    add(differences->z, b->metres.z / a->metres.z - 1);
  }
}

static int by_size(gconstpointer a, gconstpointer b)
{
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Sorts; the value below which `share` of them lie. */
static double quantile(GArray *values, double share)
{
  ck_assert_uint_gt(values->len, 0);
  g_array_sort(values, by_size);
  return g_array_index(values, double, (guint)(share * (values->len - 1)));
}

static void report(const char *what, GArray *values)
{
  g_print("  %s: median %+.4f, half of them from %+.4f to %+.4f\n", what, quantile(values, .5),
      quantile(values, .25), quantile(values, .75));
}

static void expect_near_0(GArray *values, double tolerance)
{
  ck_assert_msg(fabs(quantile(values, .5)) <= tolerance, "off by %g", quantile(values, .5));
}

static void expect_same_metres(
    const char *name, const Way *one, const Way *other, const Geometry *geometry, double tolerance)
{
  GstElement *here = start(one), *there = start(other);
  Differences d = {g_array_new(FALSE, FALSE, sizeof(double)),
      g_array_new(FALSE, FALSE, sizeof(double)), g_array_new(FALSE, FALSE, sizeof(double))};
  GstSample *a, *b;
  guint frames = 0;

  while ((a = next(here)) != NULL && (b = next(there)) != NULL) {
    compare(a, b, geometry, &d);
    gst_sample_unref(a);
    gst_sample_unref(b);
    frames++;
  }
  g_print("%s: %u frames, %u objects nearer than 40 m\n", name, frames, d.z->len);
  report("x, metres", d.x);
  report("y, metres", d.y);
  report("z, of it", d.z);
  ck_assert_uint_ge(frames, 5);
  ck_assert_uint_ge(d.z->len, 100 * frames / 2);
  expect_near_0(d.z, tolerance);
  expect_near_0(d.x, tolerance);
  expect_near_0(d.y, tolerance);
  ck_assert(quantile(d.z, .75) - quantile(d.z, .25) < 5 * tolerance);
  g_array_unref(d.x);
  g_array_unref(d.y);
  g_array_unref(d.z);
  stop(here);
  stop(there);
}

/* ---- The street ------------------------------------------------------------------------------ */

#define STREET(view) "street-scene-src seed=3 num-buffers=5 view=" view " ! videoconvert"

/* The street says its camera itself. */
STX_TEST(the_street_keeps_its_metres_at_half_its_size)
{
  Way whole = {STREET("left") " ! video/x-raw,format=I420,width=1240,height=376",
      STREET("right") " ! video/x-raw,format=I420,width=1240,height=376", "", "", ""};
  Way half = whole;
  Geometry geometry = {.scale = 2};

  half.change = "videoscale ! video/x-raw,width=620,height=188 ! ";
  half.cells = "stixel-width=4 stixel-height=4";
  expect_same_metres("street, halved", &whole, &half, &geometry, .03);
}

/* ---- KITTI ----------------------------------------------------------------------------------- */

static gchar *kitti_folder(void)
{
  const gchar *data = g_getenv("STX_DATA");
  gchar *folder = g_build_filename(data != NULL ? data : STX_SOURCE_DIR "/../shared/data",
      "sequences/kitti-odometry-06-gray", NULL);

  if (g_file_test(folder, G_FILE_TEST_IS_DIR))
    return folder;
  g_print("skipped: no data\n");
  g_free(folder);
  return NULL;
}

/* Runs the other way of KITTI's pictures beside the plain one. */
static void compare_kitti(const char *name, const char *change, const char *sgm, const char *cells,
    const Geometry *geometry, double tolerance)
{
  g_autofree gchar *folder = kitti_folder();
  g_autofree gchar *calibration = NULL;
  gchar *sources[2];
  g_autofree gchar *both = NULL;

  if (folder == NULL)
    return;
  for (int i = 0; i < 2; i++)
    sources[i] = g_strdup_printf("multifilesrc location=%s/image_%d/%%06d.png num-buffers=10 "
                                 "caps=image/png,framerate=10/1 ! pngdec ! videoconvert ! "
                                 "video/x-raw,format=I420",
        folder, i);
  calibration = g_strdup_printf("calibration=%s/calib.txt calibration-pair=0", folder);
  both = g_strconcat(calibration, " ", sgm, NULL);
  expect_same_metres(name, &(Way){sources[0], sources[1], "", calibration, ""},
      &(Way){sources[0], sources[1], change, both, cells}, geometry, tolerance);
  for (int i = 0; i < 2; i++)
    g_free(sources[i]);
}

STX_TEST(kitti_keeps_its_metres_at_half_its_size)
{
  compare_kitti("KITTI, halved", "videoscale ! video/x-raw,width=613,height=185 ! ", "",
      "stixel-width=4 stixel-height=4", &(Geometry){.scale = 2}, .03);
}

STX_TEST(kitti_keeps_its_metres_when_it_is_cut)
{
  compare_kitti("KITTI, cut", "videocrop left=96 right=26 top=80 bottom=16 ! ",
      "camera-crop-left=96 camera-crop-right=26 camera-crop-top=80 camera-crop-bottom=16", "",
      &(Geometry){96, 80, 1}, .01);
}
