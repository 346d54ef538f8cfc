/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every element that works on a GPU, where that GPU is not there, has too little memory, fails in a
 * call of the driver, or is lost in the middle of a stream: backend=auto goes on on the CPU with
 * the same bytes, backend=cuda says why it cannot. The GPU is that of tests/emu, which reads its
 * settings when it is first used in a process; every turn of a loop runs in one of its own.
 */
#include <string.h>

#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define SMALL "width=83,height=45"
#define MAP(frames, size)                                                                          \
  "street-scene-src view=disparity num-buffers=" #frames " ! video/x-raw," size " ! "
#define OUT "! fakesink name=out "
#define EITHER(caps, format) "! capsfilter caps=\"" caps ON_DEVICE format ";" caps format "\" " OUT
#define COLUMNS MAP(2, SMALL) "downsample-transpose backend=omp ! "
#define SCAN                                                                                       \
  "street-scene-src view=lidar num-buffers=3 beams=4 azimuth-steps=50 ! "                          \
  "lidar-ground sectors=24 bins=30 %1$s "
#define PLATE                                                                                      \
  "videotestsrc pattern=zone-plate kx2=20 ky2=30 kt=5 num-buffers=3 ! "                            \
  "video/x-raw,format=NV12,width=64,height=48,framerate=10/1 ! r.sink_left "                       \
  "stereo-rectify name=r calibration=lenses.yml %1$s r.src_left "
#define VIEW(frames, size, view, pad)                                                              \
  "street-scene-src view=" view " num-buffers=" #frames " ! video/x-raw," size " ! " pad " "
#define PAIR(frames, size)                                                                         \
  VIEW(frames, size, "left", "sgm.sink_left")                                                      \
  VIEW(frames, size, "right", "sgm.sink_right")
#define MATCH "stereo-sgm name=sgm max-disparity=64 %1$s "
#define LEAST "width=16,height=8" /* the same calls of the driver */

/* %1$s is the backend. `calls` are more calls of the driver than the line makes, of which those
 * behind `first` fail in turn, in so many `runs`: frames make the same calls, so that in the next
 * one others of them fail. */
static const struct {
  const char *what, *line;
  guint frames, first, calls, runs;
  gint warnings;   /* at most, of one call that fails: elements that give up their GPU */
  gboolean device; /* what comes out lies on the GPU */
} lines[] = {
    {"cells and stixels",
        MAP(3, SMALL) "downsample-transpose %1$s ! " COLUMNS_CAPS
                      "(ANY) ! sat-dp-stixels %1$s " EITHER(STIXELS_CAPS, ""),
        3, 0, 280, 28, 1, TRUE},
    {"segments",
        MAP(2, SMALL) "downsample-transpose backend=omp stixel-width=2 stixel-height=1 ! "
                      "rdp-columns epsilon=0.2 median=3 %1$s " EITHER(STIXELS_CAPS, ""),
        2, 0, 240, 20, 1, TRUE},
    {"candidates",
        COLUMNS "sat-dp-stixels cut-candidates=rdp epsilon=1 %1$s " EITHER(STIXELS_CAPS, ""), 2, 0,
        240, 20, 1, TRUE},
    {"the other model",
        COLUMNS "sat-dp-stixels model=gaussian-uniform %1$s " EITHER(STIXELS_CAPS, ""), 2, 0, 240,
        20, 1, TRUE},
    {"motion", MATCH "motion=true " OUT PAIR(3, "width=192,height=64"), 3, 200, 600, 5, 1, FALSE},
    {"labels", SCAN EITHER("application/x-point-labels", ""), 3, 0, 240, 24, 1, TRUE},
    {"labelled points", SCAN "! lidar-bev ! video/x-raw,format=RGB,width=64,height=48 " OUT, 3, 0,
        240, 24, 1, FALSE},
    {"rectified pictures", PLATE EITHER("video/x-raw", ""), 3, 0, 160, 16, 2, TRUE},
    {"colours",
        MAP(2, "width=67,height=35") "disparity-colour range=frame %1$s " EITHER(
            "video/x-raw", ",format=RGB"),
        2, 0, 200, 18, 1, TRUE},
    {"a picture with its stixels",
        MATCH "! downsample-transpose stixel-width=4 stixel-height=4 %1$s ! sat-dp-stixels %1$s ! "
              "overlay.stixels stixel-overlay name=overlay mode=kind %1$s " OUT PAIR(3, LEAST)
                  VIEW(3, LEAST ",format=RGB", "left", "overlay.sink"),
        3, 0, 800, 36, 2, FALSE},
};

static const CudaPlace nowhere[] = {{NULL, NULL}};

static guint runs_of(guint line)
{
#ifdef __SANITIZE_ADDRESS__
  return (lines[line].runs + 3) / 4;
#else
  return g_strcmp0(g_getenv("STX_CALLS"), "all") == 0 ? lines[line].calls - lines[line].first
                                                      : lines[line].runs;
#endif
}

/* Returns the number of runs of all lines, in this order; `share`: one in so many. */
static guint all_runs(guint share)
{
  guint sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    sum += MAX(runs_of(i) / share, 1);
  return sum;
}

/* Makes the call of a turn fail, 0 to all_runs(share) − 1. TRUE: it is behind all calls. */
static gboolean fail_call(guint turn, guint share, guint *line)
{
  g_autofree gchar *number = NULL;
  guint runs;

  for (*line = 0; turn >= MAX(runs_of(*line) / share, 1); (*line)++)
    turn -= MAX(runs_of(*line) / share, 1);
  runs = MAX(runs_of(*line) / share, 1);
  number = g_strdup_printf(
      "%u", lines[*line].first + (turn + 1) * (lines[*line].calls - lines[*line].first) / runs);
  g_setenv("STX_FAKE_CUDA_FAIL", number, TRUE); /* before the driver is loaded */
  return turn + 1 == runs;
}

static void set_number(const char *name, guint number)
{
  g_autofree gchar *text = g_strdup_printf("%u", number);

  g_setenv(name, text, TRUE);
}

static CudaOutcome run_on(const char *line, const char *backend)
{
  return cuda_run_format(line, backend, "", nowhere);
}

/* Bytes are compared unless the call that failed was the reader's at the end. */
static void expect_same_as_cpu(const CudaOutcome *gpu, const char *line)
{
  g_autofree gchar *host = g_strdup_printf(line, "backend=omp", "");
  g_auto(CudaOutcome) cpu = cuda_run_text_once(host);

  if (gpu->unreadable == 0)
    cuda_expect_same(gpu, &cpu, line);
}

/* backend=auto: the element whose call fails goes on on the CPU, or nothing happens at all. */
static CudaOutcome expect_survival(guint i)
{
  CudaOutcome gpu = run_on(lines[i].line, "");

  ck_assert_msg(gpu.error == NULL, "%s: %s", lines[i].what, gpu.error ? gpu.error->message : "");
  ck_assert_uint_eq(gpu.buffers, lines[i].frames);
  expect_same_as_cpu(&gpu, lines[i].line);
  return gpu;
}

double stx_test_prepare(void)
{
  stx_test_write("lenses.yml", "K1: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD1: [-0.2, 0.03, 0.001, 0]\n"
                               "K2: [51, 0, 30, 0, 51, 24, 0, 0, 1]\nD2: [-0.18, 0.02, 0, 0.001]\n"
                               "R: [1, 0, 0.02, 0, 1, 0, -0.02, 0, 1]\nT: [-0.2, 0.003, 0]\n");
  return 0;
}

/* ---- Single calls -------------------------------------------------------------------------- */

STX_TEST_LOOP(any_call_may_fail, all_runs(1))
{
  guint i;
  gboolean last = fail_call(_i, 1, &i);
  g_auto(CudaOutcome) gpu = expect_survival(i);

  ck_assert_int_le(gpu.warnings, lines[i].warnings);
  ck_assert_msg(!last || gpu.warnings == 0, "%s makes more calls", lines[i].what);
  ck_assert_msg(!last || gpu.device_behind == (lines[i].device ? lines[i].frames : 0),
      "%s: %u on the device", lines[i].what, gpu.device_behind);
}

/* With backend=cuda there is an error that says what failed, or all bytes. */
STX_TEST_LOOP(any_call_may_fail_with_cuda, all_runs(2))
{
  guint i;
  gboolean last = fail_call(_i, 2, &i);
  g_auto(CudaOutcome) gpu = run_on(lines[i].line, "backend=cuda");

  if (gpu.error == NULL)
    expect_same_as_cpu(&gpu, lines[i].line);
  else
    ck_assert_msg(
        !last && strlen(gpu.error->message) > 10, "%s: \"%s\"", lines[i].what, gpu.error->message);
}

/* ---- From the beginning -------------------------------------------------------------------- */

STX_TEST_LOOP(no_gpu_is_no_fault_unless_one_is_asked_for, G_N_ELEMENTS(lines))
{
  g_autofree gchar *cuda = g_strdup_printf(lines[_i].line, "backend=cuda");
  CudaOutcome gpu;

  g_setenv("STX_FAKE_CUDA_DEVICES", "0", TRUE);
  gpu = expect_survival(_i);
  ck_assert_uint_eq(gpu.contexts, 0);
  ck_assert_int_eq(gpu.warnings, 0);
  cuda_outcome_clear(&gpu);
  stx_test_breaks(cuda, "backend=cuda is not available", "choose auto or omp", NULL);
}

STX_TEST(too_old_a_gpu)
{
  g_auto(CudaOutcome) gpu = {0};

  g_setenv("STX_FAKE_CUDA_CAPABILITY", "6.1", TRUE);
  gpu = expect_survival(0);
  ck_assert_int_eq(gpu.warnings, 2);
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
  outcome = cuda_run(&line);
  ck_assert(outcome.error == NULL);
  ck_assert_uint_eq(outcome.contexts, 2);
  ck_assert_uint_eq(outcome.device_between, 2);
  cuda_outcome_clear(&outcome);
  stx_test_breaks(MAP(1, SMALL) "downsample-transpose backend=cuda cuda-device-id=2 ! fakesink",
      "cuda-device-id=2", NULL);
}

/* ---- Memory -------------------------------------------------------------------------------- */

#define AMOUNTS 4

/* From too little for the first block to enough for all, of lines on whose way memory is taken. */
STX_TEST_LOOP(little_memory, G_N_ELEMENTS(lines) * AMOUNTS)
{
  guint i = _i / AMOUNTS, amount = _i % AMOUNTS;
  g_auto(CudaOutcome) gpu = {0};

  set_number("STX_FAKE_CUDA_MEMORY", amount * 56 * 1024);
  gpu = expect_survival(i);
  ck_assert_int_le(gpu.warnings, 3);
  ck_assert_msg(amount > 0 || gpu.warnings > 0, "%s: no memory was enough", lines[i].what);
}

/* On the GPU pictures of the main memory are drawn on only if the user insists. */
STX_TEST_LOOP(little_memory_is_an_error_with_cuda, G_N_ELEMENTS(lines))
{
  g_auto(CudaOutcome) gpu = {0};

  set_number("STX_FAKE_CUDA_MEMORY", 4096);
  gpu = run_on(lines[_i].line, "backend=cuda");
  ck_assert(gpu.error != NULL);
  ck_assert_msg(strstr(gpu.error->message, "CUDA_ERROR_OUT_OF_MEMORY") != NULL ||
                    strstr(gpu.error->message, "no memory on the GPU") != NULL,
      "%s: \"%s\"", lines[_i].what, gpu.error->message);
}

/* Memory for another search is as large as that one needs. */
STX_TEST(coarse_to_fine_search_has_its_memory)
{
  const char *line = MATCH "search=coarse-to-fine " OUT PAIR(2, "width=96,height=48");
  g_auto(CudaOutcome) gpu = run_on(line, "");

  expect_same_as_cpu(&gpu, line);
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_int_eq(gpu.warnings, 0);
  ck_assert_uint_eq(gpu.contexts, 1);
}

/* ---- A GPU that is lost --------------------------------------------------------------------- */

/*
 * It takes with it what lies in its memory. Frames that lie there are missing: one that an element
 * works on, and one that waits on the pad of an aggregator. The elements say so on the bus; and the
 * frames after these come from the CPU. Tested: an element on the GPU, one that reads on the CPU
 * what is in its memory, and a lane whose pictures are in system memory, of which none is lost.
 */
#define FRAMES 7
#define STEREO(rest)                                                                               \
  MATCH "! downsample-transpose %1$s ! sat-dp-stixels %1$s " rest OUT PAIR(7, "width=48,height="   \
                                                                              "24")
#define LAST(outcome) (&g_array_index((outcome).frames, CudaFrame, (outcome).frames->len - 1))

static const struct {
  const char *line;
  guint frames, lost, first, step;
} losses[] = {
    {STEREO(""), FRAMES, 5, 150, 80},
    {STEREO("! stixel-bev fit=false ! video/x-raw,format=RGB "), FRAMES, 5, 190, 80},
    {PLATE OUT, 3, 0, 8, 32},
};

STX_TEST_LOOP(the_gpu_may_be_lost, 4 * G_N_ELEMENTS(losses))
{
  guint i = _i % G_N_ELEMENTS(losses), turn = _i / G_N_ELEMENTS(losses);
  g_auto(CudaOutcome) gpu = {0}, cpu = {0};

  set_number("STX_FAKE_CUDA_LOST", losses[i].first + turn * losses[i].step);
  gpu = run_on(losses[i].line, "");
  ck_assert_int_gt(gpu.warnings, 0);
  cpu = run_on(losses[i].line, "backend=omp");
  cuda_expect_some(&gpu, &cpu, losses[i].line);
  ck_assert_uint_ge(gpu.buffers, losses[i].frames - losses[i].lost);
  ck_assert_uint_eq(LAST(gpu)->time, LAST(cpu)->time);
  ck_assert_uint_le(gpu.told, losses[i].frames - gpu.buffers);
  ck_assert_int_eq(gpu.told > 0, gpu.buffers < losses[i].frames);
}

/* The cause is the GPU's, also where the call that fails asks for memory. */
STX_TEST_LOOP(a_lost_gpu_is_no_lack_of_memory, 9)
{
  CudaLine line = {SMALL, "backend=cuda", ON_DEVICE, "backend=cuda", "", 3};
  g_auto(CudaOutcome) outcome = {0};

  set_number("STX_FAKE_CUDA_LOST", 36 + _i * 12);
  outcome = cuda_run(&line);
  ck_assert(outcome.error != NULL);
  ck_assert_msg(strstr(outcome.error->message, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s",
      outcome.error->message);
}

/* ---- States -------------------------------------------------------------------------------- */

/* Motion takes as long as all others. */
#define IS_SLOW(i) (lines[i].first > 0)

STX_TEST_LOOP(state_cycles, G_N_ELEMENTS(lines))
{
  g_autofree gchar *line = g_strdup_printf(lines[_i].line, "backend=cuda");

  if (!IS_SLOW(_i))
    stx_test_state_cycles(line);
}

static guint turn;

static void run_once(void)
{
  g_auto(CudaOutcome) outcome = run_on(lines[turn].line, "backend=cuda");

  ck_assert(outcome.error == NULL);
}

STX_TEST_LOOP(nothing_leaks, G_N_ELEMENTS(lines))
{
  turn = _i;
  if (!IS_SLOW(_i))
    stx_test_no_leaks(run_once);
}
