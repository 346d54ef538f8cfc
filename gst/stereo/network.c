/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/network.h"

#include <math.h>
#include <string.h>

#include "common/text_file.h"

#define LEFT 1u
#define RIGHT 2u
#define BOTH (LEFT | RIGHT)

#define PADDED_MOST 64     /* pixels by which a picture is padded, not resized, to a fixed size */
#define LARGEST_SIDE 32768 /* pixels of a tensor */
#define LEAST_PART 8       /* an output has at least 1 / so much of the sides */

#define NAMES 110 /* letters of a list of names in a message */

/* ---- Settings ------------------------------------------------------------------------------ */

static const StxFieldChoice layouts[] = {
    {GST_STX_NETWORK_LAYOUT_AUTO, "auto", "From the shape"},
    {GST_STX_NETWORK_NCHW, "nchw", "1x3xHxW"},
    {GST_STX_NETWORK_NHWC, "nhwc", "1xHxWx3"},
    {0},
};
static const StxFieldChoice colours[] = {
    {GST_STX_NETWORK_RGB, "rgb", "RGB"},
    {GST_STX_NETWORK_BGR, "bgr", "BGR"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstStxNetworkSettings, member)
static const StxField fields[] = {
    {"model", "Model", "ONNX file", FIELD(TEXT, runtime.model)},
    {"library", "Library",
        "libonnxruntime.so (none = of STX_ONNXRUNTIME, the system or Python's onnxruntime)",
        FIELD(TEXT, runtime.library)},
    {"providers", "Providers",
        "Execution providers, best first: TensorRT,CUDA (none = CUDA if available, else CPU)",
        FIELD(TEXT, runtime.providers)},
    {"left-input", "Left input", "Input of left views (none = recognised)",
        FIELD(TEXT, left_input)},
    {"right-input", "Right input", "Input of right views (none = recognised)",
        FIELD(TEXT, right_input)},
    {"disparity-output", "Disparity output", "Output with the disparity (none = recognised)",
        FIELD(TEXT, disparity_output)},
    {"confidence-output", "Confidence output",
        "Output with the confidence, 0 ... 1 (none = recognised)", FIELD(TEXT, confidence_output)},
    {"tensor-layout", "Tensor layout", "Channels of an input", FIELD(CHOICE, layout),
        .choices = layouts},
    {"colours", "Colours", "Channel order", FIELD(CHOICE, colours), .choices = colours},
    {"white", "White", "Value of white before mean and std: 1 or 255; not for uint8 inputs",
        FIELD(DOUBLE, white), .low = 0.001, .high = 65535},
    {"mean", "Mean", "Subtracted number, or one per channel: 0.485,0.456,0.406 (none = 0)",
        FIELD(TEXT, mean)},
    {"std", "Standard deviation", "Divisor after mean, or one per channel (none = 1)",
        FIELD(TEXT, std)},
    {"multiple", "Multiple",
        "Pictures are padded to multiples of so many pixels, if the size is free",
        FIELD(INT, multiple), .low = 1, .high = 512, .unit = "px"},
    {"network-width", "Network width",
        "Width of network inputs, pixels, if free (0 = as the picture)", FIELD(INT, width),
        .high = LARGEST_SIDE, .unit = "px"},
    {"network-height", "Network height",
        "Height of network inputs, pixels, if free (0 = as the picture)", FIELD(INT, height),
        .high = LARGEST_SIDE, .unit = "px"},
    {"normalised", "Normalised", "Output in fractions of the width, not pixels",
        FIELD(BOOL, normalised)},
    {"output-scale", "Output scale", "Factor of the output; negative for flow to the left",
        FIELD(DOUBLE, output_scale), .low = -1e6, .high = 1e6},
};
static const GstStxNetworkSettings defaults = {.white = 1, .multiple = 32, .output_scale = 1};
const StxFields gst_stx_network_fields = {STX_FIELDS_OF(fields), &defaults};

void gst_stx_network_settings_clear(GstStxNetworkSettings *settings)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    if (fields[i].type == STX_FIELD_TEXT)
      g_clear_pointer((gchar **)(void *)((gchar *)settings + fields[i].offset), g_free);
}

/* One number for each of three channels: "0.5" or "0.485,0.456,0.406". */
static gboolean read_numbers(
    const gchar *text, const gchar *name, gdouble standard, gdouble numbers[3], StxError *error)
{
  g_auto(GStrv) words = g_strsplit(text != NULL ? text : "", ",", 4);
  guint count = g_strv_length(words);
  gboolean read = count == 0 || count == 1 || count == 3;

  for (guint k = 0; k < 3 && read; k++) {
    const gchar *word = count == 0 ? "" : words[count == 3 ? k : 0];
    gchar *end = NULL;

    numbers[k] = count == 0 ? standard : g_ascii_strtod(word, &end);
    read = isfinite(numbers[k]) && (count == 0 || (end != word && *end == '\0'));
  }
  return read || stx_fail(error, "%s=%.60s: must be one number, or three with commas between them",
                     name, text);
}

static gboolean read_table(
    GstStxNetwork *self, const GstStxNetworkSettings *settings, StxError *error)
{
  static const gdouble none[3] = {0, 0, 0}, whole[3] = {1, 1, 1};
  gdouble mean[3], std[3];

  if (!read_numbers(settings->mean, "mean", 0, mean, error) ||
      !read_numbers(settings->std, "std", 1, std, error))
    return FALSE;
  if (std[0] == 0 || std[1] == 0 || std[2] == 0)
    return stx_fail(error, "std=%.60s: values are divided by it, it must not be 0", settings->std);
  stx_tensor_table(&self->table, settings->white, mean, std);
  stx_tensor_table(&self->bytes, 255, none, whole);
  return TRUE;
}

/* ---- Inputs -------------------------------------------------------------------------------- */

/* Names of all inputs or outputs, to be freed. */
static gchar *names_of(const GstStxOnnxPort *ports, guint count)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < count; i++)
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", ports[i].name);
  if (text->len > NAMES)
    g_string_append(g_string_truncate(text, NAMES), "...");
  return g_string_free(text, FALSE);
}

static gboolean find_type(gint type, gboolean bytes, StxTensorType *found)
{
  *found = type == GST_STX_ONNX_FLOAT     ? STX_TENSOR_FLOAT
           : type == GST_STX_ONNX_FLOAT16 ? STX_TENSOR_HALF
                                          : STX_TENSOR_BYTE;
  return type == GST_STX_ONNX_FLOAT || type == GST_STX_ONNX_FLOAT16 ||
         (bytes && type == GST_STX_ONNX_UINT8);
}

/* Whether a side can be the channels of one view, or of both; a free one is taken for 3. */
static gboolean is_channels(gint64 side, guint views)
{
  return views == BOTH ? side == 6 || side == 2 : side == 3 || side == 1;
}

/* Both views in one input: as two pictures, else as channels. */
static gboolean find_channels(
    GstStxNetworkInput *input, const gint64 *shape, GstStxNetworkLayout layout)
{
  guint views = input->views;
  gint64 channels;

  input->batch = input->views == BOTH && shape[0] == 2;
  if (input->batch)
    views = LEFT;
  else if (shape[0] > 1 || shape[0] == 0)
    return FALSE;
  input->interleaved = layout == GST_STX_NETWORK_NHWC ||
                       (layout == GST_STX_NETWORK_LAYOUT_AUTO && !is_channels(shape[1], views) &&
                           is_channels(shape[3], views));
  channels = shape[input->interleaved ? 3 : 1];
  if (channels < 0)
    channels = views == BOTH ? 6 : 3;
  input->channels = (gint)(views == BOTH ? channels / 2 : channels);
  return is_channels(channels, views);
}

static gint size_of(gint64 side)
{
  return side < 0 ? 0 : (gint)MIN(side, LARGEST_SIDE + 1);
}

static gboolean read_input(GstStxNetworkInput *input, const GstStxOnnxPort *port,
    GstStxNetworkLayout layout, StxError *error)
{
  const gint64 *shape = port->shape;
  gboolean fits = find_type(port->type, TRUE, &input->type) && port->rank == 4 &&
                  find_channels(input, shape, layout);

  if (fits) {
    input->height = size_of(shape[input->interleaved ? 1 : 2]);
    input->width = size_of(shape[input->interleaved ? 2 : 3]);
    fits = input->height <= LARGEST_SIDE && input->width <= LARGEST_SIDE && shape[1] != 0 &&
           shape[2] != 0 && shape[3] != 0;
  }
  if (!fits) {
    g_autofree gchar *is = gst_stx_onnx_describe(port->type, shape, port->rank);

    stx_fail(error,
        "its input %.40s is %.60s, must be float, float16 or uint8, 1x%sxHxW or "
        "1xHxWx%s%s",
        port->name, is, input->views == BOTH ? "6" : "3", input->views == BOTH ? "6" : "3",
        input->views == BOTH ? " or 2x3xHxW for both views; 1 in place of 3 is gray"
                             : " for a view; 1 in place of 3 is gray");
  }
  return fits;
}

/* Returns the view by "left" or "right" in the name; 0: neither. */
static guint view_named(const gchar *name)
{
  g_autofree gchar *lower = g_ascii_strdown(name, -1);

  return strstr(lower, "left") != NULL ? LEFT : strstr(lower, "right") != NULL ? RIGHT : 0;
}

/* True for names that differ in the last letter alone and are right before left: imgR, imgL. */
static gboolean is_reversed(const gchar *first, const gchar *second)
{
  gsize length = strlen(first);

  return length > 0 && strlen(second) == length && strncmp(first, second, length - 1) == 0 &&
         g_ascii_tolower(first[length - 1]) == 'r' && g_ascii_tolower(second[length - 1]) == 'l';
}

static guint views_of(const GstStxOnnx *onnx, const GstStxNetworkSettings *settings, guint i)
{
  const gchar *name = onnx->input[i].name;
  guint views = view_named(name);

  if (settings->left_input != NULL && g_str_equal(name, settings->left_input))
    return LEFT;
  if (settings->right_input != NULL && g_str_equal(name, settings->right_input))
    return RIGHT;
  if (onnx->inputs == 1)
    return BOTH;
  if (onnx->inputs > 2 || views != 0)
    return views;
  if (settings->left_input != NULL || settings->right_input != NULL)
    return settings->left_input == NULL ? LEFT : RIGHT;
  if (is_reversed(onnx->input[0].name, onnx->input[1].name))
    return i == 0 ? RIGHT : LEFT;
  return i == 0 ? LEFT : RIGHT;
}

/* A name that was set is one of these. */
static gboolean check_name(const gchar *property, const gchar *name, const GstStxOnnxPort *ports,
    guint count, StxError *error)
{
  gboolean found = name == NULL;
  g_autofree gchar *all = NULL;

  for (guint i = 0; i < count; i++)
    found = found || g_str_equal(name, ports[i].name);
  if (found)
    return TRUE;
  all = names_of(ports, count);
  stx_fail(error, "%s=%.60s: it has %s", property, name, all);
  return FALSE;
}

static gboolean find_inputs(
    GstStxNetwork *self, const GstStxNetworkSettings *settings, StxError *error)
{
  const GstStxOnnx *onnx = self->onnx;
  g_autofree gchar *all = names_of(onnx->input, onnx->inputs);
  guint views = 0;
  gboolean found = TRUE;

  for (guint i = 0; i < onnx->inputs && i < GST_STX_NETWORK_INPUTS && found; i++) {
    GstStxNetworkInput *input = &self->input[i];

    *input = (GstStxNetworkInput){.port = i, .views = views_of(onnx, settings, i)};
    views |= input->views;
    if (input->views == 0)
      break;
    found = read_input(input, &onnx->input[i], settings->layout, error);
    self->inputs += found;
    self->gray = self->gray || input->channels == 1;
  }
  if (found && (views != BOTH || self->inputs != onnx->inputs))
    found = stx_fail(error,
        "it takes %s: one input for each view or one for both must be there; left-input and "
        "right-input say which is which",
        onnx->inputs > 0 ? all : "nothing");
  for (guint i = 0; i < self->inputs && found; i++)
    if (self->gray && self->input[i].channels != 1)
      found = stx_fail(error, "its inputs %s are of gray pictures and of colours", all);
  return found;
}

/* ---- Outputs ------------------------------------------------------------------------------- */

/* The port of this name, or the only one whose name holds `word`; -1: none, -2: several. */
static gint find_output(const GstStxOnnx *onnx, const gchar *name, const gchar *word)
{
  gint found = -1;

  for (guint i = 0; i < onnx->outputs; i++) {
    g_autofree gchar *lower = g_ascii_strdown(onnx->output[i].name, -1);
    gboolean is =
        name != NULL ? g_str_equal(onnx->output[i].name, name) : strstr(lower, word) != NULL;

    if (is)
      found = found == -1 ? (gint)i : -2;
  }
  return found;
}

static gboolean find_outputs(
    GstStxNetwork *self, const GstStxNetworkSettings *settings, StxError *error)
{
  const GstStxOnnx *onnx = self->onnx;
  gint disparity = find_output(onnx, settings->disparity_output, "disp");
  gint confidence = find_output(onnx, settings->confidence_output, "conf");
  g_autofree gchar *all = NULL;

  if (disparity < 0 && onnx->outputs == 1)
    disparity = 0;
  if (disparity >= 0) {
    self->disparity = (guint)disparity;
    self->has_confidence = confidence >= 0 && confidence != disparity;
    self->confidence = self->has_confidence ? (guint)confidence : 0;
    return TRUE;
  }
  all = names_of(onnx->output, onnx->outputs);
  stx_fail(error, "it gives %s: say with disparity-output which is the disparity", all);
  return FALSE;
}

/* ---- Life ---------------------------------------------------------------------------------- */

GstStxNetwork *gst_stx_network_open(const GstStxNetworkSettings *settings, StxError *error)
{
  GstStxNetwork *self = g_new0(GstStxNetwork, 1);
  StxError cause = {""};

  self->colours = settings->colours;
  self->multiple = settings->multiple;
  self->width = settings->width;
  self->height = settings->height;
  self->normalised = settings->normalised;
  self->output_scale = settings->output_scale;
  if (read_table(self, settings, error))
    self->onnx = gst_stx_onnx_open(&settings->runtime, error);
  if (self->onnx != NULL) {
    const GstStxOnnx *onnx = self->onnx;
    if (check_name("left-input", settings->left_input, onnx->input, onnx->inputs, &cause) &&
        check_name("right-input", settings->right_input, onnx->input, onnx->inputs, &cause) &&
        check_name(
            "disparity-output", settings->disparity_output, onnx->output, onnx->outputs, &cause) &&
        check_name("confidence-output", settings->confidence_output, onnx->output, onnx->outputs,
            &cause) &&
        find_inputs(self, settings, &cause) && find_outputs(self, settings, &cause))
      return self;
    stx_fail(
        error, "model=%.100s: %.145s", stx_text_file_name(settings->runtime.model), cause.text);
  }
  stx_fail_as(error, STX_ERROR_SETTINGS);
  gst_stx_network_close(self);
  return NULL;
}

void gst_stx_network_close(GstStxNetwork *self)
{
  if (self == NULL)
    return;
  gst_stx_onnx_close(self->onnx);
  g_free(self);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* A side of the network for one of a picture. What is a little smaller is padded. */
static StxTensorAxis axis_of(const GstStxNetwork *self, gint picture, gint fixed, gint wanted)
{
  gint least = (picture + self->multiple - 1) / self->multiple * self->multiple;
  gint network = fixed > 0 ? fixed : wanted > 0 ? wanted : least;
  gboolean padded = network >= picture && network - picture < MAX(PADDED_MOST, self->multiple);

  return (StxTensorAxis){picture, network, !padded};
}

gboolean gst_stx_network_plan(GstStxNetwork *self, gint width, gint height, StxError *error)
{
  self->x = self->y = (StxTensorAxis){0};
  for (guint i = 0; i < self->inputs; i++) {
    GstStxNetworkInput *input = &self->input[i];

    input->x = axis_of(self, width, input->width, self->width);
    input->y = axis_of(self, height, input->height, self->height);
    if (input->x.network > self->x.network) {
      self->x = input->x;
      self->y = input->y;
    }
  }
  if (self->x.network > LARGEST_SIDE || self->y.network > LARGEST_SIDE)
    return stx_fail(error, "views of %dx%d are too large for a network", width, height);
  self->factor = self->output_scale * (self->normalised ? self->x.network : 1) *
                 (self->x.resized ? (gdouble)width / self->x.network : 1);
  return TRUE;
}

/* ---- Tensors in ---------------------------------------------------------------------------- */

gsize gst_stx_network_bytes(const GstStxNetwork *self, guint input)
{
  static const gsize sizes[] = {
      [STX_TENSOR_FLOAT] = 4, [STX_TENSOR_HALF] = 2, [STX_TENSOR_BYTE] = 1};
  const GstStxNetworkInput *to = &self->input[input];

  return (gsize)to->x.network * (gsize)to->y.network * (gsize)to->channels *
         (to->views == BOTH ? 2 : 1) * sizes[to->type];
}

static StxTensorView view_of(const GstStxNetworkInput *input, gboolean right)
{
  gboolean stacked = input->views == BOTH && !input->batch;
  gsize width = (gsize)input->x.network, plane = width * (gsize)input->y.network;
  gsize channels = (gsize)input->channels, all = channels * (stacked ? 2 : 1);
  gsize second = input->interleaved && stacked ? channels : channels * plane;

  return (StxTensorView){.type = input->type,
      .channels = input->channels,
      .x = input->x,
      .y = input->y,
      .first = input->views == BOTH && right ? second : 0,
      .row = input->interleaved ? width * all : width,
      .step = input->interleaved ? all : 1,
      .plane = input->interleaved ? 1 : plane};
}

void gst_stx_network_fill(const GstStxNetwork *self, guint input, const StxImage8 view[2],
    const StxTensorPixel *pixel, void *tensor, gint threads)
{
  const GstStxNetworkInput *to = &self->input[input];
  StxTensorPixel from = *pixel;

  if (self->colours == GST_STX_NETWORK_BGR) {
    from.at[0] = pixel->at[2];
    from.at[2] = pixel->at[0];
  }
  for (guint right = 0; right < 2; right++)
    if (to->views & (right ? RIGHT : LEFT)) {
      StxTensorView place = view_of(to, right);

      stx_tensor_fill(&place, tensor, to->type == STX_TENSOR_BYTE ? &self->bytes : &self->table,
          &from, &view[right], threads);
    }
}

static GstStxOnnxTensor tensor_of(const GstStxNetwork *self, guint i, void *data)
{
  const GstStxNetworkInput *input = &self->input[i];
  gint64 channels = input->channels * (input->views == BOTH && !input->batch ? 2 : 1);
  GstStxOnnxTensor tensor = {.port = input->port,
      .type = self->onnx->input[input->port].type,
      .rank = 4,
      .data = data,
      .size = gst_stx_network_bytes(self, i)};

  tensor.shape[0] = input->batch ? 2 : 1;
  tensor.shape[input->interleaved ? 3 : 1] = channels;
  tensor.shape[input->interleaved ? 1 : 2] = input->y.network;
  tensor.shape[input->interleaved ? 2 : 3] = input->x.network;
  return tensor;
}

/* ---- Maps out ------------------------------------------------------------------------------ */

/* The sides that are more than 1, at most three of them. */
static guint sides_of(const GstStxOnnxTensor *tensor, gint64 sides[3])
{
  guint count = 0;

  for (guint i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] != 1) {
      if (count == 3)
        return 4;
      sides[count++] = tensor->shape[i];
    }
  return count;
}

static gboolean find_map(
    const GstStxNetwork *self, const GstStxOnnxTensor *tensor, StxTensorMap *map, StxError *error)
{
  gint64 sides[3] = {0};
  guint count = sides_of(tensor, sides);
  gboolean first = count == 3 && sides[0] == 2, last = count == 3 && sides[2] == 2 && !first;
  guint y = first ? 1 : 0;
  gint down = self->y.network, across = self->x.network;
  gboolean is_map = FALSE;
  g_autofree gchar *is = NULL;

  for (gint n = 1; n <= LEAST_PART; n *= 2) /* the picture's sides, or a part of them, rounded up */
    is_map |= sides[y] == (down + n - 1) / n && sides[y + 1] == (across + n - 1) / n;
  if (find_type(tensor->type, FALSE, &map->type) && (count == 2 || first || last) && is_map) {
    map->data = tensor->data;
    map->height = (gint)sides[y];
    map->width = (gint)sides[y + 1];
    map->step = last ? 2 : 1;
    map->row = (gsize)map->width * map->step;
    return TRUE;
  }
  is = gst_stx_onnx_describe(tensor->type, tensor->shape, tensor->rank);
  stx_fail(error,
      "its output %.40s is %.60s for views of %dx%d: must be float or float16, one or two maps of "
      "that size, or of 1/2, 1/4 or 1/8 of it",
      self->onnx->output[tensor->port].name, is, self->x.network, self->y.network);
  return FALSE;
}

static gboolean read_maps(const GstStxNetwork *self, const GstStxOnnxTensor outputs[2],
    const StxImage16 *disparity, const StxImage8 *confidence, StxTensorCounts *counts, gint threads,
    StxError *error)
{
  StxTensorMap map, sure;

  if (!find_map(self, &outputs[0], &map, error) ||
      (confidence->data != NULL && !find_map(self, &outputs[1], &sure, error)))
    return FALSE;
  stx_tensor_disparity(&map, &self->x, &self->y, self->factor, disparity, counts, threads);
  if (confidence->data != NULL)
    stx_tensor_confidence(&sure, &self->x, &self->y, confidence, threads);
  return TRUE;
}

gboolean gst_stx_network_run(GstStxNetwork *self, void *const tensor[], const StxImage16 *disparity,
    const StxImage8 *confidence, StxTensorCounts *counts, gint threads, StxError *error)
{
  GstStxOnnxTensor inputs[GST_STX_NETWORK_INPUTS];
  GstStxOnnxTensor outputs[2] = {{.port = self->disparity}, {.port = self->confidence}};
  guint wanted = confidence->data != NULL ? 2 : 1;
  gboolean read;

  for (guint i = 0; i < self->inputs; i++)
    inputs[i] = tensor_of(self, i, tensor[i]);
  if (!gst_stx_onnx_run(self->onnx, inputs, self->inputs, outputs, wanted, error))
    return FALSE;
  read = read_maps(self, outputs, disparity, confidence, counts, threads, error);
  gst_stx_onnx_release(self->onnx, outputs, wanted);
  return read;
}
