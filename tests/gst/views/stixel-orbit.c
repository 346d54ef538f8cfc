/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-orbit: what is drawn equals the stem called directly (tests/common/orbit proves that one),
 * of stixels and of pictures; how the eye goes around; refusals.
 */
#include <string.h>

#include "common/orbit/orbit.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define SMALL " ! capsfilter caps=video/x-raw,format=RGB,width=160,height=90"
#define BARE "stixel-orbit legend=none grid=false "

/* Takes the picture: of stixels, in colours. */
static void expect_view(GstBuffer *picture, gdouble azimuth, GstBuffer *stixels)
{
  const StxOrbitImpl *impl = stx_impl_pick(&stx_orbit_impls, STX_BACKEND_C);
  StxOrbitParams params = STX_ORBIT_DEFAULTS;
  StxOrbitScene scene = {
      .image = {obstacles_info.camera, 64, 48, 4, 100}, .colours = STX_QUAD_COLOURS_DEFAULTS};
  StxPlace place = {.threads = 1};
  g_autofree guint8 *bytes = g_malloc(160 * 90 * 3);
  StxFrame frame = {{bytes}, {480}};
  gpointer scratch;
  GstMapInfo map;

  params.width = 160, params.height = 90, params.format = stx_pixel_format("RGB");
  params.azimuth = azimuth, params.grid = false;
  gst_buffer_map(stixels, &map, GST_MAP_READ);
  scene.records = (const StxStixel *)(gpointer)map.data;
  scene.count = map.size / sizeof(StxStixel);
  scratch = g_aligned_alloc(1, impl->scratch_size(&params, scene.count, 1), STX_ALIGN);
  ck_assert(impl->draw(&params, &scene, &frame, scratch, &place, NULL));
  stx_test_expect_bytes(picture, bytes, 160 * 90 * 3, "view");
  g_aligned_free(scratch);
  gst_buffer_unmap(stixels, &map);
  gst_buffer_unref(picture);
}

/* 1.5 radians in a second, 10 frames in it. */
STX_TEST(stixels_give_what_the_stem_draws)
{
  g_auto(ScanFixture) fixture =
      scan_begin("stixel-orbit", BARE "azimuth=.35 orbit-speed=1.5" SMALL, OBSTACLES_CAPS);

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) stixels = obstacles_stixels(12, 13, i * OBSTACLES_FRAME);

    gst_harness_push(fixture.harness, gst_buffer_ref(stixels));
    expect_view(gst_harness_pull(fixture.harness), fmod(.35 + 1.5 * (i / 10.), 2 * G_PI), stixels);
  }
  stx_test_expect_silence(fixture.bus);
}

/* A picture all in one colour, and where no stixel is seen the background. */
static guint count_colour(GstBuffer *view, StxRgb colour)
{
  guint count = 0;
  GstMapInfo map;

  gst_buffer_map(view, &map, GST_MAP_READ);
  for (gsize i = 0; i + 2 < map.size; i += 3)
    count += memcmp(map.data + i, &colour, 3) == 0;
  gst_buffer_unmap(view, &map);
  gst_buffer_unref(view);
  return count;
}

STX_TEST(pictures_are_textures)
{
  g_auto(ScanFixture) fixture =
      scan_begin("stixel-orbit", BARE SMALL, OBSTACLES_VIDEO_CAPS(128, 48));
  const StxRgb pink = {200, 100, 150};

  for (guint texture = 0; texture < 2; texture++) {
    GstBuffer *picture = obstacles_picture(128, 48, 8, texture * OBSTACLES_FRAME);
    GstMapInfo map;
    guint seen;

    gst_buffer_map(picture, &map, GST_MAP_WRITE);
    for (gsize i = 0; i + 2 < map.size; i += 3)
      memcpy(map.data + i, &pink, 3);
    gst_buffer_unmap(picture, &map);
    g_object_set(fixture.element, "texture", (gboolean)texture, NULL);
    gst_harness_push(fixture.harness, picture);
    seen = count_colour(gst_harness_pull(fixture.harness), pink);
    fail_unless(texture ? seen > 300 : seen == 0, "%u pixels of the picture are seen", seen);
  }
  stx_test_expect_silence(fixture.bus);
}

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
