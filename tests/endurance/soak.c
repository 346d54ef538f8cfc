/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many frames: nothing is lost, the memory and the descriptors of the process do not grow, and the
 * last frames take no longer than the first ones.
 */

#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define RECORDED 32 /* frames that come again and again */
#define SIZE "width=64,height=48,framerate=30/1"
#define PAIR_OF_FILES(view, caps)                                                                  \
  "multifilesrc name=" view " location=" view "-%d.raw loop=true stop-index=31 "                   \
  "caps=\"video/x-raw," caps "," SIZE "\" ! "

/* Recorded once, as the source would take most of the time. */
#define RECORD(view, caps, file)                                                                   \
  "street-scene-src view=" view " num-buffers=32 beams=8 azimuth-steps=100 ! " caps                \
  " ! multifilesink location=" file " "
static const gchar *const recording = RECORD("left", "video/x-raw,format=RGB," SIZE, "left-%d.raw")
    RECORD("right", "video/x-raw,format=GRAY8," SIZE, "right-%d.raw")
        RECORD("disparity", "video/x-raw," SIZE, "disparity-%d.raw")
            RECORD("lidar", "application/x-lidar", "scan-%d.bin");

typedef struct {
  const gchar *name, *line;
  guint quick, full; /* frames */
  gdouble most;      /* growth, MiB; 0: as ever */
} Soak;

/* The street's camera at this size. */
#define KITTI "P2: 37.1 0 31.5 0 0 37.1 23.5 0 0 0 1 0\nP3: 37.1 0 31.5 -20 0 37.1 23.5 0 0 0 1 0\n"

static const Soak soaks[] = {
    {"stereo to stixels on video",
        ENDURANCE_WHOLE PAIR_OF_FILES("left", "format=RGB") "tee. " PAIR_OF_FILES(
            "right", "format=GRAY8") "queue ! sgm.sink_right",
        4000, 1000000},
    {"disparity to segments to JSON",
        PAIR_OF_FILES("disparity", "format=GRAY16_LE") "downsample-transpose ! rdp-columns ! "
                                                       "stixel-json ! fakesink name=out",
        4000, 1000000},
    {"scan files to pictures from above",
        "multifilesrc name=scans location=scan-%d.bin loop=true stop-index=31 ! lidar-parse ! "
        "lidar-ground ! stixel-obstacles ! lidar-bev ! video/x-raw,width=96,height=96 ! fakesink "
        "name=out",
        1000, 1000000},
    {"synthetic street to obstacles on video", ENDURANCE_OBSTACLES ENDURANCE_STREET("", SIZE), 500,
        100000},
    {"pairs to obstacles, motion and velocities",
        "stereo-stixels name=all calibration=kitti.txt max-disparity=64 obstacles=true motion=true "
        "velocities=true ! fakesink name=out " PAIR_OF_FILES("left",
            "format=RGB") "all.sink_left " PAIR_OF_FILES("right", "format=GRAY8") "all.sink_right",
        2000, 30000, 2},
};

/* ---- Running ------------------------------------------------------------------------------- */

/* Files have no times. */
static GstPadProbeReturn stamp(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint *frame = data;

  GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)) =
      gst_util_uint64_scale((*frame)++, GST_SECOND, 30);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gauge_step(data);
  return GST_PAD_PROBE_OK;
}

static void begin_source(GstElement *pipeline, const gchar *name, guint frames, guint *stamped)
{
  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(pipeline), name);

  if (source == NULL)
    return;
  g_object_set(source, "num-buffers", (gint)frames, NULL);
  stx_test_probe(pipeline, name, "src", GST_PAD_PROBE_TYPE_BUFFER, stamp, stamped);
}

static void play(GstElement *pipeline)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) end = NULL;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  if (GST_MESSAGE_TYPE(end) != GST_MESSAGE_EOS) {
    g_autoptr(GError) error = stx_test_read(end, NULL);

    fail("%s", error->message);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

STX_TEST_LOOP(many_frames, G_N_ELEMENTS(soaks))
{
  static const gchar *const sources[] = {"left", "right", "disparity", "scans"};
  const Soak *soak = &soaks[_i];
  guint stamped[G_N_ELEMENTS(sources)] = {0}, frames = endurance_rounds(soak->quick, soak->full);
  GaugeRun run = {soak->name, frames, 0, {{0}}, soak->most};
  g_autoptr(GstElement) pipeline = stx_test_parse(soak->line);

  stx_test_folder();
  stx_test_write("kitti.txt", KITTI);
  stx_test_runs(recording);
  for (guint i = 0; i < G_N_ELEMENTS(sources); i++)
    begin_source(pipeline, sources[i], frames, &stamped[i]);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, count, &run);
  play(pipeline);
  gauge_judge(&run);
  fail_unless_equals_int(run.done, frames);
}

double stx_test_prepare(void)
{
  return endurance_length(300, 0);
}
