# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which version of gst-stixels a program belongs to; tests compare it with meson.build."""
VERSION = "0.1.0"


def add_to(parser):
    parser.add_argument("--version", action="version",
                        version=f"%(prog)s (gst-stixels) {VERSION}")
