/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that are computed once for a whole program, though each of its tests, and each turn of a
 * loop, runs in a process of its own: what a pipeline gives on the CPU, with which hundreds of
 * turns compare.
 */
#ifndef STX_KEPT_H
#define STX_KEPT_H

#include <glib.h>

/* Appends what was kept under `key`. FALSE: nothing was. */
gboolean stx_test_recall(const gchar *key, GByteArray *bytes);

/* Does nothing when the room, 64 MiB, is used up. One process at a time, as libcheck runs them. */
void stx_test_keep(const gchar *key, const GByteArray *bytes);

#endif
