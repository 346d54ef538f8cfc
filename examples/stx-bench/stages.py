# SPDX-License-Identifier: LGPL-2.1-or-later
"""All stages on pictures; `frames` and `lidar` are commands of their own."""
import ctypes
import sys

import settings
from arguments import Refused, size

SUMMARY = """Times stages and implementations.

STAGE: rectify, sgm, colmean, satdp, fulldp, rdp, pipeline, overlay, obstacles, or all (default).
All implementations that this machine can run take turns; printed are median and minimum, and the
ratio of the median of omp on one thread to this one. The first GPU runs every stage twice: launched
kernel by kernel, and replayed as a graph; there the rate is compared with that of copying, which is
measured at the start."""
EXAMPLES = """Examples:
  stx-bench --quick
  stx-bench satdp colmean --size 2048x1024
  stx-bench --backend cuda --markdown
  stx-bench frames --help                 whole pipelines
  stx-bench lidar --help
  stx-bench all --markdown > table.md"""
STAGES = ("rectify", "sgm", "colmean", "satdp", "fulldp", "rdp", "pipeline", "overlay", "obstacles")
SIZES = ["1242x375", "2048x1024"]
LENGTHS = (256, 512, 1024, 4096)  # of columns of rdp
MOST_SIZES = 8


# ---- Command line --------------------------------------------------------------------------------

def parse(name, words):
    parser = settings.parser_of(name, SUMMARY, " [STAGE…]", EXAMPLES)
    for option, metavar, text in (
            ("size", "WxH", "of the synthetic street, may be repeated (1242x375 and 2048x1024)"),
            ("left", "PNG", "a picture instead of the street, may be repeated"),
            ("right", "PNG", "its right one")):
        parser.add_argument(f"--{option}", action="append", default=[], metavar=metavar, help=text)
    parser.add_argument("--labels", metavar="PNG", help="its Cityscapes label ids")
    parser.add_argument("--calibration", metavar="FILE", help="its camera")
    parser.add_argument("--warm-up", type=int, metavar="MS", help="before that (CPU: 0; GPU: 100)")
    parser.add_argument("--vectors", action="store_true",
                        help="on the CPU without omp beside vectors, in a third of the time")
    settings.add_to(parser, "60 ms each: 1242x375, 4 paths and cells of 8x8 only")
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    options = parser.parse_intermixed_args(words)
    if odd := [word for word in options.stages if word not in (*STAGES, "all")]:
        raise Refused(f"no stage '{odd[0]}': choose from {', '.join(STAGES)}, all")
    if not options.stages or "all" in options.stages:
        options.stages = STAGES
    settings.check(options)
    sizes = options.size or SIZES[:1 if options.quick else None]
    if len(sizes) > MOST_SIZES:
        raise Refused(f"--size: at most {MOST_SIZES} sizes")
    options.sizes = [size("size", text) for text in sizes]
    if len(options.left) != len(options.right):
        raise Refused("--left and --right belong together")
    if len(options.left) != 1 and (options.labels or options.calibration):
        raise Refused("--labels and --calibration belong to one --left and --right")
    if options.left and options.size:
        raise Refused("--size is for the synthetic street; files bring their own")
    if options.warm_up is not None and options.warm_up < 0:
        raise Refused(f"--warm-up={options.warm_up}: must be at least 0")
    return options


# ---- The groups of one input ---------------------------------------------------------------------

class Bench:
    def __init__(self, options, machine, table):
        import timing
        self.options, self.table, self.timing, self.c = options, table, timing, timing.c
        self.context = self.c.BenchContext(
            machine=ctypes.pointer(machine), budget=options.time, warm_up=options.warm_up or 0,
            gpu_warm_up=timing.GPU_WARM_UP if options.warm_up is None else options.warm_up,
            sets=options.sets, vectors=options.vectors)

    def group(self, stage, text, **parameters):
        if stage not in self.options.stages or stage == "obstacles" and not self.options.cpu:
            return
        if stage == "obstacles" and not self.given.is_metric:
            print(f"{stage} of {self.given.name}: left out, there are no metres without "
                  "--calibration", file=sys.stderr)
            return
        self.table.add(self.timing.group(self.context, stage, text, **parameters))

    def cells(self, cell):
        """Reduction and stixels, for each kind of input."""
        c = self.c
        for text, semantics in (("depth only", c.STX_SEMANTICS_NONE),
                                ("label image", c.STX_SEMANTICS_LABELS),
                                ("8-bit scores", c.STX_SEMANTICS_SCORES_U8)):
            for stage in ("colmean", "satdp", "fulldp"):
                if stage != "fulldp" or semantics != c.STX_SEMANTICS_SCORES_U8:
                    self.group(stage, text, cell=cell, semantics=semantics)

    def rdp(self):
        """Columns of several lengths and kinds; the quick choice is one of each of two kinds."""
        import inputs
        import rdp_inputs
        if "rdp" not in self.options.stages:
            return
        for rows in LENGTHS[:1 if self.options.quick else None]:
            for kind in ("average", "noise") if self.options.quick else rdp_inputs.KINDS:
                cells = inputs.columns(self.given, rows, kind)
                self.group("rdp", kind, cell=1, rows=rows, cells=cells.ctypes.data,
                           epsilon=rdp_inputs.EPSILON)

    def run(self, given):
        self.given, self.context.input = given, ctypes.pointer(given.struct)
        quick = self.options.quick
        sizes = (8,) if quick else (8, 4)
        self.group("rectify", "GRAY8")
        for paths in (4,) if quick else (4, 8):
            for search, text in enumerate(("", ", coarse to fine")):
                self.group("sgm", f"{paths} paths{text}", paths=paths, search=search)
        for cell in sizes:
            self.cells(cell)
        self.rdp()
        for stage, text in (("pipeline", "depth only"), ("overlay", "RGBA")):
            for cell in sizes:
                self.group(stage, text, cell=cell)
        for cell in sizes:
            self.group("obstacles", "stixels", cell=cell)


def run(options):
    import inputs
    import report
    import timing
    with timing.machine(options) as machine:
        table = report.Table(options, machine)
        bench = Bench(options, machine, table)
        for pair in zip(options.left, options.right):
            bench.run(inputs.of_files(*pair, options.labels, options.calibration))
        for width, height in [] if options.left else options.sizes:
            bench.run(inputs.street(width, height))
        table.end()
