# SPDX-License-Identifier: LGPL-2.1-or-later
"""Command lines: plain options, and options made from the library's tables of fields, which have
the names, ranges and texts of the elements' properties."""
import argparse
import contextlib
import sys

import release
import stixels
from arguments import Refused, at_least, check_threads, choose, size  # noqa: F401 (for others)
from stixels import _core as core

lib = core.lib
HELP = " (see --help)"


# ---- Options made from tables -------------------------------------------------------------------

class Field(argparse.Action):
    """Sets a field of `struct`, and notes its value in `given` as the package takes it."""

    def __init__(self, option_strings, dest, place=None, **options):
        super().__init__(option_strings, dest, **options)
        self.field, self.table, self.struct, self.given = place

    def __call__(self, parser, namespace, text, option_string=None):
        field, value = self.field, self.const if self.field.type == core.BOOL else text
        if field.type not in (core.BOOL, core.CHOICE, core.SPELLED):
            with contextlib.suppress(ValueError):  # the package says what it must be
                value = float(text)
                whole = value.is_integer() and field.type != core.DOUBLE and not field.scale
                value = int(value) if whole else value
        named = {field.name.decode().replace("-", "_"): value}
        try:
            core.set_fields(self.struct, named, self.table)
        except (TypeError, stixels.Error) as error:
            raise Refused(f"{error}{HELP}") from None
        self.given.update(named)


# ---- The command line ---------------------------------------------------------------------------

class Parser(argparse.ArgumentParser):
    """Options, the plain ones and, in groups that --help-all shows, those of the tables."""

    def __init__(self, name, usage, summary, more=None):
        super().__init__(name, f"{name} [OPTION…] {usage}".rstrip(), summary, more,
                         allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
        self.add_argument("--help-all", action="help", help="show all options and exit")
        release.add_version(self)
        self.whole("threads", "0: all cores")
        self.flag("json", "print JSON")

    def error(self, message):
        raise Refused(message + HELP)

    def flag(self, name, text):
        self.add_argument(f"--{name}", action="store_true", help=text)

    def text(self, name, form, text, default=None):
        self.add_argument(f"--{name}", metavar=form, default=default, help=text)

    def whole(self, name, text, default=0):
        self.add_argument(f"--{name}", metavar="N", type=int, default=default, help=text)

    def real(self, name, form, text, default=0.):
        self.add_argument(f"--{name}", metavar=form, type=float, default=default, help=text)

    def group(self, name, title, *tables, aliases=()):
        """Tables: (name, struct, dictionary of what is given)."""
        group = self.add_argument_group(title)
        for table, struct, given in tables:
            for field in core._fields(core.TABLES[table]):
                self._field(group, name, (field, table, struct, given), dict(aliases))

    def _field(self, group, group_name, place, aliases):
        """The second of two options of one name has its group's name in front."""
        field = place[0]
        name, text = field.name.decode(), field.text.decode()
        options = {"action": Field, "place": place, "metavar": "N"}
        if field.type == core.BOOL:
            on = lib.stx_field_get(core.byref(field), core.TABLES[place[1]].defaults) != 0
            options.update(nargs=0, const=not on)
            name, text = (f"no-{name}", f"off: {text}") if on else (name, text)
        elif field.type == core.SPELLED:
            options["metavar"] = field.spelling.contents.form.decode()
        elif field.type == core.CHOICE:
            options["metavar"] = "CHOICE"
        if field.type != core.BOOL:
            text = core._describe("", field, place[1]).partition(": ")[2]
        if f"--{name}" in self._option_string_actions:
            name = f"{group_name}-{name}"
        shown = text.replace("%", "%%") if "--help-all" in sys.argv else argparse.SUPPRESS
        group.add_argument(f"--{name}", dest=name.replace("-", "_"), help=shown, **options)
        if name in aliases:
            group.add_argument(f"--{aliases[name]}", dest=name.replace("-", "_"),
                               help=argparse.SUPPRESS, **options)

    def parse(self, arguments):
        """The values, as attributes; `rest` is what is no option."""
        options = self.parse_intermixed_args(arguments)
        check_threads(options.threads)
        return options


def check_folder(options):
    """A folder, or --street."""
    if len(options.rest) > 1:
        raise Refused(f"one folder, please, not {len(options.rest)}{HELP}")
    if bool(options.rest) == options.street:
        raise Refused(f"give either a folder or --street{HELP}")
    if options.frames < 0:
        raise Refused(f"--frames={options.frames}: must be at least 0 (0: all)")


def check_sequence(options):
    if options.rest:
        raise Refused(f"'{options.rest[0]}': a folder is that of --sequence{HELP}")


# ---- The pipeline's settings --------------------------------------------------------------------

GROUNDS = ("auto", "calibration", "estimate", "none", "piecewise")
MODELS = ("satdp", "rdp", "gaussian-uniform")
BACKENDS = ("auto", "omp")


class Settings:
    """The pipeline's settings, by options: `struct` for reports, the rest for the package."""

    def __init__(self, compared=True):
        self.struct = lib.stx_pipeline_defaults()
        self.match, self.reduce, self.stixels, self.segments = {}, {}, {}, {}
        self.more, self.model, self.cuts, self.recording = {}, "satdp", "all", None
        if compared:  # nothing is left to the pictures
            self.match = {"max_disparity": 128, "disparity_at_infinity": 0}
            self.struct.sgm.max_disparity, self.struct.sgm.infinity = 128, 0

    def parts(self):
        return self.match, self.reduce, self.stixels, self.segments

    def add_to(self, parser):
        colmean = self.struct.colmean
        parser.group("sgm", "the stereo matcher",
                     ("stx_sgm_fields", self.struct.sgm, self.match))
        parser.group("cells", "the reduction to cells",
                     ("stx_grid_fields", colmean, self.reduce),
                     ("stx_colmean_fields", colmean, self.reduce))
        parser.group("satdp", "the stixels",
                     ("stx_satdp_fields", self.struct.satdp, self.stixels),
                     aliases=[(f"sigma-disparity-{name}", f"sigma-{name}")
                              for name in ("ground", "object", "sky")])
        parser.group("rdp", "segments and start rows",
                     ("stx_rdp_fields", self.struct.rdp, self.segments))

    def set_cell(self, text):
        width, height = size("cell", text, True)
        sides = {"stixel_width": width, "stixel_height": height}
        core.set_fields(self.struct.colmean, sides, "stx_grid_fields")
        self.reduce.update(sides)

    @property
    def has_segments(self):
        return self.model == "rdp" or self.cuts == "rdp"

    @property
    def epsilon(self):
        """The epsilon of the segments, or of the start rows."""
        if self.model == "rdp" or "epsilon" in self.segments:
            return self.struct.rdp.epsilon / 256
        return self.struct.cuts_rdp.epsilon / 256

    def pipeline(self, width, height, **more):
        candidates = {"median": str(self.struct.rdp.median), **self.segments}
        return stixels.Pipeline(
            width, height, match=self.match, reduce=self.reduce, stixels=self.stixels,
            segments=self.segments if self.model == "rdp" else None,
            candidates=candidates if self.cuts == "rdp" else None,
            model="gaussian-uniform" if self.model == "gaussian-uniform" else "gaussian",
            maps=True, **{**self.more, **more})
