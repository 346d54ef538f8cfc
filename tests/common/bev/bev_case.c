/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/bev/bev_case.h"

const char *const bev_formats[BEV_FORMATS] = {
    "RGB", "BGR", "RGBA", "RGBx", "BGRA", "BGRx", "ARGB", "xRGB", "ABGR", "xBGR"};
const int bev_background[3] = {14, 16, 20};

StxBevParams bev_plain(int width, int height)
{
  StxBevParams params = STX_BEV_DEFAULTS;
  params.width = width;
  params.height = height;
  params.format = stx_pixel_format("RGB");
  params.extent = (width < height ? width : height) / 2.0;
  params.point_size = 1;
  params.rings = false;
  params.legend = STX_LEGEND_NONE;
  return params;
}

BevPicture bev_picture_new(StxBevParams params, int padding)
{
  BevPicture p = {.params = params};
  StxError error;
  ck_assert_msg(stx_bev_check(&params, &error), "%s", error.text);
  p.bev = stx_bev_init(stx_guarded_alloc(stx_bev_size(&params)), &params);
  p.plane =
      stx_test_image8(params.width * params.format->plane[0].pixel_stride, params.height, padding);
  p.frame = (StxFrame){{p.plane.data}, {p.plane.stride}};
  return p;
}

void bev_picture_free(BevPicture *p)
{
  stx_guarded_free(p->bev);
  stx_test_image8_free(&p->plane);
}

BevPicture bev_picture_of(
    StxBevParams params, const float (*points)[4], const uint32_t *labels, size_t count)
{
  BevPicture p = bev_picture_new(params, 5);
  stx_bev_draw(p.bev, count > 0 ? points[0] : NULL, labels, count, &p.frame);
  return p;
}

const uint8_t *bev_pixel(const BevPicture *p, int x, int y)
{
  return stx_row8(&p->plane, y) + x * p->params.format->plane[0].pixel_stride;
}

void bev_expect_pixel(const BevPicture *p, int x, int y, const int rgb[3], const char *what)
{
  const uint8_t *at = bev_pixel(p, x, y);
  ck_assert_msg(at[0] == rgb[0] && at[1] == rgb[1] && at[2] == rgb[2],
      "%s: pixel (%d, %d) is %d %d %d instead of %d %d %d", what, x, y, at[0], at[1], at[2], rgb[0],
      rgb[1], rgb[2]);
}

/* ---- Stixels ------------------------------------------------------------------------------ */

const StxCamera bev_camera = {.focal = 100, .cx = 49.5, .cy = 39.5, .baseline = 1};

StxBevParams bev_ahead(void)
{
  StxBevParams params = bev_plain(40, 40);
  params.center_x = 20;
  return params;
}

StxBevStixelsParams bev_plain_stixels(void)
{
  StxBevStixelsParams params = STX_BEV_STIXELS_DEFAULTS;
  params.show = STX_BEV_SHOW_GROUND | STX_BEV_SHOW_THINGS | STX_BEV_SHOW_FREE;
  params.uncertainty = 0;
  params.mode = STX_BEV_BY_KIND;
  return params;
}

StxBevStixels bev_frame_of(const StxStixel *records, size_t count)
{
  return (StxBevStixels){.stixels = records,
      .count = count,
      .width = BEV_WIDTH,
      .height = BEV_HEIGHT,
      .stixel_width = BEV_COLUMN,
      .camera = bev_camera};
}

BevPicture bev_stixel_picture(
    StxBevParams params, const StxBevStixelsParams *stixels, const StxBevStixels *frame)
{
  BevPicture p = bev_picture_new(params, 3);
  StxError error;
  ck_assert_msg(stx_bev_stixels_check(stixels, &error), "%s", error.text);
  ck_assert_msg(stx_bev_stixels_can_place(&frame->camera, &error), "%s", error.text);
  stx_bev_begin(p.bev);
  stx_bev_put_stixels(p.bev, stixels, frame);
  stx_bev_finish(p.bev, &p.frame, 2);
  return p;
}

void bev_expect_colour(const BevPicture *p, int x, int y, StxRgb rgb, const char *what)
{
  bev_expect_pixel(p, x, y, (int[]){rgb.r, rgb.g, rgb.b}, what);
}

StxRgb bev_on_background(StxRgb colour, int part)
{
  return stx_colour_mix(stx_colour(STX_MEANS_BACKGROUND), colour, part, 256);
}

StxStixel bev_object(int column, double disparity)
{
  return (StxStixel){.column = (uint16_t)column,
      .top = 30,
      .bottom = 49,
      .kind = STX_KIND_OBJECT,
      .label = STX_LABEL_NONE,
      .disparity_top = (float)disparity,
      .disparity_bottom = (float)disparity};
}

StxStixel bev_ground(int column, double top, double bottom)
{
  StxStixel record = bev_object(column, bottom);
  record.kind = STX_KIND_GROUND;
  record.disparity_top = (float)top;
  return record;
}
