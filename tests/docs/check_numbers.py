# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages say what the files of CSV in docs/benchmarks say, and these what the programs say today.

usage: check_numbers.py STX-EVAL

Every block of every page is written again and compared, and every file of CSV with the digest that
its program left: none is edited by hand. A block says so if its times are older than the code. Some
of the measured rows are measured again: one in six, by its digest, of the streets' and, where
there is data, of KITTI's; times are not compared. stx-eval runs in children of this process
(warm.py).
"""
import importlib
import os
import pathlib
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs/measure"), str(ROOT / "tests/tools")]
warm = importlib.import_module("warm")
(paper, make_plots, page_figures, plot_lidar, plot_optimal, plot_quality, plot_rdp, plot_stixels,
 plots, tables) = map(importlib.import_module, (
     "stx-paper", "make-plots", "page_figures", "plot_lidar", "plot_optimal", "plot_quality",
     "plot_rdp", "plot_stixels", "plots", "tables"))
SAMPLE = ({"data": "hilly street (piecewise)", "cell": 4, "settings": "paper", "labels": "true"},
          {"data": "KITTI 2015", "cell": 8, "labels": "none"},
          {"data": "KITTI 2015", "cell": 4, "settings": "defaults"},
          {"data": "KITTI 2012", "cell": 8},
          {"data": "KITTI 2012, more", "cell": 8, "settings": "defaults", "model": "gaussian"})
MACHINE = ("ms_", "pairs_evaluated")  # what differs from processor to processor
KEYS = ("data", "cell", "settings", "labels", "model")
subprocess.run = warm.run
os.environ.setdefault("CK_DEFAULT_TIMEOUT", "120")  # of the tests that print rows


def measured(study, data, row):
    """The row as it is today, as a file would have it."""
    study.rows["comparison"].clear()
    study.compare(data, row["cell"], row["settings"] == "paper", row["labels"] == "true",
                  row["model"])
    return {key: tables.text_of(value) for key, value in study.rows["comparison"][0].items()}


def check_scans(programs):
    """Compares stx-eval's results for the scans, if there are any."""
    now = [{key: str(value) for key, value in row.items()}
           for row in page_figures.scan_rows(programs)]
    assert now in ([], page_figures.read("scans.csv")), f"scans.csv: today {now}"


def check_quality(programs):
    """Some settings of the matcher, a street's bent road, and obstacles, as they are today."""
    for name, rows in plot_quality.sample(programs).items():
        file = plots.read(name)
        for row in rows:
            now = {key: str(value) for key, value in row.items()}
            assert now in file, f"{name}: not there, but measured: {now}"


def same(name, again, keys):
    """Rows measured again are in the file; returns how many there are."""
    rows = {tuple(row[key] for key in keys): row for row in plots.read(name)}
    for row in again:
        now = {key: str(tables.text_of("" if value is None else value))
               for key, value in row.items()}
        before = rows[tuple(now[key] for key in keys)]
        assert before == now, f"{name}: {before} is {now} today: ninja -C BUILD numbers"
    return len(again)


def check_frames(study, there):
    """Figure 7 of stixels.md, of the first data that there is."""
    study.kept = lambda: [there[name] for name in ("KITTI 2015", "KITTI 2012", "street")
                          if name in there][:1]
    study.list_frames()
    return same("stixels-frames.csv", study.rows["frames"], ("data", "model", "frame"))


def check_rdp(programs):
    """The street's levels, of fewer rows than it has, trees, and an error of rdp.md."""
    levels, utility, tree = plot_rdp.tree_rows(programs, plot_rdp.STREET, [None],
                                               heights=(256,))
    error = plot_rdp.error_row(programs / "stx-eval", plot_rdp.STREET, ["--street", "--frames", 5],
                               ["--model", "rdp", "--epsilon", 3, "--median", 5],
                               model="rdp", median=5, epsilon_px=3)
    return (same("rdp-levels.csv", levels, ("data", "rows", "median", "epsilon_px")) +
            same("rdp-utility.csv", utility, ("data", "level")) +
            same("rdp-tree.csv", tree, ("level", "first")) +
            same("rdp-error.csv", [error], ("data", "model", "median", "epsilon_px")))


def main():
    make_plots.write_pages(check=True)
    assert not plots.edited(), f"edited by hand, not written by a program: {plots.edited()}"
    programs = pathlib.Path(sys.argv[1]).parent
    study = paper.Study(paper.arguments_of(
        ["--programs", str(programs), "--threads", "0",
         *plot_stixels.known_folders()]))
    there = {data.name: data for data in study.kept()}
    rows = tables.read_csv(plot_stixels.FOLDER, ["comparison"])["comparison"]
    again = [row for row in rows if row["data"] in there
             and zlib.crc32(" ".join(str(row[key]) for key in KEYS).encode()) % 6 == 0
             and any(all(str(row[key]) == str(wanted[key]) for key in wanted) for wanted in SAMPLE)]
    assert again
    for row in again:
        now = measured(study, there[row["data"]], row)
        for key, value in row.items():
            assert key.startswith(MACHINE) or str(tables.text_of(value)) == str(now[key]), (
                f"{row}: {key} is {now[key]} today: ninja -C BUILD numbers")
    check_scans(str(programs))
    check_quality(str(programs))
    plot_optimal.check(programs)
    more = check_frames(study, there) + check_rdp(programs) + plot_lidar.check_quality(programs)
    print(f"all tables, {len(again)} of {len(rows)} rows measured again, and {more} of other files")


main()
