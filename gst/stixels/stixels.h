/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything of the library gststixels-1.0: what gst-stixels hangs on buffers, for applications,
 * which need not load the plugin for it.
 *
 *   pkg-config --cflags --libs gststixels-1.0
 *
 *   GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta (frame);
 *   GstMapInfo map;
 *   gst_buffer_map (meta->stixels, &map, GST_MAP_READ);
 *   const StxStixel *stixels = (const StxStixel *) map.data;
 *   gsize count = map.size / sizeof (StxStixel);
 *   StxMetres where;
 *   if (gst_stx_stixel_info_get_metres (&meta->info, &stixels[0], &where))
 *     g_print ("%g m ahead\n", where.z);
 *
 * Every meta holds references on buffers that never change again; whoever wants to keep one takes a
 * reference of their own. None carries tags: elements that copy frames keep them. All functions may
 * be called from any thread; a buffer that gets a meta must be writable. Nobody but the library
 * allocates metas: they may grow at the end.
 */
#ifndef GST_STX_STIXELS_H
#define GST_STX_STIXELS_H

#include "gst/stixels/api.h"
#include "gst/stixels/confidencemeta.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/obstaclesmeta.h"
#include "gst/stixels/pointlabelsmeta.h"
#include "gst/stixels/stixelmeta.h"

#endif
