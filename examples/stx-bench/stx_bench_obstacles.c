/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The obstacles of a frame's stixels, for the stage obstacles: by one thread, as always. */
#include "examples/stx-bench/stx_bench_group.h"

#define FRAME_NS UINT64_C(100000000)

bool bench_obstacles_open(Group *g, StxError *error)
{
  const StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  size_t columns = (size_t)stx_grid_columns(&g->satdp.grid);
  g->obstacles = stx_obstacles_new();
  if (g->obstacles == NULL)
    return stx_fail(error, "not enough memory for obstacles");
  return stx_obstacles_prepare(g->obstacles, &params, g->stixel_count, columns, error);
}

/* The next frame of a stream in which nothing moves. */
bool bench_obstacles_run(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxObstaclesResult result;
  StxObstaclesFrame frame = {g->stixels, g->stixel_count, input->width, input->height,
      g->satdp.grid.cell_width, input->camera, g->obstacles_time += FRAME_NS};
  return stx_obstacles_of_stixels(g->obstacles, &frame, &result, error);
}
