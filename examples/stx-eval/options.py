# SPDX-License-Identifier: LGPL-2.1-or-later
"""Command lines: plain options, and options made from the library's tables of fields, which have
the names, ranges and texts of the elements' properties."""
import argparse
import ctypes
import sys

import release
import stixels
from arguments import Refused, at_least, check_threads, choose, size  # noqa: F401 (for others)
from stixels import _c as c
from stixels import _core as core

lib = core.lib
HELP = " (see --help)"


# ---- Options made from tables -------------------------------------------------------------------

def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def _fits(field, number):
    """Whether it can be stored; its range is the check's."""
    if number is None or field.type == core.DOUBLE:
        return number is not None
    if field.scale:
        return lib.stx_field_low(core.byref(field)) <= number <= lib.stx_field_high(
            core.byref(field))
    return number == number // 1 and abs(number) < 2 ** 31


class Field(argparse.Action):
    """Sets a field of `struct`, and notes its value in `given` as the package takes it."""

    def __init__(self, option_strings, dest, place=None, **options):
        super().__init__(option_strings, dest, **options)
        self.field, self.table, self.struct, self.given = place

    def _value(self, name, text):
        """(number, value)."""
        field = self.field
        if field.type == core.BOOL:
            return float(self.const), self.const
        number = _number(text)
        if field.type == core.CHOICE:
            known = core.choices_of(field)
            if text in known:
                return known[text], text
            if not _fits(field, number):
                raise Refused(f"--{name}={text}: choose one of {', '.join(known)}")
            return number, next((nick for nick, value in known.items() if value == number), number)
        if not _fits(field, number):
            unit = f" {field.unit.decode()}" if field.unit else ""
            kind = "a whole number, " if field.type == c.STX_FIELD_INT and not field.scale else ""
            raise Refused(f"--{name}={text}: must be {kind}"
                          f"{lib.stx_field_low(core.byref(field)):g} to "
                          f"{lib.stx_field_high(core.byref(field)):g}{unit}")
        return number, number if field.type == core.DOUBLE or field.scale else int(number)

    def __call__(self, parser, namespace, values, option_string=None):
        field = self.field
        try:
            if field.type == core.SPELLED:
                value = values
                core.checked(field.spelling.contents.read, values.encode(),
                             ctypes.addressof(self.struct))
            else:
                number, value = self._value(option_string.lstrip("-"), values)
                lib.stx_field_set(core.byref(field), core.byref(self.struct), number)
                core.checked(lib.stx_field_check, core.byref(core.TABLES[self.table]),
                             core.byref(field), core.byref(self.struct))
        except (Refused, stixels.Error) as error:
            raise Refused(f"{error}{HELP}") from None
        self.given[field.name.decode().replace("-", "_")] = value


def _describe(field, defaults):
    """The text with default and range or choices."""
    text = field.text.decode()
    if field.type == core.SPELLED:
        written = ctypes.create_string_buffer(c.STX_SPELLING_SIZE)
        field.spelling.contents.write(defaults, ctypes.addressof(written))
        return f"{text} [{written.value.decode()}]"
    if field.type == core.CHOICE:
        known, value = core.choices_of(field), lib.stx_field_get(core.byref(field), defaults)
        default = next(nick for nick, number in known.items() if number == value)
        return f"{text} [{default}; {', '.join(known)}]"
    if field.type > c.STX_FIELD_UINT:
        return text
    low, high = lib.stx_field_low(core.byref(field)), lib.stx_field_high(core.byref(field))
    unit = f" {field.unit.decode()}" if field.unit else ""
    return f"{text} [{lib.stx_field_get(core.byref(field), defaults):g}; {low:g} to {high:g}{unit}]"


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
        field, defaults = place[0], core.TABLES[place[1]].defaults
        name, text = field.name.decode(), _describe(field, defaults)
        options = {"action": Field, "place": place, "metavar": "N"}
        if field.type == core.BOOL:
            on = lib.stx_field_get(core.byref(field), defaults) != 0
            options.update(nargs=0, const=not on)
            name, text = (f"no-{name}", f"off: {text}") if on else (name, text)
        elif field.type == core.SPELLED:
            options["metavar"] = field.spelling.contents.form.decode()
        elif field.type == core.CHOICE:
            options["metavar"] = "CHOICE"
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
        self.more, self.model, self.cuts = {}, "satdp", "all"
        if compared:  # nothing is left to the pictures
            self.match = {"max_disparity": 128, "disparity_at_infinity": 0}
            self.struct.sgm.max_disparity, self.struct.sgm.infinity = 128, 0

    def add_to(self, parser):
        colmean = self.struct.colmean
        parser.group("sgm", "the stereo matcher",
                     ("stx_sgm_fields", self.struct.sgm, self.match))
        parser.group("cells", "the reduction to cells",
                     ("stx_grid_fields", colmean.grid, self.reduce),
                     ("stx_colmean_fields", colmean, self.reduce))
        parser.group("satdp", "the stixels",
                     ("stx_satdp_fields", self.struct.satdp, self.stixels),
                     aliases=[(f"sigma-disparity-{name}", f"sigma-{name}")
                              for name in ("ground", "object", "sky")])
        parser.group("rdp", "segments and start rows",
                     ("stx_rdp_fields", self.struct.rdp, self.segments))

    def set_cell(self, text):
        grid = self.struct.colmean.grid
        grid.cell_width, grid.cell_height = size("cell", text, True)
        table = core.byref(core.TABLES["stx_grid_fields"])
        for name in (b"stixel-width", b"stixel-height"):
            core.checked(lib.stx_field_check, table, lib.stx_fields_find(table, name),
                         core.byref(grid))
        self.reduce.update(stixel_width=grid.cell_width, stixel_height=grid.cell_height)

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
