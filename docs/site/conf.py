# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages as a site: `ninja -C build site` (build.py beside this file).

Sphinx reads the same Markdown as GitHub does, through MyST. Both are kept by many, are packages of
every Debian, check links and anchors, search without a server, and know C; MkDocs does not know C
and wants one folder, and hotdoc is in no Debian; gi-docgen would make a second site, of the library
with GObject alone: three quarters of the headers have none. The theme needs no network.
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
import element_tables  # noqa: E402 (beside this file)

project = "gst-stixels"
author = "the gst-stixels authors"
copyright = "LGPL-2.1-or-later"  # noqa: A001 (Sphinx's name)
version = release = os.environ.get("STX_VERSION", "")
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "tests/**.md", "api/**.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# Anchors are GitHub's, and html_image takes the pictures that have a width.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
# Blocks that no lexer knows: JSON with "…", the YAML of OpenCV.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
highlight_language = "none"

html_theme = "furo"
html_title = "gst-stixels"
html_static_path = [os.path.join(os.path.dirname(__file__), "site.css")]
templates_path = [os.path.dirname(__file__)]
html_sidebars = {"**": [
    "sidebar/brand.html", "versions.html", "sidebar/search.html", "sidebar/scroll-start.html",
    "sidebar/navigation.html", "sidebar/scroll-end.html"]}
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"content-padding": "2em"},
    "navigation_with_keys": True,
}

CONTENTS = pathlib.Path(os.environ["STX_SOURCE"], "docs/index.md")
# {version: its pages} of the sites that lie beside each other, newest first.
VERSIONS = json.loads(os.environ["STX_VERSIONS"])
# Headers that build.py has made pages of: header -> page.
HEADERS = dict(word.split("=") for word in os.environ["STX_HEADERS"].split())
LINK = re.compile(r"\]\(([^)#:]*\.h)\)")


def toctree(*lines):
    return "\n".join(["```{toctree}", ":hidden:", *lines, "```"])


def toctrees(text):
    """The index's headings and links once more, as what stands on the left of every page."""
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        caption, _, body = part.partition("\n")
        links = re.findall(r"^- \[([^]]*)\]\(([^)#:]*)\.md\)", body, re.M)
        pages = [(title.replace("`", ""), os.path.normpath("docs/" + path))
                 for title, path in links]
        yield toctree(f":caption: {caption}", "",
                      *(f"{title} <{page}>" for title, page in pages if page != root_doc))


def to_headers(name, text, headers):
    """Links to headers that have a page lead there."""
    folder = os.path.dirname(name)

    def target(match):
        path = os.path.normpath(os.path.join(folder, match[1]))
        page = headers.get(path)
        return f"]({os.path.relpath(page, folder or '.')})" if page else match[0]
    return LINK.sub(target, text)


def read_page(_app, name, source):
    if not name.startswith("api/"):
        source[0] = element_tables.fill(to_headers(name, source[0], HEADERS))
    if name == root_doc:
        source[0] += "\n\n" + "\n\n".join([
            toctree("", "docs/index"), *toctrees(CONTENTS.read_text(encoding="utf-8")),
            toctree(":caption: Headers", ":glob:", "", "api/gst/*", "api/stixels/*")])


def add_versions(_app, name, _template, context, _doctree):
    """For versions.html: (version, address of this page there)."""
    up = "../" * (name.count("/") + 1)
    context["versions"] = [
        (other, f"{up}{other}/{name if name in pages else 'index'}.html")
        for other, pages in VERSIONS.items() if other != version]


def setup(app):
    app.connect("source-read", read_page)
    app.connect("html-page-context", add_versions)
