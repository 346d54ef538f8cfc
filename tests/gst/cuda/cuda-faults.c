/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A GPU that is not there, has no memory, or fails in the middle of a stream: backend=auto goes on
 * on the CPU with the same bytes, backend=cuda says why it cannot.
 */
#include <string.h>

#include "tests/gst/cuda/cuda_fixture.h"
#include "tests/gst/fixtures/call_step.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define SMALL "width=83,height=45"

/* With a sanitizer a run is slow: of three runs that differ in where the GPU fails, one. */
#ifdef __SANITIZE_ADDRESS__
#define LESS 3
#else
#define LESS 1
#endif

static void setenv_number(const char *name, guint64 value)
{
  g_autofree gchar *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

  g_setenv(name, text, TRUE);
}

static void expect_refusal(const char *cells, const char *word)
{
  CudaLine line = {SMALL, cells, "", "", "", 1};
  g_auto(CudaOutcome) outcome = cuda_run(&line);

  ck_assert_msg(outcome.error != NULL, "no error with %s", cells);
  ck_assert_msg(strstr(outcome.error->message, word) != NULL, "no \"%s\" in \"%s\"", word,
      outcome.error->message);
}

/* On the GPU as far as it goes, compared with the CPU. */
static CudaOutcome expect_same_as_cpu(const CudaLine *line, const char *what)
{
  CudaOutcome gpu = cuda_run(line);
  g_auto(CudaOutcome) cpu = cuda_run_on_cpu(line);

  cuda_expect_same(&gpu, &cpu, what);
  return gpu;
}

/* ---- From the beginning -------------------------------------------------------------------- */

STX_TEST(no_gpu)
{
  CudaLine line = {SMALL, "", "", "", "", 2};
  CudaOutcome outcome;

  g_setenv("STX_FAKE_CUDA_DEVICES", "0", TRUE);
  outcome = expect_same_as_cpu(&line, "without a GPU");
  ck_assert_uint_eq(outcome.device_between, 0);
  ck_assert_uint_eq(outcome.contexts, 0);
  ck_assert_int_eq(outcome.warnings, 0); /* nothing is wrong with a machine without a GPU */
  cuda_outcome_clear(&outcome);
  expect_refusal("backend=cuda", "choose auto or omp");
}

/* Memory for another search is as large as that one needs. */
STX_TEST(coarse_to_fine_search)
{
#define SEARCH(backend)                                                                            \
  "stereo-sgm name=sgm max-disparity=64 search=coarse-to-fine backend=" backend                    \
  " ! fakesink name=out "                                                                          \
  "street-scene-src view=left num-buffers=2 ! video/x-raw,width=96,height=48 ! sgm.sink_left "     \
  "street-scene-src view=right num-buffers=2 ! video/x-raw,width=96,height=48 ! sgm.sink_right "
  static const CudaPlace nowhere[] = {{NULL}};
  CudaOutcome gpu = cuda_run_text(SEARCH("auto"), nowhere);
  CudaOutcome cpu = cuda_run_text_once(SEARCH("omp"));

  cuda_expect_same(&gpu, &cpu, "search=coarse-to-fine");
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_int_eq(gpu.warnings, 0);
  ck_assert_uint_eq(gpu.contexts, 1);
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&cpu);
#undef SEARCH
}

STX_TEST(too_old_a_gpu)
{
  CudaLine line = {SMALL, "", "", "", "", 2};
  CudaOutcome outcome;

  g_setenv("STX_FAKE_CUDA_CAPABILITY", "6.1", TRUE);
  outcome = expect_same_as_cpu(&line, "on an old GPU");
  ck_assert_int_eq(outcome.warnings, 2);
  cuda_outcome_clear(&outcome);
}

STX_TEST(gpus_have_numbers)
{
  CudaLine line = {SMALL, "backend=cuda cuda-device-id=1", ON_DEVICE, "cuda-device-id=1", "", 2};
  CudaOutcome outcome;

  g_setenv("STX_FAKE_CUDA_DEVICES", "2", TRUE);
  outcome = cuda_run(&line);
  ck_assert(outcome.error == NULL);
  ck_assert_uint_eq(outcome.contexts, 1);
  cuda_outcome_clear(&outcome);

  /* Two GPUs in one pipeline: each uploads what the other one has. */
  line.cells = "backend=cuda cuda-device-id=0";
  outcome = expect_same_as_cpu(&line, "on two GPUs");
  ck_assert_uint_eq(outcome.contexts, 2);
  ck_assert_uint_eq(outcome.device_between, 2);
  cuda_outcome_clear(&outcome);
  expect_refusal("backend=cuda cuda-device-id=2", "cuda-device-id=2");
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* From too little for the first block to enough for all. */
STX_TEST_LOOP(little_memory, 24 / LESS)
{
  CudaLine line = {SMALL, "", "(ANY)", "", "(ANY)", 3};
  CudaOutcome outcome;

  setenv_number("STX_FAKE_CUDA_MEMORY", (guint64)_i * LESS * 8 * 1024);
  outcome = expect_same_as_cpu(&line, "with little memory");
  ck_assert_int_le(outcome.warnings, 2);
  ck_assert(_i > 0 || outcome.warnings == 2);
  cuda_outcome_clear(&outcome);
}

STX_TEST(little_memory_is_an_error_with_cuda)
{
  setenv_number("STX_FAKE_CUDA_MEMORY", 4096);
  expect_refusal("backend=cuda", "CUDA_ERROR_OUT_OF_MEMORY");
}

#define OVERLAY                                                                                    \
  "videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=48 ! o.sink "               \
  "fakesrc num-buffers=2 sizetype=fixed sizemax=24 filltype=zero ! "                               \
  "application/x-stixels,width=64,height=48,stixel-width=4,columns=16 ! o.stixels "                \
  "stixel-overlay name=o "

/* On the GPU pictures of the main memory are drawn on only if the user insists. */
STX_TEST(little_memory_and_an_overlay)
{
  setenv_number("STX_FAKE_CUDA_MEMORY", 4096);
  stx_test_runs(OVERLAY "! fakesink");
  stx_test_breaks(OVERLAY "backend=cuda ! fakesink", "CUDA_ERROR_OUT_OF_MEMORY", NULL);
}

/* ---- Single calls -------------------------------------------------------------------------- */

/* More calls than a run makes. */
#define CALLS 280
#define RUNS (CALLS / stx_test_call_step())

#define LOST_RUNS 12
#define LOST_STEP 20 /* calls, of the 750 of STEREO */

#define BOTH "(" CUDA_MEMORY ");" STIXELS_CAPS

/* One call fails, whichever: the element that made it goes on on the CPU, with its output in system
 * memory from then on, or nothing happens at all. */
STX_TEST_RANGE(any_call_may_fail, 1, RUNS)
{
  CudaLine line = {SMALL, "", "(ANY)", "", BOTH, 3};
  CudaOutcome gpu, cpu;

  setenv_number("STX_FAKE_CUDA_FAIL", (guint64)(_i * CALLS / RUNS));
  gpu = cuda_run(&line);
  cpu = cuda_run_on_cpu(&line);
  ck_assert_uint_eq(gpu.buffers, 3);
  ck_assert_int_le(gpu.warnings, 1);
  if (_i == RUNS)
    ck_assert_uint_eq(gpu.device_behind, 3); /* else CALLS are not enough */
  if (gpu.unreadable == 0) /* the call was the reader's at the end, and failed for it */
    cuda_expect_same(&gpu, &cpu, "one call fails");
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&cpu);
}

/* The same where rdp works, alone and before sat-dp-stixels, and where its other model does. Every
 * third call will do: what brings them to their kernels is the way of any_call_may_fail. */
#define RDP_STEP (LESS > 1 ? 20 : 3)
#define RDP_CALLS 240
#define RDP_LAST (RDP_CALLS / RDP_STEP)

static void expect_survival(const CudaLine *line, int turn)
{
  CudaOutcome gpu, cpu;

  setenv_number("STX_FAKE_CUDA_FAIL", (guint64)turn * RDP_STEP);
  gpu = cuda_run(line);
  cpu = cuda_run_on_cpu(line);
  ck_assert_uint_eq(gpu.buffers, line->frames);
  ck_assert_int_le(gpu.warnings, 1);
  if (turn == RDP_LAST)
    ck_assert_uint_eq(gpu.device_behind, line->frames); /* else RDP_CALLS are not enough */
  if (gpu.unreadable == 0)                              /* as above */
    cuda_expect_same(&gpu, &cpu, "one call fails");
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&cpu);
}

STX_TEST_RANGE(any_call_of_rdp_may_fail, 1, RDP_LAST)
{
  CudaLine line = {SMALL, "backend=omp stixel-width=2 stixel-height=1", "", "epsilon=0.2 median=3",
      BOTH, 2, "rdp-columns"};

  expect_survival(&line, _i);
}

STX_TEST_RANGE(any_call_for_candidates_may_fail, 1, RDP_LAST)
{
  CudaLine line = {SMALL, "backend=omp", "", "cut-candidates=rdp epsilon=1", BOTH, 2};

  expect_survival(&line, _i);
}

STX_TEST_RANGE(any_call_of_the_other_model_may_fail, 1, RDP_LAST)
{
  CudaLine line = {SMALL, "backend=omp", "", "model=gaussian-uniform", BOTH, 2};

  expect_survival(&line, _i);
}

/* The same where the camera's motion is found, which waits in the midst of a frame: the disparities
 * are those of the CPU, and there is a motion with each. */
#define MOVING(backend)                                                                            \
  "stereo-sgm name=sgm max-disparity=64 motion=true backend=" backend " ! fakesink name=out "      \
  "street-scene-src view=left num-buffers=3 ! video/x-raw,width=192,height=64 ! sgm.sink_left "    \
  "street-scene-src view=right num-buffers=3 ! video/x-raw,width=192,height=64 ! sgm.sink_right "
#define MOTION_FIRST 200 /* calls: before, nothing is done for the motion */
#define MOTION_STEP 40
#define MOTION_RUNS 10 /* the last one is behind all calls */

STX_TEST_RANGE(any_call_of_motion_may_fail, 1, MOTION_RUNS)
{
  static const CudaPlace nowhere[] = {{NULL}};
  g_auto(CudaOutcome) cpu = cuda_run_text_once(MOVING("omp"));
  CudaOutcome gpu;

  setenv_number("STX_FAKE_CUDA_FAIL", MOTION_FIRST + (guint64)_i * MOTION_STEP);
  gpu = cuda_run_text(MOVING("auto"), nowhere);
  cuda_expect_same(&gpu, &cpu, "one call fails");
  ck_assert_uint_eq(gpu.buffers, 3);
  ck_assert_int_le(gpu.warnings, 1);
  ck_assert(_i < MOTION_RUNS || gpu.warnings == 0); /* else there are more calls */
  cuda_outcome_clear(&gpu);
}

/*
 * A GPU that is gone takes with it what lies in its memory. Frames that lie there are missing: one
 * that an element works on, and one that waits on the pad of an aggregator. The elements say so on
 * the bus; and the frames after these come from the CPU. Of an element on the GPU and of those that
 * read on the CPU what is in its memory.
 */
static const char *const readers[] = {"", "! stixel-bev ! video/x-raw,format=RGB"};

#define STEREO(backend)                                                                            \
  "stereo-sgm name=sgm max-disparity=64 " backend " ! downsample-transpose name=cells " backend    \
  " ! sat-dp-stixels " backend " %s ! fakesink name=out "                                          \
  "street-scene-src view=left num-buffers=7 ! video/x-raw,width=96,height=48 ! sgm.sink_left "     \
  "street-scene-src view=right num-buffers=7 ! video/x-raw,width=96,height=48 ! sgm.sink_right "
#define FRAMES 7
#define LAST(outcome) (&g_array_index((outcome).frames, CudaFrame, (outcome).frames->len - 1))

static CudaOutcome run_with(const char *format, const char *reader)
{
  static const CudaPlace nowhere[] = {{NULL}};

  return cuda_run_format(format, reader, "", nowhere);
}

STX_TEST_LOOP(the_gpu_may_be_lost, LOST_RUNS)
{
  const char *reader = readers[_i % G_N_ELEMENTS(readers)];
  CudaOutcome gpu;
  g_auto(CudaOutcome) cpu = run_with(STEREO("backend=omp"), reader);

  setenv_number("STX_FAKE_CUDA_LOST", 150 + (guint64)_i * LOST_STEP);
  gpu = run_with(STEREO(""), reader);
  cuda_expect_some(&gpu, &cpu, reader);
  ck_assert_uint_ge(gpu.buffers, FRAMES - 5);
  ck_assert_uint_eq(LAST(gpu)->time, LAST(cpu)->time);
  ck_assert_uint_le(gpu.told, FRAMES - gpu.buffers);
  ck_assert_int_eq(gpu.told > 0, gpu.buffers < FRAMES);
  cuda_outcome_clear(&gpu);
}

/* The cause is the GPU's, also where the call that fails asks for memory. */
STX_TEST_LOOP(a_lost_gpu_is_no_lack_of_memory, 24 / LESS + 1)
{
  CudaLine line = {SMALL, "backend=cuda", ON_DEVICE, "backend=cuda", "", 3};
  CudaOutcome outcome;

  setenv_number("STX_FAKE_CUDA_LOST", 36 + (guint64)_i * LESS * 4);
  outcome = cuda_run(&line);
  ck_assert(outcome.error != NULL);
  ck_assert_msg(strstr(outcome.error->message, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s",
      outcome.error->message);
  cuda_outcome_clear(&outcome);
}
