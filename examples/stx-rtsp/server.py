# SPDX-License-Identifier: LGPL-2.1-or-later
"""The server of stx-rtsp.py, around GStreamer's."""
import re
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtp, GstRtspServer  # noqa: E402

Gst.init(None)  # before classes are derived

# The format that would be negotiated depends on GStreamer's version: both cameras are of one kind,
# and H.264 is what every client decodes.
VIEW = "video/x-raw,format=RGB,width=640,height=192,framerate=10/1"
STREET = f"""
    street-scene-src is-live=true view=left  ! {VIEW} ! stereo.sink_left
    street-scene-src is-live=true view=right ! {VIEW} ! stereo.sink_right
    stereo-stixels name=stereo output=stixels ! rtpgstpay name=pay1 pt=97 config-interval=1
    stereo.src_left ! videoconvert ! video/x-raw,format=I420
        ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10
        ! rtph264pay name=pay0 pt=96 config-interval=1"""


def payloaders(pipeline):
    found = []
    while (pay := pipeline.get_by_name(f"pay{len(found)}")) is not None:
        found.append(pay)
    return found


def without_time(pad, info):
    """rtpgstpay's first packets have no time, from which the sender cannot tell when the frame was
    taken. What they say stands in the description of the session, too."""
    timeless = info.get_buffer_list().get(0).pts == Gst.CLOCK_TIME_NONE
    return Gst.PadProbeReturn.DROP if timeless else Gst.PadProbeReturn.OK


def tell_times(media):
    for pay in payloaders(media.get_element()):
        times = GstRtp.RTPHeaderExtension.create_from_uri("urn:ietf:params:rtp-hdrext:ntp-64")
        times.set_id(1)
        times.set_property("every-packet", True)
        pay.emit("add-extension", times)
        pay.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER_LIST, without_time)


def say(media, message):
    if message.type in (Gst.MessageType.ERROR, Gst.MessageType.WARNING):
        is_error = message.type == Gst.MessageType.ERROR
        error, debug = message.parse_error() if is_error else message.parse_warning()
        print(f"{message.src.get_name()}: {error.message} ({debug})", file=sys.stderr)
    return False  # other handlers get the message, too


def configure(factory, media):
    tell_times(media)
    media.connect("handle-message", say)


class Media(GstRtspServer.RTSPMedia):
    def do_setup_rtpbin(self, rtpbin):
        # The times are those at which frames were taken, not sent.
        rtpbin.set_property("rtcp-sync-send-time", False)
        return True


def description(words):
    """One text of the words of a command line, which quotes kept together; or the street."""
    if len(words) < 2:
        return "".join(words) or STREET
    return " ".join(re.sub(r"([ \t])", r"\\\1", word) for word in words)


def checked(launch):
    """Reports errors now, and not to the first client."""
    try:
        count = len(payloaders(Gst.parse_launch(launch)))
    except GLib.Error as error:
        sys.exit(f"stx-rtsp: {error.message}")
    if count == 0:
        sys.exit("stx-rtsp: the pipeline has no pay0: name payloaders pay0, pay1, …, "
                 "as in rtph264pay name=pay0")
    return launch


def serve(options):
    """Until it is interrupted."""
    server = GstRtspServer.RTSPServer(address=options.host, service=str(options.port))
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(checked(f"( {description(options.pipeline)} )"))
    factory.set_shared(True)
    factory.set_media_gtype(Media)
    factory.connect("media-configure", configure)
    server.get_mount_points().add_factory(options.path, factory)
    if server.attach(None) == 0:
        sys.exit(f"stx-rtsp: nothing can listen on {options.host}, port {options.port}")
    print(f"rtsp://{options.host}:{server.get_bound_port()}{options.path}", flush=True)
    loop = GLib.MainLoop()
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, loop.quit)
    loop.run()
