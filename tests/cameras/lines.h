/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plays a line of a page as gst-launch-1.0 does, and judges it: no message may come but that frames
 * are missing, frames have to reach the sinks, no wrong pair may be made, and stixels must stand
 * where the street has something. A line without an end is stopped when it has shown enough, with
 * -e through the end of the stream.
 */
#ifndef STX_CAMERAS_LINES_H
#define STX_CAMERAS_LINES_H

#include "tests/cameras/watch.h"

/* Runs a line and returns what it showed; the caller's, watch_free. A line that does not hold fails
 * the test. */
Watch *line_run(gchar **words);

#endif
