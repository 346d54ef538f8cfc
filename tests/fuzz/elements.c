/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffers on every sink pad of every element, which the plugin lists: caps that the pad takes, of
 * any size, or any text; memory of another length, cut or at an odd address; and metas of a video
 * frame, a confidence, labels or stixels that say anything. The element refuses them and says why,
 * or gives what its caps promise: check_output() has it for each media type.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/columns.h"
#include "gst/stixels/stixels.h"
#include "tests/fuzz/rig.h"

#define MOST_BYTES (64 << 10)
#define POINT_BYTES 16

/* ---- What comes out ------------------------------------------------------------------------ */

static gint field(const GstCaps *caps, const char *name)
{
  gint value = -1;

  gst_structure_get_int(gst_caps_get_structure(caps, 0), name, &value);
  return value;
}

static gboolean is_of(const GstCaps *caps, const char *media)
{
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), media);
}

static void check_columns(const GstCaps *caps, const GstMapInfo *map)
{
  StxGrid grid = {field(caps, "width"), field(caps, "height"), field(caps, "stixel-width"),
      field(caps, "stixel-height"), field(caps, "classes")};
  const guint16 *values = (const guint16 *)(gpointer)map->data;
  StxError error = {""};
  gsize cells;

  stx_fuzz_expect(stx_grid_check(&grid, &error), "%s", error.text);
  stx_fuzz_expect(map->size == stx_grid_bytes(&grid), "%" G_GSIZE_FORMAT " bytes", map->size);
  cells = (gsize)stx_grid_columns(&grid) * stx_grid_rows(&grid);
  for (gsize i = cells; i < (2 + (gsize)grid.classes) * cells; i++)
    stx_fuzz_expect(values[i] <= (i < 2 * cells ? STX_WEIGHT_ONE : STX_CLASS_COST_MAX),
        "weight or class cost %u", values[i]);
}

/* Every row of every column once, from the first column on, each from the bottom up. */
static void check_stixels(const GstCaps *caps, const GstMapInfo *map)
{
  const StxStixel *records = (const StxStixel *)(gpointer)map->data;
  int column = 0, below = field(caps, "height");

  stx_fuzz_expect(map->size % sizeof *records == 0, "no whole records");
  for (gsize i = 0; i < map->size / sizeof *records; i++) {
    const StxStixel *r = &records[i];

    stx_fuzz_expect(r->column == column && r->bottom + 1 == below && r->top <= r->bottom,
        "record %" G_GSIZE_FORMAT " is not the next one", i);
    stx_fuzz_expect(r->kind <= STX_KIND_SKY && r->label <= STX_LABEL_NONE, "kind %u", r->kind);
    stx_fuzz_expect(isfinite(r->disparity_top) && isfinite(r->disparity_bottom) &&
                        isfinite(r->cost) && r->confidence >= 0 && r->confidence <= 1,
        "numbers out of range");
    column += r->top == 0;
    below = r->top == 0 ? field(caps, "height") : r->top;
  }
  stx_fuzz_expect(column == field(caps, "columns"), "it ends in column %d", column);
}

static void check_json(const GstMapInfo *map)
{
  json_error_t where;
  json_auto_t *root = json_loadb((const char *)map->data, map->size, 0, &where);

  stx_fuzz_expect(root != NULL, "%s in %.*s", where.text, (int)map->size, (const char *)map->data);
  stx_fuzz_expect(map->data[map->size - 1] == '\n', "no line");
}

static void check_labels(const GstMapInfo *map)
{
  for (gsize i = 0; i < map->size / 4; i++) {
    guint label = ((const guint32 *)(gpointer)map->data)[i] & 0xFFFF;

    stx_fuzz_expect(label == 0 || label == 49 || label == 99, "class %u", label);
  }
}

static void check_output(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  gsize size = gst_buffer_get_size(output);
  GstVideoInfo info;
  GstMapInfo map;

  if (is_of(caps, "video/x-raw")) {
    stx_fuzz_expect(gst_video_info_from_caps(&info, caps), "no picture");
    /* Some hand on what they got, with its rows as its meta says. */
    stx_fuzz_expect(size == GST_VIDEO_INFO_SIZE(&info) || gst_buffer_get_video_meta(output) ||
                        rig->accepts == NULL,
        "%" G_GSIZE_FORMAT " bytes", size);
  }
  if (is_of(caps, "application/x-lidar") && strstr(rig->line, "lidar-ground") != NULL) {
    GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(output);

    stx_fuzz_expect(meta != NULL && gst_buffer_get_size(meta->labels) * 4 == size, "other labels");
  }
  if (size == 0 || !gst_buffer_map(output, &map, GST_MAP_READ))
    return;
  if (is_of(caps, "application/x-stixel-columns"))
    check_columns(caps, &map);
  else if (is_of(caps, "application/x-stixels"))
    check_stixels(caps, &map);
  else if (is_of(caps, "application/x-json"))
    check_json(&map);
  else if (is_of(caps, "application/x-point-labels"))
    check_labels(&map);
  gst_buffer_unmap(output, &map);
}

/* ---- The elements -------------------------------------------------------------------------- */

#define CELLS "downsample-transpose threads=1 "
#define MATCH "stereo-sgm threads=1 max-disparity=64 "
#define STIXELS "sat-dp-stixels threads=1 "
#define SEGMENTS "rdp-columns threads=1 "
#define OVERLAY "stixel-overlay threads=1 "
#define BEV "stixel-bev threads=1 "
#define GROUND "lidar-ground threads=1 sectors=8 bins=16 "
/* Rectified views of a size of their own: maps of what caps may say would take seconds. */
#define RECTIFY "stereo-rectify threads=1 width=16 height=16 "
#define LANES NULL, check_output, {"src_left", "src_right"}, STX_RIG_CALIBRATION
#define ANY NULL, check_output
#define INTO(caps) caps, check_output
#define PICTURE "video/x-raw,format=RGB,width=16,height=16"
#define PAIR                                                                                       \
  {                                                                                                \
    "sink_left", "sink_right"                                                                      \
  }

#define MOST_RIGS 96

static StxRig rigs[MOST_RIGS] = {
    {CELLS "stixel-width=4 stixel-height=4", {"sink"}, ANY},
    {CELLS "stixel-width=3 stixel-height=5 reduction=median", {"sink"}, ANY},
    {CELLS "reduction=mean disparity-encoding=cityscapes", {"sink"}, ANY},
    {CELLS "stixel-width=1 stixel-height=1 fill-width=3", {"sink", "confidence"}, ANY},
    {CELLS "stixel-width=128 fill-width=0", {"sink", "semantics"}, ANY},
    {CELLS "label-encoding=cityscapes-ids", {"sink", "confidence", "semantics"}, ANY},
    {CELLS "disparity-encoding=opencv", {"sink"}, ANY},
    {CELLS "disparity-encoding=depth-mm focal=500", {"sink", "confidence"}, ANY},
    {CELLS "disparity-encoding=depth-m focal=500 baseline=0.1", {"sink", "confidence"}, ANY},
    {MATCH, PAIR, ANY},
    {MATCH, {"sink"}, ANY},
    {MATCH "layout=side-by-side", {"sink"}, ANY},
    {MATCH "layout=top-bottom median=false lr-max-diff=-1", {"sink"}, ANY},
    {"onnx-stereo threads=1", PAIR, ANY},
    {"onnx-stereo threads=1", {"sink"}, ANY},
    {RECTIFY, PAIR, LANES},
    {RECTIFY, {"sink"}, LANES},
    {RECTIFY "layout=side-by-side", {"sink"}, LANES},
    {RECTIFY "layout=top-bottom", {"sink"}, LANES},
    {"stereo-stixels threads=1 max-disparity=64", PAIR, ANY},
    {"stereo-stixels threads=1 max-disparity=64 layout=side-by-side", {"sink"}, ANY},
    {STIXELS, {"sink"}, ANY},
    {STIXELS "cut-candidates=rdp ground=estimate post-messages=true", {"sink"}, ANY},
    {STIXELS "stixel-cost=0 sigma-disparity-object=64 unknown-cost=1000 ground-sigma-slope=0.01",
        {"sink"}, ANY},
    {SEGMENTS, {"sink"}, ANY},
    {SEGMENTS "epsilon=0 median=7 post-messages=true", {"sink"}, ANY},
    {OVERLAY, {"sink", "stixels"}, ANY},
    {OVERLAY "mode=class legend=bottom-right", {"sink", "stixels"}, ANY},
    {OVERLAY "mode=kind alpha=1 outlines=false", {"sink", "stixels"}, ANY},
    {OVERLAY "legend=top-right", {"sink"}, ANY},
    {"lidar-overlay threads=1", {"sink", "points"}, ANY},
    {BEV, {"sink", "points"}, INTO(PICTURE)},
    {BEV "mode=class legend=top-left", {"sink"}, INTO(PICTURE)},
    {BEV "focal=40 cx=8 cy=6 baseline=.5 mode=height", {"sink"}, INTO(PICTURE)},
    {"occupancy-grid size=10", {"sink", "points"}, INTO("application/x-occupancy-grid")},
    {"occupancy-grid size=10", {"sink"}, INTO("video/x-raw,format=GRAY8")},
    {"stixel-obstacles", {"sink"}, ANY},
    {"stixel-obstacles", {"sink"}, INTO("application/x-obstacles")},
    {GROUND, {"sink"}, ANY},
    {GROUND "level=false", {"sink"}, INTO("application/x-point-labels")},
    {GROUND "sensor-height=1.7 cluster-cell=0 post-messages=true", {"sink"}, ANY},
    {"lidar-bev", {"sink"}, INTO(PICTURE)},
    {"lidar-bev mode=labels point-size=9 rings=false", {"sink"}, INTO(PICTURE)},
    {"lidar-bev mode=height extent=1", {"sink"}, INTO(PICTURE)},
    {"lidar-bev mode=intensity extent=500 center-x=-500", {"sink"}, INTO(PICTURE)},
    {"road-hazards threads=1", {"sink_left", "sink_right", "disparity"}, ANY},
    {"disparity-colour threads=1", {"sink"}, ANY},
    {"disparity-colour threads=1 range=frame legend=none", {"sink"}, ANY},
};

/* Whether a rig has this pad of this element. */
static gboolean is_rigged(const gchar *element, const gchar *pad)
{
  gsize length = strlen(element);

  for (gsize i = 0; rigs[i].line != NULL; i++)
    if (strncmp(rigs[i].line, element, length) == 0 && strchr(" ", rigs[i].line[length]) != NULL)
      for (guint k = 0; k < STX_RIG_PADS && rigs[i].pads[k] != NULL; k++)
        if (strcmp(rigs[i].pads[k], pad) == 0)
          return TRUE;
  return FALSE;
}

static GstStaticPadTemplate *template_of(GstElementFactory *factory, const char *pad)
{
  const GList *pads = gst_element_factory_get_static_pad_templates(factory);

  while (pads != NULL && strcmp(((GstStaticPadTemplate *)pads->data)->name_template, pad) != 0)
    pads = pads->next;
  return pads != NULL ? pads->data : NULL;
}

/* The plugin says which pads there are: an element with one that no rig has gets a rig with all. */
static void add_rigs(gsize *count)
{
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "stixels");

  for (GList *item = features; item != NULL; item = item->next) {
    StxRig rig = {g_intern_string(GST_OBJECT_NAME(item->data)), {NULL}, ANY};
    const GList *pads = GST_IS_ELEMENT_FACTORY(item->data)
                            ? gst_element_factory_get_static_pad_templates(item->data)
                            : NULL;
    gboolean rigged = TRUE;
    guint sinks = 0;

    for (; pads != NULL; pads = pads->next) {
      const GstStaticPadTemplate *pad = pads->data;

      if (pad->direction != GST_PAD_SINK)
        continue;
      rigged = rigged && is_rigged(rig.line, pad->name_template);
      stx_fuzz_expect(sinks < STX_RIG_PADS, "%s has more pads than a rig", rig.line);
      rig.pads[sinks++] = g_intern_string(pad->name_template);
    }
    stx_fuzz_expect(*count < MOST_RIGS, "more than %d rigs", MOST_RIGS);
    if (!rigged)
      rigs[(*count)++] = rig;
  }
  gst_plugin_feature_list_free(features);
}

static gsize rig_count(void)
{
  static gsize count = 0;

  if (g_once_init_enter(&count)) {
    gsize found = 0;

    while (rigs[found].line != NULL)
      found++;
    add_rigs(&found);
    g_once_init_leave(&count, found);
  }
  return count;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

/* The choice-th of the texts that this pad takes. */
static GstCaps *usual_caps(const StxRig *rig, guint pad, guint choice)
{
  gchar **words = g_strsplit(rig->line, " ", 2);
  GstElementFactory *factory = gst_element_factory_find(words[0]);
  GstStaticPadTemplate *template = template_of(factory, rig->pads[pad]);
  GstCaps *taken = gst_static_pad_template_get_caps(template), *fitting[32], *caps;
  guint count = 0;

  for (guint i = 0; stx_fuzz_caps_texts[i] != NULL; i++) {
    caps = gst_caps_from_string(stx_fuzz_caps_texts[i]);
    if (gst_caps_can_intersect(caps, taken) && count < G_N_ELEMENTS(fitting))
      fitting[count++] = caps;
    else
      gst_caps_unref(caps);
  }
  caps = count > 0 ? gst_caps_ref(fitting[choice % count])
                   : gst_caps_from_string(stx_fuzz_caps_texts[choice % 8]);
  while (count > 0)
    gst_caps_unref(fitting[--count]);
  gst_caps_unref(taken);
  gst_object_unref(factory);
  g_strfreev(words);
  return gst_caps_make_writable(caps);
}

/* Brings them to that size, with cells of 8 × 8 where they have cells. */
static void set_size(GstCaps *caps, gint width, gint height)
{
  if (field(caps, "width") >= 0)
    gst_caps_set_simple(caps, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  if (field(caps, "columns") >= 0)
    gst_caps_set_simple(caps, "columns", G_TYPE_INT, (width + 7) / 8, NULL);
  if (field(caps, "rows") >= 0)
    gst_caps_set_simple(caps, "rows", G_TYPE_INT, (height + 7) / 8, NULL);
}

/* Mostly usual ones of that size, perhaps with a camera of any numbers; else any text. */
static GstCaps *read_caps(
    StxFuzzInput *input, const StxRig *rig, guint pad, gint width, gint height)
{
  guint8 choice = stx_fuzz_byte(input);
  GstCaps *caps;

  if (choice >= 0xE0)
    return stx_fuzz_caps(input);
  caps = usual_caps(rig, pad, choice);
  set_size(caps, width, height);
  stx_fuzz_add_camera(input, caps);
  return caps;
}

static gsize tensor_bytes(const GstStructure *tensor)
{
  const gchar *type = gst_structure_get_string(tensor, "types");
  const gchar *text = gst_structure_get_string(tensor, "dimensions");
  gchar **sides = g_strsplit(text != NULL ? text : "", ":", -1);
  guint64 bytes = type == NULL || strstr(type, "8") ? 1 : strstr(type, "16") ? 2 : 4;

  for (gchar **side = sides; *side != NULL && bytes < MOST_BYTES; side++)
    bytes *= MIN(g_ascii_strtoull(*side, NULL, 10), MOST_BYTES);
  g_strfreev(sides);
  return bytes;
}

/* A buffer of the right size where that is small. */
static gsize size_for(const GstCaps *caps, gsize payload)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gint64 area = (gint64)field(caps, "width") * field(caps, "height");
  gint64 cells = (gint64)field(caps, "columns") * field(caps, "rows");
  gint64 bytes = (gint64)payload;
  GstVideoInfo info;

  if (is_of(caps, "video/x-raw") && gst_video_info_from_caps(&info, caps))
    bytes = (gint64)GST_VIDEO_INFO_SIZE(&info);
  else if (is_of(caps, "application/x-lidar"))
    bytes -= bytes % POINT_BYTES;
  else if (is_of(caps, "other/tensors"))
    bytes = (gint64)tensor_bytes(structure);
  else if (is_of(caps, "application/x-stixel-columns") && cells < MOST_BYTES)
    bytes = cells * (2 + field(caps, "classes")) * 2;
  return bytes > 0 && bytes <= MOST_BYTES && area <= MOST_BYTES ? (gsize)bytes : 96;
}

/* ---- Metas --------------------------------------------------------------------------------- */

/* Bits of the byte that says what a buffer has of its own. */
enum {
  OWN_META = 1,
  OWN_SIZE = 2,
  OWN_FORMAT = 4,
  OWN_PLANES = 8,
  OWN_OFFSET = 16,
  OWN_STRIDE = 32,
  ATTACHED = 64, /* what belongs to it: a confidence, labels or stixels */
  TWICE = 128,   /* a second frame, where no other pad has to come first */
};

/* Mostly some bytes off, sometimes anything. */
static gint64 read_shift(StxFuzzInput *input)
{
  guint8 byte = stx_fuzz_byte(input);

  if (byte < 0xF0)
    return (gint8)byte;
  return (gint64)stx_fuzz_number(input) * (byte & 1 ? 1 : G_GINT64_CONSTANT(0x10000001));
}

/* Values that gst_buffer_add_video_meta_full would refuse, too. */
static void add_video_meta(GstBuffer *picture, GstVideoInfo *info, StxFuzzInput *input, guint8 own)
{
  GstVideoMeta *meta = gst_buffer_add_video_meta_full(picture, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT(info), (guint)GST_VIDEO_INFO_WIDTH(info),
      (guint)GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_N_PLANES(info), info->offset,
      info->stride);

  if (own & OWN_SIZE) {
    meta->width += (guint)read_shift(input);
    meta->height += (guint)read_shift(input);
  }
  if (own & OWN_FORMAT)
    meta->format = (GstVideoFormat)stx_fuzz_below(input, 100);
  if (own & OWN_PLANES)
    meta->n_planes = (guint)stx_fuzz_below(input, GST_VIDEO_MAX_PLANES + 1);
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (own & OWN_OFFSET)
      meta->offset[p] += (gsize)read_shift(input);
    if (own & OWN_STRIDE)
      meta->stride[p] = (gint)((guint)meta->stride[p] + (guint)read_shift(input));
  }
}

/* As a program may write it: of another length, for another size. */
static void attach(GstBuffer *buffer, const GstCaps *caps, StxFuzzInput *input)
{
  gint width = field(caps, "width"), height = field(caps, "height");
  gint other = stx_fuzz_byte(input) < 0xE8 ? 0 : stx_fuzz_number(input);
  gsize bytes = is_of(caps, "application/x-lidar") ? gst_buffer_get_size(buffer) / POINT_BYTES * 4
                                                   : (gsize)MAX(width, 0) * (gsize)MAX(height, 0);
  GstBuffer *part;

  bytes = stx_rig_wrong_size(input, MIN(bytes, MOST_BYTES));
  part = stx_rig_buffer(input, stx_rig_layout(input), bytes, 0);
  if (is_of(caps, "application/x-lidar")) {
    ((GstStxPointLabelsMeta *)gst_buffer_add_meta(
         buffer, gst_stx_point_labels_meta_get_info(), NULL))
        ->labels = part;
  } else if (g_strcmp0(gst_structure_get_string(gst_caps_get_structure(caps, 0), "format"),
                 "GRAY16_LE") == 0) {
    GstStxConfidenceMeta *meta = (GstStxConfidenceMeta *)gst_buffer_add_meta(
        buffer, gst_stx_confidence_meta_get_info(), NULL);

    meta->confidence = part;
    meta->width = (guint)width + (guint)other;
    meta->height = (guint)height;
  } else {
    GstStxStixelInfo info = {.width = (guint)width + (guint)other,
        .height = (guint)height,
        .stixel_width = 8,
        .columns = ((guint)width + (guint)other + 7) / 8};

    gst_buffer_add_stx_stixel_meta(buffer, part, &info);
    gst_buffer_unref(part);
  }
}

/* ---- What goes in -------------------------------------------------------------------------- */

static void push(StxRig *rig, guint pad, StxFuzzInput *input, const GstCaps *caps)
{
  guint8 own = stx_fuzz_byte(input);
  StxRigLayout layout = stx_rig_layout(input);
  gsize size = size_for(caps, (gsize)(input->end - input->at));
  GstVideoInfo info;

  size = stx_rig_wrong_size(input, size + (own & OWN_META && own & ~OWN_META ? 2048 : 0));
  for (guint frame = 0; frame < (own & TWICE && rig->pads[1] == NULL ? 2u : 1u); frame++) {
    GstBuffer *buffer = stx_rig_buffer(input, layout, size, frame);

    if (own & OWN_META && is_of(caps, "video/x-raw") && gst_video_info_from_caps(&info, caps))
      add_video_meta(buffer, &info, input, own);
    if (own & ATTACHED)
      attach(buffer, caps, input);
    stx_rig_push(rig, pad, buffer);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, rig_count())];
  gint width = stx_fuzz_size(&input, 64), height = stx_fuzz_size(&input, 24);
  GstCaps *caps[STX_RIG_PADS] = {NULL};
  gboolean good = TRUE;
  guint pads = 0;

  if (strstr(rig->line, RECTIFY) != NULL) { /* smaller ones it refuses */
    width += 32;
    height += 32;
  }
  for (; pads < STX_RIG_PADS && rig->pads[pads] != NULL; pads++) {
    caps[pads] = read_caps(&input, rig, pads, width, height);
    good = good && caps[pads] != NULL;
  }
  if (good)
    stx_rig_begin(rig);
  for (guint pad = 0; pad < pads && good; pad++) {
    stx_rig_caps(rig, pad, gst_caps_ref(caps[pad]));
    stx_rig_segment(rig, pad);
    push(rig, pad, &input, caps[pad]);
  }
  if (good)
    stx_rig_end(rig);
  for (guint pad = 0; pad < pads; pad++)
    gst_clear_caps(&caps[pad]);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

/* Each rig with each kind of caps and of what a buffer has of its own. */
bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const guint8 owns[] = {0, OWN_META, OWN_META | OWN_STRIDE, OWN_META | OWN_OFFSET,
      OWN_META | OWN_SIZE, ATTACHED, TWICE};
  static const StxStixel records[] = {
      {0, 6, 11, STX_KIND_GROUND, 0, 2, 6, 1, 1},
      {0, 0, 5, STX_KIND_OBJECT, 13, 4, 4, 2, 0.5F},
      {1, 8, 11, STX_KIND_SEGMENT, STX_LABEL_NONE, 2, 6, 1, 1},
      {1, 0, 7, STX_KIND_SKY, 10, 0, 0, 0, 0},
  };
  static const StxFuzzCamera cameras[] = {STX_FUZZ_CAMERA, STX_FUZZ_NO_CAMERA, STX_FUZZ_LOW_CAMERA};
  size_t choice = number / rig_count();
  const StxRig *rig = &rigs[number % rig_count()];

  if (choice >= 2 * G_N_ELEMENTS(owns))
    return false;
  stx_fuzz_put_byte(seed, (int)(number % rig_count()));
  stx_fuzz_put_number(seed, choice % 3 == 2 ? 33 : 16);
  stx_fuzz_put_number(seed, 12);
  for (guint pad = 0; pad < STX_RIG_PADS && rig->pads[pad] != NULL; pad++) {
    stx_fuzz_put_byte(seed, (int)(choice + pad * (choice / 7)));
    stx_fuzz_put_camera(seed, cameras[choice % 3]);
  }
  for (guint pad = 0; pad < STX_RIG_PADS && rig->pads[pad] != NULL; pad++) {
    stx_fuzz_put_byte(seed, owns[(choice + pad) % G_N_ELEMENTS(owns)]);
    stx_fuzz_put_byte(seed, (int)(choice & 3));
    stx_fuzz_put_byte(seed, 0);
  }
  stx_bytes_put(seed, records, sizeof records);
  return true;
}

const StxFuzzTarget stx_fuzz_target = {stx_fuzz_caps_words, 8000};
