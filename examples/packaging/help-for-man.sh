#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints a program's --help in the form that help2man expects: "Usage: …" in one line, and a $
# before the lines that one may type. The program is $STX_PROGRAM; the arguments are its own.
set -e
text=$("$STX_PROGRAM" "$@")
printf '%s\n' "$text" | sed -e '/^Usage:$/{N;s/\n */ /;s/ - .*//;}' -e 's/^usage:/Usage:/' \
  -e 's/^  stx-/  $ stx-/'
