/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer of points. */
#include "common/bev/bev_private.h"
#include "common/clusters/clusters_look.h"
#include "common/ground/ground.h"

typedef struct {
  StxBevMode mode;
  float brightest;     /* what counts as full intensity */
  const double *mount; /* NULL: none */
} Layer;

/* x ahead, y to the left, z up, from the picture's sensor. */
static void place(const double *mount, const float *point, double to[3])
{
  for (int i = 0; i < 3; i++) {
    const double *m = mount + 4 * i;
    to[i] = m[0] * (double)point[0] + m[1] * (double)point[1] + m[2] * (double)point[2] + m[3];
  }
}

static uint32_t rank_of(const uint32_t *label)
{
  if (label == NULL)
    return STX_BEV_RANK_OBSTACLE;
  return (*label & 0xFFFF) == STX_POINT_NONE ? STX_BEV_RANK_NONE
         : stx_point_is_ground(*label)       ? STX_BEV_RANK_GROUND
                                             : STX_BEV_RANK_OBSTACLE;
}

static uint32_t colour_of(
    const Layer *layer, const float *point, float z, const uint32_t *label, uint32_t rank)
{
  StxBevMode mode = layer->mode;
  if (mode == STX_BEV_INTENSITY)
    return STX_BEV_RAMPS + stx_bev_ramp(point[3], 0, layer->brightest);
  if (mode == STX_BEV_HEIGHT || label == NULL)
    return STX_BEV_RAMPS + stx_bev_ramp(z, -2, 2);
  if (rank != STX_BEV_RANK_OBSTACLE)
    return rank == STX_BEV_RANK_NONE ? STX_BEV_NONE : STX_BEV_GROUND;
  if (mode == STX_BEV_PLAIN)
    return STX_BEV_INK;
  uint32_t cluster = *label >> 16;
  if (mode == STX_BEV_LABELS)
    return STX_BEV_OBSTACLE;
  return cluster == 0 ? STX_BEV_NO_CLUSTER : STX_BEV_CLUSTER + cluster % STX_BEV_HUES;
}

static void put_point(StxBev *bev, double column, double row, uint32_t key)
{
  int width = bev->params.width, height = bev->params.height, size = bev->params.point_size;
  if (!(column > -size && column < width + size && row > -size && row < height + size))
    return;
  int left = (int)floor(column) - (size - 1) / 2, top = (int)floor(row) - (size - 1) / 2;
  for (int y = top < 0 ? 0 : top; y < top + size && y < height; y++)
    stx_bev_put_span(bev, y, left, left + size, key);
}

static void put_labelled(StxBev *bev, const Layer *layer, const float *point, const uint32_t *label)
{
  double to[3] = {(double)point[0], (double)point[1], (double)point[2]};
  if (layer->mount != NULL)
    place(layer->mount, point, to);
  float z = (float)to[2];
  if (!isfinite(z))
    return;
  uint32_t rank = rank_of(label);
  uint32_t key = stx_bev_key(rank, stx_bev_height(z), colour_of(layer, point, z, label, rank));
  put_point(bev, bev->plan.column - to[1] * bev->plan.scale,
      bev->plan.row - to[0] * bev->plan.scale, key);
}

static void draw_legend(StxBev *bev, const Layer *layer, bool labelled)
{
  StxBar intensity = {
      .palette = STX_PALETTE_DISTANCE, .high = (double)layer->brightest, .title = "intensity"};
  if (layer->mode == STX_BEV_INTENSITY)
    stx_bev_tell_bar(bev, &intensity);
  else if (layer->mode == STX_BEV_HEIGHT || !labelled)
    stx_bev_tell_height(bev, NULL, 0);
  else
    stx_sheet_claim(
        bev->sheet, stx_scan_names(bev->legend, bev->params.legend, layer->mode == STX_BEV_CLUSTERS,
                        layer->mode == STX_BEV_PLAIN ? &bev->colour[STX_BEV_INK] : NULL));
}

void stx_bev_put_points(
    StxBev *bev, const float *points, const uint32_t *labels, size_t count, const double mount[12])
{
  Layer layer = {.mode = bev->params.mode, .brightest = 1, .mount = mount};
  if (layer.mode == STX_BEV_INTENSITY)
    layer.brightest = stx_scan_full_intensity(points, count);
  for (size_t i = 0; i < count; i++)
    put_labelled(bev, &layer, points + 4 * i, labels == NULL ? NULL : &labels[i]);
  draw_legend(bev, &layer, labels != NULL);
}
