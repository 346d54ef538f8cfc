/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify with calibrations that are wrong: what the user of a pipeline reads. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/calibration/calibration_case.h"
#include "tests/common/calibration/calibration_faults.h"
#include "tests/gst/fixtures/rectify_rig.h"

/* The text of the first error. */
static char *error_of(GstBus *bus)
{
  GstMessage *message = gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  GError *error = NULL;
  char *text;

  fail_unless(message != NULL, "no error");
  gst_message_parse_error(message, &error, NULL);
  text = g_strdup(error->message);
  g_error_free(error);
  gst_message_unref(message);
  return text;
}

static void expect_words(const CalibrationFault *fault, const char *text)
{
  for (const char *const *word = fault->words; *word != NULL; word++)
    fail_unless(strstr(text, *word) != NULL, "%s, %s: \"%s\" not in \"%s\"", fault->format,
        fault->fault, *word, text);
  fail_unless(strstr(text, "stereo-rectify-") != NULL, "no file in \"%s\"", text);
}

/* Before anything flows. */
GST_START_TEST(says_what_is_wrong_with_a_file)
{
  const CalibrationFault *fault = &calibration_faults[__i__];
  char *calibration = calibration_fault_text(fault), *text;
  RectifyRig rig = rectify_rig(calibration);
  char *right = g_strdup_printf("%s.right", rig.path);

  if (fault->second != NULL) {
    fail_unless(g_file_set_contents(right, fault->second, -1, NULL));
    g_object_set(rig.element, "calibration-right", right, NULL);
  }
  fail_unless_equals_int(
      gst_element_set_state(rig.element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  text = error_of(rig.bus);
  expect_words(fault, text);
  g_free(text);
  g_remove(right);
  g_free(right);
  rectify_rig_free(&rig);
  free(calibration);
}
GST_END_TEST;

/* Pictures that come are of another shape than the file says, which is good by itself. */
GST_START_TEST(says_that_pictures_are_of_another_shape)
{
  RectifyRig rig = rectify_rig_of_two_pads(CASE_KALIBR);

  rectify_set_caps(rig.right, "GRAY8", 640, 360);
  stx_test_expect_error(rig.bus, ":20: cam1: \"resolution\"", "640x360", "640x480",
      "the camera's mode that was calibrated", NULL);
  rectify_rig_free(&rig);
}
GST_END_TEST;

/* Pictures are smaller than those of a file that does not say its size. */
GST_START_TEST(says_that_pictures_are_smaller)
{
  RectifyRig rig = rectify_rig_of_two_pads(CASE_INTRINSICS CASE_POSE);

  rectify_set_caps(rig.left, "GRAY8", 160, 120);
  stx_test_expect_error(rig.bus, ":3: \"M1\"", "(320.5, 240.25)", "160x120", "image_width", NULL);
  rectify_rig_free(&rig);
}
GST_END_TEST;

static Suite *stereo_rectify_faults_suite(void)
{
  Suite *suite = suite_create("stereo-rectify-faults");
  TCase *tests = tcase_create("stereo-rectify-faults");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, says_what_is_wrong_with_a_file, 0, (int)calibration_fault_count);
  tcase_add_test(tests, says_that_pictures_are_of_another_shape);
  tcase_add_test(tests, says_that_pictures_are_smaller);
  return suite;
}

GST_CHECK_MAIN(stereo_rectify_faults)
