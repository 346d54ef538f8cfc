/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/pair/pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDE STX_PAIR_WINDOW_WIDTH
#define HIGH STX_PAIR_WINDOW_HEIGHT
#define LEFT_OF 4                              /* columns of a window before its place */
#define ABOVE (HIGH / 2)                       /* rows of a window above it */
#define PIXELS (WIDE * HIGH)                   /* of a window */
#define BORDER 5                               /* columns and rows that windows and slopes need */
#define CHUNK 16                               /* candidates at a time: the compiler's vectors */
#define CANDIDATES (2 * (256 / 2) + 1 + CHUNK) /* in a row, and room to the end of a chunk */
#define REACHED (2 * STX_PAIR_MAX_REACH + 1)
#define ONE 4096 /* r² = 1 */
#define PARTS 64 /* of a row */
#define ALIKE (ONE / 2)
#define NEAR 2 /* rows and columns around the best match that do not compete with it */

/* Half the columns of a view. */
typedef struct {
  int16_t *data;
  int stride, width, height;
} Fold;

typedef struct {
  int x, y; /* a column of the fold, a row */
} Place;

/* A match of a point. */
typedef struct {
  Place place;
  int disparity, rows; /* columns, rows: right minus left for the latter */
  int part;            /* of a row, in 1/PARTS, to be added to these */
  bool alike;          /* no match, but not like nothing */
} Match;

typedef struct {
  uint16_t score[REACHED][CANDIDATES];
  Place points[STX_PAIR_CELLS];
  Match matches[STX_PAIR_CELLS];
  int count; /* of these */
} Work;

static const int16_t *at(const Fold *fold, int x, int y)
{
  return fold->data + (ptrdiff_t)y * fold->stride + x;
}

/* ---- The pictures -------------------------------------------------------------------------- */

static int fold_stride(int width)
{
  return width / 2 + 2 * CHUNK; /* candidates are taken by the chunk */
}

bool stx_pair_is_small(int width, int height)
{
  return width < STX_PAIR_MIN_WIDTH || height < STX_PAIR_MIN_HEIGHT;
}

size_t stx_pair_scratch(int width, int height)
{
  size_t fold = (size_t)fold_stride(width) * (size_t)height * sizeof(int16_t);
  return stx_align(sizeof(Work)) + 2 * stx_align(fold);
}

/* Returns the mean gray level. */
static int fold_view(const StxImage8 *image, const Fold *fold)
{
  int64_t sum = 0;
  for (int y = 0; y < fold->height; y++) {
    const uint8_t *from = stx_row8(image, y);
    int16_t *to = fold->data + (ptrdiff_t)y * fold->stride;
    int row = 0;
    for (int x = 0; x < fold->width; x++) {
      to[x] = (int16_t)(from[2 * x] + from[2 * x + 1]);
      row += to[x];
    }
    memset(to + fold->width, 0, (size_t)(fold->stride - fold->width) * sizeof *to);
    sum += row;
  }
  return (int)(sum / (2 * (int64_t)fold->width * fold->height));
}

/* ---- Points -------------------------------------------------------------------------------- */

static int64_t texture_at(const Fold *fold, Place place)
{
  int a[WIDE] = {0}, b[WIDE] = {0}, c[WIDE] = {0};
  int64_t aa = 0, bb = 0, cc = 0;
  for (int j = 0; j < HIGH; j++) {
    const int16_t *row = at(fold, place.x - LEFT_OF, place.y - ABOVE + j);
    for (int i = 0; i < WIDE; i++) {
      int gx = row[i + 1] - row[i - 1], gy = row[i + fold->stride] - row[i - fold->stride];
      a[i] += gx * gx;
      b[i] += gy * gy;
      c[i] += gx * gy;
    }
  }
  for (int i = 0; i < WIDE; i++) {
    aa += a[i];
    bb += b[i];
    cc += c[i];
  }
  return aa + bb > 0 ? (aa * bb - cc * cc) / (aa + bb) : 0;
}

/* False: there is none in this cell. */
static bool find_point(const Fold *fold, int column, int row, Place *point)
{
  int width = fold->width - 2 * BORDER, height = fold->height - 2 * BORDER;
  int64_t most = STX_PAIR_TEXTURE - 1;
  for (int k = 0; k < 16; k++) {
    Place place = {BORDER + (4 * column + k % 4) * width / (4 * STX_PAIR_GRID_COLUMNS),
        BORDER + (4 * row + k / 4) * height / (4 * STX_PAIR_GRID_ROWS)};
    int64_t texture = texture_at(fold, place);
    if (texture > most) {
      most = texture;
      *point = place;
    }
  }
  return most >= STX_PAIR_TEXTURE;
}

static int find_points(const Fold *fold, Place points[STX_PAIR_CELLS])
{
  int count = 0;
  for (int row = 0; row < STX_PAIR_GRID_ROWS; row++)
    for (int column = 0; column < STX_PAIR_GRID_COLUMNS; column++)
      count += find_point(fold, column, row, &points[count]);
  return count;
}

/* ---- Matches ------------------------------------------------------------------------------- */

/* N·pixel − Σ pixels, of a window: fits 16 bits. Returns N·var, as a sum over the window. */
static int64_t centre(const Fold *fold, Place place, int16_t window[PIXELS])
{
  int sum = 0, squares = 0;
  for (int k = 0; k < PIXELS; k++) {
    int value = at(fold, place.x - LEFT_OF, place.y - ABOVE + k / WIDE)[k % WIDE];
    window[k] = (int16_t)value;
    sum += value;
    squares += value * value;
  }
  for (int k = 0; k < PIXELS; k++)
    window[k] = (int16_t)(PIXELS * window[k] - sum);
  return (int64_t)PIXELS * squares - (int64_t)sum * sum;
}

/* N·cov with the windows that begin at `row` and at the next columns. */
static void correlate(const int16_t window[PIXELS], const int16_t *row, int stride, int count,
    int32_t cov[CANDIDATES])
{
  for (int begin = 0; begin < count; begin += CHUNK) {
    int32_t sum[CHUNK] = {0};
    for (int k = 0; k < PIXELS; k++) {
      const int16_t *from = row + (ptrdiff_t)(k / WIDE) * stride + k % WIDE + begin;
      for (int c = 0; c < CHUNK; c++)
        sum[c] += window[k] * from[c];
    }
    memcpy(cov + begin, sum, sizeof sum);
  }
}

/* N·var of the same windows. */
static void spread(const int16_t *row, int stride, int count, int64_t var[CANDIDATES])
{
  int32_t sums[CANDIDATES + WIDE] = {0}, squares[CANDIDATES + WIDE] = {0};
  int64_t sum = 0, square = 0;
  for (int j = 0; j < HIGH; j++)
    for (int i = 0; i < count + WIDE - 1; i++) {
      int value = row[(ptrdiff_t)j * stride + i];
      sums[i] += value;
      squares[i] += value * value;
    }
  for (int i = 0; i < count + WIDE - 1; i++) {
    sum += sums[i];
    square += squares[i];
    if (i >= WIDE) {
      sum -= sums[i - WIDE];
      square -= squares[i - WIDE];
    }
    if (i >= WIDE - 1)
      var[i - WIDE + 1] = PIXELS * square - sum * sum;
  }
}

typedef struct {
  int best, second, row, column, part;
} Peak;

/* Where the parabola through three scores, the middle one the largest, has its top: -PARTS/2 …
 * PARTS/2 from the middle. */
static int top_of(int above, int middle, int below)
{
  int bend = 2 * (2 * middle - above - below);
  return bend > 0 ? PARTS * (below - above) / bend : 0;
}

static Peak find_peak(const Work *work, int rows, int count)
{
  Peak peak = {0};
  for (int j = 0; j < rows; j++)
    for (int c = 0; c < count; c++)
      if (work->score[j][c] > peak.best)
        peak = (Peak){work->score[j][c], 0, j, c, 0};
  for (int j = 0; j < rows; j++)
    for (int c = 0; c < count; c++)
      if ((abs(j - peak.row) > NEAR || abs(c - peak.column) > NEAR) &&
          work->score[j][c] > peak.second)
        peak.second = work->score[j][c];
  if (peak.row > 0 && peak.row < rows - 1)
    peak.part = top_of(
        work->score[peak.row - 1][peak.column], peak.best, work->score[peak.row + 1][peak.column]);
  return peak;
}

/* Searches the window of `from` at this place in `to`: the peak's row and column are disparity and
 * rows. */
static Peak search(
    const StxPairParams *params, const Fold *from, const Fold *to, Work *work, Place place)
{
  int first = place.x - params->max_disparity / 2, last = place.x + params->max_disparity / 2;
  int top = place.y - params->reach, bottom = place.y + params->reach, count;
  int16_t window[PIXELS];
  int64_t own = centre(from, place, window), var[CANDIDATES];
  int32_t cov[CANDIDATES];
  Peak peak;
  first = first > BORDER ? first : BORDER;
  last = last < to->width - BORDER ? last : to->width - BORDER - 1;
  top = top > BORDER ? top : BORDER;
  bottom = bottom < to->height - BORDER ? bottom : to->height - BORDER - 1;
  count = last - first + 1;
  for (int y = top; y <= bottom; y++) {
    const int16_t *row = at(to, first - LEFT_OF, y - ABOVE);
    correlate(window, row, to->stride, count, cov);
    spread(row, to->stride, count, var);
    for (int c = 0; c < count; c++) { /* r², in 1/ONE, 0 below a quarter: products below 2⁵⁷ */
      int64_t square = (int64_t)cov[c] * cov[c], all = own * var[c];
      bool alike = cov[c] > 0 && square >= all / 4 && all > 0;
      work->score[y - top][c] = alike ? (uint16_t)(square / (all / ONE + 1)) : 0;
    }
  }
  peak = find_peak(work, bottom - top + 1, count);
  peak.row += top - place.y;
  peak.column = place.x - first - peak.column;
  return peak;
}

/* False: not found, or in several places. */
static bool find_match(
    const StxPairParams *params, const Fold *left, const Fold *right, Work *work, Match *match)
{
  Peak peak = search(params, left, right, work, match->place);
  match->rows = peak.row;
  match->disparity = peak.column;
  match->part = peak.part;
  match->alike = peak.best >= ALIKE && peak.best < STX_PAIR_GOOD;
  if (peak.best < STX_PAIR_GOOD || 2 * (ONE - peak.best) > ONE - peak.second)
    return false;
  return !params->distinct || search(params, left, left, work, match->place).second < peak.best;
}

/* ---- The model ----------------------------------------------------------------------------- */

typedef struct {
  const Match *matches;
  int count, width, height;
} Votes;

static int count_votes(const Votes *votes, const StxPairModel *model, int *fitted)
{
  int score = 0;
  *fitted = 0;
  for (int i = 0; i < votes->count; i++) {
    const Match *match = &votes->matches[i];
    int x = 2 * model->lean * (2 * match->place.x - votes->width) / votes->width;
    int y = 2 * model->stretch * (2 * match->place.y - votes->height) / votes->height;
    int far = abs(2 * (match->rows - model->shift) - x - y); /* half rows */
    *fitted += far <= 3;
    score += (far <= 3) + (far <= 1);
  }
  return score;
}

/* Takes the model if it is better by more than an eighth of the score to beat. */
static void try_model(
    const Votes *votes, StxPairModel model, int beat, int *best, StxPairEvidence *evidence)
{
  int fitted, score = count_votes(votes, &model, &fitted);
  if (score <= *best || score <= beat + beat / 8)
    return;
  *best = score;
  evidence->model = model;
  evidence->fitted = fitted;
}

static void fit(const Votes *votes, int reach, StxPairEvidence *evidence)
{
  int best = count_votes(votes, &evidence->model, &evidence->fitted), level = best;
  for (int shift = -reach; shift <= reach; shift++)
    try_model(votes, (StxPairModel){shift, 0, 0}, level, &best, evidence);
  level = best;
  for (int shift = -reach; shift <= reach; shift++)
    for (int more = -reach; more <= reach; more++) {
      try_model(votes, (StxPairModel){shift, more, 0}, level, &best, evidence);
      try_model(votes, (StxPairModel){shift, 0, more}, level, &best, evidence);
    }
}

/* ---- The geometry of a rig that is not rectified -------------------------------------------- */

#define TERMS STX_PAIR_TERMS

static void terms_of(const Votes *votes, const Match *match, double terms[TERMS])
{
  double x = (double)(2 * match->place.x - votes->width) / votes->width;
  double y = (double)(2 * match->place.y - votes->height) / votes->height;
  double d = (double)match->disparity / votes->width;
  const double values[TERMS] = {1, x, y, x * y, y * y, d};
  memcpy(terms, values, sizeof values);
}

/* No equations yet; of solutions that fit alike, as where all disparities are the same, the one of
 * small angles. */
static void begin_equations(double a[TERMS][TERMS + 1])
{
  memset(a, 0, TERMS * sizeof *a);
  for (int i = 0; i < TERMS; i++)
    a[i][i] = 1e-6;
}

/* Adds an equation, squared. */
static void add_equation(const double terms[TERMS], double rows, double a[TERMS][TERMS + 1])
{
  for (int i = 0; i < TERMS; i++) {
    for (int j = 0; j < TERMS; j++)
      a[i][j] += terms[i] * terms[j];
    a[i][TERMS] += terms[i] * rows;
  }
}

/* Solves the normal equations by Cholesky decomposition. */
static void solve_terms(double a[TERMS][TERMS + 1], double solution[TERMS])
{
  for (int i = 0; i < TERMS; i++)
    for (int j = i; j < TERMS + 1; j++) {
      double sum = a[i][j];
      for (int k = 0; k < i; k++)
        sum -= a[k][i] * a[k][j];
      a[i][j] = i == j ? sqrt(sum) : sum / a[i][i];
    }
  for (int i = TERMS - 1; i >= 0; i--) {
    double sum = a[i][TERMS];
    for (int k = i + 1; k < TERMS; k++)
      sum -= a[i][k] * solution[k];
    solution[i] = sum / a[i][i];
  }
}

/* The equations of the matches that lie within a row and a half of a solution, and how many. */
static int gather(const Votes *votes, const double solution[TERMS], double a[TERMS][TERMS + 1])
{
  int fitted = 0;
  begin_equations(a);
  for (int i = 0; i < votes->count; i++) {
    double terms[TERMS], rows = votes->matches[i].rows;
    terms_of(votes, &votes->matches[i], terms);
    for (int k = 0; k < TERMS; k++)
      rows -= terms[k] * solution[k];
    if (fabs(rows) > 1.5)
      continue;
    add_equation(terms, votes->matches[i].rows, a);
    fitted++;
  }
  return fitted;
}

static void keep_better(
    const Votes *votes, const double solution[TERMS], int *best, double kept[TERMS])
{
  double a[TERMS][TERMS + 1];
  int fitted = gather(votes, solution, a);
  if (fitted <= *best)
    return;
  *best = fitted;
  memcpy(kept, solution, TERMS * sizeof *kept);
}

static void sample(const Votes *votes, uint32_t *state, int *best, double kept[TERMS])
{
  double a[TERMS][TERMS + 1], terms[TERMS], solution[TERMS];
  begin_equations(a);
  for (int i = 0; i < TERMS; i++) {
    *state = *state * 1664525u + 1013904223u;
    const Match *match = &votes->matches[(*state >> 8) % (uint32_t)votes->count];
    terms_of(votes, match, terms);
    add_equation(terms, match->rows, a);
  }
  solve_terms(a, solution);
  keep_better(votes, solution, best, kept);
}

static void find_geometry(const Votes *votes, StxPairGeometry *geometry)
{
  double a[TERMS][TERMS + 1], kept[TERMS] = {0}, solution[TERMS];
  double wide = votes->width, high = votes->height / 2.0; /* half the pixels */
  uint32_t state = 1;
  int best = 0;
  for (int i = 0; i < STX_PAIR_SAMPLES && votes->count > TERMS; i++)
    sample(votes, &state, &best, kept);
  for (int i = 0; i < 3 && best > TERMS; i++) {
    gather(votes, kept, a);
    solve_terms(a, solution);
    int refined = best - 1; /* of as many the one with the least squares */
    keep_better(votes, solution, &refined, kept);
    best = refined > best ? refined : best;
  }
  *geometry = (StxPairGeometry){kept[0], kept[1] / wide, kept[2] / high, kept[3] / (wide * high),
      kept[4] / (high * high), kept[5] / (2 * wide), best};
}

/* ---- All of it ----------------------------------------------------------------------------- */

void stx_pair_measure(const StxPairParams *params, const StxImage8 *left, const StxImage8 *right,
    void *scratch, StxPairEvidence *evidence)
{
  Work *work = scratch;
  int stride = fold_stride(left->width);
  int16_t *data = (int16_t *)(void *)((char *)scratch + stx_align(sizeof *work));
  Fold fold[2] = {{data, stride, left->width / 2, left->height}};
  Votes votes = {work->matches, 0, left->width / 2, left->height};
  *evidence = (StxPairEvidence){0};
  fold[1] = fold[0];
  fold[1].data += stx_align((size_t)stride * (size_t)left->height * sizeof *data) / sizeof *data;
  evidence->gray[0] = fold_view(left, &fold[0]);
  evidence->gray[1] = fold_view(right, &fold[1]);
  evidence->points[1] = find_points(&fold[1], work->points);
  evidence->points[0] = find_points(&fold[0], work->points);
  for (int i = 0; i < evidence->points[0]; i++) {
    Match *match = &work->matches[votes.count];
    match->place = work->points[i];
    bool same = true;
    for (int y = match->place.y - ABOVE; y <= match->place.y + ABOVE; y++)
      same = same && memcmp(stx_row8(left, y) + 2 * (match->place.x - LEFT_OF),
                         stx_row8(right, y) + 2 * (match->place.x - LEFT_OF), 2 * WIDE) == 0;
    evidence->same += same;
    if (!find_match(params, &fold[0], &fold[1], work, match)) {
      evidence->alike += match->alike;
      continue;
    }
    evidence->ahead += match->disparity >= 2;
    evidence->behind += match->disparity <= -2;
    evidence->level += abs(match->rows) <= 1;
    evidence->upright += abs(match->disparity) <= 1;
    votes.count++;
  }
  evidence->matched = votes.count;
  work->count = votes.count;
  fit(&votes, params->reach, evidence);
  if (4 * evidence->fitted < 3 * votes.count)
    find_geometry(&votes, &evidence->geometry);
}

int stx_pair_matches(const void *scratch, StxPairMatch matches[STX_PAIR_CELLS])
{
  const Work *work = scratch;
  for (int i = 0; i < work->count; i++) {
    const Match *match = &work->matches[i];
    matches[i] = (StxPairMatch){2 * match->place.x + .5, match->place.y, 2 * match->disparity,
        match->rows + match->part / (double)PARTS};
  }
  return work->count;
}
