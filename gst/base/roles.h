/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of an element with several of them, by what they are for. */
#ifndef GST_STX_ROLES_H
#define GST_STX_ROLES_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STX_ROLES_MAX 3

/*
 * A role is a place in `names`; a set of roles has bit i for role i.
 *
 * names       of the pads' templates, in the order in which buffers are handed over;
 *             NULL-terminated. The first role that has a pad leads
 * optional    roles that a set of buffers may lack; others are required once they have a pad
 * sufficient  sets of roles, each enough to work with; all 0: the first role
 */
typedef struct {
  const gchar *names[GST_STX_ROLES_MAX + 1];
  guint optional;
  guint sufficient[2];
} GstStxRoles;

/* The roles of which a set has a buffer. */
static inline guint gst_stx_roles_of(GstBuffer *const *set)
{
  guint roles = 0;

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    roles |= set[role] != NULL ? 1u << role : 0;
  return roles;
}

G_END_DECLS

#endif
