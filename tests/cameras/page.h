/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gst-launch lines of a page, as they are printed. */
#ifndef STX_CAMERAS_PAGE_H
#define STX_CAMERAS_PAGE_H

#include <gst/gst.h>

/* The lines under one heading, in their order: each as words, without gst-launch-1.0. */
typedef struct {
  gchar *heading;
  GPtrArray *lines; /* of gchar ** */
} PageSection;

/* Adds the sections with lines that contain `word`, and of these lines no others. Outside of tests,
 * too. */
void page_read(GPtrArray *sections, const char *path, const char *word);

/* The lines under a heading of a page; fails the test if there are none. */
PageSection *page_find(const char *path, const char *heading);

void page_free_section(PageSection *section);

/* The pipeline of a line, as gst-launch-1.0 makes it; fails the test where that would. */
GstElement *page_parse(gchar **words);

/* Whether an interrupt ends the stream first: -e. */
gboolean page_ends_stream(gchar **words);

#endif
