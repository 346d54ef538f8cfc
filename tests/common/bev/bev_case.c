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
  return params;
}

static BevPicture picture_new(StxBevParams params, int padding)
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
  BevPicture p = picture_new(params, 5);
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
