/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From patches to records: patches that touch and have half of the evidence are one group, if one
 * of them has all of it. The best patch says where it stands and how high it is, the patches with a
 * quarter of its evidence how wide; a window reaches half its width beyond what it shows. Groups
 * beside each other at one distance are one thing.
 */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_FACE 1.0        /* px: what is of one upright face has one disparity, this near */
#define BELOW .35            /* px: what is farther than the ground by so much is in a hole */
#define FARTHER 1.15         /* of max_distance: what comes nearer is confirmed when it is there */
#define GAP .3               /* m across which groups are one thing */
#define STEP .6              /* m of distance, likewise */
#define TOUCH 4              /* rows between two that touch */
#define OFF_UNITS 16         /* per pixel */
#define MOST_OFF 255         /* of them */
#define EDGE 3               /* rows before and behind the nearer edge of a hole */
#define ON .6                /* px: how near the plane the ground behind that edge is */
#define JUMP 1.3             /* px: how much it is above the rows before the edge, at least */
#define JUMP_SHARE .4        /* the same as a share of what is seen of the hole's wall */
#define LEAST_PER_PIXEL .125 /* nats: less is noise of a dark area, over many rows */
#define DEEP (-2.)           /* px: no shadow is so deep in the map */

typedef struct {
  bool hole;
  Patch best;
  int row, cell;         /* of the best patch: the foot, or the hole's farther edge */
  int left, right;       /* columns, inclusive */
  int top, bottom;       /* rows, inclusive */
  int upper, lower;      /* rows where its patches stand, inclusive */
  double z, far;         /* m: its nearest edge, and of a hole the farthest */
  double x0, x1, height; /* m */
} Group;

typedef struct {
  const StxHazardsWork *work;
  Patch *patches;
  uint32_t *members; /* places of one group's patches */
  size_t count;
  uint32_t least;
  bool hole;
} Fill;

static double ground_at(const StxHazardsWork *work, int row, int x)
{
  return (double)work->ground[(size_t)(row - work->top) * (size_t)work->width + (size_t)x] / FINE;
}

static double metres_per_disparity(const StxHazardsWork *work)
{
  return work->frame->camera.focal * work->frame->camera.baseline;
}

/* ---- Patches that touch ---------------------------------------------------------------------- */

static void take(Fill *fill, uint8_t *taken, int row, int cell)
{
  const StxHazardsWork *work = fill->work;
  if (row < work->first || row >= work->height || cell < 0 || cell >= work->cells)
    return;
  size_t at = hazards_at(work, row, cell);
  if (taken[at] || fill->patches[at].evidence < fill->least)
    return;
  taken[at] = 1;
  fill->members[fill->count++] = (uint32_t)at;
}

/* All that touch the patch at a place, and those that touch these. `taken` lies where the costs
 * were. */
static void collect(Fill *fill, uint8_t *taken, int row, int cell)
{
  int cells = fill->work->cells;
  fill->count = 0;
  take(fill, taken, row, cell);
  for (size_t i = 0; i < fill->count; i++) {
    int y = (int)fill->members[i] / cells + fill->work->top, x = (int)fill->members[i] % cells;
    for (int k = 0; k < 9; k++)
      take(fill, taken, y + k / 3 - 1, x + k % 3 - 1);
  }
}

/* The best of them: of equal ones the lower, then the one further left. */
static Group summarize(const Fill *fill)
{
  const StxHazardsWork *work = fill->work;
  uint32_t best = fill->members[0];
  for (size_t i = 1; i < fill->count; i++) {
    uint32_t at = fill->members[i];
    int more = fill->patches[at].evidence - fill->patches[best].evidence;
    int lower = (int)(at / (uint32_t)work->cells) - (int)(best / (uint32_t)work->cells);
    if (more > 0 || (more == 0 && (lower > 0 || (lower == 0 && at < best))))
      best = at;
  }
  Group group = {.hole = fill->hole,
      .best = fill->patches[best],
      .row = (int)(best / (uint32_t)work->cells) + work->top,
      .cell = (int)(best % (uint32_t)work->cells)};
  int first = group.cell, last = group.cell;
  group.upper = group.lower = group.row;
  for (size_t i = 0; i < fill->count; i++) {
    int cell = (int)(fill->members[i] % (uint32_t)work->cells);
    int row = (int)(fill->members[i] / (uint32_t)work->cells) + work->top;
    if (fill->patches[fill->members[i]].evidence * 4 < group.best.evidence)
      continue;
    first = cell < first ? cell : first;
    last = cell > last ? cell : last;
    group.upper = row < group.upper ? row : group.upper;
    group.lower = row > group.lower ? row : group.lower;
  }
  int beyond = (2 * work->half[group.row - work->top] + 1) / 4;
  first = first + beyond < group.cell ? first + beyond : group.cell;
  last = last - beyond > group.cell ? last - beyond : group.cell;
  group.left = first * CELL;
  group.right = last * CELL + CELL - 1;
  return group;
}

/* ---- What they are --------------------------------------------------------------------------- */

/* Are more than half of the known disparities in a row of the group between `low` and `high`? */
static bool row_is(const StxHazardsWork *work, const Group *group, int row, double low, double high)
{
  const uint16_t *map = stx_row16(&work->frame->disparity, row);
  int inside = 0, known = 0;
  for (int x = group->left; x <= group->right; x++) {
    double d = (double)map[x] / STX_DISPARITY_ONE;
    known += map[x] != STX_DISPARITY_UNKNOWN;
    inside += map[x] != STX_DISPARITY_UNKNOWN && d >= low && d <= high;
  }
  return known > 0 && 2 * inside > known;
}

static void measure_thing(const StxHazardsWork *work, Group *group)
{
  const StxCamera *camera = &work->frame->camera;
  double d = fmax(ground_at(work, group->row, group->cell * CELL + CELL / 2), 1. / FINE);
  double per_row = camera->baseline / d; /* metres */
  int most = (int)(work->params->max_height / per_row) + 4;
  int face = group->best.rows; /* rows that the map shows above its foot */
  while (face < most && group->row - face >= 0 &&
         row_is(work, group, group->row - face, d - SAME_FACE, d + 2 * SAME_FACE))
    face++;
  group->z = group->far = metres_per_disparity(work) / d;
  /* The map smears a face over some rows above it, but has all of what is high. */
  int rows = face >= group->best.rows + 4 ? face - 1 : group->best.rows;
  group->height = rows * per_row;
  group->bottom = group->row;
  group->top = group->row - rows + 1 > 0 ? group->row - rows + 1 : 0;
}

/* The nearer edge is where the map is at the ground again. */
static void measure_hole(const StxHazardsWork *work, Group *group)
{
  int x = group->cell * CELL + CELL / 2, row = group->row + group->best.rows;
  double d = fmax(ground_at(work, group->row, x), 1. / FINE);
  while (row < work->height &&
         row_is(work, group, row, 0,
             ground_at(work, row, x) - .25 * group->best.rows * work->plane.down))
    row++;
  row = row < work->height ? row : work->height - 1;
  group->far = metres_per_disparity(work) / d;
  group->z = metres_per_disparity(work) / fmax(ground_at(work, row, x), 1. / FINE);
  group->height = -group->best.rows * work->frame->camera.baseline / d;
  group->top = group->row;
  group->bottom = row;
}

/* The median over its columns of how much nearer than the ground the map is in a row, pixels. */
static double nearer_by(const StxHazardsWork *work, const Group *group, int row)
{
  const uint16_t *map = stx_row16(&work->frame->disparity, row);
  uint32_t count[2 * MOST_OFF + 1] = {0}, known = 0, below = 0;
  for (int x = group->left; x <= group->right; x++) {
    double off = OFF_UNITS * ((double)map[x] / STX_DISPARITY_ONE - ground_at(work, row, x));
    if (map[x] == STX_DISPARITY_UNKNOWN)
      continue;
    count[MOST_OFF + (int)fmin(fmax(off, -MOST_OFF), MOST_OFF)]++;
    known++;
  }
  int bin = 0;
  while (bin < 2 * MOST_OFF && 2 * (below += count[bin]) < known)
    bin++;
  return known > 0 ? (double)(bin - MOST_OFF) / OFF_UNITS : INFINITY;
}

/* At its nearer edge the map comes up to the ground within some rows, as it does at a ground that
 * ends there and never at one that rises slowly; or it lies far below. */
static bool has_edge(const StxHazardsWork *work, const Group *group)
{
  double deepest = 0, before = 0, behind = INFINITY;
  if (group->bottom + EDGE >= work->height)
    return false;
  for (int row = group->top; row < group->bottom; row++) {
    double off = nearer_by(work, group, row);
    deepest = fmin(deepest, off);
    before = row >= group->bottom - EDGE ? fmin(before, off) : before;
  }
  for (int row = group->bottom + 1; row <= group->bottom + EDGE; row++) {
    double off = nearer_by(work, group, row);
    behind = fabs(off) < fabs(behind) ? off : behind;
  }
  double least = fmax(JUMP, JUMP_SHARE * group->best.rows * work->plane.down);
  return (fabs(behind) < ON && behind - before >= least) || (fabs(behind) < 1 && deepest < DEEP);
}

/* Its nearer edge is in the picture, it is at least as wide as a window and what is seen of its
 * depth, and the map, too, has more than half of the wall below the ground. Else it is what
 * something nearer hides beside its edge, or a shadow. */
static bool is_hole(const StxHazardsWork *work, const Group *group)
{
  int x = group->cell * CELL + CELL / 2, below = 0;
  for (int j = 0; j < group->best.rows; j++)
    below += row_is(work, group, group->row + j, 0, ground_at(work, group->row + j, x) - BELOW);
  double least = fmax(-group->height, work->params->window);
  return group->x1 - group->x0 >= least && 2 * below > group->best.rows && has_edge(work, group);
}

/* False: it is none. */
static bool measure(const StxHazardsWork *work, Group *group)
{
  const StxHazardsParams *params = work->params;
  const StxCamera *camera = &work->frame->camera;
  /* Every pixel of the best patch must have its share of the evidence. */
  int pixels = group->best.rows * CELL * (2 * work->half[group->row - work->top] + 1);
  if (group->best.evidence < HAZARDS_UNITS * LEAST_PER_PIXEL * pixels)
    return false;
  if (group->hole)
    measure_hole(work, group);
  else
    measure_thing(work, group);
  double per_pixel = group->far / camera->focal;
  group->x0 = (group->left - .5 - camera->cx) * per_pixel;
  group->x1 = (group->right + .5 - camera->cx) * per_pixel;
  return group->z <= params->max_distance * (work->frame->motion != NULL ? FARTHER : 1) &&
         group->x1 - group->x0 >= params->min_width &&
         (group->hole ? is_hole(work, group) : group->height <= params->max_height);
}

/* ---- One thing ------------------------------------------------------------------------------- */

/* The area hidden by a thing looks like a hole, and the edges of a hole look like things. */
static bool touch(const Group *a, const Group *b)
{
  return a->left <= b->right + CELL && b->left <= a->right + CELL && a->top <= b->bottom + TOUCH &&
         b->top <= a->bottom + TOUCH;
}

static bool are_one(const Group *a, const Group *b)
{
  if (touch(a, b) || a->hole != b->hole)
    return touch(a, b);
  return a->x0 < b->x1 + GAP && b->x0 < a->x1 + GAP && a->z < b->far + STEP && b->z < a->far + STEP;
}

/* The better one stays, and becomes as wide as both if they are of one kind. */
static void join(Group *better, const Group *other)
{
  if (better->hole != other->hole)
    return;
  better->left = other->left < better->left ? other->left : better->left;
  better->right = other->right > better->right ? other->right : better->right;
  better->top = other->top < better->top ? other->top : better->top;
  better->bottom = other->bottom > better->bottom ? other->bottom : better->bottom;
  better->x0 = fmin(better->x0, other->x0);
  better->x1 = fmax(better->x1, other->x1);
  better->upper = other->upper < better->upper ? other->upper : better->upper;
  better->lower = other->lower > better->lower ? other->lower : better->lower;
}

static int by_evidence(const void *a, const void *b)
{
  const Group *x = a, *y = b;
  if (x->best.evidence != y->best.evidence)
    return (int)y->best.evidence - (int)x->best.evidence;
  if (x->row != y->row)
    return y->row - x->row;
  return x->cell != y->cell ? x->cell - y->cell : (int)x->hole - (int)y->hole;
}

static size_t join_all(Group *groups, size_t count)
{
  size_t kept = 0;
  qsort(groups, count, sizeof *groups, by_evidence);
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < kept && !are_one(&groups[k], &groups[i]))
      k++;
    if (k < kept)
      join(&groups[k], &groups[i]);
    else
      groups[kept++] = groups[i];
  }
  return kept;
}

/* ---- Records --------------------------------------------------------------------------------- */

static StxHazardsSeen record_of(const StxHazardsWork *work, const Group *group)
{
  const StxCamera *camera = &work->frame->camera;
  double evidence = (double)group->best.evidence / HAZARDS_UNITS;
  bool cut = group->left == 0 || group->right >= work->cells * CELL - 1 ||
             group->bottom == work->height - 1;
  double foot = (camera->missing & STX_CAMERA_CY)
                    ? NAN
                    : (group->bottom - camera->cy) * group->z / camera->focal;
  StxObstacle record = {.left = (uint16_t)group->left,
      .top = (uint16_t)group->top,
      .right = (uint16_t)group->right,
      .bottom = (uint16_t)group->bottom,
      .source = STX_OBSTACLE_STEREO,
      .label = 255,
      .flags = (uint8_t)((cut ? STX_OBSTACLE_CUT : 0) |
                         (group->hole ? STX_OBSTACLE_HOLE : STX_OBSTACLE_SMALL)),
      .confidence = (float)(1 - .5 * work->params->evidence / evidence),
      .x = (float)(.5 * (group->x0 + group->x1)),
      .y = (float)foot,
      .z = (float)group->z,
      .width = (float)(group->x1 - group->x0),
      .height = (float)group->height,
      .depth = (float)(group->far - group->z),
      .closing_speed = NAN,
      .lateral_speed = NAN};
  int x = group->cell * CELL + CELL / 2;
  double all = metres_per_disparity(work);
  return (StxHazardsSeen){.record = record,
      .near = group->hole ? group->z : all / fmax(ground_at(work, group->lower, x), 1. / FINE),
      .far = group->hole ? group->far : all / fmax(ground_at(work, group->upper, x), 1. / FINE),
      .evidence = group->best.evidence};
}

static int by_distance(const void *a, const void *b)
{
  const StxObstacle *x = &((const StxHazardsSeen *)a)->record;
  const StxObstacle *y = &((const StxHazardsSeen *)b)->record;
  if (x->z != y->z)
    return x->z < y->z ? -1 : 1;
  return x->left != y->left ? (int)x->left - (int)y->left : (int)x->flags - (int)y->flags;
}

static size_t find_groups(const StxHazardsWork *work, Fill *fill, uint8_t *taken, uint32_t enough,
    Group *groups, size_t count)
{
  memset(taken, 0, (size_t)(work->height - work->top) * (size_t)work->cells);
  for (int row = work->height - 1; row >= work->first; row--)
    for (int cell = 0; cell < work->cells; cell++) {
      size_t at = hazards_at(work, row, cell);
      if (taken[at] || fill->patches[at].evidence < enough || count == STX_HAZARDS_MAX)
        continue;
      collect(fill, taken, row, cell);
      groups[count] = summarize(fill);
      count += measure(work, &groups[count]);
    }
  return count;
}

size_t stx_hazards_group(
    const StxHazardsWork *work, uint32_t *stack, uint32_t least, StxHazardsSeen *seen)
{
  uint8_t *taken = (uint8_t *)work->costs; /* their time is over */
  Group groups[STX_HAZARDS_MAX];
  Fill fill = {.work = work, .members = stack};
  size_t count = 0;
  for (int hole = 0; hole < 2; hole++) {
    fill.hole = hole;
    fill.patches = hole ? work->down : work->up;
    /* Things as far as they reach, to be followed; holes as they are measured. */
    fill.least = hole ? (uint32_t)(.5 * HAZARDS_UNITS * work->params->evidence) : least / 2;
    count = find_groups(work, &fill, taken, least, groups, count);
  }
  count = join_all(groups, count);
  for (size_t i = 0; i < count; i++)
    seen[i] = record_of(work, &groups[i]);
  qsort(seen, count, sizeof *seen, by_distance);
  return count;
}
