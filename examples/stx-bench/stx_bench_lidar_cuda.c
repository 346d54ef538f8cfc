/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU, its points resident. A scan lies there several times, so often that all
 * together are twice as large as the level-2 cache: what a run reads has left the cache since the
 * one before, as a new scan is not in it either.
 */
#include "examples/stx-bench/stx_bench_lidar.h"

#include <stdlib.h>

#define LEAST_SETS 3
#define MOST_SETS 64
#define CACHES 2
#define DEVICE_ALIGN 256

struct LidarCuda {
  const BenchDevice *device;
  const StxGroundParams *params;
  size_t count, labels_at, result_at, set_size;
  int sets;
  char *memory;
  void *scratch;
};

static size_t device_align(size_t size)
{
  return (size + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
}

static char *set_at(const LidarCuda *c, int set)
{
  return c->memory + (size_t)set * c->set_size;
}

static void lay_out(LidarCuda *c, int wanted)
{
  c->labels_at = device_align(c->count * 4 * sizeof(float));
  c->result_at = c->labels_at + device_align(c->count * sizeof(uint32_t));
  c->set_size = c->result_at + device_align(sizeof(StxGroundResult));
  size_t sets = CACHES * c->device->info->l2_cache / c->set_size + 1;
  c->sets = wanted > 0          ? wanted
            : sets < LEAST_SETS ? LEAST_SETS
            : sets > MOST_SETS  ? MOST_SETS
                                : (int)sets;
}

static bool fill(LidarCuda *c, const LidarScan *scan, StxError *error)
{
  const BenchDevice *d = c->device;
  void *memory = NULL;
  size_t scratch = 0;
  for (size_t i = 0; i < stx_ground_cuda_impls.count; i++) {
    const StxGroundImpl *impl = (const void *)stx_impl_at(&stx_ground_cuda_impls, i);
    size_t size = impl->scratch_size(c->params, c->count, 1);
    scratch = size > scratch ? size : scratch;
  }
  if (!stx_cuda_alloc(d->cuda, scratch, &c->scratch, error) ||
      !stx_cuda_alloc(d->cuda, (size_t)c->sets * c->set_size, &memory, error))
    return false;
  c->memory = memory;
  for (int set = 0; set < c->sets; set++)
    if (!stx_cuda_upload_bytes(
            d->cuda, set_at(c, set), scan->points, c->count * 4 * sizeof(float), d->stream, error))
      return false;
  return stx_cuda_synchronize(d->cuda, d->stream, error);
}

LidarCuda *lidar_cuda_open(const LidarContext *context, const StxGroundParams *params,
    const LidarScan *scan, StxError *error)
{
  LidarCuda *c = calloc(1, sizeof *c);
  if (c == NULL) {
    stx_fail(error, "not enough memory");
    return NULL;
  }
  *c = (LidarCuda){.device = context->device, .params = params, .count = scan->count};
  lay_out(c, context->sets);
  if (fill(c, scan, error))
    return c;
  lidar_cuda_close(c);
  return NULL;
}

void lidar_cuda_close(LidarCuda *c)
{
  if (c == NULL)
    return;
  stx_cuda_free(c->device->cuda, c->memory);
  stx_cuda_free(c->device->cuda, c->scratch);
  free(c);
}

int lidar_cuda_sets(const LidarCuda *c)
{
  return c->sets;
}

static bool run_sets(const LidarCuda *c, const StxGroundImpl *impl, StxError *error)
{
  StxPlace place = stx_cuda_place(c->device->cuda, c->device->stream);
  for (int set = 0; set < c->sets; set++) {
    char *memory = set_at(c, set);
    if (!impl->run(c->params, (const float *)(const void *)memory, c->count,
            (uint32_t *)(void *)(memory + c->labels_at),
            (StxGroundResult *)(void *)(memory + c->result_at), c->scratch, &place, error))
      return false;
  }
  return true;
}

/* A run loads the kernels, which then need not happen while recording. */
static bool record_graph(
    const LidarCuda *c, const StxGroundImpl *impl, StxCudaGraph *graph, StxError *error)
{
  const BenchDevice *d = c->device;
  if (!run_sets(c, impl, error) || !stx_cuda_synchronize(d->cuda, d->stream, error) ||
      !stx_cuda_graph_begin(d->cuda, d->stream, error))
    return false;
  StxError ending;
  bool good = run_sets(c, impl, error);
  return stx_cuda_graph_end(d->cuda, d->stream, graph, good ? error : &ending) && good;
}

bool lidar_cuda_run(LidarCuda *c, const StxGroundImpl *impl, bool as_graph, StxCudaGraph *graph,
    double *ms, StxError *error)
{
  const BenchDevice *d = c->device;
  float elapsed;
  if (as_graph && *graph == NULL && !record_graph(c, impl, graph, error))
    return false;
  if (!stx_cuda_event_record(d->cuda, d->begin, d->stream, error) ||
      !(as_graph ? stx_cuda_graph_launch(d->cuda, *graph, d->stream, error)
                 : run_sets(c, impl, error)) ||
      !stx_cuda_event_record(d->cuda, d->end, d->stream, error) ||
      !stx_cuda_event_elapsed(d->cuda, d->begin, d->end, &elapsed, error))
    return false;
  *ms = (double)elapsed / c->sets;
  return true;
}

bool lidar_cuda_wipe(LidarCuda *c, int value, StxError *error)
{
  for (int set = 0; set < c->sets; set++)
    if (!stx_cuda_fill_bytes(c->device->cuda, set_at(c, set) + c->labels_at, value,
            c->set_size - c->labels_at, c->device->stream, error))
      return false;
  return true;
}

bool lidar_cuda_fetch(
    LidarCuda *c, int set, uint32_t *labels, StxGroundResult *result, StxError *error)
{
  const BenchDevice *d = c->device;
  const char *memory = set_at(c, set);
  return stx_cuda_download_bytes(
             d->cuda, labels, memory + c->labels_at, c->count * sizeof *labels, d->stream, error) &&
         stx_cuda_download_bytes(
             d->cuda, result, memory + c->result_at, sizeof *result, d->stream, error) &&
         stx_cuda_synchronize(d->cuda, d->stream, error);
}
