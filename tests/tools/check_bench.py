# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-bench on small synthetic streets, and on the GPU of tests/emu where this build has it.

usage: check_bench.py STX-BENCH [FOLDER]

FOLDER has the driver that has no GPU behind it.
"""
import collections
import pathlib
import sys

import stixels

from programs import at, refuses, run, run_json

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "examples/stx-bench"))
import rdp_inputs  # noqa: E402 (where it is had to be said first)

BENCH = sys.argv[1]
GPU = {"LD_LIBRARY_PATH": sys.argv[2], "STX_FAKE_CUDA_LEAKS": "1"} if len(sys.argv) > 2 else None
ON_GPU = "--backend cuda --sets 2 --warm-up 0 --time 1 --size 32x16 "
STAGES = {"rectify", "sgm", "colmean", "satdp", "fulldp", "rdp", "pipeline"}
LENGTHS = (256, 512, 1024, 4096)


def times_every_implementation():
    found = run_json(BENCH, "--size 200x90 --quick --time 1 --threads 2 --json")
    for row in found["rows"]:
        assert 0 < row["minimum_ms"] <= row["median_ms"], row
        assert row["median_ms"] > 0, row
    assert STAGES <= {row["stage"] for row in found["rows"]}


def quick_is_one_of_each():
    """For a first look: one size and one size of cells."""
    rows = run_json(BENCH, "overlay --quick --time 1 --threads 1 --json")["rows"]
    assert rows and all(row["width"] == 1242 and row["cell"] == 8 for row in rows), rows


def columns_of_rdp_are_what_they_are_called():
    """From kind to kind there are more segments."""
    street = stixels.Street(192, 96, seed=1, noise=2.)
    disparity = stixels.fill(stixels.match(*street.pair(), disparity_at_infinity=0).disparity)
    for length in LENGTHS:
        cells, counts = rdp_inputs.resampled(disparity, length), []
        for kind in rdp_inputs.KINDS:
            found = rdp_inputs.certain(rdp_inputs.cells_of(kind, cells))
            counts.append(len(stixels.segments(stixels.Columns(found, *cells.shape, 1, 1),
                                               epsilon=rdp_inputs.EPSILON / 256, median=0)))
        assert counts == sorted(set(counts)), (length, counts)


def times_the_gpu():
    """Every stage, launched and as a graph."""
    found = run_json(BENCH, ON_GPU + "--quick --json", GPU)
    seen = collections.Counter()
    for row in found["rows"]:
        assert row["implementation"] == "cuda", row
        assert row["input_sets"] == 2 and row["median_ms"] > 0, row
        seen[row["stage"], row["graph"]] += 1
    for stage in STAGES | {"overlay"}:
        assert seen[stage, False] == seen[stage, True] > 0, (stage, seen)
    assert at(found, "device.copy_gb_s") > 0


def compares_cpu_and_gpu():
    output = run(BENCH, ON_GPU + "--backend all pipeline --markdown", env=GPU)[0]
    for words in ("| pipeline | cuda |  | 32x16 | 8x8 | depth only |",
                  "| pipeline | cuda graph |  | 32x16 | 4x4 |",
                  "| pipeline | best | 1 | 32x16 | 8x8 | depth only |",
                  "* Limit, GPU: copy "):
        assert words in output, (words, output)


def reports_a_gpu_that_fails():
    refuses(BENCH, ((ON_GPU + "satdp", "CUDA_ERROR"),), {**GPU, "STX_FAKE_CUDA_LOST": "100"})
    refuses(BENCH, ((ON_GPU + "satdp", "no GPU to time: "),), {**GPU, "STX_FAKE_CUDA_DEVICES": "0"})


def reports_that_there_is_no_cuda():
    refuses(BENCH, (("--backend cuda", "no GPU to time: this build has no CUDA"),))


def refuses_what_it_cannot_use():
    refuses(BENCH, (
        ("sgn", "no stage 'sgn': choose from rectify"), ("--size 12", "--size=12: write it as WxH"),
        ("--size 0x5", "width"), ("--backend gpu", "--backend=gpu: choose one of cpu, cuda, all"),
        ("--sets -1", "--sets=-1"), ("--warm-up -2", "--warm-up=-2"),
        ("--left a.png", "--left and --right belong together"),
        ("--left a.png --left b.png --right c.png", "belong together"),
        ("--left a.png --right b.png", "a.png: No such file")))


on_gpu = ((times_the_gpu, compares_cpu_and_gpu, reports_a_gpu_that_fails) if GPU else
          (reports_that_there_is_no_cuda,))
for check in (times_every_implementation, quick_is_one_of_each,
              columns_of_rdp_are_what_they_are_called, *on_gpu, refuses_what_it_cannot_use):
    check()
    print(check.__name__)
