/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of stixels, with caps that fit or not, into stixel-json, stixel-bev and stixel-overlay;
 * into the latter on its pad, into both latter attached to frames, whatever the meta says. What
 * comes out is a line of JSON with as many stixels as there were records, or a picture of the same
 * size, from above of the size that was asked for.
 */
#include <jansson.h>
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/fuzz/rig.h"

#define FORMATS 20
static const char *const formats[FORMATS] = {"RGB", "BGR", "RGBA", "RGBx", "BGRA", "BGRx", "ARGB",
    "xRGB", "ABGR", "xBGR", "I420", "YV12", "NV12", "NV21", "Y42B", "NV16", "NV61", "Y444", "NV24",
    "AYUV"};

/* The fields of the caps and the meta. */
typedef struct {
  GstStxStixelInfo info;
  gsize records;
  guint frames;
  GstVideoInfo video;
} Expected;

/* ---- What comes out ------------------------------------------------------------------------ */

static void take_line(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  const Expected *expected = rig->expected;
  json_error_t where;
  GstMapInfo map;
  json_t *root;

  stx_fuzz_expect(gst_buffer_map(output, &map, GST_MAP_READ), "no map");
  root = json_loadb((const char *)map.data, map.size, 0, &where);
  stx_fuzz_expect(root != NULL, "%s in %.*s", where.text, (int)map.size, (const char *)map.data);
  stx_fuzz_expect(map.data[map.size - 1] == '\n', "no line");
  stx_fuzz_expect(
      json_array_size(json_object_get(root, "stixels")) == expected->records, "not all records");
  json_decref(root);
  gst_buffer_unmap(output, &map);
}

static void take_picture(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  const Expected *expected = rig->expected;

  stx_fuzz_expect(
      gst_buffer_get_size(output) == GST_VIDEO_INFO_SIZE(&expected->video), "another size");
}

#define ABOVE_SIDE 64
#define ABOVE_CAPS "video/x-raw,format=RGB,width=64,height=64"
#define ABOVE "stixel-bev threads=1 focal=40 cx=8 cy=6 baseline=.5 "

static void take_above(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  stx_fuzz_expect(gst_buffer_get_size(output) == 3 * ABOVE_SIDE * ABOVE_SIDE, "another size");
}

#define OVERLAY "stixel-overlay threads=1 "
static StxRig rigs[] = {
    {"stixel-json", {"sink"}, NULL, take_line},
    {"stixel-bev threads=1 mode=class legend=top-left", {"sink"}, ABOVE_CAPS, take_above},
    {ABOVE "mode=kind uncertainty=0", {"sink"}, ABOVE_CAPS, take_above},
    {OVERLAY, {"sink", "stixels"}, NULL, take_picture},
    {OVERLAY "mode=class legend=bottom-right", {"sink", "stixels"}, NULL, take_picture},
    {OVERLAY "mode=kind alpha=1 outlines=false", {"sink", "stixels"}, NULL, take_picture},
    {OVERLAY "backend=c scale=depth", {"sink", "stixels"}, NULL, take_picture},
    {OVERLAY "legend=top-right", {"sink"}, NULL, take_picture},
    {OVERLAY "mode=class legend=none", {"sink"}, NULL, take_picture},
    {ABOVE "mode=height", {"sink"}, ABOVE_CAPS, take_above},
};
#define ALONE 3    /* before it stixels come by themselves */
#define ATTACHED 7 /* from here on they are attached */

/* ---- What goes in -------------------------------------------------------------------------- */

static void read_info(StxFuzzInput *input, GstStxStixelInfo *info)
{
  gboolean free_columns = stx_fuzz_below(input, 4) == 3;

  info->width = (guint)stx_fuzz_number(input);
  info->height = (guint)stx_fuzz_number(input);
  info->stixel_width = (guint)stx_fuzz_number(input);
  info->columns = info->stixel_width > 0 ? (info->width - 1) / info->stixel_width + 1 : 0;
  if (free_columns)
    info->columns = (guint)stx_fuzz_number(input);
}

static GstCaps *stixel_caps(StxFuzzInput *input, const GstStxStixelInfo *info)
{
  GstCaps *caps =
      gst_caps_new_simple("application/x-stixels", "width", G_TYPE_INT, (gint)info->width, "height",
          G_TYPE_INT, (gint)info->height, "stixel-width", G_TYPE_INT, (gint)info->stixel_width,
          "columns", G_TYPE_INT, (gint)info->columns, "framerate", GST_TYPE_FRACTION, 10, 1, NULL);

  stx_fuzz_add_camera(input, caps);
  return caps;
}

static GstCaps *video_caps(StxFuzzInput *input, GstVideoInfo *info)
{
  const char *format = formats[stx_fuzz_below(input, FORMATS)];
  gint width = stx_fuzz_size(input, 64), height = stx_fuzz_size(input, 24);

  gst_video_info_set_format(
      info, gst_video_format_from_string(format), (guint)width, (guint)height);
  GST_VIDEO_INFO_FPS_N(info) = 10;
  return gst_video_info_to_caps(info);
}

static void push_picture(StxRig *rig, const StxFuzzInput *input, guint number, GstBuffer *attached)
{
  const Expected *expected = rig->expected;
  GstBuffer *picture =
      stx_rig_buffer(input, (StxRigLayout){0}, GST_VIDEO_INFO_SIZE(&expected->video), number);

  if (attached != NULL)
    gst_buffer_add_stx_stixel_meta(picture, attached, &expected->info);
  stx_rig_push(rig, 0, picture);
}

static void run_alone(StxRig *rig, StxFuzzInput *input, const GstStxStixelInfo *info)
{
  Expected *expected = rig->expected;
  StxRigLayout layout = stx_rig_layout(input);
  GstBuffer *records;

  stx_rig_caps(rig, 0, stixel_caps(input, info));
  stx_rig_segment(rig, 0);
  records = stx_rig_buffer(input, layout, (gsize)(input->end - input->at), 0);
  expected->records = gst_buffer_get_size(records) / sizeof(StxStixel);
  stx_rig_push(rig, 0, records);
}

/* A frame with stixels, and perhaps others that have none. */
static void run_overlay(StxRig *rig, StxFuzzInput *input, gboolean attached)
{
  Expected *expected = rig->expected;
  StxRigLayout layout = stx_rig_layout(input);
  GstCaps *video = video_caps(input, &expected->video);
  GstCaps *caps = stixel_caps(input, &expected->info);
  GstBuffer *records;

  expected->frames = 1 + (guint)stx_fuzz_below(input, 3);
  records = stx_rig_buffer(input, layout, (gsize)(input->end - input->at), 0);
  stx_rig_caps(rig, 0, video);
  stx_rig_segment(rig, 0);
  if (!attached) {
    stx_rig_caps(rig, 1, gst_caps_ref(caps));
    stx_rig_segment(rig, 1);
    stx_rig_push(rig, 1, gst_buffer_ref(records));
    stx_rig_event(rig, 1, gst_event_new_eos());
  }
  for (guint i = 0; i < expected->frames; i++)
    push_picture(rig, input, i, attached && i == 0 ? records : NULL);
  gst_buffer_unref(records);
  gst_caps_unref(caps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  int choice = stx_fuzz_below(&input, G_N_ELEMENTS(rigs));
  StxRig *rig = &rigs[choice];
  Expected expected = {.frames = 1};

  read_info(&input, &expected.info);
  rig->expected = &expected;
  stx_rig_begin(rig);
  if (choice < ALONE)
    run_alone(rig, &input, &expected.info);
  else
    run_overlay(rig, &input, choice >= ATTACHED);
  if (stx_rig_end(rig))
    stx_fuzz_expect(rig->outputs == expected.frames, "%u buffers came out", rig->outputs);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const StxStixel records[] = {
      {0, 6, 11, STX_KIND_GROUND, 0, 2, 6, 1, 1},
      {0, 0, 5, STX_KIND_OBJECT, 13, 4, 4, 2, 0.5F},
      {1, 8, 11, STX_KIND_SEGMENT, STX_LABEL_NONE, 2, 6, 1, 1},
      {1, 0, 7, STX_KIND_SKY, 10, 0, 0, 0, 0},
  };

  if (number >= 2 * FORMATS + G_N_ELEMENTS(rigs))
    return false;
  stx_fuzz_put_byte(seed, (int)(number % G_N_ELEMENTS(rigs)));
  stx_fuzz_put_byte(seed, 0);
  stx_fuzz_put_number(seed, 16);
  stx_fuzz_put_number(seed, 12);
  stx_fuzz_put_number(seed, 8);
  stx_fuzz_put_byte(seed, (int)(number % 8)); /* layout */
  if (number % 8 >= 4)
    stx_fuzz_put_byte(seed, 100);
  if (number % G_N_ELEMENTS(rigs) >= ALONE) {
    stx_fuzz_put_byte(seed, (int)(number % FORMATS));
    stx_fuzz_put_number(seed, number < FORMATS ? 16 : 33);
    stx_fuzz_put_number(seed, 12);
  }
  stx_fuzz_put_camera(seed, number % 2 == 0 ? STX_FUZZ_CAMERA : STX_FUZZ_NO_CAMERA);
  if (number % G_N_ELEMENTS(rigs) >= ALONE)
    stx_fuzz_put_byte(seed, (int)(number % 3));
  stx_bytes_put(seed, records, sizeof records);
  return true;
}

static const char *const words[] = {"\xFF\xFF", "\xFF\xFF\x7F\x7F", "\x01\x02\x03", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 5000};
