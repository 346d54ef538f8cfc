#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# headers.sh FOLDER EDITS HEADER...: puts the headers, edited by sed, into the folder.
set -e
folder=$1 edits=$2
shift 2
for header; do
  sed -e "$edits" "$header" >"$folder/${header##*/}"
done
