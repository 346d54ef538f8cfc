# SPDX-License-Identifier: LGPL-2.1-or-later
"""The link to a broker: comes back by itself, never blocks a frame, and counts what is lost."""
import json
import sys
import threading
import time

import paho.mqtt.client as mqtt

KEEP_ALIVE = 10  # seconds without a sign of life after which either side gives the other up
RETRY = 1, 10    # seconds between two tries, at first and at most
TIMEOUT = 2     # seconds that the beginning waits for a broker, the end for what is on its way


def say(text):
    print(text, file=sys.stderr, flush=True)


def new_client():
    """Paho 2 wants to know in which way it shall call back; 1.6, Debian 12's, knows only one."""
    if hasattr(mqtt, "CallbackAPIVersion"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    return mqtt.Client()


class Link:
    """Topics are relative to `topic`, whose `status` tells everybody whether this is alive."""

    def __init__(self, host, port, topic, qos, queue, user=None, password=None, tls=False):
        self.name, self.topic, self.qos = f"{host}:{port}", topic, qos
        self.lock, self.retained, self.queue = threading.Lock(), {}, queue
        self.under_way, self.early = set(), set()  # numbers of messages: not through yet; through
        self.sent = self.lost = 0                  # before publish () knew its number
        self.connected, self.failed, self.away_since = False, False, time.monotonic()
        self.client = client = new_client()
        client.on_connect, client.on_disconnect = self.on_connect, self.on_disconnect
        client.on_publish, client.on_connect_fail = self.on_publish, self.on_connect_fail
        client.max_queued_messages_set(queue)
        client.reconnect_delay_set(*RETRY)
        client.will_set(f"{topic}/status", self.status("offline"), 1, True)
        if user is not None:
            client.username_pw_set(user, password)
        if tls:
            client.tls_set()
        client.connect_async(host, port, KEEP_ALIVE)
        client.loop_start()

    def status(self, text):
        return json.dumps({"status": text, "lost": self.lost})

    def wait(self):
        """Until the broker is there, but not for long."""
        end = time.monotonic() + TIMEOUT
        while not self.connected and time.monotonic() < end:
            time.sleep(.02)

    def publish(self, name, message, retain=False):
        """Never waits. What is retained is said again whenever the broker comes back."""
        text = json.dumps(message, separators=(",", ":"))
        if retain:
            self.retained[name] = text
        away = self.qos == 0 and not self.connected
        if away or len(self.under_way) >= self.queue:
            self.lost += not retain
            return
        # Not under the lock: Paho holds one of its own while it calls on_publish ().
        result = self.client.publish(f"{self.topic}/{name}", text, self.qos, retain)
        taken = (mqtt.MQTT_ERR_SUCCESS, mqtt.MQTT_ERR_NO_CONN)[:1 + (self.qos > 0)]
        with self.lock:
            if result.rc not in taken:
                self.lost += 1
            elif result.mid in self.early:
                self.early.remove(result.mid)
                self.sent += 1
            else:
                self.under_way.add(result.mid)

    def on_publish(self, client, data, mid, *_):
        with self.lock:
            if mid in self.under_way:
                self.under_way.remove(mid)
                self.sent += 1
            else:
                self.early.add(mid)

    def on_connect(self, client, data, flags, reason, *_):
        if reason != 0:
            say(f"broker {self.name}: refuses: {reason}")
            return
        away = time.monotonic() - self.away_since
        say(f"broker {self.name}: connected after {away:.1f} s, {self.lost} messages lost so far")
        self.connected = True
        client.publish(f"{self.topic}/status", self.status("online"), 1, True)
        for name, text in list(self.retained.items()):
            client.publish(f"{self.topic}/{name}", text, 1, True)

    def on_disconnect(self, client, data, *_):
        if not self.connected:
            return
        with self.lock:
            self.connected, self.away_since = False, time.monotonic()
            self.early.clear()
            if self.qos == 0:  # those are not sent again
                self.lost += len(self.under_way)
                self.under_way.clear()
        say(f"broker {self.name}: gone")

    def on_connect_fail(self, client, data, *_):
        if not self.failed:
            say(f"broker {self.name}: not there; tried again until it is")
        self.failed = True

    def close(self):
        """Waits a moment for what is on its way, then says goodbye."""
        end = time.monotonic() + TIMEOUT
        while self.connected and self.under_way and time.monotonic() < end:
            time.sleep(.02)
        if self.connected:
            self.connected = False
            self.client.publish(f"{self.topic}/status", self.status("offline"), 1, True)
        self.client.disconnect()
        self.client.loop_stop()
        with self.lock:
            self.lost += len(self.under_way)
            self.under_way.clear()

    def counts(self):
        return f"broker {self.name}: {self.sent} messages sent, {self.lost} lost"
