/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/sgm/sgm_brute_sky.h"

#include <math.h>
#include <string.h>

#define NEARLY 1e-9 /* less than what two different ratios of tiles differ by */

int brute_census_bit(const StxImage8 *image, int x, int y, int dx, int dy)
{
  const uint8_t *before = stx_row8(image, brute_clamp(y + dy, image->height));
  const uint8_t *behind = stx_row8(image, brute_clamp(y - dy, image->height));
  return before[brute_clamp(x + dx, image->width)] > behind[brute_clamp(x - dx, image->width)];
}

int brute_cost(const SgmPair *pair, int x, int y, int d)
{
  int match = x - d < 0 ? 0 : x - d, differ = 0, bits = 0;
  for (int dy = -3; dy <= 0; dy++)
    for (int dx = -4; dx <= 4 && (dy < 0 || dx < 0); dx++, bits++)
      differ += brute_census_bit(&pair->left, x, y, dx, dy) !=
                brute_census_bit(&pair->right, match, y, dx, dy);
  if (bits != 31) /* not ck_assert, which is slow */
    ck_abort_msg("a word of %d bits", bits);
  return differ;
}

/* ---- Tiles -------------------------------------------------------------------------------- */

typedef struct {
  int tiles, pixels, samples, votes;
  double light;
} Patch;

typedef struct {
  const SgmPair *pair;
  const SgmResult *result;
  int columns, rows;
  double mean; /* of the frame */
  bool candidate[BRUTE_TILES];
  int patch[BRUTE_TILES];     /* its leftmost tile at the top edge, or −1 */
  Patch patches[BRUTE_TILES]; /* by that; and the next */
  bool is_sky[BRUTE_TILES];
} Sky;

/* What the pixels of a rectangle of tiles have, as far as they are in the image. */
typedef struct {
  int pixels, least, most;
  double sum;
} Grays;

static Grays grays(const SgmPair *pair, int left, int top, int right, int bottom)
{
  Grays g = {0, 255, 0, 0};
  for (int y = 4 * top; y < 4 * bottom + 4; y++)
    for (int x = 4 * left; x < 4 * right + 4; x++) {
      if (x < 0 || x >= pair->left.width || y < 0 || y >= pair->left.height)
        continue;
      int gray = pair->left.data[y * pair->left.stride + x];
      g.pixels++;
      g.sum += gray;
      g.least = gray < g.least ? gray : g.least;
      g.most = gray > g.most ? gray : g.most;
    }
  return g;
}

static Grays tile(const Sky *s, int i, int j)
{
  return grays(s->pair, i, j, i, j);
}

/* At most 1.5 px of disparity at its centre. */
static bool is_cloud(const Sky *s, int i, int j)
{
  int x = 4 * i + 2, y = 4 * j + 2, width = s->pair->left.width, height = s->pair->left.height;
  int disparity =
      stx_row16(&s->result->disparity, y < height ? y : height - 1)[x < width ? x : width - 1];
  return disparity > 0 && disparity <= 384;
}

static bool is_candidate(const Sky *s, int i, int j)
{
  Grays own = tile(s, i, j), around = grays(s->pair, i - 1, j - 1, i + 1, j + 1);
  double mean = own.sum / own.pixels;
  return mean >= 32 && mean >= .75 * s->mean - NEARLY &&
         (around.most - around.least <= 20 || is_cloud(s, i, j));
}

static bool is_inside(const Sky *s, int i, int j)
{
  return i >= 0 && i < s->columns && j >= 0 && j < s->rows;
}

static void flood(Sky *s, int i, int j, int name)
{
  if (!is_inside(s, i, j))
    return;
  int at = j * s->columns + i;
  if (!s->candidate[at] || s->patch[at] >= 0)
    return;
  s->patch[at] = name;
  flood(s, i - 1, j, name);
  flood(s, i + 1, j, name);
  flood(s, i, j - 1, name);
  flood(s, i, j + 1, name);
}

static void find_patches(Sky *s, BruteSky *met)
{
  int count = s->columns * s->rows;
  for (int at = 0; at < count; at++) {
    s->candidate[at] = is_candidate(s, at % s->columns, at / s->columns);
    s->patch[at] = -1;
  }
  for (int i = 0; i < s->columns; i++) {
    met->joined += s->candidate[i] && s->patch[i] >= 0 && !s->candidate[i - 1];
    flood(s, i, 0, i);
  }
  for (int at = 0; at < count; at++)
    met->below += s->candidate[at] && s->patch[at] < 0;
}

/* ---- Patches ------------------------------------------------------------------------------ */

static bool is_sample(const Sky *s, int i, int j, int disparity)
{
  for (int k = 0; k < 9; k++) {
    int u = i + k % 3 - 1, v = j + k / 3 - 1;
    if (is_inside(s, u, v) && !s->candidate[v * s->columns + u])
      return false;
  }
  return disparity > 0;
}

static void add_tile(Sky *s, int i, int j)
{
  Patch *patch = &s->patches[s->patch[j * s->columns + i]];
  Grays g = tile(s, i, j);
  int x = 4 * i + 2 < s->pair->left.width ? 4 * i + 2 : s->pair->left.width - 1;
  int y = 4 * j + 2 < s->pair->left.height ? 4 * j + 2 : s->pair->left.height - 1;
  int disparity = stx_row16(&s->result->disparity, y)[x];
  patch->tiles++;
  patch->pixels += g.pixels;
  patch->light += g.sum;
  if (is_sample(s, i, j, disparity)) {
    patch->samples++;
    patch->votes += brute_cost(s->pair, x, y, 0) -
                    brute_cost(s->pair, x, y, (int)floor(disparity / 256.0 + .5));
  }
}

/* Sixteenths of the frame's, rounded down. */
static double brightness(const Sky *s, const Patch *patch)
{
  double ratio = s->mean > 0 ? patch->light / patch->pixels / s->mean : 4;
  return floor(16 * fmin(ratio, 4) + NEARLY) / 16;
}

static bool is_far(const Sky *s, const Patch *patch)
{
  if (patch->samples == 0)
    return true;
  double mean = (double)patch->votes / patch->samples, bright = brightness(s, patch);
  double share = (double)patch->tiles / patch->samples;
  return mean <= .8 * (1 + fmin(bright, 3)) + .2 * share + NEARLY;
}

/* The far patch that tells how bright the sky is, or −1. A patch of which one in `trusted` is a
 * sample counts twice. */
static int choose(const Sky *s, int trusted, BruteSky *met)
{
  int best = -1, most = 0;
  for (int k = 0; k < s->columns; k++) {
    const Patch *patch = &s->patches[k];
    if (patch->tiles == 0 || !is_far(s, patch))
      continue;
    int weight = patch->tiles * (patch->samples * trusted >= patch->tiles ? 2 : 1);
    met->tied += weight == most;
    best = weight > most ? k : best;
    most = weight > most ? weight : most;
  }
  return best;
}

static void find_sky(Sky *s, BruteSky *met)
{
  BruteSky ignored = {0};
  int best = choose(s, 8, met);
  met->trusted += best != choose(s, 0, &ignored);
  for (int k = 0; k < s->columns; k++) {
    const Patch *patch = &s->patches[k];
    if (patch->tiles == 0)
      continue;
    double ratio = best < 0 ? 0 : brightness(s, patch) / brightness(s, &s->patches[best]);
    bool far = is_far(s, patch), alike = ratio <= 1.8 + NEARLY && 1 / ratio <= 1.8 + NEARLY;
    s->is_sky[k] = far && alike;
    met->glaring += brightness(s, patch) > 3;
    met->bare += patch->samples == 0;
    met->far += far && patch->samples > 0;
    met->near += !far;
    met->unlike += far && !alike;
  }
}

/* ---- The sky ------------------------------------------------------------------------------ */

static bool in_sky(const Sky *s, int i, int j)
{
  int patch = is_inside(s, i, j) ? s->patch[j * s->columns + i] : -1;
  return patch >= 0 && s->is_sky[patch];
}

static bool is_margin(const Sky *s, int i, int j, BruteSky *met)
{
  Grays own = tile(s, i, j);
  for (int k = 0; k < 9; k++) {
    int u = i + k % 3 - 1, v = j + k / 3 - 1;
    if (!in_sky(s, u, v))
      continue;
    Grays sky = tile(s, u, v);
    bool smooth = fmax(own.most, sky.most) - fmin(own.least, sky.least) <= 20;
    met->margin += smooth;
    met->rough += !smooth;
    if (smooth)
      return true;
  }
  return false;
}

static void mark(const Sky *s, int i, int j)
{
  for (int y = 4 * j; y < 4 * j + 4; y++)
    for (int x = 4 * i; x < 4 * i + 4; x++)
      if (x < s->pair->left.width && y < s->pair->left.height) {
        stx_row16(&s->result->disparity, y)[x] = 0;
        stx_row8(&s->result->confidence, y)[x] = 255;
      }
}

void brute_sky(const SgmPair *pair, const SgmResult *result, BruteSky *met)
{
  static Sky s;
  memset(&s, 0, sizeof s);
  s.pair = pair;
  s.result = result;
  s.columns = (pair->left.width + 3) / 4;
  s.rows = (pair->left.height + 3) / 4;
  ck_assert_int_le(s.columns * s.rows, BRUTE_TILES);
  Grays all = grays(pair, 0, 0, s.columns, s.rows);
  s.mean = all.sum / all.pixels;
  find_patches(&s, met);
  for (int j = 0; j < s.rows; j++)
    for (int i = 0; i < s.columns; i++)
      if (s.patch[j * s.columns + i] >= 0)
        add_tile(&s, i, j);
  find_sky(&s, met);
  for (int j = 0; j < s.rows; j++)
    for (int i = 0; i < s.columns; i++)
      if (in_sky(&s, i, j) || is_margin(&s, i, j, met))
        mark(&s, i, j);
}

/* Known columns of the 32 from x on. */
static int count_known(const uint16_t *disparity, int x)
{
  int known = 0;
  for (int i = 0; i < 32; i++)
    known += disparity[x + i] != 0;
  return known;
}

static void forget(const SgmResult *result, int y, int end)
{
  uint16_t *disparity = stx_row16(&result->disparity, y);
  for (int x = 0; x < end; x++) {
    stx_row8(&result->confidence, y)[x] *= disparity[x] == 0;
    disparity[x] = 0;
  }
}

void brute_border(const SgmPair *pair, const SgmResult *result, int y)
{
  uint16_t *disparity = stx_row16(&result->disparity, y);
  for (int x = 0; x < pair->params.max_disparity && x + 32 <= pair->params.width; x++) {
    if (count_known(disparity, x) < 24)
      continue;
    while (disparity[x] == 0)
      x++;
    forget(result, y, (int)fmin(x, floor(disparity[x] / 256.0 + .5)));
    return;
  }
  forget(result, y, pair->params.width < 32 ? 0 : 32);
}
