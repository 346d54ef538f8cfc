# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for calibrations: what refine= does to pairs that are right, and
cameras found from drives whose calibration stx-calibrate was not told.

Needs gst-launch-1.0 and OpenCV for Python, and some minutes for each sequence; those that are not
there leave no rows."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from plots import data_folder, read, run, table, write

# The folder, its pictures (printf of GStreamer), frames, calibration, caps.
SEQUENCES = {
    "KITTI odometry 05": ("kitti-odometry-05", ("image_2/%06d.png", "image_3/%06d.png"), 10),
    "07": ("kitti-odometry-07", ("image_2/%06d.png", "image_3/%06d.png"), 10),
    "06, gray": ("kitti-odometry-06-gray", ("image_0/%06d.png", "image_1/%06d.png"), 20)}
EUROC = "EuRoC V1, raw"
LOOKED = 100  # frames, again from the first on after the last


def views(folder, names, frames):
    return [f"multifilesrc location={folder / name} stop-index={frames - 1} loop=true "
            f"num-buffers={LOOKED} caps=image/png,framerate=10/1 ! pngdec ! videoconvert "
            "! video/x-raw,format=GRAY8" for name in names]


def launch(line):
    return subprocess.run(["gst-launch-1.0", "-m", *line.split()], text=True, check=True,
                          capture_output=True).stdout


def numbered(folder, target):
    """Links to EuRoC's pictures, which are named by times."""
    for side in ("cam0", "cam1"):
        (target / side).mkdir(parents=True, exist_ok=True)
        pictures = sorted((folder / side).rglob("*.png"))
        for i, path in enumerate(pictures):
            link = target / side / f"{i:06d}.png"
            if not link.exists():
                link.symlink_to(path)
    return len(pictures)


def sources(target):
    """{name: (properties, folder, pictures, frames)}."""
    found, folder = {}, data_folder() / "sequences"
    for name, (sub, names, frames) in SEQUENCES.items():
        if (folder / sub).exists():
            found[name] = f"calibration={folder / sub}/calib.txt", folder / sub, names, frames
    euroc = folder / "euroc-v1-raw"
    if euroc.exists():
        left, right = (euroc / side / "sensor.yaml" for side in ("cam0", "cam1"))
        found[EUROC] = (f"calibration={left} calibration-right={right}", target,
                        ("cam0/%06d.png", "cam1/%06d.png"), numbered(euroc, target))
    return found


def drift_row(name, properties, *pictures):
    left, right = views(*pictures)
    told = launch(f"stereo-rectify name=r refine=apply {properties} {left} ! r.sink_left "
                  f"{right} ! r.sink_right r.src_left ! fakesink r.src_right ! fakesink")
    last = [line for line in told.splitlines() if "stereo-rectify-drift" in line][-1]
    numbers = dict(re.findall(r"([a-z-]+)=\((?:double|int)\)([-+.e\d]+)", last))
    return {"data": name, "pairs": numbers["pairs"], **{
        key: f"{float(numbers[key]):.4f}" for key in (
            "pitch", "roll", "yaw", "focal-ratio", "pitch-deviation", "roll-deviation",
            "yaw-deviation", "rows", "applied-pitch", "applied-roll", "applied-focal-ratio")}}


# ---- Cameras of drives ---------------------------------------------------------------------------

def true_cameras(folder, left, right):
    """K and the way from the left to the right camera, of a rectified pair."""
    import numpy as np
    lines = dict(line.split(":", 1) for line in (folder / "calib.txt").read_text().splitlines())
    p, q = (np.array(lines[f"P{i}"].split(), float).reshape(3, 4) for i in (left, right))
    return p[:, :3], np.linalg.inv(p[:, :3]) @ (q[:, 3] - p[:, 3])


def found_cameras(cv2, size, fov, baseline, pictures):
    """Those that stx-calibrate finds: matrices by name, and a function that rectifies points of the
    left and of the right picture, with the matrices of the rectified cameras."""
    with tempfile.TemporaryDirectory() as target:
        target = pathlib.Path(target)
        for side, paths in enumerate(pictures):
            (target / str(side)).mkdir()
            for path in paths:
                (target / str(side) / path.name).symlink_to(path)
        run(sys.executable, pathlib.Path(__file__).parents[2] /
            "examples/stx-calibrate/stx-calibrate.py", target / "0", target / "1", "--baseline",
            f"{baseline:.4f}", "--fov", fov, "-o", target / "found.yml")
        file = cv2.FileStorage(str(target / "found.yml"), cv2.FILE_STORAGE_READ)
        found = {n: file.getNode(n).mat() for n in ("K1", "D1", "K2", "D2", "R", "T")}
    r1, r2, p1, p2 = cv2.stereoRectify(*(found[n] for n in ("K1", "D1", "K2", "D2")), size,
                                       found["R"], found["T"], flags=cv2.CALIB_ZERO_DISPARITY,
                                       alpha=0)[:4]

    def rectify(one, other):
        return [cv2.undistortPoints(at.reshape(-1, 1, 2), *lens, R=turn, P=p).reshape(-1, 2)
                for at, lens, turn, p in ((one, (found["K1"], found["D1"]), r1, p1),
                                          (other, (found["K2"], found["D2"]), r2, p2))]
    return found, rectify, p1, p2


def matches(cv2, np, paths):
    """Points of both pictures of a pair that are each other's best match: x, y, x, y."""
    sift = cv2.SIFT_create(6000)
    (one, left), (other, right) = (sift.detectAndCompute(cv2.imread(str(path), 0), None)
                                   for path in paths)
    back = {found.queryIdx: found.trainIdx for found in cv2.BFMatcher().match(right, left)}
    pairs = np.array([one[best.queryIdx].pt + other[best.trainIdx].pt
                      for best, second in cv2.BFMatcher().knnMatch(left, right, k=2)
                      if best.distance < .7 * second.distance
                      and back[best.trainIdx] == best.queryIdx])
    return pairs[(np.abs(pairs[:, 1] - pairs[:, 3]) < 4) & (pairs[:, 0] > pairs[:, 2])]


def unevenness(np, size, points, rows):
    """The root mean square of the median row offsets of the picture's 6 x 3 parts."""
    parts = points[:, 0] * 6 // size[0] * 3 + points[:, 1] * 3 // size[1]
    medians = [np.median(rows[parts == part]) for part in np.unique(parts)
               if np.count_nonzero(parts == part) >= 30]
    return np.sqrt(np.mean(np.square(medians)))


def unseen_rows(cv2, np, size, fov, baseline, pictures):
    """Row offsets of every second pair, by KITTI's cameras and by those found from the others."""
    rectify = found_cameras(cv2, size, fov, baseline, [paths[::2] for paths in pictures])[1]
    points = np.vstack([matches(cv2, np, paths)
                        for paths in zip(*(paths[1::2] for paths in pictures))])
    one, other = rectify(points[:, :2].copy(), points[:, 2:].copy())
    return {"unseen_kitti": f"{unevenness(np, size, points, points[:, 1] - points[:, 3]):.3f}",
            "unseen_found": f"{unevenness(np, size, points, one[:, 1] - other[:, 1]):.3f}"}


def camera_row(name, folder, left, right):
    """Points seen by the true cameras, all over the left picture and 4 to 50 m away (by their
    logarithm), as the cameras that were found see them."""
    sys.path.insert(0, os.environ.get("STX_OPENCV", ""))
    import cv2
    import numpy as np
    k, t = true_cameras(folder, left, right)
    pictures = [sorted((folder / f"image_{camera}").glob("*.png")) for camera in (left, right)]
    size = cv2.imread(str(pictures[0][0]), 0).shape[::-1]
    fov = round(np.degrees(2 * np.arctan(size[0] / 2 / k[0, 0])))
    found, rectify, p1, p2 = found_cameras(cv2, size, fov, np.linalg.norm(t), pictures)
    u, v = np.meshgrid(np.arange(.03, .97, .025) * size[0], np.arange(.05, .95, .0625) * size[1])
    depth = np.exp(np.random.default_rng(1).uniform(np.log(4), np.log(50), u.size))
    points = np.column_stack(((u.ravel() - k[0, 2]) / k[0, 0], (v.ravel() - k[1, 2]) / k[1, 1],
                              np.ones(u.size))) * depth[:, None]
    seen = [cv2.projectPoints(points, np.zeros(3), at, k, None)[0] for at in (np.zeros(3), t)]
    inside = ((seen[1] >= 0) & (seen[1] < size)).all((1, 2))
    one, other = rectify(*seen)
    ray = np.column_stack(((one - p1[:2, 2]) / p1[0, 0], np.ones(len(one))))
    far = np.linalg.norm(ray, axis=1) * -p2[0, 3] / (one - other)[:, 0]
    off = np.abs(far / np.linalg.norm(points, axis=1) - 1)[inside]
    focal = max(abs(found[lens][0, 0] / k[0, 0] - 1) for lens in ("K1", "K2"))
    parts = np.digitize(depth[inside], (10, 20))
    return {"data": name, "fov": fov, "focal": f"{focal:.5f}",
            "rows_95": f"{np.percentile(np.abs(one - other)[inside, 1], 95):.3f}",
            **unseen_rows(cv2, np, size, fov, np.linalg.norm(t), pictures),
            **{f"distance_{low}": f"{np.median(off[parts == i]):.5f}"
               for i, low in enumerate((4, 10, 20))}}


# ---- Both ---------------------------------------------------------------------------------------

def measure(programs):
    """Writes drift.csv and calibration.csv."""
    os.environ["GST_PLUGIN_PATH_1_0"] = str(pathlib.Path(programs).resolve().parent / "gst")
    with tempfile.TemporaryDirectory() as target:
        target = pathlib.Path(target)
        rows = [drift_row(name, *source) for name, source in sources(target).items()]
        cameras = [camera_row(name, data_folder() / "sequences" / sub,
                              *(int(picture[6]) for picture in pictures))
                   for name, (sub, pictures, _) in SEQUENCES.items() if name in
                   [row["data"] for row in rows] and os.environ.get("STX_OPENCV")]
    for name, found in (("drift.csv", rows), ("calibration.csv", cameras)):
        if found:
            write(name, found)


def tables():
    lines = [["", "pairs", "pitch, °", "roll, °", "yaw, °", "focal ratio", "corrected, °"]]
    for row in read("drift.csv"):
        lines.append([row["data"], row["pairs"], *(
            f"{float(row[key]):.3f} ± {float(row[key + '-deviation']):.3f}"
            for key in ("pitch", "roll", "yaw")), f"{float(row['focal-ratio']):.4f}",
            f"{max(abs(float(row[key])) for key in ('applied-pitch', 'applied-roll')):.3f}"])
    found = [["", "focal length, %", "rows, 95 %, px", "unseen rows by KITTI's file, px",
              "unseen rows by the found one, px",
              *(f"distances, %: {part}" for part in ("4 to 10 m", "10 to 20 m", "20 to 50 m"))]]
    for row in read("calibration.csv"):
        found.append([row["data"], f"{100 * float(row['focal']):.2f}",
                      *(f"{float(row[key]):.2f}"
                        for key in ("rows_95", "unseen_kitti", "unseen_found")),
                      *(f"{100 * float(row[f'distance_{low}']):.1f}" for low in (4, 10, 20))])
    return table("drift", lines, 1) + table("calibration", found, 1)
