/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places beyond the first 4 GiB of an array, where an index of 32 bits is too small: in memory that
 * lies far apart, of which only a little is touched. On the GPU of tests/emu alone.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_args.h"
#include "tests/common/luma/luma_case.h"
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"

STX_CUDA_MODULE(sgm);

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
  void *scratch = stx_device_alloc(STX_LUMA_SCRATCH);
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
  stx_device_free(scratch);
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
static void copy_last(const Pair *p, void *array, int pitch, size_t size, void *host,
    size_t columns, size_t first_row, size_t rows, bool up)
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
  uint32_t *left = random_bytes((size_t)4 * ROWS * NARROW, 1);
  uint32_t *right = random_bytes((size_t)16 * ROWS * (NARROW + COUNT), 2);
  uint8_t *last_row = random_bytes((size_t)NARROW * COUNT, 3);
  uint32_t none[NARROW];
  memset(none, 0xff, sizeof none);
  copy_last(&p, p.left, width, 4, left, NARROW, 0, ROWS, true);
  copy_last(&p, p.right, p.pitch, 4, right, NARROW + COUNT, 0, 4 * ROWS, true);
  follow_last_lines(&p);
  copy_last(&p, p.volumes[1], width, COUNT, ends->costs, 1, 0, ROWS, false);
  for (int i = 0; i < 2; i++)
    copy_last(&p, p.volumes[i], width, COUNT, last_row, NARROW, ROWS - 1, 1, true);
  copy_last(&p, p.right_best, width, 4, none, NARROW, ROWS - 1, 1, true);
  if (width > NARROW) /* the block before them, whose disparities reach to the left */
    copy_rows(p.right_best + (size_t)width * ROWS - 2 * NARROW, 4, none, sizeof none, 1, true);
  find_last_winners(&p);
  copy_last(&p, p.records, width, 4, ends->records, NARROW, ROWS - 1, 1, false);
  copy_last(&p, p.right_best, width, 4, ends->right_best, NARROW - COUNT, ROWS - 1, 1, false);
  stx_guarded_free(left);
  stx_guarded_free(right);
  stx_guarded_free(last_row);
  pair_free(&p);
  return ends;
}

/* In the last 256 of 16384 columns, where a volume has 4.3e9 bytes, as in a narrow picture. */
STX_TEST(volumes_may_be_larger_than_4_gib)
{
  stx_case_cuda();
  if (getenv("STX_PTX") == NULL || !set_last_block(true))
    return;
  Ends *narrow = run_pair(NARROW), *wide = run_pair(WIDE);
  set_last_block(false);
  stx_expect_same(narrow->costs, wide->costs, sizeof narrow->costs, "costs of the last column");
  /* The first disparities of the narrow one reach over its edge. */
  stx_expect_same(narrow->records + COUNT, wide->records + COUNT, 4 * (NARROW - COUNT), "records");
  stx_expect_same(narrow->right_best, wide->right_best, sizeof narrow->right_best, "right view");
  stx_guarded_free(narrow);
  stx_guarded_free(wide);
}
