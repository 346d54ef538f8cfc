/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of roadline: columns of cells with any disparity, roads and things
 * that are none to paint on them, and an estimate with exactly the memory that the contract asks
 * for.
 */
#pragma once

#include "common/roadline/roadline_track.h"
#include "tests/testing.h"

typedef struct {
  StxGrid grid;
  uint16_t *columns; /* guarded; zero to begin with */
} RoadScene;

RoadScene road_scene(int width, int height, int cell);
static inline void road_free(RoadScene *scene)
{
  stx_guarded_free(scene->columns);
}
STX_AUTO_VALUE(RoadScene, road_free)

/* The cell's disparity, px, unknown beyond 16 bits; certain. */
void road_put(const RoadScene *scene, int column, int row, double disparity);

/* Image row of the middle of a row of cells. */
double road_centre(const StxGrid *grid, int row);

/* A road with sky above it; in `objects` of 16 columns something stands in front of it. Disparities
 * scatter by `noise` px, and every eighth cell is unknown. */
void road_paint(
    const RoadScene *scene, const StxRoadLine *line, double noise, int objects, StxRandom *random);

/* A straight one, one that rises twice, one that falls, one that rises. */
extern const StxRoadLine road_straight, road_valley, road_crest, road_rise;

/* Contents that are no road: each fills all cells. */
enum {
  ROAD_NOTHING,
  ROAD_WALL,
  ROAD_FAR_WALL,
  ROAD_OBLIQUE_WALL,
  ROAD_NOISE,
  ROAD_CEILING,
  ROAD_LARGEST,
  ROAD_PAINTERS
};
void road_paint_none(const RoadScene *scene, int painter, StxRandom *random);

bool road_estimate(const RoadScene *scene, const StxRoadLine *prior, StxRoadLine *line);

/* Mean distance of two lines over the rows where the second shows more than 2 px. */
double road_distance(const StxRoadLine *line, const StxRoadLine *truth, int height);
