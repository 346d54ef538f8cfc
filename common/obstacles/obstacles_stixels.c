/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The obstacles of a frame of stixels: the road, the groups of pieces that belong together, and the
 * free space. The numbers below were chosen on the synthetic street; docs/algorithms/obstacles.md
 * says what each of them is for.
 */
#include "common/metres_private.h"
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define SLOPE_LENGTH 20 /* m: beyond what is seen the road goes on as its last so many */
#define OUTLIER .3f     /* m, and 2 % of the distance: ground that is no part of the road */
#define LEAN_LEAST .035 /* 2 degrees: crowned roads and what is beside them lean as much */
#define LEAN_SHARE .7   /* of what the ground's height differs by across that a lean explains */
#define FEW .05f        /* of the columns: what no more of them show is as good as unknown */

/* Sums over places of the ground by whole metres ahead, x and y, and of their products. */
typedef struct {
  double n[OBSTACLES_GROUND], x[OBSTACLES_GROUND], y[OBSTACLES_GROUND], xx, xy, yy;
} Across;

/* By how much the ground falls per metre to the right: linear regression of y on x within each
 * metre ahead, so that hills do not count. 0 if that explains little, or is what roads have. */
static double lean_of(const Across *across)
{
  double xx = across->xx, xy = across->xy, yy = across->yy;
  for (int z = 0; z < OBSTACLES_GROUND; z++) {
    double n = fmax(across->n[z], 1);
    xx -= across->x[z] * across->x[z] / n;
    xy -= across->x[z] * across->y[z] / n;
    yy -= across->y[z] * across->y[z] / n;
  }
  bool leans = xx > 0 && xy * xy >= LEAN_SHARE * xx * yy && fabs(xy) > LEAN_LEAST * xx;
  return leans ? fmin(fmax(xy / xx, -STX_ROAD_TILT), STX_ROAD_TILT) : 0;
}

/* Adds the heights of one ground stixel at every whole metre that it covers, without the lean:
 * those that are not OUTLIER off what is known, if something is. */
static void add_ground(StxObstacles *state, const StxObstaclesFrame *frame, const StxStixel *s,
    const float *known, Across *across)
{
  const StxCamera *camera = &frame->camera;
  double near = s->disparity_bottom, far = s->disparity_top;
  double scale = camera->focal * camera->baseline, cy = obstacles_centre_row(frame);
  double middle = (s->column + .5) * frame->stixel_width - .5 - camera->cx;
  if (!(near > far) || !(far >= 0) || !isfinite(near) || s->bottom == s->top)
    return;
  double reach = far > 0 ? scale / far : INFINITY, rows = (s->bottom - s->top) / (near - far);
  int first = (int)fmin(ceil(scale / near), OBSTACLES_GROUND);
  for (int z = first > 1 ? first : 1; z < OBSTACLES_GROUND && z <= reach; z++) {
    double x = middle * z / camera->focal;
    double y = (s->bottom - (near - scale / z) * rows - cy) * z / camera->focal;
    float level = (float)(y - state->lean * x);
    if (known != NULL && !(fabsf(level - known[z]) < OUTLIER + .02f * (float)z))
      continue;
    state->ground[z] += level;
    state->weights[z] += 1;
    if (z > SLOPE_LENGTH)
      continue;
    across->n[z]++;
    across->x[z] += x;
    across->y[z] += y;
    across->xx += x * x;
    across->xy += x * y;
    across->yy += y * y;
  }
}

/* A straight line through up to SLOPE_LENGTH metres from `first` on, by least squares: beyond them
 * the road goes on like that. */
static void extend_ground(float *ground, const float *weights, int first, int step)
{
  double n = 0, sz = 0, sy = 0, szz = 0, szy = 0;
  for (int i = 0; i < SLOPE_LENGTH; i++) {
    int z = first - step * i;
    if (z < 1 || z >= OBSTACLES_GROUND)
      break;
    double w = (double)weights[z];
    n += w;
    sz += w * z;
    sy += w * (double)ground[z];
    szz += w * z * z;
    szy += w * z * (double)ground[z];
  }
  double spread = n * szz - sz * sz;
  double slope = spread > n ? (n * szy - sz * sy) / spread : 0, start = (sy - slope * sz) / n;
  for (int z = first + step; z >= 0 && z < OBSTACLES_GROUND; z += step)
    ground[z] = (float)(start + slope * z);
}

/* Means, and what no stixel covers; false if that is all. Metres that few columns show are as
 * good as unknown. */
static bool fill_ground(float *ground, float *weights, float least)
{
  int first = 0, last = 0;
  for (int z = 1; z < OBSTACLES_GROUND; z++) {
    weights[z] = weights[z] < least ? 0 : weights[z];
    if (!(weights[z] > 0))
      continue;
    ground[z] /= weights[z];
    for (int i = last + 1; last > 0 && i < z; i++)
      ground[i] = ground[last] + (ground[z] - ground[last]) * (float)(i - last) / (float)(z - last);
    first = first > 0 ? first : z;
    last = z;
  }
  if (first == 0)
    return false;
  extend_ground(ground, weights, first, -1);
  extend_ground(ground, weights, last, 1);
  return true;
}

static bool sum_ground(
    StxObstacles *state, const StxObstaclesFrame *frame, const float *known, double *lean)
{
  Across across = {.xx = 0};
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] = state->weights[z] = 0;
  for (size_t i = 0; i < frame->count; i++)
    if (frame->stixels[i].kind == STX_KIND_GROUND)
      add_ground(state, frame, &frame->stixels[i], known, &across);
  *lean = lean_of(&across);
  return fill_ground(state->ground, state->weights, (float)columns * FEW);
}

/* The road by whole metres ahead, in y below the camera, and its lean: a mean, and the mean of what
 * is near that. */
static void find_road(StxObstacles *state, const StxObstaclesFrame *frame)
{
  const StxCamera *camera = &frame->camera;
  float known[OBSTACLES_GROUND];
  double lean;
  state->lean = 0;
  if (sum_ground(state, frame, NULL, &lean)) {
    if ((state->lean = lean) != 0)
      sum_ground(state, frame, NULL, &lean);
    memcpy(known, state->ground, sizeof known);
    if (!sum_ground(state, frame, known, &lean))
      memcpy(state->ground, known, sizeof known);
    return;
  }
  bool has_ground = stx_camera_has_ground(camera);
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] =
        has_ground ? (float)(camera->height / cos(camera->pitch) - z * tan(camera->pitch)) : NAN;
}

/* Finds the road; its y at a place, from then on. */
static float road_at(const StxObstacles *state, double z, double x)
{
  int i = z < OBSTACLES_GROUND - 1 ? (int)z : OBSTACLES_GROUND - 2;
  double part = fmin(z - i, 1);
  double level = state->ground[i] + part * (double)(state->ground[i + 1] - state->ground[i]);
  return (float)(level + state->lean * x);
}

#define HIDDEN_GAP 1.5  /* m: across what stands before it a thing goes on for so far */
#define HIGH_GAP 2      /* times `gap`, in what is high: hedges, trees and scaffolds have holes */
#define LOW_HEIGHT 2.2f /* m: cars, people, fences; */
#define LOW_NOISE 0.3   /* px of disparity, beside max_length, that they may be longer */
#define CROWN_HEIGHT 4  /* m: what rises so high is no part of a low thing below it */
#define TRUNK_WIDTH .45 /* m: of a narrow one it may be */
#define HEIGHTS .4f     /* m, and a quarter: what heights of one thing's columns differ by */
#define HEIGHTS_SHARE .25f
#define UP_STEP .6 /* m, and half a pixel: a low thing's windscreen behind its bonnet */
#define UP_PIXELS .5
#define UP_STEP_HIGH .15 /* the same of what is high */
#define ONE_BEFORE 1.5   /* times the steps within a high thing that was one a frame ago */
#define TWO_BEFORE .5    /* times the steps between what were two things */
#define AGAIN 4          /* of these steps: what was one thing is one again */
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

/* Metres per pixel of disparity at this distance. */
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

static bool were_one(const Piece *a, const Piece *b)
{
  return a->owner == b->owner && a->owner != OBSTACLES_NONE;
}

/* Trees, hedges and walls fall into other pieces in each frame: what was one thing stays one more
 * easily, and what were two things stay two. Low things are told apart by what is seen now. */
static double as_before(const Piece *a, const Piece *b)
{
  if (a->owner == OBSTACLES_NONE || b->owner == OBSTACLES_NONE ||
      fminf(a->ground - a->top, b->ground - b->top) < LOW_HEIGHT)
    return 1;
  return were_one(a, b) ? ONE_BEFORE : TWO_BEFORE;
}

/* The difference of depths within one face, whatever the two were before. */
static double face_step(
    const StxObstacles *state, const StxCamera *camera, const Piece *a, const Piece *b)
{
  double pixel = pixel_at(camera, (double)fminf(a->middle, b->middle));
  return state->params.depth_step + state->params.disparity_step * pixel;
}

static double step_at(
    const StxObstacles *state, const StxCamera *camera, const Piece *a, const Piece *b)
{
  return as_before(a, b) * face_step(state, camera, a, b);
}

/* At least half of the lower one stands beside the other, and both are about as high, as far as
 * the image shows that: cars end where a wall behind them goes on. */
static bool heights_agree(const Piece *a, const Piece *b)
{
  float high_a = a->ground - a->top, high_b = b->ground - b->top;
  float foot_a = a->ground - a->bottom, foot_b = b->ground - b->bottom;
  float least = fminf(high_a, high_b), shared = least - fmaxf(foot_a, foot_b);
  if (isnan(high_a + high_b) || (were_one(a, b) && !(least < LOW_HEIGHT)))
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
 * of parked cars fall apart. High things of two tracks stay two, unless they `may_merge`. */
static void join(
    StxObstacles *state, const StxCamera *camera, uint32_t a, uint32_t b, bool may_merge)
{
  Piece *pieces = state->pieces;
  a = root_of(pieces, a);
  b = root_of(pieces, b);
  Piece *into = &pieces[a < b ? a : b], *from = &pieces[a < b ? b : a];
  float near = fminf(into->near, from->near), far = fmaxf(into->far, from->far);
  float high = fmaxf(into->high, from->high);
  double most = state->params.max_length + LOW_NOISE * pixel_at(camera, (double)near);
  bool two = into->group_owner != OBSTACLES_NONE && from->group_owner != OBSTACLES_NONE &&
             into->group_owner != from->group_owner;
  if (a == b || (high < LOW_HEIGHT && (double)(far - near) > most) ||
      (two && !may_merge && fminf(into->high, from->high) >= LOW_HEIGHT))
    return;
  if (into->group_owner == OBSTACLES_NONE)
    into->group_owner = from->group_owner;
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

/* Two pieces that may be one group; the difference of their depths, in allowed steps. */
static void note_joint(StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t k)
{
  const Piece *a = &state->pieces[i], *b = &state->pieces[k];
  float most = fmaxf((float)step_at(state, camera, a, b), 1e-6f);
  float off = fabsf(a->middle - b->middle) / most;
  uint32_t bits;
  memcpy(&bits, &off, sizeof bits); /* not negative: they sort as their bits do */
  state->joints[state->joint_count++] = (SortItem){(uint64_t)bits << 32 | k, i};
}

/* Notes whom a piece may join in one column to its right, what is high only if asked; says whether
 * there is one, and whether something there hides what is behind. */
static bool look_across(StxObstacles *state, const StxCamera *camera, uint32_t i, uint32_t column,
    bool high, bool *hidden)
{
  int found = 0;
  const Piece *a = &state->pieces[i];
  *hidden = false;
  for (uint32_t k = state->starts[column]; k < state->starts[column + 1]; k++) {
    const Piece *b = &state->pieces[k];
    double most = step_at(state, camera, a, b) + side_step(a, b);
    if (!((double)fabsf(a->middle - b->middle) <= most))
      *hidden = *hidden || hides(a, b);
    else if (found < OBSTACLES_JOINTS && (!high || !(b->ground - b->top < LOW_HEIGHT)) &&
             heights_agree(a, b) && classes_agree(a, b)) {
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
    if (look_across(state, camera, i, c, open > gap, &hidden))
      return;
    open += hidden ? 0 : width;
    all += width;
    if (open > gap * (piece->ground - piece->top < LOW_HEIGHT ? 1 : HIGH_GAP) ||
        all > fmax(HIDDEN_GAP, gap))
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
                                                 : UP_STEP_HIGH + UP_STEP_HIGH * pixel) *
                    as_before(a, b);
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
        join(state, camera, i, k, false);
    }
}

/* Groups that were one high thing a frame ago, unless a large step is between them now. */
static void join_again(StxObstacles *state, const StxCamera *camera)
{
  uint32_t *last = state->waiting; /* of each track its piece before */
  for (size_t t = 0; t < state->tracked; t++)
    last[t] = OBSTACLES_NONE;
  for (uint32_t i = 0; i < state->count; i++) {
    Piece *pieces = state->pieces;
    uint32_t owner = pieces[i].owner, before = owner != OBSTACLES_NONE ? last[owner] : owner;
    if (owner != OBSTACLES_NONE)
      last[owner] = i;
    if (before == OBSTACLES_NONE ||
        fminf(pieces[root_of(pieces, before)].high, pieces[root_of(pieces, i)].high) < LOW_HEIGHT)
      continue;
    double off = (double)fabsf(pieces[before].middle - pieces[i].middle);
    if (off < AGAIN * step_at(state, camera, &pieces[before], &pieces[i]))
      join(state, camera, before, i, false);
  }
}

/* A crown and its trunk are one thing, though they were two: both are high and as far away. */
static void join_high(StxObstacles *state, const StxCamera *camera, uint32_t column)
{
  Piece *pieces = state->pieces;
  for (uint32_t i = state->starts[column]; i + 1 < state->starts[column + 1]; i++)
    for (uint32_t k = i + 1; k < state->starts[column + 1]; k++) {
      const Piece *a = &pieces[i], *b = &pieces[k];
      float high = fminf(pieces[root_of(pieces, i)].high, pieces[root_of(pieces, k)].high);
      double off = (double)fabsf(a->middle - b->middle);
      if (high >= LOW_HEIGHT && off < face_step(state, camera, a, b) && classes_agree(a, b))
        join(state, camera, i, k, true);
    }
}

static void form_groups(StxObstacles *state, const StxCamera *camera, uint32_t columns)
{
  for (uint32_t c = 0; c < columns; c++)
    join_upwards(state, camera, c, false);
  state->joint_count = 0;
  for (uint32_t i = 0; i < state->count; i++)
    look_to_the_right(state, camera, i, columns);
  /* The likest first: where low things must not grow any longer they end at the largest step. */
  stx_obstacles_sort(state->joints, state->spare_joints, state->joint_count);
  for (size_t i = 0; i < state->joint_count; i++)
    join(state, camera, state->joints[i].index, (uint32_t)state->joints[i].key, false);
  for (uint32_t c = 0; c < columns; c++)
    join_upwards(state, camera, c, true);
  join_again(state, camera);
  for (uint32_t c = 0; c < columns; c++)
    join_high(state, camera, c);
  for (uint32_t i = 0; i < state->count; i++)
    state->pieces[i].group = root_of(state->pieces, i);
}

/* ---- What is refused ------------------------------------------------------------------------ */

/* A motion that is known is finite; there are points where they are said to be. */
static bool check_motion(const StxObstaclesFrame *frame, StxError *error)
{
  double sum = 0;
  if (frame->point_count > 0 && (frame->points == NULL || frame->motion == NULL))
    return stx_fail(error, "there are %zu matched points, but no %s", frame->point_count,
        frame->motion == NULL ? "motion" : "pointer to them");
  if (frame->motion == NULL || frame->motion->state != STX_MOTION_KNOWN)
    return true;
  for (int i = 0; i < 9; i++)
    sum += frame->motion->rotation[i] + (i < 3 ? frame->motion->translation[i] : 0) +
           (i < 6 ? frame->motion->deviation[i] : 0);
  if (!isfinite(sum))
    return stx_fail(error, "the camera's motion has a number that is not finite");
  const double *r = frame->motion->rotation;
  double trace = 0;
  for (int i = 0; i < 9; i++)
    trace += r[i] * r[i];
  return fabs(trace - 3) < .1 ||
         stx_fail(error, "the camera's motion has a rotation that is none: its rows must be of "
                         "length 1; that of a camera which does not turn is 1 0 0 0 1 0 0 0 1");
}

bool stx_obstacles_check_frame(
    const StxObstacles *state, const StxObstaclesFrame *frame, StxError *error)
{
  StxStixelsRoom room = {
      state->records, state->directions, "obstacles are", "obstacles need", true};
  return stx_stixels_check(frame->stixels, frame->count,
             (int[]){frame->width, frame->height, frame->stixel_width}, &frame->camera, &room,
             error) &&
         check_motion(frame, error);
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static bool is_known(float disparity)
{
  return disparity > 0 && isfinite(disparity);
}

/* Objects may lean: near is what their lower end is, and their own place what their middle is. */
static Piece piece_of(const StxObstacles *state, const StxObstaclesFrame *frame, const StxStixel *s)
{
  const StxCamera *camera = &frame->camera;
  double metre = camera->focal * camera->baseline, low = (double)s->disparity_bottom;
  double high = is_known(s->disparity_top) ? (double)s->disparity_top : low;
  double left = (double)s->column * frame->stixel_width - .5;
  double right = fmin(left + frame->stixel_width, frame->width - .5);
  double z = metre / low, cy = obstacles_centre_row(frame);
  return (Piece){.z = (float)z,
      .range = (float)z,
      .middle = (float)(2 * metre / (low + high)),
      .z_top = (float)(metre / high),
      .left = (float)((left - camera->cx) * z / camera->focal),
      .right = (float)((right - camera->cx) * z / camera->focal),
      .top = (float)((s->top - .5 - cy) * metre / high / camera->focal),
      .bottom = (float)((s->bottom + .5 - cy) * z / camera->focal),
      .ground = road_at(state, z, (.5 * (left + right) - camera->cx) * z / camera->focal),
      .weight = (float)((right - left) * (s->bottom - s->top + 1)),
      .confidence = s->confidence,
      .column = s->column,
      .label = s->label,
      .cut = s->top == 0};
}

/* False if it is no object, not measured, or too low to be in the way. */
static bool make_piece(StxObstacles *state, const StxObstaclesFrame *frame, size_t i, Piece *piece)
{
  const StxStixel *s = &frame->stixels[i];
  if (s->kind != STX_KIND_OBJECT || !is_known(s->disparity_bottom))
    return false;
  *piece = piece_of(state, frame, s);
  piece->record = (uint32_t)i;
  piece->group = (uint32_t)state->count;
  piece->owner = OBSTACLES_NONE;
  piece->near = piece->far = piece->middle;
  piece->group_left = piece->left;
  piece->group_right = piece->right;
  piece->high = piece->ground - piece->top;
  return !((double)piece->high < .5 * state->params.min_height);
}

/* ---- Free space ----------------------------------------------------------------------------- */

static StxFreeSpace free_until(
    const StxObstacles *state, const StxObstaclesFrame *frame, uint32_t column, bool seen)
{
  const Piece *best = NULL;
  for (uint32_t i = state->starts[column]; i < state->starts[column + 1]; i++)
    if (stx_obstacles_is_low(state, &state->pieces[i]) &&
        (best == NULL || state->pieces[i].z < best->z))
      best = &state->pieces[i];
  state->nearest[column] = best != NULL ? (uint32_t)(best - state->pieces) : OBSTACLES_NONE;
  if (best == NULL)
    return (StxFreeSpace){NAN, seen ? INFINITY : NAN, 0, STX_FREE_NO_OBSTACLE};
  return (StxFreeSpace){.5f * (best->left + best->right), best->z,
      frame->stixels[best->record].bottom, STX_FREE_NO_OBSTACLE};
}

void stx_obstacles_stand(StxObstacles *state, const StxObstaclesFrame *frame)
{
  uint32_t columns = (uint32_t)((frame->width - 1) / frame->stixel_width + 1);
  find_road(state, frame);
  uint32_t column = 0;
  state->count = 0;
  for (size_t i = 0; i < frame->count; i++) {
    for (; column <= frame->stixels[i].column; column++)
      state->starts[column] = (uint32_t)state->count;
    state->count += make_piece(state, frame, i, &state->pieces[state->count]);
  }
  for (; column <= columns; column++)
    state->starts[column] = (uint32_t)state->count;
  stx_obstacles_claim(state, frame);
  form_groups(state, &frame->camera, columns);
  size_t i = 0;
  for (uint32_t c = 0; c < columns; c++) {
    bool seen = false; /* ground */
    for (; i < frame->count && frame->stixels[i].column == c; i++)
      seen = seen || (frame->stixels[i].kind == STX_KIND_GROUND &&
                         is_known(frame->stixels[i].disparity_bottom));
    state->free_space[c] = free_until(state, frame, c, seen);
  }
}
