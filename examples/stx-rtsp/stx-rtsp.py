#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves streams of one camera over RTSP: video, stixels, obstacles, scans, whose times belong
together.

    stx-rtsp '… ! rtph264pay name=pay0  … ! rtpgstpay name=pay1'

The pipeline is written as for gst-launch-1.0; each of its payloaders pay0, pay1, … is a stream.
Without one, it is the synthetic street. All clients share it: it plays while there is one.

Every packet tells when its frame was taken, by the clock of this machine (RFC 6051), so that a
client with the same time (NTP) pairs the streams again from its first frame on:
rtspsrc ntp-sync=true. Only this machine reaches the streams unless --host says more.

Packages: python3-gst-1.0, gir1.2-gst-rtsp-server-1.0.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)


def main():
    parser = release.parser_of("stx-rtsp", __doc__)
    parser.add_argument("pipeline", nargs="*", help="as for gst-launch-1.0; default: the street")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS",
                        help="to listen on (%(default)s); 0.0.0.0 is every network of this machine")
    parser.add_argument("--port", type=int, default=8554, help="default: %(default)s; 0: any")
    parser.add_argument("--path", default="/street", help="default: %(default)s")
    options = parser.parse_args()
    if not 0 <= options.port < 65536:
        parser.error(f"--port {options.port}: 0 … 65535")
    if not options.path.startswith("/"):
        parser.error(f"--path {options.path}: expected a slash first, as in /street")
    try:
        import server
    except (ImportError, ValueError) as error:
        sys.exit(f"stx-rtsp: {error}: install python3-gst-1.0 and gir1.2-gst-rtsp-server-1.0")
    server.serve(options)


if __name__ == "__main__":
    main()
