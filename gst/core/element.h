/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of the plugin's elements, their locks and their error messages. */
#pragma once

#include <gst/gst.h>

#include "common/stx.h"

/* Runs a statement under the object lock. */
#define GST_STX_LOCKED(object, ...)                                                                \
  do {                                                                                             \
    GST_OBJECT_LOCK(object);                                                                       \
    __VA_ARGS__;                                                                                   \
    GST_OBJECT_UNLOCK(object);                                                                     \
  } while (0)

/* In class_init: what gst-inspect-1.0 says of an element, and where the page of `factory` lies.
 * `klass` is made of the words that GStreamer has for kinds of elements. Static texts. */
void gst_stx_element_describe(gpointer element_class, const char *factory, const char *name,
    const char *klass, const char *description);

/* Defines NAME_quark (). */
#define GST_STX_QUARK(name) static G_DEFINE_QUARK(gst_stx_##name, name)

/* The template of a pad: GST_STX_PAD (src, SRC, ALWAYS, "video/x-raw"); is src_template. */
#define GST_STX_PAD(name, direction, presence, caps)                                               \
  static GstStaticPadTemplate name##_template = GST_STATIC_PAD_TEMPLATE(                           \
      #name, GST_PAD_##direction, GST_PAD_##presence, GST_STATIC_CAPS(caps))

/* In class_init: adds templates of pads, up to NULL; an aggregator's are of its own kind. */
void gst_stx_element_add_templates(gpointer element_class, ...) G_GNUC_NULL_TERMINATED;

/* The answer to a query for `caps` (taken) with `filter` (may be NULL): the intersection, in the
 * order of the filter. */
GstCaps *gst_stx_caps_filtered(GstCaps *caps, GstCaps *filter);

/* Posts that the element behind `src` does not take `made`, and what it takes. */
void gst_stx_element_refused(GstElement *element, GstPad *src, const GstCaps *made);

/* The same, if the element behind the pad takes none of `made`; else nothing. */
void gst_stx_element_check_output(GstElement *element, GstPad *src, const GstCaps *made);

/* For transform_caps: what the other pad's template allows, at the frame rates of `caps`; one that
 * is no frame rate is none. Transfer full. */
GstCaps *gst_stx_caps_at_rates(GstStaticPadTemplate *other, const GstCaps *caps);

/* Posts a failure as an element error: its kind says which; an unknown kind is of the format. */
void gst_stx_element_fail(GstElement *element, const StxError *error);

/* The same where the caller knows better: GST_STX_ELEMENT_ERROR (self, STREAM, FORMAT, &error)
 */
#define GST_STX_ELEMENT_ERROR(element, domain, code, error)                                        \
  GST_ELEMENT_ERROR(element, domain, code, ("%s", (error)->text), (NULL))

/* An element message of kind INFO; text: ("format", …). gst-launch-1.0 prints only its debugging
 * text, so that is the same one. */
#define GST_STX_ELEMENT_INFO(element, domain, code, text)                                          \
  GST_ELEMENT_INFO(element, domain, code, text, text)
