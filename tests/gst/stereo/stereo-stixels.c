/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-stixels: the bytes are those of the pipeline that a user links by hand, for all ways in
 * and out; calibrations; what is said to the user. Pads that come and go: stereo-stixels-pads.c. */
#include <gst/video/video.h>
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define STREET "street-scene-src num-buffers=3 view="
#define SIZE " ! video/x-raw,width=160,height=96,framerate=10/1 ! "
#define I420 SIZE "videoconvert ! video/x-raw,format=I420 ! "
#define GRAY16 SIZE "videoconvert ! video/x-raw,format=GRAY16_LE ! "
#define TWO(element, way)                                                                          \
  STREET "left" way element ".sink_left " STREET "right" way element ".sink_right "
/* Both views in a frame, which loses the camera. */
#define ONE                                                                                        \
  STREET "left" SIZE "both.sink_0 " STREET "right" SIZE "both.sink_1 "                             \
         "compositor name=both sink_1::xpos=160 ! video/x-raw,width=320,height=96,format=I420 ! "
#define OUT "fakesink name=out sync=false async=false signal-handoffs=true "

/* ---- Files --------------------------------------------------------------------------------- */

/* Cameras with a little distortion: OpenCV. */
#define CAMERA(n) "K" n ": [92.8, 0, 79.5, 0, 92.8, 47.5, 0, 0, 1]\nD" n ": [-0.05, 0, 0, 0, 0]\n"
#define RAW                                                                                        \
  "image_width: 160\nimage_height: 96\n" CAMERA("1")                                               \
      CAMERA("2") "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.54, 0, 0]\n"
/* A rectified pair, not that of the street. */
#define KITTI "P2: 80 0 79.5 0 0 80 47.5 0 0 0 1 0\nP3: 80 0 79.5 -24 0 80 47.5 0 0 0 1 0\n"

#define CALIBRATION "calibration.txt"

/* ---- What comes out ------------------------------------------------------------------------ */

static void add_buffer(GChecksum *sum, GstBuffer *buffer)
{
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  g_checksum_update(sum, map.data, (gssize)map.size);
  gst_buffer_unmap(buffer, &map);
}

static gboolean add_region(GstBuffer *buffer, GstMeta **meta, gpointer sum)
{
  GstVideoRegionOfInterestMeta *region = (GstVideoRegionOfInterestMeta *)*meta;

  if ((*meta)->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
    return TRUE;
  for (GList *item = region->params; item != NULL; item = item->next) {
    g_autofree gchar *text = gst_structure_to_string(item->data);

    g_checksum_update(sum, (const guchar *)text, -1);
  }
  return TRUE;
}

static void take(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(buffer);
  GstStxObstaclesMeta *obstacles = gst_buffer_get_stx_obstacles_meta(buffer);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  g_autofree gchar *text = gst_caps_to_string(caps);
  guint64 pts = GST_BUFFER_PTS(buffer);

  g_checksum_update(data, (const guchar *)text, -1);
  g_checksum_update(data, (const guchar *)&pts, sizeof pts);
  add_buffer(data, buffer);
  if (meta != NULL)
    add_buffer(data, meta->stixels);
  if (obstacles != NULL)
    add_buffer(data, obstacles->obstacles);
  gst_buffer_foreach_meta(buffer, add_region, data);
}

/* "sgm::p1=8 …" of the element `s`. (Where gst_parse_launch sets them, GStreamer 1.22 keeps the
 * child for ever.) */
static void set_children(GstElement *pipeline, const char *settings)
{
  g_autoptr(GstElement) bin = gst_bin_get_by_name(GST_BIN(pipeline), "s");
  g_auto(GStrv) words = g_strsplit(settings, " ", 0);

  for (gchar **word = words; *word != NULL; word++) {
    g_auto(GStrv) sides = g_strsplit(*word, "=", 2);
    GParamSpec *spec;
    GObject *target;

    fail_unless(
        gst_child_proxy_lookup(GST_CHILD_PROXY(bin), sides[0], &target, &spec), "%s", *word);
    gst_util_set_object_arg(target, spec->name, sides[1]);
    g_object_unref(target);
  }
}

/* Caps, times, bytes, attached stixels, obstacles and regions of what comes to the sink `out`. */
static gchar *digest(const char *line, const char *children)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA1);
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_autoptr(GstElement) out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  gchar *text;

  if (children != NULL)
    set_children(pipeline, children);
  g_signal_connect(out, "handoff", G_CALLBACK(take), sum);
  stx_test_play(pipeline);
  text = g_strdup(g_checksum_get_string(sum));
  return text;
}

static void expect_same(const char *bin, const char *children, const char *hand)
{
  g_autofree gchar *ours = digest(bin, children);
  g_autofree gchar *theirs = digest(hand, NULL);
  g_autofree gchar *nothing = digest("videotestsrc num-buffers=0 ! " OUT, NULL);

  ck_assert_msg(strcmp(ours, theirs) == 0, "%s\nis not\n%s", bin, hand);
  ck_assert_str_ne(ours, nothing);
}

/* ---- As linked by hand --------------------------------------------------------------------- */

#define CUT "downsample-transpose ! sat-dp-stixels ! "
#define RECORDS "application/x-obstacles ! "
#define DRAWN "o.stixels stixel-overlay name=o ! " OUT

static const struct {
  const char *bin, *hand, *children;
} ways[] = {
    {"stereo-stixels name=s ! " OUT TWO("s", I420), STREET
        "left" I420 "tee name=left left. ! queue ! sgm.sink_left left. ! queue ! o.sink " STREET
        "right" I420 "sgm.sink_right stereo-sgm name=sgm ! " CUT DRAWN},
    {"stereo-stixels name=s stixel-width=5 output=stixels ! " OUT TWO("s", SIZE),
        TWO("sgm", SIZE) "stereo-sgm name=sgm ! downsample-transpose stixel-width=5 ! "
                         "sat-dp-stixels ! " OUT},
    {"stereo-stixels name=s output=json paths=8 ! " OUT TWO("s", SIZE),
        TWO("sgm", SIZE) "stereo-sgm name=sgm paths=8 ! " CUT "stixel-json ! " OUT},
    {"stereo-stixels name=s segmentation=segments output=stixels ! " OUT TWO("s", SIZE),
        TWO("sgm",
            SIZE) "stereo-sgm name=sgm ! downsample-transpose ! rdp-columns epsilon=2 ! " OUT,
        "segments::epsilon=2"},
    {ONE "stereo-stixels name=s layout=side-by-side ! " OUT,
        ONE "tee name=t t. ! queue ! videocrop right=160 ! o.sink t. ! queue ! stereo-sgm "
            "layout=side-by-side ! " CUT "o.stixels stixel-overlay name=o mode=kind ! " OUT,
        "overlay::mode=kind"},
    {ONE "stereo-stixels name=s layout=side-by-side output=stixels ! " OUT,
        ONE "stereo-sgm layout=side-by-side baseline=0.3 focal=50 ! " CUT OUT,
        "sgm::baseline=0.3 sgm::focal=50"},
    {"stereo-stixels name=s obstacles=true labels=distance+id free-space=true ! " OUT TWO(
         "s", I420),
        STREET "left" I420 "tee name=left left. ! queue ! sgm.sink_left left. ! queue ! "
               "o.sink " STREET "right" I420 "sgm.sink_right stereo-sgm name=sgm ! " CUT
               "stixel-obstacles min-height=0.6 ! o.stixels stixel-overlay name=o "
               "labels=distance+id free-space=true ! " OUT,
        "obstacles::min-height=0.6"},
    {"stereo-stixels name=s obstacles=true ! " RECORDS OUT TWO("s", SIZE),
        TWO("sgm", SIZE) "stereo-sgm name=sgm ! " CUT "stixel-obstacles ! " RECORDS OUT},
    {"stereo-stixels name=s obstacles=true output=stixels ! " OUT TWO("s", SIZE),
        TWO("sgm", SIZE) "stereo-sgm name=sgm ! " CUT "stixel-obstacles ! " OUT},
    {"stereo-stixels name=s obstacles=true output=json ! " OUT TWO("s", SIZE),
        TWO("sgm", SIZE) "stereo-sgm name=sgm ! " CUT "stixel-obstacles ! stixel-json ! " OUT},
};

STX_TEST_LOOP(bytes_are_those_of_the_pipeline_by_hand, G_N_ELEMENTS(ways))
{
  expect_same(ways[_i].bin, ways[_i].children, ways[_i].hand);
}

/* Though it is drawn on in colour. */
STX_TEST(gray_keeps_its_bits)
{
  stx_test_runs("stereo-stixels name=s ! " OUT "s.src_left ! video/x-raw,format=GRAY16_LE ! "
                "fakesink " TWO("s", GRAY16));
}

#define RECTIFIED                                                                                  \
  "r.src_left ! tee name=left left. ! queue ! o.sink left. ! queue ! sgm.sink_left "               \
  "r.src_right ! queue ! sgm.sink_right stereo-sgm name=sgm ! " CUT DRAWN

static const struct {
  const char *text, *bin, *hand;
} calibrated[] = {
    {RAW, "stereo-stixels name=s calibration=" CALIBRATION " ! " OUT TWO("s", I420),
        "stereo-rectify name=r calibration=" CALIBRATION " " TWO("r", I420) RECTIFIED},
    {RAW, ONE "stereo-stixels name=s layout=side-by-side calibration=" CALIBRATION " ! " OUT,
        "stereo-rectify name=r calibration=" CALIBRATION " layout=side-by-side " ONE
        "r.sink " RECTIFIED},
    {KITTI, "stereo-stixels name=s calibration=" CALIBRATION " output=json ! " OUT TWO("s", SIZE),
        "stereo-sgm name=sgm calibration=" CALIBRATION " ! " CUT
        "stixel-json ! " OUT TWO("sgm", SIZE)},
};

STX_TEST_LOOP(the_file_says_whether_pictures_are_rectified, G_N_ELEMENTS(calibrated))
{
  stx_test_write(CALIBRATION, calibrated[_i].text);
  expect_same(calibrated[_i].bin, NULL, calibrated[_i].hand);
}

/* ---- Calibrations, one after the other ----------------------------------------------------- */

static GstElement *child(GstElement *bin, const char *name)
{
  GstElement *found = gst_bin_get_by_name(GST_BIN(bin), name);

  fail_unless(found != NULL, "no child %s", name);
  gst_object_unref(found); /* the bin keeps it */
  return found;
}

static gchar *matcher_calibration(GstElement *bin)
{
  gchar *path;

  g_object_get(child(bin, "sgm"), "calibration", &path, NULL);
  return path;
}

/* In READY, with a file of that text: is the matcher given it, and are pictures rectified? */
static void expect_choice(GstElement *bin, const char *text, gboolean matcher, gboolean rectifies)
{
  g_autofree gchar *given = NULL;

  if (text != NULL)
    stx_test_write(CALIBRATION, text);
  g_object_set(bin, "calibration", text != NULL ? CALIBRATION : NULL, NULL);
  ck_assert_int_eq(gst_element_set_state(bin, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  given = matcher_calibration(bin);
  ck_assert_int_eq(given != NULL, matcher);
  ck_assert_int_eq(GST_STATE(child(bin, "rectify")) == GST_STATE_READY, rectifies);
  gst_element_set_state(bin, GST_STATE_NULL);
}

STX_TEST(a_calibration_holds_until_the_next_one)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  g_autofree gchar *given = NULL;

  expect_choice(bin, NULL, FALSE, FALSE);
  expect_choice(bin, KITTI, TRUE, FALSE);
  expect_choice(bin, RAW, FALSE, TRUE);
  expect_choice(bin, KITTI, TRUE, FALSE);
  expect_choice(bin, NULL, FALSE, FALSE);
  g_object_set(child(bin, "sgm"), "calibration", "mine.txt", NULL);
  expect_choice(bin, NULL, TRUE, FALSE);
  given = matcher_calibration(bin);
  ck_assert_str_eq(given, "mine.txt");
}

/* ---- What is said -------------------------------------------------------------------------- */

/* A calibration of this text ends in an error with this word and that. */
static const struct {
  const char *text, *first, *second;
} bad_files[] = {
    {"hello: 1\n", "none of the keys", "KITTI"},
    {"P2: 1 2 3\n", "P2:", "has 3 numbers; expected 12"},
    {CAMERA("1") CAMERA("2"), "no \"R\"", "calibration-right"},
    {"", "empty", "empty"},
};

static void breaks(const char *path, const char *first, const char *second)
{
  g_autofree gchar *line =
      g_strdup_printf("stereo-stixels name=s calibration=%s ! " OUT TWO("s", SIZE), path);

  stx_test_breaks(line, first, second, NULL);
}

STX_TEST_LOOP(bad_calibrations_are_named, G_N_ELEMENTS(bad_files))
{
  stx_test_write(CALIBRATION, bad_files[_i].text);
  breaks(CALIBRATION, bad_files[_i].first, bad_files[_i].second);
}

STX_TEST(missing_files_are_named)
{
  breaks("/nowhere/at/all.yml", "all.yml", "No such file");
  breaks("/tmp", "tmp", "director");
}

static gboolean is_third(GstPadProbeInfo *info)
{
  return GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)) == 200 * GST_MSECOND;
}

/* A camera that loses its third frame. */
static GstPadProbeReturn lose(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  return is_third(info) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Whose third and last frames end a byte too early. */
static GstPadProbeReturn shorten(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));

  if (is_third(info) || GST_BUFFER_PTS(buffer) == 400 * GST_MSECOND)
    gst_buffer_resize(buffer, 0, (gssize)gst_buffer_get_size(buffer) - 1);
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Reads the output of an element, if there is one of this name. */
static void look_at(
    GstElement *pipeline, const gchar *name, GstPadProbeCallback callback, gpointer data)
{
  GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstPad *pad = element != NULL ? gst_element_get_static_pad(element, "src") : NULL;

  if (pad != NULL)
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, NULL);
  g_clear_object(&pad);
  g_clear_object(&element);
}

static guint frames_out;

static guint count_warnings(const char *line, const char *children, const char *word)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_auto(GStrv) warnings = NULL;
  guint count = 0;

  if (children != NULL)
    set_children(pipeline, children);
  frames_out = 0;
  look_at(pipeline, "lossy", lose, NULL);
  look_at(pipeline, "short", shorten, NULL);
  look_at(pipeline, "s", stx_test_count_one, &frames_out);
  warnings = stx_test_warnings(pipeline);
  for (gchar **warning = warnings; *warning != NULL; warning++)
    count += strstr(*warning, word) != NULL;
  return count;
}

STX_TEST(unknown_distances_are_said_once)
{
  static const char line[] = ONE "stereo-stixels name=s layout=side-by-side ! " OUT;

  ck_assert_uint_eq(count_warnings(line, NULL, "metres"), 1);
  ck_assert_uint_eq(count_warnings(line, "sgm::focal=50 sgm::baseline=1", "metres"), 0);
  ck_assert_uint_eq(
      count_warnings("stereo-stixels name=s ! " OUT TWO("s", SIZE), NULL, "metres"), 0);
}

STX_TEST(a_lost_frame_is_said_once)
{
  static const char *const settings[] = {"", "obstacles=true", "obstacles=true output=stixels"};

  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    g_autofree gchar *line = g_strdup_printf(
        "stereo-stixels name=s %s ! " OUT STREET "left num-buffers=5 " SIZE "s.sink_left " STREET
        "right num-buffers=5 " SIZE "identity name=lossy ! s.sink_right",
        settings[i]);

    ck_assert_uint_eq(count_warnings(line, NULL, ""), 1);
  }
}

#define SHORT(source, format)                                                                      \
  source SIZE "videoconvert ! video/x-raw,format=" format " ! identity name=short ! "

static const char *const short_lines[] = {
    SHORT("videotestsrc num-buffers=5", "YUY2") "stereo-stixels name=s layout=side-by-side ! " OUT,
    SHORT("videotestsrc num-buffers=5", "RGB") "stereo-stixels name=s layout=top-bottom "
                                               "output=json ! " OUT,
    "stereo-stixels name=s ! " OUT SHORT("street-scene-src num-buffers=5",
        "I420") "s.sink_left "
                "street-scene-src num-buffers=5 view=right" SIZE "s.sink_right ",
};

STX_TEST_LOOP(short_frames_are_dropped_and_said_once, G_N_ELEMENTS(short_lines))
{
  const char *line = short_lines[_i];

  ck_assert_uint_eq(count_warnings(line, NULL, "does not fit its caps: 160x96"), 1);
  ck_assert_uint_eq(frames_out, 3);
}

STX_TEST(labels_without_obstacles_are_said_once)
{
#define WARNINGS(settings)                                                                         \
  count_warnings("stereo-stixels name=s " settings " ! " OUT TWO("s", SIZE), NULL, "")

  ck_assert_uint_eq(WARNINGS("labels=distance+id"), 1);
  ck_assert_uint_eq(WARNINGS("labels=distance+id obstacles=true"), 0);
  ck_assert_uint_eq(WARNINGS("labels=distance"), 0);
}

STX_TEST(a_child_that_is_none_is_said_once)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  g_autoptr(Watch) bus = stx_test_watch(bin);
  GstChildProxy *proxy = GST_CHILD_PROXY(bin);

  for (guint i = 0; i < 2; i++)
    ck_assert(!gst_child_proxy_lookup(proxy, "satdp::change-cost", NULL, NULL));
  ck_assert(!gst_child_proxy_lookup(proxy, "queue-src_left::silent", NULL, NULL));
  gst_object_unref(gst_element_request_pad_simple(bin, "src_left"));
  gst_element_set_state(bin, GST_STATE_READY);
  stx_test_expect_warning(
      bus, "no element satdp inside, so its property was not set; there are sgm,");
  gst_element_set_state(bin, GST_STATE_NULL);
  gst_element_set_state(bin, GST_STATE_READY);
  stx_test_expect_silence(bus);
  gst_element_set_state(bin, GST_STATE_NULL);
}

/* Elements that take none of the formats: the pad, and the formats they take. */
static const char *const refused[][3] = {
    {"stereo-stixels name=s ! application/x-json ! " OUT, "pad src leads", "application/x-json"},
    {"stereo-stixels name=s ! video/x-raw,framerate=7/1 ! " OUT, "pad src leads", "7/1"},
    {"stereo-stixels name=s ! " OUT "s.src_left ! video/x-raw,format=RGB15 ! fakesink ",
        "pad src_left leads", "RGB15"},
    {"stereo-stixels name=s output=json ! application/x-stixels ! " OUT, "json", "x-stixels"},
    {"stereo-stixels name=s output=stixels ! queue ! application/x-stixels,width=7 ! " OUT,
        "The next element", "x-stixel"},
};

STX_TEST_LOOP(what_does_not_suit_the_next_element_is_named, G_N_ELEMENTS(refused))
{
  g_autofree gchar *line = g_strconcat(refused[_i][0], TWO("s", SIZE), NULL);

  stx_test_breaks(line, refused[_i][1], refused[_i][2], NULL);
}

/* ---- Properties and children --------------------------------------------------------------- */

STX_TEST(children_have_names_for_ever)
{
  static const gchar *const names[] = {"sgm", "onnx", "rectify", "reduction", "stixels", "segments",
      "overlay", "obstacles", "json", "inputs", "convert-left", "convert-right", "crop"};
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  g_autofree gchar *dot = gst_debug_bin_to_dot_data(GST_BIN(bin), GST_DEBUG_GRAPH_SHOW_ALL);

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    child(bin, names[i]);
    fail_unless(strstr(dot, names[i]) != NULL, "no %s in the graph", names[i]);
  }
}

/* property, children, their name for it if it is another */
static const gchar *const reach[][3] = {{"calibration", "rectify"},
    {"calibration-right", "rectify"}, {"calibration-pair", "sgm onnx rectify"}, {"unit", "rectify"},
    {"fov", "rectify"}, {"refine", "rectify"}, {"layout", "sgm onnx rectify"},
    {"camera-height", "sgm onnx"}, {"camera-pitch", "sgm onnx"}, {"network", "onnx", "model"},
    {"max-disparity", "sgm"}, {"disparity-at-infinity", "sgm"}, {"paths", "sgm"}, {"search", "sgm"},
    {"motion", "sgm onnx"}, {"stixel-width", "reduction"}, {"stixel-height", "reduction"},
    {"model", "stixels"}, {"ground", "stixels"}, {"carrier", "stixels"}, {"mode", "overlay"},
    {"alpha", "overlay"}, {"legend", "overlay"}, {"max-distance", "overlay"}, {"dim", "overlay"},
    {"labels", "overlay"}, {"labels-max", "overlay"}, {"free-space", "overlay"},
    {"velocities", "overlay"}, {"corridor-width", "overlay"}, {"min-height", "obstacles"},
    {"min-width", "obstacles"}, {"post-messages", "obstacles"},
    {"qos", "sgm onnx reduction overlay"}, {"tolerance", "sgm onnx"},
    {"timeout", "sgm onnx reduction overlay"},
    {"backend", "sgm rectify reduction stixels segments overlay"},
    {"threads", "sgm onnx rectify reduction stixels segments overlay"},
    {"cuda-device-id", "sgm onnx rectify reduction stixels segments overlay"}};

/* Any other value than the default. */
static void set_other(GstElement *bin, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GParamSpecEnum *choices = G_PARAM_SPEC_ENUM(spec);
    const GEnumValue *value = &choices->enum_class->values[choices->enum_class->n_values - 1];

    g_object_set(bin, spec->name, value->value == choices->default_value ? 0 : value->value, NULL);
  } else {
    gst_util_set_object_arg(G_OBJECT(bin), spec->name, "1");
  }
}

static void expect_reached(
    GstElement *bin, GParamSpec *spec, const gchar *name, const gchar *theirs_name)
{
  GstElement *part = child(bin, name);
  GParamSpec *own = g_object_class_find_property(G_OBJECT_GET_CLASS(part), theirs_name);
  GValue ours = G_VALUE_INIT, theirs = G_VALUE_INIT;

  g_value_init(&ours, own->value_type);
  g_value_init(&theirs, own->value_type);
  g_object_get_property(G_OBJECT(bin), spec->name, &ours);
  g_object_get_property(G_OBJECT(part), theirs_name, &theirs);
  fail_unless(!g_param_value_defaults(own, &theirs), "%s::%s was not set", name, theirs_name);
  ck_assert_int_eq(g_param_values_cmp(own, &ours, &theirs), 0);
  g_value_unset(&ours);
  g_value_unset(&theirs);
}

STX_TEST(every_property_reaches_its_children)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  GObjectClass *klass = G_OBJECT_GET_CLASS(bin);
  guint count, ours = 0;
  g_autofree GParamSpec **specs = g_object_class_list_properties(klass, &count);

  for (guint i = 0; i < G_N_ELEMENTS(reach); i++) {
    GParamSpec *spec = g_object_class_find_property(klass, reach[i][0]);
    g_auto(GStrv) names = g_strsplit(reach[i][1], " ", 0);

    set_other(bin, spec);
    for (gchar **name = names; *name != NULL; name++)
      expect_reached(bin, spec, *name, reach[i][2] != NULL ? reach[i][2] : reach[i][0]);
  }
  for (guint i = 0; i < count; i++)
    ours += specs[i]->owner_type == G_OBJECT_TYPE(bin);
  /* matcher, output, segmentation and obstacles are its own */
  ck_assert_uint_eq(ours, G_N_ELEMENTS(reach) + 4);
}
