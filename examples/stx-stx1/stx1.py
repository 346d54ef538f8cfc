# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bytes of .stx1, one StixelWorld of the package pyStixel-lib per file: a message of protocol
buffers (proto3), of which this is all that the format needs.

A message is a list of fields: a key, number << 3 | kind, and the value. Kinds: 0 a varint, 2 bytes
with their length in front, 5 four bytes. Fields that are not known are skipped.
"""
import struct

VARINT, WIDE, BYTES, FLOAT = 0, 1, 2, 5

# StixelWorld
STIXEL, IMAGE, CONTEXT = 1, 2, 3
# Stixel
U, TOP, BOTTOM, DEPTH, LABEL, WIDTH, CONFIDENCE, INDEX, CLUSTER = range(1, 10)
# Context
NAME, CALIBRATION, CLUSTERS = 1, 2, 3
# CameraInfo
K, T, R, D, DISTORTION, REFERENCE, IMAGE_NAME, IMAGE_WIDTH, IMAGE_HEIGHT, CHANNELS = range(1, 11)

# Types of what is seen, those of Waymo's segmentation, and Cityscapes' train ids: what becomes of
# each here, and there. What is not named there is undefined, 0; what is not named here is of no
# class.
TYPES = ("undefined", "car", "truck", "bus", "other vehicle", "motorcyclist", "bicyclist",
         "pedestrian", "sign", "traffic light", "pole", "construction cone", "bicycle",
         "motorcycle", "building", "vegetation", "tree trunk", "curb", "road", "lane marker",
         "other ground", "walkable", "sidewalk")
TYPE_OF_CLASS = {"road": "road", "sidewalk": "sidewalk", "building": "building",
                 "wall": "building", "fence": "building", "pole": "pole",
                 "traffic light": "traffic light", "traffic sign": "sign",
                 "vegetation": "vegetation", "terrain": "other ground", "person": "pedestrian",
                 "rider": "bicyclist", "car": "car", "truck": "truck", "bus": "bus",
                 "train": "other vehicle", "motorcycle": "motorcycle", "bicycle": "bicycle"}
CLASS_OF_TYPE = {"car": "car", "truck": "truck", "bus": "bus", "motorcyclist": "rider",
                 "bicyclist": "rider", "pedestrian": "person", "sign": "traffic sign",
                 "traffic light": "traffic light", "pole": "pole", "bicycle": "bicycle",
                 "motorcycle": "motorcycle", "building": "building", "vegetation": "vegetation",
                 "tree trunk": "vegetation", "curb": "sidewalk", "road": "road",
                 "lane marker": "road", "other ground": "terrain", "walkable": "sidewalk",
                 "sidewalk": "sidewalk"}
GROUND = ("curb", "road", "lane marker", "other ground", "walkable", "sidewalk")


# ---- Writing -------------------------------------------------------------------------------------

def varint(value):
    value &= (1 << 64) - 1  # negative numbers have ten bytes
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    """Returns the bytes of a field; proto3 leaves 0 out."""
    return varint(field << 3 | VARINT) + varint(value) if value else b""


def real(field, value):
    return varint(field << 3 | FLOAT) + struct.pack("<f", value) if value else b""


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | BYTES) + varint(len(value)) + value if value else b""


def reals(field, values):
    return data(field, struct.pack(f"<{len(values)}f", *values))


# ---- Reading -------------------------------------------------------------------------------------

def read_varint(message, at):
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise ValueError("it ends in the middle of a number")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise ValueError("a number of more than 10 bytes")


def fields(message):
    """(number, kind, value) of each: an int, or bytes."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        field, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = read_varint(message, at)
        elif kind in (WIDE, BYTES, FLOAT):
            size = {WIDE: 8, FLOAT: 4}.get(kind)
            if size is None:
                size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
            if at > len(message):
                raise ValueError(f"it ends in the middle of field {field}")
        else:
            raise ValueError(f"field {field} is of kind {kind}: this is no .stx1")
        yield field, kind, value


def parse(message, kinds):
    """{number: value, or list of values where `kinds` says so} of the fields in `kinds`: int,
    float, str, bytes, (float,) or (bytes,). Missing fields have proto3's default: 0, nothing."""
    found = {field: [] if isinstance(kind, tuple) else kind() for field, kind in kinds.items()}
    for field, wire, value in fields(message):
        kind = kinds.get(field)
        expected = {int: (VARINT,), float: (FLOAT,)}.get(kind, (BYTES,))
        if kind == (float,):
            expected = BYTES, FLOAT
        if kind is None:
            continue
        if wire not in expected:
            raise ValueError(f"field {field} is of kind {wire}: this is no .stx1")
        if kind is int:
            value &= (1 << 32) - 1
            found[field] = value - (1 << 32) if value >> 31 else value
        elif kind is float:
            found[field] = struct.unpack("<f", value)[0]
        elif kind == (float,):
            if len(value) % 4:
                raise ValueError(f"field {field}: {len(value)} bytes are no floats")
            found[field] += struct.unpack(f"<{len(value) // 4}f", value)
        elif kind == (bytes,):
            found[field].append(value)
        else:
            found[field] = value.decode(errors="replace") if kind is str else value
    return found


WORLD = {STIXEL: (bytes,), IMAGE: bytes, CONTEXT: bytes}
ONE_STIXEL = {U: int, TOP: int, BOTTOM: int, DEPTH: float, LABEL: int, WIDTH: int,
              CONFIDENCE: float, INDEX: int, CLUSTER: int}
ONE_CONTEXT = {NAME: str, CALIBRATION: bytes, CLUSTERS: int}
CAMERA = {K: (float,), IMAGE_WIDTH: int, IMAGE_HEIGHT: int}


def png_size(image):
    """Width and height, or None: no PNG."""
    if len(image) < 24 or not image.startswith(b"\x89PNG\r\n\x1a\n") or image[12:16] != b"IHDR":
        return None
    return struct.unpack(">II", image[16:24])
