/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Egomotion on the GPU: memory, the launches of the kernels in egomotion.cu, and the way of the
 * records. Pictures stay on the device, those of the frame before in the memory of the last call.
 * Corners go there, 12 bytes each; cells (8 bytes) and matches (24) come back.
 */
#include "common/egomotion/egomotion_private.h"
#include "cuda/driver/launch.h"
#include "cuda/egomotion/egomotion_args.h"

STX_CUDA_MODULE(egomotion);

static const StxCudaKernel take_kernel = {&module, "stx_egomotion_take"};
static const StxCudaKernel look_kernel = {&module, "stx_egomotion_look"};
static const StxCudaKernel match_kernel = {&module, "stx_egomotion_match"};

/* ---- Memory -------------------------------------------------------------------------------- */

typedef struct {
  StxImage8 full[2], half, relief[2];
  EgoCorner *corners;
  EgoLook *look;
  EgoCell *cells;
  EgoMatch *matches;
} Memory;

static StxImage8 take_image(StxLayout *layout, int width, int height)
{
  const ptrdiff_t stride = (ptrdiff_t)stx_align((size_t)width);
  return (StxImage8){
      stx_take(layout, (size_t)stride * (size_t)height + EGO_SPACE), stride, width, height};
}

static int cells_of(int size)
{
  return (size / 2 + EGO_CELL - 1) / EGO_CELL;
}

/* Returns the size. */
static size_t lay_out(int width, int height, void *base, Memory *m)
{
  StxLayout layout = {base, 0};
  for (int i = 0; i < 2; i++) {
    m->full[i] = take_image(&layout, width, height);
    m->relief[i] = take_image(&layout, width / 2, height / 2);
  }
  m->half = take_image(&layout, width / 2, height / 2);
  STX_TAKE(&layout, m->corners, STX_EGOMOTION_MAX_POINTS);
  ego_take_results(&layout, (size_t)cells_of(width) * (size_t)cells_of(height), &m->look, &m->cells,
      &m->matches);
  return layout.size;
}

static size_t device_bytes(int width, int height)
{
  Memory memory;
  return lay_out(width, height, NULL, &memory);
}

static StxEgomotionArgs args_of(
    const StxEgomotion *s, const StxEgomotionFrame *frame, const EgoSearch *search)
{
  Memory m;
  lay_out(s->width, s->height, frame->device->memory, &m);
  StxEgomotionArgs args = {.left = frame->left,
      .full = {m.full[!s->now], m.full[s->now]},
      .half = m.half,
      .relief = {m.relief[!s->now], m.relief[s->now]},
      .disparity = frame->disparity,
      .look = m.look,
      .cells = m.cells,
      .matches = m.matches,
      .corners = m.corners,
      .depth = frame->depth,
      .compares = s->begun,
      .cells_across = s->cells_across};
  if (search != NULL)
    args.search = *search;
  return args;
}

/* ---- Transfers ----------------------------------------------------------------------------- */

static StxCudaCopy copy_of(const void *device, const void *host, size_t size)
{
  return (StxCudaCopy){(void *)device, size, (void *)host, (ptrdiff_t)size, size, 1};
}

/* From `device` on, up to as many matches. Waits. */
static bool download(const StxEgomotionDevice *to, const void *device, const void *host,
    const EgoMatch *matches, int count, StxError *error)
{
  const size_t size = (size_t)((const char *)(matches + count) - (const char *)host);
  StxCudaCopy copy = copy_of(device, host, size);
  return stx_cuda_ring_download(to->place.device, to->ring, &copy, to->place.stream, error);
}

/* ---- Launches ------------------------------------------------------------------------------ */

static bool match_corners(const StxEgomotionArgs *args, const StxPlace *place, StxError *error)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)args->search.count, STX_EGOMOTION_WARPS), 1, 1};
  StxCudaSize block = {STX_EGOMOTION_LANES, STX_EGOMOTION_WARPS, 1};
  return stx_cuda_launch(place, &match_kernel, grid, block, 0, args, error);
}

static bool look(
    StxEgomotion *s, const StxEgomotionFrame *frame, const EgoSearch *search, StxError *error)
{
  const StxEgomotionDevice *device = frame->device;
  const StxPlace *place = &device->place;
  const StxEgomotionArgs args = args_of(s, frame, search);
  const StxCudaSize grid = {stx_cuda_blocks((size_t)args.cells_across, STX_EGOMOTION_TILE_CELLS),
      (unsigned)cells_of(args.left.height), 1};
  const StxCudaSize block = {STX_EGOMOTION_TILE_THREADS, 1, 1};
  const StxCudaCopy corners =
      copy_of(args.corners, s->corners, (size_t)s->corner_count * sizeof *s->corners);
  const StxCudaSize rows = {
      stx_cuda_blocks((size_t)(args.left.height + 1) / 2, STX_EGOMOTION_ROWS), 1, 1};
  if (!stx_cuda_clear(place, args.look, sizeof *args.look, error) ||
      !stx_cuda_launch(place, &take_kernel, rows,
          (StxCudaSize){STX_EGOMOTION_LANES, STX_EGOMOTION_ROWS, 1}, 0, &args, error) ||
      !stx_cuda_launch(place, &look_kernel, grid, block, 0, &args, error) ||
      (search != NULL &&
          (!stx_cuda_ring_upload(place->device, device->ring, &corners, place->stream, error) ||
              !match_corners(&args, place, error))) ||
      !download(device, args.look, s->look, s->matches, search != NULL ? search->count : 0, error))
    return false;
  s->look->differs |= !s->begun;
  return true;
}

static bool match(
    StxEgomotion *s, const StxEgomotionFrame *frame, const EgoSearch *search, StxError *error)
{
  const StxEgomotionDevice *device = frame->device;
  const StxEgomotionArgs args = args_of(s, frame, search);
  return match_corners(&args, &device->place, error) &&
         download(device, args.matches, s->matches, s->matches, search->count, error);
}

static const StxEgomotionImpl impls[] = {{.info = {"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0},
    .look = look,
    .match = match,
    .device_bytes = device_bytes}};
const StxImplTable stx_egomotion_cuda_impls = {impls, 1, sizeof impls[0]};
