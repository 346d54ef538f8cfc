# SPDX-License-Identifier: LGPL-2.1-or-later
"""Types of ROS 2's messages (Humble and newer) that programs here write and read. A definition
that a bag brings itself takes precedence."""
import functools

from cdr import Types, short

DEFINITIONS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "std_msgs/ColorRGBA": "float32 r\nfloat32 g\nfloat32 b\nfloat32 a",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation",
    "geometry_msgs/PoseWithCovariance": "Pose pose\nfloat64[36] covariance",
    "geometry_msgs/Transform": "Vector3 translation\nQuaternion rotation",
    "geometry_msgs/TransformStamped":
        "std_msgs/Header header\nstring child_frame_id\nTransform transform",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/Image": "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\n"
                         "uint8 is_bigendian\nuint32 step\nuint8[] data",
    "sensor_msgs/CompressedImage": "std_msgs/Header header\nstring format\nuint8[] data",
    "sensor_msgs/RegionOfInterest":
        "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify",
    "sensor_msgs/CameraInfo": "std_msgs/Header header\nuint32 height\nuint32 width\n"
                              "string distortion_model\nfloat64[] d\nfloat64[9] k\nfloat64[9] r\n"
                              "float64[12] p\nuint32 binning_x\nuint32 binning_y\n"
                              "RegionOfInterest roi",
    "sensor_msgs/PointField": "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\n"
                              "uint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\nuint8 FLOAT64=8\n"
                              "string name\nuint32 offset\nuint8 datatype\nuint32 count",
    "sensor_msgs/PointCloud2": "std_msgs/Header header\nuint32 height\nuint32 width\n"
                               "PointField[] fields\nbool is_bigendian\nuint32 point_step\n"
                               "uint32 row_step\nuint8[] data\nbool is_dense",
    "stereo_msgs/DisparityImage":
        "std_msgs/Header header\nsensor_msgs/Image image\nfloat32 f\nfloat32 t\n"
        "sensor_msgs/RegionOfInterest valid_window\nfloat32 min_disparity\nfloat32 max_disparity\n"
        "float32 delta_d",
    "nav_msgs/MapMetaData": "builtin_interfaces/Time map_load_time\nfloat32 resolution\n"
                            "uint32 width\nuint32 height\ngeometry_msgs/Pose origin",
    "nav_msgs/OccupancyGrid": "std_msgs/Header header\nMapMetaData info\nint8[] data",
    "visualization_msgs/UVCoordinate": "float32 u\nfloat32 v",
    "visualization_msgs/MeshFile": "string filename\nuint8[] data",
    "visualization_msgs/Marker":
        "int32 ARROW=0\nint32 CUBE=1\nint32 SPHERE=2\nint32 CYLINDER=3\nint32 LINE_STRIP=4\n"
        "int32 LINE_LIST=5\nint32 CUBE_LIST=6\nint32 SPHERE_LIST=7\nint32 POINTS=8\n"
        "int32 TEXT_VIEW_FACING=9\nint32 MESH_RESOURCE=10\nint32 TRIANGLE_LIST=11\n"
        "int32 ADD=0\nint32 MODIFY=0\nint32 DELETE=2\nint32 DELETEALL=3\n"
        "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\n"
        "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\n"
        "builtin_interfaces/Duration lifetime\nbool frame_locked\ngeometry_msgs/Point[] points\n"
        "std_msgs/ColorRGBA[] colors\nstring texture_resource\n"
        "sensor_msgs/CompressedImage texture\nUVCoordinate[] uv_coordinates\nstring text\n"
        "string mesh_resource\nMeshFile mesh_file\nbool mesh_use_embedded_materials",
    "visualization_msgs/MarkerArray": "Marker[] markers",
    "vision_msgs/ObjectHypothesis": "string class_id\nfloat64 score",
    "vision_msgs/ObjectHypothesisWithPose":
        "ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose",
    "vision_msgs/BoundingBox3D": "geometry_msgs/Pose center\ngeometry_msgs/Vector3 size",
    "vision_msgs/Detection3D": "std_msgs/Header header\nObjectHypothesisWithPose[] results\n"
                               "BoundingBox3D bbox\nstring id",
    "vision_msgs/Detection3DArray": "std_msgs/Header header\nDetection3D[] detections",
    # Packets of LiDAR sensors.
    "velodyne_msgs/VelodynePacket": "builtin_interfaces/Time stamp\nuint8[1206] data",
    "velodyne_msgs/VelodyneScan": "std_msgs/Header header\nVelodynePacket[] packets",
    "pandar_msgs/PandarPacket": "builtin_interfaces/Time stamp\nuint8[1500] data\nuint32 size",
    "pandar_msgs/PandarScan": "std_msgs/Header header\nPandarPacket[] packets",
    "nebula_msgs/NebulaPacket": "builtin_interfaces/Time stamp\nuint8[] data",
    "nebula_msgs/NebulaPackets": "std_msgs/Header header\nNebulaPacket[] packets",
    "ouster_sensor_msgs/PacketMsg": "uint8[] buf",
}
# Defaults of parts.
UNTURNED = {"x": 0., "y": 0., "z": 0., "w": 1.}
NOWHERE = {"x": 0., "y": 0., "z": 0.}


@functools.lru_cache(None)
def definition(kind):
    """The definition of a type with those that it needs, as bags hold it."""
    kind = short(kind)
    parts, waiting = {}, [kind]
    while waiting:
        name = waiting.pop(0)
        if name in parts:
            continue
        parts[name] = DEFINITIONS[name]
        package = name.split("/")[0]
        for line in parts[name].splitlines():
            part = line.split()[0].split("[")[0]
            waiting += [n for n in (part, f"{package}/{part}") if n in DEFINITIONS]
    others = "".join(f"{'=' * 80}\nMSG: {name}\n{text}\n" for name, text in parts.items()
                     if name != kind)
    return f"{parts[kind]}\n{others}"


@functools.lru_cache(None)
def types(kind):
    return Types(kind, definition(kind))


def header(time, frame):
    return {"stamp": {"sec": time // 10**9, "nanosec": time % 10**9}, "frame_id": frame}


def nanoseconds(stamp):
    return stamp["sec"] * 10**9 + stamp["nanosec"]


def pose(x, y, z, turned=UNTURNED):
    return {"position": {"x": x, "y": y, "z": z}, "orientation": turned}
