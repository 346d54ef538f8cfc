/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures whose GstVideoMeta says anything, on every pad that takes pictures: offsets, strides,
 * sizes, formats and numbers of planes. The element takes the picture and touches nothing outside
 * of its memory, or refuses it; stereo-stixels drops it.
 */
#include <string.h>

#include "tests/fuzz/rig.h"

static void take_picture(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  stx_fuzz_expect(gst_buffer_get_size(output) > 0, "an empty buffer");
}

#define CELLS "downsample-transpose threads=1 stixel-width=4 stixel-height=4 "
#define MATCH "stereo-sgm threads=1 max-disparity=64 "
#define RECTIFY "stereo-rectify threads=1 "
#define BIN "stereo-stixels threads=1 max-disparity=64 "
#define LANES NULL, take_picture, {"src_left", "src_right"}, STX_RIG_CALIBRATION
static StxRig rigs[] = {
    {CELLS, {"sink"}, NULL, take_picture},
    {CELLS, {"sink", "confidence"}, NULL, take_picture},
    {CELLS, {"sink", "semantics"}, NULL, take_picture},
    {"stixel-overlay threads=1", {"sink", "stixels"}, NULL, take_picture},
    {MATCH, {"sink_left", "sink_right"}, NULL, take_picture},
    {MATCH "layout=side-by-side", {"sink"}, NULL, take_picture},
    {MATCH "layout=top-bottom median=false lr-max-diff=-1 backend=c", {"sink"}, NULL, take_picture},
    {RECTIFY, {"sink_left", "sink_right"}, LANES},
    {RECTIFY "layout=side-by-side", {"sink"}, LANES},
    {RECTIFY "layout=top-bottom backend=c", {"sink"}, LANES},
    {BIN, {"sink_left", "sink_right"}, NULL, take_picture},
    {BIN "layout=side-by-side", {"sink"}, NULL, take_picture},
    {BIN "layout=top-bottom mode=kind", {"sink"}, NULL, take_picture},
};

static gboolean is_rectified(const StxRig *rig)
{
  return rig->outs[0] != NULL;
}

static gboolean is_bin(const StxRig *rig)
{
  return g_str_has_prefix(rig->line, BIN);
}

/* The usual formats of a pad; the last ones of a row are repeated. */
static const char *format_of(const char *line, const char *pad, guint choice)
{
  static const char *const lumas[] = {"GRAY8", "I420", "NV12", "Y444", "YVU9", "A420"};
  static const char *const rows[] = {
      "GRAY8", "YUY2", "UYVY", "I420", "NV12", "RGB", "RGBA", "Y42B"};
  static const char *const colours[] = {"RGB", "RGBA", "I420", "NV21", "Y42B", "AYUV", "NV24"};

  if (strstr(line, "rectify") != NULL || g_str_has_prefix(line, BIN))
    return rows[choice % G_N_ELEMENTS(rows)];
  if (strstr(line, "overlay") != NULL)
    return colours[choice % G_N_ELEMENTS(colours)];
  if (strstr(line, "stereo") != NULL)
    return lumas[choice % G_N_ELEMENTS(lumas)];
  return strcmp(pad, "sink") == 0 ? "GRAY16_LE" : "GRAY8";
}

/* ---- Metas --------------------------------------------------------------------------------- */

/* Bits of the byte that says what a meta has of its own. */
enum {
  OWN_META = 1,
  OWN_SIZE = 2,
  OWN_FORMAT = 4,
  OWN_PLANES = 8,
  OWN_OFFSET = 16,
  OWN_STRIDE = 32
};

/* Mostly some bytes off, sometimes anything. */
static gint64 read_shift(StxFuzzInput *input)
{
  guint8 byte = stx_fuzz_byte(input);

  if (byte < 0xF0)
    return (gint8)byte;
  return (gint64)stx_fuzz_number(input) * (byte & 1 ? 1 : G_GINT64_CONSTANT(0x10000001));
}

/* Writes values that gst_buffer_add_video_meta_full would refuse. */
static void change_meta(GstVideoMeta *meta, StxFuzzInput *input, guint8 own)
{
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

static GstBuffer *picture_of(StxFuzzInput *input, GstVideoInfo *info)
{
  guint8 own = stx_fuzz_byte(input);
  StxRigLayout layout = stx_rig_layout(input);
  gsize size = stx_rig_wrong_size(input, GST_VIDEO_INFO_SIZE(info));
  GstBuffer *picture;
  GstVideoMeta *meta;

  if (own & 64)
    size += (gsize)stx_fuzz_number(input) & 0xFFFF;
  picture = stx_rig_buffer(input, layout, size, 0);
  if (!(own & OWN_META))
    return picture;
  meta = gst_buffer_add_video_meta_full(picture, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT(info), (guint)GST_VIDEO_INFO_WIDTH(info),
      (guint)GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_N_PLANES(info), info->offset,
      info->stride);
  change_meta(meta, input, own);
  return picture;
}

/* ---- What goes in -------------------------------------------------------------------------- */

static void push_picture(
    StxRig *rig, guint pad, StxFuzzInput *input, guint choice, guint width, guint height)
{
  const char *format = format_of(rig->line, rig->pads[pad], choice);
  GstVideoInfo info;

  gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
  stx_rig_caps(rig, pad, gst_video_info_to_caps(&info));
  stx_rig_segment(rig, pad);
  stx_rig_push(rig, pad, picture_of(input, &info));
}

static void push_stixels(StxRig *rig, guint pad, guint width, guint height)
{
  const guint8 record[24] = {0, 0, 0, 0, (guint8)(height - 1), 0, 2, 3, 0, 0, 0, 64, 0, 0, 0, 64};
  const StxFuzzInput payload = {record, record + sizeof record};

  stx_rig_caps(rig, pad,
      gst_caps_new_simple("application/x-stixels", "width", G_TYPE_INT, (gint)width, "height",
          G_TYPE_INT, (gint)height, "stixel-width", G_TYPE_INT, 8, "columns", G_TYPE_INT,
          (gint)(width + 7) / 8, "framerate", GST_TYPE_FRACTION, 10, 1, NULL));
  stx_rig_segment(rig, pad);
  stx_rig_push(rig, pad, stx_rig_buffer(&payload, (StxRigLayout){0}, sizeof record, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  guint choice = stx_fuzz_byte(&input);
  guint width = (guint)stx_fuzz_size(&input, 40), height = (guint)stx_fuzz_size(&input, 16);

  if (is_rectified(rig)) { /* pictures that are not too small for it */
    width += 32;
    height += 32;
  }
  stx_rig_begin(rig);
  for (guint pad = 0; pad < STX_RIG_PADS && rig->pads[pad] != NULL; pad++)
    if (strcmp(rig->pads[pad], "stixels") == 0)
      push_stixels(rig, pad, width, height);
    else
      push_picture(rig, pad, &input, choice, width, height);
  if (stx_rig_end(rig) && !(is_bin(rig) && rig->outputs == 0))
    stx_fuzz_expect(
        rig->outputs == (is_rectified(rig) ? 2u : 1u), "%u buffers came out", rig->outputs);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const guint8 owns[] = {0, OWN_META, OWN_META | OWN_STRIDE | 64,
      OWN_META | OWN_OFFSET | OWN_STRIDE | 64, OWN_META | OWN_SIZE | 64};

  if (number >= 8 * G_N_ELEMENTS(rigs))
    return false;
  stx_fuzz_put_byte(seed, (int)(number % G_N_ELEMENTS(rigs)));
  stx_fuzz_put_byte(seed, (int)(number / G_N_ELEMENTS(rigs))); /* format */
  stx_fuzz_put_number(seed, 16);
  stx_fuzz_put_number(seed, 12);
  for (int pad = 0; pad < 2; pad++) {
    guint8 own = owns[(number + (size_t)pad) % G_N_ELEMENTS(owns)];

    stx_fuzz_put_byte(seed, own);
    stx_fuzz_put_byte(seed, (int)(number & 3));
    stx_fuzz_put_byte(seed, 0);
    if (own & 64)
      stx_fuzz_put_number(seed, 2048);
    for (int i = 0; own & ~(OWN_META | 64) && i < (own & OWN_OFFSET    ? 8
                                                      : own & OWN_SIZE ? 2
                                                                       : 4);
         i++)
      stx_fuzz_put_byte(seed, 4);
  }
  stx_fuzz_put_text(seed, "texture of some kind");
  return true;
}

static const char *const words[] = {"\xF0\xF0", "\xF1\xF0", "\xF0\xFF\xFF\xFF\x7F", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 4000};
