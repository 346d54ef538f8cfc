# SPDX-License-Identifier: LGPL-2.1-or-later
"""A pipeline that ends in video with stixels, and beside it branches that end in disparities and in
points: what comes out of them, frame by frame."""
import frames


def launch_line(arguments, words):
    """For gst-launch-1.0. `words` are those of the pipeline, or None: branches alone. Live, what
    comes is in time with the clock."""
    def sink(name):
        return frames.sink(name, bool(arguments.live))

    parts = []
    if words is not None:
        parts += [f"{frames.linked(words, frames.OBSTACLES)} ! tee name=stx-frames "
                  f"stx-frames. ! queue ! videoconvert ! jpegenc ! {sink('picture')} "
                  f"stx-frames. ! queue ! stixel-json ! {sink('json')}"]
    if arguments.disparity:
        parts += [f"{arguments.disparity} ! queue ! video/x-raw,format=GRAY16_LE "
                  f"! {sink('disparity')}"]
    if arguments.scan:
        parts += [f"{arguments.scan} ! tee name=stx-scan "
                  f"stx-scan. ! queue ! {sink('scan')}"]
        if tells_obstacles(arguments.scan):
            parts += [f"stx-scan. ! queue ! stixel-json ! {sink('scan_json')}"]
    if arguments.grid:
        parts += [f"{arguments.grid} ! queue ! application/x-occupancy-grid "
                  f"! {sink('grid')}"]
    return " ".join(parts)


def tells_obstacles(scan):
    return frames.OBSTACLES in frames.factories(scan)


def sinks(arguments, words):
    """Their names, which are those of the methods of a log, too."""
    return (["picture", "json"] * (words is not None) + ["disparity"] * bool(arguments.disparity)
            + ["scan"] * bool(arguments.scan)
            + ["scan_json"] * bool(arguments.scan and tells_obstacles(arguments.scan))
            + ["grid"] * bool(arguments.grid))


def run(pipeline, log, limit):
    """Gives the log what comes to each sink, with its time stamp; until the end, or `limit`."""
    counts = dict.fromkeys(pipeline.sinks, 0)
    for name, sample in pipeline.samples():
        counts[name] += 1
        if limit is None or counts[name] <= limit:
            try:
                getattr(log, name)(sample, frames.pts_of(sample) or 0)
            except ValueError as error:
                raise frames.PipelineError(f"what comes as {name}: {error}") from error
        elif all(count > limit for count in counts.values()):
            pipeline.stop()
    log.check(0)
