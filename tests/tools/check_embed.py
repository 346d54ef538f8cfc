#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library `stixels` as an application meets it: installed, and with nothing else of ours.

usage: check_embed.py SOURCE_ROOT BUILD_ROOT

  - the library exports only what is named here;
  - every header compiles alone, as C11 and as C++17, and C++ can call it;
  - the command in examples/embed.c builds it, with what pkg-config says of the installed library;
  - its stixels are those of the elements, on the synthetic street and on a pair of KITTI 2012
    ($STX_DATA, else ../shared/data), if there is one.
"""
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

from installed import check_exports, check_headers, has_cxx, install, run

EXPORTS = """stx_camera_check stx_camera_cut stx_camera_fit stx_camera_load stx_label_name
stx_labels_from_cityscapes stx_labels_identity stx_pipeline_defaults stx_pipeline_free
stx_pipeline_has stx_pipeline_new stx_pipeline_reset stx_pipeline_run stx_stage_name""".split()


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


def build_example(source, folder):
    example = source / "examples" / "embed.c"
    command = re.search(r"cc embed\.c .*", example.read_text())[0]
    shutil.copy(example, folder)
    run(command, cwd=folder)


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
        check_exports(libraries / "libstixels.so.0", EXPORTS)
        check_headers(prefix / "include" / "stixels", "stixels", "stixels")
        check_cxx(folder)
        build_example(source, folder)
        compare(*make_street(folder), folder)
        pair = find_pair(source)
        if pair is None:
            print("skipped: no pair of KITTI")
        else:
            compare(*pair, folder)


if __name__ == "__main__":
    main()
