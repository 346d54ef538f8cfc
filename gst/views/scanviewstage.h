/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans in buffers, drawn on a sheet as a camera sees them (common/scanview). Points, labels and
 * obstacles are read on the CPU: what lies on a GPU comes back when it is mapped. Everything here
 * belongs to the streaming thread. */
#ifndef GST_SCANVIEW_STAGE_H
#define GST_SCANVIEW_STAGE_H

#include <gst/gst.h>

#include "common/scanview/scanview.h"
#include "gst/shared/memory.h"

G_BEGIN_DECLS

/* Zero it to begin with. */
typedef struct {
  GstStxScratch memory;                    /* of the dots */
  GstStxScratch points, labels, obstacles; /* inputs that are not aligned */
} GstScanviewStage;

/*
 * Wipes the sheet and draws a scan on it, with the labels and obstacles that are attached to it,
 * where these fit; NULL: none, the sheet stays empty. `strength`: 0…1; up to `threads` draw. FALSE
 * with the reason in `error`.
 */
gboolean gst_scanview_stage_draw(GstScanviewStage *self, const StxScanviewParams *params,
    const StxScanviewLens *lens, GstBuffer *scan, gdouble strength, gint threads, StxSheet *sheet,
    StxError *error);

void gst_scanview_stage_clear(GstScanviewStage *self);

G_END_DECLS

#endif
