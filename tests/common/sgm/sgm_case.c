/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/sgm/sgm_case.h"

#include <stdio.h>

StxSgmParams sgm_defaults(int width, int height, int max_disparity)
{
  StxSgmParams params = STX_SGM_DEFAULTS;
  params.width = width;
  params.height = height;
  params.max_disparity = max_disparity;
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
  for (int y = 0; y < pair->params.height; y++)
    for (int x = 0; x < pair->params.width; x++) {
      int from = x + shift < pair->params.width ? x + shift : pair->params.width - 1;
      bool noisy = stx_random_below(random, 8) == 0;
      int noise = noisy ? stx_random_below(random, 256) : 0;
      stx_row8(&pair->right, y)[x] = noisy ? (uint8_t)noise : stx_row8(&pair->left, y)[from];
    }
}

void sgm_fill_ramps(const SgmPair *pair, StxRandom *random)
{
  for (int y = 0; y < pair->params.height; y++)
    for (int x = 0; x < pair->params.width; x++) {
      int step = 1 + x / 24, noise = stx_random_below(random, 40) == 0;
      stx_row8(&pair->left, y)[x] = (uint8_t)(200 - 20 * (x / 64) + x % step + noise);
      stx_row8(&pair->right, y)[x] = stx_row8(&pair->left, y)[x];
    }
}

void sgm_fill_opposite(const SgmPair *pair, StxRandom *random)
{
  stx_fill8(&pair->left, STX_FILL_NOISE, random);
  for (int y = 0; y < pair->params.height; y++)
    for (int x = 0; x < pair->params.width; x++)
      stx_row8(&pair->right, y)[x] = (uint8_t)(255 - stx_row8(&pair->left, y)[x]);
}

/* ---- Runs --------------------------------------------------------------------------------- */

const char *sgm_describe(const StxSgmParams *p, const char *impl, int threads, uint64_t seed)
{
  static char text[200];
  snprintf(text, sizeof text,
      "%s, %d threads, %dx%dx%d, %d paths, p1 %d, p2 %d, uniqueness %d, lr %d, texture %d, "
      "median %d, seed %llu",
      impl, threads, p->width, p->height, p->max_disparity, p->paths, p->p1, p->p2, p->uniqueness,
      p->lr_max_diff, p->texture, p->median, (unsigned long long)seed);
  return text;
}

const StxSgmImpl *sgm_reference(void)
{
  return stx_impl_named(&stx_sgm_impls, "c");
}

SgmResult sgm_new_result(const StxSgmParams *params)
{
  return (SgmResult){stx_test_image16(params->width, params->height, 6),
      stx_test_image8(params->width, params->height, 3)};
}

SgmResult sgm_run(const StxSgmImpl *impl, const SgmPair *pair, int threads)
{
  const StxSgmParams *p = &pair->params;
  SgmResult result = sgm_new_result(p);
  void *scratch = stx_guarded_alloc(impl->scratch_size(p, threads));
  ck_assert(impl->run(p, &pair->left, &pair->right, &result.disparity, &result.confidence, scratch,
      &(StxPlace){.threads = threads}, NULL));
  stx_guarded_free(scratch);
  return result;
}

void sgm_free_result(SgmResult *result)
{
  stx_test_image16_free(&result->disparity);
  stx_test_image8_free(&result->confidence);
}
