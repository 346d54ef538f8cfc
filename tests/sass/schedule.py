# SPDX-License-Identifier: LGPL-2.1-or-later
"""The time of code by the schedule that the compiler wrote into it.

Since Volta an instruction has 128 bits, and the compiler does what a scoreboard would do. From bit
105 on they hold: stall (4 bits), the cycles until the warp may issue its next instruction; yield
(1); the barriers (3 each, 7: none) that are released when the result is written, and when the
operands are read; and a mask (6) of the barriers that it waits for. So instructions of fixed
latency need no table of it: the stalls have it. What remains is below: how long a barrier stays,
and how often a multiprocessor can begin an instruction of a kind.

  alone  cycles that one warp takes, if no other is there
  busy   cycles of one of the four schedulers that a warp's instructions take up: the most of
         issue, one each, and of the unit that is needed most. With n warps the code takes the
         longer of `alone` and n · `busy`

The source of a number is beside it:
  guide         NVIDIA, CUDA C++ Programming Guide, throughput of native arithmetic instructions
  Jia 2018      Z. Jia, M. Maggioni, B. Staiger, D. P. Scarpazza, Dissecting the NVIDIA Volta GPU
                Architecture via Microbenchmarking
  Jia 2019      Z. Jia, M. Maggioni, J. Smith, D. P. Scarpazza, Dissecting the NVidia Turing T4 GPU
                via Microbenchmarking
  Zhang 2020    L. Zhang, M. Wahib, H. Zhang, S. Matsuoka, A Study of Single and Multi-device
                Synchronization Methods in Nvidia GPUs
  Luo 2024      W. Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
                Microbenchmarking
  Huerta 2025   R. Huerta, M. Abaie Shoushtary, J.-L. Cruz, A. González, Analyzing Modern NVIDIA
                GPU Cores
  measured on Ada, Blackwell   chains of dependent instructions on an RTX 4070 Ti and a B300, from
                public notes on these chips
"""
import collections
import functools
import re

Control = collections.namedtuple("Control", "stall write read wait")
NONE = 7  # no barrier

# A kind: its opcodes; cycles until its barrier is released, and cycles of a scheduler until it can
# begin the next one, by architecture: from the one on that is named. For a unit that four
# schedulers share, their cycles are added up.
Kind = collections.namedtuple("Kind", "name unit opcodes latency interval source")
SHARED, COUNTS, DOUBLES, MULTIPLY, INTEGER = "shared", "counts", "doubles", "multiply", "integer"
CACHE = {75: 188, 87: 230, 90: 263, 120: 300}  # level 2
GUIDE = "guide"
KINDS = [
    Kind("SHFL", SHARED, r"SHFL", {75: 23, 87: 25, 90: 26}, {75: 4},
         "Zhang 2020: 22; measured on Ada 25, Blackwell 26; guide: 32 lanes"),
    Kind("CREDUX", SHARED, r"CREDUX", {75: 18}, {75: 8}, "measured on Blackwell"),
    Kind("REDUX", SHARED, r"REDUX", {75: 44}, {75: 8},
         "measured on Blackwell 44, Ada 60 with moves; none of Hopper; guide: 16 lanes"),
    Kind("LDS.128", SHARED, r"LDS.*\.128", {75: 30, 87: 33}, {75: 16}, "Luo 2024"),
    Kind("LDS.64", SHARED, r"LDS.*\.64", {75: 24, 87: 30}, {75: 8}, "the same"),
    Kind("LDS, LDC, ATOMS", SHARED, r"LDS|ATOMS|LDC", {75: 22, 87: 29}, {75: 4}, "the same"),
    Kind("STS", SHARED, r"STS", {75: 20}, {75: 4}, "128 bytes a cycle"),
    Kind("LDG.128", SHARED, r"LDG.*\.128", CACHE, {75: 16},
         "level-2 cache: Jia 2019, Luo 2024; 128 bytes a cycle"),
    Kind("LDG.64", SHARED, r"LDG.*\.64", CACHE, {75: 8}, "the same"),
    Kind("LDG, ATOMG", SHARED, r"LDG|LDL|LD\b|ATOM", CACHE, {75: 4}, "the same"),
    Kind("STG.128", SHARED, r"STG?\b.*\.128", {75: 20}, {75: 16}, "128 bytes a cycle"),
    Kind("STG.64", SHARED, r"STG?\b.*\.64", {75: 20}, {75: 8}, "the same"),
    Kind("STG", SHARED, r"STG|ST\b|STL", {75: 20}, {75: 4}, "the same"),
    Kind("REDG", SHARED, r"REDG?\b", {75: 20}, {75: 8}, "64 bytes a cycle to the level-2 cache"),
    Kind("POPC, MUFU, conversions", COUNTS, r"POPC|FLO|BREV|MUFU|I2F|F2I|F2F|I2I|FRND",
         {75: 15, 87: 17}, {75: 8}, "Jia 2018; measured on Ada 12 to 19; guide: 16 lanes"),
    Kind("DADD, DFMA", DOUBLES, r"D(ADD|MUL|FMA|SETP|MNMX)", {75: 48, 90: 16, 120: 48},
         {75: 64, 90: 2, 120: 64}, "guide: 2 lanes, sm_90 64; measured on Ada 48"),
    Kind("FADD, FFMA, HFMA2", MULTIPLY, r"F(ADD|MUL|FMA)\b|HADD2|HMUL2|HFMA2", {75: 4},
         {75: 2, 87: 1}, GUIDE),
    Kind("IMAD, IDP", MULTIPLY, r"IMAD|IDP|IMUL", {75: 5}, {75: 2}, "guide: 64 lanes"),
    Kind("jumps, barriers, uniform ones", INTEGER,
         r"BRA|EXIT|BSSY|BSYNC|WARPSYNC|CALL|RET|NOP|BAR|MEMBAR|ERRBAR|CCTL|BREAK|YIELD|U[A-Z]"
         r"|S2U?R|R2UR|CS2R|DEPBAR|LEPC|BMOV", {75: 25}, {75: 0}, "none: a place in the issue"),
    Kind("all others", INTEGER, r"", {75: 14}, {75: 2}, "guide: 64 lanes; sm_120 may have more"),
]
READ = 14  # cycles until the operands of an instruction with a barrier for them are read
PATTERNS = [(re.compile(kind.opcodes), kind) for kind in KINDS]


def control_of(high):
    """Returns the control code in an instruction's upper 64 bits."""
    bits = high >> 41
    return Control(bits & 15, bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63)


@functools.cache
def kind_of(opcode):
    return next(kind for pattern, kind in PATTERNS if pattern.match(opcode))


def of_arch(table, arch):
    return table[max(known for known in table if known <= max(arch, 75))]


def busy(opcodes, arch):
    """Cycles of a scheduler."""
    units = collections.Counter({"issue": len(opcodes)})
    for opcode in opcodes:
        kind = kind_of(opcode)
        units[kind.unit] += of_arch(kind.interval, arch)
    return max(units.values())


def alone(code, arch, turns=1):
    """Cycles of a turn of (opcode, Control)s for one warp, once the first turns are over."""
    now, begins = 0, []
    released, free = [0] * 6, collections.Counter()  # barriers; units
    for _ in range(turns):
        begins.append(now)
        for opcode, control in code:
            kind = kind_of(opcode)
            waits = [released[i] for i in range(6) if control.wait >> i & 1]
            now = max([now, free[kind.unit]] + waits)
            if kind.unit != SHARED:  # four schedulers share that; one warp is no crowd
                free[kind.unit] = now + of_arch(kind.interval, arch)
            for barrier, cycles in ((control.write, of_arch(kind.latency, arch)),
                                    (control.read, READ)):
                if barrier < 6:
                    released[barrier] = max(released[barrier], now + cycles)
            now += max(control.stall, 1)
    half = turns // 2
    return (now - begins[half]) / (turns - half)
