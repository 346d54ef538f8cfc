# SPDX-License-Identifier: LGPL-2.1-or-later
"""Public headers as pages of the site: what they declare, with what they say of it.

Doxygen and hawkmoth would want comments in their own markup, and would run tables of arguments
together; ours are written to be read in place. So the text is taken as it stands, and Sphinx's
domain of C parses, links and indexes the declarations.
"""
import re

SECTION = re.compile(r"/\* -{3,} (.*?) -{3,} \*/")
OPENING = re.compile(r"/\*.*?\*/", re.S)
ATTRIBUTES = re.compile(r"\bSTX_API\b|\bSTX_INLINE\b|\bstatic\b|\binline\b|\b_?GST_STX_API\b"
                        r"|__attribute__\s*\(\(.*?\)\)\s*(?=[;{]|$)", re.S)


def heading(text, line):
    return f"{text}\n{line * len(text)}\n"


def plain(comment):
    """The text of a comment, without its stars."""
    text = re.sub(r"^/\*+ ?|\s*\*+/$", "", comment.strip())
    return re.sub(r"^[ \t]*\* ?", "", text, flags=re.M).strip("\n")


def escaped(text):
    """Prose of a comment: `names` stay names, all other marks are letters."""
    parts = re.split(r"`([^`\n]+)`", text)
    parts[::2] = [re.sub(r"([\\*`|_])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"\\ ``{part}``\\ " for part in parts[1::2]]
    return "".join(parts)


def paragraphs(text):
    """reStructuredText: prose flows, what is aligned by hand stays as it is."""
    for part in re.split(r"\n\s*\n", text):
        lines = part.strip("\n").split("\n")
        aligned = any(re.search(r"\S  +\S|^ ", line) for line in lines)
        if aligned:
            yield "::\n\n" + "\n".join("   " + line for line in lines)
        else:
            yield escaped(" ".join(lines))


def documented(name, text, member):
    """GObject-Introspection's markup, where there is any, as fields; `member` is their name."""
    text = re.sub(rf"\A{name}:.*(\n|\Z)", "", text)
    text = re.sub(r"[#%](?=[A-Z])", "", text)
    parts = re.split(r"^(@\w+|Returns):", text, flags=re.M)
    parts[::2] = [re.sub(r"@(\w+)", r"`\1`", part) for part in parts[::2]]
    result = list(paragraphs(parts[0])) if parts[0].strip() else []
    fields = []
    for key, value in zip(parts[1::2], parts[2::2]):
        value, _, rest = value.partition("\n\n")
        marks, value = re.match(r"\s*((?:\([^)]*\)\s*)*):?(.*)", value, re.S).groups()
        value = escaped(" ".join([*value.split(), *marks.split()]))
        fields.append(f":{member}{key[1:]}: {value}" if key[0] == "@" else f":returns: {value}")
        result += paragraphs(rest) if rest.strip() else []
    return result + ["\n".join(fields)] if fields else result


def indented(text, spaces="   "):
    return "\n".join(spaces + line if line else "" for line in text.split("\n"))


def code(text):
    return ".. code-block:: c\n\n" + indented(text)


def described(declaration):
    """[(directive, signature)] of a stretch of code, and whether its text is worth showing."""
    bare = re.sub(r"\s+", " ", ATTRIBUTES.sub("", OPENING.sub("", declaration))).strip()
    record = re.match(r"typedef (struct|enum|union) ?\w* ?\{.*\} (\w+)( \w+\(.*\))?;$", bare)
    if record:
        return [(record[1], record[2])], True
    opaque = re.fullmatch(r"typedef (struct|enum|union) (\w+) (\w+);", bare)
    if opaque:
        return [(opaque[1], opaque[3])], False
    bare = re.sub(r" ?\{.*\}", ";", bare)
    found = [("function", part.strip()) for part in bare.split(";") if re.search(r"\w\(", part)]
    return ([], True) if bare.startswith("#") or not found else (found, False)


def entry(comment, declaration):
    names, show = described(declaration)
    text = plain(comment) if comment else ""
    if not names:
        return list(paragraphs(text)) + ([code(declaration)] if declaration else [])
    name = re.search(r"(\w+)\s*(\(|$)", names[0][1])[1]
    member = "param " if names[0][0] == "function" else ""
    body = documented(name, text, member) + ([code(declaration)] if show else [])
    heads = [f".. c:{kind}:: {signature}" for kind, signature in names]
    return ["\n\n".join(heads + [indented("\n\n".join(body))])]


def chunks(text):
    """(comment or None, code) one after the other; a blank line outside of braces ends a chunk."""
    position = 0
    while position < len(text):
        rest = text[position:]
        skipped = len(rest) - len(rest.lstrip())
        position, rest = position + skipped, rest.lstrip()
        comment = OPENING.match(rest)
        start = comment.end() if comment else 0
        glued = not comment or not rest[start:].startswith("\n\n")
        end = code_end(rest, start) if glued and rest else start
        if rest:
            yield comment[0] if comment else None, rest[start:end].strip()
        position += max(end, 1)


def code_end(text, start):
    depth = 0
    for match in re.compile(r"/\*.*?\*/|[{}]|\n\s*\n|\n(?=/\*)", re.S).finditer(text, start):
        if match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
        elif depth == 0 and match[0][0] == "\n":
            return match.start()
    return len(text)


def body_of(text):
    """The part inside the guard, without lines for compilers."""
    text = re.sub(r"\A(/\*.*?\*/\s*)*?(?=/\*(?! SPDX))", "", text, count=1, flags=re.S)
    text = re.sub(r"^#ifndef \w+_H_?\n#define \w+\n", "", text, flags=re.M)
    text = re.sub(r"\n#endif[^\n]*\n*\Z", "\n", text)
    text = re.sub(r"^#include .*\n|^G_(BEGIN|END)_DECLS\n|^static_assert\(.*\);\n", "", text,
                  flags=re.M)
    return re.sub(r"^#ifdef __(cplusplus|CUDACC__)\n.*?^#endif\n", "", text, flags=re.M | re.S)


def page(title, include, text):
    """The page of a header; `include` is what a program writes."""
    result = [heading(title, "="), code(f"#include <{include}>")]
    for comment, declaration in chunks(body_of(text)):
        section = SECTION.fullmatch(comment or "")
        if section:
            result.append(heading(section[1], "-"))
            comment = None
        if comment or declaration:
            result += entry(comment, declaration)
    return "\n\n".join(result) + "\n"
