/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* street-scene-src: a synthetic street with exact truth. See docs/elements/street-scene-src.md. */
#ifndef GST_STREET_SCENE_SRC_H
#define GST_STREET_SCENE_SRC_H

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

#define GST_TYPE_STREET_SCENE_SRC (gst_street_scene_src_get_type())
G_DECLARE_FINAL_TYPE(GstStreetSceneSrc, gst_street_scene_src, GST, STREET_SCENE_SRC, GstPushSrc)

GST_ELEMENT_REGISTER_DECLARE(street_scene_src)

G_END_DECLS

#endif
