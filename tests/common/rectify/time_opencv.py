#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast rectify is, beside OpenCV's remap: no test, but a table.

usage: time_opencv.py RECTIFY_TIME [WIDTH HEIGHT]

Milliseconds of one picture of 1, 2, 3 and 4 bytes per pixel on 1 and 2 threads, least of 300 runs
in three turns; OpenCV with its fast maps (CV_16SC2) and with floats. OpenCV as for check_opencv.py.
"""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.environ.get("STX_OPENCV", ""))
import cv2
import numpy

RUNS, TURNS = 100, 3
TURN = .01


def ours(program, width, height, channels, threads):
    lines = subprocess.run([program, *map(str, (width, height, channels, threads))], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {name: float(ms) for name, ms in map(str.split, lines)}


def theirs(width, height, channels, threads):
    cv2.setNumThreads(threads)
    f = .55 * width
    camera = numpy.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]])
    turn = numpy.array([[1, -TURN, 0], [TURN, 1, 0], [0, 0, 1]])
    seen = numpy.array([[.97 * f, 0, width / 2], [0, .97 * f, height / 2], [0, 0, 1]])
    shape = (height, width) if channels == 1 else (height, width, channels)
    picture = (numpy.arange(numpy.prod(shape)) * 31 >> 3).astype(numpy.uint8).reshape(shape)
    out, found = numpy.empty_like(picture), {}
    for name, kind in (("OpenCV 16SC2", cv2.CV_16SC2), ("OpenCV 32F", cv2.CV_32FC1)):
        maps = cv2.initUndistortRectifyMap(
            camera, numpy.array([-.17, .025, .001, -.002]), turn, seen, (width, height), kind)
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            cv2.remap(picture, *maps, cv2.INTER_LINEAR, dst=out)
            times.append(1e3 * (time.perf_counter() - begin))
        found[name] = min(times)
    return found


def main():
    program = sys.argv[1]
    width, height = map(int, sys.argv[2:4]) if len(sys.argv) > 3 else (1280, 720)
    print(f"{width}x{height}, OpenCV {cv2.__version__}")
    for channels in (1, 2, 3, 4):
        for threads in (1, 2):
            best = {}
            for _ in range(TURNS):
                for name, ms in {**ours(program, width, height, channels, threads),
                                 **theirs(width, height, channels, threads)}.items():
                    best[name] = min(ms, best.get(name, ms))
            print(f"{channels} bytes, {threads} threads: "
                  + ", ".join(f"{name} {ms:.2f}" for name, ms in best.items()), flush=True)


if __name__ == "__main__":
    main()
