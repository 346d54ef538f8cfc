/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/clusters/clusters_hues.h"

#include <math.h>
#include <string.h>

#define REACH 2. /* m, the farthest from where it is expected */

static uint32_t cluster_of(uint32_t label)
{
  return label >> 16 < STX_CLUSTER_MOST ? label >> 16 : 0;
}

/* Returns one more than the highest number. */
static uint32_t find_places(
    const float *points, const uint32_t *labels, size_t count, StxClusterPlace *places)
{
  uint32_t end = 1;
  memset(places, 0, STX_CLUSTER_MOST * sizeof *places);
  for (size_t i = 0; i < count; i++) {
    const uint32_t cluster = cluster_of(labels[i]);
    StxClusterPlace *place = &places[cluster];
    const float *p = points + 4 * i;
    if (!isfinite(p[0] + p[1]))
      continue;
    end = cluster < end ? end : cluster + 1;
    place->x += (double)p[0];
    place->y += (double)p[1];
    place->points++;
  }
  places[0].points = 0; /* of points in none */
  for (uint32_t i = 1; i < end; i++)
    if (places[i].points > 0) {
      places[i].x /= places[i].points;
      places[i].y /= places[i].points;
    }
  return end;
}

/* The nearest to (x, y) within reach; 0: there is none. */
static uint32_t nearest(const StxClusterPlace *places, uint32_t end, double x, double y)
{
  double best = REACH * REACH;
  uint32_t found = 0;
  for (uint32_t i = 1; i < end; i++) {
    double dx = places[i].x - x, dy = places[i].y - y, far = dx * dx + dy * dy;
    if (places[i].points > 0 && far < best) {
      best = far;
      found = i;
    }
  }
  return found;
}

/* Numbers those that are each other's nearest; finds how far they moved on average. */
static void follow(StxClusterHues *hues)
{
  StxClusterPlace *now = hues->places[hues->now], *before = hues->places[!hues->now];
  const uint32_t end = hues->ends[hues->now], end_before = hues->ends[!hues->now];
  double x = 0, y = 0;
  uint32_t count = 0;
  for (uint32_t i = 1; i < end; i++) {
    const StxClusterPlace *from = before;
    if (now[i].points > 0)
      from += nearest(before, end_before, now[i].x - hues->x, now[i].y - hues->y);
    if (from->points == 0 || nearest(now, end, from->x + hues->x, from->y + hues->y) != i)
      continue;
    now[i].number = from->number;
    x += now[i].x - from->x;
    y += now[i].y - from->y;
    count++;
  }
  hues->x = count > 0 ? x / count : 0;
  hues->y = count > 0 ? y / count : 0;
}

/* Numbers what is new: with its own number, or the next one whose colour nothing else kept. */
static void number_new(StxClusterPlace *now, uint32_t end)
{
  bool kept[STX_CLUSTER_HUES] = {false};
  for (uint32_t i = 1; i < end; i++)
    kept[now[i].number % STX_CLUSTER_HUES] |= now[i].number > 0;
  for (uint32_t i = 1; i < end; i++) {
    uint32_t number = i;
    while (kept[number % STX_CLUSTER_HUES] && number < i + STX_CLUSTER_HUES)
      number++;
    if (now[i].number == 0)
      now[i].number = number < i + STX_CLUSTER_HUES ? number : i;
  }
}

void stx_cluster_hues(
    StxClusterHues *hues, const float *points, const uint32_t *labels, size_t count, uint32_t *to)
{
  StxClusterPlace *now = hues->places[hues->now];
  hues->ends[hues->now] = find_places(points, labels, count, now);
  follow(hues);
  number_new(now, hues->ends[hues->now]);
  for (size_t i = 0; i < count; i++) {
    uint32_t cluster = cluster_of(labels[i]);
    uint32_t number = now[cluster].points > 0 ? now[cluster].number : labels[i] >> 16;
    to[i] = number << 16 | (labels[i] & 0xFFFF);
  }
  hues->now = !hues->now;
}
