/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Launches rdp's kernel. What a block keeps of its column lies in shared memory where a block may
 * have that much, else all but the disparities and the kept bits in scratch.
 */
#include "cuda/driver/launch.h"
#include "cuda/rdp/rdp_args.h"

STX_CUDA_MODULE(rdp);

static const StxCudaKernel columns_kernel = {&module, "stx_rdp_columns"};
static const StxCudaKernel high_kernel = {&module, "stx_rdp_high_columns"};

#define SHARED_EVERYWHERE (64 * 1024) /* bytes that a block may have on every device */
#define HIGH_BLOCKS 256               /* at most, of columns that are kept in scratch */
#define WARPS_WANTED 16               /* per multiprocessor: four for each scheduler */
#define CELLS_PER_WARP 128            /* at least, before a column gets another warp */
#define LANES 32

/* ---- A column's memory --------------------------------------------------------------------- */

static size_t align16(size_t at)
{
  return (at + 15) / 16 * 16;
}

/* Returns the memory layout of a column. The results take the place of what is read until then. */
static StxRdpLayout lay_out(const StxRdpParams *params, bool shared)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  size_t bits = align16(sizeof(StxRdpShared));
  size_t cells = align16(bits + (rows + 31) / 32 * sizeof(uint32_t));
  size_t sums = align16(cells + ((rows + 7) / 8 * 8 + STX_RDP_PADDING) * sizeof(uint16_t));
  size_t sums_end = align16(sums + (rows + 7) / 8 * sizeof(uint32_t));
  size_t largest = shared ? sums_end : 0;
  size_t marks = align16(largest + rows * sizeof(uint32_t));
  size_t end = align16(marks + (rows + 1) * sizeof(StxRdpMark));
  return (StxRdpLayout){.bits = (uint32_t)bits,
      .cells = (uint32_t)cells,
      .sums = (uint32_t)sums,
      .shared = (uint32_t)(shared ? end : sums_end),
      .largest = (uint32_t)largest,
      .marks = (uint32_t)marks,
      .lists = (uint32_t)marks,
      .scratch = (uint32_t)(shared ? 0 : end)};
}

/* ---- Scratch ------------------------------------------------------------------------------- */

typedef struct {
  size_t zeros, memory, size; /* bytes; turns come first, and begin as zeros */
} Scratch;

static size_t high_blocks(const StxRdpParams *params)
{
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  return columns < HIGH_BLOCKS ? columns : HIGH_BLOCKS;
}

/* Enough for every device. */
static Scratch lay_out_scratch(const StxRdpParams *params)
{
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  bool high = lay_out(params, true).shared > SHARED_EVERYWHERE;
  size_t block = lay_out(params, false).scratch;
  Scratch at = {0};
  at.zeros = offsetof(StxRdpTurns, order) + stx_order_size(columns);
  at.memory = stx_align(at.zeros);
  at.size = stx_align(at.memory + (high ? high_blocks(params) * block : 0));
  return at;
}

static size_t scratch_size(const StxRdpParams *params, int threads)
{
  return lay_out_scratch(params).size;
}

/* ---- Run ----------------------------------------------------------------------------------- */

/* Warps per column: few where there are columns enough for all schedulers, because then the least
 * work wins; more where there are not, or where columns are high. A power of two. */
static unsigned warps_per_column(const StxCudaInfo *info, const StxRdpParams *params)
{
  unsigned columns = (unsigned)stx_grid_columns(&params->grid), warps = 1;
  unsigned rows = (unsigned)stx_grid_rows(&params->grid);
  unsigned processors = info->processors > 0 ? (unsigned)info->processors : 1;
  while (warps < STX_RDP_MAX_WARPS && rows >= 2 * warps * CELLS_PER_WARP &&
         columns * warps < processors * WARPS_WANTED)
    warps *= 2;
  return warps;
}

static bool run(const StxRdpParams *params, const void *columns, StxStixel *segments, uint8_t *kept,
    StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  const StxCudaInfo *info = stx_cuda_info(place->device);
  Scratch at = lay_out_scratch(params);
  StxRdpLayout layout = lay_out(params, true);
  if (layout.shared > info->shared_optin)
    layout = lay_out(params, false);
  unsigned count = (unsigned)stx_grid_columns(&params->grid);
  StxRdpArgs args = {.grid = stx_rdp_records(&params->grid),
      .columns = (int32_t)count,
      .rows = stx_grid_rows(&params->grid),
      .epsilon = stx_rdp_epsilon(params),
      .median = params->median,
      .layout = layout,
      .cells = columns,
      .segments = segments,
      .kept = kept,
      .result = result,
      .turns = scratch,
      .memory = (char *)scratch + at.memory};
  StxCudaSize grid = {layout.scratch == 0 ? count : (unsigned)high_blocks(params), 1, 1};
  StxCudaSize block = {warps_per_column(info, params) * LANES, 1, 1};
  const StxCudaKernel *kernel = layout.scratch == 0 ? &columns_kernel : &high_kernel;
  return stx_cuda_clear(place, scratch, at.zeros, error) &&
         stx_cuda_launch(place, kernel, grid, block, layout.shared, &args, error);
}

static const StxRdpImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_rdp_cuda_impls = {impls, 1, sizeof impls[0]};
