/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coarse-to-fine search, the reference: sgm_coarse.h written down step by step, one thread. Every
 * level goes through the same steps; the coarse ones leave their winners behind, the last its sums.
 */
#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_math.h"
#include "tests/common/sgm/sgm_c.h"
#include "common/sgm/sgm_sky.h"

#include <stdlib.h>
#include <string.h>

enum {
  STEP = STX_SGM_COARSE_STEP,
  BLOCK = STX_SGM_COARSE_BLOCK,
  WINDOW = STX_SGM_COARSE_WINDOW,
  COUNT = 2 * WINDOW, /* candidates of a pixel */
  NONE = UINT8_MAX    /* N of what is no candidate */
};

typedef struct {
  StxImage8 left, right;
  int lines;
  int disparities; /* D_k */
  bool top;
  uint8_t (*starts)[2]; /* by block */
  uint8_t *winner;      /* d* by pixel of a line */
} Level;

/* State of each path of a sweep: N of the line above and of the line being made. */
typedef struct {
  int dx, dy;       /* in lines */
  uint8_t *rows[2]; /* width · COUNT each, of even and odd lines */
} Path;

typedef struct {
  const StxSgmParams *params;
  Level levels[STX_SGM_COARSE_LEVELS];
  int count;
  StxImage8 smooth[2]; /* the pair as the finest census sees it */
  /* The level that is being matched, by pixel of a line. */
  uint32_t *left, *right; /* census words */
  uint8_t *volume;        /* A, then S, of the candidates of each pixel */
  uint8_t *path_rows;     /* 8 rows */
  /* The pair. */
  int *right_key; /* 256·S1 + d* of one row of right pixels */
  uint16_t *value;
  uint8_t *margin;
  StxImage16 lines; /* the output's rows that are lines */
  StxImage8 sure;
  StxImage16 full; /* values of a top level that is searched in full, and what that needs */
  void *full_scratch;
  void *sky;
} Scratch;

static void take_level(Scratch *s, int k, StxLayout *at)
{
  Level *level = &s->levels[k];
  int width = stx_sgm_coarse_size(s->params->width, k);
  int height = stx_sgm_coarse_size(s->params->height, k);
  size_t pixels = (size_t)width * (size_t)height;
  level->lines = stx_sgm_coarse_lines(height);
  level->disparities = s->params->max_disparity >> k;
  level->top = level->disparities == STX_SGM_COARSE_TOP;
  level->left = level->right = (StxImage8){NULL, width, width, height};
  STX_TAKE(at, level->left.data, k > 0 ? pixels : 0);
  STX_TAKE(at, level->right.data, k > 0 ? pixels : 0);
  STX_TAKE(at, level->starts, stx_sgm_coarse_blocks(width) * stx_sgm_coarse_blocks(height));
  STX_TAKE(at, level->winner, width * level->lines);
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Scratch *s, const StxSgmParams *params, void *base)
{
  size_t width = (size_t)params->width, n = width * (size_t)params->height;
  size_t matched = width * (size_t)stx_sgm_coarse_lines(params->height);
  StxLayout at = {.memory = base};
  s->params = params;
  s->count = stx_sgm_coarse_levels(params->max_disparity);
  for (int k = 0; k < s->count; k++)
    take_level(s, k, &at);
  for (int side = 0; side < 2; side++) {
    s->smooth[side] = (StxImage8){NULL, params->width, params->width, params->height};
    STX_TAKE(&at, s->smooth[side].data, n);
  }
  STX_TAKE(&at, s->left, matched);
  STX_TAKE(&at, s->right, matched);
  STX_TAKE(&at, s->volume, matched * COUNT);
  STX_TAKE(&at, s->path_rows, 8 * width * COUNT);
  STX_TAKE(&at, s->right_key, width);
  STX_TAKE(&at, s->value, matched);
  STX_TAKE(&at, s->margin, matched);
  s->lines = (StxImage16){NULL, 2 * params->width, params->width, (int)(matched / width)};
  s->sure = (StxImage8){NULL, params->width, params->width, (int)(matched / width)};
  STX_TAKE(&at, s->lines.data, matched);
  STX_TAKE(&at, s->sure.data, matched);
  StxSgmParams full = stx_sgm_coarse_full(params, s->count - 1);
  s->full = (StxImage16){NULL, 2 * full.width, full.width, full.height};
  STX_TAKE(&at, s->full.data, full.width * full.height);
  s->full_scratch = stx_take(&at, stx_sgm_scratch_c(&full, 1));
  s->sky = stx_take(&at, stx_sgm_sky_scratch(params));
  return at.size;
}

size_t stx_sgm_coarse_scratch_c(const StxSgmParams *params, int threads)
{
  Scratch s;
  return lay_out(&s, params, NULL);
}

static int min2(int a, int b)
{
  return a < b ? a : b;
}

static int max2(int a, int b)
{
  return a > b ? a : b;
}

/* ---- Levels ------------------------------------------------------------------------------- */

static void halve(const StxImage8 *from, const StxImage8 *to)
{
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      const uint8_t *above = stx_row8(from, 2 * y);
      const uint8_t *below = stx_row8(from, min2(2 * y + 1, from->height - 1));
      int right = min2(2 * x + 1, from->width - 1);
      stx_row8(to, y)[x] =
          (uint8_t)((above[2 * x] + above[right] + below[2 * x] + below[right] + 2) >> 2);
    }
}

static void smooth(const StxImage8 *from, const StxImage8 *to)
{
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      int above = stx_row8(from, max2(y - 1, 0))[x];
      int below = stx_row8(from, min2(y + 1, from->height - 1))[x];
      stx_row8(to, y)[x] = (uint8_t)((above + 2 * stx_row8(from, y)[x] + below + 2) >> 2);
    }
}

/* ---- Windows ------------------------------------------------------------------------------ */

static int begin_of(int t, int n)
{
  return max2(0, min2(2 * t - 2, 2 * n - WINDOW));
}

static int votes_of(const uint8_t *votes, int t)
{
  int sum = 0;
  for (int c = t; c < t + STX_SGM_COARSE_HELD; c++)
    sum += votes[c];
  return sum;
}

/* The start of the best window among those more than WINDOW away from `other`; −1: no votes. */
static int best_window(const uint8_t *votes, int n, int other)
{
  int most = 0, first = 0, last = 0;
  for (int t = 0; t + STX_SGM_COARSE_HELD <= n; t++) {
    if (abs(begin_of(t, n) - other) <= WINDOW)
      continue;
    int sum = votes_of(votes, t);
    if (sum > most)
      first = last = t;
    else if (sum == most && last == t - 1)
      last = t;
    most = max2(most, sum);
  }
  return most > 0 ? begin_of((first + last) >> 1, n) : -1;
}

void stx_sgm_coarse_windows(const uint8_t *votes, int n, uint8_t starts[2])
{
  uint8_t left[STX_SGM_COARSE_VOTES] = {0}; /* GCC 14 fears that n is 0 */
  int first = best_window(votes, n, -2 * WINDOW), second;
  for (int c = 0; c < n; c++)
    left[c] = 2 * c >= first && 2 * c <= first + WINDOW - 2 ? 0 : votes[c];
  second = best_window(left, n, first);
  if (second < 0)
    second = first + 2 * WINDOW + 1 <= 2 * n ? first + WINDOW + 1 : first - WINDOW - 1;
  starts[0] = (uint8_t)min2(first, second);
  starts[1] = (uint8_t)max2(first, second);
}

static void count_votes(const Level *coarse, int i, int j, uint8_t *votes)
{
  const int step = BLOCK / 2, around = STX_SGM_COARSE_AROUND;
  int width = coarse->left.width, height = coarse->left.height;
  memset(votes, 0, STX_SGM_COARSE_VOTES);
  for (int y = max2(step * j - around, 0); y < min2(step * (j + 1) + around, height); y += STEP)
    for (int x = max2(step * i - around, 0); x < min2(step * (i + 1) + around, width); x++)
      votes[coarse->winner[y / STEP * width + x]]++;
}

static void choose_windows(const Level *level, const Level *coarse)
{
  int columns = stx_sgm_coarse_blocks(level->left.width);
  int rows = stx_sgm_coarse_blocks(level->left.height);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      uint8_t votes[STX_SGM_COARSE_VOTES], *starts = level->starts[j * columns + i];
      if (level->top) {
        starts[0] = 0;
        starts[1] = WINDOW;
        continue;
      }
      count_votes(coarse, i, j, votes);
      stx_sgm_coarse_windows(votes, coarse->disparities, starts);
    }
}

/* Returns the window starts of a pixel of line j. */
static const uint8_t *starts_of(const Level *level, int x, int j)
{
  int columns = stx_sgm_coarse_blocks(level->left.width);
  return level->starts[j * STEP / BLOCK * columns + x / BLOCK];
}

/* The disparity of candidate i. */
static int disparity_of(const uint8_t *starts, int i)
{
  return starts[i / WINDOW] + i % WINDOW;
}

/* ---- Costs and paths ---------------------------------------------------------------------- */

static void census_lines(const Level *level, const StxImage8 *image, uint32_t *words)
{
  for (int j = 0; j < level->lines; j++)
    for (int x = 0; x < image->width; x++)
      *words++ = stx_sgm_census(image, x, j * STEP) & STX_SGM_COARSE_CENSUS;
}

static int cost(const Scratch *s, const Level *level, int x, int j, int d)
{
  size_t row = (size_t)j * (size_t)level->left.width;
  uint32_t left = s->left[row + (size_t)x], right = s->right[row + (size_t)max2(x - d, 0)];
  return __builtin_popcount(left ^ right);
}

/* N(d) of a pixel with these windows; at d + step a neighbour of a candidate d. */
static int neighbour(
    const Level *level, const uint8_t *normal, const uint8_t *starts, int d, int step)
{
  if (level->top && (d + (step > 0)) == WINDOW && step != 0)
    return NONE;
  for (int w = 0; w < 2; w++) {
    int i = d + step - starts[w];
    if (i >= 0 && i < WINDOW)
      return normal[w * WINDOW + i];
  }
  return NONE;
}

/* L(p,·) without its costs. */
static void reach(const Scratch *s, const Level *level, const Path *path, int x, int j, int *least)
{
  int qx = x + path->dx, qj = j + path->dy;
  bool inside = qx >= 0 && qx < level->left.width && qj >= 0 && qj < level->lines;
  const uint8_t *starts = starts_of(level, x, j);
  int p1 = stx_sgm_p1(s->params->p1, path->dx, path->dy, STEP);
  for (int i = 0; i < COUNT; i++) {
    least[i] = 0;
    if (!inside)
      continue;
    const uint8_t *normal = path->rows[qj & 1] + (size_t)qx * COUNT;
    const uint8_t *theirs = starts_of(level, qx, qj);
    int d = disparity_of(starts, i);
    least[i] = min2(neighbour(level, normal, theirs, d, 0), stx_sgm_coarse_p2(s->params->p2));
    least[i] = min2(least[i], neighbour(level, normal, theirs, d, -1) + p1);
    least[i] = min2(least[i], neighbour(level, normal, theirs, d, 1) + p1);
  }
}

/* L of all paths of a sweep at p, [path][candidate]; their N into the paths' rows. */
static void step(
    const Scratch *s, const Level *level, const Path *paths, int x, int j, int l[4][COUNT])
{
  const uint8_t *starts = starts_of(level, x, j);
  for (int r = 0; r < s->params->paths / 2; r++) {
    uint8_t *normal = paths[r].rows[j & 1] + (size_t)x * COUNT;
    int least = INT32_MAX;
    reach(s, level, &paths[r], x, j, l[r]);
    for (int i = 0; i < COUNT; i++) {
      l[r][i] += cost(s, level, x, j, disparity_of(starts, i));
      least = min2(least, l[r][i]);
    }
    for (int i = 0; i < COUNT; i++)
      normal[i] = (uint8_t)(l[r][i] - least);
  }
}

static int average(int a, int b)
{
  return (a + b + 1) >> 1;
}

/* direction 1: from the top left, leaves A; −1: from the bottom right, leaves S. */
static void sweep(const Scratch *s, const Level *level, int direction)
{
  int width = level->left.width, count = width * level->lines;
  Path paths[4] = {{.dx = -direction, .dy = 0}, {.dx = 0, .dy = -direction},
      {.dx = -direction, .dy = -direction}, {.dx = direction, .dy = -direction}};
  for (int r = 0; r < 4; r++)
    for (int odd = 0; odd < 2; odd++)
      paths[r].rows[odd] = s->path_rows + (size_t)(2 * r + odd) * (size_t)width * COUNT;

  for (int k = 0; k < count; k++) {
    int at = direction > 0 ? k : count - 1 - k, l[4][COUNT];
    uint8_t *cell = s->volume + (size_t)at * COUNT;
    step(s, level, paths, at % width, at / width, l);
    for (int i = 0; i < COUNT; i++) {
      int half = s->params->paths == 4 ? l[0][i] + l[1][i]
                                       : average(l[0][i], l[1][i]) + average(l[2][i], l[3][i]);
      cell[i] = (uint8_t)(direction > 0 ? half : average(cell[i], half));
    }
  }
}

/* ---- Winner ------------------------------------------------------------------------------- */

/* The candidate with the least S. */
static int winner(const uint8_t *sum)
{
  int best = 0;
  for (int i = 1; i < COUNT; i++)
    if (sum[i] < sum[best])
      best = i;
  return best;
}

static void match_fully(const Scratch *s, int k)
{
  const Level *level = &s->levels[k];
  StxSgmParams full = stx_sgm_coarse_full(s->params, k);
  StxImage8 unwanted = {NULL, 0, full.width, full.height};
  StxPlace place = {.threads = 1};
  stx_sgm_run_c(
      &full, &level->left, &level->right, &s->full, &unwanted, s->full_scratch, &place, NULL);
  for (int j = 0; j < level->lines; j++)
    for (int x = 0; x < full.width; x++)
      level->winner[j * full.width + x] =
          (uint8_t)stx_sgm_coarse_nearest(stx_row16(&s->full, STEP * j)[x]);
}

static void match(const Scratch *s, int k)
{
  const Level *level = &s->levels[k];
  if (k == s->count - 1 && !level->top) {
    match_fully(s, k);
    return;
  }
  choose_windows(level, level + 1);
  census_lines(level, k > 0 ? &level->left : &s->smooth[0], s->left);
  census_lines(level, k > 0 ? &level->right : &s->smooth[1], s->right);
  sweep(s, level, 1);
  sweep(s, level, -1);
  for (int j = 0; j < level->lines; j++)
    for (int x = 0; x < level->left.width; x++) {
      size_t at = (size_t)j * (size_t)level->left.width + (size_t)x;
      int best = winner(s->volume + at * COUNT);
      level->winner[at] = (uint8_t)disparity_of(starts_of(level, x, j), best);
    }
}

/* ---- Values and checks -------------------------------------------------------------------- */

/* Keys of the right view of a line. */
static void right_view(const Scratch *s, int j)
{
  const Level *level = &s->levels[0];
  int width = s->params->width;
  for (int x = 0; x < width; x++)
    s->right_key[x] = INT32_MAX;
  for (int x = 0; x < width; x++) {
    size_t at = (size_t)j * (size_t)width + (size_t)x;
    const uint8_t *sum = s->volume + at * COUNT;
    int d = level->winner[at], key = 256 * sum[winner(sum)] + d;
    if (x - d >= 0)
      s->right_key[x - d] = min2(s->right_key[x - d], key);
  }
}

static int second_best(const uint8_t *sum, const uint8_t *starts, int d)
{
  int second = UINT8_MAX;
  for (int i = 0; i < COUNT; i++)
    if (abs(disparity_of(starts, i) - d) > 1)
      second = min2(second, sum[i]);
  return second;
}

static bool passes(const Scratch *s, int x, int j, int d, int s1, int s2)
{
  const StxSgmParams *params = s->params;
  if (x - d < 0 || !stx_sgm_unique(s1, s2, params->uniqueness) ||
      stx_sgm_is_flat(&s->levels[0].left, params->texture, x, j * STEP))
    return false;
  return params->lr_max_diff < 0 || abs(d - s->right_key[x - d] % 256) <= params->lr_max_diff;
}

static void finish_line(const Scratch *s, int j)
{
  const Level *level = &s->levels[0];
  size_t width = (size_t)s->params->width, row = (size_t)j * width;
  right_view(s, j);
  for (int x = 0; x < s->params->width; x++) {
    const uint8_t *starts = starts_of(level, x, j);
    const uint8_t *sum = s->volume + (row + (size_t)x) * COUNT;
    int best = winner(sum), d = disparity_of(starts, best);
    int s1 = sum[best], s2 = second_best(sum, starts, d), vertex = 0;
    if (best % WINDOW > 0 && best % WINDOW < WINDOW - 1)
      vertex = stx_sgm_vertex(sum[best - 1], s1, sum[best + 1]);
    bool known = passes(s, x, j, d, s1, s2);
    s->value[row + (size_t)x] = known ? (uint16_t)stx_sgm_value(d, vertex) : STX_DISPARITY_UNKNOWN;
    s->margin[row + (size_t)x] = known ? (uint8_t)stx_sgm_confidence(s1, s2) : 0;
  }
}

/* Row y of the output from the lines. */
static void write_row(
    const Scratch *s, int y, const StxImage16 *disparity, const StxImage8 *confidence)
{
  int above = y / STEP, below = min2((y + STEP - 1) / STEP, s->lines.height - 1);
  for (int x = 0; x < s->params->width; x++) {
    int a = stx_row16(&s->lines, above)[x], b = stx_row16(&s->lines, below)[x];
    int sure = min2(stx_row8(&s->sure, above)[x], stx_row8(&s->sure, below)[x]);
    bool known = a != STX_DISPARITY_UNKNOWN && b != STX_DISPARITY_UNKNOWN &&
                 abs(a - b) <= STX_SGM_COARSE_AGREE;
    stx_row16(disparity, y)[x] = known ? (uint16_t)average(a, b) : STX_DISPARITY_UNKNOWN;
    if (confidence->data != NULL)
      stx_row8(confidence, y)[x] = (uint8_t)(known ? sure : 0);
  }
}

bool stx_sgm_coarse_run_c(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error)
{
  Scratch s;
  lay_out(&s, params, scratch);
  s.levels[0].left = *left;
  s.levels[0].right = *right;
  for (int k = 1; k < s.count; k++) {
    halve(&s.levels[k - 1].left, &s.levels[k].left);
    halve(&s.levels[k - 1].right, &s.levels[k].right);
  }
  smooth(left, &s.smooth[0]);
  smooth(right, &s.smooth[1]);
  for (int k = s.count - 1; k >= 0; k--)
    match(&s, k);
  for (int j = 0; j < s.levels[0].lines; j++)
    finish_line(&s, j);
  StxSgmParams lines = *params;
  lines.height = s.levels[0].lines;
  stx_sgm_write_c(&lines, s.value, s.margin, &s.lines, &s.sure);
  for (int y = 0; y < params->height; y++)
    write_row(&s, y, disparity, confidence);
  stx_sgm_last_steps(params, left, right, disparity, confidence, s.sky, 1);
  return true;
}
