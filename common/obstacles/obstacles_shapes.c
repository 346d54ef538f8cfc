/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A track keeps the stixels that it was last seen as, and moves them with its velocity. Stixels of
 * the next frame that lie on them associate obstacles with tracks more reliably than boxes, which
 * jump when an obstacle splits or merges.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define SAME_DISPARITY .1 /* of it, and a pixel: a stixel is still the same */
#define NEAREST .5        /* m */
#define LEAST_THINGS 3    /* things that tell a scene from another */
#define LEAST_COVERED .25 /* share of the expected that a camera sees which is not blocked */

void stx_obstacles_move_parts(StxObstacles *state, double dt, const StxMotion *motion)
{
  bool moved = motion != NULL && motion->state != STX_MOTION_STILL;
  size_t kept = 0;
  for (size_t i = 0; i < state->part_count; i++)
    if (state->parts[i].owner < state->tracked)
      state->parts[kept++] = state->parts[i];
  state->part_count = kept;
  for (size_t i = 0; i < kept; i++) {
    Part *part = &state->parts[i];
    const Track *track = &state->tracks[part->owner];
    double x = part->x, z = part->z, y = .5 * (part->top + part->bottom);
    if (moved) {
      const double *r = motion->rotation, *t = motion->translation;
      double down = r[3] * x + r[4] * y + r[5] * z + t[1] - y;
      part->x = (float)(r[0] * x + r[1] * y + r[2] * z + t[0]);
      part->z = (float)(r[6] * x + r[7] * y + r[8] * z + t[2]);
      part->top += (float)down;
      part->bottom += (float)down;
    }
    if (motion == NULL || track->standing <= .5) {
      part->x += (float)(track->x.speed * dt);
      part->z += (float)(track->z.speed * dt);
    }
  }
}

/* Rows of a column that a part and a piece share. */
static double shared(
    const Piece *piece, const StxStixel *s, double top, double bottom, double d, double metre)
{
  double rows = fmin(bottom, s->bottom + .5) - fmax(top, s->top - .5);
  double off = fabs(d - metre / (double)piece->middle) / (1 + SAME_DISPARITY * d);
  return rows > 0 && off < 1 ? rows * (1 - off) : 0;
}

/* The owner of a piece is whose parts cover most of it: at first one of which there is a majority
 * (R. S. Boyer, J S. Moore, 1981), then how much it covers is summed. */
static void cover(StxObstacles *state, const StxObstaclesFrame *frame, const Part *part, bool sum)
{
  const StxCamera *camera = &frame->camera;
  double pixel = camera->focal / (double)part->z, cy = obstacles_centre_row(frame);
  double metre = camera->focal * camera->baseline, d = metre / (double)part->z;
  double left = ((part->x - .5 * part->width) * pixel + camera->cx + .5) / frame->stixel_width;
  double right = fmin(left + part->width * pixel / frame->stixel_width, state->columns);
  double top = fmax(part->top * pixel + cy, -.5);
  double bottom = fmin(part->bottom * pixel + cy, frame->height - .5);
  left = fmax(left, 0);
  if (!(part->z > NEAREST) || !(left < right) || !(top < bottom))
    return;
  state->expected[part->owner] += sum ? (float)((right - left) * (bottom - top)) : 0;
  for (int c = (int)left; c < right; c++) {
    double across = fmin(right, c + 1) - fmax(left, c);
    for (uint32_t i = state->starts[c]; i < state->starts[c + 1]; i++) {
      Piece *piece = &state->pieces[i];
      float more =
          (float)(across * shared(piece, &frame->stixels[piece->record], top, bottom, d, metre));
      if (part->owner == piece->owner) {
        piece->owned += more;
      } else if (!sum) {
        piece->owner = more > piece->owned ? part->owner : piece->owner;
        piece->owned = fabsf(piece->owned - more);
      }
    }
  }
}

void stx_obstacles_claim(StxObstacles *state, const StxObstaclesFrame *frame)
{
  memset(state->expected, 0, state->tracked * sizeof *state->expected);
  for (size_t i = 0; i < state->part_count; i++)
    cover(state, frame, &state->parts[i], false);
  for (size_t i = 0; i < state->count; i++)
    state->pieces[i].owned = 0;
  for (size_t i = 0; i < state->part_count; i++)
    cover(state, frame, &state->parts[i], true);
  for (size_t i = 0; i < state->count; i++) {
    Piece *piece = &state->pieces[i];
    bool known = piece->owner != OBSTACLES_NONE && state->tracks[piece->owner].age > 0;
    piece->group_owner = known ? piece->owner : OBSTACLES_NONE;
  }
}

double stx_obstacles_continuity(const StxObstacles *state)
{
  double expected = 0, covered = 0, rows = 0;
  int things = 0;
  for (size_t t = 0; t < state->tracked; t++) {
    expected += (double)state->expected[t];
    things += state->expected[t] > 0;
  }
  for (size_t i = 0; i < state->count; i++) {
    const Piece *piece = &state->pieces[i];
    if ((double)piece->range > state->params.max_distance)
      continue;
    covered += (double)piece->weight / state->stixel_width;
    rows += (double)piece->owned;
  }
  return things >= LEAST_THINGS && covered > LEAST_COVERED * expected
             ? stx_obstacles_overlap(expected, covered, rows)
             : -1;
}

double stx_obstacles_overlap(double expected, double covered, double rows)
{
  return rows / (expected + covered - rows);
}

/* Tracks got other numbers. */
void stx_obstacles_number_parts(StxObstacles *state, const uint32_t *now)
{
  for (size_t i = 0; i < state->part_count; i++)
    state->parts[i].owner = now[state->parts[i].owner];
  for (size_t i = 0; i < state->count && state->columns > 0; i++)
    if (state->pieces[i].owner != OBSTACLES_NONE)
      state->pieces[i].owner = now[state->pieces[i].owner];
}

static Part part_of(const StxObstacles *state, const Piece *p, uint32_t owner)
{
  float up = p->middle / p->z_top, down = p->middle / p->z;
  return (Part){.x = .5f * (p->left + p->right) * down,
      .z = p->middle,
      .width = (p->right - p->left) * down,
      .top = p->top * up,
      .bottom = p->bottom * down,
      .owner = owner};
}

void stx_obstacles_keep_parts(StxObstacles *state)
{
  uint32_t *tracks = state->owner; /* of each obstacle */
  size_t kept = 0;
  if (state->columns == 0)
    return;
  for (size_t i = 0; i < state->obstacles; i++)
    tracks[i] = OBSTACLES_NONE;
  memset(state->expected, 0, state->tracked * sizeof *state->expected);
  for (size_t t = 0; t < state->tracked; t++)
    if (state->tracks[t].place != OBSTACLES_NONE) {
      tracks[state->tracks[t].place] = (uint32_t)t;
      state->expected[t] = 1;
    }
  for (size_t i = 0; i < state->count; i++) {
    Piece *piece = &state->pieces[i];
    /* Pieces of a track that is not seen itself, since it joined something else or is too small to
     * count, stay its own. */
    uint16_t member = state->members[piece->record];
    bool missed = piece->owner != OBSTACLES_NONE && state->tracks[piece->owner].unseen > 0;
    if (!missed && member != STX_FREE_NO_OBSTACLE)
      piece->owner = tracks[member];
    if (piece->owner != OBSTACLES_NONE)
      state->expected[piece->owner] = 1;
  }
  for (size_t i = 0; i < state->part_count && kept < state->stixels; i++)
    if (state->parts[i].owner != OBSTACLES_NONE && !(state->expected[state->parts[i].owner] > 0))
      state->parts[kept++] = state->parts[i];
  for (size_t i = 0; i < state->count; i++)
    if (state->pieces[i].owner != OBSTACLES_NONE)
      state->parts[kept++] = part_of(state, &state->pieces[i], state->pieces[i].owner);
  state->part_count = kept;
}
