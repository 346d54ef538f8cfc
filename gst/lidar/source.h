/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The origin of a stream, for messages. */
#pragma once

#include <gst/gst.h>

/* " of " and the file or files that the source before this pad reads, as far as it tells; else "".
 * To be freed. */
gchar *gst_stx_source_name(GstPad *sink);
