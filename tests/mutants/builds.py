# SPDX-License-Identifier: LGPL-2.1-or-later
"""A copy of the tree, its build folders, and the tests in them."""
import collections
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

Test = collections.namedtuple("Test", "name suite priority command env targets")

QUICK = ["-Dtests=enabled", "-Dexamples=disabled", "-Ddocs=disabled", "-Dcpu-variants=base",
         "-Doptimization=1", "-Ddebug=false", "-Dwarning_level=0", "-Dcuda-archs=none"]
# Name: options, and the suites that are run, in this order; of suite docs only EXTRA.
KINDS = {
    "cpu": (QUICK + ["-Dcuda=disabled"], ["common", "gst", "fuzz", "frames", "pipeline", "docs"]),
    # Its tests take long: for what is in gst/ alone.
    "cuda": (QUICK, ["gst", "fuzz", "frames", "pipeline", "docs"]),
    # Sees what changes no result: memory that leaks, or is read beyond its end.
    "asan": (QUICK + ["-Dcuda=disabled", "-Db_lundef=false", "-Db_sanitize=address,undefined"],
             ["common", "gst", "fuzz"]),
}
EXTRA = {"docs/pages"}  # ranges and defaults are what the pages state
PLENTY = 300  # seconds for a test of which nothing is known
SKIPPED = 77 # an exit status: what the test needs is not there
SLOWER = 6  # one that takes so many times its time hangs
LARGEST_FILE = 2 << 30  # a mutant shall not fill the disk
OUTPUT = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True,
          "errors": "replace", "stdin": subprocess.DEVNULL}


class Broken(Exception):
    """A fault of no mutant: a build or a test of the unchanged tree fails."""


def copy_tree(root, tree):
    """Brings the tree to what git lists in the root, with new times where content differs."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=root,
                            check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for path in [path for path in tree.rglob("*") if path.is_file()]:
        name = path.relative_to(tree)
        if str(name) not in names and not name.parts[0].startswith("build-"):
            path.unlink()
    for name in names:
        source, target = root / name, tree / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def stop(process):
    """Ends a test and what it started: Check's children have groups of their own, and a handler
    in their parent ends them."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
    process.wait()


def restrain():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


class Build:
    """One build folder of a tree."""

    def __init__(self, tree, name):
        self.name, self.tree, self.folder = name, tree, tree / f"build-{name}"
        self.scratch = tree.parent / f"tmp-{name}"
        self.tests, self.made, self.hashes, self.seconds = {}, {}, {}, {}
        self.trusted, self.touched = set(), False

    def set_up(self):
        """Configures and builds everything, and learns what there is."""
        if not (self.folder / "build.ninja").exists():
            self.must("meson", "setup", str(self.folder), *KINDS[self.name][0])
        self.must("ninja", "-C", str(self.folder))
        self.tests = {test.name: test for test in self.read_tests()}
        self.made = self.read_made()
        self.hashes = {name: self.hash_of(name) for path in self.made
                       for name in self.objects(path)}
        # It writes down for the others what plugins there are.
        self.vouch(self.tests["gst/registry"])

    def must(self, *command):
        env = dict(os.environ, CCACHE_DISABLE="1")
        done = subprocess.run(command, cwd=self.tree, env=env, **OUTPUT)
        if done.returncode:
            raise Broken(f"{' '.join(command)}:\n{done.stdout[-4000:]}")

    def introspect(self, what):
        return json.loads((self.folder / "meson-info" / f"intro-{what}.json").read_text())

    def read_tests(self):
        files = {target["id"]: target["filename"] for target in self.introspect("targets")}
        for test in self.introspect("tests"):
            suite = test["suite"][0].split(":")[-1]
            name = f"{suite}/{test['name']}"
            if suite in KINDS[self.name][1] and (suite != "docs" or name in EXTRA):
                targets = [os.path.relpath(file, self.folder) for needed in test["depends"]
                           for file in files[needed]]
                yield Test(name, suite, test["priority"], test["cmd"], test["env"],
                           targets)

    def read_made(self):
        """{source file: what is compiled from it}."""
        listed = subprocess.run(["ninja", "-C", str(self.folder), "-t", "deps"], check=True,
                                capture_output=True, text=True).stdout
        made = collections.defaultdict(set)
        output = None
        for line in listed.split("\n"):
            if line.startswith("    ../"):
                made[os.path.normpath(line.strip()[3:])].add(output)
            elif line and not line.startswith(" "):
                output = line.split(":")[0]
        return made

    def objects(self, path):
        """Those of the product that are made from a file."""
        return sorted(name for name in self.made.get(path, ()) if not name.startswith("tests/"))

    def hash_of(self, name):
        return hashlib.sha256((self.folder / name).read_bytes()).hexdigest()

    def ninja(self, targets):
        """Whether the targets could be made."""
        self.touched = True
        done = subprocess.run(["ninja", "-C", str(self.folder), *targets], **OUTPUT,
                              env=dict(os.environ, CCACHE_DISABLE="1"))
        return done.returncode == 0

    def compiled_otherwise(self, path):
        """None: it does not compile; else whether any object differs from the unchanged one."""
        names = self.objects(path)
        if not self.ninja(names):
            return None
        return any(self.hash_of(name) != self.hashes[name] for name in names)

    def forget(self, path):
        """Has everything made anew from a file that is again as it was."""
        if self.touched:
            for name in self.made.get(path, ()):
                (self.folder / name).unlink(missing_ok=True)
        self.touched = False

    def passes(self, test, limit):
        """Builds what a test needs and runs it: "", or what went wrong."""
        if not self.ninja(test.targets):
            return "build"
        self.scratch.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        env = {**os.environ, **test.env, "TMPDIR": str(self.scratch),
               "CK_DEFAULT_TIMEOUT": str(int(limit) + 1), "MALLOC_PERTURB_": "165"}
        process = subprocess.Popen(test.command, env=env, cwd=self.folder, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=restrain)
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            stop(process)
            return "hangs"
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
        if status == 0:
            seconds = time.monotonic() - begin
            self.seconds[test.name] = min(seconds, self.seconds.get(test.name, seconds))
        return "" if status in (0, SKIPPED) else "fails"

    def vouch(self, test):
        """A test that kills must pass where nothing is changed: now, or the second time."""
        if test.name not in self.trusted:
            if self.passes(test, PLENTY) and self.passes(test, PLENTY):
                raise Broken(f"{self.name}: {test.name} fails without any change")
            self.trusted.add(test.name)

    def fails_twice(self, test, limit):
        """The fault that a test finds, "" for none: a busy machine may make one fail once."""
        wrong = self.passes(test, limit)
        return self.passes(test, limit) if wrong == "fails" else wrong

    def limit(self, test, least):
        """Seconds after which a test hangs."""
        return max(least, SLOWER * self.seconds.get(test.name, 0))

    def in_order(self, path):
        """The tests that may see a change in the file: the nearest first, the long ones last."""
        suites = [suite for suite in KINDS[self.name][1]
                  if not (suite == "common" and path.startswith("gst/"))]
        ranks = {name: (not is_near(path, name), suites.index(test.suite), test.priority, name)
                 for name, test in self.tests.items() if test.suite in suites}
        return [self.tests[name] for name in sorted(ranks, key=ranks.get)]


def squashed(name):
    return re.sub(r"[-_]", "", name)


def word_of(path):
    """The part of the names of this file's tests: a stem, or an element."""
    parts = pathlib.PurePath(path).parts
    if parts[0] == "common":
        return squashed(parts[1].split(".")[0])
    name = squashed(parts[-1].split(".")[0])
    return re.sub(r"^gst|(stage|views|settings|private)$", "", name)


def is_near(path, name):
    word = word_of(path)
    return word != "" and word in squashed(name.split("/")[1])
