#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-web in a real browser, on the synthetic street.

usage: check_web.py [SCREENSHOT]

Without Chromium, or without GStreamer for Python, the test is skipped.

  - pictures move, the page shows the numbers of the picture that it shows, and they agree with the
    street's truth; a narrow window shows all of them;
  - viewers who do not read and viewers who leave change nothing for the others;
  - other programs get pictures (MJPEG) and data (server-sent events); a name that is not this
    machine's is refused;
  - the end of the pipeline is told to the page, which goes on when the program is started again;
    an interrupt ends the program;
  - what cannot work ends in a message that names it.
"""
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import browser
import street

street.skip_without("gi", "numpy")
if browser.find() is None:
    print(f"skipped: no {browser.NAMES[0]}; see tests/packages.sh")
    sys.exit(77)

import numpy as np  # noqa: E402

PROGRAM = [sys.executable, str(street.EXAMPLES / "stx-web/stx-web.py"), "--port"]
# Exact disparities, so that a busy machine keeps up; not live, so that no frame is left out.
VIDEO = ("street-scene-src {0} ! overlay.sink " + street.STIXELS +
         " ! overlay.stixels stixel-overlay name=overlay")
ENDLESS = VIDEO.format("")
FRAME = 10 ** 8  # ns
ROWS = 8  # of the table, the nearest
SILENT = 3  # viewers who ask and never read
FOLDER = pathlib.Path(tempfile.mkdtemp())


class Page:
    """The program, and where it serves."""

    def __init__(self, pipeline=ENDLESS, port=0):
        self.process = street.start([*PROGRAM, str(port), *street.words(pipeline)],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", self.url)
        street.expect(found, f"no address, but {self.url!r}")
        self.port = int(found[1])

    def get(self, path, host=None):
        request = urllib.request.Request(self.url + path, headers={"Host": host} if host else {})
        return urllib.request.urlopen(request, timeout=20)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        said = "".join(self.process.communicate(timeout=20))
        street.expect(self.process.returncode == 0 and "Traceback" not in said,
                      f"stx-web ends with {self.process.returncode}: {said}")


# ---- What the browser shows ---------------------------------------------------------------------

# Its state, and what two canvases look like: a number for the pixels, and how many are drawn on.
SEEN = """typeof shown === "undefined" || !shown ? null : ((look) => ({
  pts: shown.pts, status: $("status").textContent, caption: $("caption").textContent,
  free: shown.free_space, boxes: shown.obstacles.map(({ box }) => box),
  rows: [...$("rows").rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
  picture: look($("picture")), above: look($("above")),
}))((canvas) => {
  const { width, height } = canvas;
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  let sum = 0, lit = 0;
  for (let i = 0; i < data.length; i += 4) {
    sum = (sum * 31 + data[i] + 3 * data[i + 1] + 7 * data[i + 2]) % 1000000007;
    lit += data[i + 3] > 0;
  }
  return { sum, lit: lit / (width * height) };
})"""


def another(tab, pts):
    """The content of the page as soon as it shows another frame than that."""
    def found():
        seen = tab.evaluate(SEEN)
        return seen if seen and seen["pts"] != pts else None
    return street.wait_until(found, "another picture in the page")


def check_moves(tab):
    """Three moments, all different to look at."""
    sums, pts = set(), None
    for _ in range(3):
        seen = another(tab, pts)
        pts = seen["pts"]
        sums.add(seen["picture"]["sum"])
        street.expect(seen["picture"]["lit"] == 1, "the picture is not all there")
        street.expect(seen["above"]["lit"] > .05, "nothing is seen from above")
    street.expect(len(sums) == 3, "the picture stands still")


def check_numbers(tab):
    """The view from above and the table are of the picture that is shown, and both are true."""
    seen = another(tab, None)
    number = round(seen["pts"] / FRAME)
    depth = street.depth(FOLDER, 1, number)
    street.expect_truth(np.array([street.distance(seen["free"])]), street.nearest_by_column(depth),
                        f"the page's free space at frame {number}", least=50)
    boxes, rows = seen["boxes"], seen["rows"]
    street.expect("live" in seen["status"] and seen["caption"].startswith(f"{len(boxes)} obst"),
                  f"{seen}")
    near = [np.abs(float(row[1]) / depth[0, box["top"]:box["bottom"] + 1,
                                         box["left"]:box["right"] + 1] - 1) < .1
            for row, box in zip(rows, boxes[:ROWS])]
    good = sum(pixels.sum() > 20 for pixels in near)
    street.expect(len(near) == ROWS and good == ROWS, f"the table says {rows}, {good} are true")
    print(f"the table: {good} of {len(near)} distances are within a tenth of pixels in their box")


def check_narrow(tab):
    """No column of the table is cut off, in narrow windows."""
    for width in (400, 420, 580):
        tab.resize(width, 900)
        another(tab, another(tab, None)["pts"])
        table, room = tab.evaluate("""((around) => [around.scrollWidth, around.clientWidth])
                                      (document.querySelector(".scroll"))""")
        street.expect(table <= room, f"the table is {table} wide and has {room}, of {width}")


# ---- Other viewers ------------------------------------------------------------------------------

def ask_and_never_read(page, path):
    viewer = socket.socket()
    viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    viewer.connect(("127.0.0.1", page.port))
    viewer.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
    return viewer


def check_viewers(page, tab):
    silent = [ask_and_never_read(page, path) for path in ("events", "stream.mjpg") * SILENT]
    ask_and_never_read(page, "stream.mjpg").close()
    check_moves(tab)
    with page.get("events") as events:
        first = [events.readline().decode().strip() for _ in range(3)]
    street.expect(first[0] == "event: frame" and first[1].startswith("id: ") and
                  json.loads(first[2].removeprefix("data: "))["version"] == 1, f"{first}")
    with page.get("stream.mjpg") as stream:
        street.expect(stream.readline() == b"--frame\r\n", "no part of a stream")
        heads = [stream.readline().decode() for _ in range(3)]
        picture = stream.read(int(heads[1].split(":")[1]))
        street.expect(picture[:2] == b"\xff\xd8" and picture[-2:] == b"\xff\xd9", "no JPEG")
    for viewer in silent:
        viewer.close()


def check_refusals(page):
    for path, host, status in (("no-such-page", None, 404), ("frame/999999.jpg", None, 404),
                               ("frame/../stx-web.py", None, 404), ("", "evil.example:80", 421),
                               ("events", "evil.example", 421)):
        try:
            with page.get(path, host):
                street.expect(False, f"/{path} for {host} is served")
        except urllib.error.HTTPError as error:
            street.expect(error.code == status, f"/{path} for {host}: {error.code}")
    with page.get("", f"localhost:{page.port}") as answer:
        street.expect(b"<title>" in answer.read(), "no page for localhost")


# ---- Ends ---------------------------------------------------------------------------------------

def check_street():
    """Without a pipeline it is the street, matched."""
    page = Page("")
    with page.get("events") as events:
        lines = (events.readline().decode() for _ in range(100))
        line = next(line for line in lines if line.startswith("data: "))
    street.expect(len(json.loads(line.removeprefix("data: "))["free_space"]) == 156, line[:300])
    page.end()


def check_again(page, tab):
    """The program ends, and begins again at the same address: the page goes on by itself."""
    status = '$("status").textContent'
    page.end()
    street.wait_until(lambda: "live" not in tab.evaluate(status), "the page tells the end")
    page = Page(port=page.port)
    street.wait_until(lambda: "live" in tab.evaluate(status), "the page goes on")
    return page


def check_end():
    """A recording, and the last words for who watches."""
    page = Page(VIDEO.format("num-buffers=12"))
    with page.get("events") as events:
        text = events.read().decode()
    street.expect('event: end\nid: \ndata: "the pipeline has ended"' in text, text[-300:])
    street.expect(page.process.wait(timeout=20) == 0, "the end is no success")


def check_failures():
    taken = socket.create_server(("127.0.0.1", 0))
    port = str(taken.getsockname()[1])
    for arguments, status, words in (
            (["--port", port, *street.words(ENDLESS)], 1, port),
            (["no-such-thing"], 1, "no-such-thing"),
            (["--port", "70000"], 2, "--port 70000"),
            (["--quality", "0"], 2, "--quality 0: 1 … 100")):
        result = subprocess.run([*PROGRAM, "0", *arguments], text=True, timeout=30,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        street.expect(result.returncode == status and words in result.stdout
                      and "Traceback" not in result.stdout, f"{arguments}: {result.stdout}")
    taken.close()


def main():
    page = Page()
    tab = browser.Browser(page.url)
    try:
        check_moves(tab)
        check_numbers(tab)
        check_narrow(tab)
        tab.resize(1280, 900)
        check_viewers(page, tab)
        check_refusals(page)
        page = check_again(page, tab)
        if len(sys.argv) > 1:
            tab.screenshot(sys.argv[1])
    except (RuntimeError, http.client.HTTPException) as error:
        sys.exit(f"FAILED: {error}")
    finally:
        tab.close()
    page.end()
    check_street()
    check_end()
    check_failures()


if __name__ == "__main__":
    main()
