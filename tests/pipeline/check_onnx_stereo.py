#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""onnx-stereo and stereo-stixels matcher=onnx, with networks that are written here.

  - block matching as a graph of ONNX gives the bytes of a literal computation;
  - networks that show what came to them: every layout, type, order, size, scale and unit;
  - what cannot work ends in a message that names it;
  - a network that is slower than the camera drops frames, and says how many;
  - the lines of docs/elements/onnx-stereo.md run.

Skipped without onnxruntime, onnx and NumPy in the folder that STX_ONNX names (tests/packages.sh).
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGES = os.environ.get("STX_ONNX", "")
sys.path.insert(0, PACKAGES)
try:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
except ImportError as missing:
    print(f"skipped: {missing}; see fetch_onnx in tests/packages.sh")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = (glob.glob(f"{PACKAGES}/onnxruntime/capi/libonnxruntime.so*") or [""])[0]
if not LIBRARY:
    print("skipped: no ONNX Runtime; see fetch_onnx in tests/packages.sh")
    sys.exit(77)
WIDTH, HEIGHT = 330, 100
SIZE = f"video/x-raw,width={WIDTH},height={HEIGHT}"
KINDS = {"float": (TensorProto.FLOAT, np.float32), "half": (TensorProto.FLOAT16, np.float16),
         "bytes": (TensorProto.UINT8, np.uint8)}


def run(command, folder, seconds=100):
    result = subprocess.run(["timeout", str(seconds), "bash", "-o", "pipefail", "-c", command],
                            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(result.returncode != 124, f"nothing came of it in {seconds} s: {command}\n"
           f"{result.stdout}")
    return result.returncode, result.stdout


def expect(condition, fault):
    if not condition:
        sys.exit(fault)


# ---- Pipelines ----------------------------------------------------------------------------------

def line_of(properties, end, form="RGB", size=SIZE, frames=1, element="onnx-stereo"):
    views = " ".join(f"street-scene-src view={view} num-buffers={frames} ! {size} ! videoconvert ! "
                     f"video/x-raw,format={form} ! n.sink_{view}" for view in ("left", "right"))
    return f"gst-launch-1.0 --no-fault {element} name=n {properties} ! {end} {views}"


def rows_of(path, kind, width, values=1):
    """A picture's rows, without what they are padded with."""
    data = np.fromfile(path, np.uint8).reshape(HEIGHT, -1)[:, :width * values * kind().nbytes]
    return np.ascontiguousarray(data).view(kind).reshape(HEIGHT, width, values).squeeze()


def disparity_of(properties, folder, **how):
    path = os.path.join(folder, "disparity")
    status, output = run(line_of(properties, f"filesink location={path}", **how), folder)
    expect(status == 0 and "WARNING" not in output, f"{properties} {how}\n{output}")
    return rows_of(path, np.uint16, WIDTH).astype(int)


def view_of(view, folder, form="RGB"):
    path = os.path.join(folder, f"{view}.{form}")
    status, output = run(f"gst-launch-1.0 -q street-scene-src view={view} num-buffers=1 ! {SIZE} ! "
                         f"videoconvert ! video/x-raw,format={form} ! filesink location={path}",
                         folder)
    expect(status == 0, output)
    return rows_of(path, np.uint8, WIDTH, 1 if form == "GRAY8" else 3).astype(float)


def steps_of(numbers):
    """As maps hold disparities: 1/256 pixel, rounded half up; 0 where there is none."""
    numbers = np.asarray(numbers, np.float32)
    good = np.isfinite(numbers) & (numbers > 0)
    return np.where(good, np.minimum(np.floor(np.where(good, numbers, 0) * 256 + .5), 65535),
                    0).astype(int)


def expect_near(actual, expected, tolerance, what):
    worst = np.abs(actual - expected).max()
    expect(worst <= tolerance, f"{what}: {worst}/256 pixel off, at most {tolerance} allowed, at "
           f"{np.argwhere(np.abs(actual - expected) > tolerance)[:3].tolist()}")
    expect(expected.max() > 0, f"{what}: nothing to compare")


# ---- A literal matcher --------------------------------------------------------------------------

def block_matching(left, right, disparities, block):
    """Block matching in integers, of pictures that are padded already."""
    left, right = left.astype(np.int64), right.astype(np.int64)
    volume, reach = [], block // 2
    for shift in range(disparities):
        rest = right[:, :right.shape[1] - shift]
        moved = np.concatenate([right[:, :1].repeat(shift, 1), rest], 1)
        cost = np.pad(np.abs(left - moved).sum(2), reach)
        volume.append(sum(cost[y:y + left.shape[0], x:x + left.shape[1]]
                          for y in range(block) for x in range(block)))
    return np.argmin(volume, 0)


def check_matcher(folder):
    """With white=255 all sums are whole numbers, which float32 holds."""
    sides = ((0, -HEIGHT % 32), (0, -WIDTH % 32), (0, 0))
    left, right = (np.pad(view_of(view, folder), sides, "edge") for view in ("left", "right"))
    status, output = run(f"/usr/bin/python3 {ROOT}/examples/onnx-stereo/block_matching.py "
                         "--disparities 24 --block 5 matcher.onnx", folder)
    expect(status == 0, output)
    expected = 256 * block_matching(left, right, 24, 5)[:HEIGHT, :WIDTH]
    actual = disparity_of("model=matcher.onnx white=255", folder)
    expect(np.array_equal(actual, expected), "block matching: not the bytes of the literal one")
    actual = disparity_of("model=matcher.onnx white=255 multiple=1 threads=1", folder)
    inner = np.s_[:HEIGHT - 4, :WIDTH - 4]  # what the padding does not reach
    expect(np.array_equal(actual[inner], expected[inner]), "block matching without padding")


# ---- Networks that show what came to them -------------------------------------------------------

def write(path, nodes, inputs, outputs, weights=()):
    """inputs and outputs: [(name, type, shape)]"""
    def values(rows):
        return [helper.make_tensor_value_info(*row) for row in rows]
    graph = helper.make_graph(nodes, "test", values(inputs), values(outputs), list(weights))
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def constant(name, values, kind=np.float32):
    return numpy_helper.from_array(np.array(values, kind), name)


LEFT_SHARE, RIGHT_SHARE = 70, 40  # what the first value of the left, the last of the right weighs


def write_probe(path, form, kind="float", order="nchw", channels=3, sides=("h", "w"),
                names=("left", "right"), scale=1.0):
    """disparity = scale · (70 · first channel of left + 40 · last channel of right); `form`: two
    inputs, or both views as channels of one, or as two pictures."""
    number = KINDS[kind][0]
    many = channels * (2 if form == "channels" else 1)
    batch = 2 if form == "batch" else 1
    shape = [batch, many, *sides] if order == "nchw" else [batch, *sides, many]
    axis = 1 if order == "nchw" else 3
    inputs = [(name, number, shape) for name in (names if form == "two" else ["views"])]
    nodes, weights = [], [constant("share_l", LEFT_SHARE * scale),
                          constant("share_r", RIGHT_SHARE * scale),
                          constant("axis", [axis], np.int64), constant("zeroth", [0], np.int64)]
    for side, view in enumerate("lr"):
        source = inputs[side if form == "two" else 0][0]
        channel = 0 if view == "l" else channels - 1
        channel += channels if form == "channels" and view == "r" else 0
        weights += [constant(f"from_{view}", [channel], np.int64),
                    constant(f"to_{view}", [channel + 1], np.int64)]
        nodes += [helper.make_node("Slice", [source, f"from_{view}", f"to_{view}", "axis"],
                                   [f"part_{view}"]),
                  helper.make_node("Cast", [f"part_{view}"], [f"float_{view}"],
                                   to=TensorProto.FLOAT)]
        if form == "batch":
            weights.append(constant(f"one_{view}", [side], np.int64))
            nodes.append(helper.make_node("Gather", [f"float_{view}", f"one_{view}"],
                                          [f"number_{view}"], axis=0))
        else:
            nodes.append(helper.make_node("Identity", [f"float_{view}"], [f"number_{view}"]))
        nodes.append(helper.make_node("Mul", [f"number_{view}", f"share_{view}"],
                                      [f"weighed_{view}"]))
    nodes.append(helper.make_node("Add", ["weighed_l", "weighed_r"], ["disparity"]))
    write(path, nodes, inputs,
          [("disparity", TensorProto.FLOAT, [None] * 4)], weights)


def check_forms(folder):
    left, right = view_of("left", folder), view_of("right", folder)
    gray = [view_of(view, folder, "GRAY8") for view in ("left", "right")]
    colour = [left[..., 0], right[..., 2]]
    cases = [(form, kind, order, channels)
             for form in ("two", "channels", "batch") for order in ("nchw", "nhwc")
             for kind in ("float",) for channels in (1, 3)]
    cases += [("two", "half", "nchw", 3), ("two", "bytes", "nhwc", 3),
              ("channels", "half", "nchw", 1)]
    for form, kind, order, channels in cases:
        scale = 1 / 255 if kind == "bytes" else 1
        write_probe(os.path.join(folder, "probe.onnx"), form, kind, order, channels, scale=scale)
        first, last = gray if channels == 1 else colour
        expected = steps_of((LEFT_SHARE * first + RIGHT_SHARE * last) / 255)
        actual = disparity_of("model=probe.onnx", folder, form="GRAY8" if channels == 1 else "RGB")
        expect_near(actual, expected, 30 if kind == "half" else 1,
                    f"{form} {kind} {order} {channels}")
    return colour


def check_values(colour, folder):
    left, right = colour
    write_probe(os.path.join(folder, "probe.onnx"), "two")
    for form in ("BGRx", "xRGB", "ABGR"):
        expect_near(disparity_of("model=probe.onnx", folder, form=form),
                    steps_of((LEFT_SHARE * left + RIGHT_SHARE * right) / 255), 1, form)
    blue, red = (view_of(*view) for view in (("left", folder), ("right", folder)))
    blue, red = blue[..., 2], red[..., 0]
    expect_near(disparity_of("model=probe.onnx colours=bgr", folder),
                steps_of((LEFT_SHARE * blue + RIGHT_SHARE * red) / 255), 1, "colours=bgr")
    actual = disparity_of("model=probe.onnx white=2 mean=-0.5,0,-0.25 std=0.5,1,2", folder)
    expected = steps_of(LEFT_SHARE * (2 * left / 255 + .5) / .5 +
                        RIGHT_SHARE * (2 * right / 255 + .25) / 2)
    expect_near(actual, expected, 1, "white, mean and std")
    actual = disparity_of("model=probe.onnx left-input=right right-input=left", folder)
    # The graph's input "right" has the left view now, and the other way round.
    mixed = steps_of((LEFT_SHARE * view_of("right", folder)[..., 0] +
                      RIGHT_SHARE * view_of("left", folder)[..., 2]) / 255)
    expect_near(actual, mixed, 1, "left-input, right-input")
    for names in (("imgR", "imgL"), ("1", "2"), ("x_right", "x_LEFT")):
        write_probe(os.path.join(folder, "names.onnx"), "two", names=names)
        swapped = names[0].lower().endswith("r") or "right" in names[0]
        expected = mixed if swapped else steps_of((LEFT_SHARE * left + RIGHT_SHARE * right) / 255)
        expect_near(disparity_of("model=names.onnx", folder), expected, 1, f"inputs {names}")


# ---- Sizes --------------------------------------------------------------------------------------

def resized(part, height, width):
    """Linear between the centres of pixels."""
    def places(count, size):
        at = np.clip((np.arange(count, dtype=np.float64) + .5) * size / count - .5, 0, size - 1)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, size - 1), at - low
    top, bottom, down = places(height, part.shape[0])
    first, last, across = places(width, part.shape[1])
    rows = part[top] * (1 - down)[:, None] + part[bottom] * down[:, None]
    return rows[:, first] * (1 - across) + rows[:, last] * across


def nearest(numbers):
    """Back to the size of the views."""
    rows = (2 * np.arange(HEIGHT) + 1) * numbers.shape[0] // (2 * HEIGHT)
    columns = (2 * np.arange(WIDTH) + 1) * numbers.shape[1] // (2 * WIDTH)
    return numbers[rows][:, columns]


def check_sizes(colour, folder):
    left, right = (part / 255 for part in colour)
    whole = steps_of(LEFT_SHARE * left + RIGHT_SHARE * right)
    for height, width in ((48, 160), (200, 600), (128, 160)):
        write_probe(os.path.join(folder, "fixed.onnx"), "two", sides=(height, width))
        rows = HEIGHT if 0 <= height - HEIGHT < 64 else height
        numbers = (LEFT_SHARE * resized(left, rows, width) +
                   RIGHT_SHARE * resized(right, rows, width))
        if rows == HEIGHT:  # padded, and cut off again
            columns = (2 * np.arange(WIDTH) + 1) * width // (2 * WIDTH)
            expected = steps_of(numbers[:, columns] * WIDTH / width)
        else:
            expected = steps_of(nearest(numbers) * WIDTH / width)
        expect_near(disparity_of("model=fixed.onnx", folder), expected, 2,
                    f"fixed {width}x{height}")
    write_probe(os.path.join(folder, "fixed.onnx"), "two", sides=(HEIGHT + 28, WIDTH + 54))
    expect_near(disparity_of("model=fixed.onnx", folder), whole, 1, "fixed, padded")
    write_probe(os.path.join(folder, "free.onnx"), "two")
    numbers = LEFT_SHARE * resized(left, 48, 160) + RIGHT_SHARE * resized(right, 48, 160)
    actual = disparity_of("model=free.onnx network-width=160 network-height=48", folder)
    expect_near(actual, steps_of(nearest(numbers) * WIDTH / 160), 2, "network-width")
    expect_near(disparity_of("model=free.onnx multiple=50", folder), whole, 1, "multiple=50")


def check_outputs(colour, folder):
    """Flow of two maps, maps of a part of the size, other signs and units, two inputs more."""
    left = colour[0] / 255
    shape = [1, 3, "h", "w"]
    views = [(name, TensorProto.FLOAT, shape) for name in ("left", "right")]
    some = [("flow", TensorProto.FLOAT, [None] * 4)]
    red = [helper.make_node("Gather", ["left", "zeroth"], ["red"], axis=1)]
    weights = [constant("zeroth", [0], np.int64), constant("minus", -50.), constant("one", 1.)]
    path = os.path.join(folder, "flow.onnx")
    write(path, red + [helper.make_node("Mul", ["red", "minus"], ["x"]),
                       helper.make_node("Concat", ["x", "red"], ["flow"], axis=1)],
          views, some, weights)
    expect_near(disparity_of("model=flow.onnx output-scale=-1", folder), steps_of(50 * left), 1,
                "flow of two maps")
    write(path, red + [helper.make_node("Squeeze", ["red", "axes"], ["flow"])], views,
          [("flow", TensorProto.FLOAT, None)], weights + [constant("axes", [0, 1], np.int64)])
    expect_near(disparity_of("model=flow.onnx normalised=true output-scale=0.25 multiple=50",
                             folder), steps_of(left * 350 * .25), 1, "normalised")
    write(path, red + [helper.make_node("MaxPool", ["red"], ["flow"], kernel_shape=[4, 4],
                                        strides=[4, 4])], views, some, weights)
    padded = np.pad(left, ((0, -HEIGHT % 32), (0, -WIDTH % 32)), "edge")
    parts = padded.reshape(padded.shape[0] // 4, 4, padded.shape[1] // 4, 4).max((1, 3))
    expected = steps_of(parts.repeat(4, 0).repeat(4, 1)[:HEIGHT, :WIDTH] * 9)
    expect_near(disparity_of("model=flow.onnx output-scale=9", folder), expected, 1, "1/4 size")
    halves = [(f"init_{side}", TensorProto.FLOAT, [1, 3, 64, 176]) for side in ("left", "right")]
    wholes = [(f"next_{side}", TensorProto.FLOAT, [1, 3, 128, 352]) for side in ("left", "right")]
    write(path, [helper.make_node("Resize", ["init_left", "", "scales"], ["large"], mode="nearest",
                                  nearest_mode="floor",
                                  coordinate_transformation_mode="asymmetric"),
                 helper.make_node("Sum", ["large", "next_left"], ["both"]),
                 helper.make_node("Gather", ["both", "zeroth"], ["disp"], axis=1)],
          halves + wholes, [("disp", TensorProto.FLOAT, [None] * 4)],
          weights[:1] + [constant("scales", [1, 1, 2, 2])])
    # Pictures of 330x100 pixels are resized to 64x176, and padded to 128x352.
    small = resized(left, 64, 176).repeat(2, 0).repeat(2, 1)
    padded = np.pad(left, ((0, 28), (0, 22)), "edge")
    expected = steps_of(20 * (small + padded)[:HEIGHT, :WIDTH])
    expect_near(disparity_of("model=flow.onnx output-scale=20", folder), expected, 1,
                "four inputs of two sizes")


def check_confidence(folder):
    """The weight of a cell of one pixel is the square of its confidence."""
    shape = [1, 3, "h", "w"]
    nodes = [helper.make_node("ReduceMean", ["left"], ["confidence"], axes=[1]),
             helper.make_node("Add", ["confidence", "one"], ["disparity"])]
    write(os.path.join(folder, "sure.onnx"), nodes,
          [(name, TensorProto.FLOAT, shape) for name in ("left", "right")],
          [(name, TensorProto.FLOAT, [None] * 4) for name in ("confidence", "disparity")],
          [constant("one", 1.)])
    cells = "downsample-transpose stixel-width=1 stixel-height=1 ! filesink location=columns"
    status, output = run(line_of("model=sure.onnx", cells), folder)
    expect(status == 0, output)
    weights = np.fromfile(os.path.join(folder, "columns"), np.uint16).reshape(2, WIDTH, HEIGHT)[1].T
    expected = view_of("left", folder).mean(2)
    expect(np.abs(np.sqrt(weights) - expected).max() <= .51, "confidence")
    status, output = run(line_of("model=sure.onnx confidence=false", cells), folder)
    weights = np.fromfile(os.path.join(folder, "columns"), np.uint16).reshape(2, WIDTH, HEIGHT)[1]
    expect(status == 0 and (weights == 65025).all(), "confidence=false")


# ---- Refusals -----------------------------------------------------------------------------------

def says(properties, words, folder, environment="", **how):
    line = line_of(properties, "fakesink", **how)
    status, output = run(f"{environment} {line}", folder)
    missing = [word for word in words if word not in output]
    expect(status != 0 and not missing, f"{line} does not say {missing}:\n{output}")


def check_refusals(folder):
    write_probe(os.path.join(folder, "good.onnx"), "two")
    pathlib.Path(folder, "corrupt.onnx").write_bytes(b"this is no network" * 100)
    pathlib.Path(folder, "library.so").write_bytes(b"nor a library")
    alone = "PYTHONPATH= HOME=/none"
    for properties, words in (
            ("", ["set model=FILE.onnx"]),
            ("model=/no/such.onnx", ["/no/such.onnx", "no such file"]),
            ("model=corrupt.onnx", ["corrupt.onnx", "rotobuf"]),
            ("model=good.onnx library=/no/libonnx.so", ["/no/libonnx.so"]),
            ("model=good.onnx library=library.so", ["library.so"]),
            ("model=good.onnx library=libm.so.6", ["libm.so.6", "not ONNX Runtime"]),
            ("model=good.onnx providers=NoSuch", ["providers=NoSuch", "CPU"]),
            ("model=good.onnx mean=a", ["mean=a", "three"]),
            ("model=good.onnx std=1,2", ["std=1,2", "three"]),
            ("model=good.onnx std=0", ["std=0", "must not be 0"]),
            ("model=good.onnx left-input=no", ["left-input=no", "left, right"]),
            ("model=good.onnx disparity-output=no", ["disparity-output=no", "disparity"])):
        says(properties, words, folder)
    if run(f"{alone} gst-launch-1.0 -q fakesrc num-buffers=1 ! fakesink; ldconfig -p | "
           "grep -q libonnxruntime.so.1", folder)[0] != 0:
        says("model=good.onnx", ["there is no ONNX Runtime", "library=FILE", "STX_ONNXRUNTIME"],
             folder, alone)
    says("model=good.onnx", ["/no/x.so"], folder, "STX_ONNXRUNTIME=/no/x.so")
    expect(run(f"{alone} STX_ONNXRUNTIME={LIBRARY} {line_of('model=good.onnx', 'fakesink')}",
               folder)[0] == 0, "STX_ONNXRUNTIME")
    expect(run(f"{alone} " + line_of(f"model=good.onnx library={LIBRARY}", "fakesink"),
               folder)[0] == 0, "library")


def check_wrong_networks(folder):
    path, kind = os.path.join(folder, "wrong.onnx"), TensorProto.FLOAT
    shape = [1, 3, "h", "w"]
    two = [("left", kind, shape), ("right", kind, shape)]
    add = [helper.make_node("Cast", ["left"], ["number"], to=kind),
           helper.make_node("ReduceSum", ["number"], ["disparity"], keepdims=0)]
    one = [("disparity", kind, None)]
    for inputs, words in (
            (two + [("flow_init", kind, shape)], ["left, right, flow_init", "one input for each"]),
            ([("left", kind, shape)], ["must be", "1x6xHxW"]),
            ([("left", kind, [1, 4, "h", "w"]), two[1]], ["left is float 1x4x?x?", "1x3xHxW"]),
            ([("left", kind, [1, 1, "h", "w"]), two[1]], ["left, right", "gray"]),
            ([("left", kind, [3, "h", "w"]), two[1]], ["left is float 3x?x?"]),
            ([("left", TensorProto.INT32, shape), two[1]], ["left is int32", "uint8"]),
            (two, ["output disparity is float", "for views of 352x128"])):
        write(path, add, inputs, one)
        says("model=wrong.onnx", words, folder)
    write(path, add + [helper.make_node("Identity", ["disparity"], ["other_disparity"])], two,
          one + [("other_disparity", kind, None)])
    says("model=wrong.onnx", ["disparity, other_disparity", "disparity-output"], folder)
    write(path, [helper.make_node("Reshape", ["left", "sides"], ["disparity"])], two, one,
          [constant("sides", [7, 7], np.int64)])
    says("model=wrong.onnx", ["the network", "Reshape"], folder)
    views = line_of("model=good.onnx", "fakesink").replace(f"width={WIDTH}", "width=64", 1)
    status, output = run(views, folder)
    expect(status != 0 and "sink_left is 64x100, sink_right is 330x100" in output, output)


def check_nonsense(folder):
    """A warning each, and a stream that goes on."""
    shape = [1, 3, "h", "w"]
    views = [(name, TensorProto.FLOAT, shape) for name in ("left", "right")]
    some = [("disparity", TensorProto.FLOAT, [None] * 4)]
    red = [helper.make_node("Gather", ["left", "zeroth"], ["red"], axis=1)]
    for last, words in (
            (helper.make_node("Div", ["none", "none"], ["number"]),
             ["100 % are not finite", "mean"]),
            (helper.make_node("Identity", ["minus"], ["number"]), ["100 % negative",
                                                                  "output-scale=-1"]),
            (helper.make_node("Identity", ["none"], ["number"]), ["0 % are disparities"])):
        write(os.path.join(folder, "bad.onnx"),
              [last] + red + [helper.make_node("Mul", ["red", "none"], ["nothing"]),
                              helper.make_node("Add", ["nothing", "number"], ["disparity"])],
              views, some, [constant("zeroth", [0], np.int64), constant("none", 0.),
                            constant("minus", -3.)])
        status, output = run("GST_DEBUG=stx-stats:4 GST_DEBUG_NO_COLOR=1 " +
                             line_of("model=bad.onnx", "fakesink", frames=3), folder)
        expect(status == 0 and all(word in output for word in words), output)
        expect(output.count("WARNING") == 1, f"not one warning:\n{output}")
        expect(re.search(r"unusable=\(guint64\)3", output), f"stats:\n{output}")


def check_slow(folder):
    """At 30 frames a second, each of which takes longer: something goes on, the rest is counted."""
    run(f"/usr/bin/python3 {ROOT}/examples/onnx-stereo/block_matching.py --disparities 96 "
        "slow.onnx", folder)
    views = " ".join(f"street-scene-src is-live=true view={view} num-buffers=45 ! "
                     "video/x-raw,width=160,height=64,framerate=30/1 ! videoconvert ! queue ! "
                     f"n.sink_{view}" for view in ("left", "right"))
    status, output = run("GST_DEBUG=stx-stats:4 GST_DEBUG_NO_COLOR=1 gst-launch-1.0 onnx-stereo "
                         f"name=n model=slow.onnx threads=1 ! fakesink sync=true {views}", folder)
    told = re.search(r"frames=\(guint64\)(\d+), .*gaps=\(guint64\)(\d+)", output)
    expect(status == 0 and told, output)
    frames, gaps = int(told[1]), int(told[2])
    print(f"slower than the camera: {frames} of 45 frames, {gaps} gaps")
    expect(0 < frames and 0 < gaps and frames + gaps == 45, output)


# ---- The page -----------------------------------------------------------------------------------

def check_page(folder):
    page = (ROOT / "docs/elements/onnx-stereo.md").read_text()
    os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
    lines = re.findall(r"^(?:gst-launch-1.0|python3) .*?[^\\]$", page, re.M | re.S)
    expect(sum("matcher=onnx" in line for line in lines) == 1, "no line for stereo-stixels")
    for line in lines:
        line = re.sub("^python3", "/usr/bin/python3", line).replace("autovideo", "fakevideo")
        line = re.sub("num-buffers=.", f"num-buffers=1 ! {SIZE}", line)
        status, output = run(line, folder)
        expect(status == 0 and "ERROR" not in output, f"{line}\n{output}")
    expect(os.path.getsize(os.path.join(folder, "stixels.png")) > 30000, "no picture came out")


def check_bin(folder):
    end = "fakesink"
    line = line_of("matcher=onnx", end, element="stereo-stixels")
    status, output = run(line, folder)
    expect(status != 0 and "set model=FILE.onnx" in output, output)
    json = line_of("matcher=onnx network=matcher.onnx onnx::white=255 output=json obstacles=true",
                   "filesink location=lines", element="stereo-stixels", form="I420", frames=2)
    status, output = run(json, folder)
    text = pathlib.Path(folder, "lines").read_text()
    expect(status == 0 and text.count("\n") == 2 and '"obstacles"' in text, output + text[:500])


def main():
    os.environ["PYTHONPATH"] = PACKAGES
    os.environ["PATH"] = "/usr/bin:" + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        check_matcher(folder)
        colour = check_forms(folder)
        check_values(colour, folder)
        check_sizes(colour, folder)
        check_outputs(colour, folder)
        check_confidence(folder)
        check_refusals(folder)
        check_wrong_networks(folder)
        check_nonsense(folder)
        check_bin(folder)
        check_slow(folder)
        check_page(folder)
    print("onnx-stereo holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
