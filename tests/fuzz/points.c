/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points, with labels that fit or not, into lidar-ground and lidar-bev. What comes out are as many
 * labels as points, of classes that exist, or a picture.
 */
#include "gst/stixels/stixels.h"
#include "tests/fuzz/rig.h"

#define POINT_BYTES 16

/* ---- What comes out ------------------------------------------------------------------------ */

static void check_labels(StxRig *rig, GstBuffer *labels)
{
  const gsize *points = rig->expected;
  GstMapInfo map;

  stx_fuzz_expect(gst_buffer_get_size(labels) == *points * 4, "labels for other points");
  if (*points == 0 || !gst_buffer_map(labels, &map, GST_MAP_READ))
    return;
  for (gsize i = 0; i < *points; i++) {
    guint label = ((const guint32 *)(gpointer)map.data)[i] & 0xFFFF;

    stx_fuzz_expect(label == 0 || label == 49 || label == 99, "class %u", label);
  }
  gst_buffer_unmap(labels, &map);
}

static void take_labels(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  check_labels(rig, output);
}

static void take_points(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  const gsize *points = rig->expected;
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(output);

  stx_fuzz_expect(gst_buffer_get_size(output) == *points * POINT_BYTES, "other points");
  stx_fuzz_expect(meta != NULL, "points without labels");
  check_labels(rig, meta->labels);
}

static void take_picture(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  GstVideoInfo info;

  stx_fuzz_expect(gst_video_info_from_caps(&info, caps) &&
                      gst_buffer_get_size(output) == GST_VIDEO_INFO_SIZE(&info),
      "no picture");
}

#define LABELS "application/x-point-labels"
#define PICTURE(format, size) "video/x-raw,format=" format ",width=" #size ",height=" #size
#define GROUND "lidar-ground threads=1 "
static StxRig rigs[] = {
    {GROUND "sectors=8 bins=16", {"sink"}, NULL, take_points},
    {GROUND "sectors=8 bins=16 level=false", {"sink"}, LABELS, take_labels},
    {GROUND "sectors=3 bins=5 sensor-height=1.7 cluster-cell=5", {"sink"}, LABELS, take_labels},
    {GROUND "sectors=16 bins=8 cluster-cell=0 backend=c post-messages=true", {"sink"}, NULL,
        take_points},
    {"lidar-bev", {"sink"}, PICTURE("RGB", 16), take_picture},
    {"lidar-bev mode=labels point-size=9 rings=false", {"sink"}, PICTURE("RGBA", 17), take_picture},
    {"lidar-bev mode=height extent=1", {"sink"}, PICTURE("xBGR", 33), take_picture},
    {"lidar-bev mode=intensity extent=500 center-x=-500", {"sink"}, PICTURE("BGR", 16),
        take_picture},
};

/* ---- What goes in -------------------------------------------------------------------------- */

/* A program may write anything into the meta. */
static void attach_labels(GstBuffer *scan, StxFuzzInput *input, gsize points)
{
  StxRigLayout layout = stx_rig_layout(input);
  gsize size = stx_rig_wrong_size(input, 4 * points);
  GstStxPointLabelsMeta *meta = (GstStxPointLabelsMeta *)gst_buffer_add_meta(
      scan, gst_stx_point_labels_meta_get_info(), NULL);

  meta->labels = stx_rig_buffer(input, layout, size, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  gboolean labelled = stx_fuzz_byte(&input) & 1;
  StxRigLayout layout = stx_rig_layout(&input);
  gsize points, bytes;
  GstBuffer *scan;

  points = (gsize)stx_fuzz_number(&input) % 256;
  bytes = stx_rig_wrong_size(&input, points * POINT_BYTES);
  scan = stx_rig_buffer(&input, layout, bytes, 0);
  if (labelled)
    attach_labels(scan, &input, points);
  points = bytes / POINT_BYTES;
  rig->expected = &points;
  stx_rig_begin(rig);
  stx_rig_caps(rig, 0,
      gst_caps_new_simple("application/x-lidar", "framerate", GST_TYPE_FRACTION, 10, 1, NULL));
  stx_rig_segment(rig, 0);
  stx_rig_push(rig, 0, scan);
  if (stx_rig_end(rig))
    stx_fuzz_expect(rig->outputs == 1, "%u buffers came out", rig->outputs);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const int counts[] = {0, 1, 20, 200};

  if (number >= 3 * G_N_ELEMENTS(rigs) * G_N_ELEMENTS(counts))
    return false;
  stx_fuzz_put_byte(seed, (int)(number % G_N_ELEMENTS(rigs)));
  stx_fuzz_put_byte(seed, (int)(number & 1));
  stx_fuzz_put_byte(seed, (int)(number / 2 & 3));
  stx_fuzz_put_number(seed, counts[number / G_N_ELEMENTS(rigs) % G_N_ELEMENTS(counts)]);
  stx_fuzz_put_byte(seed, 0);
  if (number & 1) {
    stx_fuzz_put_byte(seed, (int)(number / 4 & 3));
    stx_fuzz_put_byte(seed, 0);
  }
  for (int i = 0; i < 20; i++) {
    float angle = (float)i, r = (float)(2 + i % 7);
    float point[4] = {r * (1 - angle / 10), r * angle / 10, i % 5 ? -1.7F : -0.5F, 0.5F};
    stx_bytes_put(seed, point, sizeof point);
  }
  return true;
}

static const char *const words[] = {"\xFF\xFF\x7F\x7F", "\x80\x7F", "\xFF\xFF\xFF\x7F", "\xC0\x7F",
    "\x01\x02", "\x31", "\x63", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 4000};
