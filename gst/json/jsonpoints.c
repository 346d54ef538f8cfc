/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsonframe.h"

#include "common/clusters/clusters.h"

static void write_range(GstStxJsonText *text, const char *key, double low, double high)
{
  gst_stx_json_number(text, key, low);
  gst_stx_json_number(text, ",", high);
  gst_stx_json_words(text, "]");
}

static void write_cluster(GstStxJsonText *text, gsize id, const StxCluster *cluster)
{
  gst_stx_json_whole(text, "{\"id\":", id);
  gst_stx_json_whole(text, ",\"count\":", cluster->count);
  if (cluster->low[0] <= cluster->high[0]) {
    write_range(text, ",\"metres\":{\"x\":[", cluster->low[0], cluster->high[0]);
    write_range(text, ",\"y\":[", cluster->low[1], cluster->high[1]);
    write_range(text, ",\"z\":[", cluster->low[2], cluster->high[2]);
    gst_stx_json_words(text, "}}");
  } else {
    gst_stx_json_words(text, ",\"metres\":null}");
  }
}

static void write_clusters(GstStxJsonText *text, const StxCluster *clusters, gsize highest)
{
  const char *between = "";

  gst_stx_json_words(text, ",\"clusters\":[");
  for (gsize i = 1; i <= highest; i++)
    if (clusters[i].count > 0) {
      gst_stx_json_words(text, between);
      write_cluster(text, i, &clusters[i]);
      between = ",";
    }
  gst_stx_json_words(text, "]");
}

void gst_stx_json_points(
    GstStxJsonText *text, const GstStxJsonRecords *points, const GstStxJsonRecords *labels)
{
  gsize highest = stx_clusters_highest(labels->data, labels->count);
  StxCluster *clusters = g_new(StxCluster, highest + 1);
  StxPointCounts counts;

  stx_clusters_gather(points->data, labels->data, labels->count, clusters, highest, &counts);
  gst_stx_json_whole(text, ",\"points\":{\"count\":", points->count);
  gst_stx_json_whole(text, ",\"ground\":", counts.ground);
  gst_stx_json_whole(text, ",\"obstacle\":", counts.obstacle);
  gst_stx_json_whole(text, ",\"unknown\":", counts.unknown);
  write_clusters(text, clusters, highest);
  gst_stx_json_words(text, "}");
  g_free(clusters);
}
