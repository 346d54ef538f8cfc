# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the street holds in truth, and how the tests of applications run programs."""
import os
import pathlib
import socket
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
WIDTH, HEIGHT, CELL = 1242, 375, 8
FOCAL, BASELINE = .58 * WIDTH, .54
OBJECTS = (2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18)  # train ids of what stands upright
# Stixels of the street's exact disparities, as fast as they come.
STIXELS = "street-scene-src view=disparity num-buffers={} ! downsample-transpose ! sat-dp-stixels"


def expect(condition, fault):
    if not condition:
        sys.exit(f"FAILED: {fault}")


def skip_without(*names):
    """Leaves with meson's status for "skipped" where a package is missing."""
    for name in names:
        try:
            __import__(name)
        except ImportError as missing:
            print(f"skipped: {missing}; see tests/packages.sh")
            sys.exit(77)


def words(text):
    return text.split()


def run(command, status=0, seconds=60):
    """What a command says, which must end so."""
    result = subprocess.run([str(word) for word in command], text=True, timeout=seconds,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(result.returncode == status and "Traceback" not in result.stdout,
           f"{command} ends with {result.returncode}:\n{result.stdout}")
    return result.stdout


def wait_until(condition, what, seconds=20):
    """What the condition gives, as soon as that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(.05)
    sys.exit(f"FAILED: {what}: not within {seconds} s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def view(folder, name, frames, dtype):
    """The pictures of a view of the street, frame by frame."""
    path = pathlib.Path(folder, name)
    run(["gst-launch-1.0", "-q", *words(f"street-scene-src view={name} num-buffers={frames} "
                                        f"! filesink location={path}")])
    rows = np.fromfile(path, dtype).reshape(frames, HEIGHT, -1)
    return rows[:, :, :WIDTH]


def nearest_by_column(folder, frames):
    """Distance in metres of the nearest pixel of something upright, by frame and column; infinite
    where there is nothing."""
    disparity = view(folder, "disparity", frames, "<u2") / 256
    upright = np.isin(view(folder, "semantics", frames, "u1"), OBJECTS)
    largest = np.where(upright, disparity, 0).max(axis=1)
    edges = np.arange(0, WIDTH, CELL)
    with np.errstate(divide="ignore"):
        return FOCAL * BASELINE / np.maximum.reduceat(largest, edges, axis=1)


def expect_truth(found, truth, what, nearer=40):
    """Of what is nearer than that: the median is within 3 %, and four of five are within 10 %."""
    near = truth < nearer
    error = np.abs(np.where(near, found, np.nan) / np.where(near, truth, 1) - 1)[near]
    expect(near.sum() > 100, f"{what}: the truth has {near.sum()} columns, too few")
    median, good = np.median(error), np.mean(error < .1)
    expect(median < .03 and good > .8, f"{what}: off by {median:.3f} in the median; {good:.2f} are "
           "within a tenth")
    print(f"{what}: {near.sum()} columns, off by {100 * median:.2f} % in the median; "
          f"{100 * good:.1f} % are within a tenth")
