/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of clusters that stay with a thing from scan to scan. Ground segmentation numbers the
 * clusters of each scan anew, and colours follow numbers; here a cluster takes the number that the
 * one had which was nearest to its place in the last scan, moved as all of them moved on average.
 */
#pragma once

#include "common/stx.h"

#define STX_CLUSTER_HUES 64   /* numbers that have colours of their own */
#define STX_CLUSTER_MOST 1024 /* clusters of a scan that are followed, the first ones */

typedef struct {
  double x, y;     /* the mean of its points, metres */
  uint32_t points; /* 0: there is no such cluster */
  uint32_t number; /* that says its colour */
} StxClusterPlace;

/* {0} before the first scan. */
typedef struct {
  StxClusterPlace places[2][STX_CLUSTER_MOST]; /* of this scan and the last one, by turns */
  uint32_t ends[2];                            /* one more than the highest number of them */
  int now;
  double x, y; /* how far things moved between the last two scans, metres */
} StxClusterHues;

/* Writes the labels of a scan (clusters.h) with other numbers of their clusters to `to`, which has
 * room for `count`. The first scan keeps its labels; so do clusters from STX_CLUSTER_MOST on. */
void stx_cluster_hues(
    StxClusterHues *hues, const float *points, const uint32_t *labels, size_t count, uint32_t *to);
