/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The camera on its way: set anywhere, it arrives whole; scaled, cut or refused, never lost. */
#include "tests/gst/fixtures/util.h"

#include <math.h>
#include <string.h>

/* ---- Running -------------------------------------------------------------------------------- */

typedef struct {
  GstCaps *caps;  /* of fakesink name=out */
  gchar *warning; /* the last one, or NULL */
  guint warnings;
} Outcome;

static void take_warning(GstMessage *message, Outcome *outcome)
{
  g_autoptr(GError) error = NULL;

  gst_message_parse_warning(message, &error, NULL);
  g_free(outcome->warning);
  outcome->warning = g_strdup(error->message);
  outcome->warnings++;
}

static void wait_for_the_end(GstElement *pipeline, const char *line, Outcome *outcome)
{
  const GstMessageType types = GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING;
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gboolean done = FALSE;

  while (!done) {
    g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, types);
    GError *error;

    ck_assert_msg(message != NULL, "no end: %s", line);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error(message, &error, NULL);
      ck_abort_msg("%s: %s", line, error->message);
    }
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
      take_warning(message, outcome);
    done = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  }
}

static Outcome run(const char *line)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_autoptr(GstElement) sink = NULL;
  Outcome outcome = {0};
  g_autoptr(GstPad) pad = NULL;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for_the_end(pipeline, line, &outcome);
  sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  pad = gst_element_get_static_pad(sink, "sink");
  outcome.caps = gst_pad_get_current_caps(pad);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return outcome;
}

static void end(Outcome *outcome)
{
  gst_caps_unref(outcome->caps);
  g_free(outcome->warning);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, end)

/* ---- Expectations --------------------------------------------------------------------------- */

/* NAN: the field is not there. */
static void expect(const Outcome *outcome, const char *field, gdouble value)
{
  const GstStructure *structure = gst_caps_get_structure(outcome->caps, 0);
  g_autofree gchar *text = gst_caps_to_string(outcome->caps);
  gdouble found = NAN;
  gint whole;

  if (gst_structure_get_int(structure, field, &whole))
    found = whole;
  else
    gst_structure_get_double(structure, field, &found);
  ck_assert_msg(isnan(value) ? !gst_structure_has_field(structure, field)
                             : fabs(found - value) <= 1e-9 * MAX(1, fabs(value)),
      "%s is %.12g, not %.12g: %s", field, found, value, text);
}

static void expect_camera(const Outcome *outcome, gdouble focal, gdouble cx, gdouble cy,
    gdouble baseline, gdouble height, gdouble pitch)
{
  expect(outcome, "camera-focal", focal);
  expect(outcome, "camera-cx", cx);
  expect(outcome, "camera-cy", cy);
  expect(outcome, "camera-baseline", baseline);
  expect(outcome, "camera-height", height);
  expect(outcome, "camera-pitch", pitch);
}

/* The pixels are those of the stream. */
static void expect_image(const Outcome *outcome, gint width, gint height)
{
  expect(outcome, "width", width);
  expect(outcome, "height", height);
  expect(outcome, "camera-image-width", width);
  expect(outcome, "camera-image-height", height);
}

static void expect_warning(const Outcome *outcome, const char *word)
{
  if (word == NULL)
    ck_assert_msg(outcome->warnings == 0, "a warning: %s", outcome->warning);
  else
    ck_assert_msg(outcome->warnings == 1 && strstr(outcome->warning, word) != NULL,
        "%u warnings, not one with \"%s\": %s", outcome->warnings, word, outcome->warning);
}

/* ---- Lines ---------------------------------------------------------------------------------- */

#define PICTURE "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,framerate=10/1,"
#define STREET(view, size)                                                                         \
  "street-scene-src view=" view " num-buffers=1 ! video/x-raw,format=GRAY8," size " "
#define TO_STIXELS " ! downsample-transpose ! sat-dp-stixels ! fakesink name=out "
#define TO_SEGMENTS " ! downsample-transpose ! rdp-columns ! fakesink name=out "
#define DISPARITY                                                                                  \
  "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE,width=124,height=38,framerate=10/1 "

/* The same done to both pictures on their way to the matcher. */
#define STEREO(sgm, source, change)                                                                \
  "stereo-sgm name=sgm max-disparity=128 " sgm TO_STIXELS " " source("left") change                \
      " ! sgm.sink_left " source("right") change " ! sgm.sink_right"
#define TEST_PICTURE(view) PICTURE "width=124,height=38 "
#define STREET_PICTURE(view) STREET(view, "width=124,height=38")
#define SCALED "! videoscale ! video/x-raw,width=62,height=19"

/* ---- Hops ----------------------------------------------------------------------------------- */

#define NUMBERS "focal=70 cx=60.5 cy=18.5 baseline=0.5 camera-height=1.5 camera-pitch=0.02 "

static const char *const hops[] = {
    STEREO(NUMBERS, TEST_PICTURE, ""),
    DISPARITY "! downsample-transpose " NUMBERS "! sat-dp-stixels ! fakesink name=out",
    DISPARITY "! downsample-transpose " NUMBERS "! rdp-columns ! fakesink name=out",
    "street-scene-src view=disparity num-buffers=1 " NUMBERS
    "! video/x-raw,width=124,height=38" TO_STIXELS,
    "street-scene-src view=disparity num-buffers=1 " NUMBERS
    "! video/x-raw,width=124,height=38" TO_SEGMENTS,
    "stereo-sgm name=sgm max-disparity=128 layout=side-by-side " NUMBERS
    "! queue ! downsample-transpose ! queue ! rdp-columns ! queue ! fakesink name=out " PICTURE
    "width=248,height=38 ! sgm.sink",
};

STX_TEST_LOOP(set_anywhere_it_arrives, G_N_ELEMENTS(hops))
{
  g_auto(Outcome) outcome = run(hops[_i]);

  expect_camera(&outcome, 70, 60.5, 18.5, .5, 1.5, .02);
  expect_image(&outcome, 124, 38);
  expect_warning(&outcome, NULL);
}

STX_TEST(nothing_is_made_up)
{
  Outcome outcome = run(DISPARITY TO_STIXELS);

  expect_camera(&outcome, NAN, NAN, NAN, NAN, NAN, NAN);
  expect(&outcome, "camera-image-width", NAN);
  end(&outcome);
  outcome = run(DISPARITY
      "! downsample-transpose focal=70 baseline=0.5 ! sat-dp-stixels ! fakesink name=out");
  expect_camera(&outcome, 70, NAN, NAN, .5, NAN, NAN);
  expect_image(&outcome, 124, 38);
  end(&outcome);
}

/* A value that no camera has takes back what was set, and is the default that one reads. */
STX_TEST(what_was_set_can_be_unset)
{
  Outcome outcome =
      run(DISPARITY "! downsample-transpose " NUMBERS "cx=7 cx=60.5 cy=0 cy=-1000000 cy=18.5 "
                    "camera-pitch=0 camera-pitch=-2 camera-pitch=0.02 "
                    "! sat-dp-stixels ! fakesink name=out");
  g_autoptr(GstElement) element = gst_element_factory_make("downsample-transpose", NULL);
  gdouble cx, pitch;

  expect_camera(&outcome, 70, 60.5, 18.5, .5, 1.5, .02);
  end(&outcome);
  g_object_get(element, "cx", &cx, "camera-pitch", &pitch, NULL);
  ck_assert(cx == -1e6 && pitch == -2);
}

/* 0 is a number like any other once it is set. */
STX_TEST(zero_can_be_said)
{
  Outcome outcome = run(DISPARITY "! downsample-transpose " NUMBERS
                                  "cx=0 cy=0 camera-pitch=0 ! sat-dp-stixels ! fakesink name=out");

  expect_camera(&outcome, 70, 0, 0, .5, 1.5, 0);
  end(&outcome);
  outcome = run("street-scene-src view=disparity num-buffers=1 cx=0 ! video/x-raw,width=124,"
                "height=38" TO_STIXELS);
  expect(&outcome, "camera-cx", 0);
  expect(&outcome, "camera-cy", .46 * 38); /* not set: the street's own */
  expect(&outcome, "camera-pitch", 0);
  end(&outcome);
}

/* Caps written by hand: whole numbers are ints there. */
STX_TEST(ints_are_numbers)
{
  g_auto(Outcome) outcome =
      run(DISPARITY "! capssetter caps=video/x-raw,camera-focal=70,camera-cx=60,"
                    "camera-cy=18,camera-baseline=(double)0.5" TO_STIXELS);

  expect_camera(&outcome, 70, 60, 18, .5, NAN, NAN);
  expect_image(&outcome, 124, 38);
}

/* ---- Scaled and cut -------------------------------------------------------------------------- */

/* The street's camera is .58 × width, the middle, and .46 × height. */
STX_TEST(videoscale_scales_the_camera)
{
  g_auto(Outcome) outcome = run(STEREO("", STREET_PICTURE, SCALED));

  expect_camera(&outcome, .58 * 62, (61.5 + .5) / 2 - .5, (.46 * 38 + .5) / 2 - .5, .54, 1.65, 0);
  expect_image(&outcome, 62, 19);
  expect_warning(&outcome, NULL); /* the stream carries its camera: that is what it is for */
}

STX_TEST(another_shape_is_refused)
{
  stx_test_breaks(STEREO("", STREET_PICTURE, "! videoscale ! video/x-raw,width=62,height=38"),
      "124x38", "62x38", "camera-crop-left", "camera-image-width", NULL);
  stx_test_breaks(
      STEREO("", STREET_PICTURE, "! videocrop top=8"), "124x38", "124x30", "camera-crop-", NULL);
}

#define CROPPED "! videocrop left=12 right=10 top=8 bottom=4"
#define CROPS "camera-crop-left=12 camera-crop-right=10 camera-crop-top=8 camera-crop-bottom=4 "

STX_TEST(a_crop_that_is_told_moves_the_principal_point)
{
  Outcome outcome = run(STEREO(CROPS, STREET_PICTURE, CROPPED));

  expect_camera(&outcome, .58 * 124, 61.5 - 12, .46 * 38 - 8, .54, 1.65, 0);
  expect_image(&outcome, 102, 26);
  expect_warning(&outcome, NULL);
  end(&outcome);
  outcome = run(STEREO("camera-crop-top=9", STREET_PICTURE, SCALED " ! videocrop top=9"));
  expect(&outcome, "camera-cy", (.46 * 38 + .5) / 2 - .5 - 9);
  expect_image(&outcome, 62, 10);
  end(&outcome);
  /* The sizes give a wrong crop away. */
  stx_test_breaks(STEREO("camera-crop-top=18", STREET_PICTURE, CROPPED), "124x38", "102x44", NULL);
}

STX_TEST(another_unit_is_refused)
{
  static const char map[] = "street-scene-src view=disparity num-buffers=1 ! "
                            "video/x-raw,width=124,height=38 ! downsample-transpose ";
  g_autofree gchar *from_caps = g_strconcat(map,
      "! capssetter caps=application/x-stixel-columns,camera-baseline=540.0 ! rdp-columns ! "
      "fakesink",
      NULL);

  stx_test_breaks(STEREO("baseline=50", STREET_PICTURE, ""), "properties: the baseline is 50 m",
      "50 mm are 0.05", NULL);
  stx_test_breaks(from_caps, "caps: the baseline is 540 m", "540 mm are 0.54", "camera-", NULL);
}

/* While the stream is under way, a number that no camera has leaves what was set before. */
STX_TEST(another_unit_is_refused_while_it_plays)
{
  static const char *const names[] = {"baseline", "camera-height", "camera-pitch"};
  g_autoptr(GstElement) element = gst_element_factory_make("stereo-sgm", NULL);
  g_autoptr(Watch) bus = stx_test_watch(element);

  g_object_set(element, "baseline", .5, "camera-height", 1.2, "camera-pitch", .1, NULL);
  gst_element_set_state(element, GST_STATE_PAUSED);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    gdouble before, after;

    g_object_get(element, names[i], &before, NULL);
    g_object_set(element, names[i], i < 2 ? 700. : 1.5, NULL);
    g_object_get(element, names[i], &after, NULL);
    ck_assert(before == after);
    stx_test_expect_warning(bus, i == 0 ? "baseline is 700 m" : i == 1 ? "700 m" : "1.5 rad");
  }
  g_object_set(element, "baseline", .6, NULL);
  stx_test_expect_silence(bus);
  gst_element_set_state(element, GST_STATE_NULL);
}

/* Scalers leave disparities as they are: wrong by two, whatever is done to the camera. */
STX_TEST(what_was_computed_cannot_be_scaled)
{
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! video/x-raw,width=124,height=38 "
                  "! videoscale ! video/x-raw,width=62,height=19" TO_STIXELS,
      "124x38", "62x19", "stereo-sgm", NULL);
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! video/x-raw,width=124,height=38 "
                  "! downsample-transpose ! capssetter caps=application/x-stixel-columns,"
                  "camera-image-width=248 ! rdp-columns ! fakesink",
      "248x38", "124x38", NULL);
  /* Nor does it help to say what the caps say already. */
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! video/x-raw,width=124,height=38 "
                  "! videoscale ! video/x-raw,width=62,height=19 ! downsample-transpose "
                  "camera-image-width=124 camera-image-height=38 ! fakesink",
      "124x38", "62x19", "stereo-sgm", NULL);
}

/* The caps' numbers are of one size, the single one of another, the stream has a third. */
STX_TEST(numbers_of_several_sizes_come_together)
{
  Outcome outcome =
      run(STEREO("camera-image-width=248 camera-image-height=76 cx=100", STREET_PICTURE, SCALED));

  expect_camera(&outcome, .58 * 62, 100.5 / 4 - .5, (.46 * 38 + .5) / 2 - .5, .54, 1.65, 0);
  expect_image(&outcome, 62, 19);
  expect_warning(&outcome, NULL);
  end(&outcome);
  stx_test_breaks(
      STEREO("camera-image-width=248 camera-image-height=200 cx=100", STREET_PICTURE, SCALED),
      "camera-image-width and -height", "124x38", "248x200", NULL);
  /* The principal point from the caps, the focal length not: */
  outcome = run(STEREO("focal=50", STREET_PICTURE, SCALED));
  expect_camera(&outcome, 50, (61.5 + .5) / 2 - .5, (.46 * 38 + .5) / 2 - .5, .54, 1.65, 0);
  end(&outcome);
  outcome = run(PICTURE "width=248,height=38 ! capssetter caps=video/x-raw,camera-cx=124.5,"
                        "camera-cy=36.5,camera-image-width=248,camera-image-height=76 ! stereo-sgm "
                        "max-disparity=64 layout=side-by-side focal=50 ! fakesink name=out");
  expect_camera(&outcome, 50, 62, 18, NAN, NAN, NAN);
  end(&outcome);
  outcome = run(STEREO("focal=50 cx=30 cy=9", STREET_PICTURE, SCALED " ! videocrop top=2"));
  expect_camera(&outcome, 50, 30, 9, .54, 1.65, 0); /* of what comes here: nothing to fit */
  end(&outcome);
}

/* Cut they may be: the values stay true. */
STX_TEST(what_was_computed_may_be_cut)
{
  g_auto(Outcome) outcome =
      run("street-scene-src view=disparity num-buffers=1 ! video/x-raw,width=124,height=38 ! "
          "videocrop left=12 right=8 top=3 bottom=2 ! downsample-transpose camera-crop-left=12 "
          "camera-crop-right=8 camera-crop-top=3 camera-crop-bottom=2 ! sat-dp-stixels ! "
          "fakesink name=out");

  expect(&outcome, "camera-focal", .58 * 124);
  expect(&outcome, "camera-cx", 61.5 - 12);
  expect(&outcome, "camera-cy", .46 * 38 - 3);
  expect_image(&outcome, 104, 33);
}

/* ---- Files ----------------------------------------------------------------------------------- */

#define KITTI_RAW                                                                                  \
  "S_rect_02: 1.240000e+02 3.800000e+01\n"                                                         \
  "P_rect_02: 70 0 61.5 0 0 70 17.5 0 0 0 1 0\nP_rect_03: 70 0 61.5 -35 0 70 17.5 0 0 0 1 0\n"
#define KITTI "P2: 70 0 61.5 0 0 70 17.5 0 0 0 1 0\nP3: 70 0 61.5 -35 0 70 17.5 0 0 0 1 0\n"

/* A line with this file in place of %s. */
static Outcome run_with(const char *text, const char *before, const char *after)
{
  g_autofree gchar *line = g_strconcat(before, "camera.txt", after, NULL);

  stx_test_write("camera.txt", text);
  return run(line);
}

static void breaks_with(const char *text, const char *before, const char *after, const char *one,
    const char *two, const char *cure)
{
  g_autofree gchar *line = g_strconcat(before, "camera.txt", after, NULL);

  stx_test_write("camera.txt", text);
  stx_test_breaks(line, one, two, cure, NULL);
}

#define SGM "stereo-sgm name=sgm max-disparity=64 calibration="
#define VIEWS(size) TO_STIXELS PICTURE size " ! sgm.sink_left " PICTURE size " ! sgm.sink_right"
#define WHOLE VIEWS("width=124,height=38")
#define HALF VIEWS("width=62,height=19")

STX_TEST(a_file_of_this_size_is_taken)
{
  Outcome outcome = run_with(KITTI_RAW, SGM, WHOLE);

  expect_camera(&outcome, 70, 61.5, 17.5, .5, 1.65, NAN);
  expect_warning(&outcome, NULL);
  end(&outcome);
  outcome = run_with(KITTI, SGM, WHOLE);
  expect_camera(&outcome, 70, 61.5, 17.5, .5, 1.65, NAN);
  expect_image(&outcome, 124, 38);
  expect_warning(&outcome, NULL);
  end(&outcome);
}

STX_TEST(a_file_of_another_size_is_scaled_aloud)
{
  Outcome outcome = run_with(KITTI_RAW, SGM, HALF);

  expect_camera(&outcome, 35, 30.5, 8.5, .5, 1.65, NAN);
  expect_image(&outcome, 62, 19);
  expect_warning(&outcome, "124x38 was scaled by 0.5 to this one's 62x19");
  end(&outcome);
  outcome = run_with(KITTI, SGM, " camera-image-width=124 camera-image-height=38" HALF);
  expect_camera(&outcome, 35, 30.5, 8.5, .5, 1.65, NAN);
  expect_warning(&outcome, NULL); /* they know */
  end(&outcome);
  outcome = run_with(KITTI_RAW "S_rect_02: 248 76\n",
      DISPARITY "! downsample-transpose calibration=", " ! rdp-columns ! fakesink name=out");
  expect_warning(&outcome, "Disparities are taken for pixels of this size");
  end(&outcome);
  outcome = run_with(KITTI_RAW, DISPARITY "! downsample-transpose calibration=",
      " camera-image-width=248 "
      "camera-image-height=76 cx=100 ! sat-dp-stixels ! fakesink name=out");
  expect_camera(&outcome, 35, 49.75, 8.5, .5, 1.65, NAN);
  end(&outcome);
}

STX_TEST(a_file_of_other_pictures_is_refused)
{
  breaks_with(KITTI_RAW, SGM, VIEWS("width=124,height=100"), "124x38", "124x100",
      "camera-crop-left, -right, -top, -bottom as in videocrop; if it is of another size, "
      "camera-image-width and -height");
  breaks_with(KITTI, SGM, HALF, "about 124x36", "62x19", "camera-image-width and -height");
  breaks_with(KITTI,
      DISPARITY "! downsample-transpose calibration=", " camera-image-width=124 ! fakesink",
      "camera-image-width is 124", "camera-image-height 0", "set both");
  breaks_with(KITTI_RAW, "street-scene-src num-buffers=1 calibration=",
      " ! video/x-raw,width=124,height=60 ! fakesink", "124x38", "124x60", "that shape");
}

STX_TEST(a_principal_point_far_from_the_middle_is_told)
{
  Outcome outcome = run_with(KITTI, SGM, VIEWS("width=124,height=76"));

  expect_camera(&outcome, 70, 61.5, 17.5, .5, 1.65, NAN);
  expect_warning(&outcome, "(61.5, 17.5) is far from the middle of 124x76");
  end(&outcome);
  /* So is one in caps that name no size, or half of one. */
  outcome = run(DISPARITY "! capssetter caps=video/x-raw,camera-focal=70,camera-cx=61.5,"
                          "camera-cy=30.0,camera-image-width=124" TO_SEGMENTS);
  expect_warning(&outcome, "(61.5, 30) is far from the middle of 124x38");
  expect_image(&outcome, 124, 38);
  end(&outcome);
  /* So are properties of pictures of twice the size. */
  outcome = run(DISPARITY "! downsample-transpose focal=140 cx=123 cy=37 "
                          "! rdp-columns ! fakesink name=out");
  expect_warning(&outcome, "about 247x75; this one has 124x38. If focal, cx and cy are of that");
  end(&outcome);
}

/* The street at half of the file's size is the file's street at half of its size. */
STX_TEST(the_street_takes_a_file_of_another_size)
{
  g_auto(Outcome) outcome =
      run_with(KITTI_RAW, "street-scene-src view=disparity num-buffers=1 calibration=",
          " ! video/x-raw,width=62,height=19" TO_STIXELS);

  expect_camera(&outcome, 35, 30.5, 8.5, .5, 1.65, 0);
  expect_warning(&outcome, "scaled by 0.5");
}
