/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stages: their parameters, what they run on the CPU and the GPU, and how much work that is. */
#include "examples/stx-bench/stx_bench_group.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"

#define FRAME_NS UINT64_C(100000000) /* between two of a stream */
#define FOCAL .55                    /* of the width */
#define TURN .01                     /* radians, about the vertical */

/* ---- Steps -------------------------------------------------------------------------------- */

/* A step's scratch function: what its record says for these arguments and so many threads. */
#define SCRATCH(step, Impl, ...)                                                                   \
  static size_t scratch_##step(const Group *g, const void *impl, int threads)                      \
  {                                                                                                \
    return ((const Impl *)impl)->scratch_size(__VA_ARGS__, threads);                               \
  }

static bool on_host(const Memory *m)
{
  return m->place.device == NULL;
}

static StxImage8 image8(const Group *g, const Memory *m, Buffer buffer, int set)
{
  int width = g->colmean.grid.width;
  return (StxImage8){buffer_at(m, buffer, set), width, width, g->colmean.grid.height};
}

static StxImage16 disparity_of(const Group *g, const Memory *m, int set)
{
  int width = g->colmean.grid.width;
  return (StxImage16){buffer_at(m, DISPARITY, set), 2 * width, width, g->colmean.grid.height};
}

static bool run_sgm(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  StxImage8 left = image8(g, m, LEFT, set), right = image8(g, m, RIGHT, set),
            confidence = image8(g, m, CONFIDENCE, set);
  StxImage16 disparity = disparity_of(g, m, set);
  return ((const StxSgmImpl *)impl)
      ->run(&g->sgm, &left, &right, &disparity, &confidence, m->scratch, &m->place, error);
}

SCRATCH(sgm, StxSgmImpl, &g->sgm)

static bool run_colmean(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  const StxGrid *grid = &g->colmean.grid;
  StxColmeanInput input = {
      .disparity = disparity_of(g, m, set),
      .confidence = image8(g, m, CONFIDENCE, set),
      .confidence_is_sky = g->what->stage == BENCH_PIPELINE && !on_host(m),
      .labels = image8(g, m, LABELS, set),
      .scores = buffer_at(m, SCORES, set),
      .class_stride = (ptrdiff_t)grid->width * grid->height,
      .row_stride = grid->width,
      .pixel_stride = 1,
  };
  return ((const StxColmeanImpl *)impl)
      ->run(&g->colmean, m->colmean_tables, &input, buffer_at(m, COLUMNS, set), m->scratch,
          &m->place, error);
}

SCRATCH(colmean, StxColmeanImpl, &g->colmean)

static bool run_satdp(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  return ((const StxSatdpImpl *)impl)
      ->run(&g->satdp, m->satdp_tables, g->satdp_tables.has_ground, buffer_at(m, COLUMNS, set),
          NULL, buffer_at(m, STIXELS, set), buffer_at(m, RESULT, set), m->scratch, &m->place,
          error);
}

SCRATCH(satdp, StxSatdpImpl, &g->satdp)

static bool run_rdp(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  return ((const StxRdpImpl *)impl)
      ->run(&g->rdp, buffer_at(m, COLUMNS, set), buffer_at(m, STIXELS, set), NULL,
          buffer_at(m, RESULT, set), m->scratch, &m->place, error);
}

SCRATCH(rdp, StxRdpImpl, &g->rdp)

static bool run_rectify(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  StxRectifyMap map = stx_rectify_map_in(&g->view, 0, 0, m->prepared);
  StxImage8 source = image8(g, m, LEFT, set), target = image8(g, m, CONFIDENCE, set);
  return ((const StxRectifyImpl *)impl)
      ->run(&map, &(StxRectifySample){1, {0}}, &source, &target, &m->place, error);
}

static bool run_overlay(Group *g, const void *record, const Memory *m, int set, StxError *error)
{
  const StxOverlayImpl *impl = record;
  StxOverlay *overlay = g->host.prepared;
  const StxStixel *stixels = buffer_at(m, STIXELS, set);
  StxOverlayResult *result = buffer_at(m, RESULT, set);
  StxFrame frame = {{buffer_at(m, FRAME, set)}, {4 * g->colmean.grid.width}};
  if (!impl->link(
          overlay, m->prepared, stixels, g->stixel_count, result, m->scratch, &m->place, error))
    return false;
  if (on_host(m))
    stx_overlay_see(overlay, result->seen);
  return impl->draw(
      overlay, m->prepared, &frame, stixels, g->stixel_count, m->scratch, &m->place, error);
}

static size_t cells_of(const Group *g)
{
  const StxGrid *grid = &g->colmean.grid;
  return (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
}

SCRATCH(overlay, StxOverlayImpl, &g->overlay, cells_of(g))

static bool run_points(Group *g, const void *impl, const Memory *m, int set, StxError *error)
{
  return ((const StxGroundImpl *)impl)
      ->run(&g->ground, buffer_at(m, POINTS, set), g->what->point_count,
          buffer_at(m, POINT_LABELS, set), buffer_at(m, RESULT, set), m->scratch, &m->place, error);
}

SCRATCH(points, StxGroundImpl, &g->ground, g->what->point_count)

#define IN(buffer) (1u << (buffer))
#define DEPTH (IN(DISPARITY) | IN(CONFIDENCE))
#define RECORDS (IN(STIXELS) | IN(RESULT))
static const Step sgm = {
    &stx_sgm_impls, &stx_sgm_cuda_impls, IN(LEFT) | IN(RIGHT), DEPTH, run_sgm, scratch_sgm};
static const Step colmean = {&stx_colmean_impls, &stx_colmean_cuda_impls,
    DEPTH | IN(LABELS) | IN(SCORES), IN(COLUMNS), run_colmean, scratch_colmean};
static const Step satdp = {
    &stx_satdp_impls, &stx_satdp_cuda_impls, IN(COLUMNS), RECORDS, run_satdp, scratch_satdp};
static const Step fulldp = {
    &stx_fulldp_impls, &stx_fulldp_cuda_impls, IN(COLUMNS), RECORDS, run_satdp, scratch_satdp};
static const Step rdp = {
    &stx_rdp_impls, &stx_rdp_cuda_impls, IN(COLUMNS), RECORDS, run_rdp, scratch_rdp};
static const Step rectify = {
    &stx_rectify_impls, &stx_rectify_cuda_impls, IN(LEFT), IN(CONFIDENCE), run_rectify, NULL};
static const Step overlay = {&stx_overlay_impls, &stx_overlay_cuda_impls, IN(STIXELS) | IN(FRAME),
    IN(FRAME) | IN(RESULT), run_overlay, scratch_overlay};
static const Step points = {&stx_ground_impls, &stx_ground_cuda_impls, IN(POINTS),
    IN(POINT_LABELS) | IN(RESULT), run_points, scratch_points};

/* ---- Parameters and buffers --------------------------------------------------------------- */

static void set_sizes(Group *g)
{
  const StxGrid *grid = &g->colmean.grid;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t each[BUFFERS] = {
      [LEFT] = pixels,
      [RIGHT] = pixels,
      [DISPARITY] = 2 * pixels,
      [CONFIDENCE] = pixels,
      [LABELS] = g->what->semantics == STX_SEMANTICS_LABELS ? pixels : 0,
      [SCORES] = g->what->semantics == STX_SEMANTICS_SCORES_U8 ? pixels * (size_t)grid->classes : 0,
      [COLUMNS] = stx_grid_bytes(grid),
      [STIXELS] = cells_of(g) * sizeof(StxStixel),
      [RESULT] = g->what->stage == BENCH_OVERLAY ? sizeof(StxOverlayResult)
                 : g->what->stage == BENCH_RDP   ? sizeof(StxRdpResult)
                                                 : sizeof(StxSatdpResult),
      [FRAME] = 4 * pixels,
  };
  memcpy(g->size, each, sizeof each);
}

static bool set_up_scan(Group *g)
{
  g->ground = (StxGroundParams)STX_GROUND_DEFAULTS;
  if (g->what->stage == BENCH_GROUND)
    g->ground.cluster_cell = 0;
  g->size[POINTS] = 4 * sizeof(float) * g->what->point_count;
  g->size[POINT_LABELS] = sizeof(uint32_t) * g->what->point_count;
  g->size[RESULT] = sizeof(StxGroundResult);
  return true;
}

bool stage_set_up(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  const BenchCase *what = g->what;
  if (what->points != NULL)
    return set_up_scan(g);
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
  g->rdp = (StxRdpParams){.epsilon = (int)what->epsilon};
  g->satdp.grid = g->rdp.grid = g->colmean.grid;
  g->overlay = (StxOverlayParams){
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
  set_sizes(g);
  if (what->stage == BENCH_RDP)
    return stx_rdp_check(&g->rdp, error);
  return stx_sgm_check(&g->sgm, error) && stx_colmean_check(&g->colmean, error) &&
         stx_satdp_check(&g->satdp, error) && stx_overlay_check(&g->overlay, error);
}

const void *stage_source(const Group *g, Buffer buffer)
{
  const BenchInput *input = g->context->input;
  if (input == NULL)
    return buffer == POINTS ? g->what->points : NULL;
  const void *const sources[BUFFERS] = {
      [LEFT] = input->left.data,
      [RIGHT] = input->right.data,
      [DISPARITY] = input->disparity.data,
      [CONFIDENCE] = input->confidence.data,
      [LABELS] = input->labels.data,
      [SCORES] = input->scores,
  };
  return sources[buffer];
}

/* ---- Preparation -------------------------------------------------------------------------- */

static const void *best(const Step *step)
{
  return stx_impl_pick(step->cpu, STX_BACKEND_AUTO);
}

size_t stage_open_scratch(const Group *g)
{
  if (g->what->stage == BENCH_RDP || g->what->points != NULL)
    return 0;
  size_t line = stx_roadline_scratch(&g->satdp.grid);
  size_t cells = scratch_colmean(g, best(&colmean), 1), pairs = scratch_satdp(g, best(&satdp), 1);
  size_t most = cells > pairs ? cells : pairs;
  return line > most ? line : most;
}

/* Columns and tables for the dynamic programme, as the pipeline would make them. */
static bool open_satdp(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  const void *columns = g->host.at[COLUMNS];
  StxRoadLine line;
  run_colmean(g, best(&colmean), &g->host, 0, error);
  bool known = stx_roadline_from_camera(&input->camera, &line) ||
               stx_roadline_estimate(&g->satdp.grid, columns, NULL, &line, g->host.scratch);
  if (!stx_satdp_prepare(&g->satdp, &input->camera, known ? &line : NULL, &g->satdp_tables, error))
    return false;
  if (g->what->stage == BENCH_FULLDP)
    stx_fulldp_prepare(&g->satdp, &g->satdp_tables);
  return true;
}

/* The stixels of the frame. */
static bool open_stixels(Group *g, StxError *error)
{
  StxSatdpResult result, *other = g->host.at[RESULT];
  if (!open_satdp(g, error))
    return false;
  g->host.at[RESULT] = &result;
  run_satdp(g, best(&satdp), &g->host, 0, error);
  g->host.at[RESULT] = other;
  g->stixel_count = result.count;
  return true;
}

static bool open_rdp(Group *g, StxError *error)
{
  memcpy(g->host.at[COLUMNS], g->what->cells, g->size[COLUMNS]);
  return true;
}

static StxPipeline *open_pipeline(const Group *g, int threads, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.sgm.max_disparity = g->sgm.max_disparity;
  settings.sgm.infinity = g->sgm.infinity;
  settings.colmean = g->colmean;
  settings.threads = threads;
  return stx_pipeline_new(&settings, input->width, input->height, error);
}

/* On the GPU the road line, hence the tables, is known from the start. */
static bool open_pipelines(Group *g, StxError *error)
{
  const BenchMachine *machine = g->context->machine;
  for (int t = 0; t < machine->thread_counts; t++) {
    g->pipelines[t] = open_pipeline(g, machine->threads[t], error);
    if (g->pipelines[t] == NULL)
      return false;
  }
  return open_satdp(g, error);
}

static bool allocate_prepared(Group *g, size_t size, StxError *error)
{
  g->prepared_size = size;
  g->host.prepared = stx_allocate(size);
  return g->host.prepared != NULL || stx_fail(error, "not enough memory for %s", g->stage->name);
}

static bool open_overlay(Group *g, StxError *error)
{
  if (!open_stixels(g, error) || !allocate_prepared(g, stx_overlay_size(&g->overlay), error))
    return false;
  stx_overlay_init(g->host.prepared, &g->overlay);
  return true;
}

/* A camera with a lens and a turn as most have; the rectified pictures are as large as its own. */
static bool open_map(Group *g, StxError *error)
{
  const BenchInput *input = g->context->input;
  double focal = FOCAL * input->width, x = input->width / 2.0, y = input->height / 2.0;
  g->view = (StxRectifyView){
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
  if (!allocate_prepared(g, stx_rectify_map_bytes(&g->view, 0, 0), error))
    return false;
  stx_rectify_map_fill(&g->view, 0, 0, g->host.prepared, 1);
  return true;
}

static bool open_obstacles(Group *g, StxError *error)
{
  const StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  size_t columns = (size_t)stx_grid_columns(&g->satdp.grid);
  if (!open_stixels(g, error))
    return false;
  g->obstacles = stx_obstacles_new();
  if (g->obstacles == NULL)
    return stx_fail(error, "not enough memory for obstacles");
  return stx_obstacles_prepare(g->obstacles, &params, g->stixel_count, columns, error);
}

void stage_close(Group *g)
{
  free(g->host.prepared);
  stx_obstacles_free(g->obstacles);
  for (int i = 0; i < 2; i++)
    stx_pipeline_free(g->pipelines[i]);
}

/* ---- Stages that are no steps on the CPU -------------------------------------------------- */

/* Every run is that of a stream's first frame: the road does not depend on how often it ran. */
static bool run_pipeline(Group *g, const Entry *entry, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxPipeline *pipeline = g->pipelines[entry->which];
  StxPipelineInput frame = {
      .left = input->left, .right = input->right, .labels = input->labels, .camera = input->camera};
  StxPipelineOutput output;
  stx_pipeline_reset(pipeline);
  if (!stx_pipeline_run(pipeline, &frame, &output, error))
    return false;
  memcpy(g->host.at[STIXELS], output.stixels, output.count * sizeof *output.stixels);
  *(StxSatdpResult *)g->host.at[RESULT] = (StxSatdpResult){.count = (uint32_t)output.count};
  return true;
}

/* The next frame of a stream in which nothing moves. */
static bool run_obstacles(Group *g, const Entry *entry, StxError *error)
{
  const BenchInput *input = g->context->input;
  StxObstaclesResult result;
  StxObstaclesFrame frame = {g->host.at[STIXELS], g->stixel_count, input->width, input->height,
      g->satdp.grid.cell_width, input->camera, g->obstacles_time += FRAME_NS};
  return stx_obstacles_of_stixels(g->obstacles, &frame, &result, error);
}

const Stage bench_stages[BENCH_STAGES] = {
    [BENCH_SGM] = {"sgm", {&sgm}, .no_cells = true},
    [BENCH_COLMEAN] = {"colmean", {&colmean}},
    [BENCH_SATDP] = {"satdp", {&satdp}, open_satdp},
    [BENCH_FULLDP] = {"fulldp", {&fulldp}, open_satdp},
    [BENCH_RDP] = {"rdp", {&rdp}, open_rdp},
    [BENCH_RECTIFY] = {"rectify", {&rectify}, open_map, .no_cells = true},
    [BENCH_OVERLAY] = {"overlay", {&overlay}, open_overlay},
    [BENCH_PIPELINE] = {"pipeline", {&sgm, &colmean, &satdp}, open_pipelines, run_pipeline},
    [BENCH_OBSTACLES] = {"obstacles", {NULL}, open_obstacles, run_obstacles, true},
    [BENCH_GROUND] = {"ground", {&points}},
    [BENCH_CLUSTERS] = {"ground+clusters", {&points}},
};

const char *bench_stage_name(BenchStage stage)
{
  return bench_stages[stage].name;
}

/* ---- Results ------------------------------------------------------------------------------ */

void stage_take_result(Group *g)
{
  const Step *last = g->stage->steps[0];
  size_t most = g->size[STIXELS] / sizeof(StxStixel);
  for (int k = 1; k < MOST_STEPS && g->stage->steps[k] != NULL; k++)
    last = g->stage->steps[k];
  if (last == &rdp) {
    g->stixel_count = ((const StxRdpResult *)g->host.at[RESULT])->count;
  } else if (last == &satdp || last == &fulldp) {
    const StxSatdpResult *result = g->host.at[RESULT];
    g->stixel_count = result->count;
    g->evaluated = result->evaluated;
  }
  /* More than the buffer holds: none, which differs from any right result. */
  g->stixel_count = g->stixel_count <= most ? g->stixel_count : 0;
}

double stage_share(const Group *g)
{
  if (g->what->stage != BENCH_SATDP && g->what->stage != BENCH_FULLDP)
    return -1;
  return (double)g->evaluated / (double)stx_satdp_pairs(&g->satdp.grid, g->satdp_tables.has_ground);
}
