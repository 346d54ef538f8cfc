/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Elements of others before and after ours, which use the GPU on streams of their own: the bytes
 * are those of the CPU. On the GPU of tests/emu, where work starts only when it is waited for,
 * results not waited for are not there. Once without and, where GstCuda has them, once with
 * memories that have a stream.
 */
#include "tests/gst/cuda/cuda_fixture.h"
#include "tests/gst/cuda/cuda_foreign.h"

#define SMALL ",width=96,height=48"
#define VIEW(view) "street-scene-src view=" view " num-buffers=2 ! video/x-raw" SMALL
#define GRAY(view) VIEW(view) " ! videoconvert ! video/x-raw,format=GRAY8 ! "
#define NV12 VIEW("left") " ! videoconvert ! video/x-raw,format=NV12 ! "
#define COLUMNS VIEW("disparity") " ! downsample-transpose backend=omp ! "
#define STIXELS COLUMNS "sat-dp-stixels backend=omp ! "
#define SCAN "street-scene-src view=lidar beams=4 azimuth-steps=180 num-buffers=2 ! "
#define PICTURE "video/x-raw,format=RGB,width=96,height=80 ! fakesink name=out "

/* UP brings to the GPU, DOWN back; MEMORY is that of CUDA. */
static const char *const lines[] = {
    GRAY("left") "UP sgm.sink_left " GRAY(
        "right") "UP sgm.sink_right "
                 "stereo-sgm name=sgm max-disparity=64 BACKEND ! DOWN fakesink name=out",
    /* Pictures of ours from inputs in system memory: nothing else says to wait. */
    GRAY("left") "sgm.sink_left " GRAY(
        "right") "sgm.sink_right "
                 "stereo-sgm name=sgm max-disparity=64 BACKEND ! DOWN fakesink name=out",
    VIEW("disparity") " ! disparity-colour BACKEND ! DOWN fakesink name=out",
    VIEW("disparity") " ! UP downsample-transpose BACKEND ! DOWN fakesink name=out",
    COLUMNS "UP sat-dp-stixels BACKEND ! DOWN fakesink name=out",
    COLUMNS "UP rdp-columns BACKEND ! DOWN fakesink name=out",
    VIEW("disparity") " ! UP disparity-colour BACKEND ! DOWN fakesink name=out",
    STIXELS "overlay.stixels " NV12 "UP stixel-overlay name=overlay BACKEND ! DOWN "
            "fakesink name=out",
    NV12 "overlay.sink " STIXELS "UP overlay.stixels stixel-overlay name=overlay BACKEND ! "
         "fakesink name=out",
    SCAN "UP lidar-ground BACKEND sectors=24 bins=30 ! application/x-point-labelsMEMORY ! DOWN "
         "fakesink name=out",
    STIXELS "UP stixel-obstacles ! fakesink name=out",
    STIXELS "UP stixel-bev ! " PICTURE,
    SCAN "UP lidar-bev ! " PICTURE,
    NV12 "overlay.sink " SCAN "UP overlay.points lidar-overlay name=overlay ! fakesink name=out",
};

/* Order among ours: the first element has passed on all frames before the second one is let. */
#define QUEUED                                                                                     \
  "street-scene-src view=disparity num-buffers=3 ! video/x-raw" SMALL                              \
  " ! UP downsample-transpose BACKEND ! queue name=queue ! sat-dp-stixels BACKEND ! DOWN "         \
  "fakesink name=out"

static const CudaPlace nowhere[] = {{NULL, NULL}};

/* Fills in a line. */
static gchar *fill(
    const char *line, const char *backend, const char *up, const char *down, const char *memory)
{
  GString *text = g_string_new(line);

  g_string_replace(text, "BACKEND", backend, 0);
  g_string_replace(text, "UP", up, 0);
  g_string_replace(text, "DOWN", down, 0);
  g_string_replace(text, "MEMORY", memory, 0);
  return g_string_free(text, FALSE);
}

static void expect_those_of_the_cpu(
    const char *line, gboolean streams, const char *up, const char *down, CudaSetUp set_up)
{
  const char *stream = streams ? "streams=true !" : "!";
  g_autofree gchar *upload = g_strdup_printf("stx-test-upload %s %s", up, stream);
  g_autofree gchar *download = g_strdup_printf("stx-test-download %s %s", down, stream);
  g_autofree gchar *gpu_line = fill(line, "backend=cuda", upload, download, "(memory:CUDAMemory)");
  g_autofree gchar *cpu_line = fill(line, "backend=omp", "", "", "");
  g_auto(CudaOutcome) cpu = cuda_run_text(cpu_line, nowhere);
  g_auto(CudaOutcome) gpu = cuda_run_text_with(gpu_line, nowhere, set_up);

  cuda_expect_same(&gpu, &cpu, gpu_line);
  ck_assert_int_eq(gpu.warnings, 0);
}

STX_TEST_LOOP(every_element_works_beside_others, G_N_ELEMENTS(lines))
{
  cuda_foreign_register();
  expect_those_of_the_cpu(lines[_i], FALSE, "", "", NULL);
  if (cuda_foreign_has_streams())
    expect_those_of_the_cpu(lines[_i], TRUE, "", "", NULL);
}

/* Readers that give memory back before they have read it, as cudaconvert does, on streams that are
 * ordered with the default stream. What is drawn on a foreign picture is not in memory of ours. */
STX_TEST_LOOP(others_read_late, G_N_ELEMENTS(lines))
{
  cuda_foreign_register();
  if (strstr(lines[_i], "DOWN") != NULL && strstr(lines[_i], "UP stixel-overlay") == NULL)
    expect_those_of_the_cpu(lines[_i], cuda_foreign_has_streams(), "", "late=true", NULL);
}

/* Samples of 16 bits, records and points at odd addresses: a fault on a GPU, and an error of the
 * undefined-behaviour sanitizer here. */
STX_TEST_LOOP(foreign_memory_may_begin_anywhere, G_N_ELEMENTS(lines))
{
  cuda_foreign_register();
  expect_those_of_the_cpu(lines[_i], FALSE, "odd=true", "", NULL);
}

/* ---- Memory that is written again ---------------------------------------------------------- */

typedef struct {
  GstPad *src;
  gulong block;
  gint frames;
} Queue;

static GstPadProbeReturn hold(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  return GST_PAD_PROBE_OK; /* stays blocked */
}

static GstPadProbeReturn arrive(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Queue *queue = data;

  if (++queue->frames == 3)
    gst_pad_remove_probe(queue->src, queue->block);
  return GST_PAD_PROBE_OK;
}

static void queue_free(gpointer data)
{
  gst_object_unref(((Queue *)data)->src);
  g_free(data);
}

static void hold_queue(GstElement *pipeline)
{
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), "queue");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(element, "sink");
  Queue *queue = g_new0(Queue, 1);

  queue->src = gst_element_get_static_pad(element, "src");
  queue->block = gst_pad_add_probe(
      queue->src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, arrive, queue, queue_free);
}

STX_TEST_LOOP(others_write_again_what_we_have_read, 2)
{
  cuda_foreign_register();
  if (_i == 0 || cuda_foreign_has_streams())
    expect_those_of_the_cpu(QUEUED, _i == 1, "", "", hold_queue);
}
