/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of satdp with what fulldp adds to parameters and tables; run_case, fill_case and the like
 * take them as they are. */
#ifndef STX_TESTS_FULLDP_CASE_H
#define STX_TESTS_FULLDP_CASE_H

#include "common/fulldp/fulldp.h"
#include "tests/common/satdp/satdp_case.h"

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

static inline const StxSatdpImpl *fulldp_reference(void)
{
  return stx_impl_named(&stx_fulldp_impls, "c");
}

#endif
