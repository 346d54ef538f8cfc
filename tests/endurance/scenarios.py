#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays GStreamer's own scenarios over our pipelines: pauses, states, seeks of many kinds, fast and
backwards. Skipped (77) without gst-validate-1.0, which Debian does not have; it is built from
GStreamer's gst-devtools. STX_ENDURANCE=full plays all that are listed here."""
import os
import shlex
import shutil
import subprocess
import sys

QUICK = ["change_state_intensive", "simple_seeks"]
FULL = QUICK + ["pause_resume", "seek_forward", "seek_backward", "seek_with_stop",
                "scrub_forward_seeking", "scrub_backward_seeking", "fast_forward",
                "reverse_playback"]

SIZE = "width=64,height=48,framerate=10/1"
LINES = {
    "stereo to stixels on video":
        "stereo-sgm name=sgm max-disparity=64 ! downsample-transpose ! sat-dp-stixels ! "
        "overlay.stixels stixel-overlay name=overlay ! fakesink sync=true "
        "tee name=tee ! queue ! videoconvert ! sgm.sink_left tee. ! queue ! overlay.sink "
        f"street-scene-src num-buffers=200 ! video/x-raw,format=RGB,{SIZE} ! tee. "
        f"street-scene-src view=right num-buffers=200 ! video/x-raw,format=GRAY8,{SIZE} ! queue ! "
        "sgm.sink_right",
    "scans to pictures from above":
        "street-scene-src view=lidar beams=8 azimuth-steps=100 num-buffers=200 ! lidar-ground ! "
        "stixel-obstacles ! "
        "lidar-bev ! video/x-raw,width=96,height=96 ! fakesink sync=true",
}
SECONDS = 120


def play(name, line, scenario):
    """True if the scenario ended well."""
    command = ["gst-validate-1.0", f"--set-scenario={scenario}", *shlex.split(line)]
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=SECONDS, check=False)
        status, said = run.returncode, run.stdout
    except subprocess.TimeoutExpired as error:
        status, said = f"no end in {SECONDS} s", error.stdout or b""
    print(f"{name}, {scenario}: {'ok' if status == 0 else status}", flush=True)
    if status != 0:
        print(said.decode(errors="replace"))
    return status == 0


def main():
    if shutil.which("gst-validate-1.0") is None:
        print("no gst-validate-1.0")
        return 77
    scenarios = FULL if os.environ.get("STX_ENDURANCE") == "full" else QUICK
    results = [play(name, line, scenario)
               for name, line in LINES.items() for scenario in scenarios]
    print(f"{sum(results)} of {len(results)} ended well")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
