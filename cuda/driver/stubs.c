/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stxcuda.h in a build without CUDA: stx_cuda_open says so, and as nobody gets an StxCuda the
 * other functions only have to exist. */
#include "cuda/stxcuda.h"

static bool no_cuda(StxError *error)
{
  return stx_fail(error, "this build has no CUDA");
}

int stx_cuda_count(StxError *error)
{
  no_cuda(error);
  return 0;
}

StxCuda *stx_cuda_open(int device, StxError *error)
{
  no_cuda(error);
  return NULL;
}

StxCuda *stx_cuda_wrap(void *cu_context, StxError *error)
{
  no_cuda(error);
  return NULL;
}

void stx_cuda_close(StxCuda *cuda)
{
}

const StxCudaInfo *stx_cuda_info(const StxCuda *cuda)
{
  static const StxCudaInfo none = {.name = "none"};
  return &none;
}

bool stx_cuda_stream_new(StxCuda *cuda, StxCudaStream *stream, StxError *error)
{
  *stream = NULL;
  return no_cuda(error);
}

void stx_cuda_stream_free(StxCuda *cuda, StxCudaStream stream)
{
}

bool stx_cuda_synchronize(StxCuda *cuda, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_alloc(StxCuda *cuda, size_t size, void **device, StxError *error)
{
  *device = NULL;
  return no_cuda(error);
}

void stx_cuda_free(StxCuda *cuda, void *device)
{
}

bool stx_cuda_alloc_host(StxCuda *cuda, size_t size, void **host, StxError *error)
{
  *host = NULL;
  return no_cuda(error);
}

void stx_cuda_free_host(StxCuda *cuda, void *host)
{
}

bool stx_cuda_upload(StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_download(
    StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_upload_bytes(StxCuda *cuda, void *device, const void *host, size_t size,
    StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_download_bytes(StxCuda *cuda, void *host, const void *device, size_t size,
    StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_ring_upload(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

void stx_cuda_ring_free(StxCuda *cuda, StxCudaRing *ring)
{
}

bool stx_cuda_copy_bytes(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_fill_bytes(
    StxCuda *cuda, void *device, int value, size_t size, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_event_new(StxCuda *cuda, StxCudaEvent *event, StxError *error)
{
  *event = NULL;
  return no_cuda(error);
}

void stx_cuda_event_free(StxCuda *cuda, StxCudaEvent event)
{
}

bool stx_cuda_event_record(StxCuda *cuda, StxCudaEvent event, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_event_elapsed(
    StxCuda *cuda, StxCudaEvent begin, StxCudaEvent end, float *milliseconds, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_graph_begin(StxCuda *cuda, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

bool stx_cuda_graph_end(StxCuda *cuda, StxCudaStream stream, StxCudaGraph *graph, StxError *error)
{
  *graph = NULL;
  return no_cuda(error);
}

bool stx_cuda_graph_launch(StxCuda *cuda, StxCudaGraph graph, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

void stx_cuda_graph_free(StxCuda *cuda, StxCudaGraph graph)
{
}

bool stx_cuda_probe_copy(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error)
{
  return no_cuda(error);
}

const StxImplTable stx_sgm_cuda_impls = {.size = sizeof(StxSgmImpl)};
const StxImplTable stx_colmean_cuda_impls = {.size = sizeof(StxColmeanImpl)};
const StxImplTable stx_fulldp_cuda_impls = {.size = sizeof(StxSatdpImpl)};
const StxImplTable stx_ground_cuda_impls = {.size = sizeof(StxGroundImpl)};
const StxImplTable stx_luma_cuda_impls = {.size = sizeof(StxLumaImpl)};
const StxImplTable stx_rdp_cuda_impls = {.size = sizeof(StxRdpImpl)};
const StxImplTable stx_rectify_cuda_impls = {.size = sizeof(StxRectifyImpl)};
const StxImplTable stx_satdp_cuda_impls = {.size = sizeof(StxSatdpImpl)};
const StxImplTable stx_sheet_cuda_impls = {.size = sizeof(StxSheetImpl)};
const StxImplTable stx_overlay_cuda_impls = {.size = sizeof(StxOverlayImpl)};
const StxImplTable stx_tint_cuda_impls = {.size = sizeof(StxTintImpl)};
