/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval: how good disparities and stixels are, on frames with truth. See docs/evaluation.md. */
#include "examples/stx-eval/stx_eval.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"

#define EPSILON_AUTO (-1) /* not given: it depends on --cut-candidates */

/* Options beyond the pipeline's settings. */
typedef struct {
  StxPipelineSettings pipeline;
  char *folder, *calibration, *pictures, *scores, *masks;
  json_t *mask_file; /* what --masks names, or NULL */
  gboolean street, scans, json, no_confidence;
  char *size, *cell, *semantics, *ground, *backend, *model, *candidates, *terrain;
  StxSceneTerrain hills;
  gint64 seed;
  int frames, streets, repeat;
} Options;

/* ---- One frame ---------------------------------------------------------------------------- */

static void score_map(EvalResult *result, const EvalFrame *frame, Map map, const StxImage16 *image)
{
  for (int t = 0; t < TRUTH_COUNT; t++)
    if (frame->truth[t].data != NULL)
      stx_disparity_score_add(&result->score[t][map], &frame->truth[t], image);
}

/* Scores the three maps; the pipeline's disparity map serves as memory for the other two. */
static void score_disparity(
    EvalResult *result, const EvalFrame *frame, const StxPipelineOutput *output)
{
  const StxImage16 *map = &output->disparity;
  result->known = (uint64_t)llround(stx_disparity_density(map) * (double)result->pixels);
  score_map(result, frame, MAP_RAW, map);
  stx_disparity_fill(map);
  score_map(result, frame, MAP_FILLED, map);
  stx_render_disparity(output->stixels, output->count, output->grid.cell_width, map);
  score_map(result, frame, MAP_STIXELS, map);
}

/* Scores kinds and classes, which rdp's segments have not; `map` and `truth` are images of the
 * frame's size to draw in. */
static void score_labels(EvalResult *result, const EvalFrame *frame, const StxSatdpParams *satdp,
    const StxPipelineOutput *output, const StxImage8 *map, const StxImage8 *truth)
{
  int width = output->grid.cell_width;
  stx_render_majority(&output->grid, &frame->labels, map);
  stx_confusion_add(&result->majority, &frame->labels, map);
  if (!result->has_kinds)
    return;
  stx_render_label_kinds(&frame->labels, satdp->ground_classes, satdp->sky_classes, truth);
  stx_render_kinds(output->stixels, output->count, width, map);
  stx_confusion_add(&result->kinds, truth, map);
  if (!result->has_classes)
    return;
  stx_render_labels(output->stixels, output->count, width, map);
  stx_confusion_add(&result->classes, &frame->labels, map);
}

char *eval_picture_path(const char *folder, const char *name)
{
  if (folder == NULL)
    return NULL;
  g_mkdir_with_parents(folder, 0777); /* what fails is said by who writes the picture */
  char *file = g_strdup_printf("%s.png", name);
  char *path = g_build_filename(folder, g_strdelimit(file, "/ ", '_'), NULL);
  g_free(file);
  return path;
}

/* Scores what users see. The disparities are the stixels' already, and the right picture has
 * served: the kinds are drawn there. */
static bool score_seen(EvalResult *result, const EvalFrame *frame, const char *pictures,
    const StxPipelineOutput *output, StxError *error)
{
  char *picture = eval_picture_path(pictures, frame->name);
  stx_render_kinds(output->stixels, output->count, output->grid.cell_width, &frame->right);
  bool good =
      eval_seen_add(&result->seen, frame, &frame->right, &output->disparity, picture, error);
  g_free(picture);
  return good;
}

static EvalResult empty_result(const char *name)
{
  EvalResult result = {.classes = {.classes = STX_LABEL_CLASSES},
      .majority = {.classes = STX_LABEL_CLASSES},
      .kinds = {.classes = STX_KIND_SKY + 1}};
  g_strlcpy(result.name, name, sizeof result.name);
  return result;
}

static bool score_frame(EvalResult *result, const EvalFrame *frame, const Options *options,
    const StxPipelineOutput *output, StxError *error)
{
  const StxPipelineSettings *settings = &options->pipeline;
  result->frames = 1;
  result->pixels = (uint64_t)frame->left.width * (uint64_t)frame->left.height;
  result->stixels = output->count;
  result->pairs = output->pairs;
  result->evaluated = output->evaluated;
  result->has_labels = frame->labels.data != NULL;
  result->has_kinds = result->has_labels && stx_pipeline_has(settings, STX_STAGE_SATDP);
  result->has_classes = result->has_kinds && output->grid.classes > 0;
  for (int t = 0; t < TRUTH_COUNT; t++)
    result->has_truth[t] = frame->truth[t].data != NULL;
  score_disparity(result, frame, output);
  if (stx_pipeline_has(settings, STX_STAGE_SATDP) &&
      !score_seen(result, frame, options->pictures, output, error))
    return false;
  if (result->has_labels) /* the pictures have served: draw over them */
    score_labels(result, frame, &settings->satdp, output, &frame->left, &frame->right);
  return true;
}

/* ---- The pipeline over the frames ---------------------------------------------------------- */

/* Of the frames' size so far. A video's frame that is run again must not count twice for the road:
 * that happens on a pipeline of its own. */
typedef struct {
  StxPipeline *pipeline, *again;
  int width, height;
} Runner;

static void close_runner(Runner *runner)
{
  stx_pipeline_free(runner->pipeline);
  stx_pipeline_free(runner->again);
  *runner = (Runner){0};
}

static bool open_runner(Runner *runner, const Options *options, const DataSet *set, int width,
    int height, StxError *error)
{
  bool apart = set->is_video && options->repeat > 1;
  if (runner->pipeline != NULL && runner->width == width && runner->height == height)
    return true;
  close_runner(runner);
  *runner = (Runner){.width = width, .height = height};
  runner->pipeline = stx_pipeline_new(&options->pipeline, width, height, error);
  if (runner->pipeline != NULL && apart)
    runner->again = stx_pipeline_new(&options->pipeline, width, height, error);
  return runner->pipeline != NULL && (!apart || runner->again != NULL);
}

/* Runs a frame `repeat` times and keeps the shortest time of each stage. */
static bool run_frame(const Runner *runner, const EvalFrame *frame, bool is_video, int repeat,
    StxPipelineOutput *output, double *best, StxError *error)
{
  StxPipelineInput input = {
      .left = frame->left, .right = frame->right, .labels = frame->labels, .camera = frame->camera};
  StxPipelineOutput repeated;
  eval_set_scores(frame, &input);
  for (int run = 0; run < repeat; run++) {
    bool apart = is_video && run > 0;
    StxPipelineOutput *now = apart ? &repeated : output;
    StxPipeline *pipeline = apart ? runner->again : runner->pipeline;
    if (apart || !is_video)
      stx_pipeline_reset(pipeline);
    if (!stx_pipeline_run(pipeline, &input, now, error))
      return false;
    for (int i = 0; i < STX_STAGE_COUNT; i++)
      best[i] = run == 0 || now->ms[i] < best[i] ? now->ms[i] : best[i];
  }
  return true;
}

static bool eval_frame(const Options *options, DataSet *set, size_t index, Runner *runner,
    EvalResult *result, StxError *error)
{
  EvalFrame frame;
  StxPipelineOutput output;
  if (!set->load(set, index, &frame, error))
    return false;
  *result = empty_result(frame.name);
  bool needs_labels = options->pipeline.colmean.semantics == STX_SEMANTICS_LABELS;
  bool good = !needs_labels || frame.labels.data != NULL ||
              stx_fail(error, "%s: no label image for --semantics=truth", frame.name);
  good = good && eval_draw_masks(options->mask_file, &frame, error);
  good =
      good && (options->scores == NULL || eval_load_scores(options->scores, index, &frame, error));
  good = good && open_runner(runner, options, set, frame.left.width, frame.left.height, error) &&
         run_frame(runner, &frame, set->is_video, options->repeat, &output, result->ms, error) &&
         score_frame(result, &frame, options, &output, error);
  eval_frame_free(&frame);
  return good;
}

/* ---- All frames --------------------------------------------------------------------------- */

static void add_result(EvalResult *total, const EvalResult *part)
{
  total->frames += part->frames;
  total->pixels += part->pixels;
  total->known += part->known;
  total->stixels += part->stixels;
  total->pairs += part->pairs;
  total->evaluated += part->evaluated;
  total->has_labels |= part->has_labels;
  total->has_kinds |= part->has_kinds;
  total->has_classes |= part->has_classes;
  for (int t = 0; t < TRUTH_COUNT; t++) {
    total->has_truth[t] |= part->has_truth[t];
    for (int map = 0; map < MAP_COUNT; map++)
      stx_disparity_score_merge(&total->score[t][map], &part->score[t][map]);
  }
  stx_confusion_merge(&total->classes, &part->classes);
  stx_confusion_merge(&total->majority, &part->majority);
  stx_confusion_merge(&total->kinds, &part->kinds);
  eval_seen_merge(&total->seen, &part->seen);
  for (int i = 0; i < STX_STAGE_COUNT; i++)
    total->ms[i] += part->ms[i];
}

static bool run_set(
    const Options *options, DataSet *set, EvalResult *frames, EvalResult *total, StxError *error)
{
  Runner runner = {0};
  bool good = true;
  *total = empty_result("total");
  for (size_t i = 0; good && i < set->count; i++) {
    good = eval_frame(options, set, i, &runner, &frames[i], error);
    add_result(total, &frames[i]);
  }
  close_runner(&runner);
  return good;
}

static bool evaluate(const Options *options, DataSet *set, StxError *error)
{
  EvalResult *frames = g_new0(EvalResult, set->count), total;
  bool good = run_set(options, set, frames, &total, error);
  if (good)
    eval_print(stdout, set, &options->pipeline, frames, set->count, &total, options->json);
  g_free(frames);
  return good;
}

/* ---- Command line ------------------------------------------------------------------------- */

static bool apply_choices(Options *o, StxError *error)
{
  static const StxBackend backends[] = {STX_BACKEND_AUTO, STX_BACKEND_OMP, STX_BACKEND_C};
  int semantics, ground, backend, model, candidates, terrain;
  const struct {
    const char *option, *value, *standard, *choices[6];
    int *index;
  } table[] = {
      {"semantics", o->semantics, "none", {"none", "truth"}, &semantics},
      {"ground", o->ground, "auto", {"auto", "calibration", "estimate", "none", "piecewise"},
          &ground},
      {"backend", o->backend, "auto", {"auto", "omp", "c"}, &backend},
      {"model", o->model, "satdp", {"satdp", "rdp", "gaussian-uniform"}, &model},
      {"cut-candidates", o->candidates, "all", {"all", "rdp"}, &candidates},
      {"terrain", o->terrain, "gentle", {"gentle", "flat", "sloped", "hilly"}, &terrain},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    const char *value = table[i].value != NULL ? table[i].value : table[i].standard;
    *table[i].index = options_choose(table[i].option, value, table[i].choices, error);
    if (*table[i].index < 0)
      return false;
  }
  if (semantics && o->scores != NULL)
    return stx_fail(error, "--scores and --semantics=truth: give one of the two");
  o->pipeline.colmean.semantics = semantics           ? STX_SEMANTICS_LABELS
                                  : o->scores != NULL ? STX_SEMANTICS_SCORES_F32
                                                      : STX_SEMANTICS_NONE;
  o->pipeline.colmean.grid.classes = semantics || o->scores != NULL ? STX_LABEL_CLASSES : 0;
  o->pipeline.ground = (StxRoadMode)ground;
  o->pipeline.backend = backends[backend];
  o->pipeline.model = (StxPipelineModel)model;
  o->pipeline.cuts = (StxPipelineCuts)candidates;
  o->hills = (StxSceneTerrain)terrain;
  if (model == STX_PIPELINE_RDP && candidates != STX_PIPELINE_CUTS_ALL)
    return stx_fail(error, "--cut-candidates is not for --model=rdp");
  return true;
}

static bool apply_numbers(Options *o, StxError *error)
{
  const StxPipelineSettings standard = eval_defaults();
  StxGrid *grid = &o->pipeline.colmean.grid;
  if (o->cell != NULL &&
      !options_size("cell", o->cell, true, &grid->cell_width, &grid->cell_height, error))
    return false;
  if (o->repeat < 1)
    return stx_fail(error, "--repeat=%d: must be at least 1", o->repeat);
  if (o->frames < 0)
    return stx_fail(error, "--frames=%d: must be at least 0 (0: all)", o->frames);
  if (o->streets < 0 || (o->streets > 0 && (!o->street || o->scans || o->frames > 0)))
    return stx_fail(
        error, "--streets=%d: is for --street, without --scans and --frames", o->streets);
  if (!options_check_threads(o->pipeline.threads, error))
    return false;
  /* The options of rdp are for whichever of the two works. */
  if (o->pipeline.rdp.epsilon == EPSILON_AUTO)
    o->pipeline.rdp.epsilon = standard.rdp.epsilon;
  else
    o->pipeline.cuts_rdp.epsilon = o->pipeline.rdp.epsilon;
  o->pipeline.cuts_rdp.median = o->pipeline.rdp.median;
  o->pipeline.use_confidence = !o->no_confidence;
  return true;
}

void eval_add_parameters(GOptionContext *context, StxPipelineSettings *p)
{
  static const OptionAlias sigmas[] = {{"sigma-ground", "sigma-disparity-ground"},
      {"sigma-object", "sigma-disparity-object"}, {"sigma-sky", "sigma-disparity-sky"}, {NULL}};
  const OptionGroup groups[] = {
      {"sgm", "Stereo:", "the stereo matcher", {{&stx_sgm_fields, &p->sgm}}},
      {"cells", "Cells:", "the reduction to cells",
          {{&stx_grid_fields, &p->colmean.grid}, {&stx_colmean_fields, &p->colmean}}},
      {"satdp", "Stixels:", "the stixels", {{&stx_satdp_fields, &p->satdp}}, sigmas},
      {"rdp", "Segments:", "segments and start rows", {{&stx_rdp_fields, &p->rdp}}},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(groups); i++)
    options_add_group(context, &groups[i]);
}

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"street", 0, 0, G_OPTION_ARG_NONE, &o->street, "the synthetic street, no folder", NULL},
      {"scans", 0, 0, G_OPTION_ARG_NONE, &o->scans,
          "with labelled LiDAR scans: FOLDER is like KITTI's odometry benchmark, or --street",
          NULL},
      {"pictures", 0, 0, G_OPTION_ARG_FILENAME, &o->pictures,
          "write a picture of each frame's errors there", "DIR"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size, "of the street (1242x375)", "WxH"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the street (1)", "N"},
      {"terrain", 0, 0, G_OPTION_ARG_STRING, &o->terrain,
          "of the street: gentle (default), flat, sloped, hilly", "T"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "at most N (0: all; street: 5)", "N"},
      {"streets", 0, 0, G_OPTION_ARG_INT, &o->streets,
          "the first frames of N streets, seeds from --seed on", "N"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "instead of the folder's calib/", "FILE"},
      {"masks", 0, 0, G_OPTION_ARG_FILENAME, &o->masks,
          "what of the pictures is sky and what is wall, drawn by hand", "JSON"},
      {"cell", 0, 0, G_OPTION_ARG_STRING, &o->cell, "size of the cells (8)", "N|WxH"},
      {"semantics", 0, 0, G_OPTION_ARG_STRING, &o->semantics,
          "none (default), or truth: the true labels as input", "S"},
      {"scores", 0, 0, G_OPTION_ARG_FILENAME, &o->scores,
          "a network's scores as input: a file per frame, in the order of names", "FOLDER"},
      {"ground", 0, 0, G_OPTION_ARG_STRING, &o->ground,
          "auto, calibration, estimate, piecewise, none", "G"},
      {"model", 0, 0, G_OPTION_ARG_STRING, &o->model,
          "satdp (default): stixels, gaussian-uniform: the same with outliers, or rdp: segments of "
          "depth alone",
          "M"},
      {"cut-candidates", 0, 0, G_OPTION_ARG_STRING, &o->candidates,
          "where stixels may begin: all rows (default), or what rdp keeps at epsilon 0.5", "C"},
      {"no-confidence", 0, 0, G_OPTION_ARG_NONE, &o->no_confidence, "all pixels certain", NULL},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "auto, omp or c", "B"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->pipeline.threads, "0: all cores", "N"},
      {"repeat", 0, 0, G_OPTION_ARG_INT, &o->repeat, "runs per frame; the fastest counts", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("[FOLDER] - measures disparities and stixels");
  g_option_context_set_summary(context,
      "FOLDER holds KITTI's stereo layout: image_2 and image_3, or image_0 and image_1; "
      "disp_noc_0\n"
      "or disp_noc, disp_occ_0 or disp_occ; and where there are any semantic and calib.\n"
      "Defaults are those of the elements.");
  g_option_context_set_description(context,
      "Examples:\n"
      "  stx-eval --street --frames 3\n"
      "  stx-eval kitti2015/training --cell 4 --json\n"
      "  stx-eval --scans semantickitti --pictures /tmp\n"
      "  stx-eval kitti2015/training --model rdp --epsilon 2 --median 3\n"
      "  stx-eval kitti2015/training --semantics truth --help-satdp\n"
      "  stx-eval column --help                  why there is a stixel here\n"
      "  stx-eval lidar --help                   ground in LiDAR scans\n"
      "  stx-eval motion --help                  how the camera moves\n"
      "  stx-eval obstacles --help               what stands on the synthetic street\n");
  g_option_context_add_main_entries(context, entries, NULL);
  eval_add_parameters(context, &o->pipeline);
  return context;
}

static bool load_masks(Options *o, StxError *error)
{
  json_error_t wrong;
  if (o->masks == NULL)
    return true;
  o->mask_file = json_load_file(o->masks, 0, &wrong);
  return json_is_object(o->mask_file) ||
         stx_fail(error, "--masks: %s: %s", o->masks,
             o->mask_file == NULL ? wrong.text : "no object with the names of frames");
}

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  if (!options_parse(make_context(o), &argc, &argv, error))
    return false;
  if (argc > 2)
    return stx_fail(error, "one folder, please, not %d (see --help)", argc - 1);
  if ((argc == 2) == (o->street != FALSE))
    return stx_fail(error, "give either a folder or --street (see --help)");
  o->folder = argc == 2 ? g_strdup(argv[1]) : NULL;
  return apply_choices(o, error) && apply_numbers(o, error) && load_masks(o, error);
}

static bool open_data(const Options *o, DataSet *set, StxError *error)
{
  if (!o->street) {
    if (!(o->scans ? eval_open_scans : eval_open_kitti)(set, o->folder, o->calibration, error))
      return false;
    if (o->frames > 0 && (size_t)o->frames < set->count)
      set->count = (size_t)o->frames;
    return true;
  }
  StxSceneParams street = {
      EVAL_STREET, .seed = (uint64_t)o->seed, .width = 1242, .height = 375, .terrain = o->hills};
  if (o->calibration != NULL)
    return stx_fail(error, "--calibration: the street brings its own camera");
  return (o->size == NULL ||
             options_size("size", o->size, false, &street.width, &street.height, error)) &&
         eval_open_street(set, &street,
             o->streets > 0  ? (size_t)o->streets
             : o->frames > 0 ? (size_t)o->frames
                             : 5,
             o->streets > 0 ? EVAL_FIRST_FRAMES
             : o->scans     ? EVAL_SCANS
                            : EVAL_FRAMES,
             error);
}

static void clear(Options *o)
{
  char *strings[] = {o->folder, o->calibration, o->pictures, o->scores, o->masks, o->size, o->cell,
      o->semantics, o->ground, o->backend, o->model, o->candidates, o->terrain};
  for (size_t i = 0; i < G_N_ELEMENTS(strings); i++)
    g_free(strings[i]);
  json_decref(o->mask_file);
}

static int run_command(bool (*command)(int, char **, StxError *), int argc, char **argv)
{
  StxError error = {""};
  char *name = g_strconcat("stx-eval ", argv[0], NULL);
  g_set_prgname(name); /* as --help calls it */
  g_free(name);
  bool done = command(argc, argv, &error);
  if (!done)
    fprintf(stderr, "stx-eval %s: %s\n", argv[0], error.text);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    bool (*run)(int, char **, StxError *);
  } commands[] = {{"boxes", eval_boxes}, {"column", eval_column}, {"hazards", eval_hazards},
      {"lidar", eval_lidar}, {"motion", eval_motion}, {"obstacles", eval_obstacles},
      {"occupancy", eval_occupancy}};
  Options options = {.pipeline = eval_defaults(), .seed = 1, .repeat = 1};
  DataSet set;
  StxError error = {""};
  setlocale(LC_CTYPE, "");
  options.pipeline.rdp.epsilon = EPSILON_AUTO;
  for (size_t i = 0; argc > 1 && i < G_N_ELEMENTS(commands); i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return run_command(commands[i].run, argc - 1, argv + 1);
  bool good = parse(&options, argc, argv, &error) && open_data(&options, &set, &error);
  if (good) {
    good = evaluate(&options, &set, &error);
    set.close(&set);
  }
  if (!good)
    fprintf(stderr, "stx-eval: %s\n", error.text);
  clear(&options);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
