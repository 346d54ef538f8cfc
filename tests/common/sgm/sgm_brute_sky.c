/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/sgm/sgm_brute_sky.h"

#include <math.h>
#include <stdlib.h>
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
  double *outline; /* pairs of a column and a disparity in pixels */
  int outlined;
} Patch;

/* Statistics of the pixels of a rectangle of tiles, within the image. */
typedef struct {
  int pixels, least, most;
  double sum;
} Grays;

typedef struct {
  const SgmPair *pair;
  const SgmResult *result;
  int columns, rows;
  double mean; /* of the frame */
  bool candidate[BRUTE_TILES];
  int patch[BRUTE_TILES];     /* its leftmost tile at the top edge, or −1 */
  Patch patches[BRUTE_TILES]; /* by that; and the next */
  bool is_sky[BRUTE_TILES];
  int step[BRUTE_TILES];     /* of growth, by which a tile is sky; 0: from the start, −1: never */
  Grays of_sky[BRUTE_TILES]; /* of these tiles: what the sky has there */
} Sky;

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

static void flood(Sky *s, int i, int j, int name, BruteSky *met);

/* Goes on beyond one to four tiles that are no candidates, if gray values stay as they are. */
static void flood_across(Sky *s, int i, int j, int dj, int name, BruteSky *met)
{
  for (int k = 1; k <= 5 && is_inside(s, i, j + k * dj); k++) {
    if (!s->candidate[(j + k * dj) * s->columns + i])
      continue;
    Grays a = tile(s, i, j), b = tile(s, i, j + k * dj);
    bool same = fmax(a.most, b.most) < 255 && fmax(a.most, b.most) - fmin(a.least, b.least) <= 20;
    met->wires += k > 1 && same && s->patch[(j + k * dj) * s->columns + i] < 0;
    if (k > 1 && same)
      flood(s, i, j + k * dj, name, met);
    return;
  }
}

static void flood(Sky *s, int i, int j, int name, BruteSky *met)
{
  if (!is_inside(s, i, j))
    return;
  int at = j * s->columns + i;
  if (!s->candidate[at] || s->patch[at] >= 0)
    return;
  s->patch[at] = name;
  flood(s, i - 1, j, name, met);
  flood(s, i + 1, j, name, met);
  flood(s, i, j - 1, name, met);
  flood(s, i, j + 1, name, met);
  flood_across(s, i, j, -1, name, met);
  flood_across(s, i, j, 1, name, met);
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
    flood(s, i, 0, i, met);
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

static int centre(int tile, int length)
{
  return 4 * tile + 2 < length ? 4 * tile + 2 : length - 1;
}

static int disparity_of(const Sky *s, int i, int j)
{
  int x = centre(i, s->pair->left.width), y = centre(j, s->pair->left.height);
  return stx_row16(&s->result->disparity, y)[x];
}

static void add_outline(const Sky *s, Patch *patch, int i, int j)
{
  static const int ways[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int k = 0; k < 4; k++) {
    int di = ways[k][0], dj = ways[k][1], u = i + 2 * di, v = j + 2 * dj;
    if (!is_inside(s, u, v) || s->candidate[(j + dj) * s->columns + i + di] ||
        s->candidate[v * s->columns + u] || disparity_of(s, u, v) == 0)
      continue;
    patch->outline = realloc(patch->outline, 2 * sizeof(double) * (size_t)(patch->outlined + 1));
    patch->outline[2 * patch->outlined] = u;
    patch->outline[2 * patch->outlined++ + 1] = disparity_of(s, u, v) / 256.0;
  }
}

static void add_tile(Sky *s, int i, int j)
{
  Patch *patch = &s->patches[s->patch[j * s->columns + i]];
  Grays g = tile(s, i, j);
  int x = centre(i, s->pair->left.width), y = centre(j, s->pair->left.height);
  int disparity = disparity_of(s, i, j);
  add_outline(s, patch, i, j);
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

/* The deviation of the disparities from the line through them, as a share of their mean. */
static double unevenness(const Patch *patch)
{
  double n = patch->outlined, i = 0, d = 0, ii = 0, id = 0, left = 0;
  for (int k = 0; k < patch->outlined; k++) {
    i += patch->outline[2 * k] / n;
    d += patch->outline[2 * k + 1] / n;
  }
  for (int k = 0; k < patch->outlined; k++) {
    double x = patch->outline[2 * k] - i, y = patch->outline[2 * k + 1] - d;
    ii += x * x;
    id += x * y;
  }
  for (int k = 0; k < patch->outlined; k++) {
    double x = patch->outline[2 * k] - i, y = patch->outline[2 * k + 1] - d;
    double rest = ii > 0 ? y - id / ii * x : y;
    left += rest * rest / n;
  }
  return sqrt(left) / d;
}

static bool is_walled(const Sky *s, const Patch *patch)
{
  int far = 0;
  for (int k = 0; k < patch->outlined; k++)
    far += patch->outline[2 * k + 1] * 144 < s->pair->left.width;
  return patch->outlined >= 8 && far / (double)patch->outlined <= 1 / 16. &&
         unevenness(patch) <= sqrt(.05) + NEARLY;
}

/* It matches at 0 too well for a wall. */
static bool matches_far(const Patch *patch)
{
  return patch->samples * 2 >= patch->tiles && patch->votes <= .6 * patch->samples + NEARLY;
}

static bool is_wall(const Sky *s, const Patch *patch)
{
  return is_walled(s, patch) && !matches_far(patch);
}

/* The far patch that tells how bright the sky is, or −1. A patch of which one in `trusted` is a
 * sample counts twice. */
static int choose(const Sky *s, int trusted, BruteSky *met)
{
  int best = -1, most = 0;
  for (int k = 0; k < s->columns; k++) {
    const Patch *patch = &s->patches[k];
    if (patch->tiles == 0 || !is_far(s, patch) || is_wall(s, patch))
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
    bool same = ratio >= .9 - NEARLY && ratio <= 1.1 + NEARLY && 4 * patch->samples >= patch->tiles;
    bool wall = is_wall(s, patch);
    s->is_sky[k] = far && alike && (same || !wall);
    met->walls += far && wall && !s->is_sky[k];
    met->plain += far && is_walled(s, patch) && !wall;
    met->between += wall && s->is_sky[k];
    met->glaring += brightness(s, patch) > 3;
    met->bare += patch->samples == 0;
    met->far += far && patch->samples > 0;
    met->near += !far;
    met->unlike += far && !alike;
  }
}

/* ---- The sky ------------------------------------------------------------------------------ */

static bool is_of_sky(const Sky *s, int i, int j)
{
  int patch = s->patch[j * s->columns + i];
  return patch >= 0 && s->is_sky[patch];
}

static double mean(const Sky *s, int i, int j)
{
  return tile(s, i, j).sum / tile(s, i, j).pixels;
}

/* The next candidate to the left or right (di) of a tile at a border of its patch, over no more
 * than 40 others, or −1. */
static int across(const Sky *s, int i, int j, int di)
{
  for (int k = 1; k <= 41 && is_inside(s, i + k * di, j); k++)
    if (s->candidate[j * s->columns + i + k * di])
      return k > 1 ? i + k * di : -1;
  return -1;
}

/* Whether a patch goes on where the sky was hidden; `any`: whatever its means. */
static bool is_behind(const Sky *s, int patch, bool any)
{
  int pairs = 0, alike = 0;
  for (int at = 0; at < 2 * s->columns * s->rows; at++) {
    int i = at / 2 % s->columns, j = at / 2 / s->columns, u;
    if (s->patch[at / 2] != patch || (u = across(s, i, j, at % 2 ? 1 : -1)) < 0 ||
        !is_of_sky(s, u, j) || tile(s, i, j).most == 255 || tile(s, u, j).most == 255)
      continue;
    pairs++;
    alike += any || fabs(mean(s, i, j) - mean(s, u, j)) <= 6 + NEARLY;
  }
  return pairs >= 8 && alike >= .75 * pairs;
}

static void find_hidden_sky(Sky *s, BruteSky *met)
{
  bool behind[BRUTE_TILES] = {false};
  for (int k = 0; k < s->columns; k++) {
    bool other = s->patches[k].tiles > 0 && !s->is_sky[k];
    behind[k] = other && is_behind(s, k, false);
    met->behind += behind[k];
    met->apart += other && !behind[k] && is_behind(s, k, true);
  }
  for (int k = 0; k < s->columns; k++)
    s->is_sky[k] |= behind[k];
}

static Grays both(Grays a, Grays b)
{
  return (Grays){a.pixels + b.pixels, (int)fmin(a.least, b.least), (int)fmax(a.most, b.most), 0};
}

/* The sky that a tile has beside it before a step; small patches and late tiles count if `all`. */
static Grays sky_beside(const Sky *s, int i, int j, int step, bool all)
{
  Grays found = {0, 255, 0, 0};
  for (int k = 0; k < 4; k++) {
    int u = i + (k == 0) - (k == 1), v = j + (k == 2) - (k == 3), at = v * s->columns + u;
    if (!is_inside(s, u, v) || s->step[at] < 0 || (!all && s->step[at] >= step))
      continue;
    bool small = s->patch[at] >= 0 && 256 * s->patches[s->patch[at]].tiles < s->columns * s->rows;
    if (all || !small)
      found = both(found, s->of_sky[at]);
  }
  return found;
}

static bool may_grow(const Sky *s, int i, int j, Grays sky)
{
  Grays with = both(sky, tile(s, i, j));
  return s->patch[j * s->columns + i] < 0 && sky.pixels > 0 && with.most - with.least <= 20;
}

static void grow(Sky *s, BruteSky *met)
{
  for (int at = 0; at < s->columns * s->rows; at++) {
    int i = at % s->columns, j = at / s->columns;
    s->step[at] = is_of_sky(s, i, j) ? 0 : -1;
    s->of_sky[at] = tile(s, i, j);
  }
  for (int step = 1; step <= 7; step++)
    for (int at = 0; at < s->columns * s->rows; at++) {
      int i = at % s->columns, j = at / s->columns;
      Grays sky = sky_beside(s, i, j, step, step == 7);
      if (s->step[at] >= 0 || !may_grow(s, i, j, sky))
        continue;
      met->stopped += step == 7;
      met->grown += step < 7;
      s->step[at] = step < 7 ? step : -1;
      s->of_sky[at] = sky;
    }
}

static bool in_sky(const Sky *s, int i, int j)
{
  return is_inside(s, i, j) && s->step[j * s->columns + i] >= 0;
}

/* Of a pixel that is not in the sky: it is like all of the sky in the 5 × 5 tiles around. */
static bool is_margin(const Sky *s, int x, int y, BruteSky *met)
{
  int gray = stx_row8(&s->pair->left, y)[x], least = gray, most = gray, skies = 0;
  for (int k = 0; k < 25; k++) {
    int u = x / 4 + k % 5 - 2, v = y / 4 + k / 5 - 2;
    if (!in_sky(s, u, v))
      continue;
    Grays sky = s->of_sky[v * s->columns + u];
    least = sky.least < least ? sky.least : least;
    most = sky.most > most ? sky.most : most;
    skies++;
  }
  bool like = skies > 0 && most - least <= 20;
  met->margin += like;
  met->rough += skies > 0 && !like;
  return like;
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
  find_hidden_sky(&s, met);
  grow(&s, met);
  STX_EACH_PIXEL (x, y, pair->left.width, pair->left.height)
    if (in_sky(&s, x / 4, y / 4) || is_margin(&s, x, y, met)) {
      stx_row16(&result->disparity, y)[x] = 0;
      stx_row8(&result->confidence, y)[x] = 255;
    }
  for (int k = 0; k < s.columns; k++)
    free(s.patches[k].outline);
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
