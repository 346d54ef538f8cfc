# SPDX-License-Identifier: LGPL-2.1-or-later
"""The blocks of code on the pages, and which of them no test runs."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)

# `page` seen from the root, `line` of its first line, `language` as printed, `text` without indent.
Block = collections.namedtuple("Block", "page line language text")
# A line of not_run.txt: how a block or a command begins, whether it runs in full tests, why.
Exception_ = collections.namedtuple("Exception_", "page begins full why")


def pages(root=ROOT):
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("tests/**/*.md")])


def blocks(path, root=ROOT):
    text = path.read_text(encoding="utf-8")
    for found in FENCED.finditer(text):
        lines = re.sub(rf"^{found[1]}", "", found[3], flags=re.M)
        yield Block(str(path.relative_to(root)), text.count("\n", 0, found.start()) + 2, found[2],
                    lines)


def commands(text):
    """The commands that a shell runs: without remarks, continued lines joined."""
    found = [""]
    for line in re.sub(r"\\\n\s*", " ", text).split("\n"):
        found[-1] += re.sub(r"(^|\s)#.*", "", line).rstrip()
        if re.sub(r"'[^']*'", "", found[-1]).count("'") % 2 == 0:  # else the quotes go on
            found.append("")
    return [command for command in found if command.strip()]


def exceptions(root=ROOT):
    for line in (root / "tests/docs/not_run.txt").read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            page, begins, why = (cell.strip() for cell in line.split(" | "))
            full = why.startswith("full:")
            yield Exception_(page, begins, full, why)


def exception_of(page, text, listed):
    """The first one that is about this text, or None."""
    return next((one for one in listed
                 if page == one.page and text.startswith(one.begins)), None)
