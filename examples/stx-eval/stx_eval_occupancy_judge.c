/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An occupancy grid beside the labelled points of a scan. */
#include <glib.h>
#include <math.h>

#include "common/ground/ground.h"
#include "examples/shared/table.h"
#include "examples/stx-eval/stx_eval_occupancy.h"

#define TRUE_POINTS 2 /* of things in a cell, that something stands there */
#define PATCH 2.0     /* m: squares in which the ground is level */
#define PATCHES 128   /* along a side, around the sensor */
#define OUTLIER 1

typedef struct {
  uint16_t ground, road, things;
} Cell;

typedef struct {
  double sum;
  uint32_t count;
} Patch;

static bool is_road(uint32_t label)
{
  uint32_t kind = label & 0xFFFF;
  return kind == 40 || kind == 44 || kind == 60;
}

/* The patch of ground at a place, or NULL. */
static Patch *patch_at(Patch *patches, double ahead, double left)
{
  double x = floor(ahead / PATCH) + PATCHES / 2, y = floor(left / PATCH) + PATCHES / 2;
  return x >= 0 && x < PATCHES && y >= 0 && y < PATCHES ? &patches[(int)y * PATCHES + (int)x]
                                                        : NULL;
}

/* The height of the ground at a place, of its patch and those around it, or not a number. */
static double ground_at(Patch *patches, double ahead, double left)
{
  Patch all = {0};
  for (int i = 0; i < 9; i++) {
    const Patch *patch = patch_at(patches, ahead + PATCH * (i / 3 - 1), left + PATCH * (i % 3 - 1));
    if (patch != NULL) {
      all.sum += patch->sum;
      all.count += patch->count;
    }
  }
  return all.count > 0 ? all.sum / all.count : NAN;
}

static Patch *find_ground(const OccupancyPoint *points, size_t count)
{
  Patch *patches = g_try_new0(Patch, PATCHES * PATCHES);
  for (size_t i = 0; patches != NULL && i < count; i++) {
    Patch *patch = patch_at(patches, (double)points[i].ahead, (double)points[i].left);
    if (patch == NULL || !stx_point_is_ground(points[i].label))
      continue;
    patch->sum += (double)points[i].up;
    patch->count++;
  }
  return patches;
}

static Cell *cell_at(const StxOccupancyResult *grid, Cell *cells, const OccupancyPoint *p)
{
  double c = cos(grid->yaw), s = sin(grid->yaw), ahead = (double)p->ahead, left = (double)p->left;
  double x = floor((grid->x + c * ahead - s * left - grid->origin_x) / grid->resolution);
  double y = floor((grid->y + s * ahead + c * left - grid->origin_y) / grid->resolution);
  return x >= 0 && x < grid->width && y >= 0 && y < grid->height
             ? &cells[(size_t)y * (size_t)grid->width + (size_t)x]
             : NULL;
}

/* Things that hang too high, or that lie too low, make no truth; where the ground is unknown the
 * cell is as if it had both. */
static void add_point(
    Cell *cell, const StxOccupancyParams *params, Patch *patches, const OccupancyPoint *p)
{
  double high = (double)p->up - ground_at(patches, (double)p->ahead, (double)p->left);
  if ((p->label & 0xFFFF) <= OUTLIER)
    return;
  if (stx_point_is_ground(p->label)) {
    cell->ground++;
    cell->road += is_road(p->label);
  } else if (isnan(high) || (high >= params->min_height && high <= params->clearance))
    cell->things++;
}

static bool counts(const OccupancyView *view, double ahead, double left)
{
  double range = sqrt(ahead * ahead + left * left);
  if (range < view->nearest || range > view->farthest)
    return false;
  double u = ahead > 0 ? view->cx - left * view->focal / ahead : -1;
  return view->focal == 0 || (u >= 0 && u < view->width);
}

static void add_cell(OccupancyCells *cells, int8_t value)
{
  cells->cells++;
  cells->free += value >= 0 && value < 50;
  cells->occupied += value > 50;
}

static void judge_cell(const Cell *cell, int8_t value, OccupancyScore *score)
{
  if (cell->things == 0 && cell->ground > 0) {
    add_cell(&score->ground, value);
    if (cell->road == cell->ground)
      add_cell(&score->road, value);
  } else if (cell->things >= TRUE_POINTS && cell->ground == 0)
    add_cell(&score->thing, value);
}

static void judge_cells(const StxOccupancyResult *grid, const OccupancyView *view,
    const Cell *cells, OccupancyScore *score)
{
  double c = cos(grid->yaw), s = sin(grid->yaw);
  for (int row = 0; row < grid->height; row++)
    for (int column = 0; column < grid->width; column++) {
      size_t i = (size_t)row * (size_t)grid->width + (size_t)column;
      double x = grid->origin_x + (column + .5) * grid->resolution - grid->x;
      double y = grid->origin_y + (row + .5) * grid->resolution - grid->y;
      if (counts(view, c * x + s * y, c * y - s * x))
        judge_cell(&cells[i], grid->cells[i], score);
    }
}

bool occupancy_judge(const StxOccupancyResult *grid, const StxOccupancyParams *params,
    const OccupancyView *view, const OccupancyPoint *points, size_t count, OccupancyScore *score)
{
  Cell *cells = g_try_new0(Cell, (size_t)grid->width * (size_t)grid->height);
  Patch *patches = find_ground(points, count);
  bool good = cells != NULL && patches != NULL;
  for (size_t i = 0; good && i < count; i++) {
    Cell *cell = cell_at(grid, cells, &points[i]);
    if (cell != NULL)
      add_point(cell, params, patches, &points[i]);
  }
  if (good) {
    judge_cells(grid, view, cells, score);
    score->frames++;
  }
  g_free(cells);
  g_free(patches);
  return good;
}

/* ---- Report --------------------------------------------------------------------------------- */

static json_t *cells_json(const OccupancyCells *cells)
{
  double all = cells->cells > 0 ? (double)cells->cells : NAN;
  return json_pack("{sI so so}", "cells", (json_int_t)cells->cells, "free",
      table_json((double)cells->free / all), "occupied", table_json((double)cells->occupied / all));
}

void occupancy_print(FILE *out, const char *name, const OccupancyScore *score, bool json)
{
  static const TableCell columns[] = {
      {"cells", 1, 9, 0, NULL}, {"free", 100, 7, 1, " %"}, {"occupied", 100, 7, 1, " %"}, {NULL}};
  json_t *root = json_pack("{ss sI so so so so}", "data", name, "frames", (json_int_t)score->frames,
      "ground", cells_json(&score->ground), "road", cells_json(&score->road), "thing",
      cells_json(&score->thing), "ms",
      table_json(score->frames > 0 ? score->ms / (double)score->frames : NAN));
  if (json) {
    table_dump(out, root);
    return;
  }
  fprintf(out, "%s, %llu frames\n\n%-12s %9s %9s %9s\n", name, (unsigned long long)score->frames,
      "truly", "cells", "as free", "occupied");
  table_line(out, 12, "ground", json_object_get(root, "ground"), columns);
  table_line(out, 12, "of it road", json_object_get(root, "road"), columns);
  table_line(out, 12, "things", json_object_get(root, "thing"), columns);
  fprintf(out, "\n%.2f ms a frame\n", score->frames > 0 ? score->ms / (double)score->frames : 0.);
  json_decref(root);
}
