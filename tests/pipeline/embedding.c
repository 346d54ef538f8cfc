/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pipeline without GStreamer (common/pipeline/pipeline.h) beside the elements: the same frames
 * of the synthetic street must become the same stixels, to the byte.
 */
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include "common/labels.h"
#include "common/pipeline/pipeline.h"
#include "tests/gst/fixtures/util.h"

#define FRAMES 4
#define VIEW(name)                                                                                 \
  "street-scene-src seed=3 num-buffers=4 view=" name                                               \
  " ! video/x-raw,width=612,height=187,framerate=2/1 "

/* Inputs of both are also pulled from sinks: `left` and `right`, or `disparity`; `labels`. */
#define TEE(sink, to)                                                                              \
  "! tee name=" sink "s " sink "s. ! queue ! " to " " sink "s. ! queue ! appsink name=" sink " "
#define GRAY "! videoconvert ! video/x-raw,format=GRAY8 "
#define PAIRS                                                                                      \
  VIEW("left")                                                                                     \
  GRAY TEE("left", "sgm.sink_left") VIEW("right")                                                  \
      GRAY TEE("right", "sgm.sink_right") "stereo-sgm name=sgm ! cells.sink "
#define DISPARITIES VIEW("disparity") TEE("disparity", "cells.sink")
#define LABELS VIEW("semantics") TEE("labels", "cells.semantics")
#define STIXELS(element) "downsample-transpose name=cells ! " element " ! appsink name=stixels "

static GstSample *pull(GstElement *pipeline, const gchar *name)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstSample *sample;

  if (sink == NULL)
    return NULL;
  sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 60 * GST_SECOND);
  fail_unless(sample != NULL, "no frame from %s", name);
  return sample;
}

/* A frame of a sink, mapped; without one, all zero. */
typedef struct {
  GstSample *sample;
  GstVideoFrame frame;
} Picture;

static Picture pull_picture(GstElement *pipeline, const gchar *name)
{
  Picture picture = {.sample = pull(pipeline, name)};
  GstVideoInfo info;

  if (picture.sample == NULL)
    return picture;
  fail_unless(gst_video_info_from_caps(&info, gst_sample_get_caps(picture.sample)));
  fail_unless(gst_video_frame_map(
      &picture.frame, &info, gst_sample_get_buffer(picture.sample), GST_MAP_READ));
  return picture;
}

static void release(Picture *picture)
{
  if (picture->sample == NULL)
    return;
  gst_video_frame_unmap(&picture->frame);
  gst_sample_unref(picture->sample);
}

static StxImage8 image8(const Picture *picture)
{
  if (picture->sample == NULL)
    return (StxImage8){0};
  return (StxImage8){GST_VIDEO_FRAME_PLANE_DATA(&picture->frame, 0),
      GST_VIDEO_FRAME_PLANE_STRIDE(&picture->frame, 0), GST_VIDEO_FRAME_WIDTH(&picture->frame),
      GST_VIDEO_FRAME_HEIGHT(&picture->frame)};
}

static StxImage16 image16(const Picture *picture)
{
  StxImage8 bytes = image8(picture);

  return (StxImage16){(uint16_t *)(gpointer)bytes.data, bytes.stride, bytes.width, bytes.height};
}

/* The camera that the stixels' caps carry. */
static StxCamera camera_of(GstSample *stixels)
{
  const GstStructure *caps = gst_caps_get_structure(gst_sample_get_caps(stixels), 0);
  StxCamera camera = {0};
  const struct {
    const gchar *field;
    gdouble *value;
  } fields[] = {{"camera-focal", &camera.focal}, {"camera-cx", &camera.cx},
      {"camera-cy", &camera.cy}, {"camera-baseline", &camera.baseline},
      {"camera-height", &camera.height}, {"camera-pitch", &camera.pitch}};

  for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
    gst_structure_get_double(caps, fields[i].field, fields[i].value);
  return camera;
}

static void expect_stixels(GstSample *sample, const StxPipelineOutput *output, const gchar *line)
{
  GstMapInfo map;

  fail_unless(gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ));
  fail_unless(map.size == output->count * sizeof *output->stixels &&
                  memcmp(map.data, output->stixels, map.size) == 0,
      "%s: %" G_GSIZE_FORMAT " stixels of the elements are not the %" G_GSIZE_FORMAT
      " of the pipeline",
      line, map.size / sizeof *output->stixels, output->count);
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
}

/* Runs a frame through the pipeline, which the first frame opens. */
static void run_frame(GstElement *elements, const StxPipelineSettings *settings,
    StxPipeline **pipeline, const gchar *line)
{
  g_autoptr(GstSample) stixels = pull(elements, "stixels");
  Picture left = pull_picture(elements, "left"), right = pull_picture(elements, "right"),
          disparity = pull_picture(elements, "disparity"),
          labels = pull_picture(elements, "labels");
  StxPipelineInput input = {.left = image8(&left),
      .right = image8(&right),
      .disparity = image16(&disparity),
      .labels = image8(&labels),
      .camera = camera_of(stixels)};
  StxPipelineOutput output;
  StxError error = {""};

  fail_unless(input.camera.focal > 0 && input.camera.height > 0);
  if (*pipeline == NULL)
    *pipeline = stx_pipeline_new(settings, 612, 187, &error);
  fail_unless(*pipeline != NULL && stx_pipeline_run(*pipeline, &input, &output, &error), "%s: %s",
      line, error.text);
  expect_stixels(stixels, &output, line);
  release(&left);
  release(&right);
  release(&disparity);
  release(&labels);
}

static void expect_agreement(const gchar *line, StxPipelineSettings settings)
{
  GError *error = NULL;
  g_autoptr(GstElement) elements = gst_parse_launch(line, &error);
  StxPipeline *pipeline = NULL;

  fail_unless(elements != NULL && error == NULL, "%s", error ? error->message : line);
  fail_unless(gst_element_set_state(elements, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  for (guint i = 0; i < FRAMES; i++)
    run_frame(elements, &settings, &pipeline, line);
  stx_pipeline_free(pipeline);
  gst_element_set_state(elements, GST_STATE_NULL);
}

/* Elements, and the value of a member that tells the pipeline the same. */
static const struct {
  const gchar *line;
  gsize member;
  guint value, classes;
} cases[] = {
#define SETTING(member, value) offsetof(StxPipelineSettings, member), value
    {PAIRS STIXELS("sat-dp-stixels"), SETTING(source, STX_PIPELINE_PAIRS)},
    /* The road of a frame depends on those before. */
    {PAIRS STIXELS("sat-dp-stixels ground=estimate"), SETTING(ground, STX_ROAD_ESTIMATE)},
    {PAIRS STIXELS("sat-dp-stixels cut-candidates=rdp"), SETTING(cuts, STX_PIPELINE_CUTS_RDP)},
    {PAIRS STIXELS("rdp-columns"), SETTING(model, STX_PIPELINE_RDP)},
    {PAIRS STIXELS("sat-dp-stixels model=gaussian-uniform"), SETTING(model, STX_PIPELINE_FULLDP)},
    {DISPARITIES STIXELS("sat-dp-stixels"), SETTING(source, STX_PIPELINE_DISPARITIES)},
    {PAIRS LABELS STIXELS("sat-dp-stixels"), SETTING(colmean.semantics, STX_SEMANTICS_LABELS),
        STX_LABEL_CLASSES},
};

STX_TEST_LOOP(stixels_are_those_of_the_elements, G_N_ELEMENTS(cases))
{
  StxPipelineSettings settings = stx_pipeline_defaults();

  memcpy((guint8 *)&settings + cases[_i].member, &cases[_i].value, sizeof cases[_i].value);
  settings.colmean.grid.classes = (int)cases[_i].classes;
  expect_agreement(cases[_i].line, settings);
}
