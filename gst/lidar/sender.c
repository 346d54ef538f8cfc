/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/sender.h"

#include <gst/net/gstnet.h>

gboolean gst_stx_sender_set(GstStxSender *self, const gchar *text, StxError *error)
{
  gst_stx_sender_clear(self);
  if (text == NULL || text[0] == '\0')
    return TRUE;
  self->address = g_inet_address_new_from_string(text);
  return self->address != NULL ||
         stx_fail(
             error, "source-address is \"%.60s\"; expected an address such as 192.168.1.201", text);
}

static GInetAddress *address_of(GstBuffer *packet)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta(packet);

  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS(meta->addr))
    return NULL;
  return g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(meta->addr));
}

gboolean gst_stx_sender_is(GstStxSender *self, GstBuffer *packet, StxError *error)
{
  GInetAddress *address = address_of(packet);
  g_autofree gchar *own = NULL;
  g_autofree gchar *other = NULL;

  if (address == NULL || self->address == NULL || g_inet_address_equal(address, self->address))
    return TRUE;
  if (self->warned)
    return FALSE;
  self->warned = TRUE;
  own = g_inet_address_to_string(self->address);
  other = g_inet_address_to_string(address);
  stx_fail(error, "packets of %s come, too, and are passed over; read are those of %s", other, own);
  return FALSE;
}

void gst_stx_sender_keep(GstStxSender *self, GstBuffer *packet)
{
  GInetAddress *address = address_of(packet);

  if (self->address == NULL && address != NULL)
    self->address = g_object_ref(address);
}

void gst_stx_sender_clear(GstStxSender *self)
{
  g_clear_object(&self->address);
  self->warned = FALSE;
}
