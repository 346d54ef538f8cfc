/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/oracle.h"

#include "common/canvas/canvas.h"
#include "common/colmean/colmean.h"
#include "common/colormap/colormap.h"
#include "common/egomotion/egomotion.h"
#include "common/fulldp/fulldp.h"
#include "common/ground/ground.h"
#include "common/hazards/hazards.h"
#include "common/luma/luma.h"
#include "common/rdp/rdp.h"
#include "common/rectify/rectify.h"
#include "common/sgm/sgm.h"

extern const StxCanvasImpl oracle_canvas;
extern const StxColmeanImpl oracle_colmean;
extern const StxColormapImpl oracle_colormap;
extern const StxGroundImpl oracle_ground;
extern const StxHazardsImpl oracle_hazards;
extern const StxLumaImpl oracle_luma;
extern const StxRdpImpl oracle_rdp;
extern const StxRectifyImpl oracle_rectify;
extern const StxSatdpImpl oracle_satdp, oracle_fulldp;
extern const StxSgmImpl oracle_sgm;

const void *oracle(const StxImplTable *impls)
{
  static const struct {
    const StxImplTable *impls;
    const void *reference;
  } stems[] = {{&stx_canvas_impls, &oracle_canvas}, {&stx_colmean_impls, &oracle_colmean},
      {&stx_colormap_impls, &oracle_colormap}, {&stx_fulldp_impls, &oracle_fulldp},
      {&stx_ground_impls, &oracle_ground}, {&stx_hazards_impls, &oracle_hazards},
      {&stx_luma_impls, &oracle_luma}, {&stx_rdp_impls, &oracle_rdp},
      {&stx_rectify_impls, &oracle_rectify}, {&stx_satdp_impls, &oracle_satdp},
      {&stx_sgm_impls, &oracle_sgm}};
  for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++)
    if (stems[i].impls == impls)
      return stems[i].reference;
  return impls == &stx_egomotion_impls ? oracle_egomotion() : stx_impl_named(impls, "omp");
}
