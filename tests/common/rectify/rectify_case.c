/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/oracle.h"
#include "tests/common/rectify/rectify_case.h"

#include <math.h>

StxRectifyView rectify_plain_view(int width, int height)
{
  return (StxRectifyView){.lens = {.fx = 100, .fy = 100, .cx = 10, .cy = 8},
      .source_width = width,
      .source_height = height,
      .r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .fx = 100,
      .fy = 100,
      .cx = 10,
      .cy = 8,
      .width = width,
      .height = height,
      .scale = 1};
}

StxRectifyMap rectify_new_map(const StxRectifyView *view, int shift_x, int shift_y)
{
  void *memory = stx_guarded_alloc(stx_rectify_map_bytes(view, shift_x, shift_y));
  stx_rectify_map_fill(view, shift_x, shift_y, memory, 2);
  stx_guarded_check(memory);
  return stx_rectify_map_in(view, shift_x, shift_y, memory);
}

void rectify_free_map(StxRectifyMap *map)
{
  stx_guarded_free((void *)map->place);
}

void rectify_run_reference(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target)
{
  const StxRectifyImpl *impl = oracle(&stx_rectify_impls);
  const StxPlace place = {.threads = 1};
  ck_assert(impl->run(map, sample, source, target, &place, NULL));
}

static double between(StxRandom *random, double low, double high)
{
  return low + (high - low) * stx_random(random) / UINT32_MAX;
}

StxRectifyView rectify_random_view(StxRandom *random)
{
  StxRectifyView view =
      rectify_plain_view(16 + stx_random_below(random, 90), 16 + stx_random_below(random, 60));
  view.width = 16 + stx_random_below(random, 90);
  view.height = 16 + stx_random_below(random, 60);
  view.cx = view.width * between(random, .3, .7);
  view.cy = view.height * between(random, .3, .7);
  view.lens.cx = view.source_width / 2.0;
  view.lens.cy = view.source_height / 2.0;
  view.lens.model = stx_random_below(random, 2) ? STX_LENS_FISHEYE : STX_LENS_BROWN;
  for (int i = 0; i < 4; i++)
    view.lens.d[i] = between(random, -.2, .2);
  view.fx = view.fy = between(random, 40, 200);
  double angle = between(random, -.3, .3);
  view.r[0] = view.r[4] = cos(angle);
  view.r[1] = -sin(angle);
  view.r[3] = sin(angle);
  return view;
}

/* ---- Packed 4:2:2 -------------------------------------------------------------------------- */

RectifyPackedMaps rectify_new_packed_maps(const StxRectifyView *view)
{
  return (RectifyPackedMaps){rectify_new_map(view, 0, 0), rectify_new_map(view, 1, 0)};
}

void rectify_free_packed_maps(RectifyPackedMaps *maps)
{
  rectify_free_map(&maps->pixels);
  rectify_free_map(&maps->colours);
}

int rectify_packed_bytes(int width)
{
  return (width + 1) / 2 * 4;
}

/* One of the planes: byte `first` of every `step`. */
static void run_plane(const StxRectifyMap *map, int first, int step, uint8_t border,
    const StxImage8 *source, const StxImage8 *target)
{
  STX_AUTO(StxImage8) from = stx_test_image8(map->source_width, map->source_height, 1);
  STX_AUTO(StxImage8) to = stx_test_image8(map->width, map->height, 2);
  STX_EACH_PIXEL (x, y, from.width, from.height)
    stx_row8(&from, y)[x] = stx_row8(source, y)[first + step * x];
  rectify_run_reference(map, &(StxRectifySample){1, {border}}, &from, &to);
  STX_EACH_PIXEL (x, y, to.width, to.height)
    stx_row8(target, y)[first + step * x] = stx_row8(&to, y)[x];
}

void rectify_run_planes(const RectifyPackedMaps *maps, const StxRectifyPacked *packed,
    const StxImage8 *source, const StxImage8 *target)
{
  int last = rectify_packed_bytes(maps->pixels.width) - 4;
  for (int y = 0; y < maps->pixels.height; y++)
    stx_row8(target, y)[last + packed->luma + 2] = 0;
  run_plane(&maps->pixels, packed->luma, 2, packed->border[0], source, target);
  run_plane(&maps->colours, 1 - packed->luma, 4, packed->border[1], source, target);
  run_plane(&maps->colours, 3 - packed->luma, 4, packed->border[1], source, target);
}
