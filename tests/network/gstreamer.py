# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer for Python, initialised; with appsrc and appsink."""
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401

Gst.init(None)
