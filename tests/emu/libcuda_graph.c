/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: graphs, recorded from a stream. A graph is a chain of operations. */
#include "tests/emu/fake.h"

static void graph_destroy(FakeObject *object)
{
  fake_queue_clear(&((FakeGraph *)object)->ops);
}

/* ---- Recording ---------------------------------------------------------------------------- */

static CUresult begin_capture(CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = fake_current_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream == NULL)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != NULL)
    return CUDA_ERROR_ILLEGAL_STATE;
  stream->capture = fake_new(FAKE_GRAPH, NULL, sizeof *stream->capture);
  if (stream->capture == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream->capture->object.destroy = graph_destroy;
  return CUDA_SUCCESS;
}

FAKE_API cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? begin_capture(stream) : result);
}

static CUresult end_capture(CUstream handle, CUgraph *graph)
{
  FakeStream *stream = fake_find(FAKE_STREAM, handle);
  *graph = NULL;
  if (stream == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture == NULL)
    return CUDA_ERROR_ILLEGAL_STATE;
  bool broken = stream->capture_broken;
  if (broken)
    fake_delete(stream->capture);
  else
    *graph = (CUgraph)stream->capture;
  stream->capture = NULL;
  stream->capture_broken = false;
  return broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

FAKE_API cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? end_capture(stream, graph) : result);
}

/* ---- Executables --------------------------------------------------------------------------- */

static CUresult instantiate(CUgraphExec *handle, FakeGraph *graph)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  FakeGraph *executable = fake_new(FAKE_EXECUTABLE, context, sizeof *executable);
  if (executable == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  executable->object.destroy = graph_destroy;
  executable->ops = fake_queue_copy(&graph->ops);
  *handle = (CUgraphExec)executable;
  return CUDA_SUCCESS;
}

FAKE_API cuGraphInstantiateWithFlags(
    CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  if (result == CUDA_SUCCESS)
    result = instantiate(executable, fake_find(FAKE_GRAPH, graph));
  return fake_end(result);
}

static CUresult launch_graph(const FakeGraph *executable, CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = fake_current_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (executable == NULL || executable->object.context != context)
    return CUDA_ERROR_INVALID_HANDLE;
  return fake_enqueue_graph(context, stream, &executable->ops);
}

FAKE_API cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_LAUNCH_FAILED);
  if (result == CUDA_SUCCESS)
    result = launch_graph(fake_find(FAKE_EXECUTABLE, executable), stream);
  return fake_end(result);
}

static CUresult destroy(void *object, CUresult result)
{
  if (object == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  fake_delete(object);
  return result;
}

FAKE_API cuGraphDestroy(CUgraph graph)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(destroy(fake_find(FAKE_GRAPH, graph), result));
}

FAKE_API cuGraphExecDestroy(CUgraphExec executable)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(destroy(fake_find(FAKE_EXECUTABLE, executable), result));
}
