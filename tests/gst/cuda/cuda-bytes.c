/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares with the CPU what elements that draw, stereo-stixels, and the whole way from a pair or a
 * scan to a picture make of frames in either memory: bytes, and where buffers lie. The GPU is that
 * of tests/emu; the program runs a second time with work that starts only when it is waited for.
 */
#include <string.h>

#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define TINY "video/x-raw,width=67,height=35"
#define SMALL "video/x-raw,width=96,height=36"
#define WIDE "video/x-raw,width=320,height=96"
#define MOVING "video/x-raw,width=192,height=64"
#define VIEW(size, name) "street-scene-src view=" name " num-buffers=2 ! " size
#define PAIR(size, name)                                                                           \
  VIEW(size, "left") " ! " name ".sink_left " VIEW(size, "right") " ! " name ".sink_right "
#define CELLS "downsample-transpose %1$s ! sat-dp-stixels %1$s ! "
#define STIXELS VIEW(SMALL, "disparity") " ! " CELLS
#define SGM "stereo-sgm name=sgm max-disparity=64 %1$s ! "
#define OUT "fakesink name=out "

#define COLOUR(properties) "disparity-colour name=colour " properties " %1$s ! "
#define COLOURS(format) "video/x-raw%2$s,format=" format " ! " OUT
#define OVERLAY(properties) "stixel-overlay name=over " properties " %1$s ! " OUT
#define DRAWN VIEW(WIDE, "left") ",format=RGB ! over.sink " VIEW(WIDE, "disparity") " ! "
#define BEV "stixel-bev name=above ! video/x-raw,format=RGB,width=96,height=80 ! " OUT
#define VIDEO                                                                                      \
  VIEW(SMALL, "left")                                                                              \
  ",format=RGB ! over.sink " STIXELS "over.stixels stixel-overlay name=over %1$s ! "
#define BIN "stereo-stixels name=s max-disparity=64 %1$s "
#define FED PAIR("video/x-raw,width=96,height=48", "s")
#define MOTION(format, output)                                                                     \
  "stereo-sgm name=s max-disparity=64 motion=true output=" output " %1$s ! "                       \
  "downsample-transpose backend=omp ! sat-dp-stixels backend=omp ! stixel-json write=motion "      \
  "! " OUT                                                                                         \
  PAIR(MOVING ",format=" format, "s")

#define ODD "video/x-raw,width=163,height=95"
#define NAMED_CELLS "downsample-transpose name=cells %1$s ! sat-dp-stixels %1$s ! " OUT
/* Side by side in one frame, matched where the cells are made. */
#define BOTH_VIEWS(format)                                                                         \
  "videotestsrc pattern=smpte num-buffers=2 ! video/x-raw,format=" format                          \
  ",width=326,height=95 ! stereo-sgm layout=side-by-side max-disparity=64 texture=-1 %1$s ! "      \
  "downsample-transpose %1$s ! " OUT

/* Disparities, columns and stixels of stereo-stixels. */
#define INSIDE                                                                                     \
  {"sgm", "src"}, {"reduction", "src"},                                                            \
  {                                                                                                \
    "stixels", "src"                                                                               \
  }

/* %1$s is the backend, %2$s features of what comes to an element or leaves it. With backend cuda,
 * `plain` (without these features) or `kept` (with them) buffers of each frame lie on the device at
 * `places`; `behind` of those that the line gives do, with the features. */
static const struct {
  const char *line;
  CudaPlace places[4];
  guint plain, kept, behind;
} lines[] = {
    {VIEW(TINY, "disparity") " ! " COLOUR("") COLOURS("RGB"), {{"colour", "sink"}}, 0, 0, 1},
    {VIEW(TINY, "disparity") " ! " COLOUR("range=frame mode=depth") COLOURS("BGRx"), {{NULL}}, 0, 0,
        1},
    {VIEW(TINY, "disparity") " ! " COLOUR("") COLOURS("ARGB"), {{NULL}}, 0, 0, 1},
    {SGM COLOUR("mode=confidence") COLOURS("RGBA") PAIR(TINY, "sgm"), {{"colour", "sink"}}, 1, 1,
        1},
    {SGM COLOUR("") COLOURS("BGR") PAIR(TINY, "sgm"), {{"colour", "sink"}}, 1, 1, 1},
    {VIEW(TINY, "disparity") " ! " CELLS COLOUR("mode=cost") COLOURS("RGB"), {{"colour", "sink"}},
        1, 1, 1},
    {OVERLAY("labels=distance free-space=true corridor-width=2 dim=.5") DRAWN CELLS "over.stixels",
        {{"over", "stixels"}}, 1, 1, 0},
    {OVERLAY("labels=distance+id mode=height") DRAWN CELLS "stixel-obstacles ! over.stixels",
        {{"over", "stixels"}}, 1, 1, 0},
    {OVERLAY("mode=kind labels=distance") DRAWN CELLS "over.stixels", {{"over", "stixels"}}, 1, 1,
        0},
    {STIXELS "application/x-stixels%2$s ! " BEV, {{"above", "sink"}}, 0, 1, 0},
    {STIXELS "stixel-obstacles ! application/x-stixels%2$s ! " BEV, {{"above", "sink"}}, 0, 1, 0},
    {BEV STIXELS "application/x-stixels%2$s ! above.sink "
                 "street-scene-src view=lidar beams=4 azimuth-steps=180 num-buffers=2 ! "
                 "lidar-ground %1$s sectors=24 bins=30 ! above.points",
        {{"above", "sink"}}, 0, 1, 0},
    /* Frames of video that came in system memory leave in it. */
    {VIDEO BEV, {{"above", "sink"}}, 0, 0, 0},
    {BIN "output=stixels ! application/x-stixels%2$s ! " OUT FED, {INSIDE}, 2, 3, 1},
    {BIN "! " OUT FED, {INSIDE}, 3, 3, 0},
    {BIN "output=json ! " OUT FED, {INSIDE}, 2, 2, 0},
    {BIN "output=stixels ! " OUT "s.src_disparity ! video/x-raw,format=GRAY16_LE ! fakesink " FED,
        {INSIDE}, 1, 1, 0},
    /* The camera's own motion, also that of colours, and from depths. */
    {MOTION("GRAY8", "disparity"), {{NULL}}, 0, 0, 0},
    {MOTION("RGB", "depth-mm"), {{NULL}}, 0, 0, 0},
    /* Cells behind the road, which the host makes unknown. */
    {"stereo-sgm name=s backend=omp lr-max-diff=-1 texture=-1 uniqueness=0 ! downsample-transpose "
     "backend=omp ! sat-dp-stixels ground=estimate %1$s ! " OUT PAIR(
         "video/x-raw,width=320,height=160", "s"),
        {{NULL}}, 0, 0, 0},
    /* Inputs on a second pad, a confidence per pixel from the matcher, and pictures that have to be
     * made gray first. */
    {VIEW(ODD, "disparity") " ! " NAMED_CELLS VIEW(ODD, "semantics") " ! cells.semantics", {{NULL}},
        0, 0, 0},
    {"stereo-sgm name=sgm backend=omp max-disparity=64 ! " CELLS OUT VIEW(
         ODD, "left") " ! videoconvert ! sgm.sink_left " VIEW(ODD,
         "right") " ! videoconvert ! sgm.sink_right",
        {{NULL}}, 0, 0, 0},
    {"stereo-sgm name=sgm max-disparity=64 output=depth-mm %1$s ! " OUT PAIR(ODD, "sgm"), {{NULL}},
        0, 0, 0},
    {BOTH_VIEWS("YUY2"), {{NULL}}, 0, 0, 0},
    {BOTH_VIEWS("GRAY16_LE"), {{NULL}}, 0, 0, 0},
    {BOTH_VIEWS("RGB"), {{NULL}}, 0, 0, 0},
    {"videotestsrc pattern=snow num-buffers=2 ! " ODD ",format=GRAY16_LE ! " NAMED_CELLS
     "videotestsrc num-buffers=2 ! " ODD ",format=GRAY8 ! cells.confidence",
        {{NULL}}, 0, 0, 0},
    /* Pictures of labelled scans. */
    {"street-scene-src view=lidar beams=8 azimuth-steps=90 num-buffers=2 ! lidar-ground sectors=36 "
     "bins=40 %1$s ! lidar-bev ! video/x-raw,width=160,height=160 ! " OUT,
        {{NULL}}, 0, 0, 0},
};

static const CudaPlace nowhere[] = {{NULL, NULL}};

static void expect_run(
    guint i, const CudaOutcome *cpu, const char *features, guint between, guint behind)
{
  g_auto(CudaOutcome) gpu =
      cuda_run_format(lines[i].line, "backend=cuda", features, lines[i].places);

  cuda_expect_same(&gpu, cpu, lines[i].line);
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_uint_eq(gpu.device_between, 2 * between);
  ck_assert_uint_eq(gpu.device_behind, 2 * behind);
  ck_assert_int_eq(gpu.warnings, 0);
}

STX_TEST_LOOP(bytes_in_either_memory_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  g_auto(CudaOutcome) cpu = cuda_run_format(lines[_i].line, "backend=omp", "", nowhere);

  expect_run(_i, &cpu, "", lines[_i].plain, 0);
  if (strstr(lines[_i].line, "%2$s") != NULL)
    expect_run(_i, &cpu, ON_DEVICE, lines[_i].kept, lines[_i].behind);
}

/* A map that lies on the GPU is coloured there, and what lies on the host on the host, unless its
 * picture goes to the GPU. */
STX_TEST(frames_stay_where_they_are)
{
  CudaOutcome outcome = cuda_run_format(lines[4].line, "", "", lines[4].places);

  ck_assert_uint_eq(outcome.device_between, 2);
  ck_assert_uint_eq(outcome.contexts, 1);
  cuda_outcome_clear(&outcome);
  outcome = cuda_run_format(lines[0].line, "", ON_DEVICE, lines[0].places);
  ck_assert_uint_eq(outcome.device_between, 0);
  ck_assert_uint_eq(outcome.device_behind, 2);
  cuda_outcome_clear(&outcome);
}

/* ---- The whole way -------------------------------------------------------------------------- */

/* From the pair to a picture with its stixels: with the backends of the matcher, the cells, the
 * element that segments, and the overlay. `size` without padding, which videoconvert leaves
 * undefined. */
static void expect_way(const char *size, const char *const backends[4], const char *segmentation,
    const char *format, const char *mode)
{
  static const char way[] =
      "stereo-sgm name=sgm max-disparity=64 %s ! downsample-transpose stixel-width=4 "
      "stixel-height=4 %s ! %s %s ! overlay.stixels stixel-overlay name=overlay mode=%s %s ! " OUT
      "street-scene-src view=left num-buffers=2 ! video/x-raw,%s ! sgm.sink_left "
      "street-scene-src view=right num-buffers=2 ! video/x-raw,%s ! sgm.sink_right "
      "street-scene-src view=left num-buffers=2 ! video/x-raw,%s,format=RGB ! videoconvert ! "
      "video/x-raw,format=%s ! overlay.sink";
  const char *omp = "backend=omp";
  g_autofree gchar *line = g_strdup_printf(way, backends[0], backends[1], segmentation, backends[2],
      mode, backends[3], size, size, size, format);
  g_autofree gchar *host =
      g_strdup_printf(way, omp, omp, segmentation, omp, mode, omp, size, size, size, format);
  g_auto(CudaOutcome) gpu = cuda_run_text(line, nowhere);
  g_auto(CudaOutcome) cpu = cuda_run_text_once(host);

  cuda_expect_same(&gpu, &cpu, line);
}

static const char *const automatic[] = {"", "", "", ""};

static const char *const segmentations[] = {"sat-dp-stixels", "rdp-columns epsilon=1 median=3",
    "sat-dp-stixels cut-candidates=rdp epsilon=1", "sat-dp-stixels model=gaussian-uniform"};

STX_TEST_LOOP(all_on_the_gpu_is_as_on_the_cpu, G_N_ELEMENTS(segmentations))
{
  static const char *const cuda[] = {
      "backend=cuda", "backend=cuda", "backend=cuda", "backend=cuda"};
  static const char *const pictures[] = {"RGBA", "NV12", "I420", "UYVY"};

  expect_way("width=88,height=46", cuda, segmentations[0], pictures[_i], "kind");
  expect_way("width=88,height=46", automatic, segmentations[_i], "RGBA", "kind");
}

/* Memory changes sides between any two elements: every mixture of three of the four. */
STX_TEST_LOOP(every_mixture_is_as_on_the_cpu, 8)
{
  const char *backends[4];
  gint fourth = (_i ^ _i >> 1 ^ _i >> 2) & 1;

  for (gint k = 0; k < 4; k++)
    backends[k] = (_i | fourth << 3) >> k & 1 ? "backend=cuda" : "backend=omp";
  expect_way("width=24,height=16", backends, segmentations[0], "RGBA", "cost");
  if ((_i & 1) == 0) /* cells, segmentation, overlay */
    for (gsize i = 1; i < G_N_ELEMENTS(segmentations); i++)
      expect_way("width=24,height=16", backends, segmentations[i], "RGBA", "cost");
}
