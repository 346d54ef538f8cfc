# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which small changes of the code could be made, and which of them are drawn.

A mutant is a line with one thing changed in it. Mutated are the bodies of functions, and the
numbers in tables. Never touched are comments, directives of the preprocessor, declarations, texts
(a line with a string in it), what goes to the log, and assertions. Not drawn either are locks: only
the thread sanitizer sees that one is missing.
"""
import collections
import itertools
import random
import re

Mutant = collections.namedtuple("Mutant", "path line kind before after")

SPACES = "(?<= ){}(?= |$)"  # clang-format puts them around operators of two operands alone
SWAPS = {
    "comparison": (re.compile(SPACES.format("(<=|>=|<|>|==|!=)")),
                   {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    "arithmetic": (re.compile(SPACES.format(r"(\+=|-=|\+|-|\*|/)")),
                   {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+="}),
    "logic": (re.compile(SPACES.format(r"(&&|\|\|)")), {"&&": "||", "||": "&&"}),
    "boolean": (re.compile(r"(?<=return )(true|false|TRUE|FALSE)(?=;)"),
                {"true": "false", "false": "true", "TRUE": "FALSE", "FALSE": "TRUE"}),
}
NUMBER = re.compile(r"(?<![\w.])(\d+)(?=[uUlL]*(?![\w.]))(?!\](?:\[\w+\])* = \{)")
ARRAY = re.compile(r"\s*(?:[A-Za-z_]\w*[ *]+)+\w+(?:\[\w+\])+[^=]*;")
CONDITION = re.compile(r"(\s*(?:\} else )?if \()(.*)(\)(?: \{)?)$")
CALL = re.compile(r"\s+[A-Za-z_]\w*\(.*\);$")
ASSIGNMENT = re.compile(r"\s+\**[A-Za-z_](?:\w|\.|->|\[[^\]]*\])* (?:[-+*/|&^]|<<|>>)?= .*;$")
LOCK = re.compile(r"lock\w*\(", re.IGNORECASE)
QUIET = re.compile(r"\b(GST_(DEBUG|LOG|INFO|WARNING|FIXME|TRACE|CAT)\w*|g_assert\w*|assert|"
                   r"_Static_assert|G_STATIC_ASSERT)\b")

HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.MULTILINE)


def masked(text):
    """The text with as many columns, but without comments, directives and what stands in quotes."""
    def blank(match):
        inside = re.sub(r"[^\n]", " ", match[0])
        quoted = match[0][0] in "\"'"
        return match[0][0] + inside[1:-1] + match[0][0] if quoted else inside
    return DIRECTIVE.sub(blank_all, HIDDEN.sub(blank, text))


def blank_all(match):
    return re.sub(r"[^\n]", " ", match[0])


def rooms(lines):
    """For each line: "body" in a function, "table" in a constant table, "" elsewhere."""
    room = ""
    for line in lines:
        if line.startswith("}"):
            room = ""
        yield room
        if not room and line.rstrip() == "{":
            room = "body"
        elif not room and re.match(r"(static )?const .*= \{$", line.rstrip()):
            room = "table"


def quiet_lines(lines):
    """For each line: whether it belongs to a statement of the log or an assertion, or asks whether
    the next one is to be executed, which does."""
    inside = False
    for line, following in zip(lines, [*lines[1:], ""]):
        inside = inside or bool(QUIET.search(line))
        alone = line.lstrip().startswith("if (") and not line.rstrip().endswith("{")
        yield inside or (alone and bool(QUIET.match(following.lstrip())))
        inside = inside and not line.rstrip().endswith(";")


def swapped(text, mask):
    for kind, (pattern, others) in SWAPS.items():
        for match in pattern.finditer(mask):
            yield kind, text[:match.start(1)] + others[match[1]] + text[match.end(1):]


def counted(text, mask):
    if ARRAY.match(mask):
        return
    for match in NUMBER.finditer(mask):
        number = int(match[1])
        other = 0 if number == 1 else number + 1
        yield "constant", text[:match.start(1)] + str(other) + text[match.end(1):]


def balanced(text):
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def dropped(text, mask):
    condition = CONDITION.match(mask)
    if condition and balanced(condition[2]):
        start, end = condition.span(2)
        yield "condition", f"{text[:start]}!({text[start:end]}){text[end:]}"
    indent = text[:len(text) - len(text.lstrip())]
    if CALL.match(mask) and not LOCK.search(mask):
        yield "call", indent + ";"
    if ASSIGNMENT.match(mask):
        yield "assignment", indent + ";"


def signature_of(masks, brace):
    """The text before line `brace`, with which the body of a function begins."""
    start = brace
    while start > 0 and masks[start - 1].strip() and masks[start - 1][0] not in "}{":
        start -= 1
    return " ".join(masks[start:brace]).strip()


def function_at(text, line):
    """Name of the function that a line is in, "" outside of any."""
    masks = masked(text).split("\n")
    for index in range(min(line, len(masks)) - 1, -1, -1):
        if masks[index].startswith("}"):
            break
        if masks[index].rstrip() == "{":
            match = re.search(r"STX_VARIANT\((\w+)\)|(\w+)\(", signature_of(masks, index))
            return (match[1] or match[2]) if match else ""
    return ""


def early_returns(masks, brace):
    """Values that a function whose body begins at line `brace` could return at once."""
    match = re.match(r"(?:\w+ )*?(void|bool|gboolean) \w+\(", signature_of(masks, brace))
    return {None: [], "void": ["return;"]}.get(match and match[1], ["return 0;", "return 1;"])


def changes_of(masks, index, room, line):
    """Pairs of a kind and what the line becomes."""
    mask = masks[index].rstrip()
    if room == "body" and masks[index - 1].rstrip() == "{" and line.strip() != "}":
        for statement in early_returns(masks, index - 1):
            yield "return", f"  {statement} {line.strip()}"
    if mask and '"' not in mask:
        yield from counted(line, mask)
    if mask and '"' not in mask and room == "body":
        yield from swapped(line, mask)
        yield from dropped(line, mask)


def of_text(path, text):
    """All mutants of a source file."""
    lines, masks = text.split("\n"), masked(text).split("\n")
    found = []
    for index, (room, quiet) in enumerate(zip(rooms(masks), quiet_lines(masks))):
        if room and not quiet:
            line = lines[index]
            found += [Mutant(path, index + 1, kind, line, after)
                      for kind, after in changes_of(masks, index, room, line)]
    return found


def size_of(mutants):
    """Size of a file: its lines that can be mutated."""
    return len({mutant.line for mutant in mutants})


def spread(sizes, count, seed):
    """`count` paths, a file in proportion to its size, in no order."""
    total = sum(sizes.values())
    paths = sorted(path for path, size in sizes.items() if size)
    if not total:
        return []
    generator = random.Random(f"{seed}")
    ends = list(itertools.accumulate(sizes[path] for path in paths))
    step, offset = total / count, generator.random()
    drawn, index = [], 0
    for i in range(count):
        while ends[index] <= (i + offset) * step and index < len(paths) - 1:
            index += 1
        drawn.append(paths[index])
    generator.shuffle(drawn)
    return drawn


def in_drawn_order(mutants, seed):
    """The mutants of a file: each kind has the same chance, however many there are of it."""
    if not mutants:
        return
    generator = random.Random(f"{seed}:{mutants[0].path}")
    kinds = collections.defaultdict(list)
    for mutant in mutants:
        kinds[mutant.kind].append(mutant)
    for group in kinds.values():
        generator.shuffle(group)
    while kinds:
        kind = generator.choice(sorted(kinds))
        yield kinds[kind].pop()
        if not kinds[kind]:
            del kinds[kind]
