/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-mesh and stixel-orbit of what lies on a GPU: stixels, scans, video with stixels on it.
 * Bytes as on the CPU. The GPU is that of tests/emu; the program runs a second time with work that
 * waits until somebody waits for it.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define SMALL "video/x-raw,width=96,height=36"
#define STIXELS                                                                                    \
  "street-scene-src view=disparity num-buffers=2 ! " SMALL " ! downsample-transpose %1$s ! "       \
  "sat-dp-stixels %1$s ! "
#define OUT "video/x-raw,format=RGB,width=96,height=80 ! fakesink name=out "

/* For cuda_run_format. */
static const char *const lines[] = {
    STIXELS "application/x-stixels%2$s ! stixel-mesh name=space ! fakesink name=out",
    "street-scene-src view=lidar beams=4 azimuth-steps=180 num-buffers=2 ! lidar-ground %1$s "
    "sectors=24 bins=30 ! stixel-mesh name=space mode=kind ! application/x-ply ! fakesink name=out",
    STIXELS "application/x-stixels%2$s ! stixel-orbit name=space ! " OUT,
    "street-scene-src view=left num-buffers=2 ! " SMALL ",format=RGB ! over.sink " STIXELS
    "over.stixels stixel-overlay name=over %1$s ! video/x-raw%2$s ! stixel-orbit name=space ! " OUT,
};
/* Does what comes lie on the device if it may? */
static const gboolean stays[] = {TRUE, FALSE, TRUE, FALSE};

static const CudaPlace between[] = {{"space", "sink"}, {NULL, NULL}};

GST_START_TEST(bytes_are_those_of_the_cpu)
{
  cuda_expect_those_of_the_cpu(lines[__i__], between, stays[__i__]);
}
GST_END_TEST

static Suite *stixel_space_cuda_suite(void)
{
  Suite *suite = suite_create("stixel-space-cuda");
  TCase *tests = tcase_create("stixel-space-cuda");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, bytes_are_those_of_the_cpu, 0, G_N_ELEMENTS(lines));
  return suite;
}

GST_CHECK_MAIN(stixel_space_cuda)
