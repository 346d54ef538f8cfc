/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Before a function that the library gststixels-1.0 exports; others stay inside. */
#ifndef GST_STX_API_H
#define GST_STX_API_H

#include <gst/gst.h>

#define GST_STX_API extern __attribute__((visibility("default")))

#endif
