/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval occupancy: how much of what is free or occupied an occupancy grid shows. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "common/ground/ground.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/stx-eval/stx_eval_occupancy.h"
#include "examples/stx-eval/stx_eval_sequence.h"

#define NEAREST 5 /* m: where cells count */
#define FARTHEST 40

typedef struct {
  StxPipelineSettings pipeline;
  StxGroundParams ground;
  StxOccupancyParams params;
  gboolean scans, json;
  char *sequence, *calibration;
  gint64 seed;
  int frames, threads;
} Options;

typedef struct {
  const Options *options;
  StxOccupancy *state;
  StxPipeline *pipeline;
  StxMotion motion; /* to this frame */
  double seconds;   /* its time */
  GArray *truth;    /* OccupancyPoint */
  OccupancyScore score;
} Run;

/* ---- One frame ------------------------------------------------------------------------------ */

static bool judge(Run *run, StxOccupancyFrame *frame, const OccupancyView *view, StxError *error)
{
  const Options *o = run->options;
  StxOccupancyResult grid;
  size_t columns = frame->width > 0 ? (size_t)((frame->width - 1) / frame->stixel_width + 1) : 0;
  frame->motion = &run->motion;
  frame->time = (uint64_t)llround(run->seconds * 1e9);
  frame->interval = STX_OCCUPANCY_NO_TIME;
  if (!stx_occupancy_prepare(run->state, &o->params, frame->count, columns, error))
    return false;
  double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  if (!stx_occupancy_update(run->state, frame, &grid, error))
    return false;
  run->score.ms += clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin;
  return occupancy_judge(&grid, &o->params, view, (OccupancyPoint *)(void *)run->truth->data,
             run->truth->len, &run->score) ||
         stx_fail(error, "not enough memory");
}

/* The scan's points as the camera sees them. */
static void find_truth(Run *run, const EvalFrame *frame)
{
  const StxCamera *camera = &frame->camera;
  g_array_set_size(run->truth, 0);
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    OccupancyPoint point = {p->depth, (float)((camera->cx - p->x) / camera->focal) * p->depth,
        (float)((camera->cy - p->y) / camera->focal) * p->depth, p->label};
    g_array_append_val(run->truth, point);
  }
}

static bool judge_pictures(Run *run, const EvalFrame *frame, StxError *error)
{
  StxPipelineInput input = {.left = frame->left, .right = frame->right, .camera = frame->camera};
  StxPipelineOutput output;
  if (run->pipeline == NULL)
    run->pipeline =
        stx_pipeline_new(&run->options->pipeline, frame->left.width, frame->left.height, error);
  if (run->pipeline == NULL || !stx_pipeline_run(run->pipeline, &input, &output, error))
    return false;
  StxOccupancyFrame found = {.stixels = output.stixels,
      .count = output.count,
      .width = frame->left.width,
      .height = frame->left.height,
      .stixel_width = output.grid.cell_width,
      .camera = output.camera};
  OccupancyView view = {NEAREST, FARTHEST, output.camera.focal, output.camera.cx, found.width};
  find_truth(run, frame);
  return judge(run, &found, &view, error);
}

/* Labels by lidar-ground, beside those of the scan itself. */
static bool judge_scan(Run *run, const LidarScan *scan, StxError *error)
{
  const Options *o = run->options;
  const StxGroundImpl *ground = stx_impl_pick(&stx_ground_impls, STX_BACKEND_AUTO);
  StxGroundResult result;
  uint32_t *labels = g_new(uint32_t, scan->count + 1);
  void *scratch = aligned_alloc(
      STX_ALIGN, stx_align(ground->scratch_size(&o->ground, scan->count, o->threads)));
  StxOccupancyFrame found = {.points = scan->points, .labels = labels, .point_count = scan->count};
  g_array_set_size(run->truth, 0);
  for (size_t i = 0; i < scan->count; i++) {
    const float *p = scan->points + 4 * i;
    OccupancyPoint point = {p[0], p[1], p[2], scan->labels[i]};
    g_array_append_val(run->truth, point);
  }
  bool good = (scratch != NULL || stx_fail(error, "not enough memory")) &&
              ground->run(&o->ground, scan->points, scan->count, labels, &result, scratch,
                  &(StxPlace){.threads = o->threads}, error) &&
              judge(run, &found, &(OccupancyView){NEAREST, FARTHEST, 0, 0, 0}, error);
  free(scratch);
  g_free(labels);
  return good;
}

/* ---- Streets -------------------------------------------------------------------------------- */

/* Ten frames a second, straight on. */
static StxMotion street_motion(const StxSceneParams *street, size_t index)
{
  return (StxMotion){.state = index > 0 ? STX_MOTION_KNOWN : STX_MOTION_FIRST,
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .translation = {0, 0, -street->speed * street->fps_d / street->fps_n}};
}

static bool run_street(Run *run, StxError *error)
{
  const Options *o = run->options;
  StxSceneParams street = {EVAL_STREET};
  DataSet set;
  street.seed = (uint64_t)o->seed;
  street.width = 1242;
  street.height = 375;
  street.threads = o->threads;
  street.fps_n = 10;
  street.fps_d = 1;
  if (!eval_open_street(&set, &street, (size_t)o->frames, EVAL_SCANS, error))
    return false;
  bool good = true;
  for (size_t i = 0; good && i < set.count; i++) {
    EvalFrame frame;
    run->motion = street_motion(&street, i);
    run->seconds = (double)i / 10;
    good = set.load(&set, i, &frame, error) && judge_pictures(run, &frame, error);
    eval_frame_free(&frame);
  }
  if (good)
    occupancy_print(stdout, set.name, &run->score, o->json);
  set.close(&set);
  return good;
}

static bool drive_on(Run *run, EvalSequence *sequence, size_t index, StxError *error)
{
  EvalFrame frame = {.points = NULL};
  LidarScan scan = {.count = 0};
  bool scans = run->options->scans;
  run->motion = eval_sequence_motion(sequence, index);
  run->seconds = sequence->times[index];
  bool good =
      scans ? lidar_set_load(&sequence->scans, index, &scan, error) && judge_scan(run, &scan, error)
            : eval_sequence_load(sequence, index, &frame, error) &&
                  judge_pictures(run, &frame, error);
  eval_frame_free(&frame);
  lidar_scan_free(&scan);
  return good;
}

static bool run_sequence(Run *run, StxError *error)
{
  const Options *o = run->options;
  EvalSequence sequence;
  if (!eval_sequence_open(&sequence, o->sequence, o->calibration, error))
    return false;
  bool good = (sequence.scans.paths != NULL && sequence.scans.count == sequence.names->len) ||
              stx_fail(error, "%s: every picture needs a labelled scan, in velodyne/ and labels/",
                  o->sequence);
  for (size_t i = 0; good && i < sequence.names->len; i++)
    good = drive_on(run, &sequence, i, error);
  if (good)
    occupancy_print(stdout, sequence.name, &run->score, o->json);
  eval_sequence_close(&sequence);
  return good;
}

/* ---- Command line --------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"sequence", 0, 0, G_OPTION_ARG_FILENAME, &o->sequence,
          "a real street: pictures, labelled scans, calib.txt and poses.txt as in KITTI's odometry",
          "FOLDER"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "in place of the sequence's calib.txt", "FILE"},
      {"scans", 0, 0, G_OPTION_ARG_NONE, &o->scans,
          "of the sequence's scans as lidar-ground labels them, in place of stereo", NULL},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the synthetic street (1)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "of it, ten per second (40)", "N"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context =
      g_option_context_new("- measures occupancy grids beside labelled scans");
  g_option_context_set_summary(context,
      "Cells from 5 to 40 m in which a scan has points of the ground alone, or of things alone:\n"
      "how many of them the grid says are free or occupied. The motion is that of the poses;\n"
      "--motion alone is a grid of each frame alone.");
  g_option_context_add_main_entries(context, entries, NULL);
  options_add_group(context, &(OptionGroup){"occupancy", "Occupancy grid:", "occupancy-grid",
                                 {{&stx_occupancy_fields, &o->params}}});
  return context;
}

static bool apply(Options *o, StxError *error)
{
  if (o->frames < 1)
    return stx_fail(error, "--frames=%d: must be at least 1", o->frames);
  if (o->scans && o->sequence == NULL)
    return stx_fail(error, "--scans needs a --sequence");
  if (!options_check_threads(o->threads, error))
    return false;
  o->threads = stx_threads(o->threads);
  o->pipeline.threads = o->threads;
  return true;
}

bool eval_occupancy(int argc, char **argv, StxError *error)
{
  Options o = {.pipeline = eval_defaults(),
      .ground = STX_GROUND_DEFAULTS,
      .params = STX_OCCUPANCY_DEFAULTS,
      .seed = 1,
      .frames = 40};
  Run run = {.options = &o, .truth = g_array_new(FALSE, FALSE, sizeof(OccupancyPoint))};
  bool good = options_parse(make_context(&o), &argc, &argv, error);
  if (good && argc > 1)
    good = stx_fail(error, "'%s': a folder is that of --sequence (see --help)", argv[1]);
  good = good && apply(&o, error);
  if (good && (run.state = stx_occupancy_new()) == NULL)
    good = stx_fail(error, "not enough memory");
  good = good && (o.sequence != NULL ? run_sequence : run_street)(&run, error);
  stx_occupancy_free(run.state);
  stx_pipeline_free(run.pipeline);
  g_array_unref(run.truth);
  g_free(o.sequence);
  g_free(o.calibration);
  return good;
}
