/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-bev of what lies on a GPU: stixels, scans with their labels, video with stixels on it.
 * Bytes as on the CPU. The GPU is that of tests/emu; the program runs a second time with work that
 * starts only when it is waited for.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define SMALL "video/x-raw,width=96,height=36"
#define STIXELS                                                                                    \
  "street-scene-src view=disparity num-buffers=2 ! " SMALL " ! downsample-transpose %1$s ! "       \
  "sat-dp-stixels %1$s ! "
#define OUT "video/x-raw,format=RGB,width=96,height=80 ! fakesink name=out "

/* The element is called above; the first %s is the backend of what is before it, the second one
 * features of what comes to it. */
static const char *const lines[] = {
    STIXELS "application/x-stixels%2$s ! stixel-bev name=above ! " OUT,
    STIXELS "stixel-obstacles ! application/x-stixels%2$s ! stixel-bev name=above ! " OUT,
    "stixel-bev name=above ! " OUT STIXELS "application/x-stixels%2$s ! above.sink "
    "street-scene-src view=lidar beams=4 azimuth-steps=180 num-buffers=2 ! lidar-ground %1$s "
    "sectors=24 bins=30 ! above.points",
    "street-scene-src view=left num-buffers=2 ! " SMALL ",format=RGB ! over.sink " STIXELS
    "over.stixels stixel-overlay name=over %1$s ! video/x-raw%2$s ! stixel-bev name=above ! " OUT,
};
/* Does what comes lie on the device if it may? Frames of video that came in system memory do not,
 * and leave as they came. */
static const gboolean stays[] = {TRUE, TRUE, TRUE, FALSE};

static const CudaPlace between[] = {{"above", "sink"}, {NULL, NULL}};

STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  cuda_expect_those_of_the_cpu(lines[_i], between, stays[_i]);
}

static void run_once(void)
{
  g_auto(CudaOutcome) outcome = cuda_run_format(lines[0], "backend=cuda", ON_DEVICE, between);

  ck_assert(outcome.error == NULL);
}

STX_TEST(nothing_leaks)
{
  stx_test_no_leaks(run_once);
}
