/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* downsample-transpose refuses what does not fit. What comes out: tests/frames/records.txt. */
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define FRAME (100 * GST_MSECOND) /* at 10 frames per second */

/* The element with these caps, and with a second pad that has brought so many bytes. */
static Stage begin(
    const char *line, const char *caps, const char *pad, const char *pad_caps, gsize bytes)
{
  Stage stage = stx_test_stage("downsample-transpose", line, caps);

  if (pad != NULL) {
    stage.side = gst_harness_new_with_element(stage.element, pad, NULL);
    gst_harness_set_src_caps_str(stage.side, pad_caps);
    gst_harness_push(stage.side, stx_test_buffer(bytes, 0, 0, FRAME));
  }
  return stage;
}

#define GRAY16 "video/x-raw,format=GRAY16_LE,width=19,height=19,framerate=10/1"
#define TENSOR "other/tensors,format=static,num_tensors=1,types=uint8,dimensions=(string)"

static const struct {
  const char *line, *disparity, *pad, *caps;
  const char *words[3];
} refusals[] = {
    {"", "video/x-raw,format=GRAY8,width=19,height=19", NULL, NULL,
        {"GRAY8", "GRAY16_LE", "GRAY16_BE ! videoconvert"}},
    {"", "video/x-raw,format=RGB,width=19,height=19", NULL, NULL, {"RGB", "GRAY16_LE", "pngdec"}},
    {"", "audio/x-raw", NULL, NULL, {"audio/x-raw", "GRAY16_LE", "disparity"}},
    {"", GRAY16, "confidence", "video/x-raw,format=GRAY8,width=20,height=19",
        {"confidence", "20x19", "19x19"}},
    {"", GRAY16, "semantics", "video/x-raw,format=GRAY8,width=19,height=10",
        {"label image", "19x10", "19x19"}},
    {"", GRAY16, "semantics", "video/x-raw,format=RGB,width=19,height=19",
        {"semantics", "RGB", "GRAY8"}},
    {"", GRAY16, "semantics", TENSOR "19:19:19:1", {"19:19:19", "planar", "interleaved"}},
    {"", GRAY16, "semantics", TENSOR "5:20:19:1", {"5:20:19:1", "19x19", "19:19:C:1"}},
    {"", GRAY16, "semantics", TENSOR "5:10:19:1", {"5:10:19:1", "19x19", "1/2"}},
    {"", GRAY16, "semantics", TENSOR "5:9:9:1", {"5:9:9:1", "19x19", "1/2"}},
    {"", GRAY16, "semantics", TENSOR "5:2:2:1", {"5:2:2:1", "19x19", "1/8"}},
    {"", GRAY16, "semantics", TENSOR "10:10:10:1", {"10:10:10", "planar", "interleaved"}},
    {"", GRAY16, "semantics", TENSOR "33:19:19:1", {"33 classes", "32", ""}},
    {"", GRAY16, "semantics", TENSOR "19:19", {"dimensions=19:19", "W:H:C:1", ""}},
    {"", GRAY16, "semantics", TENSOR "5:19:19:2", {"5:19:19:2", "W:H:C:1", ""}},
    {"", GRAY16, "semantics",
        "other/tensors,num_tensors=1,types=int32,dimensions=(string)5:19:19:1",
        {"types=int32", "uint8, int8, float16 or float32", ""}},
    {"", GRAY16, "semantics",
        "other/tensors,num_tensors=1,types=int16,dimensions=(string)5:19:19:1",
        {"types=int16", "uint8, int8, float16 or float32", ""}},
    {"", GRAY16, "semantics", "other/tensors,num_tensors=2,types=uint8", {"2 tensors", "", ""}},
    {"", GRAY16, "semantics", "other/tensors,num_tensors=1,format=flexible",
        {"flexible", "static", ""}},
    {"stixel-width=1 stixel-height=1",
        "video/x-raw,format=GRAY16_LE,width=32768,height=32768,framerate=10/1", NULL, NULL,
        {"32768x32768", "stixel-width", "stixel-height"}},
    {"", "video/x-raw,format=GRAY16_LE,width=40000,height=8", NULL, NULL, {"40000", "32768", ""}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_autofree gchar *line = g_strdup_printf("downsample-transpose %s", refusals[_i].line);
  const char *const *words = refusals[_i].words;
  g_auto(Stage) stage =
      begin(line, refusals[_i].disparity, refusals[_i].pad, refusals[_i].caps, 19 * 19 * 33);

  gst_harness_push(stage.harness, stx_test_buffer(40000 * 20, 0, 0, FRAME));
  stx_test_expect_error(stage.bus, words[0], words[1], words[2], NULL);
}

/* Disparities, a confidence that hangs on them, scores: what is wrong with 16 × 16 pixels. */
static const struct {
  gsize disparity;
  int confidence; /* a side of the meta; 0: none */
  gsize scores;
  const char *words[3];
} contradictions[] = {
    {100, 0, 3 * 16 * 16, {"disparity", "fit", ""}},
    {2 * 16 * 16, 8, 3 * 16 * 16, {"confidence meta", "8x8", "16x16"}},
    {2 * 16 * 16, 0, 3 * 16 * 16 - 1, {"semantics", "767", "768"}},
};

STX_TEST_LOOP(refuses_buffers_that_contradict_their_caps, G_N_ELEMENTS(contradictions))
{
  const char *const *words = contradictions[_i].words;
  guint side = (guint)contradictions[_i].confidence;
  g_auto(Stage) stage = begin("downsample-transpose",
      "video/x-raw,format=GRAY16_LE,width=16,height=16,framerate=10/1", "semantics",
      TENSOR "3:16:16:1", contradictions[_i].scores);
  GstBuffer *disparity = stx_test_buffer(contradictions[_i].disparity, 1, 0, FRAME);
  g_autoptr(GstBuffer) confidence = stx_test_buffer(side * side, 1, 0, 0);

  if (side > 0)
    gst_buffer_add_stx_confidence_meta(disparity, confidence, side, side);
  gst_harness_push(stage.harness, disparity);
  stx_test_expect_error(stage.bus, words[0], words[1], words[2], NULL);
}

STX_TEST(names_the_calibration_file)
{
  stx_test_breaks("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! "
                  "downsample-transpose calibration=/no/such/calib.txt ! fakesink",
      "/no/such/calib.txt", NULL);
}
