/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disparity, confidence and semantics into downsample-transpose: pictures of any content, label
 * images, class scores that are planar, interleaved or of another size, buffers of another length,
 * and a confidence meta that says something else than its buffer. What comes out are columns whose
 * every value is in range.
 */
#include <string.h>

#include "common/colmean/colmean.h"
#include "common/columns.h"
#include "gst/stixels/stixels.h"
#include "tests/fuzz/rig.h"

/* ---- What comes out ------------------------------------------------------------------------ */

static gint field(const GstCaps *caps, const char *name)
{
  gint value = -1;

  gst_structure_get_int(gst_caps_get_structure(caps, 0), name, &value);
  return value;
}

static void check_values(const StxGrid *grid, const guint16 *values)
{
  gsize cells = (gsize)stx_grid_columns(grid) * stx_grid_rows(grid);

  for (gsize i = 0; i < cells; i++) {
    guint disparity = values[i], weight = values[cells + i];

    stx_fuzz_expect(weight <= STX_WEIGHT_ONE, "disparity %u has weight %u", disparity, weight);
  }
  for (gsize i = 2 * cells; i < (2 + (gsize)grid->classes) * cells; i++)
    stx_fuzz_expect(values[i] <= STX_CLASS_COST_MAX, "a class costs %u", values[i]);
}

static void take_columns(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  StxGrid grid = {field(caps, "width"), field(caps, "height"), field(caps, "stixel-width"),
      field(caps, "stixel-height"), field(caps, "classes")};
  StxError error = {""};
  GstMapInfo map;

  stx_fuzz_expect(stx_grid_check(&grid, &error), "%s", error.text);
  stx_fuzz_expect(gst_buffer_map(output, &map, GST_MAP_READ), "no map");
  stx_fuzz_expect(map.size == stx_grid_bytes(&grid), "%" G_GSIZE_FORMAT " bytes", map.size);
  check_values(&grid, (const guint16 *)(gpointer)map.data);
  gst_buffer_unmap(output, &map);
}

#define CELLS "downsample-transpose threads=1 "
#define FLOATS "disparity-encoding=depth-m"
#define ALL                                                                                        \
  {                                                                                                \
    "sink", "confidence", "semantics"                                                              \
  }
static StxRig rigs[] = {
    {CELLS "stixel-width=4 stixel-height=4", {"sink"}, NULL, take_columns},
    {CELLS "stixel-width=3 stixel-height=5 reduction=median", {"sink"}, NULL, take_columns},
    {CELLS "backend=c reduction=mean disparity-encoding=cityscapes", {"sink"}, NULL, take_columns},
    {CELLS "stixel-width=1 stixel-height=1 fill-width=3", {"sink", "confidence"}, NULL,
        take_columns},
    {CELLS "stixel-width=128 fill-width=0 reduction=median", {"sink", "semantics"}, NULL,
        take_columns},
    {CELLS "label-encoding=cityscapes-ids", ALL, NULL, take_columns},
    {CELLS "backend=c stixel-width=5", ALL, NULL, take_columns},
    {CELLS "disparity-encoding=opencv", {"sink"}, NULL, take_columns},
    {CELLS "disparity-encoding=depth-mm focal=500", {"sink", "confidence"}, NULL, take_columns},
    {CELLS FLOATS " focal=500 baseline=0.1", {"sink", "confidence"}, NULL, take_columns},
};

/* ---- What goes in -------------------------------------------------------------------------- */

#define MOST_WIDTH 64 /* a vector */
#define MOST_HEIGHT 16

typedef struct {
  gint width, height;
  StxRigLayout layout;
} Size;

/* Mostly the size of the disparity. */
static Size read_size(StxFuzzInput *input, Size usual)
{
  if (stx_fuzz_byte(input) < 0xE8)
    return usual;
  usual.width = stx_fuzz_size(input, MOST_WIDTH);
  usual.height = stx_fuzz_size(input, MOST_HEIGHT);
  return usual;
}

static void push(StxRig *rig, guint pad, StxFuzzInput *input, GstCaps *caps, gsize size, Size of)
{
  stx_rig_caps(rig, pad, caps);
  stx_rig_segment(rig, pad);
  stx_rig_push(rig, pad, stx_rig_buffer(input, of.layout, stx_rig_wrong_size(input, size), 0));
}

static void push_picture(StxRig *rig, guint pad, StxFuzzInput *input, const char *format, Size size)
{
  GstVideoInfo info;

  gst_video_info_set_format(
      &info, gst_video_format_from_string(format), (guint)size.width, (guint)size.height);
  push(rig, pad, input, gst_video_info_to_caps(&info), GST_VIDEO_INFO_SIZE(&info), size);
}

static void push_scores(StxRig *rig, guint pad, StxFuzzInput *input, Size size)
{
  gint classes = stx_fuzz_size(input, STX_MAX_CLASSES + 2), kind = stx_fuzz_byte(input);
  static const struct {
    const gchar *name;
    gsize bytes;
  } types[] = {{"uint8", 1}, {"float32", 4}, {"float16", 2}, {"int8", 1}};
  gint shift = kind >> 3 & STX_SCORE_SHIFT_MAX;
  gint width = stx_score_side(size.width, shift), height = stx_score_side(size.height, shift);
  guint type = (kind & 1) | (kind >> 1 & 2);
  gchar *dimensions = kind & 2 ? g_strdup_printf("%d:%d:%d:1", width, height, classes)
                               : g_strdup_printf("%d:%d:%d", classes, width, height);
  GstCaps *caps = gst_caps_new_simple("other/tensors", "num_tensors", G_TYPE_INT, 1, "types",
      G_TYPE_STRING, types[type].name, "dimensions", G_TYPE_STRING, dimensions, NULL);
  gsize bytes = (gsize)width * (gsize)height * (gsize)classes * types[type].bytes;

  g_free(dimensions);
  push(rig, pad, input, caps, bytes, size);
}

/* A program may write anything into the meta. */
static void attach_confidence(GstBuffer *picture, StxFuzzInput *input, Size size)
{
  gsize bytes = (gsize)size.width * (gsize)size.height;
  GstStxConfidenceMeta *meta = (GstStxConfidenceMeta *)gst_buffer_add_meta(
      picture, gst_stx_confidence_meta_get_info(), NULL);

  meta->confidence =
      stx_rig_buffer(input, stx_rig_layout(input), stx_rig_wrong_size(input, bytes), 0);
  size = read_size(input, size);
  meta->width = (guint)size.width;
  meta->height = (guint)size.height;
}

static void push_floats(StxRig *rig, StxFuzzInput *input, Size size)
{
  gchar *dimensions = g_strdup_printf("%d:%d:1:1", size.width, size.height);
  gsize bytes = sizeof(gfloat) * (gsize)size.width * (gsize)size.height;

  push(rig, 0, input,
      gst_caps_new_simple("other/tensors", "types", G_TYPE_STRING, "float32", "dimensions",
          G_TYPE_STRING, dimensions, NULL),
      bytes, size);
  g_free(dimensions);
}

static void push_disparity(StxRig *rig, StxFuzzInput *input, Size size)
{
  GstVideoInfo info;
  gboolean attached = stx_fuzz_byte(input) & 1;
  GstBuffer *picture;

  gst_video_info_set_format(
      &info, GST_VIDEO_FORMAT_GRAY16_LE, (guint)size.width, (guint)size.height);
  stx_rig_caps(rig, 0, gst_video_info_to_caps(&info));
  stx_rig_segment(rig, 0);
  picture =
      stx_rig_buffer(input, size.layout, stx_rig_wrong_size(input, GST_VIDEO_INFO_SIZE(&info)), 0);
  if (attached)
    attach_confidence(picture, input, size);
  stx_rig_push(rig, 0, picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  Size disparity;

  disparity.width = stx_fuzz_size(&input, MOST_WIDTH);
  disparity.height = stx_fuzz_size(&input, MOST_HEIGHT);
  disparity.layout = stx_rig_layout(&input);
  stx_rig_begin(rig);
  if (strstr(rig->line, FLOATS) != NULL)
    push_floats(rig, &input, disparity);
  else
    push_disparity(rig, &input, disparity);
  for (guint pad = 1; pad < STX_RIG_PADS && rig->pads[pad] != NULL; pad++) {
    Size other = read_size(&input, disparity);

    if (rig->pads[pad][0] == 's' && stx_fuzz_byte(&input) & 1)
      push_scores(rig, pad, &input, other);
    else
      push_picture(rig, pad, &input, "GRAY8", other);
  }
  if (stx_rig_end(rig))
    stx_fuzz_expect(rig->outputs == 1, "%u buffers came out", rig->outputs);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const guint8 payload[] = {0, 1, 128, 2, 255, 255, 7, 0, 0, 0, 128, 63, 11, 26, 3};
  size_t choice = number % G_N_ELEMENTS(rigs);

  if (number >= 6 * G_N_ELEMENTS(rigs))
    return false;
  stx_fuzz_put_byte(seed, (int)choice);
  stx_fuzz_put_number(seed, number % 2 ? 33 : 16);
  stx_fuzz_put_number(seed, 12);
  stx_fuzz_put_byte(seed, (int)(number / 2 & 3));
  stx_fuzz_put_byte(seed, choice < 2); /* with a meta */
  stx_fuzz_put_byte(seed, 0);
  for (int i = 0; choice < 2 && i < 3; i++)
    stx_fuzz_put_byte(seed, 0);
  for (guint pad = 1; pad < STX_RIG_PADS && rigs[choice].pads[pad] != NULL; pad++) {
    bool scores = rigs[choice].pads[pad][0] == 's' && number / G_N_ELEMENTS(rigs) > 1;
    stx_fuzz_put_byte(seed, 0);
    if (rigs[choice].pads[pad][0] == 's')
      stx_fuzz_put_byte(seed, scores);
    if (scores) {
      stx_fuzz_put_number(seed, 19);
      stx_fuzz_put_byte(seed, (int)(number / G_N_ELEMENTS(rigs)));
    }
    stx_fuzz_put_byte(seed, 0);
  }
  stx_bytes_put(seed, payload, sizeof payload);
  return true;
}

static const char *const words[] = {"\xFF\xFF", "\xFF\xFF\x7F\x7F", "\x01\x02\x03", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 4000};
