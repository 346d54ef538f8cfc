/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zedsrc and zeddemux as in https://github.com/stereolabs/zed-gstreamer (c8a6aa3): BGRA, two views
 * or a view and its depth one above the other; the demuxer always has all pads. realsensesrc and
 * rsdemux as in https://github.com/WKDSMRT/realsense-gstreamer (4c11e3d): a buffer with everything,
 * which rsdemux alone understands (its layout here is our own), and pads that come with it.
 */
#include "tests/cameras/vendors.h"

#include <string.h>

#include "tests/cameras/camera.h"

/* ---- Sources ------------------------------------------------------------------------------- */

enum { STREAM_TYPE = 1, OTHER };

typedef struct {
  Camera parent;
  gint stream_type;
} Vendor;

typedef struct {
  CameraClass parent_class;
} VendorClass;

typedef Vendor Zed;
typedef VendorClass ZedClass;
typedef Vendor RealSense;
typedef VendorClass RealSenseClass;

static GType zed_get_type(void);
static GType real_sense_get_type(void);
G_DEFINE_TYPE(Zed, zed, TYPE_CAMERA)
G_DEFINE_TYPE(RealSense, real_sense, TYPE_CAMERA)

#define RATE "framerate={15/1,30/1,60/1}"

static GstStaticPadTemplate zed_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format=BGRA,width={1280,2560},height={720,1440}," RATE ";"
                        "video/x-raw,format=GRAY16_LE,width=1280,height=720," RATE));

/* Of 1280×720, with the depth behind it. */
static GstStaticPadTemplate real_sense_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format=RGB,width=1280,height=1200,framerate=30/1"));

static CameraView choose_zed(Camera *self, int width, int height)
{
  static const CameraView views[] = {CAMERA_LEFT, CAMERA_RIGHT, CAMERA_TOP_BOTTOM, CAMERA_DEPTH,
      CAMERA_LEFT_DEPTH, CAMERA_SIDE_BY_SIDE};

  return views[((Vendor *)self)->stream_type];
}

static CameraView choose_real_sense(Camera *self, int width, int height)
{
  return CAMERA_COLOUR_DEPTH;
}

/* The stream-type decides what there is to negotiate. */
static GstCaps *zed_get_caps(GstBaseSrc *base, GstCaps *filter)
{
  static const char *const caps[] = {"BGRA,width=1280,height=720", "BGRA,width=1280,height=720",
      "BGRA,width=1280,height=1440", "GRAY16_LE,width=1280,height=720",
      "BGRA,width=1280,height=1440", "BGRA,width=2560,height=720"};
  g_autofree gchar *text =
      g_strdup_printf("video/x-raw,format=%s,framerate=30/1", caps[((Vendor *)base)->stream_type]);
  GstCaps *all = gst_caps_from_string(text), *some;

  if (filter == NULL)
    return all;
  some = gst_caps_intersect_full(filter, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(all);
  return some;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id == STREAM_TYPE)
    ((Vendor *)object)->stream_type = g_value_get_int(value);
}

static void add_number(GObjectClass *class, guint id, const char *name, gint most)
{
  g_object_class_install_property(class, id,
      g_param_spec_int(name, "", "", 0, most, 0, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static void be_source(gpointer class, GstStaticPadTemplate *template)
{
  G_OBJECT_CLASS(class)->set_property = set_property;
  gst_element_class_add_static_pad_template(class, template);
  gst_element_class_set_static_metadata(
      class, "Stand-in", "Source/Video", "A stereo camera", "gst-stixels");
}

static void zed_init(Zed *self)
{
}

static void zed_class_init(ZedClass *class)
{
  be_source(class, &zed_template);
  add_number(G_OBJECT_CLASS(class), STREAM_TYPE, "stream-type", 5);
  add_number(G_OBJECT_CLASS(class), OTHER, "camera-resolution", 6);
  add_number(G_OBJECT_CLASS(class), OTHER + 1, "camera-fps", 120);
  GST_BASE_SRC_CLASS(class)->get_caps = zed_get_caps;
  ((CameraClass *)class)->choose = choose_zed;
}

static void real_sense_init(RealSense *self)
{
}

static void real_sense_class_init(RealSenseClass *class)
{
  be_source(class, &real_sense_template);
  add_number(G_OBJECT_CLASS(class), STREAM_TYPE, "stream-type", 2);
  add_number(G_OBJECT_CLASS(class), OTHER, "align", 2);
  ((CameraClass *)class)->choose = choose_real_sense;
}

/* ---- Demuxers ------------------------------------------------------------------------------ */

typedef struct {
  GstElement parent;
  GstPad *sink, *src[2]; /* a picture, and what belongs to it */
  gboolean is_depth;
  gint width, height; /* of the picture */
} Demux;

typedef struct {
  GstElementClass parent_class;
  GstFlowReturn (*split)(Demux *self, const guint8 *data, GstBuffer *parts[2]);
} DemuxClass;

static GType demux_get_type(void);
G_DEFINE_ABSTRACT_TYPE(Demux, demux, GST_TYPE_ELEMENT)

static GstBuffer *new_part(const guint8 *data, gsize size)
{
  return gst_buffer_new_memdup(data, size);
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Demux *self = (Demux *)parent;
  DemuxClass *class = G_TYPE_INSTANCE_GET_CLASS(self, demux_get_type(), DemuxClass);
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *parts[2];
  GstMapInfo map;

  gst_buffer_map(buffer, &map, GST_MAP_READ);
  class->split(self, map.data, parts);
  gst_buffer_unmap(buffer, &map);
  for (guint i = 0; i < 2; i++) {
    gst_buffer_copy_into(parts[i], buffer, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
    if (flow == GST_FLOW_OK)
      flow = gst_pad_push(self->src[i], parts[i]);
    else
      gst_buffer_unref(parts[i]);
  }
  gst_buffer_unref(buffer);
  return flow;
}

static void add_pad(Demux *self, guint index, const char *template, const char *name)
{
  GstPadTemplate *pads = gst_element_get_pad_template(GST_ELEMENT(self), template);

  self->src[index] = gst_pad_new_from_template(pads, name);
  gst_pad_set_active(self->src[index], TRUE);
  gst_element_add_pad(GST_ELEMENT(self), self->src[index]);
}

static void set_format(Demux *self, guint index, const char *format)
{
  GstPad *pad = self->src[index];
  g_autofree gchar *id = gst_pad_create_stream_id(pad, GST_ELEMENT(self), GST_PAD_NAME(pad));
  g_autoptr(GstCaps) caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, self->width, "height", G_TYPE_INT, self->height, "framerate",
      GST_TYPE_FRACTION, 30, 1, NULL);
  GstEvent *segment = gst_pad_get_sticky_event(self->sink, GST_EVENT_SEGMENT, 0);

  gst_pad_push_event(pad, gst_event_new_stream_start(id));
  gst_pad_set_caps(pad, caps);
  if (segment != NULL)
    gst_pad_push_event(pad, segment);
}

static void demux_init(Demux *self)
{
}

static void demux_class_init(DemuxClass *class)
{
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(class), "Stand-in", "Demuxer", "Of a stereo camera", "gst-stixels");
}

static void add_sink(Demux *self, GstPadEventFunction event)
{
  self->sink =
      gst_pad_new_from_template(gst_element_get_pad_template(GST_ELEMENT(self), "sink"), "sink");
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_event_function(self->sink, event);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
}

static void read_size(Demux *self, GstEvent *event, gint parts, gint of)
{
  GstCaps *caps;

  gst_event_parse_caps(event, &caps);
  gst_structure_get(gst_caps_get_structure(caps, 0), "width", G_TYPE_INT, &self->width, "height",
      G_TYPE_INT, &self->height, NULL);
  self->height = self->height * parts / of;
  gst_event_unref(event);
}

/* ---- zeddemux ------------------------------------------------------------------------------ */

typedef Demux ZedDemux;
typedef DemuxClass ZedDemuxClass;

static GType zed_demux_get_type(void);
G_DEFINE_TYPE(ZedDemux, zed_demux, demux_get_type())

static GstStaticPadTemplate zed_demux_templates[] = {
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format=BGRA,width=1280,height=1440," RATE)),
    GST_STATIC_PAD_TEMPLATE("src_left", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format=BGRA,width=1280,height=720," RATE)),
    GST_STATIC_PAD_TEMPLATE("src_aux", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS("video/x-raw,format={BGRA,GRAY16_LE},width=1280,height=720," RATE)),
};

/* Depth is cut to its low 16 bits. */
static GstFlowReturn zed_split(Demux *self, const guint8 *data, GstBuffer *parts[2])
{
  gsize pixels = (gsize)self->width * (gsize)self->height;
  g_autofree guint16 *depth = g_new(guint16, pixels);

  parts[0] = new_part(data, 4 * pixels);
  data += 4 * pixels;
  for (gsize i = 0; i < pixels; i++)
    depth[i] = (guint16)GST_READ_UINT32_LE(data + 4 * i);
  parts[1] = self->is_depth ? new_part((guint8 *)depth, 2 * pixels) : new_part(data, 4 * pixels);
  return GST_FLOW_OK;
}

static gboolean zed_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  Demux *self = (Demux *)parent;

  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    read_size(self, event, 1, 2);
    return TRUE;
  }
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT)
    return gst_pad_event_default(pad, parent, event);
  gst_pad_store_sticky_event(pad, event);
  gst_event_unref(event);
  set_format(self, 0, "BGRA");
  set_format(self, 1, self->is_depth ? "GRAY16_LE" : "BGRA");
  return TRUE;
}

static void set_is_depth(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ((Demux *)object)->is_depth = g_value_get_boolean(value);
}

static void zed_demux_init(ZedDemux *self)
{
  add_sink(self, zed_event);
  add_pad(self, 0, "src_left", "src_left");
  add_pad(self, 1, "src_aux", "src_aux");
}

static void zed_demux_class_init(ZedDemuxClass *class)
{
  G_OBJECT_CLASS(class)->set_property = set_is_depth;
  g_object_class_install_property(G_OBJECT_CLASS(class), 1,
      g_param_spec_boolean("is-depth", "", "", FALSE, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  for (guint i = 0; i < G_N_ELEMENTS(zed_demux_templates); i++)
    gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(class), &zed_demux_templates[i]);
  class->split = zed_split;
}

/* ---- rsdemux ------------------------------------------------------------------------------- */

typedef Demux RsDemux;
typedef DemuxClass RsDemuxClass;

static GType rs_demux_get_type(void);
G_DEFINE_TYPE(RsDemux, rs_demux, demux_get_type())

static GstStaticPadTemplate rs_demux_templates[] = {
    GST_STATIC_PAD_TEMPLATE(
        "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("RGB"))),
    GST_STATIC_PAD_TEMPLATE(
        "color", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("RGB"))),
    GST_STATIC_PAD_TEMPLATE(
        "depth", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("GRAY16_LE"))),
};

static GstFlowReturn rs_split(Demux *self, const guint8 *data, GstBuffer *parts[2])
{
  gsize pixels = (gsize)self->width * (gsize)self->height;

  if (self->src[0] == NULL) {
    add_pad(self, 0, "color", "color");
    add_pad(self, 1, "depth", "depth");
    set_format(self, 0, "RGB");
    set_format(self, 1, "GRAY16_LE");
  }
  parts[0] = new_part(data, 3 * pixels);
  parts[1] = new_part(data + 3 * pixels, 2 * pixels);
  return GST_FLOW_OK;
}

static gboolean rs_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    read_size((Demux *)parent, event, 3, 5);
  else if (GST_EVENT_IS_SERIALIZED(event))
    gst_event_unref(event); /* the pads are not there yet; the segment stays on the sink pad */
  else
    return gst_pad_event_default(pad, parent, event);
  return TRUE;
}

static void rs_demux_init(RsDemux *self)
{
  add_sink(self, rs_event);
}

static void rs_demux_class_init(RsDemuxClass *class)
{
  for (guint i = 0; i < G_N_ELEMENTS(rs_demux_templates); i++)
    gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(class), &rs_demux_templates[i]);
  class->split = rs_split;
}

void stand_ins_register_vendors(void)
{
  g_assert(gst_element_register(NULL, "zedsrc", GST_RANK_NONE, zed_get_type()));
  g_assert(gst_element_register(NULL, "zeddemux", GST_RANK_NONE, zed_demux_get_type()));
  g_assert(gst_element_register(NULL, "realsensesrc", GST_RANK_NONE, real_sense_get_type()));
  g_assert(gst_element_register(NULL, "rsdemux", GST_RANK_NONE, rs_demux_get_type()));
}
