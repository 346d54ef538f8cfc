# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Takes the packages away again, as docs/install.md says, and looks for what they left.
. /out/purge.sh >/dev/null
left=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | grep stixels || true)
left=$left$(find / -xdev \( -path /tree -o -path /out -o -path /proc -o -path /tmp -o -path /root \
  -o -path /var/cache/apt \) -prune -o -iname '*stixels*' -print -o -name 'stx-*' -print)
if [ -n "$left" ] || gst-inspect-1.0 stixels >/dev/null 2>&1; then
  echo "left behind: $left" >&2
  exit 1
fi
echo "nothing is left of the packages"
