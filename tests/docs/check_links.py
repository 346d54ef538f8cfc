#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every link of the pages leads somewhere, and docs/index.md leads to every page.

usage: check_links.py [SOURCE_ROOT]

A file that a page names must be there, and the anchor must be that of a heading, as GitHub and the
site make it. Addresses on the web are not looked at. The site (docs/site/) finds the same and more,
where there is Sphinx.
"""
import os
import pathlib
import re
import sys

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def pages_of(root):
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("tests/**/*.md")])


def anchors(text):
    """Those of GitHub: small letters, no punctuation, a hyphen for each space, -1 for the next."""
    found = {}
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        if found[slug]:
            found[f"{slug}-{found[slug]}"] = 0
    return found


def faults_of(root, page, texts):
    for link in (a or b for a, b in LINK.findall(CODE.sub("", texts[page]))):
        name, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        path = pathlib.Path(os.path.normpath(page.parent / name)) if name else page
        if not path.exists():
            yield f"{page.relative_to(root)}: no file {name}"
        elif anchor and anchor not in anchors(texts.get(path, "")):
            yield f"{page.relative_to(root)}: no heading #{anchor} in {path.relative_to(root)}"


def unlisted(root, texts):
    index = root / "docs/index.md"
    listed = {os.path.normpath(index.parent / link.partition("#")[0])
              for link, _ in LINK.findall(texts.get(index, ""))}
    for page in texts.keys() - {index}:
        if str(page) not in listed:
            yield f"docs/index.md does not lead to {page.relative_to(root)}"


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here
    texts = {page: page.read_text(encoding="utf-8") for page in pages_of(root)}
    faults = [fault for page in texts for fault in faults_of(root, page, texts)]
    faults += unlisted(root, texts)
    print("\n".join(faults) or f"{len(texts)} pages, all links lead somewhere")
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
