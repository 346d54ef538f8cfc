/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectification on the GPU against the reference, byte for byte: samples of every size, widths on
 * both sides of a warp's, planes that begin anywhere, and nothing written beside them. */
#include "tests/common/rectify/rectify_case.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>

/* The position of a plane: bytes before and after each row. Even a multiple of 16 may be wanted. */
typedef struct {
  int before, after;
} Margins;

static int at_most(int tiny, int usual)
{
  return stx_test_small() && tiny < usual ? tiny : usual;
}

static const StxRectifyImpl *gpu(void)
{
  return (const void *)stx_impl_at(&stx_rectify_cuda_impls, 0);
}

/* The map in a block of its own on the device: StxRectifyMap's pointers lie in one block. */
static StxRectifyMap upload_map(
    const StxRectifyView *view, int shift_x, int shift_y, const StxRectifyMap *map, void **block)
{
  *block = stx_device_copy_of(map->place, stx_rectify_map_bytes(view, shift_x, shift_y));
  return stx_rectify_map_in(view, shift_x, shift_y, *block);
}

/* The picture within the margins. */
static StxImage8 inside(const StxImage8 *plane, Margins margins)
{
  return (StxImage8){
      plane->data + margins.before, plane->stride, plane->width - margins.before, plane->height};
}

static void run_on_gpu(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target, const char *what)
{
  StxError error = {""};
  stx_case_ok(gpu()->run(map, sample, source, target, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
}

/* ---- One plane ------------------------------------------------------------------------------ */

typedef struct {
  StxRectifyView view;
  int shift_x, shift_y, bytes;
  Margins source, target;
  uint64_t seed;
} Case;

static void compare(const Case *c, const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const char *what)
{
  int width = map->width * c->bytes + c->target.before;
  void *block;
  STX_AUTO(StxImage8) expected = stx_test_image8(width, map->height, 0);
  STX_AUTO(StxImage8) actual = stx_test_image8(width, map->height, 0);
  STX_DEVICE8 StxImage8 from = stx_device_image8(source->width, source->height, c->source.after);
  STX_DEVICE8 StxImage8 to = stx_device_image8(width, map->height, c->target.after);
  StxRectifyMap copy = upload_map(&c->view, c->shift_x, c->shift_y, map, &block);
  StxImage8 source_in = inside(source, c->source), from_in = inside(&from, c->source);
  StxImage8 expected_in = inside(&expected, c->target), to_in = inside(&to, c->target);
  stx_device_upload8(&from, source);
  stx_device_download8(&expected, &to); /* what lies in front of the rows stays */
  rectify_run_reference(map, sample, &source_in, &expected_in);
  run_on_gpu(&copy, sample, &from_in, &to_in, what);
  stx_device_download8(&actual, &to);
  stx_expect_same_image8(&expected, &actual, what);
  stx_device_free(block);
}

static void check_case(const Case *c)
{
  StxRandom random = {c->seed};
  STX_AUTO(StxRectifyMap) map = rectify_new_map(&c->view, c->shift_x, c->shift_y);
  StxRectifySample sample = {c->bytes, {1, 200, 3, 255}};
  STX_AUTO(StxImage8) source =
      stx_test_image8(map.source_width * c->bytes + c->source.before, map.source_height, 0);
  char what[160];
  snprintf(what, sizeof what, "cuda, %d bytes, %dx%d of %dx%d, margins %d %d and %d %d, seed %llu",
      c->bytes, map.width, map.height, map.source_width, map.source_height, c->source.before,
      c->source.after, c->target.before, c->target.after, (unsigned long long)c->seed);
  stx_fill8(&source, (StxFill)(c->seed % STX_FILL_COUNT), &random);
  compare(c, &map, &sample, &source, what);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static Margins random_margins(StxRandom *random)
{
  return (Margins){stx_random_below(random, 9), stx_random_below(random, 9)};
}

STX_TEST(agrees_on_any_view)
{
  for (uint64_t seed = 0; seed < (uint64_t)at_most(4, 160); seed++) {
    StxRandom random = {seed};
    Case c = {rectify_random_view(&random), stx_random_below(&random, 2),
        stx_random_below(&random, 2), 1 + (int)(seed % 4), random_margins(&random),
        random_margins(&random), seed};
    check_case(&c);
  }
}

/* Around what four samples, a warp and a block have; rows that begin at whole vectors, of which the
 * last ones are not full. */
STX_TEST(agrees_around_blocks)
{
  static const int widths[] = {16, 17, 19, 20, 124, 127, 128, 129, 132, 260};
  for (size_t i = 0; i < (size_t)at_most(2, sizeof widths / sizeof widths[0]); i++)
    for (int bytes = 1; bytes <= 4; bytes++) {
      int padding = 256 - widths[i] * bytes % 256;
      Case c = {rectify_plain_view(widths[i], 15 + bytes), 0, 0, bytes, {0, padding}, {0, padding},
          (uint64_t)(10 * i) + (uint64_t)bytes};
      c.view.cx += .37;
      c.view.r[1] = .01;
      check_case(&c);
    }
}

/* All that a camera can be turned away from. */
STX_TEST(what_is_not_seen_is_the_border)
{
  for (int bytes = 1; bytes <= 4; bytes++) {
    Case c = {rectify_plain_view(24, 16), 0, 0, bytes, {0, 0}, {0, 0}, 3};
    c.view.cx -= 100;
    check_case(&c);
  }
}

/* ---- Packed 4:2:2 --------------------------------------------------------------------------- */

static void compare_packed(const Case *c, const RectifyPackedMaps *maps,
    const StxRectifyPacked *packed, const StxImage8 *source, const char *what)
{
  int width = rectify_packed_bytes(maps->pixels.width) + c->target.before;
  int height = maps->pixels.height;
  void *blocks[2];
  StxError error = {""};
  STX_AUTO(StxImage8) expected = stx_test_image8(width, height, 0);
  STX_AUTO(StxImage8) actual = stx_test_image8(width, height, 0);
  STX_DEVICE8 StxImage8 from = stx_device_image8(source->width, source->height, c->source.after);
  STX_DEVICE8 StxImage8 to = stx_device_image8(width, height, c->target.after);
  StxRectifyMap pixels = upload_map(&c->view, 0, 0, &maps->pixels, &blocks[0]);
  StxRectifyMap colours = upload_map(&c->view, 1, 0, &maps->colours, &blocks[1]);
  StxImage8 source_in = inside(source, c->source), from_in = inside(&from, c->source);
  StxImage8 expected_in = inside(&expected, c->target), to_in = inside(&to, c->target);
  stx_device_upload8(&from, source);
  stx_device_download8(&expected, &to);
  rectify_run_planes(maps, packed, &source_in, &expected_in);
  stx_case_ok(
      gpu()->run_packed(&pixels, &colours, packed, &from_in, &to_in, stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  stx_device_download8(&actual, &to);
  stx_expect_same_image8(&expected, &actual, what);
  stx_device_free(blocks[0]);
  stx_device_free(blocks[1]);
}

static void check_packed(const Case *c)
{
  StxRandom random = {c->seed};
  RectifyPackedMaps maps = rectify_new_packed_maps(&c->view);
  StxRectifyPacked packed = {(int)(c->seed % 2), {3, 200}};
  STX_AUTO(StxImage8) source = stx_test_image8(
      rectify_packed_bytes(c->view.source_width) + c->source.before, c->view.source_height, 0);
  char what[160];
  snprintf(what, sizeof what,
      "cuda, packed, luma %d, %dx%d of %dx%d, margins %d %d and %d %d, %llu", packed.luma,
      c->view.width, c->view.height, c->view.source_width, c->view.source_height, c->source.before,
      c->source.after, c->target.before, c->target.after, (unsigned long long)c->seed);
  stx_fill8(&source, (StxFill)(c->seed / 2 % STX_FILL_COUNT), &random);
  compare_packed(c, &maps, &packed, &source, what);
  rectify_free_packed_maps(&maps);
}

STX_TEST(packed_pixels_agree_on_any_view)
{
  for (uint64_t seed = 0; seed < (uint64_t)at_most(4, 80); seed++) {
    StxRandom random = {seed};
    Case c = {rectify_random_view(&random), .source = random_margins(&random),
        .target = random_margins(&random), .seed = seed};
    check_packed(&c);
  }
}

/* As above, with both kinds of rows: those of which every load and store is whole, and others. */
STX_TEST(packed_pixels_agree_around_blocks)
{
  static const int widths[] = {16, 17, 18, 19, 126, 127, 128, 129, 130, 260};
  for (size_t i = 0; i < (size_t)at_most(2, sizeof widths / sizeof widths[0]); i++)
    for (int turn = 0; turn < 4; turn++) {
      int padding = 256 - rectify_packed_bytes(widths[i]) % 256 + turn / 2;
      Case c = {rectify_plain_view(widths[i], 17), .source = {0, padding}, .target = {0, padding},
          .seed = 100 * i + (uint64_t)turn};
      c.view.cx += .37;
      c.view.r[1] = .01;
      check_packed(&c);
    }
}
