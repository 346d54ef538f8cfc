#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# README's Install, as printed, in clean roots of a Debian release: packages made in one and
# installed in another, and the tree built and installed from source.
#
#   tests/install/in_clean_roots.sh FOLDER [SUITE [STEP...]]
#
# Packages, logs and pictures go to FOLDER. SUITE is bookworm if not said, STEPs are all of these:
#
#   flags      the suite common, with the flags of packages
#   make       packages, as README says
#   lintian    what it finds in them
#   tests      their own, of debian/tests
#   install    in a root without anything: README's pipeline, the programs; taken away again
#   source     the same, from source
#   container  the image that the Containerfile describes, where there is buildah
#
# Exit status 77 where no root can be made.
. "$(dirname "$0")/../strict.sh"
cd "$(dirname "$0")/../.."
. tests/packages.sh
if [ $# -lt 1 ]; then
  sed -n '3,20s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
folder=$(realpath -m "$1") suite=${2:-bookworm}
mkdir -p "$folder"
rm -f "$folder/install.png" "$folder/source.png"

# Commands of README: how to make packages, to install them, to install from source; a pipeline.
# Commands of docs/install.md: how to take packages away, and a pipeline in a container.
python3 - "$folder" <<'END'
import pathlib, re, sys
folder, readme = pathlib.Path(sys.argv[1]), pathlib.Path("README.md").read_text()
packages, source = re.findall(r"^```sh\n(.*?)^```", readme.split("\n## Install\n")[1],
                              re.S | re.M)[:2]
build, install = packages.splitlines()
pipeline = re.search(r"^gst-launch-1.0 stereo-stixels .*?[^\\]\n", readme, re.S | re.M)[0]
page = pathlib.Path("docs/install.md").read_text()
(purge,) = re.findall("^sudo apt purge .*", page, re.M)
(contained,) = re.findall(r"^podman run .*?[^\\]\n", page, re.S | re.M)
for name, text in {"build": build, "install": install, "source": source, "pipeline": pipeline,
                   "purge": purge, "contained": contained}.items():
    (folder / f"{name}.sh").write_text(text.rstrip("\n") + "\n")
END

# root COMMAND: in a clean root of that release, with sudo, as users have it, and without questions.
root() {
  ROOT_OUT=$folder ROOT_PACKAGES="sudo ${packages:-}" tests/roots/root.sh "$suite" "set -e
    echo 'APT::Get::Assume-Yes \"true\";' >/etc/apt/apt.conf.d/90yes
    apt-get update -qq
    $1"
}

# has_flag LOG FLAG UNITS: the flag stands in every line of the log that compiles such a unit.
has_flag() {
  if grep -E ' -c \.\./(common|gst|cuda|examples)/' "$1" | grep -E "$3" |
    grep -v -E -- "$2" | head -n 1 | grep .; then
    echo "$1: compiled without $2" >&2
    return 1
  fi
}

# Every unit keeps what the same bytes need, whatever Debian adds, and kernels their optimisation.
check_flags() {
  has_flag "$1" -ffp-contract=off .
  has_flag "$1" -fstack-protector-strong .
  has_flag "$1" ' -O3 ([^-]|-[^O])*$' 'common/libstx-.*_omp\.c$'
}

# As Debian builds it, and as Ubuntu does.
step_flags() {
  local options
  for options in optimize=-lto optimize=+lto; do
    echo "== $suite: the suite common with the flags of packages, $options"
    packages=$(examples/packaging/build-debs.sh --needs) root "
      export DEB_BUILD_OPTIONS=$options
      eval \"\$(make -s -f examples/packaging/debian/rules flags)\"
      meson setup build --buildtype=plain -Doptimization=2 -Dexamples=disabled >/out/$options.log
      meson test -C build --suite common --verbose >>/out/$options.log 2>&1 || {
        tail -n 40 /out/$options.log
        exit 1
      }
      ninja -C build -t commands >/out/$options.txt
      grep -A5 '^Ok: ' /out/$options.log"
    check_flags "$folder/$options.txt"
  done
  grep -q -- ' -flto' "$folder/optimize=+lto.txt"
}

step_make() {
  echo "== $suite: README's packages"
  root ". /out/build.sh
    rm -rf /out/build-debs
    cp -r build-debs /out"
  check_flags "$folder/build-debs/build.log"
}

step_lintian() {
  echo "== $suite: lintian"
  packages=lintian root "lintian --allow-root --fail-on error,warning,info \
    --display-info /out/build-debs/*.changes"
}

step_tests() {
  echo "== $suite: autopkgtest"
  packages="autopkgtest dpkg-dev" root "autopkgtest /out/build-debs/*.changes -- null"
}

step_install() {
  echo "== $suite: README's packages in a root without anything, and its pipeline"
  root "cp -r /out/build-debs .
    . /out/install.sh >/out/install.log 2>&1
    cd /tmp
    sh -e /tree/tests/install/use.sh
    cp stixels.png /out/install.png
    python3 -c 'import gi
gi.require_version(\"GstStixels\", \"1.0\")
from gi.repository import GstStixels
print(GstStixels)'
    gst-inspect-1.0 onnx-semantics | grep Factory
    test -s /usr/share/man/man1/stx-eval.1.gz
    sh -e /tree/tests/install/remove.sh"
}

# Caches of Python beside programs that root has run were not installed.
step_source() {
  echo "== $suite: README's lines from source, and its pipeline"
  root ". /out/source.sh >/out/source.log 2>&1
    cd /tmp
    sh -e /tree/tests/install/use.sh
    cp stixels.png /out/source.png
    sudo ninja -C /tree/build uninstall >/dev/null
    ! find /usr/local -type f | grep -v /__pycache__/ | grep -E 'stixels|stx-'"
}

# A registry's image of Debian is such a root. Where there is none, nor the right to make
# containers, the Containerfile's commands are run as they stand.
step_container() {
  local name=localhost/gst-stixels-test from
  echo "== $suite: the Containerfile"
  install_optional_packages buildah
  command -v buildah >/dev/null || return 0
  root "tar -c --one-file-system --exclude ./tree --exclude ./out -C / -f /out/base.tar ."
  from=$(buildah from scratch)
  buildah add -q "$from" "$folder/base.tar" /
  buildah commit -q "$from" "$name-base"
  buildah rm "$from" >/dev/null
  rm "$folder/base.tar"
  buildah build --isolation chroot --build-arg "DEBIAN=$name-base" -t "$name" \
    -f examples/packaging/Containerfile . >"$folder/container.log" 2>&1 || {
    tail -n 40 "$folder/container.log"
    return 1
  }
  from=$(buildah from "$name")
  (cd "$folder"
    rm -f street.png
    eval "$(sed "s/^podman run --rm/buildah run --isolation chroot/; s/ gst-stixels / $from /" \
      contained.sh)"
    test -s street.png)
  buildah rm "$from" >/dev/null
  buildah rmi "$name" "$name-base" >/dev/null
}

steps=${*:3}
for step in ${steps:-flags make lintian tests install source container}; do
  "step_$step"
done
if [ -f "$folder/install.png" ] && [ -f "$folder/source.png" ]; then
  cmp "$folder/install.png" "$folder/source.png"
fi
echo "== $suite: installed as README says"
