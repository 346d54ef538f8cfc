/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxRectifyView: one view of stereo-rectify, which has two of them inside. Frames that come in
 * hold this view, or both.
 */
#pragma once

#include "common/rectify/rectify.h"
#include "gst/base/transform.h"
#include "gst/stereo/drift.h"
#include "gst/stereo/sgmviews.h"

#define GST_STX_RECTIFY_VIEWS 2
extern const gchar *const gst_stx_rectify_sides[GST_STX_RECTIFY_VIEWS]; /* "left", "right" */

typedef struct {
  gchar *calibration, *calibration_right; /* owned; NULL: none */
  gint pair;
  gdouble unit;
  GstStereoSgmLayout layout;
  GstStxRefine refine;
  StxRectifyParams params;
} GstStxRectifySettings;

/* The common part of stereo-rectify and its views. */
typedef struct {
  GstElement *element;            /* stereo-rectify, under whose object lock are … */
  GstStxRectifySettings settings; /* … its properties, and … */
  gboolean both;                  /* whether each frame holds both views */
  GstStxDrift drift;
  GstStxTransform *view[GST_STX_RECTIFY_VIEWS]; /* as _view_new makes them; the element's */
} GstStxRectifyRig;

#define GST_TYPE_STX_RECTIFY_VIEW (gst_stx_rectify_view_get_type())
G_DECLARE_FINAL_TYPE(
    GstStxRectifyView, gst_stx_rectify_view, GST, STX_RECTIFY_VIEW, GstStxTransform)

/* The left (0) or right (1) view of a rig that outlives it. Its name, as those of all elements in
 * stereo-rectify, is one that no user's element has: they are found by name in a pipeline. */
GstElement *gst_stx_rectify_view_new(GstStxRectifyRig *rig, guint side);

/* FALSE with the reason in `error` if the calibration cannot be loaded. */
gboolean gst_stx_rectify_check_files(GstStxRectifyRig *rig, StxError *error);

void gst_stx_rectify_settings_clear(GstStxRectifySettings *settings);
