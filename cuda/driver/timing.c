/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/driver/driver.h"

bool stx_cuda_event_new(StxCuda *cuda, StxCudaEvent *event, StxError *error)
{
  *event = NULL;
  if (!stx_cuda_enter(cuda, error))
    return false;
  CUresult result = cuda->driver.p_cuEventCreate(event, CU_EVENT_DEFAULT);
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "cuEventCreate");
  return true;
}

void stx_cuda_event_free(StxCuda *cuda, StxCudaEvent event)
{
  if (event == NULL)
    return;
  bool entered = stx_cuda_enter(cuda, NULL);
  cuda->driver.p_cuEventDestroy_v2(event);
  if (entered)
    stx_cuda_leave(cuda);
}

bool stx_cuda_event_record(StxCuda *cuda, StxCudaEvent event, StxCudaStream stream, StxError *error)
{
  if (!stx_cuda_enter(cuda, error))
    return false;
  CUresult result = cuda->driver.p_cuEventRecord(event, stream);
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "cuEventRecord");
  return true;
}

bool stx_cuda_event_elapsed(
    StxCuda *cuda, StxCudaEvent begin, StxCudaEvent end, float *milliseconds, StxError *error)
{
  if (!stx_cuda_enter(cuda, error))
    return false;
  const char *call = "cuEventSynchronize";
  CUresult result = cuda->driver.p_cuEventSynchronize(end);
  if (result == CUDA_SUCCESS) {
    call = "cuEventElapsedTime";
    result = cuda->driver.p_cuEventElapsedTime(milliseconds, begin, end);
  }
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "%s", call);
  return true;
}

/* ---- Graphs ------------------------------------------------------------------------------- */

bool stx_cuda_graph_begin(StxCuda *cuda, StxCudaStream stream, StxError *error)
{
  if (!stx_cuda_enter(cuda, error))
    return false;
  /* Relaxed: other threads may allocate meanwhile, and this one may load a module. */
  CUresult result = cuda->driver.p_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "cuStreamBeginCapture");
  return true;
}

bool stx_cuda_graph_end(StxCuda *cuda, StxCudaStream stream, StxCudaGraph *graph, StxError *error)
{
  *graph = NULL;
  if (!stx_cuda_enter(cuda, error))
    return false;
  const char *call = "cuStreamEndCapture";
  CUgraph recorded = NULL;
  CUresult result = cuda->driver.p_cuStreamEndCapture(stream, &recorded);
  if (result == CUDA_SUCCESS) {
    call = "cuGraphInstantiate";
    result = cuda->driver.p_cuGraphInstantiateWithFlags(graph, recorded, 0);
  }
  if (recorded != NULL)
    cuda->driver.p_cuGraphDestroy(recorded);
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "%s", call);
  return true;
}

bool stx_cuda_graph_launch(StxCuda *cuda, StxCudaGraph graph, StxCudaStream stream, StxError *error)
{
  if (!stx_cuda_enter(cuda, error))
    return false;
  CUresult result = cuda->driver.p_cuGraphLaunch(graph, stream);
  stx_cuda_leave(cuda);
  if (result != CUDA_SUCCESS)
    return stx_driver_fail(&cuda->driver, error, result, "cuGraphLaunch");
  return true;
}

void stx_cuda_graph_free(StxCuda *cuda, StxCudaGraph graph)
{
  if (graph == NULL)
    return;
  bool entered = stx_cuda_enter(cuda, NULL);
  cuda->driver.p_cuGraphExecDestroy(graph);
  if (entered)
    stx_cuda_leave(cuda);
}
