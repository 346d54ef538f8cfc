#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds docs/semantics.md and onnx-semantics to each other, and to what networks of all kinds say.

  - the line of the page runs, and the network that comes with it knows a street it has not seen;
  - the page has the element's properties, and their defaults;
  - scores are those of networks whose result is known: of every type, order and size;
  - what GStreamer's onnxinference attaches to pictures gives the same stixels;
  - what cannot work ends in a message that names it.

Skipped without GStreamer's loader of elements in Python, and without onnxruntime, onnx and NumPy in
the folder that STX_ONNX names (tests/packages.sh).
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples/semantics/street.onnx"
SKIPPED = 77
INHERITED = {"name", "parent", "qos"}
STREET = "street-scene-src seed=2 num-buffers=1"
WIDTH, HEIGHT = 1242, 375
SMALL = 414, 125  # whose rows are padded, too
GROUND, OBJECT, SKY = range(3)

# Prints the message that ends a pipeline. GStreamer 1.22's gst-launch-1.0 sometimes waits for ever
# behind an error that comes while it prerolls.
LAST_MESSAGE = """import sys, gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch(sys.argv[1])
pipeline.set_state(Gst.State.PLAYING)
message = pipeline.get_bus().timed_pop_filtered(
    60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
pipeline.set_state(Gst.State.NULL)
print(message.type.first_value_nick if message else "nothing")"""


def run(command, folder):
    result = subprocess.run(["timeout", "100", "bash", "-o", "pipefail", "-c", command], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(result.returncode != 124, f"nothing came of it in 100 s: {command}\n{result.stdout}")
    return result.returncode, result.stdout


def skip_unless_there(folder):
    packages = os.environ.get("STX_ONNX", "")
    sys.path.insert(0, packages)
    os.environ["PYTHONPATH"] = packages
    # Python inside the loader looks for its modules beside the first python3 in PATH.
    os.environ["PATH"] = "/usr/bin:" + os.environ["PATH"]
    if run("gst-inspect-1.0 --exists onnx-semantics", folder)[0] != 0:
        print("skipped: no onnx-semantics: install gstreamer1.0-python3-plugin-loader, "
              "libpython3-dev and python3-gst-1.0")
        sys.exit(SKIPPED)
    if run("/usr/bin/python3 -c 'import numpy, onnx, onnxruntime'", folder)[0] != 0:
        print("skipped: no onnxruntime, onnx or NumPy in STX_ONNX; see tests/packages.sh")
        sys.exit(SKIPPED)


def expect(condition, fault):
    if not condition:
        sys.exit(fault)


# ---- The page -----------------------------------------------------------------------------------

def check_lines(page, folder):
    os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
    lines = re.findall(r"^gst-launch-1.0 .*?[^\\]$", page, re.M | re.S)
    expect(lines, "docs/semantics.md has no line to run")
    for line in lines:
        status, output = run(line, folder)
        expect(status == 0 and "ERROR" not in output, f"{line}\n{output}")
    expect(os.path.getsize(os.path.join(folder, "stixels.png")) > 100000, "no picture came out")


def check_properties(page, folder):
    text = run("gst-inspect-1.0 --no-colors onnx-semantics", folder)[1]
    body = text[text.index("Element Properties:"):]
    found = re.findall(r"^  ([a-z0-9-]+) *: .*\n.*\n.*Default: +(\S+)", body, re.M)
    actual = {name: value.strip('"') for name, value in found if name not in INHERITED}
    rows = re.findall(r"^\| `([a-z]+)` \|[^|]*\|([^|]*)\|", page, re.M)
    shown = {name: value.strip() for name, value in rows}
    expect(actual == shown, f"properties are {actual}, on the page {shown}")


# ---- Networks -----------------------------------------------------------------------------------

def scores_of(line, type_name, shape, folder):
    import numpy as np
    path = os.path.join(folder, "scores")
    status, output = run(f"gst-launch-1.0 -q {line} ! filesink location={path}", folder)
    expect(status == 0, f"{line}\n{output}")
    data = np.fromfile(path, type_name)
    expect(data.size == np.prod(shape), f"{line}: {data.size} scores, not {shape}")
    return data.reshape(shape)


@functools.cache
def street(view, form, folder, width=WIDTH, height=HEIGHT):
    """The street's picture or labels, without what its rows are padded with."""
    import numpy as np
    path = os.path.join(folder, "picture")
    status, output = run(f"gst-launch-1.0 -q {STREET} view={view} ! videoconvert ! "
                         f"video/x-raw,format={form},width={width},height={height} ! "
                         f"filesink location={path}", folder)
    expect(status == 0, output)
    rows = np.fromfile(path, np.uint8).reshape(height, -1)
    channels = 1 if form == "GRAY8" else 3
    return rows[:, :width * channels].reshape(height, width, channels)


def check_street(folder):
    """Streets from 1000 on are what the network has learned from."""
    import numpy as np
    shape = (19, (HEIGHT + 3) // 4, (WIDTH + 3) // 4)
    line = f"{STREET} ! onnx-semantics model={MODEL}"
    scores = scores_of(line, np.float32, shape, folder)
    expect(np.allclose(scores.sum(0), 1, atol=1e-4), "probabilities do not add up to 1")
    labels = street("semantics", "GRAY8", folder)[::4, ::4, 0]
    found = scores.argmax(0)
    kinds = np.array([GROUND if c in (0, 1, 9) else SKY if c == 10 else OBJECT for c in range(19)])
    classes_right, kinds_right = (found == labels).mean(), (kinds[found] == kinds[labels]).mean()
    print(f"{100 * classes_right:.1f} % of the street's pixels have their class, "
          f"{100 * kinds_right:.1f} % their kind")
    expect(classes_right > .88 and kinds_right > .96, "the network does not know the street")
    once_more = np.exp(scores) / np.exp(scores).sum(0)
    logits = scores_of(line + " logits=true", np.float32, shape, folder)
    expect(np.allclose(logits, once_more, atol=1e-5), "logits=true is no softmax over classes")


def write_network(path, type_name, shape, half=False):
    """A network that gives its picture back, or the sum of every 2x2 of it at half the size."""
    from onnx import TensorProto, helper, save
    kind = getattr(TensorProto, type_name)
    node = helper.make_node("AveragePool", ["picture"], ["scores"], kernel_shape=[2, 2],
                            strides=[2, 2], ceil_mode=1) if half else helper.make_node(
                                "Identity", ["picture"], ["scores"])
    graph = helper.make_graph(
        [node], "test", [helper.make_tensor_value_info("picture", kind, shape)],
        [helper.make_tensor_value_info("scores", kind, [1, None, None, None])])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def check_known_networks(folder):
    import numpy as np
    path, (width, height) = os.path.join(folder, "test.onnx"), SMALL
    for type_name, numpy_type, form, first in (
            ("UINT8", np.uint8, "RGB", True), ("UINT8", np.uint8, "BGR", False),
            ("FLOAT16", np.float16, "BGR", True), ("FLOAT", np.float32, "RGB", False)):
        sides = ["h", "w"] if form == "RGB" else [height, width]
        write_network(path, type_name, [1, 3, *sides] if first else [1, *sides, 3])
        picture = street("left", form, folder, *SMALL)
        expected = picture if type_name == "UINT8" else (
            (picture.astype(np.float32) / 255 - np.float32([.5, .25, 0])) / np.float32(.5))
        expected = expected.transpose(2, 0, 1) if first else expected
        line = (f"{STREET} ! videoconvert ! video/x-raw,format={form},width={width},"
                f"height={height} ! onnx-semantics model={path} mean=0.5,0.25,0 std=0.5")
        actual = scores_of(line, numpy_type, expected.shape, folder)
        expect(np.array_equal(actual, expected.astype(numpy_type)), line)
    write_network(path, "FLOAT", [1, 3, "h", "w"], half=True)
    picture = street("left", "RGB", folder, *SMALL).astype(np.float32) / 255
    rows = picture[:-1].reshape(height // 2, 2, width // 2, 2, 3).mean((1, 3)).transpose(2, 0, 1)
    actual = scores_of(f"{STREET} ! video/x-raw,width={width},height={height} ! "
                       f"onnx-semantics model={path}", np.float32,
                       (3, (height + 1) // 2, width // 2), folder)
    expect(np.allclose(actual[:, :-1], rows, atol=1e-5), "scores of half the size")


# ---- GStreamer's own element --------------------------------------------------------------------

def with_names(folder):
    """The network with an id for its tensor, without which onnxinference of 1.26 does not start,
    and with the page's file, without which that of 1.28 does not."""
    import onnx
    model = onnx.load(str(MODEL))
    onnx.helper.set_model_props(model, {model.graph.output[0].name: "classes"})
    path = os.path.join(folder, "named.onnx")
    onnx.save(model, path)
    page = pathlib.Path(ROOT, "docs/semantics.md").read_text(encoding="utf-8")
    block = page[page.index("      [modelinfo]"):].split("\n* ")[0]
    pathlib.Path(path + ".modelinfo").write_text(textwrap.dedent(block), encoding="utf-8")
    return path


def stixels_with(network, folder):
    """Those of the street, with the network's classes. A record has its class in byte 7."""
    import numpy as np
    path = os.path.join(folder, "stixels")
    line = (f"gst-launch-1.0 {STREET} view=left ! videoconvert ! video/x-raw,format=RGB ! "
            f"{network} ! cells.semantics {STREET} view=disparity ! "
            f"downsample-transpose name=cells ! sat-dp-stixels ! filesink location={path}")
    status, output = run(line, folder)
    expect(status == 0, f"{line}\n{output}")
    return np.fromfile(path, np.uint8).reshape(-1, 24)


def check_onnxinference(folder):
    """Scores that travel on pictures, where GStreamer has them, give the stixels of others."""
    import numpy as np
    if run("gst-inspect-1.0 --exists onnxinference", folder)[0] != 0:
        print("no onnxinference (GStreamer 1.26): not compared with onnx-semantics")
        return
    scale = "input-image-format=chw input-tensor-scale=255"  # which 1.28 has in a file
    known = "input-tensor-scale" in run("gst-inspect-1.0 onnxinference", folder)[1]
    attached = stixels_with(f"onnxinference model-file={with_names(folder)} "
                            f"{scale if known else ''}", folder)
    expected = stixels_with(f"onnx-semantics model={MODEL}", folder)
    expect(len(np.unique(attached[:, 7])) > 5, "onnxinference: hardly any class reaches stixels")
    expect(attached.shape == expected.shape and (attached == expected).mean() > .99,
           "onnxinference and onnx-semantics give different stixels")
    print(f"onnxinference: {len(attached)} stixels as with onnx-semantics")


# ---- Refusals -----------------------------------------------------------------------------------

def check_refusals(folder):
    path = os.path.join(folder, "test.onnx")
    write_network(path, "FLOAT", [1, 4, "h", "w"])
    refused = [("", "set model=FILE.onnx"), ("model=/no/such.onnx", "/no/such.onnx"),
               (f"model={MODEL} providers=NoSuchProvider", "must be of"),
               (f"model={MODEL} mean=a", "mean=a"), (f"model={MODEL} std=1,2", "std=1,2"),
               (f"model={path}", "must be one picture")]
    for properties, words in refused:
        line = f"gst-launch-1.0 {STREET} ! onnx-semantics {properties} ! fakesink"
        status, output = run(line, folder)
        expect(status != 0 and words in output, f"{line} does not say '{words}':\n{output}")
    write_network(path, "FLOAT", [1, 3, 200, 100])
    line = f"{STREET} ! video/x-raw,width=640 ! onnx-semantics model={path} ! fakesink"
    status, output = run(f"/usr/bin/python3 -c '{LAST_MESSAGE}' '{line}'", folder)
    expect(status == 0 and output.endswith("error\n"),
           f"a picture of another size than the network's is taken\n{output}")


def main():
    page = (ROOT / "docs/semantics.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        # A new one: an old one remembers what Python could not load when it was made.
        os.environ["GST_REGISTRY_1_0"] = os.path.join(folder, "registry")
        skip_unless_there(folder)
        check_lines(page, folder)
        check_properties(page, folder)
        check_street(folder)
        check_known_networks(folder)
        check_onnxinference(folder)
        check_refusals(folder)
    print("docs/semantics.md holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
