#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every number on README.md and the pages of docs/ is one that a program or a person stands for.

usage: check_figures.py                       compares with figures.txt
       check_figures.py --write PAGE... [--reason REASON]
                                              after a look at the page: writes its lines anew

Not looked at are blocks that docs/measure/make-plots.py writes (test `numbers`), code, and the
tables of properties (test `pages`). The rest of a page falls into paragraphs and
tables, and figures.txt has a line for each one with a measure in it (a number with a unit, a
decimal, a cell that is a number): "PAGE | digest of the numbers in order | reason | first words".
One line more, "all other", is for the numbers of all others. So no number changes unnoticed.

A reason says why the numbers are not a program's:
  definition    a formula, a unit, a format, a limit or a setting that the page explains
  paper         another's figure, by name
  example       what the reader would type or see
  model         computed, not measured
  test PATH     a figure that this test compares or keeps
New lines get REASON, or "?", which is none: put the right one into figures.txt.
"""
import argparse
import collections
import hashlib
import importlib
import re
import sys

from blocks import FENCED, ROOT

sys.path.append(str(ROOT / "docs/measure"))
plots = importlib.import_module("plots")
LEDGER = ROOT / "tests/docs/figures.txt"
REASONS = ("definition", "paper", "example", "model")
OTHER = "all other"
UNIT = (r"%|‰|[munµ]s|s|min|h|[kMG]?Hz|fps|[KMG]?i?B|[KMG]bit|frames/s|[km]?m|cm|px|nats?|°|"
        r"cycles|bytes|times|seconds|minutes|hours|milliseconds|percent")
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d*\.?\d+|\d+|[¼½¾⁰¹²³⁴-⁹]+")
FIGURE = re.compile(rf"(?<![\w.])(?:\d*\.\d+(?![\w.])|\d[\d.]*(?:-|\s+)?(?:{UNIT})(?!\w))")
CELL = re.compile(r"^\|(?:.*\|)? *[-−+±.]?\d[-−+±\d., …/×%@]* *\|", re.M)
VERSION = re.compile(r"(?:GStreamer|Ubuntu|Debian|CUDA|Python|OpenCV|glTF|LGPL|gst-validate|"
                     r"Fig\.|Eq\.|§)[ -]?\d[\d.]*")
Part = collections.namedtuple("Part", "line text")
Line = collections.namedtuple("Line", "page digest reason words")


def blank(found):
    """Nothing but as many lines."""
    return "\n" * found[0].count("\n")


def bare(page, text):
    """A page without what is compared elsewhere, line by line as it was."""
    text = plots.BLOCK.sub(blank, text)
    text = FENCED.sub(blank, text)
    text = re.sub(r"``.*?``|`[^`\n]*(?:\n[^`\n]+)?`", lambda code: blank(code) or " ", text)
    text = re.sub(r"\]\([^)]*\)|<[a-zA-Z!/][^>]*>|https?://\S+", blank, text)
    return re.sub(r"^( *)\d+\. ", r"\1", text, flags=re.M)  # numbered lists


def parts(page, text):
    """Paragraphs and tables between empty lines; `line` is that of the first."""
    line = 1
    for text in re.split(r"(\n\s*\n)", bare(page, text)):
        stripped = text.strip("\n")
        if stripped.strip():
            first = line + text.index(stripped[0])
            yield Part(first, stripped)
        line += text.count("\n")


def digest(texts):
    return hashlib.sha256(" ".join(texts).encode()).hexdigest()[:8]


def first_words(text):
    words = re.sub(r"[\s|*_\[\]]+|:?-{2,}:?", " ", text).split()
    return " ".join(words)[:44].strip()


def needs_line(part):
    """Not of code, which is indented."""
    return not all(line.startswith("    ") for line in part.text.split("\n")) and bool(
        FIGURE.search(VERSION.sub("", part.text)) or CELL.search(part.text))


def lines_of(page, text):
    """Pairs of a Line, without a reason, and where it is on the page."""
    found, other = [], []
    for part in parts(page, text):
        if needs_line(part):
            found.append((Line(page, digest(NUMBER.findall(part.text)), "", first_words(part.text)),
                          part.line))
        else:
            other += NUMBER.findall(part.text)
    if other:
        found.append((Line(page, digest(other), "definition", OTHER), 1))
    return found


def pages():
    for path in plots.PAGES:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def read_ledger():
    rows = (line for line in LEDGER.read_text(encoding="utf-8").split("\n")
            if line and not line.startswith("#"))
    return [Line(*(cell.strip() for cell in row.split(" | ", 3))) for row in rows]


def good_reason(reason):
    word, _, path = reason.partition(" ")
    return (ROOT / path).is_file() if word == "test" and path else reason in REASONS


def faults_of(page, text, ledger):
    found, left = lines_of(page, text), [line for line in ledger if line.page == page]
    for line, number in list(found):
        same = [one for one in left if (one.digest, one.words) == (line.digest, line.words)]
        if same:
            found.remove((line, number))
            left.remove(same[0])
            if not good_reason(same[0].reason):
                yield f'{page}:{number}: "{line.words}": no reason: {same[0].reason}'
    for line, number in found:
        yield f'{page}:{number}: "{line.words}": not the numbers of figures.txt'
    for one in left:
        if one.words not in {line.words for line, _ in found}:
            yield f'{page}: "{one.words}" of figures.txt has no place any more'


def compare():
    ledger, faults, count = read_ledger(), [], 0
    for page, text in pages():
        faults += faults_of(page, text, ledger)
        count += 1
    faults += [f"{line.page}: no such page" for line in ledger
               if line.page not in {page for page, _ in pages()}]
    if faults:
        sys.exit("\n".join(faults) + "\n`git diff` says which. A number that was measured: "
                 "delete it, or let docs/measure/page_figures.py write it. Else look at it, and\n"
                 "  tests/docs/check_figures.py --write PAGE")
    print(f"the numbers of {count} pages, {len(ledger)} lines of figures.txt")


def write(names, reason):
    """Good reasons stay with the digest, or else with the first words."""
    ledger = read_ledger()
    texts = dict(pages())
    for name in names:
        if name not in texts:
            sys.exit(f"no page {name}: {', '.join(texts)}")
        old = [line for line in ledger if line.page == name]
        reasons = {key: line.reason for line in old if good_reason(line.reason)
                   for key in (line.words, line.digest)}
        ledger = [line for line in ledger if line.page != name]
        for line, number in lines_of(name, texts[name]):
            known = line.reason or reasons.get(line.digest) or reasons.get(line.words)
            ledger.append(line._replace(reason=known or reason))
            if known is None:
                print(f"{name}:{number}: {reason}: {line.words}")
    order = list(texts)
    ledger.sort(key=lambda line: order.index(line.page) if line.page in order else -1)
    head = [line for line in LEDGER.read_text(encoding="utf-8").split("\n")
            if line.startswith("#")]
    LEDGER.write_text("\n".join([*head, *map(" | ".join, ledger)]) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--write", nargs="+", metavar="PAGE")
    parser.add_argument("--reason", default="?")
    arguments = parser.parse_args()
    if arguments.write:
        write(arguments.write, arguments.reason)
    else:
        compare()


main()
