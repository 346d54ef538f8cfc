/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of a scan as a whole: literal scans, and sums over random ones. */
#include "tests/testing.h"

#include "common/clusters/clusters_hues.h"
#include "common/clusters/clusters.h"

#include <math.h>

#define LABEL(cluster, kind) ((uint32_t)(cluster) << 16 | (kind))

STX_TEST(literal_scan)
{
  static const float points[][4] = {{10, 2, 1, 0}, {12, -1, -1, 9}, {5, 0, -1.5f, 0}, {0, 0, 0, 0},
      {NAN, 1, 1, 0}, {8, 8, INFINITY, 0}};
  static const uint32_t labels[] = {
      LABEL(2, 99), LABEL(2, 10), LABEL(7, 49), LABEL(9, 0), LABEL(2, 99), LABEL(1, 99)};
  StxCluster clusters[3];
  StxPointCounts counts;
  ck_assert_uint_eq(stx_clusters_highest(labels, 6), 2);
  stx_clusters_gather(points[0], labels, 6, clusters, 2, &counts);
  ck_assert_uint_eq(counts.ground, 1);
  ck_assert_uint_eq(counts.unknown, 1);
  ck_assert_uint_eq(counts.obstacle, 4);
  ck_assert_uint_eq(clusters[0].count, 0);
  ck_assert_uint_eq(clusters[1].count, 1);
  ck_assert(clusters[1].low[0] > clusters[1].high[0]);
  static const StxCluster second = {3, {-2, -1, 10}, {1, 1, 12}};
  ck_assert_mem_eq(&clusters[2], &second, sizeof second);
  static const uint16_t members[] = {0, 0, 2, 65535, 0, 1}; /* of two obstacles */
  stx_clusters_of_members(points[0], members, 6, clusters, 2);
  ck_assert_mem_eq(&clusters[0], &second, sizeof second);
  ck_assert(clusters[1].count == 1 && clusters[1].low[0] > clusters[1].high[0]);
  ck_assert_mem_eq(&clusters[2], &second, sizeof second);
}

/* Four things that a car passes at 15 m/s, a metre apart or more; one is gone, one is new, and all
 * have other numbers: what stays keeps its own. */
STX_TEST(numbers_stay_with_things)
{
  static const float first[][4] = {
      {9, 3, 0, 0}, {9.5f, 3, 1, 0}, {20, -3, 0, 0}, {5, 4, 0, 0}, {6, 0, 0, 0}};
  static const float second[][4] = {{18.4f, -3, 0, 0}, {3.6f, 4, 0, 0}, {7.4f, 3, 0, 0},
      {8, 3, 0, 0}, {40, 9, 0, 0}, {4.5f, 0, 0, 0}};
  static const uint32_t labels[] = {
      LABEL(1, 99), LABEL(1, 99), LABEL(2, 99), LABEL(3, 99), LABEL(0, 49)};
  static const uint32_t now[] = {
      LABEL(1, 99), LABEL(2, 99), LABEL(3, 99), LABEL(3, 99), LABEL(66, 10), LABEL(0, 49)};
  static const uint32_t expected[] = {
      LABEL(2, 99), LABEL(3, 99), LABEL(1, 99), LABEL(1, 99), LABEL(68, 10), LABEL(0, 49)};
  static StxClusterHues hues;
  uint32_t found[6];
  stx_cluster_hues(&hues, first[0], labels, 5, found);
  ck_assert_mem_eq(found, labels, sizeof labels);
  stx_cluster_hues(&hues, second[0], now, 6, found);
  ck_assert_mem_eq(found, expected, sizeof expected);
}

STX_TEST(no_points)
{
  StxCluster cluster;
  StxPointCounts counts = {1, 2, 3};
  ck_assert_uint_eq(stx_clusters_highest(NULL, 0), 0);
  stx_clusters_gather(NULL, NULL, 0, &cluster, 0, &counts);
  ck_assert_uint_eq(cluster.count + counts.ground + counts.obstacle + counts.unknown, 0);
}

/* The largest number of all is a cluster like any other, and every point counts once. */
STX_TEST(counts_add_up)
{
  enum { COUNT = 5000 };
  StxRandom random = {.state = 3};
  static float points[COUNT][4];
  static uint32_t labels[COUNT];
  static StxCluster clusters[65536];
  static const uint32_t kinds[] = {0, 49, 99, 10, 40};
  size_t clustered = 0, alone = 0, total = 0;
  StxPointCounts counts;
  for (int i = 0; i < COUNT; i++) {
    uint32_t cluster = i == 0 ? 65535 : (uint32_t)stx_random_below(&random, 300);
    labels[i] = LABEL(cluster, i == 0 ? 99 : kinds[stx_random_below(&random, 5)]);
  }
  size_t highest = stx_clusters_highest(labels, COUNT);
  ck_assert_uint_eq(highest, 65535);
  stx_clusters_gather(points[0], labels, COUNT, clusters, highest, &counts);
  for (size_t i = 0; i <= highest; i++)
    clustered += clusters[i].count;
  for (int i = 0; i < COUNT; i++) {
    uint32_t kind = labels[i] & 0xFFFF;
    alone += (kind == 99 || kind == 10) && labels[i] >> 16 == 0;
    total += kind == 49 || kind == 40;
  }
  ck_assert_uint_eq(counts.ground, total);
  ck_assert_uint_eq(counts.obstacle, clustered + alone);
  ck_assert_uint_eq(counts.ground + counts.obstacle + counts.unknown, COUNT);
}
