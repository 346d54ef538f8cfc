/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a group needs to run: parameters, list of implementations, memory, inputs. */
#include "examples/stx_bench_group.h"

#include <stdlib.h>

/* ---- Runs --------------------------------------------------------------------------------- */

static void run_sgm(Group *g, const Entry *entry)
{
  const StxSgmImpl *impl = entry->record;
  const BenchInput *input = g->context->input;
  impl->run(&g->sgm, &input->left, &input->right, &g->disparity, &g->confidence, g->scratch,
      entry->threads);
}

static StxColmeanInput colmean_input(const BenchInput *input)
{
  return (StxColmeanInput){
      .disparity = input->disparity,
      .confidence = input->confidence,
      .labels = input->labels,
      .scores = input->scores,
      .class_stride = (ptrdiff_t)input->width * input->height,
      .row_stride = input->width,
      .pixel_stride = 1,
  };
}

static void run_colmean(Group *g, const StxColmeanImpl *impl, int threads)
{
  StxColmeanInput input = colmean_input(g->context->input);
  impl->run(&g->colmean, &g->colmean_tables, &input, g->columns, g->scratch, threads);
}

static void run_satdp(Group *g, const StxSatdpImpl *impl, int threads)
{
  g->stixel_count = impl->run(
      &g->satdp, &g->satdp_tables, g->columns, g->stixels, &g->stats, g->scratch, threads);
}

static void run_pipeline(Group *g, const Entry *entry)
{
  const BenchInput *input = g->context->input;
  StxError ignored; /* the group's opening has run it once without an error */
  pipeline_run(&g->pipelines[entry->limits], &input->left, &input->right, &input->labels,
      &input->camera, &ignored);
}

static void run_overlay(Group *g, const Entry *entry)
{
  const StxOverlayImpl *impl = entry->record;
  StxFrame frame = {{g->picture.data}, {g->picture.stride}};
  impl->draw(g->overlay, &frame, g->stixels, g->stixel_count, g->scratch, entry->threads, NULL);
}

double group_run(Group *g, const Entry *entry)
{
  double begin = now_ms();
  switch (g->what->stage) {
  case BENCH_SGM:
    run_sgm(g, entry);
    break;
  case BENCH_COLMEAN:
    run_colmean(g, entry->record, entry->threads);
    break;
  case BENCH_SATDP:
    run_satdp(g, entry->record, entry->threads);
    break;
  case BENCH_BOTH:
    run_colmean(g, g->best_colmean, entry->threads);
    run_satdp(g, g->best_satdp, entry->threads);
    break;
  case BENCH_PIPELINE:
    run_pipeline(g, entry);
    break;
  case BENCH_OVERLAY:
    run_overlay(g, entry);
    break;
  default: /* BENCH_SCENE */
    stx_scene_render(g->scenes[entry->limits], STX_SCENE_LEFT, 3, &g->picture);
  }
  return now_ms() - begin;
}

/* ---- Set-up ------------------------------------------------------------------------------- */

static bool set_parameters(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  const BenchCase *what = g->what;
  int cell = what->cell > 0 ? what->cell : 8;
  bool classes = what->semantics != STX_SEMANTICS_NONE;
  g->sgm = (StxSgmParams)STX_SGM_DEFAULTS;
  g->sgm.width = input->width;
  g->sgm.height = input->height;
  g->sgm.paths = what->paths > 0 ? what->paths : g->sgm.paths;
  g->colmean = (StxColmeanParams){
      .grid = {input->width, input->height, cell, cell, classes ? STX_LABEL_CLASSES : 0},
      .reduction = STX_REDUCE_WEIGHTED,
      .fill_width = STX_FILL_WIDTH_DEFAULT,
      .semantics = what->semantics,
  };
  stx_labels_identity(g->colmean.label_map);
  stx_colmean_prepare(&g->colmean_tables);
  g->satdp = (StxSatdpParams)STX_SATDP_DEFAULTS;
  g->satdp.grid = g->colmean.grid;
  g->overlay_params = (StxOverlayParams){
      .show = ~0u,
      .alpha = 0.5,
      .outlines = true,
      .max_disparity = 64,
      .max_distance = 60,
      .camera = input->camera,
      .width = input->width,
      .height = input->height,
      .stixel_width = cell,
      .columns = stx_grid_columns(&g->satdp.grid),
      .format = stx_pixel_format("RGBA"),
      .frame_width = input->width,
      .frame_height = input->height,
  };
  return stx_sgm_check(&g->sgm, error) && stx_colmean_check(&g->colmean, error) &&
         stx_satdp_check(&g->satdp, error) && stx_overlay_check(&g->overlay_params, error);
}

static const StxImplTable *table_of(BenchStage stage)
{
  switch (stage) {
  case BENCH_SGM:
    return &stx_sgm_impls;
  case BENCH_SATDP:
    return &stx_satdp_impls;
  case BENCH_OVERLAY:
    return &stx_overlay_impls;
  default:
    return &stx_colmean_impls;
  }
}

static void add_entries(Group *g, const void *record, const char *name, bool reference)
{
  for (int t = 0; t < (reference ? 1 : g->context->thread_counts); t++)
    if (g->count < BENCH_MAX_ROWS)
      g->entries[g->count++] = (Entry){
          .record = record, .name = name, .threads = g->context->limits[t]->threads, .limits = t};
}

/* Best first, the reference last. */
static void list_entries(Group *g)
{
  if (g->what->stage > BENCH_OVERLAY) {
    add_entries(g, NULL, "best", false);
    return;
  }
  const StxImplTable *table = table_of(g->what->stage);
  for (size_t i = 0; i < table->count; i++) {
    const StxImplInfo *info = stx_impl_at(table, i);
    if (info->memory == STX_MEMORY_HOST && stx_impl_usable(info))
      add_entries(g, info, info->name, info->backend == STX_BACKEND_C);
  }
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t scratch_of(const Group *g, const Entry *entry)
{
  const StxGrid *grid = &g->satdp.grid;
  size_t cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  switch (g->what->stage) {
  case BENCH_SGM:
    return ((const StxSgmImpl *)entry->record)->scratch_size(&g->sgm, entry->threads);
  case BENCH_COLMEAN:
    return ((const StxColmeanImpl *)entry->record)->scratch_size(&g->colmean, entry->threads);
  case BENCH_SATDP:
    return ((const StxSatdpImpl *)entry->record)->scratch_size(&g->satdp, entry->threads);
  case BENCH_OVERLAY:
    return ((const StxOverlayImpl *)entry->record)
        ->scratch_size(&g->overlay_params, cells, entry->threads);
  default:
    return larger(g->best_colmean->scratch_size(&g->colmean, entry->threads),
        g->best_satdp->scratch_size(&g->satdp, entry->threads));
  }
}

/* Of all entries; the input of some groups has to be reduced and segmented as well. */
static size_t scratch_size(const Group *g)
{
  size_t size = stx_roadline_scratch(&g->satdp.grid);
  size = larger(size, g->best_colmean->scratch_size(&g->colmean, 1));
  size = larger(size, g->best_satdp->scratch_size(&g->satdp, 1));
  for (int i = 0; i < g->count; i++)
    size = larger(size, scratch_of(g, &g->entries[i]));
  return size;
}

static void *allocate(size_t size)
{
  return aligned_alloc(STX_ALIGN, stx_align(size + 1));
}

static bool allocate_all(Group *g, StxError *error)
{
  const StxGrid *grid = &g->satdp.grid;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  g->disparity = (StxImage16){allocate(2 * pixels), 2 * grid->width, grid->width, grid->height};
  g->confidence = (StxImage8){allocate(pixels), grid->width, grid->width, grid->height};
  g->columns = allocate(stx_grid_bytes(grid));
  g->stixels = allocate(cells * sizeof *g->stixels);
  g->picture = (StxImage8){allocate(4 * pixels), 4 * grid->width, grid->width, grid->height};
  g->scratch = allocate(scratch_size(g));
  return (g->disparity.data && g->confidence.data && g->columns && g->stixels && g->picture.data &&
             g->scratch) ||
         stx_fail(error, "not enough memory for %s at %d × %d pixels",
             bench_stage_name(g->what->stage), grid->width, grid->height);
}

/* Columns and tables for the dynamic programme, as the pipeline would make them. */
static bool prepare_satdp(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxRoadLine line;
  run_colmean(g, g->best_colmean, 1);
  bool known = stx_roadline_from_camera(&input->camera, &line) ||
               stx_roadline_estimate(&g->satdp.grid, g->columns, NULL, &line, g->scratch);
  return stx_satdp_prepare(
      &g->satdp, &input->camera, known ? &line : NULL, &g->satdp_tables, error);
}

static bool open_pipelines(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  PipelineSettings settings = PIPELINE_DEFAULTS;
  settings.colmean = g->colmean;
  for (int t = 0; t < g->context->thread_counts; t++) {
    settings.threads = g->context->limits[t]->threads;
    if (!pipeline_open(&g->pipelines[t], &settings, input->width, input->height, error) ||
        !pipeline_run(
            &g->pipelines[t], &input->left, &input->right, &input->labels, &input->camera, error))
      return false;
  }
  return true;
}

static bool open_overlay(Group *g, StxError *error)
{
  g->overlay = allocate(stx_overlay_size(&g->overlay_params));
  if (g->overlay == NULL)
    return stx_fail(error, "not enough memory for the overlay");
  stx_overlay_init(g->overlay, &g->overlay_params);
  run_satdp(g, g->best_satdp, 1);
  return true;
}

static bool open_scenes(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxSceneParams params = {.seed = 1, .width = input->width, .height = input->height};
  for (int t = 0; t < g->context->thread_counts; t++) {
    params.threads = g->context->limits[t]->threads;
    g->scenes[t] = stx_scene_new(&params, error);
    if (g->scenes[t] == NULL)
      return false;
  }
  return true;
}

static bool prepare_input(Group *g, StxError *error)
{
  switch (g->what->stage) {
  case BENCH_SATDP:
  case BENCH_BOTH:
    return prepare_satdp(g, error);
  case BENCH_PIPELINE:
    return open_pipelines(g, error);
  case BENCH_OVERLAY:
    return prepare_satdp(g, error) && open_overlay(g, error);
  case BENCH_SCENE:
    return open_scenes(g, error);
  default:
    return true;
  }
}

static bool open_group(Group *g, StxError *error)
{
  g->best_colmean = stx_impl_pick(&stx_colmean_impls, STX_BACKEND_AUTO);
  g->best_satdp = stx_impl_pick(&stx_satdp_impls, STX_BACKEND_AUTO);
  if (!set_parameters(g, error))
    return false;
  list_entries(g);
  return allocate_all(g, error) && prepare_input(g, error);
}

void group_close(Group *g)
{
  free(g->disparity.data);
  free(g->confidence.data);
  free(g->columns);
  free(g->stixels);
  free(g->picture.data);
  free(g->overlay);
  free(g->scratch);
  for (int i = 0; i < 2; i++) {
    free(g->output[i].expected);
    pipeline_close(&g->pipelines[i]);
    stx_scene_free(g->scenes[i]);
  }
  free(g);
}

Group *group_open(const BenchContext *context, const BenchCase *what, StxError *error)
{
  Group *g = calloc(1, sizeof *g);
  if (g == NULL) {
    stx_fail(error, "not enough memory");
    return NULL;
  }
  g->context = context;
  g->what = what;
  if (open_group(g, error))
    return g;
  group_close(g);
  return NULL;
}
