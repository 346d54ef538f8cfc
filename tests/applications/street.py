# SPDX-License-Identifier: LGPL-2.1-or-later
"""The truth of the street, and the programs of the tests of applications."""
import atexit
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
WIDTH, HEIGHT, CELL = 1242, 375, 8
FOCAL, BASELINE, CY, CAMERA_HEIGHT = .58 * WIDTH, .54, .46 * HEIGHT, 1.65
OBJECTS = (2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18)  # train ids of what stands upright
# Stixels of the street's exact disparities and classes: {} are properties of both views.
STIXELS = ("street-scene-src view=disparity {0} ! cells.sink "
           "street-scene-src view=semantics {0} ! cells.semantics "
           "downsample-transpose name=cells ! sat-dp-stixels")



def expect(condition, fault):
    if not condition:
        sys.exit(f"FAILED: {fault}")


def skip_without(*names):
    """Leaves with meson's status for "skipped" where a package is missing."""
    for name in names:
        try:
            __import__(name)
        except Exception as missing:  # a module for another NumPy raises all kinds
            print(f"skipped: {name}: {missing}; see tests/packages.sh")
            sys.exit(77)


def words(text):
    return text.split()


def run(command, status=0, seconds=60, folder=None):
    """The output of a command, which must end with this status."""
    result = subprocess.run([str(word) for word in command], text=True, timeout=seconds,
                            cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(result.returncode == status and "Traceback" not in result.stdout,
           f"{command} ends with {result.returncode}:\n{result.stdout}")
    return result.stdout


def start(command, **pipes):
    """A program that runs beside the test, and not longer than it, however that ends."""
    process = subprocess.Popen([str(word) for word in command], text=True, **pipes)
    atexit.register(process.kill)
    return process


def block(language, word):
    """Code of docs/publishing.md: the first block of that language with that word in it."""
    page = (ROOT / "docs/publishing.md").read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page, re.S | re.M)
    return next(text for text in blocks if word in text).replace("\\\n", " ")


def wait_until(condition, what, seconds=20):
    """The value of the condition, as soon as it has one."""
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


def view(folder, name, frames, first, dtype):
    """The pictures of a view of the street, frame by frame."""
    path = pathlib.Path(folder, name)
    run(["gst-launch-1.0", "-q", *words(f"street-scene-src view={name} num-buffers={frames} "
                                        f"first-frame={first} ! filesink location={path}")])
    rows = np.fromfile(path, dtype).reshape(frames, HEIGHT, -1)
    return rows[:, :, :WIDTH]


def depth(folder, frames, first=0):
    """Distance in metres of every pixel of something upright, else infinite."""
    disparity = view(folder, "disparity", frames, first, "<u2") / 256
    upright = np.isin(view(folder, "semantics", frames, first, "u1"), OBJECTS)
    with np.errstate(divide="ignore"):
        return np.where(upright, FOCAL * BASELINE / disparity, np.inf)


def nearest_by_column(depths):
    """The same of the nearest in each column of stixels, not of what hangs higher than a car, or is
    as low as a kerb."""
    height = CAMERA_HEIGHT - (np.arange(HEIGHT)[:, None] - CY) * depths / FOCAL
    depths = np.where((height > .4) & (height < 2), depths, np.inf)
    return np.minimum.reduceat(depths.min(axis=1), np.arange(0, WIDTH, CELL), axis=1)


def distance(free_space):
    """Returns each column's distance, as stixel-json has it; infinite: free."""
    far = {"free": np.inf, "unknown": np.nan}
    return [far.get(column["state"], column["z"]) for column in free_space]


def expect_truth(found, truth, what, nearer=40, least=100):
    """Where the truth is nearer: the median is within 3 %, and four of five within 10 %."""
    near = truth < nearer
    error = np.abs(np.where(near, found, np.nan) / np.where(near, truth, 1) - 1)[near]
    expect(near.sum() > least, f"{what}: the truth has {near.sum()} columns, too few")
    median, good = np.median(error), np.mean(error < .1)
    expect(median < .03 and good > .8, f"{what}: off by {median:.3f} in the median; {good:.2f} are "
           "within a tenth")
    print(f"{what}: {near.sum()} columns, off by {100 * median:.2f} % in the median; "
          f"{100 * good:.1f} % are within a tenth")
