/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* road-hazards: what it finds of the street hangs on the left picture, and what it refuses. */
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>
#include <stdlib.h>

#define VIEW(view, more)                                                                           \
  " street-scene-src scene=hazards seed=4 view=" view " num-buffers=2 ! "                          \
  "video/x-raw,width=640,height=240" more " ! "
#define GRAY ",format=GRAY8"
#define PAIR VIEW("left", GRAY) "h.sink_left" VIEW("right", GRAY) "h.sink_right"
#define LINE(more)                                                                                 \
  "road-hazards name=h " more " ! fakesink name=out " PAIR VIEW("disparity", "") "h.disparity"

typedef struct {
  guint frames, small, holes, regions;
  gboolean has_camera;
} Seen;

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *picture = GST_PAD_PROBE_INFO_BUFFER(info);
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(picture);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  gpointer state = NULL;
  Seen *seen = data;
  GstMapInfo map;

  seen->frames++;
  seen->has_camera = gst_structure_has_field(gst_caps_get_structure(caps, 0), "camera-focal");
  fail_unless(meta != NULL, "no meta");
  ck_assert_uint_eq(meta->info.width, 640);
  fail_unless(gst_buffer_map(meta->obstacles, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size / sizeof(StxObstacle); i++) {
    const StxObstacle *r = (const StxObstacle *)(gpointer)map.data + i;

    if (!stx_obstacle_is_hazard(r))
      continue;
    seen->small += (r->flags & STX_OBSTACLE_SMALL) != 0;
    seen->holes += (r->flags & STX_OBSTACLE_HOLE) != 0;
    ck_assert(r->z > 0 && r->z <= 20 && r->right < 640 && r->bottom < 240);
    ck_assert((r->height < 0) == ((r->flags & STX_OBSTACLE_HOLE) != 0));
  }
  while (gst_buffer_iterate_meta_filtered(
             picture, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) != NULL)
    seen->regions++;
  gst_buffer_unmap(meta->obstacles, &map);
  return GST_PAD_PROBE_OK;
}

static Seen run(const char *line, const char *element, const char *pad)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  Seen seen = {0};

  stx_test_probe(pipeline, element, pad, GST_PAD_PROBE_TYPE_BUFFER, look, &seen);
  stx_test_play(pipeline);
  return seen;
}

STX_TEST(what_is_found_hangs_on_the_left_picture)
{
  Seen seen = run(LINE(""), "out", "sink");

  ck_assert_uint_eq(seen.frames, 2);
  ck_assert(seen.has_camera);
  ck_assert_uint_gt(seen.small + seen.holes, 1);
  ck_assert_uint_eq(seen.regions, seen.small + seen.holes);
}

/* Nothing convinces it, and nothing is there to be seen so near. */
STX_TEST(properties_count)
{
  Seen seen = run(LINE("evidence=2000"), "out", "sink");

  ck_assert_uint_eq(seen.small + seen.holes, 0);
  seen = run(LINE("max-distance=3"), "out", "sink");
  ck_assert_uint_eq(seen.small + seen.holes, 0);
}

/* stixel-obstacles keeps them beside its own. */
STX_TEST(stixel_obstacles_keeps_them)
{
  Seen seen =
      run("road-hazards name=h ! o.sink stixel-overlay name=o ! stixel-obstacles "
          "! fakesink name=out" VIEW("left", ",format=RGB") "h.sink_left" VIEW(
              "right", GRAY) "h.sink_right" VIEW("disparity",
              "") "tee name=d ! queue ! "
                  "h.disparity d. ! queue ! downsample-transpose ! sat-dp-stixels ! o.stixels",
          "out", "sink");

  ck_assert_uint_gt(seen.small + seen.holes, 0);
}

STX_TEST(sizes_must_agree)
{
  stx_test_breaks("road-hazards name=h ! fakesink " PAIR
                  " street-scene-src view=disparity num-buffers=2 ! "
                  "video/x-raw,width=320,height=120 ! h.disparity",
      "pad sink_left has pictures of 640 x 240 pixels", "320 x 120", NULL);
}

STX_TEST(the_camera_must_be_known)
{
  stx_test_breaks("road-hazards name=h ! fakesink"
                  " videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8 ! h.sink_left"
                  " videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8 ! h.sink_right"
                  " videotestsrc num-buffers=2 ! video/x-raw,format=GRAY16_LE ! h.disparity",
      "of the camera is unknown: focal length", "calibration", NULL);
}

/* A picture of colours goes on as it came; its luma is that of the gray one. */
STX_TEST(colours_will_do)
{
  Seen gray = run(LINE(""), "out", "sink");
  Seen colours =
      run("road-hazards name=h ! fakesink name=out" VIEW("left", ",format=RGB") "h.sink_left" VIEW(
              "right", ",format=RGB") "h.sink_right" VIEW("disparity", "") "h.disparity",
          "out", "sink");

  ck_assert_int_le(abs((gint)(gray.small + gray.holes) - (gint)(colours.small + colours.holes)), 2);
  ck_assert_uint_gt(colours.small + colours.holes, 1);
}

STX_TEST(depths_are_refused)
{
  stx_test_breaks("road-hazards name=h ! fakesink " PAIR VIEW(
                      "disparity", "") "capssetter caps=video/x-raw,disparity-encoding=depth-mm ! "
                                       "h.disparity",
      "pad disparity", "stereo-sgm", NULL);
}

STX_TEST(limits_that_cross_are_refused)
{
  stx_test_breaks(LINE("min-height=1 max-height=0.5"), "min_height is 1 m",
      "at most max_height, which is 0.5 m", NULL);
}
