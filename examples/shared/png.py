# SPDX-License-Identifier: LGPL-2.1-or-later
"""PNG files as NumPy arrays, by libpng's simplified interface."""
import ctypes
import struct
import zlib

import numpy as np

import stixels

TYPES = {0: "gray", 4: "gray with alpha", 3: "palette"}
ALPHA, COLOUR, LINEAR = 1, 2, 4  # of png.h: PNG_FORMAT_FLAG_…
AS_STORED = 4  # PNG_IMAGE_FLAG_16BIT_sRGB: no gamma is assumed
MAX_SIDE = 32768


class _Image(ctypes.Structure):
    _fields_ = [("opaque", ctypes.c_void_p), *((name, ctypes.c_uint32) for name in (
        "version", "width", "height", "format", "flags", "colours", "warning")),
                ("message", ctypes.c_char * 64)]


class Unreadable(Exception):
    """A file that is not there, or not what is wanted."""


def _library():
    try:
        found = ctypes.CDLL("libpng16.so.16")
    except OSError:
        raise Unreadable("libpng16.so.16 is not installed (Debian: libpng16-16)") from None
    found.png_image_begin_read_from_memory.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    found.png_image_finish_read.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
    found.png_image_free.argtypes = [ctypes.c_void_p]
    return found


_lib = []


def _read(path, expected=None):
    """(height, width[, channels]); expected: bits of gray values, or any 8."""
    if not _lib:
        _lib.append(_library())
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
    image = _Image(version=1)
    try:
        if not _lib[0].png_image_begin_read_from_memory(ctypes.byref(image), data, len(data)):
            raise Unreadable(f"{path}: {image.message.decode()}")
        bits, kind = data[24], data[25]
        if expected and (bits, kind) != (expected, 0):
            raise Unreadable(f"{path}: is {bits}-bit {TYPES.get(kind, 'colour')}, expected "
                             f"{expected}-bit gray")
        if max(image.width, image.height) > MAX_SIDE:
            raise Unreadable(f"{path}: {image.width} × {image.height} pixels are too many")
        deep, colour = bits == 16, image.format & COLOUR
        image.format = image.format & (ALPHA | COLOUR) | (LINEAR if deep and not colour else 0)
        image.flags |= AS_STORED if deep and colour else 0
        channels = (3 if colour else 1) + (image.format & ALPHA)
        found = np.empty((image.height, image.width, channels),
                         np.uint16 if image.format & LINEAR else np.uint8)
        if not _lib[0].png_image_finish_read(ctypes.byref(image), None, found.ctypes.data,
                                             image.width * channels, None):
            raise Unreadable(f"{path}: {image.message.decode()}")
    finally:
        _lib[0].png_image_free(ctypes.byref(image))
    found = found[..., :3 if colour else 1]
    return found if colour else np.ascontiguousarray(found[..., 0])


def load_gray(path):
    """Any picture as 8-bit gray, as the elements make it: colour by luma, of 16 bits the upper 8 of
    as many as the largest value needs."""
    found = _read(path)
    if found.ndim == 3:
        return stixels.gray(found)
    if found.dtype == np.uint16:
        shift = max(int(np.bitwise_or.reduce(found, axis=None)).bit_length() - 8, 0)
        return (found >> shift).astype(np.uint8)
    return found


def load_ids(path):
    return _read(path, 8)


def load_gray16(path):
    return _read(path, 16)


def save(path, picture):
    """uint8 (height, width) or (height, width, 3), or uint16 (height, width)."""
    height, width = picture.shape[:2]
    data = np.ascontiguousarray(picture, picture.dtype.newbyteorder(">")).view(np.uint8)
    rows = np.pad(data.reshape(height, -1), ((0, 0), (1, 0)))  # each begins with its filter: none
    bits, kind = 8 * picture.itemsize, 2 if picture.ndim == 3 else 0
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)),
              (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    data = b"".join(struct.pack(">I", len(body)) + name + body
                    + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks)
    try:
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + data)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
