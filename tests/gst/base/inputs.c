/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes without caps, on every sink pad of every element of the plugin. */
#include "tests/gst/fixtures/util.h"

#include <string.h>

/* On this pad, which belongs to an element that plays as far as it can without a file. */
static void push_bare(GstPad *sink)
{
  g_autoptr(GstPad) src = gst_pad_new("src", GST_PAD_SRC);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gst_pad_set_active(src, TRUE);
  gst_pad_set_active(sink, TRUE);
  fail_unless(gst_pad_link(src, sink) == GST_PAD_LINK_OK);
  gst_pad_push_event(src, gst_event_new_stream_start("bytes"));
  gst_pad_push_event(src, gst_event_new_segment(&segment));
  ck_assert_int_eq(gst_pad_push(src, gst_buffer_new_allocate(NULL, 4096, NULL)), GST_FLOW_ERROR);
  gst_pad_set_active(src, FALSE);
}

static gboolean activate(GstElement *element, GstPad *pad, gpointer nothing)
{
  return gst_pad_set_active(pad, TRUE);
}

static void check_pad(GstElementFactory *factory, GstStaticPadTemplate *template)
{
  g_autoptr(GstElement) element = gst_object_ref_sink(gst_element_factory_create(factory, NULL));
  gboolean on_request = template->presence == GST_PAD_REQUEST;
  g_autoptr(GstPad) pad = on_request
                              ? gst_element_request_pad_simple(element, template->name_template)
                              : gst_element_get_static_pad(element, template->name_template);
  g_autoptr(Watch) bus = stx_test_watch(element);

  gst_element_set_state(element, GST_STATE_PAUSED);
  gst_bus_set_flushing(bus, TRUE); /* what stereo-rectify says of its calibration */
  gst_bus_set_flushing(bus, FALSE);
  gst_element_foreach_src_pad(element, activate, NULL);
  push_bare(pad);
  stx_test_expect_error(bus, template->name_template, "without caps", "expected", "put",
      GST_OBJECT_NAME(factory), NULL);
  gst_element_set_state(element, GST_STATE_NULL);
}

/* The number of pads that were checked. That of lidar-parse takes bytes, and that of lidar-decode
 * what udpsrc gives, which has no caps. */
static guint check_element(GstElementFactory *factory)
{
  const GList *templates = gst_element_factory_get_static_pad_templates(factory);
  guint count = 0;

  for (; templates != NULL; templates = templates->next) {
    GstStaticPadTemplate *template = templates->data;

    if (template->direction != GST_PAD_SINK || strstr(GST_OBJECT_NAME(factory), "-parse") != NULL ||
        strstr(GST_OBJECT_NAME(factory), "-decode") != NULL)
      continue;
    check_pad(factory, template);
    count++;
  }
  return count;
}

STX_TEST(bytes_without_caps_are_refused)
{
  g_auto(GStrv) names = stx_test_elements();
  guint count = 0;

  for (gchar **name = names; *name != NULL; name++) {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(*name);

    count += check_element(factory);
  }
  ck_assert_uint_gt(count, 20);
}
