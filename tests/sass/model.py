#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Estimates how long the kernels take on a GPU, and what binds them.

usage: model.py     prints the table that docs/measure/make-plots.py tables puts into docs/cuda.md

Nothing here is measured on a GPU. Each kernel has a workload, of which four things are known:

  instructions  of all its warps. Of a loop that steps.py names they are in ceilings.txt; the others
                are counted by `sass.py --loops` (sm_90) times how often the loop runs
  doubles       how many of them need a unit for doubles
  bytes         to and from the GPU's memory, what stays in its level-2 cache left out
  chain         cycles of the longest warp or block from its first instruction to its last, which no
                number of multiprocessors shortens: steps times the latency of what has to wait

and the time is the longest of what these need, at the shares of the peak that good kernels reach
(ISSUE, MEMORY), and a microsecond to begin and to end.
"""
import collections

import sass

ISSUE, MEMORY = 0.75, 0.85
EDGE = 1e-6  # seconds to fill and to drain the GPU

# clock: Hz that it keeps up; doubles: lanes of a multiprocessor; memory: bytes per second
Gpu = collections.namedtuple("Gpu", "name arch multiprocessors clock doubles memory")
GPUS = [Gpu("H200", 90, 132, 1.98e9, 64, 4.8e12), Gpu("AGX Orin", 87, 16, 1.3e9, 2, 204.8e9),
        Gpu("RTX 5070", 120, 48, 2.5e9, 2, 672e9)]

Work = collections.namedtuple("Work", "name instructions doubles bytes chain")


# ---- Workloads ----------------------------------------------------------------------------------

def sgm(step, paths):
    """1242×375, 128 disparities. `step` is of a kernel, from the ceilings."""
    pixels, depth = 1242 * 375, 128
    volume = pixels * depth
    volumes = paths // 2  # each put, read and added to again: all are larger than the cache
    return [
        # Two images; a thread makes four words from some 1000 instructions.
        Work("census", 2 * pixels / 4 / 32 * 1000, 0, 2 * pixels + 20 * pixels, 2000),
        # The longest line has 1242 steps of some 100 cycles: two shuffles, REDUX and the sums.
        Work("paths", paths * pixels * step("stx_sgm_paths_128"), 0, 3 * volumes * volume,
             1242 * 100),
        Work("winner", pixels * step("stx_sgm_winner_128"), 0, volumes * volume + 12 * pixels,
             20000),
        # The check, the median, the border and the search for the sky.
        Work("finish", pixels / 32 * 600, 0, 40 * pixels, 10000),
    ]


def reduction(step, cells):
    """2048×1024, 19 classes of 8-bit scores, cells of cells × cells pixels."""
    pixels, rows = 2048 * 1024, 1024 // cells
    # A warp of 512 chunks of 16 bytes has 196 instructions beside its costs.
    costs = 19 * 2048 * rows / cells / 32 * step("stx_colmean_u8_4")
    scores = 19 * pixels / 16 / 128 * 196 + costs
    depth = 2048 * rows / cells / 32 * 632
    moved = (3 + 19) * pixels + 42 * 2048 * rows / cells
    return [Work("reduction", scores + depth, 0, moved, 8000)]


def stixels(step, cells, turns):
    """2048×1024, 19 classes. `turns`, in which a warp tries 32 pairs of ground, object and sky in a
    column, are counted on the emulator for stx-bench's street; so is what a column takes beside."""
    columns, rows = 2048 // cells, 1024 // cells
    tiles = rows // 8
    tried = sum(count * length for count, length in zip(turns, (251, 296, 130)))
    solved = tiles * (7 * step("stx_satdp_slanted_columns") + 95)
    beside = rows * 287  # tables, winners, lists, pairs within a tile, records
    return [Work("stixels", columns * (tried + solved + beside),
                 columns * sum(count * length for count, length in zip(turns, (66, 43, 3))),
                 columns * rows * 45, tiles * 3500 + 9900)]


def rdp():
    """1242 columns of 1024 cells: instructions per column counted on three filled KITTI maps."""
    return [Work("rdp", 1242 * 6000, 0, 1242 * 4 * 1024, 8000)]


def rectification():
    """Both views of 1280×720, GRAY8: a warp makes 128 samples; 8 bytes each move."""
    pixels = 2 * 1280 * 720
    return [Work("rectify", pixels / 128 * 230, 0, 8 * pixels, 3000)]


def lidar():
    """125 000 points: docs/algorithms/ground.md counts the chains of its eight kernels."""
    return [Work("lidar", 125e3 / 32 * 1200 + 128 * 12000, 140e3, 125e3 * 20, 35e-6 * 1.98e9)]


def stages(step):
    return [
        ("rectification 2 × 1280×720", rectification()),
        ("SGM 1242×375×128, 4 paths", sgm(step, 4)),
        ("SGM 1242×375×128, 8 paths", sgm(step, 8)),
        ("reduction 2048×1024, 19 × 8 bits, 4×4", reduction(step, 4)),
        ("stixels of it, 4×4", stixels(step, 4, (81, 54, 57))),
        ("reduction and stixels, 8×8",
         reduction(step, 8) + stixels(step, 8, (42, 28, 29))),
        ("RDP 1242×1024", rdp()),
        ("LiDAR, 125 000 points", lidar()),
    ]


# ---- Times --------------------------------------------------------------------------------------

def needs(work, gpu):
    """Seconds by what needs them."""
    rate = gpu.multiprocessors * gpu.clock
    return {"issue": work.instructions / (4 * rate * ISSUE),
            "doubles": work.doubles * 32 / (gpu.doubles * rate),
            "memory": work.bytes / (gpu.memory * MEMORY),
            "chain": work.chain / gpu.clock}


def lines():
    """The head of the table, and a line for every stage."""
    ceilings, _ = sass.read_ceilings()
    found = [["stage", *(words for gpu in GPUS for words in (f"{gpu.name}, µs", "binds"))]]
    tables = [stages(lambda kernel, arch=gpu.arch: ceilings[kernel, arch]["step"]) for gpu in GPUS]
    for rows in zip(*tables):
        found.append([rows[0][0]])
        for gpu, (_, works) in zip(GPUS, rows):
            times = [needs(work, gpu) for work in works]
            seconds = sum(max(time.values()) + EDGE for time in times)
            longest = max(times, key=lambda time: max(time.values()))
            found[-1] += [f"{float(f'{seconds * 1e6:.3g}'):g}", max(longest, key=longest.get)]
    return found


if __name__ == "__main__":
    print("\n".join("\t".join(line) for line in lines()))
