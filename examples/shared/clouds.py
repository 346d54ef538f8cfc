# SPDX-License-Identifier: LGPL-2.1-or-later
"""Point clouds of ROS, as the points of docs/formats.md."""
import numpy as np

from cdr import Refused

# The datatypes of sensor_msgs/PointField.
KINDS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
INTENSITIES = ("intensity", "i", "reflectivity", "reflectance")


def points_of(message):
    """x, y, z and intensity of sensor_msgs/PointCloud2, as float32."""
    fields = {field["name"]: field for field in message["fields"]}
    missing = [name for name in "xyz" if name not in fields]
    if missing:
        raise Refused(f"a point cloud without {', '.join(missing)}; it has "
                      f"{', '.join(fields) or 'nothing'}")
    names = [*"xyz", *[name for name in INTENSITIES if name in fields][:1]]
    height, width, step = message["height"], message["width"], message["point_step"]
    row = message["row_step"] or width * step
    order = ">" if message["is_bigendian"] else "<"
    if odd := [name for name in names if fields[name]["datatype"] not in KINDS]:
        raise Refused(f"a point cloud whose {odd[0]} is of datatype {fields[odd[0]]['datatype']}; "
                      f"expected 1 to 8")
    kinds = [np.dtype(order + KINDS[fields[name]["datatype"]]) for name in names]
    offsets = [fields[name]["offset"] for name in names]
    if (max(at + kind.itemsize for at, kind in zip(offsets, kinds)) > step or row < width * step
            or row * height > len(message["data"])):
        raise Refused(f"a point cloud of {width}x{height} points of {step} bytes, in "
                      f"{len(message['data'])} bytes")
    points = np.ndarray((height, width), np.dtype({
        "names": names, "formats": kinds, "offsets": offsets, "itemsize": step}),
        message["data"], 0, (row, step))
    found = np.zeros((height * width, 4), "<f4")
    for place, name in enumerate(names):
        found[:, place] = points[name].ravel()
    return found
