/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-json: stixels to text, one line of JSON per frame. See docs/elements/stixel-json.md. */
#ifndef GST_STIXEL_JSON_H
#define GST_STIXEL_JSON_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_STIXEL_JSON (gst_stixel_json_get_type())
G_DECLARE_FINAL_TYPE(GstStixelJson, gst_stixel_json, GST, STIXEL_JSON, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE(stixel_json)

G_END_DECLS

#endif
