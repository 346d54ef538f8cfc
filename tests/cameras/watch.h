/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks on while a pipeline runs: which pictures stereo-sgm pairs, by the numbers painted into them
 * (pictures.h), whether the distances of the stixels are those of the street, and how many frames
 * reach the sinks.
 */
#ifndef STX_CAMERAS_WATCH_H
#define STX_CAMERAS_WATCH_H

#include <gst/gst.h>

typedef struct Watch Watch;

/* Before the pipeline starts. What is added to it later is looked at, too. */
Watch *watch_new(GstElement *pipeline);
void watch_free(Watch *watch); /* after the pipeline has stopped */

typedef struct {
  guint frames;      /* at the sinks, all together */
  guint pictures;    /* of them with stixels attached */
  guint sets;        /* of stixels */
  guint pairs;       /* disparities of two pictures with the same number */
  guint wrong_pairs; /* … not with the same one, or with none */
  guint in_a_row;    /* pairs since the last wrong one */
  guint objects;     /* stixels of kind object of pairs, nearer than 40 m */
  double off;        /* their distance, median of |measured / true - 1|; 0: no objects */
} WatchCounts;

WatchCounts watch_counts(Watch *watch);

/* Of how many numbers both have seen disparities, and of how many of these the bytes differ. */
void watch_compare(Watch *one, Watch *other, guint *common, guint *differ);

#endif
