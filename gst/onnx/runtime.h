/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ONNX Runtime, opened at run time: a network from a file, the tensors it takes and gives, and a
 * run. The plugin loads and inspects without the library.
 *
 * Which library: the one that is named; else the one that STX_ONNXRUNTIME names; else
 * libonnxruntime.so.1 where the loader finds it; else that of Python's package onnxruntime, in a
 * folder of PYTHONPATH, in the virtual environment of VIRTUAL_ENV, or where Python keeps packages.
 *
 * Threads: one at a time may use a network.
 */
#pragma once

#include <gst/gst.h>

#include "common/stx.h"

#define GST_STX_ONNX_RANK 8  /* dimensions at most */
#define GST_STX_ONNX_PORTS 8 /* inputs, or outputs, at most */

/* Types of numbers that are read here, by ONNX's own number. */
typedef enum {
  GST_STX_ONNX_FLOAT = 1,
  GST_STX_ONNX_UINT8 = 2,
  GST_STX_ONNX_FLOAT16 = 10
} GstStxOnnxType;

/* An input or output as the file describes it. */
typedef struct {
  gchar *name; /* owned */
  gint type;   /* a GstStxOnnxType, or another of ONNX's; 0: no tensor */
  guint rank;
  gint64 shape[GST_STX_ONNX_RANK]; /* below 0: free */
} GstStxOnnxPort;

typedef struct {
  gchar *library;   /* a file; NULL: see above */
  gchar *model;     /* a file of ONNX */
  gchar *providers; /* names with commas between them, the best first, with or without
                       "ExecutionProvider"; NULL: CUDA if there is one, else CPU */
  gint threads;     /* of the CPU, > 0 */
  gint device;      /* of CUDA and TensorRT */
} GstStxOnnxSettings;

typedef struct {
  GstStxOnnxPort input[GST_STX_ONNX_PORTS], output[GST_STX_ONNX_PORTS];
  guint inputs, outputs;

  /* Used by runtime.c only. */
  struct GstStxOnnxApi *api;
  gpointer env, session, memory;
} GstStxOnnx;

/* A tensor of the caller's for an input, or of the run for an output. */
typedef struct {
  guint port;
  gint type;
  guint rank;
  gint64 shape[GST_STX_ONNX_RANK];
  gpointer data;
  gsize size;     /* bytes of `data`; of inputs alone */
  gpointer value; /* private */
} GstStxOnnxTensor;

/* NULL with the reason in `error`. */
GstStxOnnx *gst_stx_onnx_open(const GstStxOnnxSettings *settings, StxError *error);
void gst_stx_onnx_close(GstStxOnnx *self); /* NULL: nothing */

/* Type and shape for messages, "float 1x3x?x?", to be freed. */
gchar *gst_stx_onnx_describe(gint type, const gint64 *shape, guint rank);

/*
 * Runs the network on `inputs`, whose memory it reads in place, and computes the outputs whose
 * `port` is set. These hold the result, in the runtime's memory, until _release. FALSE with the
 * reason in `error`; there is nothing to release then.
 */
gboolean gst_stx_onnx_run(GstStxOnnx *self, const GstStxOnnxTensor *inputs, guint count,
    GstStxOnnxTensor *outputs, guint wanted, StxError *error);
void gst_stx_onnx_release(GstStxOnnx *self, GstStxOnnxTensor *outputs, guint count);
