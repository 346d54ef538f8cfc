# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages say what the files of CSV in docs/benchmarks say, and these what stx-eval says today.

usage: check_numbers.py STX-EVAL

Every block of every page is written again and compared. Of the measured rows some are measured
again: those of the streets, and where there is data those of KITTI; times are not compared.
"""
import importlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "examples/stx-paper")]
paper, plots, page_figures, plot_lidar, plot_quality, plot_stixels, tables = map(
    importlib.import_module, ("stx-paper", "make-plots", "page_figures", "plot_lidar",
                              "plot_quality", "plot_stixels", "tables"))
SAMPLE = ({"data": "street", "cell": 8, "settings": "defaults", "labels": "none"},
          {"data": "hilly street (piecewise)", "cell": 4, "settings": "paper", "labels": "true"},
          {"data": "KITTI 2015", "cell": 8, "labels": "none"},
          {"data": "KITTI 2015", "cell": 4, "settings": "defaults"},
          {"data": "KITTI 2012", "cell": 8},
          {"data": "KITTI 2012, more", "cell": 8, "settings": "defaults", "model": "gaussian"})
MACHINE = ("ms_", "pairs_evaluated")  # what differs from processor to processor


def measured(study, data, row):
    """The row as it is today, as a file would have it."""
    study.rows["comparison"].clear()
    study.compare(data, row["cell"], row["settings"] == "paper", row["labels"] == "true",
                  row["model"])
    return {key: tables.text_of(value) for key, value in study.rows["comparison"][0].items()}


def check_scans(programs):
    """What stx-eval says of the scans, where there are any."""
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


def main():
    plots.write_pages(check=True)
    study = paper.Study(paper.arguments_of(
        ["--programs", str(pathlib.Path(sys.argv[1]).parent), "--threads", "0",
         *plot_stixels.known_folders()]))
    there = {data.name: data for data in study.kept()}
    rows = tables.read_csv(plot_stixels.FOLDER, ["comparison"])["comparison"]
    again = [row for row in rows if row["data"] in there
             and any(all(row[key] == wanted[key] for key in wanted) for wanted in SAMPLE)]
    assert len(again) >= 8, len(again)
    for row in again:
        now = measured(study, there[row["data"]], row)
        for key, value in row.items():
            assert key.startswith(MACHINE) or str(tables.text_of(value)) == str(now[key]), (
                f"{row}: {key} is {now[key]} today: ninja -C BUILD numbers")
    check_scans(str(pathlib.Path(sys.argv[1]).parent))
    check_quality(str(pathlib.Path(sys.argv[1]).parent))
    scans = plot_lidar.check_quality(pathlib.Path(sys.argv[1]).parent)
    print(f"all tables, {scans} rows of scans, and {len(again)} of {len(rows)} rows measured again")


main()
