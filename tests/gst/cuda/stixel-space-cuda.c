/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-orbit of what lies on a GPU: stixels, video with stixels on it. Bytes as on the CPU. The
 * GPU is that of tests/emu; the program runs a second time with work that starts only when it is
 * waited for.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define SMALL "video/x-raw,width=96,height=36"
#define STIXELS                                                                                    \
  "street-scene-src view=disparity num-buffers=2 ! " SMALL " ! downsample-transpose %1$s ! "       \
  "sat-dp-stixels %1$s ! "
#define OUT "video/x-raw,format=RGB,width=96,height=80 ! fakesink name=out "

/* For cuda_run_format. */
static const char *const lines[] = {
    STIXELS "application/x-stixels%2$s ! stixel-orbit name=space ! " OUT,
    "street-scene-src view=left num-buffers=2 ! " SMALL ",format=RGB ! over.sink " STIXELS
    "over.stixels stixel-overlay name=over %1$s ! video/x-raw%2$s ! stixel-orbit name=space ! " OUT,
};
/* Does what comes lie on the device if it may? */
static const gboolean stays[] = {TRUE, FALSE};

static const CudaPlace between[] = {{"space", "sink"}, {NULL, NULL}};

STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  cuda_expect_those_of_the_cpu(lines[_i], between, stays[_i]);
}
