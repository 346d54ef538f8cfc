/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-eval/column/column.h"

#include <glib.h>
#include <limits.h>
#include <stdlib.h>

#include "common/sgm/sgm.h"
#include "examples/shared/options.h"
#include "examples/shared/png_io.h"
#include "examples/stx-eval/stx_eval.h"

typedef struct {
  StxPipelineSettings pipeline;
  char *columns, *left, *right, *disparity, *calibration, *cell, *size, *ground;
  gint64 seed;
  int column, frame, frames, streets;
  gboolean segments, labels, json;
} Options;

/* Of --column: it was not given; "all". */
#define MIDDLE (-1)
#define ALL (-2)

/* ---- Frames -------------------------------------------------------------------------------- */

static bool load_camera(const Options *o, EvalFrame *frame, StxError *error)
{
  return o->calibration == NULL || stx_camera_load(o->calibration, -1, &frame->camera, error);
}

static void name_frame(EvalFrame *frame, const char *path)
{
  char *name = g_path_get_basename(path);
  g_strlcpy(frame->name, name, sizeof frame->name);
  g_free(name);
}

static bool load_pair(const Options *o, EvalFrame *frame, StxError *error)
{
  if (!png_load_gray8(o->left, &frame->left, error) ||
      !png_load_gray8(o->right, &frame->right, error))
    return false;
  name_frame(frame, o->left);
  return (frame->left.width == frame->right.width && frame->left.height == frame->right.height) ||
         stx_fail(error, "--left has %d x %d pixels, --right %d x %d", frame->left.width,
             frame->left.height, frame->right.width, frame->right.height);
}

static bool load_map(const Options *o, EvalFrame *frame, StxError *error)
{
  name_frame(frame, o->disparity);
  return png_load_gray16(o->disparity, &frame->truth[TRUTH_ALL], error);
}

static bool load_street(const Options *o, EvalFrame *frame, StxError *error)
{
  StxSceneParams street = {.seed = (uint64_t)o->seed, .width = 1242, .height = 375};
  DataSet set;
  if (o->size != NULL &&
      !options_size("size", o->size, false, &street.width, &street.height, error))
    return false;
  if (!eval_open_street(&set, &street, (size_t)o->frame + 1, EVAL_FRAMES, error))
    return false;
  bool good = set.load(&set, (size_t)o->frame, frame, error);
  set.close(&set);
  g_snprintf(frame->name, sizeof frame->name, "synthetic street, seed %lld, frame %d",
      (long long)o->seed, o->frame);
  return good;
}

static bool load_frame(const Options *o, EvalFrame *frame, StxError *error)
{
  *frame = (EvalFrame){0};
  if (o->left != NULL)
    return load_pair(o, frame, error) && load_camera(o, frame, error);
  if (o->disparity != NULL)
    return load_map(o, frame, error) && load_camera(o, frame, error);
  return load_street(o, frame, error);
}

/* ---- One column ---------------------------------------------------------------------------- */

static StxPipelineInput input_of(const Options *o, const EvalFrame *frame)
{
  StxPipelineInput input = {.camera = frame->camera};
  if (o->pipeline.source == STX_PIPELINE_DISPARITIES)
    input.disparity = frame->truth[TRUTH_ALL];
  else {
    input.left = frame->left;
    input.right = frame->right;
  }
  if (o->labels)
    input.labels = frame->labels;
  return input;
}

/* Those of the column alone; to be freed. */
static ColumnStixel *stixels_of(const StxPipelineOutput *output, int column, int *count)
{
  ColumnStixel *stixels = g_new0(ColumnStixel, STX_RDP_MAX_ROWS);
  *count = 0;
  for (size_t i = 0; i < output->count; i++)
    if (output->stixels[i].column == column)
      stixels[(*count)++].record = output->stixels[i];
  return stixels;
}

/* Segments need no road, but the picture shows it. */
static const StxRoadLine *road_of(const StxPipelineOutput *output, StxRoadLine *line)
{
  if (output->line != NULL)
    return output->line;
  return stx_roadline_from_camera(&output->camera, line) ? line : NULL;
}

static bool ask(
    const Options *o, const StxPipelineOutput *output, ColumnStory *story, StxError *error)
{
  StxSatdpParams params = o->pipeline.satdp;
  params.sky_known = o->pipeline.sgm.sky;
  params.grid = output->grid;
  story->disparity = stx_column(&story->grid, (void *)output->columns, 0, story->column);
  story->weight = stx_column(&story->grid, (void *)output->columns, 1, story->column);
  story->stixels = stixels_of(output, story->column, &story->count);
  return o->segments || column_ask(story, &params, output->columns, error);
}

static bool tell_one(
    const Options *o, const StxPipelineOutput *output, ColumnStory *story, StxError *error)
{
  int columns = stx_grid_columns(&output->grid);
  story->column = o->column == MIDDLE ? columns / 2 : o->column;
  if (story->column < 0 || story->column >= columns)
    return stx_fail(error, "--column=%d: must be 0 to %d, of columns of %d pixels, or all",
        o->column, columns - 1, output->grid.cell_width);
  bool good = ask(o, output, story, error);
  if (good)
    (o->json ? column_print_json : column_print)(stdout, story);
  g_free(story->stixels);
  return good;
}

static bool count_all(const Options *o, const StxPipelineOutput *output, ColumnStory *story,
    ColumnCount *count, StxError *error)
{
  bool good = true;
  for (; good && story->column < stx_grid_columns(&output->grid); story->column++) {
    good = ask(o, output, story, error);
    if (good)
      column_count(count, story);
    g_free(story->stixels);
  }
  count->frames++;
  return good;
}

static bool explain(const Options *o, const EvalFrame *frame, const StxPipelineOutput *output,
    ColumnCount *count, StxError *error)
{
  StxRoadLine line;
  ColumnStory story = {.name = frame->name,
      .grid = output->grid,
      .camera = output->camera,
      .line = o->segments ? road_of(output, &line) : output->line,
      .is_segments = o->segments};
  return o->column == ALL ? count_all(o, output, &story, count, error)
                          : tell_one(o, output, &story, error);
}

static bool run_frame(const Options *o, ColumnCount *count, StxError *error)
{
  EvalFrame frame;
  StxPipelineOutput output;
  StxPipeline *pipeline = NULL;
  bool good = load_frame(o, &frame, error);
  if (good) {
    StxPipelineInput input = input_of(o, &frame);
    bool is_map = o->pipeline.source == STX_PIPELINE_DISPARITIES;
    pipeline = stx_pipeline_new(&o->pipeline, is_map ? input.disparity.width : input.left.width,
        is_map ? input.disparity.height : input.left.height, error);
    good = pipeline != NULL && stx_pipeline_run(pipeline, &input, &output, error) &&
           explain(o, &frame, &output, count, error);
  }
  stx_pipeline_free(pipeline);
  eval_frame_free(&frame);
  return good;
}

/* ---- Frames of streets --------------------------------------------------------------------- */

static bool run_street(const Options *o, ColumnCount *count, StxError *error)
{
  Options one = *o;
  bool good = true;
  for (int street = 0; good && street < o->streets; street++) {
    one.seed = o->seed + street;
    for (one.frame = o->frame; good && one.frame < o->frame + o->frames; one.frame++)
      good = run_frame(&one, count, error);
  }
  return good;
}

static bool run(const Options *o, StxError *error)
{
  ColumnCount count = {0};
  bool files = o->left != NULL || o->disparity != NULL;
  bool good = files ? run_frame(o, &count, error) : run_street(o, &count, error);
  if (good && o->column == ALL)
    (o->json ? column_count_print_json : column_count_print)(stdout, &count);
  return good;
}

/* ---- Command line -------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"column", 0, 0, G_OPTION_ARG_STRING, &o->columns,
          "from the left, from 0 on (the middle); all: how many could cost less", "N|all"},
      {"left", 0, 0, G_OPTION_ARG_FILENAME, &o->left, "left picture", "PNG"},
      {"right", 0, 0, G_OPTION_ARG_FILENAME, &o->right, "right picture", "PNG"},
      {"disparity", 0, 0, G_OPTION_ARG_FILENAME, &o->disparity,
          "a disparity map as KITTI has them, in place of pictures", "PNG"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration, "of these", "FILE"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the street (3)", "N"},
      {"frame", 0, 0, G_OPTION_ARG_INT, &o->frame, "of the street (20)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "of each street, from --frame on (1)", "N"},
      {"streets", 0, 0, G_OPTION_ARG_INT, &o->streets, "with seeds from --seed on (1)", "N"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size, "of the street (1242x375)", "WxH"},
      {"labels", 0, 0, G_OPTION_ARG_NONE, &o->labels, "with the street's true classes", NULL},
      {"cell", 0, 0, G_OPTION_ARG_STRING, &o->cell, "size of the cells (8)", "N|WxH"},
      {"ground", 0, 0, G_OPTION_ARG_STRING, &o->ground,
          "auto, calibration, estimate, piecewise, none", "G"},
      {"segments", 0, 0, G_OPTION_ARG_NONE, &o->segments, "of rdp in place of stixels", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- explains one column of stixels");
  g_option_context_set_summary(context,
      "What was measured in a column, what was made of it, what that costs, and what another kind\n"
      "or one stixel less would. Without pictures it is one of the synthetic street. Of all "
      "columns\n"
      "it counts how many would cost less: satdp's recurrence does not always find the least.");
  g_option_context_add_main_entries(context, entries, NULL);
  eval_add_parameters(context, &o->pipeline);
  return context;
}

static bool apply_ground(Options *o, StxError *error)
{
  static const char *const choices[] = {
      "auto", "calibration", "estimate", "none", "piecewise", NULL};
  int ground = options_choose("ground", o->ground == NULL ? "auto" : o->ground, choices, error);
  o->pipeline.ground = (StxRoadMode)ground;
  return ground >= 0;
}

/* Reads the input. */
static bool apply_source(Options *o, StxError *error)
{
  bool files = o->left != NULL || o->disparity != NULL;
  if ((o->left != NULL) != (o->right != NULL))
    return stx_fail(
        error, "--%s is missing: a pair has two pictures", o->left == NULL ? "left" : "right");
  if (o->left != NULL && o->disparity != NULL)
    return stx_fail(error, "--disparity and --left: give one of the two");
  if (o->labels && files)
    return stx_fail(error, "--labels is of the street alone");
  if (o->calibration != NULL && !files)
    return stx_fail(error, "--calibration: the street brings its own camera");
  if (o->frame < 0)
    return stx_fail(error, "--frame=%d: must be at least 0", o->frame);
  if (o->disparity != NULL)
    o->pipeline.source = STX_PIPELINE_DISPARITIES;
  return true;
}

/* Which column, or all, and of how many frames. */
static bool apply_columns(Options *o, StxError *error)
{
  gint64 column = MIDDLE;
  if (g_strcmp0(o->columns, "all") == 0)
    column = ALL;
  else if (o->columns != NULL &&
           !g_ascii_string_to_signed(o->columns, 10, 0, INT_MAX, &column, NULL))
    return stx_fail(
        error, "--column=%s: must be the number of a column, from 0 on, or all", o->columns);
  o->column = (int)column;
  if (column == ALL && o->segments)
    return stx_fail(error, "--column=all: not with --segments");
  if (o->frames < 1 || o->streets < 1)
    return stx_fail(error, "--%s=%d: must be at least 1", o->frames < 1 ? "frames" : "streets",
        o->frames < 1 ? o->frames : o->streets);
  if (o->frames > 1 || o->streets > 1)
    return (column == ALL && o->left == NULL && o->disparity == NULL) ||
           stx_fail(error, "--%s: only of the street, with --column=all",
               o->frames > 1 ? "frames" : "streets");
  return true;
}

static bool apply(Options *o, StxError *error)
{
  StxColmeanParams *cells = &o->pipeline.colmean;
  if (o->labels) {
    cells->semantics = STX_SEMANTICS_LABELS;
    cells->grid.classes = STX_LABEL_CLASSES;
  }
  if (o->segments)
    o->pipeline.model = STX_PIPELINE_RDP;
  return apply_ground(o, error) && apply_source(o, error) && apply_columns(o, error) &&
         (o->cell == NULL || options_size("cell", o->cell, true, &cells->grid.cell_width,
                                 &cells->grid.cell_height, error));
}

bool eval_column(int argc, char **argv, StxError *error)
{
  Options o = {
      .pipeline = stx_pipeline_defaults(), .seed = 3, .frame = 20, .frames = 1, .streets = 1};
  bool good = options_parse(make_context(&o), &argc, &argv, error);
  if (good && argc > 1)
    good = stx_fail(error, "'%s': pictures are given by --left and --right (see --help)", argv[1]);
  good = good && apply(&o, error) && run(&o, error);
  char *strings[] = {
      o.columns, o.left, o.right, o.disparity, o.calibration, o.cell, o.size, o.ground};
  for (size_t i = 0; i < G_N_ELEMENTS(strings); i++)
    g_free(strings[i]);
  return good;
}
