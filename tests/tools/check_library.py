#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library gststixels-1.0 as an application meets it: installed, and with nothing else of ours.

usage: check_library.py BUILD_ROOT

  - every header compiles alone, as C11 and as C++17;
  - the library exports what its headers declare with GST_STX_API, and nothing else;
  - C++ can call it.
"""
import pathlib
import re
import sys
import tempfile

from installed import check_exports, check_headers, has_cxx, install, run

PACKAGE = "gststixels-1.0"


def declared(headers):
    """Names of the functions and variables behind GST_STX_API."""
    for path in headers.glob("*.h"):
        text = re.sub(r"^#.*$", "", path.read_text(), flags=re.M)
        for declaration in re.findall(r"^GST_STX_API ([^;]*);", text, re.M):
            yield re.search(r"(\w+)\s*(\(|\[|$)", declaration)[1]


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


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, libraries = install(build, folder)
        headers = prefix / "include" / PACKAGE / "gst" / "stixels"
        check_headers(headers, "gst/stixels", PACKAGE)
        check_exports(libraries / "libgststixels-1.0.so.0", declared(headers))
        check_cxx(folder)


if __name__ == "__main__":
    main()
