# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of a reader's own that lines of the pages name, made of the synthetic street."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/stx-packets"))

import captures  # noqa: E402 (where it is had to be said first)

WIDTH, HEIGHT, FRAMES = 416, 128, 3
FOCAL, CX, CY, BASELINE = 241.3, 207.5, 58.5, .54  # the street's, for this width
CAMERA_WIDTH, CAMERA_HEIGHT = 1280, 720
# Cityscapes' label ids, by train id.
LABELS = bytes([7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33])
CALIBRATION = "".join(
    f"P{i}: {FOCAL} 0 {CX} {-FOCAL * BASELINE * (i % 2)} 0 {FOCAL} {CY} 0 0 0 1 0\n"
    for i in range(4)) + "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n"


def png(width, height, bits, data):
    """A gray picture; 16 bits lie in it with the high byte first."""
    step = width * bits // 8
    rows = b"".join(b"\0" + data[i:i + step] for i in range(0, len(data), step))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(
            ">I", zlib.crc32(name + body))
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + (
        chunk(b"IEND", b""))


def view(name, caps, folder, *properties):
    """Frames of the street, one string of bytes each."""
    for path in folder.glob("view-*"):
        path.unlink()
    subprocess.run(["gst-launch-1.0", "-q", "street-scene-src", f"view={name}",
                    f"num-buffers={FRAMES}", *properties, "!", caps, "!", "multifilesink",
                    f"location={folder}/view-%d"], check=True)
    return [path.read_bytes() for path in sorted(folder.glob("view-*"))]


def swapped(data):
    swap = bytearray(data)
    swap[::2], swap[1::2] = data[1::2], data[::2]
    return bytes(swap)


def write(frames, *names):
    for name in names:
        for number, data in enumerate(frames):
            path = pathlib.Path(name % number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def write_pictures(folder):
    size = f"width={WIDTH},height={HEIGHT}"
    gray = [[png(WIDTH, HEIGHT, 8, data) for data in
             view(side, f"video/x-raw,format=GRAY8,{size}", folder)] for side in ("left", "right")]
    truth = [png(WIDTH, HEIGHT, 16, swapped(data)) for data in
             view("disparity", f"video/x-raw,format=GRAY16_LE,{size}", folder)]
    table = LABELS + bytes(256 - len(LABELS))
    labels = [png(WIDTH, HEIGHT, 8, data.translate(table)) for data in
              view("semantics", f"video/x-raw,format=GRAY8,{size}", folder)]
    for i in range(4):
        write(gray[i % 2], f"{folder}/image_{i}/%06d.png", f"{folder}/image_{i}/%06d_10.png")
    for kind in ("disp_occ_0", "disp_noc_0"):
        write(truth, f"{folder}/{kind}/%06d_10.png")
    write(labels, f"{folder}/semantic/%06d_10.png")
    write([CALIBRATION.encode()] * FRAMES, f"{folder}/calib/%06d.txt")
    (folder / "calib.txt").write_text(CALIBRATION)
    (folder / "poses.txt").write_text("".join(f"1 0 0 0 0 1 0 0 0 0 1 {i}\n" for i in range(64)))
    (folder / "L.png").write_bytes(gray[0][0])
    (folder / "R.png").write_bytes(gray[1][0])


def write_raw(folder):
    """Maps without a header, of the sizes that the lines say."""
    raw = {"sgbm": 1280 * 720 * 2, "depth": 640 * 480 * 2, "pixels": 640 * 384 * 4,
           "metres": 640 * 384 * 4}
    for name, size in raw.items():
        value = struct.pack("<f", 8.) * 2 if size == raw["pixels"] else struct.pack("<H", 4000) * 4
        write([value * (size // 8)] * FRAMES, f"{folder}/{name}-%06d.raw")


def write_scores(folder):
    """As if a network had no idea: all classes are as probable."""
    score = struct.pack("<f", 1 / 19) * (19 * WIDTH * HEIGHT)
    write([score] * FRAMES, f"{folder}/SCORES/%06d.scores")


def write_scans(folder):
    few = ("beams=16", "azimuth-steps=200")
    scans = view("lidar", "application/x-lidar", folder, *few)
    write(scans, f"{folder}/velodyne/%06d.bin", f"{folder}/%06d.bin", f"{folder}/scan-%d.bin")
    labels = view("lidar-labels", "application/x-point-labels", folder, *few)
    write(labels, f"{folder}/FOLDER/labels/%06d.label", f"{folder}/LABELS/FOLDER/%06d.label",
          f"{folder}/%06d.label")
    head = ("VERSION .7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\n"
            f"WIDTH {len(scans[0]) // 16}\nHEIGHT 1\nPOINTS {len(scans[0]) // 16}\nDATA binary\n")
    (folder / "cloud.pcd").write_bytes(head.encode() + scans[0])


def write_packets(folder):
    """Captures of the street as a VLP-16 and an Ouster would send it."""
    for name, beams, words in (("drive.pcap", 16, ["lidar-encode"]), (
            "fragments.pcapng", 32, ["lidar-encode", "sensor=ouster",
                                     f"metadata={folder}/metadata.json"])):
        subprocess.run(["gst-launch-1.0", "-q", "street-scene-src", "view=lidar",
                        f"num-buffers={FRAMES}", f"beams={beams}", "azimuth-steps=500", "!", *words,
                        "!", "multifilesink", f"location={folder}/view-%05d"], check=True)
        with open(folder / name, "wb") as file:
            file.write(captures.HEADER)
            for i, path in enumerate(sorted(folder.glob("view-*"))):
                packet = captures.Packet(10**18 + i * 1333333, captures.ipaddress.ip_address(1),
                                         captures.ipaddress.ip_address(2), 2368, 2368,
                                         path.read_bytes())
                file.write(captures.record(packet, i))
                path.unlink()


def write_cameras(folder):
    """Writes recordings of cameras, each view, both beside and above one another, as JPEG and raw,
    and their calibration, as pairs rectified as they come, of OpenCV, ZED and Cityscapes."""
    w, h = CAMERA_WIDTH, CAMERA_HEIGHT
    parts = [f"street-scene-src view={view} num-buffers={FRAMES} ! video/x-raw,format=RGB,"
             f"width={w},height={h},framerate=30/1 ! videoconvert ! video/x-raw,format=I420 ! "
             f"tee name={view}" for view in ("left", "right")]
    for name, x, y in (("both", w, 0), ("above", 0, h)):
        parts.append(f"compositor name=c{name} sink_1::xpos={x} sink_1::ypos={y} ! "
                     f"video/x-raw,format=I420 ! tee name={name} left. ! queue ! c{name}.sink_0 "
                     f"right. ! queue ! c{name}.sink_1")
    for name in "left", "right", "both", "above":
        for kind, coder in ("jpeg", "jpegenc quality=100"), ("raw", "identity"):
            parts.append(f"{name}. ! queue ! {coder} ! matroskamux ! "
                         f"filesink location={folder}/{name}-{kind}.mkv")
    for view in "left", "right":
        name = f"{folder}/{view}Img8bit/frankfurt_000000_%06d_{view}Img8bit.png"
        pathlib.Path(name).parent.mkdir()
        parts.append(f"{view}. ! queue ! videoconvert ! pngenc ! multifilesink location={name} "
                     "index=275")
    subprocess.run(["gst-launch-1.0", "-q", *" ".join(parts).split()], check=True)
    for view in "left", "right":
        shutil.copy(folder / f"{view}-jpeg.mkv", folder / f"{view}.mp4")  # decodebin looks inside
    lens = {"fx": 742.4, "fy": 742.4, "cx": 639.5, "cy": 331.2}
    k = f"[{lens['fx']}, 0, {lens['cx']}, 0, {lens['fy']}, {lens['cy']}, 0, 0, 1]"
    yml = (f"%YAML:1.0\n---\nimage_width: {w}\nimage_height: {h}\n"
           f"K1: {k}\nD1: [0, 0, 0, 0, 0]\nK2: {k}\nD2: [0, 0, 0, 0, 0]\n"
           f"R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [{-BASELINE}, 0, 0]\n")
    (folder / "stereo.yml").write_text(yml)
    (folder / "camera.yml").write_text(yml)
    zed = "".join(f"{name}={value}\n" for name, value in lens.items()) + "k1=0\nk2=0\n"
    (folder / "SN12345678.conf").write_text(
        f"[LEFT_CAM_HD]\n{zed}[RIGHT_CAM_HD]\n{zed}[STEREO]\nBaseline={1000 * BASELINE}\n"
        "RX_HD=0\nCV_HD=0\nRZ_HD=0\n")
    (folder / "camera.json").write_text(json.dumps({
        "intrinsic": {"fx": 742.4, "fy": 742.4, "u0": 639.5, "v0": 331.2, "width": w, "height": h},
        "extrinsic": {"baseline": BASELINE, "z": 1.65, "pitch": 0}}))


def make(folder):
    """Fills a folder; in it, FOLDER has the layouts of KITTI and SemanticKITTI."""
    folder = pathlib.Path(folder)
    write_pictures(folder)
    write_raw(folder)
    write_scores(folder)
    write_scans(folder)
    write_packets(folder)
    write_cameras(folder)
    for path in folder.glob("view-*"):
        path.unlink()
    for name in ("image_2", "image_3", "disp_occ_0", "disp_noc_0", "semantic", "calib", "velodyne"):
        shutil.copytree(folder / name, folder / "FOLDER" / name)
    for name in ("calib.txt", "poses.txt"):
        shutil.copy(folder / name, folder / "FOLDER")
