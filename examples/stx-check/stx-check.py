#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Says whether two views can be a stereo pair.

LEFT and RIGHT are PNG files, folders of these, patterns such as left-%04d.png, or videos and JPEGs,
which gst-launch-1.0 decodes: the first 300 pictures are looked at. Where the views cannot be a
rectified pair, it says why (swapped, not rectified, of two scales or moments, covered, twice the
same), and tries what would put it right; with the calibration of the camera, as stereo-rectify and
stereo-sgm read it, that, too; SECOND is the second file of one that has two.
"""
import argparse
import pathlib
import shlex
import sys

# Behind PYTHONPATH: where it is installed, the package lies there, too.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)

PLAUSIBLE, IMPLAUSIBLE, USAGE, UNKNOWN = range(4)  # exit status
PAIRS = 20  # looked at, unless the user says another number
TRIED = 5  # of each attempt
MOMENTS = 20  # tried to either side
PROVEN = 3, .8  # pairs at least, and their share, that prove a moment


class Check:
    def __init__(self, options):
        import files
        import look  # needs NumPy and the library, --help does not
        self.options, self.look = options, look
        self.paths = [files.paths_of(view) for view in (options.left, options.right)]
        if rates := files.match_rates(self.paths):
            print(f"the videos have {float(rates[0]):.4g} and {float(rates[1]):.4g} pictures a "
                  "second: those of one time are compared")
        self.calibration = self.read_calibration() if options.calibration else None

    def read_calibration(self):
        """One of real lenses is kept for an attempt; one of a rectified pair is only read."""
        path, second = self.options.calibration, self.options.second
        if second or self.look.is_calibration(path):
            return self.look.stixels.read_calibration(path, second)
        camera, note = self.look.camera_of(path, self.paths[0][0])
        print(f"calibration: focal length {camera.focal:g} px, baseline {camera.baseline:g} m: a "
              f"rectified pair's{note and '; '}{note}")
        return None

    # ---- Attempts --------------------------------------------------------------------------------

    def helps(self, **attempt):
        """Would they be plausible?"""
        try:
            found = self.look.look(self.paths, self.options.max_disparity, TRIED, **attempt)
        except self.look.FAULTS:
            return False
        return found.pairs > 0 and found.verdict == "plausible"

    def try_rows(self, rows, swap=False):
        if rows and self.helps(rows=rows, swap=swap):
            print(f"tried: plausible {'when exchanged, and ' * swap}with the right view "
                  f"{abs(rows)} rows {'higher' if rows > 0 else 'lower'}: rectify, see "
                  "docs/calibration.md")

    def try_swapped(self, rows):
        if self.helps(swap=True):
            print(f"tried: plausible when exchanged: {self.options.right} is the left view, "
                  f"{self.options.left} the right one")
        else:
            self.try_rows(-rows, swap=True)

    def try_moment(self, later):
        """By all pairs that are left: some look plausible of a wrong moment, too."""
        if not later or not self.helps(later=later):
            return False
        found = self.look.look(self.paths, self.options.max_disparity, PAIRS, later=later)
        good, known = found.seen_as["plausible"], found.pairs - found.seen_as["unknown"]
        if good < max(PROVEN[0], PROVEN[1] * known):
            return False
        print(f"tried: plausible with each right picture {self.moments(later)}, in {good} of "
              f"{found.pairs} pairs: drop the first "
              f"{abs(later)} of the {'right' if later > 0 else 'left'} ones")
        return True

    def moments(self, later):
        rate = self.paths[0].rate
        seconds = f" ({abs(float(later / rate)):.2f} s)" if rate else ""
        return f"{abs(later)} pictures{seconds} {'later' if later > 0 else 'earlier'}"

    def try_moments(self):
        if min(map(len, self.paths)) == 1:
            print("not tried: other moments; give videos or folders of numbered pictures")
            return
        lag, within = self.look.lag_of(self.paths)
        likely = (lag, lag - 1, lag + 1) if lag else ()
        near = (k * side for k in range(1, MOMENTS + 1) for side in (-1, 1))
        if any(self.try_moment(later) for later in (*likely, *near)):
            return
        print("tried: other moments: none is proven" + (
            f"; the motion in both fits best with each right picture {self.moments(lag)}, which "
            f"may be wrong by {within}" if lag else ""))

    def tell_next(self, calibrated):
        """With the names of this call, to be pasted into a shell."""
        options = self.options
        if not calibrated:
            left, right, camera = map(shlex.quote, (options.left, options.right, "camera.yml"))
            print(f"next, if the cameras move and turn in these pictures: stx-calibrate {left} "
                  f"{right} --baseline METRES -o {camera} && stx-check {left} {right} {camera}\n"
                  "or record a chessboard with both: stx-calibrate left.mkv right.mkv --board 9x6 "
                  f"--square 0.025 -o {camera}")
            return
        names = [view if paths.decoded else paths[0]
                 for view, paths in zip((options.left, options.right), self.paths)]
        left, right = (f"filesrc location={shlex.quote(name)} ! "
                       f"{'decodebin' if paths.decoded else 'pngdec'} ! "
                       for name, paths in zip(names, self.paths))
        second = f" calibration-right={shlex.quote(options.second)}" if options.second else ""
        print("next: gst-launch-1.0 stereo-stixels name=stixels "
              f"calibration={shlex.quote(options.calibration)}{second} ! videoconvert ! pngenc ! "
              f"filesink location=stixels.png {left}stixels.sink_left {right}stixels.sink_right")

    def try_calibration(self, verdict):
        helped = self.calibration is not None and self.helps(rectify=self.calibration)
        if self.calibration is not None:
            cure = ("plausible: put stereo-rectify with this file before stereo-sgm" if helped else
                    "no better: is the file of another camera, or of another unit?")
            print(f"tried: rectified by {self.options.calibration} ({self.calibration.format}) "
                  f"they are {cure}")
        if helped or verdict in ("rows", "unrectified"):
            self.tell_next(helped)

    def try_all(self, found):
        rows = found.finding.evidence.model.shift
        if found.verdict == "swapped":
            self.try_swapped(rows)
        if found.verdict == "rows":
            self.try_rows(rows)
        if found.verdict in ("moment", "scaled", "unrelated"):
            self.try_moments()
        if found.verdict == "unrectified":
            pitch, roll = self.look.angles_of(found.finding)
            print(f"measured: pitch {pitch:.1f} degrees for a focal length of "
                  f"{found.finding.width} px, the width, or principal points "
                  f"{found.finding.evidence.geometry.shift:.0f} rows apart; roll {roll:.1f} "
                  "degrees; lenses that bend lines hide the yaw")
        if found.verdict not in ("dark-left", "dark-right", "blank", "same"):
            self.try_calibration(found.verdict)

    # ---- The result ------------------------------------------------------------------------------

    def run(self):
        """The exit status."""
        found = self.look.look(self.paths, self.options.max_disparity, self.options.pairs)
        seen = "".join(f" {count} {name}" for name, count in found.seen_as.items() if count)
        print(f"{found.pairs} {'pair' if found.pairs == 1 else 'pairs'}:{seen}")
        print(self.look.text_of(found.finding))
        if found.verdict == "unknown":
            return UNKNOWN
        if found.verdict != "plausible":
            self.try_all(found)
            return IMPLAUSIBLE
        print(f"range: max-disparity={found.range.max_disparity}")
        if found.range.infinity:
            print("infinity: infinitely far things have a disparity of "
                  f"{found.range.infinity} px: the cameras look apart, or their principal points "
                  "differ; stereo-sgm counts from there (disparity-at-infinity)")
        return PLAUSIBLE


def parse():
    parser = argparse.ArgumentParser(
        "stx-check", "%(prog)s [OPTION…] LEFT RIGHT [CALIBRATION [SECOND]]", __doc__,
        "Exit status: 0 plausible, 1 not, 2 wrong arguments or files, 3 nothing can be said.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max-disparity", type=int, default=128, metavar="N",
                        help="largest disparity, pixels (128)")
    parser.add_argument("--pairs", type=int, default=PAIRS, metavar="N",
                        help=f"look at so many pairs at most ({PAIRS})")
    parser.add_argument("--calibration", metavar="FILE", help="the same as CALIBRATION")
    parser.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    release.add_version(parser)
    options = parser.parse_intermixed_args()
    if options.calibration:
        options.files.insert(2, options.calibration)
    if not 2 <= len(options.files) <= 4:
        parser.error("give LEFT and RIGHT, and perhaps a calibration (see --help)")
    if not 2 <= options.max_disparity <= 256:
        parser.error(f"--max-disparity={options.max_disparity}: expected 2 to 256")
    if options.pairs < 1:
        parser.error(f"--pairs={options.pairs}: expected at least 1")
    options.left, options.right, options.calibration, options.second = [
        *options.files, None, None][:4]
    return options


def main():
    options = parse()
    try:
        from look import FAULTS
    except ImportError as error:
        release.refuse(str(error), "NumPy and the library stixels", "numpy", USAGE)
    try:
        sys.exit(Check(options).run())
    except (*FAULTS, MemoryError) as error:
        print(f"stx-check: {error}", file=sys.stderr)
        sys.exit(USAGE)


if __name__ == "__main__":
    main()
