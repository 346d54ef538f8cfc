#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the library stixels for Windows with mingw-w64, as one DLL that has Jansson and libyaml
# inside, and runs the suite common by wine: among others it compares the bytes of every algorithm
# with those of Linux (variants). Left out is what tests/common/meson.build calls posix_alone.
#
#   tests/machines/windows.sh DIR
. "$(dirname "$0")/../strict.sh"
cd "$(dirname "$0")/../.."
. tests/packages.sh
# shellcheck disable=SC2086  # a list of words
install_packages $packages_windows
folder=$(realpath -m "$1") target=x86_64-w64-mingw32
fetch_sources "$folder" jansson libyaml check
build_inside "$folder" $target-gcc-posix $target-ar
cmake -S "$folder"/check-* -B "$folder/check" -DCMAKE_SYSTEM_NAME=Windows -DBUILD_TESTING=OFF \
  -DCMAKE_C_COMPILER=$target-gcc-posix -DCMAKE_BUILD_TYPE=Release >"$folder/check.log"
make -C "$folder/check" check >>"$folder/check.log"
printf '%s\n' 'Name: check' 'Description: inside' 'Version: 0.15.2' \
  "Libs: $folder/check/src/libcheck.a" \
  "Cflags: -isystem $folder/check -isystem $folder/check/src" >"$folder/inside/check.pc"
cat >"$folder/windows.ini" <<END
[binaries]
c = '$target-gcc-posix'
ar = '$target-ar'
strip = '$target-strip'
pkgconfig = 'pkg-config'
exe_wrapper = 'wine'
[properties]
pkg_config_libdir = '$folder/inside'
[built-in options]
c_link_args = ['-static']
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
END
# gcc aligns no vectors of AVX on the stack of Windows.
[ -f "$folder/build/build.ninja" ] || meson setup "$folder/build" \
  --cross-file "$folder/windows.ini" -Dwheel=true -Dtests=enabled -Dcpu-variants=base \
  -Dopenmp=disabled -Dwerror=true
ninja -C "$folder/build"
CK_FORK=no WINEDEBUG=-all WINEPREFIX=$folder/wine meson test -C "$folder/build" --no-rebuild \
  --print-errorlogs --num-processes $(($(nproc) + 1)) --timeout-multiplier 3 --suite common
ls -l "$folder"/build/common/stixels/*.dll
