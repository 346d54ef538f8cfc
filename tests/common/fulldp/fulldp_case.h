/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of satdp with what fulldp adds to parameters and tables; run_case, fill_case and the like
 * take them as they are. */
#pragma once

#include "common/fulldp/fulldp.h"
#include "tests/common/oracle.h"
#include "tests/common/satdp/satdp_case.h"

#include <stdio.h>

/* Makes the tables; leaves the columns to be filled. camera and line may be NULL. */
static inline Case *new_full_case(
    StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line)
{
  Case *c = new_case(params, camera, line);
  stx_fulldp_prepare(&c->params, &c->tables);
  return c;
}

/* Small cases, each parameter at its usual size or at one end of its range. */
static inline StxSatdpParams random_full_params(StxRandom *random)
{
  static const double shares[] = {0.001, 0.05, 0.15, 0.4, 0.9}, ranges[] = {1, 128, 256};
  StxSatdpParams p = random_params(random);
  for (int kind = 0; kind < 3; kind++)
    p.outlier_share[kind] = shares[stx_random_below(random, 5)];
  p.outlier_range = ranges[stx_random_below(random, 3)];
  return p;
}

typedef void (*FullCheck)(const Case *c, const char *what);

/* Makes and fills a case, hands it to `check` with words that repeat it, and frees it. Starts are
 * allowed everywhere if percent is negative. */
static inline void check_full_case(StxSatdpParams params, const StxRoadLine *line, Filling filling,
    int percent, uint64_t seed, FullCheck check)
{
  char what[160];
  StxRandom random = {seed};
  STX_AUTO(Case) *c = new_full_case(params, seed % 4 ? &case_camera : NULL, line);
  fill_case(c, filling, &random);
  if (percent >= 0)
    case_starts(c, percent, &random);
  snprintf(what, sizeof what, "%dx%d cells, %d classes, filling %d, starts %d %%, seed %llu, %s",
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      percent, (unsigned long long)seed, line ? "ground" : "no ground");
  check(c, what);
}

/* The same with a filling, a road and starts that `random` and the round choose. */
static inline void check_random_full_case(
    StxSatdpParams params, int round, StxRandom *random, FullCheck check)
{
  Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
  int percent = round % 3 ? -1 : stx_random_below(random, 101);
  StxRoadLine line = {
      stx_random_below(random, 9) ? 0.02 + stx_random_below(random, 60) / 100.0 : 64,
      stx_random_below(random, params.grid.height + 1) - 9, 1, .tilt = round % 2 ? 0 : -.2};
  const StxRoadLine *road = stx_random_below(random, 5) ? &line : NULL;
  Filling filling = fillings[stx_random_below(random, 3)];
  check_full_case(params, road, filling, percent, (uint64_t)round, check);
}

static inline const StxSatdpImpl *fulldp_reference(void)
{
  return oracle(&stx_fulldp_impls);
}
