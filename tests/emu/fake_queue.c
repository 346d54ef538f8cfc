/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operations on the streams of a context are in one list, in the order of the calls.
 *
 * Waiting for an operation runs it and what it has to wait for: what is older in its own stream,
 * and, between a blocking stream and the default stream, what is older in the other. All else
 * stays where it is, so that a missing synchronisation is seen as data that is not there.
 */
#include "tests/emu/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/emu/emu_launch.h"
#include "tests/emu/fake_ptx.h"

static void append(FakeQueue *queue, FakeOp *op)
{
  op->next = NULL;
  if (queue->first == NULL)
    queue->first = op;
  else
    queue->last->next = op;
  queue->last = op;
}

void fake_op_clear(const FakeOp *op)
{
  free(op->snapshot);
  free(op->args);
}

static void op_free(FakeOp *op)
{
  fake_op_clear(op);
  free(op);
}

static FakeOp *allocate_op(void)
{
  FakeOp *op = malloc(sizeof *op);
  if (op == NULL)
    abort();
  return op;
}

void fake_queue_clear(FakeQueue *queue)
{
  for (FakeOp *op = queue->first, *next; op != NULL; op = next) {
    next = op->next;
    op_free(op);
  }
  *queue = (FakeQueue){NULL, NULL};
}

/* ---- Running ------------------------------------------------------------------------------ */

static uint8_t *copy_source(const FakeOp *op)
{
  const CUDA_MEMCPY2D *c = &op->copy;
  if (op->snapshot != NULL)
    return op->snapshot;
  uint8_t *base = c->srcMemoryType == CU_MEMORYTYPE_DEVICE ? (uint8_t *)(uintptr_t)c->srcDevice
                                                           : (uint8_t *)c->srcHost;
  return base + c->srcY * c->srcPitch + c->srcXInBytes;
}

static uint8_t *copy_target(const FakeOp *op)
{
  const CUDA_MEMCPY2D *c = &op->copy;
  uint8_t *base = c->dstMemoryType == CU_MEMORYTYPE_DEVICE ? (uint8_t *)(uintptr_t)c->dstDevice
                                                           : (uint8_t *)c->dstHost;
  return base + c->dstY * c->dstPitch + c->dstXInBytes;
}

/* Which of the bytes at an address of a device are known; NULL: no record is kept. */
static uint8_t *known_at(const uint8_t *address, size_t size)
{
  const FakeMemory *memory = fake_memory_at(FAKE_DEVICE_MEMORY, address, size);
  return memory != NULL && memory->known != NULL ? memory->known + (address - memory->base) : NULL;
}

/* On request, only written bytes go to the host. GStreamer's buffers go there as a whole, with what
 * lies behind the rows and the records. */
static bool copy_known(const uint8_t *to, const uint8_t *from, size_t size)
{
  uint8_t *known = known_at(to, size);
  const uint8_t *source = known_at(from, size);
  if (known == NULL && source != NULL && getenv("STX_PTX_COPIES") != NULL &&
      memchr(source, 0, size) != NULL) {
    fprintf(stderr, "fake libcuda: a copy to the host has bytes that nobody has written\n");
    return false;
  }
  if (known != NULL && source != NULL)
    memmove(known, source, size);
  else if (known != NULL)
    memset(known, 1, size);
  return true;
}

static bool run_copy(const FakeOp *op)
{
  const CUDA_MEMCPY2D *c = &op->copy;
  size_t pitch = op->snapshot != NULL ? c->WidthInBytes : c->srcPitch;
  for (size_t y = 0; y < c->Height; y++) {
    uint8_t *to = copy_target(op) + y * c->dstPitch;
    const uint8_t *from = copy_source(op) + y * pitch;
    memmove(to, from, c->WidthInBytes);
    if (!copy_known(to, from, c->WidthInBytes))
      return false;
  }
  return true;
}

static void run_fill(const FakeOp *op)
{
  uint8_t *known = known_at(copy_target(op), op->copy.WidthInBytes);
  memset(copy_target(op), op->value, op->copy.WidthInBytes);
  if (known != NULL)
    memset(known, 1, op->copy.WidthInBytes);
}

static void run_record(FakeOp *op)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  op->event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (op->event->pending == op)
    op->event->pending = NULL;
}

/* Contexts do not see each other's memory. Every word of the arguments may be an address. */
static bool reaches_another(const FakeContext *context, const FakeOp *op)
{
  for (size_t i = 0; i + sizeof(void *) <= op->args_size; i += sizeof(void *)) {
    const void *word;
    memcpy(&word, (const char *)op->args + i, sizeof word);
    const FakeMemory *memory = fake_memory_at(FAKE_DEVICE_MEMORY, word, 1);
    if (memory != NULL && memory->object.context != context)
      return true;
  }
  return false;
}

static bool run_launch(const FakeContext *context, const FakeOp *op)
{
  char error[1024] = "";
  if (reaches_another(context, op)) {
    fprintf(stderr, "fake libcuda: %s: memory of another context\n", op->function->name);
    return false;
  }
  bool done = fake_ptx_wanted() ? fake_ptx_launch(op, error, sizeof error)
                                : stx_emu_launch(op->function->name, op->grid, op->block,
                                      op->shared, op->args, error, sizeof error);
  if (done)
    return true;
  fprintf(stderr, "fake libcuda: %s: %s\n", op->function->name, error);
  return false;
}

static void run(FakeContext *context, FakeOp *op)
{
  if (op->kind == FAKE_RECORD) {
    run_record(op);
    return;
  }
  if (context->sticky != CUDA_SUCCESS)
    return;
  if (!fake_op_valid(op)) {
    fprintf(stderr, "fake libcuda: what a stream or graph uses was freed before it ran\n");
    context->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    return;
  }
  fake_memory_open();
  if (op->kind == FAKE_COPY)
    context->sticky = run_copy(op) ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
  else if (op->kind == FAKE_FILL)
    run_fill(op);
  else if (!run_launch(context, op))
    context->sticky = CUDA_ERROR_LAUNCH_FAILED;
  fake_memory_close();
}

static bool is_blocking(const FakeStream *stream)
{
  return stream != NULL && !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* The operations that have to run before an operation: by stream, seen from the newest operation to
 * the oldest. */
typedef struct {
  const FakeStream *stream; /* operations of this stream */
  bool started;             /* an operation that has to run was met */
  bool ordered;             /* with the default stream: all blocking streams from here on */
} Need;

static bool is_needed(Need *need, const FakeOp *op)
{
  bool mine = op->stream == need->stream;
  bool ordered = op->stream == NULL || is_blocking(op->stream);
  if (!mine && !(need->ordered && ordered) &&
      !(need->started && op->stream == NULL && is_blocking(need->stream)))
    return false;
  need->started = true;
  if (op->stream == NULL)
    need->ordered = true;
  return true;
}

/* Runs what `last` (NULL: the newest of the stream) has to wait for, and it. */
static CUresult run_needed(FakeContext *context, const FakeStream *stream, const FakeOp *last)
{
  size_t count = 0;
  for (const FakeOp *op = context->queue.first; op != NULL; op = op->next) {
    count++;
    if (op == last)
      break;
  }
  FakeOp **ops = malloc((count + 1) * sizeof *ops);
  bool *needed = malloc(count + 1);
  if (ops == NULL || needed == NULL)
    abort();
  FakeOp *op = context->queue.first;
  for (size_t i = 0; i < count; i++, op = op->next)
    ops[i] = op;
  /* Waiting for the default stream is waiting for all that is ordered with it. */
  Need need = {.stream = stream, .ordered = stream == NULL};
  for (size_t i = count; i-- > 0;)
    needed[i] = is_needed(&need, ops[i]);

  FakeQueue rest = {NULL, NULL};
  for (size_t i = 0; i < count; i++) {
    if (needed[i]) {
      run(context, ops[i]);
      op_free(ops[i]);
    } else {
      append(&rest, ops[i]);
    }
  }
  for (FakeOp *next; op != NULL; op = next) {
    next = op->next;
    append(&rest, op);
  }
  context->queue = rest;
  free(ops);
  free(needed);
  return context->sticky;
}

CUresult fake_run_stream(FakeContext *context, FakeStream *stream)
{
  return run_needed(context, stream, NULL);
}

CUresult fake_run_op(FakeContext *context, FakeOp *op)
{
  return run_needed(context, op->stream, op);
}

CUresult fake_run_all(FakeContext *context)
{
  FakeQueue queue = context->queue;
  context->queue = (FakeQueue){NULL, NULL};
  for (FakeOp *op = queue.first; op != NULL; op = op->next)
    run(context, op);
  fake_queue_clear(&queue);
  return context->sticky;
}

/* ---- Enqueuing ---------------------------------------------------------------------------- */

/* The default stream is used while a stream that is ordered with it records a graph. */
static bool breaks_capture(const FakeContext *context, const FakeStream *stream)
{
  FakeStream *capturing = stream == NULL ? fake_capturing(context) : NULL;
  if (capturing != NULL)
    capturing->capture_broken = true;
  return capturing != NULL;
}

CUresult fake_enqueue(FakeContext *context, const FakeOp *op)
{
  FakeOp *copy = allocate_op();
  *copy = *op;
  if (breaks_capture(context, op->stream)) {
    op_free(copy);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (op->stream != NULL && op->stream->capture != NULL) {
    append(&op->stream->capture->ops, copy);
    return CUDA_SUCCESS;
  }
  append(&context->queue, copy);
  if (copy->kind == FAKE_RECORD)
    copy->event->pending = copy;
  if (!fake_settings()->lazy)
    fake_run_all(context);
  return CUDA_SUCCESS;
}

static void *duplicate(const void *bytes, size_t size)
{
  if (bytes == NULL)
    return NULL;
  void *copy = malloc(size);
  if (copy == NULL)
    abort();
  return memcpy(copy, bytes, size);
}

static FakeOp *op_copy(const FakeOp *op, FakeOp *copy)
{
  *copy = *op;
  copy->snapshot = NULL; /* what is recorded reads the host's memory when it runs */
  copy->args = duplicate(op->args, op->args_size);
  return copy;
}

FakeQueue fake_queue_copy(const FakeQueue *queue)
{
  FakeQueue copies = {NULL, NULL};
  for (const FakeOp *op = queue->first; op != NULL; op = op->next)
    append(&copies, op_copy(op, allocate_op()));
  return copies;
}

CUresult fake_enqueue_graph(FakeContext *context, FakeStream *stream, const FakeQueue *ops)
{
  CUresult result = CUDA_SUCCESS;
  for (const FakeOp *op = ops->first; op != NULL && result == CUDA_SUCCESS; op = op->next) {
    FakeOp copy;
    op_copy(op, &copy)->stream = stream;
    result = fake_enqueue(context, &copy);
  }
  return result;
}
