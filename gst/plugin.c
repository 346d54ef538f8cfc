/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin's entry: registers elements and what knows files, nothing else. */
#include <gst/gst.h>

#include "common/parallel.h"
#include "gst/elements/elements.h"
#include "gst/formats/typefind.h"

static gboolean plugin_init(GstPlugin *plugin)
{
  gboolean ok = TRUE;
  StxError error;

  if (!stx_parallel_check(&error))
    GST_WARNING("%s", error.text);
  ok &= GST_ELEMENT_REGISTER(downsample_transpose, plugin);
  ok &= GST_ELEMENT_REGISTER(lidar_bev, plugin);
  ok &= GST_ELEMENT_REGISTER(lidar_ground, plugin);
  ok &= GST_ELEMENT_REGISTER(lidar_overlay, plugin);
  ok &= GST_ELEMENT_REGISTER(lidar_parse, plugin);
  ok &= GST_ELEMENT_REGISTER(rdp_columns, plugin);
  ok &= GST_ELEMENT_REGISTER(sat_dp_stixels, plugin);
  ok &= GST_ELEMENT_REGISTER(stereo_rectify, plugin);
  ok &= GST_ELEMENT_REGISTER(stereo_sgm, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_bev, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_json, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_mesh, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_obstacles, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_orbit, plugin);
  ok &= GST_ELEMENT_REGISTER(stixel_overlay, plugin);
  ok &= GST_ELEMENT_REGISTER(disparity_colour, plugin);
  ok &= GST_ELEMENT_REGISTER(street_scene_src, plugin);
  ok &= GST_ELEMENT_REGISTER(stereo_stixels, plugin); /* last: asks the others' classes */
  ok &= GST_TYPE_FIND_REGISTER(pcd, plugin);
  ok &= GST_TYPE_FIND_REGISTER(ply, plugin);

  return ok;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, stixels,
    "Stixels from stereo video, ground and obstacles from LiDAR scans", plugin_init, STX_VERSION,
    "LGPL", GST_STX_PACKAGE, GST_STX_ORIGIN)
