/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver's functions: graphs, recorded or made node by node. A graph is a chain of operations:
 * a node has to come after the last one before it. */
#include "tests/emu/fake.h"

#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
    size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(
    CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params);

static void graph_destroy(FakeObject *object)
{
  fake_queue_clear(&((FakeGraph *)object)->ops);
}

/* ---- Recording ---------------------------------------------------------------------------- */

static CUresult begin_capture(CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = fake_current_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream == NULL)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != NULL)
    return CUDA_ERROR_ILLEGAL_STATE;
  stream->capture = fake_new(FAKE_GRAPH, NULL, sizeof *stream->capture);
  if (stream->capture == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream->capture->object.destroy = graph_destroy;
  return CUDA_SUCCESS;
}

FAKE_API cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? begin_capture(stream) : result);
}

static CUresult end_capture(CUstream handle, CUgraph *graph)
{
  FakeStream *stream = fake_find(FAKE_STREAM, handle);
  *graph = NULL;
  if (stream == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture == NULL)
    return CUDA_ERROR_ILLEGAL_STATE;
  bool broken = stream->capture_broken;
  if (broken)
    fake_delete(stream->capture);
  else
    *graph = (CUgraph)stream->capture;
  stream->capture = NULL;
  stream->capture_broken = false;
  return broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

FAKE_API cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(result == CUDA_SUCCESS ? end_capture(stream, graph) : result);
}

FAKE_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeContext *context;
  FakeStream *stream;
  if (result == CUDA_SUCCESS)
    result = fake_current_stream(handle, &context, &stream);
  if (result == CUDA_SUCCESS && stream == NULL && fake_capturing(context) != NULL)
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (result == CUDA_SUCCESS)
    *status = stream != NULL && stream->capture != NULL ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                        : CU_STREAM_CAPTURE_STATUS_NONE;
  return fake_end(result);
}

/* ---- Nodes --------------------------------------------------------------------------------- */

FAKE_API cuGraphCreate(CUgraph *handle, unsigned flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  FakeGraph *graph = result == CUDA_SUCCESS ? fake_new(FAKE_GRAPH, NULL, sizeof *graph) : NULL;
  if (graph != NULL)
    graph->object.destroy = graph_destroy;
  *handle = (CUgraph)graph;
  return fake_end(result);
}

static CUresult kernel_op(FakeOp *op, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  *op = (FakeOp){.kind = FAKE_LAUNCH,
      .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
      .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
      .shared = p->sharedMemBytes};
  return result == CUDA_SUCCESS ? fake_take_launch(context, op, p->func, p->kernelParams) : result;
}

/* Bytes in one row: all that is made here. */
static CUresult fill_op(FakeOp *op, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext handle)
{
  *op = (FakeOp){.kind = FAKE_FILL,
      .value = (uint8_t)p->value,
      .copy = {.dstMemoryType = CU_MEMORYTYPE_DEVICE,
          .dstDevice = p->dst,
          .dstPitch = p->width,
          .WidthInBytes = p->width,
          .Height = 1}};
  if (fake_find(FAKE_CONTEXT, handle) == NULL)
    return CUDA_ERROR_INVALID_CONTEXT;
  return p->elementSize == 1 && p->height == 1 && p->width > 0 && fake_op_valid(op)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

static CUresult add_node(
    CUgraphNode *node, CUgraph handle, const CUgraphNode *before, size_t count, const FakeOp *op)
{
  FakeGraph *graph = fake_find(FAKE_GRAPH, handle);
  bool first = graph != NULL && graph->ops.first == NULL;
  if (graph == NULL || count != !first || (!first && before[0] != (CUgraphNode)graph->ops.last)) {
    fake_op_clear(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  *node = (CUgraphNode)fake_queue_append(&graph->ops, op);
  return CUDA_SUCCESS;
}

/* The executable's operation that came of the node takes the place of what it was: the same kind
 * of operation, and of kernels the same function. */
static CUresult change_node(CUgraphExec handle, CUgraphNode node, const FakeOp *op)
{
  FakeGraph *executable = fake_find(FAKE_EXECUTABLE, handle);
  FakeOp *old = executable != NULL ? executable->ops.first : NULL;
  while (old != NULL && old->origin != (const FakeOp *)node)
    old = old->next;
  if (old == NULL || old->kind != op->kind || old->function != op->function) {
    fake_op_clear(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  fake_op_replace(old, op);
  return CUDA_SUCCESS;
}

FAKE_API cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
    size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  FakeOp op;
  if (result == CUDA_SUCCESS)
    result = kernel_op(&op, params);
  return fake_end(result == CUDA_SUCCESS ? add_node(node, graph, before, count, &op) : result);
}

FAKE_API cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
    size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  FakeOp op;
  if (result == CUDA_SUCCESS)
    result = fill_op(&op, params, context);
  return fake_end(result == CUDA_SUCCESS ? add_node(node, graph, before, count, &op) : result);
}

FAKE_API cuGraphExecKernelNodeSetParams(
    CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeOp op;
  if (result == CUDA_SUCCESS)
    result = kernel_op(&op, params);
  return fake_end(result == CUDA_SUCCESS ? change_node(executable, node, &op) : result);
}

FAKE_API cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
    const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  FakeOp op;
  if (result == CUDA_SUCCESS)
    result = fill_op(&op, params, context);
  return fake_end(result == CUDA_SUCCESS ? change_node(executable, node, &op) : result);
}

/* ---- Executables --------------------------------------------------------------------------- */

static CUresult instantiate(CUgraphExec *handle, FakeGraph *graph)
{
  FakeContext *context;
  CUresult result = fake_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (graph == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  FakeGraph *executable = fake_new(FAKE_EXECUTABLE, context, sizeof *executable);
  if (executable == NULL)
    return CUDA_ERROR_OUT_OF_MEMORY;
  executable->object.destroy = graph_destroy;
  executable->ops = fake_queue_copy(&graph->ops);
  *handle = (CUgraphExec)executable;
  return CUDA_SUCCESS;
}

FAKE_API cuGraphInstantiateWithFlags(
    CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_OUT_OF_MEMORY);
  if (result == CUDA_SUCCESS)
    result = instantiate(executable, fake_find(FAKE_GRAPH, graph));
  return fake_end(result);
}

static CUresult launch_graph(const FakeGraph *executable, CUstream handle)
{
  FakeContext *context;
  FakeStream *stream;
  CUresult result = fake_current_stream(handle, &context, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (executable == NULL || executable->object.context != context)
    return CUDA_ERROR_INVALID_HANDLE;
  return fake_enqueue_graph(context, stream, &executable->ops);
}

FAKE_API cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_LAUNCH_FAILED);
  if (result == CUDA_SUCCESS)
    result = launch_graph(fake_find(FAKE_EXECUTABLE, executable), stream);
  return fake_end(result);
}

static CUresult destroy(void *object, CUresult result)
{
  if (object == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  fake_delete(object);
  return result;
}

FAKE_API cuGraphDestroy(CUgraph graph)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(destroy(fake_find(FAKE_GRAPH, graph), result));
}

FAKE_API cuGraphExecDestroy(CUgraphExec executable)
{
  CUresult result = fake_begin(__func__, CUDA_ERROR_UNKNOWN);
  return fake_end(destroy(fake_find(FAKE_EXECUTABLE, executable), result));
}
