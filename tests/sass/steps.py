# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many instructions a warp takes for an inner step of a kernel.

For the kernels whose time is that of one loop, STEPS says which one: by the opcodes that it has so
many of, and how many steps a turn of it makes. A loop of which the compiler made something else is
not found, which is a fault: `sass.py --loops` shows what became of it.
"""
import collections

# Opcodes that do the same under several names, or on several architectures.
FAMILIES = {"IMNMX": "MIN", "VIMNMX": "MIN", "VIMNMX3": "MIN", "VIADDMNMX": "MIN", "REDG": "RED"}

Step = collections.namedtuple("Step", "what has per_turn")
# A row of a loop that is unrolled as a whole has so many of an opcode.
Row = collections.namedtuple("Row", "what opcode count")

STEPS = {
    "stx_sgm_paths_64": Step("a pixel of a line", {"POPC": 8}, 4),
    "stx_sgm_paths_128": Step("a pixel of a line", {"POPC": 16}, 4),
    "stx_sgm_paths_256": Step("a pixel of a line", {"POPC": 32}, 4),
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
    lengths = [last - first + 1 for first, last in kernel.loops()
               if step.has.items() <= has(kernel, (first, last)).items()]
    return max(lengths) / step.per_turn if lengths else None


def in_row(row, kernel):
    at = [i for i, (opcode, _) in enumerate(kernel.code) if opcode.startswith(row.opcode)]
    lengths = [second - first for first, second in zip(at, at[row.count:])]
    runs = [lengths[i:i + ROWS * row.count:row.count] for i in range(len(lengths))]
    alike = [run for run in runs if len(run) == ROWS and max(run) - min(run) <= 2]
    return max(sum(run) / ROWS for run in alike) if alike else None


def of_kernel(name, kernel):
    """Instructions of the kernel's step, None if it is not there any more; of other kernels, those
    of the longest innermost loop."""
    step = STEPS.get(name)
    if step is None:
        return max((last - first + 1 for first, last in kernel.loops()), default=0)
    return in_loop(step, kernel) if isinstance(step, Step) else in_row(step, kernel)
