#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Computes the stixels of many recordings, several at a time, on this machine or on many.

    stx-fleet RECORDINGS… --output FOLDER
    stx-fleet RECORDINGS… --output FOLDER --workers 4 --set max-disparity=64
    stx-fleet RECORDINGS… --output FOLDER --scheduler tcp://192.168.1.20:8786

A recording is a folder with numbered pictures (image_2 and image_3, …, or left and right), one with
left.mp4 and right.mp4, or a Matroska file with two videos; folders are searched for them. Its
calibration lies beside it, or is given by --calibration. Each becomes FOLDER/NAME.jsonl, a line of
JSON per frame. What is there already, of the same bytes and settings, is not computed again.

The exit status is 1 if a recording failed; what failed, and why, stands at the end.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
import branch_options  # noqa: E402
import engines  # noqa: E402
import recordings  # noqa: E402
import release  # noqa: E402
import work  # noqa: E402


def version():
    """Returns the plugin's version, which is part of what decides a result."""
    found = subprocess.run(["gst-inspect-1.0", "stixels"], capture_output=True, text=True).stdout
    lines = [line.split()[-1] for line in found.splitlines() if line.split()[:1] == ["Version"]]
    if not lines:
        sys.exit("stx-fleet: GStreamer does not find the plugin stixels: set GST_PLUGIN_PATH")
    return lines[0]


def job_of(recording, options, plugin):
    """No name of a file or folder stands in the words: they name links."""
    left, right, links, frames = recording.sources(options.rate)
    calibration = options.calibration or recording.calibration()
    if calibration is None:
        raise recordings.Unusable(f"{recording.path}: no calibration beside it "
                                  f"({', '.join(recordings.CALIBRATIONS)}), and no --calibration")
    key = "sgm::calibration" if calibration.name == recordings.RAW else "calibration"
    settings = ["output=json", *options.set]
    stixels = ["stereo-stixels", "name=stixels", f"{key}=LINKS/calibration",
               f"threads={options.threads}", *settings, "!", "filesink", "location=LINKS/result"]
    links = {name: str(path) for name, path in links.items()} | {"calibration": str(calibration)}
    return {"name": recording.name, "output": str(pathlib.Path(options.output).resolve()),
            "pipeline": [*stixels, *left, "!", "stixels.sink_left",
                         *right, "!", "stixels.sink_right"],
            "settings": [*settings, f"rate={options.rate}"], "version": plugin, "frames": frames,
            "links": links}


class Progress:
    def __init__(self, count):
        self.count, self.done, self.failures, self.frames = count, 0, {}, 0
        self.begin, self.ended = time.monotonic(), threading.Event()

    def tell(self, job, outcome):
        self.done += 1
        head = f"[{self.done}/{self.count}] {job['name']}: "
        if isinstance(outcome, str):
            self.failures[job["name"]] = outcome
            print(f"{head}FAILED", flush=True)
            return
        self.frames += outcome["frames"]
        again = f", try {outcome['tries']}" if outcome["tries"] > 1 else ""
        print(f"{head}{outcome['frames']} frames in {outcome['seconds']:.1f} s{again}; "
              f"all workers {self.rate():.1f} frames/s", flush=True)

    def watch(self, output, seconds):
        """Says now and then how far the recordings are that are being computed; a thread."""
        seen = {}
        while not self.ended.wait(seconds):
            for part in pathlib.Path(output).rglob(".*.part"):
                with contextlib.suppress(OSError), open(part, "rb") as file:
                    at, frames = seen.get(part, (0, 0))
                    file.seek(at)
                    new = file.read()
                    seen[part] = at + len(new), frames + new.count(b"\n")
                    name = part.relative_to(output).as_posix().replace("/.", "/").lstrip(".")
                    name = name.split(".jsonl.")[0]
                    print(f"  {name}: {seen[part][1]} frames so far", flush=True)

    def rate(self):
        return self.frames / (time.monotonic() - self.begin)

    def skip(self, job):
        self.done += 1
        print(f"[{self.done}/{self.count}] {job['name']}: is done", flush=True)

    def end(self):
        self.ended.set()
        for name, reason in sorted(self.failures.items()):
            print(f"FAILED {name}: {reason}", file=sys.stderr)
        print(f"{self.count - len(self.failures)} of {self.count} recordings are done, "
              f"{self.frames} frames now, {self.rate():.1f} frames/s", flush=True)
        return 1 if self.failures else 0


def run(options):
    found = recordings.find(options.recordings)
    if not found:
        sys.exit(f"stx-fleet: no recordings in {' '.join(options.recordings)}")
    progress, plugin, jobs = Progress(len(found)), version(), []
    for recording in found:
        try:
            job = job_of(recording, options, plugin)
        except Exception as error:  # whatever it is costs this recording alone
            progress.tell({"name": recording.name}, str(error) or type(error).__name__)
            continue
        if work.is_done(job):
            progress.skip(job)
        else:
            jobs.append(job)
    threading.Thread(target=progress.watch, args=(options.output, options.every),
                     daemon=True).start()
    if jobs and (options.scheduler or options.engine == "dask"):
        engines.dask(jobs, options.workers, progress.tell, options.scheduler)
    elif jobs:
        engines.local(jobs, options.workers, progress.tell)
    return progress.end()


def main():
    parser = release.parser_of("stx-fleet", __doc__)
    add = parser.add_argument
    add("recordings", nargs="+", help="files, or folders that are searched")
    add("--output", required=True, help="folder of the results")
    add("--workers", type=int, default=1, help="recordings at a time; default: %(default)s")
    add("--threads", type=int, default=0, help="of each pipeline; 0: the cores, shared by workers")
    add("--engine", choices=("local", "dask"), default="local", help="default: %(default)s")
    add("--scheduler", help="of a Dask cluster, as tcp://192.168.1.20:8786")
    add("--calibration", type=lambda name: pathlib.Path(name).resolve(),
        help="of all recordings; default: what lies beside each")
    add("--rate", type=int, default=10, help="pictures per second of folders; default: %(default)s")
    add("--every", type=float, default=10, metavar="SECONDS",
        help="how often to say how far recordings are; default: %(default)s")
    add("--set", type=branch_options.setting, action="append", default=[], metavar="PROPERTY=VALUE",
        help="of stereo-stixels or its parts, as sgm::p1=8; may be repeated")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    if options.workers < 1 or options.threads < 0 or options.rate < 1:
        parser.error("--workers and --rate are 1 or more, --threads 0 or more")
    options.threads = options.threads or max(1, (os.cpu_count() or 1) // options.workers)
    try:
        return run(options)
    except (recordings.Unusable, engines.Missing) as error:
        sys.exit(f"stx-fleet: {error}")


if __name__ == "__main__":
    sys.exit(main())
