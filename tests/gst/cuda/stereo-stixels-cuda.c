/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stereo-stixels on the GPU of tests/emu: what the elements inside give each other stays on the
 * device, as it does when they are linked by hand, unless it leaves the bin; the bytes are those of
 * the CPU.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define FRAMES 3
#define STREET(view)                                                                               \
  "street-scene-src num-buffers=3 view=" view " ! video/x-raw,width=96,height=48 ! "
#define BIN(backend) "stereo-stixels name=s max-disparity=64 backend=" backend " "
#define FED STREET("left") "s.sink_left " STREET("right") "s.sink_right "

/* Disparities, columns and stixels. */
static const CudaPlace inside[] = {
    {"sgm", "src"}, {"reduction", "src"}, {"stixels", "src"}, {NULL}};

static const struct {
  const char *rest;
  guint on_device; /* of the three per frame */
} ways[] = {
    {"output=stixels ! fakesink name=out ", 2}, /* a sink that reads on the host */
    {"output=stixels ! application/x-stixels(memory:CUDAMemory) ! fakesink name=out ", 3},
    {"! fakesink name=out ", 3},
    {"output=json ! fakesink name=out ", 2},
    {"output=stixels ! fakesink name=out s.src_disparity ! video/x-raw,format=GRAY16_LE ! "
     "fakesink ",
        1},
};

STX_TEST_LOOP(what_is_inside_stays_on_the_device, G_N_ELEMENTS(ways))
{
  g_autofree gchar *line = g_strconcat(BIN("cuda"), ways[_i].rest, FED, NULL);
  gchar *host = g_strconcat(BIN("omp"), ways[_i].rest, FED, NULL);
  CudaOutcome gpu, cpu;

  if (_i == 1) {
    g_free(host);
    host = g_strconcat(BIN("omp"), ways[0].rest, FED, NULL);
  }
  gpu = cuda_run_text(line, inside);
  cpu = cuda_run_text_once(host);
  cuda_expect_same(&gpu, &cpu, line);
  ck_assert_uint_eq(gpu.buffers, FRAMES);
  ck_assert_uint_eq(gpu.device_between, FRAMES * ways[_i].on_device);
  ck_assert_int_eq(gpu.warnings, 0);
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&cpu);
  g_free(host);
}

/* The camera's own motion, also that of colours, and from depths. */
#define WIDE(view, format)                                                                         \
  "street-scene-src num-buffers=3 view=" view " ! video/x-raw,format=" format                      \
  ",width=352,height=120 ! s.sink_" view " "
#define MOVING(backend, format, output)                                                            \
  "stereo-sgm name=s max-disparity=64 motion=true output=" output " backend=" backend              \
  " ! downsample-transpose backend=omp ! sat-dp-stixels backend=omp ! "                            \
  "stixel-json write=motion ! fakesink name=out " WIDE("left", format) WIDE("right", format)
#define BOTH(...)                                                                                  \
  {                                                                                                \
    MOVING("cuda", __VA_ARGS__), MOVING("omp", __VA_ARGS__)                                        \
  }

STX_TEST_LOOP(motion_is_that_of_the_cpu, 2)
{
  static const CudaPlace matcher[] = {{"s", "src"}, {NULL}};
  static const char *const lines[][2] = {BOTH("GRAY8", "disparity"), BOTH("RGB", "depth-mm")};
  CudaOutcome gpu = cuda_run_text(lines[_i][0], matcher), cpu = cuda_run_text_once(lines[_i][1]);

  cuda_expect_same(&gpu, &cpu, "motion");
  ck_assert_uint_eq(gpu.buffers, 3);
  ck_assert_int_eq(gpu.warnings, 0);
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&cpu);
}
