#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes Debian packages of this tree. Installs what that needs first, through apt.
#
#   examples/packaging/build-debs.sh [FOLDER]     into FOLDER, by default build-debs/ in this tree
#   sudo apt install ./build-debs/*.deb
#   examples/packaging/build-debs.sh --needs      only prints the packages that the build needs
#
# Their files are below examples/packaging/debian/; the build sees a copy of the tree that has
# debian/, and who set DEBEMAIL and DEBFULLNAME is its maintainer. Tests and symbols for debuggers
# are left out: DEB_BUILD_OPTIONS= makes both. Where there is nvcc, kernels for one GPU of each
# generation are built, which the others of it run, too; STX_CUDA_ARCHS=all builds for every GPU
# that nvcc knows, native for those of this machine.
. "$(dirname "$0")/../../tests/strict.sh"
output=${1:-$(dirname "$0")/../../build-debs}
case ${1:-} in
  --needs) output=. ;;
  -*)
    sed -n '3,12s/^# \{0,1\}//p' "$0" >&2
    exit 2 ;;
esac
output=$(realpath -m "$output")
cd "$(dirname "$0")/../.." || exit
. tests/packages.sh

# The build dependencies of debian/control, name by name, without versions and profiles.
build_depends() {
  sed -n '/^Build-Depends:/,/^$/p' examples/packaging/debian/control | tr ',' '\n' |
    sed -E -e 's/^Build-Depends://' -e 's/\(.*\)|<.*>//' -e 's/:any//' \
      -e 's/debhelper-compat/debhelper/' | tr -d ' \t' | sort -u
}
needs="build-essential dpkg-dev $(build_depends | tr '\n' ' ')"
if [ "${1:-}" = --needs ]; then
  echo "$needs"
  exit
fi
# shellcheck disable=SC2086  # a list of words
install_packages $needs

# Files that are under version control, or all where there is none, as in a source archive.
list_files() {
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -regextype egrep -regex '\./(build.*|dist|venv|\.git)' -prune -o -type f -print0
  fi
}

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
tree=$stage/gst-stixels-$version
mkdir "$tree"
list_files | while IFS= read -r -d '' file; do
  [ ! -e "$file" ] || printf '%s\0' "$file"
done | tar -c --null -T - | tar -x -C "$tree"
tar -C "$stage" -c "gst-stixels-$version" | xz -1 >"$stage/gst-stixels_$version.orig.tar.xz"
cp -r "$tree/examples/packaging/debian" "$tree"
if [ -n "${DEBEMAIL:-}" ]; then
  sed -i "s/gst-stixels developers <.*>/${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>/" \
    "$tree"/debian/{control,changelog}
fi
changelog=$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' "$tree/debian/changelog")
if [ "$changelog" != "$version" ]; then
  echo "debian/changelog is of $changelog, meson.build of $version" >&2
  exit 1
fi

# Programs for one chip of a generation run on its later ones; NVIDIA promises that for desktops
# alone.
if [ -z "${STX_CUDA_ARCHS:-}" ] && [ "$(uname -m)" = x86_64 ]; then
  STX_CUDA_ARCHS=75,80,90,100,120
fi
export STX_CUDA_ARCHS=${STX_CUDA_ARCHS:-all}

# progress PID: says every ten seconds how far the build is, until that process ends.
progress() {
  local now last='' begin=$SECONDS
  while sleep "${STX_PROGRESS_SECONDS:-10}" && kill -0 "$1" 2>/dev/null; do
    now=$(sed -nE 's/^(\[[0-9]+\/[0-9]+\]) .*/compiled \1/p; s/^ +(dh_[a-z_]+).*/\1/p' "$log" |
      tail -n 1)
    [ "$now" = "$last" ] || echo "  $((SECONDS - begin)) s: $now"
    last=$now
  done
}

log=$stage/log.txt
echo "Building packages, kernels for GPUs (if there is nvcc) of $STX_CUDA_ARCHS: $log"
(cd "$tree" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-nocheck noautodbgsym}" \
  exec dpkg-buildpackage --unsigned-source --unsigned-changes) >"$log" 2>&1 &
building=$! status=0
progress $building &
wait $building || status=$?
kill $! || true
if [ "$status" != 0 ]; then
  tail -n 40 "$log" >&2
  exit 1
fi
sed -n 's/^ *\(CUDA\|OpenMP\) *: /\1: /p' "$log"
mkdir -p "$output"
rm -f "$output"/*.deb
find "$stage" -maxdepth 1 -type f ! -name log.txt -exec cp -t "$output" {} +
cp "$log" "$output/build.log"
ls "$output"/*.deb
