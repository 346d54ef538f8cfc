/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every usable implementation runs once and is then timed in turns, round after round, so that
 * whatever else the machine does hits all of them alike. Slow ones take part in fewer rounds,
 * evenly spread. The GPU's take turns among themselves: while the CPU computes for a second, a GPU
 * lowers its clocks.
 *
 * On the GPU every input set has its own inputs and outputs, all sets the same content; a run goes
 * once through all of them. There are so many that together they are twice as large as the level-2
 * cache: a set has left the cache when its turn comes again, as a new frame is not in it either.
 * Scratch and tables, which a pipeline has only once, are shared.
 */
#include "examples/stx-bench/stx_bench_group.h"

#include <stdlib.h>

#include "common/memory/memory.h"

#define MIN_RUNS 3
#define SLOW_MS 1000 /* one run of this length is enough */
#define LONGER 3     /* than the budget at most, where later runs take longer than the first */

#define LEAST_SETS 3
#define MOST_SETS 64 /* small inputs stay in the cache: 64 launches in a row are enough */
#define CACHES 2
#define ALIGNMENT 256

/* ---- Entries ------------------------------------------------------------------------------ */

static const Step *first_step(const Group *g)
{
  return g->stage->steps[0];
}

static void add_entry(Group *g, Entry entry)
{
  if (g->count < BENCH_MAX_ROWS)
    g->entries[g->count++] = entry;
}

/* Adds entries on one thread, unless `first` is 1, and on all. */
static void add_cpu_entries(Group *g, const void *record, const char *name, int first)
{
  const BenchMachine *machine = g->context->machine;
  for (int t = first; t < machine->thread_counts && (t == 0 || !g->stage->alone); t++)
    add_entry(
        g, (Entry){.record = record, .name = name, .threads = machine->threads[t], .which = t});
}

/* A stage with several steps has one entry: the best implementation of each step. */
static void add_gpu_entries(Group *g)
{
  const bool single = g->stage->steps[1] == NULL;
  for (int k = 0; k < MOST_STEPS && g->stage->steps[k] != NULL; k++)
    if (g->stage->steps[k]->cuda->count == 0)
      return;
  for (size_t i = 0; first_step(g) != NULL && i < (single ? first_step(g)->cuda->count : 1); i++) {
    const StxImplInfo *info = stx_impl_at(first_step(g)->cuda, i);
    Entry entry = {.record = single ? info : NULL, .name = info->name};
    for (entry.where = ON_STREAM; entry.where <= ON_GRAPH; entry.where++)
      add_entry(g, entry);
  }
}

static bool on_gpu(const Group *g)
{
  return g->count > 0 && g->entries[0].where != ON_CPU;
}

/* Best first, the reference last: the code without vectors on one thread. */
static void list_entries(Group *g)
{
  const BenchMachine *machine = g->context->machine;
  /* Where a stage is one step, its implementations are timed one by one. */
  const bool is_single = first_step(g) != NULL && g->stage->steps[1] == NULL;
  const StxImplTable *table = is_single ? first_step(g)->cpu : NULL;
  bool vectors = false;
  if (table != NULL && machine->thread_counts > 0 && !g->context->vectors)
    g->reference = stx_impl_named(table, "omp");
  if (machine->device != NULL)
    add_gpu_entries(g);
  if (table == NULL)
    add_cpu_entries(g, NULL, "best", 0);
  for (size_t i = 0; table != NULL && i < table->count; i++) {
    const StxImplInfo *info = stx_impl_at(table, i);
    vectors |= info->needs != 0 && stx_impl_usable(info);
    bool wanted = !g->context->vectors || info->needs != 0 || !vectors;
    if (stx_impl_usable(info) && wanted)
      add_cpu_entries(g, info, info->name, info == g->reference);
  }
  if (g->reference != NULL)
    add_entry(g, (Entry){.record = g->reference, .name = g->reference->name, .threads = 1});
}

/* ---- Memory ------------------------------------------------------------------------------- */

static const void *record_of(const Entry *entry, const Step *step)
{
  return entry->record != NULL    ? entry->record
         : entry->where != ON_CPU ? stx_impl_at(step->cuda, 0)
         : step->cpu != NULL      ? stx_impl_pick(step->cpu, STX_BACKEND_AUTO)
                                  : NULL;
}

static size_t scratch_of(const Group *g, bool gpu)
{
  size_t most = gpu ? 1 : stage_open_scratch(g);
  for (int i = 0; i < g->count; i++)
    for (int k = 0; k < MOST_STEPS && g->stage->steps[k] != NULL; k++) {
      const Entry *entry = &g->entries[i];
      const void *impl = record_of(entry, g->stage->steps[k]);
      if ((entry->where != ON_CPU) != gpu || impl == NULL || g->stage->steps[k]->scratch == NULL)
        continue;
      size_t size = g->stage->steps[k]->scratch(g, impl, gpu ? 1 : entry->threads);
      most = size > most ? size : most;
    }
  return most;
}

/* Places for the buffers of `needed` in a set that begins at `memory`; returns its size. */
static size_t lay_out(const Group *g, unsigned needed, void *memory, void *at[BUFFERS])
{
  size_t size = 0;
  for (int b = 0; b < BUFFERS; b++) {
    const bool wanted = needed & 1u << b && g->size[b] > 0;
    at[b] = wanted && memory != NULL ? (char *)memory + size : NULL;
    size += wanted ? (g->size[b] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
  }
  return size;
}

/* Inputs lie where the context has them, unless the stage writes there. */
static bool open_host(Group *g, StxError *error)
{
  Memory *m = &g->host;
  unsigned own = 0;
  for (int b = 0; b < BUFFERS; b++)
    own |= stage_source(g, b) == NULL || g->out & 1u << b ? 1u << b : 0;
  g->host_memory = stx_allocate(lay_out(g, own, NULL, m->at) + 1);
  m->scratch = stx_allocate(scratch_of(g, false) + 1);
  if (g->host_memory == NULL || m->scratch == NULL)
    return stx_fail(error, "not enough memory for %s", g->stage->name);
  lay_out(g, own, g->host_memory, m->at);
  for (int b = 0; b < BUFFERS; b++)
    if (!(own & 1u << b))
      m->at[b] = (void *)stage_source(g, b);
  m->sets = 1;
  m->place = (StxPlace){.threads = 1};
  m->colmean_tables = &g->colmean_tables;
  m->satdp_tables = &g->satdp_tables;
  return g->stage->open == NULL || g->stage->open(g, error);
}

static int count_sets(const Group *g)
{
  size_t sets = CACHES * g->context->machine->device->info->l2_cache / g->device.set_size + 1;
  return g->context->sets > 0 ? g->context->sets
         : sets < LEAST_SETS  ? LEAST_SETS
         : sets > MOST_SETS   ? MOST_SETS
                              : (int)sets;
}

static bool upload(const Group *g, const void **to, const void *data, size_t size, StxError *error)
{
  const BenchDevice *d = g->context->machine->device;
  void *memory = NULL;
  if (!stx_cuda_alloc(d->cuda, size + 1, &memory, error))
    return false;
  *to = memory;
  return stx_cuda_upload_bytes(d->cuda, memory, data, size, d->stream, error);
}

static size_t moved(const Group *g, Buffer buffer)
{
  return buffer == STIXELS ? g->stixel_count * sizeof(StxStixel) : g->size[buffer];
}

static bool open_device(Group *g, StxError *error)
{
  const BenchDevice *d = g->context->machine->device;
  Memory *m = &g->device;
  const unsigned needed = g->in | g->made;
  m->place = stx_cuda_place(d->cuda, d->stream);
  m->set_size = lay_out(g, needed, NULL, m->at);
  m->sets = count_sets(g);
  if (!stx_cuda_alloc(d->cuda, (size_t)m->sets * m->set_size, &g->device_memory, error) ||
      !stx_cuda_alloc(d->cuda, scratch_of(g, true), &m->scratch, error))
    return false;
  lay_out(g, needed, g->device_memory, m->at);
  const void *prepared = NULL;
  bool good =
      upload(g, (const void **)&m->colmean_tables, &g->colmean_tables, sizeof g->colmean_tables,
          error) &&
      upload(g, (const void **)&m->satdp_tables, &g->satdp_tables, sizeof g->satdp_tables, error) &&
      upload(g, &prepared, g->host.prepared, g->prepared_size, error);
  m->prepared = (void *)prepared;
  if (good && g->what->stage == BENCH_OVERLAY)
    good = ((const StxOverlayImpl *)stx_impl_at(&stx_overlay_cuda_impls, 0))
               ->upload(g->host.prepared, m->prepared, &m->place, error);
  for (int b = 0; b < BUFFERS; b++)
    for (int set = 0; g->in & 1u << b && m->at[b] != NULL && set < m->sets; set++)
      good = good && stx_cuda_upload_bytes(d->cuda, buffer_at(m, b, set), g->host.at[b],
                         moved(g, b), d->stream, error);
  return good && stx_cuda_synchronize(d->cuda, d->stream, error);
}

static void close_device(Group *g)
{
  StxCuda *cuda = g->context->machine->device->cuda;
  for (int i = 0; i < g->count; i++)
    stx_cuda_graph_free(cuda, g->entries[i].graph);
  void *blocks[] = {g->device_memory, g->device.scratch, (void *)g->device.colmean_tables,
      (void *)g->device.satdp_tables, g->device.prepared};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    stx_cuda_free(cuda, blocks[i]);
}

/* ---- Runs --------------------------------------------------------------------------------- */

static bool run_set(Group *g, const Entry *entry, const Memory *m, int set, StxError *error)
{
  for (int k = 0; k < MOST_STEPS && g->stage->steps[k] != NULL; k++) {
    const Step *step = g->stage->steps[k];
    if (!step->run(g, record_of(entry, step), m, set, error))
      return false;
  }
  return true;
}

static bool run_sets(Group *g, const Entry *entry, StxError *error)
{
  for (int set = 0; set < g->device.sets; set++)
    if (!run_set(g, entry, &g->device, set, error))
      return false;
  return true;
}

/* A run loads the kernels, which then need not happen while recording. */
static bool record_graph(Group *g, Entry *entry, StxError *error)
{
  const BenchDevice *d = g->context->machine->device;
  if (!run_set(g, entry, &g->device, 0, error) ||
      !stx_cuda_synchronize(d->cuda, d->stream, error) ||
      !stx_cuda_graph_begin(d->cuda, d->stream, error))
    return false;
  StxError ending;
  bool good = run_sets(g, entry, error);
  return stx_cuda_graph_end(d->cuda, d->stream, &entry->graph, good ? error : &ending) && good;
}

static bool run_on_gpu(Group *g, Entry *entry, double *ms, StxError *error)
{
  const BenchDevice *d = g->context->machine->device;
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
  *ms = (double)elapsed / g->device.sets;
  return true;
}

/* Runs an entry once; *ms are the milliseconds that it took, per input set on the GPU. */
static bool run(Group *g, Entry *entry, double *ms, StxError *error)
{
  if (entry->where != ON_CPU)
    return run_on_gpu(g, entry, ms, error);
  g->host.place.threads = entry->threads;
  double begin = now_ms();
  if (!(g->stage->run != NULL ? g->stage->run(g, entry, error)
                              : run_set(g, entry, &g->host, 0, error)))
    return false;
  *ms = now_ms() - begin;
  return true;
}

/* ---- First runs ----------------------------------------------------------------------------- */

/* This loads kernels, or records, and warms up. */
static bool run_first(Group *g, StxError *error)
{
  for (int i = g->count - 1; i >= 0; i--) {
    Entry *entry = &g->entries[i];
    const bool gpu = entry->where != ON_CPU;
    if ((gpu && !run(g, entry, &entry->first, error)) || !run(g, entry, &entry->first, error))
      return false;
    entry->first *= gpu ? g->device.sets : 1;
  }
  return true;
}

/* ---- Timing ------------------------------------------------------------------------------- */

/* Runs an entry for `budget` ms; the last of the runs tells how long one takes. */
static bool warm_up(Group *g, Entry *entry, double budget, StxError *error)
{
  double begin = now_ms(), ms;
  for (double last = begin; last - begin < budget;) {
    if (!run(g, entry, &ms, error))
      return false;
    entry->first = now_ms() - last;
    last = now_ms();
  }
  return true;
}

static int runs_within(const Entry *entry, double budget)
{
  double runs = budget / (entry->first > 1e-3 ? entry->first : 1e-3);
  int least = entry->first > SLOW_MS ? 1 : MIN_RUNS;
  return runs > MAX_RUNS ? MAX_RUNS : runs < least ? least : (int)runs;
}

/*
 * Threads fall asleep while others take their turns, and on a busy machine it takes long until all
 * are awake: before a scan, which takes little, goes an untimed run.
 */
static bool time_once(Group *g, Entry *entry, StxError *error)
{
  double *ms = &entry->ms[entry->runs];
  if (g->what->points != NULL && entry->where == ON_CPU && !run(g, entry, ms, error))
    return false;
  if (!run(g, entry, ms, error))
    return false;
  entry->runs++;
  entry->spent += *ms;
  return true;
}

/* Is it an entry's turn in a round? */
static bool is_due(const Entry *entry, int round, double budget)
{
  bool enough = entry->spent > LONGER * budget && entry->runs >= MIN_RUNS;
  return entry->runs < (round + 1) * entry->wanted / MAX_RUNS && !enough;
}

/* Those on the GPU or on the CPU. */
static bool time_entries(Group *g, bool gpu, double budget, StxError *error)
{
  for (int round = -1; round < MAX_RUNS; round++)
    for (int i = 0; i < g->count; i++) {
      Entry *entry = &g->entries[i];
      if ((entry->where != ON_CPU) != gpu)
        continue;
      if (round < 0) {
        if (!warm_up(g, entry, budget, error))
          return false;
        entry->wanted = runs_within(entry, g->context->budget);
      } else if (is_due(entry, round, g->context->budget) && !time_once(g, entry, error)) {
        return false;
      }
    }
  return true;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* The GPU's limit is its memory, for all stages: bytes that one run must at least move, what goes
 * in and what comes out, each once. The pipeline's rate is in frames. */
static double gpu_work(const Group *g, BenchRow *row)
{
  const BenchStage stage = g->what->stage;
  double bytes = g->what->stage == BENCH_RECTIFY ? (double)g->prepared_size : 0;
  if (stage == BENCH_PIPELINE || g->what->points != NULL)
    return 0;
  for (int b = 0; b < BUFFERS; b++) {
    bytes += g->in & 1u << b && g->device.at[b] != NULL ? (double)moved(g, b) : 0;
    bytes += g->out & 1u << b ? (double)moved(g, b) : 0;
  }
  row->limit = g->context->machine->device->copy;
  return bytes / 1e9;
}

static BenchRow make_row(const Group *g, Entry *entry, double reference)
{
  BenchRow row = {.impl = entry->name,
      .graph = entry->where == ON_GRAPH,
      .sets = entry->where == ON_CPU ? 0 : g->device.sets,
      .threads = entry->threads,
      .width = g->colmean.grid.width,
      .height = g->colmean.grid.height,
      .cell = g->stage->no_cells ? 0 : g->colmean.grid.cell_width,
      .classes = g->colmean.grid.classes,
      .runs = entry->runs,
      .share = -1};
  if (entry->runs == 0)
    return row;
  qsort(entry->ms, (size_t)entry->runs, sizeof *entry->ms, compare);
  row.median = entry->ms[entry->runs / 2];
  row.minimum = entry->ms[0];
  row.ratio = reference / row.median;
  return row;
}

/* The numbers of results and statistics are those of the entry's own run: one more, untimed. */
static bool add_rate(Group *g, Entry *entry, BenchRow *row, StxError *error)
{
  double ms;
  const bool gpu = entry->where != ON_CPU;
  if (row->runs == 0)
    return true;
  if (g->out & 1u << RESULT) {
    const BenchDevice *d = g->context->machine->device;
    if (!run(g, entry, &ms, error))
      return false;
    if (gpu && (!stx_cuda_download_bytes(d->cuda, g->host.at[RESULT],
                    buffer_at(&g->device, RESULT, 0), g->size[RESULT], d->stream, error) ||
                   !stx_cuda_synchronize(d->cuda, d->stream, error)))
      return false;
    stage_take_result(g);
  }
  row->share = stage_share(g);
  if (gpu)
    row->rate = gpu_work(g, row) / (row->median / 1e3);
  return true;
}

bool bench_group(
    const BenchContext *context, const BenchCase *what, BenchRow *rows, int *count, StxError *error)
{
  Group *g = calloc(1, sizeof *g);
  if (g == NULL)
    return stx_fail(error, "not enough memory");
  g->context = context;
  g->what = what;
  g->stage = &bench_stages[what->stage];
  for (int k = 0; k < MOST_STEPS && g->stage->steps[k] != NULL; k++) {
    const Step *step = g->stage->steps[k];
    g->in |= step->in & ~g->made;
    g->made |= g->out = step->out;
  }
  list_entries(g);
  bool good = stage_set_up(g, error) && open_host(g, error) &&
              (!on_gpu(g) || open_device(g, error)) && run_first(g, error) &&
              time_entries(g, false, context->warm_up, error) &&
              time_entries(g, true, context->gpu_warm_up, error);
  double base = 0;
  if (good && g->reference != NULL)
    base = make_row(g, &g->entries[g->count - 1], 0).median;
  *count = 0;
  for (int i = 0; good && i < g->count; i++) {
    rows[*count] = make_row(g, &g->entries[i], base);
    good = add_rate(g, &g->entries[i], &rows[(*count)++], error);
  }
  if (on_gpu(g))
    close_device(g);
  stage_close(g);
  free(g->host_memory);
  free(g->host.scratch);
  free(g);
  return good;
}
