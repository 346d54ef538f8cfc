/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rdp-columns: columns to line segments by Ramer-Douglas-Peucker. See
 * docs/elements/rdp-columns.md. */
#ifndef GST_RDP_COLUMNS_H
#define GST_RDP_COLUMNS_H

#include "gst/base/segmentation.h"

G_BEGIN_DECLS

#define GST_TYPE_RDP_COLUMNS (gst_rdp_columns_get_type())
G_DECLARE_FINAL_TYPE(GstRdpColumns, gst_rdp_columns, GST, RDP_COLUMNS, GstStxSegmentation)

GST_ELEMENT_REGISTER_DECLARE(rdp_columns)

G_END_DECLS

#endif
