#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Meson configures the tree without the tests, without the programs, and without anything optional.
#
#   tests/install/configure.sh SOURCE
. "$(dirname "$0")/../strict.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for option in tests examples auto_features; do
  meson setup "$folder/$option" "$1" "-D$option=disabled" >"$folder/log" 2>&1 || {
    tail -n 5 "$folder/log"
    echo "meson setup -D$option=disabled fails"
    exit 1
  }
done
