#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends frames with metas to another process, which must see the same bytes of each: those of the
frame and of its metas. Metas can cross that border since GStreamer 1.24.

With an argument it is the sender: it prints the sums of what it sends.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import time

import gi
from gstreamer import Gst

SIZE = "width=320,height=96,framerate=20/1"
STREET = "street-scene-src is-live=true"
SCAN = f"{STREET} view=lidar ! lidar-encode ! lidar-decode ! lidar-ground"
LEFT, RIGHT = (f"{STREET} view={view} ! video/x-raw,{SIZE}" for view in ("left", "right"))
SGM = (f"{LEFT} ! queue ! sgm.sink_left {RIGHT} ! queue ! sgm.sink_right "
       "stereo-sgm name=sgm max-disparity=64 motion=true")
STIXELS = f"{SGM} ! downsample-transpose ! sat-dp-stixels"
VIDEO = (f"{STIXELS} ! queue ! o.stixels {LEFT} ! queue ! o.sink "
         "stixel-overlay name=o ! stixel-obstacles")
# videocrop says what it does to a frame from 1.28 on; before, it takes the metas away.
CROP = " ! videocrop left=20 top=8" if Gst.version() >= (1, 28) else ""
LINES = {
    "scans": (SCAN, {"turn", "point_labels"}),
    "obstacles of scans": (f"{SCAN} ! stixel-obstacles", {"turn", "point_labels", "obstacles"}),
    "disparity": (SGM, {"confidence", "motion"}),
    "stixels": (f"{STIXELS} ! stixel-obstacles", {"obstacles", "motion", "velocities"}),
    "video": (VIDEO, {"stixel", "obstacles", "motion", "velocities"}),
    "scaled and cropped": (f"{VIDEO} ! videoscale ! video/x-raw,width=200,height=60{CROP}",
                           {"stixel", "obstacles"}),
    "grid": (f"{STIXELS} ! occupancy-grid ! video/x-raw,format=GRAY8", {"occupancy"}),
}
ENOUGH, MOST, SECONDS_MOST = 5, 400, 60


def sum_of(data):
    return hashlib.sha256(data).hexdigest()


def sums(buffer):
    metas = GstStixels.metas_to_bytes(buffer)
    return (f"{sum_of(buffer.extract_dup(0, buffer.get_size()))} "
            f"{sum_of(metas.get_data()) if metas else 'none'}")


def send(line, path):
    def tell(_pad, info):
        print(sums(info.get_buffer()), flush=True)
        return Gst.PadProbeReturn.OK

    pipeline = Gst.parse_launch(f"{line} ! unixfdsink name=to socket-path={path}")
    pipeline.get_by_name("to").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, tell)
    pipeline.set_state(Gst.State.PLAYING)
    kinds = Gst.MessageType.ERROR | Gst.MessageType.EOS
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds)
    sys.exit(message.parse_error()[0].message)


def metas_of(buffer):
    return {name for name in ("stixel", "obstacles", "motion", "velocities", "confidence",
                              "occupancy", "turn", "point_labels")
            if getattr(GstStixels, f"buffer_get_stx_{name}_meta")(buffer) is not None}


def receive(path, expected):
    """The sums of the buffers that come, ENOUGH of which have the expected metas: live pictures do
    not wait for late stixels."""
    pipeline = Gst.parse_launch(f"unixfdsrc socket-path={path} ! appsink name=to sync=false")
    sink, found, whole = pipeline.get_by_name("to"), [], 0
    pipeline.set_state(Gst.State.PLAYING)
    while whole < ENOUGH:
        sample = sink.try_pull_sample(SECONDS_MOST * Gst.SECOND)
        assert sample is not None and len(found) < MOST, f"{whole} of {len(found)} have {expected}"
        whole += expected <= metas_of(sample.get_buffer())
        found.append(sums(sample.get_buffer()))
    pipeline.set_state(Gst.State.NULL)
    return found


def check(name, line, expected):
    with tempfile.TemporaryDirectory() as folder:
        path, log = pathlib.Path(folder, "socket"), pathlib.Path(folder, "sums")
        with log.open("w", encoding="ascii") as out:
            with subprocess.Popen([sys.executable, __file__, line, path], stdout=out) as sender:
                try:
                    end = time.monotonic() + SECONDS_MOST
                    while not path.exists():
                        assert sender.poll() is None and time.monotonic() < end, name
                        time.sleep(0.05)
                    found = receive(path, expected)
                    assert sender.poll() is None, f"{name}: the sender ended"
                finally:
                    sender.kill()
        sent = set(log.read_text(encoding="ascii").splitlines())
    assert set(found) <= sent, f"{name}: others came than were sent"
    print(f"{name}: {len(found)} buffers, {ENOUGH} with {', '.join(sorted(expected))}")


if not Gst.Registry.get().check_feature_version("unixfdsink", 1, 24, 0):
    print("no unixfdsink, which is in gst-plugins-bad since 1.24")
    sys.exit(77)
try:
    gi.require_version("GstStixels", "1.0")
    from gi.repository import GstStixels
except ValueError:
    print("no description of the library for Python")
    sys.exit(77)
if len(sys.argv) > 1:
    send(*sys.argv[1:])
GstStixels.metas_register()
for name, (line, expected) in LINES.items():
    check(name, line, expected)
