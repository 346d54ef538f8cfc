#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-mqtt with a real broker, on the synthetic street.

usage: check_mqtt.py

The broker is mosquitto on the loopback; without it, without Paho or without GStreamer for Python
the test is skipped.

  - what is published agrees with the street's truth, and the configuration is there for who comes
    later;
  - a broker that is killed and comes back: frames go on, with qos 1 none is missing, with qos 0 the
    missing ones are those that the program counts as lost;
  - without a broker the program ends, and says what was lost;
  - the last will tells of a program that was killed;
  - what cannot work ends in a message that names it.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import street

street.skip_without("gi", "numpy", "paho.mqtt.client")
os.environ["PATH"] += ":/usr/sbin"
if shutil.which("mosquitto") is None:
    print("skipped: no mosquitto; see tests/packages.sh")
    sys.exit(77)

import numpy as np  # noqa: E402

sys.path.insert(0, str(street.EXAMPLES / "stx-mqtt"))
import link  # noqa: E402

PROGRAM = [sys.executable, str(street.EXAMPLES / "stx-mqtt/stx-mqtt.py")]
FRAMES = 5
FRAME = 10 ** 8  # ns
FOLDER = pathlib.Path(tempfile.mkdtemp())
ENDLESS = street.STIXELS.format("")  # not live: the source leaves no frame out


class Broker:
    """Mosquitto, which remembers nothing from one life to the next."""

    def __init__(self):
        self.port, self.process = street.free_port(), None
        self.name = f"127.0.0.1:{self.port}"
        (FOLDER / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")

    def start(self):
        self.process = street.start(["mosquitto", "-c", FOLDER / "mosquitto.conf"],
                                    stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Ear:
    """Hears all topics, by name: (retained, message)."""

    def __init__(self, broker):
        self.heard, self.listening = {}, False
        self.client = link.new_client()
        self.client.on_message, self.client.on_connect = self.on_message, self.on_connect
        self.client.on_subscribe = self.on_subscribe
        self.client.reconnect_delay_set(.1, .1)
        self.client.connect_async("127.0.0.1", broker.port, 60)
        self.client.loop_start()
        street.wait_until(lambda: self.listening, "a subscription")

    def on_connect(self, client, *_):
        self.listening = False
        client.subscribe("car/front/#", 2)

    def on_subscribe(self, *_):
        self.listening = True

    def on_message(self, client, data, message):
        name = message.topic.removeprefix("car/front/")
        self.heard.setdefault(name, []).append((message.retain, json.loads(message.payload)))

    def last(self, name):
        return self.heard[name][-1][1] if name in self.heard else {}

    def times(self, name="free-space"):
        return [message["pts"] for _, message in self.heard.get(name, [])]

    def missing(self, name):
        """The number of frames between the first and the last one received."""
        times = np.unique(self.times(name))
        return round((times[-1] - times[0]) / FRAME) + 1 - len(times)

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def publish(broker, pipeline, *options):
    return street.start([*PROGRAM, "--broker", broker.name, "--topic", "car/front", *options,
                         *street.words(pipeline)], stderr=subprocess.STDOUT,
                        stdout=subprocess.PIPE)


def end(process, status=0):
    """Its output; it must end by itself, or was told to."""
    said = process.communicate(timeout=30)[0]
    street.expect(process.returncode == status and "Traceback" not in said,
                  f"stx-mqtt ends with {process.returncode}: {said}")
    return said


def check_truth(broker):
    ear = Ear(broker)
    said = end(publish(broker, street.stixels(FRAMES), "--qos", "2"))
    street.wait_until(lambda: ear.last("status").get("status") == "offline", "the goodbye")
    frames = [message for _, message in ear.heard["free-space"]]
    street.expect(len(frames) == FRAMES and "0 lost" in said, f"{len(frames)} frames: {said}")
    found = np.array([street.distance(frame["free_space"]) for frame in frames])
    truth = street.nearest_by_column(street.depth(FOLDER, FRAMES))
    street.expect_truth(found, truth, "free space by MQTT")
    ear.close()
    late = Ear(broker)
    retained, configuration = street.wait_until(
        lambda: late.heard.get("config"), "a retained configuration")[0]
    street.expect(retained and configuration["columns"] == 156
                  and abs(configuration["camera"]["baseline"] - street.BASELINE) < 1e-6,
                  f"{configuration}")
    street.expect(late.heard["config"][0][1]["compact"][0] == "id", "no order of compact lists")
    street.expect(len(ear.heard["config"]) == 1, f"configurations: {ear.heard['config']}")
    late.close()


def check_compact(broker):
    """Lists, and the corridor's messages, which say when it becomes another one."""
    ear = Ear(broker)
    end(publish(broker, street.stixels(FRAMES), "--qos", "1", "--compact"))
    street.wait_until(lambda: ear.last("status").get("status") == "offline", "the goodbye")
    obstacles = [one for _, message in ear.heard["obstacles"] for one in message["obstacles"]]
    street.expect(len(obstacles) > 5 * FRAMES and all(len(one) == 9 for one in obstacles),
                  f"{obstacles[:3]}")
    told = [message["obstacle"] for _, message in ear.heard["corridor"]]
    nearest = [next((one for one in message["obstacles"] if one[8]), None)
               for _, message in ear.heard["obstacles"]]
    street.expect(told[0] in nearest and told[0][8] is True, f"{told} of {nearest}")
    numbers = [one and one[0] for one in nearest]
    changes = sum(a != b for a, b in zip([None] + numbers, numbers))
    street.expect(len(told) == changes, f"{len(told)} messages of {changes} changes")
    ear.close()


def check_page(broker):
    """The first line of the page, which publishes the synthetic street."""
    ear = Ear(broker)
    line = next(line for line in street.block("sh", "--broker").split("\n")
                if line.startswith("stx-mqtt "))
    words = street.words(line.replace("localhost:1883", broker.name))[1:]
    process = street.start([*PROGRAM, *words], stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
    street.wait_until(lambda: len(ear.times()) > 1, "the street")
    process.send_signal(signal.SIGINT)
    end(process)
    ear.close()


def check_readme(broker):
    """The first pipeline of the README as it is typed there: its sources come last, and it writes a
    picture."""
    page = (street.ROOT / "README.md").read_text().replace("\\\n", " ")
    line = next(line for line in page.split("\n") if line.startswith("gst-launch-1.0 stereo-"))
    said = end(publish(broker, line.removeprefix("gst-launch-1.0 ")))
    street.expect(re.search("[3-9] messages sent, 0 lost", said), said)


def check_outage(broker, qos):
    """At 10 frames per second, some fall into the time without a broker."""
    ear = Ear(broker)
    process = publish(broker, ENDLESS, "--qos", str(qos))
    street.wait_until(lambda: len(ear.times()) > 3, "frames")
    broker.kill()
    ear.listening = False
    before = len(ear.times())
    street.wait_until(lambda: process.stdout.readline().endswith("gone\n"), "a word of the outage")
    try:
        process.wait(timeout=.7)
        street.expect(False, "the program has ended with its broker")
    except subprocess.TimeoutExpired:
        broker.start()
    street.wait_until(lambda: ear.listening and len(ear.times()) > before + 10, "frames again")
    process.send_signal(signal.SIGTERM)
    said = end(process)
    street.wait_until(lambda: ear.last("status").get("status") == "offline", "the goodbye")
    missing = ear.missing("free-space"), ear.missing("obstacles")
    lost = int(said.split(" sent, ")[1].split(" lost")[0])
    street.expect("connected after" in said, said)
    ear.close()
    return missing, lost, said


def check_outages(broker):
    missing, lost, said = check_outage(broker, 0)
    # More may be missing: what was written while the broker died, and what it got before the
    # listener was back. Less by the messages of the corridor, one per frame at most.
    street.expect(0 < lost <= sum(missing) + missing[0] and min(missing) > 0,
                  f"qos 0: {missing} missing, {lost} lost: {said}")
    print(f"qos 0: {missing} frames missing, {lost} messages counted as lost")
    missing, lost, said = check_outage(broker, 1)
    street.expect(missing == (0, 0) and lost == 0, f"qos 1: {missing} missing, {lost} lost: {said}")
    print("qos 1: no frame missing")


def check_will(broker):
    ear = Ear(broker)
    process = publish(broker, ENDLESS)
    street.wait_until(lambda: ear.last("status").get("status") == "online", "a sign of life")
    process.kill()
    process.wait()
    street.wait_until(lambda: ear.last("status").get("status") == "offline", "the last will")
    ear.close()


def check_without_broker(broker):
    said = end(publish(broker, street.stixels(3)), status=1)
    lost = re.search(r"0 messages sent, (\d+) lost", said)
    street.expect("not there" in said and lost and 6 <= int(lost[1]) <= 9, said)


def check_ports():
    """That of the protocol, where none is said."""
    for options, port in (([], 1883), (["--tls"], 8883), (["--tls", "--broker", "127.0.0.1"], 8883),
                          (["--broker", "[::1]:7"], 7)):
        said = street.run([*PROGRAM, *options, *street.words("fakesrc num-buffers=0 ! "
                                                             "application/x-stixels")])
        street.expect(f":{port}: " in said, f"{options}: {said}")


def check_failures(broker):
    for arguments, status, words in (
            (["audiotestsrc", "num-buffers=1"], 1, "could not link audiotestsrc0"),
            (["--broker", "localhost:x"], 2, "localhost:x"),
            (["--broker", "::1"], 2, "HOST:PORT"),
            (["--topic", "car/#"], 2, "car/#"),
            (["--qos", "3"], 2, "--qos"),
            (["--queue", "0"], 2, "--queue 0")):
        process = subprocess.run([*PROGRAM, "--broker", broker.name, *arguments], text=True,
                                 stderr=subprocess.STDOUT, stdout=subprocess.PIPE, timeout=30)
        street.expect(process.returncode == status and words in process.stdout
                      and "Traceback" not in process.stdout, f"{arguments}: {process.stdout}")


def main():
    broker = Broker()
    broker.start()
    try:
        check_truth(broker)
        check_compact(broker)
        check_page(broker)
        check_readme(broker)
        check_outages(broker)
        check_will(broker)
        check_ports()
        check_failures(broker)
    finally:
        broker.kill()
    check_without_broker(broker)


if __name__ == "__main__":
    main()
