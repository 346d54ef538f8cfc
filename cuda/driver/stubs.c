/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stxcuda.h in a build without CUDA: stx_cuda_open says so, and without an StxCuda the other
 * functions only have to exist. */
#include "cuda/stxcuda.h"

static bool no_cuda(StxError *error)
{
  return stx_fail(error, "this build has no CUDA");
}

/* A function that fails; one that fails and makes nothing; one that has nothing to do. */
#define FAILS(name, ...)                                                                           \
  bool name(__VA_ARGS__, StxError *error)                                                          \
  {                                                                                                \
    return no_cuda(error);                                                                         \
  }
#define MAKES(name, type, ...)                                                                     \
  bool name(__VA_ARGS__, type *made, StxError *error)                                              \
  {                                                                                                \
    *made = NULL;                                                                                  \
    return no_cuda(error);                                                                         \
  }
#define OPENS(name, ...)                                                                           \
  StxCuda *name(__VA_ARGS__, StxError *error)                                                      \
  {                                                                                                \
    no_cuda(error);                                                                                \
    return NULL;                                                                                   \
  }
#define FREES(name, ...)                                                                           \
  void name(__VA_ARGS__)                                                                           \
  {                                                                                                \
  }

int stx_cuda_count(StxError *error)
{
  no_cuda(error);
  return 0;
}

const StxCudaInfo *stx_cuda_info(const StxCuda *cuda)
{
  static const StxCudaInfo none = {.name = "none"};
  return &none;
}

OPENS(stx_cuda_open, int device)
OPENS(stx_cuda_wrap, void *cu_context)
FREES(stx_cuda_close, StxCuda *cuda)
MAKES(stx_cuda_stream_new, StxCudaStream, StxCuda *cuda)
FREES(stx_cuda_stream_free, StxCuda *cuda, StxCudaStream stream)
FAILS(stx_cuda_synchronize, StxCuda *cuda, StxCudaStream stream)

MAKES(stx_cuda_alloc, void *, StxCuda *cuda, size_t size)
FREES(stx_cuda_free, StxCuda *cuda, void *device)
MAKES(stx_cuda_alloc_host, void *, StxCuda *cuda, size_t size)
FREES(stx_cuda_free_host, StxCuda *cuda, void *host)
FAILS(stx_cuda_upload, StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream)
FAILS(stx_cuda_download, StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream)
FAILS(stx_cuda_upload_bytes, StxCuda *cuda, void *device, const void *host, size_t size,
    StxCudaStream stream)
FAILS(stx_cuda_download_bytes, StxCuda *cuda, void *host, const void *device, size_t size,
    StxCudaStream stream)
FAILS(stx_cuda_copy_bytes, StxCuda *cuda, void *to, const void *from, size_t size,
    StxCudaStream stream)
FAILS(
    stx_cuda_fill_bytes, StxCuda *cuda, void *device, int value, size_t size, StxCudaStream stream)
FAILS(stx_cuda_ring_upload, StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream)
FAILS(stx_cuda_ring_download, StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream)
FREES(stx_cuda_ring_free, StxCuda *cuda, StxCudaRing *ring)

MAKES(stx_cuda_event_new, StxCudaEvent, StxCuda *cuda)
FREES(stx_cuda_event_free, StxCuda *cuda, StxCudaEvent event)
FAILS(stx_cuda_event_record, StxCuda *cuda, StxCudaEvent event, StxCudaStream stream)
FAILS(stx_cuda_event_elapsed, StxCuda *cuda, StxCudaEvent begin, StxCudaEvent end,
    float *milliseconds)
FAILS(stx_cuda_graph_begin, StxCuda *cuda, StxCudaStream stream)
MAKES(stx_cuda_graph_end, StxCudaGraph, StxCuda *cuda, StxCudaStream stream)
FAILS(stx_cuda_graph_launch, StxCuda *cuda, StxCudaGraph graph, StxCudaStream stream)
FREES(stx_cuda_graph_free, StxCuda *cuda, StxCudaGraph graph)
FAILS(stx_cuda_probe_copy, StxCuda *cuda, void *to, const void *from, size_t size,
    StxCudaStream stream)

const StxImplTable stx_sgm_cuda_impls = {.size = sizeof(StxSgmImpl)};
const StxImplTable stx_colmean_cuda_impls = {.size = sizeof(StxColmeanImpl)};
const StxImplTable stx_fulldp_cuda_impls = {.size = sizeof(StxSatdpImpl)};
const StxImplTable stx_ground_cuda_impls = {.size = sizeof(StxGroundImpl)};
const StxImplTable stx_luma_cuda_impls = {.size = sizeof(StxLumaImpl)};
const StxImplTable stx_rdp_cuda_impls = {.size = sizeof(StxRdpImpl)};
const StxImplTable stx_rectify_cuda_impls = {.size = sizeof(StxRectifyImpl)};
const StxImplTable stx_satdp_cuda_impls = {.size = sizeof(StxSatdpImpl)};
const StxImplTable stx_egomotion_cuda_impls = {0};
const StxImplTable stx_canvas_cuda_impls = {.size = sizeof(StxCanvasImpl)};
const StxImplTable stx_overlay_cuda_impls = {.size = sizeof(StxOverlayImpl)};
const StxImplTable stx_colormap_cuda_impls = {.size = sizeof(StxColormapImpl)};
