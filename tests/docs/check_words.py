#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Habits of writing that CONTRIBUTING.md asks to avoid: on the pages, in the texts of properties,
which are on them, and in the comments of headers. No comment in the code opens with "What", "Who"
or "How", or has "nobody" for an actor; no sentence of one opens with "Of".

Each row of HABITS is a pattern and what to write in its place. Code is not looked at.
"""
import pathlib
import re
import sys

from blocks import FENCED, ROOT, pages

HABITS = [(re.compile(pattern), advice) for pattern, advice in (
    (r"(?i)\b(nobody|somebody|anybody|whoever)\b", "name the element, the program or the user"),
    (r"(?:^|[.:;] )Who [a-z]+s?\b(?![^.]*\?)", "name the actor: \"an application that …\""),
    (r"(?i)\b(patience|blame|house rule|at home in)\b", "say what happens, without a metaphor"),
    (r"(?i)\bhangs? (on|at) (the|its|a|video|frames?|disparit\w+)\b", "a meta is attached"),
    (r"(?i)\brides? (in|on)\b", "\"is in\", \"travels in\""),
    (r"(?i)\b(needed is|wanted is|measured are|shown is)\b", "put the subject first"),
    (r"(?i)\bfor want of\b", "\"without\""),
    (r"(?i)\btells? of\b", "\"reports\", \"says\""),
    (r"(?i)\bwill do\b(?!\.\w)", "\"works\", \"is enough\""),
    (r"(?i)\b(?:all|that) that leads\b", "name what it is"),
    (r"(?i)\bas (?:it|they) (?:comes?|came) (?:in|out)\b", "\"unchanged\""),
    (r"(?:\n\n|[.!?]\s)Of [\w`]", "put the subject first"),
    (r"/\*[\s*]*(Where|Whether|Which) ", "begin the comment with a noun or a verb"),
)]
HEADERS = sorted(path for folder in ("common", "gst") for path in (ROOT / folder).rglob("*.h"))
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
CODE = ("common", "cuda", "docs", "examples", "gst", "tests")
ENDINGS = {".c", ".cc", ".cu", ".cuh", ".h", ".in", ".py", ".sh", ".build"}
REMARK = re.compile(r'\s*(/\*+[!<]*|\*(?!/)|//+|#+|""")\s*(.*)')
RIDDLE = re.compile(r"(?:What|Who|How)\b")
GENITIVE = re.compile(r'(?:^|^\s*[*#]|/\*+|//|"""|[.!?;] ?)\s*Of [\w`$]')
ACTOR = re.compile(r"\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever)\b")


def blank(found):
    return "\n" * found[0].count("\n")


def prose():
    """(path, text without code, line by line as it was) of all that is looked at."""
    for path in pages():
        text = FENCED.sub(blank, path.read_text(encoding="utf-8"))
        yield path, re.sub(r"`[^`\n]*`|\"[^\"]*\"", blank, text)
    for path in HEADERS:
        text = path.read_text(encoding="utf-8")
        kept, end = "", 0
        for comment in COMMENT.finditer(text):
            kept += "\n" * text.count("\n", end, comment.start()) + comment[0]
            end = comment.end()
        yield path, kept


def riddles():
    """Comments that open, or whose paragraphs open, with a question's word; actors without a name.
    """
    for path in sorted(path for folder in CODE for path in (ROOT / folder).rglob("*")):
        if path.suffix not in ENDINGS:
            continue
        before = None
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            found = REMARK.match(line)
            opens = found and (before is None or found[1][0] in '/"' or not before[2]
                               or "SPDX" in before[2])
            if opens and RIDDLE.match(found[2]):
                yield (f"{path.relative_to(ROOT)}:{number}: \"{found[2][:40]}\": a noun: "
                       "\"The outputs …\", or what the function does: \"Finds …\"")
            if found and ACTOR.search(found[2]):
                yield f"{path.relative_to(ROOT)}:{number}: \"{found[2][:40]}\": name the actor"
            if GENITIVE.search(line):
                yield (f"{path.relative_to(ROOT)}:{number}: \"{line.strip()[:40]}\": begin with "
                       "what it is, or what the function does: \"Returns the colour of …\"")
            before = found


def main():
    if len(sys.argv) > 1:  # for a look at other files
        texts = ((pathlib.Path(name), pathlib.Path(name).read_text()) for name in sys.argv[1:])
    else:
        texts = prose()
    faults = [f"{path.relative_to(ROOT) if path.is_absolute() else path}:"
              f"{text.count(chr(10), 0, found.start()) + 1}: \"{found[0].strip()}\": {advice}"
              for path, text in texts for pattern, advice in HABITS
              for found in pattern.finditer(text)]
    faults += [] if len(sys.argv) > 1 else riddles()
    print("\n".join(faults) or "no habits found")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
