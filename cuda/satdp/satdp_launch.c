/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Launches the kernels of satdp, for objects that are upright or may be slanted, and of fulldp,
 * which take the same memory. Where a column's memory goes depends on the device:
 *
 *   rows         in shared memory wherever a block may have that much (1024 rows need 203 KiB),
 *                else in scratch
 *   class sums   in shared memory unless that would leave columns waiting for a multiprocessor;
 *                the level-1 cache serves them well from scratch
 */
#include "cuda/driver/launch.h"
#include "cuda/satdp/satdp_args.h"

#include "common/fulldp/fulldp.h"
#include "common/satdp/satdp_records_math.h"

STX_CUDA_MODULE_AS(satdp, satdp);
STX_CUDA_MODULE_AS(slanted, satdp_slanted);
STX_CUDA_MODULE_AS(fulldp, fulldp);

/* Kernels with the rows in scratch, and in shared memory. */
static const StxCudaKernel satdp_kernels[2] = {
    {&satdp, "stx_satdp_high_columns"}, {&satdp, "stx_satdp_columns"}};
static const StxCudaKernel slanted_kernels[2] = {
    {&slanted, "stx_satdp_slanted_high_columns"}, {&slanted, "stx_satdp_slanted_columns"}};
static const StxCudaKernel fulldp_kernels[2] = {
    {&fulldp, "stx_fulldp_high_columns"}, {&fulldp, "stx_fulldp_columns"}};

#define SHARED_RESERVED 1024          /* per block, by the driver */
#define SHARED_EVERYWHERE (64 * 1024) /* bytes that a block may have on every device */
#define RESIDENT_BLOCKS 4             /* what the registers allow */
#define LANES 32

/* ---- Classes ------------------------------------------------------------------------------ */

static void place_classes(const StxSatdpParams *params, StxSatdpColumnsArgs *args)
{
  int count = 0, boundaries = stx_grid_rows(&params->grid) + 1;
  args->table_size = 0;
  for (int kind = 0; kind < 3; kind++) {
    uint32_t classes = stx_kind_classes(params, kind);
    int first = args->class_begin[kind] = count;
    for (int id = 0; id < params->grid.classes; id++)
      if (classes >> id & 1)
        args->class_id[count++] = (uint8_t)id;
    args->quads[kind] = count - first >= 2 ? (count - first + 3) / 4 : 0;
    args->table[kind] = args->table_size;
    args->table_size += args->quads[kind] * boundaries;
  }
  args->class_begin[3] = count;
}

static size_t classes_bytes(const StxSatdpParams *params)
{
  StxSatdpColumnsArgs args;
  place_classes(params, &args);
  return (size_t)args.table_size * 4 * sizeof(int32_t);
}

/* ---- Shared memory ------------------------------------------------------------------------- */

static uint32_t align16(size_t at)
{
  return (uint32_t)((at + 15) / 16 * 16);
}

static size_t row_bytes(const StxSatdpParams *params)
{
  return sizeof(StxSatdpRow) + (stx_satdp_slanted(params) ? sizeof(StxSatdpSlant) : 0);
}

static StxSatdpLayout lay_out(const StxSatdpParams *params, bool with_rows, bool with_classes)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  StxSatdpLayout at = {0};
  at.slants =
      (uint32_t)(sizeof(StxSatdpShared) + (with_rows ? (rows + 1) * sizeof(StxSatdpRow) : 0));
  at.classes = align16(sizeof(StxSatdpShared) + (with_rows ? (rows + 1) * row_bytes(params) : 0));
  at.lists = at.classes + (uint32_t)(with_classes ? classes_bytes(params) : 0);
  at.size = align16(at.lists + 2 * 3 * rows * sizeof(uint16_t));
  return at;
}

/* The number of blocks with that much shared memory that share a multiprocessor. */
static size_t resident_blocks(const StxCudaInfo *info, const StxSatdpLayout *layout)
{
  size_t blocks = (info->shared_optin + SHARED_RESERVED) / (layout->size + SHARED_RESERVED);
  return blocks < RESIDENT_BLOCKS ? blocks : RESIDENT_BLOCKS;
}

typedef struct {
  bool rows_shared, classes_shared;
  StxSatdpLayout layout;
} Plan;

static size_t processors_of(const StxCudaInfo *info)
{
  return info->processors > 0 ? (size_t)info->processors : 1;
}

static Plan make_plan(const StxCudaInfo *info, const StxSatdpParams *params)
{
  size_t processors = processors_of(info);
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  size_t wanted = (columns + processors - 1) / processors;
  Plan plan = {true, true, {0}};
  plan.layout = lay_out(params, false, false);
  StxSatdpLayout with_rows = lay_out(params, true, false);
  plan.rows_shared = with_rows.size <= info->shared_optin;
  size_t most = resident_blocks(info, plan.rows_shared ? &with_rows : &plan.layout);
  StxSatdpLayout all = lay_out(params, plan.rows_shared, true);
  plan.classes_shared = all.size <= info->shared_optin &&
                        (resident_blocks(info, &all) >= (wanted < most ? wanted : most));
  plan.layout = lay_out(params, plan.rows_shared, plan.classes_shared);
  return plan;
}

/* ---- Scratch ------------------------------------------------------------------------------- */

typedef struct {
  size_t classes, rows, slants, full, size; /* turns come first, turns_size bytes */
} Scratch;

static size_t block_count(const StxSatdpParams *params)
{
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  return columns < STX_SATDP_BLOCKS ? columns : STX_SATDP_BLOCKS;
}

static size_t turns_size(const StxSatdpParams *params)
{
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  return offsetof(StxSatdpTurns, order) + stx_order_size(columns);
}

/* Enough for every device. */
static Scratch lay_out_scratch(const StxSatdpParams *params, bool full)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid), blocks = block_count(params);
  StxSatdpLayout least = lay_out(params, true, false);
  bool high = least.size > SHARED_EVERYWHERE;
  Scratch at = {0};
  at.classes = stx_align(turns_size(params));
  at.rows = stx_align(at.classes + blocks * classes_bytes(params));
  at.slants = at.rows + (high ? blocks * (rows + 1) * sizeof(StxSatdpRow) : 0);
  at.full = stx_align(at.rows + (high ? blocks * (rows + 1) * row_bytes(params) : 0));
  at.size = stx_align(at.full + (full ? blocks * rows * sizeof(StxFulldpCell) : 0));
  return at;
}

static size_t scratch_size(const StxSatdpParams *params, int threads)
{
  return lay_out_scratch(params, false).size;
}

static size_t scratch_size_full(const StxSatdpParams *params, int threads)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  return lay_out_scratch(&upright, true).size;
}

/* ---- Run ----------------------------------------------------------------------------------- */

static bool run_either(const StxSatdpParams *params, bool full, const StxSatdpTables *tables,
    bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,
    StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  const StxCudaInfo *info = stx_cuda_info(place->device);
  Plan plan = make_plan(info, params);
  Scratch at = lay_out_scratch(params, full);
  char *memory = scratch;
  StxSatdpColumnsArgs args = {.params = *params,
      .layout = plan.layout,
      .tables = tables,
      .columns = columns,
      .starts = starts,
      .stixels = stixels,
      .result = result,
      .turns = (StxSatdpTurns *)memory,
      .rows = plan.rows_shared ? NULL : (StxSatdpRow *)(memory + at.rows),
      .slants = plan.rows_shared ? NULL : (StxSatdpSlant *)(memory + at.slants),
      .classes = plan.classes_shared ? NULL : (int32_t *)(memory + at.classes),
      .full = full ? (StxFulldpCell *)(memory + at.full) : NULL,
      .column_count = stx_grid_columns(&params->grid),
      .cells = stx_grid_rows(&params->grid),
      .has_ground = has_ground,
      .processors = (uint32_t)processors_of(info)};
  place_classes(params, &args);
  StxCudaSize grid = {(unsigned)block_count(params), 1, 1};
  StxCudaSize block = {STX_SATDP_WARPS * LANES, 1, 1};
  const StxCudaKernel *kernels = full                        ? fulldp_kernels
                                 : stx_satdp_slanted(params) ? slanted_kernels
                                                             : satdp_kernels;
  return stx_cuda_clear(place, memory, turns_size(params), error) &&
         stx_cuda_launch(
             place, &kernels[plan.rows_shared], grid, block, plan.layout.size, &args, error);
}

static bool run(const StxSatdpParams *params, const StxSatdpTables *tables, bool has_ground,
    const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
    void *scratch, const StxPlace *place, StxError *error)
{
  return run_either(
      params, false, tables, has_ground, columns, starts, stixels, result, scratch, place, error);
}

static bool run_full(const StxSatdpParams *params, const StxSatdpTables *tables, bool has_ground,
    const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
    void *scratch, const StxPlace *place, StxError *error)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  return run_either(
      &upright, true, tables, has_ground, columns, starts, stixels, result, scratch, place, error);
}

static const StxSatdpImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_satdp_cuda_impls = {impls, 1, sizeof impls[0]};

static const StxSatdpImpl full_impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size_full, run_full}};
const StxImplTable stx_fulldp_cuda_impls = {full_impls, 1, sizeof full_impls[0]};
