/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/gst/cuda/cuda_foreign.h"

#define GST_USE_UNSTABLE_API
#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <gst/video/video.h>

#define CUDA "memory:CUDAMemory"
#define PATIENCE 1000 /* ms until downstream has let go of a memory; then there is another */

typedef struct {
  GstElement parent;
  GstPad *sink, *src;
  gboolean uploads, streams;
  gboolean late;      /* a download is waited for when the next buffer comes, or the end */
  gboolean odd;       /* what is uploaded begins at an odd address */
  GstBuffer *pending; /* such a download, mapped */
  GstMapInfo target;
  GstCudaContext *context;
  CUstream stream;    /* its own; with `streams` that of `carrier` */
  gpointer carrier;   /* GstCudaStream */
  GstMemory *memory;  /* of the last upload */
  GByteArray *pinned; /* what is being uploaded from */
} Foreign;

typedef GstElementClass ForeignClass;
GType foreign_get_type(void);
G_DEFINE_TYPE(Foreign, foreign, GST_TYPE_ELEMENT)

/* ---- Functions that 1.22 lacks or declares otherwise --------------------------------------- */

typedef GstMemory *(*Alloc122)(GstAllocator *, GstCudaContext *, const GstVideoInfo *);
typedef GstMemory *(*Alloc124)(GstAllocator *, GstCudaContext *, gpointer, const GstVideoInfo *);

static gpointer look_up(const char *name)
{
  return dlsym(RTLD_DEFAULT, name);
}

gboolean cuda_foreign_has_streams(void)
{
  return look_up("gst_cuda_memory_sync") != NULL;
}

static GstMemory *allocate(Foreign *self, gsize size)
{
  GstAllocator *allocator = gst_allocator_find(GST_CUDA_MEMORY_TYPE_NAME);
  gpointer function = look_up("gst_cuda_allocator_alloc");
  GstMemory *memory;
  GstVideoInfo row;

  gst_video_info_set_format(&row, GST_VIDEO_FORMAT_RGBA, (guint)(size + 3) / 4, 1);
  if (cuda_foreign_has_streams())
    memory = ((Alloc124)function)(allocator, self->context, self->carrier, &row);
  else
    memory = ((Alloc122)function)(allocator, self->context, &row);
  gst_object_unref(allocator);
  ck_assert(memory != NULL);
  return memory;
}

static void open_stream(Foreign *self)
{
  gpointer (*make)(GstCudaContext *) = (gpointer)look_up("gst_cuda_stream_new");
  CUstream (*handle)(gpointer) = (gpointer)look_up("gst_cuda_stream_get_handle");

  if (self->streams) {
    self->carrier = make(self->context);
    self->stream = handle(self->carrier);
    return;
  }
  gst_cuda_context_push(self->context);
  ck_assert_int_eq(
      CuStreamCreate(&self->stream, self->late ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING),
      CUDA_SUCCESS);
  gst_cuda_context_pop(NULL);
}

static void close_stream(Foreign *self)
{
  void (*unref)(gpointer) = (gpointer)look_up("gst_cuda_stream_unref");

  if (self->stream == NULL)
    return;
  gst_cuda_context_push(self->context);
  CuStreamSynchronize(self->stream);
  if (self->carrier == NULL)
    CuStreamDestroy(self->stream);
  gst_cuda_context_pop(NULL);
  if (self->carrier != NULL)
    unref(self->carrier);
  self->carrier = NULL;
  self->stream = NULL;
}

/* ---- Copies -------------------------------------------------------------------------------- */

static void copy(Foreign *self, CUdeviceptr device, gpointer host, gsize size, gboolean wait)
{
  CUDA_MEMCPY2D c = {.WidthInBytes = size, .Height = 1};

  c.srcMemoryType = self->uploads ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  c.dstMemoryType = self->uploads ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  c.srcHost = c.dstHost = host;
  c.srcDevice = c.dstDevice = device;
  c.srcPitch = c.dstPitch = size;
  gst_cuda_context_push(self->context);
  ck_assert_int_eq(CuMemcpy2DAsync(&c, self->stream), CUDA_SUCCESS);
  if (wait)
    ck_assert_int_eq(CuStreamSynchronize(self->stream), CUDA_SUCCESS);
  gst_cuda_context_pop(NULL);
}

static gboolean is_free(const GstMemory *memory, gsize size)
{
  return GST_MINI_OBJECT_REFCOUNT_VALUE(memory) == 1 && memory->size == size;
}

/* The memory that downstream has had before, if it comes back. */
static GstMemory *take_memory(Foreign *self, gsize size)
{
  GstMapInfo map;

  for (guint ms = 0; self->memory != NULL && ms < PATIENCE; ms++) {
    if (is_free(self->memory, size))
      return self->memory;
    g_usleep(1000);
  }
  gst_cuda_context_push(self->context);
  CuStreamSynchronize(self->stream); /* it reads `pinned` */
  gst_cuda_context_pop(NULL);
  if (self->memory != NULL)
    gst_memory_unref(self->memory);
  self->memory = allocate(self, size + self->odd);
  /* At its first map to the host GstCuda allocates as much as the memory is large then. */
  ck_assert(gst_memory_map(self->memory, &map, GST_MAP_READ));
  gst_memory_unmap(self->memory, &map);
  gst_memory_resize(self->memory, self->odd, size);
  return self->memory;
}

static GstBuffer *upload(Foreign *self, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size(buffer);
  GstBuffer *out = gst_buffer_new();
  GstMemory *memory = take_memory(self, size);
  GstMapInfo map;

  /* The last copy has been made when its memory is back; the test's driver reads late. */
  g_byte_array_set_size(self->pinned, (guint)size);
  gst_buffer_extract(buffer, 0, self->pinned->data, size);
  ck_assert(gst_memory_map(memory, &map, GST_MAP_WRITE | GST_MAP_CUDA));
  copy(self, (CUdeviceptr)(gsize)map.data, self->pinned->data, size, !self->streams);
  gst_memory_unmap(memory, &map);
  gst_buffer_append_memory(out, gst_memory_ref(memory));
  return out;
}

static GstBuffer *download(Foreign *self, GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  GstBuffer *out = gst_buffer_new_allocate(NULL, memory->size, NULL);
  GstMapInfo device;

  ck_assert(gst_memory_map(memory, &device, GST_MAP_READ | GST_MAP_CUDA));
  ck_assert(gst_buffer_map(out, &self->target, GST_MAP_WRITE));
  copy(self, (CUdeviceptr)(gsize)device.data, self->target.data, self->target.size, !self->late);
  if (!self->late)
    gst_buffer_unmap(out, &self->target);
  gst_memory_unmap(memory, &device);
  return out;
}

static GstFlowReturn push_pending(Foreign *self)
{
  if (self->pending == NULL)
    return GST_FLOW_OK;
  gst_cuda_context_push(self->context);
  ck_assert_int_eq(CuStreamSynchronize(self->stream), CUDA_SUCCESS);
  gst_cuda_context_pop(NULL);
  gst_buffer_unmap(self->pending, &self->target);
  return gst_pad_push(self->src, g_steal_pointer(&self->pending));
}

/* The same layout as before, of which GStreamer does not copy what it knows to other memory. */
static void describe(GstBuffer *out, GstBuffer *buffer)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);

  gst_buffer_copy_into(out, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  if (meta != NULL && gst_buffer_get_video_meta(out) == NULL)
    gst_buffer_add_video_meta_full(out, meta->flags, meta->format, meta->width, meta->height,
        meta->n_planes, meta->offset, meta->stride);
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Foreign *self = (Foreign *)parent;
  GstBuffer *out;

  if (self->context == NULL)
    ck_assert(gst_cuda_ensure_element_context(GST_ELEMENT(self), -1, &self->context));
  if (self->stream == NULL)
    open_stream(self);
  push_pending(self);
  if (gst_buffer_get_size(buffer) == 0)
    return gst_pad_push(self->src, buffer);
  out = (self->uploads ? upload : download)(self, buffer);
  describe(out, buffer);
  gst_buffer_unref(buffer);
  if (!self->late)
    return gst_pad_push(self->src, out);
  self->pending = out;
  return GST_FLOW_OK;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  Foreign *self = (Foreign *)parent;
  g_autoptr(GstCaps) caps = NULL;

  push_pending(self);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
    return gst_pad_event_default(pad, parent, event);
  gst_event_parse_caps(event, &caps);
  caps = gst_caps_copy(caps);
  gst_caps_set_features_simple(caps, self->uploads ? gst_caps_features_new(CUDA, NULL) : NULL);
  gst_event_unref(event);
  event = gst_event_new_caps(caps);
  return gst_pad_push_event(self->src, event);
}

/* Elements give CUDAMemory only where it is named. */
static gboolean query_caps(GstQuery *asked)
{
  g_autoptr(GstCaps) caps = gst_caps_from_string(
      "video/x-raw(" CUDA "); application/x-stixels(" CUDA "); application/x-stixel-columns(" CUDA
      "); application/x-point-labels(" CUDA ")");
  GstCaps *filter;

  gst_query_parse_caps(asked, &filter);
  gst_query_set_caps_result(asked, caps);
  if (filter != NULL) {
    g_autoptr(GstCaps) both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);

    gst_query_set_caps_result(asked, both);
  }
  return TRUE;
}

static gboolean query(GstPad *pad, GstObject *parent, GstQuery *asked)
{
  Foreign *self = (Foreign *)parent;

  if (GST_QUERY_TYPE(asked) == GST_QUERY_CAPS && pad == self->sink && !self->uploads)
    return query_caps(asked);
  if (GST_QUERY_TYPE(asked) == GST_QUERY_CONTEXT &&
      gst_cuda_handle_context_query(GST_ELEMENT(self), asked, self->context))
    return TRUE;
  return GST_QUERY_TYPE(asked) == GST_QUERY_ALLOCATION ? FALSE
                                                       : gst_pad_query_default(pad, parent, asked);
}

static void set_context(GstElement *element, GstContext *context)
{
  gst_cuda_handle_set_context(element, context, -1, &((Foreign *)element)->context);
  GST_ELEMENT_CLASS(foreign_parent_class)->set_context(element, context);
}

/* ---- Life ---------------------------------------------------------------------------------- */

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  Foreign *self = (Foreign *)element;
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS(foreign_parent_class)->change_state(element, transition);

  if (transition != GST_STATE_CHANGE_PAUSED_TO_READY)
    return result;
  close_stream(self);
  g_clear_pointer(&self->memory, gst_memory_unref);
  gst_clear_object(&self->context);
  return result;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  Foreign *self = (Foreign *)object;
  gboolean *const values[] = {NULL, &self->streams, &self->late, &self->odd};

  *values[id] = g_value_get_boolean(value);
}

static void finalize(GObject *object)
{
  g_byte_array_unref(((Foreign *)object)->pinned);
  G_OBJECT_CLASS(foreign_parent_class)->finalize(object);
}

static void foreign_class_init(ForeignClass *klass)
{
  G_OBJECT_CLASS(klass)->set_property = set_property;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  static const char *const names[] = {NULL, "streams", "late", "odd"};

  for (guint i = 1; i < G_N_ELEMENTS(names); i++)
    g_object_class_install_property(G_OBJECT_CLASS(klass), i,
        g_param_spec_boolean(names[i], "", "", FALSE, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_set_static_metadata(klass, "Copy", "Filter", "To or from a GPU", "gst-stixels");
  klass->set_context = set_context;
  klass->change_state = change_state;
}

static void add_pad(Foreign *self, GstPad **pad, const char *name, GstPadDirection direction)
{
  *pad = gst_pad_new(name, direction);
  gst_pad_set_query_function(*pad, query);
  gst_element_add_pad(GST_ELEMENT(self), *pad);
}

static void foreign_init(Foreign *self)
{
  self->pinned = g_byte_array_new();
  add_pad(self, &self->sink, "sink", GST_PAD_SINK);
  add_pad(self, &self->src, "src", GST_PAD_SRC);
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_event_function(self->sink, sink_event);
}

typedef Foreign Upload;
typedef ForeignClass UploadClass;
GType upload_get_type(void);
G_DEFINE_TYPE(Upload, upload, foreign_get_type())

static void upload_class_init(UploadClass *klass)
{
}

static void upload_init(Upload *self)
{
  self->uploads = TRUE;
}

void cuda_foreign_register(void)
{
  gst_cuda_load_library();
  gst_cuda_memory_init_once();
  gst_element_register(NULL, "stx-test-upload", GST_RANK_NONE, upload_get_type());
  gst_element_register(NULL, "stx-test-download", GST_RANK_NONE, foreign_get_type());
}
