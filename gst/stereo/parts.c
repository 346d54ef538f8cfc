/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/parts.h"

/* ---- Children ------------------------------------------------------------------------------ */

void gst_stx_parts_make(GstBin *bin, const GstStxPart *parts, guint count, GstElement **made)
{
  for (guint i = 0; i < count; i++) {
    made[i] = gst_element_factory_make(parts[i].factory, parts[i].name);
    if (made[i] != NULL)
      gst_bin_add(bin, made[i]);
  }
}

gboolean gst_stx_parts_check(
    GstElement *bin, const GstStxPart *parts, guint count, GstElement *const *made)
{
  for (guint i = 0; i < count; i++)
    if (made[i] == NULL) {
      GST_ELEMENT_ERROR(bin, CORE, MISSING_PLUGIN,
          ("There is no element %s, which this one needs: install GStreamer's base and good "
           "plugins",
              parts[i].factory),
          (NULL));
      return FALSE;
    }
  return TRUE;
}

void gst_stx_part_use(GstElement *part, gboolean used)
{
  gst_element_set_locked_state(part, !used);
}

/* ---- Links --------------------------------------------------------------------------------- */

typedef struct {
  GstPad *src, *sink; /* without a sink once it is cut */
  gulong probe;       /* of src, once it is cut; else 0 */
} Joint;

/* A new reference, or NULL. */
static GstPad *take_pad(GstElement *element, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad(element, name);

  return pad != NULL ? pad : gst_element_request_pad_simple(element, name);
}

/* Takes the reference; the pad may be NULL. */
static void give_pad(GstPad *pad)
{
  g_autoptr(GstElement) element = pad != NULL ? gst_pad_get_parent_element(pad) : NULL;
  g_autoptr(GstPadTemplate) templ = pad != NULL ? gst_pad_get_pad_template(pad) : NULL;

  if (element != NULL && templ != NULL && GST_PAD_TEMPLATE_PRESENCE(templ) == GST_PAD_REQUEST)
    gst_element_release_request_pad(element, pad);
  gst_clear_object(&pad);
}

gboolean gst_stx_joints_add(
    GstStxJoints *self, GstElement *from, const gchar *src, GstElement *to, const gchar *sink)
{
  Joint joint = {take_pad(from, src), take_pad(to, sink), 0};
  GstPadLinkReturn linked = GST_PAD_LINK_REFUSED;

  if (joint.src != NULL && joint.sink != NULL)
    linked = gst_pad_link_full(joint.src, joint.sink, GST_PAD_LINK_CHECK_TEMPLATE_CAPS);
  if (linked != GST_PAD_LINK_OK) {
    GST_ERROR_OBJECT(from, "cannot link %s to %s of %s: %s", src, sink, GST_OBJECT_NAME(to),
        gst_pad_link_get_name(linked));
    give_pad(joint.src);
    give_pad(joint.sink);
    return FALSE;
  }
  self->links = g_slist_prepend(self->links, g_memdup2(&joint, sizeof joint));
  return TRUE;
}

/* Flushes the queues, so that a query for caps is not refused. */
static GstPadProbeReturn discard(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  gboolean passes = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM &&
                    !GST_QUERY_IS_SERIALIZED(GST_PAD_PROBE_INFO_QUERY(info));

  return passes ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void gst_stx_joints_cut(GstStxJoints *self)
{
  for (GSList *item = self->links; item != NULL; item = item->next) {
    Joint *joint = item->data;

    joint->probe = gst_pad_add_probe(joint->src,
        GST_PAD_PROBE_TYPE_PUSH | GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST |
            GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
        discard, NULL, NULL);
  }
  if (self->links != NULL)
    give_pad(g_steal_pointer(&((Joint *)self->links->data)->sink));
}

static void undo(gpointer data)
{
  Joint *joint = data;

  if (joint->sink != NULL)
    gst_pad_unlink(joint->src, joint->sink);
  if (joint->probe != 0)
    gst_pad_remove_probe(joint->src, joint->probe);
  give_pad(joint->src);
  give_pad(joint->sink);
  g_free(joint);
}

void gst_stx_joints_undo(GstStxJoints *self)
{
  g_slist_free_full(g_steal_pointer(&self->links), undo);
}
