#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that were built against the last release of gststixels-1.0 go on working with this one.

usage: check_abi.py BUILD_ROOT [--write]

What the headers promise becomes lines of text: every function as it is declared, offset and type of
every field, the size of every struct, the value of every constant. All lines of gststixels-1.0.abi,
those of the last release, must still be there; others may come. The size of a meta is no promise:
the library allocates them, and they may grow at the end. `--write` makes the file anew, at a
release.
"""
import pathlib
import re
import struct
import sys
import tempfile

from installed import exports, install, run

BASELINE = pathlib.Path(__file__).resolve().parent / "gststixels-1.0.abi"
PACKAGE = "gststixels-1.0"
SKIPPED = 77

ADVICE = """
Programs that were built against the last release break. Keep what they use: leave fields, their
order and their types, and add functions, enumerators or metas beside them; fields only at the end
of a meta. If a break is meant, it is another library: raise soversion and the 1.0 in the names of
library, pkg-config file, namespace and header folder, and write tests/tools/gststixels-1.0.abi anew
with tests/tools/check_abi.py BUILD --write."""


def stripped(text):
    """Without comments and preprocessor."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.M)


def one_line(text):
    return re.sub(r"\s*([*(),])\s*", r"\1", " ".join(text.split()))


def fields_of(body):
    """(type, name) of each field of a struct's body."""
    for declaration in filter(None, map(one_line, body.split(";"))):
        first, *others = declaration.split(",")
        kind, name = re.fullmatch(r"(.*?[ *])(\w+(?:\[\w+\])*)", first).groups()
        for field in [name, *others]:
            yield kind.strip(), field.split("[")[0]


def functions(headers):
    for text in headers:
        for declaration in re.findall(r"^GST_STX_API ([^;]*\([^;]*\));", stripped(text), re.M):
            yield "function " + one_line(declaration)


def probes(headers):
    """Statements of C that print the lines of structs and constants."""
    for text in headers:
        plain = stripped(text)
        for body, name in re.findall(r"typedef struct(?: \w+)? \{(.*?)\} (\w+);", plain, re.S):
            if name.startswith(("Stx", "GstStx")) and name not in UNUSED:
                yield from probes_of_struct(name, body)
        for body in re.findall(r"typedef enum \{(.*?)\}", plain, re.S):
            for name in re.findall(r"\b(STX_\w+)", re.sub(r"=[^,]*", "", body)):
                yield f'printf("constant {name} = %ld\\n", (long)({name}));'
        for name in re.findall(r"^#define (GST_STX_\w+_MEDIA_TYPE) ", text, re.M):
            yield f'printf("constant {name} = %s\\n", {name});'
        for name in re.findall(r"^#define (STX_(?:FREE_NO_OBSTACLE|LABEL_NONE)) ", text, re.M):
            yield f'printf("constant {name} = %ld\\n", (long)({name}));'


# Types of stx.h for the implementations.
UNUSED = ("StxError", "StxImage8", "StxImage16", "StxImplInfo", "StxImplTable", "StxPlace",
          "StxLayout")
UNUSED_CONSTANTS = ("STX_BACKEND_", "STX_MEMORY_", "STX_ERROR_")


def probes_of_struct(name, body):
    if not name.endswith("Meta"):
        yield f'printf("struct {name}: %zu bytes\\n", sizeof({name}));'
    for kind, field in fields_of(body):
        yield (f'printf("field {name}.{field}: {kind} at %zu, %zu bytes\\n",'
               f" offsetof({name}, {field}), sizeof((({name} *)0)->{field}));")


def promises(folder, work):
    """All lines that the headers below a folder make."""
    headers = [path.read_text() for path in sorted((folder / "gst" / "stixels").glob("*.h"))]
    statements = [line for line in probes(headers)
                  if not any(unused in line for unused in UNUSED_CONSTANTS)]
    (work / "probe.c").write_text("#include <gst/stixels/stixels.h>\n#include <stddef.h>\n"
                                  "#include <stdio.h>\nint main(void)\n{\n"
                                  + "\n".join(statements) + "\nreturn 0;\n}\n")
    run(f"cc -std=gnu11 -I'{folder}' $(pkg-config --cflags gstreamer-1.0) probe.c -o probe",
        cwd=work)
    return sorted({*functions(headers), *run("./probe", cwd=work).splitlines()})


def compare(old, new):
    """Missing declarations, with those in their place."""
    key = re.compile(r"(\w+ )(?:.*?(\w+)\(|([\w.]+))")
    names = {key.match(line).groups(): line for line in new}
    return [f"  was: {line}\n  now: {names.get(key.match(line).groups(), 'not there')}"
            for line in old if line not in new]


def main():
    if struct.calcsize("P") != 8:
        print("skipped: the file is that of 64-bit machines")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix, libraries = install(pathlib.Path(sys.argv[1]), work / "root")
        headers = prefix / "include" / PACKAGE
        lines = promises(headers, work)
        if "--write" in sys.argv[2:]:
            BASELINE.write_text("\n".join(lines) + "\n")
            return 0
        lost = compare(BASELINE.read_text().splitlines(), lines)
        if lost:
            print("\n".join(lost) + "\n" + ADVICE)
            return 1
        symbols = exports(libraries / "libgststixels-1.0.so.0")
        missing = [line for line in lines if line.startswith("function ")
                   and re.search(r"(\w+)\(", line)[1] not in symbols]
        if missing:
            sys.exit("declared, but not exported:\n" + "\n".join(missing))
    return 0


if __name__ == "__main__":
    sys.exit(main())
