/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxroad.h"

GType gst_stx_road_mode_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_ROAD_AUTO, "From calibration if the camera height is known, else estimated", "auto"},
      {STX_ROAD_CALIBRATION, "From focal length, baseline, camera height and pitch", "calibration"},
      {STX_ROAD_ESTIMATE, "Estimated from every frame, smoothed over frames", "estimate"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxGround", values));
  return type;
}
