#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams of records in packets: RTP with loss, reordering, repetition and clients that come late,
and GDP. What docs/network.md promises: bytes, caps and times arrive, and a packet that is lost
costs its own frame and no other.
"""
import random
import unittest

from streams import CAMERA, OTHERS, STIXELS, Gst, Pipeline, content, frames, numbers

RTP = "application/x-rtp,media=application,clock-rate=90000,encoding-name=X-GST"
JITTER = "rtpjitterbuffer latency=200"


def packets_of(sent, caps=STIXELS, options="config-interval=1"):
    """The packets of every frame, in order, each as the list of their bytes."""
    samples = Pipeline(caps, f"rtpgstpay timestamp-offset=0 {options}").run(
        buffer.copy_deep() for buffer in sent)
    times, packets = [], []
    for sample in samples:
        data = content(sample)
        time = int.from_bytes(data[4:8], "big")
        if time not in times:
            times.append(time)
            packets.append([])
        packets[-1].append(data)
    assert len(packets) == len(sent)
    return packets


def arriving(packets, spacing=Gst.MSECOND, begin=0):
    """As a network brings them, each with the time of its arrival: a second from now, so that
    whoever waits for a packet waits on a busy machine, too."""
    for n, data in enumerate(packets):
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = buffer.dts = Gst.SECOND + begin + n * spacing
        yield buffer


def received(packets, elements="rtpgstdepay"):
    return Pipeline(RTP, elements).run(arriving(packets))


def joined(packets):
    return [packet for frame in packets for packet in frame]


def has_caps(packet):
    """The highest bit of the payload's first byte, behind 12 of the header."""
    return packet[12] & 0x80 != 0


class Rtp(unittest.TestCase):
    def setUp(self):
        self.sent = list(frames(6, 5000))
        self.packets = packets_of(self.sent)

    def test_bytes_caps_and_times_arrive(self):
        for caps in (STIXELS, *OTHERS):
            packets = packets_of(self.sent, caps)
            in_time = [buffer for n, frame in enumerate(packets)
                       for buffer in arriving(frame, 0, n * Gst.SECOND // 10)]
            samples = Pipeline(RTP, f"{JITTER} ! rtpgstdepay").run(in_time)
            self.assertEqual(numbers(samples, self.sent), list(range(6)))
            times = [sample.get_buffer().pts for sample in samples]
            for n, time in enumerate(times):
                self.assertLess(abs(time - times[0] - n * Gst.SECOND // 10), 50 * Gst.USECOND)
            for sample in samples:
                self.assertTrue(sample.get_caps().is_strictly_equal(Gst.Caps.from_string(caps)))

    def test_a_lost_packet_costs_its_frame_and_no_other(self):
        for lost_frame, frame in enumerate(self.packets[1:], 1):  # the first one brings the caps
            for lost in frame:
                left = [packet for packet in joined(self.packets) if packet is not lost]
                expected = [n for n in range(6) if n != lost_frame]
                self.assertEqual(numbers(received(left), self.sent), expected)

    def test_lost_caps_come_again(self):
        """If no other source has them: a second later."""
        sent = list(frames(25, 3000))
        packets = packets_of(sent)
        first = [packet for packet in packets[0] if not has_caps(packet)]
        self.assertLess(len(first), len(packets[0]))
        found = numbers(received(first + joined(packets[1:])), sent)
        self.assertEqual(found, list(range(found[0], 25)))
        self.assertIn(found[0], range(1, 12))

    def test_empty_frames_are_not_sent(self):
        sent = list(frames(4, [3000, 0, 3000, 3000]))
        samples = Pipeline(STIXELS, "rtpgstpay ! rtpgstdepay").run(
            buffer.copy_deep() for buffer in sent)
        self.assertEqual(numbers(samples, sent), [0, 2, 3])

    def test_two_lost_packets_never_make_a_frame_of_two(self):
        """The last packets of a frame and the first of the next: what is left would fit."""
        for before in range(1, 4):
            for after in range(1, 4):
                left = [*joined(self.packets[:2]), *self.packets[2][:-before],
                        *self.packets[3][after:], *joined(self.packets[4:])]
                self.assertEqual(numbers(received(left), self.sent), [0, 1, 4, 5])

    def test_packets_in_another_order(self):
        mixed = joined(self.packets)
        rng = random.Random(1)
        order = sorted(range(len(mixed)), key=lambda n: n + rng.uniform(0, 6))
        # The first packet tells with which number the stream begins.
        order.sort(key=lambda n: n != 0)
        mixed = [mixed[n] for n in order]
        self.assertNotEqual(mixed, joined(self.packets))
        self.assertEqual(numbers(received(mixed, f"{JITTER} ! rtpgstdepay"), self.sent),
                         list(range(6)))
        # Without rtpjitterbuffer frames are lost; none is a mixture.
        without = numbers(received(mixed), self.sent)
        self.assertLess(len(without), 6)

    def test_repeated_packets(self):
        twice = [packet for packet in joined(self.packets) for _ in range(2)]
        for elements in ("rtpgstdepay", f"{JITTER} ! rtpgstdepay"):
            self.assertEqual(numbers(received(twice, elements), self.sent), list(range(6)))

    def test_one_packet_in_ten_is_lost(self):
        """With lost packets announced as GAP events, too."""
        sent = list(frames(60, 5000))
        packets = packets_of(sent)
        rng = random.Random(2)
        arrived = [[rng.random() >= .1 for _ in frame] for frame in packets]
        arrived[0] = [True] * len(packets[0])
        left = [packet for frame, flags in zip(packets, arrived)
                for packet, flag in zip(frame, flags) if flag]
        expected = [n for n, flags in enumerate(arrived) if all(flags)]
        self.assertTrue(20 < len(expected) < 50)
        for elements in ("rtpgstdepay", f"{JITTER} do-lost=true ! rtpgstdepay"):
            self.assertEqual(numbers(received(left, elements), sent), expected)

    def test_who_comes_late_gets_caps(self):
        sent = list(frames(25, 3000))
        late = joined(packets_of(sent)[3:])
        samples = received(late)
        found = numbers(samples, sent)
        self.assertEqual(found, list(range(found[0], 25)))
        self.assertIn(found[0], range(3, 12))  # a second later at most
        self.assertTrue(samples[0].get_caps().is_strictly_equal(Gst.Caps.from_string(STIXELS)))
        # Without config-interval never, nor anything wrong.
        self.assertEqual(received(joined(packets_of(sent, options="")[3:])), [])

    def test_caps_that_change_and_are_lost(self):
        """No frame of the new caps comes under the old ones."""
        other = STIXELS.replace("(int)1242", "(int)640").replace("columns=(int)156",
                                                                 "columns=(int)80")
        pipeline = Pipeline(STIXELS, "rtpgstpay config-interval=1 timestamp-offset=0")
        sent = list(frames(8, 3000))

        def changing():
            for n, buffer in enumerate(sent):
                if n == 4:
                    pipeline.source.set_property("caps", Gst.Caps.from_string(other))
                yield buffer.copy_deep()

        data = [content(sample) for sample in pipeline.run(changing())]
        with_caps = [n for n, packet in enumerate(data) if has_caps(packet)]
        self.assertGreater(len(with_caps), 1)
        for lost in with_caps[1:]:
            samples = received(data[:lost] + data[lost + 1:])
            for number, sample in zip(numbers(samples, sent), samples):
                width = 1242 if number < 4 else 640
                self.assertIn(f"width=(int){width},", sample.get_caps().to_string() + ",")

    def test_sizes(self):
        """No record at all, one, 16000 stixels, a scan of 126 000 points."""
        sizes = [24, 384000, 2016000, 24, 64]
        sent = list(frames(5, sizes))
        for mtu in (256, 1400, 65000):
            packets = packets_of(sent, options=f"config-interval=1 mtu={mtu}")
            self.assertTrue(all(len(packet) <= mtu for packet in joined(packets)))
            self.assertEqual(numbers(received(joined(packets)), sent), list(range(5)))
            del packets[1][len(packets[1]) // 2]
            self.assertEqual(numbers(received(joined(packets)), sent), [0, 2, 3, 4])


@unittest.skipUnless(Gst.ElementFactory.find("gdppay"), "no gstreamer1.0-plugins-bad")
class Gdp(unittest.TestCase):
    def test_bytes_caps_and_times_arrive(self):
        sent = list(frames(5, [24, 384000, 2016000, 0, 64]))
        for caps in (STIXELS, *OTHERS):
            samples = Pipeline(caps, "gdppay crc-payload=true ! gdpdepay").run(
                buffer.copy_deep() for buffer in sent)
            self.assertEqual(numbers(samples, sent), list(range(5)))
            for sample, buffer in zip(samples, sent):
                self.assertEqual(sample.get_buffer().pts, buffer.pts)
                self.assertTrue(sample.get_caps().is_strictly_equal(Gst.Caps.from_string(caps)))

    def setUp(self):
        self.sent = list(frames(4, 3000))
        self.stream = b"".join(map(content, Pipeline(STIXELS, "gdppay").run(
            buffer.copy_deep() for buffer in self.sent)))

    def cut(self, pieces):
        return Pipeline("application/x-gdp", "gdpdepay").run(
            Gst.Buffer.new_wrapped(piece) for piece in pieces)

    def test_a_connection_cuts_anywhere(self):
        pieces = [self.stream[n:n + 997] for n in range(0, len(self.stream), 997)]
        self.assertEqual(numbers(self.cut(pieces), self.sent), list(range(4)))

    def test_a_connection_ends_in_a_frame(self):
        self.assertEqual(numbers(self.cut([self.stream[:-1500]]), self.sent), list(range(3)))


if __name__ == "__main__":
    assert CAMERA in STIXELS
    unittest.main(verbosity=2)
