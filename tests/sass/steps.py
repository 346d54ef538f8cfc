# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many instructions a warp takes for an inner step of a kernel.

For the kernels whose time is that of one loop, STEPS says which one: the one that has most of an
opcode, of which a step has so many. Other ways through it (the last steps of a line, say) are loops
with fewer. If there is no such loop any more, that is a fault: `sass.py --loops` shows what there
is.
"""
import collections

# Opcodes that do the same under several names, or on several architectures.
FAMILIES = {"IMNMX": "MIN", "VIMNMX": "MIN", "VIMNMX3": "MIN", "VIADDMNMX": "MIN", "REDG": "RED"}

Step = collections.namedtuple("Step", "what opcode count")
# The same in a loop that is unrolled as a whole.
Row = collections.namedtuple("Row", "what opcode count")
# A loop that has exactly so many of some opcodes, and makes so many steps in a turn.
Loop = collections.namedtuple("Loop", "what has steps")

COSTS = Loop("32 class costs, one sum to a cell", {"LDS": 4, "LDG": 4, "ST": 4}, 4)
STEPS = {
    "stx_colmean_u8_4": COSTS,
    "stx_colmean_f16_4": COSTS,
    "stx_colmean_f32_4": COSTS,
    "stx_sgm_paths_64": Step("a pixel of a line", "POPC", 2),
    "stx_sgm_paths_128": Step("a pixel of a line", "POPC", 4),
    "stx_sgm_paths_256": Step("a pixel of a line", "POPC", 8),
    "stx_sgm_coarse_paths": Step("a pixel of a path", "POPC", 1),
    "stx_sgm_winner_64": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_sgm_winner_128": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_sgm_winner_256": Step("a pixel, of 8 paths", "LDG", 4),
    "stx_satdp_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
    "stx_satdp_slanted_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
    "stx_fulldp_columns": Row("an end row of the recurrence", "SHFL.IDX", 8),
}
ROWS = 5  # in a row that have the same length, at least: that is no chance


def has(kernel, span):
    """How many a loop has of every opcode."""
    heads = [opcode.split(".")[0] for opcode, _ in kernel.code[span[0]:span[1] + 1]]
    return collections.Counter(FAMILIES.get(head, head) for head in heads)


def in_loop(step, kernel):
    loops = [(has(kernel, span)[step.opcode], span) for span in kernel.loops()]
    most = max((count for count, _ in loops), default=0)
    return [(span, count / step.count) for count, span in loops if count == most > 0]


def that_has(loop, kernel):
    found = [(has(kernel, span), span) for span in kernel.loops()]
    return [(span, loop.steps) for counts, span in found
            if all(counts[opcode] == count for opcode, count in loop.has.items())]


def in_row(row, kernel):
    at = [i for i, (opcode, _) in enumerate(kernel.code) if opcode.startswith(row.opcode)]
    firsts = at[:len(at) - ROWS * row.count:1]
    found = []
    for i, first in enumerate(firsts):
        begins = at[i:i + ROWS * row.count + 1:row.count]
        lengths = [after - before for before, after in zip(begins, begins[1:])]
        if len(lengths) == ROWS and max(lengths) - min(lengths) <= 2:
            found.append(((first, begins[-1] - 1), ROWS))
    return found


def of_kernel(name, kernel):
    """(first, last) of the code of the kernel's longest step, and how many it makes of them; of
    other kernels, those of the longest innermost loop. None if there is no such code any more."""
    step = STEPS.get(name)
    if step is None:
        found = [(span, 1) for span in kernel.loops()]
    else:
        found = {Step: in_loop, Row: in_row, Loop: that_has}[type(step)](step, kernel)
    return max(found, key=lambda part: (part[0][1] - part[0][0] + 1) / part[1], default=None)
