/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of a bin that are those of its children: name, range, default and text stand in the
 * child's class, and values in the child.
 */
#ifndef GST_STX_PROXIES_H
#define GST_STX_PROXIES_H

#include "gst/bins/parts.h"

G_BEGIN_DECLS

/* All children have the property under this name. The one of the lowest bit says what it is, and
 * what its value is; all are set. */
typedef struct {
  const gchar *name;
  guint children;    /* bits: indices of GstStxPart */
  const gchar *text; /* NULL: the child's own */
} GstStxProxy;

/* In class_init, after the children's factories were registered: the ids are 1, 2, … in the order
 * of the table. */
void gst_stx_proxies_install(
    GObjectClass *klass, const GstStxProxy *proxies, guint count, const GstStxPart *parts);

void gst_stx_proxy_set(const GstStxProxy *proxy, GstElement *const *children, const GValue *value);
void gst_stx_proxy_get(const GstStxProxy *proxy, GstElement *const *children, GValue *value);

G_END_DECLS

#endif
