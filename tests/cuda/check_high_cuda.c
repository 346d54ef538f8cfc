/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places beyond the first 4 GiB of an array, where an index of 32 bits is too small: in memory that
 * lies far apart, of which only a little is touched. On the GPU of tests/emu alone.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_args.h"
#include "tests/common/luma/luma_case.h"
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"

STX_CUDA_MODULE(sgm);
STX_CUDA_MODULE_AS(coarse_module, sgm_coarse);

/* ---- Memory ------------------------------------------------------------------------------- */

/* Without guards, which would be filled. */
static void *far_alloc(size_t size)
{
  StxError error;
  void *memory;
  stx_case_ok(stx_cuda_alloc(stx_case_cuda(), size, &memory, &error), &error, "a large array");
  return memory;
}

static void far_free(void *memory)
{
  stx_cuda_free(stx_case_cuda(), memory);
}

/* Rows of `bytes`, which on the device lie `stride` apart. */
static void copy_rows(void *device, size_t stride, void *host, size_t bytes, size_t rows, bool up)
{
  StxError error;
  const StxCudaCopy copy = {device, stride, host, (ptrdiff_t)bytes, bytes, rows};
  bool ok =
      (up ? stx_cuda_upload : stx_cuda_download)(stx_case_cuda(), &copy, stx_case_stream(), &error);
  stx_case_ok(ok, &error, "rows far apart");
  stx_case_wait("rows far apart");
}

/* Whether only the last block of each launch runs. False: this is not the driver of tests/emu. */
static bool set_last_block(bool last)
{
  void (*set)(bool) = NULL;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver != NULL)
    *(void **)&set = dlsym(driver, "stx_fake_cuda_last_block");
  if (set != NULL)
    set(last);
  if (driver != NULL)
    dlclose(driver);
  return set != NULL;
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* Rows that are so far apart that all of them take 5 GiB. */
STX_TEST(rows_may_lie_far_apart)
{
  const StxLumaImpl *impl = stx_impl_named(&stx_luma_cuda_impls, "cuda");
  const StxLumaImpl *reference = oracle(&stx_luma_impls);
  StxError error = {""};
  stx_case_cuda();
  if (!set_last_block(false))
    return;
  LumaCase c = luma_case_new(0, 1, 200);
  const int width = c.picture.width, height = c.picture.height, row = width * c.format->pixel;
  const ptrdiff_t stride = ((ptrdiff_t)5 << 30) / height / 16 * 16;
  StxImage8 picture = {far_alloc((size_t)stride * (size_t)height), stride, width, height};
  StxImage8 gray = {far_alloc((size_t)stride * (size_t)height), stride, width, height};
  StxImage8 expected = stx_test_image8(width, height, 0),
            actual = stx_test_image8(width, height, 0);
  STX_ON_DEVICE void *scratch = stx_device_alloc(STX_LUMA_SCRATCH);
  reference->run(c.format, c.bits, &c.picture, &expected, NULL, &(StxPlace){.threads = 1}, NULL);
  for (int y = 0; y < height; y++)
    copy_rows(picture.data + y * stride, (size_t)row, c.picture.data + y * c.picture.stride,
        (size_t)row, 1, true);
  stx_case_ok(impl->run(c.format, c.bits, &picture, &gray, scratch, stx_case_place(), &error),
      &error, "rows far apart");
  for (int y = 0; y < height; y++)
    copy_rows(gray.data + y * stride, (size_t)width, actual.data + y * actual.stride, (size_t)width,
        1, false);
  stx_expect_same_image8(&expected, &actual, "rows far apart");
  stx_test_image8_free(&expected);
  stx_test_image8_free(&actual);
  luma_case_free(&c);
  far_free(picture.data);
  far_free(gray.data);
}

/* ---- SGM ---------------------------------------------------------------------------------- */

enum { COUNT = 128, ROWS = 2052, NARROW = 256, WIDE = 16384 };

/* A pair's words and volumes: as in sgm_launch.c, of which only the last columns matter. */
typedef struct {
  int width, pitch;
  uint32_t *left, *right, *records, *right_best, *taken;
  uint8_t *volumes[2];
} Pair;

static Pair pair_new(int width)
{
  Pair p = {.width = width, .pitch = width + COUNT};
  size_t pixels = (size_t)width * ROWS;
  p.left = far_alloc(4 * pixels);
  p.right = far_alloc((size_t)16 * ROWS * (size_t)p.pitch);
  p.records = far_alloc(4 * pixels);
  p.right_best = far_alloc(4 * pixels);
  p.taken = far_alloc(4);
  for (int i = 0; i < 2; i++)
    p.volumes[i] = far_alloc(pixels * COUNT);
  return p;
}

static void pair_free(const Pair *p)
{
  void *all[] = {
      p->left, p->right, p->records, p->right_best, p->taken, p->volumes[0], p->volumes[1]};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    far_free(all[i]);
}

/* Copies the last NARROW columns, up or down: rows of elements of `size` bytes. */
static void copy_last(void *array, int pitch, size_t size, void *host, size_t columns,
    size_t first_row, size_t rows, bool up)
{
  size_t stride = size * (size_t)pitch;
  char *at = (char *)array + first_row * stride + (stride - size * columns);
  copy_rows(at, stride, host, size * columns, rows, up);
}

static StxSgmRightWords right_words(const Pair *p)
{
  return (StxSgmRightWords){p->right, (uint32_t)p->pitch, COUNT};
}

/* The last task: vertical lines at the right border, all the way down. */
static void follow_last_lines(const Pair *p)
{
  StxError error;
  const StxCudaKernel kernel = {&module, "stx_sgm_paths_128"};
  const int tasks = p->width / STX_SGM_BLOCK_LINES;
  StxSgmPathsArgs args = {.left = p->left,
      .right = right_words(p),
      .width = p->width,
      .height = ROWS,
      .columns = p->width,
      .p1 = {10, 10},
      .p2 = 120,
      .axes = {{true, 0, p->volumes[0], p->volumes[0]}, {false, 0, p->volumes[1], p->volumes[1]}},
      .tasks = tasks + 1,
      .first_tasks = 1,
      .taken = p->taken,
      .store = STX_SGM_MEET};
  uint32_t taken = (uint32_t)tasks;
  copy_rows(p->taken, 4, &taken, 4, 1, true);
  stx_case_ok(stx_cuda_launch(stx_case_place(), &kernel, (StxCudaSize){1, 1, 1},
                  (StxCudaSize){STX_SGM_LANES, 2 * STX_SGM_BLOCK_LINES, 1}, 0, &args, &error),
      &error, "paths");
}

/* The last block: the end of the last row. */
static void find_last_winners(const Pair *p)
{
  StxError error;
  const StxCudaKernel kernel = {&module, "stx_sgm_winner_128"};
  StxSgmWinnerArgs args = {.volumes = {p->volumes[0], p->volumes[1]},
      .width = p->width,
      .columns = p->width,
      .paths = 4,
      .right_best = p->right_best,
      .records = p->records};
  StxCudaSize grid = stx_cuda_grid(p->width, STX_SGM_SEGMENT * STX_SGM_WINNER_WARPS, ROWS, 1, 1);
  stx_case_ok(stx_cuda_launch(stx_case_place(), &kernel, grid,
                  (StxCudaSize){STX_SGM_LANES, STX_SGM_WINNER_WARPS, 1}, 0, &args, &error),
      &error, "winner");
}

static void *random_bytes(size_t size, uint64_t seed)
{
  StxRandom random = {seed};
  uint8_t *bytes = stx_guarded_alloc(size);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(stx_random(&random) % 40);
  return bytes;
}

/* The results of both kernels at the end of the pair. */
typedef struct {
  uint8_t costs[ROWS][COUNT];
  uint32_t records[NARROW], right_best[NARROW - COUNT];
} Ends;

static Ends *run_pair(int width)
{
  Pair p = pair_new(width);
  Ends *ends = stx_guarded_alloc(sizeof *ends);
  STX_GUARDED uint32_t *left = random_bytes((size_t)4 * ROWS * NARROW, 1);
  STX_GUARDED uint32_t *right = random_bytes((size_t)16 * ROWS * (NARROW + COUNT), 2);
  STX_GUARDED uint8_t *last_row = random_bytes((size_t)NARROW * COUNT, 3);
  uint32_t none[NARROW];
  memset(none, 0xff, sizeof none);
  copy_last(p.left, width, 4, left, NARROW, 0, ROWS, true);
  copy_last(p.right, p.pitch, 4, right, NARROW + COUNT, 0, 4 * ROWS, true);
  follow_last_lines(&p);
  copy_last(p.volumes[1], width, COUNT, ends->costs, 1, 0, ROWS, false);
  for (int i = 0; i < 2; i++)
    copy_last(p.volumes[i], width, COUNT, last_row, NARROW, ROWS - 1, 1, true);
  copy_last(p.right_best, width, 4, none, NARROW, ROWS - 1, 1, true);
  if (width > NARROW) /* the block before them, whose disparities reach to the left */
    copy_rows(p.right_best + (size_t)width * ROWS - 2 * NARROW, 4, none, sizeof none, 1, true);
  find_last_winners(&p);
  copy_last(p.records, width, 4, ends->records, NARROW, ROWS - 1, 1, false);
  copy_last(p.right_best, width, 4, ends->right_best, NARROW - COUNT, ROWS - 1, 1, false);
  pair_free(&p);
  return ends;
}

/* In the last 256 of 16384 columns, where a volume has 4.3e9 bytes, as in a narrow picture. */
STX_TEST(volumes_may_be_larger_than_4_gib)
{
  stx_case_cuda();
  if (getenv("STX_PTX") == NULL || !set_last_block(true))
    return;
  STX_GUARDED Ends *narrow = run_pair(NARROW), *wide = run_pair(WIDE);
  set_last_block(false);
  stx_expect_same(narrow->costs, wide->costs, sizeof narrow->costs, "costs of the last column");
  /* The first disparities of the narrow one reach over its edge. */
  stx_expect_same(narrow->records + COUNT, wide->records + COUNT, 4 * (NARROW - COUNT), "records");
  stx_expect_same(narrow->right_best, wide->right_best, sizeof narrow->right_best, "right view");
}

/* ---- Coarse to fine ------------------------------------------------------------------------ */

/* No picture is as wide, but then a few lines are enough. */
enum { LINES = 18, WIDEST = 1 << 23, CELL = 2 * STX_SGM_COARSE_WINDOW, STEP = STX_SGM_COARSE_STEP };

/* The results of both kernels in the last columns. */
typedef struct {
  uint8_t costs[LINES][2 * CELL];
  uint32_t records[STX_SGM_LANES];
} CoarseEnds;

static void launch_coarse(const char *name, StxCudaSize grid, unsigned warps, const void *args)
{
  StxError error;
  const StxCudaKernel kernel = {&coarse_module, name};
  stx_case_ok(stx_cuda_launch(stx_case_place(), &kernel, grid,
                  (StxCudaSize){STX_SGM_LANES, warps, 1}, 0, args, &error),
      &error, name);
}

/* Random columns at the end of each row, in an array that is freed with far_free. */
static void *far_random(size_t width, size_t size, size_t columns, size_t rows, uint64_t seed)
{
  STX_GUARDED uint8_t *bytes = random_bytes(size * columns * rows, seed);
  void *array = far_alloc(width * size * rows);
  copy_last(array, (int)width, size, bytes, columns, 0, rows, true);
  return array;
}

static CoarseEnds *run_coarse(int width)
{
  const size_t columns = (size_t)width, blocks = columns / STX_SGM_COARSE_BLOCK;
  const size_t shown = sizeof(uint32_t) * STX_SGM_LANES, left_of_row = columns * LINES;
  CoarseEnds *ends = stx_guarded_alloc(sizeof *ends);
  void *left = far_random(columns, 4, NARROW, LINES * STEP, 1);
  void *right = far_random(columns, 4, NARROW, LINES * STEP * STX_SGM_SHIFTS, 2);
  void *starts = far_random(blocks, 2, 4, LINES * STEP / STX_SGM_COARSE_BLOCK + 1, 3);
  void *volume = far_random(columns, CELL, STX_SGM_LANES, LINES, 4);
  uint32_t *records = far_alloc(4 * left_of_row);
  StxSgmCoarsePathsArgs paths = {.left = left,
      .right = {right, (uint32_t)width, 0},
      .starts = starts,
      .width = width,
      .lines = LINES,
      .columns = (int)blocks,
      .p1 = {10, 10},
      .p2 = 60,
      .store = STX_SGM_MEET,
      .axes = {{true, 0, volume, volume}, {false, 0, volume, volume}}};
  StxSgmCoarseWinnerArgs winner = {
      .pair = {.volumes = {volume, volume}, .width = width, .paths = 4, .records = records},
      .starts = starts,
      .lines = LINES,
      .columns = (int)blocks};
  launch_coarse("stx_sgm_coarse_paths", (StxCudaSize){(unsigned)width / STX_SGM_COARSE_PATHS, 1, 1},
      2 * STX_SGM_COARSE_PATHS, &paths);
  launch_coarse("stx_sgm_coarse_winner",
      stx_cuda_grid(width, STX_SGM_LANES, LINES, STX_SGM_COARSE_ROWS, 1), STX_SGM_COARSE_ROWS,
      &winner);
  copy_last(volume, width, CELL, ends->costs, 2, 0, LINES, false);
  copy_rows(records + left_of_row - STX_SGM_LANES, shown, ends->records, shown, 1, false);
  void *all[] = {left, right, starts, volume, records};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    far_free(all[i]);
  return ends;
}

STX_TEST(coarse_volumes_may_be_larger_than_4_gib)
{
  stx_case_cuda();
  if (getenv("STX_PTX") == NULL || !set_last_block(true))
    return;
  STX_GUARDED CoarseEnds *narrow = run_coarse(NARROW), *wide = run_coarse(WIDEST);
  set_last_block(false);
  stx_expect_same(narrow->costs, wide->costs, sizeof narrow->costs, "costs of the last columns");
  stx_expect_same(narrow->records, wide->records, sizeof narrow->records, "records");
}
