/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-orbit: what is refused. What is drawn: tests/frames and tests/common/orbit.
 */
#include <string.h>

#include "common/orbit/orbit.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define SMALL " ! capsfilter caps=video/x-raw,format=RGB,width=160,height=90"

/* One warning for all of them, and no view. */
STX_TEST(pictures_without_stixels)
{
  g_auto(ScanFixture) fixture =
      scan_begin("stixel-orbit", "stixel-orbit" SMALL, OBSTACLES_VIDEO_CAPS(64, 48));

  for (guint i = 0; i < 3; i++)
    gst_harness_push(fixture.harness, gst_buffer_new_and_alloc(64 * 48 * 3));
  ck_assert(gst_harness_try_pull(fixture.harness) == NULL);
  stx_test_expect_warning(fixture.bus, "has no stixels");
}

STX_TEST(a_camera_is_needed)
{
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! downsample-transpose ! "
                  "sat-dp-stixels ! capssetter caps=application/x-stixels,width=640,height=192,"
                  "stixel-width=8,columns=80 replace=true ! stixel-orbit ! fakesink",
      "an orbiting view is in metres", "focal length, baseline, cx, cy", NULL);
}
