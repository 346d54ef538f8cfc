/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by all algorithms of this folder: errors with a text, views of images, the table in which
 * an algorithm lists its implementations, and the rules by which these are called.
 *
 * Rules of the folder
 *   - Nothing here allocates after set-up: the caller passes one scratch block whose size the
 *     implementation states. Scratch must be aligned to STX_ALIGN bytes; its content on entry
 *     does not matter.
 *   - Every implementation of an algorithm gives the same bytes for the same input.
 *   - No global state but the threads of parallel.h: any function may run in any number of threads
 *     on different data.
 */
#ifndef STX_H
#define STX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An inline function that C and CUDA both compile. */
#ifdef __CUDACC__
#define STX_INLINE static inline __host__ __device__
#else
#define STX_INLINE static inline
#endif

/* Before what the shared library `stixels` exports, functions and tables; all else stays inside. */
#ifdef __cplusplus
#define STX_API extern "C" __attribute__((visibility("default")))
#else
#define STX_API extern __attribute__((visibility("default")))
#endif

#define STX_ALIGN 64
#define STX_MAX_CLASSES 32 /* semantic classes at most; a class id fits a bit of a uint32_t */
/* One pixel of disparity in the 16-bit fixed point used everywhere. */
#define STX_DISPARITY_ONE 256
#define STX_DISPARITY_UNKNOWN 0 /* the disparity that says "not measured" */

/* ---- Errors ------------------------------------------------------------------------------- */

/* The kind of fault, for programs; the text is for people. */
typedef enum {
  STX_ERROR_UNSAID,
  STX_ERROR_INPUT,    /* what came in does not fit what it says */
  STX_ERROR_SETTINGS, /* parameters */
  STX_ERROR_MEMORY,   /* there is none left */
  STX_ERROR_OUTPUT,   /* what was given to write to */
  STX_ERROR_FAILED    /* the work itself */
} StxErrorKind;

/* Why a call was refused: names the culprit, its value and the choices. Empty after success. */
typedef struct {
  char text[256];
  StxErrorKind kind;
} StxError;

/* Writes printf-style text into error (may be NULL). Always returns false, so that a check reads
 * `return stx_fail(error, "…")`. */
bool stx_fail(StxError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says of what kind a failure is. Always returns false, too. */
static inline bool stx_fail_as(StxError *error, StxErrorKind kind)
{
  if (error != NULL)
    error->kind = kind;
  return false;
}

/* ---- Images ------------------------------------------------------------------------------- */

/* A view of an image, which it does not own: width × height pixels, rows `stride` BYTES apart
 * (stride may exceed the row; the bytes between are never touched). */
typedef struct {
  uint8_t *data;
  ptrdiff_t stride;
  int width, height;
} StxImage8;

typedef struct {
  uint16_t *data;
  ptrdiff_t stride; /* bytes */
  int width, height;
} StxImage16;

STX_INLINE uint8_t *stx_row8(const StxImage8 *image, int y)
{
  return image->data + y * image->stride;
}

STX_INLINE uint16_t *stx_row16(const StxImage16 *image, int y)
{
  return (uint16_t *)((uint8_t *)image->data + y * image->stride);
}

/* ---- Implementations ---------------------------------------------------------------------- */

/* Choices of a user. AUTO takes the first implementation that the machine can run. */
typedef enum { STX_BACKEND_AUTO, STX_BACKEND_CUDA, STX_BACKEND_OMP } StxBackend;

typedef enum { STX_MEMORY_HOST, STX_MEMORY_CUDA } StxMemory;

/* First member of every implementation record. `needs` is a set of STX_CPU_* flags (cpu.h). */
typedef struct {
  const char *name; /* "avx512", "avx2", "omp", "cuda", …: unique within its table */
  StxBackend backend;
  StxMemory memory;
  unsigned needs;
} StxImplInfo;

/* A table of implementations, best first: `count` records of `size` bytes, each beginning with
 * an StxImplInfo. */
typedef struct {
  const void *records;
  size_t count, size;
} StxImplTable;

static inline const StxImplInfo *stx_impl_at(const StxImplTable *table, size_t i)
{
  return (const StxImplInfo *)((const char *)table->records + i * table->size);
}

/* True if this machine has what the implementation needs. */
bool stx_impl_usable(const StxImplInfo *impl);

/* The first usable host implementation of `backend` (AUTO: of any host backend), or NULL. */
STX_API const void *stx_impl_pick(const StxImplTable *table, StxBackend backend);

/* The implementation of that name whether usable or not, or NULL. */
STX_API const void *stx_impl_named(const StxImplTable *table, const char *name);

/* ---- Places ------------------------------------------------------------------------------- */

/* The place where a stage works: with `threads` workers of this machine or, for an implementation
 * whose memory is a device's, in order on a stream of that device. */
typedef struct {
  int threads;  /* workers at most, >= 1; a device does not look at them */
  void *device; /* what the device's layer opened (StxCuda); NULL: host */
  void *stream; /* of that device (StxCudaStream) */
} StxPlace;

/*
 * The rules for every implementation of a stage, for its `run` (overlay: upload, link, draw), here
 * and in cuda/:
 *
 *   - The parameters have passed the stage's check. The scratch has as many bytes as the same
 *     record's scratch_size says for as many threads as the place has, or more of them; a device
 *     does not look at that number.
 *   - All pointers lead to memory of the implementation's kind, info.memory: inputs, outputs,
 *     tables, scratch, also those inside images, frames and the like. Parameters, place and error,
 *     the structs that hold such pointers, and a StxOverlay are always in host memory; the caller
 *     may free them when the call returns.
 *   - Returns true, or false with the reason in `error`, which may be NULL.
 *   - On the host nothing fails, and the results are there on return. On a device the call only
 *     enqueues: the results are there after the stream was synchronised.
 *   - `result` is never NULL. It is written, not added to.
 *   - How many threads come depends on the system and on what else it does (parallel.h); no byte
 *     depends on that.
 */

/* ---- Threads and scratch ------------------------------------------------------------------ */

/* The number of worker threads to use when the user asked for `requested` (0: all cores this
 * process may run on). Never less than 1. A caller that takes such a number from a user asks once,
 * and passes the answer on to scratch_size and to the place: the cores that a process may use can
 * change in between. */
STX_API int stx_threads(int requested);

/* size rounded up to a multiple of STX_ALIGN: for laying several arrays into one scratch block. */
STX_INLINE size_t stx_align(size_t size)
{
  return (size + STX_ALIGN - 1) / STX_ALIGN * STX_ALIGN;
}

/* Several arrays in one block, each aligned to STX_ALIGN. Without `memory` sizes are only added up:
 * the function that takes the arrays also says how much they need. */
typedef struct {
  char *memory; /* NULL: only to measure */
  size_t size;  /* bytes taken so far */
} StxLayout;

/* Room for `size` bytes, or NULL while measuring. */
STX_INLINE void *stx_take(StxLayout *layout, size_t size)
{
  char *place = layout->memory != NULL ? layout->memory + layout->size : NULL;
  layout->size += stx_align(size);
  return place;
}

/* The same for `count` elements of the type that `pointer` points to, which is set to it. */
#define STX_TAKE(layout, pointer, count)                                                           \
  ((pointer) = stx_take((layout), (size_t)(count) * sizeof *(pointer)))

#endif
