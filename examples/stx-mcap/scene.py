# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of a pipeline as messages of ROS 2, on the topics and in the frames of docs/ros2.md."""
import json
import sys

import numpy as np

import frames
import records
import rostypes
import transforms

try:
    import gi
    gi.require_version("GstStixels", "1.0")
    from gi.repository import GstStixels
except (ImportError, ValueError):
    GstStixels = None
GRID_META = getattr(GstStixels, "buffer_get_stx_occupancy_meta", None)
NO_GRID = "the grid needs the typelib GstStixels: sudo apt install gir1.2-gststixels-1.0"

REACH = 100  # metres: what lies farther is cut off
FAR = 50  # metres: this and more has the farthest colour
THICK = .1  # metres, of what stands upright
AT_FIRST = 30  # frames without stixels before the first one with them
# Colours as the plugin draws.
KINDS = {"segment": (232, 176, 60), "ground": (150, 90, 200), "object": (232, 64, 56),
         "sky": (80, 170, 240), "carrier": (110, 120, 130)}
NEAR_TO_FAR = ((224, 28, 46), (242, 60, 36), (255, 122, 32), (255, 186, 36), (214, 220, 48),
               (128, 224, 84), (40, 214, 160), (20, 188, 226), (36, 144, 248), (64, 96, 240))
# Types and actions of visualization_msgs/Marker.
LINES, TEXT, TRIANGLES, ADD, DELETE, DELETE_ALL = 5, 9, 11, 0, 2, 3
UINT16, FLOAT32 = 4, 7  # of sensor_msgs/PointField
WHITE, STANDING, MOVING, ONCOMING = (1, 1, 1), (.75, .75, .75), (1, .6, 0), (1, .2, .2)
MOVES = {"standing": STANDING, "moving": MOVING, "oncoming": ONCOMING}
WHOLE = {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False}
CORNERS = np.array([[x, y, z] for x in (-.5, .5) for y in (-.5, .5) for z in (-.5, .5)])
EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8)
                  if bin(a ^ b).count("1") == 1]).ravel()


def rgba(colour, alpha=1.):
    return dict(zip("rgba", (*map(float, colour), alpha)))


def marker(header, name, number, kind, **what):
    return {"header": header, "ns": name, "id": number, "type": kind, "action": ADD,
            "pose": rostypes.pose(0., 0., 0.), "scale": {"x": 1., "y": 1., "z": 1.},
            "color": rgba(WHITE), "lifetime": {"sec": 0, "nanosec": 0}, "frame_locked": False,
            "points": (), "colors": (), "texture_resource": "",
            "texture": {"header": rostypes.header(0, ""), "format": "", "data": b""},
            "uv_coordinates": (), "text": "", "mesh_resource": "",
            "mesh_file": {"filename": "", "data": b""}, "mesh_use_embedded_materials": False,
            **what}


def by_distance(metres):
    """Near red, over yellow and green, to far blue."""
    at = np.linspace(0, FAR, len(NEAR_TO_FAR))
    return np.stack([np.interp(metres, at, channel) for channel in np.transpose(NEAR_TO_FAR)],
                    axis=-1).round().astype(np.uint8)


def stixel_marker(header, line, by_kind):
    """Two triangles for each quad, from both sides of which one sees it."""
    stixels = records.of_stixels(line["stixels"])
    seen, corners = records.quads(stixels, line["camera"], line["width"], line["stixel_width"],
                                  REACH)
    if not len(corners):
        return marker(header, "stixels", 0, TRIANGLES, action=DELETE)
    kinds = np.array([KINDS[name] for name in records.KINDS], np.uint8)
    shown = kinds[stixels["kind"][seen]] if by_kind else by_distance(
        corners[:, :, 2].min(axis=1))
    shown = np.column_stack([shown / 255, np.ones(len(shown))]).astype("<f4")
    return marker(header, "stixels", 0, TRIANGLES,
                  points=corners[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3).astype("<f8"),
                  colors=np.repeat(shown, 6, axis=0))


def camera_of(line):
    """The camera of a line of JSON, complete."""
    camera = line["camera"]
    missing = [name for name in ("focal", "baseline", "cx", "cy")
               if camera is None or camera[name] is None]
    if missing:
        raise frames.PipelineError(f"of the camera is unknown: {', '.join(missing)}; set "
                                   "calibration on stereo-stixels or stereo-sgm")
    return camera


def boxes_of(obstacles):
    """Middle and size of each, in the axes of docs/formats.md#metres."""
    metres = np.array([[o["metres"][name] for name in
                        ("x", "y", "z", "width", "height", "depth")] for o in obstacles],
                      float).reshape(-1, 6)
    x, y, z, width, height, depth = np.nan_to_num(metres).T
    depth = np.maximum(depth, THICK)
    return (np.stack([x, y - height / 2, z + depth / 2], axis=1),
            np.stack([width, height, depth], axis=1))


def in_body(centers, sizes):
    """From an optical frame to the body's that looks the same way."""
    return centers @ transforms.OPTICAL[:3, :3].T, sizes[:, [2, 0, 1]]


class Obstacles:
    """The obstacles of a line of JSON: boxes along the axes of the header's frame."""

    def __init__(self, header, obstacles, optical):
        self.header = header
        self.obstacles = [o for o in obstacles if o["metres"] and None not in (
            o["metres"]["x"], o["metres"]["y"], o["metres"]["z"])]
        self.centers, self.sizes = boxes_of(self.obstacles)
        if not optical:
            self.centers, self.sizes = in_body(self.centers, self.sizes)

    def detections(self):
        found = []
        for one, center, size in zip(self.obstacles, self.centers, self.sizes):
            place = rostypes.pose(*center)
            kind = one.get("hazard") or one["class"] or "obstacle"
            found.append({
                "header": self.header, "id": str(one["id"] or ""),
                "results": [{"hypothesis": {"class_id": kind, "score": one["confidence"] or 0.},
                             "pose": {"pose": place, "covariance": np.zeros(36)}}],
                "bbox": {"center": place, "size": dict(zip("xyz", size))}})
        return {"header": self.header, "detections": found}

    @staticmethod
    def text(one):
        name = " ".join(str(part) for part in (one["class"], one["id"]) if part)
        return f"{name or 'obstacle'}: {one['metres']['z']:.1f} m"

    def markers(self, up):
        """Frames around them, and above them number and distance. `up`: of a metre."""
        found = [marker(self.header, "", 0, 0, action=DELETE_ALL)]
        if not self.obstacles:
            return {"markers": found}
        corners = self.centers[:, None] + CORNERS * self.sizes[:, None]
        states = [(one.get("velocity") or {}).get("state") for one in self.obstacles]
        shown = np.array([(*MOVES.get(state, WHITE), 1) for state in states], "<f4")
        found.append(marker(self.header, "boxes", 0, LINES, scale={"x": .05, "y": 0., "z": 0.},
                            points=corners[:, EDGES].reshape(-1, 3).astype("<f8"),
                            colors=np.repeat(shown, len(EDGES), axis=0)))
        above = self.centers + np.abs(self.sizes @ np.abs(up))[:, None] * up / 2 + .5 * up
        for number, (one, place) in enumerate(zip(self.obstacles, above)):
            found.append(marker(self.header, "texts", number, TEXT, pose=rostypes.pose(*place),
                                scale={"x": 0., "y": 0., "z": .5}, text=self.text(one)))
        return {"markers": found}


def camera_info(header, line, right=False):
    f, cx, cy, baseline = (float(line["camera"][n]) for n in ("focal", "cx", "cy", "baseline"))
    return {"header": header, "height": line["height"], "width": line["width"],
            "distortion_model": "plumb_bob", "d": (0.,) * 5,
            "k": (f, 0., cx, 0., f, cy, 0., 0., 1.), "r": (1., 0., 0., 0., 1., 0., 0., 0., 1.),
            "p": (f, 0., cx, -f * baseline * right, 0., f, cy, 0., 0., 0., 1., 0.),
            "binning_x": 0, "binning_y": 0, "roi": WHOLE}


def image_of(header, values):
    """An image of float32."""
    height, width = values.shape
    return {"header": header, "height": height, "width": width, "encoding": "32FC1",
            "is_bigendian": 0, "step": 4 * width, "data": values.astype("<f4").tobytes()}


def point_cloud(header, points, labels):
    """`labels`: uint32 for each point, class and cluster; or None."""
    fields = [("x", FLOAT32), ("y", FLOAT32), ("z", FLOAT32), ("intensity", FLOAT32)]
    parts = [points.astype("<f4").view(np.uint8).reshape(len(points), 16)]
    if labels is not None:
        parts.append(labels.view(np.uint8).reshape(len(points), 4))
        fields += [("label", UINT16), ("cluster", UINT16)]
    data = np.hstack(parts)
    offsets = (0, 4, 8, 12, 16, 18)
    return {"header": header, "height": 1, "width": len(points), "is_bigendian": False,
            "fields": [{"name": name, "offset": offset, "datatype": kind, "count": 1}
                       for (name, kind), offset in zip(fields, offsets)],
            "point_step": data.shape[1], "row_step": data.shape[1] * len(points),
            "data": data.tobytes(), "is_dense": bool(np.isfinite(points[:, :3]).all())}


def occupancy_of(sample):
    """The meta of a grid."""
    meta = GRID_META(sample.get_buffer())
    if not meta:
        raise frames.PipelineError("the grid says not where it lies: put occupancy-grid at the end "
                                   "of --grid")
    return meta


def labels_of(sample, count):
    meta = GstStixels and GstStixels.buffer_get_stx_point_labels_meta(sample.get_buffer())
    if not meta:
        return None
    data = meta.labels.extract_dup(0, meta.labels.get_size())
    return np.frombuffer(data, "<u4") if len(data) == 4 * count else None


def place_of_lidar(sample, arguments):
    """Place and turn in the camera's body: as the caller says, or else the caps; None: unknown."""
    if arguments.lidar_place:
        return in_body(np.array([arguments.lidar_place]), np.zeros((1, 3)))[0][0], np.eye(3)
    caps = frames.caps_of(sample)
    values = [caps.get_value(f"sensor-{name}") if caps.has_field(f"sensor-{name}") else None
              for name in ("x", "y", "z", "roll", "pitch", "yaw")]
    if values == [None] * 6:
        return None
    values = [value or 0 for value in values]
    return np.array(values[:3]), transforms.turn(*values[3:])


class Motion:
    """The camera's place, in its axes of the first frame."""

    def __init__(self):
        self.pose, self.lost = np.eye(4), 0

    def add(self, motion):
        if motion["state"] == "known":
            step = transforms.matrix(motion["translation"],
                                     np.reshape(motion["rotation"], (3, 3)))
            self.pose = self.pose @ np.linalg.inv(step)
        elif motion["state"] not in ("first", "same frame"):
            self.lost += 1


class Log:
    """Writes to a file. `start`: the time of time stamp 0, nanoseconds, or a function of now; the
    frames are those of a bag, or None; `own_tree`: whether where they are is for us to say;
    `pictures`: whether some come."""

    def __init__(self, file, arguments, start, camera_frame, lidar_frame, own_tree, pictures):
        self.camera, self.waiting, self.without, self.pictures = None, [], 0, pictures
        self.file, self.arguments, self.start, self.own_tree = file, arguments, start, own_tree
        self.camera_frame = camera_frame or "camera_optical"
        self.lidar_frame = lidar_frame or "lidar"
        self.body = self.camera_frame.removesuffix("_frame").removesuffix("_optical") + "_link"
        self.motion, self.placed, self.base, self.lidar_placed = Motion(), [], None, False

    def time(self, pts):
        if callable(self.start):
            self.start = self.start()
        return max(self.start + pts, 0)

    def topic(self, name):
        return f"/{self.arguments.namespace}/{name}"

    def put(self, name, kind, pts, message):
        self.file.put(self.topic(name), kind, self.time(pts), message)

    def header(self, pts, frame=None):
        return rostypes.header(self.time(pts), frame or self.camera_frame)

    # ---- Frames ------------------------------------------------------------------------------

    def transform(self, topic, pts, found):
        """`found`: (parent, child, matrix) of each."""
        self.file.put(topic, "tf2_msgs/TFMessage", self.time(pts), {"transforms": [
            transforms.message(self.header(pts, parent), child, place)
            for parent, child, place in found]})

    def place(self, pts, *found):
        """Transforms that never change. Each message has all of them, because a subscriber that
        comes later gets the last message alone."""
        self.placed += found
        self.transform("/tf_static", pts, self.placed)

    def place_camera(self, camera, pts):
        place = self.arguments.camera_place
        if place is None:
            place = (0, 0, camera["height"] or 0)
            if not camera["height"]:
                print("stx-mcap: how high the camera stands is unknown, so base_link is as high: "
                      "set camera-height on stereo-stixels, or --camera-place", file=sys.stderr)
        self.base = transforms.matrix(place, transforms.turn(0, camera["pitch"] or 0, 0))
        self.place(pts, ("base_link", self.body, self.base),
                   (self.body, self.camera_frame, transforms.OPTICAL))

    def place_lidar(self, sample, pts):
        place = place_of_lidar(sample, self.arguments)
        if place is None:
            print(f"stx-mcap: where the scanner stands is unknown, so {self.lidar_frame} hangs on "
                  "no other frame: say --lidar-place", file=sys.stderr)
        else:
            self.place(pts, (self.body, self.lidar_frame, transforms.matrix(*place)))

    def move(self, motion, pts):
        """The frame odom is base_link at first."""
        self.motion.add(motion)
        optical = self.base @ transforms.OPTICAL
        self.transform("/tf", pts, [("odom", "base_link",
                                     optical @ self.motion.pose @ np.linalg.inv(optical))])

    # ---- What comes to the sinks ------------------------------------------------------------

    def picture(self, sample, pts):
        self.put("left/image_rect/compressed", "sensor_msgs/CompressedImage", pts, {
            "header": self.header(pts), "format": "jpeg", "data": frames.bytes_of(sample)})

    def check(self, most):
        """Fails if more than `most` frames had no stixels; a live camera's first ones may."""
        if self.camera is None and self.without > most:
            raise frames.PipelineError("the pipeline ends in video without stixels: put "
                                       "stereo-stixels or stixel-overlay into it")

    def json(self, sample, pts):
        line = json.loads(frames.bytes_of(sample))
        if "camera" not in line:
            self.without += 1
            self.check(AT_FIRST)
            return
        self.camera = camera_of(line)
        self.frame(line, pts)
        for what, then, method in self.waiting:
            method(what, then)
        self.waiting = []

    def with_camera(self, what, pts, method):
        """As soon as the camera is known."""
        if self.camera is None:
            self.waiting.append((what, pts, method))
        else:
            method(what, pts)

    def frame(self, line, pts):
        if self.own_tree and self.base is None:
            self.place_camera(line["camera"], pts)
        if self.own_tree and "motion" in line:
            self.move(line["motion"], pts)
        header = self.header(pts)
        for side, right in (("left", False), ("right", True)):
            self.put(f"{side}/camera_info", "sensor_msgs/CameraInfo", pts,
                     camera_info(header, line, right))
        if line.get("stixels"):
            self.put("stixels", "visualization_msgs/MarkerArray", pts, {"markers": [
                stixel_marker(header, line, self.arguments.kinds)]})
        self.obstacles("obstacles", header, line, pts, True)

    def obstacles(self, name, header, line, pts, optical):
        found = Obstacles(header, line.get("obstacles") or [], optical)
        up = np.array([0., -1, 0] if optical else [0, 0, 1.])
        self.put(name, "vision_msgs/Detection3DArray", pts, found.detections())
        self.put(name + "/markers", "visualization_msgs/MarkerArray", pts, found.markers(up))

    def disparity(self, sample, pts):
        caps = frames.caps_of(sample)
        width, height = caps.get_int("width").value, caps.get_int("height").value
        rows = np.frombuffer(frames.bytes_of(sample), "<u2").reshape(height, -1)
        self.with_camera(rows[:, :width], pts, self.depth)

    def depth(self, disparity, pts):
        header, camera = self.header(pts), self.camera
        metres = np.divide(camera["focal"] * camera["baseline"] * 256, disparity,
                           out=np.full(disparity.shape, np.nan), where=disparity > 0)
        self.put("depth/image_rect", "sensor_msgs/Image", pts, image_of(header, metres))
        self.put("disparity", "stereo_msgs/DisparityImage", pts, {
            "header": header, "f": self.camera["focal"], "t": self.camera["baseline"],
            "image": image_of(header, np.where(disparity > 0, disparity / np.float32(256), -1)),
            "valid_window": WHOLE, "min_disparity": 0., "max_disparity": disparity.max() / 256,
            "delta_d": 1 / 256})

    def scan(self, sample, pts):
        if self.own_tree and not self.lidar_placed:
            self.place_lidar(sample, pts)
            self.lidar_placed = True
        points = np.frombuffer(frames.bytes_of(sample), "<f4").reshape(-1, 4)
        self.put("points", "sensor_msgs/PointCloud2", pts, point_cloud(
            self.header(pts, self.lidar_frame), points, labels_of(sample, len(points))))

    def grid(self, sample, pts):
        """Below the camera, or the scanner where there is no camera."""
        if self.pictures:
            self.with_camera(sample, pts, self.grid_below)
        else:
            self.grid_below(sample, pts)

    def grid_below(self, sample, pts):
        """Its axes lie in the road; they are a frame below the sensor's."""
        meta, ground = occupancy_of(sample), np.eye(4)
        if self.camera:
            parent = self.camera_frame
            ground = np.linalg.inv(transforms.matrix(
                (0, 0, self.camera["height"] or 0), transforms.turn(0, self.camera["pitch"] or 0, 0)
            ) @ transforms.OPTICAL)
        else:
            parent = self.lidar_frame
        here = transforms.matrix((meta.x, meta.y, 0), transforms.turn(0, 0, meta.yaw))
        self.transform("/tf", pts, [(parent, "grid", ground @ np.linalg.inv(here))])
        header = self.header(pts, "grid")
        self.put("grid", "nav_msgs/OccupancyGrid", pts, {
            "header": header, "data": np.frombuffer(frames.bytes_of(sample), np.int8),
            "info": {"map_load_time": header["stamp"], "resolution": meta.resolution,
                     "width": meta.width, "height": meta.height,
                     "origin": rostypes.pose(meta.origin_x, meta.origin_y, 0.)}})

    def scan_json(self, sample, pts):
        self.obstacles("points/obstacles", self.header(pts, self.lidar_frame),
                       json.loads(frames.bytes_of(sample)), pts, False)
