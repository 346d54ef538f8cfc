/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses one of several senders on a port: the one whose packets count. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "common/stx.h"

/* Zero it to begin with. */
typedef struct {
  GInetAddress *address; /* whose packets count; NULL: those of the first that sends */
  gboolean warned;
} GstStxSender;

/* The address that a property names; NULL or "": the first sender's. FALSE with a text. */
gboolean gst_stx_sender_set(GstStxSender *self, const gchar *text, StxError *error);

/* True if the buffer is of that sender, or has no sender's address. For the first of another
 * sender, `error` names both addresses. */
gboolean gst_stx_sender_is(GstStxSender *self, GstBuffer *packet, StxError *error);

/* From now on only packets of this one's sender count. */
void gst_stx_sender_keep(GstStxSender *self, GstBuffer *packet);

void gst_stx_sender_clear(GstStxSender *self);
