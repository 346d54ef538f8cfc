/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pieces of a frame of stixels are one thing. The numbers below were chosen on the synthetic
 * street; docs/algorithms/obstacles.md says what each of them is for. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define HIDDEN_GAP 1.5  /* m: across what stands before it a thing goes on for so far */
#define LOW_HEIGHT 2.2f /* m: cars, people, fences; */
#define LOW_NOISE 0.3   /* px of disparity, beside max_length, that they may be longer */
#define CROWN_HEIGHT 4  /* m: what rises so high is no part of a low thing below it */
#define TRUNK_WIDTH .45 /* m: of a narrow one it may be */
#define HEIGHTS .4f     /* m, and a quarter: what heights of one thing's columns differ by */
#define HEIGHTS_SHARE .25f
#define UP_STEP .6 /* m, and half a pixel: a low thing's windscreen behind its bonnet */
#define UP_PIXELS .5
#define UP_STEP_HIGH .15 /* the same of what is high */
#define SIDE_MOST 5      /* m: from column to column along a side */

/* ---- Do they belong together? --------------------------------------------------------------- */

/* Vehicles, and people with what they ride, are told apart less surely than the rest. */
static int family_of(uint8_t label)
{
  static const uint8_t families[19] = {0, 0, 2, 2, 2, 3, 3, 3, 4, 0, 0, 5, 5, 6, 6, 6, 6, 5, 5};
  return label < 19 ? families[label] : 0;
}

static bool classes_agree(const Piece *a, const Piece *b)
{
  int of_a = family_of(a->label), of_b = family_of(b->label);
  return of_a == 0 || of_b == 0 || of_a == of_b;
}

/* What a pixel of disparity is at this distance, in metres. */
static double pixel_at(const StxCamera *camera, double z)
{
  return z * z / (camera->focal * camera->baseline);
}

/* The side of a car recedes from column to column: by z over the number of columns that it is off
 * the middle of the image. Its outer end is the nearer one; else this is no side, and 0. */
static double side_step(const Piece *a, const Piece *b)
{
  const Piece *left = a->column < b->column ? a : b, *right = left == a ? b : a;
  double inner = (double)(left->right / left->z), outer = (double)(right->left / right->z);
  double width =
      .5 * (double)((left->right - left->left) / left->z + (right->right - right->left) / right->z);
  if (inner + outer > 0 ? right->middle > left->middle : left->middle > right->middle)
    return 0;
  double columns = (right->column - left->column) * width / (.5 * fabs(inner + outer));
  return fmin(SIDE_MOST, (double)fminf(a->middle, b->middle) * columns);
}

/* What depths of one face differ by. */
static double step_at(
    const StxObstacles *state, const StxCamera *camera, const Piece *a, const Piece *b)
{
  double pixel = pixel_at(camera, (double)fminf(a->middle, b->middle));
  return state->params.depth_step + state->params.disparity_step * pixel;
}

static bool depths_agree(
    const StxObstacles *state, const StxCamera *camera, const Piece *a, const Piece *b)
{
  double most = step_at(state, camera, a, b) + side_step(a, b);
  return (double)fabsf(a->middle - b->middle) <= most;
}

/* At least half of the lower one stands beside the other, and both are about as high, as far as
 * the image shows that: cars end where a wall behind them goes on. */
static bool heights_agree(const Piece *a, const Piece *b)
{
  float high_a = a->ground - a->top, high_b = b->ground - b->top;
  float foot_a = a->ground - a->bottom, foot_b = b->ground - b->bottom;
  float least = fminf(high_a, high_b), shared = least - fmaxf(foot_a, foot_b);
  if (isnan(high_a + high_b))
    return true;
  if (!(shared > .5f * fminf(high_a - foot_a, high_b - foot_b)))
    return false;
  return (high_a < high_b ? a : b)->cut || fmaxf(high_a, high_b) < LOW_HEIGHT ||
         fabsf(high_a - high_b) <= HEIGHTS + HEIGHTS_SHARE * least;
}

/* ---- Groups --------------------------------------------------------------------------------- */

static uint32_t root_of(Piece *pieces, uint32_t i)
{
  for (; pieces[i].group != i; i = pieces[i].group)
    pieces[i].group = pieces[pieces[i].group].group;
  return i;
}

/* A group's extent is kept with its first piece. Low things are not longer than max_length: rows
 * of parked cars fall apart. */
static void join(StxObstacles *state, const StxCamera *camera, uint32_t a, uint32_t b)
{
  Piece *pieces = state->pieces;
  a = root_of(pieces, a);
  b = root_of(pieces, b);
  Piece *into = &pieces[a < b ? a : b], *from = &pieces[a < b ? b : a];
  float near = fminf(into->near, from->near), far = fmaxf(into->far, from->far);
  float high = fmaxf(into->high, from->high);
  double most = state->params.max_length + LOW_NOISE * pixel_at(camera, (double)near);
  if (a == b || (high < LOW_HEIGHT && (double)(far - near) > most))
    return;
  from->group = into->group;
  into->near = near;
  into->far = far;
  into->group_left = fminf(into->group_left, from->group_left);
  into->group_right = fmaxf(into->group_right, from->group_right);
  into->high = high;
}

/* Does `b` stand nearer, in rows in which `a` would be seen? */
static bool hides(const Piece *a, const Piece *b)
{
  return b->z < a->z && b->bottom / b->z > a->top / a->z_top &&
         b->top / b->z_top < a->bottom / a->z;
}

/* What may be one, and by how much their depths differ, in what a step may be there. */
static void note_joint(StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t k)
{
  const Piece *a = &state->pieces[i], *b = &state->pieces[k];
  float most = fmaxf((float)step_at(state, camera, a, b), 1e-6f);
  float off = fabsf(a->middle - b->middle) / most;
  uint32_t bits;
  memcpy(&bits, &off, sizeof bits); /* not negative: they sort as their bits do */
  state->joints[state->joint_count++] = (SortItem){(uint64_t)bits << 32 | k, i};
}

/* Notes whom a piece may join in one column to its right; says whether there is one, and whether
 * something there hides what is behind. */
static bool look_across(
    StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t column, bool *hidden)
{
  int found = 0;
  const Piece *a = &state->pieces[i];
  *hidden = false;
  for (uint32_t k = state->starts[column]; k < state->starts[column + 1]; k++) {
    const Piece *b = &state->pieces[k];
    if (!depths_agree(state, camera, a, b))
      *hidden = *hidden || hides(a, b);
    else if (found < OBSTACLES_JOINTS && heights_agree(a, b) && classes_agree(a, b)) {
      note_joint(state, camera, i, k);
      found++;
    }
  }
  return found > 0;
}

static void look_to_the_right(
    StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t columns)
{
  const Piece *piece = &state->pieces[i];
  double width = (double)(piece->right - piece->left), open = 0, all = 0, gap = state->params.gap;
  for (uint32_t c = piece->column + 1u; c < columns; c++) {
    bool hidden;
    if (look_across(state, camera, i, c, &hidden))
      return;
    open += hidden ? 0 : width;
    all += width;
    if (open > gap || all > fmax(HIDDEN_GAP, gap))
      return;
  }
}

/* Is a crown at this height that of another thing? Trunks and poles are narrow. */
static bool is_crown(const StxObstacles *state, uint32_t a, const Piece *b)
{
  const Piece *first = &state->pieces[root_of(state->pieces, a)];
  return first->high < LOW_HEIGHT && b->ground - b->top > CROWN_HEIGHT &&
         !(first->group_right - first->group_left < TRUNK_WIDTH);
}

/* Does `b`, which is above `a` in the image, stand upon it? */
static bool stands_upon(const StxCamera *camera, const Piece *a, const Piece *b)
{
  double pixel = pixel_at(camera, (double)fminf(a->z, b->z));
  double off = (double)fminf(fabsf(a->middle - b->middle), fabsf(a->z_top - b->z));
  return off <= (b->ground - b->top < LOW_HEIGHT ? UP_STEP + UP_PIXELS * pixel
                                                 : UP_STEP_HIGH + UP_STEP_HIGH * pixel);
}

/* `crowns`: the second time, when it is known how wide things are. */
static void join_upwards(StxObstacles *state, const StxCamera *camera, uint32_t column, bool crowns)
{
  for (uint32_t i = state->starts[column]; i + 1 < state->starts[column + 1]; i++)
    for (uint32_t k = i + 1; k < state->starts[column + 1]; k++) {
      const Piece *a = &state->pieces[i], *b = &state->pieces[k];
      bool rises = a->ground - a->top < LOW_HEIGHT && b->ground - b->top > CROWN_HEIGHT;
      if (stands_upon(camera, a, b) && classes_agree(a, b) &&
          (crowns ? rises && !is_crown(state, i, b) : !rises))
        join(state, camera, i, k);
    }
}

/* The likest first: where low things must not grow any longer they end at the largest step. */
static void join_columns(StxObstacles *state, const StxCamera *camera, uint32_t columns)
{
  state->joint_count = 0;
  for (uint32_t i = 0; i < state->count; i++)
    look_to_the_right(state, camera, i, columns);
  stx_obstacles_sort(state->joints, state->spare_joints, state->joint_count);
  for (size_t i = 0; i < state->joint_count; i++)
    join(state, camera, state->joints[i].index, (uint32_t)state->joints[i].key);
}

void stx_obstacles_group(StxObstacles *state, const StxCamera *camera, uint32_t columns)
{
  for (uint32_t c = 0; c < columns; c++)
    join_upwards(state, camera, c, false);
  join_columns(state, camera, columns);
  for (uint32_t c = 0; c < columns; c++)
    join_upwards(state, camera, c, true);
  for (uint32_t i = 0; i < state->count; i++)
    state->pieces[i].group = root_of(state->pieces, i);
}

/* ---- Outlines -------------------------------------------------------------------------------- */

static bool is_beside(const StxObstacles *state, const Piece *piece, int column)
{
  bool beside = false;
  if (column < 0 || column >= state->columns)
    return false;
  for (uint32_t i = state->starts[column]; i < state->starts[column + 1]; i++) {
    const Piece *p = &state->pieces[i];
    beside = beside || (p->z < piece->z && p->bottom > piece->top && p->top < piece->bottom);
  }
  return beside;
}

bool stx_obstacles_is_outline(
    const StxObstacles *state, const Piece *piece, int first_column, int last_column)
{
  return is_beside(state, piece, first_column - 1) || is_beside(state, piece, last_column + 1);
}
