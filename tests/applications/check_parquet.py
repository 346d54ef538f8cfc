#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-parquet on the synthetic street, read by DuckDB.

usage: check_parquet.py

PyArrow, DuckDB and their NumPy are in the folder that STX_PYARROW names (tests/packages.sh), or
installed; without them, or without GStreamer for Python, the test is skipped.

  - nearest objects per column and frame, asked for in SQL, agree with the street's truth;
  - metres are those of stixel-json, number by number;
  - obstacles stand where stixels of the same run stand; those of scans are written, too;
  - what docs/publishing.md prints runs;
  - columns have units; rows come in groups; what is unknown is null;
  - an interrupt, and a pipeline that fails, leave a file that can be read;
  - what cannot work ends in a message that names it.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

if os.environ.get("STX_PYARROW"):
    sys.path.insert(0, os.environ["STX_PYARROW"])

import street

street.skip_without("gi", "numpy", "pyarrow", "duckdb")

import duckdb  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

PROGRAM = [sys.executable, street.EXAMPLES / "stx-parquet/stx-parquet.py"]
FRAMES = 5
FOLDER = pathlib.Path(tempfile.mkdtemp())
METRES = ("x", "y", "z", "z_top", "width", "height")


def write(name, pipeline, *options, status=0):
    path = FOLDER / name
    said = street.run([*PROGRAM, "--stixels", path, *options, *street.words(pipeline)], status)
    return path, said


def check_truth(path):
    rows = duckdb.sql(f"""select frame, "column", min(z) from '{path}'
                          where kind = 'object' group by all""").fetchall()
    found = np.full((FRAMES, -(-street.WIDTH // street.CELL)), np.inf)
    for frame, column, z in rows:
        found[frame, column] = z if z is not None else np.inf
    truth = street.nearest_by_column(street.depth(FOLDER, FRAMES), standing=False)
    street.expect_truth(found, truth, "stixels in DuckDB")
    seconds = duckdb.sql(f"""select pts // 1000000000 as second, min(z) as nearest from '{path}'
                             where kind = 'object' group by all order by all""").fetchall()
    street.expect(len(seconds) == 1 and abs(seconds[0][1] - found.min()) < 1e-6,
                  f"nearest per second: {seconds}, not {found.min()}")


def check_json(path):
    """The same frames as text."""
    lines = FOLDER / "stixels.jsonl"
    street.run(["gst-launch-1.0", "-q", *street.words(
        street.stixels(FRAMES) + f" ! stixel-json ! filesink location={lines}")])
    told = [(frame, stixel) for frame, line in enumerate(lines.read_text().splitlines())
            for stixel in json.loads(line)["stixels"]]
    rows = pq.read_table(path).to_pylist()
    street.expect(len(rows) == len(told), f"{len(rows)} rows of {len(told)} stixels")
    for row, (frame, stixel) in zip(rows, told):
        metres = stixel["metres"] or dict.fromkeys(METRES)
        for name in METRES:
            near = row[name] == metres[name] or abs(row[name] - metres[name]) < 6e-4 + abs(
                metres[name]) * 1e-6
            street.expect(near, f"{name} of {stixel} is {row[name]}")
        street.expect((row["frame"], row["column"], row["kind"], row["label"]) == (
            frame, stixel["column"], stixel["kind"], stixel["class"]), f"{row} is not {stixel}")
    street.expect(any(row["z"] is None for row in rows), "nothing is unknown")
    print(f"{len(rows)} stixels are those of stixel-json")


def check_obstacles():
    """Both tables of one run: each obstacle's distance is that of stixels in its columns."""
    path = FOLDER / "obstacles.parquet"
    stixels, said = write("both.parquet", street.stixels(FRAMES), "--obstacles", path)
    bad, count = duckdb.sql(f"""
        select count(*) filter (nearest is null or abs(nearest / z - 1) > .1), count(*) from (
          select o.frame, o.id, any_value(o.z) as z, min(s.z) as nearest
          from '{path}' o join '{stixels}' s on o.frame = s.frame and s.kind = 'object'
            and s."column" * {street.CELL} between o."left" and o."right" and s.z > .9 * o.z
          where o.z < 30 group by o.frame, o.id)""").fetchall()[0]
    street.expect(count > 10 * FRAMES and bad < .05 * count, f"{bad} of {count} obstacles")
    rows = pq.read_table(path).to_pylist()
    street.expect(any(row["label"] == "car" for row in rows), "no cars")
    street.expect(all(row["source"] == "stereo" and row["z"] > 0 for row in rows), "bad rows")
    street.expect(all(row["closing_speed"] is None for row in rows),
                  "speeds, though nothing says how the camera moves")
    print(f"{count} obstacles nearer than 30 m, {bad} without their stixels")


def check_page():
    """Runs the page's code: both tables, and a query of one of them."""
    line = next(line for line in street.block("sh", "--obstacles").split("\n")
                if line.startswith("venv/bin/python "))
    line = line.removeprefix('venv/bin/python "$(command -v stx-parquet)" ')
    arguments = street.words(line.replace("num-buffers=50", "num-buffers=12"))
    (FOLDER / "query.py").write_text(street.block("python", "duckdb"))
    for command in [*PROGRAM, *arguments], [sys.executable, "query.py"]:
        said = street.run(command, folder=FOLDER)
    # A second of ten frames, and two frames more.
    street.expect(re.search(r"0 +│ +\d+\.\d+ +│[^\n]*\n.*1 +│ +\d+\.\d+ +│", said), said)


def check_scans():
    path = FOLDER / "scans.parquet"
    street.run([*PROGRAM, "--obstacles", path, *street.words(
        "street-scene-src view=lidar num-buffers=2 ! lidar-ground")])
    rows = pq.read_table(path).to_pylist()
    street.expect(len(rows) > 10 and all(row["source"] == "lidar" for row in rows), f"{rows[:1]}")


def check_schema(path):
    schema = pq.read_schema(path)
    units = {name: (schema.field(name).metadata or {}).get(b"unit") for name in schema.names}
    street.expect((units["z"], units["pts"], units["cost"]) == (b"m", b"ns", b"nat"), f"{units}")
    street.expect(all(schema.field(name).metadata[b"description"] for name in schema.names),
                  "a column without a description")
    path, said = write("groups.parquet", street.stixels(4), "--rows", "700",
                       "--recording", "one")
    file = pq.ParquetFile(path)
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    street.expect(len(groups) > 1 and min(groups[:-1]) >= 700, f"row groups of {groups}")
    street.expect(set(file.read().column("recording").to_pylist()) == {"one"}, "no recording")
    street.expect(f"{file.metadata.num_rows} rows of 4 frames" in said, said)


def check_interrupt():
    path = FOLDER / "interrupted.parquet"
    process = street.start([*PROGRAM, "--stixels", path, "--rows", "1",
                            *street.words(street.STIXELS.format(""))], stdout=subprocess.PIPE)
    part = path.with_name(path.name + ".part")
    street.wait_until(lambda: part.exists() and part.stat().st_size > 1000, "rows in a file")
    street.expect(not path.exists(), "a file has its name before it is complete")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=20)[0]
    street.expect(process.returncode == 0, f"an interrupt ends with {process.returncode}: {said}")
    street.expect(pq.read_table(path).num_rows > 100 and not part.exists(), "nothing was written")


def check_failures():
    broken = street.stixels(3) + " ! identity error-after=2"
    path, said = write("broken.parquet", broken, status=1)
    street.expect("identity" in said and pq.read_table(path).num_rows > 100, said)
    os.mkfifo(FOLDER / "fifo")
    size = path.stat().st_size
    noise = "fakesrc num-buffers=1 sizetype=fixed sizemax={} ! application/x-stixels{}"
    sizes = ",width=64,height=32,stixel-width=8,columns=8"
    for arguments, status, words in (
            (["--stixels", "x.parquet", "videotestsrc"], 1, "application/x-stixels"),
            (["--stixels", "x.parquet", "no-such-thing"], 1, "no-such-thing"),
            (["--stixels", "/nowhere/x.parquet", *street.words(street.stixels(1))], 1,
             "/nowhere/x.parquet"),
            (["--stixels", path, "no-such-thing"], 1, "no-such-thing"),
            (["--stixels", path, *street.words(noise.format(25, sizes))], 1, "no whole number"),
            (["--stixels", path, *street.words(noise.format(24, ""))], 1, "no width"),
            (["--stixels", FOLDER, *street.words(street.stixels(1))], 1, "is no file"),
            (["--stixels", "fifo", *street.words(street.stixels(1))], 1, "is no file"),
            (["--stixels", "x", "--obstacles", "./x", *street.words(street.stixels(1))], 1,
             "one file"),
            (["--stixels", "x", "--recording", "\udcff", "videotestsrc"], 2, "is no text"),
            (["--stixels", "x", "videotestsrc pattern=\udcff ! fakesink"], 1, "utf-8"),
            (["videotestsrc"], 2, "--stixels FILE"),
            (["--stixels", "x.parquet"], 2, "say what pipeline"),
            (["--stixels", "x", "--obstacles", "y",
              *street.words(street.stixels(1) + " ! stixel-obstacles")], 1, "leave"),
            (["--stixels", "x.parquet", "--rows", "0", "videotestsrc"], 2, "--rows 0")):
        said = subprocess.run([*map(str, PROGRAM), *arguments], cwd=FOLDER, text=True, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        street.expect(said.returncode == status and words in said.stdout
                      and "Traceback" not in said.stdout,
                      f"{arguments}: {said.returncode}: {said.stdout}")
    street.expect(path.stat().st_size == size and list(FOLDER.glob("*.part")) == [],
                  "a failure before the first frame has replaced what was there")
    path, said = write("odd \udcff.parquet", noise.format(24, sizes))
    street.expect(path.exists() and "1 rows of 1 frames" in said, said)


def main():
    path, said = write("drive.parquet", street.stixels(FRAMES))
    street.expect(f"of {FRAMES} frames" in said, said)
    check_truth(path)
    check_json(path)
    check_obstacles()
    check_scans()
    check_page()
    check_schema(path)
    check_interrupt()
    check_failures()


if __name__ == "__main__":
    main()
