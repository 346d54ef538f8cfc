/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A libcuda.so.1 without a GPU, for tests: what its files share.
 *
 *   fake.c        settings, counting and injected faults, live objects, the report at exit
 *   fake_queue.c  what is enqueued on streams, and when it runs
 *   libcuda*.c    the functions of the driver
 *
 * Device memory is heap memory, so a kernel is ordinary code (emu_launch.h) and the sanitizers see
 * every access. One lock guards everything; no two kernels run at the same time.
 *
 * Settings, from the environment:
 *   STX_FAKE_CUDA_DEVICES=n      number of GPUs, default 1
 *   STX_FAKE_CUDA_MEMORY=bytes   of each GPU, default 4 GiB. What is larger than 1 GiB is sparse
 *   STX_FAKE_CUDA_CAPABILITY=x.y default 7.5, which has the least shared memory. Below 7.5 no
 *                                module can be loaded
 *   STX_FAKE_CUDA_DRIVER=n       the newest CUDA that the driver knows, as cuDriverGetVersion says
 *                                it; default: that of cuda.h. With less, no module can be loaded
 *   STX_FAKE_CUDA_SILENT=1       the driver knows neither clocks, caches nor buses
 *   STX_FAKE_CUDA_LAZY=1         work starts only when it is waited for: finds reads of
 *                                results that are not ready
 *   STX_FAKE_CUDA_LATE=1         uploads read the host's memory when they run, as from page-locked
 *                                memory, or on a coherent system: finds memory that is changed or
 *                                freed too early, with _LAZY
 *   STX_FAKE_CUDA_FAIL=n         the n-th call fails, from 1 on. A release fails after releasing
 *   STX_FAKE_CUDA_LOST=n         as if the GPU were gone from the n-th call on
 *   STX_FAKE_CUDA_COUNT=file     at exit, the names of all calls, one per line
 *   STX_FAKE_CUDA_LEAKS=1        at exit, what was not released is named, and the status is 1
 */
#pragma once

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/ptx/ptx.h"

#define FAKE_API CUresult CUDAAPI __attribute__((visibility("default")))

#define FAKE_MAX_DEVICES 16

/* ---- Calls -------------------------------------------------------------------------------- */

/* Every function of the driver is
 *   CUresult result = fake_begin(__func__, <what an injected fault gives>);
 *   if (result == CUDA_SUCCESS) result = …
 *   return fake_end(result);
 * The lock is held in between. Functions that release do so whatever fake_begin said. */
CUresult fake_begin(const char *function, CUresult injected);
CUresult fake_end(CUresult result);

typedef struct {
  int devices;
  int major, minor;
  int driver;
  size_t memory;
  bool lazy, late, silent;
  bool faults; /* some are injected */
} FakeSettings;

const FakeSettings *fake_settings(void);

/* For tests, which find it by name: while true, the calling thread's calls are not counted, and
 * none of them is made to fail. */
__attribute__((visibility("default"))) void stx_fake_cuda_spare(bool spare);

/* For tests, in the same way: from now on only the last block of each launch runs; on a device with
 * PTX. */
__attribute__((visibility("default"))) void stx_fake_cuda_last_block(bool last);

/* ---- Objects ------------------------------------------------------------------------------ */

typedef enum {
  FAKE_CONTEXT,
  FAKE_DEVICE_MEMORY,
  FAKE_HOST_MEMORY,
  FAKE_STREAM,
  FAKE_EVENT,
  FAKE_MODULE,
  FAKE_FUNCTION,
  FAKE_GRAPH,
  FAKE_EXECUTABLE, /* an instantiated graph */
  FAKE_KINDS
} FakeKind;

typedef struct FakeContext FakeContext;

/* First member of everything that has a handle. Handles are looked up among the live objects, so
 * that a stale or foreign one is noticed. */
typedef struct FakeObject {
  FakeKind kind;
  FakeContext *context; /* owner; NULL: none */
  struct FakeObject *next;
  void (*destroy)(struct FakeObject *object); /* frees what the object holds, not itself */
} FakeObject;

typedef struct FakeOp FakeOp;

typedef struct {
  FakeOp *first, *last;
} FakeQueue;

struct FakeContext {
  FakeObject object;
  int device;
  CUresult sticky; /* after a kernel failed */
  FakeQueue queue; /* of all its streams, oldest first */
};

typedef struct {
  FakeObject object;
  uint8_t *base;
  size_t size;
  uint8_t *known; /* of a device with PTX: a byte for each, 0 until it is written */
  bool sparse;    /* pages that nobody touches take no memory, and it begins with zeros */
} FakeMemory;

typedef struct FakeGraph {
  FakeObject object; /* FAKE_GRAPH or FAKE_EXECUTABLE */
  FakeQueue ops;
} FakeGraph;

typedef struct {
  FakeObject object;
  unsigned flags;
  FakeGraph *capture; /* being recorded; not yet a live object */
  bool capture_broken;
} FakeStream;

typedef struct {
  FakeObject object;
  FakeOp *pending; /* its last record, not yet run */
  bool recorded;
  double seconds;
} FakeEvent;

typedef struct {
  FakeObject object;
  char *name; /* the emulator's; owned */
  size_t args_size;
  size_t shared_limit;
} FakeFunction;

/* A new live object of `size` bytes, zero but for its head. NULL: out of memory. */
void *fake_new(FakeKind kind, FakeContext *context, size_t size);
/* The live object behind a handle, or NULL. */
void *fake_find(FakeKind kind, const void *handle);
/* A stream of the context that records a graph and is ordered with the default stream, or NULL. */
FakeStream *fake_capturing(const FakeContext *context);
/* Destroys a live object. */
void fake_delete(void *object);
/* Destroys all that belongs to the context, then the context. Says so if that is a leak. */
void fake_delete_context(FakeContext *context);

/* The block of that kind that contains all of the range (also at its end when size is 0). */
FakeMemory *fake_memory_at(FakeKind kind, const void *address, size_t size);
/* Bytes of a device that are taken. */
size_t fake_memory_used(int device);
/* The blocks of device memory, `most` of them at most; returns how many there are. */
size_t fake_device_memories(StxPtxMemory *memory, size_t most);
/* With the address sanitizer: device memory can be touched only in between. */
void fake_memory_open(void);
void fake_memory_close(void);

/* The context that is current in this thread. */
CUresult fake_current(FakeContext **context);
CUresult fake_push(FakeContext *context);
FakeContext *fake_pop(void);

/* ---- Queues ------------------------------------------------------------------------------- */

typedef enum { FAKE_COPY, FAKE_FILL, FAKE_LAUNCH, FAKE_RECORD } FakeOpKind; /* in this order */

struct FakeOp {
  FakeOpKind kind;
  FakeOp *next;
  FakeStream *stream; /* NULL: the default stream */
  CUDA_MEMCPY2D copy; /* COPY, and FILL: its destination */
  uint8_t *snapshot;  /* COPY: the host's bytes at the time of the call, owned */
  uint8_t value;      /* FILL */
  FakeFunction *function;
  unsigned grid[3], block[3];
  size_t shared;
  void *args; /* LAUNCH: `args_size` bytes, owned */
  size_t args_size;
  FakeEvent *event;
};

/* Appends a copy of the operation to its stream, or to the graph that the stream records. Takes
 * over what the operation owns, also on failure. */
CUresult fake_enqueue(FakeContext *context, const FakeOp *op);
/* False when the operation reaches outside of what is allocated now. */
bool fake_op_valid(const FakeOp *op);
/* Runs everything that is enqueued on the stream, and what that has to wait for. */
CUresult fake_run_stream(FakeContext *context, FakeStream *stream);
/* Runs everything up to and with this operation that it has to wait for. */
CUresult fake_run_op(FakeContext *context, FakeOp *op);
CUresult fake_run_all(FakeContext *context);
void fake_queue_clear(FakeQueue *queue);
/* Frees what an operation owns. */
void fake_op_clear(const FakeOp *op);
FakeQueue fake_queue_copy(const FakeQueue *queue);
/* Appends copies of the operations of a graph to a stream. */
CUresult fake_enqueue_graph(FakeContext *context, FakeStream *stream, const FakeQueue *ops);

/* The current context and a stream of it. */
CUresult fake_current_stream(CUstream handle, FakeContext **context, FakeStream **stream);
/* The stream behind a handle, which may be one of the driver's names for the default stream. */
CUresult fake_stream(CUstream handle, FakeContext *context, FakeStream **stream);
