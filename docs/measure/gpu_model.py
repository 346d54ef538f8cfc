#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Estimates how long the kernels take on a GPU, and what binds them.

usage: gpu_model.py                      the table that make-plots.py puts on docs/cuda.md
       gpu_model.py launches STAGE GPU   every launch of a stage, with what it needs, such as:
                                         gpu_model.py launches "SGM 1242×375×128, 4 paths" H200
       gpu_model.py assumptions          what the model assumes, with sources (named in schedule.py)

Nothing here is measured on a GPU. What a warp takes comes from ceilings.txt: `alone` and `busy` are
what schedule.py reads out of the compiled code. A launch is run as the hardware runs it: blocks go
to multiprocessors in their order as long as there are registers, shared memory and room for warps,
and the next one comes where one ends. On a multiprocessor every warp takes its `alone`, and all
together no less than the `busy` of all at UNITS of the rate. So waves and tails are in the time,
and so are GPUs that have more multiprocessors than a launch has blocks. Beside that a launch takes
no less than its bytes at the share of the bandwidth that is in GPUS, and GAP until the next one,
which waits for it, begins. What is assumed stands in ASSUMED, and in KINDS of schedule.py.
"""
import collections
import heapq
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/sass"))
import sass  # noqa: E402
import schedule  # noqa: E402
import steps  # noqa: E402

# Assumptions; schedule.py has what is of instructions.
UNITS = 0.9    # of a unit's rate
GAP = 1.1e-6   # seconds
DRAM = 600     # cycles
ADDED = 1.25   # of the bytes of a read and a write
ASSUMED = [
    ("what warps get of the rate of a unit", f"{UNITS:.0%}", "none"),
    ("from the end of a launch to the next one's begin", f"{GAP * 1e6:g} µs",
     "Zhang 2020, a V100"),
    ("a warp's first load, from memory", f"{DRAM} cycles", "Luo 2024: 479 to 542 on three GPUs"),
    ("a word that is added to in memory",
     f"its read and its write, times {ADDED}: not in the level-2 cache any more", "none"),
    ("operands of loads and stores are read", f"after {schedule.READ} cycles", "Huerta 2025"),
]

# clock: Hz that it keeps up; memory: bytes per second; share: of them, that good kernels reach;
# shared: of a multiprocessor; doubles: its lanes for these
Gpu = collections.namedtuple(
    "Gpu", "name arch multiprocessors clock memory share shared warps blocks doubles source")
GPUS = [
    Gpu("H200", 90, 132, 1.98e9, 4.8e12, 0.87, 227 << 10, 64, 32, 64, "none; Luo 2024: an H100"),
    Gpu("AGX Orin", 87, 16, 1.3e9, 204.8e9, 0.72, 163 << 10, 48, 16, 2, "none"),
    Gpu("RTX 5070", 120, 48, 2.5e9, 672e9, 0.85, 99 << 10, 48, 24, 2, "none"),
]
# GPUs with published times; code for the nearest architecture that is compiled.
OTHERS = [
    Gpu("RTX 3080", 87, 68, 1.71e9, 760e9, 0.85, 99 << 10, 48, 16, 2, "none"),
    Gpu("Xavier", 75, 8, 1.377e9, 136.5e9, 0.72, 96 << 10, 64, 32, 32, "none"),
]

# blocks: (how many, cycles that a warp of theirs takes alone, cycles of a scheduler) one after the
# other; warps: of a block; registers: of a thread; shared: bytes of a block; doubles: of all warps
Launch = collections.namedtuple("Launch", "name blocks warps registers shared bytes doubles",
                                defaults=(0, 0, 0))


class Code:
    """The rows of ceilings.txt for a GPU's architecture."""

    def __init__(self, gpu):
        self.gpu, self.ceilings = gpu, sass.read_ceilings()[0]

    def of(self, kernel):
        return self.ceilings[kernel, self.gpu.arch]

    def launch(self, kernel, count, warps, moved=0, shared=0, turns=1):
        """`count` blocks that run through the code once, or through a step so often."""
        code = self.of(kernel)
        blocks = [(count, DRAM + code["alone"] * turns, code["busy"] * turns)]
        return Launch(kernel, blocks, warps, code["registers"], shared, moved)


def per(size, part):
    return -(-size // part)


# ---- Workloads ----------------------------------------------------------------------------------

def sgm_paths(code, width, height, horizontal, others, moved):
    """A launch; `others`: axes whose lines go from row to row. A block has two lines, in both
    directions."""
    kernel = code.of("stx_sgm_paths_128")

    def tasks(count, steps):
        return (count, DRAM + steps * kernel["alone"], steps * kernel["busy"])
    blocks = [tasks(per(height, 2), width)] * horizontal + [tasks(per(width, 2), height)] * others
    return Launch("stx_sgm_paths_128", blocks, 4, kernel["registers"], 0, moved)


def sgm(code, width, height, paths, sky=True):
    """128 disparities."""
    pixels = width * height
    volume = 128 * pixels
    tiles = per(width, 4) * per(height, 4)
    launches = [code.launch("stx_sgm_census", per(width, 128) * per(height, 8) * 2, 8, 22 * pixels)]
    if paths == 4:  # put, and added to where opposite paths meet
        launches.append(sgm_paths(code, width, height, 1, 1, (2 + 4 * ADDED) * volume))
    else:
        launches.append(sgm_paths(code, width, height, 0, 2, 4 * volume))
        launches.append(sgm_paths(code, width, height, 1, 1, 8 * ADDED * volume))
    return launches + [
        code.launch("stx_sgm_winner_128", per(width, 256) * height, 4,
                    paths // 2 * volume + 12 * pixels, turns=64 * (.75 if paths == 4 else 1)),
        code.launch("stx_sgm_finish", per(width, 32) * per(height, 8), 8),
    ] + sky * [
        code.launch("stx_sgm_sky_" + kernel, per(tiles, 256), 8)
        for kernel in ("tiles", "samples", "candidates", "inner", "join", "patches")
    ] + sky * [
        code.launch("stx_sgm_sky_mark", per(per(width, 4), 32) * per(per(height, 4), 8), 8),
    ] + [code.launch("stx_sgm_border", per(height, 4), 4)]


def coarse(code, width, height):
    """128 disparities, four paths."""
    launches, last = [], []
    for level in range(3):
        w, h = per(width, 1 << level), per(height, 1 << level)
        lines, step = per(h, 2), code.of("stx_sgm_coarse_paths")
        row = code.of("stx_sgm_coarse_paths.rows")
        grid = per(w, 32) * per(h, 8) * 2
        launches.append(code.launch("stx_sgm_coarse_halve" if level else "stx_sgm_coarse_smooth",
                                    grid, 8))
        paths = Launch("stx_sgm_coarse_paths",
                       [(per(lines, 2), DRAM + w * row["alone"], w * row["busy"]),
                        (per(w, 2), DRAM + lines * step["alone"], lines * step["busy"])],
                       4, step["registers"], 0, (2 + 4 * ADDED) * 32 * w * lines)
        census = code.launch("stx_sgm_coarse_census", per(w, 128) * per(h, 8) * 2, 8)
        last = [census, code.launch("stx_sgm_coarse_windows", per(per(w, 8) * per(h, 8), 4), 4),
                paths] + [census] * (level == 0) + [
                    code.launch("stx_sgm_coarse_winner", per(w, 32) * per(lines, 8), 8)] + last
    full = sgm(code, width, height, 4)
    return launches + last + full[3:4] + [
        code.launch("stx_sgm_coarse_rows", per(width, 32) * per(height, 8), 8)] + full[4:]


def counted(code, kernel, instructions, doubles, moved, blocks, warps, chain, shared=0):
    """A launch whose instructions were counted on the emulator, `chain` cycles the longest warp."""
    numbers = code.of(kernel)
    each = numbers["busy"] / (numbers["step"] if kernel in steps.STEPS else 64 * numbers["code"])
    return Launch(kernel, [(blocks, DRAM + chain, instructions * each / (blocks * warps))], warps,
                  numbers["registers"], shared, moved, doubles)


def reduction(code, cells):
    """2048×1024, 19 classes of 8-bit scores, cells of cells × cells pixels."""
    pixels, rows = 2048 * 1024, 1024 // cells
    kernel = "stx_colmean_u8_4"
    # A warp of 512 chunks of 16 bytes has 196 instructions beside its costs.
    costs = 19 * 2048 * rows / cells / 32 * code.of(kernel)["step"]
    scores = 19 * pixels / 16 / 128 * 196 + costs
    depth = 2048 * rows / cells / 32 * 632
    moved = (3 + 19) * pixels + 42 * 2048 * rows / cells
    return [counted(code, kernel, scores + depth, 0, moved, 2400, 8, 8000)]


def stixels(code, cells, turns):
    """2048×1024, 19 classes. `turns`, in which a warp tries 32 pairs of ground, object and sky in a
    column, are counted on the emulator for stx-bench's street; so is what a column takes beside."""
    columns, rows = 2048 // cells, 1024 // cells
    tiles = rows // 8
    kernel = "stx_satdp_slanted_columns"
    tried = sum(count * length for count, length in zip(turns, (287, 315, 139)))
    solved = tiles * (7 * code.of(kernel)["step"] + 95)
    beside = rows * 303  # tables, winners, lists, pairs within a tile, records
    return [counted(code, kernel, columns * (tried + solved + beside), 0, columns * rows * 45,
                    columns, 8, tiles * 8 * code.of(kernel)["alone"] * 4 + 9900, 45 << 10)]


def rdp(code, columns=1242):
    """Columns of 1024 cells: instructions per column counted on three filled KITTI maps."""
    return [counted(code, "stx_rdp_columns", columns * 6000, 0, columns * 4 * 1024, columns, 2,
                    8000)]


def rectification(code):
    """Both views of 1280×720, GRAY8: a warp makes 128 samples; 8 bytes each move."""
    pixels = 2 * 1280 * 720
    return [counted(code, "stx_rectify_1", pixels / 128 * 230, 0, 8 * pixels, per(pixels, 1024), 8,
                    3000)]


def lidar(code, points=125000):
    """Chains were counted by hand. Instructions: of a point those of all kernels but two, of a
    sector its lines."""
    each, blocks = points / 32 * 1200 / 6, per(points, 256)
    found = [Launch("fill", [(blocks, 2000, 100)], 8, 16)]
    for name, cycles in (("lows", 2000), ("plane", 6000), ("bins", 6000), ("sector_lines", 12000),
                         ("labels", 8000), ("merge", 4000), ("rank", 4000), ("number", 2000)):
        sectors = name == "sector_lines"
        shape = (120, 1) if sectors else (32, 4) if name == "plane" else (blocks, 8)
        found.append(counted(code, "stx_ground_" + name, 128 * 12000 if sectors else each,
                             140e3 * sectors, 20 * points / 8, *shape, cycles))
    return found


def stages(code):
    return [
        ("rectification 2 × 1280×720", rectification(code)),
        ("SGM 1242×375×128, 4 paths", sgm(code, 1242, 375, 4)),
        ("SGM 1242×375×128, 8 paths", sgm(code, 1242, 375, 8)),
        ("SGM 1242×375×128, coarse to fine", coarse(code, 1242, 375)),
        ("reduction 2048×1024, 19 × 8 bits, 4×4", reduction(code, 4)),
        ("stixels of it, 4×4", stixels(code, 4, (81, 54, 57))),
        ("reduction and stixels, 8×8",
         reduction(code, 8) + stixels(code, 8, (42, 28, 29))),
        ("RDP 1242×1024", rdp(code)),
        ("LiDAR, 125 000 points", lidar(code)),
    ]


# ---- Times --------------------------------------------------------------------------------------

def resident(launch, gpu):
    """Blocks that share a multiprocessor."""
    registers = launch.warps * 32 * per(int(launch.registers), 8) * 8
    return max(1, min(gpu.blocks, gpu.warps // launch.warps, 65536 // registers,
                      (gpu.shared + 1024) // (launch.shared + 1024)))


def course(launch, gpu):
    """Cycles until the last warp is done, and the share of them in which units were the bound."""
    slots = resident(launch, gpu)
    waiting = [[count, alone, launch.warps / 4 * busy / alone]
               for count, alone, busy in reversed(launch.blocks)]
    running = [[] for _ in range(gpu.multiprocessors)]  # [cycles that are left, load]
    events, order = [], iter(range(1 << 30))  # ties: as they come
    end = slowed = 0.0
    for i in range(gpu.multiprocessors):
        heapq.heappush(events, (0.0, next(order), i, 0.0))
    while events:
        now, _, i, since = heapq.heappop(events)
        blocks = running[i]
        rate = min(1, UNITS / max(sum(load for _, load in blocks), 1e-9))
        slowed += (now - since) * (rate < 1)
        for block in blocks:
            block[0] -= (now - since) * rate
        blocks[:] = [block for block in blocks if block[0] > 1e-6]
        if blocks or now > since:
            end = max(end, now)
        taken = waiting and len(blocks) < slots
        if taken:  # one at a time: multiprocessors share what is left
            blocks.append(waiting[-1][1:])
            waiting[-1][0] -= 1
            if waiting[-1][0] == 0:
                waiting.pop()
        rate = min(1, UNITS / max(sum(load for _, load in blocks), 1e-9))
        if taken:
            heapq.heappush(events, (now, next(order), i, now))
        elif blocks:
            wait = min(left for left, _ in blocks) / rate
            heapq.heappush(events, (now + wait, next(order), i, now))
    return end, slowed / (end * gpu.multiprocessors)


def needs(launch, gpu):
    """Seconds by what needs them."""
    cycles, slowed = course(launch, gpu)
    return {"units" if slowed > 0.5 else "chain": cycles / gpu.clock,
            "doubles": launch.doubles * 32 / (gpu.doubles * gpu.multiprocessors * gpu.clock),
            "memory": launch.bytes / (gpu.memory * gpu.share)}


def time_of(launches, gpu):
    """Seconds of a stage, and what binds its longest launch."""
    times = [needs(launch, gpu) for launch in launches]
    longest = max(times, key=lambda time: max(time.values()))
    return sum(max(time.values()) + GAP for time in times), max(longest, key=longest.get)


def micro(seconds):
    return f"{float(f'{seconds * 1e6:.3g}'):g}"


def lines():
    """The head of the table, and a line for every stage."""
    found = [["stage", *(words for gpu in GPUS for words in (f"{gpu.name}, µs", "binds"))]]
    tables = [stages(Code(gpu)) for gpu in GPUS]
    for rows in zip(*tables):
        found.append([rows[0][0]])
        for gpu, (_, launches) in zip(GPUS, rows):
            seconds, binds = time_of(launches, gpu)
            found[-1] += [micro(seconds), binds]
    return found


def published():
    """Times of others' programs for about the same work, beside the model's of ours."""
    gpus = {gpu.name: gpu for gpu in OTHERS}
    found = [["work", "GPU", "published, ms", "whose", "model of ours, ms"]]
    libsgm, slanted = "libSGM, its README", "SAT-DP, TPDS 32(10), 2021, table and figure 8"
    for work, name, time, whose, launches in (
            ("SGM 1024×440×128, 4 paths", "RTX 3080", 1.5, libsgm,
             lambda code: sgm(code, 1024, 440, 4, sky=False)),
            ("SGM 1024×440×128, 4 paths", "Xavier", 9.0, libsgm,
             lambda code: sgm(code, 1024, 440, 4, sky=False)),
            ("stixels 2048×1024, 4×4", "Xavier", 10.8, slanted,
             lambda code: stixels(code, 4, (81, 54, 57))),
            ("stixels 2048×1024, 8×8", "Xavier", 2.9, slanted,
             lambda code: stixels(code, 8, (42, 28, 29))),
            ("RDP 1242×1024", "Xavier", 1.09, "RDP of columns, table 1", rdp)):
        seconds, _ = time_of(launches(Code(gpus[name])), gpus[name])
        found.append([work, name, f"{time:g}", whose, f"{seconds * 1e3:.2g}"])
    return found


def assumptions():
    """Lines of what the model assumes, the value, and its source."""
    found = [[words, text, source] for words, text, source in ASSUMED]
    found += [[f"memory of the {gpu.name}",
               f"{gpu.share:.0%} of {gpu.memory / 1e9:g} GB/s", gpu.source]
              for gpu in GPUS + OTHERS]
    for kind in schedule.KINDS:
        def of(table):
            return ", ".join(f"{cycles} from sm_{arch}" if len(table) > 1 else f"{cycles}"
                             for arch, cycles in sorted(table.items()))
        found.append([kind.name, f"done after {of(kind.latency)} cycles; a scheduler begins "
                      f"one every {of(kind.interval)}", kind.source])
    return found


def print_launches(stage, name):
    gpu = next(gpu for gpu in GPUS + OTHERS if gpu.name == name)
    for launch in dict(stages(Code(gpu)))[stage]:
        times = needs(launch, gpu)
        print(f"{launch.name:28} {sum(kind[0] for kind in launch.blocks):6} blocks, "
              f"{resident(launch, gpu):2} share a multiprocessor; "
              + ", ".join(f"{what} {micro(time)} µs" for what, time in times.items() if time > 0))


if __name__ == "__main__":
    if sys.argv[1:2] == ["launches"]:
        print_launches(*sys.argv[2:4])
    elif sys.argv[1:2] == ["assumptions"]:
        print("\n".join("\t".join(line) for line in assumptions()))
    else:
        print("\n".join("\t".join(line) for line in lines()))
