#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a small network for the semantics of a street, and writes it as ONNX.

  sudo apt install python3-torch python3-onnx
  export GST_PLUGIN_PATH=$PWD/build/gst
  nice python3 examples/semantics/train.py street.onnx

Pictures and labels come from street-scene-src. Each is drawn anew before the network sees it, with
other colours, textures, shadows, skies and cameras, so that the network learns what a street looks
like rather than what this street looks like. The result takes RGB pictures of any size, float32
0 ... 1, 1 x 3 x height x width, and gives probabilities of Cityscapes' 19 train ids for cells of
4x4 pixels. Training works on one core; the same PyTorch on the same kind of processor gives the
same bytes. docs/training.md tells how far this carries.
"""
import argparse
import pathlib
import struct
import subprocess
import time

import numpy as np
import onnx.numpy_helper
import torch
from torch import nn
from torch.nn import functional

CLASSES, CELL = 19, 4
GROUND, SKY = [0, 1, 9], 10  # road, sidewalk, terrain; the others stand on it
KINDS = [GROUND, [c for c in range(CLASSES) if c not in (*GROUND, SKY)], [SKY]]
UNKNOWN = 32  # a label of UNKNOWN + n says that the class is one of KINDS[n], but not which
STIXEL = np.dtype([("column", "<u2"), ("top", "<u2"), ("bottom", "<u2"), ("kind", "u1"),
                   ("label", "u1"), ("numbers", "<f4", 4)])
STIXEL_WIDTH = 8
SEEDS = range(1000, 1100)  # of the streets; others are for tests
FRAMES = 6  # of each street
WIDTH, HEIGHT = 640, 192  # half a camera's size: the network begins by halving its picture
CROP_WIDTH, CROP_HEIGHT, BATCH = 320, 128, 8


# ---- Data ---------------------------------------------------------------------------------------

def launch(line):
    """The bytes that a pipeline writes."""
    return subprocess.run(f"gst-launch-1.0 -q {line} ! fdsink fd=1".split(),
                          stdout=subprocess.PIPE, check=True).stdout


def render(seed, view, form, camera, size=(WIDTH, HEIGHT, FRAMES)):
    """Pictures of a street, as an array of frames x height x width x bytes of a pixel."""
    width, height, frames = size
    pixels = launch(f"street-scene-src view={view} seed={seed} num-buffers={frames} threads=1 "
                    f"{camera} ! video/x-raw,format={form},width={width},height={height},"
                    "framerate=1/3")
    return np.frombuffer(pixels, np.uint8).reshape(frames, height, width, -1)


def load_streets():
    """Pictures, their labels and disparities, each street from another camera."""
    streets, random = [], np.random.default_rng(0)
    for seed in SEEDS:
        camera = (f"focal={WIDTH * random.uniform(.48, .72):.1f} "
                  f"cx={WIDTH / 2 + random.uniform(-20, 20):.1f} "
                  f"cy={HEIGHT * random.uniform(.40, .56):.1f} "
                  f"camera-height={random.uniform(1.2, 2):.2f} "
                  f"camera-pitch={random.normal(0, .02):.3f} noise={random.uniform(0, 3):.2f} "
                  f"speed={random.uniform(6, 14):.1f} "
                  f"terrain={random.choice(['gentle', 'gentle', 'flat', 'hilly'])} "
                  f"scene={random.choice(['street', 'street', 'hazards'])}")
        pictures = render(seed, "left", "RGB", camera)
        labels = render(seed, "semantics", "GRAY8", camera)[..., 0]
        disparities = render(seed, "disparity", "GRAY16_LE", camera).view("<u2")[..., 0]
        streets += list(zip(pictures, labels, disparities))
    return streets


def load_frames(folder):
    """Pictures of a recording and, as labels, the kinds of its own stixels, found from depth."""
    frames = []
    for left in sorted((folder / "image_2").iterdir()):
        width, height = struct.unpack(">II", left.read_bytes()[16:24])  # of a PNG
        width, height = width // 8 * 4, height // 2  # rows of the pixels need no padding then
        picture = launch(f"filesrc location={left} ! pngdec ! videoconvert ! videoscale ! "
                         f"video/x-raw,format=RGB,width={width},height={height}")
        stixels = np.frombuffer(launch(
            f"filesrc location={left} ! pngdec ! all.sink_left "
            f"filesrc location={folder / 'image_3' / left.name} ! pngdec ! all.sink_right "
            f"stereo-stixels name=all output=stixels calibration={folder / 'calib.txt'}"), STIXEL)
        labels = np.full((height, width), 255, np.uint8)
        for stixel in stixels:
            column = int(stixel["column"]) * STIXEL_WIDTH // 2
            labels[stixel["top"] // 2:stixel["bottom"] // 2 + 1,
                   column:column + STIXEL_WIDTH // 2] = UNKNOWN + stixel["kind"] - 1
        frames.append((np.frombuffer(picture, np.uint8).reshape(height, width, 3), labels, None))
    return frames


# ---- Variation ----------------------------------------------------------------------------------

def make_noise(random, size=128):
    """A cube of noise that continues at its other side: grains of 2, 4, ... 32 voxels, 0 ... 1."""
    cube = np.zeros((size, size, size), np.float32)
    for grain in (2, 4, 8, 16, 32):
        octave = random.standard_normal((size // grain,) * 3).astype(np.float32)
        for axis in range(3):
            octave = np.repeat(octave, grain, axis)
            octave = sum(np.roll(octave, i - grain // 2, axis) for i in range(grain)) / grain
        cube += octave / octave.std() * grain ** .3
    return (np.argsort(np.argsort(cube, None)) / cube.size).astype(np.float32).reshape(cube.shape)


class Variation:
    """Draws a crop of a street anew. All of it is drawn from one generator of random numbers."""

    def __init__(self, random):
        self.random, self.noise = random, make_noise(random)

    def texture(self, places, grain):
        """Noise at places in space, the smallest grains of `grain` metres; 0 ... 1."""
        cells = (places * np.float32(2 / grain) + self.random.uniform(0, 128, 3).astype(np.float32)
                 ).astype(np.int32) & 127
        return self.noise[cells[..., 0], cells[..., 1], cells[..., 2]]

    def colour(self):
        return self.random.uniform(0, 1) + self.random.normal(0, .15, 3)

    def repaint(self, picture, labels, places):
        """Other colours and textures for the surfaces, a class and a block in space at a time."""
        random = self.random
        blocks = np.floor(places / random.uniform(3, 12, 3) + random.uniform(0, 1, 3))
        codes = (blocks @ np.array([7919, 104729, 1299709])).astype(np.int64) * 32 + labels % 32
        pieces = codes % 31
        share, strength = random.uniform(0, 1), random.uniform(0, 1)
        textures = [self.texture(places, grain) for grain in random.uniform(.05, 1, 2)]
        for piece in np.unique(pieces):
            if random.uniform() > share:
                continue
            here = pieces == piece
            old = picture[here]
            mixed = textures[random.integers(2)][here, None]
            new = self.colour() * mixed + self.colour() * (1 - mixed)
            weight = strength * random.uniform(0, 1)
            old = old * random.uniform(.5, 1.5, 3) * random.uniform(.5, 1.5)
            picture[here] = old * (1 - weight) + new * weight

    def draw_sky(self, picture, labels, disparities):
        """White, grey or blue, paler towards the horizon, with or without clouds."""
        random = self.random
        rows = np.linspace(0, 1, picture.shape[0])[:, None, None]
        blue = random.uniform(0, 1) ** 2
        high = random.uniform(.5, 1.3) * np.array([1 - .7 * blue, 1 - .45 * blue, 1])
        low = random.uniform(.7, 1.4) * np.array([1, 1, 1 + random.uniform(-.15, .05)])
        sky = high * (1 - rows) + low * rows
        y, x = np.indices(labels.shape) / random.uniform(1, 6)
        flat = np.stack([x, y * random.uniform(1, 4), 0 * x], -1)
        clouds = np.clip((self.texture(flat, 1) - random.uniform(.2, 1)) * random.uniform(1, 5),
                         0, 1)[..., None]
        sky = sky * (1 - clouds) + random.uniform(.4, 1.2) * clouds
        here = labels == SKY
        picture[here] = sky[here]

    def cast_shadows(self, picture, labels, places):
        """Adds shadows of houses, with straight edges, and leaves: on the ground or everything."""
        random = self.random
        shade = np.zeros(labels.shape, bool)
        for _ in range(random.integers(4)):
            angle = random.uniform(0, 2 * np.pi)
            along = places[..., 0] * np.cos(angle) + places[..., 2] * np.sin(angle)
            begin = random.uniform(-20, 30)
            shade |= (along > begin) & (along < begin + random.exponential(8))
        if random.uniform() < .4:
            flat = places * np.array([1, 0, random.uniform(.2, 1)])
            shade |= self.texture(flat, random.uniform(.1, 1)) > random.uniform(.4, .9)
        shade &= np.isin(labels, GROUND) | (random.uniform() < .3)
        picture[shade & (labels != SKY)] *= random.uniform(.25, .8) * np.array(
            [1, 1, random.uniform(1, 1.3)])

    def expose(self, picture, disparities):
        """Haze, light, the camera: contrast, white balance, vignetting, blur and noise."""
        random = self.random
        haze = random.uniform(0, 1) ** 4
        clear = np.exp(-haze * 8 / np.maximum(disparities, .1))[..., None]
        picture = picture * clear + random.uniform(.5, 1) * (1 - clear)
        grey = picture.mean(-1, keepdims=True)
        picture = grey + (picture - grey) * (0 if random.uniform() < .1 else
                                             random.uniform(.2, 1.5))
        picture = np.clip((picture - .5) * random.uniform(.7, 1.5) + .5 + random.normal(0, .1),
                          .01, 4)
        y, x = (np.indices(picture.shape[:2]) + .5) / np.reshape(picture.shape[:2], (2, 1, 1)) - .5
        picture = picture ** random.uniform(.6, 1.7)
        picture *= (1 - random.uniform(0, 1) ** 2 * (x * x + y * y))[..., None]
        picture *= random.uniform(.6, 1.4) * random.uniform(.88, 1.12, 3)
        if random.uniform() < .4:
            picture = (picture + np.roll(picture, 1, 0) + np.roll(picture, 1, 1) +
                       np.roll(picture, (1, 1), (0, 1))) / 4
        noise = random.standard_normal(picture.shape, np.float32) * random.exponential(.01)
        return np.clip(picture + noise, 0, 1).astype(np.float32)

    def crop(self, shape):
        """Rows and columns to take; fewer or more than there will be, mirrored or not."""
        random, (most_rows, most_columns) = self.random, shape
        height = min(CROP_HEIGHT * random.uniform(.75, 1.3), most_rows)
        width = min(height * CROP_WIDTH / CROP_HEIGHT * random.uniform(.85, 1.15), most_columns)
        rows = random.uniform(0, most_rows - height) + (np.arange(CROP_HEIGHT) + .5) * (
            height / CROP_HEIGHT)
        columns = random.uniform(0, most_columns - width) + (np.arange(CROP_WIDTH) + .5) * (
            width / CROP_WIDTH)
        return rows, columns[::random.choice((-1, 1))]

    def __call__(self, street):
        """A picture with a fourth channel, where it is from; and its labels."""
        picture, labels, disparities = street
        rows, columns = self.crop(labels.shape)
        here = np.ix_(rows.astype(int), columns.astype(int))
        relative = rows * (2 / labels.shape[0]) - 1 + self.random.normal(0, .05)
        picture, labels = picture[here].astype(np.float32) / 255, labels[here]
        if disparities is None:
            disparities = np.full(labels.shape, 255, np.float32)
        else:
            disparities = disparities[here].astype(np.float32) / 256
            self.draw(picture, labels, disparities, rows, columns)
        relative = np.broadcast_to(relative[:, None, None], (*labels.shape, 1)).astype(np.float32)
        return np.concatenate((self.expose(picture, disparities), relative), -1), labels

    def draw(self, picture, labels, disparities, rows, columns):
        """Other surfaces, sky and shadows, for most of the streets."""
        distance = .54 * WIDTH * .58 / np.maximum(disparities, .3)
        x = (columns - WIDTH / 2) / (WIDTH * .58) * distance
        y = (rows - HEIGHT * .46)[:, None] / (WIDTH * .58) * distance
        places = np.stack([x, y, distance], -1).astype(np.float32)
        if self.random.uniform() < .9:
            self.repaint(picture, labels, places)
            self.draw_sky(picture, labels, disparities)
            self.cast_shadows(picture, labels, places)


def shares_of(indices, count):
    """Returns every cell's share of each of `count` indices; others count for nothing."""
    ones = functional.one_hot(torch.from_numpy(indices), count + 1)[..., :count]
    return functional.avg_pool2d(ones.permute(0, 3, 1, 2).float(), CELL // 2)


def make_batch(streets, frames, vary):
    """Pictures, and the share of every class and of every kind in every cell; of the pictures half
    are from the recording, where there is one."""
    sources = [frames if frames and i % 2 else streets for i in range(BATCH)]
    crops = [vary(source[vary.random.integers(len(source))]) for source in sources]
    pictures = np.stack([picture.transpose(2, 0, 1) for picture, _ in crops])
    labels = np.stack([labels for _, labels in crops]).astype(np.int64)
    kinds = np.full(256, len(KINDS))
    for kind, classes in enumerate(KINDS):
        kinds[[*classes, UNKNOWN + kind]] = kind
    return (torch.from_numpy(pictures), shares_of(np.minimum(labels, CLASSES), CLASSES),
            shares_of(kinds[labels], len(KINDS)))


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
    """From pictures of half the size; far sight at a sixteenth, the result at a quarter."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Sequential(layer(4, 24, 3, 2), layer(24, 24))
        self.middle = nn.Sequential(layer(24, 48, 3, 2), layer(48, 48), layer(48, 48))
        self.coarse = nn.Sequential(layer(48, 80, 3, 2),
                                    *[Residual(80, d) for d in (1, 2, 4, 8, 1, 2, 4, 8)])
        self.join = layer(48 + 80, 32)
        self.head = nn.Sequential(layer(24 + 32, 32), nn.Conv2d(32, CLASSES, 1))

    def forward(self, x):
        fine = self.fine(x * 2 - 1)
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        coarse = functional.interpolate(coarse, middle.shape[2:], mode="nearest")
        joined = self.join(torch.cat((middle, coarse), 1))
        joined = functional.interpolate(joined, fine.shape[2:], mode="nearest")
        return self.head(torch.cat((fine, joined), 1))


# ---- Training -----------------------------------------------------------------------------------

def loss_of(scores, classes, kinds):
    """The cross entropy of the classes and, with the same weight, that of the three kinds."""
    logs = functional.log_softmax(scores, 1)
    of_kinds = torch.stack([logs[:, kind].logsumexp(1) for kind in KINDS], 1)
    return -(classes * logs).sum(1).mean() - (kinds * of_kinds).sum(1).mean()


def train(net, streets, frames, steps):
    vary = Variation(np.random.default_rng(1))
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    begin, mean = time.monotonic(), 0
    for step in range(1, steps + 1):
        pictures, classes, kinds = make_batch(streets, frames, vary)
        loss = loss_of(net(pictures), classes, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        mean += (loss.item() - mean) / min(step, 50)
        if step % 50 == 0:
            print(f"{step} steps, {time.monotonic() - begin:.0f} s: loss {mean:.4f}", flush=True)


class Whole(nn.Module):
    """With all that training does outside: the picture is halved and gets its fourth channel, from
    -1 in the first row to 1 in the last; and scores become probabilities."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, picture):
        half = functional.avg_pool2d(picture, 2, ceil_mode=True)
        rows = torch.cumsum(torch.ones_like(half[:, :1]), 2)
        rows = (rows * 2 - 1) / rows[:, :, -1:] - 1
        return self.net(torch.cat((half, rows), 1)).softmax(1)


def halve_weights(path):
    """Stores the weights as float16, which runtimes make float32 again when they load the file."""
    network = onnx.load(path)
    casts = []
    for tensor in network.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) > 1:
            half = onnx.numpy_helper.to_array(tensor).astype(np.float16)
            name = tensor.name
            tensor.CopyFrom(onnx.numpy_helper.from_array(half, name + ".half"))
            casts.append(onnx.helper.make_node("Cast", [name + ".half"], [name],
                                               to=onnx.TensorProto.FLOAT))
    nodes = casts + list(network.graph.node)
    del network.graph.node[:]
    network.graph.node.extend(nodes)
    onnx.checker.check_model(network)
    onnx.save(network, path)


def export(net, path):
    sizes = {2: "height", 3: "width"}
    torch.onnx.export(Whole(net).eval(), torch.zeros(1, 3, 96, 128), path, opset_version=13,
                      input_names=["picture"], output_names=["scores"],
                      dynamic_axes={"picture": sizes, "scores": {2: "rows", 3: "columns"}})
    halve_weights(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("file", help="the network, .onnx")
    parser.add_argument("--steps", type=int, default=800, help="of training")
    parser.add_argument("--frames", type=pathlib.Path, nargs="+", metavar="FOLDER", default=[],
                        help="recordings of your own camera to learn from, too: pairs of PNG in "
                        "image_2 and image_3, and calib.txt, as KITTI has them")
    options = parser.parse_args()
    for folder in options.frames:
        if not (folder / "image_2").is_dir():
            parser.error(f"--frames {folder}: there is no folder image_2 in it")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    net = StreetNet()
    print(sum(p.numel() for p in net.parameters()), "parameters")
    frames = [frame for folder in options.frames for frame in load_frames(folder)]
    train(net, load_streets(), frames, options.steps)
    export(net, options.file)


if __name__ == "__main__":
    main()
