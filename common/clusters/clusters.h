/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums up the labels of a scan: the number of points of each class, and the extent of each cluster.
 *
 * points   count · 4 floats: x forward, y left, z up, intensity; any values
 * labels   count words in SemanticKITTI's encoding (ground/ground.h): 0 is not classified, what
 *          stx_point_is_ground says is ground, all else is an obstacle; the cluster in the high
 *          16 bits, 0: none. Only points of obstacles belong to clusters.
 */
#ifndef STX_CLUSTERS_H
#define STX_CLUSTERS_H

#include "common/stx.h"

/* Metres, in the axes of obstacle.h: x to the right, y down, z forward. */
typedef struct {
  uint32_t count;        /* points; 0: there is no such cluster */
  float low[3], high[3]; /* of x, y and z, over the points that are finite; low > high: none is */
} StxCluster;

typedef struct {
  size_t ground, obstacle, unknown; /* points; they add up */
} StxPointCounts;

/* The largest number of a cluster; 0: there are none. */
STX_API size_t stx_clusters_highest(const uint32_t *labels, size_t count);

/* Writes clusters[0 … highest], where 0 stays empty, and *counts. */
STX_API void stx_clusters_gather(const float *points, const uint32_t *labels, size_t count,
    StxCluster *clusters, size_t highest, StxPointCounts *counts);

/* The same of the obstacles of a scan, clusters[0 … obstacles − 1], by the place of every point's
 * obstacle; what is no such place belongs to none. */
void stx_clusters_of_members(const float *points, const uint16_t *members, size_t count,
    StxCluster *clusters, size_t obstacles);

#endif
