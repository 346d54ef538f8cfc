# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows a stream of pictures and data to many viewers over HTTP, each at its own speed.

The pipeline hands every frame to the Hub and goes on. Each viewer has a thread, which takes the
newest frame when it is done with the last one: slow viewers see fewer frames, and delay nothing.

A connection ends if its viewer does not read for TIMEOUT seconds, has closed it, or sends no whole
request within that time. If all places are taken, a new connection gets that of the oldest one
without a request.
"""
import collections
import contextlib
import http.server
import io
import ipaddress
import json
import pathlib
import socket
import threading
import time
import types

HERE = pathlib.Path(__file__).resolve().parent
FILES = {"/": ("page.html", "text/html; charset=utf-8"),
         "/page.css": ("page.css", "text/css"), "/page.js": ("page.js", "text/javascript")}
KEPT = 20         # pictures that a viewer may still ask for
CONNECTIONS = 64  # at a time; a browser has two or three
OF_ONE = 32       # of these, from one address
TIMEOUT = 10      # seconds
FAREWELL = 1      # seconds that the end waits for viewers
PIECE = 65536     # bytes that the system holds for a viewer: more would be old when it arrives
BOUNDARY = "frame"

Shown = collections.namedtuple("Shown", "number picture event")


class Hub:
    """The last frames, and who waits for the next."""

    def __init__(self):
        self.changed = threading.Condition()
        self.frames, self.ended, self.watching = collections.deque(maxlen=KEPT), None, 0

    def put(self, number, picture, line):
        """A picture, and the line of JSON that goes with it."""
        with self.changed:
            self.frames.append(Shown(number, picture, event("frame", line, number)))
            self.changed.notify_all()

    def end(self, text):
        """The last words, and a moment for those who watch to hear them."""
        with self.changed:
            self.ended = event("end", json.dumps(text).encode(), "")
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.watching == 0, FAREWELL)

    def watch(self, more):
        with self.changed:
            self.watching += more
            self.changed.notify_all()

    def after(self, number):
        """The newest frame, as soon as it is another one; None: there are no more, or none came."""
        with self.changed:
            self.changed.wait_for(lambda: self.ended or (
                self.frames and self.frames[-1].number != number), TIMEOUT)
            if self.ended or not self.frames or self.frames[-1].number == number:
                return None
            return self.frames[-1]

    def picture(self, number):
        with self.changed:
            return next((frame.picture for frame in self.frames if frame.number == number), None)


def event(name, line, number):
    return b"event: %s\nid: %s\ndata: %s\n\n" % (name.encode(), str(number).encode(), line)


class Reader(io.RawIOBase):
    """Reads until a moment, however few bytes come at a time."""

    def __init__(self, connection):
        self.connection, self.until = connection, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.connection.settimeout(max(self.until - time.monotonic(), .001))
        return self.connection.recv_into(buffer)


class Viewer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIECE)
        # So that is_gone () gets an error when the viewer's machine has lost its network.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, round(TIMEOUT)))
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        super().setup()
        self.rfile.close()
        self.reader = Reader(self.connection)
        self.rfile = io.BufferedReader(self.reader)

    def handle_one_request(self):
        self.reader.until = time.monotonic() + TIMEOUT
        super().handle_one_request()

    def is_gone(self):
        """Whether the viewer has closed: while nothing is written, no other error tells."""
        self.connection.settimeout(0)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        finally:
            self.connection.settimeout(TIMEOUT)

    def log_message(self, *_):
        """Nothing: the program's own messages would drown."""

    def do_GET(self):
        self.connection.settimeout(TIMEOUT)
        with self.server.serving(self.connection):
            self.serve(self.path.split("?")[0])

    def serve(self, path):
        try:
            if not self.server.knows(self.headers.get("Host", "")):
                self.answer(b"This address is not served here.\n", "text/plain", 421)
            elif path in FILES:
                name, kind = FILES[path]
                self.answer((HERE / name).read_bytes(), kind)
            elif path == "/events":
                self.stream("text/event-stream", self.events)
            elif path == "/stream.mjpg":
                self.stream(f"multipart/x-mixed-replace; boundary={BOUNDARY}", self.parts)
            else:
                self.picture(path)
        except OSError:  # the viewer is gone, or too slow
            self.close_connection = True

    def picture(self, path):
        number = path.removeprefix("/frame/").removesuffix(".jpg")
        known = number.isdecimal() and len(number) < 20
        picture = self.server.hub.picture(int(number)) if known else None
        if picture is None:
            self.answer(b"There is no such page, or no such picture any more.\n", "text/plain", 404)
        else:
            self.answer(picture, "image/jpeg")

    def heads(self, kind, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")

    def answer(self, content, kind, status=200):
        self.heads(kind, status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def stream(self, kind, pieces):
        self.close_connection = True
        self.heads(kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.server.hub.watch(1)
        try:
            for piece in pieces():
                self.wfile.write(piece)
        finally:
            self.server.hub.watch(-1)

    def newest(self):
        number = None
        while not self.server.hub.ended:
            frame = self.server.hub.after(number)
            if frame is not None:
                number = frame.number
            elif self.is_gone():
                raise ConnectionResetError
            yield frame

    def events(self):
        for frame in self.newest():
            yield b": no frame\n\n" if frame is None else frame.event
        yield self.server.hub.ended

    def parts(self):
        for frame in self.newest():
            if frame is not None:
                yield (f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\n"
                       f"Content-Length: {len(frame.picture)}\r\n\r\n").encode()
                yield frame.picture + b"\r\n"


class Server(http.server.ThreadingHTTPServer):
    """Serves at once, in threads of its own."""
    daemon_threads = True
    request_queue_size = CONNECTIONS

    def __init__(self, host, port, hub):
        self.hub, self.lock, self.connections = hub, threading.Lock(), {}
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), Viewer)
        self.local = ipaddress.ip_address(self.server_address[0]).is_loopback
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        host, port = self.server_address[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def knows(self, host):
        """On the loopback only its names: else pages of others, whose name their owner lets point
        here, could look at the stream with the browser of whoever opens them."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        return not self.local or name in ("localhost", "127.0.0.1", "[::1]",
                                          self.server_address[0])

    @contextlib.contextmanager
    def serving(self, connection):
        """While it is in use, its place is not given to another one."""
        def tell(serves):
            with self.lock:
                if connection in self.connections:
                    self.connections[connection].serves = serves
        tell(True)
        yield
        tell(False)

    def verify_request(self, connection, address):
        """Whether there is a place for it, if need be that of the oldest without a request."""
        with self.lock:
            rivals = [other for other, place in self.connections.items()
                      if place.host == address[0]]
            if len(rivals) < OF_ONE:
                rivals = list(self.connections) if len(self.connections) >= CONNECTIONS else None
            if rivals is not None:
                idle = [other for other in rivals if not self.connections[other].serves]
                if not idle:
                    return False
                del self.connections[idle[0]]
                with contextlib.suppress(OSError):
                    idle[0].shutdown(socket.SHUT_RDWR)
            self.connections[connection] = types.SimpleNamespace(host=address[0], serves=False)
        return True

    def shutdown_request(self, connection):
        with self.lock:
            self.connections.pop(connection, None)
        super().shutdown_request(connection)

    def handle_error(self, request, address):
        """Errors of viewers are not ours."""
