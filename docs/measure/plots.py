# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by make-plots.py and its parts: running programs, files of CSV, and the look of plots."""
import collections
import csv
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "benchmarks"
PAGES = [FOLDER.parents[1] / "README.md", *sorted(FOLDER.parent.glob("**/*.md"))]
BLOCK = re.compile(r"(<!-- table (\S+) -->\n(?:(?!<!-- table ).)*?<!-- end -->)", re.S)
LOAD = os.getloadavg()[0]  # before anything is measured
COLOURS = ["#1f6fb4", "#d1641b", "#2c8a57", "#8a4fa3"]


def data_folder():
    """$STX_DATA, or ../shared/data."""
    return pathlib.Path(os.environ.get("STX_DATA", FOLDER.parents[2] / "shared/data")).resolve()


def run(program, *arguments):
    result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def write(name, rows):
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / name, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    note(name)


# ---- By whom a file was written --------------------------------------------------------------

LEDGER = "written.csv"  # the digest of each file as a program wrote it
# The folders of common/ whose times the parts of machine.csv are.
STEMS = {"rdp": ("colmean", "rdp"), "lidar": ("clusters", "ground"),
         "stixels": ("colmean", "fulldp", "satdp", "sgm"),
         "speed": ("colmean", "overlay", "rdp", "rectify", "satdp", "sgm")}


def digest(data):
    return hashlib.sha256(data).hexdigest()[:12]


def note(*names):
    """These files of CSV are as a program wrote them."""
    if names == (LEDGER,):
        return
    known = {row["file"]: row["rows"] for row in read(LEDGER)} if (FOLDER / LEDGER).exists() else {}
    known |= {name: digest((FOLDER / name).read_bytes()) for name in names}
    write(LEDGER, [{"file": name, "rows": known[name]} for name in sorted(known)])


def edited():
    """Files of CSV that are not as a program wrote them."""
    known = {row["file"]: row["rows"] for row in read(LEDGER)}
    return [path.name for path in sorted(FOLDER.glob("*.csv")) if path.name != LEDGER
            and digest(path.read_bytes()) != known.get(path.name)]


def sources(times, root=FOLDER.parents[1]):
    """The digest of the code that a part of machine.csv times, without comments and layout."""
    files = [path for stem in STEMS[times]
             for path in sorted((root / "common" / stem).glob("*.[ch]"))]
    return digest(b"".join(re.sub(rb"/\*.*?\*/|\s+", b"", path.read_bytes(), flags=re.S)
                           for path in files))


def read(name):
    with open(FOLDER / name, newline="") as file:
        return list(csv.DictReader(file))


def block(name, text):
    """A block of a page between two lines by which write_blocks finds it."""
    return f"<!-- table {name} -->\n{text}\n<!-- end -->\n"


def sentences(name, text):
    """A block of prose, wrapped as the pages are."""
    return block(name, textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False))


def table(name, lines, words):
    """A page's table, of which the first line is the head, and `words` columns hold no numbers."""
    lines = [lines[0], ["---"] * words + ["--:"] * (len(lines[0]) - words), *lines[1:]]
    return block(name, "\n".join(
        "|" + "|".join(line) + "|" if i == 1 else "| " + " | ".join(line) + " |"
        for i, line in enumerate(lines)))


def write_blocks(blocks, check):
    """Puts each block into the one page that has its place; `check` only says what differs."""
    new = {name: text for text, name in BLOCK.findall(blocks)}
    places, faults = collections.Counter(), []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if text.count("<!-- table ") != len(BLOCK.findall(text)):
            sys.exit(f"{page}: a block that no <!-- end --> ends")
        for old, name in BLOCK.findall(text):
            places[name] += 1
            if new.get(name) not in (None, old):
                faults.append(f"{page}: {name} is not what the files of CSV say; "
                              "docs/measure/make-plots.py tables writes it")
            text = text.replace(old, new.get(name, old))
        if not check:
            page.write_text(text, encoding="utf-8")
    assert len(new) == len(BLOCK.findall(blocks)), "two writers of one block"
    wrong = [f"the block {name} has {places[name]} places on the pages and "
             f"{'a' if name in new else 'no'} writer"
             for name in sorted(new.keys() | places) if places[name] != 1 or name not in new]
    if wrong + (faults if check else []):
        sys.exit("\n".join(wrong + faults))


# ---- The machine of the times ----------------------------------------------------------------

def first_number(path, default=0):
    path = pathlib.Path(path)
    return int(re.search(r"\d+", path.read_text())[0]) if path.exists() else default


def caches():
    """KiB of each level, as the first core sees them."""
    found = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (index / "type").read_text().strip() != "Instruction":
            found[first_number(index / "level")] = first_number(index / "size")
    return found


def commit():
    """The commit that is checked out, and whether code differs from it."""
    def git(*words):
        return run("git", "-C", FOLDER.parents[1], *words).strip()
    changes = git("status", "--porcelain", "--untracked-files=no", "--", "common", "examples")
    return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changes else "")


def note_machine(name, bench):
    """Before times are measured: `name`'s row of machine.csv. `bench` is stx-bench."""
    found = json.loads(run(bench, "rdp", "--quick", "--time", 1, "--json", "--threads", 1))
    level = caches()
    rows = read("machine.csv") if (FOLDER / "machine.csv").exists() else []
    clock = re.search(r"cpu MHz\s*: (\d+)", pathlib.Path("/proc/cpuinfo").read_text())
    mine = {"times": name, "date": datetime.date.today().isoformat(), "commit": commit(),
            "processor": found["cpu"], "cores": len(os.sched_getaffinity(0)),
            "load": f"{LOAD:.1f}", "compiler": found["compiler"],
            "clock_mhz": clock[1] if clock else "",
            **{f"level{i}_kib": level.get(i, "") for i in (1, 2, 3)},
            "memory_gib": f'{first_number("/proc/meminfo") / 2 ** 20:.1f}',
            "sources": sources(name)}
    write("machine.csv", [row for row in rows if row["times"] != name] + [mine])


def machine_of(name):
    return next(row for row in read("machine.csv") if row["times"] == name)


def machine_line(name):
    """The block machine-`name`."""
    row = machine_of(name)
    old = "" if row["sources"] == sources(name) else " The code has changed since."
    return sentences(f"machine-{name}", f"""
        Times of {row['date']}, commit {row['commit']}: {row['processor']}, {row['cores']} cores,
        load before {row['load']}, compiler {row['compiler']}.{old}""")


# ---- Plots -----------------------------------------------------------------------------------

def start():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({
        "svg.fonttype": "none", "svg.hashsalt": "gst-stixels", "font.size": 9,
        "font.family": "sans-serif", "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "axes.axisbelow": True, "grid.color": "#dddddd",
        "grid.linewidth": 0.6, "legend.frameon": False,
        "lines.linewidth": 1.6, "lines.markersize": 3.5, "savefig.facecolor": "white"})
    import matplotlib.pyplot
    return matplotlib.pyplot


def save(figure, name, below=0):
    """`below`: the share of the height that a legend under the panels takes."""
    figure.tight_layout(rect=(0, below, 1, 1))
    figure.savefig(FOLDER / name, metadata={"Date": None, "Creator": None})


def plain(axis):
    """Numbers on a logarithmic axis as 0.1, 1, 10, not as powers."""
    axis.set_major_formatter(lambda value, place: f"{value:g}")


def data_names(rows, key="data"):
    return list(dict.fromkeys(row[key] for row in rows))
