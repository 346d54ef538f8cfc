/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-obstacles with speed and yaw-rate: a motion on the frames that bring none, set for each
 * frame by a controller, too. */
#include <gst/controller/controller.h>
#include <math.h>

#include "tests/gst/fixtures/obstacles_fixture.h"

#define GIVEN "stixel-obstacles speed=10"
#define RECORDS " ! capsfilter caps=application/x-obstacles"

static void expect_near(gfloat value, gfloat expected, gfloat tolerance)
{
  ck_assert_msg(fabsf(value - expected) <= tolerance, "%g, expected %g", value, expected);
}

/* The camera's motion and the box's, as the output has them. */
typedef struct {
  StxMotion motion;
  GstClockTime interval;
  StxVelocity box;
} Given;

static Given given(Stage *fixture, GstBuffer *stixels)
{
  g_autoptr(GstBuffer) out = obstacles_run(fixture, stixels);
  const GstStxMotionMeta *motion = gst_buffer_get_stx_motion_meta(out);
  const GstStxVelocitiesMeta *velocities = gst_buffer_get_stx_velocities_meta(out);
  Given found;

  fail_unless(motion != NULL && velocities != NULL);
  ck_assert_uint_eq(gst_buffer_get_n_meta(out, gst_stx_motion_meta_api_get_type()), 1);
  found = (Given){.motion = motion->motion, .interval = motion->interval};
  ck_assert_uint_eq(motion->motion.points + motion->motion.agree, 0);
  ck_assert_uint_eq(
      gst_buffer_extract(velocities->obstacles, 0, &found.box, sizeof found.box), sizeof found.box);
  return found;
}

static GstBuffer *box_at(gdouble distance, guint frame)
{
  return obstacles_stixels(distance, 13, frame * OBSTACLES_FRAME);
}

/* The camera goes towards a box that stands; frames bring no motion, or one that was not found. */
STX_TEST_LOOP(speed_and_yaw_rate_are_a_motion_of_the_frame, 4)
{
  g_auto(Stage) fixture = obstacles_begin(_i % 2 ? GIVEN RECORDS : GIVEN, OBSTACLES_CAPS);
  const StxMotion none = {.state = STX_MOTION_TOO_FEW};
  Given found;

  for (guint i = 0; i < 8; i++) {
    GstBuffer *stixels = box_at(14 - i, i);

    if (_i > 1)
      gst_buffer_add_stx_motion_meta(stixels, &none, OBSTACLES_FRAME, NULL, 0, 0);
    found = given(&fixture, stixels);
    ck_assert_int_eq(found.motion.state, i > 0 ? STX_MOTION_KNOWN : STX_MOTION_FIRST);
    ck_assert_uint_eq(found.interval, i > 0 ? OBSTACLES_FRAME : GST_CLOCK_TIME_NONE);
  }
  expect_near((gfloat)found.motion.translation[2], -1, 1e-6f);
  ck_assert_int_eq(found.box.moves, STX_MOVES_NOT);
  expect_near(found.box.z, 0, .2f);
  expect_near(found.box.x, 0, .2f);
  g_object_set(fixture.element, "yaw-rate", .5, NULL);
  found = given(&fixture, box_at(6, 8));
  expect_near((gfloat)found.motion.rotation[2], -sinf(.05f), 1e-6f);
  expect_near((gfloat)found.motion.translation[0], sinf(.025f), 1e-6f);
  stx_test_expect_silence(fixture.bus);
}

STX_TEST(a_motion_that_was_found_stays)
{
  static const StxMotion ahead = {.state = STX_MOTION_KNOWN,
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .translation = {0, 0, -.5}};
  g_auto(Stage) fixture = obstacles_begin(GIVEN, OBSTACLES_CAPS);

  for (guint i = 0; i < 2; i++) {
    GstBuffer *stixels = box_at(12 - .5 * i, i);

    gst_buffer_add_stx_motion_meta(stixels, &ahead, OBSTACLES_FRAME, NULL, 0, 0);
    expect_near((gfloat)given(&fixture, stixels).motion.translation[2], -.5f, 0);
  }
}

/* The camera starts with 10 m/s² and the box stands: each frame has the speed of its time. */
STX_TEST(a_controller_sets_the_speed_of_each_frame)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
  g_autoptr(GstControlSource) ramp = gst_interpolation_control_source_new();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(ramp);
  gdouble distance = 12;

  g_object_set(ramp, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  gst_timed_value_control_source_set(values, 0, 0);
  gst_timed_value_control_source_set(values, 10 * OBSTACLES_FRAME, 10);
  fail_unless(gst_object_add_control_binding(GST_OBJECT(fixture.element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(fixture.element), "speed", ramp)));
  for (guint i = 0; i <= 10; i++) {
    Given found;

    distance -= .1 * i;
    found = given(&fixture, box_at(distance, i));
    if (i > 0)
      expect_near((gfloat)found.motion.translation[2], (gfloat)(-.1 * i), 1e-5f);
    if (i > 6)
      expect_near(found.box.z, 0, .3f);
  }
}

/* GObject warns of the property and the value; what was set before stays. */
STX_TEST(a_speed_that_is_none_is_refused)
{
  static const gdouble none[] = {101, -2, INFINITY, -INFINITY, NAN};
  static const char *const names[] = {"speed", "yaw-rate"};
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);

  for (guint i = 0; i < 2 * G_N_ELEMENTS(none); i++) {
    const char *name = names[i % 2];
    gdouble value = none[i / 2] * (i % 2 > 0 && i / 2 < 2 ? 4 : 1);

    g_object_set(fixture.element, name, .5, NULL);
    STX_ASSERT_REFUSED(g_object_set(fixture.element, name, value, NULL));
    g_object_get(fixture.element, name, &value, NULL);
    fail_unless(value == .5);
  }
}
