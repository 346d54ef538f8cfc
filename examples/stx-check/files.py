# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures that an argument of stx-check names."""
import fractions
import itertools
import pathlib
import re
import subprocess
import tempfile

from arguments import DECODE

DECODED = 300  # pictures of a video: 10 s of 30 a second
LAUNCH = (f"gst-launch-1.0 -v filesrc location=video ! {DECODE} ! identity eos-after={DECODED} "
          "! videoconvert ! video/x-raw,format=GRAY8 ! pngenc compression-level=1 "
          "! multifilesink location=%06d.png")


class Unusable(Exception):
    """An argument that names no pictures, and why."""


class Paths(list):
    """PNG files in order; decoded: the folder with the pictures of a video, which goes with it;
    rate: of these, a second, if it is constant."""
    decoded = rate = None


def list_folder(folder):
    try:
        paths = sorted(str(path) for path in pathlib.Path(folder).iterdir()
                       if path.suffix in (".png", ".PNG"))
    except OSError:
        raise Unusable(f"{folder}: cannot read this folder") from None
    if not paths:
        raise Unusable(f"{folder}: no PNG files in this folder")
    return Paths(paths)


def list_pattern(pattern):
    """The numbers from 0 or 1 on, as long as there are files."""
    if not re.fullmatch(r"[^%]*%\d{0,2}d[^%]*", pattern):
        raise Unusable(f"{pattern}: a pattern has one number, such as %d or %06d")
    begin = 0 if pathlib.Path(pattern % 0).exists() else 1
    paths = Paths(itertools.takewhile(lambda path: pathlib.Path(path).exists(),
                                      (pattern % number for number in itertools.count(begin))))
    if not paths:
        raise Unusable(f"{pattern}: no file with the number 0 or 1")
    return paths


def is_png(path):
    with open(path, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n" or path.endswith((".png", ".PNG"))


def decode(path):
    """Decodes the first pictures of a video into a folder of its own, turned as its tags say. A
    link stands for its name, which could mean something in a pipeline."""
    folder = tempfile.TemporaryDirectory(prefix="stx-check-")
    link = pathlib.Path(folder.name, "video")
    link.symlink_to(pathlib.Path(path).resolve())
    try:
        done = subprocess.run(LAUNCH.split(), cwd=folder.name, capture_output=True, check=False)
        good, said = done.returncode == 0, done.stderr.decode("utf-8", "replace")
    except OSError:
        good, said, done = False, "", None
    link.unlink()
    if not good:
        # The message of the element that failed: "ERROR: from element …: message".
        found = re.search(r"ERROR: from element \S+: ([^\n]*)", said)
        raise Unusable(f"{path}: no PNG, and no video that GStreamer decodes: "
                       f"{found[1] if found else 'gst-launch-1.0 fails'}")
    paths = list_folder(folder.name)
    paths.decoded = folder
    rate = re.search(rb"sink: caps = image/png.*framerate=\(fraction\)([1-9]\d*/\d+)", done.stdout)
    paths.rate = fractions.Fraction(rate[1].decode()) if rate else None
    return paths


def match_rates(views):
    """Leaves those pictures of the faster video that are nearest in time to the slower one's. Both
    rates, if they differ."""
    rates = [paths.rate for paths in views]
    if None in rates or rates[0] == rates[1]:
        return None
    for paths in views:
        faster = paths.rate / min(rates)
        paths[:] = [paths[round(k * faster)] for k in range(int((len(paths) - 1) / faster) + 1)]
        paths.rate = min(rates)
    return rates


def paths_of(what):
    """`what`: a PNG file, a folder of these, a pattern such as left-%04d.png, or what GStreamer
    decodes: a video or JPEG, of which the first pictures are taken."""
    path = pathlib.Path(what)
    if path.is_dir():
        return list_folder(what)
    if path.exists():
        try:
            return Paths([what]) if is_png(what) else decode(what)
        except OSError as error:
            raise Unusable(f"{what}: {error.strerror}") from None
    if "%" in what:
        return list_pattern(what)
    raise Unusable(f"{what}: no such file or folder")
