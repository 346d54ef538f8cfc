#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a command as root in a clean Debian, or Ubuntu 24.04 (noble), beside this one: a bare root of
# that release, with a copy of this tree in /tree, where the command begins.
#
#   tests/roots/root.sh bookworm 'apt-get install -y gstreamer1.0-tools && gst-inspect-1.0'
#
# Nothing of it stays: the root is a layer over a cached one, in namespaces of its own, so that
# its mounts and processes end with it. Exit status: the command's; 77 where no root can be made.
#
#   ROOT_PACKAGES="A B"  installed before; a root with these is cached, too
#   ROOT_FOREIGN=arm64   another architecture, whose packages are called A:arm64
#   ROOT_OUT=DIR         a folder that the command finds as /out, for what is to stay
#   ROOT_CACHE=DIR       where roots and downloaded packages are kept (default
#                        ~/.cache/gst-stixels/roots; each release takes some 300 MB)
. "$(dirname "$0")/../strict.sh"
if [ -n "${ROOT_OUT:-}" ]; then
  ROOT_OUT=$(realpath "$ROOT_OUT")
  export ROOT_OUT
fi
cd "$(dirname "$0")/../.."
mirror=http://deb.debian.org/debian components=main script='' keyring=''
cache=${ROOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gst-stixels/roots}

# ---- In the namespaces --------------------------------------------------------------------------

# make_devices ROOT: what programs expect in /dev, and nothing of the machine's hardware.
make_devices() {
  local name
  mount -t tmpfs -o mode=755 dev "$1/dev"
  for name in null zero full random urandom tty; do
    touch "$1/dev/$name"
    mount --bind "/dev/$name" "$1/dev/$name"
  done
  mkdir "$1/dev/shm" "$1/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666 pts "$1/dev/pts"
  ln -s pts/ptmx "$1/dev/ptmx"
  ln -s /proc/self/fd "$1/dev/fd"
}

# inside LOWER UPPER COMMAND: mounts the layers and runs the command in them.
inside() {
  local lower=$1 upper=$2 root=$2/root
  mkdir -p "$upper/changes" "$upper/work" "$root"
  mount -t overlay -o "lowerdir=$lower,upperdir=$upper/changes,workdir=$upper/work" root "$root"
  mkdir -p "$root/tree" "$root/out"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sys "$root/sys"
  make_devices "$root"
  mount --bind "$upper/packages" "$root/var/cache/apt/archives"
  if [ -n "${ROOT_OUT:-}" ]; then
    mount --bind "$ROOT_OUT" "$root/out"
  fi
  if [ -z "${ROOT_LAYER:-}" ]; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      if [ -e "$file" ] || [ -L "$file" ]; then
        printf '%s\0' "$file"
      fi
    done | tar -c --null -T - --owner 0 --group 0 | tar -x -C "$root/tree"
  fi
  # The caller's settings, its language among them, are not those of a clean machine.
  exec chroot "$root" /usr/bin/env -i -C /tree HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive sh -c "$3"
}

if [ "${1:-}" = --inside ]; then
  inside "$2" "$3" "$4"
fi

# ---- Outside ------------------------------------------------------------------------------------

# run_over LOWER UPPER COMMAND. Roots that run at once would wait for each other's downloads: each
# has its own folder of them, filled with links.
run_over() {
  local status=0
  mkdir -p "$2/packages/partial"
  find "$cache/packages" -name '*.deb' -exec cp -lt "$2/packages" {} +
  unshare --mount --pid --fork --kill-child tests/roots/root.sh --inside "$@" || status=$?
  find "$2/packages" -name '*.deb' -exec cp -lnt "$cache/packages" {} +
  rm -rf "$2/packages" "$2/work" "$2/root"
  return $status
}

# The key that Ubuntu signs with, from the package that is known by its sum.
fetch_ubuntu_key() {
  local package=$cache/ubuntu-keyring.deb name=ubuntu-keyring_2023.11.28.1_all.deb
  curl -sSf -o "$package" "$mirror/pool/main/u/ubuntu-keyring/$name" &&
    echo "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8  $package" |
    sha256sum -c --quiet && dpkg-deb -x "$package" "$cache/ubuntu"
}

# The root as debootstrap makes it. The releases' keys are those of the system that we run on.
make_base() {
  [ "$suite" != noble ] || [ -f "$keyring" ] || fetch_ubuntu_key || return 77
  echo "A bare root of $suite, for $base" >&2
  rm -rf "$base.part"
  # shellcheck disable=SC2086  # a script or none
  debootstrap --variant=minbase --components=$components ${keyring:+--keyring=$keyring} \
    "$suite" "$base.part" "$mirror" $script >"$base.log" 2>&1 || {
    tail -n 5 "$base.log" >&2
    return 77
  }
  # Packages of all roots are kept, in $cache/packages. A mirror of sid may be a few weeks old.
  echo 'APT::Keep-Downloaded-Packages "true"; Binary::apt::APT::Keep-Downloaded-Packages "true";
    Acquire::Check-Valid-Until "false";' >"$base.part/etc/apt/apt.conf.d/90keep"
  find "$base.part/var/cache/apt/archives" -name '*.deb' -delete
  mv "$base.part" "$base"
}

# A layer with packages, over the bare root.
make_layer() {
  echo "A root of $suite with $ROOT_PACKAGES, for $layer" >&2
  rm -rf "$layer.part"
  ROOT_LAYER=yes run_over "$base" "$layer.part" \
    "${ROOT_FOREIGN:+dpkg --add-architecture $ROOT_FOREIGN && }apt-get update -qq &&
      apt-get install -y -qq --no-install-recommends $ROOT_PACKAGES" \
    >"$layer.log" 2>&1 || {
    tail -n 20 "$layer.log" >&2
    return 1
  }
  mv "$layer.part" "$layer"
}

if [ $# -ne 2 ]; then
  echo "usage: tests/roots/root.sh SUITE COMMAND" >&2
  exit 2
fi
suite=$1
if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
  echo "A clean root of $suite: only root can make one, and only where it may mount" >&2
  exit 77
fi
. tests/packages.sh
install_packages $packages_root
if [ "$suite" = noble ]; then # which debootstrap of Debian 12 does not know, nor its key
  mirror=http://archive.ubuntu.com/ubuntu components=main,universe
  script=/usr/share/debootstrap/scripts/gutsy
  keyring=$cache/ubuntu/usr/share/keyrings/ubuntu-archive-keyring.gpg
fi
mkdir -p "$cache/packages"
base=$cache/$suite lower=$cache/$suite
{
  flock 9 # whoever comes meanwhile waits for the same root
  [ -d "$base" ] || make_base || exit
  if [ -n "${ROOT_PACKAGES:-}" ]; then
    layer=$base-$(echo "$ROOT_PACKAGES${ROOT_FOREIGN:+ $ROOT_FOREIGN}" | sha256sum | head -c 12)
    [ -d "$layer" ] || make_layer || exit
    lower=$layer/changes:$base
  fi
} 9>"$base.lock"

upper=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$upper"' EXIT
status=0
run_over "$lower" "$upper" "$2" || status=$?
exit $status
