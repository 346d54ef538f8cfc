/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * downsample-transpose: the synthetic street's disparities in every encoding give the stixels that
 * they give in KITTI's, as far as the encoding keeps them apart, and the same metres.
 */
#include "tests/gst/fixtures/util.h"

#include <math.h>

#include "common/stixel.h"

#define WIDTH 416
#define HEIGHT 160
#define PIXELS (WIDTH * HEIGHT)
#define COLUMNS (WIDTH / 8)
#define FAR 60 /* metres: what is beyond is unknown, for millimetres end at 65.5 */
#define FRAME (100 * GST_MSECOND)

/* ---- The street ---------------------------------------------------------------------------- */

typedef struct {
  guint16 steps[PIXELS]; /* 1/256 pixel */
  gdouble focal, baseline;
  gdouble cy, height, pitch;
} Street;

static gdouble camera_field(const GstCaps *caps, const gchar *name)
{
  gdouble value = 0;

  gst_structure_get_double(gst_caps_get_structure(caps, 0), name, &value);
  return value;
}

static Street *street_new(void)
{
  g_autoptr(Harness) harness =
      gst_harness_new_parse("street-scene-src view=disparity num-buffers=1 ! capsfilter "
                            "caps=video/x-raw,width=416,height=160");
  Street *street = g_new0(Street, 1);
  g_autoptr(GstBuffer) buffer = NULL;
  g_autoptr(GstCaps) caps = NULL;

  gst_harness_play(harness);
  buffer = gst_harness_pull(harness);
  caps = gst_pad_get_current_caps(harness->sinkpad);
  ck_assert(buffer != NULL && caps != NULL);
  ck_assert_int_eq(
      gst_buffer_extract(buffer, 0, street->steps, sizeof street->steps), sizeof street->steps);
  street->focal = camera_field(caps, "camera-focal");
  street->baseline = camera_field(caps, "camera-baseline");
  street->cy = camera_field(caps, "camera-cy");
  street->height = camera_field(caps, "camera-height");
  street->pitch = camera_field(caps, "camera-pitch");
  for (gsize i = 0; i < PIXELS; i++)
    if (street->steps[i] * (gdouble)FAR < 256 * street->focal * street->baseline)
      street->steps[i] = 0;
  return street;
}

/* ---- Its encodings ------------------------------------------------------------------------- */

typedef enum { KITTI, CITYSCAPES, OPENCV, DEPTH_MM, DISPARITY_PIXELS, DEPTH_M } Encoding;
static const gchar *const names[] = {
    "kitti", "cityscapes", "opencv", "depth-mm", "pixels", "depth-m"};

static gboolean is_float(Encoding encoding)
{
  return encoding >= DISPARITY_PIXELS;
}

static guint16 as_16(const Street *street, Encoding encoding, guint16 steps)
{
  gdouble pixels = steps / 256.0, product = street->focal * street->baseline;

  if (encoding == CITYSCAPES)
    return steps > 0 ? steps + 1 : 0;
  if (encoding == OPENCV)
    return steps > 0 ? (guint16)lround(pixels * 16) : (guint16)-16;
  if (encoding == DEPTH_MM)
    return steps > 0 ? (guint16)MIN(lround(1000 * product / pixels), 65535) : 65535;
  return steps;
}

static gfloat as_float(const Street *street, Encoding encoding, guint16 steps)
{
  if (steps == 0)
    return encoding == DEPTH_M ? INFINITY : NAN;
  return encoding == DEPTH_M ? (gfloat)(street->focal * street->baseline * 256 / steps)
                             : steps / 256.0f;
}

static GstBuffer *encoded(const Street *street, Encoding encoding)
{
  GstBuffer *buffer = stx_test_buffer(PIXELS * (is_float(encoding) ? 4 : 2), 0, 0, FRAME);
  GstMapInfo map;

  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < PIXELS; i++)
    if (is_float(encoding))
      ((gfloat *)(gpointer)map.data)[i] = as_float(street, encoding, street->steps[i]);
    else
      ((guint16 *)(gpointer)map.data)[i] = as_16(street, encoding, street->steps[i]);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/* ---- Stixels of a map ---------------------------------------------------------------------- */

/* At every row of every column of stixels. */
typedef struct {
  guint8 kind[COLUMNS][HEIGHT];
  gdouble z[COLUMNS][HEIGHT]; /* metres; 0: unknown */
  gdouble baseline;
} Depths;

static void draw(Depths *depths, const StxStixel *s, gdouble product)
{
  for (gint row = s->top; row <= s->bottom; row++) {
    gdouble part = s->bottom > s->top ? (gdouble)(row - s->top) / (s->bottom - s->top) : 0;
    gdouble d = s->disparity_top + part * (s->disparity_bottom - s->disparity_top);

    depths->kind[s->column][row] = s->kind;
    depths->z[s->column][row] = d > 0 ? product / d : 0;
  }
}

static Depths *depths_of(GstHarness *harness, const gchar *what)
{
  g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(harness->sinkpad);
  Depths *depths = g_new0(Depths, 1);
  GstMapInfo map;

  ck_assert_msg(buffer != NULL && caps != NULL, "%s: no stixels", what);
  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_READ));
  depths->baseline = camera_field(caps, "camera-baseline");
  for (gsize i = 0; i < map.size / sizeof(StxStixel); i++)
    draw(depths, (const StxStixel *)(gconstpointer)map.data + i,
        camera_field(caps, "camera-focal") * depths->baseline);
  gst_buffer_unmap(buffer, &map);
  return depths;
}

static gchar *media_type(Encoding encoding)
{
  return g_strdup(is_float(encoding) ? "other/tensors,format=static,num_tensors=1,types=float32,"
                                       "dimensions=(string)416:160:1:1"
                                     : "video/x-raw,format=GRAY16_LE,width=416,height=160");
}

static gchar *caps_of(const Street *street, Encoding encoding, gdouble baseline, const gchar *more)
{
  gchar number[5][G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree gchar *type = media_type(encoding);
  gchar *caps;
  gdouble values[] = {street->focal, baseline, street->cy, street->height, street->pitch};

  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    g_ascii_dtostr(number[i], sizeof number[i], values[i]);
  caps = g_strdup_printf("%s,framerate=10/1,camera-focal=(double)%s,camera-baseline=(double)%s,"
                         "camera-cy=(double)%s,camera-height=(double)%s,camera-pitch=(double)%s%s",
      type, number[0], number[1], number[2], number[3], number[4], more);
  return caps;
}

static Depths *stixels(const Street *street, Encoding encoding, const gchar *cells,
    gdouble baseline, const gchar *more)
{
  g_autofree gchar *line = g_strdup_printf("downsample-transpose %s ! sat-dp-stixels", cells);
  g_autofree gchar *caps = caps_of(street, encoding, baseline, more);
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  Depths *depths;

  gst_harness_set_src_caps_str(harness, caps);
  gst_harness_push(harness, encoded(street, encoding));
  depths = depths_of(harness, names[encoding]);
  return depths;
}

/* Rows of another kind, and rows of this kind whose distances differ by more than `tolerance`: at
 * most a share of all. */
static void expect_alike(const Depths *expected, const Depths *actual, gdouble tolerance,
    gdouble most, const gchar *what)
{
  guint others = 0, farther = 0, all = COLUMNS * HEIGHT, known = 0;

  for (guint column = 0; column < COLUMNS; column++)
    for (guint row = 0; row < HEIGHT; row++) {
      gdouble here = expected->z[column][row], there = actual->z[column][row];

      known += here > 0;
      if (expected->kind[column][row] != actual->kind[column][row])
        others++;
      else if (fabs(here - there) > tolerance * here)
        farther++;
    }
  ck_assert_msg(known > all / 4, "%s: %u of %u rows are known", what, known, all);
  ck_assert_msg(others <= most * all, "%s: %u of %u rows are of another kind", what, others, all);
  ck_assert_msg(
      farther <= most * all, "%s: %u of %u rows have another distance", what, farther, all);
}

/* Lossless encodings give the same stixels; sixteenths of a pixel and millimetres move a few
 * borders. */
STX_TEST_LOOP(every_encoding_gives_the_same_stixels, G_N_ELEMENTS(names))
{
  g_autofree Street *street = street_new();
  g_autofree Depths *expected = stixels(street, KITTI, "", street->baseline, "");
  const gchar *name = names[_i];
  gboolean rounds = _i == OPENCV || _i == DEPTH_MM;
  g_autofree gchar *property = g_strdup_printf("disparity-encoding=%s", name);
  g_autofree gchar *field = g_strdup_printf(",disparity-encoding=(string)%s", name);
  g_autofree Depths *by_property = stixels(street, _i, property, street->baseline, "");
  g_autofree Depths *by_caps = stixels(street, _i, "", street->baseline, field);

  expect_alike(expected, by_property, rounds ? .01 : 0, rounds ? .01 : 0, name);
  expect_alike(by_property, by_caps, 0, 0, field);
}

/* Whatever the distance of two lenses that a depth camera has none of. */
STX_TEST(depths_need_no_baseline)
{
  g_autofree Street *street = street_new();
  g_autofree Depths *expected = stixels(street, KITTI, "", street->baseline, "");
  g_autofree Depths *other =
      stixels(street, DEPTH_MM, "disparity-encoding=depth-mm baseline=0.4", 0, "");
  g_autofree Depths *none = stixels(street, DEPTH_MM, "disparity-encoding=depth-mm", 0, "");

  ck_assert(other->baseline == .4);
  expect_alike(expected, other, .05, .1, "a baseline of 0.4 m");
  ck_assert(fabs(none->baseline * street->focal - 128) < 1e-9);
  expect_alike(expected, none, .05, .1, "no baseline");
}

/* Half of the steps, half of the precision; and at half the size of a pixel as many pixels. */
STX_TEST(coarse_steps_give_the_same_stixels)
{
  g_autofree Street *street = street_new();
  g_autofree Depths *expected = stixels(street, DISPARITY_PIXELS, "", street->baseline, "");
  g_autofree Depths *coarse =
      stixels(street, DISPARITY_PIXELS, "disparity-steps=128", street->baseline, "");
  g_autofree Depths *coarsest =
      stixels(street, DISPARITY_PIXELS, "disparity-steps=16", street->baseline, "");

  expect_alike(expected, coarse, .02, .02, "128 steps");
  expect_alike(expected, coarsest, .1, .1, "16 steps");
}

/* ---- Files --------------------------------------------------------------------------------- */

#define READ                                                                                       \
  "multifilesrc location=map-%%06d.raw caps=\"%s,framerate=10/1\" ! downsample-transpose "
#define WRITE " ! sat-dp-stixels ! filesink location=stixels"

/* The lines of the element's page, on three frames. */
static const struct {
  Encoding encoding;
  const gchar *properties;
} files[] = {{OPENCV, "disparity-encoding=opencv focal=300 baseline=0.12"},
    {DEPTH_MM, "disparity-encoding=depth-mm focal=300 cx=208 cy=80 baseline=0.4"},
    {DISPARITY_PIXELS, "focal=300 baseline=0.12"},
    {DEPTH_M, "disparity-encoding=depth-m focal=300"}};

static void write_frame(guint frame, const Street *street, Encoding encoding)
{
  g_autofree gchar *path = g_strdup_printf("map-%06u.raw", frame);
  g_autoptr(GstBuffer) buffer = encoded(street, encoding);
  GstMapInfo map;

  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_READ));
  ck_assert(g_file_set_contents(path, (const gchar *)map.data, (gssize)map.size, NULL));
  gst_buffer_unmap(buffer, &map);
}

STX_TEST_LOOP(files_of_raw_numbers, G_N_ELEMENTS(files))
{
  Encoding encoding = files[_i].encoding;
  g_autofree Street *street = street_new();
  g_autofree gchar *caps = media_type(encoding);
  g_autofree gchar *line = g_strdup_printf(READ "%s" WRITE, caps, files[_i].properties);
  g_autofree gchar *stixels = NULL;
  gsize size;

  stx_test_folder();
  for (guint frame = 0; frame < 3; frame++)
    write_frame(frame, street, encoding);
  stx_test_runs(line);
  ck_assert(g_file_get_contents("stixels", &stixels, &size, NULL));
  ck_assert_msg(
      size / sizeof(StxStixel) > 3 * 2 * COLUMNS, "%s: %" G_GSIZE_FORMAT " bytes", line, size);
}
