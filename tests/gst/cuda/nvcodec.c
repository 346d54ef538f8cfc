/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GStreamer's own cudaupload and cudadownload around elements of ours, on the GPU of tests/emu: the
 * frames that come out are those of the same lines without them. Skipped where the plugin nvcodec
 * is missing.
 */
#include "tests/gst/cuda/cuda_fixture.h"

#define SIZE ",width=160,height=96,framerate=10/1"
#define VIEW(view) "street-scene-src num-buffers=3 view=" view " ! video/x-raw" SIZE " ! "
#define NV12 "videoconvert ! video/x-raw,format=NV12 ! "
#define STIXELS VIEW("disparity") "downsample-transpose ! sat-dp-stixels ! overlay.stixels "

/* With what stands before and after an element. */
static const struct {
  const char *what, *line, *upload, *download;
} lines[] = {
    {"stixel-overlay",
        STIXELS VIEW("left") NV12 "%s stixel-overlay name=overlay ! %s fakesink name=out",
        "cudaupload ! video/x-raw(memory:CUDAMemory),format=NV12 ! ", "cudadownload ! "},
    {"stereo-sgm",
        VIEW("left") NV12 "%s sgm.sink_left " VIEW("right") NV12
        "%s sgm.sink_right "
        "stereo-sgm name=sgm max-disparity=64 ! fakesink name=out",
        "cudaupload ! video/x-raw(memory:CUDAMemory) ! ", NULL},
};

static const CudaPlace nowhere[] = {{NULL, NULL}};

static gchar *line_with(guint i, const char *upload, const char *download)
{
  return g_strdup_printf(lines[i].line, upload, lines[i].download != NULL ? download : upload);
}

STX_TEST_LOOP(frames_are_those_of_the_host, G_N_ELEMENTS(lines))
{
  g_autofree gchar *text = line_with(_i, lines[_i].upload, lines[_i].download);
  g_autofree gchar *plain = line_with(_i, "", "");
  g_auto(CudaOutcome) gpu = cuda_run_text(text, nowhere);
  g_auto(CudaOutcome) host = cuda_run_text(plain, nowhere);

  ck_assert_uint_eq(gpu.buffers, 3);
  ck_assert_int_eq(gpu.warnings, 0);
  cuda_expect_same(&gpu, &host, lines[_i].what);
}

double stx_test_prepare(void)
{
  g_autoptr(GstElementFactory) upload = gst_element_factory_find("cudaupload");

  if (upload == NULL) {
    g_print("no cudaupload here: GStreamer's plugin nvcodec is not installed\n");
    exit(77);
  }
  return 0;
}
