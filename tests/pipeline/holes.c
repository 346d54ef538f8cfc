/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cameras that lose frames, with plain queues between a tee and the two elements that wait for each
 * other's frames: every picture comes out, drawn on where both cameras had the moment, and the end
 * comes. Nothing else would tell the overlay that stixels which it waits for will not come.
 */
#include "tests/gst/fixtures/util.h"

#define FRAMES 120
#define MANY_FRAMES 640 /* of holes that no queue survives */

/* Frames first … first + count − 1 of a camera are lost. */
typedef struct {
  guint first, count, at; /* at: the next one */
} Hole;

typedef struct {
  guint pictures, stixels, gaps;
} Counts;

static const char *const line =
    "videotestsrc name=left pattern=ball ! "
    "video/x-raw,format=RGB,width=96,height=64,framerate=%s ! tee name=tee "
    "videotestsrc name=right pattern=ball ! "
    "video/x-raw,format=GRAY8,width=96,height=64,framerate=%s ! queue ! sgm.sink_right "
    "tee. ! queue ! videoconvert ! sgm.sink_left "
    "stereo-sgm name=sgm max-disparity=64 ! downsample-transpose ! sat-dp-stixels name=stixels ! "
    "overlay.stixels "
    "tee. ! queue ! stixel-overlay name=overlay ! fakesink name=sink sync=false";

/* ---- Losing and counting ------------------------------------------------------------------- */

static GstPadProbeReturn lose(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Hole *hole = data;
  guint at = hole->at++;

  return at >= hole->first && at - hole->first < hole->count ? GST_PAD_PROBE_DROP
                                                             : GST_PAD_PROBE_OK;
}

static GstPadProbeReturn count_gaps(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_GAP)
    ++*(guint *)data;
  return GST_PAD_PROBE_OK;
}

/* ---- Running ------------------------------------------------------------------------------- */

static void set_frames(GstElement *pipeline, const char *name, guint frames)
{
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(pipeline), name);

  g_object_set(source, "num-buffers", (gint)frames, NULL);
}

static Counts run_at(const char *rate, Hole left, Hole right, guint left_frames, guint right_frames)
{
  g_autofree gchar *text = g_strdup_printf(line, rate, rate);
  g_autoptr(GstElement) pipeline = stx_test_parse(text);
  Counts counts = {0};

  set_frames(pipeline, "left", left_frames);
  set_frames(pipeline, "right", right_frames);
  stx_test_probe(pipeline, "left", "src", GST_PAD_PROBE_TYPE_BUFFER, lose, &left);
  stx_test_probe(pipeline, "right", "src", GST_PAD_PROBE_TYPE_BUFFER, lose, &right);
  stx_test_probe(
      pipeline, "sink", "sink", GST_PAD_PROBE_TYPE_BUFFER, stx_test_count_one, &counts.pictures);
  stx_test_probe(
      pipeline, "stixels", "src", GST_PAD_PROBE_TYPE_BUFFER, stx_test_count_one, &counts.stixels);
  stx_test_probe(
      pipeline, "stixels", "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count_gaps, &counts.gaps);
  stx_test_play(pipeline);
  return counts;
}

static Counts run(Hole left, Hole right, guint left_frames, guint right_frames)
{
  return run_at("20/1", left, right, left_frames, right_frames);
}

/* ---- Tests --------------------------------------------------------------------------------- */

/* The beginning and length of a hole: shorter and longer than what the queues hold. */
static const Hole holes[] = {{20, 1}, {20, 10}, {20, 60}, {0, 1}, {0, 60}, {119, 1}, {60, 60}};
static const Hole none = {0};

STX_TEST_LOOP(hole_on_the_right, G_N_ELEMENTS(holes))
{
  Hole hole = holes[_i];
  Counts counts = run(none, hole, FRAMES, FRAMES);

  fail_unless_equals_int(counts.pictures, FRAMES);
  fail_unless_equals_int(counts.stixels, FRAMES - hole.count);
  /* Behind the last pair nothing is waited for: the end says it all. */
  if (hole.first + hole.count < FRAMES)
    fail_unless_equals_int(counts.gaps, hole.count);
}

STX_TEST_LOOP(hole_on_the_left, G_N_ELEMENTS(holes))
{
  Hole hole = holes[_i];
  Counts counts = run(hole, none, FRAMES, FRAMES);

  fail_unless_equals_int(counts.pictures, FRAMES - hole.count);
  fail_unless_equals_int(counts.stixels, FRAMES - hole.count);
  fail_unless_equals_int(counts.gaps, 0);
}

STX_TEST_LOOP(hole_on_both, G_N_ELEMENTS(holes))
{
  Hole hole = holes[_i], other = {hole.first, hole.count / 2};
  Counts counts = run(other, hole, FRAMES, FRAMES);

  fail_unless_equals_int(counts.pictures, FRAMES - other.count);
  fail_unless_equals_int(counts.stixels, FRAMES - hole.count);
}

STX_TEST_LOOP(a_long_hole, 3)
{
  const Hole hole = {20, 600};
  const gboolean left = _i != 0, right = _i != 1;
  Counts counts = run(left ? hole : none, right ? hole : none, MANY_FRAMES, MANY_FRAMES);

  fail_unless_equals_int(counts.pictures, MANY_FRAMES - (left ? hole.count : 0));
  fail_unless_equals_int(counts.stixels, MANY_FRAMES - hole.count);
  fail_unless_equals_int(counts.gaps, left ? 0 : hole.count);
}

/* Frames of a time lapse lie further apart than times that are doubted at usual rates. */
STX_TEST_LOOP(a_lost_frame_of_a_slow_camera_costs_one_frame, 4)
{
  const Hole hole = {20, 1};
  const gboolean left = _i % 2 != 0;
  const char *rate = _i / 2 != 0 ? "1/60" : "1/2";
  Counts counts = run_at(rate, left ? hole : none, left ? none : hole, FRAMES, FRAMES);

  fail_unless_equals_int(counts.pictures, FRAMES - (left ? 1 : 0));
  fail_unless_equals_int(counts.stixels, FRAMES - 1);
}

STX_TEST_LOOP(a_hole_of_a_slow_camera_ends, 2)
{
  const Hole hole = {20, 10};
  Counts counts = run_at("1/2", _i != 0 ? hole : none, _i != 0 ? none : hole, FRAMES, FRAMES);

  fail_unless_equals_int(counts.stixels, FRAMES - hole.count);
}

/* One camera ends: what depends on it ends, the pictures of the other go on. */
STX_TEST_LOOP(one_camera_ends, 4)
{
  const guint ends[] = {0, 1, 2, 60};
  Counts counts = run(none, none, FRAMES, ends[_i]);

  fail_unless_equals_int(counts.pictures, FRAMES);
  fail_unless_equals_int(counts.stixels, ends[_i]);
}

double stx_test_prepare(void)
{
  return 120;
}
