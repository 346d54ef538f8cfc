# SPDX-License-Identifier: LGPL-2.1-or-later
"""A frame for other programs: what JSON can say of it, in the words of stixel-json."""
import math

import records

VERSION = 1  # of what is said here; grows when a key changes its meaning

BOX = ("left", "top", "right", "bottom", "first_column", "last_column")
METRES = ("x", "y", "z", "width", "height", "depth")
# An obstacle as a list, in this order.
COMPACT = ("id", "x", "z", "width", "height", "closing_speed", "lateral_speed", "class",
           "in_corridor")


def number(value):
    """With three decimals; null: unknown, or infinite."""
    value = float(value)
    return round(value, 3) if math.isfinite(value) else None


def class_of(label):
    return records.LABELS[label] if label < len(records.LABELS) else None


def obstacle(record):
    stereo = record["source"] == 0
    return {
        "id": int(record["id"]) or None, "age": int(record["age"]),
        "source": records.SOURCES[record["source"]],
        "label": int(record["label"]) if record["label"] != records.NO_LABEL else None,
        "class": class_of(record["label"]),
        "box": {name: int(record[name]) for name in BOX} if stereo else None,
        "count": int(record["count"]),
        "metres": {name: number(record[name]) for name in METRES}
        if math.isfinite(record["z"]) else None,
        "closing_speed": number(record["closing_speed"]),
        "lateral_speed": number(record["lateral_speed"]),
        "in_corridor": bool(record["flags"] & records.IN_CORRIDOR),
        "cut": bool(record["flags"] & records.CUT),
        "confidence": number(record["confidence"]),
    }


def compact_obstacle(record):
    whole = obstacle(record)
    flat = {**whole, **(whole["metres"] or {})}
    return [flat.get(name) for name in COMPACT]


def free_space(frame):
    """One entry per column: x and z of the nearest obstacle, or null, and a letter: o there is
    one, f free as far as was seen, u unknown."""
    free = frame.free_space
    return {"x": [number(x) if math.isfinite(z) else None for x, z in zip(free["x"], free["z"])],
            "z": [number(z) for z in free["z"]],
            "state": "".join("u" if math.isnan(z) else "o" if math.isfinite(z) else "f"
                             for z in free["z"])}


def configuration(frame):
    """What stays the same from frame to frame."""
    camera = {name: number(value) for name, value in frame.camera.items()}
    return {"version": VERSION, "width": frame.width, "height": frame.height,
            "stixel_width": frame.stixel_width, "columns": frame.columns, "camera": camera or None,
            "compact": COMPACT}


def nearest_in_corridor(frame):
    """The record, or None."""
    if frame.obstacles is None:
        return None
    inside = frame.obstacles[(frame.obstacles["flags"] & records.IN_CORRIDOR) != 0]
    return inside[0] if len(inside) else None
