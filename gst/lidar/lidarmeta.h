/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LidarMeta of Intel's DL Streamer, which counts and numbers the scans of its elements: its
 * g3dinference takes no scan without one. DL Streamer registers it, so there is one only in
 * processes in which its library is loaded; elsewhere these do nothing. It has no transform: where
 * a scan's buffer is copied it has to be put on the copy.
 */
#pragma once

#include <gst/gst.h>

/* A function of DL Streamer's library of metas; NULL: it is not loaded, or has none. */
void *gst_stx_dlstreamer_function(const gchar *name);

/* Attaches the meta to a scan about to leave at `src`; `number` counts scans from 0. */
void gst_stx_lidar_meta_attach(GstPad *src, GstBuffer *scan, guint64 number);

/* Puts the metas of a scan on its copy. */
void gst_stx_lidar_meta_keep(GstBuffer *scan, GstBuffer *copy);
