# SPDX-License-Identifier: LGPL-2.1-or-later
"""The work on a recording: gst-launch-1.0 in a process of its own, so that whatever
crashes costs this recording. Needs nothing but Python: an engine sends this file to its workers."""
import contextlib
import glob
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

TRIES = 3  # of a recording whose process was killed


def digest(job):
    """Returns the digest of all that decides the result: bytes of the recording and of its
    calibration, and what is done with them."""
    total = hashlib.sha256(json.dumps([job["settings"], job["version"]]).encode())
    for name in job["links"].values():
        with open(name, "rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def stamps(job):
    """Sizes and times of the files: while they stay, so does the digest."""
    return [[name, os.stat(name).st_size, os.stat(name).st_mtime_ns]
            for name in job["links"].values()]


def paths_of(job):
    base = pathlib.Path(job["output"], job["name"])
    return base.with_name(base.name + ".jsonl"), base.with_name(base.name + ".done.json")


def is_done(job):
    """Whether its result is there, and what is there is that of these bytes and settings."""
    result, done = paths_of(job)
    try:
        known = json.loads(done.read_text())
        same = known["settings"] == job["settings"] and known["version"] == job["version"]
        if not same or result.stat().st_size != known["bytes"]:
            return False
        return known["stamps"] == stamps(job) or known["digest"] == digest(job)
    except (OSError, ValueError, KeyError):
        return False


def write_whole(path, text):
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(text)
    os.replace(part, path)


def message_of(log):
    """The element's message, in a line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for n, line in enumerate(lines):
        if line.startswith(("ERROR", "WARNING: erroneous pipeline")):
            return " ".join(lines[n:n + 4]).replace("Additional debug info: ", "")[:500]
    return " ".join(lines[-3:])[:500] or "no message"


@contextlib.contextmanager
def folder_of(links):
    """An open folder with these links, to all that a pipeline reads and writes: within a launch
    line, the name of a file could say anything."""
    with tempfile.TemporaryDirectory() as folder:
        for name, target in links.items():
            link = pathlib.Path(folder, name)
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(target)
        number = os.open(folder, os.O_RDONLY)
        try:
            yield number
        finally:
            os.close(number)


def launch(job, links, number):
    """Runs the pipeline on the links in that open folder: its exit status, below 0 for a signal,
    and log."""
    folder = f"/proc/self/fd/{number}/"
    words = [re.sub("^([a-z:]+=)LINKS/", rf"\1{folder}", word) for word in job["pipeline"]]
    # The processes of the worker end with it.
    process = subprocess.run(["setpriv", "--pdeathsig", "KILL", "gst-launch-1.0", "-q", *words],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", pass_fds=[number])
    log = re.sub(rf"{folder}([\w/]+(\.\w+)?)",
                 lambda found: links.get(found[1], found[0]), process.stdout)
    return process.returncode, log


def compute(job):
    """The result in place, and numbers about it; or the reason why there is none, a text."""
    try:
        return computed(job)
    except Exception as error:  # whatever it is costs this recording
        return str(error) or type(error).__name__


def computed(job):
    result, done = paths_of(job)
    result.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    part = result.with_name(f".{result.name}.{os.uname().nodename}.{os.getpid()}.part")
    try:
        links = {**job["links"], "result": str(part)}
        with folder_of(links) as folder:
            for attempt in range(TRIES):
                status, log = launch(job, links, folder)
                if status >= 0:
                    break
        if status < 0:
            raise RuntimeError(f"killed {TRIES} times, by {signal.Signals(-status).name}")
        if status > 0:
            raise RuntimeError(message_of(log))
        with open(part, "rb") as file:
            frames = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
        if frames == 0 or job["frames"] not in (None, frames):
            raise RuntimeError(f"{frames} frames came out of {job['frames'] or 'it'}: "
                               f"{message_of(log)}")
        known = {"digest": digest(job), "stamps": stamps(job), "settings": job["settings"],
                 "version": job["version"], "frames": frames, "bytes": part.stat().st_size}
        os.replace(part, result)
        write_whole(done, json.dumps(known, indent=1) + "\n")
        # By workers that were killed.
        for left in result.parent.glob(glob.escape(f".{result.name}.") + "*.part"):
            left.unlink(missing_ok=True)
        return {"frames": frames, "seconds": time.monotonic() - begin, "tries": attempt + 1}
    finally:
        part.unlink(missing_ok=True)
