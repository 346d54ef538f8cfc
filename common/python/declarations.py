#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the structs, constants and functions of the library's headers down for Python's ctypes.

usage: declarations.py OUTPUT VERSION LIBRARY HEADER... -- COMPILER...

LIBRARY is seen from where the package is installed; empty: it is in the wheel.

So nothing is typed twice, and what the package believes of the library cannot differ from what was
compiled. The C preprocessor does the macros; what is left of headers that keep to CONTRIBUTING.md
is simple enough for regular expressions, and what they do not understand is a fault.
"""
import pathlib
import re
import subprocess
import sys

BASIC = {
    "void": "None", "bool": "c_bool", "_Bool": "c_bool", "char": "c_char", "int": "c_int",
    "unsigned": "c_uint", "float": "c_float", "double": "c_double", "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t", "int8_t": "c_int8", "int16_t": "c_int16", "int32_t": "c_int32",
    "int64_t": "c_int64", "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
}
VISIBLE = r'extern __attribute__\(\(visibility\("default"\)\)\) '

LIMITS = {f"UINT{bits}_MAX": 2 ** bits - 1 for bits in (8, 16, 32, 64)}
LIMITS.update({f"INT{bits}_MAX": 2 ** (bits - 1) - 1 for bits in (8, 16, 32, 64)})


def preprocess(headers, compiler):
    """These headers as the compiler sees them, without the system's."""
    unit = "".join(f'#include "{header}"\n' for header in headers)
    # The folder common/ lies in is above it.
    root = pathlib.Path(headers[0]).resolve()
    root = next(folder.parent for folder in root.parents if folder.name == "common")
    text = subprocess.run([*compiler, "-E", "-I", ".", "-I", str(root), "-x", "c", "-"], input=unit,
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    ours, lines = False, []
    for line in text.split("\n"):
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = str(root) in str(pathlib.Path(marker[1]).resolve()) and "<" not in marker[1]
        elif ours:
            lines.append(line)
    return " ".join("\n".join(lines).split())


def without_bodies(text):
    """Without inline functions and assertions."""
    while True:
        found = re.search(r"static inline [^;{]*\{", text)
        if found is None:
            break
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:found.start()] + text[end:]
    return re.sub(r"(_Static_assert|static_assert) ?\(.*?\);", "", text)


class Declarations:
    def __init__(self):
        self.lines, self.structs, self.enums, self.constants = [], set(), set(), {}

    def number(self, text):
        """The value of a constant expression of integers."""
        text = re.sub(r"(?<=[0-9a-fA-F])[uUlL]+\b", "", text)
        return int(eval(text, {"__builtins__": {}}, {**LIMITS, **self.constants}))

    def kind(self, base, stars):
        """The ctypes type of `base` with so many stars."""
        base = re.sub(r"\b(const|struct)\b", "", base).strip()
        if stars == 0:
            return "c_int" if base in self.enums else base if base in self.structs else BASIC[base]
        if stars == 1 and base in self.structs:
            return f"POINTER({base})"
        return "c_char_p" if (base, stars) == ("char", 1) else "c_void_p"

    def declared(self, text):
        """(name, ctypes type) of each thing of a declaration, also of an argument."""
        text = text.strip()
        function = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", text)
        if function:
            result = self.kind(*self.split(function[1])[:2])
            yield function[2], f"CFUNCTYPE({', '.join([result, *self.arguments(function[3])])})"
            return
        text = re.sub(r"\(\*(\w+)\)(\[\w+\])+", r"*\1", text)  # a pointer to arrays
        first, *others = text.split(",")
        base, _, declarator = self.split(first)
        for one in [declarator, *others]:
            stars, name, sizes = re.fullmatch(r"\s*(\**)\s*(?:const )?(\w*)((?:\[[^]]*\])*)",
                                              one).groups()
            kind = self.kind(base, len(stars))
            for size in reversed(re.findall(r"\[([^]]*)\]", sizes)):
                kind += f" * {self.number(size)}" if size else ""
            yield name, kind

    @staticmethod
    def split(text):
        """'const float *points[2]' -> 'const float', 1, '*points[2]'."""
        base, rest = re.fullmatch(r"\s*((?:const |struct )*\w+(?: const)?)\s*(.*)", text).groups()
        return base, rest.count("*"), rest

    def arguments(self, text):
        if text.strip() == "void":
            return []
        kinds = [next(self.declared(one))[1] for one in text.split(",")]
        return ["c_void_p" if " * " in kind else kind for kind in kinds]  # arrays decay

    def enum(self, body, name):
        value = -1
        for entry in filter(None, (one.strip() for one in body.split(","))):
            entry, _, given = entry.partition("=")
            value = self.number(given) if given else value + 1
            self.constants[entry.strip()] = value
        if name:
            self.enums.add(name)

    def struct(self, body, name):
        fields = [one for entry in re.split(r";", body) if entry.strip()
                  for one in self.declared(entry)]
        self.lines += [f"class {name}(Structure):", "    _fields_ = ["]
        self.lines += [f'        ("{field}", {kind}),' for field, kind in fields]
        self.lines += ["    ]", "", ""]
        self.structs.add(name)

    def read(self, text):
        """Everything but functions, in the order in which it is declared; then these."""
        for found in re.finditer(r"typedef enum \{(?P<enum>[^}]*)\} (?P<enum_name>\w+);"
                                 r"|\benum \{(?P<bare>[^}]*)\};"
                                 r"|typedef struct \w* ?\{(?P<struct>[^}]*)\} (?P<name>\w+);"
                                 r"|typedef struct \w+ (?P<opaque>\w+);", text):
            if found["enum"]:
                self.enum(found["enum"], found["enum_name"])
            elif found["bare"]:
                self.enum(found["bare"], None)
            elif found["opaque"]:
                self.lines += [f"class {found['opaque']}(Structure):", "    pass", "", ""]
                self.structs.add(found["opaque"])
            elif found["struct"]:
                self.struct(found["struct"], found["name"])
        functions, tables = [], []
        for declaration in re.findall(VISIBLE + r"([^;]*);", text):
            found = re.fullmatch(r"(.*?)(\w+)\((.*)\)", declaration)
            if found:
                result = self.kind(*self.split(found[1])[:2])
                functions.append(f'    "{found[2]}": ({result}, '
                                 f"[{', '.join(self.arguments(found[3]))}]),")
            else:
                tables += [f'    "{name}": {kind},' for name, kind in self.declared(declaration)]
        self.lines += ["FUNCTIONS = {", *functions, "}", "", "TABLES = {", *tables, "}", ""]


def macros(headers, declarations):
    """Constants of the preprocessor that are whole numbers, as far as they need no other macro."""
    for header in headers:
        for name, value in re.findall(r"^#define (STX_\w+) +(.+?) *(?:/\*.*)?$",
                                      pathlib.Path(header).read_text(encoding="utf-8"), re.M):
            try:
                declarations.constants.setdefault(name, declarations.number(value))
            except (SyntaxError, NameError, TypeError, ValueError):
                pass


def main():
    output, version, library, *rest = sys.argv[1:]
    headers, compiler = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    declarations = Declarations()
    declarations.read(without_bodies(preprocess(headers, compiler)))
    macros(headers, declarations)
    pathlib.Path(output).write_text("\n".join([
        "# SPDX-License-Identifier: LGPL-2.1-or-later",
        "# Written by declarations.py from the headers of the library; not to be changed.",
        "# pylint: skip-file", "from ctypes import (  # noqa: F401",
        "    CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int,",
        "    c_int8, c_int16, c_int32, c_int64, c_size_t, c_ssize_t, c_uint, c_uint8, c_uint16,",
        "    c_uint32, c_uint64, c_void_p)", "", f'VERSION = "{version}"',
        f'LIBRARY = "{library}"', "", "",
        *declarations.lines,
        *(f"{name} = {value}" for name, value in sorted(declarations.constants.items())), ""]))


if __name__ == "__main__":
    main()
