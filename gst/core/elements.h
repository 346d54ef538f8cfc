/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements of the plugin, one file each: this list declares and registers them. */
#pragma once

#include <gst/gst.h>

/* stereo_stixels is last: it asks the classes of others. */
#define GST_STX_ELEMENTS(ELEMENT)                                                                  \
  ELEMENT(disparity_colour)                                                                        \
  ELEMENT(downsample_transpose)                                                                    \
  ELEMENT(lidar_bev)                                                                               \
  ELEMENT(lidar_decode)                                                                            \
  ELEMENT(lidar_encode)                                                                            \
  ELEMENT(lidar_ground)                                                                            \
  ELEMENT(lidar_overlay)                                                                           \
  ELEMENT(lidar_parse)                                                                             \
  ELEMENT(onnx_stereo)                                                                             \
  ELEMENT(occupancy_grid)                                                                          \
  ELEMENT(rdp_columns)                                                                             \
  ELEMENT(road_hazards)                                                                            \
  ELEMENT(sat_dp_stixels)                                                                          \
  ELEMENT(stereo_rectify)                                                                          \
  ELEMENT(stereo_sgm)                                                                              \
  ELEMENT(stixel_bev)                                                                              \
  ELEMENT(stixel_json)                                                                             \
  ELEMENT(stixel_obstacles)                                                                        \
  ELEMENT(stixel_overlay)                                                                          \
  ELEMENT(stixel_sei)                                                                              \
  ELEMENT(street_scene_src)                                                                        \
  ELEMENT(stereo_stixels)

GST_STX_ELEMENTS(GST_ELEMENT_REGISTER_DECLARE)

/* Registers the type gst_NAME. */
#define GST_STX_ELEMENT(name, factory)                                                             \
  GST_ELEMENT_REGISTER_DEFINE(name, factory, GST_RANK_NONE, gst_##name##_get_type())
