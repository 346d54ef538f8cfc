/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: streams, events and graphs. */
#include "tests/emu/fake.h"

#undef cuStreamDestroy
#undef cuEventElapsedTime
CUresult CUDAAPI cuStreamDestroy(CUstream stream);
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end);

/* ---- Streams ------------------------------------------------------------------------------ */

CUresult fake_stream(CUstream handle, FakeContext *context, FakeStream **stream)
{
  *stream = NULL;
  if (handle == NULL || handle == CU_STREAM_LEGACY)
    return CUDA_SUCCESS;
  *stream = fake_find(FAKE_STREAM, handle);
  if (*stream == NULL || (*stream)->object.context != context)
    return CUDA_ERROR_INVALID_HANDLE;
  return (*stream)->capture_broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* The current context and a stream of it. */
static CUresult find_stream(CUstream handle, FakeContext **context, FakeStream **stream)
{
  CUresult result = fake_current(context);
  return result == CUDA_SUCCESS ? fake_stream(handle, *context, stream) : result;
}

static void graph_destroy(FakeObject *object)
{
  fake_queue_clear(&((FakeGraph *)object)->ops);
}

static void stream_destroy(FakeObject *object)
{
  FakeStream *stream = (FakeStream *)object;
  if (stream->capture != NULL)
    fake_delete(stream->capture);
}

static CUresult create_stream(CUstream *handle, unsigned flags)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  FakeStream *stream = fake_new(FAKE_STREAM, context, sizeof *stream);
  if (stream == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream->flags = flags;
  stream->object.destroy = stream_destroy;
  *handle = (CUstream)stream;
  return CUDA_SUCCESS;
}

FAKE_API cuStreamCreate(CUstream *stream, unsigned flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(result == CUDA_SUCCESS ? create_stream(stream, flags) : result);
}

/* The driver finishes the stream's work first. */
FAKE_API cuStreamDestroy_v2(CUstream handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeStream *stream = fake_find(FAKE_STREAM, handle);
  if (stream == NULL)
    return fake_end(CUDA_ERROR_INVALID_HANDLE);
  CUresult earlier = fake_run_stream(stream->object.context, stream);
  fake_delete(stream);
  return fake_end(result != CUDA_SUCCESS ? result : earlier);
}

FAKE_API cuStreamDestroy(CUstream stream)
{
  return cuStreamDestroy_v2(stream);
}

static CUresult synchronize(CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = find_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream != NULL && stream->capture != NULL) {
    stream->capture_broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return fake_run_stream(context, stream);
}

FAKE_API cuStreamSynchronize(CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? synchronize(stream) : result);
}

/* ---- Events ------------------------------------------------------------------------------- */

static CUresult create_event(CUevent *handle)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  *handle = fake_new(FAKE_EVENT, context, sizeof(FakeEvent));
  return *handle != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FAKE_API cuEventCreate(CUevent *event, unsigned flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  return fake_end(result == CUDA_SUCCESS ? create_event(event) : result);
}

static CUresult wait_event(FakeEvent *event)
{
  if (event == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  FakeContext *context = event->object.context;
  return event->pending != NULL ? fake_run_op(context, event->pending) : context->sticky;
}

FAKE_API cuEventDestroy_v2(CUevent handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeEvent *event = fake_find(FAKE_EVENT, handle);
  CUresult earlier = wait_event(event);
  if (event != NULL)
    fake_delete(event);
  return fake_end(result != CUDA_SUCCESS ? result : earlier);
}

static CUresult record(FakeEvent *event, CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = find_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (event == NULL || event->object.context != context)
    return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  return fake_enqueue(context, &(FakeOp){.kind = FAKE_RECORD, .stream = stream, .event = event});
}

FAKE_API cuEventRecord(CUevent event, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? record(fake_find(FAKE_EVENT, event), stream) : result);
}

FAKE_API cuEventSynchronize(CUevent event)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? wait_event(fake_find(FAKE_EVENT, event)) : result);
}

FAKE_API cuEventQuery(CUevent handle)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeEvent *event = fake_find(FAKE_EVENT, handle);
  if (result == CUDA_SUCCESS && event == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS && event->pending != NULL)
    result = CUDA_ERROR_NOT_READY;
  return fake_end(result);
}

static CUresult elapsed(float *milliseconds, const FakeEvent *begin, const FakeEvent *end)
{
  if (begin == NULL || end == NULL || !begin->recorded || !end->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (begin->pending != NULL || end->pending != NULL)
    return CUDA_ERROR_NOT_READY;
  *milliseconds = (float)(1e3 * (end->seconds - begin->seconds));
  return begin->object.context->sticky;
}

FAKE_API cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  if (result == CUDA_SUCCESS)
    result = elapsed(milliseconds, fake_find(FAKE_EVENT, begin), fake_find(FAKE_EVENT, end));
  return fake_end(result);
}

/* Stricter than the driver, which would go on: the event's work is done during the call. */
FAKE_API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context;
  FakeStream *stream;
  if (result == CUDA_SUCCESS)
    result = find_stream(handle, &context, &stream);
  return fake_end(result == CUDA_SUCCESS ? wait_event(fake_find(FAKE_EVENT, event)) : result);
}

/* ---- Graphs ------------------------------------------------------------------------------- */

static CUresult begin_capture(CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = find_stream(handle, &context, &stream);
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
  CUresult result = find_stream(handle, &context, &stream);
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
