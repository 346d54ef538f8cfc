#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-fleet on a few recordings of the street: two workers write what one writes, what was killed
is done again, what is damaged is reported and stops nobody. With Dask (STX_DASK, a folder with its
programs) also workers that are killed, and the lines of docs/fleet.md for several machines.
"""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLEET = ROOT / "examples/stx-fleet/stx-fleet.py"
DASK = os.environ.get("STX_DASK")
SECONDS_MOST = 120
VIEW = "video/x-raw,width=320,height=96"
FOCAL, CX, CY, BASELINE = 185.6, 159.5, 43.92, .54
CALIBRATION = "".join(f"P{n}: {FOCAL} 0 {CX} {-FOCAL * BASELINE * (n % 2)} 0 {FOCAL} {CY} 0 0 0 1 "
                      "0\n" for n in range(4))


def gst(line):
    subprocess.run(["gst-launch-1.0", "-q", *shlex.split(line)], check=True)


def street(view, seed, frames):
    return f"street-scene-src view={view} seed={seed} num-buffers={frames} ! {VIEW}"


def record_pictures(folder, seed, frames):
    for view, name in (("left", "image_2"), ("right", "image_3")):
        (folder / name).mkdir(parents=True)
        gst(f"{street(view, seed, frames)} ! pngenc ! multifilesink "
            f"location={folder}/{name}/%06d.png")
    (folder / "calib.txt").write_text(CALIBRATION)


def record_matroska(path, seed, frames):
    gst(f"matroskamux name=mux ! filesink location={path} " + " ".join(
        f"{street(view, seed, frames)} ! videoconvert ! jpegenc ! queue ! mux.video_{n}"
        for n, view in enumerate(("left", "right"))))
    path.with_suffix(".txt").write_text(CALIBRATION)


def fleet_of(folder):
    """Two folders of pictures, one below another, and a file; the file is the longest."""
    record_pictures(folder / "monday" / "first", 1, 6)
    record_pictures(folder / "second", 2, 6)
    record_matroska(folder / "third.mkv", 3, 80)
    return ["monday/first", "second", "third.mkv"]


def command(*words, python="/usr/bin/python3"):
    return [python, str(FLEET), *map(str, words)]


def run(*words):
    return subprocess.run(command(*words), capture_output=True, text=True)


def pipelines(part):
    """Process ids of gst-launch-1.0 that write a file whose name begins so."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().split(b"\0")[0].endswith(b"gst-launch-1.0") and any(
                    os.readlink(file).startswith(part) for file in path.parent.glob("fd/*")):
                yield int(path.parent.name)


def wait_for(what, found):
    last = time.monotonic() + SECONDS_MOST
    while not (value := found()):
        assert time.monotonic() < last, f"no {what} after {SECONDS_MOST} s"
        time.sleep(.01)
    return value


def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.recordings = cls.folder / "recordings"
        cls.names = fleet_of(cls.recordings)
        cls.one = cls.folder / "one"
        first = run(cls.recordings, "--output", cls.one)
        assert first.returncode == 0, first.stdout + first.stderr
        assert "3 of 3 recordings are done, 92 frames now" in first.stdout, first.stdout

    def expect_same(self, output):
        self.assertEqual(sorted(str(path.relative_to(output)) for path in output.rglob("*")
                                if path.is_file()),
                         sorted(f"{name}{end}" for name in self.names
                                for end in (".done.json", ".jsonl")))
        for name in self.names:
            self.assertEqual((output / f"{name}.jsonl").read_bytes(),
                             (self.one / f"{name}.jsonl").read_bytes())

    def test_two_workers_write_what_one_writes(self):
        two = self.folder / "two"
        found = run(self.recordings, "--output", two, "--workers", 2, "--every", .05)
        self.assertEqual(found.returncode, 0)
        self.assertRegex(found.stdout, r"(?m)^  third.mkv: \d+ frames so far$")
        self.expect_same(two)
        again = run(self.recordings, "--output", two, "--threads", 1)
        self.assertIn("3 of 3 recordings are done, 0 frames now", again.stdout)

    def test_what_counts_as_done(self):
        folder, output = self.folder / "changing", self.folder / "changed"
        shutil.copytree(self.recordings / "second", folder / "second")
        lines = run(folder, "--output", output).stdout
        self.assertIn("1 of 1 recordings are done, 6 frames now", lines)
        done = "1 of 1 recordings are done, 0 frames now"
        # Other times of the same bytes.
        shutil.copy(self.recordings / "second/calib.txt", folder / "second/calib.txt")
        self.assertIn(done, run(folder, "--output", output).stdout)
        self.assertNotIn(done, run(folder, "--output", output, "--set", "paths=8").stdout)
        self.assertNotIn(done, run(folder, "--output", output).stdout)
        shutil.copy(self.recordings / "monday/first/image_2/000003.png",
                    folder / "second/image_2/000003.png")
        self.assertNotIn(done, run(folder, "--output", output).stdout)
        with open(output / "second.jsonl", "a") as file:
            file.write("more\n")
        self.assertNotIn(done, run(folder, "--output", output).stdout)
        self.assertIn(done, run(folder, "--output", output).stdout)

    def test_damaged_recordings_are_reported(self):
        folder, output = self.folder / "damaged", self.folder / "left"
        shutil.copytree(self.recordings, folder)
        (folder / "second/image_3/000005.png").unlink()
        data = (folder / "third.mkv").read_bytes()
        (folder / "third.mkv").write_bytes(data[:len(data) // 2])
        (folder / "endless.mkv").write_bytes(data[:4] + b"\xff" + data[5:])
        for size in (4, 6, 50):
            (folder / f"{size}.mkv").write_bytes(data[:size])
        shutil.copytree(self.recordings / "second", folder / "cut")
        picture = folder / "cut/image_2/000002.png"
        picture.write_bytes(picture.read_bytes()[:2000])
        shutil.copytree(self.recordings / "second", folder / "shape")
        (folder / "shape/calib.txt").write_text("P2: 1 2 3\n")
        found = run(folder, "--output", output, "--workers", 2)
        self.assertEqual(found.returncode, 1)
        for text in ("FAILED second: .*image_2 has 6 pictures, .*image_3 5",
                     "FAILED endless.mkv: .*its header is cut",
                     "FAILED third.mkv: .*the rest is missing",
                     "FAILED 4.mkv: .*/4.mkv: its header is cut",
                     "FAILED 6.mkv: .*/6.mkv: its header is cut",
                     "FAILED 50.mkv: .*/50.mkv: ",
                     "FAILED cut: .*frames came out of 6",
                     "FAILED shape: ERROR: .*calib.txt"):
            self.assertRegex(found.stderr, text)
        self.assertIn("1 of 9 recordings are done, 6 frames now", found.stdout)
        self.assertEqual((output / "monday/first.jsonl").read_bytes(),
                         (self.one / "monday/first.jsonl").read_bytes())
        self.assertEqual(list(output.rglob("*.part")), [])

    def test_pictures_named_by_times_are_of_the_same_times(self):
        folder = self.folder / "times"
        shutil.copytree(self.recordings / "second", folder)
        for view in "image_2", "image_3":
            for n, path in enumerate(sorted((folder / view).iterdir())):
                path.rename(path.with_name(f"{1403636579763555584 + n * 50000001}.png"))
        found = run(folder, "--output", self.folder / "timed")
        self.assertIn("1 of 1 recordings are done, 6 frames now", found.stdout)
        last = max((folder / "image_3").iterdir())
        last.rename(last.with_name(f"{int(last.stem) + 1}.png"))
        found = run(folder, "--output", self.folder / "timed")
        self.assertRegex(found.stderr, "only one of them has 1403636580013555589.png")

    def test_a_pipeline_that_is_killed_is_run_again(self):
        output = self.folder / "killed"
        with subprocess.Popen(command(self.recordings, "--output", output),
                              stdout=subprocess.PIPE, text=True) as process:
            part = f"{output}/.third.mkv"
            os.kill(wait_for("pipeline", lambda: next(pipelines(part), None)), signal.SIGKILL)
            lines = process.communicate()[0]
        self.assertEqual(process.returncode, 0)
        self.assertRegex(lines, r"third.mkv: 80 frames .*, try 2")
        self.expect_same(output)

    def test_names_mean_nothing_but_themselves(self):
        """Neither to gst-launch-1.0, to formats of numbers, nor to patterns of files."""
        folder, output, empty = (self.folder / name for name in (
            "odd\t!\tfilesink\tlocation=made\t", "odd %s * [x] out", "empty"))
        names = ["-plain", 'a"b\'c', "%d %n%s", "RESULT=LINKS", "*", "new\nline ü \\ \udcff",
                 "x\t!\tfilesink\tlocation=made", "x ! filesink location=made"]
        for name in names:
            shutil.copytree(self.recordings / "second", folder / name)
        for path in (folder / "*").glob("image_?/*.png"):
            path.rename(path.with_name(f"-%s\t!\n\"{path.name}"))
        shutil.copy(self.recordings / "second/calib.txt", folder / "cut.txt")
        (folder / 'a %d "b.mkv').write_bytes((self.recordings / "third.mkv").read_bytes()[:99])
        empty.mkdir()
        found = subprocess.run(command(folder, "--output", output, "--workers", 2),
                               capture_output=True, text=True, errors="replace", cwd=empty)
        self.assertIn(f"{len(names)} of {len(names) + 1} recordings are done, "
                      f"{6 * len(names)} frames now", found.stdout + found.stderr)
        self.assertIn('a %d "b.mkv: ', found.stderr)
        self.assertEqual(list(empty.iterdir()), [])
        self.assertEqual(sorted(path.name for path in output.iterdir()),
                         sorted(name + end for name in names for end in (".done.json", ".jsonl")))
        for name in names:
            self.assertEqual((output / f"{name}.jsonl").read_bytes(),
                             (self.one / "second.jsonl").read_bytes())

    def test_messages_name_files_as_users_do(self):
        folder = self.folder / "named"
        shutil.copytree(self.recordings / "second", folder / "x ! y")
        (folder / "x ! y/calib.txt").write_text("P2: 1 2 3\n")
        found = run(folder, "--output", self.folder / "unnamed", "--set", "sgm::p1=8")
        self.assertIn(f"{folder}/x ! y/calib.txt", found.stderr)
        self.assertNotIn("/proc/", found.stderr)
        odd = 'a ! "b\t=LINKS/'
        found = run(folder, "--output", self.folder / "unnamed", "--set", f"calibration={odd}")
        self.assertIn(odd.replace("\t", "?"), found.stderr)  # no control character is repeated

    def test_the_folder_in_which_one_stands(self):
        subprocess.run(command(".", "--output", self.folder / "here"), check=True,
                       cwd=self.recordings / "second")
        self.assertEqual((self.folder / "here/second.jsonl").read_bytes(),
                         (self.one / "second.jsonl").read_bytes())

    def test_what_cannot_be_run(self):
        for words, text in (((self.folder / "nothing",), "there is no such file"),
                            ((self.one,), "no recordings in"),
                            ((self.recordings, "--workers", 0), "are 1 or more"),
                            ((self.recordings, "--set", "! fakesink"), "say PROPERTY=VALUE"),
                            ((self.recordings, "--engine", "dask"), "pip install dask")):
            found = run(*words, "--output", self.folder / "none")
            self.assertNotEqual(found.returncode, 0)
            self.assertIn(text, found.stderr)

    def test_the_lines_of_the_page(self):
        for line in page_lines("Recordings", "A fleet's recordings"):
            words = ["/usr/bin/python3", str(FLEET), *shlex.split(line)[1:]]
            self.assertEqual(subprocess.run(words, cwd=self.folder).returncode, 0)
        self.expect_same(self.folder / "stixels")

    @unittest.skipUnless(DASK, "STX_DASK is not set: no Dask from PyPI")
    def test_a_worker_that_is_killed(self):
        output = self.folder / "dask"
        words = command(self.recordings, "--output", output, "--workers", 2, "--engine", "dask",
                        python=f"{DASK}/python")
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            pipeline = wait_for("pipeline", lambda: next(pipelines(f"{output}/.third.mkv"), None))
            worker = parent_of(pipeline)
            self.assertNotEqual(worker, process.pid)
            os.kill(worker, signal.SIGKILL)
            wait_for("end of what it has started",
                     lambda: pipeline not in pipelines(f"{output}/.third.mkv"))
            process.communicate()
        self.assertEqual(process.returncode, 0)
        self.expect_same(output)

    @unittest.skipUnless(DASK, "STX_DASK is not set: no Dask from PyPI")
    def test_several_machines(self):
        """Both are this one."""
        _, scheduler, worker, fleet = page_lines("Several machines")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]

        def words(line):
            line = line.replace("192.168.1.20", "127.0.0.1").replace("8786", str(port))
            line = line.replace("fleet/bin", DASK).replace("$(command -v stx-fleet)", str(FLEET))
            return shlex.split(line)

        with contextlib.ExitStack() as stack:
            for line in (scheduler, worker, worker):
                process = subprocess.Popen(words(line), cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                stack.callback(process.wait)
                stack.callback(process.terminate)
                if line == scheduler:
                    wait_for("scheduler", lambda: listens(port))
            shutil.rmtree(self.folder / "stixels", ignore_errors=True)
            self.assertEqual(subprocess.run(words(fleet), cwd=self.folder).returncode, 0)
        self.expect_same(self.folder / "stixels")


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def page_lines(*headings):
    """Lines of docs/fleet.md for the shell."""
    text = (ROOT / "docs/fleet.md").read_text()
    found = [line for heading in headings
             for body in re.findall(rf"^##? {re.escape(heading)}\n(.*?)(?=^##? |\Z)", text,
                                    re.S | re.M)
             for block in re.findall(r"^```sh\n(.*?)^```", body, re.S | re.M)
             for line in block.splitlines()]
    assert found, headings
    return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
