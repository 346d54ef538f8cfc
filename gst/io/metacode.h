/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metas as bytes (gst/stixels/metabytes.h), made short: each number is predicted from the records
 * before it, and what is left is coded by an adaptive binary arithmetic coder. docs/elements/
 * stixel-sei.md describes the layout. */
#pragma once

#include <glib.h>

#define GST_STX_METACODE_MOST (8u << 20) /* bytes of metas */

/* Appends the coded metas. Without `exact`, floats lose the bits that mean little. FALSE: they are
 * more than GST_STX_METACODE_MOST bytes. */
gboolean gst_stx_metas_code(GBytes *metas, gboolean exact, GByteArray *to);

/* NULL: the data are cut, forged, or of another version, as `why` says. */
GBytes *gst_stx_metas_decode(const guint8 *data, gsize size, const gchar **why);
