/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps of a stage as one launch of a graph. A kernel that waits for the one before begins
 * sooner in a graph than on a stream, and one call enqueues all of them; that counts where a stage
 * is many short kernels.
 *
 * From one frame to the next a stage's buffers change, and the sizes of its grids. The driver can
 * change a node of an executable graph for the launches to come, while earlier ones run: nothing is
 * made anew, and nobody waits. So a graph is made once for a stream and a sequence of kernels, and
 * before each launch those nodes are changed whose step is not what the graph has. Two stages of
 * one sequence on one stream would share a graph, and change it to and fro: slower, not wrong.
 *
 * Instead, all arguments could lie in device memory, uploaded in front of kernels that never
 * change: but the upload is one more node that all have to wait for, and grids would have to be
 * as large as the largest frame needs.
 *
 * Whatever fails here, the steps are enqueued one by one, which says what is wrong if anything is;
 * after some failures in a row nobody tries again. So they are while the stream is recorded: into
 * the caller's graph go the steps, not a graph that may change.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/launch.h"

#define FEWEST 4   /* steps that are worth a graph */
#define FAILURES 4 /* in a row, after which there are no graphs any more */

/* A step as the graph has it. */
typedef struct {
  CUgraphNode node;
  CUfunction function; /* NULL: a fill */
  StxCudaStep step;    /* whose args are a copy */
} Node;

typedef struct StxGraph {
  CUstream stream;
  CUgraph graph; /* its nodes are the names of those of the executable */
  CUgraphExec executable;
  uint64_t used; /* when it was launched last */
  size_t count;
  Node nodes[STX_CUDA_STEPS];
} StxGraph;

/* Steps that are to be enqueued; functions[i] belongs to steps[i]. */
typedef struct {
  StxCuda *cuda;
  CUstream stream;
  size_t count;
  StxCudaStep steps[STX_CUDA_STEPS];
  CUfunction functions[STX_CUDA_STEPS];
} Run;

/* ---- Nodes --------------------------------------------------------------------------------- */

static CUDA_MEMSET_NODE_PARAMS fill_params(const StxCudaStep *step)
{
  return (CUDA_MEMSET_NODE_PARAMS){.dst = (uintptr_t)step->to,
      .value = step->value,
      .elementSize = 1,
      .width = step->size,
      .height = 1};
}

static CUDA_KERNEL_NODE_PARAMS_v1 kernel_params(
    const StxCudaStep *step, CUfunction function, void **params)
{
  params[0] = (void *)step->args;
  return (CUDA_KERNEL_NODE_PARAMS_v1){.func = function,
      .gridDimX = step->grid.x,
      .gridDimY = step->grid.y,
      .gridDimZ = step->grid.z,
      .blockDimX = step->block.x,
      .blockDimY = step->block.y,
      .blockDimZ = step->block.z,
      .sharedMemBytes = (unsigned)step->shared,
      .kernelParams = params};
}

static bool same_size(StxCudaSize a, StxCudaSize b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_step(const StxCudaStep *a, const StxCudaStep *b)
{
  if (a->kernel == NULL)
    return a->to == b->to && a->size == b->size && a->value == b->value;
  return same_size(a->grid, b->grid) && same_size(a->block, b->block) && a->shared == b->shared &&
         memcmp(a->args, b->args, a->args_size) == 0;
}

/* Makes the node's step that one, which has the same kernel. */
static bool keep_step(Node *node, const StxCudaStep *step)
{
  void *copy = (void *)node->step.args;
  if (copy == NULL && step->kernel != NULL)
    copy = malloc(step->args_size);
  if (copy == NULL && step->kernel != NULL)
    return false;
  if (copy != NULL)
    memcpy(copy, step->args, step->args_size);
  node->step = *step;
  node->step.args = copy;
  return true;
}

static bool add_node(const Run *run, StxGraph *g, size_t i)
{
  const StxDriver *driver = &run->cuda->driver;
  const StxCudaStep *step = &run->steps[i];
  const CUgraphNode *before = i > 0 ? &g->nodes[i - 1].node : NULL;
  void *params[1];
  CUDA_MEMSET_NODE_PARAMS fill = fill_params(step);
  CUDA_KERNEL_NODE_PARAMS_v1 kernel = kernel_params(step, run->functions[i], params);
  Node *node = &g->nodes[g->count++];
  node->function = run->functions[i];
  CUresult result = node->function == NULL ? driver->p_cuGraphAddMemsetNode(&node->node, g->graph,
                                                 before, i > 0, &fill, run->cuda->context)
                                           : driver->p_cuGraphAddKernelNode(
                                                 &node->node, g->graph, before, i > 0, &kernel);
  return result == CUDA_SUCCESS && keep_step(node, step);
}

static bool change_node(const Run *run, StxGraph *g, size_t i)
{
  const StxDriver *driver = &run->cuda->driver;
  const StxCudaStep *step = &run->steps[i];
  Node *node = &g->nodes[i];
  void *params[1];
  CUDA_MEMSET_NODE_PARAMS fill = fill_params(step);
  CUDA_KERNEL_NODE_PARAMS_v1 kernel = kernel_params(step, node->function, params);
  if (same_step(&node->step, step))
    return true;
  CUresult result = node->function == NULL ? driver->p_cuGraphExecMemsetNodeSetParams(g->executable,
                                                 node->node, &fill, run->cuda->context)
                                           : driver->p_cuGraphExecKernelNodeSetParams(
                                                 g->executable, node->node, &kernel);
  return result == CUDA_SUCCESS && keep_step(node, step);
}

/* ---- Graphs -------------------------------------------------------------------------------- */

static void graph_free(StxCuda *cuda, StxGraph **slot)
{
  StxGraph *g = *slot;
  if (g == NULL)
    return;
  if (g->executable != NULL)
    cuda->driver.p_cuGraphExecDestroy(g->executable);
  if (g->graph != NULL)
    cuda->driver.p_cuGraphDestroy(g->graph);
  for (size_t i = 0; i < g->count; i++)
    free((void *)g->nodes[i].step.args);
  free(g);
  *slot = NULL;
}

void stx_cuda_free_graphs(StxCuda *cuda)
{
  for (size_t i = 0; i < STX_GRAPHS; i++)
    graph_free(cuda, &cuda->graphs[i]);
}

static bool is_of(const StxGraph *g, const Run *run)
{
  if (g == NULL || g->stream != run->stream || g->count != run->count)
    return false;
  for (size_t i = 0; i < g->count; i++)
    if (g->nodes[i].function != run->functions[i] ||
        g->nodes[i].step.args_size != run->steps[i].args_size)
      return false;
  return true;
}

/* Where a new graph goes: a free place, or that of the graph that was not used for longest. */
static StxGraph **find_place(StxCuda *cuda)
{
  StxGraph **oldest = &cuda->graphs[0];
  for (size_t i = 0; i < STX_GRAPHS; i++) {
    if (cuda->graphs[i] == NULL)
      return &cuda->graphs[i];
    if (cuda->graphs[i]->used < (*oldest)->used)
      oldest = &cuda->graphs[i];
  }
  return oldest;
}

static bool build(const Run *run, StxGraph *g)
{
  const StxDriver *driver = &run->cuda->driver;
  g->stream = run->stream;
  if (driver->p_cuGraphCreate(&g->graph, 0) != CUDA_SUCCESS)
    return false;
  for (size_t i = 0; i < run->count; i++)
    if (!add_node(run, g, i))
      return false;
  return driver->p_cuGraphInstantiateWithFlags(&g->executable, g->graph, 0) == CUDA_SUCCESS;
}

/* The graph of these steps, ready to be launched; *slot is where it is, also on failure. */
static bool find_graph(const Run *run, StxGraph ***slot)
{
  for (size_t i = 0; i < STX_GRAPHS; i++) {
    StxGraph *g = run->cuda->graphs[i];
    *slot = &run->cuda->graphs[i];
    if (!is_of(g, run))
      continue;
    for (size_t k = 0; k < g->count; k++)
      if (!change_node(run, g, k))
        return false;
    return true;
  }
  *slot = find_place(run->cuda);
  graph_free(run->cuda, *slot);
  **slot = calloc(1, sizeof ***slot);
  return **slot != NULL && build(run, **slot);
}

/* The lock is held: a graph serves one thread at a time. */
static bool launch_graph(const Run *run)
{
  StxCuda *cuda = run->cuda;
  StxGraph **slot;
  bool ok = find_graph(run, &slot) &&
            cuda->driver.p_cuGraphLaunch((*slot)->executable, run->stream) == CUDA_SUCCESS;
  if (ok) {
    (*slot)->used = ++cuda->graph_time;
    cuda->graph_failures = 0;
  } else {
    graph_free(cuda, slot);
    cuda->graph_failures++;
  }
  return ok;
}

static bool is_recorded(const Run *run)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = run->cuda->driver.p_cuStreamIsCapturing(run->stream, &status);
  return result != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static bool run_graph(const Run *run)
{
  StxCuda *cuda = run->cuda;
  if (!cuda->driver.graphs || run->count < FEWEST || is_recorded(run))
    return false;
  pthread_mutex_lock(&cuda->lock);
  bool ok = cuda->graph_failures < FAILURES && launch_graph(run);
  pthread_mutex_unlock(&cuda->lock);
  return ok;
}

static bool run_step(const Run *run, const StxCudaStep *step, StxError *error)
{
  if (step->kernel == NULL)
    return stx_cuda_fill_bytes(run->cuda, step->to, step->value, step->size, run->stream, error);
  StxPlace place = stx_cuda_place(run->cuda, run->stream);
  return stx_cuda_launch(
      &place, step->kernel, step->grid, step->block, step->shared, step->args, error);
}

static bool is_empty(const StxCudaStep *step)
{
  return step->kernel == NULL ? step->size == 0
                              : step->grid.x == 0 || step->grid.y == 0 || step->grid.z == 0;
}

static bool add_step(Run *run, const StxCudaStep *step, StxError *error)
{
  if (is_empty(step))
    return true;
  size_t i = run->count++;
  run->steps[i] = *step;
  run->functions[i] = NULL;
  return step->kernel == NULL ||
         stx_cuda_prepare(run->cuda, step->kernel, step->shared, &run->functions[i], error);
}

bool stx_cuda_run_steps(
    StxCuda *cuda, const StxCudaStep *steps, size_t count, StxCudaStream stream, StxError *error)
{
  Run run = {.cuda = cuda, .stream = stream};
  if (count > STX_CUDA_STEPS)
    return stx_fail(error, "%zu steps of a stage: at most %d", count, STX_CUDA_STEPS);
  if (!stx_cuda_enter(cuda, error))
    return false;
  bool ok = true;
  for (size_t i = 0; i < count && ok; i++)
    ok = add_step(&run, &steps[i], error);
  bool done = ok && run_graph(&run);
  stx_cuda_leave(cuda);
  for (size_t i = 0; i < run.count && ok && !done; i++)
    ok = run_step(&run, &run.steps[i], error);
  return ok;
}
