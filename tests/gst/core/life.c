/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every element in a pipeline: to its end, through its states and back, and into an error, with no
 * object left over. */
#include <string.h>

#include "tests/gst/fixtures/rectify_rig.h"

#define RAW(format) "video/x-raw,format=" format ",width=64,height=48,framerate=10/1 ! "
#define TEST(format) "videotestsrc num-buffers=3 ! " RAW(format)
#define STREET(view)                                                                               \
  "street-scene-src num-buffers=3 view=" view " ! video/x-raw,width=64,height=48 ! "
#define SCANS(view) "street-scene-src num-buffers=3 threads=1 azimuth-steps=90 view=" view " ! "
#define STIXELS STREET("disparity") "downsample-transpose ! sat-dp-stixels ! "
#define PAIR(element) STREET("left") element ".sink_left " STREET("right") element ".sink_right "
#define OUT "fakesink "

/* The files are made by stx_test_prepare. */
static const char *const lines[] = {
    STREET("left") OUT STREET("right") OUT STREET("disparity") OUT STREET("semantics") OUT,
    SCANS("lidar") OUT SCANS("lidar-labels") OUT,
    "stereo-rectify name=r calibration=pair.yml r.src_left ! queue ! sgm.sink_left "
    "r.src_right ! queue ! sgm.sink_right stereo-sgm name=sgm max-disparity=64 ! " OUT PAIR("r"),
    "stereo-rectify calibration=pair.yml layout=side-by-side name=r r.src_left ! queue ! " OUT
    "r.src_right ! queue ! " OUT "videotestsrc num-buffers=3 ! "
    "video/x-raw,format=I420,width=128,height=48 ! r.sink",
    "stereo-sgm name=sgm max-disparity=64 ! " OUT TEST("I420") "queue ! sgm.sink_left " TEST(
        "GRAY8") "queue ! sgm.sink_right",
    TEST("GRAY16_LE") "downsample-transpose name=cells ! " OUT TEST(
        "GRAY8") "cells.confidence " TEST("GRAY8") "cells.semantics",
    /* Cells of one pixel, which only this element takes for pictures as high as cameras'. */
    "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY16_LE,width=64,height=1080,framerate=10/1 "
    "! "
    "downsample-transpose stixel-width=1 stixel-height=1 ! rdp-columns median=5 ! " OUT,
    TEST("GRAY16_LE") "downsample-transpose ! sat-dp-stixels ! stixel-json ! " OUT,
    STIXELS "stixel-obstacles ! stixel-obstacles post-messages=true ! " OUT,
    STIXELS "stixel-obstacles ! application/x-obstacles ! stixel-json ! " OUT,
    "road-hazards name=h focal=99 cx=32 baseline=0.5 ! " OUT TEST("I420") "h.sink_left " TEST(
        "GRAY8") "h.sink_right " TEST("GRAY16_LE") "h.disparity",
    "stereo-stixels name=s obstacles=true ! stixel-obstacles ! videoconvert ! "
    "video/x-raw,format=NV12 ! " OUT PAIR("s"),
    "stereo-stixels name=s output=stixels ! " OUT "s.src_left ! " OUT "s.src_disparity ! " OUT
    "s.src_stixels ! stixel-json ! " OUT PAIR("s"),
    SCANS("lidar") "lidar-ground ! lidar-ground post-messages=true ! " OUT,
    SCANS("lidar") "lidar-ground ! application/x-point-labels ! " OUT,
    SCANS("lidar") "tee name=t ! queue ! lidar-ground ! stixel-obstacles ! "
                   "application/x-obstacles ! " OUT "t. ! queue ! stixel-obstacles ! " OUT,
    SCANS("lidar") "lidar-ground ! lidar-bev zoom=2 ! videoconvert ! "
                   "video/x-raw,format=I420,width=320,height=200 ! " OUT,
    STREET("left") "lidar-overlay name=o ! " OUT SCANS("lidar") "lidar-ground ! o.points",
    SCANS("lidar") "lidar-encode ! lidar-decode ! " OUT,
    "multifilesrc location=%06d.bin ! lidar-parse ! " OUT,
    "filesrc location=000000.bin blocksize=99 ! lidar-parse ! " OUT,
    STREET("disparity") "disparity-colour range=frame ! " OUT,
    STIXELS "stixel-bev ! " OUT,
    STIXELS "occupancy-grid size=20 ! videoconvert ! video/x-raw,format=RGB ! " OUT,
    STIXELS
    "grid.sink occupancy-grid size=20 name=grid ! " OUT SCANS("lidar") "lidar-ground ! grid.points",
    STIXELS "stixel-obstacles ! bev.sink stixel-bev name=bev ! " OUT SCANS(
        "lidar") "lidar-ground ! bev.points",
    STIXELS "o.stixels stixel-overlay name=o ! " OUT STREET("left") "o.sink",
};

static const struct {
  const char *line, *first, *second;
} broken[] = {
    {"stereo-sgm name=sgm ! " OUT TEST(
         "GRAY8") "sgm.sink_left "
                  "videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16 ! sgm.sink_right",
        "differ in size", ""},
    {TEST("GRAY16_LE") "downsample-transpose name=cells ! " OUT "videotestsrc num-buffers=3 ! "
                       "video/x-raw,format=GRAY8,width=8,height=8,framerate=10/1 ! cells.semantics",
        "8x8", "64x48"},
    {"videotestsrc num-buffers=1 ! "
     "video/x-raw,format=GRAY16_LE,width=8,height=1025,framerate=10/1 ! "
     "downsample-transpose stixel-height=1 ! sat-dp-stixels ! " OUT,
        "1025", "stixel-height=2"},
    {"videotestsrc num-buffers=1 ! "
     "video/x-raw,format=GRAY16_LE,width=8,height=16385,framerate=10/1 ! "
     "downsample-transpose stixel-height=1 ! rdp-columns ! " OUT,
        "16385", "stixel-height=2"},
    {TEST("GRAY16_LE") "downsample-transpose ! sat-dp-stixels ! stixel-obstacles ! " OUT,
        "focal length, baseline, cx", ""},
    {SCANS("lidar") "lidar-ground r-min=3 r-max=2 ! " OUT, "r_max", ""},
    /* To its end it goes with a network: tests/pipeline/check_onnx_stereo.py. */
    {"onnx-stereo name=n ! " OUT TEST("RGB") "n.sink_left " TEST("RGB") "n.sink_right",
        "there is no network", "model=FILE"},
};

double stx_test_prepare(void)
{
  gfloat points[16][4];

  for (guint i = 0; i < 64; i++)
    points[i / 4][i % 4] = (gfloat)(i % 4 == 3 ? 0.5 : 1 + i);
  stx_test_write("pair.yml", PLAIN);
  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *name = g_strdup_printf("%06u.bin", i);

    g_assert_true(g_file_set_contents(name, (const gchar *)points, sizeof points, NULL));
  }
  return 0;
}

/* The name of an element, and not the beginning of another's. */
static gboolean has_element(const char *line, const char *name)
{
  const char *found = line;

  while ((found = strstr(found, name)) != NULL && found[strlen(name)] != ' ')
    found++;
  return found != NULL;
}

/* Such an element gets a line that sends pictures through it. */
static gboolean is_unnamed(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    if (has_element(lines[i], name))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(broken); i++)
    if (has_element(broken[i].line, name))
      return FALSE;
  return TRUE;
}

static const char *line;

static void run_line(void)
{
  stx_test_runs(line);
}

STX_TEST_LOOP(states_come_and_go, G_N_ELEMENTS(lines))
{
  stx_test_state_cycles(lines[_i]);
}

STX_TEST_LOOP(nothing_leaks, G_N_ELEMENTS(lines))
{
  line = lines[_i];
  stx_test_no_leaks(run_line);
}

STX_TEST(elements_without_a_line_live_and_do_not_leak)
{
  g_auto(GStrv) names = stx_test_elements();

  for (gchar **name = names; *name != NULL; name++)
    if (is_unnamed(*name)) {
      g_autofree gchar *pictures = g_strconcat(TEST("I420"), *name, " ! " OUT, NULL);

      line = pictures;
      stx_test_state_cycles(line);
      stx_test_no_leaks(run_line);
    }
}

static int turn;

static void break_line(void)
{
  stx_test_breaks(broken[turn].line, broken[turn].first, broken[turn].second, NULL);
}

STX_TEST_LOOP(nothing_leaks_after_an_error, G_N_ELEMENTS(broken))
{
  turn = _i;
  stx_test_no_leaks(break_line);
}
