/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU against the reference, byte for byte: parameters, layouts, alignments,
 * sizes around the kernels' tiles, holes.
 */
#include "tests/common/colmean/colmean_case.h"
#include "tests/cuda/colmean_run.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>
#include <string.h>

static int at_most(int size, int small)
{
  return stx_test_small() && size > small ? small : size;
}

/* The parts of a case, next to the parameters. */
typedef struct {
  ColmeanLayout layout;
  int padding, shift;
  bool confidence, holes, sky;
  StxFill fill;
  int seed, score_shift;
  int gap; /* unknown columns of pixels, from a quarter of the width on */
} Making;

/* Unknown stretches of random lengths, up to the whole row, in the disparities. */
static void make_holes(ColmeanCase *c, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  for (int y = 0; y < grid->height; y++) {
    uint16_t *row = stx_row16(&c->input.disparity, y);
    int most = 1 << stx_random_below(random, 9);
    bool known = stx_random_below(random, 2);
    for (int x = 0; x < grid->width; known = !known)
      for (int left = 1 + stx_random_below(random, most); left > 0 && x < grid->width; left--, x++)
        if (known)
          row[x] |= 1;
        else
          colmean_hide(c, x, y);
  }
}

static void make_gap(ColmeanCase *c, int gap)
{
  const StxGrid *grid = &c->params.grid;
  for (int y = 0; y < grid->height; y++)
    for (int x = grid->width / 4; x < grid->width / 4 + gap && x < grid->width; x++)
      colmean_hide(c, x, y);
}

static void expect_agreement(const StxColmeanParams *params, const Making *m)
{
  const StxGrid *grid = &params->grid;
  StxRandom random = {m->seed};
  StxError error;
  char what[256];
  STX_AUTO(ColmeanCase) c = colmean_make_scaled_case(
      params, m->score_shift, m->layout, m->padding, m->confidence, m->fill, &random);
  if (!stx_colmean_check(&c.params, &error))
    ck_abort_msg("%s", error.text);
  if (m->holes)
    make_holes(&c, &random);
  make_gap(&c, m->gap);
  if (m->sky)
    colmean_add_sky(&c, &random);
  snprintf(what, sizeof what,
      "cuda, %d×%d in %d×%d, %d classes, reduction %d, semantics %d, layout %d, padding %d, "
      "shift %d, scores of 1/%d, confidence %d, holes %d, sky %d, filled to %d, encoding %d, "
      "fill %d, seed %d",
      grid->width, grid->height, grid->cell_width, grid->cell_height, grid->classes,
      params->reduction, params->semantics, m->layout, m->padding, m->shift, 1 << m->score_shift,
      m->confidence, m->holes, m->sky, params->fill_width, params->disparity.encoding, m->fill,
      m->seed);
  colmean_expect_cuda(&c, m->shift, what);
}

/* ---- Everything at random ------------------------------------------------------------------- */

typedef struct {
  int cell_width, cell_height; /* 0: any */
  int width, height, trials, seed;
} Trials;

static int any_cell(StxRandom *random)
{
  return 1 + stx_random_below(random, 1 << stx_random_below(random, 8));
}

static void expect_random_agreement(const Trials *trials)
{
  StxRandom random = {trials->seed};
  for (int i = 0; i < at_most(trials->trials, 2); i++) {
    StxColmeanParams params = {.reduction = (StxReduction)stx_random_below(&random, 3),
        .semantics = (StxSemantics)stx_random_below(&random, 6),
        .fill_width = stx_random_below(&random, 2) * stx_random_below(&random, 100),
        .disparity = colmean_any_meaning(&random)};
    params.grid = (StxGrid){1 + stx_random_below(&random, at_most(trials->width, 20)),
        1 + stx_random_below(&random, at_most(trials->height, 20)),
        trials->cell_width ? trials->cell_width : any_cell(&random),
        trials->cell_height ? trials->cell_height : any_cell(&random), 0};
    params.grid.coarse = i % 3 ? 0 : i % 5;
    if (params.semantics != STX_SEMANTICS_NONE)
      params.grid.classes = 1 + stx_random_below(&random, i % 2 ? 4 : at_most(STX_MAX_CLASSES, 3));
    int padding = stx_random_below(&random, 40);
    Making making = {.layout = (ColmeanLayout)stx_random_below(&random, COLMEAN_LAYOUTS),
        .padding = i % 3 ? padding : 0,
        .shift = i % 2 ? stx_random_below(&random, 16) : 0,
        .confidence = stx_random_below(&random, 4) > 0,
        .holes = stx_random_below(&random, 2),
        .sky = stx_random_below(&random, 2),
        .fill = (StxFill)stx_random_below(&random, STX_FILL_COUNT),
        .seed = trials->seed + i};
    expect_agreement(&params, &making);
  }
}

STX_TEST(agrees_on_common_cells)
{
  static const Trials trials[] = {{4, 4, 160, 140, 60, 1000}, {8, 8, 200, 140, 60, 2000},
      {2, 2, 80, 70, 30, 3000}, {1, 1, 40, 40, 20, 4000}, {16, 16, 200, 140, 30, 5000}};
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
    expect_random_agreement(&trials[i]);
}

STX_TEST(agrees_on_any_cell)
{
  expect_random_agreement(&(Trials){0, 0, 200, 150, 120, 6000});
}

/* One pixel, one cell, and one cell more or less than the tiles have. */
STX_TEST(agrees_around_tiles)
{
  static const int sizes[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 65};
  static const StxColmeanParams base = {
      .grid = {0, 0, 4, 4, 3}, .reduction = STX_REDUCE_WEIGHTED, .fill_width = 32};
  for (int i = 0; i < at_most(10, 2); i++)
    for (int semantics = STX_SEMANTICS_LABELS; semantics <= STX_SEMANTICS_SCORES_I8; semantics++) {
      StxColmeanParams params = base;
      params.semantics = (StxSemantics)semantics;
      params.grid.width = 4 * sizes[i] - i % 2 * 3;
      params.grid.height = 4 * sizes[(3 * i + semantics) % at_most(10, 3)] - i % 3;
      Making making = {.layout = (ColmeanLayout)((i + semantics) % 2),
          .confidence = i % 4 != 0,
          .sky = i % 2,
          .fill = STX_FILL_STEPS,
          .seed = 7000 + i};
      expect_agreement(&params, &making);
    }
}

/* The widest loads, which need aligned rows and whole cells, and every alignment that is less. */
STX_TEST(agrees_on_all_alignments)
{
  for (int shift = 0; shift < at_most(17, 1); shift++)
    for (int wide = 0; wide < 2; wide++) {
      StxColmeanParams params = {.grid = {96, 12, wide ? 8 : 4, wide ? 8 : 4, 3},
          .reduction = STX_REDUCE_WEIGHTED,
          .semantics = (StxSemantics)(STX_SEMANTICS_LABELS + shift % 5)};
      for (int layout = 0; layout < 2; layout++)
        for (int padding = 0; padding < 32; padding += 16) {
          Making making = {.layout = (ColmeanLayout)layout,
              .padding = padding + (wide ? 0 : shift % 5),
              .shift = shift % 16,
              .confidence = true,
              .sky = layout,
              .fill = STX_FILL_NOISE,
              .seed = 8000 + shift};
          expect_agreement(&params, &making);
        }
    }
}

/* The largest cells, the thinnest, and as many classes as there can be. */
STX_TEST(agrees_on_extreme_cells)
{
  static const StxGrid grids[] = {{20, 18, 17, 16, 2}, {130, 130, 128, 128, 2},
      {300, 20, 128, 1, 3}, {20, 300, 1, 128, 3}, {1, 1, 128, 128, 32}, {200, 100, 64, 32, 5},
      {129, 40, 16, 17, 32}, {257, 3, 127, 3, 19}, {90, 140, 3, 100, 2}};
  for (size_t g = 0; g < (size_t)at_most(9, 1); g++)
    for (int semantics = STX_SEMANTICS_NONE; semantics <= STX_SEMANTICS_SCORES_I8; semantics++) {
      StxColmeanParams params = {.grid = grids[g],
          .reduction = (StxReduction)((g + semantics) % 3),
          .semantics = (StxSemantics)semantics,
          .fill_width = 300};
      if (semantics == STX_SEMANTICS_NONE)
        params.grid.classes = 0;
      Making making = {.layout = (ColmeanLayout)((g + semantics) % COLMEAN_LAYOUTS),
          .padding = (int)g,
          .confidence = g % 3 != 0,
          .sky = semantics % 2,
          .fill = g % 2 ? STX_FILL_NOISE : STX_FILL_HIGH,
          .seed = 9000 + (int)g};
      expect_agreement(&params, &making);
    }
}

STX_TEST(agrees_on_the_surest_sky)
{
  for (int side = 1; side <= at_most(128, 4); side *= 2) {
    STX_AUTO(ColmeanCase) c = colmean_surest_sky(side);
    colmean_expect_cuda(&c, 0, "the surest sky");
  }
}

/* Sums as large as they get: all that the accumulators have to hold. */
STX_TEST(agrees_on_the_largest_sums)
{
  for (int reduction = STX_REDUCE_MEAN; reduction <= STX_REDUCE_MEDIAN; reduction++)
    for (int side = 1; side <= at_most(128, 4); side *= 2) {
      StxColmeanParams params = {.grid = {side, side, side, side, 1},
          .reduction = (StxReduction)reduction,
          .semantics = side % 3 == 1 ? STX_SEMANTICS_SCORES_F32 : STX_SEMANTICS_SCORES_U8};
      Making making = {.confidence = true, .fill = STX_FILL_HIGH, .seed = 10000 + side};
      expect_agreement(&params, &making);
      making.score_shift = 1 + reduction;
      expect_agreement(&params, &making);
    }
}

/* ---- Scores of a fraction of the size ------------------------------------------------------- */

/* Cells that share scores, cells that do not, every type, layout and alignment. */
STX_TEST(agrees_on_scores_of_a_fraction)
{
  StxRandom random = {13};
  for (int i = 0; i < at_most(108, 4); i++) {
    int cell = i % 4 < 3 ? 2 << i % 4 : 0;
    StxColmeanParams params = {.reduction = STX_REDUCE_MEAN,
        .semantics = (StxSemantics)(STX_SEMANTICS_SCORES_U8 + (i + i / 4) % 4),
        .grid = {1 + stx_random_below(&random, at_most(i % 5 ? 150 : 700, 20)),
            1 + stx_random_below(&random, at_most(100, 20)), cell ? cell : any_cell(&random),
            cell ? cell : any_cell(&random), 1 + stx_random_below(&random, at_most(20, 3))}};
    Making making = {.layout = (ColmeanLayout)(i / 3 % COLMEAN_LAYOUTS),
        .score_shift = 1 + i / 9 % STX_SCORE_SHIFT_MAX,
        .padding = i % 2 ? stx_random_below(&random, 40) : 0,
        .shift = i % 2 ? stx_random_below(&random, 16) : 0,
        .fill = (StxFill)stx_random_below(&random, STX_FILL_COUNT),
        .seed = 12000 + i};
    expect_agreement(&params, &making);
  }
}

/* Tiles of one cell, two scores wide if it begins where a score does, else three; and a score is
 * a whole number of chunks, so that nothing is read in passing. */
STX_TEST(agrees_where_tiles_share_scores)
{
  static const StxColmeanParams params = {
      .grid = {150, 20, 15, 15, 16}, .semantics = STX_SEMANTICS_SCORES_F32};
  expect_agreement(&params,
      &(Making){
          .layout = COLMEAN_INTERLEAVED, .score_shift = 3, .fill = STX_FILL_NOISE, .seed = 13000});
}

/* ---- Smooth surfaces ------------------------------------------------------------------------ */

/* Disparities that differ in their lowest `bits` bits within blocks of 16 × 16 pixels; one in
 * `unknown` has none, if that is not 0. */
static void make_smooth(ColmeanCase *c, int bits, int unknown, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  uint16_t base[64];
  for (int i = 0; i < 64; i++)
    base[i] = (uint16_t)(stx_random_below(random, 65536) >> bits << bits);
  for (int y = 0; y < grid->height; y++)
    for (int x = 0; x < grid->width; x++) {
      uint16_t d = base[(x / 16 + y / 16 * 7) % 64] | stx_random_below(random, 1 << bits);
      bool known = unknown == 0 || stx_random_below(random, unknown) > 0;
      stx_row16(&c->input.disparity, y)[x] = known ? d : 0;
    }
}

/* Values so near one another that their median need not be known, and just beyond. */
STX_TEST(agrees_on_smooth_surfaces)
{
  static const int cells[] = {2, 4, 8, 16, 32};
  StxRandom random = {15};
  for (int bits = 8; bits <= at_most(13, 10); bits++)
    for (int k = 0; k < at_most(15, 2); k++) {
      int cell = cells[k % 5];
      StxColmeanParams params = {.grid = {at_most(160, 33), at_most(64, 18), cell, cell, 0},
          .reduction = k < 10 ? STX_REDUCE_WEIGHTED : STX_REDUCE_MEDIAN};
      STX_AUTO(ColmeanCase) c =
          colmean_make_case(&params, COLMEAN_PLANAR, 0, k % 2, STX_FILL_NOISE, &random);
      make_smooth(&c, bits, k < 5 ? 0 : 9, &random);
      colmean_expect_cuda(&c, 0, "smooth surfaces");
    }
}

/* ---- Holes ---------------------------------------------------------------------------------- */

/* Cells that rows of blocks own, one or four threads each, and cells smaller and larger; more
 * columns than a block has threads; holes across words of 32 columns. */
STX_TEST(agrees_on_holes_of_any_width)
{
  static const int widths[] = {7, 0, 1, 2, 3, 16, 31, 32, 33, 64, 100, 300, STX_FILL_WIDTH_MAX};
  static const int cells[] = {1, 2, 4, 7, 17};
  for (int i = 0; i < at_most(13, 1); i++)
    for (int k = 0; k < 5; k++)
      for (int semantics = STX_SEMANTICS_NONE; semantics <= STX_SEMANTICS_SCORES_U8; semantics++) {
        int cell = cells[k];
        if ((k > 1 && i % 3 != k - 2) || (i + k + semantics) % 2)
          continue;
        StxColmeanParams params = {
            .grid = {at_most(300 * cell, 40), at_most(k < 2 ? 40 : 2 * cell, 4), cell, cell, 0},
            .reduction = STX_REDUCE_MEDIAN,
            .semantics = (StxSemantics)semantics,
            .fill_width = widths[i]};
        params.grid.classes = semantics == STX_SEMANTICS_NONE ? 0 : 1;
        Making making = {.holes = true,
            .confidence = cell % 2 == 0,
            .sky = i % 2,
            .fill = STX_FILL_NOISE,
            .seed = 11000 + i};
        expect_agreement(&params, &making);
      }
}

/* More cells to a row than a block can hold, so that they have a launch of their own. */
STX_TEST(agrees_on_long_rows)
{
  for (int cell = 1; cell <= 5; cell += 4) {
    StxColmeanParams params = {.grid = {at_most(10300, 40), cell, 1, cell, 0},
        .reduction = STX_REDUCE_WEIGHTED,
        .fill_width = 100};
    expect_agreement(
        &params, &(Making){.holes = true, .fill = STX_FILL_NOISE, .seed = 14000 + cell});
  }
}

/* All halves, clean ones in some chunks and not in others. */
STX_TEST(agrees_on_all_halves)
{
  for (int side = 1; side <= at_most(4, 1); side *= 4) {
    int height = at_most(256, 2);
    StxColmeanParams params = {
        .grid = {256, height, side, 1, 1}, .semantics = STX_SEMANTICS_SCORES_F16};
    StxRandom random = {14};
    STX_AUTO(ColmeanCase) c =
        colmean_make_case(&params, COLMEAN_PLANAR, 0, false, STX_FILL_NOISE, &random);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < 256; x++) {
        uint16_t half = (uint16_t)(x << 8 | y);
        memcpy(c.scores.data + 2 * (256 * y + x), &half, sizeof half);
      }
    colmean_expect_cuda(&c, 0, "all halves");
  }
}

/* ---- Every kernel --------------------------------------------------------------------------- */

/* The properties that decide which kernel reads the classes. */
typedef struct {
  StxSemantics semantics;
  ColmeanLayout layout;
  int score_shift;
} Reading;

/* Whole cells at aligned addresses; or any, and a gap of more cells than a word has bits. What is
 * not given is drawn. */
static void expect_any_agreement(
    const Reading *reading, int width, int height, bool whole, StxReduction reduction, int seed)
{
  StxRandom random = {seed};
  int columns = whole ? 16 : 61 + stx_random_below(&random, 30);
  StxColmeanParams params = {.reduction = reduction,
      .semantics = reading->semantics,
      .fill_width = whole ? 0 : 90 * width,
      .grid = {columns * width, height, width, height, 0}};
  if (!whole) {
    params.grid.width -= stx_random_below(&random, width);
    params.grid.height += height / 2;
  }
  if (reading->semantics != STX_SEMANTICS_NONE)
    params.grid.classes = whole ? 16 : 1 + stx_random_below(&random, 3);
  Making making = {.layout = reading->layout,
      .score_shift = reading->score_shift,
      .padding = whole ? 0 : stx_random_below(&random, 20),
      .shift = whole ? 0 : stx_random_below(&random, 16),
      .confidence = stx_random_below(&random, 4) > 0,
      .holes = stx_random_below(&random, 2),
      .gap = whole ? 0 : (40 + stx_random_below(&random, 60)) * width,
      .sky = stx_random_below(&random, 2),
      .fill = stx_random_below(&random, 2) ? STX_FILL_NOISE : STX_FILL_STEPS,
      .seed = seed};
  expect_agreement(&params, &making);
}

/* Few cases, but for each kernel that reads classes, and with each number of threads to a cell. */
STX_TEST(agrees_in_every_kernel)
{
  static const Reading readings[] = {{STX_SEMANTICS_NONE, COLMEAN_PLANAR, 0},
      {STX_SEMANTICS_LABELS, COLMEAN_PLANAR, 0}, {STX_SEMANTICS_SCORES_U8, COLMEAN_PLANAR, 0},
      {STX_SEMANTICS_SCORES_U8, COLMEAN_INTERLEAVED, 0},
      {STX_SEMANTICS_SCORES_U8, COLMEAN_PLANAR, 1}, {STX_SEMANTICS_SCORES_F16, COLMEAN_PLANAR, 0},
      {STX_SEMANTICS_SCORES_F16, COLMEAN_INTERLEAVED, 0},
      {STX_SEMANTICS_SCORES_F16, COLMEAN_INTERLEAVED, 2},
      {STX_SEMANTICS_SCORES_F32, COLMEAN_PLANAR, 0},
      {STX_SEMANTICS_SCORES_F32, COLMEAN_INTERLEAVED, 0},
      {STX_SEMANTICS_SCORES_F32, COLMEAN_PLANAR, 1}};
  static const int cells[][2] = {
      {1, 1}, {2, 2}, {3, 3}, {4, 4}, {8, 8}, {16, 2}, {16, 5}, {20, 13}};
  for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++)
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
      for (int round = 0; round < (stx_test_small() ? 1 : 3); round++)
        expect_any_agreement(&readings[i], cells[k][0], cells[k][1], (i + k + round) % 2 == 0,
            (StxReduction)((i + k + round / 2) % 3), 15000 + (int)(100 * i + 13 * k) + round);
}

/* ---- Offsets -------------------------------------------------------------------------------- */

/* Classes 3 GiB apart, the last row 5.25 GiB from the first. Only where memory is plentiful:
 * the emulated device has 4 GB. */
STX_TEST(offsets_are_64_bits_wide)
{
  enum { WIDTH = 32, HEIGHT = 4, CLASSES = 2 };
  const size_t row_stride = (size_t)3 << 28, size = (CLASSES * HEIGHT - 1) * row_stride + WIDTH;
  if (size > stx_cuda_info(stx_case_cuda())->memory / 2) {
    printf("offsets beyond 32 bits: skipped, too little memory on this GPU\n");
    return;
  }
  StxColmeanParams params = {.grid = {WIDTH, HEIGHT, 4, 4, CLASSES},
      .reduction = STX_REDUCE_WEIGHTED,
      .semantics = STX_SEMANTICS_SCORES_U8};
  StxRandom random = {12};
  StxError error = {""};
  void *memory;
  STX_AUTO(ColmeanCase) c =
      colmean_make_case(&params, COLMEAN_PLANAR, 0, true, STX_FILL_NOISE, &random);
  STX_GUARDED uint16_t *expected = colmean_run(colmean_reference(), &c, 1);
  stx_case_ok(stx_cuda_alloc(stx_case_cuda(), size, &memory, &error), &error, "memory for scores");
  for (int row = 0; row < CLASSES * HEIGHT; row++)
    stx_device_upload((char *)memory + row * row_stride, c.scores.data + row * WIDTH, WIDTH);
  ColmeanDevice device = colmean_upload(&c, 0);
  device.input.scores = memory;
  device.input.row_stride = row_stride;
  device.input.class_stride = HEIGHT * row_stride;
  STX_GUARDED uint16_t *actual = colmean_run_cuda(&c.params, &device.input, "rows far apart");
  stx_expect_same(expected, actual, stx_grid_bytes(&params.grid), "rows far apart");
  stx_cuda_free(stx_case_cuda(), memory);
  colmean_free_device(&device);
}
