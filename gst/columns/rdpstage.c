/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/columns/rdpstage.h"

#include <math.h>

int gst_rdp_epsilon(double pixels)
{
  return (int)lround(pixels * STX_DISPARITY_ONE);
}

gboolean gst_rdp_stage_run(GstStxStage *stage, guint slot, const StxRdpParams *params,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error)
{
  const StxRdpImpl *impl = gst_stx_stage_impl_of(stage, &stx_rdp_impls, &stx_rdp_cuda_impls, error);
  void *scratch = NULL;

  if (impl != NULL)
    scratch =
        gst_stx_stage_block(stage, slot, impl->scratch_size(params, stage->place.threads), error);
  return scratch != NULL &&
         impl->run(params, columns, segments, kept, result, scratch, &stage->place, error);
}
