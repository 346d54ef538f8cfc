#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the man page gst-stixels(7) from README.md and docs/index.md beside it: what it is, its
elements, its first pipelines.

usage: plugin-man.py README.md VERSION DOC_FOLDER PAGE...

The PAGEs are those to see as well, as in stx-eval(1).
"""
import pathlib
import re
import sys


def roff(text):
    """A text of Markdown as roff: no links and pictures, bold for what is typed."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)|<img [^>]*>", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    text = re.sub(r"\*([^*]+)\*", r"\\fI\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M).strip()


def verbatim(block):
    lines = block.replace("\\", "\\e").replace("-", "\\-").rstrip("\n")
    return ".PP\n.nf\n.RS\n" + re.sub(r"^([.'])", r"\\&\1", lines, flags=re.M) + "\n.RE\n.fi\n"


def elements(index):
    """Rows (element, what it does) of the list of docs/index.md."""
    for name, text in re.findall(r"^- (\[`[^`]*`\]\([^)]*\)): (.*?)$(?=\n-|\n\n)", index,
                                 re.S | re.M):
        yield roff(name), roff(" ".join(text.split()))


def main():
    path, version, doc_folder, *pages = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        readme = file.read()
    summary = readme.split("\n\n")[1]
    blocks = re.findall(r"^```sh\n(?:export [^\n]*\n)?(.*?)^```", readme, re.S | re.M)
    launches = [block for block in blocks
                if block.startswith(("gst-launch-1.0 stereo", "gst-launch-1.0 street"))]
    rows = list(elements(pathlib.Path(path).with_name("docs").joinpath("index.md").read_text()))
    if not rows or not launches:
        sys.exit(f"{path}: no pipeline, or docs/index.md has no list of elements")
    print(f'.TH GST\\-STIXELS 7 "" "gst\\-stixels {version}" "gst\\-stixels"')
    print(".SH NAME\ngst\\-stixels \\- stixels from stereo video, and ground from LiDAR scans, "
          "in GStreamer")
    print(".SH DESCRIPTION\n" + roff(summary))
    print(".SH ELEMENTS")
    for name, does in rows:
        print(f".TP\n{name}\n{does}")
    print(".SH EXAMPLES" + "".join("\n" + verbatim(block) for block in launches), end="")
    print(f".SH FILES\n.TP\n\\fI{roff(doc_folder)}\\fR\n"
          "The whole documentation: pages of every element, formats, algorithms, examples.")
    print(".SH SEE ALSO\n.BR gst\\-launch\\-1.0 (1),\n.BR gst\\-inspect\\-1.0 (1)"
          + "".join(f",\n.BR {roff(page)} (1)" for page in pages))


if __name__ == "__main__":
    main()
