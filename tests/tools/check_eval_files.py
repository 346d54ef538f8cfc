# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that stx-eval reads and writes: folders in the layouts of KITTI and SemanticKITTI, made
from the synthetic street, scores of networks, masks, poses, labels of other programs, and pictures.

usage: check_eval_files.py STX-EVAL   with PYTHONPATH and STIXELS_LIBRARY of the build folder
"""
import pathlib
import sys

import numpy as np

from programs import at, in_folder, refuses, run, run_json

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/shared"))
import png  # noqa: E402 (where it is had to be said first)
import stixels  # noqa: E402
from stixels import _core as core  # noqa: E402

EVAL = sys.argv[1]
SIZE = 416, 160
STREET = "--street --size 416x160 --max-disparity 64 --json "
SCANS = "--json --cell 4 --max-disparity 64 "
ROAD, BUILDING = 40, 50  # of SemanticKITTI
GROUND = (40, 44, 48, 49, 60, 72)
LIDAR = "lidar --json --beams 16 "

# Colours of a picture of a scan.
FOUND, OTHER, MISSED, WRONG, IGNORED = range(5)


def options_of(*tables):
    """Every field of the tables with its default, but switches."""
    words = []
    for table in tables:
        defaults = core.TABLES[table].defaults
        for field in core._fields(core.TABLES[table]):
            name = field.name.decode()
            if field.type == core.CHOICE:
                value = core.lib.stx_field_get(core.byref(field), defaults)
                words += [f"--{name}", next(nick for nick, number in
                                            core.choices_of(field).items() if number == value)]
            elif field.type not in (core.BOOL, core.SPELLED):
                words += [f"--{name}", repr(core.lib.stx_field_get(core.byref(field), defaults))]
    return " ".join(words)


def without_times(found):
    """Nor what is pruned, which is optional."""
    for part in (found["total"], *found["frames"]):
        del part["ms"], part["pairs_evaluated"]
    return found


def save(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content)
    elif path.suffix == ".png":
        png.save(path, content)
    else:
        content.tofile(path)
    return path


def matrices(camera, more=""):
    f, cx, cy, base = camera.focal, camera.cx, camera.cy, camera.baseline
    return "".join(f"P{k}: {f!r} 0 {cx!r} {-f * base if k % 2 else 0.!r} 0 {f!r} {cy!r} 0 0 0 1 0\n"
                   for k in range(4)) + more


def save_pair(folder, street, name):
    for i, picture in enumerate(street.pair()):
        save(folder / f"image_{i}" / name, picture)


# ---- Pictures ------------------------------------------------------------------------------------

@in_folder
def png_files_keep_their_values(folder):
    noise = np.random.default_rng(1).integers(0, 256, (5, 37), np.uint8)
    path = save(folder / "bytes.png", noise)
    assert (png.load_ids(path) == noise).all() and (png.load_gray(path) == noise).all()
    # A camera of 12 bits; and one of 8 in 16.
    for values, gray in (((0, 15, 16, 4095), (0, 0, 1, 255)), ((0, 1, 254, 255),) * 2):
        path = save(folder / "deep.png", np.array([values], np.uint16))
        assert tuple(png.load_gray(path)[0]) == gray, values
    path = save(folder / "colour.png", np.array([[(255, 0, 0), (0, 10, 200)]], np.uint8))
    assert tuple(png.load_gray(path)[0]) == (76, 28)  # 76.7 and 28.5, cut


@in_folder
def broken_pictures_are_refused(folder):
    half = save(folder / "half.png", np.random.default_rng(2).integers(0, 256, (64, 64), np.uint8))
    half.write_bytes(half.read_bytes()[:2000])
    for path, words in ((folder / "no-such.png", "no-such.png: No such file"),
                        (save(folder / "text.png", "not a picture"), "text.png: "),
                        (half, "half.png: ")):
        try:
            png.load_gray(path)
            raise AssertionError(f"{path} is read")
        except png.Unreadable as error:
            assert words in str(error), error


# ---- KITTI's stereo layout ----------------------------------------------------------------------

def save_street(folder):
    street, name = stixels.Street(*SIZE, seed=1, noise=2.), "000000_10.png"
    disparity, labels = street.truth()
    table, back = np.empty(256, np.uint8), np.zeros(256, np.uint8)
    core.lib.stx_labels_from_cityscapes(core.pointer(table))
    for label in np.flatnonzero(table != stixels.NO_LABEL):
        back[table[label]] = label
    save_pair(folder / "training", street, name)
    save(folder / "training/disp_occ" / name, disparity)
    save(folder / "training/semantic" / name, back[labels])
    save(folder / "training/calib/000000.txt", matrices(street.camera))


@in_folder
def reads_folders_like_kittis(folder):
    save_street(folder)
    files = run_json(EVAL, f"--max-disparity 64 --json --semantics truth {folder}")["total"]
    street = run_json(EVAL, STREET + "--frames 1 --semantics truth")["total"]
    assert files["non_occluded"] is None and files["all"] == street["all"], (files, street)
    for key in ("density", "pixels_per_stixel", "iou_classes", "iou_cells", "iou_kinds"):
        assert files[key] == street[key], (key, files, street)


@in_folder
def names_what_a_folder_lacks(folder):
    refuses(EVAL, [(str(folder), "image_2 and image_3")])
    save_street(folder)
    right = folder / "training/image_1/000000_10.png"
    right.unlink()
    refuses(EVAL, [(str(folder), "no frames")])
    save(right, np.zeros((SIZE[1], SIZE[0] - 1), np.uint8))
    refuses(EVAL, [(str(folder), "the left picture has 416 × 160 pixels, the right one 415 × 160")])
    save(right, "no picture")
    refuses(EVAL, [(str(folder), "000000_10.png: ")])
    save(folder / "training/semantic/000000_10.png", np.zeros((4, 4, 3), np.uint8))
    save_pair(folder / "training", stixels.Street(*SIZE), "000000_10.png")
    refuses(EVAL, [(str(folder), "is 8-bit colour, expected 8-bit gray")])


def has_the_fields_as_options():
    """Defaults are those that --help tells; the range of disparities is the program's own."""
    plain = run_json(EVAL, STREET + "--frames 1")
    options = STREET + "--frames 1 " + options_of(
        "stx_sgm_fields", "stx_grid_fields", "stx_colmean_fields", "stx_satdp_fields",
        "stx_rdp_fields") + " --max-disparity 64 --disparity-at-infinity 0"
    assert without_times(run_json(EVAL, options)) == without_times(plain)
    assert without_times(run_json(EVAL, options + " --no-median")) != plain


@in_folder
def takes_the_scores_of_a_network(folder):
    """Certain scores of the true labels are as good as these, of half the size about as good."""
    street, found = stixels.Street(*SIZE, seed=1, noise=2.), []
    for step in (1, 2):
        for number in range(2):
            street.move(number)
            labels = street.truth()[1][::step, ::step]
            save(folder / f"{number:06}.scores",
                 (labels == np.arange(19)[:, None, None]).astype(np.float32))
        found.append(run_json(EVAL, f"{STREET} --frames 2 --scores {folder}"))
    truth = run_json(EVAL, STREET + "--frames 2 --semantics truth")
    whole, half, best = (at(one, "total.iou_classes.mean") for one in (*found, truth))
    assert whole == best and .8 * best < half != best, (whole, half, best)
    refuses(EVAL, (
        (f"--street --frames 2 --size 412x160 --scores {folder}",
         "000000.scores has 1264640 bytes; for frame 0 it must be 19"),
        (f"--street --frames 3 --size 416x160 --scores {folder}",
         "2 files, but frame 2 is number 3"),
        ("--street --scores /no/such", "--scores=/no/such: no such folder"),
        ("--street --semantics truth --scores /tmp", "give one of the two")))


@in_folder
def counts_what_is_masked(folder):
    """Counts an area's pixels in the picture; for the sky those whose surroundings fit, too."""
    area = '[{"gray": [%d, 255], "outline": [[-1, -1], [416, -1], [416, 19.5], [-1, 19.5]]}]'
    masks = save(folder / "masks.json",
                 '{"frame 0": {"wall": ' + area % 0 + ', "sky": ' + area % 200 + "}}")
    seen = run_json(EVAL, f"{STREET} --frames 1 --masks {masks}")["total"]["seen"]
    left, _ = stixels.Street(*SIZE, seed=1, noise=2.).pair()
    near = np.lib.stride_tricks.sliding_window_view(np.pad(left, 2, "edge"), (5, 5))
    assert seen["wall"] == 20 * 416, seen
    assert seen["sky"] == np.count_nonzero(near.min(axis=(2, 3))[:20] >= 200), seen
    save(masks, '{"frame 0": {"sky": [{"outline": [[0, 0], [1, 1]]}]}}')
    refuses(EVAL, ((f"{STREET} --frames 1 --masks {masks}",
                    'frame 0: area 0 of mask sky has no "outline" of 3 to 64 points [x, y]'),
                   (f"--street --masks {folder / 'none'}", "--masks: ")))


# ---- Pairs with scans ---------------------------------------------------------------------------

def save_scans(folder, wrong=0.):
    """The street's first frame; the camera believes that the sensor is `wrong` metres higher."""
    street = stixels.Street(620, 188, seed=1, noise=2.)
    points, labels = street.scan(32)
    above = core.lib.stx_scene_lidar(32).height - street.camera.height + wrong
    save_pair(folder, street, "000000.png")
    save(folder / "velodyne/000000.bin", points)
    save(folder / "labels/000000.label", labels)
    save(folder / "calib.txt", matrices(street.camera, f"Tr: 0 -1 0 0 0 0 -1 {-above!r} 1 0 0 0\n"))


def check_seen(seen):
    """Shares are shares and add up; nine in ten distances are off by no more than `distance_90`."""
    assert sum(part["points"] for part in seen["ranges"]) == seen["points"] > 1000, seen
    assert seen["ground_as_ground"] > .85 and seen["object_as_object"] > .8, seen
    assert seen["distance_median"] < .03 and seen["metres_median"] < .5, seen
    for part in (seen, *(part for part in seen["ranges"] if part["points"] > 200)):
        most, over = part["distance_90"], part["distance_far_off"]
        assert 0 < part["distance_median"] < most, part
        assert part["metres_median"] < part["metres_90"], part
        assert not (most < .0999 and over > .1 or most > .1001 and over < .1), part
    for name, kinds in seen["kinds"].items():
        assert kinds[name] == seen[f"{name}_as_{name}"], seen
        assert abs(sum(kinds.values()) - 1) < 1e-4, seen


@in_folder
def stixels_agree_with_the_scan(folder):
    """With scans of a folder, and of the street's own sensor; a sensor that is half a metre too
    high puts points of the ground on objects."""
    save_scans(folder / "good")
    save_scans(folder / "bad", .5)
    good, bad, plain = (run_json(EVAL, f"{SCANS} {where}")["total"]["seen"] for where in (
        f"--scans {folder / 'good'}", f"--scans {folder / 'bad'}", "--street --size 620x188"))
    check_seen(good)
    check_seen(run_json(EVAL, f"{SCANS} --street --scans --frames 2 --size 620x188"
                        )["total"]["seen"])
    assert plain["points"] == 0, plain
    assert bad["distance_far_off"] > good["distance_far_off"] + .1, (good, bad)
    assert bad["ground_as_ground"] < good["ground_as_ground"] - .1, (good, bad)


@in_folder
def sky_is_counted_and_drawn(folder):
    """With the cue it is seen as sky, without it is not."""
    save_scans(folder)
    cued, bare = (run_json(EVAL, f"{SCANS} --scans {folder} {option}")["total"]["seen"]
                  for option in ("", "--no-sky"))
    assert cued["sky"] == bare["sky"] > 1000, (cued, bare)
    assert cued["sky_as_sky"] > .8 and cued["sky_as_near"] < .2, cued
    assert bare["sky_as_near"] > cued["sky_as_near"], (cued, bare)
    run(EVAL, f"{SCANS} --scans {folder} --pictures {folder}")
    picture = png._read(folder / f"{folder.name}_000000.png")
    assert picture.shape == (188, 620, 3) and np.ptp(picture, axis=2).max() > 50
    blue = picture[..., 2].astype(int) - picture[..., 0]
    assert np.count_nonzero(blue > 50) > .7 * cued["sky"], np.count_nonzero(blue > 50)


@in_folder
def bad_folders_are_refused(folder):
    save_scans(folder)
    bare = "P0: 1 0 0 0 0 1 0 0 0 0 1 0\nP1: 1 0 0 -1 0 1 0 0 0 0 1 0\n"
    for text, words in ((bare + "Tr: 1 2 3\n", '"Tr:" needs 12 numbers, and has 3'),
                        (bare, 'no line "Tr:"')):
        save(folder / "calib.txt", text)
        refuses(EVAL, [(f"--scans {folder}", words)])
    (folder / "image_1/000000.png").unlink()
    refuses(EVAL, ((f"--scans {folder}", "no scan here has stereo pictures of its name"),
                   ("--scans no-such-folder", "no scans in no-such-folder")))


# ---- Sequences ----------------------------------------------------------------------------------

@in_folder
def motion_is_compared_with_poses(folder):
    """With the true poses, and with those of twice the way and half of it."""
    street = stixels.Street(640, 192, seed=1, noise=0.)
    for number in range(3):
        street.move(number)
        save_pair(folder, street, f"{number:06}.png")
    save(folder / "calib.txt", matrices(street.camera))
    for step, off in ((1, 0), (2, .5), (.5, 1)):
        save(folder / "poses.txt", "".join(f"1 0 0 0 0 1 0 0 0 0 1 {step * i}\n" for i in range(3)))
        first = run_json(EVAL, f"motion --json --sequence {folder}")["lengths"][0]
        assert (first["frames"], first["pieces"]) == (2, 2), first
        assert abs(first["translation"] - off) < .02 / step, (first, off)
        assert first["degrees_per_metre"] < .1 / step, first
    save(folder / "poses.txt", "1 0 0 0 0 1 0 0 0 0 1")
    refuses(EVAL, [(f"motion --sequence {folder}", "3 frames need 12 numbers each, and number 12")])


@in_folder
def hazards_are_known_or_false(folder):
    """A list says which records are right; each is drawn."""
    street = stixels.Street(1242, 375, seed=1, noise=2., scene="hazards")
    pair = folder / "pair"
    for number in range(3):
        street.move(number)
        save_pair(pair, street, f"{number:06}.png")
    save(pair / "calib.txt", matrices(street.camera))
    options = f"hazards {pair} --json --confirm=1 --pictures {folder} --known "
    found = [run_json(EVAL, options + str(save(folder / "known.txt", f"# none\n{line}\n")))
             for line in ("pair/0 -3 3 0 30 all", "pair/000009 -3 3 0 30 none")]
    there = [one["small-in-lane"] + one["holes-in-lane"] for one in found]
    assert there[0] == there[1] > 0 and [one["false"] for one in found] == [0, there[0]], found
    assert "sizes" not in found[0] and png._read(folder / "pair-000000.png").shape == (375, 1242, 3)
    save(folder / "known.txt", "pair/0 3 -3 0 30")
    refuses(EVAL, [(options + str(folder / "known.txt"),
                    "known.txt: line 1: must be FRAMES X0 X1")])


# ---- LiDAR --------------------------------------------------------------------------------------

def save_lidar(folder, labels=None):
    """The street's first scan; returns its points and true labels."""
    points, truth = stixels.Street(64, 64, seed=1, noise=0.).scan(16)
    save(folder / "sequences/00/velodyne/000000.bin", points)
    save(folder / "sequences/00/labels/000000.label", truth if labels is None else labels)
    return points, truth


def counted(found, scans=1):
    """Every point is ground, obstacle or neither, and counts or does not."""
    assert len(found["scans"]) == scans, found
    for scan in found["scans"]:
        assert scan["ground"] + scan["obstacles"] + scan["outside"] == scan["points"] > 0, scan
        assert scan["counted"] + scan["ignored"] == scan["points"], scan
    total = at(found, "total.counted")
    assert total == sum(part["counted"] for part in found["ranges"]), found
    assert total == sum(scan["counted"] for scan in found["scans"]), found
    return found


def every_point_is_counted():
    b, a = (counted(run_json(EVAL, LIDAR + f"--street --frames 2 --protocol {protocol}"), 2)
            for protocol in "ba")
    assert 90 < b["total"]["f1_worst"] <= b["total"]["f1_mean"], b
    assert b["total"]["iou"] < b["total"]["f1"], b
    assert at(a, "total.counted") > at(b, "total.counted")
    one = LIDAR + "--street --frames 1 "
    level, moved = (run_json(EVAL, one + more) for more in ("", "--pitch 20 --roll 9 --raise .5"))
    assert [part["counted"] for part in level["ranges"]] == [part["counted"]
                                                             for part in moved["ranges"]]
    assert level["total"]["f1"] != moved["total"]["f1"], (level, moved)
    tilted = one + "--pitch 3 "
    totals = [run_json(EVAL, tilted + options)["total"] for options in (
        "", options_of("stx_ground_fields"), "--no-level")]
    for total in totals:
        total.pop("ms")
    assert totals[0] == totals[1] != totals[2], totals


@in_folder
def other_labels_are_judged(folder):
    """Files give what the street gave; the truth itself is never wrong; half of the ground has a
    recall of a half; without ground in the truth all ground found is false."""
    _, truth = save_lidar(folder)
    street, files = (counted(run_json(EVAL, LIDAR + where))["total"]
                     for where in ("--street --frames 1", str(folder)))
    street.pop("ms"), files.pop("ms")
    assert street == files, (street, files)
    half = truth.copy()
    half[np.flatnonzero(np.isin(truth & 0xFFFF, GROUND))[::2]] = stixels.POINT_OBSTACLE
    for labels, recall in ((truth, 100), (half, 50)):
        save(folder / "other/00/000000.label", labels)
        total = counted(run_json(EVAL, f"{LIDAR} {folder} --labels {folder / 'other'}"))["total"]
        assert total["precision"] == 100 and abs(total["recall"] - recall) < .01, total
    save_lidar(folder, np.full_like(truth, 7 << 16 | BUILDING))
    total = counted(run_json(EVAL, LIDAR + str(folder)))["total"]
    assert total["precision"] == 0 and total["recall"] is None, total
    assert total["counted"] == len(truth), total


@in_folder
def scans_are_drawn(folder):
    """Two colours of what counts, or that of what does not; black where no point lies. x goes up, y
    to the left; what counts lies over what does not."""
    points, truth = save_lidar(folder)
    up, left = (np.floor(points[:, i].astype(float) * 10).astype(int) for i in range(2))
    seen = (np.abs(2 * up + 1) < 1000) & (np.abs(2 * left + 1) < 1000)
    place = 499 - up[seen], 499 - left[seen]

    def draw(labels):
        save_lidar(folder, labels.astype(np.uint32))
        run(EVAL, f"{LIDAR} {folder} --pictures {folder}")
        picture = png._read(folder / "00_000000.bin.png")
        assert picture.shape == (1000, 1000, 3), picture.shape
        drawn = np.zeros((1000, 1000), bool)
        drawn[place] = True
        assert (picture.any(axis=2) == drawn).all()
        return picture, {tuple(colour) for colour in picture[drawn].tolist()}
    road, building, ignored = (draw(np.full(len(truth), label))[1] for label in (ROAD, BUILDING, 0))
    assert (len(road), len(building), len(ignored)) == (2, 2, 1), (road, building, ignored)
    assert len(road | building | ignored) == 5, (road, building, ignored)
    mixed, _ = draw(np.where(np.arange(len(truth)) % 2, BUILDING, 0))
    odd = np.zeros((1000, 1000), bool)
    is_odd = (np.arange(len(truth)) % 2 == 1)[seen]
    odd[place[0][is_odd], place[1][is_odd]] = True
    assert not {tuple(colour) for colour in mixed[odd].tolist()} & ignored


@in_folder
def bad_scans_are_refused(folder):
    points, truth = save_lidar(folder)
    labels = folder / "sequences/00/labels/000000.label"
    count, command = len(truth), f"lidar {folder}"
    labels.write_bytes(truth.tobytes()[:-2])
    refuses(EVAL, [(command, f"has {4 * count - 2} bytes, but {count} points need {4 * count}")])
    (folder / "sequences/00/velodyne/000000.bin").write_bytes(points.tobytes()[:-3])
    refuses(EVAL, [(command, "bytes")])
    labels.unlink()
    refuses(EVAL, (
        (command, "looked for velodyne/*.bin with labels/*.label"),
        ("lidar /no/such/folder", "no scans in /no/such/folder"),
        ("lidar", "either a folder or --street"),
        ("lidar --street .", "either a folder or --street"),
        ("lidar a b", "one folder, please"),
        ("lidar --street --labels a", "--labels needs a folder"),
        ("lidar --street --protocol c", "--protocol=c: choose one of b, a"),
        ("lidar --street --backend gpu", "--backend=gpu: choose one of"),
        ("lidar --street --repeat 0", "--repeat=0"), ("lidar --street --frames -1", "--frames=-1"),
        ("lidar --street --threads 999", "--threads=999"),
        ("lidar --street --sectors 0", "sectors is 0, must be 1 to 4096"),
        ("lidar --street --r-min -1", "r_min is -1.0 m, must be 0 to 250 m"),
        ("lidar --street --r-max 0.5", "r_max"), ("lidar --street --beams 129", "beams"),
        ("lidar --street --beams 1 --frames 1 --pictures /dev/null/such", "/dev/null/such/")))


for check in (
        png_files_keep_their_values, broken_pictures_are_refused, reads_folders_like_kittis,
        names_what_a_folder_lacks, has_the_fields_as_options,
        takes_the_scores_of_a_network, counts_what_is_masked, stixels_agree_with_the_scan,
        sky_is_counted_and_drawn, bad_folders_are_refused, motion_is_compared_with_poses,
        hazards_are_known_or_false, every_point_is_counted, other_labels_are_judged,
        scans_are_drawn, bad_scans_are_refused):
    check()
    print(check.__name__)
