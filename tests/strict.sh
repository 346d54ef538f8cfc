# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scripts of this tree: the first command that fails ends a script, and the last line
# names that command.
set -Eeuo pipefail

# say_where LINE STATUS COMMAND. In $( ), where a failure ends nothing, it is silent.
say_where() {
  [[ $- != *e* ]] || echo "${BASH_SOURCE[1]}, line $1: status $2 of: ${3%%$'\n'*}" >&2
}
trap 'say_where "$LINENO" "$?" "$BASH_COMMAND"' ERR
