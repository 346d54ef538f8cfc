# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports: what is printed as JSON, or as text with the names of the JSON."""
import json
import math


def known(value):
    """JSON has no number that is not finite: None."""
    return value if value is not None and math.isfinite(value) else None


def share(part, whole):
    return part / whole if whole else None


def _rounded(value, digits):
    if isinstance(value, dict):
        return {key: _rounded(part, digits) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(part, digits) for part in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def dump(root, digits=6, indent=2):
    print(json.dumps(_rounded(root, digits), indent=indent, ensure_ascii=False))


def _cells(row, above=""):
    """{name: text} of a row, of its parts with the names above them. Bare lists are for JSON."""
    found = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found.update(_cells(value, f"{above}{name}."))
        elif not isinstance(value, list):
            found[above + name] = (f"{value:.4g}" if isinstance(value, float)
                                   else "-" if value is None else str(value))
        elif value and isinstance(value[0], dict):
            found.update(_cells(dict(enumerate(value)), f"{above}{name}."))
    return found


def _table(title, rows):
    """Prints rows, {name: text}: the longer side goes down."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([row.get(name, "-") for name in names] for row in rows)]
    if len(names) > len(rows) or len(rows) == 1:
        lines = list(zip(*lines))
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"\n{title}" if title else "")
    for first, *others in lines:
        print(" ".join([f"  {first:{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(
            others, widths[1:]))]))


def show(root, title=""):
    """Prints the numbers of a part of a report, then the parts with rows, then those with parts of
    their own."""
    parts = {name: value for name, value in root.items() if isinstance(value, dict)}
    plain = {name: value for name, value in root.items() if not isinstance(value, (dict, list))}
    small = {name: part for name, part in parts.items()
             if not any(isinstance(value, (dict, list)) for value in part.values())}
    if plain:
        _table(title, [_cells(plain)])
    if small:
        _table("" if plain else title, [{"": name, **_cells(part)} for name, part in small.items()])
    for name, value in root.items():
        path = f"{title}.{name}".lstrip(".")
        if isinstance(value, dict) and name not in small:
            show(value, path)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            _table(path, [_cells(row) for row in value])


def tell(root, as_json):
    (dump if as_json else show)(root)


def quantile(bins, part):
    """The first bin at whose end a part of the counts has been reached; None of none."""
    total, below = sum(bins), 0
    for i, count in enumerate(bins):
        below += count
        if total and below >= part * total:
            return i
    return None
