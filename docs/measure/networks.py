#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures networks of ONNX, as onnx-semantics takes them: benchmarks/networks-classes.csv.

  export GST_PLUGIN_PATH=$PWD/build/gst
  docs/measure/networks.py build/examples NAME=FILE.onnx...

On synthetic streets that street.onnx has not seen in training, and on the recorded data of
$STX_DATA.
Rows of other names stay as they are. Needs NumPy, Pillow and onnxruntime.

Measured are the share of labelled pixels that get their class; their kind, which is ground (road,
sidewalk, terrain), object or sky; and of the pixels of each kind, those that get it. The labels of
SemanticKITTI are those of its scans' points, as far as none in the same 8x8 pixels is much nearer.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from plots import FOLDER, data_folder, read, run, table, write

FILE = "networks-classes.csv"
SIZE, STREETS = (1240, 376), range(2, 6)
OTHER_SCANS = (("00", 0), ("04", 0), ("04", 2), ("04", 4), ("06", 0), ("10", 0))
SCANS = (("07", 0), ("08", 0))
LABEL_IDS = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
GROUND_IDS, SKY_ID, UNKNOWN = (0, 1, 9), 10, 255
GROUND_POINTS = (40, 44, 48, 49, 60, 72)
KINDS = ("ground", "object", "sky")


# ---- Pictures and their truth -------------------------------------------------------------------

def picture(path, form="RGB"):
    import numpy as np
    from PIL import Image
    image = Image.open(path)
    return np.asarray(image.convert(form) if form else image)


def street(seed, view, form, kind):
    import numpy as np
    width, height = SIZE
    line = (f"gst-launch-1.0 -q street-scene-src seed={seed} view={view} num-buffers=1 ! "
            f"video/x-raw,format={form},width={width},height={height} ! fdsink fd=1")
    data = subprocess.run(line.split(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(data, kind).reshape(height, width, -1)


def kinds_of_classes():
    import numpy as np
    kinds = np.full(256, UNKNOWN, np.uint8)
    kinds[:len(LABEL_IDS)] = 1
    kinds[list(GROUND_IDS)] = 0
    kinds[SKY_ID] = 2
    return kinds


def labelled_streets():
    """Pictures, classes, kinds."""
    for seed in STREETS:
        classes = street(seed, "semantics", "GRAY8", "u1")[..., 0]
        yield street(seed, "left", "RGB", "u1"), classes, kinds_of_classes()[classes]


def labelled_frames():
    import numpy as np
    ids = np.full(256, UNKNOWN, np.uint8)
    ids[list(LABEL_IDS)] = range(len(LABEL_IDS))
    folder = data_folder() / "kitti2015-stereo/training"
    for path in sorted((folder / "semantic").glob("*.png")):
        classes = ids[picture(path, None)]
        yield picture(folder / "image_2" / path.name), classes, kinds_of_classes()[classes]


def labelled_scans(scans):
    """Kinds at the points of scans."""
    import numpy as np
    for sequence, number in scans:
        folder = data_folder() / "semantickitti/sequences" / sequence
        left = picture(folder / f"image_2/{number:06d}.png")
        lines = (line.split(":") for line in (folder / "calib.txt").read_text().splitlines())
        matrices = {key: np.array(values.split(), float).reshape(3, 4) for key, values in lines}
        points = np.fromfile(folder / f"velodyne/{number:06d}.bin", np.float32).reshape(-1, 4)
        labels = np.fromfile(folder / f"labels/{number:06d}.label", np.uint32) & 0xFFFF
        ones = np.ones((len(points), 1))
        places = np.hstack((points[:, :3], ones)) @ matrices["Tr"].T
        across, down, depth = (np.hstack((places, ones)) @ matrices["P2"].T).T
        x, y = np.rint(across / depth).astype(int), np.rint(down / depth).astype(int)
        rows, columns = left.shape[:2]
        seen = ((depth > 1) & (labels > 1) & (x >= 0) & (x < columns) & (y >= 0) & (y < rows))
        x, y, depth, labels = x[seen], y[seen], depth[seen], labels[seen]
        nearest = np.full((rows // 8 + 1, columns // 8 + 1), np.inf)
        np.minimum.at(nearest, (y // 8, x // 8), depth)
        front = depth < 1.15 * nearest[y // 8, x // 8]
        kinds = np.full((rows, columns), UNKNOWN, np.uint8)
        kinds[y[front], x[front]] = ~np.isin(labels[front], GROUND_POINTS)
        yield left, None, kinds


# ---- Classes ------------------------------------------------------------------------------------

def session(path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def planar(pixels):
    import numpy as np
    return (np.atleast_3d(pixels).astype(np.float32) / 255).transpose(2, 0, 1)[None]


def scores_of(network, pixels):
    return network.run(None, {network.get_inputs()[0].name: planar(pixels)})[0][0]


def found_classes(network, pixels):
    """The likeliest class of every pixel."""
    import numpy as np
    scores = scores_of(network, pixels)
    cell = -(-pixels.shape[0] // scores.shape[1])
    classes = scores.argmax(0).astype(np.uint8)
    return classes.repeat(cell, 0).repeat(cell, 1)[:pixels.shape[0], :pixels.shape[1]]


def classes_row(network, frames):
    import numpy as np
    right = np.zeros(len(KINDS) + 1)
    count = np.zeros(len(KINDS) + 1)
    number = 0
    for pixels, classes, kinds in frames:
        found = found_classes(network, pixels)
        for kind in range(len(KINDS)):
            count[kind] += (kinds == kind).sum()
            right[kind] += (kinds_of_classes()[found][kinds == kind] == kind).sum()
        if classes is not None:
            count[-1] += (classes != UNKNOWN).sum()
            right[-1] += (classes == found).sum()
        number += 1
    share = [f"{a / b:.4f}" if b else "" for a, b in zip(right, count)]
    return {"frames": number, "pixels": int(count[:-1].sum()), "class": share[-1],
            "kind": f"{right[:-1].sum() / count[:-1].sum():.4f}", **dict(zip(KINDS, share))}


def stixels_row(programs, network):
    """The quality of stixels on KITTI 2015 with the scores; without a network, from depth alone."""
    folder = data_folder() / "kitti2015-stereo/training"
    with tempfile.TemporaryDirectory() as scores:
        for number, (pixels, _, _) in enumerate(labelled_frames() if network else ()):
            scores_of(network, pixels).tofile(pathlib.Path(scores) / f"{number:03d}")
        total = json.loads(run(pathlib.Path(programs) / "stx-eval", folder, "--json",
                               *(["--scores", scores] if network else [])))["total"]
    return {"frames": total["frames"], **{
        f"stixels_{kind}": f"{share:.4f}"
        for kind, share in zip(KINDS, total["iou_kinds"]["each"][1:])},
            "stixels_error": f'{total["non_occluded"]["stixels"]["error_and"]:.4f}'}


def measure_classes(programs, path):
    """Yields the rows of the network at `path`; without one, those of depth alone."""
    empty = dict.fromkeys(("frames", "pixels", "class", "kind", *KINDS), "")
    if not path:
        yield {"data": "KITTI 2015", **empty, **stixels_row(programs, None)}
        return
    network = session(path)
    yield {"data": "street", **classes_row(network, labelled_streets())}
    yield {"data": "KITTI 2015", **classes_row(network, labelled_frames()),
           **stixels_row(programs, network)}
    yield {"data": "SemanticKITTI 07, 08", **classes_row(network, labelled_scans(SCANS))}
    yield {"data": "SemanticKITTI, others", **classes_row(network, labelled_scans(OTHER_SCANS))}


# ---- Files and pages ----------------------------------------------------------------------------

def keep(names, rows):
    """Rows of other names, as the file has them, and the new ones in the place of the old."""
    old = read(FILE) if (FOLDER / FILE).exists() else []
    order = list(dict.fromkeys(row["network"] for row in old + rows))
    rows = [row for row in old if row["network"] not in names] + rows
    write(FILE, sorted(rows, key=lambda row: order.index(row["network"])))


def percent(text):
    return f"{100 * float(text):.1f} %" if text else "–"


def blocks():
    """Tables of docs/semantics.md."""
    columns = ("class", "kind", *KINDS)
    lines = [["network", "pictures", *columns]]
    rows = read(FILE)
    lines += [[row["network"], row["data"], *(percent(row[key]) for key in columns)]
              for row in rows if row["kind"]]
    parts = [f"stixels_{key}" for key in (*KINDS, "error")]
    stixels = [["stixels from", *KINDS, "disparity off"]]
    stixels += [[row["network"], *(percent(row[key]) for key in parts)]
                for row in rows if row["stixels_error"]]
    return table("networks-classes", lines, 2) + table("networks-stixels", stixels, 1)


def main():
    programs, files = "".join(sys.argv[1:2]), sys.argv[2:]
    if not programs:
        sys.exit(__doc__)
    named = [("depth alone", None), *(word.split("=", maxsplit=1) for word in files)]
    rows = [{"network": name, **row} for name, path in named
            for row in measure_classes(programs, path)]
    keys = max(rows, key=len)
    rows = [{key: row.get(key, "") for key in keys} for row in rows]
    for row in rows:
        print(*row.values())
    keep([name for name, _ in named], rows)


if __name__ == "__main__":
    main()
