/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an element tells of obstacles in the corridor, as element messages: stx-corridor-entered for
 * each that comes into it, stx-corridor-free when nothing is in it any more. Streaming thread.
 */
#ifndef GST_STX_CORRIDOR_H
#define GST_STX_CORRIDOR_H

#include <gst/base/gstbasetransform.h>

#include "common/obstacles/obstacles.h"

G_BEGIN_DECLS

/* Posts what has changed with `frame`, whose times are those of the element's segment. */
void gst_stx_corridor_tell(
    GstBaseTransform *element, GstBuffer *frame, const StxObstaclesResult *result);

G_END_DECLS

#endif
