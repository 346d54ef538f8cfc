/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-overlay with frames and stixels on a GPU: bytes as on the CPU. The GPU is that of
 * tests/emu; the program runs a second time with work that starts only when it is waited for.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define SMALL "video/x-raw,width=320,height=96"
#define VIEW(name) "street-scene-src num-buffers=2 view=" #name " ! " SMALL
#define STIXELS "downsample-transpose %s ! sat-dp-stixels %s ! "
#define OVERLAY "stixel-overlay name=over %s "
#define OUT "! fakesink name=out "
#define DRAWN VIEW(left) ",format=RGB ! over.sink "

/* The %s is the backend of all that has one. */
static const char *const lines[] = {
    OVERLAY "labels=distance free-space=true corridor-width=2 dim=.5 " OUT DRAWN VIEW(
        disparity) " ! " STIXELS "over.stixels",
    OVERLAY "labels=distance+id mode=height " OUT DRAWN VIEW(
        disparity) " ! " STIXELS "stixel-obstacles ! over.stixels",
    OVERLAY "mode=truth " OUT DRAWN VIEW(disparity) " ! tee name=map ! queue ! " STIXELS
                                                    "over.stixels map. ! queue ! " STIXELS
                                                    "over.truth",
    OVERLAY "mode=kind labels=distance " OUT DRAWN VIEW(disparity) " ! " STIXELS "over.stixels",
};

static CudaOutcome run(const char *format, const char *backend)
{
  static const CudaPlace between[] = {{"over", "stixels"}, {NULL, NULL}};
  g_autoptr(GString) line = g_string_new(format);
  CudaOutcome outcome;

  g_string_replace(line, "%s", backend, 0);
  outcome = cuda_run_text(line->str, between);
  return outcome;
}

STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  g_auto(CudaOutcome) cpu = run(lines[_i], "backend=omp");
  g_auto(CudaOutcome) gpu = run(lines[_i], "backend=cuda");

  cuda_expect_same(&gpu, &cpu, lines[_i]);
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_uint_eq(cpu.device_between, 0);
  ck_assert_uint_eq(gpu.device_between, 2); /* stixels come in device memory */
  ck_assert_int_eq(gpu.warnings, 0);
}
