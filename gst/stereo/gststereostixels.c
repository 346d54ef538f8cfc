/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the pictures of two cameras to stixels in one element: stereo-rectify if the calibration is
 * of cameras that need it, stereo-sgm or onnx-stereo, downsample-transpose, sat-dp-stixels or
 * rdp-columns, and stixel-overlay or stixel-json.
 */
#include <string.h>

#include "gst/base/inputs.h"
#include "gst/stereo/plumbing.h"
#include "gst/core/elements.h"
#include "gst/core/element.h"
#include "gst/core/properties.h"

GST_DEBUG_CATEGORY(gst_stereo_stixels_debug);

G_DECLARE_FINAL_TYPE(GstStereoStixels, gst_stereo_stixels, GST, STEREO_STIXELS, GstBin)

struct _GstStereoStixels {
  GstBin parent;

  GstPlumbing plumbing;
  GstPlumbingSettings settings; /* properties, under the object lock */
  GSList *unknown;              /* names of children that were asked for and are none, likewise */
};

/* gst-launch-1.0 asks for the child of sgm::p1=10, and waits silently for one that is none. */
static GObject *get_child_by_name(GstChildProxy *proxy, const gchar *name)
{
  GstChildProxyInterface *bin = g_type_interface_peek_parent(GST_CHILD_PROXY_GET_INTERFACE(proxy));
  GstStereoStixels *self = GST_STEREO_STIXELS(proxy);
  GObject *child = bin->get_child_by_name(proxy, name);

  GST_OBJECT_LOCK(self);
  if (child == NULL && g_slist_find_custom(self->unknown, name, (GCompareFunc)strcmp) == NULL)
    self->unknown = g_slist_append(self->unknown, g_strdup(name));
  GST_OBJECT_UNLOCK(self);
  return child;
}

static void gst_stereo_stixels_child_proxy_init(gpointer interface, gpointer nothing)
{
  ((GstChildProxyInterface *)interface)->get_child_by_name = get_child_by_name;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(GstStereoStixels, gst_stereo_stixels, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE(GST_TYPE_CHILD_PROXY, gst_stereo_stixels_child_proxy_init))
GST_STX_ELEMENT(stereo_stixels, "stereo-stixels")

/* ---- Pads ---------------------------------------------------------------------------------- */

static GstPad *request_new_pad(
    GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstStereoStixels *self = GST_STEREO_STIXELS(element);
  g_autoptr(GstPad) pad =
      gst_ghost_pad_new_no_target_from_template(GST_PAD_TEMPLATE_NAME_TEMPLATE(templ), templ);

  gst_object_ref_sink(pad);
  if (GST_PAD_IS_SINK(pad))
    gst_stx_want_caps(pad);
  /* Before anything can come out of it: a queue that finds its pad unlinked waits for a link, but
   * one that finds it inactive stops the stream of all pads. */
  gst_pad_set_active(pad, GST_STATE(element) > GST_STATE_READY);
  if (!gst_plumbing_add_pad(&self->plumbing, pad)) {
    gst_pad_set_active(pad, FALSE);
    return NULL;
  }
  gst_element_add_pad(element, pad);
  return pad;
}

/* The output is unlinked first, for the same reason as above. */
static void release_pad(GstElement *element, GstPad *pad)
{
  gst_plumbing_remove_pad(&GST_STEREO_STIXELS(element)->plumbing, pad);
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
}

/* ---- States -------------------------------------------------------------------------------- */

/* Unless it came with a pad. */
static void tell_unknown(GstStereoStixels *self, const gchar *unknown)
{
  g_autoptr(GstElement) found = gst_bin_get_by_name(GST_BIN(self), unknown);
  g_autoptr(GString) parts = g_string_new(NULL);

  for (GstPlumbingPart i = 0; i < GST_PLUMBING_INPUTS; i++)
    g_string_append_printf(parts, "%s%s", i > 0 ? ", " : "", gst_plumbing_parts[i].name);
  if (found == NULL)
    GST_ELEMENT_WARNING(self, RESOURCE, SETTINGS,
        ("There is no element %s inside, so its property was not set; there are %s", unknown,
            parts->str),
        (NULL));
}

static gboolean start(GstStereoStixels *self)
{
  GstPlumbingSettings settings;
  GSList *unknown;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  unknown = g_steal_pointer(&self->unknown);
  GST_OBJECT_UNLOCK(self);
  for (GSList *name = unknown; name != NULL; name = name->next)
    tell_unknown(self, name->data);
  g_slist_free_full(unknown, g_free);
  return gst_plumbing_connect(&self->plumbing, &settings);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstStereoStixels *self = GST_STEREO_STIXELS(element);
  GstStateChangeReturn result = GST_STATE_CHANGE_FAILURE;

  if (transition != GST_STATE_CHANGE_NULL_TO_READY || start(self))
    result = GST_ELEMENT_CLASS(gst_stereo_stixels_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL ||
      (transition == GST_STATE_CHANGE_NULL_TO_READY && result == GST_STATE_CHANGE_FAILURE))
    gst_plumbing_disconnect(&self->plumbing);
  return result;
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define PART(name) (1u << GST_PLUMBING_##name)
#define MATCHER (PART(SGM) | PART(ONNX))
#define PAIRING (MATCHER | PART(REDUCTION) | PART(OVERLAY))
#define WORKING (PAIRING | PART(RECTIFY) | PART(STIXELS) | PART(SEGMENTS))

/* A property that is its children's: name, range, default and text stand in the child's class, and
 * values in the child. The child of the lowest bit says what it is, and what its value is; all are
 * set. */
typedef struct {
  const gchar *name;
  guint children;      /* bits: GstPlumbingPart */
  const gchar *text;   /* NULL: the child's own */
  const gchar *theirs; /* the children's name for it; NULL: the same */
} Proxy;

static const Proxy proxies[] = {
    {"calibration", PART(RECTIFY),
        "File of cameras, as stereo-rectify reads it, to rectify by; or KITTI or Middlebury "
        "calib.txt or Cityscapes camera.json of a rectified pair"},
    {"calibration-right", PART(RECTIFY)},
    {"calibration-pair", MATCHER | PART(RECTIFY)},
    {"unit", PART(RECTIFY)},
    {"fov", PART(RECTIFY)},
    {"refine", PART(RECTIFY)},
    {"layout", MATCHER | PART(RECTIFY)},
    {"camera-height", MATCHER},
    {"camera-pitch", MATCHER},
    {"network", PART(ONNX), "ONNX file of matcher=onnx", "model"},
    {"max-disparity", PART(SGM)},
    {"disparity-at-infinity", PART(SGM)},
    {"paths", PART(SGM)},
    {"search", PART(SGM)},
    {"motion", MATCHER},
    {"stixel-width", PART(REDUCTION)},
    {"stixel-height", PART(REDUCTION)},
    {"model", PART(STIXELS)},
    {"ground", PART(STIXELS)},
    {"carrier", PART(STIXELS)},
    {"mode", PART(OVERLAY)},
    {"alpha", PART(OVERLAY)},
    {"legend", PART(OVERLAY)},
    {"max-distance", PART(OVERLAY)},
    {"dim", PART(OVERLAY)},
    {"labels", PART(OVERLAY)},
    {"labels-max", PART(OVERLAY)},
    {"free-space", PART(OVERLAY)},
    {"velocities", PART(OVERLAY)},
    {"corridor-width", PART(OVERLAY)},
    {"min-height", PART(OBSTACLES)},
    {"min-width", PART(OBSTACLES)},
    {"post-messages", PART(OBSTACLES)},
    {"qos", PAIRING},
    {"tolerance", MATCHER},
    {"timeout", PAIRING},
    {"backend", WORKING & ~PART(ONNX)},
    {"threads", WORKING},
    {"cuda-device-id", WORKING},
};

static const StxFieldChoice outputs[] = {
    {GST_PLUMBING_OUTPUT_OVERLAY, "overlay", "Left picture with stixels, drawn and as a meta"},
    {GST_PLUMBING_OUTPUT_STIXELS, "stixels", "Stixel records"},
    {GST_PLUMBING_OUTPUT_JSON, "json", "Lines of JSON"},
    {0},
};
static const StxFieldChoice matchers[] = {
    {GST_PLUMBING_MATCH_SGM, "sgm", "stereo-sgm"},
    {GST_PLUMBING_MATCH_ONNX, "onnx", "onnx-stereo with network"},
    {0},
};
static const StxFieldChoice segmentations[] = {
    {GST_PLUMBING_CUT_STIXELS, "stixels", "sat-dp-stixels"},
    {GST_PLUMBING_CUT_SEGMENTS, "segments", "rdp-columns"},
    {0},
};
static const StxField own_fields[] = {
    {"matcher", "Matcher", "Stereo matcher", STX_FIELD(CHOICE, GstPlumbingSettings, matcher),
        .choices = matchers},
    {"output", "Output", "Output", STX_FIELD(CHOICE, GstPlumbingSettings, output),
        .choices = outputs},
    {"segmentation", "Segmentation", "Segmentation of columns",
        STX_FIELD(CHOICE, GstPlumbingSettings, segmentation), .choices = segmentations},
    {"obstacles", "Obstacles", "Find obstacles with stixel-obstacles",
        STX_FIELD(BOOL, GstPlumbingSettings, obstacles)},
};
static const GstPlumbingSettings defaults = {
    GST_PLUMBING_MATCH_SGM, GST_PLUMBING_OUTPUT_OVERLAY, GST_PLUMBING_CUT_STIXELS, false};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&own_table, offsetof(GstStereoStixels, settings), GST_PARAM_MUTABLE_READY, "GstStereoStixels"},
};

#define COPY_NUMBER(Type, Spec, type)                                                              \
  if (G_IS_PARAM_SPEC_##Type(from)) {                                                              \
    Spec *spec = G_PARAM_SPEC_##Type(from);                                                        \
                                                                                                   \
    return g_param_spec_##type(                                                                    \
        name, nick, text, spec->minimum, spec->maximum, spec->default_value, flags);               \
  }

/* A spec belongs to one class for ever, so each class needs one of its own. */
static GParamSpec *copy_spec(GParamSpec *from, const gchar *name, const gchar *own_text)
{
  const gchar *nick = g_param_spec_get_nick(from);
  const gchar *text = own_text != NULL ? own_text : g_param_spec_get_blurb(from);
  GParamFlags flags = from->flags;

  COPY_NUMBER(INT, GParamSpecInt, int)
  COPY_NUMBER(UINT, GParamSpecUInt, uint)
  COPY_NUMBER(DOUBLE, GParamSpecDouble, double)
  if (G_IS_PARAM_SPEC_BOOLEAN(from))
    return g_param_spec_boolean(name, nick, text, G_PARAM_SPEC_BOOLEAN(from)->default_value, flags);
  if (G_IS_PARAM_SPEC_ENUM(from))
    return g_param_spec_enum(
        name, nick, text, from->value_type, G_PARAM_SPEC_ENUM(from)->default_value, flags);
  if (G_IS_PARAM_SPEC_FLAGS(from))
    return g_param_spec_flags(
        name, nick, text, from->value_type, G_PARAM_SPEC_FLAGS(from)->default_value, flags);
  return g_param_spec_string(name, nick, text, G_PARAM_SPEC_STRING(from)->default_value, flags);
}

static const gchar *name_of(const Proxy *proxy)
{
  return proxy->theirs != NULL ? proxy->theirs : proxy->name;
}

static guint first_child(const Proxy *proxy)
{
  guint index = 0;

  while ((proxy->children >> index & 1) == 0)
    index++;
  return index;
}

/* Their ids are 1, 2, … in the order of the table. */
static void install_proxies(GObjectClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS(proxies); i++) {
    const gchar *factory = gst_plumbing_parts[first_child(&proxies[i])].factory;
    g_autoptr(GstElementFactory) found = gst_element_factory_find(factory); /* is loaded */
    GObjectClass *child = g_type_class_ref(gst_element_factory_get_element_type(found));
    GParamSpec *spec = g_object_class_find_property(child, name_of(&proxies[i]));

    g_object_class_install_property(
        klass, i + 1, copy_spec(spec, proxies[i].name, proxies[i].text));
    g_type_class_unref(child);
  }
}

static const Proxy *proxy_of(guint id)
{
  return id < GST_STX_PROPERTY_FIRST ? &proxies[id - 1] : NULL;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstElement **parts = GST_STEREO_STIXELS(object)->plumbing.part;
  const Proxy *proxy = proxy_of(id);

  if (proxy == NULL)
    gst_stx_set_property(object, id, value, spec);
  for (guint i = 0; proxy != NULL && i < GST_PLUMBING_PARTS; i++)
    if (proxy->children >> i & 1)
      g_object_set_property(G_OBJECT(parts[i]), name_of(proxy), value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstElement **parts = GST_STEREO_STIXELS(object)->plumbing.part;
  const Proxy *proxy = proxy_of(id);

  if (proxy == NULL)
    gst_stx_get_property(object, id, value, spec);
  else
    g_object_get_property(G_OBJECT(parts[first_child(proxy)]), name_of(proxy), value);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void dispose(GObject *object)
{
  gst_plumbing_give_back(&GST_STEREO_STIXELS(object)->plumbing);
  G_OBJECT_CLASS(gst_stereo_stixels_parent_class)->dispose(object);
}

static void finalize(GObject *object)
{
  g_mutex_clear(&GST_STEREO_STIXELS(object)->plumbing.lock);
  g_slist_free_full(GST_STEREO_STIXELS(object)->unknown, g_free);
  G_OBJECT_CLASS(gst_stereo_stixels_parent_class)->finalize(object);
}

static void gst_stereo_stixels_init(GstStereoStixels *self)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS(self);
  GstPad *src = gst_ghost_pad_new_no_target_from_template(
      "src", gst_element_class_get_pad_template(klass, "src"));

  self->settings = defaults;
  gst_element_add_pad(GST_ELEMENT(self), src);
  gst_plumbing_init(&self->plumbing, GST_BIN(self), src);
}

static void gst_stereo_stixels_class_init(GstStereoStixelsClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(
      gst_stereo_stixels_debug, "stereo-stixels", 0, "from two cameras to stixels");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  install_proxies(object);
  object->set_property = set_property;
  object->get_property = get_property;
  object->dispose = dispose;
  object->finalize = finalize;
  gst_plumbing_add_templates(element);
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  gst_stx_element_describe(klass, "stereo-stixels", "Stereo to stixels",
      "Bin/Filter/Analyzer/Video",
      "Makes stixels of the pictures of a stereo camera, in one element. What is no property of it "
      "is one of the elements inside: sgm::p1, stixels::stixel-cost, overlay::hold, "
      "obstacles::max-distance");
}
