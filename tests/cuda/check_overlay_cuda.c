/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing on the GPU against the reference, byte for byte: frames of every format, what was counted
 * and what a legend would list; records and everything beside the frame stay untouched.
 */
#include "tests/cuda/cuda_case.h"
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <stdio.h>

#define MOST_RECORDS 4096

/* ---- Two overlays with the same parameters ------------------------------------------------- */

typedef struct {
  StxOverlayParams params;
  void *memory[2];
  StxOverlay *reference, *overlay; /* `overlay`: of the GPU */
  void *prepared;
} Pair;

/* The position of a frame's planes: bytes before and after each row. */
typedef struct {
  int before, after;
} Margins;

static const StxOverlayImpl *gpu(void)
{
  return (const void *)stx_impl_at(&stx_overlay_cuda_impls, 0);
}

static void upload(Pair *pair)
{
  StxError error = {""};
  stx_case_ok(
      gpu()->upload(pair->overlay, pair->prepared, stx_case_place(), &error), &error, "upload");
}

static Pair open_pair(const StxOverlayParams *params)
{
  StxError error = {""};
  ck_assert_msg(stx_overlay_check(params, &error), "%s", error.text);
  Pair pair = {.params = *params};
  for (int i = 0; i < 2; i++)
    pair.memory[i] = stx_guarded_alloc(stx_overlay_size(params));
  pair.reference = stx_overlay_init(pair.memory[0], params);
  pair.overlay = stx_overlay_init(pair.memory[1], params);
  pair.prepared = stx_device_alloc(stx_overlay_size(params));
  upload(&pair);
  return pair;
}

static void close_pair(Pair *pair)
{
  stx_device_free(pair->prepared);
  for (int i = 0; i < 2; i++)
    stx_guarded_free(pair->memory[i]);
}

STX_AUTO_VALUE(Pair, close_pair)

/* ---- One frame ------------------------------------------------------------------------------ */

/* Planes on the host or on the device, and the view of the pixels between the margins. */
typedef struct {
  StxImage8 plane[3];
  StxFrame frame;
} Planes;

static Planes make_planes(const StxOverlayParams *params, Margins margins, bool device)
{
  Planes planes = {0};
  for (int p = 0; p < overlay_frame_planes(params); p++) {
    int height = (params->frame_height + params->format->plane[p].shift_y) >>
                 params->format->plane[p].shift_y;
    int bytes = margins.before + overlay_frame_row(params, p);
    planes.plane[p] = (device ? stx_device_image8 : stx_test_image8)(bytes, height, margins.after);
    planes.frame.data[p] = planes.plane[p].data + margins.before;
    planes.frame.stride[p] = planes.plane[p].stride;
  }
  return planes;
}

static StxOverlayResult link_on_gpu(
    Pair *pair, const StxStixel *records, size_t count, void *scratch, const char *what)
{
  StxError error = {""};
  StxOverlayResult found;
  STX_ON_DEVICE StxOverlayResult *result = stx_device_alloc(sizeof *result);
  stx_case_ok(gpu()->link(pair->overlay, pair->prepared, records, count, result, scratch,
                  stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  stx_device_download(&found, result, sizeof found);
  return found;
}

static StxOverlayResult draw_on_gpu(
    Pair *pair, const StxFrame *frame, const StxStixel *records, size_t count, const char *what)
{
  StxError error = {""};
  STX_ON_DEVICE void *scratch = stx_device_alloc(gpu()->scratch_size(&pair->params, count, 1));
  STX_ON_DEVICE void *copy =
      count > 0 ? stx_device_copy_of(records, count * sizeof *records) : NULL;
  StxOverlayResult found = link_on_gpu(pair, copy, count, scratch, what);
  stx_case_ok(gpu()->draw(pair->overlay, pair->prepared, frame, copy, count, scratch,
                  stx_case_place(), &error),
      &error, what);
  stx_case_wait(what);
  if (count > 0) {
    STX_GUARDED StxStixel *after = stx_guarded_alloc(count * sizeof *after);
    stx_device_download(after, copy, count * sizeof *after);
    stx_expect_same(records, after, count * sizeof *after, what);
  }
  return found;
}

static StxOverlayResult draw_reference(
    Pair *pair, const StxFrame *frame, const StxStixel *records, size_t count)
{
  const StxOverlayImpl *impl = stx_impl_named(&stx_overlay_impls, "omp");
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&pair->params, count, 1));
  StxOverlayResult result =
      stx_overlay_draw_all(impl, pair->reference, frame, records, count, scratch, 1);
  return result;
}

/* Draws the records on two copies of a random frame. */
static void expect_agreement(Pair *pair, const StxStixel *records, size_t count, Margins margins,
    uint64_t seed, const char *name)
{
  const StxOverlayParams *params = &pair->params;
  int planes = overlay_frame_planes(params);
  Planes expected = make_planes(params, margins, false),
         actual = make_planes(params, margins, false);
  Planes device = make_planes(params, margins, true);
  StxRandom random = {seed};
  char what[200];
  snprintf(what, sizeof what, "%s, %s, %dx%d on %dx%d, %d columns, margins %d %d, seed %llu", name,
      params->format->name, params->width, params->height, params->frame_width,
      params->frame_height, params->columns, margins.before, margins.after,
      (unsigned long long)seed);
  for (int p = 0; p < planes; p++) {
    stx_fill8(&expected.plane[p], (StxFill)(seed % STX_FILL_COUNT), &random);
    stx_device_upload8(&device.plane[p], &expected.plane[p]);
  }
  StxOverlayResult wanted = draw_reference(pair, &expected.frame, records, count);
  StxOverlayResult found = draw_on_gpu(pair, &device.frame, records, count, what);
  ck_assert_msg(found.drawn == wanted.drawn && found.skipped == wanted.skipped &&
                    found.seen == wanted.seen && found.reserved == wanted.reserved,
      "%s: %u drawn, %u skipped, %x seen, not %u, %u and %x", what, found.drawn, found.skipped,
      found.seen, wanted.drawn, wanted.skipped, wanted.seen);
  for (int p = 0; p < planes; p++) {
    stx_device_download8(&actual.plane[p], &device.plane[p]);
    stx_expect_same_image8(&expected.plane[p], &actual.plane[p], what);
    stx_device_free8(&device.plane[p]);
  }
  overlay_frame_free(params, expected.plane);
  overlay_frame_free(params, actual.plane);
}

/* ---- Parameters and records ------------------------------------------------------------------ */

/* Everything that is not a size or a format by chance. */
static void choose_looks(StxOverlayParams *params, StxRandom *random)
{
  params->mode = (StxOverlayMode)stx_random_below(random, STX_OVERLAY_MODES);
  params->scale = (StxOverlayScale)stx_random_below(random, 3);
  params->camera = (StxCamera){.focal = 700,
      .cy = stx_random_below(random, 100),
      .baseline = .5,
      .height = 1.5,
      .pitch = stx_random_below(random, 20) / 100.};
  params->dim = stx_random_below(random, 2) ? stx_random_below(random, 11) / 10. : 0;
  params->fill = stx_random_below(random, 4) > 0;
  params->line_width = stx_random_below(random, 3);
  params->outlines = stx_random_below(random, 2);
  params->show =
      stx_random_below(random, 2) ? OVERLAY_ALL_KINDS : (unsigned)stx_random_below(random, 16);
  params->alpha = stx_random_below(random, 11) / 10.;
  params->matrix = (StxMatrix)stx_random_below(random, 3);
  params->full_range = stx_random_below(random, 2);
}

/* Complete columns of slanted stixels up to `most` rows high. */
static size_t slanted_stixels(
    const StxOverlayParams *params, int most, StxRandom *random, StxStixel *out)
{
  size_t count = 0;
  for (int c = 0; c < params->columns; c++)
    for (int bottom = params->height - 1; bottom >= 0;) {
      int top = bottom - stx_random_below(random, most);
      StxStixel *stixel = &out[count++];
      ck_assert_uint_le(count, MOST_RECORDS);
      *stixel = overlay_stixel(c, top < 0 ? 0 : top, bottom, (StxKind)stx_random_below(random, 4),
          stx_random_below(random, 22), (float)stx_random_below(random, 900) / 7);
      if (stx_random_below(random, 2))
        stixel->disparity_top = (float)stx_random_below(random, 1500) - 300;
      stixel->cost = (float)stx_random_below(random, 200) / 7 - 2;
      stixel->confidence =
          stx_random_below(random, 20) ? (float)stx_random_below(random, 300) / 250 : (float)NAN;
      bottom = stixel->top - 1;
    }
  return count;
}

static void shuffle(StxStixel *records, size_t count, size_t swaps, StxRandom *random)
{
  for (size_t i = 0; i < swaps && count > 0; i++) {
    StxStixel *a = &records[stx_random_below(random, (int)count)];
    StxStixel *b = &records[stx_random_below(random, (int)count)];
    StxStixel other = *a;
    *a = *b;
    *b = other;
  }
}

static void expect_agreement_once(const StxOverlayParams *params, const StxStixel *records,
    size_t count, Margins margins, uint64_t seed, const char *name)
{
  STX_AUTO(Pair) pair = open_pair(params);
  expect_agreement(&pair, records, count, margins, seed, name);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static StxStixel records[MOST_RECORDS];

/* Sizes around a thread's four samples, a warp's 128 and a block's eight rows; rows that begin at
 * multiples of 16 or 4 bytes or anywhere. */
STX_TEST(agrees_in_every_format_and_alignment)
{
  static const int sizes[][3] = {{1, 1, 1}, {2, 7, 1}, {5, 2, 2}, {33, 17, 5}, {129, 9, 8}};
  static const Margins margins[] = {{0, 0}, {0, 1}, {4, 4}, {16, 16}, {3, 5}};
  StxRandom random = {1};
  int small = stx_test_small();
  for (int f = 0; f < OVERLAY_FORMATS; f += small ? 5 : 1)
    for (int i = 0; i < 5; i += small ? 3 : 1) {
      StxOverlayParams params =
          overlay_plain(overlay_format_names[f], sizes[i][0], sizes[i][1], sizes[i][2]);
      choose_looks(&params, &random);
      size_t count = slanted_stixels(&params, 6, &random, records);
      STX_AUTO(Pair) pair = open_pair(&params);
      for (int m = 0; m < (small ? 3 : 5); m++)
        expect_agreement(&pair, records, count, margins[m], 10u * i + m, "formats");
      /* Rows of a multiple of 16 bytes are rare at these widths. */
      int row = params.format->plane[0].pixel_stride * params.frame_width;
      expect_agreement(&pair, records, count, (Margins){0, 15 - (row + 15) % 16}, 7, "aligned");
      expect_agreement(&pair, records, count, (Margins){1, 15 - row % 16}, 8, "a byte later");
    }
}

/* Frames that are larger or smaller than the image, and columns that lie outside of it. */
STX_TEST(agrees_on_frames_of_every_size)
{
  static const int sizes[][5] = {/* image, stixel width, frame */
      {1, 1, 1, 1, 3}, {3, 2, 1, 3, 3}, {20, 10, 4, 41, 21}, {40, 20, 7, 13, 7},
      {31, 17, 5, 62, 34}, {200, 120, 1, 40, 24}, {64, 32, 32768, 64, 32}, {12, 300, 4, 48, 1200}};
  StxRandom random = {2};
  for (int round = 0; round < (stx_test_small() ? 3 : 80); round++) {
    const int *size = sizes[round % 8];
    StxOverlayParams params =
        overlay_plain(overlay_format_names[stx_random_below(&random, OVERLAY_FORMATS)], size[0],
            size[1], size[2]);
    choose_looks(&params, &random);
    params.frame_width = size[3];
    params.frame_height = size[4];
    params.columns =
        round % 3 == 0 ? 1 + stx_random_below(&random, 2 * params.columns) : params.columns;
    size_t count = slanted_stixels(&params, round % 2 ? 40 : 100, &random, records);
    Margins margins = {stx_random_below(&random, 5), stx_random_below(&random, 5)};
    expect_agreement_once(&params, records, count, margins, 100u + round, "sizes");
  }
}

/* Where the frame shows a part of the image, the image does not fill it, or both. */
STX_TEST(agrees_on_cut_frames_and_on_borders)
{
  StxRandom random = {6};
  for (int round = 0; round < (stx_test_small() ? 3 : 60); round++) {
    StxOverlayParams params = overlay_plain(
        overlay_format_names[stx_random_below(&random, OVERLAY_FORMATS)], 60, 40, 1 + round % 9);
    choose_looks(&params, &random);
    params.frame_width = 1 + stx_random_below(&random, 90);
    params.frame_height = 1 + stx_random_below(&random, 90);
    params.placement = (StxPlacement){.xx = (1 + stx_random_below(&random, 30)) / 10.,
        .yy = (1 + stx_random_below(&random, 30)) / 10.,
        .x0 = stx_random_below(&random, 80) - 40,
        .y0 = stx_random_below(&random, 80) - 40,
        .width = params.frame_width,
        .height = params.frame_height};
    size_t count = slanted_stixels(&params, 30, &random, records);
    expect_agreement_once(&params, records, count, (Margins){0, round % 4}, 400u + round, "cut");
  }
}

/* One pair draws several frames, of which some show other kinds and labels than those before. */
STX_TEST(agrees_frame_after_frame)
{
  StxRandom random = {3};
  for (int mode = STX_OVERLAY_DISTANCE; mode < STX_OVERLAY_MODES; mode++) {
    StxOverlayParams params = overlay_plain(overlay_format_names[mode + 6], 113, 97, 16);
    choose_looks(&params, &random);
    params.mode = (StxOverlayMode)mode;
    params.show = OVERLAY_ALL_KINDS;
    STX_AUTO(Pair) pair = open_pair(&params);
    for (int frame = 0; frame < (stx_test_small() ? 2 : 4); frame++) {
      size_t count = slanted_stixels(&params, 60, &random, records);
      for (size_t i = 0; i < count; i++)
        records[i].label = (uint8_t)(records[i].label % (4 * frame + 1));
      expect_agreement(
          &pair, records, frame == 0 ? 0 : count, (Margins){0, frame}, (uint64_t)frame, "frames");
    }
  }
}

/* Whatever the records and their order: what counts depends on those before. */
STX_TEST(agrees_on_any_records)
{
  StxRandom random = {4};
  for (int round = 0; round < (stx_test_small() ? 3 : 120); round++) {
    int width = 1 + stx_random_below(&random, stx_test_small() ? 6 : 60);
    int height = 1 + stx_random_below(&random, 50);
    StxOverlayParams params = overlay_plain(overlay_format_names[round % OVERLAY_FORMATS], width,
        height, 1 + stx_random_below(&random, 9));
    choose_looks(&params, &random);
    params.columns = 1 + stx_random_below(&random, 2 * params.columns);
    size_t count = (size_t)stx_random_below(&random, 400);
    if (round % 3 == 0) {
      overlay_garbage(&params, count, &random, records);
    } else {
      count = slanted_stixels(&params, 6, &random, records);
      shuffle(records, count, round % 3 == 1 ? 3 : count, &random);
    }
    expect_agreement_once(
        &params, records, count, (Margins){0, round % 5}, 200u + round, "records");
  }
}

/* More records of one column than a block has threads, all good, or where each may spoil the next
 * across the end of a chunk. */
STX_TEST(agrees_on_long_columns)
{
  StxRandom random = {5};
  int height = stx_test_small() ? 140 : 600;
  for (int round = stx_test_small() ? 10 : 0; round < 12; round++) {
    StxOverlayParams params = overlay_plain("RGB", 3, height, 1);
    choose_looks(&params, &random);
    size_t count = slanted_stixels(&params, 1 + round / 3, &random, records);
    if (round % 3 > 0)
      shuffle(records, count, round % 3 == 1 ? 2 : count, &random);
    if (round % 3 == 2)
      for (size_t i = 0; i < count; i++)
        records[i].column = (uint16_t)(stx_random_below(&random, 20) ? 1 : 5);
    expect_agreement_once(&params, records, count, (Margins){0, 0}, 300u + round, "long columns");
  }
}

/* Literal counts: the case of check_overlay.c. */
STX_TEST(skips_and_counts_bad_records)
{
  StxOverlayParams params = overlay_plain("RGB", 4, 8, 2);
  StxStixel bad[] = {
      overlay_stixel(0, 6, 7, STX_KIND_GROUND, 0, 3),  /* good */
      overlay_stixel(0, 7, 7, STX_KIND_OBJECT, 13, 3), /* overlaps the one before */
      overlay_stixel(2, 0, 7, STX_KIND_OBJECT, 13, 3), /* only columns 0 and 1 */
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 13, NAN),
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 13, -INFINITY),
      overlay_stixel(1, 4, 7, STX_KIND_OBJECT, 200, 3), /* an unknown label is only grey: good */
      overlay_stixel(0, 0, 5, STX_KIND_SKY, 10, 0),     /* out of order, but above: good */
  };
  STX_AUTO(Pair) pair = open_pair(&params);
  Planes device = make_planes(&params, (Margins){0, 0}, true);
  StxOverlayResult found =
      draw_on_gpu(&pair, &device.frame, bad, sizeof bad / sizeof bad[0], "bad records");
  ck_assert_uint_eq(found.drawn, 3);
  ck_assert_uint_eq(found.skipped, 4);
  ck_assert_uint_eq(found.seen, 1u << 0 | 1u << 10 | 1u << 19);
  stx_device_free8(&device.plane[0]);
}
