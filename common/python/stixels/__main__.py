# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the stixels of a rectified pair; without a pair, those of the synthetic street."""
import argparse
import pathlib
import struct
import sys
import zlib

import numpy as np

import stixels


def read(path):
    """A picture as uint8 (height, width, 3), by Pillow or OpenCV, whichever is installed."""
    try:
        from PIL import Image
        return np.array(Image.open(path).convert("RGB"))
    except ImportError:
        pass
    try:
        import cv2
    except ImportError:
        sys.exit("Pillow and OpenCV, which read pictures, are not installed: pip install pillow")
    picture = cv2.imread(str(path))
    if picture is None:
        raise OSError(f"{path}: cannot be read as a picture")
    return np.ascontiguousarray(picture[:, :, ::-1])


def write(path, picture):
    """The picture as a PNG (ISO/IEC 15948)."""
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    pathlib.Path(path).write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)) +
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(prog="python -m stixels", description=__doc__)
    parser.add_argument("pair", nargs="*", metavar="LEFT RIGHT", help="rectified pictures")
    parser.add_argument("-o", "--output", default="stixels.png", help="PNG (default %(default)s)")
    parser.add_argument("--calibration", help="file with the camera: distances are in metres")
    parser.add_argument("--max-disparity", type=int, help="default: found in the pair")
    given = parser.parse_args()
    match = {} if given.max_disparity is None else {"max_disparity": given.max_disparity}
    try:
        if len(given.pair) == 2:
            left, right = map(read, given.pair)
            camera = stixels.read_camera(given.calibration) if given.calibration else None
        elif not given.pair and not given.calibration:
            street = stixels.Street(width=1242, height=375)
            (left, right), camera = street.pair(colour=True), street.camera
        else:
            parser.error(f"{len(given.pair)} pictures given, must be LEFT RIGHT; none and no "
                         "--calibration for the street")
        height, width, _ = left.shape
        pipeline = stixels.Pipeline(width, height, match=match)
        frame = pipeline(stixels.gray(left), stixels.gray(right), camera)
        write(given.output, stixels.overlay(left, frame))
    except (OSError, stixels.Error) as error:
        sys.exit(f"python -m stixels: {error}")
    kinds = frame.records["kind"]
    print(f"{given.output}: {len(frame)} stixels, {np.sum(kinds == stixels.OBJECT)} of objects, "
          f"{np.sum(kinds == stixels.GROUND)} of ground, {np.sum(kinds == stixels.SKY)} of sky")


if __name__ == "__main__":
    main()
