/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties that say where and on how much of the machine an element computes. */
#ifndef GST_STX_RUN_H
#define GST_STX_RUN_H

#include "common/stx.h"
#include "gst/shared/properties.h"

G_BEGIN_DECLS

typedef struct {
  StxBackend backend;
  gint threads;        /* 0: all cores; 1…256 */
  gint cuda_device_id; /* -1: any */
} GstStxRun;

#define GST_STX_RUN_DEFAULTS ((GstStxRun){STX_BACKEND_AUTO, 0, -1})

/* The group (properties.h) of an element whose GstStxRun is `member`. */
extern const StxFields gst_stx_run_fields;
#define GST_STX_RUN_PROPERTIES(Element, member)                                                    \
  {                                                                                                \
    &gst_stx_run_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, "GstStx"              \
  }

G_END_DECLS

#endif
