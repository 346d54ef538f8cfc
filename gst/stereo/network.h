/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stereo network: which of its inputs takes which view, in what form and size, which of its
 * outputs is the disparity, and what its numbers mean. What types, shapes and names of the file
 * tell is taken from there.
 *
 * Inputs. Two, one for each view; or one with both views, as channels of one picture (6 or 2) or as
 * two pictures (2x3xHxW); or several for each view, of different sizes, as networks have them that
 * work from coarse to fine. A view has 3 channels, or 1, which is gray. Which view an input is for
 * shows in its name; of two whose names tell nothing the first is the left one.
 *
 * Outputs. The disparity is the only one, or that whose name holds "disp"; its shape is HxW, but
 * for dimensions of 1, or two such maps, of which the first counts (flow). A confidence of 0 … 1
 * is the one whose name holds "conf".
 */
#pragma once

#include "common/fields.h"
#include "common/tensor/tensor.h"
#include "gst/onnx/runtime.h"

typedef enum {
  GST_STX_NETWORK_LAYOUT_AUTO,
  GST_STX_NETWORK_NCHW,
  GST_STX_NETWORK_NHWC
} GstStxNetworkLayout;

typedef enum { GST_STX_NETWORK_RGB, GST_STX_NETWORK_BGR } GstStxNetworkColours;

/* Properties. The setter owns the texts; NULL: recognised, or the default. */
typedef struct {
  GstStxOnnxSettings runtime; /* `threads` and `device` are not properties of this table */
  char *left_input, *right_input, *disparity_output, *confidence_output;
  GstStxNetworkLayout layout;
  GstStxNetworkColours colours;
  double white;      /* what 255 becomes, before mean and std */
  char *mean, *std;  /* one number, or three with commas between them */
  int multiple;      /* of what sides that the file leaves free are */
  int width, height; /* of such sides; 0: the picture's, padded */
  bool normalised;   /* the output is a part of the width */
  double output_scale;
} GstStxNetworkSettings;

extern const StxFields gst_stx_network_fields;

void gst_stx_network_settings_clear(GstStxNetworkSettings *settings);

#define GST_STX_NETWORK_INPUTS 4 /* at most */

/* One input. */
typedef struct {
  guint port;
  guint views;          /* bits: 1 left, 2 right */
  gboolean interleaved; /* NHWC */
  gboolean batch;       /* of both views: they are two pictures */
  gint channels;        /* of a view */
  gint width, height;   /* 0: free */
  StxTensorType type;

  StxTensorAxis x, y; /* after _plan */
} GstStxNetworkInput;

typedef struct {
  GstStxOnnx *onnx;
  GstStxNetworkInput input[GST_STX_NETWORK_INPUTS];
  guint inputs;
  guint disparity, confidence; /* ports */
  gboolean has_confidence;
  gboolean gray; /* inputs are for gray pictures */
  StxTensorTable table, bytes;
  GstStxNetworkColours colours;
  gint multiple, width, height;
  gboolean normalised;
  gdouble output_scale;

  /* After _plan. */
  StxTensorAxis x, y; /* of the largest input */
  gdouble factor;     /* from numbers of the output to pixels of the picture */
} GstStxNetwork;

/* Opens the file. NULL with the reason in `error`. */
GstStxNetwork *gst_stx_network_open(const GstStxNetworkSettings *settings, StxError *error);
void gst_stx_network_close(GstStxNetwork *self); /* NULL: nothing */

/* For views of this size. FALSE with the reason in `error`. */
gboolean gst_stx_network_plan(GstStxNetwork *self, gint width, gint height, StxError *error);

/* Bytes of the tensor of an input, after _plan. */
gsize gst_stx_network_bytes(const GstStxNetwork *self, guint input);

/* Writes both views, as far as the input takes them, into its tensor. Where networks are `gray`,
 * the pictures are. `pixel` says where R, G and B are. */
void gst_stx_network_fill(const GstStxNetwork *self, guint input, const StxImage8 view[2],
    const StxTensorPixel *pixel, void *tensor, gint threads);

/* Runs the network on filled tensors, one for each input. `confidence` without data: not wanted. */
gboolean gst_stx_network_run(GstStxNetwork *self, void *const tensor[], const StxImage16 *disparity,
    const StxImage8 *confidence, StxTensorCounts *counts, gint threads, StxError *error);
