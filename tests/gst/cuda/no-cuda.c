/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without CUDA: no element offers a GPU, and backend=cuda is an error with the reason. */
#include "tests/gst/fixtures/util.h"

STX_TEST(says_that_the_build_has_none)
{
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose backend=cuda ! fakesink",
      "this build has no CUDA", "auto or omp", NULL);
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose ! sat-dp-stixels "
                  "backend=cuda ! fakesink",
      "this build has no CUDA", "auto or omp", NULL);
  stx_test_breaks("street-scene-src view=disparity ! downsample-transpose ! rdp-columns "
                  "backend=cuda ! fakesink",
      "this build has no CUDA", "auto or omp", NULL);
  stx_test_breaks("street-scene-src view=lidar ! lidar-ground backend=cuda ! fakesink",
      "this build has no CUDA", "auto or omp", NULL);
  stx_test_write("pair.yml", "K1: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD1: [0, 0, 0, 0]\n"
                             "K2: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD2: [0, 0, 0, 0]\n"
                             "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.2, 0, 0]\n");
  stx_test_breaks("street-scene-src view=left ! r.sink_left stereo-rectify name=r backend=cuda "
                  "calibration=pair.yml ! fakesink",
      "this build has no CUDA", "auto or omp", NULL);
}

STX_TEST(offers_system_memory_only)
{
  g_autoptr(Harness) harness = gst_harness_new("downsample-transpose");
  g_autoptr(GstCaps) caps = gst_pad_peer_query_caps(harness->srcpad, NULL);

  ck_assert_uint_eq(gst_caps_get_size(caps), 2); /* pictures and tensors */
  for (guint i = 0; i < 2; i++)
    ck_assert(gst_caps_features_is_equal(
        gst_caps_get_features(caps, i), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
}
