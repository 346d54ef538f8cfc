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

GST_START_TEST(frames_are_those_of_the_host)
{
  gchar *text = line_with(__i__, lines[__i__].upload, lines[__i__].download);
  gchar *plain = line_with(__i__, "", "");
  CudaOutcome gpu = cuda_run_text(text, nowhere), host = cuda_run_text(plain, nowhere);

  ck_assert_uint_eq(gpu.buffers, 3);
  ck_assert_int_eq(gpu.warnings, 0);
  cuda_expect_same(&gpu, &host, lines[__i__].what);
  cuda_outcome_clear(&gpu);
  cuda_outcome_clear(&host);
  g_free(plain);
  g_free(text);
}
GST_END_TEST

static Suite *nvcodec_suite(void)
{
  Suite *suite = suite_create("nvcodec");
  TCase *tests = tcase_create("nvcodec");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, frames_are_those_of_the_host, 0, G_N_ELEMENTS(lines));
  return suite;
}

int main(int argc, char **argv)
{
  GstElementFactory *upload;

  gst_check_init(&argc, &argv);
  upload = gst_element_factory_find("cudaupload");
  if (upload == NULL) {
    g_print("no cudaupload here: GStreamer's plugin nvcodec is not installed\n");
    return 77;
  }
  gst_object_unref(upload);
  return gst_check_run_suite(nvcodec_suite(), "nvcodec", __FILE__);
}
