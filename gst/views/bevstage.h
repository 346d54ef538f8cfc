/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures from above (common/bev) of what lies in buffers. They are drawn on the CPU: what lies on
 * a GPU comes back when it is mapped. Everything here belongs to the streaming thread. */
#ifndef GST_BEV_STAGE_H
#define GST_BEV_STAGE_H

#include <gst/video/video.h>

#include "common/bev/bev_stixels.h"
#include "gst/shared/memory.h"
#include "gst/stixels/stixels.h"

G_BEGIN_DECLS

#define GST_BEV_FORMATS "{ RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }"
#define GST_BEV_CAPS                                                                               \
  "video/x-raw, format = (string) " GST_BEV_FORMATS ", width = (int) [ 16, 8192 ], "               \
  "height = (int) [ 16, 8192 ], framerate = (fraction) [ 0/1, 2147483647/1 ]"

/* Fixed caps of pictures, of the size of STX_BEV_DEFAULTS where `caps` (transfer full, not empty)
 * leave it open. */
GstCaps *gst_bev_stage_fixate(GstCaps *caps);

/* Zero it to begin with. */
typedef struct {
  StxBevParams params; /* of what is prepared */
  GstVideoInfo video;
  StxBev *bev; /* in `memory`; NULL: to be prepared */
  GstStxScratch memory;
  GstStxScratch points, labels, stixels, obstacles, free_space; /* inputs that are not aligned */
} GstBevStage;

/* Prepares for pictures of `video`; `settings` give the rest. FALSE with the reason in `error`. */
gboolean gst_bev_stage_prepare(
    GstBevStage *self, const StxBevParams *settings, const GstVideoInfo *video, StxError *error);

void gst_bev_stage_clear(GstBevStage *self);

/*
 * A picture: begin, layers, finish. FALSE with the reason in `error`; the picture is then to be
 * begun anew.
 *
 * scan     points with the labels attached to them, where these fit; `mount` as in bev.h
 * stixels  records of the image `info`, whose camera can place them; obstacles and free space are
 *          those attached to `carrier`, the buffer that brought them
 */
void gst_bev_stage_begin(GstBevStage *self);
gboolean gst_bev_stage_put_scan(
    GstBevStage *self, GstBuffer *scan, const gdouble *mount, StxError *error);
gboolean gst_bev_stage_put_stixels(GstBevStage *self, const StxBevStixelsParams *params,
    GstBuffer *stixels, GstBuffer *carrier, const GstStxStixelInfo *info, StxError *error);
gboolean gst_bev_stage_finish(GstBevStage *self, GstBuffer *picture, gint threads, StxError *error);

G_END_DECLS

#endif
