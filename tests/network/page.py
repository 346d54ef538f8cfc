# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lines of docs/network.md, as they are printed but for machines, ports, windows and the size
of pictures: all of it is this machine, ports are free ones, and pictures have a quarter."""
import contextlib
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = "video/x-raw,width=620,height=188"
SECONDS_MOST = 90  # on a busy machine; on a quiet one, two


def free_port():
    """One that neither TCP nor UDP has now."""
    while True:
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind(("127.0.0.1", 0))
            with contextlib.suppress(OSError):
                udp.bind(("127.0.0.1", tcp.getsockname()[1]))
                return tcp.getsockname()[1]


class Page:
    def __init__(self):
        text = (ROOT / "docs/network.md").read_text()
        self.sections = {}
        for heading, body in re.findall(r"^##+ (.*?)\n(.*?)(?=^##|\Z)", text, re.S | re.M):
            self.sections[heading] = re.findall(r"^```(\w+)\n(.*?)^```", body, re.S | re.M)
        self.ports = {}

    def local(self, text):
        def port(match):
            return match[1] + str(self.ports.setdefault(match[2], free_port()))

        text = re.sub(r"192\.168\.1\.\d+|0\.0\.0\.0", "127.0.0.1", text)
        text = text.replace("autovideosink", "fakesink")
        text = re.sub("(is-live=true( view=disparity)?) !", rf"\1 ! {SIZE} !", text)
        return re.sub(r'(port=|service="|127\.0\.0\.1:)(\d{4})\b', port, text)

    def blocks(self, heading, kind="sh"):
        found = [self.local(text) for what, text in self.sections[heading] if what == kind]
        assert found, f"docs/network.md has no {kind} under '{heading}'"
        return found

    def words(self, block):
        """Returns the words of a line for the shell."""
        return shlex.split(re.sub(r"\\\n", " ", block))


@contextlib.contextmanager
def running(words, folder):
    """The program, until the block ends; then it has to stop on an interrupt, without an error."""
    log = pathlib.Path(folder, f"log-{time.monotonic_ns()}")
    with open(log, "w") as file:
        process = subprocess.Popen(words, cwd=folder, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS_MOST)
        assert "ERROR" not in log.read_text(), f"{words}\n{log.read_text()}"
    except BaseException:
        print(*words, log.read_text(), sep="\n")
        raise
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def wait_for(what, found):
    """Until found () is true."""
    last = time.monotonic() + SECONDS_MOST
    while not found():
        assert time.monotonic() < last, f"no {what} after {SECONDS_MOST} s"
        time.sleep(.05)


def listens(port):
    """Whether a server waits for clients there: no other one can then."""
    def found():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return True
        return False
    return found
