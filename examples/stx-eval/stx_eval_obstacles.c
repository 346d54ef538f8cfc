/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval obstacles: what is found of the moving things of the synthetic street. */
#include "examples/stx-eval/stx_eval_obstacles.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/egomotion/egomotion.h"
#include "common/ground/ground.h"
#include "common/pipeline/pipeline.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/stx-eval/stx_eval_sequence.h"

#define FRAMES_PER_SECOND 10
#define SEEN_COLUMNS 32 /* pixels, and samples: 8 x 4 pixels each; see docs/evaluation.md */
#define SEEN_SAMPLES 96
#define SEEN_POINTS 30

/* The source of the camera's motion. */
typedef enum { MOTION_NONE, MOTION_POSES, MOTION_VIDEO } Motion;
static const char *const motions[] = {"none", "poses", "video", NULL};

typedef struct {
  StxPipelineSettings pipeline;
  StxObstaclesParams params;
  StxGroundParams ground;
  StxSceneParams street;
  gboolean labels, perfect, scans, json, log;
  gint64 seed;
  int seeds, frames, width, height, threads;
  char *size, *sequence, *calibration, *motion_name;
  int motion; /* Motion */
} Options;

/* The state of judging a street. */
typedef struct {
  const Options *options;
  StxScene *scene;
  StxObstacles *state;
  ObstacleJudge *judge;
  ObstacleScore *score;
  int street;              /* from 0 on */
  StxMotion motion;        /* of the camera, to this frame; */
  StxEgomotion *egomotion; /* as its pictures show it */
} Run;

/* Of this thread alone, whatever else the machine does. */
static uint64_t time_of(int frame)
{
  return (uint64_t)frame * 1000000000 / FRAMES_PER_SECOND;
}

static void judge_frame(Run *run, const ObstacleTruth *truth, const uint16_t *members,
    const uint32_t *pieces, const float *depths, const StxObstaclesResult *result, int frame)
{
  obstacle_judge(
      run->judge, truth, members, pieces, depths, result, (double)time_of(frame) / 1e9, run->score);
  if ((frame + 1) % FRAMES_PER_SECOND == 0)
    fprintf(stderr, "street %d of %d: frame %d of %d\n", run->street + 1, run->options->seeds,
        frame + 1, run->options->frames);
}

/* ---- The camera's motion -------------------------------------------------------------------- */

/* As far as it was asked for: `poses`, or of the pictures. The state is made with the first of
 * them. False with an error. */
static bool add_motion(const Options *o, StxEgomotion **state, const StxMotion *poses,
    const StxImage8 *left, const StxPipelineOutput *output, StxObstaclesFrame *frame,
    StxError *error)
{
  static StxEgomotionResult result;
  StxEgomotionFrame input = {*left, output->disparity, 0, output->camera, frame->time, o->threads};
  if (o->motion == MOTION_POSES)
    frame->motion = poses;
  if (o->motion != MOTION_VIDEO)
    return true;
  if (*state == NULL && (*state = stx_egomotion_new()) == NULL)
    return stx_fail(error, "not enough memory");
  if (!stx_egomotion_prepare(*state, STX_BACKEND_AUTO, left->width, left->height, error) ||
      !stx_egomotion_frame(*state, &input, &result, error))
    return false;
  frame->motion = &result.motion;
  frame->points = result.points;
  frame->point_count = result.count;
  return true;
}

/* ---- Stereo -------------------------------------------------------------------------------- */

typedef struct {
  StxPipeline *pipeline;
  StxImage8 left, right, labels;
  StxImage16 disparity; /* the true one */
} Pictures;

static bool open_pictures(const Options *o, Pictures *pictures, StxError *error)
{
  size_t pixels = (size_t)o->width * (size_t)o->height;
  StxImage8 *images[] = {&pictures->left, &pictures->right, &pictures->labels};
  for (int i = 0; i < 3; i++)
    *images[i] = (StxImage8){g_malloc(pixels), o->width, o->width, o->height};
  pictures->disparity = (StxImage16){g_malloc(2 * pixels), 2 * o->width, o->width, o->height};
  pictures->pipeline = stx_pipeline_new(&o->pipeline, o->width, o->height, error);
  return pictures->pipeline != NULL;
}

static void close_pictures(Pictures *pictures)
{
  stx_pipeline_free(pictures->pipeline);
  g_free(pictures->left.data);
  g_free(pictures->right.data);
  g_free(pictures->labels.data);
  g_free(pictures->disparity.data);
}

/* Results for the samples of a picture: the obstacle of each sample's stixel, and its distance. */
typedef struct {
  uint16_t *members;
  uint32_t *pieces;
  float *depths;
} Spread;

static void spread_one(const StxPipelineOutput *output, size_t i, uint16_t member,
    const ObstacleTruth *truth, Spread *spread)
{
  const StxStixel *s = &output->stixels[i];
  int across = output->grid.cell_width / SAMPLE_COLUMNS;
  double scale = output->camera.focal * output->camera.baseline;
  for (int x = s->column * across; x < (s->column + 1) * across && x < truth->across; x++)
    for (int y = (s->top + SAMPLE_ROWS - 1) / SAMPLE_ROWS; y * SAMPLE_ROWS <= s->bottom; y++) {
      size_t at = (size_t)x * (size_t)truth->down + (size_t)y;
      spread->members[at] = member;
      spread->pieces[at] = s->kind == STX_KIND_OBJECT ? (uint32_t)i : NO_PIECE;
      spread->depths[at] = (float)(scale / (double)s->disparity_bottom);
    }
}

static void judge_stixels(Run *run, const StxPipelineOutput *output, const ObstacleTruth *truth,
    const StxObstaclesResult *result, int frame)
{
  size_t samples = (size_t)truth->across * (size_t)truth->down;
  Spread spread = {g_new(uint16_t, samples), g_new(uint32_t, samples), g_new0(float, samples)};
  memset(spread.members, 0xFF, samples * sizeof *spread.members);
  memset(spread.pieces, 0xFF, samples * sizeof *spread.pieces);
  for (size_t i = 0; i < output->count; i++)
    spread_one(output, i, result->members[i], truth, &spread);
  judge_frame(run, truth, spread.members, spread.pieces, spread.depths, result, frame);
  g_free(spread.members);
  g_free(spread.pieces);
  g_free(spread.depths);
}

static bool find_in_stixels(Run *run, const StxImage8 *left, const StxPipelineOutput *output,
    int frame, StxObstaclesResult *result, StxError *error)
{
  const Options *o = run->options;
  StxObstaclesFrame input = {output->stixels, output->count, o->width, o->height,
      output->grid.cell_width, output->camera, time_of(frame)};
  size_t columns = (size_t)((o->width - 1) / output->grid.cell_width + 1);
  if (!add_motion(o, &run->egomotion, &run->motion, left, output, &input, error))
    return false;
  if (o->motion == MOTION_VIDEO)
    obstacle_judge_motion(input.motion, &run->motion, run->score);
  if (!stx_obstacles_prepare(run->state, &o->params, output->count, columns, error))
    return false;
  double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  bool good = stx_obstacles_of_stixels(run->state, &input, result, error);
  run->score->ms += clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
  return good;
}

/* Draws the pipeline's input: two pictures, or the truth in their place. */
static StxPipelineInput draw(Run *run, Pictures *pictures, int frame)
{
  StxPipelineInput input = {.camera = stx_scene_params(run->scene)->camera};
  stx_scene_move(run->scene, (uint64_t)frame);
  run->motion = stx_scene_motion(run->scene);
  stx_scene_truth(run->scene, &pictures->disparity, &pictures->labels);
  if (run->options->labels)
    input.labels = pictures->labels;
  if (run->options->perfect) {
    input.disparity = pictures->disparity;
    return input;
  }
  stx_scene_render(run->scene, STX_SCENE_LEFT, 1, &pictures->left);
  stx_scene_render(run->scene, STX_SCENE_RIGHT, 1, &pictures->right);
  input.left = pictures->left;
  input.right = pictures->right;
  return input;
}

static bool judge_pictures(Run *run, Pictures *pictures, int frame, StxError *error)
{
  ObstacleTruth truth;
  StxPipelineOutput output;
  StxObstaclesResult result;
  StxPipelineInput input = draw(run, pictures, frame);
  if (!stx_pipeline_run(pictures->pipeline, &input, &output, error) ||
      !find_in_stixels(run, &pictures->left, &output, frame, &result, error))
    return false;
  bool good = truth_of_picture(run->scene, &truth) || stx_fail(error, "not enough memory");
  if (good)
    judge_stixels(run, &output, &truth, &result, frame);
  free(truth.samples);
  return good;
}

static bool run_pictures(Run *run, StxError *error)
{
  Pictures pictures;
  bool good = open_pictures(run->options, &pictures, error);
  for (int frame = 0; good && frame < run->options->frames; frame++)
    good = judge_pictures(run, &pictures, frame, error);
  close_pictures(&pictures);
  return good;
}

/* ---- LiDAR --------------------------------------------------------------------------------- */

typedef struct {
  StxSceneLidar sensor;
  float (*points)[4];
  uint32_t *truth, *labels;
  float *ranges;
  void *scratch;
} Scanner;

static bool judge_scan(Run *run, const Scanner *s, int frame, StxError *error)
{
  const Options *o = run->options;
  const StxGroundImpl *ground = stx_impl_pick(&stx_ground_impls, STX_BACKEND_AUTO);
  StxGroundResult labelled;
  StxObstaclesResult result;
  ObstacleTruth truth;
  stx_scene_move(run->scene, (uint64_t)frame);
  size_t count = stx_scene_scan(run->scene, &s->sensor, s->points, s->truth);
  StxObstaclesScan scan = {s->points[0], s->labels, count, time_of(frame)};
  if (!ground->run(&o->ground, s->points[0], count, s->labels, &labelled, s->scratch,
          &(StxPlace){.threads = o->threads}, error) ||
      !stx_obstacles_prepare(run->state, &o->params, count, 0, error))
    return false;
  double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  bool good = stx_obstacles_of_scan(run->state, &scan, &result, error);
  run->score->ms += clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
  if (!good || !truth_of_scan((const float(*)[4])s->points, s->truth, count, &truth))
    return good && stx_fail(error, "not enough memory");
  for (size_t i = 0; i < count; i++)
    s->ranges[i] = truth.samples[i].z;
  judge_frame(run, &truth, result.members, NULL, s->ranges, &result, frame);
  free(truth.samples);
  return true;
}

static bool run_scans(Run *run, StxError *error)
{
  const Options *o = run->options;
  const StxGroundImpl *ground = stx_impl_pick(&stx_ground_impls, STX_BACKEND_AUTO);
  Scanner s = {.sensor = stx_scene_lidar(64)};
  size_t rays = (size_t)s.sensor.beams * (size_t)s.sensor.steps;
  s.points = g_malloc(rays * sizeof *s.points);
  s.truth = g_new(uint32_t, rays);
  s.labels = g_new(uint32_t, rays);
  s.ranges = g_new(float, rays);
  s.scratch =
      aligned_alloc(STX_ALIGN, stx_align(ground->scratch_size(&o->ground, rays, o->threads)));
  bool good = s.scratch != NULL || stx_fail(error, "not enough memory");
  for (int frame = 0; good && frame < o->frames; frame++)
    good = judge_scan(run, &s, frame, error);
  g_free(s.points);
  g_free(s.truth);
  g_free(s.labels);
  g_free(s.ranges);
  free(s.scratch);
  return good;
}

/* ---- Streets ------------------------------------------------------------------------------- */

/* A search of 128 pixels sees nothing that is nearer than 3 m. */
static ObstacleLimits limits_of(const Options *o)
{
  StxCamera camera = stx_scene_camera(o->width, o->height);
  ObstacleLimits limits = {.nearest = 4, .farthest = 40, .samples = SEEN_POINTS};
  if (o->scans)
    return limits;
  limits.samples = SEEN_SAMPLES;
  limits.across = SEEN_COLUMNS / SAMPLE_COLUMNS;
  limits.pixel = 1 / (camera.focal * camera.baseline);
  return limits;
}

static bool run_street(const Options *o, int street, ObstacleScore *score, StxError *error)
{
  StxSceneParams params = o->street;
  ObstacleLimits limits = limits_of(o);
  params.seed = (uint64_t)o->seed + (uint64_t)street;
  params.width = o->width;
  params.height = o->height;
  params.threads = o->threads;
  params.fps_n = FRAMES_PER_SECOND;
  params.fps_d = 1;
  Run run = {.options = o,
      .scene = stx_scene_new(&params, error),
      .state = stx_obstacles_new(),
      .judge = obstacle_judge_new(&limits, o->log ? stderr : NULL),
      .score = score,
      .street = street};
  bool good = run.scene != NULL && (run.state != NULL || stx_fail(error, "not enough memory")) &&
              (o->scans ? run_scans : run_pictures)(&run, error);
  obstacle_judge_free(run.judge);
  stx_obstacles_free(run.state);
  stx_egomotion_free(run.egomotion);
  stx_scene_free(run.scene);
  return good;
}

static bool run_streets(const Options *o, StxError *error)
{
  ObstacleScore *score = g_new0(ObstacleScore, 1);
  bool good = true;
  for (int i = 0; good && i < o->seeds; i++)
    good = run_street(o, i, score, error);
  const StxField *kinds = stx_fields_find(&stx_scene_fields, "scene");
  char *name = g_strdup_printf("synthetic %s, %s, seeds %lld to %lld",
      stx_field_choice(kinds->choices, (int)o->street.kind)->nick,
      o->scans     ? "LiDAR with 64 beams"
      : o->perfect ? o->labels ? "true disparities with labels" : "true disparities"
      : o->labels  ? "stereo with labels"
                   : "stereo",
      (long long)o->seed, (long long)o->seed + o->seeds - 1);
  if (good)
    obstacle_print(stdout, name, score, o->json);
  g_free(name);
  g_free(score);
  return good;
}

/* ---- A real street -------------------------------------------------------------------------- */

/* The state of judging a sequence. */
typedef struct {
  const Options *options;
  EvalSequence sequence;
  StxPipeline *pipeline;
  StxObstacles *state;
  StxEgomotion *egomotion;
  SequenceJudge *judge;
  SequenceScore score;
} Drive;

static bool find_in_frame(Drive *drive, const EvalFrame *frame, const StxMotion *motion,
    size_t index, StxObstaclesResult *result, StxError *error)
{
  const Options *o = drive->options;
  StxPipelineInput input = {.left = frame->left, .right = frame->right, .camera = frame->camera};
  StxPipelineOutput output;
  if (drive->pipeline == NULL)
    drive->pipeline = stx_pipeline_new(&o->pipeline, frame->left.width, frame->left.height, error);
  if (drive->pipeline == NULL || !stx_pipeline_run(drive->pipeline, &input, &output, error))
    return false;
  StxObstaclesFrame found = {output.stixels, output.count, frame->left.width, frame->left.height,
      output.grid.cell_width, output.camera, (uint64_t)llround(drive->sequence.times[index] * 1e9)};
  size_t columns = (size_t)((found.width - 1) / found.stixel_width + 1);
  if (!add_motion(o, &drive->egomotion, motion, &frame->left, &output, &found, error))
    return false;
  if (!stx_obstacles_prepare(drive->state, &o->params, output.count, columns, error))
    return false;
  double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  bool good = stx_obstacles_of_stixels(drive->state, &found, result, error);
  drive->score.ms += clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
  return good;
}

static bool drive_on(Drive *drive, size_t index, StxError *error)
{
  EvalFrame frame;
  StxObstaclesResult result;
  const double *times = drive->sequence.times;
  StxMotion motion = eval_sequence_motion(&drive->sequence, index);
  if (!eval_sequence_load(&drive->sequence, index, &frame, error))
    return false;
  bool good = find_in_frame(drive, &frame, &motion, index, &result, error);
  if (good)
    sequence_judge(
        drive->judge, &frame, &motion, index > 0 ? times[index] - times[index - 1] : 0, &result);
  eval_frame_free(&frame);
  return good;
}

static bool run_sequence(const Options *o, StxError *error)
{
  Drive drive = {.options = o};
  if (!eval_sequence_open(&drive.sequence, o->sequence, o->calibration, error))
    return false;
  drive.state = stx_obstacles_new();
  drive.judge = sequence_judge_new(&drive.score, o->log ? stderr : NULL);
  bool good = drive.state != NULL || stx_fail(error, "not enough memory");
  for (size_t i = 0; good && i < drive.sequence.names->len; i++)
    good = drive_on(&drive, i, error);
  sequence_judge_finish(drive.judge);
  if (good)
    sequence_print(stdout, drive.sequence.name, &drive.score, o->json);
  stx_obstacles_free(drive.state);
  stx_egomotion_free(drive.egomotion);
  stx_pipeline_free(drive.pipeline);
  eval_sequence_close(&drive.sequence);
  return good;
}

/* ---- Command line -------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"labels", 0, 0, G_OPTION_ARG_NONE, &o->labels, "with the true classes as semantics", NULL},
      {"perfect", 0, 0, G_OPTION_ARG_NONE, &o->perfect,
          "stixels of the true disparities: what stereo costs", NULL},
      {"scans", 0, 0, G_OPTION_ARG_NONE, &o->scans, "of a LiDAR with 64 beams", NULL},
      {"sequence", 0, 0, G_OPTION_ARG_FILENAME, &o->sequence,
          "a real street: pictures, calib.txt and poses.txt as in KITTI's odometry", "FOLDER"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "in place of the sequence's calib.txt, which may lack \"Tr:\"", "FILE"},
      {"motion", 0, 0, G_OPTION_ARG_STRING, &o->motion_name,
          "of the camera: none, poses, or video: what is seen, with points (of a sequence video)",
          "FROM"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the first street (1)", "N"},
      {"seeds", 0, 0, G_OPTION_ARG_INT, &o->seeds, "so many streets (4)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "of each, ten per second (40)", "N"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size, "of the pictures (1242x375)", "WxH"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"log", 0, 0, G_OPTION_ARG_NONE, &o->log, "tell what is wrong, on stderr", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- measures obstacles on the synthetic street");
  g_option_context_set_summary(context,
      "Vehicles and people from 4 to 40 m: how many are found, how many obstacles are right, how\n"
      "often an id is kept, and how far off distances are.");
  g_option_context_add_main_entries(context, entries, NULL);
  options_add_group(context, &(OptionGroup){"obstacles", "Obstacles:", "stixel-obstacles",
                                 {{&stx_obstacles_fields, &o->params}}});
  options_add_group(context,
      &(OptionGroup){"street", "Street:", "street-scene-src", {{&stx_scene_fields, &o->street}}});
  return context;
}

static bool apply(Options *o, StxError *error)
{
  if (o->seeds < 1 || o->frames < 1)
    return stx_fail(error, "--seeds=%d --frames=%d: must be at least 1", o->seeds, o->frames);
  if (!options_check_threads(o->threads, error))
    return false;
  if (o->scans && (o->labels || o->perfect))
    return stx_fail(error, "--scans has no use for %s", o->labels ? "--labels" : "--perfect");
  o->motion = o->sequence != NULL ? MOTION_VIDEO : MOTION_NONE;
  if (o->motion_name != NULL &&
      (o->motion = options_choose("motion", o->motion_name, motions, error)) < 0)
    return false;
  if (o->scans && o->motion != MOTION_NONE)
    return stx_fail(error, "--scans has no use for --motion");
  if (o->motion == MOTION_VIDEO && o->perfect && o->sequence == NULL)
    return stx_fail(error, "--perfect has no pictures for --motion=video");
  if (o->sequence != NULL && (o->labels || o->perfect || o->scans))
    return stx_fail(error, "--sequence has no use for %s",
        o->labels    ? "--labels"
        : o->perfect ? "--perfect"
                     : "--scans");
  o->threads = stx_threads(o->threads);
  o->pipeline.threads = o->threads;
  o->pipeline.source = o->perfect ? STX_PIPELINE_DISPARITIES : STX_PIPELINE_PAIRS;
  if (o->labels) {
    o->pipeline.colmean.semantics = STX_SEMANTICS_LABELS;
    o->pipeline.colmean.grid.classes = STX_LABEL_CLASSES;
  }
  return o->size == NULL || options_size("size", o->size, false, &o->width, &o->height, error);
}

bool eval_obstacles(int argc, char **argv, StxError *error)
{
  Options o = {.pipeline = eval_defaults(),
      .params = STX_OBSTACLES_DEFAULTS,
      .ground = STX_GROUND_DEFAULTS,
      .street = {EVAL_STREET},
      .seed = 1,
      .seeds = 4,
      .frames = 40,
      .width = 1242,
      .height = 375};
  bool good = options_parse(make_context(&o), &argc, &argv, error);
  if (good && argc > 1)
    good = stx_fail(error, "'%s': a folder is that of --sequence (see --help)", argv[1]);
  good = good && apply(&o, error) && (o.sequence != NULL ? run_sequence : run_streets)(&o, error);
  g_free(o.size);
  g_free(o.sequence);
  g_free(o.calibration);
  g_free(o.motion_name);
  return good;
}
