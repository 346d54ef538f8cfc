# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of pads and properties on the site's pages, from what gst-inspect-1.0 prints.

The site has them in place of `<!-- element NAME -->` on docs/elements/NAME.md; docs/properties.md
has a table for each of GROUPS. Ranges are not repeated.
"""
import collections
import functools
import re
import subprocess
import textwrap

PLACE = re.compile(r"^<!-- element (\S+) -->$", re.M)
SHARED = 3  # elements that have the same property: then one row for all of them
# Headings of docs/properties.md, and which properties stand there if they are shared.
GROUPS = {
    "camera": r"calibration.*|focal|cx|cy|baseline|camera-.*|motion",
    "sensor": r"sensor-.*",
    "timing": r"layout|timeout|tolerance|unpaired|qos|stats",
    "backend": r"backend|threads|cuda-device-id",
}
# Properties of base classes, which the pages do not repeat.
INHERITED = {"name", "parent", "emit-signals", "latency", "min-upstream-latency", "start-time",
             "start-time-selection", "blocksize", "num-buffers", "do-timestamp", "typefind",
             "automatic-eos", "async-handling", "message-forward", "samples-selected"}
MANY = 8  # formats: more of them are counted; choices: more of them are only named
READ_ONLY = "read-only"
HEAD = "| property=default | meaning |\n|---|---|"

Property = collections.namedtuple("Property", "default text")


def run(command, folder=None):
    """Exit status and output of a shell command that must end within a minute."""
    result = subprocess.run(["timeout", "60", "bash", "-o", "pipefail", "-c", command], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


@functools.cache
def inspected(factory):
    """The output of gst-inspect-1.0 for an element, or the plugin."""
    status, text = run(f"gst-inspect-1.0 --no-colors {factory}")
    if status != 0:
        raise SystemExit(f"no element {factory}:\n{text}")
    return text


@functools.cache
def elements():
    """The plugin's features but for typefinders."""
    features = re.findall(r"^  ([a-z0-9-]+): ", inspected("stixels"), re.M)
    return [name for name in features
            if "Element Properties:" in run(f"gst-inspect-1.0 --no-colors {name}")[1]]


def section_of(factory, heading):
    """The lines under a heading that begins at the margin, up to the next."""
    found = re.search(rf"^{heading}:\n(.*?)(?=^[A-Z]|\Z)", inspected(factory), re.M | re.S)
    return found[1] if found else ""


def default_of(body):
    """As short as can be: 0.05, 1e6, 3.141593; nothing for what is only read."""
    if "readable, writable" not in body:
        return READ_ONLY
    default = re.search(r"Default: +(?:(?:-?\d+|0x[0-9a-f]+), )?(\"[^\"]*\"|\S+)", body)
    value = default[1].strip('"') if default else ""
    if ". Range: " in body and "/" not in value:
        return f"{float(value):.10g}"
    return "" if value == "null" else value.replace("(none)", "")


def choices_of(body):
    """": `a` what it means; `b` …" of an enumeration or flags, or nothing."""
    found = re.findall(r"^ {8,}\((?:-?\d+|0x[0-9a-f]+)\): (\S+) +- (.*)$", body, re.M)
    if len(found) > MANY:
        return ": " + ticked(nick for nick, _ in found)
    return ": " + "; ".join(choice(nick, plain(text)) for nick, text in found) if found else ""


def choice(nick, text):
    """Without a text that only repeats the name."""
    if text.lower() == nick.replace("-", " "):
        return f"`{nick}`"
    return f"`{nick}` " + text.replace("; ", ", ")


def plain(text):
    """Begins small where it is no name: as the rest of a sentence."""
    text = text.strip()
    return text[0].lower() + text[1:] if re.match(r"[A-Z][a-z]*(?!\w)", text) and not re.match(
        r"(Cityscapes|Point Cloud|Velodyne|Hesai|Ouster|KITTI|SemanticKITTI)", text) else text


@functools.cache
def properties(factory):
    """{name: Property} of an element."""
    found = {}
    for name, text, body in re.findall(r"^  ([a-z0-9-]+) *: (.*)((?:\n {6,}.*)*)",
                                       section_of(factory, "Element Properties"), re.M):
        if name not in INHERITED and not text.startswith("Handle Quality-of-Service"):
            found[name] = Property(default_of(text + body), text.strip() + choices_of(body))
    return found


@functools.cache
def shared():
    """{name: Property} of those of GROUPS that SHARED elements or more have alike, two of a
    sensor."""
    count = collections.Counter(item for name in elements() for item in properties(name).items())
    least = {title: 2 if title == "sensor" else SHARED for title in GROUPS}
    return {name: one for (name, one), times in count.items()
            if any(re.fullmatch(pattern, name) and times >= least[title]
                   for title, pattern in GROUPS.items())}


def group(name, names):
    """Those of a group, in its order of patterns."""
    return [one for pattern in GROUPS[name].split("|")
            for one in sorted(names) if re.fullmatch(pattern, one)]


def shared_line(names):
    """Links to the groups, with what the element has of them where that is not all."""
    parts = []
    for title in GROUPS:
        ours = group(title, names)
        others = [name for name in group(title, shared()) if name not in ours]
        if ours:
            few = f"without {ticked(others)}" if len(others) < len(ours) else ticked(ours)
            parts.append(f"[{title}](../properties.md#{title})" + (f" ({few})" if others else ""))
    return wrapped("[Shared](../properties.md): " + ", ".join(parts) + ".") if parts else ""


def row(name, one):
    if one.default == READ_ONLY:
        return f"| `{name}` | {one.text}; {READ_ONLY} |"
    return f"| `{name}={one.default}` | {one.text} |"


def wrapped(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def ticked(names):
    return ", ".join(f"`{name}`" for name in names)


def lent(factory, own):
    """{element: names} of the properties that a bin has from its children."""
    found = {}
    if "GstBin" in inspected(factory):
        for other in elements():
            names = [name for name in own if other != factory
                     and properties(other).get(name) == own[name]]
            if names:
                found[other] = names
                own = {name: one for name, one in own.items() if name not in names}
    return found


def property_lines(factory):
    common = shared()
    own = {name: one for name, one in properties(factory).items() if common.get(name) != one}
    others = lent(factory, own)
    taken = {name for names in others.values() for name in names}
    rows = [row(name, one) for name, one in own.items() if name not in taken]
    lines = [HEAD, *rows] if rows else []
    if others:
        lines += ["", wrapped("Also those of " + "; ".join(
            f"[`{other}`]({other}.md): {ticked(names)}" for other, names in others.items()) + ".")]
    line = shared_line([name for name, one in properties(factory).items()
                        if common.get(name) == one])
    return lines + (["", line] if line else [])


def caps_of(lines):
    """Media types, each once, with their formats."""
    found = {}
    for media, fields in re.findall(r"^ {6}([a-z]+/[a-z0-9.+-]+|ANY)(?:\([^)]*\))?((?:\n {7,}.*)*)",
                                    lines, re.M):
        formats = re.search(r"format: (.*)", fields)
        names = re.sub(r"[{}]|\(string\)", "", formats[1] if formats else "").split(",")
        names = [name.strip() for name in names if name.strip()]
        text = f"{len(names)} formats" if len(names) > MANY else ", ".join(names)
        found.setdefault(media, f"`{media}`" + (f" {text}" if text else ""))
    return "; ".join(found.values())


def pad_lines(factory):
    text = section_of(factory, "Pad Templates")
    pads = re.findall(r"^  (?:SRC|SINK) template: '([^']+)'\n    Availability: (.*)\n"
                      r"    Capabilities:\n((?: {6}.*\n)*)", text, re.M)
    rows = {}  # pads that are alike share one
    for name, presence, lines in sorted(pads):  # the order differs between releases
        rows.setdefault((presence.lower(), caps_of(lines)), []).append(name)
    return ["| pad | caps |", "|---|---|"] + [
        f"| {ticked(names)}{'' if presence == 'always' else f', {presence}'} | {caps} |"
        for (presence, caps), names in rows.items()]


def signal_lines(factory):
    names = [name for heading in ("Element Signals", "Element Actions")
             for name in re.findall(r'^  "([a-z0-9-]+)" ', section_of(factory, heading), re.M)
             if name not in INHERITED]
    return ["", f"Signals: {ticked(names)}."] if names else []


def tables(factory):
    if factory in GROUPS:
        lines = [HEAD, *(row(name, shared()[name]) for name in group(factory, shared()))]
    else:
        lines = [*pad_lines(factory), "", *property_lines(factory), *signal_lines(factory)]
    return "\n".join(lines) + "\n"


def fill(text):
    """A page with its tables."""
    return PLACE.sub(lambda found: tables(found[1]), text)
