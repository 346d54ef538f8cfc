#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares rectify with OpenCV: rotations, maps and pictures, for every model of a lens.

usage: check_opencv.py RECTIFY_DUMP

OpenCV is the Python package in the folder that STX_OPENCV names (tests/packages.sh), or an
installed one; without it the test is skipped.

  - R1 and R2 of stereoRectify to 1e-6, the principal point to .5 px, the focal length (alpha = 0)
    to 1 %, of fisheye lenses to 2.5 %: OpenCV looks at 9 points of each edge, or at 1, rectify at
    257;
  - positions of initUndistortRectifyMap to 1/32 pixel, of fisheye lenses, too. What lies inside is
    the same but for the 1/64 pixel at the edge that rounding decides;
  - pictures of remap with bilinear weights: OpenCV 4 rounds positions to 1/32 pixel, OpenCV 5 not
    at all, rectify to 1/64, so that they differ by at most 3/128 pixel across and down, which is 12
    grey levels in noise.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ.get("STX_OPENCV", ""))
try:
    import cv2
    import numpy
except ImportError:
    print("skipped: no OpenCV or NumPy in STX_OPENCV; see tests/packages.sh")
    sys.exit(77)

WIDTH, HEIGHT = 640, 480
POSITIONS = 1 / 32
LEVELS, MEAN = 12, 1.5

K = [[[500, 0, 321.5], [0, 503, 238], [0, 0, 1]], [[506, 0, 317], [0, 504, 242.5], [0, 0, 1]]]
TURN = [.011, -.023, .017]
MODELS = {
    "none": [0, 0, 0, 0],
    "plumb bob": [-.28, .09, .0011, -.0007, .004],
    "rational": [.21, -.12, .0009, -.0004, .02, .4, -.05, .03],
    "thin prism": [-.2, .05, .001, -.001, .003, .01, .02, -.01, .002, -.001, .0015, .001],
    "tilted": [-.2, .05, .001, -.001, .003, .01, .02, -.01, .002, -.001, .0015, .001, .015, -.02],
    "fisheye": [-.03, .01, -.004, .0007],
}


def rotation(vector):
    return cv2.Rodrigues(numpy.array(vector, float))[0]


def pose():
    """R and T, the right camera 12 cm to the right and a little askew."""
    turn = rotation(TURN)
    return turn, turn @ numpy.array([[-.12], [.003], [-.004]])


def write_calibration(path, model, d):
    turn, t = pose()
    flow = {"K1": K[0], "K2": K[1], "D1": d, "D2": d, "R": turn.tolist(), "T": t.ravel().tolist()}
    lines = ["%YAML:1.0", "---", f"image_size: [{WIDTH}, {HEIGHT}]"]
    lines += ["fisheye_model: 1"] if model == "fisheye" else []
    lines += [f"{key}: {value}" for key, value in flow.items()]
    path.write_text("\n".join(lines) + "\n")


class Rectified:
    """The output of rectify-dump."""

    def __init__(self, program, calibration, camera, picture):
        raw = subprocess.run([program, calibration, str(camera), str(WIDTH), str(HEIGHT), "0",
                              picture], check=True, stdout=subprocess.PIPE).stdout
        numbers = struct.unpack_from("14d2i", raw)
        self.rotation = numpy.array(numbers[:9]).reshape(3, 3)
        self.fx, self.fy, self.cx, self.cy, self.baseline = numbers[9:14]
        self.size = numbers[14:16]
        start, pixels = struct.calcsize("14d2i"), self.size[0] * self.size[1]
        at = numpy.frombuffer(raw, numpy.int32, 2 * pixels, start)
        self.at = at.reshape(self.size[1], self.size[0], 2) / 64
        self.seen = self.at[..., 0] >= 0
        self.picture = numpy.frombuffer(raw, numpy.uint8, pixels, start + 8 * pixels).reshape(
            self.size[1], self.size[0])

    def projection(self):
        return numpy.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]])


def opencv_map(model, d, camera, ours):
    arguments = (numpy.array(K[camera]), numpy.array(d, float), ours.rotation, ours.projection(),
                 tuple(ours.size), cv2.CV_32FC1)
    if model == "fisheye":
        return cv2.fisheye.initUndistortRectifyMap(*arguments)
    return cv2.initUndistortRectifyMap(*arguments)


def check_maps(maps, ours):
    theirs = numpy.stack(maps, -1)
    limit = numpy.array([WIDTH - 1, HEIGHT - 1])
    inside = ((theirs > 1 / 64) & (theirs < limit - 1 / 64)).all(-1)
    outside = ((theirs < -1 / 64) | (theirs > limit + 1 / 64)).any(-1)
    assert not (inside & ~ours.seen).any(), "OpenCV sees what we do not"
    assert not (outside & ours.seen).any(), "we see what OpenCV does not"
    worst = numpy.abs(theirs - ours.at)[ours.seen].max()
    assert worst <= POSITIONS, f"positions differ by {worst} px"
    return worst


def check_picture(maps, ours, picture):
    theirs = cv2.remap(picture, *maps, cv2.INTER_LINEAR)
    off = numpy.abs(theirs.astype(int) - ours.picture)[ours.seen]
    # At the edge OpenCV's rounding may reach for pixels outside, which are black.
    inner = numpy.ones_like(picture, bool)
    inner[2:-2, 2:-2] = False
    away = cv2.remap(inner.astype(numpy.uint8), *maps, cv2.INTER_NEAREST, borderValue=1)
    off = off[away[ours.seen] == 0]
    assert off.max() <= LEVELS, f"{off.max()} grey levels"
    assert off.mean() <= MEAN, f"{off.mean()} grey levels in the mean"
    return off.max(), off.mean()


def check_rotations(model, d, pair):
    turn, t = pose()
    if model == "fisheye":
        found = cv2.fisheye.stereoRectify(
            numpy.array(K[0]), numpy.array(d), numpy.array(K[1]), numpy.array(d), (WIDTH, HEIGHT),
            turn, t, cv2.CALIB_ZERO_DISPARITY)
    else:
        found = cv2.stereoRectify(
            numpy.array(K[0]), numpy.array(d, float), numpy.array(K[1]), numpy.array(d, float),
            (WIDTH, HEIGHT), turn, t, flags=cv2.CALIB_ZERO_DISPARITY, alpha=0)
    for camera in range(2):
        off = numpy.abs(found[camera] - pair[camera].rotation).max()
        assert off < 1e-6, f"R{camera + 1} differs by {off}"
    baseline = -found[3][0, 3] / found[3][0, 0]
    assert abs(baseline - pair[0].baseline) < 1e-6, f"baseline {baseline}"
    centre = numpy.abs(found[2][:2, 2] - (pair[0].cx, pair[0].cy)).max()
    assert centre < .5, f"principal point {pair[0].cx} {pair[0].cy}, OpenCV's {found[2][:2, 2]}"
    off = abs(found[2][0, 0] / pair[0].fx - 1)
    assert off < (.025 if model == "fisheye" else .01), (
        f"focal length {pair[0].fx}, OpenCV's {found[2][0, 0]}")
    return off


def main():
    program = sys.argv[1]
    picture = numpy.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), numpy.uint8)
    print(f"OpenCV {cv2.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        raw, calibration = pathlib.Path(folder, "picture"), pathlib.Path(folder, "calibration.yml")
        raw.write_bytes(picture.tobytes())
        for model, d in MODELS.items():
            write_calibration(calibration, model, d)
            pair = [Rectified(program, calibration, camera, raw) for camera in range(2)]
            focal = check_rotations(model, d, pair)
            for camera, ours in enumerate(pair):
                maps = opencv_map(model, d, camera, ours)
                worst = check_maps(maps, ours)
                most, mean = check_picture(maps, ours, picture)
                print(f"{model}, camera {camera}: focal length {100 * focal:.2f} %, positions "
                      f"{worst:.4f} px, noise {most} grey levels, mean {mean:.2f}")


if __name__ == "__main__":
    main()
