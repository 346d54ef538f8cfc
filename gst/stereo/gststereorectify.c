/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stereo-rectify
 *
 * Makes the pictures of two real cameras those of a rectified pair, as stereo-sgm needs them. Each
 * view goes its own way, from sink_left to src_left and from sink_right to src_right; or both come
 * in one frame on the pad sink. What the calibration says of the rectified pair goes into the caps.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 v4l2src ! video/x-raw,width=2560,height=720 \
 *     ! stereo-rectify name=rectify layout=side-by-side calibration=SN12345678.conf \
 *     rectify.src_left ! queue ! sgm.sink_left  rectify.src_right ! queue ! sgm.sink_right \
 *     stereo-sgm name=sgm ! videoconvert ! autovideosink
 * ]|
 */
#include "gst/core/elements.h"

#include "gst/base/inputs.h"
#include "gst/core/element.h"
#include "gst/core/stats.h"
#include "gst/stereo/rectifyview.h"

GST_DEBUG_CATEGORY(gst_stereo_rectify_debug);
#define GST_CAT_DEFAULT gst_stereo_rectify_debug

G_DECLARE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST, STEREO_RECTIFY, GstBin)

/* Each view goes its own way: nothing is paired, no view waits for the other. */
struct _GstStereoRectify {
  GstBin parent;

  GstStxRectifyRig rig;
  GstStxRun run; /* properties, which the views have, too */
  guint32 seek;  /* seqnum of the last one that pad sink passed on, under the object lock */
};

G_DEFINE_FINAL_TYPE(GstStereoRectify, gst_stereo_rectify, GST_TYPE_BIN)
GST_STX_ELEMENT(stereo_rectify, "stereo-rectify")
#define PARENT GST_ELEMENT_CLASS(gst_stereo_rectify_parent_class)

/* ---- Pads ---------------------------------------------------------------------------------- */

/* The two views come from one pad or from two, never from three. */
static gboolean is_free(GstElement *element, const gchar *name)
{
  gboolean both = g_str_equal(name, "sink"), clash = FALSE;

  GST_OBJECT_LOCK(element);
  for (GList *item = element->sinkpads; item != NULL; item = item->next)
    clash |= both || g_str_equal(GST_OBJECT_NAME(item->data), "sink") ||
             g_str_equal(GST_OBJECT_NAME(item->data), name);
  GST_OBJECT_UNLOCK(element);
  return !clash;
}

/* Both views lead to the one source, which has to go to a place once. */
static GstPadProbeReturn pass_once(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstStereoRectify *self = data;
  guint32 number = gst_event_get_seqnum(GST_PAD_PROBE_INFO_EVENT(info));
  gboolean again;

  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_SEEK)
    return GST_PAD_PROBE_OK;
  GST_OBJECT_LOCK(self);
  again = self->seek == number;
  self->seek = number;
  GST_OBJECT_UNLOCK(self);
  return again ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

#define TEE "rectify-views" /* behind pad sink */

static GstElement *add_tee(GstStereoRectify *self)
{
  GstElement *tee = gst_element_factory_make("tee", TEE);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(tee, "sink");

  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, pass_once, self, NULL);
  gst_bin_add(GST_BIN(self), tee);
  for (guint i = 0; i < GST_STX_RECTIFY_VIEWS; i++)
    gst_element_link_pads(tee, "src_%u", GST_ELEMENT(self->rig.view[i]), "sink");
  gst_element_sync_state_with_parent(tee);
  return tee;
}

static void set_both(GstStereoRectify *self, gboolean both)
{
  GST_STX_LOCKED(self, self->rig.both = both);
}

static GstPad *add_ghost(
    GstElement *element, GstElement *inner, const gchar *inside, GstPadTemplate *templ)
{
  g_autoptr(GstPad) target = gst_element_get_static_pad(inner, inside);
  GstPad *pad =
      gst_ghost_pad_new_from_template(GST_PAD_TEMPLATE_NAME_TEMPLATE(templ), target, templ);

  if (GST_PAD_IS_SINK(pad)) {
    gst_stx_want_caps(pad);
    gst_pad_set_query_function(pad, gst_stx_accepting_query);
  }
  gst_pad_set_active(pad, GST_STATE(element) > GST_STATE_READY);
  gst_element_add_pad(element, pad);
  return pad;
}

static GstPad *request_new_pad(
    GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(element);
  const gchar *own = GST_PAD_TEMPLATE_NAME_TEMPLATE(templ);

  if (!is_free(element, own)) {
    GST_WARNING_OBJECT(element, "use either the pad sink, or sink_left and sink_right, once each");
    return NULL;
  }
  if (!g_str_equal(own, "sink"))
    return add_ghost(
        element, GST_ELEMENT(self->rig.view[g_str_equal(own, "sink_right")]), "sink", templ);
  set_both(self, TRUE);
  return add_ghost(element, add_tee(self), "sink", templ);
}

static void release_pad(GstElement *element, GstPad *pad)
{
  g_autoptr(GstElement) tee = gst_bin_get_by_name(GST_BIN(element), TEE);

  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(element, pad);
  if (tee == NULL)
    return;
  gst_element_set_state(tee, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(element), tee);
  set_both(GST_STEREO_RECTIFY(element), FALSE);
}

/* ---- States -------------------------------------------------------------------------------- */

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(element);
  StxError error;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    GST_STX_LOCKED(self, self->seek = GST_SEQNUM_INVALID);
    gst_stx_drift_start(&self->rig.drift, self->rig.settings.refine);
    if (!gst_stx_rectify_check_files(&self->rig, &error)) { /* before any frame flows */
      GST_STX_ELEMENT_ERROR(self, RESOURCE, OPEN_READ, &error);
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  return PARENT->change_state(element, transition);
}

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, GstStxRectifySettings, member)

static const StxField own_fields[] = {
    {"calibration", "Calibration file",
        "File of OpenCV, ROS, Kalibr, EuRoC, ORB-SLAM, Basalt, VINS, KITTI raw, ZED or DepthAI",
        FIELD(TEXT, calibration)},
    {"calibration-right", "Second calibration file",
        "Second file: ROS's or EuRoC's of the right camera, OpenCV's extrinsics.yml",
        FIELD(TEXT, calibration_right)},
    {"calibration-pair", "Calibration pair",
        "Left camera in a KITTI file: 0 gray, 2 colour, -1 colour if there is one",
        FIELD(INT, pair), .low = -1, .high = 2},
    {"unit", "Unit", "Metres per unit of the calibration: 0.001 for millimetres (0 = by format)",
        FIELD(DOUBLE, unit), .high = 1000, .unit = "m"},
    {"layout", "Layout", "Packing of the two views on pad sink", FIELD(CHOICE, layout),
        .choices = gst_stereo_sgm_layouts},
    {"refine", "Refine", "What is done about cameras that have moved since the calibration",
        FIELD(CHOICE, refine), .choices = gst_stx_refine_modes},
};
static const GstStxRectifySettings defaults = {.pair = -1, .params = STX_RECTIFY_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_RUN_PROPERTIES(GstStereoRectify, run),
    {&own_table, offsetof(GstStereoRectify, rig.settings), GST_PARAM_MUTABLE_READY,
        "GstStereoRectify"},
    {&stx_rectify_fields, offsetof(GstStereoRectify, rig.settings.params), GST_PARAM_MUTABLE_READY,
        "GstStereoRectify"},
};

/* Statistics of each view, under its name. */
static GstStructure *stats_of(gpointer object)
{
  GstStereoRectify *self = object;
  GstStructure *all = gst_structure_new_empty("application/x-stixel-stats");
  g_autoptr(GstStructure) drift = gst_stx_drift_tell(&self->rig.drift);

  for (guint i = 0; i < GST_STX_RECTIFY_VIEWS; i++) {
    g_autoptr(GstStructure) stats = NULL;

    g_object_get(self->rig.view[i], "stats", &stats, NULL);
    gst_structure_set(all, gst_stx_rectify_sides[i], GST_TYPE_STRUCTURE, stats, NULL);
  }
  if (drift != NULL)
    gst_structure_set(all, "drift", GST_TYPE_STRUCTURE, drift, NULL);
  return all;
}

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY(object);

  gst_stx_rectify_settings_clear(&self->rig.settings);
  gst_stx_drift_clear(&self->rig.drift);
  G_OBJECT_CLASS(gst_stereo_rectify_parent_class)->finalize(object);
}

static void gst_stereo_rectify_init(GstStereoRectify *self)
{
  static const gchar *const src_names[] = {"src_left", "src_right"};
  GstElement *element = GST_ELEMENT(self);

  self->run = (GstStxRun)GST_STX_RUN_DEFAULTS;
  self->rig.element = element;
  self->rig.settings = defaults;
  gst_stx_drift_init(&self->rig.drift);
  for (guint i = 0; i < GST_STX_RECTIFY_VIEWS; i++) {
    GstElement *view = gst_stx_rectify_view_new(&self->rig, i);

    for (guint k = 0; k < gst_stx_run_fields.count; k++)
      g_object_bind_property(self, gst_stx_run_fields.fields[k].name, view,
          gst_stx_run_fields.fields[k].name, G_BINDING_DEFAULT);
    gst_bin_add(GST_BIN(self), view);
    add_ghost(element, view, "src",
        gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(self), src_names[i]));
  }
}

static void add_template(
    GstElementClass *klass, const gchar *name, GstPadDirection direction, GstPadPresence presence)
{
  GstElementClass *view = g_type_class_ref(GST_TYPE_STX_RECTIFY_VIEW);
  GstPadTemplate *one = gst_element_class_get_pad_template(view, "sink");

  gst_element_class_add_pad_template(
      klass, gst_pad_template_new(name, direction, presence, GST_PAD_TEMPLATE_CAPS(one)));
  g_type_class_unref(view);
}

static void gst_stereo_rectify_class_init(GstStereoRectifyClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(gst_stereo_rectify_debug, "stereo-rectify", 0, "rectification");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_stats_install(object, stats_of);
  object->finalize = finalize;
  gst_stx_element_describe(klass, "stereo-rectify", "Stereo rectification", "Filter/Effect/Video",
      "Rectifies the two views of a calibrated stereo camera");
  for (guint i = 0; i < GST_STEREO_SGM_ROLES; i++)
    add_template(element, gst_stereo_sgm_roles[i], GST_PAD_SINK, GST_PAD_REQUEST);
  add_template(element, "src_left", GST_PAD_SRC, GST_PAD_ALWAYS);
  add_template(element, "src_right", GST_PAD_SRC, GST_PAD_ALWAYS);
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
}
