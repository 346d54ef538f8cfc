/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/roadline/roadline_case.h"

#include <math.h>
#include <string.h>

RoadScene road_scene(int width, int height, int cell)
{
  RoadScene scene = {.grid = {width, height, cell, cell, 0}};
  scene.columns = stx_guarded_alloc(stx_grid_bytes(&scene.grid));
  memset(scene.columns, 0, stx_grid_bytes(&scene.grid));
  return scene;
}

void road_put(const RoadScene *scene, int column, int row, double disparity)
{
  bool known = disparity >= 1 / 256.0 && disparity < 255;
  stx_column(&scene->grid, scene->columns, 0, column)[row] =
      known ? (uint16_t)lround(disparity * 256) : 0;
  stx_column(&scene->grid, scene->columns, 1, column)[row] = known ? STX_WEIGHT_ONE : 0;
}

double road_centre(const StxGrid *grid, int row)
{
  return 0.5 * (stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1);
}

void road_paint(
    const RoadScene *scene, const StxRoadLine *line, double noise, int objects, StxRandom *random)
{
  int rows = stx_grid_rows(&scene->grid);
  for (int c = 0; c < stx_grid_columns(&scene->grid); c++) {
    double front = 4 + c / 16 * 7 % 40;
    StxRoadLine own = stx_roadline_in_column(line, (c + .5) * scene->grid.cell_width - .5);
    for (int r = 0; r < rows; r++) {
      double d = stx_roadline_at(&own, road_centre(&scene->grid, r));
      if (c % 16 < objects && d < front)
        d = r > rows / 8 ? front : 0;
      d += noise * (stx_random_below(random, 2001) - 1000) / 1000.0;
      road_put(scene, c, r, stx_random_below(random, 8) == 0 ? 0 : d);
    }
  }
}

const StxRoadLine road_straight = {.33, 172, 1},
                  road_valley = {.3, 150, 1, 2, {{240, .15}, {190, .06}}},
                  road_crest = {.34, 182, 1, 1, {{260, .6}}},
                  road_rise = {.33, 172, 1, 1, {{230, .11}}};

/* The disparity of what is no road, px. */
static double paint(int painter, double row, int column, StxRandom *random)
{
  switch (painter) {
  case ROAD_WALL:
    return 20 + stx_random_below(random, 100) / 100.0;
  case ROAD_FAR_WALL:
    return 3 + stx_random_below(random, 200) / 100.0;
  case ROAD_OBLIQUE_WALL:
    return 5 + column * .3 + stx_random_below(random, 100) / 100.0;
  case ROAD_NOISE:
    return stx_random_below(random, 255 * 256) / 256.0;
  case ROAD_CEILING:
    return .3 * (300 - row);
  default:
    return painter == ROAD_LARGEST ? 254.9 : 0;
  }
}

bool road_estimate(const RoadScene *scene, const StxRoadLine *prior, StxRoadLine *line)
{
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene->grid));
  bool found = stx_roadline_estimate(&scene->grid, scene->columns, prior, line, scratch);
  stx_guarded_check(scene->columns);
  return found;
}

/* Mean road_distance of two lines over the rows where the second shows more than 2 px. */
double road_distance(const StxRoadLine *line, const StxRoadLine *truth, int height)
{
  double sum = 0;
  int count = 0;
  for (int y = 0; y < height; y++)
    if (stx_roadline_at(truth, y) > 2) {
      sum += fabs(stx_roadline_at(line, y) - stx_roadline_at(truth, y));
      count++;
    }
  return sum / count;
}

void road_paint_none(const RoadScene *scene, int painter, StxRandom *random)
{
  for (int c = 0; c < stx_grid_columns(&scene->grid); c++)
    for (int r = 0; r < stx_grid_rows(&scene->grid); r++)
      road_put(scene, c, r,
          paint(painter, road_centre(&scene->grid, r), c * scene->grid.cell_width / 4, random));
}
