#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the tests see it when the code does something else?

Changes one small thing in common/ or gst/ at a time (candidates.py says what), builds it in a copy
of the tree, and runs the tests, the nearest first, until one fails or hangs: that kills the mutant.
What passes all tests is tried with the address sanitizer, on the nearest tests. What does not
compile, and what compiles to the same code, is no mutant: another one is drawn.

Prints a line per mutant, and at last "N mutants, K killed, S survived, P %", P without those that
equivalent.txt explains. Exit status 1 if P is below 95, 2 if the unchanged tree fails.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import builds
import candidates

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WANTED = 95

Verdict = collections.namedtuple("Verdict", "mutant result by")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="mutants (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="another one draws others (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time, a tree each")
    parser.add_argument("--only", metavar="GLOB", help="files, as 'common/sgm/*'")
    parser.add_argument("--list", action="store_true", help="print the candidates and stop")
    parser.add_argument("--time-limit", type=float, default=10, metavar="SECONDS",
                        help=f"a test that takes longer, and {builds.SLOWER} times what it takes "
                             "unchanged, hangs (default 10)")
    parser.add_argument("--near", action="store_true",
                        help="a first look: only tests of that stem or element, if there are any, "
                             "and no sanitizer")
    parser.add_argument("--minutes", type=float, default=float("inf"),
                        help="begin no more mutants after that; --resume goes on")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-mutants",
                        help="trees and builds (default build-mutants)")
    parser.add_argument("--report", type=pathlib.Path, help="what was found, for --resume "
                        "(default report.jsonl in the folder)")
    parser.add_argument("--resume", action="store_true",
                        help="believe the report")
    parser.add_argument("--again", action="store_true",
                        help="with --resume: try again what survived and is not explained")
    return parser.parse_args()


# ---- What there is to mutate --------------------------------------------------------------------

def sources(only):
    listed = subprocess.run(["git", "ls-files", "common", "gst"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    return [path for path in listed if path.endswith((".c", ".h"))
            and (only is None or fnmatch.fnmatch(path, only))]


def all_mutants(paths):
    return {path: candidates.of_text(path, (ROOT / path).read_text()) for path in paths}


def read_explained():
    """[(path, function, line before, line after)] of equivalent.txt, which says how to write it."""
    entries, place, before = [], (), ""
    for line in (HERE / "equivalent.txt").read_text().split("\n"):
        if line.startswith(("common/", "gst/")):
            place = tuple((line + " ").split(" ")[:2])
        elif line.startswith("- "):
            before = line[2:].strip()
        elif line.startswith("+ "):
            entries.append((*place, before, line[2:].strip()))
    return entries


def change(mutant):
    function = candidates.function_at((ROOT / mutant.path).read_text(), mutant.line)
    return mutant.path, function, mutant.before.strip(), mutant.after.strip()


class Draw:
    """Mutants file by file, in an order that depends on the seed and the file alone."""

    def __init__(self, mutants, seed):
        self.lock = threading.Lock()
        self.orders = {path: candidates.in_drawn_order(group, seed)
                       for path, group in mutants.items()}

    def next_of(self, path):
        with self.lock:
            return next(self.orders[path], None)


# ---- One mutant ---------------------------------------------------------------------------------

def near_tests(path, tests):
    return [test for test in tests if builds.is_near(path, test.name)]


class Job:
    """A tree of its own, and what is tried in it."""

    def __init__(self, folder, options):
        self.tree, self.options, self.killer = folder / "tree", options, None
        self.builds = {name: builds.Build(self.tree, name) for name in builds.KINDS}

    def set_up(self):
        self.tree.mkdir(parents=True, exist_ok=True)
        builds.copy_tree(ROOT, self.tree)
        for name, build in self.builds.items():
            if name != "asan" or not self.options.near:
                build.set_up()

    def build_of(self, path):
        """Where a file is compiled: what is in gst/ with the GPU's code where there is nvcc."""
        names = ["cuda", "cpu"] if path.startswith("gst/") else ["cpu"]
        return next((self.builds[name] for name in names if self.builds[name].objects(path)), None)

    def plain_tests(self, path):
        """Pairs of a build and a test."""
        build = self.build_of(path)
        tests = build.in_order(path)
        if self.options.near:
            of_layer = [test for test in tests if test.suite == path.split("/")[0]]
            tests = near_tests(path, tests) or of_layer
        return [(build, test) for test in tests]

    def checked_tests(self, path):
        """The same with the address sanitizer."""
        asan = self.builds["asan"]
        tests = [test for test in asan.in_order(path) if test.suite == path.split("/")[0]]
        return [(asan, test) for test in near_tests(path, tests) or tests if asan.objects(path)]

    def plan(self, path):
        yield from self.plain_tests(path)
        if not self.options.near:
            yield from self.checked_tests(path)

    def judge(self, mutant):
        different = self.build_of(mutant.path).compiled_otherwise(mutant.path)
        if different is None:
            return Verdict(mutant, "invalid", "")
        if not different:
            return Verdict(mutant, "same", "")
        for build, test in self.plan(mutant.path):
            limit = build.limit(test, self.options.time_limit)
            wrong = build.fails_twice(test, limit)
            if wrong == "build":
                return Verdict(mutant, "invalid", "")
            if wrong:
                self.killer = build, test, limit
                where = "asan " if build is self.builds["asan"] else ""
                return Verdict(mutant, "killed", f"{where}{test.name}, which {wrong}")
        return Verdict(mutant, "survived", "")

    def attempt(self, mutant):
        file = self.tree / mutant.path
        text, times = file.read_text(), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        file.write_text("\n".join(lines))
        try:
            verdict = self.judge(mutant)
        finally:
            # With its old time, so that builds that have not seen the change have nothing to do.
            file.write_text(text)
            os.utime(file, ns=times)
            for build in self.builds.values():
                build.forget(mutant.path)
        return verdict

    def attempt_fairly(self, mutant):
        """Whatever kills passes without the change. What was too slow has another chance once it
        is known how long it takes."""
        verdict = self.attempt(mutant)
        while verdict.result == "killed":
            build, test, limit = self.killer
            build.vouch(test)
            if verdict.by.endswith("hangs") and limit < build.limit(test, self.options.time_limit):
                verdict = self.attempt(mutant)
            else:
                break
        return verdict


# ---- The run ------------------------------------------------------------------------------------

class Report:
    """Prints the results, also to a file: one JSON object per line."""

    def __init__(self, file, options, explained):
        self.file, self.known, self.lock = file, {}, threading.Lock()
        self.again, self.explained = options.again, explained
        if options.resume and file.exists():
            for line in file.read_text().split("\n"):
                if line:
                    entry = json.loads(line)
                    self.known[tuple(entry["mutant"])] = entry

    def begin(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if not self.known:
            self.file.write_text("")

    def verdict_on(self, mutant):
        entry = self.known.get(tuple(mutant))
        survived = entry is not None and entry["result"] == "survived"
        if entry is None or (survived and self.again and change(mutant) not in self.explained):
            return None
        return Verdict(mutant, entry["result"], entry["by"])

    def add(self, verdict, seconds):
        entry = {"mutant": list(verdict.mutant), "result": verdict.result, "by": verdict.by,
                 "seconds": round(seconds, 1)}
        with self.lock, open(self.file, "a") as file:
            file.write(json.dumps(entry) + "\n")


class Run:
    def __init__(self, options):
        self.options = options
        folder = options.folder.resolve()
        self.explained = read_explained()
        self.mutants = all_mutants(sources(options.only))
        self.report = Report(options.report or folder / "report.jsonl", options,
                             self.explained)
        self.jobs = [Job(folder / f"job-{i}", options) for i in range(options.jobs)]

    def set_up(self):
        self.report.begin()
        for job in self.jobs:
            job.set_up()
        self.mutants = {path: group for path, group in self.mutants.items()
                        if self.jobs[0].build_of(path)}

    def try_one(self, job, mutant):
        known = self.report.verdict_on(mutant)
        if known:
            return known
        begin = time.monotonic()
        verdict = job.attempt_fairly(mutant)
        self.report.add(verdict, time.monotonic() - begin)
        return verdict

    def fill(self, job, draw, path):
        """A verdict on the next of a file's mutants that is one; None when it has no more."""
        while (mutant := draw.next_of(path)) is not None:
            verdict = self.try_one(job, mutant)
            if verdict.result in ("killed", "survived"):
                print(self.line_of(verdict), flush=True)
                return verdict
        return None

    def line_of(self, verdict):
        mutant = verdict.mutant
        ending = f"killed by {verdict.by}" if verdict.by else "survived"
        if change(mutant) in self.explained:
            ending += ", though explained" if verdict.by else ", explained"
        return (f"{mutant.path}:{mutant.line}: {mutant.before.strip()} -> "
                f"{mutant.after.strip()}, {ending}")

    def all_verdicts(self):
        sizes = {path: candidates.size_of(group) for path, group in self.mutants.items()}
        slots = collections.deque(candidates.spread(sizes, self.options.count, self.options.seed))
        draw = Draw(self.mutants, self.options.seed)
        end = time.monotonic() + 60 * self.options.minutes

        def work(job):
            verdicts = []
            while time.monotonic() < end:
                try:
                    path = slots.popleft()
                except IndexError:
                    break
                verdicts.append(self.fill(job, draw, path))
            return verdicts

        with concurrent.futures.ThreadPoolExecutor(len(self.jobs)) as pool:
            return [verdict for found in pool.map(work, self.jobs) for verdict in found if verdict]

    def warn_of_stale(self):
        known = {}
        for entry in self.explained:
            path = entry[0]
            if path not in known:
                known[path] = {change(mutant) for mutant in all_mutants([path])[path]}
            if entry not in known[path]:
                print(f"equivalent.txt: no such mutant: {' '.join(entry)}")


def summarize(run, verdicts):
    survivors = [verdict for verdict in verdicts if verdict.result == "survived"]
    explained = sum(change(verdict.mutant) in run.explained for verdict in survivors)
    killed = len(verdicts) - len(survivors)
    share = 100 * killed / max(1, len(verdicts) - explained)
    print(f"{explained} of those that survived change nothing that anybody can observe")
    print(f"{len(verdicts)} mutants, {killed} killed, {len(survivors)} survived, {share:.1f} %")
    return 0 if share >= WANTED else 1


def main():
    run = Run(options := arguments())
    if options.list:
        for group in run.mutants.values():
            for mutant in group:
                print(f"{mutant.path}:{mutant.line}: {mutant.kind}: {mutant.before.strip()} -> "
                      f"{mutant.after.strip()}")
        return 0
    run.warn_of_stale()
    try:
        run.set_up()
    except builds.Broken as error:
        print(error, file=sys.stderr)
        return 2
    return summarize(run, run.all_verdicts())


if __name__ == "__main__":
    sys.exit(main())
