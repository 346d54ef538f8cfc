# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows as text, Markdown or JSON. The first two are printed as they come, JSON at the end."""
import json
import pathlib
import re

import release

# Title, width (below 0: to the left), rule of Markdown.
COLUMNS = (("stage", -13, "---"), ("code", -10, "---"), ("threads", 7, "--:"), ("size", 9, "--:"),
           ("cell", 5, "--:"), ("input", -12, "---"), ("median ms", 9, "--:"),
           ("min ms", 9, "--:"), ("x omp", 7, "--:"), ("rate", 11, "--:"), ("of limit", 8, "--:"),
           ("pairs left", 10, "--:"))


def cpu_name():
    try:
        found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else "unknown processor"


def times_of(row):
    """The last six cells."""
    ms, ratio, rate = row["median_ms"], row.get("times_reference", 0), row.get("rate", 0)
    digits = 4 if ms < .1 else 3 if ms < 10 else 2 if ms < 100 else 1
    return [f"{ms:.{digits}f}", f"{row['minimum_ms']:.{digits}f}",
            f"{ratio:.{2 if ratio < 100 else 0}f}" if ratio else "",
            f"{1e3 / ms:.1f} fps" if row["stage"] == "pipeline" else
            f"{rate:.1f} {row['unit']}" if rate else "",
            f"{100 * rate / row['limit']:.0f} %" if "limit" in row else "",
            f"{100 * row['pairs_evaluated']:.1f} %" if "pairs_evaluated" in row else ""]


def cells_of(row):
    return [row["stage"], row["implementation"] + " graph" * row["graph"],
            row["threads"] or "", f"{row['width']}x{row['height']}" if row["height"] else
            row["width"], f"{row['cell']}x{row['cell']}" if row["cell"] else "", row["input"],
            *times_of(row)]


class Table:
    def __init__(self, options, machine):
        self.options, self.machine, self.rows = options, machine, []
        if not options.json:
            self.print_machine()
            self.print_cells([title for title, _, _ in COLUMNS])
        if options.markdown and not options.json:
            print("|" + "|".join(rule for _, _, rule in COLUMNS) + "|")

    def print_machine(self):
        bullet, gpu = "* " * self.options.markdown, self.machine.gpu
        print(f"{cpu_name()}, gst-stixels {release.VERSION}, compiler "
              f"{self.machine.compiler.decode()}\n")
        if self.machine.device:
            print(f"{bullet}{gpu.name.decode()}, compute capability {gpu.major}.{gpu.minor}, "
                  f"{gpu.processors} multiprocessors, clock {gpu.clock_khz / 1e3:.0f} MHz, memory "
                  f"{gpu.memory / 2 ** 30:.1f} GiB, {gpu.memory_bus_bits} bits, "
                  f"{gpu.memory_clock_khz / 1e3:.0f} MHz, level-2 cache "
                  f"{gpu.l2_cache / 2 ** 20:.1f} MiB (as its driver says)\n"
                  f"{bullet}Limit, GPU: copy {gpu.copy:.1f} GB/s")
        print()

    def print_cells(self, cells):
        if self.options.markdown:
            print("".join(f"| {cell} " for cell in cells) + "|", flush=True)
        else:
            print("".join(f"{cell:{'<' if width < 0 else '>'}{abs(width)}} "
                          for cell, (_, width, _) in zip(map(str, cells), COLUMNS)), flush=True)

    def add(self, rows):
        self.rows += rows
        for row in [] if self.options.json else rows:
            self.print_cells(cells_of(row))

    def device(self):
        gpu = self.machine.gpu
        return self.machine.device and {
            "name": gpu.name.decode(), "compute_capability": f"{gpu.major}.{gpu.minor}",
            "multiprocessors": gpu.processors, "clock_mhz": gpu.clock_khz / 1e3,
            "memory_clock_mhz": gpu.memory_clock_khz / 1e3, "memory_bus_bits": gpu.memory_bus_bits,
            "memory_bytes": gpu.memory, "l2_cache_bytes": gpu.l2_cache, "copy_gb_s": gpu.copy}

    def end(self):
        if self.options.json:
            print(json.dumps({
                "cpu": cpu_name(), "version": release.VERSION,
                "compiler": self.machine.compiler.decode(),
                "device": self.device() or None, "rows": self.rows}, indent=2))
