#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The blocks of C on the pages compile as they are printed, with the installed libraries.

usage: check_snippets.py BUILD_ROOT

AROUND says what each supposes before and after it; a block that it does not know is a fault. The
program that a page tells to build, and the command that builds it, are those of examples/.
"""
import pathlib
import re
import sys
import tempfile

from installed import install, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
import blocks  # noqa: E402 (found through the line above)

HELPERS = """#include <stdio.h>
#include <stixels/metres.h>
#include <stixels/pipeline.h>
static uint8_t left[64 * 64], right[64 * 64];
static int width = 64, height = 64, left_stride = 64, right_stride = 64, used;
static void die(const char *text) { fprintf(stderr, "%s\\n", text); }
static void complain(const char *text) { die(text); }
static void use(const StxStixel *stixel) { used += stixel->kind > 0; }
int main(void)
{
"""
LOOK = """#include <gst/stixels/stixels.h>
#include <stdio.h>
void look(GstSample *sample);
void look(GstSample *sample)
{
GError *error = NULL;
"""
PROBE = """#include <gst/stixels/stixels.h>
void probe(GstPadProbeInfo *info, gboolean first, const double *before, const double *now,
    GstClockTime interval);
void probe(GstPadProbeInfo *info, gboolean first, const double *before, const double *now,
    GstClockTime interval)
{
"""
# (page, how the block begins): package, what stands before, what stands after.
AROUND = {
    ("docs/embedding.md", "#include <stixels/pipeline.h>"): (
        "stixels", HELPERS, "return used == 0;\n}\n"),
    ("docs/embedding.md", "StxMetres at;"): (
        "stixels", "#include <stdio.h>\n"
        "#include <stixels/metres.h>\n#include <stixels/pipeline.h>\nint main(void)\n{\n"
        "StxStixel one = {0};\nStxPipelineOutput output = {.stixels = &one};\n"
        "size_t i = 0;\n", "return 0;\n}\n"),
    ("docs/applications.md", "#include <gst/stixels/stixels.h>"): (
        "gststixels-1.0", "", "int main(void) { return gst_stx_stixels_get_type() == 0; }\n"),
    ("docs/applications.md", "GstBuffer *picture"): (
        "gststixels-1.0", PROBE, "}\nint main(void) { return 0; }\n"),
    ("docs/applications.md", "GstStxStixels *stixels"): (
        "gststixels-1.0", LOOK, "}\nint main(void) { return 0; }\n"),
}


def program_of(block):
    """(package, the whole program); includes of the block come first."""
    for (page, begins), (package, before, after) in AROUND.items():
        if page == block.page and block.text.startswith(begins):
            includes = "".join(re.findall(r"^#include .*\n", block.text, re.M))
            body = re.sub(r"^#include .*\n", "", block.text, flags=re.M)
            return package, includes + before + body + after
    sys.exit(f"{block.page}:{block.line}: no entry in AROUND for this block")


def check_commands():
    """The page has the same code as the program that check_embed.py runs."""
    page = (ROOT / "docs/embedding.md").read_text()
    command = re.search(r"^cc embed\.c .*$", page, re.M)
    if command is None or command[0] not in (ROOT / "examples/embed.c").read_text():
        sys.exit("docs/embedding.md: another command than in examples/embed.c")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    found = [block for path in blocks.pages() for block in blocks.blocks(path)
             if block.language == "c" and block.page != "docs/first-element.md"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        install(build, folder)
        for block in found:
            package, text = program_of(block)
            (folder / "snippet.c").write_text(text)
            run(f"cc -Wall -Wextra -Werror snippet.c $(pkg-config --cflags --libs {package})"
                " -o snippet && ./snippet", cwd=folder)
            print(f"{block.page}:{block.line} compiles")
    check_commands()
    if len(found) < len(AROUND):
        sys.exit("AROUND has entries for blocks that are not there")


if __name__ == "__main__":
    main()
