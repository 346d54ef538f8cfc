#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a stereo network without weights: block matching as a graph of ONNX, for onnx-stereo.

It shows whether ONNX Runtime works on a machine, and how far that is from what a trained network
finds: nothing here was learned. For each disparity it sums the absolute differences of colours in a
block, and takes the disparity of the least sum. Needs the package onnx from PyPI.

  python3 examples/onnx-stereo/block_matching.py matcher.onnx
"""
import argparse

from onnx import TensorProto, helper, numpy_helper, save
import numpy as np

OPSET = 13


def moved(shift, names):
    """The right view, moved to the right by so many pixels; its first column fills what is left."""
    name = f"moved{shift}"
    if shift == 0:
        return helper.make_node("Identity", ["right"], [name]), name
    pads = np.zeros(8, np.int64)
    pads[3], pads[7] = shift, -shift
    names.append(numpy_helper.from_array(pads, f"pads{shift}"))
    return helper.make_node("Pad", ["right", f"pads{shift}"], [name], mode="edge"), name


def costs(shift, names):
    """Nodes that sum the differences at one disparity over colours and block: exact in float32."""
    node, view = moved(shift, names)
    return [node,
            helper.make_node("Sub", ["left", view], [f"differences{shift}"]),
            helper.make_node("Abs", [f"differences{shift}"], [f"absolute{shift}"]),
            helper.make_node("Conv", [f"absolute{shift}", "block"], [f"cost{shift}"],
                             auto_pad="SAME_UPPER")]


def network(disparities, block):
    weights = [numpy_helper.from_array(np.ones((1, 3, block, block), np.float32), "block")]
    nodes = sum((costs(shift, weights) for shift in range(disparities)), [])
    nodes += [helper.make_node("Concat", [f"cost{i}" for i in range(disparities)], ["volume"],
                               axis=1),
              helper.make_node("ArgMin", ["volume"], ["least"], axis=1, keepdims=1),
              helper.make_node("Cast", ["least"], ["disparity"], to=TensorProto.FLOAT)]
    view, result = [1, 3, "height", "width"], [1, 1, "height", "width"]
    graph = helper.make_graph(
        nodes, "block-matching",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, view)
         for name in ("left", "right")],
        [helper.make_tensor_value_info("disparity", TensorProto.FLOAT, result)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", help="the network, .onnx")
    parser.add_argument("--disparities", type=int, default=64, help="pixels; default: %(default)s")
    parser.add_argument("--block", type=int, default=9, help="side, pixels; default: %(default)s")
    arguments = parser.parse_args()
    save(network(arguments.disparities, arguments.block), arguments.file)


if __name__ == "__main__":
    main()
