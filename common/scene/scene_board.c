/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chessboard. Its poses are drawn from (seed, number of the pose): one of nine parts of the
 * picture in turn, a distance at which it fills a share of it, a tilt about each axis. Where a
 * camera would not see all of it, it is moved towards the middle of both pictures, and, if that
 * does not help, away.
 *
 * Its pattern is the product of two square waves, s(x)·s(y), so that the mean over the rectangle
 * that a pixel covers is one of products of integrals, and no corner is drawn ragged.
 */
#include "common/scene/scene_private.h"

#define KEY_BOARD 900 /* of scene_key */
#define MARGIN 1.0    /* squares of white around the pattern */
#define TILT .6       /* radians to either side */
#define ROLL .35
#define BORDER 2.0 /* pixels that stay free at the edge of a picture */
#define CELLS 9    /* parts of the picture, 3 × 3 */
#define STRIDE 4   /* from one to the next, so that neighbours do not follow */
#define CLOSER .93 /* to the middle, step by step */
#define STEPS 50
#define FARTHER 1.2
#define TRIES 12

/* ---- Pose --------------------------------------------------------------------------------- */

/* The board's pose in the left eye's axes: right, down, depth. */
typedef struct {
  double across[3], down[3], centre[3];
} Pose;

/* v turned by an angle in the plane of axes i and j. */
static void turn(double v[3], int i, int j, double angle)
{
  double c = scene_cosine(angle), s = scene_sine(angle), a = v[i], b = v[j];
  v[i] = c * a - s * b;
  v[j] = s * a + c * b;
}

static void tilt(Pose *pose, uint64_t *key)
{
  double roll = scene_between(key, -ROLL, ROLL), pitch = scene_between(key, -TILT, TILT);
  double yaw = scene_between(key, -TILT, TILT);
  *pose = (Pose){{1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  for (double *v = pose->across; v != NULL; v = v == pose->across ? pose->down : NULL) {
    turn(v, 0, 1, roll);
    turn(v, 1, 2, pitch);
    turn(v, 2, 0, yaw);
  }
}

static void to_world(const StxScene *scene, const double v[3], double out[3])
{
  out[0] = v[0];
  out[1] = v[2] * scene->forward_y - v[1] * scene->forward_z;
  out[2] = v[2] * scene->forward_z + v[1] * scene->forward_y;
}

static void hold(StxScene *scene, const Pose *pose)
{
  const StxSceneBoard *size = &scene->params.board;
  SceneBoard *board = &scene->board;
  const double *a = board->across, *b = board->down;
  to_world(scene, pose->across, board->across);
  to_world(scene, pose->down, board->down);
  to_world(scene, pose->centre, board->centre);
  board->centre[1] += scene->params.camera.height;
  /* Right × down is ahead; in the world, whose y points up, it is the other way. */
  for (int i = 0; i < 3; i++)
    board->normal[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  board->half_x = (.5 * (size->columns + 1) + MARGIN) * size->square;
  board->half_y = (.5 * (size->rows + 1) + MARGIN) * size->square;
}

/* A point of the board, metres from its centre. */
static void point_of(const SceneBoard *board, double x, double y, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = board->centre[i] + x * board->across[i] + y * board->down[i];
}

static bool is_seen(const StxScene *scene)
{
  const SceneBoard *board = &scene->board;
  for (int i = 0; i < 8; i++) {
    double point[3], pixel[2];
    point_of(board, i & 1 ? board->half_x : -board->half_x, i & 2 ? board->half_y : -board->half_y,
        point);
    if (!stx_scene_project(scene, i & 4 ? STX_SCENE_RIGHT : STX_SCENE_LEFT, point, pixel) ||
        pixel[0] < BORDER || pixel[0] > scene->params.width - 1 - BORDER || pixel[1] < BORDER ||
        pixel[1] > scene->params.height - 1 - BORDER)
      return false;
  }
  return true;
}

/* Somewhere between the middle of both pictures and (x, y) of what is seen, each -1 … 1, so far
 * out as both cameras see it. False: nowhere at this depth. */
static bool put(StxScene *scene, Pose *pose, double x, double y, double depth)
{
  const StxCamera *camera = &scene->params.camera;
  const SceneCover *sight = &scene->sight;
  double per_pixel = depth / camera->focal, share = 1;
  double middle_x = .5 * (scene->params.width - 1), middle_y = .5 * (scene->params.height - 1);
  double far_x = (x < 0 ? middle_x - sight->x0 : sight->x1 - middle_x) * x;
  double far_y = (y < 0 ? middle_y - sight->y0 : sight->y1 - middle_y) * y;
  pose->centre[2] = depth;
  for (int i = 0; i < STEPS; i++, share *= CLOSER) {
    pose->centre[0] = .5 * camera->baseline + (middle_x - camera->cx + share * far_x) * per_pixel;
    pose->centre[1] = (middle_y - camera->cy + share * far_y) * per_pixel;
    hold(scene, pose);
    if (is_seen(scene))
      return true;
  }
  return false;
}

void stx_scene_board_place(StxScene *scene)
{
  const StxSceneParams *params = &scene->params;
  uint64_t number = scene->frame / (uint64_t)params->board.hold;
  uint64_t key = scene_key(params->seed, KEY_BOARD, (int64_t)number);
  int cell = (int)(number % CELLS) * STRIDE % CELLS;
  double x = cell % 3 - 1 + scene_between(&key, -.4, .4);
  double y = cell / 3 - 1 + scene_between(&key, -.4, .4), share = scene_between(&key, .3, .95);
  double wide = (params->board.columns + 3) * params->board.square;
  double tall = (params->board.rows + 3) * params->board.square;
  double depth =
      params->camera.focal / share * scene_max(wide / params->width, tall / params->height);
  Pose pose;
  tilt(&pose, &key);
  for (int i = 0; i < TRIES && !put(scene, &pose, x, y, depth); i++)
    depth *= FARTHER;
}

/* ---- Rays --------------------------------------------------------------------------------- */

void stx_scene_board_cast(const StxScene *scene, const StxSceneRay *ray, SceneContact *contact)
{
  const SceneBoard *board = &scene->board;
  double towards[3], p[3], along = scene_dot(board->normal, ray->direction);
  for (int i = 0; i < 3; i++)
    towards[i] = board->centre[i] - ray->origin[i];
  double t = scene_dot(board->normal, towards) / along;
  if (!(along < 0 && t > 0))
    return;
  for (int i = 0; i < 3; i++)
    p[i] = t * ray->direction[i] - towards[i];
  if (scene_abs(scene_dot(board->across, p)) <= board->half_x &&
      scene_abs(scene_dot(board->down, p)) <= board->half_y)
    *contact = (SceneContact){.t = t, .object = HIT_BOARD};
}

/* ---- Pattern ------------------------------------------------------------------------------ */

/* Integral from 0 to x of the square wave that is 1 on even unit intervals and −1 on odd ones, and
 * of 1, both on 0 … count only. */
static double wave_integral(double x, int count)
{
  double at = scene_clamp(x, 0, count);
  int64_t whole = scene_floor(at);
  double part = at - (double)whole;
  return whole & 1 ? 1 - part : part;
}

double stx_scene_board_white(const StxScene *scene, const double p[2], const double foot[2])
{
  const StxSceneBoard *size = &scene->params.board;
  const int count[2] = {size->columns + 1, size->rows + 1};
  double on[2], wave[2]; /* the share on the pattern, and the mean of the wave there */
  for (int i = 0; i < 2; i++) {
    double at = p[i] / size->square + .5 * count[i], w = scene_max(foot[i] / size->square, 1e-3);
    on[i] = scene_band(at, w, 0, count[i]);
    wave[i] = (wave_integral(at + .5 * w, count[i]) - wave_integral(at - .5 * w, count[i])) / w;
  }
  return 1 - .5 * (on[0] * on[1] + wave[0] * wave[1]);
}
