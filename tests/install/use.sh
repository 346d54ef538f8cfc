# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs README's pipeline where gst-stixels is installed, in /out, and the programs.
. /out/pipeline.sh
test -s stixels.png
gst-inspect-1.0 stixels
stx-eval --street --frames 1 | tail -n 3
stx-bench --quick satdp --size 320x160 | tail -n 3
stx-calibrate --print-board board.svg
