/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles of the street's pictures when something happens to the camera: another exposure, a
 * pothole, a blow from the side, a blocked lens, a cut to another street. Ids go on and nothing has
 * a false speed; after a cut no id does.
 */
#include "common/egomotion/egomotion.h"
#include "common/obstacles/obstacles.h"
#include "common/pipeline/pipeline.h"
#include "common/scene/scene.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 192
#define STEP UINT64_C(100000000) /* ns */
#define HAPPENS 8                /* the frame in which it happens */
#define FRAMES 12
#define TRAFFIC_FROM 7 /* m/s of cars that drive on these streets, in either direction; */
#define TRAFFIC_TO 10  /*   nothing else is faster than STANDS there */
#define STANDS 1.5
#define BLOW 20 /* px */
#define PITCH 2 /* degrees */
#define KEPT .6 /* of the obstacles have an id of before */

typedef enum { EXPOSURE, POTHOLE, FROM_THE_SIDE, BLOCKED, CUT, HAPPENINGS } Happening;

/* The street and another one, and how both cameras see them: drawn once for all that happens. */
typedef struct {
  StxScene *scene[2];
  StxImage8 view[2][2];
} Streets;

typedef struct {
  StxPipeline *pipeline;
  StxEgomotion *egomotion;
  StxObstacles *obstacles[2]; /* without the camera's motion, and with it */
  StxImage8 left, right;
  StxError error;
} Drive;

static StxScene *street(uint64_t seed)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.seed = seed;
  params.width = WIDTH;
  params.height = HEIGHT;
  params.fps_n = 10;
  params.fps_d = 1;
  return stx_scene_new(&params, NULL);
}

static Drive begin(void)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  Drive d = {.pipeline = stx_pipeline_new(&settings, WIDTH, HEIGHT, NULL),
      .egomotion = stx_egomotion_new(),
      .obstacles = {stx_obstacles_new(), stx_obstacles_new()},
      .left = stx_test_image8(WIDTH, HEIGHT, 0),
      .right = stx_test_image8(WIDTH, HEIGHT, 0)};
  ck_assert(d.pipeline != NULL);
  ck_assert(stx_egomotion_prepare(d.egomotion, STX_BACKEND_AUTO, WIDTH, HEIGHT, NULL));
  return d;
}

static void end(Drive *d)
{
  stx_pipeline_free(d->pipeline);
  stx_egomotion_free(d->egomotion);
  stx_obstacles_free(d->obstacles[0]);
  stx_obstacles_free(d->obstacles[1]);
  stx_test_image8_free(&d->left);
  stx_test_image8_free(&d->right);
}

/* The other one is seen from the cut on. */
static void draw_streets(Streets *s, int frame)
{
  for (int i = 0; i < (frame < HAPPENS ? 1 : 2); i++) {
    stx_scene_move(s->scene[i], (uint64_t)frame);
    stx_scene_render(s->scene[i], STX_SCENE_LEFT, 1, &s->view[i][0]);
    stx_scene_render(s->scene[i], STX_SCENE_RIGHT, 1, &s->view[i][1]);
  }
}

/* A view with another gain and shifted to the right and down. */
static void change(const StxImage8 *view, double gain, int right, int down, const StxImage8 *image)
{
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) {
    int value = stx_row8(view, brute_clamp(y - down, HEIGHT))[brute_clamp(x - right, WIDTH)];
    stx_row8(image, y)[x] = (uint8_t)fmin(255, value * gain);
  }
}

static void see(Drive *d, const Streets *s, Happening what, int frame)
{
  const StxImage8 *view = s->view[what == CUT && frame >= HAPPENS];
  double focal = stx_scene_params(s->scene[0])->camera.focal, gain = 1;
  int right = what == FROM_THE_SIDE && frame == HAPPENS ? BLOW : 0;
  int down = what == POTHOLE && frame == HAPPENS ? (int)(focal * tan(PITCH * M_PI / 180)) : 0;
  if (what == EXPOSURE && frame >= HAPPENS)
    gain = frame % 2 ? 1.7 : .55;
  if (what == BLOCKED && (frame == HAPPENS || frame == HAPPENS + 1))
    gain = 0;
  change(&view[0], gain, right, down, &d->left);
  change(&view[1], gain, right, down, &d->right);
}

static void look(
    Drive *d, const Streets *s, Happening what, int frame, StxObstaclesResult result[2])
{
  static const StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  static StxEgomotionResult seen;
  StxPipelineOutput output;
  see(d, s, what, frame);
  StxCamera camera = stx_scene_params(s->scene[0])->camera;
  StxPipelineInput input = {.left = d->left, .right = d->right, .camera = camera};
  bool good = stx_pipeline_run(d->pipeline, &input, &output, &d->error);
  StxObstaclesFrame found = {output.stixels, output.count, WIDTH, HEIGHT, output.grid.cell_width,
      camera, (uint64_t)frame * STEP};
  StxEgomotionFrame pictures = {d->left, output.disparity, 0, camera, found.time, 2};
  good = good && stx_egomotion_frame(d->egomotion, &pictures, &seen, &d->error);
  for (int moves = 0; moves < 2; moves++) {
    StxObstacles *obstacles = d->obstacles[moves];
    good = good && stx_obstacles_prepare(obstacles, &params, output.count, WIDTH, &d->error) &&
           stx_obstacles_of_stixels(obstacles, &found, &result[moves], &d->error);
    found.motion = &seen.motion;
    found.points = seen.points;
    found.point_count = seen.count;
  }
  ck_assert_msg(good, "%s", d->error.text);
}

static bool can_be(const StxVelocity *v)
{
  double across = fabs((double)v->x), ahead = fabs((double)v->z);
  bool traffic = ahead >= TRAFFIC_FROM && ahead <= TRAFFIC_TO;
  return !(across > STANDS) && (traffic || !(ahead > STANDS));
}

static void expect(const StxObstaclesResult *result, Happening what, int frame, uint32_t last)
{
  size_t kept = 0;
  ck_assert_msg(result->restarted == (what == CUT && frame == HAPPENS), "%d, frame %d: %s", what,
      frame, result->restarted ? "begins anew" : "goes on");
  for (size_t i = 0; i < result->count; i++) {
    const StxVelocity *v = result->velocities != NULL ? &result->velocities[i] : NULL;
    kept += result->obstacles[i].id > 0 && result->obstacles[i].id <= last;
    ck_assert_msg(v == NULL || can_be(v), "%d, frame %d: %.1f, %.1f m/s at %.1f m", what, frame,
        (double)v->x, (double)v->z, (double)result->obstacles[i].z);
  }
  ck_assert_uint_ge(result->count, what == BLOCKED && frame < HAPPENS + 2 ? 0 : 5);
  ck_assert_msg(what == CUT ? kept == 0 : (double)kept >= KEPT * (double)result->count,
      "%d, frame %d: %zu of %zu ids are of before", what, frame, kept, result->count);
}

/* A sanitizer sees the last one alone. */
STX_TEST(what_happens_to_the_camera_gives_no_false_speed)
{
  const int first = stx_test_small() ? HAPPENINGS - 1 : 0;
  static uint8_t pixels[4][WIDTH * HEIGHT];
  Streets streets = {.scene = {street(5), street(55)}};
  Drive d[HAPPENINGS];
  uint32_t last[HAPPENINGS][2] = {{0}};
  ck_assert(streets.scene[0] != NULL && streets.scene[1] != NULL);
  for (int i = 0; i < 4; i++)
    streets.view[i / 2][i % 2] = (StxImage8){pixels[i], WIDTH, WIDTH, HEIGHT};
  for (int what = first; what < HAPPENINGS; what++)
    d[what] = begin();
  for (int frame = 0; frame < FRAMES; frame++) {
    draw_streets(&streets, frame);
    for (int what = first; what < HAPPENINGS; what++) {
      StxObstaclesResult result[2];
      look(&d[what], &streets, (Happening)what, frame, result);
      for (int moves = 0; moves < 2; moves++) {
        if (frame >= HAPPENS)
          expect(&result[moves], (Happening)what, frame, last[what][moves]);
        for (size_t i = 0; frame < HAPPENS && i < result[moves].count; i++)
          if (result[moves].obstacles[i].id > last[what][moves])
            last[what][moves] = result[moves].obstacles[i].id;
      }
    }
  }
  for (int what = first; what < HAPPENINGS; what++)
    end(&d[what]);
  stx_scene_free(streets.scene[0]);
  stx_scene_free(streets.scene[1]);
}
