/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers of StxSatdpParams (common/satdp.h) as properties: names, units, ranges. Defaults are
 * those of STX_SATDP_DEFAULTS. All may be changed while playing; they count from the next frame.
 */
#ifndef GST_STX_SATDP_H
#define GST_STX_SATDP_H

#include <gst/gst.h>

#include "common/satdp.h"

G_BEGIN_DECLS

/* In class_init: adds the properties with ids from `first` on; the element uses none above. */
void gst_stx_satdp_install_properties(GObjectClass *klass, guint first);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_stx_satdp_set_property(
    StxSatdpParams *params, guint first, guint id, const GValue *value);
gboolean gst_stx_satdp_get_property(
    const StxSatdpParams *params, guint first, guint id, GValue *value);

G_END_DECLS

#endif
