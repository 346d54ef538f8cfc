/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/sgm/sgm_brute_sky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEARLY 1e-9 /* less than what two different ratios of tiles differ by */
enum { WIRE = 2, GROWTH = 20 };

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
  int tiles, samples, clipped, votes, costs;
  double light;
  double *outline;         /* pairs of a column and a disparity in pixels */
  int outlined, seen, far; /* the latter two: tiles of it */
  bool enclosed;
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
  int level, ground, range;
  int sum[BRUTE_TILES]; /* of 16 gray values: the border repeats */
  bool smooth[BRUTE_TILES], is_sample[BRUTE_TILES], candidate[BRUTE_TILES], inner[BRUTE_TILES];
  int votes[BRUTE_TILES], costs[BRUTE_TILES]; /* of samples, else 0 */
  int patch[BRUTE_TILES];                     /* its leftmost tile at the top edge, or −1 */
  Patch patches[BRUTE_TILES];                 /* by that; and the next */
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

static int centre(int tile, int length)
{
  return 4 * tile + 2 < length ? 4 * tile + 2 : length - 1;
}

static int disparity_of(const Sky *s, int i, int j)
{
  int x = centre(i, s->pair->left.width), y = centre(j, s->pair->left.height);
  return stx_row16(&s->result->disparity, y)[x];
}

static int sum_of(const Sky *s, int i, int j)
{
  return s->sum[j * s->columns + i];
}

static bool is_blank(const Sky *s, int i, int j)
{
  return sum_of(s, i, j) / 16. <= 5;
}

static bool is_smooth(const Sky *s, int span, int i, int j)
{
  if (is_blank(s, i, j))
    return false;
  return span <= s->range || span <= sum_of(s, i, j) / 128.;
}

static bool is_inside(const Sky *s, int i, int j)
{
  return i >= 0 && i < s->columns && j >= 0 && j < s->rows;
}

/* Whether tile (i, j) is there and its disparity above a 700th of the width. */
static bool is_finite(const Sky *s, int i, int j)
{
  return is_inside(s, i, j) && disparity_of(s, i, j) / 256. * 700 > s->pair->left.width;
}

static void find_samples(Sky *s)
{
  for (int at = 0; at < s->columns * s->rows; at++) {
    int i = at % s->columns, j = at / s->columns, votes = 0, witnesses = 0;
    int x = centre(i, s->pair->left.width), y = centre(j, s->pair->left.height);
    Grays around = grays(s->pair, i - 1, j - 1, i + 1, j + 1);
    s->smooth[at] = is_smooth(s, around.most - around.least, i, j);
    s->is_sample[at] = (i + j) % 2 == 0 && s->smooth[at] && is_finite(s, i, j) &&
                       (is_finite(s, i - 2, j) || is_finite(s, i + 2, j));
    s->costs[at] = s->is_sample[at] ? brute_cost(s->pair, x, y, 0) : 0;
    for (int u = i - 2; u <= i + 2 && s->is_sample[at]; u += 4)
      if (is_finite(s, u, j)) {
        int d = (int)floor(disparity_of(s, u, j) / 256. + .5);
        votes += s->costs[at] - brute_cost(s->pair, x, y, d);
        witnesses++;
      }
    s->votes[at] = (int)trunc(votes / fmax(witnesses, 1));
  }
}

static bool is_candidate(const Sky *s, int i, int j, BruteSky *met)
{
  int votes = 0, costs = 0, disparity = disparity_of(s, i, j);
  bool cloud =
      disparity > 0 && !is_blank(s, i, j) && disparity / 256. * 700 <= s->pair->left.width &&
      (sum_of(s, i, j) >= 1.25 * s->level || (s->ground > 0 && sum_of(s, i, j) >= 2 * s->ground));
  for (int k = 0; k < 25; k++)
    if (is_inside(s, i + k % 5 - 2, j + k / 5 - 2)) {
      int at = (j + k / 5 - 2) * s->columns + i + k % 5 - 2;
      votes += s->votes[at];
      costs += s->costs[at];
    }
  bool near = votes >= 16 && votes > costs / 6.;
  met->near += near && s->smooth[j * s->columns + i];
  met->clouds += cloud && !near && !s->smooth[j * s->columns + i];
  return (cloud || s->smooth[j * s->columns + i]) && !near;
}

static bool is_inner(const Sky *s, int i, int j)
{
  for (int k = 0; k < 9; k++) {
    int u = i + k % 3 - 1, v = j + k / 3 - 1;
    if (is_inside(s, u, v) && !s->candidate[v * s->columns + u])
      return false;
  }
  return true;
}

static void flood(Sky *s, int i, int j, int name, BruteSky *met);

/* Gray values of tiles j and below of column i go together. */
static bool is_same(const Sky *s, int i, int j, int below)
{
  Grays a = tile(s, i, j), b = tile(s, i, below);
  return fmax(a.most, b.most) < 255 &&
         is_smooth(s, (int)(fmax(a.most, b.most) - fmin(a.least, b.least)), i,
             sum_of(s, i, j) < sum_of(s, i, below) ? j : below);
}

/* Goes on beyond the tiles of a wire, if gray values stay as they are. */
static void flood_across(Sky *s, int i, int j, int dj, int name, BruteSky *met)
{
  int end = j + dj, wire = 0;
  while (is_inside(s, i, end) && !s->inner[end * s->columns + i])
    end += dj;
  int gap = abs(end - j) - 1, below = end > j ? end : j;
  if (!is_inside(s, i, end) || gap < 1 || gap > WIRE + 4)
    return;
  for (int k = j + dj; k != end; k += dj)
    wire += !is_same(s, i, k, below);
  bool same = is_same(s, i, j + end - below, below);
  met->wires += same && wire <= WIRE && s->patch[end * s->columns + i] < 0;
  met->bars += same && wire > WIRE;
  if (same && wire <= WIRE)
    flood(s, i, end, name, met);
}

static void flood(Sky *s, int i, int j, int name, BruteSky *met)
{
  if (!is_inside(s, i, j))
    return;
  int at = j * s->columns + i;
  if (!s->inner[at] || s->patch[at] >= 0)
    return;
  s->patch[at] = name;
  flood(s, i - 1, j, name, met);
  flood(s, i + 1, j, name, met);
  flood(s, i, j - 1, name, met);
  flood(s, i, j + 1, name, met);
  flood_across(s, i, j, -1, name, met);
  flood_across(s, i, j, 1, name, met);
}

/* Where a column begins with blank tiles, the top edge is below them. */
static void flood_from_edge(Sky *s, int i, BruteSky *met)
{
  int edge = 0, j;
  while (edge < s->rows && is_blank(s, i, edge))
    edge++;
  for (j = edge; j < s->rows && !s->inner[j * s->columns + i];)
    j++;
  if (edge > 0 && j < s->rows && j > edge + 4)
    met->too_low++;
  else if (j < s->rows && (edge > 0 || j == 0)) {
    met->edges += edge > 0 && s->patch[j * s->columns + i] < 0;
    flood(s, i, j, i, met);
  }
}

static void find_patches(Sky *s, BruteSky *met)
{
  int count = s->columns * s->rows;
  for (int at = 0; at < count; at++)
    s->candidate[at] = is_candidate(s, at % s->columns, at / s->columns, met);
  for (int at = 0; at < count; at++) {
    s->inner[at] = is_inner(s, at % s->columns, at / s->columns);
    s->patch[at] = -1;
  }
  for (int i = 0; i < s->columns; i++) {
    met->joined += s->inner[i] && s->patch[i] >= 0 && !s->inner[i - 1];
    flood_from_edge(s, i, met);
  }
  for (int i = 0; i < s->columns; i++) {
    int j = 0;
    while (j < s->rows && !s->inner[j * s->columns + i])
      j++;
    if (is_blank(s, i, 0) || j == s->rows || s->patch[j * s->columns + i] >= 0)
      continue;
    s->patches[i].enclosed = true;
    flood(s, i, j, i, met);
  }
  for (int at = 0; at < count; at++)
    met->below += s->inner[at] && s->patch[at] < 0;
}

/* ---- Patches ------------------------------------------------------------------------------ */

/* At d its cost is at most half of what it is at least 8 to 64 px nearer. */
static bool is_seen(const Sky *s, int i, int j)
{
  int d = (int)floor(disparity_of(s, i, j) / 256. + .5);
  int x = centre(i, s->pair->left.width), y = centre(j, s->pair->left.height);
  bool seen = true;
  for (int k = 8; k <= 64 && d + k <= x; k *= 2)
    seen &= brute_cost(s->pair, x, y, d) <= brute_cost(s->pair, x, y, d + k) / 2.;
  return seen;
}

static void add_outline(const Sky *s, Patch *patch, int i, int j)
{
  static const int ways[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int k = 0; k < 4; k++) {
    int di = ways[k][0], dj = ways[k][1], u = i + 3 * di, v = j + 3 * dj;
    if (!is_inside(s, u, v) || s->candidate[(v - dj) * s->columns + u - di] ||
        s->candidate[v * s->columns + u] || disparity_of(s, u, v) == 0 || is_blank(s, u, v))
      continue;
    patch->outline = realloc(patch->outline, 2 * sizeof(double) * (size_t)(patch->outlined + 1));
    patch->outline[2 * patch->outlined] = u;
    patch->outline[2 * patch->outlined++ + 1] = disparity_of(s, u, v) / 256.0;
    patch->seen += is_seen(s, u, v);
    patch->far += is_seen(s, u, v) && disparity_of(s, u, v) / 256. * 80 < s->pair->left.width;
  }
}

static void add_tile(Sky *s, int i, int j)
{
  Patch *patch = &s->patches[s->patch[j * s->columns + i]];
  add_outline(s, patch, i, j);
  patch->tiles++;
  patch->light += sum_of(s, i, j);
  patch->samples += s->is_sample[j * s->columns + i];
  patch->clipped += tile(s, i, j).least >= 250;
  patch->votes += s->votes[j * s->columns + i];
  patch->costs += s->costs[j * s->columns + i];
}

/* Sixteenths of the frame's, rounded down. */
static double brightness(const Sky *s, const Patch *patch)
{
  double ratio = s->level > 0 ? patch->light / patch->tiles / s->level : 4;
  return fmin(floor(16 * ratio + NEARLY), 63);
}

static bool is_matchless(const Patch *patch)
{
  return patch->votes <= patch->costs / 4. + patch->tiles / 32.;
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

static bool is_one_plane(const Patch *patch)
{
  return patch->outlined >= 8 && unevenness(patch) <= sqrt(1 / 32.) + NEARLY;
}

/* The mean sum of what is in no open patch. */
static double rest_of(const Sky *s)
{
  double total = 0, tiles = 0;
  for (int at = 0; at < s->columns * s->rows; at++)
    if ((s->patch[at] < 0 || s->patches[s->patch[at]].enclosed) &&
        !is_blank(s, at % s->columns, at / s->columns)) {
      total += s->sum[at];
      tiles++;
    }
  return tiles > 0 ? floor(total / tiles + NEARLY) : 0;
}

static bool glares(const Sky *s, const Patch *patch)
{
  double least = patch->clipped >= .75 * patch->tiles ? 28 / 16. : 36 / 16.;
  return patch->light >= least * rest_of(s) * patch->tiles;
}

/* 3: its outline is far, 2: it glares, 1: it is dark and its outline far. */
static int sureness(const Sky *s, const Patch *patch, BruteSky *met)
{
  double share = patch->far / fmax(patch->seen, 1), light = brightness(s, patch);
  double size = (double)patch->tiles / (s->columns * s->rows);
  if (patch->enclosed || size < 1 / 512. || !is_matchless(patch) || patch->outlined < 8)
    return 0;
  bool bright = light >= 16 && patch->light >= 9 / 8. * rest_of(s) * patch->tiles;
  bool far = bright && size >= 1 / 256. ? share >= 3 / 8. : share >= 3 / 4.;
  met->dark += !bright && far;
  met->too_dark += !bright && !far && share >= 3 / 8.;
  far = far && patch->far >= 5 && patch->far >= patch->outlined / 10.;
  if (far && bright)
    return 3;
  bool glaring = size >= 1 / 256. && !is_one_plane(patch) && glares(s, patch);
  met->glaring += glaring;
  met->burnt += glaring && patch->clipped >= .75 * patch->tiles;
  return glaring ? 2 : far && !is_one_plane(patch) && patch->far >= patch->outlined / 4.;
}

/* The sky below a bridge. */
static bool is_enclosed_sky(const Sky *s, const Patch *patch)
{
  double size = (double)patch->tiles / (s->columns * s->rows);
  return patch->enclosed && size >= 1 / 64. && is_matchless(patch) && patch->outlined >= 8 &&
         !is_one_plane(patch) && patch->samples < patch->tiles / 4. && brightness(s, patch) >= 24 &&
         patch->far >= 5 && patch->far >= patch->outlined / 10. &&
         patch->far >= 7 / 8. * patch->seen;
}

static bool is_alike(double light, double other, double factor)
{
  return light <= factor * other + NEARLY && other <= factor * light + NEARLY;
}

/* Whether a patch is as bright as a sure one. */
static bool is_like_sure(const Sky *s, const bool *sure, const Patch *patch, double factor)
{
  for (int k = 0; k < s->columns; k++)
    if (sure[k] && is_alike(brightness(s, patch), brightness(s, &s->patches[k]), factor))
      return true;
  return false;
}

static void find_sky(Sky *s, BruteSky *met)
{
  BruteSky ignored;
  int best = -1, most = 0, surest = 1;
  bool sure[BRUTE_TILES] = {false};
  for (int k = 0; k < s->columns; k++) {
    int how = s->patches[k].tiles > 0 ? sureness(s, &s->patches[k], met) : 0;
    if (how < surest || (how == surest && s->patches[k].tiles <= most)) {
      met->tied += how == surest && s->patches[k].tiles == most;
      continue;
    }
    best = k;
    surest = how;
    most = s->patches[k].tiles;
  }
  for (int k = 0; k < s->columns && best >= 0; k++) {
    const Patch *patch = &s->patches[k];
    bool enough = patch->tiles > 0 && sureness(s, patch, &ignored) == surest;
    sure[k] = enough && is_alike(brightness(s, patch), brightness(s, &s->patches[best]), 2);
  }
  for (int k = 0; k < s->columns; k++) {
    const Patch *patch = &s->patches[k];
    if (patch->tiles == 0)
      continue;
    bool bare = patch->samples < patch->tiles / 4., far = is_matchless(patch);
    bool few = patch->seen > 0 && patch->outlined < 8;
    bool plane = patch->far < patch->seen / 8. && (few || is_one_plane(patch));
    bool wall = plane && (bare || patch->votes > patch->costs / 10.);
    bool alike = is_like_sure(s, sure, patch, bare ? 1.5 : 1.2);
    met->enclosed += is_enclosed_sky(s, patch);
    s->is_sky[k] = patch->enclosed ? is_enclosed_sky(s, patch) : alike && far && !wall;
    met->walls += alike && far && wall;
    met->others += s->is_sky[k] && !sure[k];
    met->matched += !far;
  }
}

/* ---- The sky ------------------------------------------------------------------------------ */

static bool is_of_sky(const Sky *s, int i, int j)
{
  int patch = s->patch[j * s->columns + i];
  return patch >= 0 && s->is_sky[patch];
}

static Grays both(Grays a, Grays b)
{
  return (Grays){a.pixels + b.pixels, (int)fmin(a.least, b.least), (int)fmax(a.most, b.most), 0};
}

/* The sky that a tile has beside it before a step. */
static Grays sky_beside(const Sky *s, int i, int j, int step)
{
  Grays found = {0, 255, 0, 0};
  for (int k = 0; k < 4; k++) {
    int u = i + (k == 0) - (k == 1), v = j + (k == 2) - (k == 3), at = v * s->columns + u;
    if (is_inside(s, u, v) && s->step[at] >= 0 && s->step[at] < step)
      found = both(found, s->of_sky[at]);
  }
  return found;
}

static bool may_grow(const Sky *s, int i, int j, Grays sky)
{
  if (sky.pixels == 0)
    return false;
  Grays with = both(sky, tile(s, i, j));
  return is_smooth(s, with.most - with.least, i, j);
}

static void grow(Sky *s, BruteSky *met)
{
  for (int at = 0; at < s->columns * s->rows; at++) {
    int i = at % s->columns, j = at / s->columns;
    s->step[at] = is_of_sky(s, i, j) ? 0 : -1;
    s->of_sky[at] = tile(s, i, j);
  }
  for (int step = 1; step <= GROWTH + 1; step++)
    for (int at = 0; at < s->columns * s->rows; at++) {
      int i = at % s->columns, j = at / s->columns;
      Grays sky = sky_beside(s, i, j, step);
      if (s->step[at] >= 0 || !may_grow(s, i, j, sky))
        continue;
      met->stopped += step > GROWTH;
      met->grown += step <= GROWTH;
      met->taken += step <= GROWTH && s->patch[at] >= 0;
      s->step[at] = step <= GROWTH ? step : -1;
      s->of_sky[at] = sky;
    }
}

static bool in_sky(const Sky *s, int i, int j)
{
  return is_inside(s, i, j) && s->step[j * s->columns + i] >= 0;
}

/* Is a pixel that is not in the sky like all of the sky in the 5 × 5 tiles around? */
static bool is_margin(const Sky *s, int x, int y, BruteSky *met)
{
  int gray = stx_row8(&s->pair->left, y)[x], least = 255, most = 0, skies = 0;
  for (int k = 0; k < 25; k++) {
    int u = x / 4 + k % 5 - 2, v = y / 4 + k / 5 - 2;
    if (!in_sky(s, u, v))
      continue;
    Grays sky = s->of_sky[v * s->columns + u];
    least = sky.least < least ? sky.least : least;
    most = sky.most > most ? sky.most : most;
    skies++;
  }
  double span = fmax(most, gray) - fmin(least, gray);
  bool like = skies > 0 && (span <= s->range || span <= floor(least / 5.));
  met->margin += like;
  met->rough += skies > 0 && !like;
  return like;
}

/* Returns the range of noise, by what the flattest twentieth of the tiles span. */
static int noise_of(const Sky *s, int seen, BruteSky *met)
{
  static const int spans[] = {8, 11, 15}, noise[] = {6, 27, 37, 50};
  int k = 0, flat = 0;
  for (; k < 3; k++) {
    flat = 0;
    for (int at = 0; at < s->columns * s->rows; at++) {
      Grays g = tile(s, at % s->columns, at / s->columns);
      flat += !is_blank(s, at % s->columns, at / s->columns) && g.most - g.least <= spans[k];
    }
    if (flat >= seen / 20.)
      break;
  }
  met->noisy += k > 0;
  return noise[k];
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
  int total = 0, seen = 0, ground = 0, grounds = 0;
  for (int k = 0; k < 16 * s.columns * s.rows; k++) {
    int at = k / 16, x = 4 * (at % s.columns) + k % 4, y = 4 * (at / s.columns) + k / 4 % 4;
    int gray =
        stx_row8(&pair->left, brute_clamp(y, pair->left.height))[brute_clamp(x, pair->left.width)];
    s.sum[at] += gray;
  }
  for (int at = 0; at < s.columns * s.rows; at++)
    if (!is_blank(&s, at % s.columns, at / s.columns)) {
      bool below = disparity_of(&s, at % s.columns, at / s.columns) / 256. * 700 > pair->left.width;
      total += s.sum[at];
      seen++;
      ground += below * s.sum[at];
      grounds += below;
    }
  s.level = seen > 0 ? total / seen : 0;
  s.ground = grounds > 0 ? ground / grounds : 0;
  int noise = noise_of(&s, seen, met);
  s.range = s.level / 80 > noise ? s.level / 80 : noise;
  find_samples(&s);
  find_patches(&s, met);
  for (int j = 0; j < s.rows; j++)
    for (int i = 0; i < s.columns; i++)
      if (s.patch[j * s.columns + i] >= 0)
        add_tile(&s, i, j);
  find_sky(&s, met);
  grow(&s, met);
  STX_EACH_PIXEL (x, y, pair->left.width, pair->left.height)
    if (in_sky(&s, x / 4, y / 4) || is_margin(&s, x, y, met)) {
      stx_row16(&result->disparity, y)[x] = 0;
      stx_row8(&result->confidence, y)[x] = 255;
    }
  for (int k = 0; k < s.columns; k++)
    free(s.patches[k].outline);
}
