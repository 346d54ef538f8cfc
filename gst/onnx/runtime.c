/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/onnx/runtime.h"

#include <glob.h>
#include <gmodule.h>
#include <string.h>

#include "common/text_file.h"
#include "gst/onnx/api.h"

#define VARIABLE "STX_ONNXRUNTIME"
#define LIBRARY "libonnxruntime.so.1"
#define IN_PACKAGE "/onnxruntime/capi/libonnxruntime.so*"
#define SUFFIX "ExecutionProvider"
#define SEVERITY 4 /* only what ends the process is printed: reasons come back as statuses */
#define CPU_ARENA 1
#define DEFAULT_MEMORY 0

#define ENV(self) ((OnnxEnv *)(self)->env)
#define SESSION(self) ((OnnxSession *)(self)->session)
#define MEMORY(self) ((OnnxMemory *)(self)->memory)

/* ---- The library --------------------------------------------------------------------------- */

static void take_api(GstStxOnnxApi *api, const void *const *table)
{
#define TAKE(index, result, name, parameters) memcpy(&api->name, &table[index], sizeof api->name);
  ONNX_ENTRIES(TAKE)
#undef TAKE
}

/* Once for each file: a library whose threads may still run is not closed. */
static gboolean open_library(GstStxOnnxApi *api, const gchar *path, StxError *error)
{
  GModule *module = g_module_open(path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  const OnnxBase *(*get_base)(void) = NULL;
  const void *table;

  if (module == NULL)
    return stx_fail(error, "%.240s", g_module_error());
  if (!g_module_symbol(module, "OrtGetApiBase", (gpointer *)&get_base) || get_base == NULL) {
    g_module_close(module);
    return stx_fail(error, "%.200s is not ONNX Runtime", path);
  }
  g_module_make_resident(module);
  table = get_base()->get_api(GST_STX_ONNX_VERSION);
  if (table == NULL)
    return stx_fail(error, "%.150s is ONNX Runtime %.20s, expected 1.%d or newer", path,
        get_base()->get_version(), GST_STX_ONNX_VERSION);
  take_api(api, table);
  GST_INFO("ONNX Runtime %s from %s", get_base()->get_version(), path);
  return TRUE;
}

/* Opens the library in Python's packages in this folder. */
static gboolean open_in(GstStxOnnxApi *api, const gchar *folder)
{
  g_autofree gchar *pattern = g_strconcat(folder, IN_PACKAGE, NULL);
  gboolean opened = FALSE;
  glob_t found = {0};
  StxError error;

  if (glob(pattern, 0, NULL, &found) == 0)
    for (gsize i = 0; i < found.gl_pathc && !opened; i++)
      opened = open_library(api, found.gl_pathv[i], &error);
  globfree(&found);
  return opened;
}

static gboolean open_in_python(GstStxOnnxApi *api)
{
  const gchar *path = g_getenv("PYTHONPATH"), *environment = g_getenv("VIRTUAL_ENV");
  g_auto(GStrv) listed = g_strsplit(path != NULL ? path : "", ":", -1);
  gchar *folders[] = {
      g_strdup_printf("%s/lib/python3*/site-packages", environment != NULL ? environment : ""),
      g_strdup_printf("%s/.local/lib/python3*/site-packages", g_get_home_dir()),
      g_strdup("/usr/local/lib/python3*/[ds]*-packages"),
      g_strdup("/usr/lib/python3*/[ds]*-packages"),
  };
  gboolean opened = FALSE;

  for (gchar **folder = listed; *folder != NULL && !opened; folder++)
    opened = **folder != '\0' && open_in(api, *folder);
  for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
    opened = opened || open_in(api, folders[i]);
    g_free(folders[i]);
  }
  return opened;
}

static gboolean find_library(GstStxOnnxApi *api, const gchar *named, StxError *error)
{
  const gchar *set = named != NULL && *named != '\0' ? named : g_getenv(VARIABLE);

  if (set != NULL)
    return open_library(api, set, error) || stx_fail_as(error, STX_ERROR_SETTINGS);
  if (open_library(api, LIBRARY, error) || open_in_python(api))
    return TRUE;
  stx_fail(error,
      "there is no ONNX Runtime here (" LIBRARY "): install it (pip install onnxruntime), and name "
      "its libonnxruntime.so with library=FILE or " VARIABLE
      ", or its site-packages in PYTHONPATH");
  return stx_fail_as(error, STX_ERROR_SETTINGS);
}

/* ---- Failures ------------------------------------------------------------------------------ */

/* Takes the status. FALSE where it has a reason, which goes into `error` behind `what`. */
static gboolean succeeds(
    const GstStxOnnx *self, OnnxStatus *status, const gchar *what, StxError *error)
{
  if (status == NULL)
    return TRUE;
  stx_fail(error, "%.60s: %.190s", what, self->api->message_of(status));
  self->api->release_status(status);
  return FALSE;
}

/* True if that call of the runtime's table succeeds. */
#define TRY(call, what) succeeds(self, self->api->call, what, error)

/* The same where nothing hangs on it. */
static void forgive(const GstStxOnnx *self, OnnxStatus *status)
{
  if (status != NULL)
    self->api->release_status(status);
}

/* ---- Providers ----------------------------------------------------------------------------- */

/* Names without the suffix, a list to be freed. */
static gchar **usable_providers(const GstStxOnnx *self)
{
  GPtrArray *list = g_ptr_array_new();
  char **names = NULL;
  int count = 0;

  forgive(self, self->api->get_providers(&names, &count));
  for (int i = 0; i < count; i++) {
    gchar *name = g_strdup(names[i]);

    if (g_str_has_suffix(name, SUFFIX))
      name[strlen(name) - strlen(SUFFIX)] = '\0';
    g_ptr_array_add(list, name);
  }
  forgive(self, self->api->release_providers(names, count));
  g_ptr_array_add(list, NULL);
  return (gchar **)g_ptr_array_free(list, FALSE);
}

/* Returns the name as the library spells it, or NULL. */
static const gchar *spelled(gchar **usable, const gchar *wanted)
{
  gsize length = strlen(wanted);

  if (g_str_has_suffix(wanted, SUFFIX))
    length -= strlen(SUFFIX);
  for (; *usable != NULL; usable++)
    if (strlen(*usable) == length && g_ascii_strncasecmp(*usable, wanted, length) == 0)
      return *usable;
  return NULL;
}

/* Defines a function that adds a provider, by entries of the table that bear its name. */
#define DEFINE_ADD(Type, name, text)                                                               \
  static gboolean add_##name(                                                                      \
      const GstStxOnnx *self, OnnxOptions *options, const char *device, StxError *error)           \
  {                                                                                                \
    const char *const keys[] = {"device_id"}, *const values[] = {device};                          \
    Type *settings = NULL;                                                                         \
    gboolean added = TRY(create_##name(&settings), text) &&                                        \
                     TRY(set_##name(settings, keys, values, 1), text) &&                           \
                     TRY(add_##name(options, settings), text);                                     \
                                                                                                   \
    self->api->release_##name(settings);                                                           \
    return added;                                                                                  \
  }
DEFINE_ADD(OnnxCuda, cuda, "CUDA")
DEFINE_ADD(OnnxTensorrt, tensorrt, "TensorRT")

static gboolean add_provider(
    const GstStxOnnx *self, OnnxOptions *options, const gchar *name, gint device, StxError *error)
{
  gchar number[16];

  g_snprintf(number, sizeof number, "%d", device);
  if (g_str_equal(name, "CPU")) /* always there, behind all others */
    return TRUE;
  if (g_str_equal(name, "CUDA"))
    return add_cuda(self, options, number, error);
  if (g_str_equal(name, "Tensorrt"))
    return add_tensorrt(self, options, number, error);
  return TRY(add_provider(options, name, NULL, NULL, 0), name);
}

static gboolean add_providers(const GstStxOnnx *self, OnnxOptions *options,
    const GstStxOnnxSettings *settings, StxError *error)
{
  g_auto(GStrv) usable = usable_providers(self);
  g_autofree gchar *all = g_strjoinv(", ", usable);
  gboolean named = settings->providers != NULL && *settings->providers != '\0', added = TRUE;
  g_auto(GStrv) wanted = g_strsplit(named ? settings->providers : "CUDA", ",", -1);

  for (guint i = 0; wanted[i] != NULL && added; i++) {
    const gchar *name = spelled(usable, g_strstrip(wanted[i]));

    if (name != NULL && !add_provider(self, options, name, settings->device, error)) {
      added = !named; /* a library for GPUs on a machine without */
      GST_WARNING("%s", error->text);
    } else if (name == NULL && named)
      added = stx_fail(error, "providers=%.60s: this ONNX Runtime has %.150s", wanted[i], all);
  }
  return added;
}

/* ---- What a network takes and gives -------------------------------------------------------- */

static gboolean read_shape(const GstStxOnnx *self, const OnnxShape *shape, const gchar *what,
    gint *type, guint *rank, gint64 *sides, StxError *error)
{
  size_t count = 0;
  int element = 0;

  if (!TRY(element_of(shape, &element), what) || !TRY(rank_of(shape, &count), what))
    return FALSE;
  if (count > GST_STX_ONNX_RANK)
    return stx_fail(error, "%.100s has %u dimensions, at most %d are possible", what, (guint)count,
        GST_STX_ONNX_RANK);
  *type = element;
  *rank = (guint)count;
  return TRY(sides_of(shape, (int64_t *)sides, count), what);
}

/* Whatever is no tensor has the type 0. */
static gboolean read_type(const GstStxOnnx *self, OnnxStatus *status, OnnxType *type,
    GstStxOnnxPort *port, StxError *error)
{
  const OnnxShape *shape = NULL;
  gboolean read =
      succeeds(self, status, port->name, error) && TRY(shape_of_type(type, &shape), port->name) &&
      (shape == NULL ||
          read_shape(self, shape, port->name, &port->type, &port->rank, port->shape, error));

  self->api->release_type(type);
  return read;
}

static gboolean read_port(
    const GstStxOnnx *self, gboolean output, guint i, GstStxOnnxPort *port, StxError *error)
{
  const GstStxOnnxApi *api = self->api;
  OnnxAllocator *allocator = NULL;
  OnnxStatus *status;
  OnnxType *type = NULL;
  char *name = NULL;

  if (!succeeds(self, api->get_allocator(&allocator), "allocator", error) ||
      !succeeds(self,
          output ? api->name_of_output(SESSION(self), i, allocator, &name)
                 : api->name_of_input(SESSION(self), i, allocator, &name),
          "name", error))
    return FALSE;
  port->name = g_strdup(name);
  forgive(self, api->free_text(allocator, name));
  status = output ? api->type_of_output(SESSION(self), i, &type)
                  : api->type_of_input(SESSION(self), i, &type);
  return read_type(self, status, type, port, error);
}

static gboolean read_ports(GstStxOnnx *self, gboolean output, StxError *error)
{
  const GstStxOnnxApi *api = self->api;
  GstStxOnnxPort *ports = output ? self->output : self->input;
  guint *found = output ? &self->outputs : &self->inputs;
  size_t count = 0;

  if (!succeeds(self,
          output ? api->count_outputs(SESSION(self), &count)
                 : api->count_inputs(SESSION(self), &count),
          "session", error))
    return FALSE;
  if (count > GST_STX_ONNX_PORTS)
    return stx_fail(error, "it has %u %s, at most %d are possible", (guint)count,
        output ? "outputs" : "inputs", GST_STX_ONNX_PORTS);
  *found = (guint)count;
  for (guint i = 0; i < count; i++)
    if (!read_port(self, output, i, &ports[i], error))
      return FALSE;
  return TRUE;
}

static const gchar *type_name(gint type)
{
  static const gchar *const names[] = {"no tensor", "float", "uint8", "int8", "uint16", "int16",
      "int32", "int64", "string", "bool", "float16", "double"};

  return type >= 0 && type < (gint)G_N_ELEMENTS(names) ? names[type] : "of another type";
}

gchar *gst_stx_onnx_describe(gint type, const gint64 *shape, guint rank)
{
  GString *text = g_string_new(type_name(type));

  for (guint i = 0; i < rank; i++) {
    g_string_append(text, i == 0 ? " " : "x");
    if (shape[i] < 0)
      g_string_append_c(text, '?');
    else
      g_string_append_printf(text, "%" G_GINT64_FORMAT, shape[i]);
  }
  return g_string_free(text, FALSE);
}

/* ---- A network ----------------------------------------------------------------------------- */

/* Threads of the runtime that wait for work shall not keep others from a core. */
static gboolean set_options(const GstStxOnnx *self, OnnxOptions *options,
    const GstStxOnnxSettings *settings, StxError *error)
{
  forgive(self, self->api->set_option(options, "session.intra_op.allow_spinning", "0"));
  return TRY(set_threads(options, settings->threads), "threads") &&
         add_providers(self, options, settings, error);
}

static gboolean load(GstStxOnnx *self, const GstStxOnnxSettings *settings, StxError *error)
{
  OnnxOptions *options = NULL;
  StxError cause = {""};
  gboolean loaded =
      TRY(create_env(SEVERITY, "gst-stixels", (OnnxEnv **)&self->env), "ONNX Runtime") &&
      TRY(create_options(&options), "ONNX Runtime") &&
      set_options(self, options, settings, error) &&
      TRY(create_memory(CPU_ARENA, DEFAULT_MEMORY, (OnnxMemory **)&self->memory), "ONNX Runtime");

  if (loaded) {
    loaded = succeeds(self,
                 self->api->create_session(
                     ENV(self), settings->model, options, (OnnxSession **)&self->session),
                 "ONNX Runtime", &cause) &&
             read_ports(self, FALSE, &cause) && read_ports(self, TRUE, &cause);
    if (!loaded)
      stx_fail(error, "model=%.100s: %.145s", stx_text_file_name(settings->model), cause.text);
  }
  self->api->release_options(options);
  return loaded;
}

GstStxOnnx *gst_stx_onnx_open(const GstStxOnnxSettings *settings, StxError *error)
{
  GstStxOnnx *self;

  if (settings->model == NULL || *settings->model == '\0') {
    stx_fail(error, "there is no network: set model=FILE.onnx");
    stx_fail_as(error, STX_ERROR_SETTINGS);
    return NULL;
  }
  if (!g_file_test(settings->model, G_FILE_TEST_IS_REGULAR)) {
    stx_fail(error, "model=%.200s: there is no such file", settings->model);
    stx_fail_as(error, STX_ERROR_SETTINGS);
    return NULL;
  }
  self = g_new0(GstStxOnnx, 1);
  self->api = g_new0(GstStxOnnxApi, 1);
  if (!find_library(self->api, settings->library, error)) {
    g_clear_pointer(&self->api, g_free);
    g_free(self);
    return NULL;
  }
  if (load(self, settings, error))
    return self;
  stx_fail_as(error, STX_ERROR_SETTINGS);
  gst_stx_onnx_close(self);
  return NULL;
}

void gst_stx_onnx_close(GstStxOnnx *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < GST_STX_ONNX_PORTS; i++) {
    g_free(self->input[i].name);
    g_free(self->output[i].name);
  }
  self->api->release_session(SESSION(self));
  self->api->release_memory(MEMORY(self));
  self->api->release_env(ENV(self));
  g_free(self->api);
  g_free(self);
}

/* ---- A run --------------------------------------------------------------------------------- */

static gboolean read_result(const GstStxOnnx *self, GstStxOnnxTensor *tensor, StxError *error)
{
  const gchar *name = self->output[tensor->port].name;
  OnnxShape *shape = NULL;
  gboolean read =
      TRY(shape_of_value(tensor->value, &shape), name) &&
      read_shape(self, shape, name, &tensor->type, &tensor->rank, tensor->shape, error) &&
      TRY(data_of(tensor->value, &tensor->data), name);

  self->api->release_shape(shape);
  return read;
}

void gst_stx_onnx_release(GstStxOnnx *self, GstStxOnnxTensor *outputs, guint count)
{
  for (guint i = 0; i < count; i++) {
    self->api->release_value(outputs[i].value);
    outputs[i].value = outputs[i].data = NULL;
  }
}

static gboolean run(GstStxOnnx *self, const GstStxOnnxTensor *inputs, OnnxValue **values,
    guint count, GstStxOnnxTensor *outputs, guint wanted, StxError *error)
{
  const char *taken[GST_STX_ONNX_PORTS], *given[GST_STX_ONNX_PORTS];
  OnnxValue *results[GST_STX_ONNX_PORTS] = {NULL};
  gboolean done;

  for (guint i = 0; i < count; i++)
    taken[i] = self->input[inputs[i].port].name;
  for (guint i = 0; i < wanted; i++)
    given[i] = self->output[outputs[i].port].name;
  done = TRY(run(SESSION(self), NULL, taken, (const OnnxValue *const *)values, count, given, wanted,
                 results),
      "the network");
  for (guint i = 0; i < wanted; i++)
    outputs[i].value = results[i];
  for (guint i = 0; i < wanted && done; i++)
    done = read_result(self, &outputs[i], error);
  if (!done)
    gst_stx_onnx_release(self, outputs, wanted);
  return done;
}

gboolean gst_stx_onnx_run(GstStxOnnx *self, const GstStxOnnxTensor *inputs, guint count,
    GstStxOnnxTensor *outputs, guint wanted, StxError *error)
{
  OnnxValue *values[GST_STX_ONNX_PORTS] = {NULL};
  gboolean done = TRUE;

  for (guint i = 0; i < count && done; i++)
    done = TRY(create_value(MEMORY(self), inputs[i].data, inputs[i].size,
                   (const int64_t *)inputs[i].shape, inputs[i].rank, inputs[i].type, &values[i]),
        self->input[inputs[i].port].name);
  done = done && run(self, inputs, values, count, outputs, wanted, error);
  for (guint i = 0; i < count; i++)
    self->api->release_value(values[i]);
  return done || stx_fail_as(error, STX_ERROR_FAILED);
}
