/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A group's work on the GPU. Every input set has its own inputs and outputs in device memory, all
 * sets the same content; a run goes once through all of them. There are so many that together
 * they are twice as large as the level-2 cache: a set has left the cache when its turn comes
 * again, as a new frame is not in it either. Scratch and tables, which a pipeline has only once,
 * are shared.
 */
#include "examples/stx-bench/stx_bench_group.h"

#include <stdlib.h>

#define LEAST_SETS 3
#define MOST_SETS 64 /* small inputs stay in the cache: 64 launches in a row are enough */
#define CACHES 2
#define DEVICE_ALIGN 256

typedef enum {
  LEFT,
  RIGHT,
  DISPARITY,
  CONFIDENCE,
  LABELS,
  SCORES,
  COLUMNS,
  STIXELS,
  POINTS,
  POINT_LABELS,
  RESULT, /* of satdp, rdp, overlay or ground */
  FRAME,
  BUFFERS
} Buffer;

struct CudaGroup {
  const BenchDevice *device;
  StxPlace place; /* on it */
  int sets;
  size_t size[BUFFERS]; /* 0: the stage has no such buffer */
  size_t offset[BUFFERS], set_size;
  unsigned char *memory; /* of all sets, one after another */
  void *scratch, *colmean_tables, *satdp_tables, *prepared;
};

/* The code that a stage runs, and what it reads, leaves, and passes on inside of it: sets of
 * 1 << Buffer. */
#define DEPTH (1u << DISPARITY | 1u << CONFIDENCE)
#define SEMANTICS (1u << LABELS | 1u << SCORES)
static const struct {
  const StxImplTable *tables[3];
  unsigned in, out, between;
} stages[BENCH_ALL_STAGES] = {
    [BENCH_SGM] = {{&stx_sgm_cuda_impls}, 1u << LEFT | 1u << RIGHT, DEPTH, 0},
    [BENCH_COLMEAN] = {{&stx_colmean_cuda_impls}, DEPTH | SEMANTICS, 1u << COLUMNS, 0},
    [BENCH_SATDP] = {{&stx_satdp_cuda_impls}, 1u << COLUMNS, 1u << STIXELS | 1u << RESULT, 0},
    [BENCH_FULLDP] = {{&stx_fulldp_cuda_impls}, 1u << COLUMNS, 1u << STIXELS | 1u << RESULT, 0},
    [BENCH_RDP] = {{&stx_rdp_paper_cuda_impls}, 1u << COLUMNS, 1u << STIXELS | 1u << RESULT, 0},
    [BENCH_RECTIFY] = {{&stx_rectify_cuda_impls}, 1u << LEFT, 1u << CONFIDENCE, 0},
    [BENCH_OVERLAY] = {{&stx_overlay_cuda_impls}, 1u << STIXELS | 1u << FRAME,
        1u << FRAME | 1u << RESULT, 0},
    [BENCH_GROUND] = {{&stx_ground_cuda_impls}, 1u << POINTS, 1u << POINT_LABELS | 1u << RESULT, 0},
    [BENCH_BOTH] = {{&stx_colmean_cuda_impls, &stx_satdp_cuda_impls}, DEPTH | SEMANTICS,
        1u << STIXELS | 1u << RESULT, 1u << COLUMNS},
    [BENCH_PIPELINE] = {{&stx_sgm_cuda_impls, &stx_colmean_cuda_impls, &stx_satdp_cuda_impls},
        1u << LEFT | 1u << RIGHT, 1u << STIXELS | 1u << RESULT, DEPTH | 1u << COLUMNS},
};
#define TABLES (sizeof stages[0].tables / sizeof stages[0].tables[0])

/* ---- Implementations ---------------------------------------------------------------------- */

/* The best of one stage. */
static const void *first_of(const StxImplTable *table)
{
  return stx_impl_at(table, 0);
}

bool cuda_group_impl(BenchStage stage, size_t i, const void **record, const char **name)
{
  const StxImplTable *const *tables = stages[stage].tables;
  const bool single = tables[1] == NULL;
  for (size_t t = 0; t < TABLES && tables[t] != NULL; t++)
    if (tables[t]->count == 0)
      return false;
  if (tables[0] == NULL || i >= (single ? tables[0]->count : 1))
    return false;
  *record = single ? stx_impl_at(tables[0], i) : NULL;
  *name = stx_impl_at(tables[0], i)->name;
  return true;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void *address(const CudaGroup *c, Buffer buffer, int set)
{
  return c->size[buffer] == 0 ? NULL : c->memory + (size_t)set * c->set_size + c->offset[buffer];
}

static size_t cells_of(const Group *g)
{
  const StxGrid *grid = &g->colmean.grid;
  return g->what->stage == BENCH_GROUND
             ? 0
             : (size_t)stx_grid_columns(grid) * (size_t)stx_grid_rows(grid);
}

static void set_sizes(CudaGroup *c, const Group *g)
{
  const StxGrid *grid = &g->colmean.grid;
  const bool ground = g->what->stage == BENCH_GROUND;
  size_t pixels = (size_t)grid->width * (size_t)grid->height;
  size_t points = ground ? g->what->scan->count : 0;
  const size_t sizes[BUFFERS] = {
      [LEFT] = pixels,
      [RIGHT] = pixels,
      [DISPARITY] = 2 * pixels,
      [CONFIDENCE] = pixels,
      [LABELS] = g->what->semantics == STX_SEMANTICS_LABELS ? pixels : 0,
      [SCORES] = g->what->semantics == STX_SEMANTICS_SCORES_U8 ? pixels * (size_t)grid->classes : 0,
      [COLUMNS] = ground ? 0 : stx_grid_bytes(grid),
      [STIXELS] = cells_of(g) * sizeof(StxStixel),
      [POINTS] = 4 * sizeof(float) * points,
      [POINT_LABELS] = sizeof(uint32_t) * points,
      [RESULT] = ground                            ? sizeof(StxGroundResult)
                 : g->what->stage == BENCH_OVERLAY ? sizeof(StxOverlayResult)
                 : g->what->stage == BENCH_RDP     ? sizeof(StxRdpResult)
                                                   : sizeof(StxSatdpResult),
      [FRAME] = 4 * pixels,
  };
  const unsigned needed =
      stages[g->what->stage].in | stages[g->what->stage].out | stages[g->what->stage].between;
  for (int b = 0; b < BUFFERS; b++) {
    c->size[b] = needed & 1u << b ? sizes[b] : 0;
    c->offset[b] = c->set_size;
    c->set_size += (c->size[b] + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
  }
}

static int count_sets(const CudaGroup *c, const Group *g)
{
  size_t sets = CACHES * c->device->info->l2_cache / c->set_size + 1;
  return g->context->sets > 0 ? g->context->sets
         : sets < LEAST_SETS  ? LEAST_SETS
         : sets > MOST_SETS   ? MOST_SETS
                              : (int)sets;
}

/* Of all of a stage's implementations. */
static size_t scratch_size(const Group *g, const StxImplTable *table)
{
  size_t most = 0;
  for (size_t i = 0; i < table->count; i++) {
    const void *record = stx_impl_at(table, i);
    size_t size;
    if (table == &stx_sgm_cuda_impls)
      size = ((const StxSgmImpl *)record)->scratch_size(&g->sgm, 1);
    else if (table == &stx_colmean_cuda_impls)
      size = ((const StxColmeanImpl *)record)->scratch_size(&g->colmean, 1);
    else if (table == &stx_satdp_cuda_impls || table == &stx_fulldp_cuda_impls)
      size = ((const StxSatdpImpl *)record)->scratch_size(&g->satdp, 1);
    else if (table == &stx_rdp_paper_cuda_impls)
      size = ((const StxRdpImpl *)record)->scratch_size(&g->rdp, 1);
    else if (table == &stx_rectify_cuda_impls)
      size = 0;
    else if (table == &stx_ground_cuda_impls)
      size =
          ((const StxGroundImpl *)record)->scratch_size(&g->what->ground, g->what->scan->count, 1);
    else
      size = ((const StxOverlayImpl *)record)->scratch_size(&g->overlay_params, cells_of(g), 1);
    most = size > most ? size : most;
  }
  return most;
}

static bool allocate_all(CudaGroup *c, const Group *g, StxError *error)
{
  const StxImplTable *const *tables = stages[g->what->stage].tables;
  StxCuda *cuda = c->device->cuda;
  void *memory = NULL;
  size_t scratch = 0;
  for (size_t t = 0; t < TABLES && tables[t] != NULL; t++) {
    size_t size = scratch_size(g, tables[t]);
    scratch = size > scratch ? size : scratch;
  }
  bool good = stx_cuda_alloc(cuda, (size_t)c->sets * c->set_size, &memory, error);
  c->memory = memory;
  return good && stx_cuda_alloc(cuda, scratch, &c->scratch, error) &&
         stx_cuda_alloc(cuda, sizeof g->colmean_tables, &c->colmean_tables, error) &&
         stx_cuda_alloc(cuda, sizeof g->satdp_tables, &c->satdp_tables, error) &&
         stx_cuda_alloc(cuda,
             g->map != NULL       ? g->map_size
             : g->overlay != NULL ? stx_overlay_size(&g->overlay_params)
                                  : 1,
             &c->prepared, error);
}

/* The source of a buffer's content, and its size; NULL: it has none. */
static const void *host_of(const Group *g, Buffer buffer, size_t *size)
{
  static const BenchInput none;
  const BenchInput *input = g->context->input != NULL ? g->context->input : &none;
  const void *const sources[BUFFERS] = {
      [LEFT] = input->left.data,
      [RIGHT] = input->right.data,
      [DISPARITY] = input->disparity.data,
      [CONFIDENCE] = input->confidence.data,
      [LABELS] = input->labels.data,
      [SCORES] = input->scores,
      [COLUMNS] = g->columns,
      [STIXELS] = g->stixels,
      [POINTS] = g->what->scan != NULL ? g->what->scan->points : NULL,
  };
  *size = buffer == STIXELS ? g->stixel_count * sizeof *g->stixels : g->cuda->size[buffer];
  return sources[buffer];
}

static bool upload_sets(const Group *g, StxError *error)
{
  const CudaGroup *c = g->cuda;
  for (int b = 0; b < BUFFERS; b++) {
    size_t size;
    const void *host = host_of(g, b, &size);
    bool wanted = stages[g->what->stage].in & 1u << b && c->size[b] > 0 && host != NULL;
    for (int set = 0; wanted && set < c->sets; set++)
      if (!stx_cuda_upload_bytes(
              c->device->cuda, address(c, b, set), host, size, c->device->stream, error))
        return false;
  }
  return true;
}

static bool upload_tables(const Group *g, StxError *error)
{
  const CudaGroup *c = g->cuda;
  StxCuda *cuda = c->device->cuda;
  StxCudaStream stream = c->device->stream;
  if (g->overlay != NULL) {
    const StxOverlayImpl *overlay = first_of(&stx_overlay_cuda_impls);
    if (!overlay->upload(g->overlay, c->prepared, &c->place, error))
      return false;
  }
  if (g->map != NULL &&
      !stx_cuda_upload_bytes(cuda, c->prepared, g->map, g->map_size, stream, error))
    return false;
  return stx_cuda_upload_bytes(cuda, c->colmean_tables, &g->colmean_tables,
             sizeof g->colmean_tables, stream, error) &&
         stx_cuda_upload_bytes(
             cuda, c->satdp_tables, &g->satdp_tables, sizeof g->satdp_tables, stream, error) &&
         stx_cuda_synchronize(cuda, stream, error);
}

CudaGroup *cuda_group_open(Group *g, StxError *error)
{
  CudaGroup *c = calloc(1, sizeof *c);
  g->cuda = c;
  if (c == NULL) {
    stx_fail(error, "not enough memory");
    return NULL;
  }
  c->device = g->context->machine->device;
  c->place = stx_cuda_place(c->device->cuda, c->device->stream);
  set_sizes(c, g);
  c->sets = count_sets(c, g);
  return allocate_all(c, g, error) && upload_sets(g, error) && upload_tables(g, error) ? c : NULL;
}

void cuda_group_close(Group *g)
{
  CudaGroup *c = g->cuda;
  if (c == NULL)
    return;
  StxCuda *cuda = c->device->cuda;
  for (int i = 0; i < g->count; i++)
    stx_cuda_graph_free(cuda, g->entries[i].graph);
  void *blocks[] = {c->memory, c->scratch, c->colmean_tables, c->satdp_tables, c->prepared};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    stx_cuda_free(cuda, blocks[i]);
  free(c);
  g->cuda = NULL;
}

int cuda_group_sets(const Group *g)
{
  return g->cuda->sets;
}

/* ---- Runs --------------------------------------------------------------------------------- */

static StxImage8 image8(const Group *g, Buffer buffer, int set)
{
  int width = g->colmean.grid.width;
  return (StxImage8){address(g->cuda, buffer, set), width, width, g->colmean.grid.height};
}

static StxImage16 disparity_of(const Group *g, int set)
{
  int width = g->colmean.grid.width;
  return (StxImage16){address(g->cuda, DISPARITY, set), 2 * width, width, g->colmean.grid.height};
}

static bool run_sgm(const Group *g, const StxSgmImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  StxImage8 left = image8(g, LEFT, set), right = image8(g, RIGHT, set),
            confidence = image8(g, CONFIDENCE, set);
  StxImage16 disparity = disparity_of(g, set);
  return impl->run(&g->sgm, &left, &right, &disparity, &confidence, c->scratch, &c->place, error);
}

static bool run_colmean(const Group *g, const StxColmeanImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  const StxGrid *grid = &g->colmean.grid;
  StxColmeanInput input = {
      .disparity = disparity_of(g, set),
      .confidence = image8(g, CONFIDENCE, set),
      .confidence_is_sky = g->what->stage != BENCH_COLMEAN && g->what->stage != BENCH_BOTH,
      .labels = image8(g, LABELS, set),
      .scores = address(c, SCORES, set),
      .class_stride = (ptrdiff_t)grid->width * grid->height,
      .row_stride = grid->width,
      .pixel_stride = 1,
  };
  return impl->run(&g->colmean, c->colmean_tables, &input, address(c, COLUMNS, set), c->scratch,
      &c->place, error);
}

static bool run_satdp(const Group *g, const StxSatdpImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  return impl->run(&g->satdp, c->satdp_tables, g->satdp_tables.has_ground, address(c, COLUMNS, set),
      NULL, address(c, STIXELS, set), address(c, RESULT, set), c->scratch, &c->place, error);
}

static bool run_rdp(const Group *g, const StxRdpImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  return impl->run(&g->rdp, address(c, COLUMNS, set), address(c, STIXELS, set), NULL,
      address(c, RESULT, set), c->scratch, &c->place, error);
}

static bool run_overlay(const Group *g, const StxOverlayImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  const StxStixel *stixels = address(c, STIXELS, set);
  StxFrame frame = {{address(c, FRAME, set)}, {4 * g->colmean.grid.width}};
  return impl->link(g->overlay, c->prepared, stixels, g->stixel_count, address(c, RESULT, set),
             c->scratch, &c->place, error) &&
         impl->draw(g->overlay, c->prepared, &frame, stixels, g->stixel_count, c->scratch,
             &c->place, error);
}

static bool run_rectify(const Group *g, const StxRectifyImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  StxRectifyMap map = stx_rectify_map_in(&g->view, 0, 0, c->prepared);
  StxImage8 source = image8(g, LEFT, set), target = image8(g, CONFIDENCE, set);
  return impl->run(&map, &(StxRectifySample){1, {0}}, &source, &target, &c->place, error);
}

static bool run_ground(const Group *g, const StxGroundImpl *impl, int set, StxError *error)
{
  const CudaGroup *c = g->cuda;
  return impl->run(&g->what->ground, address(c, POINTS, set), g->what->scan->count,
      address(c, POINT_LABELS, set), address(c, RESULT, set), c->scratch, &c->place, error);
}

static bool run_set(const Group *g, const Entry *entry, int set, StxError *error)
{
  switch (g->what->stage) {
  case BENCH_SGM:
    return run_sgm(g, entry->record, set, error);
  case BENCH_COLMEAN:
    return run_colmean(g, entry->record, set, error);
  case BENCH_SATDP:
  case BENCH_FULLDP:
    return run_satdp(g, entry->record, set, error);
  case BENCH_RDP:
    return run_rdp(g, entry->record, set, error);
  case BENCH_RECTIFY:
    return run_rectify(g, entry->record, set, error);
  case BENCH_OVERLAY:
    return run_overlay(g, entry->record, set, error);
  case BENCH_GROUND:
    return run_ground(g, entry->record, set, error);
  default:
    return (g->what->stage == BENCH_BOTH ||
               run_sgm(g, first_of(&stx_sgm_cuda_impls), set, error)) &&
           run_colmean(g, first_of(&stx_colmean_cuda_impls), set, error) &&
           run_satdp(g, first_of(&stx_satdp_cuda_impls), set, error);
  }
}

static bool run_sets(const Group *g, const Entry *entry, StxError *error)
{
  for (int set = 0; set < g->cuda->sets; set++)
    if (!run_set(g, entry, set, error))
      return false;
  return true;
}

/* A run loads the kernels, which then need not happen while recording. */
static bool record_graph(const Group *g, Entry *entry, StxError *error)
{
  const BenchDevice *d = g->cuda->device;
  if (!run_set(g, entry, 0, error) || !stx_cuda_synchronize(d->cuda, d->stream, error) ||
      !stx_cuda_graph_begin(d->cuda, d->stream, error))
    return false;
  StxError ending;
  bool good = run_sets(g, entry, error);
  return stx_cuda_graph_end(d->cuda, d->stream, &entry->graph, good ? error : &ending) && good;
}

bool cuda_group_run(Group *g, Entry *entry, double *ms, StxError *error)
{
  const BenchDevice *d = g->cuda->device;
  const bool graph = entry->where == ON_GRAPH;
  float elapsed;
  if (graph && entry->graph == NULL && !record_graph(g, entry, error))
    return false;
  if (!stx_cuda_event_record(d->cuda, d->begin, d->stream, error) ||
      !(graph ? stx_cuda_graph_launch(d->cuda, entry->graph, d->stream, error)
              : run_sets(g, entry, error)) ||
      !stx_cuda_event_record(d->cuda, d->end, d->stream, error) ||
      !stx_cuda_event_elapsed(d->cuda, d->begin, d->end, &elapsed, error))
    return false;
  *ms = (double)elapsed / g->cuda->sets;
  return true;
}

/* ---- Results ------------------------------------------------------------------------------ */

bool cuda_group_wipe(Group *g, int value, StxError *error)
{
  const CudaGroup *c = g->cuda;
  for (int set = 0; set < c->sets; set++)
    for (int b = 0; b < BUFFERS; b++)
      if (stages[g->what->stage].out & 1u << b &&
          !stx_cuda_fill_bytes(
              c->device->cuda, address(c, b, set), value, c->size[b], c->device->stream, error))
        return false;
  return true;
}

static bool fetch(const Group *g, int set, Buffer buffer, void *host, size_t size, StxError *error)
{
  const BenchDevice *d = g->cuda->device;
  return stx_cuda_download_bytes(
             d->cuda, host, address(g->cuda, buffer, set), size, d->stream, error) &&
         stx_cuda_synchronize(d->cuda, d->stream, error);
}

static bool fetch_stixels(Group *g, int set, StxError *error)
{
  const bool rdp = g->what->stage == BENCH_RDP;
  StxSatdpResult satdp = {0};
  StxRdpResult segments = {0};
  if (!(rdp ? fetch(g, set, RESULT, &segments, sizeof segments, error)
            : fetch(g, set, RESULT, &satdp, sizeof satdp, error)))
    return false;
  /* More than the buffer holds: none, which differs from any right result. */
  size_t most = g->cuda->size[STIXELS] / sizeof *g->stixels;
  size_t count = rdp ? segments.count : satdp.count;
  g->stixel_count = count <= most ? count : 0;
  g->satdp_result = satdp;
  return fetch(g, set, STIXELS, g->stixels, g->stixel_count * sizeof *g->stixels, error);
}

bool cuda_group_fetch(Group *g, int set, StxError *error)
{
  const size_t *size = g->cuda->size;
  switch (g->what->stage) {
  case BENCH_SGM:
    return fetch(g, set, DISPARITY, g->disparity.data, size[DISPARITY], error) &&
           fetch(g, set, CONFIDENCE, g->confidence.data, size[CONFIDENCE], error);
  case BENCH_COLMEAN:
    return fetch(g, set, COLUMNS, g->columns, size[COLUMNS], error);
  case BENCH_RECTIFY:
    return fetch(g, set, CONFIDENCE, g->confidence.data, size[CONFIDENCE], error);
  case BENCH_OVERLAY:
    return fetch(g, set, FRAME, g->picture.data, size[FRAME], error);
  case BENCH_GROUND:
    return fetch(g, set, POINT_LABELS, g->labels, size[POINT_LABELS], error) &&
           fetch(g, set, RESULT, &g->ground_result, sizeof g->ground_result, error);
  default:
    return fetch_stixels(g, set, error);
  }
}

double cuda_group_bytes(const Group *g)
{
  const CudaGroup *c = g->cuda;
  double bytes = (double)g->map_size;
  for (int b = 0; b < BUFFERS; b++) {
    size_t size = b == STIXELS ? g->stixel_count * sizeof *g->stixels : c->size[b];
    bytes += stages[g->what->stage].in & 1u << b ? (double)size : 0;
    bytes += stages[g->what->stage].out & 1u << b ? (double)size : 0;
  }
  return bytes;
}
