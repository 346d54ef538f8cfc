# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a Matroska file is whole."""


class Unusable(Exception):
    """Why a recording cannot be computed."""


def vint(data, at):
    """A size in Matroska: its value, or None where it is not known, and where it ends."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big") & ((1 << 7 * length) - 1)
    return None if value == (1 << 7 * length) - 1 else value, at + length


def check_matroska(path):
    """A file that was cut plays as far as it goes, and says nothing."""
    with path.open("rb") as file:
        data = file.read(4096)
    if data[:4] != b"\x1a\x45\xdf\xa3":
        raise Unusable(f"{path}: this is no Matroska file")
    data += bytes(32)  # one that ends within its header
    size, at = vint(data, 4)
    at += size or len(data)  # a header of unknown length is not Matroska's
    if data[at:at + 4] != b"\x18\x53\x80\x67":
        raise Unusable(f"{path}: its header is cut or not Matroska's")
    size, at = vint(data, at + 4)
    there = path.stat().st_size - at
    if size is not None and there < size:
        raise Unusable(f"{path}: {there} of {size} bytes are there, the rest is missing")
