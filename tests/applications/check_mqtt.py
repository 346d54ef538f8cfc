#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The line of docs/publishing.md that publishes by MQTT, with a broker on the loopback: mosquitto;
without it and its clients the test is skipped.

Lines arrive in the order of the frames, and their free space agrees with the street's truth.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import street

street.skip_without("numpy")
os.environ["PATH"] += ":/usr/sbin"
if not all(map(shutil.which, ("mosquitto", "mosquitto_pub", "mosquitto_sub"))):
    print("skipped: no mosquitto; see tests/packages.sh")
    sys.exit(77)

FRAMES = 5


def main():
    line = street.block("sh", "mosquitto_pub")
    port, topic = street.free_port(), "car/front/obstacles"
    street.expect("is-live=true" in line and topic in line, line)
    line = line.replace("is-live=true", f"num-buffers={FRAMES}")
    line = line.replace("mosquitto_pub", f"mosquitto_pub -p {port}")
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "mosquitto.conf")
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        street.start(["mosquitto", "-c", config], stderr=subprocess.DEVNULL)
        # A retained message tells that it listens: mosquitto_sub says so nowhere.
        ready = ["mosquitto_pub", "-p", port, "-r", "-t", topic, "-m", "{}"]
        street.wait_until(lambda: subprocess.call([*map(str, ready)], stderr=subprocess.DEVNULL)
                          == 0, "a broker")
        ear = street.start(["mosquitto_sub", "-p", port, "-t", topic, "-C", FRAMES + 1, "-W", 60],
                           stdout=subprocess.PIPE)
        street.expect(ear.stdout.readline() == "{}\n", "the ear hears something else")
        street.run(["bash", "-c", line])
        heard = [json.loads(text) for text in ear.communicate(timeout=60)[0].splitlines()]
        street.expect(len(heard) == FRAMES and all("obstacles" in frame for frame in heard), heard)
        street.expect([frame["pts"] - heard[0]["pts"] for frame in heard] ==
                      [n * 10 ** 8 for n in range(FRAMES)], heard)
        truth = street.nearest_by_column(street.depth(folder, FRAMES))
    for found, nearest in zip(heard, truth):
        street.expect_truth(street.distance(found["free_space"]), nearest, "free space")


main()
