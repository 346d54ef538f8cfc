/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of points through lidar-parse and on into lidar-ground: in buffers of any size, with caps,
 * segments, gaps and flushes between them. What comes out are points with as many labels.
 */
#include "gst/stixels/stixels.h"
#include "tests/fuzz/rig.h"

static void take_points(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(output);

  stx_fuzz_expect(meta != NULL, "points without labels");
  stx_fuzz_expect(
      gst_buffer_get_size(meta->labels) * 4 == gst_buffer_get_size(output), "other points");
}

#define GROUND " ! lidar-ground threads=1 sectors=8 bins=16"
static StxRig rigs[] = {
    {"lidar-parse" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse framing=stream" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse framing=buffer skip-bad=true" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse framing=stream skip-bad=true frame-rate=0/1" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse format=kitti framing=buffer" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse format=nuscenes frame-rate=2147483647/1" GROUND, {"sink"}, NULL, take_points},
    {"lidar-parse format=pcd framing=stream" GROUND, {"sink"}, NULL, take_points},
};

/* ---- What goes in -------------------------------------------------------------------------- */

#define MOST_STEPS 16
enum { CHUNK, CHUNK_UNTIMED, SEGMENT, SEGMENT_BYTES, CAPS, FLUSH, GAP, AGAIN, STEPS };

static void segment(StxRig *rig, StxFuzzInput *input, GstFormat format)
{
  GstSegment begin;

  gst_segment_init(&begin, format);
  begin.start = begin.position = (guint64)stx_fuzz_byte(input) * GST_MSECOND;
  stx_rig_event(rig, 0, gst_event_new_segment(&begin));
}

/* The next `size` bytes of the file, which begins again when it has ended. */
static void chunk(StxRig *rig, StxFuzzInput *file, gsize size, guint number)
{
  StxFuzzInput piece = *file;
  GstBuffer *buffer;

  size = MIN(size, (gsize)(file->end - file->at));
  piece.end = piece.at + size;
  file->at = piece.end;
  buffer = stx_rig_buffer(&piece, (StxRigLayout){.begin = number & 3}, size, number);
  if (number == 0)
    GST_BUFFER_PTS(buffer) = GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
  stx_rig_push(rig, 0, buffer);
}

static void caps(StxRig *rig, StxFuzzInput *input)
{
  gint rate = stx_fuzz_number(input), per = stx_fuzz_number(input);

  stx_rig_caps(rig, 0,
      gst_caps_new_simple(
          "application/octet-stream", "framerate", GST_TYPE_FRACTION, rate, MAX(1, per), NULL));
}

static void step(StxRig *rig, StxFuzzInput *input, StxFuzzInput *file, guint number)
{
  const uint8_t *begin = file->at;

  switch (stx_fuzz_below(input, STEPS)) {
  case CHUNK:
    chunk(rig, file, (gsize)stx_fuzz_number(input), number + 1);
    break;
  case CHUNK_UNTIMED:
    chunk(rig, file, (gsize)stx_fuzz_number(input), 0);
    break;
  case SEGMENT:
    segment(rig, input, GST_FORMAT_TIME);
    break;
  case SEGMENT_BYTES:
    segment(rig, input, GST_FORMAT_BYTES);
    break;
  case CAPS: /* new ones; the first have to come before the segment */
    if (rig->expected != NULL)
      caps(rig, input);
    break;
  case FLUSH:
    stx_rig_flush(rig);
    stx_rig_segment(rig, 0);
    break;
  case GAP:
    stx_rig_event(rig, 0, gst_event_new_gap(number * STX_RIG_FRAME, STX_RIG_FRAME));
    break;
  default: /* the same bytes again */
    chunk(rig, file, (gsize)stx_fuzz_number(input), number + 1);
    file->at = begin;
  }
}

/* The rig, how many steps, how many bytes they have, these, and the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size}, file;
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  guint steps = (guint)stx_fuzz_below(&input, MOST_STEPS);
  gsize head = stx_fuzz_byte(&input);

  head = MIN(head, (gsize)(input.end - input.at));
  file = (StxFuzzInput){input.at + head, input.end};
  input.end = file.at;
  stx_rig_begin(rig);
  rig->expected = stx_fuzz_byte(&input) & 1 ? rig : NULL; /* caps */
  if (rig->expected != NULL)
    caps(rig, &input);
  segment(rig, &input, GST_FORMAT_TIME);
  for (guint i = 0; i < steps; i++)
    step(rig, &input, &file, i);
  if (file.at < file.end)
    chunk(rig, &file, (gsize)(file.end - file.at), steps + 1);
  stx_rig_end(rig);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

/* Steps and what they read, for a file of some hundred bytes; -1 ends them. */
static const int plans[][12] = {
    {-1},
    {CHUNK, 16, CHUNK, 33, -1},
    {CAPS, 20, 1, CHUNK, 64, SEGMENT, 1, AGAIN, 50, -1},
    {CHUNK_UNTIMED, 100, FLUSH, GAP, CHUNK, 1, CHUNK, 0, SEGMENT_BYTES, 0, -1},
};

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  const int *plan = plans[number % G_N_ELEMENTS(plans)];
  size_t kind = number / G_N_ELEMENTS(plans);
  bool has_caps = plan[0] == CAPS;
  float points[4 * 6];
  int length = 0, steps[] = {0, 2, 4, 6};

  if (kind >= stx_lidar_kind_count)
    return false;
  while (plan[length] >= 0)
    length++;
  stx_fuzz_put_byte(seed, (int)(number % G_N_ELEMENTS(rigs)));
  stx_fuzz_put_byte(seed, steps[number % G_N_ELEMENTS(plans)]);
  stx_fuzz_put_byte(seed, length + (has_caps ? 4 : 2));
  stx_fuzz_put_byte(seed, has_caps);
  for (int i = 0; i < (has_caps ? 2 : 0); i++)
    stx_fuzz_put_byte(seed, 10);
  stx_fuzz_put_byte(seed, 0); /* the first segment */
  for (int i = 0; i < length; i++)
    stx_fuzz_put_byte(seed, plan[i]);
  stx_lidar_case_points(points, 6, 1);
  stx_lidar_case_write(seed, &stx_lidar_kinds[kind], points, 6);
  return true;
}

static const char *const words[] = {"0", "-1", "255", "4294967296", "18446744073709551616", "nan",
    "list", "vertex", "\n", " ", "x", "intensity", "binary_compressed", "ascii", "binary", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 10000};
