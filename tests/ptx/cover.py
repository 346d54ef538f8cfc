# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which lines of the kernels no check program enters on the machine that runs PTX.

usage: cover.py BUILD

BUILD is a build folder with the tests and the target ptx-lines, configured with -Dcuda-archs=75 or
more. Its check programs run in order, at their smallest, and those whose blocks wait for one
another once more.

The PTX of the build does not say which lines it was made of. The same, compiled with -lineinfo,
does, and has the same instructions, or this fails. An instruction's place is a line and column of
the sources and those of all calls that are inlined around it. A block that was not entered is a
copy if all of its places are also those of blocks of the same kernel that were: loops that nvcc
unrolled, and what it made twice. Instructions without a line, which move values between blocks, do
not count.

What remains is listed where it begins: at blocks behind one that was entered, or a copy. Each such
place has a reason in never.txt. The exit status is 1 if there is one without a reason, a reason
without code, or a kernel that nobody launched.
"""
import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
REASONS = pathlib.Path(__file__).with_name("never.txt")
LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) (\d+)"
                 r"(?:, function_name \S+, inlined_at (\d+) (\d+) (\d+))?")
FILE = re.compile(r'\s*\.file\s+(\d+) "([^"]*)"')
LABEL = re.compile(r"(\$L__BB\w+):")
BRANCH = re.compile(r"\bbra(?:\.uni)?\s+(\$L__BB\w+)")
Reason = collections.namedtuple("Reason", "kernel file text why")
Line = collections.namedtuple("Line", "line leads runs")
# Check programs and a seed; later ones are those whose blocks wait for one another with it.
RUNS = ((["check_*cuda"], 0),
        (["check_fulldp_cuda", "check_rdp_cuda", "check_satdp_cuda"], 3))


# ---- What ran ------------------------------------------------------------------------------------

def run_checks(build, checks, seed, folder):
    """Each of the check programs leaves its report in the folder."""
    environment = dict(os.environ, STX_PTX_REPORT=str(folder), STX_CHECK_SIZES="small")
    for program in sorted(p for name in checks for p in (build / "tests" / "cuda").glob(name)):
        done = subprocess.run([program, f"ptx-75:{seed}"], env=environment, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{program}:\n{done.stdout}{done.stderr}")


def read_reports(folder):
    """{(file, kernel): its lines}, with the sums of all runs; no lines: never launched."""
    kernels = {}
    for path in sorted(pathlib.Path(folder).glob("*.report")):
        for part in path.read_text().split("kernel\t")[1:]:
            head, *texts = part.splitlines()
            name, file, _ = head.split("\t")
            lines = [Line(*map(int, text.split("\t"))) for text in texts]
            known = kernels.get((file, name))
            kernels[file, name] = [a._replace(runs=a.runs + b.runs)
                                   for a, b in zip(known, lines)] if known and lines else (
                                       lines or known or [])
    return kernels


def blocks_of(lines):
    begins = [i for i, line in enumerate(lines) if line.leads or i == 0] + [len(lines)]
    return [lines[begin:end] for begin, end in zip(begins, begins[1:])]


# ---- Where it stands -----------------------------------------------------------------------------


def source_name(path):
    """From the root on if it is ours."""
    path = pathlib.Path(os.path.normpath(ROOT / path))
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def without_names(line):
    """Removes from names of device arrays the hash of the file's path that nvcc writes there."""
    return re.sub(r"_[0-9a-f]{8}_", "_", re.sub(r"//.*", "", line)).rstrip()


class Places:
    """Places of a file's instructions: where[line of the PTX], a tuple of (file, line, column)."""

    def __init__(self, plain, lined):
        self.where = {}
        self.lines = plain.read_text().splitlines()
        self.callers, self.now, self.at = {}, (), 0
        texts = lined.read_text().splitlines()
        self.files = {m[1]: source_name(m[2]) for m in map(FILE.match, texts) if m}
        for text in texts:
            found = LOC.match(text)
            if text.strip().startswith(".section"):  # what debuggers read
                break
            if found:
                self.move(found)
            elif not FILE.match(text) and self.at < len(self.lines):
                self.take(text, plain, lined)

    def move(self, found):
        place = (self.files[found[1]], int(found[2]), int(found[3]))
        around = ()
        if found[4]:
            caller = (self.files[found[4]], int(found[5]), int(found[6]))
            around = self.callers.get(caller, (caller,))
        self.now = (place,) + around if place[1] > 0 else ()
        if self.now:
            self.callers[place] = self.now

    def take(self, text, plain, lined):
        if without_names(text) != without_names(self.lines[self.at]):
            raise SystemExit(f"{lined} is not {plain} with lines: at {self.at + 1}: {text}")
        if text == "{":
            self.callers, self.now = {}, ()
        self.at += 1
        self.where[self.at] = self.now

    def of_block(self, block):
        return {self.where[line.line] for line in block} - {()}


def successors(lines, blocks):
    """Returns for each block of a kernel the numbers of those that may run behind it."""
    number = {line.line: i for i, block in enumerate(blocks) for line in block}
    labels, pending = {}, []
    for at in range(max(blocks[0][0].line - 1, 1), blocks[-1][-1].line + 1):
        label = LABEL.match(lines[at - 1])
        pending += [label[1]] if label else []
        if at in number:
            labels.update((name, number[at]) for name in pending)
            pending = []
    behind = []
    for i, block in enumerate(blocks):
        last = lines[block[-1].line - 1].strip()
        branch = BRANCH.search(last)
        goes_on = last.startswith("@") or not (branch or last.startswith("ret"))
        behind.append(({labels[branch[1]]} if branch else set())
                      | ({i + 1} if goes_on and i + 1 < len(blocks) else set()))
    return behind


def own_place(places):
    """The innermost that is ours, as (file, line)."""
    ours = [place[:2] for place in places if place[0].startswith(("cuda/", "common/"))]
    return (ours or [places[0][:2]])[0]


class Never:
    """The blocks of a kernel that were never entered and are no copies, and where they begin."""

    def __init__(self, blocks, places):
        seen = {p for block in blocks if block[0].runs for p in places.of_block(block)}
        self.blocks, self.entered = len(blocks), sum(block[0].runs > 0 for block in blocks)
        left = {i for i, block in enumerate(blocks)
                if block[0].runs == 0 and places.of_block(block) - seen}
        self.left = len(left)
        self.begins = collections.OrderedDict()
        behind = successors(places.lines, blocks)
        first = {i for j, after in enumerate(behind) if j not in left for i in after} & left
        for i in sorted(first):
            new = [places.where[line.line] for line in blocks[i]
                   if places.where[line.line] and places.where[line.line] not in seen]
            self.begins.setdefault(own_place(new[0]), blocks[i][0].line)


def read_reasons():
    reasons = []
    for line in REASONS.read_text().splitlines():
        if line and not line.startswith("#"):
            reasons.append(Reason(*[field.strip() for field in line.split("|", 3)]))
    return reasons


def source_line(file, line):
    return (ROOT / file).read_text().splitlines()[line - 1].strip()


def reason_for(reasons, kernel, file, text):
    return next((reason for reason in reasons if fnmatch.fnmatch(kernel, reason.kernel)
                 and reason.file == file and reason.text == text), None)


def print_never(kernels, kept, lined):
    """For kernels that ran the PTX in `kept`. Returns what is wrong, or None."""
    sums, unexplained, reasons, used, places = collections.Counter(), 0, read_reasons(), set(), {}
    for (file, name), lines in sorted(kernels.items()):
        if file not in places:
            places[file] = Places(kept / file, lined / (file.split(".")[0] + ".lines.ptx"))
        never = Never(blocks_of(lines), places[file])
        sums.update(all=never.blocks, entered=never.entered, left=never.left)
        for (source, line), ptx in never.begins.items():
            text = source_line(source, line)
            reason = reason_for(reasons, name, source, text)
            used.add(reason)
            unexplained += reason is None
            sums["begins"] += 1
            print(f"{name}: {source}:{line} ({file}:{ptx}): {text}\n    "
                  + (reason.why if reason else "nobody knows why it never runs"))
    copies = sums["all"] - sums["entered"] - sums["left"]
    print(f"{sums['entered']} of {sums['all']} basic blocks were entered, {copies} are copies of "
          f"such; {sums['left']} never, which begin at {sums['begins']} places")
    idle = [reason for reason in reasons if reason not in used]
    for reason in idle:
        print(f"never.txt: nothing needs this any more: {' | '.join(reason[:3])}")
    if unexplained or idle:
        return f"{unexplained} places without a reason, {len(idle)} reasons without a place"
    return None


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for checks, seed in RUNS:
            run_checks(build, checks, seed, folder)
        kernels = read_reports(folder)
    idle = [name for (_, name), lines in sorted(kernels.items()) if not lines]
    if idle:
        sys.exit("launched by nobody: " + ", ".join(idle))
    sys.exit(print_never(kernels, build / "cuda" / "kept", build / "tests" / "ptx"))


if __name__ == "__main__":
    main()
