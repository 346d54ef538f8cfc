/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* onnx-stereo without ONNX Runtime: what it says, and that nothing hangs. With it:
 * tests/pipeline/check_onnx_stereo.py. */
#include "tests/gst/fixtures/util.h"

#define VIEWS                                                                                      \
  " ! fakesink videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=32 ! "          \
  "net.sink_left videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=32 ! "        \
  "net.sink_right"
#define LINE(properties) "onnx-stereo name=net " properties VIEWS

STX_TEST(no_network)
{
  stx_test_breaks(LINE(""), "there is no network", "model=FILE.onnx", NULL);
}

STX_TEST(no_such_file)
{
  stx_test_breaks(LINE("model=/no/such.onnx"), "/no/such.onnx", "no such file", NULL);
}

STX_TEST(no_library)
{
  stx_test_folder();
  stx_test_write("net.onnx", "anything");
  stx_test_breaks(
      LINE("model=net.onnx library=/no/libonnxruntime.so"), "/no/libonnxruntime.so", NULL);
  stx_test_breaks(LINE("model=net.onnx library=libm.so.6"), "libm.so.6", "not ONNX Runtime", NULL);
  g_setenv("STX_ONNXRUNTIME", "/no/other.so", TRUE);
  stx_test_breaks(LINE("model=net.onnx"), "/no/other.so", NULL);
}

STX_TEST_LOOP(numbers_that_are_none, 4)
{
  static const char *const lines[][3] = {
      {LINE("model=net.onnx mean=a"), "mean=a", "three"},
      {LINE("model=net.onnx std=1,2"), "std=1,2", "three"},
      {LINE("model=net.onnx mean=1,2,3,4"), "mean=1,2,3,4", "three"},
      {LINE("model=net.onnx std=1,0,1"), "std=1,0,1", "must not be 0"},
  };

  stx_test_folder();
  stx_test_write("net.onnx", "anything");
  stx_test_breaks(lines[_i][0], lines[_i][1], lines[_i][2], NULL);
}

/* The bin's child, and its name for the file. */
STX_TEST(in_stereo_stixels)
{
  stx_test_breaks("stereo-stixels name=net matcher=onnx network=/no/such.onnx" VIEWS,
      "/no/such.onnx", "no such file", NULL);
}
