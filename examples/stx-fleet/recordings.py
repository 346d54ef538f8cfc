# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recording: a pair of numbered pictures, two videos, or one file with both."""
import pathlib
import re

from matroska import Unusable, check_matroska

# Folders of the left and the right pictures, below that of the recording.
PICTURES = (("image_2", "image_3"), ("image_0", "image_1"), ("image_02/data", "image_03/data"),
            ("image_00/data", "image_01/data"), ("left", "right"),
            ("cam0/data", "cam1/data"))
# Beside the recording, or in one of the two folders above it.
RAW = "calib_cam_to_cam.txt"  # of KITTI's pictures that are rectified already
CALIBRATIONS = ("calib.txt", "camera.json", "stereo.yml", "calibration.yml", RAW)


def numbered(folder):
    """The pictures of a folder, by number. Numbers that count have no gap; those that are times,
    as in EuRoC's recordings, may have any distance."""
    found = [(re.fullmatch(r"(\D*)(\d+)(\D*\.png)", path.name), path)
             for path in folder.glob("*.png")]
    if not found or not all(match for match, _ in found):
        raise Unusable(f"{folder}: no numbered pictures, as 000000.png")
    if len({(match[1], match[3]) for match, _ in found}) > 1:
        raise Unusable(f"{folder}: the names of its pictures differ by more than a number")
    by_number = {int(match[2]): path for match, path in found}
    numbers = sorted(by_number)
    steps = [after - before for before, after in zip(numbers, numbers[1:])]
    gap = next((number + 1 for number, step in zip(numbers, steps) if step > 1), None)
    if gap is not None and sorted(steps)[len(steps) // 2] == 1:
        raise Unusable(f"{folder}: there is no picture number {gap}")
    return [by_number[number] for number in numbers], gap is not None


def pair_of_pictures(left, right):
    """The pictures of both folders. Times of both are the same."""
    (lefts, are_times), (rights, _) = numbered(left), numbered(right)
    if are_times:
        single = {path.name for path in lefts} ^ {path.name for path in rights}
        if single:
            raise Unusable(f"{left} and {right}: only one of them has {min(single)}; the names of "
                           "both views of a moment must be the same")
    if len(lefts) != len(rights):
        raise Unusable(f"{left} has {len(lefts)} pictures, {right} {len(rights)}")
    return lefts, rights


def pictures_source(view, pictures, rate):
    """Words of gst-launch-1.0, and the links that they read."""
    links = {f"{view}/{n}.png": path for n, path in enumerate(pictures)}
    return ["multifilesrc", f"location=LINKS/{view}/%d.png", f"stop-index={len(links) - 1}",
            f"caps=image/png,framerate={rate}/1", "!", "pngdec"], links


class Recording:
    """`name` is unique in its fleet, and a path without its first part."""

    def __init__(self, name, path, kind):
        self.name, self.path, self.kind = name, path, kind

    def folders(self):
        return next(((self.path / left, self.path / right) for left, right in PICTURES
                     if (self.path / left).is_dir() and (self.path / right).is_dir()), None)

    def calibration(self):
        beside = [self.path.with_suffix(end) for end in (".yml", ".txt", ".json", ".conf")]
        above = [folder / name for folder in (self.path, *self.path.parents[:2])
                 for name in CALIBRATIONS]
        found = beside if self.kind == "matroska" else []
        return next((path for path in (*found, *above) if path.is_file()), None)

    def sources(self, rate):
        """Words of gst-launch-1.0 in front of stixels.sink_left and stixels.sink_right, files by
        the names that the words have for them, and how many frames there are, or None."""
        if self.kind == "pictures":
            (left, lefts), (right, rights) = (
                pictures_source(view, pictures, rate)
                for view, pictures in zip(("left", "right"), pair_of_pictures(*self.folders())))
            return left, right, {**lefts, **rights}, len(lefts)
        if self.kind == "matroska":
            check_matroska(self.path)
            left, right = ([f"demux.video_{view}", "!", "queue", "!", "decodebin"]
                           for view in range(2))
            before = ["filesrc", "location=LINKS/both.mkv", "!", "matroskademux", "name=demux"]
            return before + left, right, {"both.mkv": self.path}, None
        links = {f"{view}.mp4": self.path / f"{view}.mp4" for view in ("left", "right")}
        left, right = (["filesrc", f"location=LINKS/{name}", "!", "decodebin"] for name in links)
        return left, right, links, None


def kind_of(path):
    if path.is_file():
        return "matroska" if path.suffix == ".mkv" else None
    if Recording("", path, "").folders():
        return "pictures"
    return "videos" if (path / "left.mp4").is_file() and (path / "right.mp4").is_file() else None


def find(paths):
    """The recordings that these are, or that lie in these folders, by name."""
    found = {}
    for given in (pathlib.Path(path).absolute() for path in paths):
        if not given.exists():
            raise Unusable(f"{given}: there is no such file or folder")
        inside = [given, *sorted(given.rglob("*"))] if given.is_dir() else [given]
        for path in inside:
            if kind := kind_of(path):
                name = str(path.relative_to(given if path != given else given.parent))
                if name in found and found[name].path != path:
                    raise Unusable(f"{path} and {found[name].path} would have the same name")
                found[name] = Recording(name, path.resolve(), kind)
    return [found[name] for name in sorted(found)]
