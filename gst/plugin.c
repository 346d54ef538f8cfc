/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin's entry: registers elements and what knows files, nothing else. */
#include <gst/gst.h>

#include "gst/core/elements.h"
#include "gst/lidar/typefind.h"
#include "gst/stixels/stixels.h"

#define REGISTER(element) ok &= GST_ELEMENT_REGISTER(element, plugin);
#define REGISTER_META(name) gst_meta_factory_register(plugin, gst_stx_##name##_meta_get_info());

static gboolean plugin_init(GstPlugin *plugin)
{
  gboolean ok = TRUE;

  GST_STX_ELEMENTS(REGISTER)
  ok &= gst_stx_type_find_register(plugin);
  gst_stx_metas_register();
#if GST_CHECK_VERSION(1, 28, 0) /* metas that arrive load the plugin by themselves */
  GST_STX_METAS(REGISTER_META)
#endif

  return ok;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, stixels,
    "Stixels from stereo video, ground and obstacles from LiDAR scans", plugin_init, STX_VERSION,
    "LGPL", GST_STX_PACKAGE, GST_STX_ORIGIN)
