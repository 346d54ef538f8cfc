#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kinds of a pair hardly depend on its size, brightness, noise and borders.

The street, and pairs of other cameras where there is data ($STX_DATA/cameras or
../shared/data/cameras), are matched as they are and in eight variants. The share of pixels whose
kind changes stays below a limit. The aim is 2 %; the limits are what the code reaches, plus a
little, so that no change makes it worse unnoticed.
"""
import pathlib
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs/measure"))
import cameras  # noqa: E402

BORDER, CUT = 8, 3


def scaled(pixels, factor):
    """Averages of the areas that the new pixels cover."""
    for axis in (0, 1):
        size = pixels.shape[axis]
        count = round(size * factor)
        edges = np.arange(count + 1) * size / count
        sums = np.concatenate([np.zeros_like(pixels[:1] if axis == 0 else pixels[:, :1]),
                               pixels.cumsum(axis)], axis)
        at = np.minimum(edges.astype(int), size - 1)
        part = (edges - at).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        upto = sums.take(at, axis) + part * pixels.take(at, axis)
        pixels = np.diff(upto, axis=axis) * count / size
    return pixels


def resized(kinds, shape):
    """The nearest pixel's."""
    rows, columns = ((2 * np.arange(n) + 1) * old // (2 * n) for n, old in zip(shape, kinds.shape))
    return kinds[rows][:, columns]


def noisy(pixels):
    return pixels + NOISE.normal(0, 2, pixels.shape[:2])[..., None]


def inner(width):
    return (slice(width, -width),) * 2


def as_is(kinds, shape):
    return kinds


NOISE = np.random.default_rng(1)
# A change of both pictures, and the way back for the kinds; None: compared are the inner pixels.
VARIANTS = {
    "scale 1.03": (lambda p: scaled(p, 1.03), resized),
    "scale 0.97": (lambda p: scaled(p, .97), resized),
    "gain 0.85": (lambda p: .85 * p, as_is),
    "gain 1.1, offset 4": (lambda p: 1.1 * p + 4, as_is),
    "noise 2": (noisy, as_is),
    "border": (lambda p: np.pad(p, ((BORDER, BORDER), (BORDER, BORDER), (0, 0))),
               lambda kinds, shape: kinds[inner(BORDER)]),
    "gamma 0.9": (lambda p: 255 * (p / 255) ** .9, as_is),
    "cut": (lambda p: p[inner(CUT)], None),
}
# The largest share of pixels that may change, in percent, of each variant in this order.
LIMITS = {
    "street": (3.5, 3, 2, 1, 2.5, 4.5, 2, 3),
    "sid_rain": (12, 12, 13, 11, 14, 12, 10, 14),
    "zagreb_bb2": (6, 5, 2, 5, 6, 18, 4, 5),
    "lab_man": (6, 4, 2, 2, 5, 5, 2, 3),
    "office_chair": (3, 3, 2, 2, 3, 5, 2, 3),
    "mb_adirondack": (3, 3, 2, 1, 2, 3, 1, 2),
    "mars_sand0": (4.5, 4.5, 1, 1, 4, 1.5, 1, 4.5),
}


def source(pixels, path):
    """The pipeline of a picture; GStreamer pads rows to 4 bytes."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), "u1")
    rows[:, :3 * width] = np.clip(np.rint(pixels), 0, 255).reshape(height, -1)
    path.write_bytes(rows.tobytes())
    return (f"filesrc location={path} ! rawvideoparse format=rgb width={width} height={height} "
            f"plane-strides=<{rows.shape[1]}> frame-size={rows.size}")


def kinds(pair, folder):
    sides = [source(pixels, folder / f"{i}.raw") for i, pixels in enumerate(pair)]
    height, width = pair[0].shape[:2]
    return cameras.drawn(cameras.stixels(*sides), width, height)[0]


def changed(pair, folder):
    """The percentage of pixels whose kind changes, of each variant."""
    before = kinds(pair, folder)
    for change, back in VARIANTS.values():
        after = kinds([change(pixels) for pixels in pair], folder)
        seen = before if back else before[inner(CUT)]
        yield 100 * float(((back(after, seen.shape) if back else after) != seen).mean())


def pairs(folder):
    """(name, left, right) of the street and of those there are."""
    for name in LIMITS:
        home = folder if name == "street" else cameras.data_folder() / "cameras" / name
        paths = [home / f"{side}.png" for side in ("left", "right")]
        for path in paths if name == "street" else ():
            cameras.launch(f"street-scene-src seed=3 first-frame=20 num-buffers=1 view={path.stem} "
                           f"! videoconvert ! pngenc ! filesink location={path}")
        if paths[0].exists():
            yield name, [cameras.picture(path, "RGB").astype("f8") for path in paths]


def main():
    bad = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, pair in pairs(folder):
            shares = list(changed(pair, folder))
            print(f"{name:14}", *(f"{key} {share:.1f} %" for key, share in
                                  zip(VARIANTS, shares)), sep="  ", flush=True)
            bad += [f"{name}, {key}: {share:.1f} % change, at most {limit} % may"
                    for key, share, limit in zip(VARIANTS, shares, LIMITS[name]) if share > limit]
    if bad:
        sys.exit("\n".join(bad))


main()
