# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of ROS 2 as robots record them, of the synthetic street, written by the library rosbags."""
import io
import pathlib
import shutil
import struct
import zlib

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

import street

STORE = get_typestore(Stores.ROS2_HUMBLE)
T = STORE.types
FIRST = 1_700_000_000_123_456_789  # nanoseconds, of the first message
STEP = 100_000_000
FRAME, LIDAR = "front_left_optical", "os_lidar"
PLUGINS = {"db3": StoragePlugin.SQLITE3, "mcap": StoragePlugin.MCAP}


def header(time, frame=FRAME):
    return T["std_msgs/msg/Header"](
        T["builtin_interfaces/msg/Time"](time // 10**9, time % 10**9), frame)


def image(pixels, encoding, time, padding=0, big=0):
    """An Image of height × width × bytes."""
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, -1).view(np.uint8)
    rows = np.pad(rows, ((0, 0), (0, padding)))
    return T["sensor_msgs/msg/Image"](header(time), height, width, encoding, big, rows.shape[1],
                                      rows.ravel())


def png(pixels):
    """A picture in gray as a file."""
    height, width = pixels.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    out = io.BytesIO()
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0,
                                                                 0, 0)))
    out.write(chunk(b"IDAT", zlib.compress(np.pad(pixels, ((0, 0), (1, 0))).tobytes(), 1)))
    return out.getvalue() + chunk(b"IEND", b"")


def compressed(pixels, time):
    return T["sensor_msgs/msg/CompressedImage"](
        header(time), "mono8; png compressed ", np.frombuffer(png(pixels), np.uint8))


def camera_info(right, time, d=(0.,) * 5, size=(street.WIDTH, street.HEIGHT), baseline=None):
    f, cx, cy = street.FOCAL, (street.WIDTH - 1) / 2, street.CY
    baseline = street.BASELINE if baseline is None else baseline
    return T["sensor_msgs/msg/CameraInfo"](
        header(time), size[1], size[0], "plumb_bob", np.array(d, float),
        np.array([f, 0, cx, 0, f, cy, 0, 0, 1], float), np.eye(3).ravel(),
        np.array([f, 0, cx, -f * baseline * right, 0, f, cy, 0, 0, 0, 1, 0], float), 0, 0,
        T["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False))


def cloud(points, time, order="<"):
    """Fields in another order, one more, and padding, as drivers have them."""
    names = ("intensity", "ring", "z", "y", "x")
    kinds = ("u2", "u1", "f8", "f4", "f4")
    numbers = (4, 2, 8, 7, 7)
    offsets = (2, 4, 8, 16, 20)
    data = np.zeros(len(points), np.dtype({
        "names": names, "formats": [order + kind for kind in kinds], "offsets": offsets,
        "itemsize": 28}))
    data["x"], data["y"], data["z"] = points[:, :3].T
    data["intensity"] = points[:, 3] * 65535
    fields = [T["sensor_msgs/msg/PointField"](*row, 1) for row in zip(names, offsets, numbers)]
    return T["sensor_msgs/msg/PointCloud2"](
        header(time, LIDAR), 1, len(points), fields, order == ">", 28, 28 * len(points),
        np.frombuffer(data.tobytes(), np.uint8), True)


def still(parent, child, place, turned):
    return T["geometry_msgs/msg/TransformStamped"](
        header(FIRST, parent), child, T["geometry_msgs/msg/Transform"](
            T["geometry_msgs/msg/Vector3"](*place), T["geometry_msgs/msg/Quaternion"](*turned)))


def tree():
    """The camera is turned into its optical frame; the scanner hangs above it."""
    return T["tf2_msgs/msg/TFMessage"]([
        still("base_link", FRAME, (1.5, 0, 1.65), (-.5, .5, -.5, .5)),
        still("base_link", LIDAR, (1.5, 0, 1.73), (0, 0, 0, 1))])


def text(words):
    return T["std_msgs/msg/String"](words)


def write(path, kind, messages):
    """(topic, time of recording, message), in a folder as `ros2 bag record` makes it. A message may
    also be a type and bytes."""
    shutil.rmtree(path, ignore_errors=True)
    with Writer(pathlib.Path(path), version=9, storage_plugin=PLUGINS[kind]) as writer:
        topics = {}
        for topic, time, message in messages:
            name, data = message if isinstance(message, tuple) else (
                message.__msgtype__, STORE.serialize_cdr(message, message.__msgtype__))
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, name, typestore=STORE)
            writer.write(topics[topic], time, data)
    return path


def drive(views, convert, infos=True, d=(0.,) * 5, name="image_rect", info_first=False):
    """Two cameras. `views`: left and right, frames × rows × columns; `convert (pixels, time)`."""
    found = []
    for number in range(len(views[0])):
        time = FIRST + number * STEP
        for side, pixels in zip(("left", "right"), views):
            found.append((f"/front/{side}/{name}", time + 5000, convert(pixels[number], time)))
            if infos:
                found.append((f"/front/{side}/camera_info", time + 6000,
                              camera_info(side == "right", time, d)))
    return found
