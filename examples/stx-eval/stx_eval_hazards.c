/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval hazards: what is found of the small things and holes of the synthetic street, and what
 * is told in the lane of real frames, where as a rule there is nothing. The camera's motion between
 * the frames is estimated, as it is for the element behind stereo-sgm motion=true.
 */
#include "examples/stx-eval/stx_eval_hazards.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "common/egomotion/egomotion.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/shared/png_io.h"

#define FRAMES_PER_SECOND 10
#define METRES_PER_SECOND 15

typedef struct {
  StxPipelineSettings pipeline;
  StxHazardsParams params;
  gboolean perfect, json, log;
  gint64 seed;
  double lane;
  int seeds, frames, width, height, threads;
  char *size, *calibration, *backend, *pictures, *known;
} Options;

typedef struct {
  const Options *options;
  StxHazards *state;
  StxPipeline *pipeline; /* of one size */
  StxEgomotion *egomotion;
  int width, height;
  uint64_t time; /* of the frame, ns */
  const StxHazardsImpl *impl;
  HazardKnown *known; /* NULL: records are only counted */
  HazardScore *score;
} Run;

/* Makes what depends on the size of the pictures. */
static bool prepare(Run *run, int width, int height, StxError *error)
{
  if (run->pipeline != NULL && run->width == width && run->height == height)
    return true;
  stx_pipeline_free(run->pipeline);
  run->width = width;
  run->height = height;
  run->pipeline = stx_pipeline_new(&run->options->pipeline, width, height, error);
  return run->pipeline != NULL &&
         stx_egomotion_prepare(run->egomotion, STX_BACKEND_AUTO, width, height, error);
}

/* Of the camera; not known if the calibration has no cy. */
static bool find_motion(
    Run *run, const StxHazardsFrame *frame, StxEgomotionResult *result, StxError *error)
{
  StxEgomotionFrame input = {.left = frame->left,
      .disparity = frame->disparity,
      .camera = frame->camera,
      .time = run->time,
      .threads = run->options->pipeline.threads};
  *result = (StxEgomotionResult){.motion = {.state = STX_MOTION_FIRST}};
  return (frame->camera.missing & STX_CAMERA_CY) != 0 ||
         stx_egomotion_frame(run->egomotion, &input, result, error);
}

/* The next frame has none before it. */
static void begin(Run *run)
{
  stx_egomotion_reset(run->egomotion);
  stx_hazards_reset(run->state);
  run->time = 0;
}

/* The pictures' disparities: the pipeline's, or those of `truth` if that has some. */
static bool find(Run *run, const StxHazardsFrame *pictures, const StxImage16 *truth,
    StxHazardsResult *result, StxError *error)
{
  const Options *o = run->options;
  StxHazardsFrame frame = *pictures;
  StxPipelineInput input = {.left = frame.left, .right = frame.right, .camera = frame.camera};
  StxPipelineOutput output;
  StxEgomotionResult motion;
  if (!prepare(run, frame.left.width, frame.left.height, error))
    return false;
  if (truth == NULL && !stx_pipeline_run(run->pipeline, &input, &output, error))
    return false;
  frame.disparity = truth != NULL ? *truth : output.disparity;
  if (!find_motion(run, &frame, &motion, error))
    return false;
  frame.motion = &motion.motion;
  frame.time = run->time;
  frame.interval = motion.interval;
  run->time += 1000000000 / FRAMES_PER_SECOND;
  double begin = now_ms();
  bool good = stx_hazards_find(
      run->state, &o->params, &frame, run->impl, o->pipeline.threads, result, error);
  run->score->ms += now_ms() - begin;
  run->score->frames++;
  run->score->with_ground += result->ground;
  return good;
}

/* ---- The street ------------------------------------------------------------------------------ */

static bool run_street(Run *run, int street, StxError *error)
{
  const Options *o = run->options;
  StxSceneParams params = STX_SCENE_DEFAULTS;
  size_t pixels = (size_t)o->width * (size_t)o->height;
  params.seed = (uint64_t)o->seed + (uint64_t)street;
  params.width = o->width;
  params.height = o->height;
  params.kind = STX_SCENE_HAZARDS;
  params.noise = 2;
  params.speed = METRES_PER_SECOND;
  params.fps_n = FRAMES_PER_SECOND;
  params.fps_d = 1;
  params.threads = o->pipeline.threads;
  StxScene *scene = stx_scene_new(&params, error);
  if (scene == NULL)
    return false;
  StxImage16 truth = {g_malloc(2 * pixels), 2 * o->width, o->width, o->height};
  StxHazardsFrame pictures = {.left = {g_malloc(pixels), o->width, o->width, o->height},
      .right = {g_malloc(pixels), o->width, o->width, o->height},
      .camera = stx_scene_params(scene)->camera};
  bool good = true;
  begin(run);
  for (int frame = 0; good && frame < o->frames; frame++) {
    StxHazardsResult result;
    stx_scene_move(scene, (uint64_t)frame);
    stx_scene_render(scene, STX_SCENE_LEFT, 1, &pictures.left);
    stx_scene_render(scene, STX_SCENE_RIGHT, 1, &pictures.right);
    if (o->perfect)
      stx_scene_truth(scene, &truth, NULL);
    good = find(run, &pictures, o->perfect ? &truth : NULL, &result, error);
    if (good)
      hazard_judge(scene, &result, o->lane, frame, o->log ? stderr : NULL, run->score);
  }
  g_free(truth.data);
  g_free(pictures.left.data);
  g_free(pictures.right.data);
  stx_scene_free(scene);
  return good;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* calib.txt, or calib/NAME.txt, NAME being what comes before '_'. */
static bool load_camera(const Options *o, const char *folder, const char *name, int pair,
    StxCamera *camera, StxError *error)
{
  char *file = g_strdup_printf("%.*s.txt", (int)strcspn(name, "_."), name);
  char *one = g_build_filename(folder, "calib.txt", NULL);
  char *own = g_build_filename(folder, "calib", file, NULL);
  const char *path = o->calibration != NULL                     ? o->calibration
                     : g_file_test(own, G_FILE_TEST_IS_REGULAR) ? own
                                                                : one;
  bool good = stx_camera_load(path, pair, camera, error);
  g_free(file);
  g_free(one);
  g_free(own);
  return good;
}

static bool load_pair(const Options *o, const char *folder, const char *const views[2],
    const char *name, StxHazardsFrame *frame, StxError *error)
{
  StxImage8 *images[] = {&frame->left, &frame->right};
  bool good = true;
  for (int i = 0; good && i < 2; i++) {
    char *path = g_build_filename(folder, views[i], name, NULL);
    good = png_load_gray8(path, images[i], error);
    g_free(path);
  }
  return good &&
         load_camera(
             o, folder, name, strcmp(views[0], "image_2") == 0 ? 2 : 0, &frame->camera, error) &&
         stx_camera_fit(&frame->camera, frame->left.width, frame->left.height, error);
}

/* The left picture with frames around what was found: red things, blue holes. */
static bool draw(const Options *o, const StxHazardsFrame *frame, const StxHazardsResult *result,
    const char *name, StxError *error)
{
  int width = frame->left.width, height = frame->left.height;
  uint8_t *rgb = g_malloc(3 * (size_t)width * (size_t)height);
  for (int i = 0; i < width * height; i++)
    memset(rgb + 3 * i, stx_row8(&frame->left, i / width)[i % width], 3);
  for (size_t i = 0; i < result->count; i++) {
    const StxObstacle *r = &result->hazards[i];
    for (int y = r->top; y <= r->bottom; y++)
      for (int x = r->left; x <= r->right; x++) {
        bool edge = y == r->top || y == r->bottom || x == r->left || x == r->right;
        int colour = (r->flags & STX_OBSTACLE_HOLE) != 0 ? 2 : 0;
        if (edge)
          memset(rgb + 3 * (y * width + x), 0, 3);
        if (edge)
          rgb[3 * (y * width + x) + colour] = 255;
      }
  }
  char *base = g_strdelimit(g_strdup(name), "/", '-');
  char *path = g_build_filename(o->pictures, base, NULL);
  bool good = png_save_rgb(path, rgb, width, height, error);
  g_free(base);
  g_free(path);
  g_free(rgb);
  return good;
}

static bool run_pair(
    Run *run, const char *folder, const char *const views[2], const char *name, StxError *error)
{
  const Options *o = run->options;
  StxHazardsFrame frame = {{0}};
  StxHazardsResult result;
  char *base = g_path_get_basename(folder), *title = g_strdup_printf("%s/%s", base, name);
  bool good = load_pair(o, folder, views, name, &frame, error) &&
              find(run, &frame, NULL, &result, error) &&
              (o->pictures == NULL || draw(o, &frame, &result, title, error));
  for (size_t i = 0; good && i < result.count; i++)
    if (hazard_in_lane(&result.hazards[i], o->lane)) {
      bool known = hazard_is_known(run->known, title, &result.hazards[i]);
      run->score->records[(result.hazards[i].flags & STX_OBSTACLE_HOLE) != 0]++;
      run->score->nothing += !known;
      hazard_tell(o->log ? stderr : NULL, title,
          run->known == NULL ? ""
          : known            ? "known"
                             : "false",
          &result.hazards[i]);
    }
  g_free(base);
  g_free(title);
  free(frame.left.data);
  free(frame.right.data);
  return good;
}

static bool run_folder(Run *run, const char *folder, StxError *error)
{
  static const char *const views[][2] = {{"image_2", "image_3"}, {"image_0", "image_1"}};
  for (int i = 0; i < 2; i++) {
    char *left = g_build_filename(folder, views[i][0], NULL);
    GPtrArray *names = list_files(left, ".png");
    guint count = names != NULL ? names->len : 0;
    bool good = true;
    begin(run);
    for (guint k = 0; good && k < count; k++)
      good = run_pair(run, folder, views[i], names->pdata[k], error);
    if (names != NULL)
      g_ptr_array_unref(names);
    g_free(left);
    if (!good || count > 0)
      return good;
  }
  return stx_fail(error,
      "%s: no pictures: looked for .png in image_2/ and image_3/, or image_0/ and image_1/",
      folder);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"perfect", 0, 0, G_OPTION_ARG_NONE, &o->perfect,
          "with the true disparities: what stereo costs", NULL},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the first street (1)", "N"},
      {"seeds", 0, 0, G_OPTION_ARG_INT, &o->seeds, "so many streets (4)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "of each, 1.5 m apart (80)", "N"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size, "of the street's pictures (1242x375)", "WxH"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "of the folders, in place of their calib.txt or calib/", "FILE"},
      {"known", 0, 0, G_OPTION_ARG_FILENAME, &o->known,
          "what the folders' frames have: other records in the lane are false", "FILE"},
      {"lane", 0, 0, G_OPTION_ARG_DOUBLE, &o->lane,
          "metres straight ahead in which records count (3)", "M"},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "auto, omp or c (auto)", "NAME"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"pictures", 0, 0, G_OPTION_ARG_FILENAME, &o->pictures,
          "draw what is found in the folders' frames into this folder", "FOLDER"},
      {"log", 0, 0, G_OPTION_ARG_NONE, &o->log, "tell misses and records, on stderr", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("[FOLDER…] - measures road-hazards");
  g_option_context_set_summary(context,
      "Without folders: which small things and holes of the synthetic street are found.\n"
      "With folders that hold image_2 and image_3, or image_0 and image_1: what is told in the\n"
      "lane ahead, where as a rule there is nothing. Frames of a folder follow each other, 100 ms "
      "apart;\n"
      "--confirm=1 judges each alone.");
  g_option_context_add_main_entries(context, entries, NULL);
  options_add_group(context,
      &(OptionGroup){"hazards", "Hazards:", "road-hazards", {{&stx_hazards_fields, &o->params}}});
  return context;
}

static bool apply(Options *o, Run *run, StxError *error)
{
  static const char *const backends[] = {"auto", "cuda", "omp", "c", NULL};
  int backend = o->backend != NULL ? options_choose("backend", o->backend, backends, error) : 0;
  if (backend < 0)
    return false;
  run->impl = stx_impl_pick(&stx_hazards_impls, (StxBackend)backend);
  if (run->impl == NULL)
    return stx_fail(error, "--backend=%s: hazards have none", o->backend);
  if (o->seeds < 1 || o->frames < 1)
    return stx_fail(error, "--seeds=%d --frames=%d: must be at least 1", o->seeds, o->frames);
  if (!(o->lane > 0))
    return stx_fail(error, "--lane=%g: must be more than 0", o->lane);
  if (!options_check_threads(o->threads, error) || !stx_hazards_check(&o->params, error))
    return false;
  o->pipeline.threads = stx_threads(o->threads);
  return o->size == NULL || options_size("size", o->size, false, &o->width, &o->height, error);
}

bool eval_hazards(int argc, char **argv, StxError *error)
{
  Options o = {.pipeline = eval_defaults(),
      .params = STX_HAZARDS_DEFAULTS,
      .seed = 1,
      .seeds = 4,
      .frames = 80,
      .width = 1242,
      .height = 375,
      .lane = 3};
  Run run = {.options = &o,
      .state = stx_hazards_new(),
      .egomotion = stx_egomotion_new(),
      .score = g_new0(HazardScore, 1)};
  bool street = false;
  bool good =
      ((run.state != NULL && run.egomotion != NULL) || stx_fail(error, "not enough memory")) &&
      options_parse(make_context(&o), &argc, &argv, error) && apply(&o, &run, error);
  if (good && o.known != NULL)
    good = (run.known = hazard_known_load(o.known, error)) != NULL;
  if (good) {
    street = argc < 2;
    for (int i = 0; good && street && i < o.seeds; i++)
      good = run_street(&run, i, error);
    for (int i = 1; good && i < argc; i++)
      good = run_folder(&run, argv[i], error);
  }
  char *name = street ? g_strdup_printf("synthetic street, seeds %lld to %lld", (long long)o.seed,
                            (long long)o.seed + o.seeds - 1)
                      : g_strdup(argc > 1 ? argv[1] : "");
  if (good)
    hazard_print(stdout, name, run.score, street, street || run.known != NULL, o.json);
  g_free(name);
  g_free(run.score);
  hazard_known_free(run.known);
  stx_pipeline_free(run.pipeline);
  stx_egomotion_free(run.egomotion);
  stx_hazards_free(run.state);
  g_free(o.size);
  g_free(o.calibration);
  g_free(o.backend);
  g_free(o.pictures);
  g_free(o.known);
  return good;
}
