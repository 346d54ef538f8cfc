#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looks at what nvcc makes of the kernels, which no run on the emulator shows.

usage: sass.py [--first] [--write] [--table ARCH] [--loops KERNEL] FATBIN...

For every kernel and architecture in the fatbins it counts, in the machine code,

  registers  of a thread
  local      accesses to local memory: spills, and arrays that did not fit into registers
  code       KiB
  step       instructions that a warp takes for one step of what steps.py names for the kernel;
             else those in the longest innermost loop
  alone      cycles that a warp takes for such a step, or for all its code once, if there is no
             other: schedule.py
  busy       cycles of a scheduler that it takes up
  loads      loads from global memory that are under way before the first one is used, at most

and compares them with tests/sass/ceilings.txt: nothing may be above its number there, `loads` not
below. Atomics that are no instruction, but a loop of compare and swap (ATOMS.CAST), are
forbidden; so is double precision in the kernels of satdp and fulldp, as most GPUs have few units
for it. --first looks at the oldest architecture alone, unless $STX_CUDA_MODES is `all`. --write
writes the file anew, --table prints one architecture for a page, --loops every
innermost loop of a kernel and the opcodes in it.

Needs cuobjdump and nvdisasm: on the PATH, beside nvcc, or in the folder STX_CUDA_BINUTILS (from
PyPI: nvidia-cuda-cuobjdump, nvidia-cuda-nvdisasm). Without them it ends with 77: skipped. So it
does with another nvcc than the one of the ceilings, whose code differs.
"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import schedule
import steps

CEILINGS = pathlib.Path(__file__).with_name("ceilings.txt")
COLUMNS = ["registers", "local", "code", "step", "loads", "alone", "busy"]
FORBIDDEN = re.compile(r"ATOMS\.CAST")
WITHOUT_DOUBLES = re.compile(r"stx_(satdp|fulldp)_")
DOUBLES = re.compile(r"D(ADD|MUL|FMA|SETP|MNMX)\b|MUFU\.\w+64H|.*\.F64")
SKIPPED = 77
TURNS = 16  # of a loop, until it is in its stride


def find_tool(name):
    folders = [os.environ.get("STX_CUDA_BINUTILS", ""), "/usr/local/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(filter(None, folders))) or shutil.which(name)


def run(*command, folder=None):
    return subprocess.run([str(part) for part in command], cwd=folder, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


# ---- Machine code -------------------------------------------------------------------------------

class Kernel:
    """The instructions of one kernel: (opcode, operands), how they are scheduled, and where its
    labels stand."""

    def __init__(self):
        self.code, self.controls, self.labels, self.always = [], [], {}, []

    def add(self, line):
        label = re.match(r"(\.L_x_\d+):", line)
        if label:
            self.labels[label[1]] = len(self.code)
        found = re.match(r"\s+/\*[0-9a-f]+\*/\s+(@!?U?P\d+ )?([A-Z][\w.]*)\s*(.*?)\s*"
                         r"(?:\(\*.*\*\))?;", line)  # (*"SpillRefill"*), for one
        upper = re.match(r"\s+/\* 0x([0-9a-f]{16}) \*/$", line)  # the line after it
        if found:
            self.code.append((found[2], found[3]))
            self.always.append(found[1] is None)
        elif upper:
            self.controls.append(schedule.control_of(int(upper[1], 16)))

    def cycles(self, arch, way, turns):
        """`alone` and `busy` of a part of the code, or of a loop that turns more than once."""
        opcodes = [self.code[i][0] for i in way]
        return (schedule.alone([(self.code[i][0], self.controls[i]) for i in way], arch, turns),
                schedule.busy(opcodes, arch))

    def target_of(self, at):
        """Where a jump leads, if it is one whose label is known."""
        opcode, operands = self.code[at]
        label = re.search(r"`\((\.L_x_\d+)\)", operands) if opcode.startswith("BRA") else None
        return self.labels.get(label[1]) if label else None

    def next_of(self, at):
        """The instructions that may come next."""
        opcode, operands = self.code[at]
        target = self.target_of(at)
        ends = self.always[at] and (opcode.startswith("EXIT") or target is not None and
                                    not re.match(r"!?U?P\d", operands))
        return ([] if ends else [at + 1]) + ([target] if target is not None else [])

    def loops(self):
        """(first, last) of every innermost loop: backward jumps that hold no other."""
        spans = []
        for last in range(len(self.code)):
            first = self.target_of(last)
            if first is not None and first < last:
                spans.append((first, last))
        return [span for span in spans
                if not any(other != span and span[0] <= other[0] and other[1] <= span[1]
                           for other in spans)]

    def loads(self):
        """The most loads from global memory in a row of which none is used yet."""
        most, count, under_way = 0, 0, set()  # registers that loads will fill
        for opcode, operands in self.code:
            names = [int(name) for name in re.findall(r"\bR(\d+)", operands)]
            load = opcode.startswith("LDG") and names
            if set(names[1:] if load else names) & under_way or opcode.startswith(("BRA", "EXIT")):
                count, under_way = 0, set()
            if load:
                width = 4 if ".128" in opcode else 2 if ".64" in opcode else 1
                under_way |= set(range(names[0], names[0] + width))
                count += 1
                most = max(most, count)
        return most


def parse_code(text):
    kernels, kernel = {}, None
    for line in text.splitlines():
        begin = re.match(r"\.text\.(\w+):", line)
        if begin:
            kernel = kernels[begin[1]] = Kernel()
        elif kernel is not None:
            kernel.add(line)
    return kernels


def parse_registers(text):
    return {name: int(count)
            for name, count in re.findall(r"Function (\w+):\s*\n\s*REG:(\d+)", text)}


def is_forbidden(name, opcode):
    return bool(FORBIDDEN.search(opcode) or
                WITHOUT_DOUBLES.match(name) and DOUBLES.match(opcode))


def measure(name, arch, kernel, registers):
    opcodes = [opcode for opcode, _ in kernel.code]
    whole, in_steps = range(len(opcodes)), name in steps.STEPS
    way, count = steps.of_kernel(name, kernel) or (whole, 0)
    each = count if in_steps and count else 1
    alone, busy = kernel.cycles(arch, *((way, TURNS) if in_steps else (whole, 1)))
    return {
        "registers": registers,
        "local": sum(opcode.startswith(("LDL", "STL")) for opcode in opcodes),
        "code": (len(opcodes) * 16 + 1023) // 1024,
        "step": round(len(way) / count, 1) if count else math.inf if name in steps.STEPS else 0,
        "loads": kernel.loads(),
        "alone": round(alone / each),
        "busy": round(busy / each),
        "forbidden": sorted({opcode for opcode in opcodes if is_forbidden(name, opcode)}),
    }


def kernels_of(path, cuobjdump, nvdisasm, first=False):
    """(name, architecture, Kernel, registers) of all, or of the oldest one, in a fatbin."""
    with tempfile.TemporaryDirectory() as folder:
        run(cuobjdump, "-xelf", "all", pathlib.Path(path).resolve(), folder=folder)
        cubins = sorted((int(re.search(r"sm_(\d+)", cubin.name)[1]), cubin)
                        for cubin in pathlib.Path(folder).glob("*.cubin"))
        for arch, cubin in [one for one in cubins if not first or one[0] == cubins[0][0]]:
            registers = parse_registers(run(cuobjdump, "-res-usage", cubin))
            for name, kernel in parse_code(run(nvdisasm, "-c", "-hex", cubin)).items():
                yield name, arch, kernel, registers[name]


def measure_fatbin(path, tools, first):
    """{(kernel, architecture): numbers} of one fatbin."""
    found = {}
    for name, arch, kernel, registers in kernels_of(path, *tools, first):
        for part in filter(None, (name, steps.PARTS.get(name))):
            found[part, arch] = measure(part, arch, kernel, registers)
    return found


# ---- Ceilings -----------------------------------------------------------------------------------

def read_ceilings():
    ceilings, compiler = {}, ""
    for line in CEILINGS.read_text().splitlines():
        if line.startswith("# nvcc "):
            compiler = line[len("# nvcc "):]
        elif line and not line.startswith("#"):
            name, arch, *numbers = line.split()
            ceilings[name, int(arch)] = dict(zip(COLUMNS, map(float, numbers)))
    return ceilings, compiler


def write_ceilings(found, compiler):
    """Those of architectures that were not measured stay."""
    known, old = read_ceilings() if CEILINGS.exists() else ({}, compiler)
    known = {**known, **found} if old == compiler else found
    lines = ["# Limits of the machine code of the kernels: written by sass.py --write",
             f"# nvcc {compiler}", "# kernel arch " + " ".join(COLUMNS)]
    lines += [" ".join([name, str(arch)] + [f"{numbers[column]:g}" for column in COLUMNS])
              for (name, arch), numbers in sorted(known.items())]
    CEILINGS.write_text("\n".join(lines) + "\n")


def faults_of(key, numbers, ceiling):
    where = "{} on sm_{}".format(*key)
    faults = [f"{where}: {opcode} is forbidden" for opcode in numbers["forbidden"]]
    if ceiling is None:
        return faults + [f"{where} has no ceilings: see sass.py --write"]
    for column in COLUMNS:
        worse = (numbers[column] < ceiling[column] if column == "loads"
                 else numbers[column] > ceiling[column])
        if worse:
            faults.append(f"{where}: {column} {numbers[column]:g}, was {ceiling[column]:g}")
    return faults


def print_table(found, wanted):
    print("| kernel | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "--:|" * len(COLUMNS))
    for (name, arch), numbers in sorted(found.items()):
        if arch == wanted:
            print(f"| `{name}` | " + " | ".join(f"{numbers[c]:g}" for c in COLUMNS) + " |")


def print_loops(path, tools, wanted):
    for name, arch, kernel, _ in kernels_of(path, *tools):
        for first, last in sorted(kernel.loops()) if name == wanted else []:
            opcodes = dict(steps.has(kernel, range(first, last + 1)).most_common())
            print(f"sm_{arch} at {first}: {last - first + 1} instructions, {opcodes}")


# ---- Main ---------------------------------------------------------------------------------------

def compiler_version():
    nvcc = find_tool("nvcc")
    return re.search(r"release (\S+),", run(nvcc, "--version"))[1] if nvcc else ""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def compare(found, compiler):
    ceilings, made_with = read_ceilings()
    if compiler != made_with:
        skip(f"nvcc {compiler}, the ceilings are of {made_with}")
    faults = [fault for key, numbers in sorted(found.items())
              for fault in faults_of(key, numbers, ceilings.get(key))]
    print("\n".join(faults) or f"{len(found)} kernels keep below their ceilings")
    return 1 if faults else 0


def main(arguments):
    tools = find_tool("cuobjdump"), find_tool("nvdisasm")
    fatbins = [argument for argument in arguments if argument.endswith(".fatbin")]
    if None in tools:
        skip("no cuobjdump or no nvdisasm")
    if not fatbins:
        skip("no fatbins")
    if "--loops" in arguments:
        for path in fatbins:
            print_loops(path, tools, arguments[arguments.index("--loops") + 1])
        return 0
    compiler, found = compiler_version(), {}
    first = "--first" in arguments and os.environ.get("STX_CUDA_MODES") != "all"
    for path in fatbins:
        found.update(measure_fatbin(path, tools, first))
    if "--write" in arguments:
        write_ceilings(found, compiler)
    elif "--table" in arguments:
        print_table(found, int(arguments[arguments.index("--table") + 1]))
    else:
        return compare(found, compiler)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
