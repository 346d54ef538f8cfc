// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The nearest obstacle in each column of a synthetic street, in metres.
 *
 *   valac --pkg gststixels-1.0 --pkg gstreamer-app-1.0 nearest.vala
 *   ./nearest
 */
const string LINE = """
  stereo-stixels name=stixels ! videoconvert ! appsink name=sink
  street-scene-src view=left num-buffers=3 ! stixels.sink_left
  street-scene-src view=right num-buffers=3 ! stixels.sink_right""";

void print_frame(Gst.ClockTime time, GstStixels.Stixels stixels) {
  stdout.printf("frame at %.3f s\n", time / 1e9);
  for (uint column = 0; column < stixels.get_info().columns; column++) {
    int nearest = stixels.find_nearest(column);
    GstStixels.Metres where = {};

    if (nearest >= 0 && stixels.get_metres(nearest, out where))
      stdout.printf("%u: %.2f m ahead, %.2f m to the right\n", column, where.z, where.x);
  }
}

void run() throws Error {
  var pipeline = (Gst.Pipeline) Gst.parse_launch(LINE);
  var sink = (Gst.App.Sink) pipeline.get_by_name("sink");
  Gst.Sample? sample;

  pipeline.set_state(Gst.State.PLAYING);
  while ((sample = sink.pull_sample()) != null)
    print_frame(sample.get_buffer().pts, new GstStixels.Stixels.from_sample(sample));
  pipeline.set_state(Gst.State.NULL);
}

void main(string[] args) {
  Gst.init(ref args);
  try {
    run();
  } catch (Error problem) {
    error("%s", problem.message);
  }
}
