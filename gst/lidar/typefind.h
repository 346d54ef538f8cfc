/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds files of points by their first bytes: those that have a header, application/x-pcd. */
#pragma once

#include <gst/gst.h>

gboolean gst_stx_type_find_register(GstPlugin *plugin);
