/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without CUDA: nobody is offered a GPU, and who insists on one is told why. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "tests/gst/fixtures/util.h"

static void expect_no_rectification(void)
{
  gchar *path = g_strdup_printf("%s/no-cuda-%d.yml", g_get_tmp_dir(), (int)getpid());
  gchar *line = g_strdup_printf("street-scene-src view=left ! r.sink_left stereo-rectify name=r "
                                "backend=cuda calibration=%s ! fakesink",
      path);

  fail_unless(g_file_set_contents(path,
      "K1: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD1: [0, 0, 0, 0]\n"
      "K2: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD2: [0, 0, 0, 0]\n"
      "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.2, 0, 0]\n",
      -1, NULL));
  stx_test_breaks(line, "this build has no CUDA", "auto, omp or c", NULL);
  g_remove(path);
  g_free(line);
  g_free(path);
}

GST_START_TEST(says_that_the_build_has_none)
{
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose backend=cuda ! fakesink",
      "this build has no CUDA", "auto, omp or c", NULL);
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose ! sat-dp-stixels "
                  "backend=cuda ! fakesink",
      "this build has no CUDA", "auto, omp or c", NULL);
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose ! rdp-columns "
                  "backend=cuda ! fakesink",
      "this build has no CUDA", "auto, omp or c", NULL);
  stx_test_breaks("street-scene-src view=lidar ! lidar-ground backend=cuda ! fakesink",
      "this build has no CUDA", "auto, omp or c", NULL);
  expect_no_rectification();
}
GST_END_TEST

GST_START_TEST(offers_system_memory_only)
{
  GstHarness *harness = gst_harness_new("downsample-transpose");
  GstCaps *caps = gst_pad_peer_query_caps(harness->srcpad, NULL);

  ck_assert_uint_eq(gst_caps_get_size(caps), 1);
  ck_assert(gst_caps_features_is_equal(
      gst_caps_get_features(caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  gst_caps_unref(caps);
  gst_harness_teardown(harness);
}
GST_END_TEST

static Suite *no_cuda_suite(void)
{
  Suite *suite = suite_create("no-cuda");
  TCase *tests = tcase_create("no-cuda");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, says_that_the_build_has_none);
  tcase_add_test(tests, offers_system_memory_only);
  return suite;
}
GST_CHECK_MAIN(no_cuda)
