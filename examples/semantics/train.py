#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a small network for the semantics of the synthetic street, and writes it as ONNX.

  sudo apt install python3-torch
  export GST_PLUGIN_PATH=$PWD/build/gst
  nice python3 examples/semantics/train.py street.onnx

Pictures and labels come from street-scene-src. The result takes RGB pictures of any size, float32
0 ... 1, 1 x 3 x height x width, and gives probabilities of Cityscapes' 19 train ids for cells of
4x4 pixels. It works on one core, and from the same PyTorch on the same kind of processor it gives
the same bytes. It knows the synthetic street and nothing else: see docs/semantics.md.
"""
import argparse
import subprocess
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

CLASSES, CELL = 19, 4
SEEDS = range(1000, 1060)  # of the streets; others are for tests
FRAMES = 5  # of each street, 30 m apart
SIZES = ((992, 304), (1240, 376), (1488, 448))
CROP_WIDTH, CROP_HEIGHT, BATCH = 512, 256, 2


# ---- Data ---------------------------------------------------------------------------------------

def render(seed, view, form, size, camera):
    """FRAMES pictures of a street, as an array of frames x height x row x …."""
    width, height = size
    line = (f"gst-launch-1.0 -q street-scene-src view={view} seed={seed} num-buffers={FRAMES} "
            f"{camera} ! video/x-raw,format={form},width={width},height={height},framerate=1/3 "
            "! fdsink fd=1")
    pixels = subprocess.run(line.split(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(pixels, np.uint8).reshape(FRAMES, height, width, -1)


def load_streets():
    """Pairs of a picture and its labels, each street from another camera."""
    pairs, random = [], np.random.default_rng(0)
    for seed in SEEDS:
        size = SIZES[seed % len(SIZES)]
        camera = (f"noise={random.uniform(0, 4):.2f} camera-pitch={random.normal(0, .02):.3f} "
                  f"camera-height={random.uniform(1.3, 1.9):.2f}")
        pictures = render(seed, "left", "RGB", size, camera)
        labels = render(seed, "semantics", "GRAY8", size, camera)
        pairs += list(zip(pictures, labels[..., 0]))
    return pairs


def vary(picture, random):
    """Another exposure, another white balance, another gamma: float32 0 ... 1."""
    picture = picture.astype(np.float32) / 255
    gain = random.uniform(.7, 1.3) * random.uniform(.9, 1.1, 3)
    contrast, gamma = random.uniform(.8, 1.2), random.uniform(.7, 1.4)
    picture = np.clip((picture - .5) * contrast + .5, 0, 1) ** gamma
    return np.clip(picture * gain, 0, 1).astype(np.float32)


def crop(pair, random):
    picture, labels = pair
    y = random.integers(picture.shape[0] - CROP_HEIGHT + 1)
    x = random.integers(picture.shape[1] - CROP_WIDTH + 1)
    step = random.choice((-1, 1))
    here = np.s_[y:y + CROP_HEIGHT, x:x + CROP_WIDTH]
    return vary(picture[here], random)[:, ::step], labels[here][:, ::step]


def make_batch(pairs, random):
    """Pictures, and the share of every class in every cell."""
    crops = [crop(pairs[i], random) for i in random.integers(len(pairs), size=BATCH)]
    pictures = np.stack([picture.transpose(2, 0, 1) for picture, _ in crops])
    labels = np.stack([labels for _, labels in crops]).astype(np.int64)
    shares = functional.one_hot(torch.from_numpy(labels), CLASSES).permute(0, 3, 1, 2).float()
    return torch.from_numpy(pictures), functional.avg_pool2d(shares, CELL)


# ---- The network --------------------------------------------------------------------------------

def layer(inputs, outputs, size=3, stride=1, dilation=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, dilation * (size // 2), dilation, groups, False),
        nn.BatchNorm2d(outputs), nn.ReLU())


class Residual(nn.Module):
    """Looks `dilation` pixels around, one channel at a time, and then mixes the channels."""

    def __init__(self, channels, dilation):
        super().__init__()
        self.body = nn.Sequential(layer(channels, channels, 3, 1, dilation, channels),
                                  layer(channels, channels, 1))

    def forward(self, x):
        return x + self.body(x)


class StreetNet(nn.Module):
    """Half, quarter and eighth of the size; far sight at an eighth, the result at a quarter."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Sequential(layer(3, 16, 3, 2), layer(16, 32, 3, 2), Residual(32, 1))
        self.coarse = nn.Sequential(layer(32, 80, 3, 2),
                                    *[Residual(80, d) for d in (1, 2, 4, 8, 16, 1, 2, 4)],
                                    layer(80, 32, 1))
        self.head = nn.Sequential(layer(64, 48), nn.Conv2d(48, CLASSES, 1))

    def forward(self, x):
        fine = self.fine(x)
        coarse = functional.interpolate(self.coarse(fine), fine.shape[2:], mode="nearest")
        return self.head(torch.cat((fine, coarse), 1))


# ---- Training -----------------------------------------------------------------------------------

def train(net, pairs, steps):
    random = np.random.default_rng(1)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    begin, mean = time.monotonic(), 0
    for step in range(1, steps + 1):
        pictures, shares = make_batch(pairs, random)
        loss = -(shares * functional.log_softmax(net(pictures), 1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        mean += (loss.item() - mean) / min(step, 50)
        if step % 50 == 0:
            print(f"{step} steps, {time.monotonic() - begin:.0f} s: loss {mean:.4f}", flush=True)


def export(net, path):
    """With the softmax, so that the file gives probabilities; any picture size."""
    sizes = {2: "height", 3: "width"}
    torch.onnx.export(nn.Sequential(net, nn.Softmax(1)).eval(), torch.zeros(1, 3, 96, 128), path,
                      opset_version=13, input_names=["picture"], output_names=["scores"],
                      dynamic_axes={"picture": sizes, "scores": {2: "rows", 3: "columns"}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("file", help="the network, .onnx")
    parser.add_argument("--steps", type=int, default=2200, help="of training")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    net = StreetNet()
    print(sum(p.numel() for p in net.parameters()), "parameters")
    train(net, load_streets(), options.steps)
    export(net, options.file)


if __name__ == "__main__":
    main()
