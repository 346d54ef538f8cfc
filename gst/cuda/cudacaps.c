/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Negotiation of CUDAMemory with neighbours; needs no CUDA itself.
 */
#include "gst/cuda/cuda.h"
#include "gst/core/element.h"

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean names_cuda(const GstCaps *caps, guint index)
{
  GstCapsFeatures *features = gst_caps_get_features(caps, index);

  return features != NULL && !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, GST_STX_CUDA_FEATURE);
}

gboolean gst_stx_cuda_is_caps(const GstCaps *caps)
{
  return !gst_caps_is_any(caps) && !gst_caps_is_empty(caps) && names_cuda(caps, 0);
}

GstCaps *gst_stx_cuda_filter_caps(GstStxCuda *self, GstCaps *caps)
{
  if (gst_caps_is_any(caps) || gst_stx_cuda_offers(self))
    return caps;
  caps = gst_caps_make_writable(caps);
  for (guint i = gst_caps_get_size(caps); i > 0; i--)
    if (names_cuda(caps, i - 1))
      gst_caps_remove_structure(caps, i - 1);
  return caps;
}

static gboolean takes_cuda(GstPad *src, const GstStructure *structure)
{
  g_autoptr(GstCaps) peer = gst_pad_peer_query_caps(src, NULL);
  gboolean takes = FALSE;

  for (guint i = 0; !gst_caps_is_any(peer) && i < gst_caps_get_size(peer); i++)
    takes |= names_cuda(peer, i) &&
             gst_structure_can_intersect(gst_caps_get_structure(peer, i), structure);
  return takes;
}

GstCaps *gst_stx_cuda_choose_caps(GstStxCuda *self, GstPad *src, GstCaps *caps)
{
  if (self->cuda == NULL || !takes_cuda(src, gst_caps_get_structure(caps, 0)))
    return caps;
  caps = gst_caps_make_writable(caps);
  gst_caps_set_features(caps, 0, gst_caps_features_new(GST_STX_CUDA_FEATURE, NULL));
  return caps;
}

GstCaps *gst_stx_cuda_both_caps(GstStxCuda *self, GstCaps *caps)
{
  GstCaps *both;

  if (!gst_stx_cuda_offers(self))
    return caps;
  both = gst_caps_copy(caps);
  gst_caps_set_features_simple(both, gst_caps_features_new(GST_STX_CUDA_FEATURE, NULL));
  gst_caps_append(both, caps);
  return both;
}

GstCaps *gst_stx_cuda_fixate_caps(GstStxCuda *self, GstPad *src, GstCaps *caps)
{
  guint count = gst_caps_get_size(caps), chosen = 0;
  gboolean device =
      count > 0 && self->cuda != NULL && takes_cuda(src, gst_caps_get_structure(caps, 0));

  while (chosen < count && names_cuda(caps, chosen) != device)
    chosen++;
  if (chosen == count) /* there is only the other kind */
    chosen = 0;
  while (chosen-- > 0) {
    caps = gst_caps_make_writable(caps);
    gst_caps_remove_structure(caps, 0);
  }
  return gst_caps_fixate(caps);
}

gboolean gst_stx_cuda_query(GstStxCuda *self, GstPad *pad, GstQuery *query)
{
  GstCaps *caps, *filter;

  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS)
    return gst_stx_cuda_query_context(self, query);
  gst_query_parse_caps(query, &filter);
  caps = gst_stx_caps_filtered(
      gst_stx_cuda_filter_caps(self, gst_pad_get_pad_template_caps(pad)), filter);
  gst_query_set_caps_result(query, caps);
  gst_caps_unref(caps);
  return TRUE;
}

gboolean gst_stx_cuda_is_on_any(GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
    if (gst_memory_is_type(gst_buffer_peek_memory(buffer, i), "gst.cuda.memory"))
      return TRUE;
  return FALSE;
}

/* ---- Allocation ---------------------------------------------------------------------------- */

/* No buffer ever has a meta of this kind: in an ALLOCATION query it says "I enqueue on the stream
 * of the context". The tag keeps elements in between from passing it on without thinking. */
static GType order_api_get_type(void)
{
  static gsize type = 0;
  static const gchar *tags[] = {GST_META_TAG_MEMORY_STR, NULL};

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, gst_meta_api_type_register("GstStxCudaOrderAPI", tags));
  return type;
}

void gst_stx_cuda_propose(GstQuery *query)
{
  gst_query_add_allocation_meta(query, order_api_get_type(), NULL);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
}

void gst_stx_cuda_decide(GstStxCuda *self, GstQuery *query)
{
  self->foreign_neighbour = !gst_query_find_allocation_meta(query, order_api_get_type(), NULL);
}
