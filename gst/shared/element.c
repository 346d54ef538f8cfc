/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/shared/element.h"

void gst_stx_element_describe(GstElementClass *element, const char *factory, const char *name,
    const char *klass, const char *description)
{
  gchar *page = g_strdup_printf("%s/docs/elements/%s.md", GST_STX_DOC_URI, factory);

  gst_element_class_set_static_metadata(
      element, name, klass, description, "The gst-stixels developers");
  gst_element_class_add_metadata(element, GST_ELEMENT_METADATA_DOC_URI, page);
  g_free(page);
}

GstCaps *gst_stx_caps_filtered(GstCaps *caps, GstCaps *filter)
{
  GstCaps *both;

  if (filter == NULL)
    return caps;
  both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(caps);
  return both;
}
