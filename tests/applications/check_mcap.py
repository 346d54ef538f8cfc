#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-mcap: its files in the reader of another library, and bags of that as its input.

usage: check_mcap.py

What it needs is in the folder that STX_MCAP names (tests/packages.sh), or installed; without it, or
without GStreamer for Python, the test is skipped.

  - a file of the street, read by rosbags: seen through CameraInfo and TF, stixels, scan and depth
    lie where the street's depth says, and odom follows the street's motion;
  - the types of messages are those of ROS 2 Humble, Jazzy and Kilted, by their hashes;
  - bags in SQLite and MCAP, raw, padded, as PNG, as Bayer's pattern, not rectified, with their
    transforms, and scans in any order of fields, give the same as the pipeline without a bag;
  - live, viewers get the same bytes as the file has, and what is latched whenever they come (only
    with Foxglove's SDK);
  - bags that are cut off, that lack something, or hold something else: a message names it, and what
    could be read is in the file.
"""
import argparse
import itertools
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

for variable in ("STX_MCAP", "STX_VIEWERS"):
    if os.environ.get(variable):
        sys.path.insert(0, os.environ[variable])

import street

street.skip_without("gi", "numpy", "mcap", "rosbags")

import numpy as np  # noqa: E402
from mcap.reader import make_reader  # noqa: E402
from mcap.writer import Writer  # noqa: E402
from rosbags.highlevel import AnyReader  # noqa: E402
from rosbags.typesys import Stores, get_types_from_msg, get_typestore  # noqa: E402

sys.path += [str(street.EXAMPLES / "shared"), str(street.EXAMPLES / "stx-mcap")]

import bagfile  # noqa: E402
import cdr  # noqa: E402
import inputs  # noqa: E402
import made_bags  # noqa: E402
import rostypes  # noqa: E402
import transforms  # noqa: E402

PROGRAM = [sys.executable, street.EXAMPLES / "stx-mcap/stx-mcap.py"]
FOLDER = pathlib.Path(tempfile.mkdtemp())
FRAMES = 3
PICTURE, STIXELS, POINTS = "left/image_rect/compressed", "stixels", "points"
PLAIN = "motion=true alpha=0 overlay::outlines=false legend=none camera-height=1.65 camera-pitch=0"
PAIR = street.words("bag-left. ! stixels.sink_left bag-right. ! stixels.sink_right "
                    f"stereo-stixels name=stixels {PLAIN}")


SMALL = "num-buffers={0} ! video/x-raw,width=320,height=96"  # whole blocks of JPEG
STREET = (f"street-scene-src {SMALL} ! stixels.sink_left street-scene-src view=right {SMALL} "
          f"! stixels.sink_right stereo-stixels name=stixels {PLAIN}")
BRANCHES = {"disparity": f"street-scene-src view=disparity {SMALL}",
            "scan": "street-scene-src view=lidar num-buffers={0} ! lidar-ground ! stixel-obstacles",
            "grid": "stixels.src_stixels ! occupancy-grid"}


def mcap(*options, save="out.mcap", status=0):
    """The program's output, and the path of the file."""
    path = FOLDER / save
    path.unlink(missing_ok=True)
    return street.run([*PROGRAM, "--save", path, *options], status=status), path


# ---- The reader ----------------------------------------------------------------------------------

def read(path):
    """{topic: [(time, message)]}"""
    found = {}
    with AnyReader([path]) as reader:
        for connection, time, data in reader.messages():
            found.setdefault(connection.topic.removeprefix("/stixels/"), []).append(
                (time, reader.deserialize(data, connection.msgtype)))
    return found


# ---- Where things are ----------------------------------------------------------------------------

def triples(points):
    return np.array([(p.x, p.y, p.z) for p in points]).reshape(-1, 3)


def tree_of(found, number=-1):
    """Still frames, and those of a moment."""
    tree = transforms.Tree()
    rows = [message for _, message in found.get("/tf_static", [])]
    now = found[STIXELS][number][0]
    rows += [message for time, message in found.get("/tf", []) if time == now]
    for message in rows:
        for one in message.transforms:
            move, turned = one.transform.translation, one.transform.rotation
            tree.add(one.header.frame_id, one.child_frame_id, transforms.matrix(
                (move.x, move.y, move.z),
                transforms.of_quaternion(turned.x, turned.y, turned.z, turned.w)))
    return tree


def cloud_of(message):
    """Places, and the rest of the fields."""
    names = [field.name for field in message.fields]
    kinds = [{7: "<f4", 4: "<u2"}[field.datatype] for field in message.fields]
    points = np.frombuffer(bytes(message.data), np.dtype({
        "names": names, "formats": kinds, "offsets": [field.offset for field in message.fields],
        "itemsize": message.point_step}))
    return np.stack([points[name] for name in "xyz"], axis=1).astype(float), points


def depth_image(message):
    return np.frombuffer(bytes(message.data), "<f4").reshape(message.height, message.width)


def true_at(depth, places, info):
    """Depth where places of the camera's optical frame are seen; infinite: not in the picture."""
    f, cx, cy = info.p[0], info.p[2], info.p[6]
    ahead = places[:, 2] > .5
    z = np.where(ahead, places[:, 2], 1)
    u, v = np.rint(f * places[:, 0] / z + cx), np.rint(f * places[:, 1] / z + cy)
    inside = ahead & (u >= 0) & (u < info.width) & (v >= 0) & (v < info.height)
    found = depth[np.where(inside, v, 0).astype(int), np.where(inside, u, 0).astype(int)]
    return np.where(inside & np.isfinite(found), found, np.inf)


def expect_near(places, true, what, least, good, near=40, tolerance=.05):
    seen = true < near
    share = np.mean(np.abs(places[seen, 2] / true[seen] - 1) < tolerance)
    print(f"{what}: {seen.sum()} seen, {100 * share:.1f} % within {tolerance:.0%} of the truth")
    street.expect(seen.sum() > least and share > good, f"{what}: see above")


def middles(message):
    """The middle of each stixel, whose corners come as two triangles."""
    corners = triples(message.markers[0].points).reshape(-1, 6, 3)
    return corners[:, [0, 1, 2, 5]].mean(axis=1)


def in_camera(found, places):
    """From the frame of the scan to that of the picture."""
    move = tree_of(found).between(found[STIXELS][0][1].markers[0].header.frame_id,
                                  found[POINTS][0][1].header.frame_id)
    street.expect(move is not None, "camera and scan hang on two trees")
    return places @ move[:3, :3].T + move[:3, 3]


def expect_boxes(found, number, depth, what, least):
    """Obstacles stand where the depth of something is, and their markers around them."""
    info = found["left/camera_info"][number][1]
    detections = found["obstacles"][number][1].detections
    centers = triples([one.bbox.center.position for one in detections])
    sizes = triples([one.bbox.size for one in detections])
    fronts = centers - sizes * (0, 0, .5)
    expect_near(fronts, true_at(depth, fronts, info), what, least, .5, tolerance=.25)
    markers = {one.ns: one for one in found["obstacles/markers"][number][1].markers}
    corners = triples(markers["boxes"].points).reshape(len(detections), -1, 3)
    street.expect(np.allclose(corners.min(axis=1), centers - sizes / 2) and
                  np.allclose(corners.max(axis=1), centers + sizes / 2), f"{what}: markers")


# ---- The street ----------------------------------------------------------------------------------

def check_street():
    _, path = mcap("--frames", FRAMES, "--namespace", "/stixels/", save="street.mcap")
    found = read(path)
    every = {PICTURE, STIXELS, POINTS, "left/camera_info", "right/camera_info", "disparity",
             "depth/image_rect", "obstacles", "obstacles/markers", "points/obstacles",
             "points/obstacles/markers"}
    if "grid" in found:
        check_grid(found)
    some = {name: len(rows) for name, rows in found.items() if name not in ("grid", "/tf")}
    street.expect({name for name, count in some.items() if count == FRAMES} == every,
                  f"not {FRAMES} of each: {some}")
    true = street.view(FOLDER, "disparity", FRAMES, 0, "<u2") / 256
    with np.errstate(divide="ignore"):
        depths = street.FOCAL * street.BASELINE / true
    for number in range(FRAMES):
        times = {rows[number][0] for name, rows in found.items() if name in every}
        street.expect(times == {number * 10**8}, f"frame {number} is of {times}")
        check_frame(found, number, depths[number])
    place = tree_of(found).between("odom", "base_link")[:3, 3]
    street.expect(np.allclose(place, (FRAMES - 1, 0, 0), atol=.05), f"odom: {place}")
    up = tree_of(found).between("base_link", "camera_optical") @ (0, street.CAMERA_HEIGHT, 5, 1)
    street.expect(np.allclose(up[:3], (5, 0, 0), atol=.01), f"5 m ahead on the road is at {up}")


def check_frame(found, number, depth):
    info, right = (found[f"{side}/camera_info"][number][1] for side in ("left", "right"))
    street.expect(np.allclose(-right.p[3] / right.p[0], street.BASELINE, atol=1e-3) and
                  np.allclose(info.k[0], street.FOCAL, atol=1e-2), "the camera")
    marker = found[STIXELS][number][1].markers[0]
    street.expect(marker.type == 11 and len(marker.points) == len(marker.colors) > 1000, "stixels")
    places = middles(found[STIXELS][number][1])
    expect_near(places, true_at(depth, places, info), "stixels", 300, .8)
    places, points = cloud_of(found[POINTS][number][1])
    street.expect(set(np.unique(points["label"])) <= {0, 49, 99} and points["cluster"].max() > 3,
                  "labels of points")
    boxes = [one.bbox for one in found["points/obstacles"][number][1].detections]
    full = [np.sum((np.abs(places - triples([box.center.position])) <= triples([box.size]) / 2 + .1)
                   .all(axis=1) & (points["label"] == 99)) > 5 for box in boxes]
    street.expect(len(full) > 3 and np.mean(full) > .9, f"boxes with points in them: {full}")
    seen = in_camera(found, places)
    expect_near(seen, true_at(depth, seen, info), "scan", 5000, .9)
    image = depth_image(found["depth/image_rect"][number][1])
    both = np.isfinite(image) & np.isfinite(depth)
    street.expect(np.abs(image[both] / depth[both] - 1).max() < 1e-3 and both.mean() > .5, "depth")
    disparity = found["disparity"][number][1]
    values = depth_image(disparity.image)
    street.expect(np.allclose(disparity.f * disparity.t / values[both], image[both], rtol=1e-3) and
                  (values[~np.isfinite(image)] < disparity.min_disparity).all(), "disparities")
    jpeg = bytes(found[PICTURE][number][1].data)
    street.expect(jpeg[:2] == b"\xff\xd8" and jpeg[-2:] == b"\xff\xd9", "the picture is no JPEG")
    expect_boxes(found, number, depth, "obstacles", 3)


def check_live():
    """The times of a live source are those of the wall clock."""
    left, right = (f"street-scene-src view={side} is-live=true ! video/x-raw,width=320,height=96 ! "
                   f"stixels.sink_{side}" for side in ("left", "right"))
    begin = time.time()
    _, path = mcap("--frames", 1, *street.words(f"{left} {right} stereo-stixels name=stixels"))
    (then, _), = read(path)[STIXELS]
    street.expect(begin < then / 1e9 < time.time(), f"live at {then}, begun at {begin}")


def check_grid(found):
    """Cells of obstacles are occupied, and the grid stands still in the world."""
    for number in range(FRAMES):
        grid = found["grid"][number][1]
        cells = np.array(grid.data).reshape(grid.info.height, grid.info.width)
        tree = tree_of(found, number)
        still = tree.between("odom", grid.header.frame_id)
        street.expect(np.allclose(still[:3, 3], 0, atol=.05), f"the grid is at {still[:3, 3]}")
        there = tree.between(grid.header.frame_id, "camera_optical")
        hits = []
        for one in found["obstacles"][number][1].detections:
            at = one.bbox.center.position
            x, y, _, _ = there @ (at.x, at.y, at.z - one.bbox.size.z / 2, 1)
            column, row = (int((place - origin) / grid.info.resolution) for place, origin in (
                (x, grid.info.origin.position.x), (y, grid.info.origin.position.y)))
            if at.z < 30 and 3 < column < grid.info.width - 4 and 3 < row < grid.info.height - 4:
                hits.append((cells[row - 3:row + 4, column - 3:column + 4] > 50).any())
        street.expect(len(hits) > 3 and np.mean(hits) > .7, f"of obstacles are occupied: {hits}")
    print(f"the grid has {100 * np.mean(hits):.0f} % of the obstacles")


def check_turns():
    """Turns, quaternions and angles are inverse to each other, and turn as REP 103 says."""
    turns = np.random.default_rng(1).uniform(-1.5, 1.5, (50, 3))
    for one in [*turns, (0, 0, np.pi), (np.pi, 0, 0), (0, 0, 0)]:
        turned = transforms.turn(*one)
        again = transforms.of_quaternion(*transforms.quaternion(turned))
        street.expect(np.allclose(again, turned) and np.allclose(
            transforms.turn(*transforms.angles(turned)), turned), f"turned by {one}")
    for one, place, seen in (((.1, 0, 0), (0, -1, 0), 2), ((0, .1, 0), (1, 0, 0), 2)):
        street.expect((transforms.turn(*one) @ place)[seen] < 0, f"{one} turns up")  # must be down
    street.expect((transforms.turn(0, 0, .1) @ (1, 0, 0))[1] > 0, "yaw turns to the right")


def check_types():
    """Hashes of ROS 2 (RIHS01), as rosbags makes them, of our definitions and of the releases'."""
    for name in (Stores.ROS2_HUMBLE, Stores.ROS2_JAZZY, Stores.ROS2_KILTED):
        store, count = get_typestore(name), 0
        for kind in rostypes.DEFINITIONS:
            full = kind.replace("/", "/msg/")
            ours = get_typestore(Stores.EMPTY)
            ours.register(get_types_from_msg(rostypes.definition(kind), full))
            if full in store.types:
                count += 1
                street.expect(ours.hash_rihs01(full) == store.hash_rihs01(full),
                              f"{kind} is another one in {name}")
        street.expect(count > 20, f"{name} knows {count} of the types")


# ---- Viewers -------------------------------------------------------------------------------------

class Viewer:
    """A client of Foxglove's protocol, over WebSocket (RFC 6455)."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                            b"Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n")
        self.stream, self.channels = self.socket.makefile("rb"), {}
        street.expect(b" 101 " in self.stream.readline(), "no WebSocket")
        while self.stream.readline().strip():
            pass

    def next(self):
        """Kind and bytes of a message; 8: the server ends."""
        kind, length = self.stream.read(2)
        if length > 125:
            length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
        return kind & 15, self.stream.read(length)

    def messages(self):
        """Topic, time and bytes of each; subscribes to whatever is offered."""
        while True:
            try:
                kind, data = self.next()
            except (ValueError, OSError):
                return
            said = json.loads(data) if kind == 1 else {}
            if said.get("op") == "advertise":
                new = {channel["id"]: channel for channel in said["channels"]}
                self.channels |= new
                text = json.dumps({"op": "subscribe", "subscriptions": [
                    {"id": number, "channelId": number} for number in new]}).encode()
                time.sleep(.01)  # the SDK forgets who subscribes while it still adds the channel
                self.socket.sendall(b"\x81\xfe" + len(text).to_bytes(2, "big") + bytes(4) + text)
            elif kind == 8:
                return
            elif kind == 2 and data[0] == 1:
                number, time_of = struct.unpack_from("<IQ", data, 1)
                yield self.channels[number]["topic"], time_of, data[13:]


def check_viewers():
    """They come while the street goes on; the second one has missed the first frames, and reads no
    more after some."""
    try:
        import foxglove  # noqa: F401
    except ImportError:
        print("without viewers: no foxglove-sdk, see tests/packages.sh")
        return
    many = 12
    words = street.words(STREET.format(many))
    too = [word for name, view in BRANCHES.items() for word in (
        f"--{name}", view.format(many))]
    _, path = mcap(*too, *words)
    saved = {}
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            saved.setdefault((channel.topic, message.log_time), []).append(message.data)
    port = street.free_port()
    server = street.start([*PROGRAM, "--live", port, "--start", 0, *too, *words],
                          stderr=subprocess.PIPE)
    server.stderr.readline()
    first, found = Viewer(port), {}
    second, late = None, {}
    for topic, time_of, data in first.messages():
        found[topic, time_of] = data
        if second is None and len({then for _, then in found}) > 3:
            second = Viewer(port)
            late = dict(((topic, then), data) for topic, then, data in itertools.islice(
                second.messages(), 60))
    street.expect(server.wait(60) == 0, "the server failed")
    for name, got in (("first", found), ("second", late)):
        other = [key for key, data in got.items() if data not in saved.get(key, [])]
        street.expect(all(topic == "/tf_static" for topic, _ in other),  # which grows
                      f"the {name} viewer gets other bytes: {other}")
        topics = {topic for topic, _ in got}
        street.expect(topics == {topic for topic, _ in saved}, f"the {name} viewer gets {topics}")
    print(f"viewers: {len(found)} and {len(late)} messages, as the file has them")


# ---- Bags in -------------------------------------------------------------------------------------

def gray_views():
    found = []
    for side in ("left", "right"):
        path = FOLDER / side
        street.run(["gst-launch-1.0", "-q", "street-scene-src", f"view={side}",
                    f"num-buffers={FRAMES}", "!", "video/x-raw,format=GRAY8", "!", "filesink",
                    f"location={path}"])
        found.append(np.fromfile(path, np.uint8).reshape(FRAMES, street.HEIGHT, -1)[
            :, :, :street.WIDTH])
    return found


def stixel_points(found):
    return [triples(message.markers[0].points) for _, message in found[STIXELS]]


def expect_as(expected, found, what, share=1.):
    """So much of the stixels lies in the same place, at the times of the bag."""
    times = [time for time, _ in found[STIXELS]]
    street.expect(times == [made_bags.FIRST + n * made_bags.STEP for n in range(FRAMES)],
                  f"{what}: at {times}")
    for one, other in zip(stixel_points(expected), stixel_points(found)):
        same = {tuple(p) for p in np.round(one, 3)} & {tuple(p) for p in np.round(other, 3)}
        total = len({tuple(p) for p in np.round(one, 3)})
        street.expect(len(same) >= share * total, f"{what}: {len(same)} of {total} corners")
    print(f"{what}: as without a bag")


def direct():
    """The same pictures without a bag; the camera is that of CameraInfo."""
    camera = (f"sgm::focal={street.FOCAL} sgm::cx={(street.WIDTH - 1) / 2} sgm::cy={street.CY} "
              f"sgm::baseline={street.BASELINE}")
    left, right = (f"street-scene-src view={side} num-buffers={FRAMES} ! "
                   f"video/x-raw,format=GRAY8 ! stixels.sink_{side}" for side in ("left", "right"))
    _, path = mcap(*street.words(f"{left} {right} stereo-stixels name=stixels {PLAIN} {camera}"),
                   save="direct.mcap")
    return read(path)


def check_pictures(views, expected):
    padded = made_bags.drive(views, lambda p, t: made_bags.image(p, "mono8", t, 7))
    said, path = mcap("--bag", made_bags.write(FOLDER / "mono", "db3", padded), *PAIR)
    expect_as(expected, read(path), "mono8 in SQLite")
    street.expect(f"/front/left/image_rect: {FRAMES} as bag-left" in said, said)
    packed = made_bags.drive(views, made_bags.compressed, name="image_rect/compressed")
    packed.append(("/tf_static", made_bags.FIRST, made_bags.tree()))
    bag = made_bags.write(FOLDER / "png", "mcap", packed)
    found = read(mcap("--bag", bag, *PAIR)[1])
    expect_as(expected, found, "PNG in MCAP")
    frame = found[STIXELS][0][1].markers[0].header.frame_id
    street.expect("/tf" not in found and frame == made_bags.FRAME, f"the frame is {frame}")
    place = tree_of(found).between("base_link", frame) @ (0, 0, 10, 1)
    street.expect(np.allclose(place[:3], (11.5, 0, 1.65)), f"10 m ahead is at {place}")
    sixteen = made_bags.drive(views, lambda p, t: made_bags.image(
        p.astype(">u2")[:, :, None] * 257, "mono16", t, big=1), name="image_rect_gray")
    one = next(bag.glob("*.mcap"))
    expect_as(expected, read(mcap("--bag", one, *PAIR)[1]), "a file of the bag")
    expect_as(expected, read(mcap("--bag", made_bags.write(
        FOLDER / "sixteen", "mcap", sixteen), *PAIR)[1]), "mono16, big-endian", .9)
    bent = made_bags.drive(views, lambda p, t: made_bags.image(
        np.repeat(p[:, :, None], 3, axis=2), "bgr8", t), d=(1e-9, 0, 0, 0, 0), name="image_raw")
    said, path = mcap("--bag", made_bags.write(FOLDER / "raw", "mcap", bent), *PAIR)
    street.expect("not rectified" in said, said)
    expect_as(expected, read(path), "bgr8, not rectified", .5)


def check_scans(views):
    path = FOLDER / "scans"
    street.run(["gst-launch-1.0", "-q", "street-scene-src", "view=lidar", f"num-buffers={FRAMES}",
                "!", "multifilesink", f"location={path}-%d"])
    scans = [np.fromfile(f"{path}-{n}", "<f4").reshape(-1, 4) for n in range(FRAMES)]
    for kind, order in (("db3", "<"), ("mcap", ">")):
        bag = made_bags.write(FOLDER / f"scans-{kind}", kind, [
            ("/os/points", made_bags.FIRST + n * made_bags.STEP, made_bags.cloud(
                scan, made_bags.FIRST + n * made_bags.STEP, order))
            for n, scan in enumerate(scans)])
        found = read(mcap("--bag", bag)[1])
        for (time, message), scan in zip(found[POINTS], scans):
            places, points = cloud_of(message)
            street.expect(np.allclose(places, scan[:, :3], atol=1e-5) and
                          message.header.frame_id == made_bags.LIDAR, "points are others")
            street.expect(np.abs(points["intensity"] - scan[:, 3] * 65535).max() <= 1, "intensity")
        street.expect(len(found["points/obstacles"][0][1].detections) > 3, "few obstacles")
    both = made_bags.drive(views, lambda p, t: made_bags.image(p, "mono8", t)) + [
        ("/tf_static", made_bags.FIRST, made_bags.tree())]
    both += [("/os/points", made_bags.FIRST + n * made_bags.STEP, made_bags.cloud(
        scan, made_bags.FIRST + n * made_bags.STEP)) for n, scan in enumerate(scans)]
    bag = made_bags.write(FOLDER / "both", "mcap", both)
    found = read(mcap("--bag", bag, "--scan", "bag-points. ! lidar-ground",
                            *PAIR)[1])
    image = street.view(FOLDER, "disparity", FRAMES, 0, "<u2")[0] / 256
    with np.errstate(divide="ignore"):
        depth = street.FOCAL * street.BASELINE / image
    seen = in_camera(found, cloud_of(found[POINTS][0][1])[0])
    expect_near(seen, true_at(depth, seen, found["left/camera_info"][0][1]), "scan of a bag", 5000,
                .9)


# ---- What is wrong -------------------------------------------------------------------------------

def expect_said(bag, reason, *options, status=1, frames=None):
    said, path = mcap("--bag", bag, *options, status=status)
    street.expect(reason in said, f"{bag}: no {reason!r} in {said}")
    if frames is not None:
        found = read(path)
        street.expect(frames(len(found[STIXELS])), f"{bag}: {len(found[STIXELS])} frames")


def expect_refused(bag, reason, text="", **options):
    """Before there is a pipeline; `text` is that of one."""
    arguments = argparse.Namespace(**{
        **dict.fromkeys(("left", "right", "points", "left_info", "right_info")), "camera": "bag",
        "rectified": "auto", "times": "stamp", "bag": bag, **options})
    try:
        inputs.Input(bagfile.Bag(bag), arguments, text).launch_line()
        said = "nothing"
    except cdr.Refused as refused:
        said = str(refused)
    street.expect(reason in said, f"{bag}: no {reason!r} in {said}")


def mono(pixels, time):
    return made_bags.image(pixels, "mono8", time)


def check_damage(views):
    """Half-written bags: what there is, and a word of what there is not."""
    bag = made_bags.write(FOLDER / "whole", "mcap", made_bags.drive(views, mono))
    data = next(bag.glob("*.mcap")).read_bytes()
    cut = FOLDER / "cut.mcap"
    cut.write_bytes(data[:int(.7 * len(data))])
    expect_said(cut, "damaged or was not finished", frames=lambda n: 1 <= n < FRAMES)
    cut.write_bytes(data[:100])
    expect_refused(cut, "damaged or was not finished")
    cut.write_bytes(b"no bag")
    expect_refused(cut, "damaged or was not finished")
    data = next(made_bags.write(FOLDER / "whole3", "db3", made_bags.drive(
        views, mono)).glob("*.db3")).read_bytes()
    cut = FOLDER / "cut.db3"
    cut.write_bytes(data[:int(.7 * len(data))])
    expect_said(cut, "SQLite says")
    (FOLDER / "empty").mkdir()
    expect_refused(FOLDER / "empty", "no bag of ROS 2")
    (FOLDER / "empty/x.db3.zstd").touch()
    expect_refused(FOLDER / "empty", "zstd -d x.db3.zstd")
    expect_said(FOLDER / "nowhere", "no such file")


def check_contents(views):
    drive = made_bags.drive(views, mono)
    bag = made_bags.write(FOLDER / "some", "db3", [
        *drive, ("/chatter", made_bags.FIRST, made_bags.text("hello"))])
    left, right = (f"/front/{side}/image_rect" for side in ("left", "right"))
    expect_refused(bag, "expected sensor_msgs/Image or sensor_msgs/CompressedImage",
                   left="/chatter", right=right)
    expect_refused(bag, f"no such topic; there are {left}", left="/l", right=right)
    expect_refused(bag, "exchange --left and --right", left=right, right=left)
    expect_refused(bag, f"are both {left}", left=left, right=left)
    expect_refused(bag, "names none of the bag's elements", "fakesrc")
    expect_refused(bag, "which point clouds?", "bag-points. ! fakesink")
    expect_refused(bag, "expected sensor_msgs/CameraInfo", left_info="/chatter")
    bare = made_bags.write(FOLDER / "bare", "db3", made_bags.drive(views, mono, infos=False))
    expect_refused(bare, f"no CameraInfo for {left}: expected messages on /front/left/camera_info")
    expect_said(bare, "its focal length is not known", "--camera", "none")
    for encoding, reason in (("bayer_rggb16", "expected JPEG, PNG, mono8"),
                             ("nonsense", "pictures in 'nonsense'")):
        odd = made_bags.write(FOLDER / "odd", "db3", made_bags.drive(
            views, lambda p, t, e=encoding: made_bags.image(p, e, t)))
        expect_refused(odd, reason)
    back = [*drive[:8], *((topic, time - 2 * made_bags.STEP + 1, mono(views[0][0], made_bags.FIRST)
                           if "image" in topic else message) for topic, time, message in drive[8:])]
    expect_said(made_bags.write(FOLDER / "back", "db3", back), "--times recording", status=0,
                frames=lambda n: n == FRAMES - 1)
    half = [*drive]
    half[4] = (*half[4][:2], ("sensor_msgs/msg/Image", made_bags.STORE.serialize_cdr(
        half[4][2], "sensor_msgs/msg/Image")[:9000]))
    expect_said(made_bags.write(FOLDER / "half", "mcap", half), "1 left out: a message of "
                "sensor_msgs/Image that ends too early", status=0, frames=lambda n: n == FRAMES - 1)
    small = [(topic, time, mono(views[0][0][::2, ::2].copy(), made_bags.FIRST + 99)
              if topic.endswith("right/image_rect") else message) for topic, time, message in drive]
    expect_said(made_bags.write(FOLDER / "small", "db3", small[:4]), "621x188")
    path = FOLDER / "json.mcap"
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/PointCloud2", "jsonschema", b"{}")
        writer.add_message(writer.register_channel("/points", "json", schema), 0, b"{}", 0)
        writer.finish()
    expect_refused(path, "as json; expected messages of ROS 2 (cdr)")
    check_swollen()


def check_swollen():
    """Files that become far more than they are end soon."""
    nested = "Part[] parts\n" + "".join(
        f"{'=' * 80}\nMSG: a/{name}\n{part}[] parts\n" for name, part in
        (("Part", "Piece"), ("Piece", "Bit"))) + f"{'=' * 80}\nMSG: a/Bit\n"
    try:
        cdr.Types("a/Whole", nested.replace("[]", "[9999]")).decode(b"\0\1\0\0" + bytes(16000))
        street.expect(False, "a message of 10^12 empty parts is read")
    except cdr.Refused as fault:
        street.expect("more parts than it has bytes" in str(fault), fault)
    path = FOLDER / "zeros.mcap"
    with open(path, "wb") as file:
        writer = Writer(file, chunk_size=100)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/PointCloud2", "ros2msg", b"")
        channel = writer.register_channel("/points", "cdr", schema)
        for number in range(4):
            writer.add_message(channel, number, bytes(1 << 20), number)
        writer.finish()
    most = bagfile.ALL_MOST
    bagfile.ALL_MOST = 3 << 20
    try:
        list(bagfile.Bag(path).messages(["/points"]))
        street.expect(False, "all of a file that swells is unpacked")
    except bagfile.Refused as fault:
        street.expect("3 messages could be read" in str(fault) or "would unpack" in str(fault),
                      fault)
    finally:
        bagfile.ALL_MOST = most


def check_refusals():
    for words, reason in ((["--frames", "0"], "at least 1"), (["--left", "/x"], "needs --bag"),
                          (["--namespace", "a b"], "--namespace a b"),
                          (["--start", "x"], "seconds since 1970"),
                          (["--live", "1"], "not allowed with")):
        said, _ = mcap(*words, status=2)
        street.expect(reason in said, f"{words}: no {reason} in {said}")
    said, _ = mcap(*street.words("street-scene-src num-buffers=1"), status=1)
    street.expect("without stixels" in said, said)
    said = street.run([*PROGRAM, "--save", FOLDER / "none/x.mcap"], status=1)
    street.expect("none/x.mcap" in said, said)
    said = street.run(["env", "GI_TYPELIB_PATH=", *PROGRAM, "--save", FOLDER / "x.mcap", "--grid",
                       "x"], status=1)
    street.expect("--grid: the grid needs the typelib" in said, said)
    expect_refused("/no/bag", "/no/bag: there is no such file")
    path = FOLDER / "packets.mcap"
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start()
        writer.register_channel("/packets", "cdr", writer.register_schema(
            "velodyne_msgs/msg/VelodyneScan", "ros2msg", b""))
        writer.finish()
    expect_refused(path, "/packets has a scanner's packets")


if __name__ == "__main__":
    check_turns()
    check_types()
    check_street()
    check_live()
    check_viewers()
    images = gray_views()
    check_pictures(images, direct())
    check_scans(images)
    check_damage(images)
    check_contents(images)
    check_refusals()
