#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the speeds of docs/benchmarks.md and README.md, all in one run.

  docs/measure/speed.py BUILD                               to docs/benchmarks/speed*.csv, in six
                                                    minutes on an idle machine
  docs/measure/speed.py BUILD --old OLD [--only STAGE...]   prints two builds side by side instead

BUILD and OLD are Meson's build folders. What is compared takes turns, round by round, so that the
load of the machine hits all of it alike; a number is the median of the rounds' medians.

Where Python finds cv2, OpenCV stands beside the matcher, StereoSGBM in its fastest mode,
MODE_SGBM_3WAY, and beside the segments, approxPolyDP column by column. OpenCV measures distances
perpendicular to a segment, rdp along the column.
"""
import argparse
import collections
import functools
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
import time

import plots

ROUNDS = 3
STAGE_MS = 100  # of an implementation in a round: ten runs of 10 ms, but at least three
SHARED_MS = 30  # a hundred runs of what takes a third of a millisecond
SIZES = ("1242x375", "2048x1024")
STAGES = ("rectify", "sgm", "colmean", "satdp", "fulldp", "rdp", "overlay", "obstacles", "pipeline")
NAMES = {"rectify": "rectification of one view", "sgm": "matching", "colmean": "reduction",
         "satdp": "stixels", "fulldp": "stixels, model `gaussian-uniform`", "rdp": "segments",
         "overlay": "overlay", "obstacles": "obstacles", "pipeline": "pictures to stixels"}
# Work that shares two cores: loops of a fraction of a millisecond, and a whole pipeline.
SHARED = ("colmean", "satdp", "rdp")
PIPELINES = {
    "stixels and overlay": "overlay", "stixels as JSON": "json",
    "stixels and overlay, full search":
        "stereo-stixels name=s search=full ! fakesink name=out "
        "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right",
    "disparity alone": "sgm"}
LOOP = ["sh", "-c", "while :; do :; done"]


def line_of(row):
    """The name of a row of stx-bench, without the size."""
    if row["stage"] == "rdp":
        return f'segments of {row["height"]} cells, {row["input"]}'
    cell = f'{row["cell"]}×{row["cell"]}, ' if row["cell"] > 1 else ""
    return f'{NAMES[row["stage"]]}, {cell}{row["input"]}'


def size_of(row):
    """Returns the frame's size: columns of rdp have lengths of their own."""
    return next(size for size in SIZES if size.startswith(f'{row["width"]}x'))


def environment(build, threading="pool"):
    return dict(os.environ, STX_THREADING=threading, GST_PLUGIN_PATH=f"{build}/gst")


def stx_bench(build, threading, *arguments):
    """Its output."""
    return subprocess.run([f"{build}/examples/stx-bench", *map(str, arguments)], check=True,
                          env=environment(build, threading), stdout=subprocess.PIPE,
                          text=True).stdout


@functools.cache
def vectors_alone(build):
    """The option, of builds that have it."""
    return ["--vectors"] if "--vectors" in stx_bench(build, "pool", "--help") else []


def bench(build, *arguments, threading="pool"):
    """The rows of stx-bench that count: no plain C beside vectors."""
    text = stx_bench(build, threading, *arguments, "--json", *vectors_alone(build))
    rows = [row for row in json.loads(text)["rows"]
            if row["stage"] != "rdp" or (row["height"], row["input"]) in
            ((1024, "average"), (1024, "noise"))]
    vectors = {row["stage"] for row in rows if row["implementation"].startswith("avx")}
    return [row for row in rows if row["stage"] not in vectors or row["implementation"] != "omp"]


def launch(build, line):
    subprocess.run(["gst-launch-1.0", "-q", *shlex.split(line)], check=True,
                   env=environment(build))


def street(build, folder, size):
    """Two views of the synthetic street, and what the matcher makes of them, as files."""
    width, height = size.split("x")
    source = "street-scene-src num-buffers=1 view={0} ! video/x-raw,width=" + \
        f"{width},height={height}"
    names = [f"{folder}/{name}-{size}.png" for name in ("left", "right", "disparity")]
    for name, view in zip(names, ("left", "right")):
        launch(build, f"{source.format(view)} ! videoconvert ! pngenc ! filesink location={name}")
    launch(build, f"{source.format('left')} ! match.sink_left {source.format('right')} ! "
                  "match.sink_right stereo-sgm name=match ! videoconvert ! "
                  f"video/x-raw,format=GRAY16_BE ! pngenc ! filesink location={names[2]}")
    return names


def median_ms(runs, work):
    times = []
    for _ in range(runs):
        begin = time.monotonic()
        work()
        times.append(1000 * (time.monotonic() - begin))
    return statistics.median(times)


def time_matcher(pictures, threads):
    import cv2
    cv2.setNumThreads(threads)
    left, right = (cv2.imread(name, cv2.IMREAD_GRAYSCALE) for name in pictures[:2])
    matcher = cv2.StereoSGBM_create(0, 128, 5, 200, 800, 1, 0, 10, 100, 2,
                                    cv2.STEREO_SGBM_MODE_SGBM_3WAY)
    return median_ms(8, lambda: matcher.compute(left, right))


def time_segments(pictures):
    """Columns as stx-bench has them: holes filled with the smaller neighbour, 1024 cells."""
    import cv2
    import numpy
    pixels = cv2.imread(pictures[2], cv2.IMREAD_UNCHANGED).astype(numpy.float32) / 256
    curves = []
    for column in pixels.T:
        known = numpy.flatnonzero(column)
        if len(known):
            cells = numpy.interp(numpy.linspace(0, len(column) - 1, 1024), known, column[known])
            points = numpy.stack([numpy.arange(1024), cells], 1).astype(numpy.float32)
            curves.append(points[:, None])
    return median_ms(3, lambda: [cv2.approxPolyDP(curve, 4, False) for curve in curves])


def add_opencv(found, stage, pictures):
    for size in pictures and SIZES or ():
        if stage == "sgm":
            for threads in (1, os.cpu_count()):
                found["matching, by OpenCV", size, threads, "OpenCV"].append(
                    time_matcher(pictures[size], threads))
        if stage == "rdp":
            found["segments of 1024 cells, by OpenCV", size, 1, "OpenCV"].append(
                time_segments(pictures[size]))


def rows_of(found, keys):
    return [dict(zip(keys, key), ms=f"{statistics.median(times):.4g}")
            for key, times in found.items()]


def measure_stages(builds, stages):
    """Median times of each build: {(line, size, threads, code): [ms…]}."""
    found = [collections.defaultdict(list) for _ in builds]
    with tempfile.TemporaryDirectory() as folder:
        try:
            import cv2  # noqa: F401
            pictures = {size: street(builds[0], folder, size) for size in SIZES}
        except ImportError:
            pictures = {}
        for stage in stages:
            for _ in range(ROUNDS):
                for build, into in zip(builds, found):
                    for row in bench(build, stage, "--time", STAGE_MS):
                        key = line_of(row), size_of(row), row["threads"], row["implementation"]
                        into[key].append(row["median_ms"])
                add_opencv(found[0], stage, pictures)
            print(f"{stage}: done", flush=True)
    return found


def frames(build, line, size, threading="pool"):
    """Frames per second, processor time and cores of a pipeline."""
    text = stx_bench(build, threading, "frames", line, "--seconds", 1.5, "--size", size)
    cells = [cell.strip() for cell in text.splitlines()[-1].split("|")]
    return [float(cell) for cell in cells[2:6]]  # after the line


def measure_frames(build):
    found = collections.defaultdict(list)
    for _ in range(ROUNDS):
        for size in SIZES:
            for name, line in PIPELINES.items():
                found[name, size].append(frames(build, line, size))
    rows = []
    for (name, size), runs in found.items():
        rate, _, processor, cores = (statistics.median(values) for values in zip(*runs))
        rows.append({"pipeline": name, "size": size, "frames_per_second": f"{rate:.1f}",
                     "processor_ms": f"{processor:.1f}", "cores": f"{cores:.2f}"})
    print("frames: done", flush=True)
    return rows


def measure_threading(build):
    """The pool's threads and OpenMP's in turn, alone and beside two endless loops."""
    found = collections.defaultdict(list)
    for beside in "nothing", "two loops":
        others = [subprocess.Popen(LOOP) for _ in range(2 if beside != "nothing" else 0)]
        try:
            for _ in range(ROUNDS):
                for threading in "pool", "openmp":
                    for row in bench(build, *SHARED, "--size", SIZES[0], "--time", SHARED_MS,
                                     threading=threading):
                        if row["threads"] == 1 or row["implementation"] == "avx2":
                            continue
                        found[line_of(row), beside, threading].append(row["median_ms"])
                    rate = frames(build, PIPELINES["stixels and overlay"], SIZES[0], threading)[0]
                    found["stixels and overlay, frame", beside, threading].append(1000 / rate)
        finally:
            for other in others:
                other.kill()
                other.wait()
    print("threading: done", flush=True)
    return rows_of(found, ("line", "beside", "threading"))


# ---- Tables ----------------------------------------------------------------------------------

def short(ms):
    """Three digits, without an exponent."""
    value = float(ms)
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def of_sizes(heads):
    return [f"{size.replace('x', '×')}: {head}" if i == 0 else head
            for size in SIZES for i, head in enumerate(heads)]


def stage_table(rows):
    """Lines by size, code and number of threads; of the second code one thread."""
    codes = list(dict.fromkeys(row["code"] for row in rows if row["code"].startswith("avx")))
    threads = sorted({row["threads"] for row in rows}, key=int)
    times = {(row["line"], row["size"], row["threads"], row["code"]): short(row["ms"])
             for row in rows}
    heads = [(code, count) for code in codes for count in threads
             if code == codes[0] or count == threads[0]]
    lines = [["ms"] + of_sizes([f"{code}, {count}" for code, count in heads])]
    for line in dict.fromkeys(row["line"] for row in rows):
        if "scores" in line or "gaussian" in line and "label" in line:  # in speed.csv
            continue
        mine = {row["code"] for row in rows if row["line"] == line}
        only = (mine - set(codes)).pop() if not mine & set(codes) else None  # no vectors to choose
        lines.append([line if only in (None, "omp", "best", "OpenCV") else f"{line} ({only})"] +
                     [times.get((line, size, count, only if only and code == codes[0] else code),
                                "")
                      for size in SIZES for code, count in heads])
    return plots.table("speed", lines, 1)


def frames_table(rows):
    lines = [["end to end"] + of_sizes(["frames/s", "processor, ms", "cores in use"])]
    for name in dict.fromkeys(row["pipeline"] for row in rows):
        lines.append([name] + [row[key] for size in SIZES for row in rows
                               if (row["pipeline"], row["size"]) == (name, size)
                               for key in ("frames_per_second", "processor_ms", "cores")])
    return plots.table("speed-frames", lines, 1)


def threading_table(rows):
    kinds = list(dict.fromkeys((row["beside"], row["threading"]) for row in rows))
    times = {(row["line"], row["beside"], row["threading"]): short(row["ms"]) for row in rows}
    lines = [["ms, two threads"] + [f"beside {beside}: {threading}" for beside, threading in kinds]]
    for line in dict.fromkeys(row["line"] for row in rows):
        if "label" not in line and "scores" not in line:
            lines.append([line] + [times[line, *kind] for kind in kinds])
    return plots.table("speed-threading", lines, 1)


def cores_table(rows, machine):
    """Cores that a frame rate takes, from the processor's time of a frame."""
    rates = (10, 30, 60)
    lines = [[f"cores ({machine['processor']}, {float(machine['clock_mhz']) / 1000:.1f} GHz) for",
              *(f"{rate} frames/s" for rate in rates)]]
    for row in rows:
        if row["pipeline"] == "stixels and overlay":
            lines.append([row["size"].replace("x", "×"), *(
                f"{float(row['processor_ms']) * rate / 1000:.1f}" for rate in rates)])
    return plots.table("speed-cores", lines, 1)


def readme_table(rows):
    """The first code of the list, which elements take, on all cores."""
    threads = max(int(row["threads"]) for row in rows)
    wanted = {"matching, 4 paths, coarse to fine": "`stereo-sgm`",
              "stixels, 8×8, depth only": "`sat-dp-stixels`, cells of 8×8",
              "overlay, 8×8, RGBA": "`stixel-overlay`",
              "pictures to stixels, 8×8, depth only": "pictures to stixels, cells of 8×8",
              "matching, by OpenCV": "OpenCV's StereoSGBM, its fastest mode"}
    lines = [["ms per frame", *(size.replace("x", "×") for size in SIZES)]]
    for line, name in wanted.items():
        best = {}
        for row in rows:
            if row["line"] == line and int(row["threads"]) == threads:
                best.setdefault(row["size"], short(row["ms"]))
        if best:  # OpenCV is not in every build
            lines.append([name, *(best.get(size, "") for size in SIZES)])
    return plots.table("speed-readme", lines, 1)


def blocks():
    """The pages' tables of speed*.csv."""
    rows = plots.read("speed.csv")
    frames = plots.read("speed-frames.csv")
    return (stage_table(rows) + readme_table(rows) + frames_table(frames) +
            cores_table(frames, plots.machine_of("speed")) +
            threading_table(plots.read("speed-threading.csv")))


def print_comparison(old, new):
    print("| line | size | threads | code | before, ms | after, ms | times as fast |\n"
          "|---|---|--:|---|--:|--:|--:|")
    for key, times in new.items():
        if key in old:
            before, after = statistics.median(old[key]), statistics.median(times)
            print("| " + " | ".join(map(str, key)) +
                  f" | {before:.3g} | {after:.3g} | {before / after:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=re.sub(r"\n.*", "", __doc__, flags=re.S))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--old", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=STAGES, help="stages, else all")
    options = parser.parse_args()
    if options.old:
        new, old = measure_stages([options.build, options.old], options.only or STAGES)
        return print_comparison(old, new)
    plots.note_machine("speed", options.build / "examples/stx-bench")
    (found,) = measure_stages([options.build], STAGES)
    plots.write("speed.csv", rows_of(found, ("line", "size", "threads", "code")))
    plots.write("speed-frames.csv", measure_frames(options.build))
    plots.write("speed-threading.csv", measure_threading(options.build))


if __name__ == "__main__":
    main()
