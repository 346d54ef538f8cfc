#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library `stixels` as an application meets it: installed, and with nothing else of ours.

usage: check_embed.py SOURCE_ROOT BUILD_ROOT

  - the library exports what its headers declare with STX_API, and nothing else, by a version of
    this release;
  - every header compiles alone, as C11 and as C++17, and C++ can call it;
  - the commands in examples/embed.c, scan.c and overlay.cc build them, with what pkg-config says of
    the installed library, and so does CMake with find_package; overlay.cc where there is OpenCV;
  - their results are those of the elements, on the synthetic street and on a pair of KITTI 2012
    ($STX_DATA, else ../shared/data), if there is one.
"""
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

from installed import check_exports, check_headers, declared, has_cxx, install, run


def check_versions(library):
    """Every symbol has the version of this minor release."""
    lines = run(f"nm -D --defined-only --with-symbol-versions '{library}'").splitlines()
    names = [line.split()[-1] for line in lines if " A " not in line]
    bad = [name for name in names if not re.search(r"@@STIXELS_\d+\.\d+$", name)]
    if bad or not names:
        sys.exit(f"{library.name}: without a version: {' '.join(bad)}")


def check_cxx(folder):
    if not has_cxx():
        print("skipped: no C++ compiler")
        return
    (folder / "try.cc").write_text("""#include <stixels/pipeline.h>
int main()
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxPipeline *pipeline = stx_pipeline_new(&settings, 64, 64, nullptr);
  stx_pipeline_free(pipeline);
  return pipeline == nullptr;
}
""")
    run("c++ -std=c++17 try.cc $(pkg-config --cflags --libs stixels) -o try && ./try", cwd=folder)


CMAKE = """cmake_minimum_required(VERSION 3.16)
project(embedding C CXX)
find_package(stixels 0.2 REQUIRED)
add_executable(cmake-scan scan.c)
target_link_libraries(cmake-scan stixels::stixels)
find_package(OpenCV QUIET COMPONENTS core imgproc imgcodecs)
if(OpenCV_FOUND)
  add_executable(cmake-overlay overlay.cc)
  target_link_libraries(cmake-overlay stixels::stixels ${OpenCV_LIBS})
endif()
"""


def build_example(source, folder, name):
    """By the command that the example names. Without OpenCV those in C++ have nothing to do."""
    example = source / "examples" / name
    command = re.search(rf"(cc|c\+\+) {re.escape(name)} .*", example.read_text())[0]
    shutil.copy(example, folder)
    if name.endswith(".cc"):
        opencv = run("pkg-config --variable=includedir opencv4 2>/dev/null || true").strip()
        if not (has_cxx() and opencv):
            print(f"skipped: no C++ compiler with OpenCV for {name}")
            return
        # Link only the libraries that are used: the flags name them all.
        command = command.replace(" opencv4)", f") -I{opencv} -lopencv_imgcodecs"
                                               " -lopencv_imgproc -lopencv_core")
    run(command, cwd=folder)


def check_cmake(folder, prefix):
    """The same programs, by the package that is installed for CMake; another release is none."""
    if shutil.which("cmake") is None or not has_cxx():
        print("skipped: no CMake")
        return
    (folder / "CMakeLists.txt").write_text(CMAKE)
    configure = f"cmake -S . -B cmake -DCMAKE_PREFIX_PATH='{prefix}'"
    run(f"{configure} && cmake --build cmake", cwd=folder)
    (folder / "CMakeLists.txt").write_text(CMAKE.replace("stixels 0.2 ", "stixels 0.99 "))
    refused = run(f"{configure} 2>&1 || true", cwd=folder)
    if "0.99" not in refused or "not accepted" not in refused:
        sys.exit(f"CMake takes another release for this one:\n{refused}")
    programs = [path.name for path in sorted((folder / "cmake").glob("cmake-*"))]
    print(f"by CMake: {' '.join(programs)}")


def check_scan(folder):
    """Obstacles of a scan of the street, one by one those of the elements."""
    run("gst-launch-1.0 -q street-scene-src view=lidar num-buffers=1 ! tee name=scan"
        f" scan. ! queue ! filesink location='{folder}/scan.bin'"
        " scan. ! queue ! lidar-ground ! stixel-obstacles ! application/x-obstacles"
        f" ! filesink location='{folder}/obstacles'")
    records = list(struct.iter_unpack("<2I6HI4B9f", (folder / "obstacles").read_bytes()))
    expected = [f"{r[14]:.2f} {r[16]:.2f} {r[17]:.2f} {r[18]:.2f} {r[8]}" for r in records]
    programs = ["./scan"] + ["cmake/cmake-scan"] * (folder / "cmake/cmake-scan").exists()
    for program in programs:
        lines = run(f"{program} scan.bin", cwd=folder).splitlines()
        if not expected or [line for line in lines if line[0] != "#"] != expected:
            sys.exit(f"{program}: {lines} are not the elements' {expected}")
    print(f"{len(expected)} obstacles of a scan, the elements'")


def check_overlay(left, right, calibration, folder):
    """The picture is the element's, without its legend."""
    if not (folder / "overlay").exists():
        return
    run(f"./overlay '{left}' '{right}' '{calibration}' overlay.png", cwd=folder)
    picture = f"'{left}' ! pngdec ! videoconvert ! video/x-raw,format=BGR"
    run(f"gst-launch-1.0 -q filesrc location='{folder}/overlay.png' ! pngdec ! videoconvert"
        f" ! video/x-raw,format=BGR ! filesink location='{folder}/ours'")
    run(f"gst-launch-1.0 -q filesrc location={picture} ! overlay.sink"
        f" filesrc location='{left}' ! pngdec ! sgm.sink_left"
        f" filesrc location='{right}' ! pngdec ! sgm.sink_right"
        f" stereo-sgm name=sgm calibration='{calibration}' ! downsample-transpose"
        " ! sat-dp-stixels ! overlay.stixels stixel-overlay name=overlay legend=none"
        f" ! filesink location='{folder}/theirs'")
    if (folder / "ours").read_bytes() != (folder / "theirs").read_bytes():
        sys.exit("overlay.cc draws something else than stixel-overlay")
    print("overlay.cc draws what stixel-overlay draws")


def elements(left, right, calibration, folder):
    """The stixels of the elements as the example prints them."""
    run("gst-launch-1.0 -q"
        f" filesrc location='{left}' ! pngdec ! sgm.sink_left"
        f" filesrc location='{right}' ! pngdec ! sgm.sink_right"
        f" stereo-sgm name=sgm calibration='{calibration}' ! downsample-transpose"
        f" ! sat-dp-stixels ! filesink location='{folder}/stixels'")
    records = struct.iter_unpack("<3H2B4f", (folder / "stixels").read_bytes())
    return [" ".join([f"{number:d}" for number in record[:5]] +
                     [f"{number:.9g}" for number in record[5:]]) for record in records]


def compare(left, right, calibration, folder):
    expected = elements(left, right, calibration, folder)
    lines = run(f"./embed '{left}' '{right}' '{calibration}'", cwd=folder).splitlines()
    stixels = [line for line in lines if not line.startswith("#")]
    if not expected or stixels != expected:
        sys.exit(f"{left}: {len(stixels)} stixels are not the elements' {len(expected)}")
    print(f"{left}: {len(stixels)} stixels, the elements'")


def make_street(folder):
    """A pair of the street, and its camera as KITTI writes it."""
    for view in ("left", "right"):
        run(f"gst-launch-1.0 -q street-scene-src view={view} num-buffers=1"
            " ! video/x-raw,width=612,height=187 ! videoconvert ! video/x-raw,format=GRAY8"
            f" ! pngenc ! filesink location='{folder}/{view}.png'")
    (folder / "calib.txt").write_text("P2: 355 0 306 0 0 355 86 0 0 0 1 0\n"
                                      "P3: 355 0 306 -191.7 0 355 86 0 0 0 1 0\n")
    return folder / "left.png", folder / "right.png", folder / "calib.txt"


def find_pair(source):
    """Pictures and calibration of a gray pair, or None."""
    data = pathlib.Path(os.environ.get("STX_DATA", source / "../shared/data"))
    root = data / "kitti2012-stereo" / "training"
    for left in sorted(root.glob("image_0/*_10.png"))[:1]:
        return left, root / "image_1" / left.name, root / "calib" / f"{left.name[:6]}.txt"
    return None


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, libraries = install(build, folder)
        headers = prefix / "include" / "stixels"
        check_exports(libraries / "libstixels.so.0", declared(headers, "STX_API"))
        check_versions(libraries / "libstixels.so.0")
        check_headers(headers, "stixels", "stixels")
        check_cxx(folder)
        for example in ("embed.c", "scan.c", "overlay.cc"):
            build_example(source, folder, example)
        check_cmake(folder, prefix)
        check_scan(folder)
        street = make_street(folder)
        compare(*street, folder)
        check_overlay(*street, folder)
        pair = find_pair(source)
        if pair is None:
            print("skipped: no pair of KITTI")
        else:
            compare(*pair, folder)


if __name__ == "__main__":
    main()
