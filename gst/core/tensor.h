/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of one static tensor: other/tensors, as NNStreamer writes them; docs/formats.md. */
#pragma once

#include <gst/gst.h>

#include "common/stx.h"

typedef struct {
  const gchar *type;  /* "uint8", …; lives as long as the process */
  gint dimensions[3]; /* innermost first; what follows them is 1 */
} GstStxTensor;

/* The tensor that a pad expects, for its messages. */
typedef struct {
  const gchar *what;     /* "semantics" */
  const gchar *expected; /* "expected …" */
  const gchar *shape;    /* "W:H:C:1 …" */
  guint least;           /* dimensions that must be told, 1 … 3; others are 1 */
} GstStxTensorUse;

/* Reads a structure of other/tensors. FALSE with a text in `error` where that is not one static
 * tensor of three dimensions. */
gboolean gst_stx_tensor_parse(GstStxTensor *tensor, const GstStructure *structure,
    const GstStxTensorUse *use, StxError *error);
