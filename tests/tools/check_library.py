#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library gststixels-1.0 as an application meets it: installed, and with nothing else of ours.

usage: check_library.py SOURCE_ROOT BUILD_ROOT PYTHON [introspection] [vala]

  - every header compiles alone as C11, and they all as C++17;
  - the library exports what its headers declare with GST_STX_API, and nothing else;
  - C++ can call it;
  - the commands in examples/nearest.c and analytics.c build them; what analytics.c prints of the
    street is true (check_analytics.py), and those in Python print the same, by the typelib that is
    installed, as does the one in Vala; analytics.c and analytics.py also draw;
    poses.py gives the motion that it is given;
  - Python reads records without a copy (check_records.py).
"""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from installed import check_exports, check_headers, declared, has_cxx, install, run

PACKAGE = "gststixels-1.0"
# The street in the examples: those held to its truth need more of it.
SIZES = {"nearest": (414, 125), "poses": (621, 188), "analytics": (828, 250)}
HERE = pathlib.Path(__file__).resolve().parent


def check_cxx(folder):
    if not has_cxx():
        print("skipped: no C++ compiler")
        return
    (folder / "try.cc").write_text("""#include <gst/stixels/stixels.h>
int main(int argc, char **argv)
{
  gst_init(&argc, &argv);
  GstBuffer *frame = gst_buffer_new(), *stixels = gst_buffer_new();
  GstStxStixelInfo info{};
  GstStxStixelMeta *meta = gst_buffer_add_stx_stixel_meta(frame, stixels, &info);
  return meta == nullptr || gst_buffer_get_stx_stixel_meta(frame) != meta;
}
""")
    run(f"c++ -std=c++17 try.cc $(pkg-config --cflags --libs {PACKAGE}) -o try && ./try",
        cwd=folder)


def smaller(source, folder, example):
    """Copies an example, with a small street, and returns its text."""
    text = (source / "examples" / example).read_text()
    size = "video/x-raw,width={},height={}".format(*SIZES[example.split(".")[0]])
    text, count = re.subn(r"(view=\w+(?: num-buffers=\d+)?|STREET\}) !", rf"\1 ! {size} !", text)
    assert count >= 2, f"{example}: no street"
    (folder / example).write_text(text)
    return text


def build(source, folder, example):
    """Builds an example as it says itself."""
    text = smaller(source, folder, example)
    run(re.search(rf"(cc|valac) .*{re.escape(example)}.*", text)[0], cwd=folder)


def check_truth(folder, python):
    """Checks the output of the programs in C, and returns it."""
    printed = {"nearest": run("./nearest", cwd=folder), "analytics": run("./analytics", cwd=folder)}
    (folder / "printed").write_text(printed["analytics"])
    size = " ".join(map(str, SIZES["analytics"]))
    print(run(f"'{python}' '{HERE}/check_analytics.py' '{folder}/printed' {size}"), end="")
    return printed


def check_sample(source, printed):
    """The page shows an output as it is, but for numbers and what a line says beyond "…"."""
    page = (source / "docs/applications.md").read_text(encoding="utf-8")
    masked = [re.sub(r"[\d.]+|null", "0", text) for text in
              (re.search(r"<!-- sample ./analytics -->\n +(.*) …\n", page)[1], printed)]
    if masked[0] not in masked[1]:
        sys.exit(f"docs/applications.md shows what analytics.c no longer prints: {masked[0]}")


def check_poses(text):
    """The car of poses.py drives on at 10 m/s, and what stands stands."""
    frames = [json.loads(line) for line in text.splitlines()]
    motions = [frame["motion"] for frame in frames]
    known = [motion["translation"] for motion in motions[1:]]
    standing = sum(thing.get("velocity", {}).get("state") == "standing"
                   for thing in frames[-1]["obstacles"])
    if motions[0]["state"] != "first" or len(known) != 8 or standing < 5 or not all(
            abs(x) + abs(y) + abs(z + 1) < 1e-9 for x, y, z in known):
        sys.exit(f"poses.py: motions {motions}, {standing} things stand")


def check_python(source, folder, libraries, python, printed):
    """Those in Python print the same."""
    os.environ["GI_TYPELIB_PATH"] = str(libraries / "girepository-1.0")
    command = f"'{python}' %s.py"
    for name in SIZES:
        smaller(source, folder, f"{name}.py")
    if run(command % "nearest", cwd=folder) != printed["nearest"]:
        sys.exit("nearest.py prints something else than nearest.c")
    video = folder / "analytics.mkv"
    drawn = video.stat().st_size
    video.unlink()
    frames = [[json.loads(line) for line in text.splitlines()]
              for text in (run(command % "analytics", cwd=folder), printed["analytics"])]
    # Not to the byte: jpegenc codes what lies beyond the last column of a picture of this width.
    again = video.stat().st_size
    if frames[0] != frames[1] or abs(again - drawn) > .01 * drawn or again < 100000:
        sys.exit("analytics.py says or draws something else than analytics.c")
    check_poses(run(command % "poses", cwd=folder))
    print(run(f"'{python}' '{HERE}/check_records.py'"), end="")


def check_vala(source, folder, prefix, printed):
    """The program in Vala prints the same."""
    os.environ["XDG_DATA_DIRS"] = f"{prefix}/share:/usr/local/share:/usr/share"
    build(source, folder, "nearest.vala")
    if run("./nearest", cwd=folder) != printed["nearest"]:
        sys.exit("nearest.vala prints something else than nearest.c")


def main():
    source, tree, python = (pathlib.Path(name) for name in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, libraries = install(tree, folder)
        headers = prefix / "include" / PACKAGE / "gst" / "stixels"
        check_headers(headers, "gst/stixels", PACKAGE)
        check_exports(libraries / "libgststixels-1.0.so.0", declared(headers, "GST_STX_API"))
        check_cxx(folder)
        os.environ["GST_PLUGIN_PATH_1_0"] = str(libraries / "gstreamer-1.0")
        for example in ("nearest.c", "analytics.c"):
            build(source, folder, example)
        printed = check_truth(folder, python)
        check_sample(source, printed["analytics"])
        if "introspection" in sys.argv[4:]:
            check_python(source, folder, libraries, python, printed)
        else:
            print("skipped: no introspection")
        if "vala" in sys.argv[4:]:
            check_vala(source, folder, prefix, printed)
        else:
            print("skipped: no valac and vapigen")


if __name__ == "__main__":
    main()
