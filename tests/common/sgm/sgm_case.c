/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/oracle.h"
#include "tests/common/sgm/sgm_case.h"

#include <stdio.h>
#include <string.h>

StxSgmParams sgm_defaults(int width, int height, int max_disparity)
{
  StxSgmParams params = STX_SGM_DEFAULTS;
  params.width = width;
  params.height = height;
  params.max_disparity = max_disparity;
  params.infinity = 0;          /* check_sgm_range.c */
  params.search = STX_SGM_FULL; /* coarse to fine has tests of its own, which ask for it */
  return params;
}

StxSgmParams sgm_random_params(int width, int height, StxRandom *random)
{
  StxSgmParams params = sgm_defaults(width, height, 64 << stx_random_below(random, 3));
  params.paths = 4 << stx_random_below(random, 2);
  params.p2 = stx_random_below(random, STX_SGM_MAX_PENALTY + 1);
  params.p1 = stx_random_below(random, params.p2 + 1);
  params.uniqueness = stx_random_below(random, 2) * stx_random_below(random, 51);
  params.lr_max_diff = stx_random_below(random, 4) - 1;
  static const int textures[] = {-1, 0, 6, 40, 130, 254};
  params.texture = textures[stx_random_below(random, 6)];
  params.median = stx_random_below(random, 3) > 0;
  params.sky = stx_random_below(random, 2);
  return params;
}

SgmPair sgm_new_pair(StxSgmParams params)
{
  SgmPair pair = {params, stx_test_image8(params.width, params.height, 5),
      stx_test_image8(params.width, params.height, 0)};
  StxError error = {""};
  ck_assert_msg(stx_sgm_check(&params, &error), "%s", error.text);
  return pair;
}

void sgm_free_pair(SgmPair *pair)
{
  stx_test_image8_free(&pair->left);
  stx_test_image8_free(&pair->right);
}

/* ---- Fillings ----------------------------------------------------------------------------- */

void sgm_fill_pair(const SgmPair *pair, StxFill fill, int shift, StxRandom *random)
{
  stx_fill8(&pair->left, fill, random);
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height) {
    int from = x + shift < 0                    ? 0
               : x + shift < pair->params.width ? x + shift
                                                : pair->params.width - 1;
    bool noisy = stx_random_below(random, 8) == 0;
    int noise = noisy ? stx_random_below(random, 256) : 0;
    stx_row8(&pair->right, y)[x] = noisy ? (uint8_t)noise : stx_row8(&pair->left, y)[from];
  }
}

void sgm_fill_ramps(const SgmPair *pair, StxRandom *random)
{
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height) {
    int step = 1 + x / 24, noise = stx_random_below(random, 40) == 0;
    stx_row8(&pair->left, y)[x] = (uint8_t)(200 - 20 * (x / 64) + x % step + noise);
    stx_row8(&pair->right, y)[x] = stx_row8(&pair->left, y)[x];
  }
}

void sgm_fill_opposite(const SgmPair *pair, StxRandom *random)
{
  stx_fill8(&pair->left, STX_FILL_NOISE, random);
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height)
    stx_row8(&pair->right, y)[x] = (uint8_t)(255 - stx_row8(&pair->left, y)[x]);
}

/* ---- A sky -------------------------------------------------------------------------------- */

/* Common to the strips of a street. */
typedef struct {
  int gray;         /* of most of what is bright */
  int least, most;  /* gray, of the rest */
  int dark, rough;  /* more than what is dark, and rough, has at most */
  int begin, lower; /* rows in which what is bright ends */
} Mood;

static Mood any_mood(int height, StxRandom *random)
{
  int gray = 80 + stx_random_below(random, 176), night = 24 + stx_random_below(random, 20);
  switch (stx_random_below(random, 3)) {
  case 0:
    return (Mood){gray, gray / 2, gray * 3 / 2, gray, 256, height / 3, height + 1};
  case 1:
    return (Mood){night, 20, 50, night, 64, height / 3, height + 1};
  default: /* far brighter than all the rest */
    return (Mood){gray, 32, 256, 12, 30, height / 5, height * 2 / 3 + 1};
  }
}

/* Some columns: bright between two rows, with noise; else rough, or as dark as `dark`. */
typedef struct {
  int begin, end; /* rows */
  int gray, noise;
  int shift; /* what is bright is near, and the right view shows it; 0: it has noise of its own */
  int dark;  /* < 0: rough, and seen from further right by so much */
  int rough;
} Strip;

static int at_most(int value, int limit)
{
  return value < limit ? value : limit;
}

static int between(int least, int end, StxRandom *random)
{
  return least + stx_random_below(random, end > least ? end - least : 1);
}

static Strip any_strip(const Mood *mood, StxRandom *random)
{
  static const int noises[] = {1, 1, 3, 3, 9, 21};
  Strip s = {.end = between(mood->begin, mood->lower, random), .rough = mood->rough};
  s.begin = stx_random_below(random, 3) == 0 ? between(0, s.end, random) : 0;
  s.gray = stx_random_below(random, 3) == 0 ? at_most(between(mood->least, mood->most, random), 255)
                                            : mood->gray;
  s.noise = noises[stx_random_below(random, 6)];
  s.shift = stx_random_below(random, 3) == 0 ? 1 + stx_random_below(random, 30) : 0;
  s.dark = stx_random_below(random, 2)
               ? stx_random_below(random, mood->dark)
               : -1 - stx_random_below(random, 2) * stx_random_below(random, 30);
  return s;
}

static bool is_bright(const Strip *s, int y)
{
  return y >= s->begin && y < s->end;
}

static uint8_t left_gray(const Strip *s, int y, StxRandom *random)
{
  int noise = stx_random_below(random, s->noise);
  int other = stx_random_below(random, s->dark >= 0 ? 1 : s->rough);
  return (uint8_t)(is_bright(s, y) ? at_most(s->gray + noise, 255)
                                   : other + (s->dark > 0 ? s->dark : 0));
}

static void fill_strip(const SgmPair *pair, int from, int to, const Strip *s, StxRandom *random)
{
  for (int y = 0; y < pair->params.height; y++)
    for (int x = from; x < to; x++)
      stx_row8(&pair->left, y)[x] = left_gray(s, y, random);
  for (int y = 0; y < pair->params.height; y++)
    for (int x = from; x < to; x++) {
      int shift = is_bright(s, y) ? s->shift : s->dark >= 0 ? 0 : -s->dark;
      int other = at_most(x + shift, pair->params.width - 1);
      stx_row8(&pair->right, y)[x] =
          is_bright(s, y) && shift == 0 ? left_gray(s, y, random) : stx_row8(&pair->left, y)[other];
    }
}

void sgm_fill_sky(const SgmPair *pair, StxRandom *random)
{
  int width = pair->params.width, widest = 4 << stx_random_below(random, 5), next;
  Mood mood = any_mood(pair->params.height, random);
  for (int to = width; to > 0; to = next) { /* from the right: what a strip shows is there */
    Strip strip = any_strip(&mood, random);
    next = to - 1 - stx_random_below(random, widest);
    fill_strip(pair, next > 0 ? next : 0, to, &strip, random);
  }
}

int sgm_fill_two_skies(const SgmPair *pair, int left_gray, int right_gray)
{
  int width = pair->params.width, quarter = width / 16 * 4;
  StxRandom random = {3};
  STX_EACH_PIXEL (x, y, width, pair->params.height) {
    int between = stx_random_below(&random, 32);
    int gray = x < quarter ? left_gray : x >= width - quarter ? right_gray : between;
    stx_row8(&pair->left, y)[x] = stx_row8(&pair->right, y)[x] = (uint8_t)gray;
    if (x > quarter && x <= width - quarter) /* one pixel: far, but no cloud */
      stx_row8(&pair->right, y)[x - 1] = (uint8_t)gray;
  }
  return quarter;
}

SgmResult sgm_random_result(const StxSgmParams *params, int share, StxRandom *random)
{
  SgmResult result = sgm_new_result(params);
  int most = 256 * (params->max_disparity - 1);
  int same = stx_random_below(random, 2) * (1 + stx_random_below(random, most));
  int from = stx_random_below(random, 2) * stx_random_below(random, params->width);
  STX_EACH_PIXEL (x, y, params->width, params->height) {
    bool known = x >= from && stx_random_below(random, share) > 0;
    int any = 1 + stx_random_below(random, most);
    stx_row16(&result.disparity, y)[x] = (uint16_t)(!known ? 0 : same > 0 ? same : any);
    stx_row8(&result.confidence, y)[x] = (uint8_t)(known ? stx_random_below(random, 256) : 0);
  }
  return result;
}

/* ---- Runs --------------------------------------------------------------------------------- */

const char *sgm_describe(const StxSgmParams *p, const char *impl, int threads, uint64_t seed)
{
  static char text[200];
  snprintf(text, sizeof text,
      "%s, %d threads, %dx%dx%d, search %d, %d paths, p1 %d, p2 %d, uniqueness %d, lr %d, texture "
      "%d, "
      "median %d, sky %d, seed %llu",
      impl, threads, p->width, p->height, p->max_disparity, p->search, p->paths, p->p1, p->p2,
      p->uniqueness, p->lr_max_diff, p->texture, p->median, p->sky, (unsigned long long)seed);
  return text;
}

const StxSgmImpl *sgm_reference(void)
{
  return oracle(&stx_sgm_impls);
}

SgmResult sgm_new_result(const StxSgmParams *params)
{
  return (SgmResult){stx_test_image16(params->width, params->height, 6),
      stx_test_image8(params->width, params->height, 3)};
}

SgmResult sgm_copy_result(const SgmResult *result)
{
  const StxImage16 *from = &result->disparity;
  SgmResult copy = sgm_new_result(&(StxSgmParams){.width = from->width, .height = from->height});
  for (int y = 0; y < from->height; y++) {
    memcpy(stx_row16(&copy.disparity, y), stx_row16(from, y), 2 * (size_t)from->width);
    memcpy(stx_row8(&copy.confidence, y), stx_row8(&result->confidence, y), (size_t)from->width);
  }
  return copy;
}

SgmResult sgm_run(const StxSgmImpl *impl, const SgmPair *pair, int threads)
{
  const StxSgmParams *p = &pair->params;
  SgmResult result = sgm_new_result(p);
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(p, threads));
  ck_assert(impl->run(p, &pair->left, &pair->right, &result.disparity, &result.confidence, scratch,
      &(StxPlace){.threads = threads}, NULL));
  return result;
}

void sgm_expect_same(const SgmResult *expected, const SgmResult *actual, const char *what)
{
  stx_expect_same_image16(&expected->disparity, &actual->disparity, what);
  stx_expect_same_image8(&expected->confidence, &actual->confidence, what);
}

void sgm_compare_with_reference(const SgmPair *pair, uint64_t seed)
{
  static const int threads[] = {1, 2, 7};
  STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), pair, 1);
  STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls)
    for (size_t t = 0; t < 3; t++) {
      STX_AUTO(SgmResult) actual = sgm_run(impl, pair, threads[t]);
      sgm_expect_same(
          &expected, &actual, sgm_describe(&pair->params, impl->info.name, threads[t], seed));
    }
}

void sgm_free_result(SgmResult *result)
{
  stx_test_image16_free(&result->disparity);
  stx_test_image8_free(&result->confidence);
}
