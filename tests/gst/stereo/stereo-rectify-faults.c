/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify with calibrations that are wrong: what the user of a pipeline reads. */
#include <stdlib.h>
#include <string.h>

#include "tests/common/calibration/calibration_case.h"
#include "tests/common/calibration/calibration_faults.h"
#include "tests/gst/fixtures/rectify_rig.h"

/* The text of the first error. */
static char *error_of(GstBus *bus)
{
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  g_autoptr(GError) error = NULL;
  char *text;

  fail_unless(message != NULL, "no error");
  gst_message_parse_error(message, &error, NULL);
  text = g_strdup(error->message);
  return text;
}

static void expect_words(const CalibrationFault *fault, const char *text)
{
  for (const char *const *word = fault->words; *word != NULL; word++)
    fail_unless(strstr(text, *word) != NULL, "%s, %s: \"%s\" not in \"%s\"", fault->format,
        fault->fault, *word, text);
  fail_unless(strstr(text, "stereo-rectify.yml") != NULL, "no file in \"%s\"", text);
}

/* Before anything flows. */
STX_TEST_LOOP(says_what_is_wrong_with_a_file, calibration_fault_count)
{
  const CalibrationFault *fault = &calibration_faults[_i];
  char *calibration = calibration_fault_text(fault);
  g_autofree char *text = NULL;
  g_auto(StereoPair) rig = rectify_rig(calibration);

  if (fault->second != NULL) {
    stx_test_write("stereo-rectify.yml.right", fault->second);
    g_object_set(rig.element, "calibration-right", "stereo-rectify.yml.right", NULL);
  }
  fail_unless_equals_int(
      gst_element_set_state(rig.element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  text = error_of(rig.bus);
  expect_words(fault, text);
  free(calibration);
}

/* Pictures that come are of another shape than the file says, which is good by itself. */
STX_TEST(says_that_pictures_are_of_another_shape)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(CASE_KALIBR);

  rectify_set_caps(rig.right, "GRAY8", 640, 360);
  stx_test_expect_error(rig.bus, ":20: cam1: \"resolution\"", "640x360", "640x480",
      "the camera's mode that was calibrated", NULL);
}

/* Pictures are smaller than those of a file that does not say its size. */
STX_TEST(says_that_pictures_are_smaller)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(CASE_INTRINSICS CASE_POSE);

  rectify_set_caps(rig.left, "GRAY8", 160, 120);
  stx_test_expect_error(rig.bus, ":3: \"M1\"", "(320.5, 240.25)", "160x120", "image_width", NULL);
}
