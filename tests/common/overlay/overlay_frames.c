/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/oracle.h"
#include "tests/common/overlay/overlay_frames.h"

#include <string.h>

const char *const overlay_format_names[OVERLAY_FORMATS] = {"RGB", "BGR", "RGBA", "RGBx", "BGRA",
    "BGRx", "ARGB", "xRGB", "ABGR", "xBGR", "I420", "YV12", "Y42B", "Y444", "NV12", "NV21", "NV16",
    "NV61", "NV24", "AYUV", "YUY2", "YVYU", "UYVY", "VYUY"};

StxOverlayParams overlay_plain(const char *format, int width, int height, int stixel_width)
{
  return (StxOverlayParams){.mode = STX_OVERLAY_CLASS,
      .show = OVERLAY_ALL_KINDS,
      .alpha = 1,
      .max_disparity = 64,
      .max_distance = 50,
      .max_height = 4,
      .max_cost = 20,
      .fill = true,
      .width = width,
      .height = height,
      .stixel_width = stixel_width,
      .columns = (width + stixel_width - 1) / stixel_width,
      .format = stx_pixel_format(format),
      .frame_width = width,
      .frame_height = height,
      .full_range = true};
}

static int plane_width(const StxOverlayParams *params, int p)
{
  int shift = params->format->plane[p].shift_x;
  return (params->frame_width + shift) >> shift;
}

static int plane_height(const StxOverlayParams *params, int p)
{
  int shift = params->format->plane[p].shift_y;
  return (params->frame_height + shift) >> shift;
}

int overlay_frame_planes(const StxOverlayParams *params)
{
  return params->format->shared ? 1 : params->format->planes;
}

/* Where planes share their bytes, those of the last are whole groups. */
int overlay_frame_row(const StxOverlayParams *params, int p)
{
  int widest = params->format->shared ? params->format->planes - 1 : p;
  return plane_width(params, widest) * params->format->plane[widest].pixel_stride;
}

void overlay_frame_new(
    const StxOverlayParams *params, int padding, StxImage8 plane[3], StxFrame *frame)
{
  memset(plane, 0, 3 * sizeof plane[0]);
  memset(frame, 0, sizeof *frame);
  for (int p = 0; p < overlay_frame_planes(params); p++) {
    plane[p] = stx_test_image8(overlay_frame_row(params, p), plane_height(params, p), padding);
    frame->data[p] = plane[p].data;
    frame->stride[p] = plane[p].stride;
  }
}

void overlay_frame_fill(const StxOverlayParams *params, StxImage8 plane[3], int value)
{
  for (int p = 0; p < overlay_frame_planes(params); p++)
    for (int y = 0; y < plane[p].height; y++)
      memset(stx_row8(&plane[p], y), value, (size_t)plane[p].width);
}

void overlay_frame_free(const StxOverlayParams *params, StxImage8 plane[3])
{
  for (int p = 0; p < overlay_frame_planes(params); p++)
    stx_test_image8_free(&plane[p]);
}

static void lay_legend(
    const StxOverlay *overlay, const StxOverlayParams *params, const StxFrame *frame)
{
  const StxCanvasImpl *impl = oracle(&stx_canvas_impls);
  StxCanvasParams glass = {params->frame_width, params->frame_height, params->format,
      params->matrix, params->full_range};
  StxPlace place = {.threads = 1};
  STX_GUARDED void *memory = stx_guarded_alloc(stx_canvas_size(&glass));
  StxCanvas *canvas = stx_canvas_init(memory, &glass);
  stx_overlay_draw_legend(overlay, canvas);
  impl->lay(canvas, NULL, frame, &place, NULL);
}

StxOverlayResult overlay_draw_with(const char *impl_name, int threads,
    const StxOverlayParams *params, const StxFrame *frame, const StxStixel *records, size_t count)
{
  const StxOverlayImpl *impl = stx_impl_named(&stx_overlay_impls, impl_name);
  StxError error = {""};
  ck_assert_msg(stx_overlay_check(params, &error), "%s", error.text);
  STX_GUARDED void *memory = stx_guarded_alloc(stx_overlay_size(params));
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(params, count, threads));
  StxOverlay *overlay = stx_overlay_init(memory, params);
  StxOverlayResult result =
      stx_overlay_draw_all(impl, overlay, frame, records, count, scratch, threads);
  if (params->legend != STX_LEGEND_NONE)
    lay_legend(overlay, params, frame);
  return result;
}

StxOverlayResult overlay_draw(
    const StxOverlayParams *params, const StxFrame *frame, const StxStixel *records, size_t count)
{
  return overlay_draw_with("omp", 1, params, frame, records, count);
}

OverlayFrame overlay_frame(const StxOverlayParams *params, int padding, int fill)
{
  OverlayFrame f;
  overlay_frame_new(params, padding, f.plane, &f.frame);
  overlay_frame_fill(params, f.plane, fill);
  return f;
}

OverlayFrame overlay_drawn(
    const StxOverlayParams *params, int padding, int fill, const StxStixel *records, size_t count)
{
  OverlayFrame f = overlay_frame(params, padding, fill);
  overlay_draw(params, &f.frame, records, count);
  return f;
}

void overlay_frame_end(OverlayFrame *f)
{
  for (int p = 0; p < 3 && f->plane[p].data != NULL; p++)
    stx_test_image8_free(&f->plane[p]);
}

StxStixel overlay_stixel(int column, int top, int bottom, StxKind kind, int label, float disparity)
{
  return (StxStixel){(uint16_t)column, (uint16_t)top, (uint16_t)bottom, (uint8_t)kind,
      (uint8_t)label, disparity, disparity, 0, 1};
}

void overlay_draw_pixel(StxOverlayParams params, StxStixel record, int fill, uint8_t bytes[3])
{
  params.format = stx_pixel_format(params.format->yuv ? "Y444" : "RGB");
  params.width = params.height = params.frame_width = params.frame_height = 1;
  params.stixel_width = params.columns = 1;
  record.column = record.top = record.bottom = 0;
  STX_AUTO(OverlayFrame) f = overlay_drawn(&params, 3, fill, &record, 1);
  for (int k = 0; k < 3; k++)
    bytes[k] = params.format->planes == 3 ? f.frame.data[k][0] : f.frame.data[0][k];
}

size_t overlay_random_stixels(const StxOverlayParams *params, StxRandom *random, StxStixel *out)
{
  size_t count = 0;
  for (int c = 0; c < params->columns; c++)
    for (int bottom = params->height - 1; bottom >= 0;) {
      int top = bottom - stx_random_below(random, 6);
      int label = stx_random_below(random, 20);
      top = top < 0 ? 0 : top;
      out[count++] = overlay_stixel(c, top, bottom, (StxKind)stx_random_below(random, 4),
          label < 19 ? label : STX_LABEL_NONE, (float)stx_random_below(random, 90));
      bottom = top - 1;
    }
  return count;
}

void overlay_garbage(
    const StxOverlayParams *params, size_t count, StxRandom *random, StxStixel *records)
{
  for (size_t i = 0; i < count * sizeof *records; i++)
    ((uint8_t *)records)[i] = (uint8_t)stx_random(random);
  for (size_t i = 0; i < count; i++) {
    if (stx_random_below(random, 2))
      continue;
    records[i].column %= (uint16_t)(params->columns + 1);
    records[i].top %= (uint16_t)(params->height + 1);
    records[i].bottom = (uint16_t)(records[i].top + stx_random_below(random, 4));
    records[i].kind %= 5;
  }
}

void overlay_expect_bytes(const uint8_t *actual, const int *expected, int n, const char *what)
{
  for (int i = 0; i < n; i++)
    ck_assert_msg(actual[i] == expected[i], "%s: byte %d is %d, expected %d", what, i, actual[i],
        expected[i]);
}
