/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The algorithms of common/ on an NVIDIA GPU: device, streams, memory, and the CUDA entries of
 * every algorithm's list of implementations.
 *
 * The driver API is opened at run time (libcuda.so.1); nothing links to CUDA. A build without
 * nvcc has the same functions, and stx_cuda_open then says that this build has no CUDA.
 *
 * Rules
 *   - No global state. Everything hangs on an StxCuda, which belongs to one CUDA context; several
 *     contexts and devices work side by side.
 *   - An StxCuda may be used from several threads at once. Every function makes its context
 *     current for as long as it runs and restores the caller's.
 *   - Whatever can fail returns false and fills an StxError with the call, what it was for, and
 *     the driver's name of the error; nothing aborts. What it should have made is NULL then, and
 *     freeing NULL does nothing. After a failed launch the outputs are undefined; after a lost
 *     device everything fails, and closing still frees what it can.
 *   - "Device" pointers are device addresses in ordinary pointer types: never read on the host.
 *     Alignment: as stx_cuda_alloc gives it, 256 bytes, for scratch, tables and columns.
 *   - A stage enqueues work on the stream and returns; it never synchronises, allocates or copies
 *     to the host. Where StxPlace is (common/stx.h) stand the rules for all stages.
 *   - The bytes are those of the reference in common/, on every input.
 */
#pragma once

#include "common/colmean/colmean.h"
#include "common/egomotion/egomotion.h"
#include "common/ground/ground.h"
#include "common/luma/luma.h"
#include "common/overlay/overlay.h"
#include "common/rdp/rdp.h"
#include "common/rectify/rectify.h"
#include "common/satdp/satdp.h"
#include "common/sgm/sgm.h"
#include "common/canvas/canvas.h"
#include "common/colormap/colormap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Device ------------------------------------------------------------------------------- */

typedef struct StxCuda StxCuda;              /* a context with the kernels loaded into it */
typedef struct CUstream_st *StxCudaStream;   /* the driver's CUstream; NULL: the default stream */
typedef struct CUevent_st *StxCudaEvent;     /* the driver's CUevent */
typedef struct CUgraphExec_st *StxCudaGraph; /* the driver's CUgraphExec */

typedef struct {
  char name[128];
  int major, minor;    /* compute capability */
  int processors;      /* streaming multiprocessors */
  size_t memory;       /* bytes of the device */
  size_t shared_optin; /* bytes of shared memory that one block may ask for */
  /* Numbers for reports alone; 0: the driver does not say. */
  size_t l2_cache; /* bytes of the level-2 cache */
  int clock_khz, memory_clock_khz, memory_bus_bits;
  int driver; /* the newest CUDA that the driver knows: 1000 · major + 10 · minor */
} StxCudaInfo;

/* Number of devices, 0 with a reason in `error` when there is no driver, no device or no CUDA in
 * this build. */
int stx_cuda_count(StxError *error);

/* A context of its own on device 0 … count − 1. NULL with the reason in `error`. */
StxCuda *stx_cuda_open(int device, StxError *error);

/* The kernels in the caller's CUcontext, which must outlive the result. */
StxCuda *stx_cuda_wrap(void *cu_context, StxError *error);

/* Unloads the kernels, and destroys the context if it is its own. Waits for nothing: synchronise
 * first. NULL is fine. */
void stx_cuda_close(StxCuda *cuda);

const StxCudaInfo *stx_cuda_info(const StxCuda *cuda);

/* ---- Streams ------------------------------------------------------------------------------ */

/* Streams are ordered with the default stream (not CU_STREAM_NON_BLOCKING). */
bool stx_cuda_stream_new(StxCuda *cuda, StxCudaStream *stream, StxError *error);
void stx_cuda_stream_free(StxCuda *cuda, StxCudaStream stream);
bool stx_cuda_synchronize(StxCuda *cuda, StxCudaStream stream, StxError *error);

/* ---- Memory ------------------------------------------------------------------------------- */

/* Device memory; size 0 counts as 1. The text of a failure names the size. */
bool stx_cuda_alloc(StxCuda *cuda, size_t size, void **device, StxError *error);
void stx_cuda_free(StxCuda *cuda, void *device);

/* Page-locked host memory, for copies that do not wait. */
bool stx_cuda_alloc_host(StxCuda *cuda, size_t size, void **host, StxError *error);
void stx_cuda_free_host(StxCuda *cuda, void *host);

/* A copy of `rows` rows of `row_bytes` bytes. Strides in bytes, positive on the device; a host's
 * may be negative. The host's memory may be changed, and what was downloaded be read, after
 * synchronising the stream. (Of pageable memory drivers read all before an upload returns, and may
 * wait for the stream to do so; of page-locked memory, and of any on coherent systems, they do
 * not.) */
typedef struct {
  void *device;
  size_t device_stride;
  void *host;
  ptrdiff_t host_stride;
  size_t row_bytes, rows;
} StxCudaCopy;

bool stx_cuda_upload(StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error);
bool stx_cuda_download(
    StxCuda *cuda, const StxCudaCopy *copy, StxCudaStream stream, StxError *error);

/* Contiguous bytes. */
bool stx_cuda_upload_bytes(StxCuda *cuda, void *device, const void *host, size_t size,
    StxCudaStream stream, StxError *error);
bool stx_cuda_download_bytes(StxCuda *cuda, void *host, const void *device, size_t size,
    StxCudaStream stream, StxError *error);

/* Bytes from device to device, and all bytes set to `value`. */
bool stx_cuda_copy_bytes(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error);
bool stx_cuda_fill_bytes(
    StxCuda *cuda, void *device, int value, size_t size, StxCudaStream stream, StxError *error);

/*
 * Uploads without waiting: the bytes are copied into a ring of page-locked memory before the call
 * returns, so that the host's may change at once, whatever memory they lie in; the stream takes
 * them from there. Only a caller that uploads more than the ring holds, STX_CUDA_SLOTS pieces of 4
 * MiB, waits for the oldest. A ring serves one stream and one thread; zero it to begin with, and
 * free it after a synchronisation.
 */
#define STX_CUDA_SLOTS 8

typedef struct {
  void *memory; /* page-locked */
  size_t size;
  StxCudaEvent done; /* the upload from it */
  bool busy;         /* … is perhaps not */
} StxCudaSlot;

typedef struct {
  StxCudaSlot slot[STX_CUDA_SLOTS];
  unsigned next;
} StxCudaRing;

bool stx_cuda_ring_upload(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error);
/* The way back through the same memory, a piece copied while the next one is under way; the bytes
 * are there when it returns. */
bool stx_cuda_ring_download(StxCuda *cuda, StxCudaRing *ring, const StxCudaCopy *copy,
    StxCudaStream stream, StxError *error);
void stx_cuda_ring_free(StxCuda *cuda, StxCudaRing *ring);

/* ---- Timing: for benchmarks ---------------------------------------------------------------- */

bool stx_cuda_event_new(StxCuda *cuda, StxCudaEvent *event, StxError *error);
void stx_cuda_event_free(StxCuda *cuda, StxCudaEvent event);
bool stx_cuda_event_record(
    StxCuda *cuda, StxCudaEvent event, StxCudaStream stream, StxError *error);
/* Milliseconds between two recorded events; waits for the second. */
bool stx_cuda_event_elapsed(
    StxCuda *cuda, StxCudaEvent begin, StxCudaEvent end, float *milliseconds, StxError *error);

/* Work enqueued on the stream between begin and end is recorded, not run. */
bool stx_cuda_graph_begin(StxCuda *cuda, StxCudaStream stream, StxError *error);
bool stx_cuda_graph_end(StxCuda *cuda, StxCudaStream stream, StxCudaGraph *graph, StxError *error);
bool stx_cuda_graph_launch(
    StxCuda *cuda, StxCudaGraph graph, StxCudaStream stream, StxError *error);
void stx_cuda_graph_free(StxCuda *cuda, StxCudaGraph graph);

/* A copy by a plain kernel: the limit of the memory's speed. Addresses: multiples of 16. */
bool stx_cuda_probe_copy(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error);

/* ---- Stages ------------------------------------------------------------------------------- */

/* The place of a stage on a stream. Counts as one thread, which no kernel looks at. */
static inline StxPlace stx_cuda_place(StxCuda *cuda, StxCudaStream stream)
{
  StxPlace place = {1, cuda, stream};
  return place;
}

/*
 * The stages on a GPU, best first: records of the same types as those of common/ (StxSgmImpl, …). A
 * table may be empty: a build without CUDA. stx_impl_pick skips them, because their memory is not
 * the host's: take stx_impl_at(table, 0) or stx_impl_named.
 */
extern const StxImplTable stx_sgm_cuda_impls;
extern const StxImplTable stx_colmean_cuda_impls;
extern const StxImplTable stx_egomotion_cuda_impls; /* which wait: egomotion.h */
extern const StxImplTable stx_fulldp_cuda_impls;    /* of StxSatdpImpl */
extern const StxImplTable stx_ground_cuda_impls;
extern const StxImplTable stx_luma_cuda_impls;
extern const StxImplTable stx_rdp_cuda_impls;
extern const StxImplTable stx_rectify_cuda_impls;
extern const StxImplTable stx_satdp_cuda_impls;
extern const StxImplTable stx_overlay_cuda_impls;
extern const StxImplTable stx_canvas_cuda_impls;
extern const StxImplTable stx_colormap_cuda_impls;

#ifdef __cplusplus
}
#endif
