/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without CUDA: nobody is offered a GPU, and who insists on one is told why. */
#include "tests/gst/fixtures/util.h"

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
