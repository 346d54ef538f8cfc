/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caps of any kind on every sink pad of every element, and then a buffer: the element says what is
 * wrong with them, or works.
 */
#include "tests/fuzz/rig.h"

#include <string.h>

#define MOST_BYTES (64 << 10)

/* Rectified views of a size of their own: maps of what caps may say would take seconds. */
#define RECTIFY "stereo-rectify threads=1 width=16 height=16 "
#define LANES NULL, NULL, {"src_left", "src_right"}, STX_RIG_CALIBRATION

static StxRig rigs[] = {
    {"downsample-transpose threads=1", {"sink", "confidence"}},
    {"downsample-transpose threads=1", {"sink", "semantics"}},
    {"stereo-sgm threads=1 max-disparity=64", {"sink_left", "sink_right"}},
    {"stereo-sgm threads=1 max-disparity=64", {"sink"}},
    {"onnx-stereo threads=1", {"sink_left", "sink_right"}},
    {"onnx-stereo threads=1", {"sink"}},
    {"stixel-overlay threads=1", {"sink", "stixels"}},
    {"stixel-overlay threads=1", {"sink", "truth"}},
    {"lidar-overlay threads=1", {"sink", "points"}},
    {"stixel-orbit threads=1", {"sink"}, "video/x-raw,format=RGB,width=16,height=16"},
    {"sat-dp-stixels threads=1", {"sink"}},
    {"rdp-columns threads=1", {"sink"}},
    {"stixel-json", {"sink"}},
    {"stixel-bev threads=1", {"sink", "points"}, "video/x-raw,format=RGB,width=16,height=16"},
    {"occupancy-grid size=10", {"sink", "points"}, "application/x-occupancy-grid"},
    {"occupancy-grid size=10", {"sink"}, "video/x-raw,format=GRAY8"},
    {"stixel-obstacles", {"sink"}},
    {"stixel-obstacles", {"sink"}, "application/x-obstacles"},
    {"lidar-ground threads=1", {"sink"}},
    {"lidar-ground threads=1", {"sink"}, "application/x-point-labels"},
    {"lidar-bev", {"sink"}, "video/x-raw,format=RGB,width=16,height=16"},
    {"lidar-parse", {"sink"}},
    {"lidar-decode", {"sink"}},
    {"lidar-encode", {"sink"}},
    {"road-hazards threads=1", {"sink_left", "sink_right", "disparity"}},
    {RECTIFY, {"sink_left", "sink_right"}, LANES},
    {RECTIFY "layout=side-by-side", {"sink"}, LANES},
    {RECTIFY, {"sink"}, LANES},
    {"disparity-colour threads=1", {"sink", "truth"}},
    {"disparity-colour threads=1 range=frame legend=none", {"sink"}},
};

/* Whether a rig has this pad of this element. */
static gboolean is_rigged(const gchar *element, const gchar *pad)
{
  gsize length = strlen(element);

  for (gsize i = 0; i < G_N_ELEMENTS(rigs); i++)
    if (strncmp(rigs[i].line, element, length) == 0 && strchr(" ", rigs[i].line[length]) != NULL)
      for (guint k = 0; k < STX_RIG_PADS && rigs[i].pads[k] != NULL; k++)
        if (strcmp(rigs[i].pads[k], pad) == 0)
          return TRUE;
  return FALSE;
}

/* The plugin says which pads there are. Bins need elements of GStreamer's, which no rig has. */
static void expect_every_pad(void)
{
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "stixels");

  for (GList *item = features; item != NULL; item = item->next) {
    GstElementFactory *factory = item->data;
    const GList *pads;

    if (!GST_IS_ELEMENT_FACTORY(factory) ||
        g_type_is_a(gst_element_factory_get_element_type(factory), GST_TYPE_BIN))
      continue;
    for (pads = gst_element_factory_get_static_pad_templates(factory); pads; pads = pads->next) {
      const GstStaticPadTemplate *pad = pads->data;

      stx_fuzz_expect(
          pad->direction != GST_PAD_SINK || is_rigged(GST_OBJECT_NAME(factory), pad->name_template),
          "no rig has pad %s of %s", pad->name_template, GST_OBJECT_NAME(factory));
    }
  }
  gst_plugin_feature_list_free(features);
}

/* A buffer of the right size where that is small. */
static gsize size_for(const GstCaps *caps)
{
  gint width = 0, height = 0, columns = 0, rows = 0, classes = 0;
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gint64 bytes = 96;
  GstVideoInfo info;

  if (gst_structure_has_name(structure, "video/x-raw") && gst_video_info_from_caps(&info, caps))
    bytes = (gint64)GST_VIDEO_INFO_SIZE(&info);
  else if (gst_structure_get_int(structure, "columns", &columns) &&
           gst_structure_get_int(structure, "rows", &rows) &&
           gst_structure_get_int(structure, "classes", &classes) && columns < 128 && rows < 128)
    bytes = (gint64)columns * rows * (2 + classes) * 2;
  gst_structure_get_int(structure, "width", &width);
  gst_structure_get_int(structure, "height", &height);
  return bytes > 0 && bytes <= MOST_BYTES && (gint64)width * height <= MOST_BYTES ? (gsize)bytes
                                                                                  : 96;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static gsize checked = 0;
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  GstCaps *caps[STX_RIG_PADS] = {NULL};
  gboolean good = TRUE;
  guint pads = 0;

  if (g_once_init_enter(&checked)) {
    expect_every_pad();
    g_once_init_leave(&checked, 1);
  }
  for (; pads < STX_RIG_PADS && rig->pads[pads] != NULL; pads++) {
    caps[pads] = stx_fuzz_caps(&input);
    good = good && caps[pads] != NULL;
  }
  if (good)
    stx_rig_begin(rig);
  for (guint pad = 0; pad < pads && good; pad++) {
    stx_rig_caps(rig, pad, gst_caps_ref(caps[pad]));
    stx_rig_segment(rig, pad);
    stx_rig_push(rig, pad, stx_rig_buffer(&input, (StxRigLayout){0}, size_for(caps[pad]), 0));
  }
  if (good)
    stx_rig_end(rig);
  for (guint pad = 0; pad < pads; pad++)
    gst_clear_caps(&caps[pad]);
  return 0;
}

/* Each caps on each pad; on the second one those that stand so far behind. */
bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const size_t behind[] = {0, 1, 7, 8};
  size_t count = 0, rig = number % G_N_ELEMENTS(rigs), pair = number / G_N_ELEMENTS(rigs);

  while (stx_fuzz_caps_texts[count] != NULL)
    count++;
  if (pair >= count * G_N_ELEMENTS(behind))
    return false;
  stx_fuzz_put_byte(seed, (int)rig);
  stx_fuzz_put_text(seed, stx_fuzz_caps_texts[pair % count]);
  if (rigs[rig].pads[1] != NULL)
    stx_fuzz_put_text(seed, stx_fuzz_caps_texts[(pair + behind[pair / count]) % count]);
  return true;
}

const StxFuzzTarget stx_fuzz_target = {stx_fuzz_caps_words, 6000};
