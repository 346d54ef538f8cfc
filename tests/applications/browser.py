# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page in a real browser: Chromium without a window, told what to do over a pipe."""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
HIGH = 10  # where pipes lie before the browser gets them, out of the way of 3 and 4


def find():
    """The program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def high_pipe():
    """Both ends of a pipe, above the numbers that the browser wants."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, HIGH))
        os.close(end)
    return ends


class Browser:
    """Messages of the DevTools protocol are JSON that ends in a zero, written to its file 3 and
    read from its file 4."""

    def __init__(self, url, width=1280, height=900):
        self.profile = tempfile.mkdtemp()
        theirs_in, self.to = high_pipe()
        self.answers, theirs_out = high_pipe()
        # Without a sandbox, which root may not have: it sees a page of ours alone.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "-", find(), "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", f"--user-data-dir={self.profile}",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.count, self.rest, self.session = 0, b"", None
        target = self.ask("Target.createTarget", url=url)["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        self.ask("Page.enable")

    def read(self, end):
        """The next message."""
        while b"\0" not in self.rest:
            ready = select.select([self.answers], [], [], max(end - time.monotonic(), 0))[0]
            data = os.read(self.answers, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, seconds=30, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + seconds
        while (answer := self.read(end)).get("id") != self.count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def evaluate(self, script):
        """The value of an expression of JavaScript."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def prefer(self, scheme):
        """dark or light."""
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def screenshot(self, path):
        """A JPEG."""
        picture = self.ask("Page.captureScreenshot", format="jpeg", quality=85)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)
