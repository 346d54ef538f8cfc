/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxrdp.h"

#include <math.h>

int gst_stx_rdp_epsilon(double pixels)
{
  return (int)lround(pixels * STX_DISPARITY_ONE);
}

const StxImplInfo *gst_stx_rdp_choose(
    GstStxRdp *self, const GstStxColumnStream *stream, StxError *error)
{
  self->impl = gst_stx_run_pick(&stream->run, &stx_rdp_impls, error);
  return self->impl != NULL ? &self->impl->info : NULL;
}

gboolean gst_stx_rdp_run(GstStxRdp *self, const StxRdpParams *params, int threads,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error)
{
  StxPlace place = {.threads = threads};

  return gst_stx_scratch_reserve(
             &self->scratch, self->impl->scratch_size(params, threads), error) &&
         self->impl->run(
             params, columns, segments, kept, result, self->scratch.data, &place, error);
}

gboolean gst_stx_rdp_enqueue(GstStxCuda *cuda, guint block, const StxRdpParams *params,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error)
{
  StxPlace place = stx_cuda_place(cuda->cuda, cuda->stream);
  const StxRdpImpl *impl;
  void *scratch;

  if (stx_rdp_cuda_impls.count == 0)
    return stx_fail(error, "this build has no kernels for rdp");
  impl = (const StxRdpImpl *)stx_impl_at(&stx_rdp_cuda_impls, 0);
  scratch = gst_stx_cuda_block(cuda, block, impl->scratch_size(params, 1), error);
  return scratch != NULL &&
         impl->run(params, columns, segments, kept, result, scratch, &place, error);
}

void gst_stx_rdp_clear(GstStxRdp *self)
{
  gst_stx_scratch_clear(&self->scratch);
  self->impl = NULL;
}
