#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of `meson install`, and how an installed gst-stixels is found.

usage: check_install.py SOURCE_ROOT BUILD_ROOT MISSING...

  - every installed file belongs to one Debian package (examples/packaging/debian/*.install) or is
    for other prefixes alone (not-installed), and every file of the packages is installed; but for
    what this build is MISSING: programs, manuals, introspection;
  - symbols that the libraries export are those that their packages list;
  - in a prefix whose name is a trap for shells, stx-env lets gst-inspect-1.0, pkg-config, a
    compiler and Python find it;
  - man pages are read without a warning, and name every option of their program.
"""
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from installed import run  # noqa: E402 (where it is had to be said first)

# Files of packages that a build without something has not.
PARTS = {
    "programs": r"usr/bin/|usr/share/gst-stixels/|usr/share/man/man1/|usr/lib/.*/gst-stixels/",
    "manuals": r"usr/share/man/man1/",
    "introspection": r".*(\.typelib|\.gir)$",
    "vala": r"usr/share/vala/",
}
PROGRAM = """#include <gst/stixels/stixels.h>
#include <stixels/pipeline.h>
int main(void)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  return settings.source > 100 || gst_stx_stixel_meta_get_info() == NULL;
}
"""


def build_options(build):
    text = run(f"meson introspect '{build}' --buildoptions")
    return {option["name"]: option["value"] for option in json.loads(text)}


# ---- Which files --------------------------------------------------------------------------------

def patterns_of(debian):
    """{pattern of files: the package it belongs to}; "" is that of no package."""
    patterns = {}
    for path in [*debian.glob("*.install"), debian / "not-installed"]:
        for line in path.read_text().split():
            patterns[line] = "" if path.name == "not-installed" else path.stem
    return patterns


def as_packaged(prefix, options):
    """{file as the packages call it: where it is}; links, too."""
    lib = prefix / options["libdir"]
    files = {}
    for path in prefix.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            continue
        if path.is_relative_to(lib):
            files["usr/lib/any/" + str(path.relative_to(lib))] = path
        else:
            files["usr/" + str(path.relative_to(prefix))] = path
    return files


def check_files(files, patterns, missing):
    bad, used = [], set()
    for name in sorted(files):
        owners = [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]
        used.update(owners)
        if len(owners) != 1:
            bad.append(f"installed, and in {len(owners)} packages: {name}")
    for pattern in set(patterns) - used:
        if not any(re.match(PARTS[part], pattern) for part in missing) and patterns[pattern]:
            bad.append(f"in {patterns[pattern]}, and not installed: {pattern}")
    if bad:
        sys.exit("\n".join(bad))
    print(f"{len(files)} files, each in its package")


def check_symbols(debian, lib):
    for path in sorted(debian.glob("*.symbols")):
        name, *lines = path.read_text().splitlines()
        listed = {line.split("@")[0].strip() for line in lines if line.startswith(" ")}
        if any(line.startswith(" (symver)") for line in lines):
            continue  # all of a version, whatever their names
        library = shlex.quote(str(lib / name.split()[0]))
        found = {line.split()[-1] for line in run(f"nm -D --defined-only {library}").splitlines()}
        if found != listed:
            sys.exit(f"{path.name}: {' '.join(found ^ listed)} are not in both it and the library")


# ---- How they are found -------------------------------------------------------------------------

def check_prefix(prefix, options, missing, folder):
    env = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    env |= {"GST_REGISTRY_1_0": str(folder / "registry"), "PREFIX": str(prefix),
            "STX_ENV": str(prefix / options["bindir"] / "stx-env")}
    plugin = prefix / options["libdir"] / "gstreamer-1.0/libgststixels.so"
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/link").symlink_to(env["STX_ENV"])
    for command in ('"$STX_ENV" gst-inspect-1.0 stixels', "elsewhere/link gst-inspect-1.0 stixels",
                    'cd "$PREFIX" && CDPATH=/usr "${STX_ENV#"$PREFIX/"}" gst-inspect-1.0 stixels',
                    'eval "$("$STX_ENV")" && eval "$("$STX_ENV")" && gst-inspect-1.0 stixels'):
        text = run(command, env=env, cwd=folder)
        if not re.search(rf"Filename +{re.escape(str(plugin))}\n", text):
            sys.exit(f"{command}\nnot of {plugin}:\n{text}")
    # Where there is GStreamer's loader of elements in Python: that takes the first one in PATH.
    run('! gst-inspect-1.0 python || "$STX_ENV" gst-inspect-1.0 onnx-semantics',
        env=env | {"PATH": "/usr/bin:" + env["PATH"]})
    (folder / "try.c").write_text(PROGRAM)
    # They speak of the prefix to be, and this one is staged elsewhere.
    (folder / "prefix").symlink_to(prefix)
    for config in (prefix / options["libdir"] / "pkgconfig").glob("*.pc"):
        text = re.sub("^prefix=.*", f"prefix={folder}/prefix", config.read_text(), flags=re.M)
        config.write_text(text)
    run('eval "$("$STX_ENV")"; cc try.c -o try $(pkg-config --cflags --libs gststixels-1.0 stixels)'
        " && ./try", env=env, cwd=folder)
    if "introspection" not in missing:
        run("""eval "$("$STX_ENV")"; /usr/bin/python3 -c 'import gi
gi.require_version("GstStixels", "1.0")
from gi.repository import GstStixels'""", env=env)


# ---- build-debs.sh ------------------------------------------------------------------------------

# Stand-ins for dpkg: installed packages, and a build.
DPKG = {
    "dpkg-query": 'shift 3; for p; do echo "ii  $p $p:all"; done',
    "dpkg-buildpackage": """echo "   dh_auto_configure"
echo "[1/2] cc -c a.c for $STX_CUDA_ARCHS"
for i in $(seq 300); do grep -q 'compiled .1/2.' "$SAID" && break; sleep .1; done
echo "no such header" >&2
exit $STATUS""",
}


def check_build_debs(source, folder):
    """It says how far it is while it builds, and what failed; not for every GPU that there is."""
    (folder / "bin").mkdir()
    for name, text in DPKG.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    said = folder / "said.txt"
    env = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "SAID": str(said),
                        "STX_PROGRESS_SECONDS": ".1", "TMPDIR": str(folder)}
    for status, archs, expected in ("0", {}, "for 75,80,90,100,120" if os.uname().machine ==
                                    "x86_64" else "for all"), \
                                   ("2", {"STX_CUDA_ARCHS": "all"}, "no such header"):
        with said.open("w") as out:
            result = subprocess.run(
                [source / "examples/packaging/build-debs.sh", folder / "debs"], stdout=out,
                stderr=out, env=env | {"STATUS": status} | archs, timeout=100, check=False)
        log = folder / "debs/build.log"
        text = said.read_text() + (log.read_text() if log.exists() else "")
        # Without packages ls has nothing to list.
        if expected not in text or not re.search(r" s: compiled \[1/2\]", text) or (
                result.returncode == 0):
            sys.exit(f"build-debs.sh ends with {result.returncode} and says\n{text}")


# ---- Programs -----------------------------------------------------------------------------------

def check_programs(prefix, options, source):
    """All are on the PATH, and say which version they are before they look for packages."""
    names = {path.stem for path in (source / "examples").glob("stx-*/stx-*.py")}
    parts = {str(path.relative_to(source / "examples")) for name in ["shared", *names]
             for path in (source / "examples" / name).glob("*.py")}
    found = prefix / options["datadir"] / "gst-stixels/examples"
    if absent := [part for part in sorted(parts) if not (found / part).exists()]:
        sys.exit(f"parts of programs are not installed: {' '.join(absent)}")
    for name in sorted(names | {"stx-bench", "stx-check", "stx-eval"}):
        program = prefix / options["bindir"] / name
        result = subprocess.run([program, "--version"], text=True, capture_output=True, timeout=60,
                                check=False)
        if not re.fullmatch(rf"{name} \(gst-stixels\) [0-9.]+\n", result.stdout):
            sys.exit(f"{name} --version: {result.stdout}{result.stderr}")


# ---- Man pages ----------------------------------------------------------------------------------

def options_of(text):
    return set(re.findall(r"--[a-z][a-z0-9-]*", text))


def check_manual(path, options):
    text = run(f"MANWIDTH=100 man --warnings -E UTF-8 -l {path} 2>&1 >/dev/null")
    if text.strip():
        sys.exit(f"{path.name}: {text}")
    if path.suffix == ".1":
        first, second, *command = path.stem.split("-")
        program = path.parents[3] / options["bindir"] / f"{first}-{second}"
        # The Python for which packages have NumPy.
        said = options_of(run(f"PATH=/usr/bin:$PATH {program} {' '.join(command)} --help"))
        shown = options_of(run(f"MANWIDTH=1000 man -E UTF-8 -l {path} | col -b"))
        if not said <= shown:
            sys.exit(f"{path.name}: has no {' '.join(said - shown)}")


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    missing = sys.argv[3:]
    debian = source / "examples/packaging/debian"
    options = build_options(build)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stage = folder / "it's a $prefix"
        run(f"meson install -C '{build}' --no-rebuild --destdir \"$STAGE\"",
            env=os.environ | {"STAGE": str(stage)})
        prefix = stage / options["prefix"].lstrip("/")
        check_files(as_packaged(prefix, options), patterns_of(debian), missing)
        check_symbols(debian, prefix / options["libdir"])
        check_prefix(prefix, options, missing, folder)
        if "programs" not in missing:
            check_programs(prefix, options, source)
        check_build_debs(source, folder)
        if shutil.which("man"):
            for path in sorted((folder / "prefix").glob("share/man/*/*")):
                check_manual(path, options)


if __name__ == "__main__":
    main()
