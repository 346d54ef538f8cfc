/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * disparity-colour on a GPU: maps and pictures in either memory, bytes as on the CPU. The GPU is
 * that of tests/emu; the program runs a second time with work that starts only when it is waited
 * for.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define SMALL "video/x-raw,width=67,height=35"
#define VIEW(name) "street-scene-src view=" name " num-buffers=2 ! " SMALL

/* The element is called colour; the first %s is its backend and that of the matcher, the second one
 * features of what it gives. */
static const char *const lines[] = {
    VIEW("disparity") " ! disparity-colour name=colour %1$s ! "
                      "video/x-raw%2$s,format=RGB ! "
                      "fakesink name=out",
    VIEW("disparity") " ! disparity-colour name=colour range=frame mode=depth %1$s ! "
                      "video/x-raw%2$s,format=BGRx ! fakesink name=out",
    VIEW("disparity") " ! disparity-colour name=colour %1$s ! "
                      "video/x-raw%2$s,format=ARGB ! "
                      "fakesink name=out " VIEW("disparity") " ! colour.truth",
    "stereo-sgm name=sgm max-disparity=64 %1$s ! disparity-colour name=colour "
    "mode=confidence %1$s "
    "! video/x-raw%2$s,format=RGBA ! fakesink name=out " VIEW("left") " ! sgm.sink_left " VIEW(
        "right") " ! sgm.sink_right",
    "stereo-sgm name=sgm max-disparity=64 %1$s ! disparity-colour name=colour %1$s "
    "! video/x-raw%2$s,format=BGR ! fakesink name=out " VIEW("left") " ! sgm.sink_left " VIEW(
        "right") " ! sgm.sink_right " VIEW("disparity") " ! colour.truth",
    VIEW("disparity") " ! downsample-transpose %1$s ! sat-dp-stixels %1$s ! disparity-colour "
                      "name=colour mode=cost %1$s ! video/x-raw%2$s,format=RGB ! "
                      "fakesink name=out",
};

static CudaOutcome run(const char *format, const char *backend, const char *features)
{
  static const CudaPlace between[] = {{"colour", "sink"}, {NULL, NULL}};

  return cuda_run_format(format, backend, features, between);
}

STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  g_auto(CudaOutcome) cpu = run(lines[_i], "backend=omp", "");
  g_auto(CudaOutcome) gpu = run(lines[_i], "backend=cuda", "");
  g_auto(CudaOutcome) kept = run(lines[_i], "backend=cuda", ON_DEVICE);

  cuda_expect_same(&gpu, &cpu, lines[_i]);
  cuda_expect_same(&kept, &cpu, lines[_i]);
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_uint_eq(gpu.device_behind, 0);
  ck_assert_uint_eq(kept.device_behind, 2);
  ck_assert_int_eq(gpu.warnings + kept.warnings, 0);
}

/* A map that lies on the GPU is coloured there, and what lies on the host on the host, unless its
 * picture goes to the GPU. */
STX_TEST(frames_stay_where_they_are)
{
  CudaOutcome outcome = run(lines[4], "", "");

  ck_assert_uint_eq(outcome.device_between, 2);
  ck_assert_uint_eq(outcome.contexts, 1);
  cuda_outcome_clear(&outcome);
  outcome = run(lines[0], "", ON_DEVICE);
  ck_assert_uint_eq(outcome.device_between, 0);
  ck_assert_uint_eq(outcome.device_behind, 2);
  cuda_outcome_clear(&outcome);
}

#define CALLS 200 /* of the driver, and some more */
#define STEP 9

/* Whatever call of the driver fails: the stream goes on on the CPU, with the same bytes. */
STX_TEST_LOOP(any_call_may_fail, CALLS / STEP + 1)
{
  const char *line =
      VIEW("disparity") " ! disparity-colour name=colour range=frame %1$s ! "
                        "video/x-raw" ON_DEVICE ",format=RGB;video/x-raw,format=RGB%2$s ! "
                        "fakesink name=out";
  g_autofree gchar *number = g_strdup_printf("%d", (1 + _i) * STEP);
  CudaOutcome gpu, cpu;

  g_setenv("STX_FAKE_CUDA_FAIL", number, TRUE); /* before the driver is loaded */
  gpu = run(line, "backend=auto", "");
  cpu = run(line, "backend=omp", "");
  ck_assert_int_le(gpu.warnings, 1);
  ck_assert_uint_eq(gpu.buffers, 2);
  if ((1 + _i) * STEP >= CALLS)
    ck_assert_uint_eq(gpu.device_behind, 2); /* else CALLS are not enough */
  if (gpu.unreadable == 0) /* the call was the reader's at the end, and failed for it */
    cuda_expect_same(&gpu, &cpu, number);
  cuda_outcome_clear(&cpu);
  cuda_outcome_clear(&gpu);
}

static void run_once(void)
{
  g_auto(CudaOutcome) outcome = run(lines[1], "backend=cuda", ON_DEVICE);

  ck_assert(outcome.error == NULL);
}

STX_TEST(nothing_leaks)
{
  stx_test_no_leaks(run_once);
}
