# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times ground and obstacles of scans."""
import ctypes
import pathlib

import settings
from arguments import Refused

SUMMARY = """Times the ground segmentation of LiDAR scans.

All implementations that this machine can run take turns, with and without clusters; printed are
median and minimum, and the ratio of the minimum of omp on one thread to this one."""
SEED = 1
BEAMS = (16, 32, 64, 128)
MOST_BEAMS = 128
FRAMES_APART = 10


def parse(name, words):
    parser = settings.parser_of(name, SUMMARY, "")
    parser.add_argument("--scans", metavar="FOLDER",
                        help="SemanticKITTI's layout, in place of the synthetic street")
    parser.add_argument("--beams", type=int, default=0, metavar="N",
                        help="of the street's sensor (16, 32, 64 and 128, one after the other)")
    parser.add_argument("--frames", type=int, default=0, metavar="N",
                        help="at most N (0: all; street: 1)")
    settings.add_to(parser, "60 ms each, 64 beams only")
    options, more = parser.parse_known_args(words)
    if more:
        raise Refused(f"lidar: what is '{more[0]}'? A folder is --scans FOLDER")
    settings.check(options)
    if not 0 <= options.frames <= 100000:
        raise Refused(f"--frames={options.frames}: must be 0 (all) to 100000")
    if not 0 <= options.beams <= MOST_BEAMS:
        raise Refused(f"--beams={options.beams}: must be 0 (several) to {MOST_BEAMS}")
    if options.scans is not None and options.beams:
        raise Refused("--beams is for the synthetic street; files bring their own")
    return options


# ---- Scans ---------------------------------------------------------------------------------------

def files_of(folder):
    """Every scan with labels: NAME/velodyne/X.bin with NAME/labels/X.label, in the folder itself,
    in its sub-folders or in sequences/."""
    places = [folder, *folder.glob("*"), *folder.glob("sequences/*")]
    found = sorted({path for place in places for path in place.glob("velodyne/*.bin")
                    if (place / f"labels/{path.stem}.label").is_file()})
    if not found:
        raise Refused(f"no scans in {folder}: looked for velodyne/*.bin with labels/*.label in it, "
                      "in its sub-folders and in sequences/")
    return found


def kinds(options):
    """(name, scans) of the folder, or of the street as sensors of several kinds see it."""
    import stixels
    if options.scans is not None:
        paths = files_of(pathlib.Path(options.scans))[:options.frames or None]
        yield (f"{len(paths)} scan{'s' * (len(paths) != 1)}",
               [stixels.read_points(path, "kitti") for path in paths])
        return
    for beams in [options.beams or 64] if options.beams or options.quick else BEAMS:
        street, scans = stixels.Street(64, 64, seed=SEED, speed=10.), []
        for i in range(options.frames or 1):
            street.move(i * FRAMES_APART)
            scans.append(street.scan(beams)[0])
        yield f"street, {beams} beams", scans


# ---- Run -----------------------------------------------------------------------------------------

def mean(rows, points):
    """The rows of one implementation on every scan as one. Ratio and rate are added later."""
    times = {name: sum(row.get(name, 0) for row in rows) / len(rows)
             for name in ("median_ms", "minimum_ms")}
    return {**rows[-1], "runs": sum(row["runs"] for row in rows), "width": points, **times}


def run_kind(context, name, scans, stage):
    """All implementations on every scan of a kind."""
    import timing
    found = [timing.group(context, stage, name, points=scan.ctypes.data, point_count=len(scan))
             for scan in scans]
    points = (sum(map(len, scans)) + len(scans) // 2) // len(scans)
    rows = [mean(of_one, points) for of_one in zip(*found)]
    last = rows[-1]  # the reference, if it was timed
    is_reference = last["implementation"] == "omp" and last["threads"] == 1
    for row in rows:
        row.pop("times_reference", None)
        if row["minimum_ms"] > 0:
            row.update(rate=points / row["minimum_ms"] / 1e3, unit="Mpoints/s")
            if is_reference:
                row["times_reference"] = last["minimum_ms"] / row["minimum_ms"]
    return rows


def run(options):
    import report
    import timing
    with timing.machine(options) as machine:
        loaded = list(kinds(options))
        table = report.Table(options, machine)
        for name, scans in loaded:
            context = timing.c.BenchContext(
                machine=ctypes.pointer(machine), budget=options.time / len(scans),
                gpu_warm_up=timing.GPU_WARM_UP, sets=options.sets)
            for stage in ("ground", "ground+clusters"):
                table.add(run_kind(context, name, scans, stage))
        table.end()
