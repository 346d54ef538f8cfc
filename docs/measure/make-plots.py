#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures what the pages say, and plots it: programs -> docs/benchmarks/*.csv -> pages and *.svg.

  docs/measure/make-plots.py numbers build/examples [NAME=FOLDER[,CALIBRATION]...]
                      everything but speed.csv, lidar-peers.csv and networks-classes.csv, which
                      speed.py, compare-ground.py and networks.py write; without a folder: those of
                      $STX_DATA (about half an hour, on an idle machine: some of it are times)
  docs/measure/make-plots.py PART build/examples [...]    one of these:
                      stixels, rdp   benchmarks/stixels.md, rdp.md, times included
                      lidar          times of scans, SemanticKITTI's and the street's
                      ground         F1 of scans
                      quality        the matcher, the road line, obstacles, motion, stixels against
                                     scans, columns against the least energy
  docs/measure/make-plots.py tables [--check]             CSV to tables and sentences of the pages
  docs/measure/make-plots.py plot                         CSV to SVG

A FOLDER is laid out like KITTI's stereo benchmarks; the synthetic street is always measured.
Plotting needs Matplotlib (Debian: python3-matplotlib).
"""
import sys

import networks
import page_figures
import plot_lidar
import plot_optimal
import plot_quality
import plot_rdp
import plot_stixels
from plots import machine_line, start, write_blocks


def measure_quality(programs, folders):
    plot_quality.measure(programs)
    page_figures.measure(programs)
    plot_optimal.measure(programs)


PARTS = {"stixels": plot_stixels.measure, "rdp": plot_rdp.measure,
         "lidar": lambda programs, folders: plot_lidar.measure_times(programs),
         "ground": lambda programs, folders: plot_lidar.measure_quality(
             programs, plot_lidar.known_folders()),
         "quality": measure_quality}


def write_pages(check=False):
    machines = "".join(machine_line(name) for name in ("speed", "stixels", "rdp", "lidar"))
    write_blocks(machines + plot_lidar.tables() + plot_stixels.tables() + plot_rdp.tables() +
                 plot_optimal.tables() + page_figures.blocks() + plot_quality.tables() +
                 networks.blocks(), check)


def main():
    command, words = sys.argv[1:2], sys.argv[2:]
    if command and words and command[0] in ("numbers", *PARTS):
        for name, part in PARTS.items():
            if command[0] in ("numbers", name):
                part(words[0], words[1:] or plot_stixels.known_folders())
        write_pages()
    elif sys.argv[1:] in (["tables"], ["tables", "--check"]):
        write_pages(check="--check" in sys.argv)
    elif sys.argv[1:] == ["plot"]:
        plt = start()
        for plot in (*plot_rdp.PLOTS, *plot_lidar.PLOTS, *plot_stixels.PLOTS):
            plot(plt)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
