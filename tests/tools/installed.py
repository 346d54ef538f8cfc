# SPDX-License-Identifier: LGPL-2.1-or-later
"""Libraries as applications meet them: installed below some folder."""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def run(command, **options):
    """Output of a shell command that must succeed."""
    options.setdefault("env", os.environ | {"LC_ALL": "C.UTF-8"})
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=120, **options)
    if result.returncode != 0:
        sys.exit(f"{command}\n{result.stdout}")
    return result.stdout


def has_cxx():
    return shutil.which("c++") is not None


def install(build, folder):
    """Installs, lets the pkg-config files speak of `folder`, and returns the prefix in it and the
    folder of the libraries."""
    run(f"meson install -C '{build}' --no-rebuild --tags runtime,devel,typelib"
        f" --destdir '{folder}'")
    for config in folder.rglob("*.pc"):
        text = config.read_text()
        prefix = folder / re.search("^prefix=/*(.*)$", text, re.M)[1]
        config.write_text(re.sub("^prefix=.*$", f"prefix={prefix}", text, flags=re.M))
    os.environ["PKG_CONFIG_PATH"] = str(config.parent)
    libraries = run("pkg-config --variable=libdir stixels").strip()
    os.environ["LD_LIBRARY_PATH"] = f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return prefix, pathlib.Path(libraries)


def exports(library):
    """Names of what a shared library exports, sorted."""
    lines = run(f"nm -D --defined-only '{library}'").splitlines()
    # A version is a symbol, too.
    return sorted(line.split()[-1].split("@")[0] for line in lines if " A " not in line)


def declared(headers, macro):
    """Names of the functions and variables behind a macro in the headers of a folder."""
    for path in headers.glob("*.h"):
        text = re.sub(r"^#.*$", "", path.read_text(), flags=re.M)
        for declaration in re.findall(rf"^{macro} ([^;]*);", text, re.M):
            first, *others = re.sub(r"\(.*", "(", declaration, flags=re.S).split(",")
            yield re.search(r"(\w+)\s*(\(|\[|$)", first)[1]
            yield from (name.strip() for name in others)


def check_exports(library, expected):
    found, expected = set(exports(library)), set(expected)
    if found != expected or not found:
        sys.exit(f"{library.name}: exported, in no header: {' '.join(sorted(found - expected))}\n"
                 f"in a header, and not exported: {' '.join(sorted(expected - found))}")


def check_headers(folder, prefix, package):
    """Each header of a folder, included as <prefix/name.h>, compiles alone as C11, and they all
    together as C++17."""
    headers = sorted(folder.glob("*.h"))
    if not headers:
        sys.exit(f"no header in {folder}")
    flags = run(f"pkg-config --cflags {package}").strip()
    units = [("cc -std=c11 -x c", [path]) for path in headers]
    for compiler, paths in units + [("c++ -std=c++17 -x c++", headers)] * has_cxx():
        # A unit of macros alone is not allowed: it declares something besides.
        lines = "".join(f"#include <{prefix}/{path.name}>\\n" for path in paths)
        run(f"printf '{lines}int unit;\\n' | {compiler} -Wall -Wextra -Wpedantic -Werror"
            f" -fsyntax-only {flags} -")
