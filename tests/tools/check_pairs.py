# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-check as a user runs it: on the street, on files of all kinds, and on KITTI's pictures.

usage: check_pairs.py STX-CHECK   with PYTHONPATH and STIXELS_LIBRARY of the build folder
"""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import warm
from programs import in_folder

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.path[:0] = [str(EXAMPLES / "shared"), str(EXAMPLES / "stx-check")]
import files  # noqa: E402 (where it is had to be said first)
import look  # noqa: E402
import png  # noqa: E402
import stixels  # noqa: E402

CHECK = sys.argv[1]
SIZE = 400, 200
DATA = os.environ.get("STX_DATA")


def make_drive(folder, moments=4, begin=0, size=SIZE, **settings):
    """The folders left, right and lower, where the right view lies 3 rows lower, of a drive at
    10 m/s; the left view begins later."""
    for name in ("left", "right", "lower"):
        (folder / name).mkdir()
    street = stixels.Street(*size, **settings)
    for i in range(moments):
        street.move(i)
        left, right = street.pair()
        if i >= begin:
            png.save(folder / f"left/{i:06}.png", left)
        png.save(folder / f"right/{i:06}.png", right)
        png.save(folder / f"lower/{i:06}.png", np.vstack([right[:3], right[:-3]]))


def expect(folder, arguments, status, *words):
    """Runs "stx-check arguments", where each @ stands for the folder."""
    command = [CHECK, *arguments.replace("@", str(folder)).split()]
    done = warm.fresh(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, (command, done)
    for one in words:
        assert one in (done.stderr if status == 2 else done.stdout), (command, one, done)


# ---- The street ----------------------------------------------------------------------------------

@in_folder
def names_what_is_wrong_and_the_cure(drive):
    make_drive(drive)
    expect(drive, "@/left @/right", 0, "4 pairs: 4 plausible", "range: max-disparity=")
    expect(drive, "--pairs 2 @/left/%06d.png @/right/%06d.png", 0, "2 pairs: 2 plausible")
    expect(drive, "@/left/000001.png @/right/000001.png", 0, "1 pair: 1 plausible")
    expect(drive, "@/right @/left", 1, "tried: plausible when exchanged")
    expect(drive, "@/left @/lower", 1, "the right view lies 3 rows lower",
           "with the right view 3 rows higher")
    expect(drive, "@/lower @/left", 1, "when exchanged, and with the right view 3 rows higher")
    expect(drive, "@/left/000001.png @/left/000001.png", 1, "the same picture")


@in_folder
def finds_the_pictures_of_one_moment(drive):
    """The right camera has begun earlier, by a few moments or by seconds."""
    make_drive(drive, 60, 3, (256, 128))
    for begin in (3, 24):
        for i in range(3, begin):
            (drive / f"left/{i:06}.png").unlink()
        expect(drive, "--pairs 8 @/left @/right", 1,
               f"plausible with each right picture {begin} pictures later")


@in_folder
def reads_videos(drive):
    """GStreamer decodes them."""
    make_drive(drive)
    launch = shutil.which("gst-launch-1.0")
    if launch is None:
        return
    for view in ("left", "right"):
        subprocess.run([launch, "-q", *(
            f"multifilesrc location={drive}/{view}/%06d.png stop-index=3 "
            "caps=image/png,framerate=10/1 ! pngdec ! videoconvert ! jpegenc quality=95 ! "
            f"matroskamux ! filesink location={drive}/{view}.mkv").split()], check=True)
    expect(drive, "@/left.mkv @/right.mkv", 0, "4 pairs: 4 plausible")
    expect(drive, "@/right.mkv @/left", 1, "tried: plausible when exchanged")
    subprocess.run([launch, "-q", *(
        f"filesrc location={drive}/right.mkv ! matroskademux ! jpegdec ! videorate ! "
        "video/x-raw,framerate=20/1 ! jpegenc quality=95 ! matroskamux ! filesink "
        f"location={drive}/fast.mkv").split()], check=True)
    expect(drive, "@/left.mkv @/fast.mkv", 0, "have 10 and 20 pictures", "4 pairs: 4 plausible")


# The calibration of the pages' camera `bent`; its lens needs to be straightened.
BENT = """image_width: 400
image_height: 200
K1: [230, 0, 205, 0, 230, 96, 0, 0, 1]
D1: [-.28, .07, 0, 0, 0]
K2: [232, 0, 195, 0, 232, 104, 0, 0, 1]
D2: [-.27, .08, 0, 0, 0]
R: [1, 0, 0, 0, 1, 0, 0, 0, 1]
T: [-.54, 0, 0]
"""


@in_folder
def tries_the_calibration(drive):
    (drive / "bent.yml").write_text(BENT)
    (drive / "calib.txt").write_text(
        "P0: 700 0 24 0 0 700 10 0 0 0 1 0\nP1: 700 0 24 -378000 0 700 10 0 0 0 1 0\n")
    make_drive(drive, calibration=stixels.read_calibration(drive / "bent.yml"))
    expect(drive, "@/left @/right --calibration @/bent.yml", 1,
           "put stereo-rectify with this file before",
           "next: gst-launch-1.0 stereo-stixels name=stixels")
    expect(drive, "@/left @/right @/calib.txt", 2, "540 m")
    (drive / "calib.txt").write_text(
        "P0: 460 0 400 0 0 460 192 0 0 0 1 0\nP1: 460 0 400 -248 0 460 192 0 0 0 1 0\n"
        "S_rect_00: 800 400\n")
    expect(drive, "@/left @/right @/calib.txt", 1, "of 800x400 was scaled by 0.5")


@in_folder
def refuses_what_it_cannot_read(drive):
    make_drive(drive, 2)
    for name in ("film.mp4", "broken.png"):
        (drive / name).write_text("no picture")
    (drive / "empty").mkdir()
    for arguments, words in (
            ("@/left", "give LEFT and RIGHT"), ("@/left @/nothing", "no such file or folder"),
            ("@/left @/empty", "no PNG files in this folder"),
            ("@/left @/right/%x.png", "a pattern has one number"),
            ("@/left @/right/right-%d.png", "no file with the number 0 or 1"),
            ("@/film.mp4 @/film.mp4", "no PNG, and no video that GStreamer decodes: "
             "Could not determine type of stream"),
            ("@/broken.png @/broken.png", "broken.png"),
            ("@/left @/right @/film.mp4", "film.mp4"),
            ("--max-disparity=257 @/left @/right", "expected 2 to 256"),
            ("--pairs=0 @/left @/right", "expected at least 1")):
        expect(drive, arguments, 2, words)


# ---- Recordings ----------------------------------------------------------------------------------

def kitti_is_named_right():
    """Checks half of the frames by which the limits were not chosen."""
    folder = pathlib.Path(DATA, "kitti2012-more")
    paths = [files.paths_of(str(folder / f"image_{i}"))[1::2] for i in range(2)]
    for verdict, attempt in (("plausible", {}), ("swapped", {"swap": True}), ("rows", {"rows": 2}),
                             ("rows", {"rows": -2})):
        found = look.look(paths, 128, 8, **attempt)
        assert found.seen_as[verdict] == found.pairs > 0, (verdict, attempt, found)


def kitti_of_two_moments_is_named():
    """Half a second apart, and what it says of a drive as a whole."""
    folder = pathlib.Path(DATA, "sequences/kitti-odometry-06-gray")
    paths = [files.paths_of(str(folder / f"image_{i}")) for i in range(2)]
    for later in (-5, 0, 5):
        found = look.look(paths, 128, 10, later=later)
        assert found.verdict == ("moment" if later else "plausible"), found
        assert found.seen_as[found.verdict] >= 8, found
    strangers = [files.paths_of(str(folder.parent / name)) for name in
                 ("kitti-odometry-05/image_2", "kitti-odometry-07/image_3")]
    assert look.look(strangers, 128, 6).seen_as["unrelated"] == 6


@in_folder
def kitti_that_begins_later_is_found(folder):
    """Two of the seven pairs that are left look plausible of a wrong moment, too."""
    drive = pathlib.Path(DATA, "sequences/kitti-odometry-06-gray")
    (folder / "right").mkdir()
    for name in sorted((drive / "image_1").glob("*.png"))[13:]:
        (folder / "right" / name.name).symlink_to(name)
    expect(folder, f"{drive}/image_0 @/right", 1, "13 pictures earlier, in 7 of 7 pairs")


def raw_pictures_are_not_rectified():
    """Cameras with a common trigger and lenses that bend lines, as they come; also when the camera
    has moved between the views, which no row shows. Without a calibration the next step is to make
    one."""
    drive = pathlib.Path(DATA, "sequences/euroc-v1-raw")
    found = look.look([files.paths_of(str(drive / name)) for name in ("cam0", "cam1")], 128, 6)
    assert found.seen_as["unrectified"] == found.pairs > 0, found
    expect(drive, "--pairs 2 @/cam0 @/cam1", 1, "2 pairs: 2 unrectified",
           "the views are not rectified: the right view lies 12 rows lower",
           "measured: pitch 0.9 degrees for a focal length of 752 px",
           "12 rows apart; roll -0.0 degrees", "next, if the cameras move and turn",
           "--baseline METRES", "stx-calibrate left.mkv right.mkv")
    expect(drive, "--pairs 2 @/cam0 @/cam1 @/cam0/sensor.yaml @/cam1/sensor.yaml", 1,
           "2 pairs: 2 unrectified", "(EuRoC) they are plausible",
           "next: gst-launch-1.0 stereo-stixels", "cam0/sensor.yaml calibration-right=")


for check in (names_what_is_wrong_and_the_cure, finds_the_pictures_of_one_moment, reads_videos,
              tries_the_calibration, refuses_what_it_cannot_read,
              *((kitti_is_named_right, kitti_of_two_moments_is_named,
                 raw_pictures_are_not_rectified, kitti_that_begins_later_is_found)
                if DATA else ())):
    check()
    print(check.__name__)
