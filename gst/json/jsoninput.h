/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the parts of a line come from: the buffer itself, or what hangs on it as metas.
 *
 *   GstStxJsonInput input = {.element = element};
 *   input.frame.info = …;                                of the caps
 *   if (gst_stx_json_take_stixels (&input, buffer)) …    once for each part
 *   gst_stx_json_input_close (&input);                   also after a failure
 */
#ifndef GST_STX_JSON_INPUT_H
#define GST_STX_JSON_INPUT_H

#include "gst/json/jsonframe.h"

G_BEGIN_DECLS

#define GST_STX_JSON_MAPS 4

typedef struct {
  GstElement *element; /* who posts errors */
  GstStxJsonFrame frame;

  GstBuffer *mapped[GST_STX_JSON_MAPS];
  GstMapInfo maps[GST_STX_JSON_MAPS];
  guint count;
} GstStxJsonInput;

/* Each adds a part, and maps what it is made of. FALSE after an element error. */
gboolean gst_stx_json_take_stixels(GstStxJsonInput *input, GstBuffer *stixels);
gboolean gst_stx_json_take_obstacles(GstStxJsonInput *input, GstBuffer *obstacles);
gboolean gst_stx_json_take_points(GstStxJsonInput *input, GstBuffer *points, GstBuffer *labels);

/* What hangs on the buffer and is among `wanted`: stixels, and obstacles with free space. Where no
 * caps told the image, these do. Labels of points are left to their buffer. */
gboolean gst_stx_json_take_metas(GstStxJsonInput *input, GstBuffer *buffer, guint wanted);

void gst_stx_json_input_close(GstStxJsonInput *input);

G_END_DECLS

#endif
