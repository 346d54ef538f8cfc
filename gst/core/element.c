/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/element.h"

#include <gst/base/gstaggregator.h>

void gst_stx_element_describe(gpointer element_class, const char *factory, const char *name,
    const char *klass, const char *description)
{
  GstElementClass *element = GST_ELEMENT_CLASS(element_class);
  g_autofree gchar *page = g_strdup_printf("%s/docs/elements/%s.md", GST_STX_DOC_URI, factory);

  gst_element_class_set_static_metadata(
      element, name, klass, description, "The gst-stixels developers");
  gst_element_class_add_metadata(element, GST_ELEMENT_METADATA_DOC_URI, page);
}

void gst_stx_element_add_templates(gpointer element_class, ...)
{
  gboolean aggregates = GST_IS_AGGREGATOR_CLASS(element_class);
  GstStaticPadTemplate *template;
  va_list templates;

  va_start(templates, element_class);
  while ((template = va_arg(templates, GstStaticPadTemplate *)) != NULL)
    if (aggregates)
      gst_element_class_add_static_pad_template_with_gtype(
          element_class, template, GST_TYPE_AGGREGATOR_PAD);
    else
      gst_element_class_add_static_pad_template(element_class, template);
  va_end(templates);
}

GstCaps *gst_stx_caps_filtered(GstCaps *taken, GstCaps *filter)
{
  g_autoptr(GstCaps) caps = taken;

  return filter != NULL ? gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST)
                        : g_steal_pointer(&caps);
}

void gst_stx_element_refused(GstElement *element, GstPad *src, const GstCaps *made)
{
  g_autoptr(GstCaps) taken = gst_pad_peer_query_caps(src, NULL);
  g_autofree gchar *ours = gst_caps_to_string(made), *theirs = gst_caps_to_string(taken);

  GST_ELEMENT_ERROR(element, CORE, NEGOTIATION,
      ("The next element takes %.200s; what leaves pad %s of %s is %.300s", theirs,
          GST_PAD_NAME(src), GST_OBJECT_NAME(element), ours),
      (NULL));
}

void gst_stx_element_check_output(GstElement *element, GstPad *src, const GstCaps *made)
{
  g_autoptr(GstCaps) taken = NULL;

  if (!gst_pad_is_linked(src) || GST_PAD_IS_FLUSHING(src))
    return;
  taken = gst_pad_peer_query_caps(src, NULL);
  if (!gst_caps_can_intersect(made, taken))
    gst_stx_element_refused(element, src, made);
}

GstCaps *gst_stx_caps_at_rates(GstStaticPadTemplate *other, const GstCaps *caps)
{
  GstCaps *result = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GValue *rate = gst_structure_get_value(gst_caps_get_structure(caps, i), "framerate");
    GstCaps *one = gst_caps_make_writable(gst_static_pad_template_get_caps(other));
    const GValue *possible = gst_structure_get_value(gst_caps_get_structure(one, 0), "framerate");

    if (rate != NULL && (possible == NULL || gst_value_intersect(NULL, rate, possible)))
      gst_caps_set_value(one, "framerate", rate);
    result = gst_caps_merge(result, one);
  }
  return result;
}

void gst_stx_element_fail(GstElement *element, const StxError *error)
{
  const struct {
    GQuark domain;
    gint code;
  } codes[] = {
      [STX_ERROR_UNSAID] = {GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT},
      [STX_ERROR_INPUT] = {GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT},
      [STX_ERROR_SETTINGS] = {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS},
      [STX_ERROR_MEMORY] = {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT},
      [STX_ERROR_OUTPUT] = {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE},
      [STX_ERROR_FAILED] = {GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED},
  };

  gst_element_message_full(element, GST_MESSAGE_ERROR, codes[error->kind].domain,
      codes[error->kind].code, g_strdup(error->text), NULL, __FILE__, GST_FUNCTION, __LINE__);
}
