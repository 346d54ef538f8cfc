# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs' version, which tests compare with meson.build, and which packages they need."""
import argparse
import sys

VERSION = "0.2.0"


def add_version(parser):
    parser.add_argument("--version", action="version",
                        version=f"%(prog)s (gst-stixels) {VERSION}")


def add_to(parser):
    """Also how it ends; more of that may stand in its text."""
    parser.epilog = "\n\n".join(filter(None, [
        parser.epilog, "Exit status: 0 done, 1 it failed, 2 wrong arguments."]))
    add_version(parser)


def parser_of(program, text):
    """The parser of a program whose docstring has, behind its first paragraph, examples and more
    that --help shows as they stand."""
    description, more = text.split("\n\n", 1)
    parser = argparse.ArgumentParser(prog=program, description=description, epilog=more,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_to(parser)
    return parser


def cure(apt, pip):
    """The way in which this Python gets a package: one of pyenv sees none of Debian's."""
    if any(path.endswith("/dist-packages") for path in sys.path):
        return f"sudo apt install {apt}"
    return (f"{sys.executable} -m pip install {pip}, or run it with /usr/bin/python3, which has "
            f"Debian's {apt}")


def refuse(missing, needed, packages, status=1):
    """Ends the program for want of a package: the cause, and the recipe of the program's page."""
    print(f"{missing}. The Python that runs this, {sys.executable}, needs {needed}:\n"
          "/usr/bin/python3 -m venv --system-site-packages venv && "
          f"venv/bin/pip install {packages}", file=sys.stderr)
    sys.exit(status)
