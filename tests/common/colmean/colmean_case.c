/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/colmean/colmean_case.h"
#include "tests/common/oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/pages.h"

/* ---- Inputs that end where a page ends, so that reading beyond them is a fault ------------- */

static ColmeanBytes bytes_alloc(size_t size)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
  ColmeanBytes bytes = {.size = size, .mapped = used + page};
  bytes.map = mmap(NULL, bytes.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(bytes.map, MAP_FAILED);
  ck_assert_int_eq(mprotect(bytes.map + used, page, PROT_NONE), 0);
  bytes.data = bytes.map + used - size;
  return bytes;
}

static void bytes_free(ColmeanBytes *bytes)
{
  munmap(bytes->map, bytes->mapped);
}

/* ---- A case: parameters, input and where its memory is ------------------------------------ */

static StxImage16 view16(const StxGrid *grid, int padding, ColmeanBytes *bytes)
{
  ptrdiff_t stride = 2 * grid->width + 2 * padding;
  *bytes = bytes_alloc(stride * (grid->height - 1) + 2 * grid->width);
  return (StxImage16){(uint16_t *)bytes->data, stride, grid->width, grid->height};
}

static StxImage8 view8(const StxGrid *grid, int padding, ColmeanBytes *bytes)
{
  ptrdiff_t stride = grid->width + padding;
  *bytes = bytes_alloc(stride * (grid->height - 1) + grid->width);
  return (StxImage8){bytes->data, stride, grid->width, grid->height};
}

static StxImageFloat view_float(const StxGrid *grid, int padding, ColmeanBytes *bytes)
{
  ptrdiff_t stride = 4 * grid->width + 4 * padding;
  *bytes = bytes_alloc(stride * (grid->height - 1) + 4 * grid->width);
  return (StxImageFloat){(float *)(void *)bytes->data, stride, grid->width, grid->height};
}

StxDisparityMeaning colmean_any_meaning(StxRandom *random)
{
  static const double products[] = {0.5, 56.7, 389, 1e6};
  if (stx_random_below(random, 2))
    return (StxDisparityMeaning){STX_DISPARITY_AUTO};
  StxDisparityMeaning meaning = {.encoding = (StxDisparityEncoding)stx_random_below(random, 7),
      .focal_baseline = products[stx_random_below(random, 4)]};
  if (stx_random_below(random, 3) > 0)
    return meaning;
  meaning.minimum = stx_random_below(random, 65) - 32;
  meaning.scale = stx_random_below(random, 9) / 4.0;
  meaning.offset = stx_random_below(random, 400) / 10.0 - 20;
  return meaning;
}

/* A number that makes that many steps, or is next to it; or any number. */
static float noise_number(const StxDisparityMeaning *meaning, int steps, StxRandom *random)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, -1, 0, -0.0f, FLT_MIN, 1e-40f, -1e-40f,
      FLT_MAX, -FLT_MAX, 1e30f, 1e-30f, 1.0f / 512, 0.99999994f / 512, 65535.49f / 256, 256};
  size_t i = (size_t)stx_random_below(random, 128);
  if (i < sizeof odd / sizeof odd[0])
    return odd[i];
  float pixels = (float)steps / 256 + (float)stx_random_below(random, 1000) / 256000;
  return stx_disparity_is_depth(meaning->encoding) ? (float)meaning->focal_baseline / pixels
                                                   : pixels;
}

/* Beside the map of 16 bits, from which they are. */
static void make_floats(ColmeanCase *c, int padding, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  c->input.floats = view_float(grid, padding, &c->floats);
  STX_EACH_PIXEL (x, y, grid->width, grid->height)
    ((float *)stx_row_float(&c->input.floats, y))[x] =
        noise_number(&c->params.disparity, stx_row16(&c->input.disparity, y)[x], random);
}

void colmean_hide(ColmeanCase *c, int x, int y)
{
  stx_row16(&c->input.disparity, y)[x] = 0;
  if (c->input.floats.data != NULL)
    ((float *)stx_row_float(&c->input.floats, y))[x] = NAN;
}

static float noise_float(StxRandom *random)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, -1, -0.0f, 1, 1.5f, 1e-30f, 1e30f,
      0.5f / 65535, 1.5f / 65535, 0.99999994f, 3.4028234e38f};
  int i = stx_random_below(random, 64);
  return i < 13 ? odd[i] : (float)stx_random(random) / 4294967296.0f;
}

/* Any binary16, half of them probabilities. */
static uint16_t noise_half(StxRandom *random)
{
  return (uint16_t)(stx_random_below(random, 2) ? stx_random_below(random, 0x10000)
                                                : stx_random_below(random, 0x3c01));
}

static void put_score(const ColmeanCase *c, StxFill fill, void *at, StxRandom *random)
{
  StxSemantics semantics = c->params.semantics;
  if (semantics == STX_SEMANTICS_SCORES_U8 || semantics == STX_SEMANTICS_SCORES_I8) {
    uint8_t p = fill == STX_FILL_LOW ? 0 : fill == STX_FILL_HIGH ? 255 : stx_random(random);
    *(uint8_t *)at = semantics == STX_SEMANTICS_SCORES_I8 ? p ^ 0x80 : p;
  } else if (semantics == STX_SEMANTICS_SCORES_F16) {
    uint16_t p = fill == STX_FILL_LOW ? 0 : fill == STX_FILL_HIGH ? 0x3c00 : noise_half(random);
    memcpy(at, &p, sizeof p);
  } else {
    float p = fill == STX_FILL_LOW ? 0 : fill == STX_FILL_HIGH ? 1 : noise_float(random);
    memcpy(at, &p, sizeof p);
  }
}

typedef struct {
  int width, height, classes;
} ScoreImage;

static ScoreImage score_image(const ColmeanCase *c)
{
  const StxGrid *grid = &c->params.grid;
  int shift = c->input.score_shift;
  return (ScoreImage){
      stx_score_side(grid->width, shift), stx_score_side(grid->height, shift), grid->classes};
}

/* COLMEAN_MIXED: rows of one class, one below the other, as neither of the usual layouts. */
static void make_scores(
    ColmeanCase *c, ColmeanLayout layout, int padding, StxFill fill, StxRandom *random)
{
  StxColmeanInput *in = &c->input;
  ScoreImage image = score_image(c);
  ptrdiff_t size = (ptrdiff_t)stx_colmean_score_size(c->params.semantics);
  in->pixel_stride = layout == COLMEAN_INTERLEAVED ? size * (image.classes + padding % 3)
                     : layout == COLMEAN_MIXED     ? size + padding
                                                   : size;
  ptrdiff_t row = in->pixel_stride * (image.width - 1) + size;
  if (layout == COLMEAN_INTERLEAVED)
    row += size * (image.classes - 1);
  in->row_stride = layout == COLMEAN_MIXED ? (row + padding) * image.classes : row + padding;
  in->class_stride = layout == COLMEAN_INTERLEAVED ? size
                     : layout == COLMEAN_MIXED     ? row + padding
                                                   : in->row_stride * image.height + padding;
  c->scores =
      bytes_alloc(in->pixel_stride * (image.width - 1) + in->row_stride * (image.height - 1) +
                  in->class_stride * (image.classes - 1) + size);
  in->scores = c->scores.data;
  for (int k = 0; k < image.classes; k++)
    STX_EACH_PIXEL (x, y, image.width, image.height)
      put_score(c, fill,
          c->scores.data + k * in->class_stride + y * in->row_stride + x * in->pixel_stride,
          random);
}

static void make_labels(ColmeanCase *c, int padding, StxFill fill, StxRandom *random)
{
  c->input.labels = view8(&c->params.grid, padding, &c->labels);
  stx_fill8(&c->input.labels, fill, random);
  for (int i = 0; i < 256; i++) {
    int class = stx_random_below(random, c->params.grid.classes + 1);
    c->params.label_map[i] = class < c->params.grid.classes ? (uint8_t) class : 255;
  }
}

ColmeanCase colmean_make_case(const StxColmeanParams *params, ColmeanLayout layout, int padding,
    bool confidence, StxFill fill, StxRandom *random)
{
  return colmean_make_scaled_case(params, 0, layout, padding, confidence, fill, random);
}

ColmeanCase colmean_make_scaled_case(const StxColmeanParams *params, int score_shift,
    ColmeanLayout layout, int padding, bool confidence, StxFill fill, StxRandom *random)
{
  static const int max[] = {300, 30000, 65535};
  ColmeanCase c = {.params = *params, .input.score_shift = score_shift};
  c.input.disparity = view16(&params->grid, padding, &c.disparity);
  stx_fill16(&c.input.disparity, fill, max[stx_random_below(random, 3)], random);
  if (stx_disparity_is_float(params->disparity.encoding))
    make_floats(&c, padding, random);
  if (confidence) {
    c.input.confidence = view8(&params->grid, padding, &c.confidence);
    stx_fill8(&c.input.confidence, fill == STX_FILL_LOW ? STX_FILL_NOISE : fill, random);
  }
  if (params->semantics == STX_SEMANTICS_LABELS)
    make_labels(&c, padding, fill, random);
  else if (params->semantics != STX_SEMANTICS_NONE)
    make_scores(&c, layout, padding, fill, random);
  return c;
}

/* One block of pixels: share in eight of them are unknown, and `sure` in four of these sky. */
static void add_sky_block(ColmeanCase *c, int x0, int y0, int side, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  int share = 2 * stx_random_below(random, 5), sure = stx_random_below(random, 5);
  for (int y = y0; y < y0 + side && y < grid->height; y++)
    for (int x = x0; x < x0 + side && x < grid->width; x++) {
      if (stx_random_below(random, 8) >= share)
        continue;
      colmean_hide(c, x, y);
      bool sky = stx_random_below(random, 4) < sure;
      uint8_t *confidence = &stx_row8(&c->input.confidence, y)[x];
      *confidence = (uint8_t)(!sky ? 0 : *confidence > 0 ? *confidence : 1);
    }
}

void colmean_add_sky(ColmeanCase *c, StxRandom *random)
{
  int side = 1 << stx_random_below(random, 7);
  c->input.confidence_is_sky = true;
  if (c->input.confidence.data == NULL)
    return;
  for (int y = 0; y < c->params.grid.height; y += side)
    for (int x = 0; x < c->params.grid.width; x += side)
      add_sky_block(c, x, y, side, random);
}

ColmeanCase colmean_surest_sky(int side)
{
  StxColmeanParams params = {.grid = {side, side, side, side, 0}};
  StxRandom random = {1};
  ColmeanCase c = colmean_make_case(&params, COLMEAN_PLANAR, 0, true, STX_FILL_HIGH, &random);
  c.input.confidence_is_sky = true;
  memset(c.disparity.data, 0, c.disparity.size);
  return c;
}

void colmean_free_case(ColmeanCase *c)
{
  bytes_free(&c->disparity);
  if (c->floats.map)
    bytes_free(&c->floats);
  if (c->confidence.map)
    bytes_free(&c->confidence);
  if (c->labels.map)
    bytes_free(&c->labels);
  if (c->scores.map)
    bytes_free(&c->scores);
}

/* Runs an implementation into guarded memory that the caller frees. */
uint16_t *colmean_run(const StxColmeanImpl *impl, const ColmeanCase *c, int threads)
{
  static StxColmeanTables tables;
  if (tables.class_cost[0] == 0)
    stx_colmean_prepare(&tables);
  uint16_t *columns = stx_guarded_alloc(stx_grid_bytes(&c->params.grid));
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&c->params, threads));
  ck_assert(impl->run(
      &c->params, &tables, &c->input, columns, scratch, &(StxPlace){.threads = threads}, NULL));
  stx_guarded_check(columns);
  return columns;
}

const StxColmeanImpl *colmean_reference(void)
{
  return oracle(&stx_colmean_impls);
}

/* Every usable implementation against the reference, with one thread and with `threads`. */
void colmean_expect_all_same(const ColmeanCase *c, int threads, const char *what)
{
  STX_GUARDED uint16_t *expected = colmean_run(colmean_reference(), c, 1);
  STX_EACH_IMPL (StxColmeanImpl, impl, &stx_colmean_impls)
    for (int many = 0; many < 2 && impl != colmean_reference(); many++) {
      char text[256];
      int used = many ? threads : 1;
      snprintf(text, sizeof text, "%s, %d threads, %s", impl->info.name, used, what);
      STX_GUARDED uint16_t *actual = colmean_run(impl, c, used);
      stx_expect_same(expected, actual, stx_grid_bytes(&c->params.grid), text);
    }
}
