/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decisions of the plumbing from files and caps. */
#include "common/calibration/calibration.h"
#include "gst/stereo/plumbing.h"
#include "gst/columns/columns.h"
#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/stereo/sgmviews.h"

#define GST_CAT_DEFAULT gst_stereo_stixels_debug

/* ---- Calibration --------------------------------------------------------------------------- */

/* The file's path and its second, or NULL; to be freed. */
static gchar *path_of(GstPlumbing *self, GstPlumbingPart part, const gchar *property)
{
  g_autofree gchar *path = NULL;

  g_object_get(self->part[part], property, &path, NULL);
  return path != NULL && *path != '\0' ? g_steal_pointer(&path) : NULL;
}

static void lend(GstPlumbing *self, const gchar *path)
{
  for (GstPlumbingPart part = GST_PLUMBING_SGM; part <= GST_PLUMBING_ONNX; part++)
    if (path != NULL || self->lent)
      g_object_set(self->part[part], "calibration", path, NULL);
  self->lent = path != NULL;
}

static gboolean refines(GstPlumbing *self)
{
  gint refine;

  g_object_get(self->part[GST_PLUMBING_RECTIFY], "refine", &refine, NULL);
  return refine != 0;
}

/* Chooses for a file of a rectified pair: pictures pass stereo-rectify only to find drift. */
static gboolean choose_rectified(GstPlumbing *self, const gchar *path, const StxError *raw)
{
  StxCamera camera;
  StxError error;
  gint pair;

  g_object_get(self->part[GST_PLUMBING_SGM], "calibration-pair", &pair, NULL);
  if (!stx_camera_load(path, pair, &camera, &error)) {
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
      GST_ELEMENT_ERROR(self->bin, RESOURCE, OPEN_READ,
          ("%s; and as a calibration of cameras: %s", error.text, raw->text), (NULL));
    else
      GST_STX_ELEMENT_ERROR(self->bin, RESOURCE, OPEN_READ, &error);
    return FALSE;
  }
  self->rectifies = refines(self);
  GST_INFO_OBJECT(self->bin, "%s is of a rectified pair: pictures go to stereo-sgm %s", path,
      self->rectifies ? "as their drift is corrected" : "as they come");
  lend(self, path);
  return TRUE;
}

/* stereo-rectify itself reports faults of a file that it knows. */
gboolean gst_plumbing_choose(GstPlumbing *self)
{
  g_autofree gchar *path = path_of(self, GST_PLUMBING_RECTIFY, "calibration");
  g_autofree gchar *second = path_of(self, GST_PLUMBING_RECTIFY, "calibration-right");
  StxError error;

  self->rectifies = path != NULL && (second != NULL || stx_calibration_is_known(path, &error));
  if (path != NULL && !self->rectifies)
    return choose_rectified(self, path, &error);
  lend(self, NULL);
  if (path == NULL && refines(self))
    GST_ELEMENT_WARNING(self->bin, RESOURCE, SETTINGS,
        ("refine looks for drift from a calibration, and none is given: set calibration=FILE"),
        (NULL));
  if (self->rectifies)
    GST_INFO_OBJECT(
        self->bin, "%s is of cameras: stereo-rectify makes their pictures a pair", path);
  else
    GST_INFO_OBJECT(self->bin, "no calibration: pictures go to stereo-sgm as they come");
  return TRUE;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

/* The caps of a probe's event, or NULL. */
static GstCaps *caps_of(GstPadProbeInfo *info)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstCaps *caps = NULL;

  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    gst_event_parse_caps(event, &caps);
  return caps;
}

/* Metres need a camera; everything else goes on without. */
static GstPadProbeReturn see_records(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPlumbing *self = data;
  GstCaps *caps = caps_of(info);
  GstStxStixelInfo stixels;
  StxError error;

  if (caps != NULL && gst_stx_stixels_caps_parse(caps, &stixels, &error) &&
      !stx_camera_is_metric(&stixels.camera) &&
      g_atomic_int_compare_and_exchange(&self->warned, FALSE, TRUE))
    GST_ELEMENT_WARNING(self->bin, RESOURCE, SETTINGS,
        ("No calibration is given: distances in metres are unknown, and the pictures have to be "
         "rectified already; set calibration=FILE"),
        (NULL));
  return GST_PAD_PROBE_OK;
}

/* The crop that leaves the left view; none without `views`. */
static void set_crop(GstElement *crop, const GstStereoSgmViews *views)
{
  static const GstStereoSgmViews whole = {0};
  gint right, bottom;

  if (views == NULL)
    views = &whole;
  right = views->rows ? 0 : views->width;
  bottom = views->rows ? views->height : 0;

  g_object_set(crop, "left", views->swap ? right : 0, "right", views->swap ? 0 : right, "top",
      views->swap ? bottom : 0, "bottom", views->swap ? 0 : bottom, NULL);
}

/* One view is left: nothing in its caps shall say that there are two. What cannot be cut,
 * stereo-sgm refuses with a reason. */
static GstPadProbeReturn see_views(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPlumbing *self = data;
  GstCaps *caps = caps_of(info), *plain;
  GstStereoSgmViews views = {0};
  StxError error;
  gint layout;

  if (caps == NULL || !gst_video_info_from_caps(&views.info[GST_STEREO_SGM_BOTH], caps))
    return GST_PAD_PROBE_OK;
  g_object_get(self->part[GST_PLUMBING_SGM], "layout", &layout, NULL);
  if (!gst_stereo_sgm_views_plan(
          &views, 1u << GST_STEREO_SGM_BOTH, (GstStereoSgmLayout)layout, &error)) {
    set_crop(self->part[GST_PLUMBING_CROP], NULL);
    return GST_PAD_PROBE_OK;
  }
  set_crop(self->part[GST_PLUMBING_CROP], &views);
  plain = gst_caps_copy(caps);
  gst_structure_remove_fields(
      gst_caps_get_structure(plain, 0), "multiview-mode", "multiview-flags", "views", NULL);
  gst_event_unref(GST_PAD_PROBE_INFO_EVENT(info));
  GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_caps(plain);
  gst_caps_unref(plain);
  return GST_PAD_PROBE_OK;
}

/* The caps that videocrop takes for pictures of any size. */
static GstCaps *caps_of_crop(GstElement *crop, GstPad *sink, const GstCaps *filter)
{
  g_autoptr(GstPad) src = gst_element_get_static_pad(crop, "src");
  g_autoptr(GstCaps) caps = gst_caps_make_writable(gst_pad_peer_query_caps(src, NULL));
  g_autoptr(GstCaps) templ = gst_pad_get_pad_template_caps(sink);

  for (guint i = 0; i < gst_caps_get_size(caps); i++)
    gst_structure_remove_fields(gst_caps_get_structure(caps, i), "width", "height",
        "multiview-mode", "multiview-flags", "views", NULL);
  return gst_stx_caps_filtered(gst_caps_intersect(caps, templ), (GstCaps *)filter);
}

/* Before new frames come, videocrop answers for what it cuts off the old ones, and smaller ones end
 * in a bare "not-negotiated" of the converter. */
static GstPadProbeReturn answer_for_crop(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPlumbing *self = data;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  g_autoptr(GstCaps) caps = NULL;
  GstCaps *filter;

  if (GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_set_accept_caps_result(query, TRUE);
    return GST_PAD_PROBE_HANDLED;
  }
  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  gst_query_parse_caps(query, &filter);
  caps = caps_of_crop(self->part[GST_PLUMBING_CROP], pad, filter);
  gst_query_set_caps_result(query, caps);
  return GST_PAD_PROBE_HANDLED;
}

/* ---- Inputs -------------------------------------------------------------------------------- */

/* A pad of `inputs`; of its streaming thread. */
typedef struct {
  GstPlumbing *plumbing;
  guint view;              /* which of GstPlumbing.feeders feeds it */
  const gchar *name;       /* of the bin's pad */
  GstVideoInfo info;       /* of frames in system memory; others have no format here */
  gboolean warned, fitted; /* of a frame that does not fit these; there was one that does */
} Input;

/* Views that come by threads of their own wait for each other: a limit of bytes is one that
 * multiqueue does not raise, and a byte lets a frame in. Where one thread brings both views, as a
 * demuxer's does, it must not wait with the one while the other is missing: multiqueue takes as
 * many frames as lie between them in the file. */
static void set_length(Input *input)
{
  GstPlumbing *self = input->plumbing;
  gpointer other = g_atomic_pointer_get(&self->feeders[!input->view]), own = g_thread_self();
  gint waits = other != own;

  if (g_atomic_pointer_get(&self->feeders[input->view]) == own &&
      waits == g_atomic_int_get(&self->waits))
    return;
  g_atomic_pointer_set(&self->feeders[input->view], own);
  g_atomic_int_set(&self->waits, waits);
  g_object_set(self->part[GST_PLUMBING_INPUTS], "max-size-bytes", (guint)waits, NULL);
}

/* The converters and videocrop read as much as caps and metas say: what a bad cable left of a frame
 * goes no further. */
static GstPadProbeReturn see_frame(Input *input, GstBuffer *frame)
{
  GstPlumbing *self = input->plumbing;
  StxError error;

  if (GST_VIDEO_INFO_FORMAT(&input->info) <= GST_VIDEO_FORMAT_ENCODED ||
      gst_stx_frame_check(frame, &input->info, &error)) {
    input->fitted = TRUE;
    return GST_PAD_PROBE_OK;
  }
  GST_DEBUG_OBJECT(self->bin, "%s: dropping %" GST_PTR_FORMAT, input->name, frame);
  if (!input->warned)
    GST_ELEMENT_WARNING(self->bin, STREAM, FORMAT,
        ("A frame of pad %s is dropped, and so are others like it: %s", input->name, error.text),
        ("the camera, its cable or driver has lost a part of it, or the caps are not its own"));
  input->warned = TRUE;
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn see_input(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Input *input = data;
  GstCaps *caps;

  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    set_length(input);
    return see_frame(input, GST_PAD_PROBE_INFO_BUFFER(info));
  }
  if (!GST_EVENT_IS_SERIALIZED(GST_PAD_PROBE_INFO_EVENT(info)))
    return GST_PAD_PROBE_OK;
  caps = caps_of(info);
  if (caps != NULL) {
    input->warned = input->fitted = FALSE;
    gst_video_info_init(&input->info);
    if (!gst_caps_features_is_equal(
            gst_caps_get_features(caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) ||
        !gst_video_info_from_caps(&input->info, caps))
      gst_video_info_init(&input->info);
  }
  set_length(input);
  /* A stream that was dropped as a whole has the wrong caps. */
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS && input->warned &&
      !input->fitted)
    GST_ELEMENT_ERROR(input->plumbing->bin, STREAM, FORMAT,
        ("No frame of pad %s fitted its caps: %dx%d in %s", input->name,
            GST_VIDEO_INFO_WIDTH(&input->info), GST_VIDEO_INFO_HEIGHT(&input->info),
            GST_VIDEO_INFO_NAME(&input->info)),
        (NULL));
  return GST_PAD_PROBE_OK;
}

/* Lets in formats that nothing in the bin or behind it takes, so that see_pictures can say why: a
 * source that finds no caps ends in a bare "not-negotiated". */
static GstPadProbeReturn answer_for_input(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  GstCaps *video = gst_plumbing_any_video(), *caps, *filter;
  gboolean accepted;

  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS) {
    gst_query_parse_caps_result(query, &caps);
    gst_query_parse_caps(query, &filter);
    if (gst_caps_is_empty(caps)) {
      video = gst_stx_caps_filtered(video, filter);
      gst_query_set_caps_result(query, video);
    }
  } else if (GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_parse_accept_caps_result(query, &accepted);
    gst_query_parse_accept_caps(query, &caps);
    gst_query_set_accept_caps_result(query, accepted || gst_caps_is_subset(caps, video));
  }
  gst_caps_unref(video);
  return GST_PAD_PROBE_OK;
}

void gst_plumbing_watch_input(GstPlumbing *self, GstPad *pad, guint view, const gchar *name)
{
  Input *input = g_new0(Input, 1);

  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PULL,
      answer_for_input, NULL, NULL);
  input->plumbing = self;
  input->view = view;
  g_atomic_pointer_set(&self->feeders[view], NULL);
  input->name = name;
  gst_video_info_init(&input->info);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER, see_input,
      input, g_free);
}

/* ---- Outputs ------------------------------------------------------------------------------- */

/* Queues lie between what is made and this pad: its source would learn too late to say why. */
static GstPadProbeReturn see_output(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPlumbing *self = data;
  GstCaps *caps = caps_of(info);

  if (caps != NULL)
    gst_stx_element_check_output(GST_ELEMENT(self->bin), pad, caps);
  return GST_PAD_PROBE_OK;
}

void gst_plumbing_watch_output(GstPlumbing *self, GstPad *pad)
{
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_output, self, NULL);
}

/* "; pad src leads to an element that takes …" for each pad that is linked. */
static gboolean add_taken(GstElement *bin, GstPad *pad, gpointer text)
{
  g_autoptr(GstCaps) taken = NULL;
  g_autofree gchar *caps = NULL;

  if (!gst_pad_is_linked(pad))
    return TRUE;
  taken = gst_pad_peer_query_caps(pad, NULL);
  caps = gst_caps_to_string(taken);
  g_string_append_printf(
      text, "; pad %s leads to an element that takes %.150s", GST_PAD_NAME(pad), caps);
  return TRUE;
}

/* The converter fails without a reason if no format suits the next element. */
static GstPadProbeReturn see_pictures(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstPlumbing *self = data;
  GstCaps *caps = caps_of(info);
  g_autoptr(GstCaps) possible = caps != NULL ? gst_pad_query_caps(pad, caps) : NULL;

  if (possible != NULL && gst_caps_is_empty(possible) && !GST_PAD_IS_FLUSHING(pad)) {
    g_autofree gchar *came = gst_caps_to_string(caps);
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_printf(text, "Pictures of %.200s cannot be made into any that fit", came);
    gst_element_foreach_src_pad(GST_ELEMENT(self->bin), add_taken, text);
    GST_ELEMENT_ERROR(self->bin, CORE, NEGOTIATION, ("%s", text->str), (NULL));
  }
  return GST_PAD_PROBE_OK;
}

static void probe(
    GstPlumbing *self, GstPlumbingPart part, GstPadProbeType type, GstPadProbeCallback callback)
{
  g_autoptr(GstPad) pad =
      self->part[part] != NULL ? gst_element_get_static_pad(self->part[part], "sink") : NULL;

  if (pad != NULL)
    gst_pad_add_probe(pad, type, callback, self, NULL);
}

void gst_plumbing_watch(GstPlumbing *self)
{
  gst_plumbing_watch_output(self, self->src);
  probe(self, GST_PLUMBING_CONVERT_LEFT, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_pictures);
  probe(self, GST_PLUMBING_CONVERT_RIGHT, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_pictures);
  probe(self, GST_PLUMBING_RECORDS, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_records);
  probe(self, GST_PLUMBING_CROP, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_views);
  probe(self, GST_PLUMBING_CROP, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      answer_for_crop);
}
