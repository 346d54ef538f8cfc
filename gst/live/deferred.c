/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/live/deferred.h"

const StxFieldChoice gst_stx_overlaps[] = {
    {GST_STX_OVERLAP_AUTO, "auto",
        "When pairs wait for the matcher, and it has several threads, but not in live pipelines"},
    {GST_STX_OVERLAP_OFF, "off", "Never"},
    {GST_STX_OVERLAP_ON, "on", "When the matcher has several threads"},
    {0},
};

/* ---- Who may ------------------------------------------------------------------------------- */

static GQuark quark(void)
{
  return g_quark_from_static_string("GstStxOverlap");
}

void gst_stx_deferred_allow(GstPad *src, GstStxOverlap overlap)
{
  g_object_set_qdata(G_OBJECT(src), quark(), GINT_TO_POINTER((gint)overlap + 1));
}

GstStxOverlap gst_stx_deferred_allowed(GstPad *src)
{
  gint overlap = GPOINTER_TO_INT(g_object_get_qdata(G_OBJECT(src), quark()));

  return overlap > 0 ? (GstStxOverlap)(overlap - 1) : GST_STX_OVERLAP_OFF;
}

/* ---- On a buffer --------------------------------------------------------------------------- */

typedef struct {
  GstMeta meta;
  GstStxDeferred *deferred;
} DeferredMeta;

static gboolean init(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((DeferredMeta *)meta)->deferred = NULL;
  return TRUE;
}

static void free_meta(GstMeta *meta, GstBuffer *buffer)
{
  GstStxDeferred *deferred = ((DeferredMeta *)meta)->deferred;

  if (deferred != NULL)
    deferred->drop(deferred);
}

static const GstMetaInfo *info(void)
{
  static const GstMetaInfo *registered = NULL;

  if (g_once_init_enter(&registered)) {
    static const gchar *tags[] = {NULL};
    GType api = gst_meta_api_type_register("GstStxDeferredMetaAPI", tags);

    g_once_init_leave(&registered,
        gst_meta_register(api, "GstStxDeferredMeta", sizeof(DeferredMeta), init, free_meta, NULL));
  }
  return registered;
}

GstBuffer *gst_stx_deferred_new(GstStxDeferred *deferred)
{
  GstBuffer *buffer = gst_buffer_new();

  ((DeferredMeta *)gst_buffer_add_meta(buffer, info(), NULL))->deferred = deferred;
  return buffer;
}

GstStxDeferred *gst_stx_deferred_of(GstBuffer *buffer)
{
  DeferredMeta *meta = (DeferredMeta *)gst_buffer_get_meta(buffer, info()->api);

  return meta != NULL ? meta->deferred : NULL;
}

/* ---- Behind the queue ---------------------------------------------------------------------- */

static GstPadProbeReturn finish(GstPad *pad, GstPadProbeInfo *probe, gpointer nothing)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(probe), *frame;
  GstStxDeferred *deferred = gst_stx_deferred_of(buffer);

  if (deferred == NULL)
    return GST_PAD_PROBE_OK;
  frame = deferred->finish(deferred);
  if (frame != NULL)
    gst_buffer_copy_into(
        frame, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize)-1);
  GST_PAD_PROBE_INFO_DATA(probe) = frame;
  gst_buffer_unref(buffer);
  if (frame != NULL)
    return GST_PAD_PROBE_OK;
  GST_PAD_PROBE_INFO_FLOW_RETURN(probe) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

void gst_stx_deferred_link(GstPad *src, GstPad *out)
{
  gst_pad_add_probe(out, GST_PAD_PROBE_TYPE_BUFFER, finish, NULL, NULL);
  gst_stx_deferred_allow(src, GST_STX_OVERLAP_OFF);
}
