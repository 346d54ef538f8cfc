/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels from above: every pixel by itself, as bev_stixels.h has it. */
#include <math.h>

#include "tests/common/bev/bev_case.h"

/* What a record is at a place, by bev_stixels.h; 0: it is not there. */
static int64_t model_key(
    const StxBevStixelsParams *params, const StxStixel *r, double right, double far, double stroke)
{
  double middle =
      (r->column * BEV_COLUMN + BEV_COLUMN / 2. - .5 - bev_camera.cx) / bev_camera.focal;
  double half = BEV_COLUMN / 2. / bev_camera.focal;
  double small = fmin((double)r->disparity_top, (double)r->disparity_bottom);
  double large = fmax((double)r->disparity_top, (double)r->disparity_bottom);
  double off = params->uncertainty, near = 100 / large, end = 100 / small;
  double top = (double)r->disparity_top, bottom = (double)r->disparity_bottom;
  double rise = (r->bottom + .5 - bev_camera.cy) / bottom - (r->top - .5 - bev_camera.cy) / top;
  bool flat = r->kind == STX_KIND_SEGMENT && fabs(rise) < 100 / top - 100 / bottom;
  bool thing = r->kind != STX_KIND_GROUND && !flat;
  if (thing) {
    near = 100 / (large + off);
    end = 100 / fmax(small - off, small / 2);
    double centre = (near + end) / 2;
    near = fmin(near, fmax(centre - stroke / 2, 0));
    end = fmax(end, centre + stroke / 2);
  }
  double reach = half * far;
  if (thing && 2 * reach < stroke)
    reach = stroke / 2;
  if (far < near || far >= end || right < middle * far - reach || right >= middle * far + reach)
    return 0;
  double height = (bev_camera.cy - r->top + .5) / (double)r->disparity_top;
  return thing ? ((int64_t)(floor((height + 32) * 256)) + 1) * 8 + r->kind + 1 : 1 + flat;
}

/* Records of one column each, whose colours are told apart by kind. */
static size_t crowd(StxRandom *random, StxStixel *records)
{
  size_t count = 0;
  for (int column = 0; column < BEV_WIDTH / BEV_COLUMN; column++)
    for (int i = stx_random_below(random, 4); i > 0; i--) {
      StxStixel r = bev_object(column, (200 + stx_random_below(random, 3000)) / 97.3);
      r.kind = (uint8_t)stx_random_below(random, 3);
      r.top = (uint16_t)stx_random_below(random, 40);
      if (r.kind != STX_KIND_OBJECT)
        r.disparity_top = (float)((200 + stx_random_below(random, 3000)) / 103.7);
      records[count++] = r;
    }
  return count;
}

static void expect_pixels(
    const BevPicture *p, const StxBevStixelsParams *params, const StxStixel *records, size_t count)
{
  StxBevPlan plan = stx_bev_plan(&p->params);
  double stroke = stx_bev_stroke(&p->params) / plan.scale;
  for (int y = 0; y < p->params.height; y++)
    for (int x = 0; x < p->params.width; x++) {
      double right = (x + .5 - plan.column) / plan.scale, far = (plan.row - y - .5) / plan.scale;
      int64_t best = 0;
      for (size_t i = 0; i < count && far > 0; i++) {
        int64_t key = model_key(params, &records[i], right, far, stroke);
        best = key > best ? key : best;
      }
      StxRgb expected = best == 0   ? stx_colour(STX_MEANS_BACKGROUND)
                        : best == 2 ? bev_on_background(stx_colour_kind(STX_KIND_SEGMENT), 90)
                        : best == 1 ? bev_on_background(stx_colour_kind(STX_KIND_GROUND), 90)
                                    : stx_colour_kind((StxKind)(best % 8 - 1));
      bev_expect_colour(p, x, y, expected, "a pixel by itself");
    }
}

START_TEST(equals_every_pixel_by_itself)
{
  StxRandom random = {11};
  for (int round = 0; round < 60; round++) {
    StxStixel records[3 * BEV_WIDTH / BEV_COLUMN];
    StxBevParams params =
        bev_plain(16 + stx_random_below(&random, 50), 16 + stx_random_below(&random, 50));
    StxBevStixelsParams stixels = bev_plain_stixels();
    stixels.show &= ~(unsigned)STX_BEV_SHOW_FREE;
    stixels.uncertainty = round % 4 * .37;
    params.extent = 3.1 + stx_random_below(&random, 300) / 11.;
    params.center_x = stx_random_below(&random, 300) / 13.;
    params.center_y = stx_random_below(&random, 100) / 17. - 3;
    size_t count = crowd(&random, records);
    StxBevStixels frame = bev_frame_of(records, count);
    BevPicture p = bev_stixel_picture(params, &stixels, &frame);
    expect_pixels(&p, &stixels, records, count);
    bev_picture_free(&p);
  }
}
END_TEST

static const StxTest tests[] = {
    {&equals_every_pixel_by_itself},
};
STX_TESTING_MAIN("bev_model", tests)
