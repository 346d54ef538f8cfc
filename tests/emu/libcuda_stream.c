/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: streams and events. */
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

CUresult fake_current_stream(CUstream handle, FakeContext **context, FakeStream **stream)
{
  CUresult result = fake_current(context);
  return result == CUDA_SUCCESS ? fake_stream(handle, *context, stream) : result;
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
  CUresult result = fake_current_stream(handle, &context, &stream);
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
  CUresult result = fake_current_stream(handle, &context, &stream);
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
    result = fake_current_stream(handle, &context, &stream);
  return fake_end(result == CUDA_SUCCESS ? wait_event(fake_find(FAKE_EVENT, event)) : result);
}
