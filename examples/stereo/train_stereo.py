#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a small stereo network on the synthetic street, and writes it as ONNX.

  sudo apt install python3-torch python3-onnx
  export GST_PLUGIN_PATH=$PWD/build/gst
  nice python3 examples/stereo/train_stereo.py stereo.onnx

Pairs and disparities come from street-scene-src. The result takes a rectified pair of any size,
`left` and `right`, RGB, float32 0 ... 1, 1 x 3 x height x width, and gives `disparity` of the left
picture in pixels, 1 x 1 x height x width, up to 4 x CANDIDATES pixels, near 0 for the sky. It
compares features of both pictures at a quarter of the size, for every candidate; a network of two
dimensions, whose channels are the candidates, cleans the costs; the mean of the candidates is
brought to full size with weights that the network chooses for each pixel. Training works on one
core. docs/training.md tells how far this carries.
"""
import argparse
import pathlib
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "semantics"))
from train import Residual, halve_weights, layer, render  # noqa: E402

CANDIDATES = 40  # steps of 4 pixels
SEEDS = range(3000, 3130)
WIDTH, HEIGHT, FRAMES = 576, 256, 5
CROP_WIDTH, CROP_HEIGHT, BATCH = 384, 192, 4


# ---- Data ---------------------------------------------------------------------------------------

def load_pairs():
    """Left and right pictures and disparities: parts of pictures of about 1200 x 400 pixels."""
    pairs, random = [], np.random.default_rng(0)
    for seed in SEEDS:
        camera = (f"focal={random.uniform(600, 850):.1f} "
                  f"cx={WIDTH / 2 + random.uniform(-400, 400):.1f} "
                  f"cy={random.uniform(30, 200):.1f} baseline={random.uniform(.4, .65):.3f} "
                  f"camera-height={random.uniform(1.3, 2):.2f} "
                  f"camera-pitch={random.normal(0, .01):.3f} noise={random.uniform(0, 4):.2f} "
                  f"speed={random.uniform(6, 14):.1f} "
                  f"terrain={random.choice(['gentle', 'gentle', 'flat', 'hilly'])} "
                  f"scene={random.choice(['street', 'street', 'hazards'])}")
        size = (WIDTH, HEIGHT, FRAMES)
        left = render(seed, "left", "RGB", camera, size)
        right = render(seed, "right", "RGB", camera, size)
        truth = render(seed, "disparity", "GRAY16_LE", camera, size).view("<u2")[..., 0]
        pairs += list(zip(left, right, truth))
    return pairs


def expose(picture, light, random):
    """Light that both cameras share, and what each does with it."""
    contrast, gamma, gain = light
    gain = gain * random.uniform(.93, 1.07, 3)
    picture = np.clip((picture - .5) * contrast + .5, .01, 1) ** (gamma * random.uniform(.95, 1.05))
    if random.uniform() < .3:
        picture = (picture + np.roll(picture, 1, 0) + np.roll(picture, -1, 0)) / 3
    noise = random.standard_normal(picture.shape, np.float32) * random.exponential(.008)
    return np.clip(picture * gain + noise, 0, 1).astype(np.float32)


def vary(pair, random):
    """A crop, the right one begun some pixels further right, which adds to all disparities, so that
    large ones become as frequent; and a row too high or too low, as in real pairs."""
    left, right, truth = pair
    shift = min(int(random.exponential(12)), 80)
    y = random.integers(1, HEIGHT - CROP_HEIGHT)
    x = random.integers(WIDTH - CROP_WIDTH - shift + 1)
    v = y + random.choice([-1, 0, 0, 0, 1])
    left = left[y:y + CROP_HEIGHT, x:x + CROP_WIDTH].astype(np.float32) / 255
    right = right[v:v + CROP_HEIGHT, x + shift:x + shift + CROP_WIDTH].astype(np.float32) / 255
    truth = truth[y:y + CROP_HEIGHT, x:x + CROP_WIDTH].astype(np.float32) / 256 + shift
    light = random.uniform(.6, 1.4), random.uniform(.6, 1.6), random.uniform(.6, 1.3)
    return expose(left, light, random), expose(right, light, random), truth


def make_batch(pairs, random):
    crops = [vary(pairs[i], random) for i in random.integers(len(pairs), size=BATCH)]
    left, right, truth = (torch.from_numpy(np.stack(views)) for views in zip(*crops))
    return left.permute(0, 3, 1, 2), right.permute(0, 3, 1, 2), truth[:, None]


# ---- The network --------------------------------------------------------------------------------

class Features(nn.Module):
    """The features of a picture at a quarter of its size, from contrast: light matters little."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(layer(3, 16, 3, 2), layer(16, 32, 3, 2), layer(32, 32),
                                  layer(32, 32), nn.Conv2d(32, 32, 1))

    def forward(self, x):
        mean = functional.avg_pool2d(x, 9, 1, 4, count_include_pad=False)
        square = functional.avg_pool2d(x * x, 9, 1, 4, count_include_pad=False)
        return self.body((x - mean) / (square - mean * mean + 1e-3).clamp(min=1e-3).sqrt())


class StereoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = Features()
        self.fine = layer(CANDIDATES + 32, 64)
        self.coarse = nn.Sequential(layer(64, 96, 3, 2),
                                    *[Residual(96, d) for d in (1, 2, 4, 8, 1, 2, 4, 1)],
                                    layer(96, 64, 1))
        self.clean = nn.Sequential(layer(128, 64, 1), layer(64, 64), nn.Conv2d(64, CANDIDATES, 1))
        self.sharpness = nn.Parameter(torch.tensor(8.))
        self.weights = nn.Sequential(layer(64 + 32, 32), nn.Conv2d(32, 9 * 16, 1))

    def similarities(self, left, right):
        """The cosine of the features, for every candidate a channel."""
        left, right = functional.normalize(left), functional.normalize(right)
        wide = functional.pad(right, (CANDIDATES - 1, 0))
        width = right.shape[3]
        return torch.stack([(left * wide[..., i:i + width]).sum(1)
                            for i in range(CANDIDATES - 1, -1, -1)], 1)

    def enlarge(self, disparity, weights):
        """Each of 4x4 pixels is a mean of the 3x3 disparities around, with weights of its own."""
        rows, columns = disparity.shape[2:]
        padded = functional.pad(disparity, (1, 1, 1, 1), mode="replicate")
        around = torch.cat([padded[:, :, i:i + rows, j:j + columns]
                            for i in range(3) for j in range(3)], 1)
        parts = [(weights[:, 9 * i:9 * i + 9].softmax(1) * around).sum(1) for i in range(16)]
        return 4 * functional.pixel_shuffle(torch.stack(parts, 1), 4)

    def forward(self, left, right):
        """The disparity, and the logarithms of the candidates' probabilities."""
        features = self.features(left)
        costs = self.similarities(features, self.features(right))
        fine = self.fine(torch.cat((costs, features), 1))
        coarse = functional.interpolate(self.coarse(fine), fine.shape[2:], mode="nearest")
        clean = self.clean(torch.cat((fine, coarse), 1)) + costs * self.sharpness
        logs = functional.log_softmax(clean, 1)
        steps = torch.arange(CANDIDATES, dtype=torch.float32).reshape(1, -1, 1, 1)
        disparity = (logs.exp() * steps).sum(1, keepdim=True)
        full = self.enlarge(disparity, self.weights(torch.cat((fine, features), 1)))
        return full[:, :, :left.shape[2], :left.shape[3]], logs


# ---- Training -----------------------------------------------------------------------------------

def loss_of(disparity, logs, truth):
    """The error of the disparity, and the missing probability of the right candidates."""
    valid = (truth < 4 * (CANDIDATES - 1)).float()
    error = functional.smooth_l1_loss(disparity, truth, reduction="none")
    small = truth[:, :, 2::4, 2::4] / 4
    steps = torch.arange(CANDIDATES, dtype=torch.float32).reshape(1, -1, 1, 1)
    near = (1 - (small - steps).abs()).clamp(min=0)
    return (error * valid).mean() - 2 * (near * logs).sum(1).mean()


def train(net, pairs, steps):
    random = np.random.default_rng(1)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    begin, mean = time.monotonic(), np.zeros(2)
    for step in range(1, steps + 1):
        left, right, truth = make_batch(pairs, random)
        disparity, logs = net(left, right)
        loss = loss_of(disparity, logs, truth)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5)
        optimizer.step()
        schedule.step()
        wrong = ((disparity - truth).abs() > 3).float().mean().item()
        mean += ((loss.item(), wrong) - mean) / min(step, 50)
        if step % 50 == 0:
            print(f"{step} steps, {time.monotonic() - begin:.0f} s: loss {mean[0]:.4f}, "
                  f"{100 * mean[1]:.1f} % off by more than 3 pixels", flush=True)


class Exported(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, left, right):
        return self.net(left, right)[0]


def export(net, path):
    sides = {name: {2: "height", 3: "width"} for name in ("left", "right", "disparity")}
    picture = torch.zeros(1, 3, 96, 256)
    torch.onnx.export(Exported(net).eval(), (picture, picture), path, opset_version=13,
                      input_names=["left", "right"], output_names=["disparity"],
                      dynamic_axes=sides)
    halve_weights(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("file", help="the network, .onnx")
    parser.add_argument("--steps", type=int, default=900, help="of training")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = StereoNet()
    print(sum(p.numel() for p in net.parameters()), "parameters")
    train(net, load_pairs(), options.steps)
    export(net, options.file)


if __name__ == "__main__":
    main()
