# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of command lines; errors name the option and its value."""
import re

# The pictures of a video, and only these, turned as its tag says.
DECODE = ("decodebin expose-all-streams=false caps=video/x-raw(ANY) ! queue ! videoconvert "
          "! videoflip video-direction=auto")


class Refused(Exception):
    """An error that ends the program with a message."""


def choose(option, value, choices):
    """The place of the value among the choices."""
    if value not in choices:
        raise Refused(f"--{option}={value}: choose one of {', '.join(choices)}")
    return choices.index(value)


def at_least(low, **options):
    """Refuses the first of these options that is less."""
    for name, value in options.items():
        if value < low:
            raise Refused(f"--{name}={value}: must be at least {low}")


def size(option, text, single=False):
    """(width, height) of "WxH" or, where a single number is allowed, "N"."""
    found = re.fullmatch(r"\s*([+-]?\d+)(?:x\s*([+-]?\d+))?", text)
    if found is None or not (single or found[2]):
        raise Refused(f"--{option}={text}: write it as {'N or WxH' if single else 'WxH'}")
    return int(found[1]), int(found[2] or found[1])


def natural(path):
    """A key of paths: bag_10.mcap comes behind bag_9.mcap."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]


def quoted(value):
    """A value of a launch line, which means nothing but itself."""
    return '"' + str(value).replace("\\", r"\\").replace('"', r'\"') + '"'


def check_threads(threads):
    if not 0 <= threads <= 256:
        raise Refused(f"--threads={threads}: must be 0 (all cores) to 256")
