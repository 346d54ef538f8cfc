/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/obstacles/hazards.h"

#include <string.h>

#define SAME_PLACE 1.5 /* m in front of or within an obstacle */

/* Is the middle of a hazard in front of an obstacle, or within it? */
static gboolean belongs(const StxObstacle *hazard, const StxObstacle *obstacle)
{
  return hazard->x >= obstacle->x - obstacle->width / 2 &&
         hazard->x <= obstacle->x + obstacle->width / 2 &&
         hazard->z > obstacle->z - (gfloat)SAME_PLACE &&
         hazard->z < obstacle->z + obstacle->depth + (gfloat)SAME_PLACE;
}

static gboolean is_own(const StxObstacle *hazard, const StxObstacle *records, gsize count)
{
  if (!stx_obstacle_is_hazard(hazard))
    return FALSE;
  for (gsize i = 0; i < count; i++)
    if (belongs(hazard, &records[i]))
      return FALSE;
  return TRUE;
}

GstBuffer *gst_obstacles_with_hazards(GstBuffer *records, GstBuffer *frame)
{
  const GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(frame);
  gsize own = gst_buffer_get_size(records) / sizeof(StxObstacle), count;
  GstBuffer *joined;
  GstMapInfo from;
  GArray *list;

  if (meta == NULL || !gst_buffer_map(meta->obstacles, &from, GST_MAP_READ))
    return records;
  count = from.size / sizeof(StxObstacle);
  list = g_array_sized_new(FALSE, FALSE, sizeof(StxObstacle), (guint)(own + count));
  g_array_set_size(list, (guint)own);
  if (own > 0)
    gst_buffer_extract(records, 0, list->data, own * sizeof(StxObstacle));
  for (gsize i = 0; i < count; i++) {
    StxObstacle hazard;

    memcpy(&hazard, from.data + i * sizeof hazard, sizeof hazard);
    if (is_own(&hazard, (const StxObstacle *)(gpointer)list->data, own))
      g_array_append_val(list, hazard);
  }
  gst_buffer_unmap(meta->obstacles, &from);
  joined = records;
  if (list->len > own) {
    joined = gst_buffer_new_memdup(list->data, list->len * sizeof(StxObstacle));
    gst_buffer_unref(records);
  }
  g_array_unref(list);
  return joined;
}
