# SPDX-License-Identifier: LGPL-2.1-or-later
"""The number of instructions of a warp for an inner step of a kernel.

For the kernels whose time is that of one loop, STEPS says which one: the one that has most of an
opcode, of which a step has so many. The path through it counts that has the fewest instructions
for a step, and so many loads as a step needs: others are for the last steps of a line, say. If
there is no such loop any more, that is a fault: `sass.py --loops` shows what there is.
"""
import collections

# Opcodes that do the same under several names, or on several architectures.
FAMILIES = {"IMNMX": "MIN", "VIMNMX": "MIN", "VIMNMX3": "MIN", "VIADDMNMX": "MIN", "REDG": "RED"}

# most: instructions of a step, if other loops have longer ones.
Step = collections.namedtuple("Step", "what opcode count loads most", defaults=(0, 1e9))
# The same in a loop that is unrolled as a whole.
Row = collections.namedtuple("Row", "what opcode count")
# A loop that has exactly so many of some opcodes, and makes so many steps in a turn.
Loop = collections.namedtuple("Loop", "what has steps")

COSTS = Loop("32 class costs, one sum to a cell", {"LDS": 4, "LDG": 4, "ST": 4}, 4)
STEPS = {
    "stx_colmean_u8_4": COSTS,
    "stx_colmean_f16_4": COSTS,
    "stx_colmean_f32_4": COSTS,
    "stx_sgm_paths_64": Step("a pixel of a line", "POPC", 2, 2),
    "stx_sgm_paths_128": Step("a pixel of a line", "POPC", 4, 2),
    "stx_sgm_paths_256": Step("a pixel of a line", "POPC", 8, 3),
    "stx_sgm_coarse_paths": Step("a pixel of a path", "POPC", 1, 2),
    "stx_sgm_coarse_paths.rows": Step("a pixel of a path along a row", "POPC", 1, 2, 33),
    "stx_sgm_winner_64": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_sgm_winner_128": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_sgm_winner_256": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_satdp_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
    "stx_satdp_slanted_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
    "stx_fulldp_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
}
# Steps of kernels that have two of them, under a name of their own.
PARTS = {"stx_sgm_coarse_paths": "stx_sgm_coarse_paths.rows"}
ROWS = 5  # in a row that have the same length, at least: that is no chance


def has(kernel, way):
    """Counts every opcode in a part of the code."""
    heads = [kernel.code[i][0].split(".")[0] for i in way]
    return collections.Counter(FAMILIES.get(head, head) for head in heads)


def ways(kernel, span, opcodes):
    """The shortest ways through an innermost loop, from its first instruction to the jump back: by
    how many they have of the opcodes."""
    first, last = span
    names = [FAMILIES.get(head, head)
             for head in (opcode.split(".")[0] for opcode, _ in kernel.code[first:last + 1])]
    ways_to = {first: {(0,) * len(opcodes): (0, None)}}  # counts: (length, how it came there)
    ends = {}
    for at in range(first, last + 1):
        for counts, (length, before) in ways_to.pop(at, {}).items():
            sums = tuple(count + (names[at - first] == opcode)
                         for count, opcode in zip(counts, opcodes))
            way = (length + 1, (at, before))
            for follow in kernel.next_of(at):
                there = ends if follow == first else ways_to.setdefault(follow, {})
                if (follow == first or at < follow <= last) and way[0] < there.get(sums, (1e9,))[0]:
                    there[sums] = way
    for counts, (_, before) in ends.items():
        way = []
        while before is not None:
            way.append(before[0])
            before = before[1]
        yield counts, way[::-1]


def in_loop(step, kernel):
    found = [(way, count / step.count) for span in kernel.loops()
             for (count, loads), way in ways(kernel, span, (step.opcode, "LDG"))
             if count > 0 and loads >= step.loads * count / step.count]
    most = max((steps for _, steps in found), default=0)
    return [(way, steps) for way, steps in found if steps == most]


def that_has(loop, kernel):
    found = [range(first, last + 1) for first, last in kernel.loops()]
    return [(way, loop.steps) for way in found
            if all(has(kernel, way)[opcode] == count for opcode, count in loop.has.items())]


def in_row(row, kernel):
    at = [i for i, (opcode, _) in enumerate(kernel.code) if opcode.startswith(row.opcode)]
    found = []
    for i, first in enumerate(at[:-ROWS * row.count]):
        begins = at[i:i + ROWS * row.count + 1:row.count]
        lengths = [after - before for before, after in zip(begins, begins[1:])]
        if max(lengths) - min(lengths) <= 2:
            found.append((range(first, begins[-1]), ROWS))
    return found


def length_of(part):
    """Instructions of a step."""
    return len(part[0]) / part[1]


def of_kernel(name, kernel):
    """The instructions of the kernel's longest step, and how many it makes of them; of other
    kernels, those of the longest innermost loop. None if there is no such code any more."""
    step = STEPS.get(name)
    if isinstance(step, Step):  # of each loop the shortest way, of these the longest
        best = {}
        for way, count in in_loop(step, kernel):
            best[way[0]] = min(best.get(way[0], (way, count)), (way, count), key=length_of)
        found = [part for part in best.values() if length_of(part) <= step.most]
        return max(found, key=length_of, default=None)
    if step is None:
        found = [(range(first, last + 1), 1) for first, last in kernel.loops()]
    else:
        found = {Row: in_row, Loop: that_has}[type(step)](step, kernel)
    return max(found, key=length_of, default=None)
