/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Laying a sheet (common/sheet/sheet.h) on frames in buffers, where a stage works. A view draws on
 * `sheet` with the functions of sheet.h; what did not change since the last frame is not brought to
 * the GPU again.
 * Everything here belongs to the streaming thread.
 */
#ifndef GST_SHEET_STAGE_H
#define GST_SHEET_STAGE_H

#include "common/sheet/sheet.h"
#include "gst/base/stage.h"
#include "gst/shared/memory.h"

G_BEGIN_DECLS

/* Slots of the stage that it takes, from the one it is told on: on a frame, on a buffer. */
#define GST_SHEET_STAGE_SLOTS 1
#define GST_SHEET_STAGE_BUFFER_SLOTS (GST_SHEET_STAGE_SLOTS + 3)

/* A sheet for frames of one kind. Zero it to begin with. */
typedef struct {
  StxSheet *sheet; /* in `memory`; NULL: prepare first */
  GstVideoInfo video;
  GstStxScratch memory;
  const void *copy; /* where a GPU has its tiles; NULL: nowhere */
  guint64 changes;  /* of the sheet, when it was brought there */
} GstSheetStage;

/* Pixels, format and colours of such frames, in the words of sheet.h. */
StxSheetParams gst_sheet_stage_params(const GstVideoInfo *video);

/* An empty sheet for frames of `video`. FALSE with the reason in `error`. */
gboolean gst_sheet_stage_prepare(GstSheetStage *self, const GstVideoInfo *video, StxError *error);

/* Lays it on a frame that lies where the stage works, or on the writable buffer `frame`. An empty
 * sheet costs nothing. FALSE with the reason in `error`. */
gboolean gst_sheet_stage_lay(
    GstSheetStage *self, GstStxStage *stage, guint slot, const StxFrame *frame, StxError *error);
gboolean gst_sheet_stage_lay_on_buffer(
    GstSheetStage *self, GstStxStage *stage, guint slot, GstBuffer *frame, StxError *error);

/* Frees the sheet. */
void gst_sheet_stage_clear(GstSheetStage *self);

G_END_DECLS

#endif
