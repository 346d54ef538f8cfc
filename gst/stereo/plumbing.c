/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/plumbing.h"

#include "gst/stixels/mediatypes.h"

#define GST_CAT_DEFAULT gst_stereo_stixels_debug

const GstStxPart gst_plumbing_parts[GST_PLUMBING_PARTS] = {
    [GST_PLUMBING_SGM] = {"sgm", "stereo-sgm"},
    [GST_PLUMBING_ONNX] = {"onnx", "onnx-stereo"},
    [GST_PLUMBING_RECTIFY] = {"rectify", "stereo-rectify"},
    [GST_PLUMBING_REDUCTION] = {"reduction", "downsample-transpose"},
    [GST_PLUMBING_STIXELS] = {"stixels", "sat-dp-stixels"},
    [GST_PLUMBING_SEGMENTS] = {"segments", "rdp-columns"},
    [GST_PLUMBING_OVERLAY] = {"overlay", "stixel-overlay"},
    [GST_PLUMBING_OBSTACLES] = {"obstacles", "stixel-obstacles"},
    [GST_PLUMBING_JSON] = {"json", "stixel-json"},
    [GST_PLUMBING_INPUTS] = {"inputs", "multiqueue"},
    [GST_PLUMBING_CONVERT_LEFT] = {"convert-left", "videoconvert"},
    [GST_PLUMBING_CONVERT_RIGHT] = {"convert-right", "videoconvert"},
    [GST_PLUMBING_CONVERT_DRAWN] = {"convert-drawn", "videoconvert"},
    [GST_PLUMBING_VIEWS] = {"tee-views", "tee"},
    [GST_PLUMBING_CROP] = {"crop", "videocrop"},
    [GST_PLUMBING_LEFT] = {"tee-left", "tee"},
    [GST_PLUMBING_QUEUE_OUTPUT] = {"queue-output", "queue"},
    [GST_PLUMBING_DISPARITY] = {"tee-disparity", "tee"},
    [GST_PLUMBING_RECORDS] = {"tee-records", "tee"},
};

/* Frames that a queue holds, whatever their size. The picture of the overlay waits for its stixels:
 * more than one per element in between are never on their way. */
static const struct {
  GstPlumbingPart queue;
  guint frames;
} lengths[] = {{GST_PLUMBING_INPUTS, 2}, {GST_PLUMBING_QUEUE_OUTPUT, 8}};

/* ---- Requested pads ------------------------------------------------------------------------ */

enum { BOTH, LEFT, RIGHT, SRC_LEFT, SRC_DISPARITY, SRC_STIXELS };

/* A sink leads to `part`; of a source it is the tee. */
typedef struct {
  const gchar *name;
  GstPlumbingPart part;
} PadKind;

static const PadKind kinds[GST_PLUMBING_PADS] = {
    [BOTH] = {"sink", GST_PLUMBING_CONVERT_LEFT},
    [LEFT] = {"sink_left", GST_PLUMBING_CONVERT_LEFT},
    [RIGHT] = {"sink_right", GST_PLUMBING_CONVERT_RIGHT},
    [SRC_LEFT] = {"src_left", GST_PLUMBING_LEFT},
    [SRC_DISPARITY] = {"src_disparity", GST_PLUMBING_DISPARITY},
    [SRC_STIXELS] = {"src_stixels", GST_PLUMBING_RECORDS},
};

static guint index_of(const GstPad *pad)
{
  guint i = 0;

  while (!g_str_equal(kinds[i].name, GST_PAD_NAME(pad)))
    i++;
  return i;
}

static gboolean is_sink(guint index)
{
  return index <= RIGHT;
}

/* The output caps of one of our elements; their factories are registered already, but others may
 * not be where a scanner looks at this plugin alone. */
static GstCaps *caps_of(GstPlumbingPart part)
{
  g_autoptr(GstElementFactory) factory = gst_element_factory_find(gst_plumbing_parts[part].factory);
  const GList *item = gst_element_factory_get_static_pad_templates(factory);

  while (!g_str_equal(((GstStaticPadTemplate *)item->data)->name_template, "src"))
    item = item->next;
  return gst_static_pad_template_get_caps(item->data);
}

static void add_template(
    GstElementClass *klass, const gchar *name, GstPadPresence presence, GstCaps *caps)
{
  GstPadDirection direction = g_str_has_prefix(name, "sink") ? GST_PAD_SINK : GST_PAD_SRC;

  gst_element_class_add_pad_template(klass, gst_pad_template_new(name, direction, presence, caps));
  gst_caps_unref(caps);
}

GstCaps *gst_plumbing_any_video(void)
{
  return gst_caps_from_string("video/x-raw; video/x-raw(ANY)");
}

void gst_plumbing_add_templates(GstElementClass *klass)
{
  GstCaps *caps = caps_of(GST_PLUMBING_OVERLAY);

  caps = gst_caps_merge(caps, caps_of(GST_PLUMBING_STIXELS));
  caps = gst_caps_merge(caps, caps_of(GST_PLUMBING_JSON));
  caps = gst_caps_merge(caps, gst_caps_new_empty_simple(GST_STX_OBSTACLES_MEDIA_TYPE));
  add_template(klass, "src", GST_PAD_ALWAYS, caps);
  for (guint i = BOTH; i <= SRC_LEFT; i++)
    add_template(klass, kinds[i].name, GST_PAD_REQUEST, gst_plumbing_any_video());
  add_template(klass, "src_disparity", GST_PAD_REQUEST, caps_of(GST_PLUMBING_SGM));
  add_template(klass, "src_stixels", GST_PAD_REQUEST, caps_of(GST_PLUMBING_STIXELS));
}

/* ---- Links --------------------------------------------------------------------------------- */

static gboolean join(GstPlumbing *self, GstStxJoints *joints, GstPlumbingPart from,
    const gchar *src, GstPlumbingPart to, const gchar *sink)
{
  return gst_stx_joints_add(joints, self->part[from], src, self->part[to], sink);
}

static void aim(GstPad *ghost, GstElement *element, const gchar *name)
{
  g_autoptr(GstPad) pad = element != NULL ? gst_element_get_static_pad(element, name) : NULL;

  gst_ghost_pad_set_target(GST_GHOST_PAD(ghost), pad);
}

static GstPlumbingPart matcher_of(const GstPlumbing *self)
{
  return GST_PLUMBING_SGM + (guint)self->settings.matcher;
}

/* Also while everything else plays. */
static void use(GstPlumbing *self, GstPlumbingPart part)
{
  gst_stx_part_use(self->part[part], TRUE);
  gst_element_sync_state_with_parent(self->part[part]);
}

/* Links the parts from the matcher to the records. */
static gboolean join_cut(GstPlumbing *self)
{
  GstStxJoints *cut = &self->cut;
  GstPlumbingPart part = GST_PLUMBING_STIXELS + (guint)self->settings.segmentation;

  use(self, part);
  use(self, GST_PLUMBING_REDUCTION);
  return join(self, cut, GST_PLUMBING_REDUCTION, "src", part, "sink") &&
         join(self, cut, part, "src", GST_PLUMBING_RECORDS, "sink") &&
         join(self, cut, GST_PLUMBING_DISPARITY, "src_%u", GST_PLUMBING_REDUCTION, "sink");
}

#define CHAIN 4 /* parts at most that lead to src */

/* The chain to src, in order. A slow consumer must not stop the segmentation at once. What is drawn
 * on has colour and 8 bits, what is matched as many bits as the camera gives. */
static guint chain_of(const GstPlumbingSettings *settings, GstPlumbingPart chain[CHAIN])
{
  guint count = 0;

  chain[count++] = GST_PLUMBING_QUEUE_OUTPUT;
  if (settings->output == GST_PLUMBING_OUTPUT_OVERLAY) {
    chain[count++] = GST_PLUMBING_CONVERT_DRAWN;
    chain[count++] = GST_PLUMBING_OVERLAY;
  } else if (settings->obstacles)
    chain[count++] = GST_PLUMBING_OBSTACLES;
  if (settings->output == GST_PLUMBING_OUTPUT_JSON)
    chain[count++] = GST_PLUMBING_JSON;
  return count;
}

/* The labels are those of the obstacles, so these come before the overlay. */
static gboolean join_drawn(GstPlumbing *self)
{
  GstStxJoints *output = &self->output;
  GstPlumbingPart last = self->settings.obstacles ? GST_PLUMBING_OBSTACLES : GST_PLUMBING_OVERLAY;

  if (!self->settings.obstacles)
    return join(self, output, GST_PLUMBING_RECORDS, "src_%u", last, "stixels");
  use(self, last);
  return join(self, output, last, "src", GST_PLUMBING_OVERLAY, "stixels") &&
         join(self, output, GST_PLUMBING_RECORDS, "src_%u", last, "sink");
}

static gboolean join_output(GstPlumbing *self)
{
  GstStxJoints *output = &self->output;
  GstPlumbingPart chain[CHAIN];
  guint count = chain_of(&self->settings, chain);
  gboolean draws = self->settings.output == GST_PLUMBING_OUTPUT_OVERLAY, joined = TRUE;

  aim(self->src, self->part[chain[count - 1]], "src");
  for (guint i = 1; i < count; i++) {
    use(self, chain[i]);
    joined &= join(self, output, chain[i - 1], "src", chain[i], "sink");
  }
  if (draws)
    joined &= join_drawn(self);
  return joined && join(self, output, draws ? GST_PLUMBING_LEFT : GST_PLUMBING_RECORDS, "src_%u",
                       GST_PLUMBING_QUEUE_OUTPUT, "sink");
}

static gboolean join_left(GstPlumbing *self, GstStxJoints *joints, const gchar *sink)
{
  return join(self, joints, GST_PLUMBING_VIEWS, "src_%u", matcher_of(self), sink);
}

static gboolean join_rectified(GstPlumbing *self)
{
  GstStxJoints *joints = &self->rectified;

  return join(self, joints, GST_PLUMBING_RECTIFY, "src_left", GST_PLUMBING_VIEWS, "sink") &&
         join(self, joints, GST_PLUMBING_RECTIFY, "src_right", matcher_of(self), "sink_right") &&
         join_left(self, joints, "sink_left");
}

/* Left pictures have to be cut out of frames with both views that are not rectified. */
static gboolean join_pictures(GstPlumbing *self)
{
  GstStxJoints *pictures = &self->pictures;

  if (self->pads[BOTH].pad == NULL || self->rectifies)
    return join(self, pictures, GST_PLUMBING_VIEWS, "src_%u", GST_PLUMBING_LEFT, "sink");
  return join(self, pictures, GST_PLUMBING_CROP, "src", GST_PLUMBING_LEFT, "sink") &&
         join(self, pictures, GST_PLUMBING_VIEWS, "src_%u", GST_PLUMBING_CROP, "sink");
}

/* Computes only outputs that are linked: an application that links another pad and leaves src alone
 * does not want the output of src. */
static gboolean join_wanted(GstPlumbing *self)
{
  const GstPlumbingPad *pads = self->pads;
  gboolean others = FALSE, has_left = pads[BOTH].pad != NULL || pads[LEFT].pad != NULL;
  gboolean gives, draws, joined = TRUE;

  for (guint i = SRC_LEFT; i <= SRC_STIXELS; i++)
    others |= pads[i].pad != NULL;
  gives = self->output.links != NULL || !others || gst_pad_is_linked(self->src);
  draws = gives && self->settings.output == GST_PLUMBING_OUTPUT_OVERLAY;
  if (gives && self->output.links == NULL)
    joined &= join_output(self);
  if ((gives || pads[SRC_STIXELS].pad != NULL) && self->cut.links == NULL)
    joined &= join_cut(self);
  if ((draws || pads[SRC_LEFT].pad != NULL) && has_left && self->pictures.links == NULL)
    joined &= join_pictures(self);
  return joined;
}

/* Links an input from its converter on. */
static gboolean join_input(GstPlumbing *self, guint index)
{
  GstPlumbingPart from = kinds[index].part;
  GstStxJoints *inner = &self->pads[index].inner;

  if (self->rectifies)
    return join(self, inner, from, "src", GST_PLUMBING_RECTIFY, kinds[index].name);
  if (index == RIGHT)
    return join(self, inner, from, "src", matcher_of(self), kinds[index].name);
  return join(self, inner, from, "src", GST_PLUMBING_VIEWS, "sink") &&
         join_left(self, inner, kinds[index].name);
}

static gboolean join_inputs(GstPlumbing *self)
{
  gboolean joined = TRUE;

  for (guint i = BOTH; i <= RIGHT; i++)
    joined &= self->pads[i].pad == NULL || join_input(self, i);
  return joined;
}

gboolean gst_plumbing_connect(GstPlumbing *self, const GstPlumbingSettings *settings)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&self->lock);
  g_autoptr(GstCaps) video = gst_plumbing_any_video();
  g_autoptr(GstCaps) records = gst_caps_new_empty_simple(GST_STX_OBSTACLES_MEDIA_TYPE);
  g_autoptr(GstCaps) taken = NULL;

  if (!gst_stx_parts_check(
          GST_ELEMENT(self->bin), gst_plumbing_parts, GST_PLUMBING_PARTS, self->part) ||
      !gst_plumbing_choose(self))
    return FALSE;
  self->connected = TRUE;
  self->settings = *settings;
  taken = gst_pad_peer_query_caps(self->src, NULL);
  /* If the next element takes only records of obstacles, nothing has to be drawn. */
  if (settings->obstacles && settings->output == GST_PLUMBING_OUTPUT_OVERLAY &&
      !gst_caps_can_intersect(taken, video) && gst_caps_can_intersect(taken, records))
    self->settings.output = GST_PLUMBING_OUTPUT_STIXELS;
  g_atomic_int_set(&self->warned, FALSE);
  for (GstPlumbingPart i = 0; i < GST_PLUMBING_PARTS; i++)
    gst_stx_part_use(self->part[i], i < GST_PLUMBING_REDUCTION || i > GST_PLUMBING_JSON);
  gst_stx_part_use(self->part[GST_PLUMBING_RECTIFY], self->rectifies);
  gst_stx_part_use(self->part[GST_PLUMBING_SGM], matcher_of(self) == GST_PLUMBING_SGM);
  gst_stx_part_use(self->part[GST_PLUMBING_ONNX], matcher_of(self) == GST_PLUMBING_ONNX);
  return join(self, &self->matched, matcher_of(self), "src", GST_PLUMBING_DISPARITY, "sink") &&
         (!self->rectifies || join_rectified(self)) && join_inputs(self) && join_wanted(self);
}

void gst_plumbing_disconnect(GstPlumbing *self)
{
  g_mutex_lock(&self->lock);
  for (guint i = 0; i < GST_PLUMBING_PADS; i++)
    gst_stx_joints_undo(&self->pads[i].inner);
  gst_stx_joints_undo(&self->pictures);
  gst_stx_joints_undo(&self->output);
  gst_stx_joints_undo(&self->cut);
  gst_stx_joints_undo(&self->rectified);
  gst_stx_joints_undo(&self->matched);
  aim(self->src, NULL, NULL);
  /* A bin that could not start takes children back to READY that were never out of NULL. */
  for (guint i = 0; i < GST_PLUMBING_PARTS; i++)
    if (self->part[i] != NULL)
      gst_element_set_state(self->part[i], GST_STATE_NULL);
  for (guint view = 0; view < 2; view++)
    g_atomic_pointer_set(&self->feeders[view], NULL);
  self->connected = FALSE;
  g_mutex_unlock(&self->lock);
}

/* ---- Pads come and go ---------------------------------------------------------------------- */

/* The two views come from one pad or from two, never from three. */
static gboolean is_free(const GstPlumbing *self, guint index)
{
  const GstPlumbingPad *pads = self->pads;

  if (is_sink(index) && (pads[BOTH].pad != NULL ||
                            (index == BOTH && (pads[LEFT].pad != NULL || pads[RIGHT].pad != NULL))))
    return FALSE;
  return pads[index].pad == NULL;
}

static gboolean add_sink(GstPlumbing *self, guint index)
{
  GstPlumbingPad *pad = &self->pads[index];
  const gchar *sink = index == RIGHT ? "sink_1" : "sink_0",
              *src = index == RIGHT ? "src_1" : "src_0";
  GstElement *inputs = self->part[GST_PLUMBING_INPUTS];

  pad->queued = gst_element_request_pad_simple(inputs, sink);
  gst_plumbing_watch_input(self, pad->queued, index == RIGHT, kinds[index].name);
  gst_ghost_pad_set_target(GST_GHOST_PAD(pad->pad), pad->queued);
  return gst_stx_joints_add(&pad->fixed, inputs, src, self->part[kinds[index].part], "sink") &&
         (!self->connected || (join_input(self, index) && join_wanted(self)));
}

static gboolean add_src(GstPlumbing *self, guint index)
{
  GstPlumbingPad *pad = &self->pads[index];
  g_autofree gchar *name = g_strdup_printf("queue-%s", kinds[index].name);

  pad->queue = gst_element_factory_make("queue", name);
  gst_bin_add(self->bin, pad->queue);
  aim(pad->pad, pad->queue, "src");
  gst_plumbing_watch_output(self, pad->pad);
  gst_element_sync_state_with_parent(pad->queue);
  return gst_stx_joints_add(
             &pad->fixed, self->part[kinds[index].part], "src_%u", pad->queue, "sink") &&
         (!self->connected || join_wanted(self));
}

/* The limits of a queue. */
typedef struct {
  guint frames, bytes;
  guint64 time;
} Length;

static Length set_length(GstElement *queue, Length length)
{
  Length old = {0};

  if (queue != NULL) {
    g_object_get(queue, "max-size-buffers", &old.frames, "max-size-bytes", &old.bytes,
        "max-size-time", &old.time, NULL);
    g_object_set(queue, "max-size-buffers", length.frames, "max-size-bytes", length.bytes,
        "max-size-time", length.time, NULL);
  }
  return old;
}

/* The thread that brings a view to `inputs` may wait there for the one that takes it out, and that
 * one for the matcher, or in a queue of pictures that is full. Both have to return before their
 * pads can be deactivated. */
static void stop_sink(GstPlumbing *self, guint index)
{
  GstPlumbingPad *pad = &self->pads[index];
  GstElement *output = index != RIGHT ? self->part[GST_PLUMBING_QUEUE_OUTPUT] : NULL;
  GstElement *left = index != RIGHT ? self->pads[SRC_LEFT].queue : NULL;
  Length of_output, of_left;

  gst_stx_joints_cut(&pad->inner);
  of_output = set_length(output, (Length){0});
  of_left = set_length(left, (Length){0});
  gst_pad_set_active(pad->pad, FALSE);
  gst_element_release_request_pad(self->part[GST_PLUMBING_INPUTS], pad->queued);
  set_length(output, of_output);
  set_length(left, of_left);
  gst_stx_joints_undo(&pad->inner);
}

static void remove_pad(GstPlumbing *self, guint index)
{
  GstPlumbingPad *pad = &self->pads[index];

  if (pad->queued != NULL)
    stop_sink(self, index);
  gst_stx_joints_undo(&pad->fixed);
  aim(pad->pad, NULL, NULL);
  gst_clear_object(&pad->queued);
  if (pad->queue != NULL) {
    gst_element_set_state(pad->queue, GST_STATE_NULL);
    gst_bin_remove(self->bin, pad->queue);
  }
  *pad = (GstPlumbingPad){NULL};
  if (index == BOTH || index == LEFT)
    gst_stx_joints_undo(&self->pictures);
}

gboolean gst_plumbing_add_pad(GstPlumbing *self, GstPad *pad)
{
  guint index = index_of(pad);
  gboolean added = FALSE;

  g_mutex_lock(&self->lock);
  if (is_free(self, index)) {
    self->pads[index].pad = pad;
    added = is_sink(index) ? add_sink(self, index) : add_src(self, index);
    if (!added)
      remove_pad(self, index);
  } else {
    GST_WARNING_OBJECT(self->bin,
        "there is no room for a pad %s: use either sink, or sink_left and sink_right, once each",
        kinds[index].name);
  }
  g_mutex_unlock(&self->lock);
  return added;
}

void gst_plumbing_remove_pad(GstPlumbing *self, GstPad *pad)
{
  g_mutex_lock(&self->lock);
  remove_pad(self, index_of(pad));
  g_mutex_unlock(&self->lock);
}

static void src_linked(GstPad *src, GstPad *peer, GstPlumbing *self)
{
  g_mutex_lock(&self->lock);
  if (self->connected && !join_wanted(self))
    GST_ERROR_OBJECT(self->bin, "nothing will come out of src");
  g_mutex_unlock(&self->lock);
}

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_plumbing_init(GstPlumbing *self, GstBin *bin, GstPad *src)
{
  static const GstPlumbingPart tees[] = {
      GST_PLUMBING_LEFT, GST_PLUMBING_DISPARITY, GST_PLUMBING_RECORDS};

  self->bin = bin;
  self->src = src;
  g_mutex_init(&self->lock);
  gst_stx_parts_make(bin, gst_plumbing_parts, GST_PLUMBING_PARTS, self->part);
  for (guint i = 0; i < G_N_ELEMENTS(lengths); i++)
    if (self->part[lengths[i].queue] != NULL)
      g_object_set(self->part[lengths[i].queue], "max-size-buffers", lengths[i].frames,
          "max-size-bytes", 0, "max-size-time", G_GUINT64_CONSTANT(0), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(tees); i++) /* one without a linked pad goes on */
    if (self->part[tees[i]] != NULL)
      g_object_set(self->part[tees[i]], "allow-not-linked", TRUE, NULL);
  g_signal_connect(src, "linked", G_CALLBACK(src_linked), self);
  gst_plumbing_watch(self);
}

void gst_plumbing_give_back(GstPlumbing *self)
{
  for (guint i = 0; i < GST_PLUMBING_PADS; i++)
    if (self->pads[i].pad != NULL)
      gst_element_release_request_pad(GST_ELEMENT(self->bin), self->pads[i].pad);
}
