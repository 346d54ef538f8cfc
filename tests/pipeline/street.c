/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole way in one pipeline: the synthetic street's two views through matching, reduction and
 * segmentation, held against the street's exact disparity and classes. The bounds leave room for
 * other defaults, not for faults: a shifted column, a lost row or a wrong unit breaks them.
 */
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include "common/metrics/metrics.h"
#include "common/satdp/satdp.h"
#include "tests/gst/fixtures/util.h"

#define WIDTH 1242
#define HEIGHT 375
#define FRAMES 3
#define CELL 8

#define SIZE "video/x-raw,width=1242,height=375,framerate=10/1"
#define VIEW(name) "street-scene-src num-buffers=3 view=" name " ! " SIZE
/* `semantics`: what else feeds the reduction, named cells; empty for depth alone. */
#define STIXELS(semantics)                                                                         \
  VIEW("left")                                                                                     \
  " ! sgm.sink_left " VIEW(                                                                        \
      "right") " ! sgm.sink_right stereo-sgm name=sgm ! cells.sink "                               \
               "downsample-transpose name=cells ! sat-dp-stixels ! appsink name=stixels "          \
               "sync=false " semantics                                                             \
                   VIEW("disparity") " ! appsink name=disparity sync=false " VIEW(                 \
                       "semantics") " ! appsink name=truth sync=false"

typedef struct {
  StxDisparityScore disparity;
  StxConfusion kinds, labels;
  guint64 records;
} Score;

static GstSample *pull(GstElement *pipeline, const gchar *name)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 60 * GST_SECOND);

  return sample;
}

/* Every row of every column belongs to exactly one record, in order. */
static void check_cover(const StxStixel *stixels, gsize count)
{
  gint column = -1, next = -1;

  for (gsize i = 0; i < count; i++) {
    if (stixels[i].column != column) {
      fail_unless_equals_int(next, -1);
      fail_unless_equals_int(stixels[i].column, ++column);
      next = HEIGHT - 1;
    }
    fail_unless_equals_int(stixels[i].bottom, next);
    fail_unless(stixels[i].top <= stixels[i].bottom);
    next = stixels[i].top - 1;
  }
  fail_unless_equals_int(next, -1);
  fail_unless_equals_int(column, (WIDTH + CELL - 1) / CELL - 1);
}

static void score_frame(GstElement *pipeline, Score *score)
{
  GstSample *samples[3] = {
      pull(pipeline, "stixels"), pull(pipeline, "disparity"), pull(pipeline, "truth")};
  GstMapInfo maps[3];
  GstVideoInfo info;

  for (guint i = 0; i < 3; i++) {
    fail_unless(samples[i] != NULL, "no frame from sink %u", i);
    fail_unless(gst_buffer_map(gst_sample_get_buffer(samples[i]), &maps[i], GST_MAP_READ));
    fail_unless_equals_uint64(GST_BUFFER_PTS(gst_sample_get_buffer(samples[i])),
        GST_BUFFER_PTS(gst_sample_get_buffer(samples[0])));
  }
  fail_unless(gst_video_info_from_caps(&info, gst_sample_get_caps(samples[1])));
  StxImage16 truth = {
      (uint16_t *)maps[1].data, GST_VIDEO_INFO_PLANE_STRIDE(&info, 0), WIDTH, HEIGHT};
  fail_unless(gst_video_info_from_caps(&info, gst_sample_get_caps(samples[2])));
  StxImage8 labels = {maps[2].data, GST_VIDEO_INFO_PLANE_STRIDE(&info, 0), WIDTH, HEIGHT};

  const StxStixel *stixels = (const StxStixel *)maps[0].data;
  gsize count = maps[0].size / sizeof *stixels;
  StxSatdpParams defaults = STX_SATDP_DEFAULTS;
  StxImage16 map = {g_malloc(2 * WIDTH * HEIGHT), 2 * WIDTH, WIDTH, HEIGHT};
  StxImage8 picture = {g_malloc(WIDTH * HEIGHT), WIDTH, WIDTH, HEIGHT};
  StxImage8 kinds = {g_malloc(WIDTH * HEIGHT), WIDTH, WIDTH, HEIGHT};

  check_cover(stixels, count);
  score->records += count;
  stx_render_disparity(stixels, count, CELL, &map);
  stx_disparity_score_add(&score->disparity, &truth, &map);
  stx_render_labels(stixels, count, CELL, &picture);
  stx_confusion_add(&score->labels, &labels, &picture);
  stx_render_kinds(stixels, count, CELL, &picture);
  stx_render_label_kinds(&labels, defaults.ground_classes, defaults.sky_classes, &kinds);
  stx_confusion_add(&score->kinds, &kinds, &picture);

  g_free(map.data);
  g_free(picture.data);
  g_free(kinds.data);
  for (guint i = 0; i < 3; i++) {
    gst_buffer_unmap(gst_sample_get_buffer(samples[i]), &maps[i]);
    gst_sample_unref(samples[i]);
  }
}

static Score run(const gchar *description)
{
  GError *error = NULL;
  g_autoptr(GstElement) pipeline = gst_parse_launch(description, &error);
  Score score = {.kinds.classes = STX_KIND_SKY + 1, .labels.classes = 19};

  fail_unless(pipeline != NULL && error == NULL, "%s", error ? error->message : "no pipeline");
  fail_unless(gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  for (guint i = 0; i < FRAMES; i++)
    score_frame(pipeline, &score);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return score;
}

static gdouble disparity_error(const Score *score)
{
  return stx_rate(score->disparity.bad_and, score->disparity.truth);
}

static gdouble pixels_per_stixel(const Score *score)
{
  return (gdouble)WIDTH * HEIGHT * FRAMES / (gdouble)score->records;
}

static void report(const gchar *name, const Score *score)
{
  g_print("%s: disparity error %.2f %%, IoU ground %.1f %% object %.1f %% sky %.1f %%, "
          "mean IoU %.1f %%, %.0f pixels per stixel\n",
      name, 100 * disparity_error(score), 100 * stx_confusion_iou(&score->kinds, STX_KIND_GROUND),
      100 * stx_confusion_iou(&score->kinds, STX_KIND_OBJECT),
      100 * stx_confusion_iou(&score->kinds, STX_KIND_SKY),
      100 * stx_confusion_mean_iou(&score->labels), pixels_per_stixel(score));
}

STX_TEST(depth_alone)
{
  Score score = run(STIXELS(""));

  report("depth", &score);
  fail_unless(disparity_error(&score) < .12);
  fail_unless(pixels_per_stixel(&score) > 450);
  fail_unless(stx_confusion_iou(&score.kinds, STX_KIND_GROUND) > .80);
  fail_unless(stx_confusion_iou(&score.kinds, STX_KIND_OBJECT) > .80);
}

STX_TEST(with_semantics)
{
  Score score = run(STIXELS(VIEW("semantics") " ! cells.semantics "));

  report("semantics", &score);
  fail_unless(disparity_error(&score) < .11);
  fail_unless(pixels_per_stixel(&score) > 450);
  fail_unless(stx_confusion_iou(&score.kinds, STX_KIND_GROUND) > .92);
  fail_unless(stx_confusion_iou(&score.kinds, STX_KIND_OBJECT) > .94);
  fail_unless(stx_confusion_iou(&score.kinds, STX_KIND_SKY) > .80);
  fail_unless(stx_confusion_mean_iou(&score.labels) > .55);
}
