/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every property that may be set while an element plays counts from the next frame on, and no
 * longer than until it is set back: the same frame comes again and again, and is given other bytes
 * or metas with the property, and those of before without it. Elements and properties are those
 * that the plugin lists.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define FRAME (GST_SECOND / 10)
#define STREET(view) "street-scene-src first-frame=1 num-buffers=1 view=" view
#define VIEW(view) STREET(view) " ! video/x-raw,width=416,height=128,framerate=10/1"
#define NOTHING                                                                                    \
  "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=10/1"
#define SCAN STREET("lidar beams=32 azimuth-steps=360") " ! lidar-ground"
#define CELLS(view) VIEW(view) " ! downsample-transpose stixel-width=4 stixel-height=4"
#define MATCHED(output)                                                                            \
  VIEW("left") " ! sgm.sink_left " VIEW("right") " ! sgm.sink_right stereo-sgm name=sgm" output
#define STIXELS CELLS("disparity") " ! sat-dp-stixels"

typedef struct {
  const char *pad, *line; /* the source of its frame */
} Input;

/* An element, with properties that bring out what others do; its inputs, the main one first; caps
 * that downstream wants, or NULL; what is set, word by word. */
static const struct {
  const char *element;
  Input inputs[3];
  const char *caps, *changes;
} cases[] = {
    {"sat-dp-stixels change-cost=0",
        {{"sink",
            VIEW("semantics") " ! cells.semantics " VIEW(
                "disparity") " ! "
                             "downsample-transpose name=cells stixel-width=4 stixel-height=4"}},
        NULL,
        "stixel-cost=0.25 semantic-weight=2 sigma-disparity-ground=0.25 "
        "sigma-disparity-object=0.25 sigma-disparity-sky=0.25 sigma-weight=4 sigma-height=2 "
        "sigma-angle=0.5 sigma-depth=20 ground-sigma-intercept=0.01 ground-sigma-slope=0.01 "
        "object-sigma-slope=1 pair-cost=0 pair-slope=0 pair-tolerance=0 horizon-cost=0 "
        "unknown-cost=0 "
        "class-kinds=ground=building;sky=road cut-candidates=rdp"},
    {"sat-dp-stixels change-cost=0 ground=estimate",
        {{"sink", MATCHED(" ! downsample-transpose stixel-width=4 stixel-height=4")}}, NULL,
        "sky-cost=0 raised-cost=0"},
    {"sat-dp-stixels change-cost=0 model=gaussian-uniform",
        {{"sink", MATCHED(" sky=false ! downsample-transpose stixel-width=4 stixel-height=4")}},
        NULL,
        "outlier-share-ground=0.9 outlier-share-object=0.9 outlier-share-sky=0.9 "
        "outlier-range=1"},
    {"sat-dp-stixels change-cost=0 cut-candidates=rdp", {{"sink", CELLS("disparity")}}, NULL,
        "epsilon=4"},
    {"sat-dp-stixels change-cost=0 first-object-cost=2 first-sky-cost=3",
        {{"sink", NOTHING " ! downsample-transpose min-disparity=255"}}, NULL,
        "first-object-cost=9 first-sky-cost=0"},
    {"rdp-columns", {{"sink", CELLS("disparity")}}, NULL, "epsilon=4 median=5"},
    {"disparity-colour", {{"sink", VIEW("disparity")}}, "video/x-raw,format=RGB",
        "mode=depth palette=gray max=9 min=2 legend=none unknown=grey range=frame "
        "disparity-encoding=opencv"},
    {"lidar-bev", {{"sink", SCAN}}, "video/x-raw,format=RGB,width=320,height=240",
        "center-x=5 center-y=3 extent=12 legend=none mode=height point-size=5 rings=false zoom=2"},
    {"lidar-ground", {{"sink", SCAN}}, "application/x-point-labels",
        "bank-reach=20 bins=30 cluster-cell=2 level=false line-search-angle=0 long-threshold=250 "
        "max-dist-below=0.01 max-dist-to-line=0.02 max-fit-error=0.01 max-foot-height=0.3 "
        "max-long-height=0.01 max-slope=0.01 max-start-height=0.01 obstacle-height=1 r-max=20 "
        "r-min=9 sectors=24 sensor-height=1"},
    {"lidar-overlay mode=range",
        {{"sink", VIEW("left") ",format=RGB"}, {"points", SCAN " ! stixel-obstacles"}}, NULL,
        "alpha=0.2 legend=none max-range=9 mode=height obstacles=false point-size=9 "
        "sensor-pitch=0.1 sensor-roll=0.1 sensor-x=1 sensor-y=1 sensor-yaw=0.1 sensor-z=1"},
    {"occupancy-grid motion=alone size=40 resolution=0.5", {{"sink", STIXELS}, {"points", SCAN}},
        "application/x-occupancy-grid",
        "clearance=1 lead=9 max-distance=9 min-height=1 resolution=0.25 sensor-pitch=0.1 "
        "sensor-roll=0.1 sensor-x=1 sensor-y=1 sensor-yaw=0.1 size=20 uncertainty=4"},
    {"stereo-sgm max-disparity=64 disparity-at-infinity=0",
        {{"sink_left", VIEW("left")}, {"sink_right", VIEW("right")}}, NULL,
        "lr-max-diff=-1 median=false p1=1 p2=20 paths=8 search=full "
        "texture=-1 uniqueness=50 sky=false disparity-at-infinity=-3 output=depth-mm "
        "confidence=false motion=true"},
    {"stixel-bev", {{"sink", STIXELS " ! stixel-obstacles"}, {"points", SCAN}},
        "video/x-raw,format=RGB,width=320,height=240",
        "mode=class center-x=5 center-y=3 corridor-width=3 extent=12 legend=none max-distance=9 "
        "rings=false show=ground uncertainty=4 zoom=2 labels-max=0 point-size=5 points=labels "
        "sensor-pitch=0.1 sensor-roll=0.1 sensor-x=1 sensor-y=1 sensor-yaw=0.1 sensor-z=1"},
    {"stixel-bev corridor-width=3", {{"sink", STIXELS " ! stixel-obstacles"}},
        "video/x-raw,format=RGB,width=320,height=240", "corridor-length=9 corridor-offset=1"},
    {"stixel-bev baseline=0.02", {{"sink", STIXELS " ! stixel-obstacles"}},
        "video/x-raw,format=RGB,width=320,height=240", "fit=false"},
    {"stixel-json", {{"sink", STIXELS " ! stixel-obstacles"}}, NULL, "metres=false write=stixels"},
    {"stixel-obstacles follow=false", {{"sink", STIXELS}}, "application/x-obstacles",
        "clearance=1 depth-step=0.1 disparity-step=0.1 gap=9 max-distance=9 max-length=2 "
        "max-obstacles=1 min-count=30 min-height=2 min-width=3"},
    {"stixel-overlay corridor-width=3 free-space=true labels=distance",
        {{"sink", VIEW("left") ",format=RGB"}, {"stixels", STIXELS " ! stixel-obstacles"}}, NULL,
        "alpha=0.2 corridor-length=5 corridor-offset=1 corridor-width=1 dim=0.5 fill=false "
        "free-space=false labels=id labels-max=1 legend=none line-width=4 "
        "max-distance=9 mode=kind outlines=false scale=disparity show=ground text-size=20"},
    {"stixel-overlay scale=disparity", {{"sink", VIEW("left") ",format=RGB"}, {"stixels", STIXELS}},
        NULL, "max-disparity=9"},
    {"stixel-overlay mode=cost", {{"sink", VIEW("left") ",format=RGB"}, {"stixels", STIXELS}}, NULL,
        "max-cost=1"},
    {"stixel-overlay mode=height", {{"sink", VIEW("left") ",format=RGB"}, {"stixels", STIXELS}},
        NULL, "max-height=1"},
};

/* Properties that change no bytes of a frame alone, or whose tests are elsewhere; element NULL: of
 * all. */
static const struct {
  const char *element, *properties, *why;
} others[] = {
    {NULL, "qos timeout tolerance hold post-messages layout", "which frames, and what is told"},
    {"lidar-decode", "incomplete speed times yaw yaw-rate", "lidar-decode.c: turns"},
    {"lidar-parse", "format max-size skip-bad", "lidar-parse.c: files"},
    {"occupancy-grid", "memory motion sensor-z", "occupancy-grid.c: many frames"},
    {"onnx-stereo", "confidence motion", "check_onnx_stereo.py: networks"},
    {"road-hazards",
        "confirm evidence max-distance max-hazards max-height min-height min-width window",
        "road-hazards.c: many frames"},
    {"sat-dp-stixels", "change-cost", "sat-dp-stixels.c: many frames"},
    {"stereo-sgm", "gray-bits max-disparity", "stereo-sgm.c: sixteen bits, and what comes near"},
    {"stereo-stixels",
        "alpha corridor-width dim disparity-at-infinity free-space labels labels-max legend "
        "max-disparity max-distance min-height min-width mode motion paths search velocities",
        "its children's"},
    {"stixel-obstacles",
        "corridor-length corridor-offset corridor-width follow free-space-mask gate max-unseen "
        "sectors speed yaw-rate",
        "stixel-obstacles-stream.c: many frames"},
    {"stixel-overlay", "velocities", "tests/frames"},
    {"stixel-sei", "exact", "stixel-sei.c"},
};

/* ---- Frames -------------------------------------------------------------------------------- */

typedef struct {
  GstBuffer *buffer;
  GstCaps *caps;
} Kept;

static GstPadProbeReturn keep(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Kept *kept = data;

  gst_buffer_replace(&kept->buffer, GST_PAD_PROBE_INFO_BUFFER(info));
  gst_caps_take(&kept->caps, gst_pad_get_current_caps(pad));
  return GST_PAD_PROBE_OK;
}

static Kept last_of(const char *line)
{
  g_autofree gchar *text = g_strconcat(line, " ! fakesink name=out", NULL);
  g_autoptr(GstElement) pipeline = stx_test_parse(text);
  Kept kept = {NULL, NULL};

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, keep, &kept);
  stx_test_play(pipeline);
  return kept;
}

typedef struct {
  GstElement *element;
  GstHarness *harness[3];
  Kept kept[3];
  guint count, number; /* of inputs; of the next frame */
} Rig;

static Rig begin(guint which)
{
  Rig rig = {.element = gst_object_ref_sink(stx_test_parse(cases[which].element))};

  for (; rig.count < 3 && cases[which].inputs[rig.count].pad != NULL; rig.count++) {
    const Input *input = &cases[which].inputs[rig.count];

    rig.kept[rig.count] = last_of(input->line);
    rig.harness[rig.count] =
        gst_harness_new_with_element(rig.element, input->pad, rig.count == 0 ? "src" : NULL);
  }
  if (cases[which].caps != NULL)
    gst_harness_set_sink_caps_str(rig.harness[0], cases[which].caps);
  for (guint i = 0; i < rig.count; i++)
    gst_harness_set_src_caps(rig.harness[i], rig.kept[i].caps);
  return rig;
}

static void end(Rig *rig)
{
  for (guint i = rig->count; i-- > 0;) {
    gst_harness_teardown(rig->harness[i]);
    gst_buffer_unref(rig->kept[i].buffer);
  }
  gst_object_unref(rig->element);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, end)

/* The bytes of the same frame once more, and of its metas. */
static GBytes *again(Rig *rig, const char *what)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autoptr(GstBuffer) out = NULL;
  g_autoptr(GBytes) metas = NULL;
  GstMapInfo map;

  for (guint i = rig->count; i-- > 0;) {
    GstBuffer *frame = gst_buffer_copy(rig->kept[i].buffer);

    GST_BUFFER_PTS(frame) = rig->count > 1 ? rig->number * FRAME : 0; /* a line of JSON tells it */
    ck_assert_int_eq(gst_harness_push(rig->harness[i], frame), GST_FLOW_OK);
  }
  rig->number++;
  out = gst_harness_pull(rig->harness[0]);
  ck_assert_msg(out != NULL && gst_buffer_map(out, &map, GST_MAP_READ), "%s", what);
  g_byte_array_append(bytes, map.data, (guint)map.size);
  gst_buffer_unmap(out, &map);
  metas = gst_stx_metas_to_bytes(out);
  if (metas != NULL)
    g_byte_array_append(bytes, g_bytes_get_data(metas, NULL), (guint)g_bytes_get_size(metas));
  return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

STX_TEST_LOOP(properties_count_from_the_next_frame, G_N_ELEMENTS(cases))
{
  g_auto(Rig) rig = begin(_i);
  g_auto(GStrv) changes = g_strsplit(cases[_i].changes, " ", 0);
  g_autoptr(GBytes) plain = again(&rig, cases[_i].element);
  g_autoptr(GString) faults = g_string_new(NULL);

  for (gchar **change = changes; *change != NULL; change++) {
    g_auto(GStrv) words = g_strsplit(*change, "=", 2);
    g_auto(GValue) before = G_VALUE_INIT;
    g_autoptr(GBytes) changed = NULL, unchanged = NULL;

    g_object_get_property(G_OBJECT(rig.element), words[0], &before);
    gst_util_set_object_arg(G_OBJECT(rig.element), words[0], words[1]);
    changed = again(&rig, *change);
    if (g_bytes_equal(changed, plain))
      g_string_append_printf(faults, ", %s changes nothing", *change);
    g_object_set_property(G_OBJECT(rig.element), words[0], &before);
    unchanged = again(&rig, *change);
    if (!g_bytes_equal(unchanged, plain))
      g_string_append_printf(faults, ", %s goes on", *change);
  }
  ck_assert_msg(faults->len == 0, "%s%s", cases[_i].element, faults->str);
}

/* Whether one of the words, "NAME" or "NAME=VALUE", has this name. */
static gboolean names(const char *words, const char *name)
{
  g_auto(GStrv) all = g_strsplit(words, " ", 0);
  gsize length = strlen(name);

  for (gchar **word = all; *word != NULL; word++)
    if (strncmp(*word, name, length) == 0 && ((*word)[length] == '\0' || (*word)[length] == '='))
      return TRUE;
  return FALSE;
}

static gboolean is_listed(const char *element, const char *name)
{
  gboolean listed = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *own = g_strndup(cases[i].element, strcspn(cases[i].element, " "));

    listed |= g_str_equal(own, element) && names(cases[i].changes, name);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    listed |= (others[i].element == NULL || g_str_equal(others[i].element, element)) &&
              names(others[i].properties, name);
  return listed;
}

STX_TEST(every_property_that_may_be_set_is_listed)
{
  const guint wanted = G_PARAM_WRITABLE | GST_PARAM_MUTABLE_PLAYING;
  g_auto(GStrv) elements = stx_test_elements();
  guint count;

  for (gchar **name = elements; *name != NULL; name++) {
    g_autoptr(GstElement) element = gst_object_ref_sink(gst_element_factory_make(*name, NULL));
    g_autofree GParamSpec **specs =
        g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);

    for (guint i = 0; i < count; i++)
      ck_assert_msg((specs[i]->flags & wanted) != wanted || is_listed(*name, specs[i]->name),
          "%s: %s is in no line", *name, specs[i]->name);
  }
}
