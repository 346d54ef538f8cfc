/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bin's children, which are always there, and the links between them, which come and go: made on
 * the way to READY, or when a pad is requested, and undone together.
 */
#pragma once

#include <gst/gst.h>

/* ---- Children ------------------------------------------------------------------------------ */

typedef struct {
  const gchar *name, *factory; /* `name` is that of the child in its bin, for ever */
} GstStxPart;

/* Makes each child and puts it into the bin, which owns it. NULL in `made` where there is no such
 * factory. */
void gst_stx_parts_make(GstBin *bin, const GstStxPart *parts, guint count, GstElement **made);

/* FALSE after an element error that names the factory which was not there. */
gboolean gst_stx_parts_check(
    GstElement *bin, const GstStxPart *parts, guint count, GstElement *const *made);

/* A child that is not used stays in NULL, whatever the bin does. */
void gst_stx_part_use(GstElement *part, gboolean used);

/* ---- Links --------------------------------------------------------------------------------- */

/* Zero it to begin with. */
typedef struct {
  GSList *links; /* the newest first */
} GstStxJoints;

/* Links a pad of `from` to one of `to`; pads that are not there are requested. FALSE with a line in
 * the log where they do not fit. */
gboolean gst_stx_joints_add(
    GstStxJoints *self, GstElement *from, const gchar *src, GstElement *to, const gchar *sink);

/* To be undone next. Drops what comes through any of them, and gives the pad back that the last one
 * leads to: a thread that waits there returns. */
void gst_stx_joints_cut(GstStxJoints *self);

/* Undoes them all, and gives requested pads back; also while data flows, if what the pads of a tee
 * lead to is stopped thereafter. */
void gst_stx_joints_undo(GstStxJoints *self);
