# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-bench frames: what it prints of small frames, and what it says of lines that do not fit.

usage: check_frames.py STX-BENCH
"""
import subprocess
import sys

SMALL = ["--size=64x48", "--frames=2", "--seconds=0.05"]
FED = "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right"


def run(*words):
    done = subprocess.run([sys.argv[1], "frames", *SMALL, *words], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def check_table():
    line = f"stereo-sgm name=s ! fakesink name=out {FED}"
    status, table, said = run("overlay", "json", line)
    if "no GStreamer for this Python" in said:
        print(f"skipped: {said}")
        sys.exit(77)
    assert status == 0, said
    rows = [row.strip("| \n").split(" | ") for row in table.splitlines()[2:]]
    assert [row[0] for row in rows] == ["overlay", "json", line], table
    for row in rows:
        rate, wall, cpu, cores, latency = map(float, row[-5:])
        assert rate > 0 and cpu > 0 and cores > 0 and latency > 0, table
        assert abs(rate * wall - 1000) < 200, table


def check_refusals():
    for words, word in ((["fakesrc ! fakesink"], "appsrc name=left"),
                        (["no-such-thing ! fakesink"], "no-such-thing"),
                        (["--frames=0"], "frames"),
                        (["--left=street-scene-src view=nowhere", "overlay"], "nowhere")):
        status, table, said = run(*words)
        assert status != 0 and word in said, (words, status, table, said)


check_table()
check_refusals()
print("stx-bench frames measures")
