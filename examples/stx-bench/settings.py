# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options of pictures and of scans alike."""
import argparse

import release
from arguments import Refused, check_threads, choose


def parser_of(name, summary, usage, epilog=None):
    parser = argparse.ArgumentParser(
        name, f"%(prog)s [OPTION…]{usage}", summary, epilog, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    release.add_version(parser)
    return parser


def add_to(parser, quick):
    """`quick` says what that option does."""
    for name, default, metavar, text in (
            ("backend", "cpu", "B", "cpu (default), cuda or all"),
            ("threads", 0, "N", "besides 1 (0: all cores)"),
            ("time", None, "MS", "per implementation (600)"),
            ("sets", 0, "N", "of inputs in rotation on the GPU (0: more than its cache holds)")):
        parser.add_argument(f"--{name}", default=default, metavar=metavar, help=text,
                            type=str if name == "backend" else int)
    for name, text in (("quick", quick), ("markdown", "print a Markdown table"),
                       ("json", "print JSON")):
        parser.add_argument(f"--{name}", action="store_true", help=text)


def check(options):
    """Also adds `cpu` and `gpu`: what is timed there."""
    backend = choose("backend", options.backend, ("cpu", "cuda", "all"))
    check_threads(options.threads)
    if options.time is None or options.time == 0:
        options.time = 60 if options.quick else 600
    if options.time < 1:
        raise Refused(f"--time={options.time}: must be at least 1")
    if not 0 <= options.sets <= 1000:
        raise Refused(f"--sets={options.sets}: must be 0 (as the cache asks for) to 1000")
    options.cpu, options.gpu = backend != 1, backend > 0
