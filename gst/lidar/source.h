/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The origin of a stream, for messages. */
#ifndef GST_STX_SOURCE_H
#define GST_STX_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* " of " and the file or files that the source before this pad reads, as far as it tells; else "".
 * To be freed. */
gchar *gst_stx_source_name(GstPad *sink);

G_END_DECLS

#endif
