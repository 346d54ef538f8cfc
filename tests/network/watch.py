# SPDX-License-Identifier: LGPL-2.1-or-later
"""Watches which pictures and stixels of the street reach a stixel-overlay at which times, and finds
out afterwards of which frames they are."""
import numpy as np
from gstreamer import Gst

FRAMES_MOST = 900
STEP = 8  # every pixel of so many is enough to know a picture


def played(description):
    """The output of a line, as samples."""
    line = Gst.parse_launch(f"{description} ! appsink name=to sync=false max-buffers=4")
    sink = line.get_by_name("to")
    line.set_state(Gst.State.PLAYING)
    try:
        while (sample := sink.emit("pull-sample")) is not None:
            yield sample
    finally:
        line.set_state(Gst.State.NULL)


def data_of(buffer):
    return buffer.extract_dup(0, buffer.get_size())


def structure_of(caps):
    """A copy: get_structure() gives a structure up to GStreamer 1.24, something else in 1.26."""
    return Gst.Structure.new_from_string(caps.to_string())


def small(buffer, caps):
    """Some pixels, in gray."""
    structure = structure_of(caps)
    width, height = structure.get_int("width")[1], structure.get_int("height")[1]
    kind = structure.get_string("format")
    depth = 3 if kind in ("RGB", "BGR") else 1
    assert kind in ("GRAY8", "I420", "NV12", "Y42B", "Y444", "RGB", "BGR"), kind
    stride = (width * depth + 3) // 4 * 4
    pixels = np.frombuffer(data_of(buffer), np.uint8, stride * height).reshape(height, stride)
    pixels = pixels[::STEP, :width * depth].reshape(-1, width, depth)[:, ::STEP].astype(np.int16)
    return pixels[..., depth // 2]  # most of the light is green


class Watch:
    """On the element `overlay` of a pipeline: what came, and the time of each."""

    def __init__(self, pipeline):
        self.pictures, self.stixels, self.without_camera = [], [], 0
        overlay = pipeline.get_by_name("overlay")
        for name, see in (("sink", self.see_picture), ("stixels", self.see_stixels)):
            overlay.get_static_pad(name).add_probe(Gst.PadProbeType.BUFFER, self.probe, see)

    @staticmethod
    def probe(pad, info, see):
        see(info.get_buffer(), pad.get_current_caps())
        return Gst.PadProbeReturn.OK

    def see_picture(self, buffer, caps):
        self.pictures.append((small(buffer, caps), buffer.pts))

    def see_stixels(self, buffer, caps):
        self.without_camera += not structure_of(caps).has_field("camera-focal")
        self.stixels.append((data_of(buffer), buffer.pts))

    def pairs(self, within):
        """Those whose times are so near that stixel-overlay takes them for one moment: picture,
        stixels, difference."""
        return [(picture, stixels, abs(picture_time - stixels_time))
                for picture, picture_time in list(self.pictures)
                for stixels, stixels_time in list(self.stixels)
                if abs(picture_time - stixels_time) < within]


def wrong_pairs(pairs, pictures, stixels):
    """The number of pairs that are not of the same frame of the street, as the lines `pictures` and
    `stixels` make them. A picture is that of the frame to which it is most like, among those up
    to the last stixels and one more."""
    missing = {data for _, data, _ in pairs}
    true_pictures, number = [], {}
    for n, (picture, records) in enumerate(zip(played(pictures), played(stixels))):
        true_pictures.append(small(picture.get_buffer(), picture.get_caps()))
        number[data_of(records.get_buffer())] = n
        if not missing:
            break
        missing.discard(data_of(records.get_buffer()))
        assert n < FRAMES_MOST, f"{len(missing)} sets of stixels are of no frame"
    true_pictures = np.stack(true_pictures)
    return sum(int(np.abs(true_pictures - picture).sum(axis=(1, 2)).argmin()) != number[data]
               for picture, data, _ in pairs)
