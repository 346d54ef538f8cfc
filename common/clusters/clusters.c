/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/clusters/clusters.h"

#include <math.h>

#include "common/ground/ground.h"

static bool is_obstacle(uint32_t label)
{
  return (label & 0xFFFF) != STX_POINT_NONE && !stx_point_is_ground(label);
}

/* Returns the number of the point's cluster; 0: the point belongs to none. */
static size_t cluster_of(uint32_t label)
{
  return is_obstacle(label) ? label >> 16 : 0;
}

size_t stx_clusters_highest(const uint32_t *labels, size_t count)
{
  size_t highest = 0;
  for (size_t i = 0; i < count; i++) {
    size_t cluster = cluster_of(labels[i]);
    highest = cluster > highest ? cluster : highest;
  }
  return highest;
}

static void add_point(StxCluster *cluster, const float *point)
{
  const float place[3] = {-point[1], -point[2], point[0]};
  cluster->count++;
  if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2]))
    return;
  for (int i = 0; i < 3; i++) {
    cluster->low[i] = fminf(cluster->low[i], place[i]);
    cluster->high[i] = fmaxf(cluster->high[i], place[i]);
  }
}

static void clear(StxCluster *clusters, size_t count)
{
  for (size_t i = 0; i < count; i++)
    clusters[i] = (StxCluster){
        .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
}

void stx_clusters_of_members(const float *points, const uint16_t *members, size_t count,
    StxCluster *clusters, size_t obstacles)
{
  clear(clusters, obstacles);
  for (size_t i = 0; i < count; i++)
    if (members[i] < obstacles)
      add_point(&clusters[members[i]], points + 4 * i);
}

void stx_clusters_gather(const float *points, const uint32_t *labels, size_t count,
    StxCluster *clusters, size_t highest, StxPointCounts *counts)
{
  *counts = (StxPointCounts){0};
  clear(clusters, highest + 1);
  for (size_t i = 0; i < count; i++) {
    size_t cluster = cluster_of(labels[i]);
    if (cluster > 0)
      add_point(&clusters[cluster], points + 4 * i);
    if (is_obstacle(labels[i]))
      counts->obstacle++;
    else if ((labels[i] & 0xFFFF) == STX_POINT_NONE)
      counts->unknown++;
    else
      counts->ground++;
  }
}
