/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All of the library gststixels-1.0: the metas that gst-stixels attaches to buffers, for
 * applications, which need not load the plugin.
 *
 *   pkg-config --cflags --libs gststixels-1.0
 *
 *   GstStxStixels *stixels = gst_stx_stixels_new_from_sample (sample, &error);  // of an appsink
 *   for (guint c = 0; c < gst_stx_stixels_get_info (stixels)->columns; c++) {
 *     gint nearest = gst_stx_stixels_find_nearest (stixels, c);
 *     StxMetres where;
 *     if (nearest >= 0 && gst_stx_stixels_get_metres (stixels, nearest, &where))
 *       g_print ("column %u: %g m ahead\n", c, where.z);
 *   }
 *   gst_stx_stixels_unref (stixels);
 *
 * Metas are attached to buffers and hold references to buffers of records that never change again.
 * The library allocates them, and they may grow at the end. A buffer that gets one must be
 * writable, and no other thread may change it meanwhile; all other functions may be called from any
 * thread. A NULL argument that must not be NULL causes a critical, and the value that means
 * "nothing" is returned. docs/applications.md has examples.
 */
#ifndef GST_STX_STIXELS_H
#define GST_STX_STIXELS_H

#include "gst/stixels/api.h"
#include "gst/stixels/cameracaps.h"
#include "gst/stixels/confidencemeta.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/metabytes.h"
#include "gst/stixels/motionmeta.h"
#include "gst/stixels/obstaclesmeta.h"
#include "gst/stixels/obstacleset.h"
#include "gst/stixels/occupancymeta.h"
#include "gst/stixels/pointlabelsmeta.h"
#include "gst/stixels/stixelinfo.h"
#include "gst/stixels/stixelmeta.h"
#include "gst/stixels/stixelset.h"
#include "gst/stixels/turnmeta.h"
#include "gst/stixels/velocitiesmeta.h"

#endif
