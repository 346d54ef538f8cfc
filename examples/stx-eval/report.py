# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports: what is printed as JSON, as columns of text."""
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


def tell(root, show, as_json):
    """As JSON, or as the text that `show` prints."""
    (dump if as_json else show)(root)


def at(row, path, scale=1):
    """The number at a path like "total.ms", times the scale; NaN where there is none."""
    for key in path.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return scale * row if isinstance(row, (int, float)) else math.nan


def line(width, name, row, cells):
    """The name, and cells of (path, scale, width, digits[, unit]); a dash for what is not there."""
    text = f"{name:<{width}}"
    for path, scale, wide, digits, *unit in cells:
        number, unit = at(row, path, scale), "".join(unit)
        text += (f" {'-':>{wide + len(unit)}}" if math.isnan(number)
                 else f" {number:{wide}.{digits}f}{unit}")
    print(text)


def quantile(bins, part):
    """The first bin at whose end a part of the counts has been reached; None of none."""
    total, below = sum(bins), 0
    for i, count in enumerate(bins):
        below += count
        if total and below >= part * total:
            return i
    return None
