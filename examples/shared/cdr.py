# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of ROS 2 as bytes: CDR, as the definitions of their types (.msg) say. Python alone.

A message is a dictionary. An array of numbers is a tuple, one of uint8 is bytes. encode () takes
anything with tobytes () as well, such as NumPy's arrays, also for an array of structures whose
numbers are all of one kind, as points and colours are.
"""
import functools
import re
import struct

NUMBERS = {"bool": "?", "byte": "B", "char": "B", "int8": "b", "uint8": "B", "int16": "h",
           "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f",
           "float64": "d"}
FIELD = re.compile(r"([\w/]+)(?:<=\d+)?(\[(?:<=\d+|\d*)\])?\s+(\w+)(?:\s+[^=\s].*)?$")
CONSTANT = re.compile(r"[\w/<=]+\s+\w+\s*=")


class Refused(Exception):
    """A fault of a bag or a message."""


def short(kind):
    """Package and name of a type: sensor_msgs/msg/Image is sensor_msgs/Image."""
    return kind.replace("/msg/", "/")


def parts_of(definition, kind):
    """{type: lines} of a definition and those that it needs, as bags hold them."""
    first, *others = re.split(r"^=+ *\n", definition, flags=re.M)
    parts = {short(kind): first}
    for text in others:
        head, _, body = text.partition("\n")
        if head.startswith("MSG:"):
            parts[short(head[4:].strip())] = body
    return parts


def fields_of(lines, package):
    """[(name, type, None, a number, or 0 for as many as there are)]"""
    fields = []
    for line in lines.splitlines():
        line = line.split("#")[0].strip()
        if not line or CONSTANT.match(line):
            continue
        found = FIELD.match(line)
        if not found:
            raise Refused(f"a definition of a message with the line {line!r}")
        kind, array, name = found.groups()
        if kind == "Header":
            kind = "std_msgs/Header"
        elif kind not in NUMBERS and kind not in ("string", "wstring") and "/" not in kind:
            kind = f"{package}/{kind}"
        count = None if array is None else int(array[1:-1]) if array[1:-1].isdigit() else 0
        fields.append((name, short(kind), count))
    return fields


class Types:
    """The type of a message with those that it needs, of a definition as bags hold it."""

    def __init__(self, kind, definition):
        self.kind, self.types = short(kind), {}
        for name, lines in parts_of(definition, kind).items():
            self.types[name] = fields_of(lines, name.split("/")[0])

    def of(self, kind):
        if kind not in self.types:
            raise Refused(f"{self.kind}: the definition of {kind} is missing")
        return self.types[kind]

    @functools.lru_cache(None)
    def alike(self, kind):
        """The one kind of number that a type is made of, and how many; or None."""
        if kind in NUMBERS:
            return kind, 1
        if kind in ("string", "wstring"):
            return None
        found, total = set(), 0
        for _, part, count in self.of(kind):
            one = self.alike(part) if count != 0 else None
            if one is None:
                return None
            found.add(one[0])
            total += one[1] * (count or 1)
        return (found.pop(), total) if len(found) == 1 else None

    def decode(self, data):
        reader = Reader(data)
        try:
            return reader.message(self, self.kind)
        except struct.error as fault:
            raise Refused(f"a message of {self.kind} that ends too early") from fault
        except RecursionError as fault:
            raise Refused(f"{self.kind}: its definition needs itself") from fault

    def encode(self, message):
        writer = Writer()
        writer.message(self, self.kind, message)
        return bytes(writer.data)


class Reader:
    """Numbers are aligned from the fourth byte on, which the first four bytes stand before."""

    def __init__(self, data):
        self.data, self.at = data, 4
        self.messages = 16 * len(data) + 1000  # more than these bytes can hold
        if bytes(data[:4]) == b"\x28\xb5\x2f\xfd":
            raise Refused("messages that are compressed one by one; `ros2 bag convert` makes a bag "
                          "without that")
        if len(data) < 4 or data[0] or data[1] not in (0, 1):
            raise Refused("a message that is no CDR")
        self.order = "<" if data[1] else ">"

    def numbers(self, kind, count):
        letter = NUMBERS[kind]
        size = struct.calcsize(letter)
        if count:
            self.at += -(self.at - 4) % size
        begin, self.at = self.at, self.at + size * count
        if self.at > len(self.data):
            raise struct.error
        if letter == "B" and count != 1:
            return bytes(self.data[begin:self.at])
        return struct.unpack_from(f"{self.order}{count}{letter}", self.data, begin)

    def text(self):
        size, = self.numbers("uint32", 1)
        found = self.numbers("uint8", size) if size != 1 else bytes(self.numbers("uint8", 1))
        return found.rstrip(b"\0").decode("utf-8", "replace")

    def value(self, types, kind):
        if kind in NUMBERS:
            return self.numbers(kind, 1)[0]
        if kind == "string":
            return self.text()
        if kind == "wstring":
            raise Refused("a message with a wstring")
        return self.message(types, kind)

    def array(self, types, kind, count):
        if count == 0:
            count, = self.numbers("uint32", 1)
        if count > len(self.data):
            raise struct.error
        if kind in NUMBERS:
            found = self.numbers(kind, count)
            return bytes(found) if NUMBERS[kind] == "B" else found
        return [self.value(types, kind) for _ in range(count)]

    def message(self, types, kind):
        self.messages -= 1
        if self.messages < 0:
            raise Refused(f"{types.kind}: a message with more parts than it has bytes for")
        return {name: self.value(types, part) if count is None else self.array(types, part, count)
                for name, part, count in types.of(kind)}


class Writer:
    """Little-endian."""

    def __init__(self):
        self.data = bytearray(b"\0\1\0\0")

    def numbers(self, kind, *values):
        letter = NUMBERS[kind]
        self.align(letter)
        self.data += struct.pack(f"<{len(values)}{letter}", *values)

    def align(self, letter):
        self.data += bytes(-(len(self.data) - 4) % struct.calcsize(letter))

    def value(self, types, kind, value):
        if kind in NUMBERS:
            self.numbers(kind, value)
        elif kind == "string":
            text = value.encode() + b"\0"
            self.numbers("uint32", len(text))
            self.data += text
        else:
            self.message(types, kind, value)

    def array(self, types, kind, count, values):
        if count not in (0, len(values)):
            raise ValueError(f"{len(values)} of {count} {kind}")
        if count == 0:
            self.numbers("uint32", len(values))
        if hasattr(values, "tobytes") or isinstance(values, (bytes, bytearray)):
            letter, many = types.alike(kind)
            data = values.tobytes() if hasattr(values, "tobytes") else values
            size = struct.calcsize(NUMBERS[letter]) * many
            if len(data) != len(values) * size:
                raise ValueError(f"{len(data)} bytes for {len(values)} {kind} of {size}")
            if data:
                self.align(NUMBERS[letter])
            self.data += data
        elif kind in NUMBERS and values:
            self.numbers(kind, *values)
        else:
            for value in values:
                self.value(types, kind, value)

    def message(self, types, kind, message):
        for name, part, count in types.of(kind):
            if count is None:
                self.value(types, part, message[name])
            else:
                self.array(types, part, count, message[name])
