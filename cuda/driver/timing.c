/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/driver.h"

bool stx_cuda_event_new(StxCuda *cuda, StxCudaEvent *event, StxError *error)
{
  *event = NULL;
  return STX_CUDA_CALL(cuda, error, cuEventCreate(event, CU_EVENT_DEFAULT), "cuEventCreate");
}

void stx_cuda_event_free(StxCuda *cuda, StxCudaEvent event)
{
  if (event != NULL)
    STX_CUDA_RELEASE(cuda, cuEventDestroy_v2(event));
}

bool stx_cuda_event_record(StxCuda *cuda, StxCudaEvent event, StxCudaStream stream, StxError *error)
{
  return STX_CUDA_CALL(cuda, error, cuEventRecord(event, stream), "cuEventRecord");
}

bool stx_cuda_event_elapsed(
    StxCuda *cuda, StxCudaEvent begin, StxCudaEvent end, float *milliseconds, StxError *error)
{
  return STX_CUDA_CALL(cuda, error, cuEventSynchronize(end), "cuEventSynchronize") &&
         STX_CUDA_CALL(
             cuda, error, cuEventElapsedTime(milliseconds, begin, end), "cuEventElapsedTime");
}

/* ---- Graphs ------------------------------------------------------------------------------- */

bool stx_cuda_graph_begin(StxCuda *cuda, StxCudaStream stream, StxError *error)
{
  /* Relaxed: other threads may allocate meanwhile, and this one may load a module. */
  return STX_CUDA_CALL(cuda, error, cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
      "cuStreamBeginCapture");
}

bool stx_cuda_graph_end(StxCuda *cuda, StxCudaStream stream, StxCudaGraph *graph, StxError *error)
{
  CUgraph recorded = NULL;
  *graph = NULL;
  bool ok =
      STX_CUDA_CALL(cuda, error, cuStreamEndCapture(stream, &recorded), "cuStreamEndCapture") &&
      STX_CUDA_CALL(
          cuda, error, cuGraphInstantiateWithFlags(graph, recorded, 0), "cuGraphInstantiate");
  if (recorded != NULL)
    STX_CUDA_RELEASE(cuda, cuGraphDestroy(recorded));
  return ok;
}

bool stx_cuda_graph_launch(StxCuda *cuda, StxCudaGraph graph, StxCudaStream stream, StxError *error)
{
  return STX_CUDA_CALL(cuda, error, cuGraphLaunch(graph, stream), "cuGraphLaunch");
}

void stx_cuda_graph_free(StxCuda *cuda, StxCudaGraph graph)
{
  if (graph != NULL)
    STX_CUDA_RELEASE(cuda, cuGraphExecDestroy(graph));
}
