#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that were built against the last release of gststixels-1.0 go on working with this one.

usage: check_abi.py BUILD_ROOT [--write]

What the headers promise becomes lines of text: every function as it is declared, offset and type of
every field, the size of every struct, the value of every constant. All lines of gststixels-1.0.abi,
those of the last release, must still be there; others may come. The size of a meta is no promise:
the library allocates them, and they may grow at the end. `--write` makes the file anew, at a
release.

That changes are seen is tested, too: on copies of the headers in which something was broken.
"""
import pathlib
import re
import shutil
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

# (what is broken, file, from, to): each must be found, and none of the additions.
BREAKS = [
    ("a field before others", "obstacle.h", "  uint32_t age;", "  uint32_t more; uint32_t age;"),
    ("a field of another type", "metres.h", "  double x, y,", "  float x, y,"),
    ("a field that is gone", "stixelinfo.h", "  guint columns;", ""),
    ("two fields that changed places", "stixelinfo.h", "guint width, height;",
     "guint height, width;"),
    ("a function that is gone", "stixelset.h", "gst_stx_stixels_find_nearest(", "stx_renamed("),
    ("a function with another argument", "stixelset.h", "guint column);", "gint column);"),
    ("an enumerator of another value", "stixel.h", "STX_KIND_OBJECT = 2", "STX_KIND_OBJECT = 4"),
    ("another media type", "mediatypes.h", "application/x-obstacles", "application/x-obstacle"),
]
ADDITIONS = [
    ("an enumerator", "stixel.h", "STX_KIND_SKY = 3,", "STX_KIND_SKY = 3, STX_KIND_MORE = 4,"),
    ("a field at the end of a meta", "stixelmeta.h", "  GstStxStixelInfo info;\n",
     "  GstStxStixelInfo info;\n  guint more;\n"),
    ("a function", "stixelset.h", "G_END_DECLS",
     "GST_STX_API void gst_stx_more(void);\nG_END_DECLS"),
]


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


def changed_headers(headers, folder, change):
    _, name, before, after = change
    shutil.copytree(headers, folder)
    path = folder / "gst" / "stixels" / name
    text = path.read_text()
    if before not in text:
        sys.exit(f"{name} has no '{before}' to be changed: mend this test")
    text = text.replace(before, after, 1)
    path.write_text(re.sub(r"^static_assert.*$", "", text, flags=re.M))
    return folder


def check_eyes(headers, lines, work):
    """Breaks are seen, and additions are no breaks."""
    for number, change in enumerate(BREAKS + ADDITIONS):
        found = compare(lines, promises(changed_headers(headers, work / str(number), change), work))
        if bool(found) != (change in BREAKS):
            sys.exit(f"{change[0]}: " + ("\n".join(found) or "nobody has seen it"))
    print(f"{len(BREAKS)} breaks are seen, {len(ADDITIONS)} additions are none")


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
        check_eyes(headers, lines, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
