/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a group: parameters, list of implementations, memory, inputs. */
#include "examples/stx-bench/stx_bench_group.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"

#define FRAME_NS UINT64_C(100000000) /* between two of a stream */
#define FOCAL .55                    /* of the width */
#define MOTION_FRAMES 8              /* of a stream, */
#define MOTION_STEP 2                /*   and columns from one to the next */
#define TURN .01                     /* radians, about the vertical */

/* ---- Runs --------------------------------------------------------------------------------- */

static StxPlace with_threads(int threads)
{
  return (StxPlace){.threads = threads};
}

static void run_sgm(Group *g, const Entry *entry)
{
  StxPlace place = with_threads(entry->threads);
  const StxSgmImpl *impl = entry->record;
  const BenchInput *input = g->context->input;
  impl->run(&g->sgm, &input->left, &input->right, &g->disparity, &g->confidence, g->scratch, &place,
      NULL);
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
  StxPlace place = with_threads(threads);
  StxColmeanInput input = colmean_input(g->context->input);
  impl->run(&g->colmean, &g->colmean_tables, &input, g->columns, g->scratch, &place, NULL);
}

static void run_satdp(Group *g, const StxSatdpImpl *impl, int threads)
{
  StxPlace place = with_threads(threads);
  impl->run(&g->satdp, &g->satdp_tables, g->satdp_tables.has_ground, g->columns, NULL, g->stixels,
      &g->satdp_result, g->scratch, &place, NULL);
  g->stixel_count = g->satdp_result.count;
}

static void run_rdp(Group *g, const StxRdpImpl *impl, int threads)
{
  StxPlace place = with_threads(threads);
  StxRdpResult result;
  impl->run(&g->rdp, g->columns, g->stixels, NULL, &result, g->scratch, &place, NULL);
  g->stixel_count = result.count;
}

static StxPipeline *pipeline_of(Group *g, const Entry *entry)
{
  return entry->reference ? g->reference : g->pipelines[entry->limits];
}

/* Every run is that of a stream's first frame: the road does not depend on how often it ran. */
static bool run_pipeline(Group *g, StxPipeline *pipeline, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxPipelineInput frame = {
      .left = input->left, .right = input->right, .labels = input->labels, .camera = input->camera};
  stx_pipeline_reset(pipeline);
  return stx_pipeline_run(pipeline, &frame, &g->frame, error);
}

static void run_overlay(Group *g, const Entry *entry)
{
  const StxOverlayImpl *impl = entry->record;
  StxFrame frame = {{g->picture.data}, {g->picture.stride}};
  stx_overlay_draw_all(
      impl, g->overlay, &frame, g->stixels, g->stixel_count, g->scratch, entry->threads);
}

static void run_rectify(Group *g, const Entry *entry)
{
  StxPlace place = with_threads(entry->threads);
  const StxRectifyImpl *impl = entry->record;
  StxRectifyMap map = stx_rectify_map_in(&g->view, 0, 0, g->map);
  impl->run(
      &map, &(StxRectifySample){1, {0}}, &g->context->input->left, &g->confidence, &place, NULL);
}

/* The next frame of a stream in which nothing moves. */
static bool run_obstacles(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  const StxMotion standing = {.state = STX_MOTION_KNOWN, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  StxObstaclesResult result;
  StxObstaclesFrame frame = {g->stixels, g->stixel_count, input->width, input->height,
      g->satdp.grid.cell_width, input->camera, g->obstacles_time += FRAME_NS};
  if (g->matched != NULL) {
    frame.motion = &standing;
    frame.points = g->matched;
    frame.point_count = g->matched_count;
  }
  return stx_obstacles_of_stixels(g->obstacles, &frame, &result, error);
}

int group_motion_width(const BenchInput *input)
{
  const int less = (MOTION_FRAMES - 1) * MOTION_STEP;
  return input->width > less ? input->width - less : 1;
}

StxEgomotionFrame group_motion_frame(
    const BenchInput *input, int number, StxImage8 left, StxImage16 disparity, StxEgomotion *state)
{
  const int column = number % MOTION_FRAMES * MOTION_STEP;
  if (column == 0)
    stx_egomotion_reset(state);
  left.data += column;
  disparity.data += column;
  left.width = disparity.width = group_motion_width(input);
  return (StxEgomotionFrame){.left = left,
      .disparity = disparity,
      .camera = input->camera,
      .time = (uint64_t)number * FRAME_NS,
      .threads = 1};
}

static bool run_motion(Group *g, const Entry *entry, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxEgomotion *state = g->motions[entry->limits];
  StxEgomotionResult result;
  StxEgomotionFrame frame = group_motion_frame(
      input, g->motion_frames[entry->limits]++, input->left, input->disparity, state);
  frame.threads = entry->threads;
  return stx_egomotion_frame(state, &frame, &result, error);
}

static bool run_hazards(Group *g, const Entry *entry, StxError *error)
{
  const StxHazardsParams params = STX_HAZARDS_DEFAULTS;
  const BenchInput *input = g->context->input;
  StxHazardsFrame frame = {input->left, input->right, input->disparity, input->camera};
  StxHazardsResult result;
  return stx_hazards_find(g->hazards, &params, &frame,
      stx_impl_pick(&stx_hazards_impls, STX_BACKEND_AUTO), entry->threads, &result, error);
}

static void run_ground(Group *g, const Entry *entry)
{
  const StxGroundImpl *impl = entry->record;
  const LidarScan *scan = g->what->scan;
  StxPlace place = with_threads(entry->threads);
  if (entry->steps != NULL)
    entry->steps(&g->what->ground, scan->points, scan->count, g->labels, &g->ground_result,
        g->scratch, entry->threads, g->step_ms);
  else
    impl->run(&g->what->ground, scan->points, scan->count, g->labels, &g->ground_result, g->scratch,
        &place, NULL);
}

static bool run_on_cpu(Group *g, const Entry *entry, StxError *error)
{
  switch (g->what->stage) {
  case BENCH_SGM:
    run_sgm(g, entry);
    break;
  case BENCH_COLMEAN:
    run_colmean(g, entry->record, entry->threads);
    break;
  case BENCH_SATDP:
  case BENCH_FULLDP:
    run_satdp(g, entry->record, entry->threads);
    break;
  case BENCH_RDP:
    run_rdp(g, entry->record, entry->threads);
    break;
  case BENCH_BOTH:
    run_colmean(g, g->best_colmean, entry->threads);
    run_satdp(g, g->best_satdp, entry->threads);
    break;
  case BENCH_PIPELINE:
    return run_pipeline(g, pipeline_of(g, entry), error);
  case BENCH_RECTIFY:
    run_rectify(g, entry);
    break;
  case BENCH_OVERLAY:
    run_overlay(g, entry);
    break;
  case BENCH_GROUND:
    run_ground(g, entry);
    break;
  case BENCH_OBSTACLES:
  case BENCH_VELOCITIES:
    return run_obstacles(g, error);
  case BENCH_MOTION:
    return run_motion(g, entry, error);
  case BENCH_HAZARDS:
    return run_hazards(g, entry, error);
  default: /* BENCH_SCENE */
    stx_scene_render(g->scenes[entry->limits], STX_SCENE_LEFT, 3, &g->picture);
  }
  return true;
}

/* The pipelines have memory of their own. */
static void take_stixels(Group *g)
{
  g->stixel_count = g->frame.count;
  memcpy(g->stixels, g->frame.stixels, g->stixel_count * sizeof *g->stixels);
}

bool group_run(Group *g, Entry *entry, double *ms, StxError *error)
{
  if (entry->where != ON_CPU)
    return cuda_group_run(g, entry, ms, error);
  double begin = now_ms();
  if (!run_on_cpu(g, entry, error))
    return false;
  *ms = now_ms() - begin;
  if (g->what->stage == BENCH_PIPELINE)
    take_stixels(g);
  return true;
}

/* ---- Set-up ------------------------------------------------------------------------------- */

static bool set_parameters(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  const BenchCase *what = g->what;
  int cell = what->cell > 0 ? what->cell : 8;
  int height = what->stage == BENCH_RDP ? what->rows : input->height;
  bool classes = what->semantics != STX_SEMANTICS_NONE;
  g->sgm = (StxSgmParams)STX_SGM_DEFAULTS;
  g->sgm.max_disparity = 128;
  g->sgm.infinity = 0;
  g->sgm.width = input->width;
  g->sgm.height = input->height;
  g->sgm.paths = what->paths > 0 ? what->paths : g->sgm.paths;
  if (what->stage == BENCH_SGM)
    g->sgm.search = what->search;
  g->colmean = (StxColmeanParams){
      .grid = {input->width, height, cell, cell, classes ? STX_LABEL_CLASSES : 0},
      .reduction = STX_REDUCE_WEIGHTED,
      .fill_width = STX_FILL_WIDTH_DEFAULT,
      .semantics = what->semantics,
  };
  stx_labels_identity(g->colmean.label_map);
  stx_colmean_prepare(&g->colmean_tables);
  g->satdp = (StxSatdpParams)STX_SATDP_DEFAULTS;
  g->rdp = (StxRdpParams){.epsilon = BENCH_RDP_EPSILON};
  g->satdp.grid = g->rdp.grid = g->colmean.grid;
  g->overlay_params = (StxOverlayParams){
      .show = ~0u,
      .fill = true,
      .max_height = 4,
      .max_cost = 20,
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
  if (what->stage == BENCH_RDP)
    return stx_rdp_check(&g->rdp, error);
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
  case BENCH_FULLDP:
    return &stx_fulldp_impls;
  case BENCH_RDP:
    return &stx_rdp_impls;
  case BENCH_RECTIFY:
    return &stx_rectify_impls;
  case BENCH_OVERLAY:
    return &stx_overlay_impls;
  case BENCH_GROUND:
    return &stx_ground_impls;
  default:
    return &stx_colmean_impls;
  }
}

static void add_entry(Group *g, Entry entry)
{
  if (g->count < BENCH_MAX_ROWS)
    g->entries[g->count++] = entry;
}

/* On one thread unless `first` is 1, and on all. */
static void add_cpu_entries(Group *g, const void *record, const char *name, int first)
{
  const BenchMachine *machine = g->context->machine;
  BenchStage stage = g->what->stage;
  bool alone = stage == BENCH_OBSTACLES || stage == BENCH_VELOCITIES;
  int most = alone ? 1 : machine->thread_counts;
  for (int t = first; t < machine->thread_counts && t < most; t++)
    add_entry(g, (Entry){.record = record,
                     .name = name,
                     .timed = true,
                     .threads = machine->limits[t].threads,
                     .limits = t});
}

static void add_gpu_entries(Group *g)
{
  Entry entry = {.timed = true};
  for (size_t i = 0; cuda_group_impl(g->what->stage, i, &entry.record, &entry.name); i++)
    for (entry.where = ON_STREAM; entry.where <= ON_GRAPH; entry.where++)
      if (entry.where == ON_STREAM || g->what->stage != BENCH_MOTION) /* which waits for the GPU */
        add_entry(g, entry);
}

static LidarStepsRun *steps_of(const StxGroundImpl *impl)
{
#if STX_BUILD_X86
  if (impl->info.needs == STX_CPU_AVX512)
    return bench_ground_steps_avx512;
  if (impl->info.needs == STX_CPU_AVX2)
    return bench_ground_steps_avx2;
#endif
  (void)impl;
  return bench_ground_steps_base;
}

static void add_steps(Group *g)
{
  const StxGroundImpl *best = stx_impl_pick(&stx_ground_impls, STX_BACKEND_OMP);
  Entry entry = {.record = best, .name = best->info.name, .timed = true};
  for (entry.threads = 1; entry.threads <= g->what->stepwise; entry.threads++)
    for (int steps = 0; steps < 2; steps++) {
      entry.steps = steps ? steps_of(best) : NULL;
      add_entry(g, entry);
    }
}

static bool on_gpu(const Group *g)
{
  return g->count > 0 && g->entries[0].where != ON_CPU;
}

/* Best first, the reference last. */
static void list_entries(Group *g)
{
  const BenchMachine *machine = g->context->machine;
  bool has_table = g->what->stage <= BENCH_OVERLAY || g->what->stage == BENCH_GROUND;
  if (machine->device != NULL)
    add_gpu_entries(g);
  const bool gpu = on_gpu(g);
  if (!has_table)
    add_cpu_entries(g, NULL, "best", 0);
  const StxImplTable *table = table_of(g->what->stage);
  const StxImplInfo *reference = has_table ? stx_impl_named(table, "omp") : NULL;
  const bool timed = has_table && machine->thread_counts > 0 && !g->context->unchecked;
  bool vectors = false;
  if (g->what->stepwise > 0)
    add_steps(g);
  for (size_t i = 0; has_table && g->what->stepwise == 0 && i < table->count; i++) {
    const StxImplInfo *info = stx_impl_at(table, i);
    vectors |= info->needs != 0 && stx_impl_usable(info);
    bool wanted = !g->context->unchecked || info->needs != 0 || !vectors;
    if (stx_impl_usable(info) && wanted)
      add_cpu_entries(g, info, info->name, timed && info == reference);
  }
  if (timed || (gpu && g->what->stage != BENCH_MOTION))
    add_entry(g, (Entry){.record = reference,
                     .name = has_table ? "omp" : "best",
                     .reference = true,
                     .timed = timed,
                     .threads = 1});
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t scratch_of(const Group *g, const Entry *entry)
{
  const StxGrid *grid = &g->satdp.grid;
  switch (g->what->stage) {
  case BENCH_SGM:
    return ((const StxSgmImpl *)entry->record)->scratch_size(&g->sgm, entry->threads);
  case BENCH_COLMEAN:
    return ((const StxColmeanImpl *)entry->record)->scratch_size(&g->colmean, entry->threads);
  case BENCH_SATDP:
  case BENCH_FULLDP:
    return ((const StxSatdpImpl *)entry->record)->scratch_size(&g->satdp, entry->threads);
  case BENCH_RDP:
    return ((const StxRdpImpl *)entry->record)->scratch_size(&g->rdp, entry->threads);
  case BENCH_RECTIFY:
    return 0;
  case BENCH_GROUND:
    return ((const StxGroundImpl *)entry->record)
        ->scratch_size(&g->what->ground, g->what->scan->count, entry->threads);
  case BENCH_OVERLAY:
    return ((const StxOverlayImpl *)entry->record)
        ->scratch_size(&g->overlay_params,
            (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid), entry->threads);
  default:
    return larger(g->best_colmean->scratch_size(&g->colmean, entry->threads),
        g->best_satdp->scratch_size(&g->satdp, entry->threads));
  }
}

/* Of all entries; the input of some groups has to be reduced and segmented as well. */
static size_t scratch_size(const Group *g)
{
  size_t size = 0;
  if (g->what->stage != BENCH_RDP && g->what->stage != BENCH_GROUND) {
    size = stx_roadline_scratch(&g->satdp.grid);
    size = larger(size, g->best_colmean->scratch_size(&g->colmean, 1));
    size = larger(size, g->best_satdp->scratch_size(&g->satdp, 1));
  }
  for (int i = 0; i < g->count; i++)
    if (g->entries[i].where == ON_CPU)
      size = larger(size, scratch_of(g, &g->entries[i]));
  return size;
}

static bool allocate_all(Group *g, StxError *error)
{
  const StxGrid *grid = &g->satdp.grid;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t cells = (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
  g->disparity = (StxImage16){stx_allocate(2 * pixels), 2 * grid->width, grid->width, grid->height};
  g->confidence = (StxImage8){stx_allocate(pixels), grid->width, grid->width, grid->height};
  g->columns = stx_allocate(stx_grid_bytes(grid));
  g->stixels = stx_allocate(cells * sizeof *g->stixels);
  g->picture = (StxImage8){stx_allocate(4 * pixels), 4 * grid->width, grid->width, grid->height};
  g->scratch = stx_allocate(scratch_size(g));
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
  if (!stx_satdp_prepare(&g->satdp, &input->camera, known ? &line : NULL, &g->satdp_tables, error))
    return false;
  if (g->what->stage == BENCH_FULLDP)
    stx_fulldp_prepare(&g->satdp, &g->satdp_tables);
  return true;
}

static StxPipeline *open_pipeline(const Group *g, StxBackend backend, int threads, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.sgm.max_disparity = g->sgm.max_disparity;
  settings.sgm.infinity = g->sgm.infinity;
  settings.colmean = g->colmean;
  settings.backend = backend;
  settings.threads = threads;
  return stx_pipeline_new(&settings, input->width, input->height, error);
}

/* On the GPU the road line, hence the tables, is known from the start. */
static bool open_pipelines(Group *g, StxError *error)
{
  const BenchMachine *machine = g->context->machine;
  for (int t = 0; t < machine->thread_counts; t++) {
    g->pipelines[t] = open_pipeline(g, STX_BACKEND_AUTO, machine->limits[t].threads, error);
    if (g->pipelines[t] == NULL)
      return false;
  }
  if (on_gpu(g)) {
    g->reference = open_pipeline(g, STX_BACKEND_AUTO, 1, error);
    if (g->reference == NULL)
      return false;
  }
  return prepare_satdp(g, error);
}

static bool open_overlay(Group *g, StxError *error)
{
  g->overlay = stx_allocate(stx_overlay_size(&g->overlay_params));
  if (g->overlay == NULL)
    return stx_fail(error, "not enough memory for the overlay");
  stx_overlay_init(g->overlay, &g->overlay_params);
  run_satdp(g, g->best_satdp, 1);
  return true;
}

/* A camera with a lens and a turn as most have; the rectified pictures are as large as its own. */
static StxRectifyView view_of(const BenchInput *input)
{
  double focal = FOCAL * input->width, x = input->width / 2.0, y = input->height / 2.0;
  return (StxRectifyView){
      .lens = {focal, focal, x, y, STX_LENS_BROWN, {-.17, .025, .001, -.002}},
      .source_width = input->width,
      .source_height = input->height,
      .r = {1, 0, -TURN, 0, 1, 0, TURN, 0, 1},
      .fx = focal,
      .fy = focal,
      .cx = x,
      .cy = y,
      .width = input->width,
      .height = input->height,
      .scale = 1,
  };
}

static bool open_map(Group *g, StxError *error)
{
  g->view = view_of(g->context->input);
  g->map_size = stx_rectify_map_bytes(&g->view, 0, 0);
  g->map = stx_allocate(g->map_size);
  if (g->map == NULL)
    return stx_fail(error, "not enough memory for the map");
  stx_rectify_map_fill(&g->view, 0, 0, g->map, 1);
  return true;
}

/* Of the stixels of a frame, by one thread, as always. */
static bool open_obstacles(Group *g, StxError *error)
{
  const StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  size_t columns = (size_t)stx_grid_columns(&g->satdp.grid);
  g->obstacles = stx_obstacles_new();
  if (g->obstacles == NULL)
    return stx_fail(error, "not enough memory for obstacles");
  return stx_obstacles_prepare(g->obstacles, &params, g->stixel_count, columns, error);
}

/* A point in the middle of every object, where it was in the frame before. */
static bool open_matched(Group *g, StxError *error)
{
  float width = (float)g->satdp.grid.cell_width;
  g->matched = malloc((g->stixel_count + 1) * sizeof *g->matched);
  if (g->matched == NULL)
    return stx_fail(error, "not enough memory for points");
  for (size_t i = 0; i < g->stixel_count; i++) {
    const StxStixel *s = &g->stixels[i];
    float u = ((float)s->column + .5f) * width - .5f, v = .5f * (float)(s->top + s->bottom);
    float d = .5f * (s->disparity_top + s->disparity_bottom);
    if (s->kind == STX_KIND_OBJECT && d > 0)
      g->matched[g->matched_count++] = (StxMotionPoint){u, v, d, u, v, d};
  }
  return true;
}

static bool open_motions(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  for (int t = 0; t < g->context->machine->thread_counts; t++) {
    g->motions[t] = stx_egomotion_new();
    if (g->motions[t] == NULL)
      return stx_fail(error, "not enough memory for motion");
    if (!stx_egomotion_prepare(
            g->motions[t], STX_BACKEND_AUTO, group_motion_width(input), input->height, error))
      return false;
  }
  return true;
}

static bool open_scenes(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxSceneParams params = {.seed = 1, .width = input->width, .height = input->height};
  for (int t = 0; t < g->context->machine->thread_counts; t++) {
    params.threads = g->context->machine->limits[t].threads;
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
  case BENCH_FULLDP:
  case BENCH_BOTH:
    return prepare_satdp(g, error);
  case BENCH_RDP:
    return bench_rdp_columns(g->context->input, &g->rdp, g->what->columns, g->columns, error);
  case BENCH_PIPELINE:
    return open_pipelines(g, error);
  case BENCH_RECTIFY:
    return open_map(g, error);
  case BENCH_OVERLAY:
    return prepare_satdp(g, error) && open_overlay(g, error);
  case BENCH_OBSTACLES:
  case BENCH_VELOCITIES:
    if (!prepare_satdp(g, error))
      return false;
    run_satdp(g, g->best_satdp, 1);
    return open_obstacles(g, error) &&
           (g->what->stage == BENCH_OBSTACLES || open_matched(g, error));
  case BENCH_MOTION:
    return open_motions(g, error);
  case BENCH_HAZARDS:
    g->hazards = stx_hazards_new();
    return g->hazards != NULL || stx_fail(error, "not enough memory for hazards");
  case BENCH_SCENE:
    return open_scenes(g, error);
  default:
    return true;
  }
}

static bool open_ground(Group *g, StxError *error)
{
  list_entries(g);
  g->labels = stx_allocate((g->what->scan->count + 1) * sizeof *g->labels);
  g->scratch = stx_allocate(scratch_size(g));
  if (g->labels == NULL || g->scratch == NULL)
    return stx_fail(error, "not enough memory for %zu points", g->what->scan->count);
  return !on_gpu(g) || cuda_group_open(g, error) != NULL;
}

static bool open_group(Group *g, StxError *error)
{
  if (g->what->stage == BENCH_GROUND)
    return open_ground(g, error);
  g->best_colmean = stx_impl_pick(&stx_colmean_impls, STX_BACKEND_AUTO);
  g->best_satdp = stx_impl_pick(&stx_satdp_impls, STX_BACKEND_AUTO);
  if (!set_parameters(g, error))
    return false;
  list_entries(g);
  if (!allocate_all(g, error) || !prepare_input(g, error))
    return false;
  return !on_gpu(g) || cuda_group_open(g, error) != NULL;
}

void group_close(Group *g)
{
  cuda_group_close(g);
  free(g->disparity.data);
  free(g->confidence.data);
  free(g->columns);
  free(g->stixels);
  free(g->picture.data);
  free(g->labels);
  free(g->overlay);
  stx_obstacles_free(g->obstacles);
  free(g->matched);
  stx_hazards_free(g->hazards);
  free(g->map);
  free(g->scratch);
  for (int i = 0; i < 2; i++) {
    free(g->output[i].expected);
    stx_pipeline_free(g->pipelines[i]);
    stx_egomotion_free(g->motions[i]);
    stx_scene_free(g->scenes[i]);
  }
  stx_pipeline_free(g->reference);
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
