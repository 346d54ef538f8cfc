# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages say what the files of CSV in docs/benchmarks say, and these what stx-eval says today.

usage: check_numbers.py STX-EVAL

Every table is written again and compared. Of the measured rows some are measured again: those of
the streets, and where there is data those of KITTI; times are not compared.
"""
import importlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "examples/stx-paper")]
paper, plots, plot_stixels, tables = map(
    importlib.import_module, ("stx-paper", "make-plots", "plot_stixels", "tables"))
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


def check_readme(rows):
    """What README says of its first frames."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    large, small = (tables.find(rows, data="KITTI 2015", cell=cell, settings="defaults",
                                labels="none", model="gaussian") for cell in (8, 4))
    (ground,) = (row for row in plots.read("lidar-quality.csv")
                 if (row["experiment"], row["value"]) == ("bins", "120"))
    for words in (f"F1 of {float(ground['f1_mean']):.1f} % on average and "
                  f"{float(ground['f1_worst']):.1f} % at worst",
                  f"{100 * large['input_and']:.2f} % of `stereo-sgm`'s disparities",
                  f"{100 * large['error_and']:.2f} % at {large['pixels_per_stixel']:.0f} pixels",
                  f"{100 * small['error_and']:.2f} % at {small['pixels_per_stixel']:.0f} (4×4)"):
        assert words in text, f"README.md does not say: {words}"


def main():
    plots.write_pages(check=True)
    study = paper.Study(paper.arguments_of(
        ["--programs", str(pathlib.Path(sys.argv[1]).parent), "--threads", "0",
         *plot_stixels.known_folders()]))
    there = {data.name: data for data in study.kept()}
    rows = tables.read_csv(plot_stixels.FOLDER, ["comparison"])["comparison"]
    check_readme(rows)
    again = [row for row in rows if row["data"] in there
             and any(all(row[key] == wanted[key] for key in wanted) for wanted in SAMPLE)]
    assert len(again) >= 8, len(again)
    for row in again:
        now = measured(study, there[row["data"]], row)
        for key, value in row.items():
            assert key.startswith(MACHINE) or str(tables.text_of(value)) == str(now[key]), (
                f"{row}: {key} is {now[key]} today: ninja -C BUILD numbers")
    importlib.import_module("plot_optimal").check(pathlib.Path(sys.argv[1]).parent)
    print(f"all tables, and {len(again)} of {len(rows)} rows measured again")


main()
