#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-calibrate on a synthetic chessboard, and what becomes of the street with its file.

usage: check_calibrate.py STX_CALIBRATE

OpenCV is the Python package in the folder that STX_OPENCV names (tests/packages.sh), or an
installed one; without it, or without GStreamer for Python, the test is skipped.

  - a recording of two cameras that bend and look askew gives back their numbers: focal lengths to
    .5 %, the baseline to 1 %, rows within .2 pixel of each other after rectification, told by the
    report and measured with stereo-rectify's own numbers;
  - the street of the same cameras, rectified by that file, gives stixels whose distances agree with
    the truth: a median of 3 % up to 50 m;
  - frames are paired by time, and a lens that turns back within the picture is seen;
  - recordings, pictures, frames with both views and live sources are read;
  - points that a rig saw while it turned, without a board, give back its numbers: focal lengths to
    .5 %, distances to 1 %; without a turn the focal length is the one given; planes, swapped views
    and pictures in which nothing moves are refused;
  - what cannot work ends in a message that names it, and writes no file.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

if os.environ.get("STX_OPENCV"):
    sys.path.insert(0, os.environ["STX_OPENCV"])
try:
    import cv2
    import gi  # noqa: F401 (the program's)
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; see tests/packages.sh")
    sys.exit(77)

import warm  # noqa: E402 (with the modules above in memory)

cv2.setNumThreads(0)  # children have none of its threads
WIDTH, HEIGHT = 512, 288
STREET = 768, 432  # seen by the same cameras, at a finer mode
POSES, PICTURES = 24, 10
FOCAL, BASELINE, ROWS, DISTANCE, FARTHEST = .005, .01, .2, .03, 50
BOARD = ["--board", "9x6", "--square", "0.1"]
K = [np.array([[328., 0, 251], [0, 329.2, 147], [0, 0, 1]]),
     np.array([[332., 0, 259], [0, 331.2, 139.5], [0, 0, 1]])]
D = [np.array([-.25, .09, .0008, -.0006, -.01]), np.array([-.24, .08, -.0005, .0007, -.012])]
R = cv2.Rodrigues(np.array([-.021, .035, -.022]))[0]
T = R @ np.array([[-.54], [.004], [-.006]])
FOLDER = pathlib.Path(tempfile.mkdtemp())
PROGRAM = ""


def run(command, status=0, seconds=100):
    """The output of a command (a list, or a line for the shell), which must end so."""
    result = subprocess.run(command, shell=isinstance(command, str), cwd=FOLDER, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                            errors="replace")
    expect(result.returncode == status, f"{command} ends with {result.returncode}:\n"
           f"{result.stdout}")
    return result.stdout


def expect(condition, fault):
    if not condition:
        sys.exit(fault)


def calibrate(*arguments, status=0, output="found.yml"):
    done = warm.always([PROGRAM, *map(str, (*BOARD, "-o", output, *arguments))], FOLDER)
    text = done.stdout + done.stderr
    expect(done.returncode == status, f"{arguments} ends with {done.returncode}:\n{text}")
    return text


# ---- Without a board -----------------------------------------------------------------------------

def seen_of_a_room(scene, turn, swap=False, near=1.5, depth=6.0):
    """Projects 900 points, .2 px off, seen from 12 places, and says the matches of each."""
    noise = np.random.default_rng(1)
    points = noise.uniform((-4, -2, near), (4, 2, near + depth), (900, 3))
    rows, stereo = [], []
    for frame in range(12):
        phase = 2 * np.pi * frame / 12
        pose = cv2.Rodrigues(turn * np.array([.15 * np.sin(2 * phase), .45 * np.sin(phase),
                                              .2 * np.cos(phase)]))[0]
        at = (points - (.4 * np.sin(phase), .1 * np.cos(phase), .5 * np.cos(phase))) @ pose.T
        views = [at, at @ R.T + T.ravel()][::-1 if swap else 1]
        places = [cv2.projectPoints(view, np.zeros(3), np.zeros(3), k, d)[0].reshape(-1, 2) +
                  noise.normal(0, .2, (900, 2)) for view, k, d in zip(views, K, D)]
        good = np.all([(view[:, 2] > .5) & (np.abs(view[:, :2]) < .7 * view[:, 2:]).all(1)
                       for view in views], 0) & np.all(
            [(place > 0).all(1) & (place < (WIDTH, HEIGHT)).all(1) for place in places], 0)
        stereo.append([place[good] for place in places])
        rows += [(point, frame, side, *places[side][point]) for point in np.flatnonzero(good)
                 for side in (0, 1)]
    rows = np.array(rows)
    return scene.Seen(*rows[:, :3].astype(int).T, rows[:, 3:]), stereo


def seen_again(result):
    """95 % of the differences of rows, and of the relative errors of distances, of true points."""
    points = np.random.default_rng(2).uniform((-.5, -.3, 1), (.5, .3, 1), (300, 3))
    points *= np.linspace(1, 8, 300)[:, None]
    places = [cv2.projectPoints(view, np.zeros(3), np.zeros(3), k, d)[0].reshape(-1, 2)
              for view, k, d in zip((points, points @ R.T + T.ravel()), K, D)]
    (r1, r2, p1, p2), ends = result.rectified, []
    for i, (r, p) in enumerate(((r1, p1), (r2, p2))):
        ends.append(result.model.undistort(places[i], result.k[i], result.d[i], r, p))
    found = -p2[0, 3] / (ends[0][:, 0] - ends[1][:, 0])
    return (np.percentile(np.abs(ends[0][:, 1] - ends[1][:, 1]), 95),
            np.percentile(np.abs(found / (points @ r1.T)[:, 2] - 1), 95))


def check_scene():
    sys.path.insert(0, str(pathlib.Path(PROGRAM).parent))
    import scene
    baseline = np.linalg.norm(T)
    for turn, fov in ((1, 90), (0, np.degrees(2 * np.arctan(WIDTH / 2 / K[0][0, 0])))):
        seen, stereo = seen_of_a_room(scene, turn)
        scene.check_stereo(stereo)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            rig, deviation, noise, turned = scene.fit(seen, stereo, (WIDTH, HEIGHT), fov)
        expect("fitting: round 1" in told.getvalue(), f"no progress: {told.getvalue()}")
        off = rig.cameras[:, 0] / [K[0][0, 0], K[1][0, 0]] - 1
        print(f"without a board, turned by {turned:.0f} degrees: focal lengths off by "
              f"{100 * off[0]:.2f} and {100 * off[1]:.2f} %, points by {noise:.2f} px")
        expect(np.abs(off).max() < (FOCAL if turn else .02), f"focal lengths off by {off}")
        expect((turned > scene.ENOUGH_TURN) == (turn > 0), f"turned by {turned}")
        expect(.1 < noise < .3, f"{noise} px of noise")
        result = scene.result_of(rig, baseline, (WIDTH, HEIGHT))
        text = scene.report(rig, deviation, result, noise, turned, (0, 0), "")
        expect(("px, as given" in text) == (turn == 0), text)
        rows, distances = seen_again(result)
        print(f"    95 % of points: rows {rows:.2f} px, distances {100 * distances:.1f} %")
        expect(rows < ROWS and distances < DISTANCE, "rows or distances are wrong")
    for change, word in (({"swap": True}, "swapped"), ({"near": 5, "depth": 1e-6}, "one plane")):
        seen, stereo = seen_of_a_room(scene, 1, **change)
        try:
            scene.check_stereo(stereo)
            scene.fit(seen, stereo, (WIDTH, HEIGHT), 70)
        except scene.SceneError as error:
            expect(word in str(error), f"{error}: no {word}")
        else:
            sys.exit(f"{change} is not refused")


def check_first_pose():
    """A rig that looks along a road: far things tell its rotation, and nothing else does."""
    import scene
    k = np.array([[700, 0, 620], [0, 700, 185], [0, 0, 1.]])
    for seed in range(6):
        noise = np.random.default_rng(seed)
        points = noise.uniform((0, 0, 8), (1240, 370, 80), (2500, 3))
        points[:, :2] = (points[:, :2] - k[:2, 2]) / 700 * points[:, 2:]
        turn = cv2.Rodrigues(np.radians([.1, .2, -.1]))[0]
        one, other = ((at @ k.T)[:, :2] / at[:, 2:] + noise.normal(0, .4, (2500, 2))
                      for at in (points, points @ turn.T - (.54, 0, 0)))
        found, t = scene.first_pose([(one, other)], k)
        off = np.degrees(np.linalg.norm(cv2.Rodrigues(found @ turn.T)[0]))
        expect(off < .05 and abs(t[2]) < .05, f"off by {off} degrees, moved by {t}")


def check_floor():
    """A floor that the rig looks down to, boxes on it, and a ceiling with more points."""
    import scene
    noise = np.random.default_rng(3)
    points = noise.uniform((-3, -1, 2), (3, 1, 8), (700, 3))
    points[:300, 1], points[400:, 1] = 1.5, -2
    down = cv2.Rodrigues(np.array([.3, 0, .1]))[0]
    rig = scene.Rig(None, None, None, [(np.eye(3), np.zeros(3))],
                    (points + noise.normal(0, .003, points.shape)) @ down.T / .12)
    expect_near(scene.baseline_of(rig, 1.5), .12, .01, "the baseline by a floor")
    rig.points = rig.points[400:]
    try:
        expect(not scene.baseline_of(rig, 1.5), "a ceiling is taken for a floor")
    except scene.SceneError as error:
        expect("no floor" in str(error), error)


def check_object():
    """A slanted board with texture, of which both ends are told, and one too far away."""
    import scene
    import solve
    k = np.array([[400, 0, 255.5], [0, 400, 143.5], [0, 0, 1]])
    size = (512, 288)
    result = solve.Result(solve.model_of("plumb-bob"), size,
                          [k, np.zeros(5)] * 2 + [np.eye(3), np.array([[-1.], [0], [0]])])
    result.rectify()
    noise = np.random.default_rng(4).uniform(0, 255, (288, 640))
    right = cv2.GaussianBlur(noise, (0, 0), 2) * 4 - 380
    x, y = np.meshgrid(np.arange(512.), np.arange(288.))
    for disparity, off in ((40 + .05 * x, .01), (3 + .002 * x, None)):
        left = cv2.remap(right, (x - disparity + 64).astype(np.float32), y.astype(np.float32), 1)
        pair = [np.clip(view, 0, 255).astype(np.uint8) for view in (left, right[:, 64:576])]
        ends = np.array([(120, 60), (420, 220)])
        at = np.array([disparity[v, u] for u, v in ends])
        places = np.column_stack((ends - k[:2, 2], [400, 400])) / at[:, None] * .12
        length = np.linalg.norm(places[1] - places[0])
        try:
            found, share = scene.baseline_by_object(pair, result, ends.astype(float), length)
            expect(off and share < .03, f"{100 * share} % are accepted")
            expect_near(found, .12, off, "the baseline by an object")
        except scene.SceneError as error:
            expect(off is None and "nearer" in str(error), error)
    try:
        scene.baseline_by_object([np.full((288, 512), 90, np.uint8)] * 2, result, ends * 1., 1)
        sys.exit("a thing without texture is taken")
    except scene.SceneError as error:
        expect("texture" in str(error), error)


def check_exif():
    sys.path.insert(0, str(pathlib.Path(PROGRAM).parent.parent / "shared"))
    import sources
    for focal, tags in ((28, "capturing-focal-length-35mm=28.0"), (0, "comment=none")):
        run(["gst-launch-1.0", "-q", *"videotestsrc num-buffers=1 ! video/x-raw,width=640,"
             "height=480 ! jpegenc ! taginject".split(), f"tags={tags}",
             *"! jifmux ! filesink location=exif.jpg".split()])
        found = sources.fov_of(str(FOLDER / "exif.jpg"))
        expect(found is None if focal == 0 else abs(found - 63.5) < .2, f"{found} degrees")


# ---- The cameras --------------------------------------------------------------------------------

def numbers(matrix):
    return "[" + ", ".join(f"{value:.12f}" for value in np.ravel(matrix)) + "]"


def write_truth():
    lines = ["%YAML:1.0", "---", f"image_width: {WIDTH}", f"image_height: {HEIGHT}"]
    lines += [f"{name}{i + 1}: {numbers(values[i])}" for name, values in (("K", K), ("D", D))
              for i in range(2)]
    lines += [f"R: {numbers(R)}", f"T: {numbers(T)}"]
    (FOLDER / "truth.yml").write_text("\n".join(lines) + "\n")


def source(view, more=""):
    return (f"street-scene-src view={view} seed=5 lens-calibration=truth.yml {more} "
            "! video/x-raw,format=GRAY8")


def record():
    board = f"scene=chessboard board-hold=1 num-buffers={POSES}"
    run("gst-launch-1.0 -q matroskamux name=left ! filesink location=left.mkv "
        "matroskamux name=right ! filesink location=right.mkv "
        f"{source('left', board)} ! jpegenc quality=95 ! queue ! left. "
        f"{source('right', board)} ! jpegenc quality=95 ! queue ! right.")


# ---- The numbers --------------------------------------------------------------------------------

def read(path):
    file = cv2.FileStorage(str(FOLDER / path), cv2.FILE_STORAGE_READ)
    return {name: file.getNode(name).mat() for name in ("K1", "D1", "K2", "D2", "R", "T")}


def expect_near(value, truth, share, what):
    expect(abs(value / truth - 1) < share, f"{what} is {value:.5g}, not {truth:.5g}")


def true_rows(found):
    """The distance between the rows of points of the true cameras, rectified by the file: median
    over all of both pictures, at all distances."""
    grid = np.stack(np.meshgrid(np.arange(0, WIDTH, 16.), np.arange(0, HEIGHT, 16.)), -1)
    flat = cv2.undistortPoints(grid.reshape(-1, 1, 2), K[0], D[0]).reshape(-1, 2)
    points = np.hstack([flat, np.ones((len(flat), 1))]) * np.geomspace(1.5, 80, len(flat))[:, None]
    r1, r2, p1, p2 = cv2.stereoRectify(found["K1"], found["D1"], found["K2"], found["D2"],
                                       (WIDTH, HEIGHT), found["R"], found["T"],
                                       flags=cv2.CALIB_ZERO_DISPARITY, alpha=0)[:4]
    rows = []
    for i, pose, r, p in ((0, (np.zeros(3), np.zeros(3)), r1, p1),
                          (1, (cv2.Rodrigues(R)[0], T), r2, p2)):
        seen = cv2.projectPoints(points, *pose, K[i], D[i])[0]
        inside = ((seen[:, 0] >= 0) & (seen[:, 0] < (WIDTH, HEIGHT))).all(1)
        k, d = found[f"K{i + 1}"], found[f"D{i + 1}"]
        row = cv2.undistortPoints(seen, k, d, R=r, P=p).reshape(-1, 2)[:, 1]
        rows.append(np.where(inside, row, np.nan))
    off = np.abs(rows[0] - rows[1])
    return float(np.nanmedian(off)), int(np.isfinite(off).sum())


def check_numbers():
    report = calibrate("left.mkv", "right.mkv", "--picture", "pair.png", "--views", "18")
    found = read("found.yml")
    for i in range(2):
        for axis in range(2):
            expect_near(found[f"K{i + 1}"][axis, axis], K[i][axis, axis], FOCAL, "focal length")
    expect_near(np.linalg.norm(found["T"]), np.linalg.norm(T), BASELINE, "the baseline")
    told = re.search(r"^rows +([\d.]+) px apart .* (\d+) views not used for the fit", report, re.M)
    expect(told and float(told[1]) < ROWS and int(told[2]) >= 5, f"no or poor rows:\n{report}")
    rows, count = true_rows(found)
    expect(rows < ROWS and count > 300, f"true rows are {rows:.3f} px apart, {count} points")
    baseline = re.search(r"baseline ([\d.]+) cm", report)
    expect_near(float(baseline[1]), 54, BASELINE, "the report's baseline")
    expect("sees" in report and "cover" in report and ": good" in report, report)
    picture = cv2.imread(str(FOLDER / "pair.png"))
    expect(picture is not None and picture.shape == (HEIGHT, 2 * WIDTH, 3), "no picture of a pair")
    focal = max(abs(found[f"K{i + 1}"][a, a] / K[i][a, a] - 1) for i in (0, 1) for a in (0, 1))
    print(f"focal lengths to {100 * focal:.3f} %, baseline "
          f"{100 * np.linalg.norm(found['T']):.3f} cm of {100 * np.linalg.norm(T):.3f}, rows "
          f"{told[1]} px apart in the board's views, {rows:.3f} px in all of the pictures")
    return found


# ---- The street ---------------------------------------------------------------------------------

def street(view):
    return (f"{source(view, 'terrain=flat num-buffers=2')},width={STREET[0]},height={STREET[1]},"
            "framerate=1/2")


def stixels_of(calibration):
    """Two frames of the street, 20 m apart, by that file."""
    views = " ".join(f"{street(view)} ! rectify.sink_{view} "
                     f"rectify.src_{view} ! queue ! sgm.sink_{view}" for view in ("left", "right"))
    run(f"gst-launch-1.0 -q stereo-rectify name=rectify calibration={calibration} {views} "
        "stereo-sgm name=sgm ! downsample-transpose ! sat-dp-stixels ! stixel-json "
        "! filesink location=stixels.jsonl")
    return [json.loads(line) for line in (FOLDER / "stixels.jsonl").read_text().splitlines()]


def true_disparity():
    """Returns the disparity of the pair rectified by the true numbers, and its camera."""
    run(f"gst-launch-1.0 -q {street('disparity').replace('GRAY8', 'GRAY16_LE')} ! tee name=t "
        "t. ! queue ! filesink location=truth.raw "
        "t. ! queue ! downsample-transpose ! sat-dp-stixels ! stixel-json metres=false "
        "! filesink location=truth.jsonl")
    camera = json.loads((FOLDER / "truth.jsonl").read_text().splitlines()[0])["camera"]
    data = np.fromfile(FOLDER / "truth.raw", "<u2").reshape(2, STREET[1], STREET[0]) / 256
    return data, camera


def left_rotation(numbers_of):
    return cv2.stereoRectify(numbers_of["K1"], numbers_of["D1"], numbers_of["K2"],
                             numbers_of["D2"], (WIDTH, HEIGHT), numbers_of["R"],
                             numbers_of["T"])[0]


def true_depth(disparity, camera, ray, turn):
    """Returns a ray's depth; `turn` brings the found pair's ray to the true one. NaN: unknown."""
    there = turn @ ray
    x, y = (int(round(camera[c] + camera["focal"] * there[i] / there[2]))
            for i, c in enumerate(("cx", "cy")))
    if not (0 <= x < STREET[0] and 0 <= y < STREET[1]) or disparity[y, x] == 0:
        return np.nan
    depth = camera["focal"] * camera["baseline"] / disparity[y, x]
    return depth / there[2]  # ray[2] is 1


def distance_errors(frames, truth, turn):
    disparity, camera = truth
    errors = []
    for frame, true in zip(frames, disparity):
        found = frame["camera"]
        for stixel in frame["stixels"]:
            middle = (stixel["disparity_top"] + stixel["disparity_bottom"]) / 2
            u = (stixel["column"] + .5) * frame["stixel_width"] - .5
            v = (stixel["top"] + stixel["bottom"]) / 2
            ray = np.array([(u - found["cx"]) / found["focal"], (v - found["cy"]) / found["focal"],
                            1])
            depth = true_depth(true, camera, ray, turn)
            if stixel["kind"] == "object" and middle > 0 and depth < FARTHEST:
                errors.append(abs(found["focal"] * found["baseline"] / middle / depth - 1))
    return np.array(errors)


def check_street(found):
    truth = {"K1": K[0], "D1": D[0], "K2": K[1], "D2": D[1], "R": R, "T": T}
    turn = left_rotation(truth) @ left_rotation(found).T
    disparity = true_disparity()
    errors = distance_errors(stixels_of("found.yml"), disparity, turn)
    median = float(np.median(errors))
    print(f"{len(errors)} stixels up to {FARTHEST} m, median error {100 * median:.2f} %")
    expect(len(errors) > 150 and median < DISTANCE, "the street is not where it should be")


# ---- Inputs -------------------------------------------------------------------------------------

def write_pictures():
    """Folders of both views, and of frames that hold both; the right ones of one shorter."""
    videos = [cv2.VideoCapture(str(FOLDER / f"{side}.mkv")) for side in ("left", "right")]
    for name in ("l", "r", "both"):
        (FOLDER / name).mkdir()
    for i in range(PICTURES):
        views = [video.read()[1] for video in videos]
        for name, picture in zip(("l", "r", "both"), (*views, cv2.hconcat(views))):
            cv2.imwrite(str(FOLDER / name / f"{i}.png"), picture)


def rms_of(report):
    return float(re.search(r"corners ([\d.]+) px off", report)[1])


def check_inputs():
    write_pictures()
    folders = calibrate("l", "r", output="a.yml")
    expect(rms_of(folders) < .3 and f"{PICTURES} frames" in folders, folders)
    expect("better more views" in folders, f"{PICTURES} views are enough:\n{folders}")
    both = calibrate("both", output="b.yml")
    expect(rms_of(both) == rms_of(folders), "both views in a frame are other views")
    swapped = calibrate("r", "l", "--swap", output="c.yml")
    expect(rms_of(swapped) == rms_of(folders), "--swap does not swap")
    cameras = [f"gst:{source(view, 'scene=chessboard board-hold=1 num-buffers=10')},width=320"
               for view in ("left", "right")]
    report = calibrate(*cameras, "--every", "0.001", output="d.yml")
    expect("10 frames of 320x180" in report, report)
    fisheye = calibrate("l/*.png", "r/*.png", "--model", "fisheye", output="e.yml")
    expect("equidistant" in fisheye and "equidistant" in (FOLDER / "e.yml").read_text(), fisheye)
    rational = calibrate("left.mkv", "right.mkv", "--model", "rational", output="f.yml")
    expect("rational_polynomial" in rational, rational)
    for name in "ef":  # what was written can be read
        run(f"gst-launch-1.0 -q stereo-rectify name=r calibration={name}.yml "
            f"{source('left', 'num-buffers=1')} ! r.sink_left r.src_left ! fakesink")


# ---- Messages -----------------------------------------------------------------------------------

def expect_refusal(words, *arguments):
    text = calibrate(*arguments, status=1, output="none.yml")
    expect(all(word in text for word in words) and "Traceback" not in text,
           f"{' '.join(words)} is not said:\n{text}")
    expect(not (FOLDER / "none.yml").exists(), f"a file in spite of: {text}")


def live(*parts):
    return [f"gst:street-scene-src {part}" for part in parts]


def check_messages():
    expect_refusal(("swapped", "--swap"), "r", "l")
    expect_refusal(("no board of 8x5", "9x6", "squares"), "l/[12].png", "r/[12].png", "--board",
                   "8x5")
    small = "num-buffers=3 ! video/x-raw,width=320"
    expect_refusal(("no board of 9x6", "3 frames"), *live(small, f"view=right {small}"),
                   "--every", ".001")
    expect_refusal(("only 3 views", "8 are needed"), "l/[123].png", "r/[123].png")
    expect_refusal((f"{PICTURES} left", "3 right"), "l", "r/[123].png")
    expect_refusal(("left pictures are 64x20", "right ones 96x20"), *live(
        "! video/x-raw,width=64,height=20", "! video/x-raw,width=96,height=20"))
    expect_refusal(("nothing.mkv",), "nothing.mkv", "right.mkv")
    expect_refusal(("nosuch",), "gst:nosuch", "gst:nosuch")
    expect_refusal(("truth.yml",), "truth.yml", "right.mkv")
    # Pictures of different moments.
    for i in range(PICTURES):
        os.rename(FOLDER / f"l/{i}.png", FOLDER / f"l/{100 + 3 * i % PICTURES}.png")
    expect_refusal(("not of the same moment",), "l", "r")
    check_odd_files()


def check_odd_files():
    """Names that mean something elsewhere, files that are not what they should be, and places where
    nothing can be written, which is said before the work."""
    odd = os.fsdecode(b'odd\t! "\xff\\.mkv')
    os.symlink("left.mkv", FOLDER / odd)
    expect_refusal(("only 1 views",), odd, "right.mkv", "--every", "100")
    os.makedirs(FOLDER / os.fsdecode(b"folder\xff"))
    picture = (FOLDER / "r/1.png").read_bytes()
    names = [FOLDER / os.fsdecode(b"folder\xff") / "%d.png", FOLDER / "cut.png",
             FOLDER / "empty.png"]
    for name, size in zip(names, (None, 2000, 0)):
        name.write_bytes(picture[:size])
    expect_refusal(("only 1 views",), names[0].parent, names[0].parent)
    for name in names[1:]:
        expect_refusal((name.name, "not a picture"), name, name)
    huge = bytearray(picture)  # by its header
    huge[16:24] = (60000).to_bytes(4, "big") * 2
    huge[29:33] = zlib.crc32(huge[12:29]).to_bytes(4, "big")
    (FOLDER / "huge.png").write_bytes(huge)
    expect_refusal(("huge.png", "picture"), "huge.png", "huge.png")
    cv2.imwrite(str(FOLDER / "dot.png"), np.zeros((1, 1)))
    expect_refusal(("0x1", "too small"), "dot.png")
    for name in ("l", "nowhere/x.yml"):
        text = calibrate("l", "r", status=1, output=name)
        expect(f"{name}: cannot be written" in text, text)
    text = calibrate("--print-board", "9x6", status=2)
    expect("--print-board board.svg --board 9x6" in text, text)
    text = calibrate("--print-board", "nowhere/x.svg", status=1)
    expect("nowhere/x.svg" in text and "Traceback" not in text, text)
    for board in "99999x99999", "2x9", "x", f"{'9' * 99}x9":
        text = calibrate("--print-board", "board.svg", "--board", board, status=2)
        expect(f"{board}: say the corners" in text and "Traceback" not in text, text)


# ---- Parts --------------------------------------------------------------------------------------

class Stream:
    """Frames of these times, named by their number."""

    def __init__(self, times):
        self.frames = [(i, time) for i, time in enumerate(times)]

    def pull(self):
        return self.frames.pop(0) if self.frames else None


def check_pairs():
    import sources
    for left, right, pairs in (
            ([0, 1, 2], [0, 1, 2], [[0, 0], [1, 1], [2, 2]]),
            ([0, .99, 2.01], [0, 1, 2, 3], [[0, 0], [1, 1], [2, 2]]),
            ([0, 2, 3], [0, 1, 2, 3], [[0, 0], [1, 2], [2, 3]]),
            ([1, 2, 3], [0, 1, 3], [[0, 1], [2, 2]]),
            ([0, 1], [.5, 1.5], [])):
        count = sources.Count()
        found = [views for views, at in
                 sources.matched([Stream(left), Stream(right)], .02, count)]
        expect(found == pairs, f"{left} and {right} become {found}")
        expect(max(count.frames) <= 4 and min(count.frames) >= 2, f"{count.frames} frames")
    alone = list(sources.matched([Stream([0, 7])], .02, sources.Count()))
    expect(alone == [([0], 0), ([1], 7)], f"one stream becomes {alone}")


def check_reach():
    import report
    import solve
    plain, wide = solve.Pinhole(False), solve.Fisheye()
    # r - .3 r^3 turns at r = 1.054, t - .1 t^3 at t = 1.826.
    for model, d, reach in ((plain, [-.3, 0, 0, 0, 0], .7027), (plain, [.1, 0, 0, 0, 0], 820),
                            (solve.Pinhole(True), [-.3, 0, 0, 0, 0, 0, 0, 0], .7027),
                            (wide, [-.1, 0, 0, 0], 1.2172)):
        expect_near(model.reach(np.array(d, float)), reach, .001, "a reach")
    # Edges are 160 pixels from the centre, corners 178.
    for focal, edges, corners in ((270, False, False), (240, False, True), (200, True, True)):
        k = np.array([[focal, 0, 159.5], [0, focal, 79.5], [0, 0, 1]])
        bent = np.array([-.3, 0, 0, 0, 0])
        result = solve.Result(plain, (320, 160), (k, bent, k, bent, np.eye(3), np.zeros(3)))
        expect(report.edge_is_lost(result) == edges, f"edges, focal length {focal}")
        expect((len(list(report.lacking_edges(result))) == 2) == corners, f"corners, {focal}")


def check_board():
    text = calibrate("--print-board", "board.svg", "--board", "7x5", "--square", "0.03")
    svg = (FOLDER / "board.svg").read_text()
    expect('width="300mm" height="240mm"' in svg and "300 x 240 mm" in text, svg)
    expect(svg.count("h1v1h-1z") == 24, "not half of 8 x 6 squares are black")


def main():
    global PROGRAM
    PROGRAM = sys.argv[1]
    write_truth()
    sys.path.insert(0, os.path.dirname(PROGRAM))
    check_board()
    check_pairs()
    check_reach()
    check_scene()
    check_first_pose()
    check_floor()
    check_object()
    record()
    check_street(check_numbers())
    check_inputs()
    check_messages()
    check_exif()  # last: GStreamer does not work in children of one that has used it


if __name__ == "__main__":
    try:
        main()
    finally:
        run(["rm", "-r", str(FOLDER)])
