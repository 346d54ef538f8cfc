# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval on a small synthetic street; column: what it tells adds up, and hardly anything else
would be cheaper; obstacles, motion: a short drive, held to what a long one reaches.

usage: check_eval.py STX-EVAL STX-BENCH; check_eval_files.py has what it reads and writes
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from programs import at, refuses, run, run_json

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/shared"))
import release  # noqa: E402 (where it is had to be said first)

EVAL = sys.argv[1]
PYTHON = "/usr/bin/python3"  # for which Debian has Matplotlib
PLOT = pathlib.Path(__file__).resolve().parents[2] / "docs/measure/plot_column.py"
STREET = "--street --size 416x160 --max-disparity 64 --json "
COLUMN = "column --size 640x192"
SMALL = "--size 832x256"  # two thirds of the street's
SIZE, ERROR = "total.pixels_per_stixel", "total.non_occluded.stixels.error_and"
WORK = "total.pairs_evaluated"


# ---- The street ----------------------------------------------------------------------------------

def measures_the_street():
    found = run_json(EVAL, STREET + "--frames 2 --semantics truth")
    pixels = [at(frame, "all.raw.pixels") for frame in found["frames"]]
    assert len(pixels) == 2 and sum(pixels) == at(found, "total.all.raw.pixels") > 416 * 160
    near, total = found["total"]["non_occluded"], found["total"]
    assert at(near, "filled.error_and") < .1 and at(near, "stixels.error_and") < .12, near
    assert at(near, "filled.error_and") <= at(near, "raw.error_and"), near
    assert at(near, "filled.error_and") <= at(near, "filled.error_or"), near
    assert at(found, SIZE) > 200 and at(total, "ms.sgm") >= 0, total
    assert .3 < at(total, "iou_classes.mean") <= at(total, "iou_cells.mean"), total


def does_not_depend_on_the_backend():
    """But for times, and for what is pruned, which is optional."""
    found = [run_json(EVAL, STREET + "--frames 1 --cell 4x8 --backend " + backend)
             for backend in ("omp --threads 3", "omp --threads 1")]
    for root in found:
        for part in (root["total"], *root["frames"]):
            del part["ms"], part["pairs_evaluated"]
    assert found[0] == found[1]


def measures_segments():
    fine, coarse = (run_json(EVAL, f"{STREET}--frames 1 --model rdp --epsilon {epsilon} --median 3")
                    for epsilon in (.5, 8))
    either = "total.non_occluded.stixels.error_or"
    assert at(fine, ERROR) < .12 and at(fine, either) < at(coarse, either)
    assert at(fine, SIZE) < at(coarse, SIZE) and fine["settings"]["epsilon"] == .5
    total = fine["total"]
    assert at(total, "ms.rdp") > 0 and total["ms"]["satdp"] is None, total
    assert all(total[key] is None for key in ("iou_kinds", "iou_classes", "pairs_evaluated"))


def measures_the_model_with_outliers():
    """Other stixels, about as good."""
    satdp, full, more = (run_json(EVAL, STREET + "--frames 1 " + options) for options in (
        "", "--model gaussian-uniform", "--model gaussian-uniform --outlier-share-object 0.8"))
    assert at(full, ERROR) < .12 and at(full, "total.iou_kinds.mean") > .3
    assert at(full, SIZE) not in (at(satdp, SIZE), at(more, SIZE))
    assert full["settings"]["model"] == "gaussian-uniform"


def takes_start_rows_from_rdp():
    """Fewer start rows: less work for satdp, and other stixels."""
    every, few = (run_json(EVAL, STREET + "--frames 1 --backend omp " + options)
                  for options in ("", "--cut-candidates rdp --epsilon 8"))
    assert at(few, WORK) < .5 * at(every, WORK) and at(few, SIZE) > at(every, SIZE)
    assert at(few, "total.iou_kinds.mean") > .3 and at(few, "total.ms.rdp") > 0
    assert every["total"]["ms"]["rdp"] is None


def prints_what_the_json_has():
    said = run(EVAL, "occupancy --frames 1")[0].split()
    found = run_json(EVAL, "occupancy --json --frames 1")
    for name in "ground", "road", "thing":
        assert name in said and str(found[name]["cells"]) in said, (said, found)


def refuses_fields_as_their_stems_do():
    refuses(EVAL, [("--street " + options, words) for options, words in (
        ("--p1 96", "p1 is 96, but must not exceed p2, which is 86"),
        ("--p2=ten", "p2 is 'ten', must be a whole number"),
        ("--sigma-ground 65", "sigma_disparity_ground is 65.0 px, must be 0.0625 to 64 px"),
        ("--class-kinds 'ground=0;sky=10,32'", "class_kinds: there is no class 32"),
        ("--median no", "median is no, must be one of 0, 3, 5, 7"))])


def refuses_what_it_cannot_use():
    refuses(EVAL, (
        ("", "either a folder or --street"), ("/no/such/folder", "/no/such/folder: no such folder"),
        ("--street --reduction=mode", "mean, weighted, median"),
        ("--street --cell 0", "stixel_width is 0"),
        ("--street --cell 4x", "--cell=4x: write it as N or WxH"),
        ("--street --threads -1", "--threads=-1"),
        ("--street --streets 2 --frames 2", "--streets=2: is for --street, without"),
        ("--streets 2 folder", "--streets=2: is for --street"),
        ("--street --model sgm", "--model=sgm: choose one of satdp, rdp, gaussian-uniform"),
        ("--street --cut-candidates x", "choose one of all, rdp"),
        ("--street --model rdp --cut-candidates rdp", "is not for --model=rdp"),
        ("--street --terrain steep", "gentle, flat, sloped, hilly"),
        ("--street --nonsense", "--help")))


def hazards_of_the_street():
    """Near things are found, and nothing else."""
    street = f"hazards --seeds 1 --frames 6 --json {SMALL}"
    found = run_json(EVAL, street)
    assert found["frames"] == found["with-ground"] == 6, found
    seen = [r for size in found["sizes"] for r in size["ranges"] if r["to"] <= 10 and r["seen"] > 0]
    assert seen and sum(r["seen"] * r["found"] for r in seen) >= .7 * sum(r["seen"] for r in seen)
    assert found["false"] == 0 and found["distance-error"] < 1, found
    again = f"{street} --frames 1"
    found, slow = (run_json(EVAL, again + more) for more in ("", " --backend omp --threads 1"))
    for result in found, slow:
        result.pop("ms")
    assert found == slow
    refuses(EVAL, (
        ("hazards --seeds 0", "--seeds=0"), ("hazards --lane 0", "--lane=0"),
        ("hazards --backend x", "choose one of auto"), ("hazards /", "no pictures"),
        ("hazards --known /nowhere", "/nowhere"),
        ("hazards --min-height 0.9 --max-height 0.5", "min_height is 0.9 m")))


def every_program_says_its_version():
    said = {run(EVAL, f"{command} --version")[0].rpartition(" (gst-stixels) ")[2]
            for command in ("", "column", "hazards", "lidar", "motion", "obstacles", "occupancy")}
    said |= {run(sys.argv[2], f"{command} --version")[0].rpartition(" (gst-stixels) ")[2]
             for command in ("", "frames", "lidar")}
    assert said == {release.VERSION + "\n"}, said


# ---- One column ----------------------------------------------------------------------------------

def check_stixel(stixel):
    """The number of alternatives, none of which is cheaper."""
    told = [stixel["merged"], *stixel["as"].values()]
    assert all(more is None or more >= 0 for more in told), stixel
    assert abs(sum(stixel["terms"].values()) - stixel["cost"]) < 1e-3, stixel
    assert stixel["as"][stixel["kind"]] == 0, stixel
    return sum(more is not None for more in told) - 1  # its own kind


def check_column(options):
    found = run_json(EVAL, f"{COLUMN} {options}")
    assert found["stixels"]
    assert abs(sum(s["cost"] for s in found["stixels"]) - found["energy"]) < 1e-3, found
    return sum(map(check_stixel, found["stixels"]))


def costs_add_up_and_are_the_least():
    assert sum(check_column(f"--column {column}") for column in range(0, 80, 20)) >= 16
    check_column("--column 30 --labels")
    check_column("--column 30 --cell 4 --ground none")


def a_missed_change_is_explained():
    """Two objects that would cost less as one."""
    found = run_json(EVAL, "column --seed 13 --frame 13 --column 33")
    assert -.27 < min(one["merged"] or 0 for one in found["stixels"]) < -.25, found
    assert abs(found["energy"] - 27.90) < .01 and abs(found["least"] - 27.65) < .01, found


def cells_are_those_of_the_column():
    """The measured cells and the expected road are there, too."""
    cells = run_json(EVAL, f"{COLUMN} --column 40")["cells"]
    last = cells[23]
    assert len(cells) == 24 and last["row"] == 187.5 and last["weight"] >= .5, last
    assert abs(last["disparity"] - last["road"]) <= 3, last


def segments_have_no_energies():
    found = run_json(EVAL, f"{COLUMN} --segments --cell 1 --epsilon 1")
    first = found["stixels"][0]
    assert found["energy"] is None and first["kind"] == "segment", found
    assert "terms" not in first and first["cost"] <= 1, first


def the_plot_draws_every_stixel_and_its_alternatives():
    if subprocess.run([PYTHON, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode:
        print("left out: no Matplotlib for " + PYTHON)
        return
    column = run_json(EVAL, f"{COLUMN} --column 40")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "column.svg")
        subprocess.run([PYTHON, PLOT, path], input=json.dumps(column), text=True, check=True)
        picture = path.read_text()
    assert len(column["stixels"]) >= 2
    for words in ("instead: ", '<g id="stixel-'):
        assert picture.count(words) == len(column["stixels"]), (words, picture)


# ---- Obstacles -----------------------------------------------------------------------------------

def drive(options):
    return run_json(EVAL, f"obstacles --json --seed 2 --seeds 1 {options}")


def expect_least(found, **least):
    for path, value in least.items():
        path = path.replace("__", ".")
        assert at(found, path) >= value, f"{path} is {at(found, path)}, at least {value} expected"


def stereo_finds_what_drives_and_walks():
    for options, recall, precision in (("", .8, .85), ("--labels", .9, .9)):
        found = drive(f"--frames 4 {SMALL} {options}")
        expect_least(found, all__counted=15, all__recall=recall, all__id_kept=.9,
                     all__distance_within_3_percent=.5, precision=precision)
        assert at(found, "all.distance_median") <= .03, found


def scans_find_vehicles():
    expect_least(drive("--frames 6 --scans"), vehicles__counted=30, vehicles__recall=.85,
                 vehicles__id_kept=.9, precision=.85)


def it_tells_how_far_it_is():
    """A run of a minute shows on stderr that something goes on."""
    said = run(EVAL, "obstacles --perfect --seeds 2 --frames 10 --size 160x96")[1]
    assert said == "street 1 of 2: frame 10 of 10\nstreet 2 of 2: frame 10 of 10\n", said


def possible_is_more_than_what_is_found():
    """The best that stixels can reach, with the true disparities."""
    found = drive("--frames 4 --perfect")
    expect_least(found, all__counted=20, all__recall=.85, all__possible=at(found, "all.recall"))
    assert at(found, "all.possible") <= 1, found


def measures_see_what_is_not_found():
    found = drive(f"--frames 2 --min-height 9 {SMALL}")
    expect_least(found, all__counted=5)
    assert at(found, "all.recall") == 0, found


# ---- Motion --------------------------------------------------------------------------------------

DATA = pathlib.Path(os.environ.get(
    "STX_DATA", pathlib.Path(__file__).resolve().parents[3] / "shared/data"))


def the_street_goes_by():
    """By the backends and numbers of threads alike, but for times."""
    found = [run_json(EVAL, f"motion --json --seed 2 --frames 5 --size 640x192 {options}")
             for options in ("--threads 3", "--threads 1 --backend omp")]
    for one in found:
        assert one.pop("ms") > 0
    first = found[0]
    assert first == found[1], found
    assert (first["frames"], first["first"], first["known"]) == (5, 1, 4), first
    assert [length["frames"] for length in first["lengths"]] == [2, 5], first
    assert all(length["translation"] < .02 and length["degrees_per_metre"] < .03
               for length in first["lengths"]), first


def real_streets_go_by():
    path = DATA / "sequences/kitti-odometry-05"
    if not path.exists():
        print("skipped: no data")
        return
    found = run_json(EVAL, f"motion --json --sequence {path}")
    tenth = found["lengths"][-1]
    assert found["known"] == 9 and tenth["frames"] == 10 and found["agree"] > .9, found
    assert tenth["translation"] < .015 and tenth["degrees_per_metre"] < .03, tenth


def motion_makes_speeds_right():
    """Standing things on a real street: hardly any known speed is wrong, and ids last."""
    path = DATA / "sequences/kitti-odometry-05"
    if not path.exists():
        print("skipped: no data")
        return
    none, found, true = (run_json(EVAL, f"obstacles --json --sequence {path} {options}")
                         for options in ("--motion none", "", "--motion poses"))
    assert found["labelled"] and found["recall"] > .9 and found["on_road"] == 0, found
    assert none["life"] < found["life"] >= 6 and found["stixels_known"] > .8, found
    assert none["stay"] < found["stay"] < 1, found
    for kind in ("closing", "lateral"):
        before, now, known = (one["speeds"][-1][kind] for one in (none, found, true))
        assert (before["said"] or 0) < .05, before
        assert now["off_3"] <= .03 and now["off_1_5"] <= .1 and now["said"] > .6, now
        assert known["off_3"] <= .03 and known["off_1_5"] <= .1 and known["said"] > .4, known
    assert found["stixels_off_1_5"] <= .05 and none["stixels_known"] is None, found


def the_street_says_how_fast_its_cars_are():
    found = drive(f"--frames 14 --motion video {SMALL}")
    expect_least(found, all__moving=2, all__moving_said=.9)
    assert at(found, "all.moving_speed_median") < .8, found


def errors_name_the_option():
    refuses(EVAL, (
        (f"{COLUMN} --column 80", "--column=80: must be 0 to 79"),
        ("column --column 8 --size 64x64", "--column=8: must be 0 to 7, of columns of 8 pixels"),
        ("column --column -2", "--column=-2: must be 0 to"),
        ("column --left a.png", "--right is missing"),
        ("column --left no.png --right no.png", "no.png"),
        ("column --disparity no.png", "no.png"), ("column --disparity no.png --labels", "--labels"),
        ("column --calibration calib.txt", "--calibration"),
        ("column --ground fence", "--ground=fence"),
        ("column street", "'street'"), ("obstacles --seeds 0", "--seeds=0"),
        ("obstacles --gate 0", "gate"),
        ("obstacles FOLDER", "'FOLDER': a folder is that of --sequence"),
        ("obstacles --scans --labels", "no use for --labels"),
        ("obstacles --sequence no", "no: no pictures in image_2 or image_0"),
        ("obstacles --sequence no --perfect", "no use for --perfect"),
        ("obstacles --motion fast", "choose one of none, poses, video"),
        ("obstacles --motion video --perfect", "no pictures for --motion=video"),
        ("obstacles --motion poses --scans", "no use for --motion"),
        ("occupancy --frames 0", "--frames=0"), ("occupancy --scans", "--scans needs a --sequence"),
        ("occupancy --resolution .05 --size 400", "8000 cells along a side"),
        ("occupancy --motion fast", "given, none, alone"),
        ("occupancy --sequence no", "no: no pictures in image_2 or image_0"),
        ("occupancy FOLDER", "'FOLDER': a folder is that of --sequence"),
        ("motion FOLDER", "'FOLDER': a folder is that of --sequence"),
        ("motion --sequence no", "no: no pictures"), ("motion --seeds 0", "--seeds=0"),
        ("motion --sequence no --perfect", "no use for --perfect"),
        ("motion --backend cuda", "auto, omp"), ("motion --first -1", "--first=-1")))


def occupancy_of_the_street():
    """Over time more is known, and what is road is seldom taken for more."""
    alone, kept = (run_json(EVAL, f"occupancy --json --frames 3 {options}")
                   for options in ("--motion alone", "--motion given"))
    for found in (alone, kept):
        assert found["frames"] == 3 and found["ground"]["cells"] > 3000, found
        assert found["road"]["free"] > .85 and found["road"]["occupied"] < .08, found
        assert found["thing"]["occupied"] > .6 and found["thing"]["free"] < .15, found
    assert kept["thing"]["occupied"] > alone["thing"]["occupied"] + .02, (alone, kept)


for check in (
        measures_the_street, does_not_depend_on_the_backend, measures_segments,
        measures_the_model_with_outliers, takes_start_rows_from_rdp, prints_what_the_json_has,
        refuses_fields_as_their_stems_do, refuses_what_it_cannot_use,
        every_program_says_its_version, costs_add_up_and_are_the_least,
        a_missed_change_is_explained, cells_are_those_of_the_column,
        segments_have_no_energies, the_plot_draws_every_stixel_and_its_alternatives,
        errors_name_the_option, hazards_of_the_street, occupancy_of_the_street,
        stereo_finds_what_drives_and_walks, scans_find_vehicles, it_tells_how_far_it_is,
        possible_is_more_than_what_is_found, measures_see_what_is_not_found, the_street_goes_by,
        real_streets_go_by, motion_makes_speeds_right, the_street_says_how_fast_its_cars_are):
    check()
    print(check.__name__)
