/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU that is timed, and how fast it copies. */
#include <stdlib.h>
#include <string.h>

#include "examples/stx-bench/stx_bench_group.h"

#define COPIES 9
#define COPY_CACHES 8 /* a buffer of so many level-2 caches */
#define COPY_LEAST ((size_t)16 << 20)

typedef bool Copy(
    StxCuda *cuda, void *to, const void *from, size_t size, StxCudaStream stream, StxError *error);

/* One copy between the device's events; raises the limit if it is faster. */
static bool time_copy(
    BenchDevice *d, Copy *copy, void *to, const void *from, size_t size, StxError *error)
{
  float ms;
  if (!stx_cuda_event_record(d->cuda, d->begin, d->stream, error) ||
      !copy(d->cuda, to, from, size, d->stream, error) ||
      !stx_cuda_event_record(d->cuda, d->end, d->stream, error) ||
      !stx_cuda_event_elapsed(d->cuda, d->begin, d->end, &ms, error))
    return false;
  double rate = ms > 0 ? 2.0 * (double)size / ms / 1e6 : 0;
  d->copy = rate > d->copy ? rate : d->copy;
  return true;
}

/* The best of several counts: a limit is what the undisturbed machine can do. Copies are the
 * driver's own and a plain kernel's. */
static bool measure_copy(BenchDevice *d, StxError *error)
{
  size_t size = COPY_CACHES * d->info->l2_cache;
  size = size > COPY_LEAST ? size : COPY_LEAST;
  void *from = NULL, *to = NULL;
  bool good = stx_cuda_alloc(d->cuda, size, &from, error) &&
              stx_cuda_alloc(d->cuda, size, &to, error) &&
              stx_cuda_fill_bytes(d->cuda, from, 1, size, d->stream, error);
  for (int i = 0; good && i < COPIES; i++)
    good = time_copy(d, stx_cuda_copy_bytes, to, from, size, error) &&
           time_copy(d, stx_cuda_probe_copy, to, from, size, error);
  stx_cuda_free(d->cuda, from);
  stx_cuda_free(d->cuda, to);
  return good;
}

bool bench_device_open(BenchDevice *device, StxError *error)
{
  StxError reason;
  *device = (BenchDevice){.cuda = stx_cuda_open(0, &reason)};
  if (device->cuda == NULL)
    return stx_fail(error, "no GPU to time: %s", reason.text);
  device->info = stx_cuda_info(device->cuda);
  if (stx_cuda_stream_new(device->cuda, &device->stream, error) &&
      stx_cuda_event_new(device->cuda, &device->begin, error) &&
      stx_cuda_event_new(device->cuda, &device->end, error) && measure_copy(device, error))
    return true;
  bench_device_close(device);
  return false;
}

void bench_device_close(BenchDevice *device)
{
  stx_cuda_event_free(device->cuda, device->begin);
  stx_cuda_event_free(device->cuda, device->end);
  stx_cuda_stream_free(device->cuda, device->stream);
  stx_cuda_close(device->cuda);
  *device = (BenchDevice){0};
}

/* ---- Machine ------------------------------------------------------------------------------ */

static void describe(const BenchDevice *device, BenchGpu *gpu)
{
  const StxCudaInfo *info = device->info;
  *gpu = (BenchGpu){
      .major = info->major,
      .minor = info->minor,
      .processors = info->processors,
      .clock_khz = info->clock_khz,
      .memory_clock_khz = info->memory_clock_khz,
      .memory_bus_bits = info->memory_bus_bits,
      .memory = info->memory,
      .l2_cache = info->l2_cache,
      .copy = device->copy,
  };
  memcpy(gpu->name, info->name, sizeof gpu->name);
}

bool bench_machine_open(BenchMachine *machine, int threads, bool cpu, bool gpu, StxError *error)
{
  const int all = stx_threads(threads);
  *machine = (BenchMachine){.compiler = __VERSION__,
      .threads = {1, all},
      .thread_counts = !cpu      ? 0
                       : all > 1 ? 2
                                 : 1};
  if (!gpu)
    return true;
  machine->device = malloc(sizeof *machine->device);
  if (machine->device == NULL)
    return stx_fail(error, "not enough memory");
  if (bench_device_open(machine->device, error)) {
    describe(machine->device, &machine->gpu);
    return true;
  }
  free(machine->device);
  return false;
}

void bench_machine_close(BenchMachine *machine)
{
  if (machine->device != NULL)
    bench_device_close(machine->device);
  free(machine->device);
}
