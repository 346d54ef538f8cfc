/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the street's small things and holes that are in sight, and the records that match them. */
#include "examples/stx-eval/stx_eval_hazards.h"

#include <glib.h>
#include <math.h>

#define SAMPLES 5  /* across its front */
#define OFF_X .25  /* m by which a record may lie beside it, */
#define OFF_Z .6   /*   and before or behind it, and what half a pixel of disparity is */
#define SOONEST 4. /* m: what is nearer is partly below the picture */

const double hazard_ranges[HAZARD_RANGES + 1] = {5, 10, 15, 20};
const int hazard_sizes[HAZARD_SIZES] = {5, 10, 20, 30, -10, -20, -30};

/* The middle of its front, or of the wall of a hole that is seen, which is the farther one. */
static double face_z(const StxSceneHazard *hazard)
{
  bool pit = hazard->thing == STX_SCENE_PIT;
  double half = .5 * hazard->length;
  if (hazard->thing == STX_SCENE_BOX || hazard->thing == STX_SCENE_PALLET)
    half += .5 * fabs(hazard->turn) * hazard->width;
  return hazard->z + (pit ? half : -half);
}

static double near_z(const StxSceneHazard *hazard)
{
  return hazard->thing == STX_SCENE_PIT ? hazard->z - .5 * hazard->length : face_z(hazard);
}

/* Rays to its front, half way up, meet nothing before it. */
static bool in_sight(const StxScene *scene, const StxSceneHazard *hazard)
{
  double z = face_z(hazard), eye = stx_scene_params(scene)->camera.height;
  double y = stx_scene_road(scene, z) + .5 * hazard->height;
  int seen = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double x = hazard->x + ((i + .5) / SAMPLES - .5) * .8 * hazard->width;
    StxSceneHit hit = stx_scene_cast(scene, &(StxSceneRay){{0, eye, 0}, {x, y - eye, z}});
    seen += hit.t * z > z - .8 && hit.t * z < z + .8;
  }
  return 2 * seen > SAMPLES;
}

static int size_of(const StxSceneHazard *hazard)
{
  int cm = (int)lrint(100 * hazard->height), size = 0;
  while (size < HAZARD_SIZES - 1 && hazard_sizes[size] != cm)
    size++;
  return size;
}

static int range_of(double z)
{
  for (int range = 0; range < HAZARD_RANGES; range++)
    if (z >= hazard_ranges[range] && z < hazard_ranges[range + 1])
      return range;
  return -1;
}

/* Half a pixel of disparity, at a distance of the default camera. */
static double off_z(const StxScene *scene, double z)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  return OFF_Z + .5 * z * z / (camera->focal * camera->baseline);
}

static bool is_at(
    const StxScene *scene, const StxSceneHazard *hazard, const StxObstacle *r, double more)
{
  double off = off_z(scene, hazard->z) + more;
  double near = near_z(hazard), far = hazard->z + .5 * hazard->length;
  if (fabs(r->x - hazard->x) > .5 * (hazard->width + r->width) + OFF_X)
    return false;
  if (hazard->thing == STX_SCENE_PIT)
    return r->z < far + off && r->z + r->depth > near - off;
  return r->z > near - off && r->z < (more > 0 ? far : near) + off;
}

static bool same_kind(const StxSceneHazard *hazard, const StxObstacle *r)
{
  return ((r->flags & STX_OBSTACLE_HOLE) != 0) == (hazard->thing == STX_SCENE_PIT);
}

static void add_error(uint64_t *bins, double error, double unit)
{
  int bin = (int)fmin(fabs(error) / unit, HAZARD_BINS - 1);
  bins[bin]++;
}

bool hazard_in_lane(const StxObstacle *record, double lane)
{
  return fabs(record->x) < .5 * lane;
}

void hazard_tell(FILE *log, const char *frame, const char *what, const StxObstacle *r)
{
  if (log != NULL)
    fprintf(log,
        "%s: %s %s at x %.2f z %.2f, %.2f wide, %.2f high, sure %.2f, pixels %d %d to %d %d\n",
        frame, what, (r->flags & STX_OBSTACLE_HOLE) != 0 ? "hole" : "thing", (double)r->x,
        (double)r->z, (double)r->width, (double)r->height, (double)r->confidence, r->left, r->top,
        r->right, r->bottom);
}

static void judge_hazard(const StxScene *scene, const StxSceneHazard *hazard,
    const StxHazardsResult *result, const char *name, FILE *log, HazardScore *score)
{
  double z = near_z(hazard);
  int range = range_of(z), size = size_of(hazard);
  if (range < 0 || !in_sight(scene, hazard))
    return;
  score->seen[size][range]++;
  for (size_t i = 0; i < result->count; i++) {
    const StxObstacle *r = &result->hazards[i];
    if (!same_kind(hazard, r) || !is_at(scene, hazard, r, 0))
      continue;
    score->found[size][range]++;
    add_error(score->heights, r->height - hazard->height, .001);
    add_error(score->distances, r->z - z, .01);
    return;
  }
  if (log != NULL)
    fprintf(log, "%s: missed kind %d at x %.2f z %.2f, %.2f wide, %.2f long, %.2f high\n", name,
        (int)hazard->thing, hazard->x, z, hazard->width, hazard->length, hazard->height);
}

/* Things that are at the picture's lower border are not judged. */
static void judge_record(
    const StxScene *scene, const StxObstacle *r, const char *name, FILE *log, HazardScore *score)
{
  const StxSceneHazard *hazards;
  size_t count = stx_scene_hazards(scene, &hazards);
  bool other = false;
  for (size_t i = 0; i < count; i++) {
    if (!is_at(scene, &hazards[i], r, .5))
      continue;
    if (same_kind(&hazards[i], r))
      return;
    other = true;
  }
  score->other_kind += other;
  score->nothing += !other;
  hazard_tell(log, name, other ? "other kind" : "false", r);
}

void hazard_judge(const StxScene *scene, const StxHazardsResult *result, double lane, int frame,
    FILE *log, HazardScore *score)
{
  const StxSceneHazard *hazards;
  size_t count = stx_scene_hazards(scene, &hazards);
  char name[64];
  g_snprintf(name, sizeof name, "street %llu, frame %d",
      (unsigned long long)stx_scene_params(scene)->seed, frame);
  for (size_t i = 0; i < count; i++)
    judge_hazard(scene, &hazards[i], result, name, log, score);
  for (size_t i = 0; i < result->count; i++) {
    const StxObstacle *r = &result->hazards[i];
    if (!hazard_in_lane(r, lane))
      continue;
    score->records[(r->flags & STX_OBSTACLE_HOLE) != 0]++;
    if (r->z > SOONEST)
      judge_record(scene, r, name, log, score);
  }
}
