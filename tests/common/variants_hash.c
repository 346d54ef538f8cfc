/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/variants_hash.h"

#include <stdlib.h>

#include "common/egomotion/egomotion_private.h"
#include "tests/common/colmean/colmean_case.h"
#include "tests/common/fulldp/fulldp_case.h"
#include "tests/common/ground/ground_case.h"
#include "tests/common/luma/luma_case.h"
#include "tests/common/overlay/overlay_frames.h"
#include "tests/common/rdp/rdp_case.h"
#include "tests/common/rectify/rectify_case.h"
#include "tests/common/satdp/satdp_case.h"
#include "tests/common/sgm/sgm_case.h"

#define START 0xcbf29ce484222325u

static uint64_t hash_image(uint64_t hash, const void *data, ptrdiff_t stride, size_t row, int rows)
{
  for (int y = 0; y < rows; y++)
    hash = stx_hash(hash, (const char *)data + y * stride, row);
  return hash;
}

/* Every number of vectors per pixel, both numbers of paths, both searches. */
static uint64_t hash_sgm(const VariantsRun *v)
{
  uint64_t hash = START;
  for (int i = 0; i < (v->large ? 1 : 12); i++) {
    StxRandom random = {(uint64_t)i};
    StxSgmParams params =
        v->large ? sgm_defaults(200, 50, 64) : sgm_defaults(93 + i, 37, 64 << i % 3);
    params.paths = i % 6 < 3 ? 4 : 8;
    params.search = i / 6;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_pair(&pair, i % 2 ? STX_FILL_NOISE : STX_FILL_STEPS, 9, &random);
    STX_AUTO(SgmResult) r = sgm_run((const StxSgmImpl *)v->impl, &pair, v->threads);
    size_t width = (size_t)params.width;
    hash = hash_image(hash, r.disparity.data, r.disparity.stride, 2 * width, params.height);
    hash = hash_image(hash, r.confidence.data, r.confidence.stride, width, params.height);
  }
  return hash;
}

static uint64_t hash_colmean(const VariantsRun *v)
{
  static const StxSemantics semantics[] = {
      STX_SEMANTICS_NONE, STX_SEMANTICS_LABELS, STX_SEMANTICS_SCORES_U8, STX_SEMANTICS_SCORES_F32};
  uint64_t hash = START;
  for (int i = v->large ? 22 : 0; i < 24; i++) {
    StxRandom random = {(uint64_t)i};
    int side = 4 << i % 2;
    StxColmeanParams params = {.grid = {1 + 37 * (i % 7), 70, side, side, i % 4 ? 19 : 0},
        .reduction = i % 3 ? STX_REDUCE_WEIGHTED : STX_REDUCE_MEDIAN,
        .semantics = semantics[i % 4]};
    if (v->large) { /* holes are filled, and a class cost is a pass of its own: 30 blocks */
      params.grid = (StxGrid){1100, 190, 2, 2, 2};
      params.fill_width = 40;
    }
    STX_AUTO(ColmeanCase) c = colmean_make_case(&params, (ColmeanLayout)(i % COLMEAN_LAYOUTS), 5,
        i % 5 > 0, (StxFill)(i % STX_FILL_COUNT), &random);
    STX_GUARDED uint16_t *columns = colmean_run((const StxColmeanImpl *)v->impl, &c, v->threads);
    hash = stx_hash(hash, columns, stx_grid_bytes(&params.grid));
  }
  return hash;
}

/* Hashes the stixels of every filling, with and without a road and classes; fulldp likewise. */
static uint64_t hash_stixels(const VariantsRun *v,
    Case *(*make)(StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line))
{
  uint64_t hash = START;
  for (int i = v->large ? STREET : 0; i < (v->large ? STREET + 1 : 2 * (SLOPES + 1)); i++) {
    StxRandom random = {(uint64_t)i};
    StxRoadLine line = {0.3, 20, 1};
    StxSatdpParams params =
        v->large ? case_params(70, 40, 4, 3) : case_params(11, 61, 4, i % 3 ? 19 : 0);
    STX_AUTO(Case) *c = make(params, &case_camera, i % 4 ? &line : NULL);
    fill_case(c, (Filling)(i % (SLOPES + 1)), &random);
    StxSatdpResult result;
    STX_GUARDED StxStixel *stixels =
        run_case((const StxSatdpImpl *)v->impl, c, v->threads, &result);
    hash = stx_hash(hash, stixels, result.count * sizeof *stixels);
  }
  return hash;
}

static uint64_t hash_satdp(const VariantsRun *v)
{
  return hash_stixels(v, new_case);
}

static uint64_t hash_fulldp(const VariantsRun *v)
{
  return hash_stixels(v, new_full_case);
}

static uint64_t hash_rdp(const VariantsRun *v)
{
  uint64_t hash = START;
  for (int i = v->large ? RDP_STREET : 0; i < (v->large ? RDP_STREET + 1 : 3 * (RDP_UNKNOWN + 1));
       i++) {
    StxRdpParams params =
        v->large ? rdp_params(150, 70, 1, 300, 3)
                 : rdp_params(13, 130 * (i % 3) + 40, 4, 300 + 400 * (i % 4), i % 2 * 3);
    STX_AUTO(RdpCase) *c = rdp_case_new(params, (RdpFilling)(i % (RDP_UNKNOWN + 1)), (uint64_t)i);
    STX_AUTO(RdpRun) run = rdp_run((const StxRdpImpl *)v->impl, c, v->threads);
    size_t cells = (size_t)stx_grid_columns(&params.grid) * (size_t)stx_grid_rows(&params.grid);
    hash = stx_hash(hash, run.segments, run.result.count * sizeof *run.segments);
    hash = stx_hash(hash, run.kept, cells);
  }
  return hash;
}

/* Small scans need no functions of the C library, which may differ in their last bit. */
static uint64_t hash_ground(const VariantsRun *v)
{
  static const GroundScan scans[] = {GROUND_CLOUD, GROUND_WILD, GROUND_SPOT};
  uint64_t hash = START;
  for (int i = 0; i < (v->large ? 1 : 6); i++) {
    StxGroundParams params = STX_GROUND_DEFAULTS;
    STX_AUTO(GroundCase) *c = ground_case_new(params, v->large ? GROUND_TILTED : scans[i % 3],
        v->large ? 9000 : 3001 + 500 * (size_t)i, v->large ? 3 : (uint64_t)i);
    STX_AUTO(GroundRun) run = ground_run((const StxGroundImpl *)v->impl, c, v->threads, "variants");
    ck_assert(!v->large || run.result.clusters > 0);
    hash = stx_hash(hash, run.labels, c->count * sizeof *run.labels);
  }
  return hash;
}

static uint64_t hash_luma(const VariantsRun *v)
{
  uint64_t hash = START;
  for (int i = 0; i < (v->large ? 6 : 2 * LUMA_CASE_FORMATS); i++) {
    STX_AUTO(LumaCase) c = luma_case_new(i % LUMA_CASE_FORMATS, (uint64_t)i, 90);
    STX_AUTO(StxImage8) gray = stx_test_image8(c.picture.width, c.picture.height, 3);
    STX_GUARDED void *scratch = stx_guarded_alloc(STX_LUMA_SCRATCH);
    ck_assert(((const StxLumaImpl *)v->impl)
                  ->run(c.format, c.bits, &c.picture, &gray, scratch,
                      &(StxPlace){.threads = v->threads}, NULL));
    hash = hash_image(hash, gray.data, gray.stride, (size_t)gray.width, gray.height);
  }
  return hash;
}

static uint64_t hash_rectify(const VariantsRun *v)
{
  uint64_t hash = START;
  for (int bytes = 1; bytes <= 4; bytes++) {
    StxRandom random = {(uint64_t)bytes};
    StxRectifyView view = rectify_plain_view(120, 50);
    view.cx += 7.3;
    view.cy -= 3.8;
    view.fx *= 0.9;
    STX_AUTO(StxRectifyMap) map = rectify_new_map(&view, 0, 0);
    StxRectifySample sample = {bytes, {1, 200, 3, 255}};
    STX_AUTO(StxImage8) source = stx_test_image8(map.source_width * bytes, map.source_height, 3);
    STX_AUTO(StxImage8) target = stx_test_image8(map.width * bytes, map.height, 5);
    stx_fill8(&source, STX_FILL_NOISE, &random);
    ck_assert(((const StxRectifyImpl *)v->impl)
                  ->run(&map, &sample, &source, &target, &(StxPlace){.threads = v->threads}, NULL));
    hash = hash_image(hash, target.data, target.stride, (size_t)target.width, target.height);
  }
  return hash;
}

/* Noise with grains of 4 × 4 pixels, moved. */
static void fill_grains(const StxImage8 *image, int right)
{
  STX_EACH_PIXEL (x, y, image->width, image->height) {
    StxRandom random = {(uint64_t)((x + right) / 4 * 1000 + y / 4)};
    stx_row8(image, y)[x] = (uint8_t)stx_random_below(&random, 256);
  }
}

/* The functions that read pixels, of this set; the rest by its backend. */
static uint64_t hash_egomotion(const VariantsRun *v)
{
  const int width = v->large ? 300 : 190, height = v->large ? 200 : 120;
  const EgoImpl *impl = (const EgoImpl *)v->impl;
  STX_AUTO(StxImage8) left = stx_test_image8(width, height, 1);
  STX_AUTO(StxImage8) half = stx_test_image8(width / 2, height / 2, 2);
  STX_AUTO(StxImage16) disparity = stx_test_image16(width, height, 2);
  StxEgomotion *state = stx_egomotion_new();
  StxEgomotionFrame frame = {.left = left,
      .disparity = disparity,
      .camera = {.focal = 200, .baseline = .5, .cx = 95, .cy = 60},
      .threads = v->threads};
  uint64_t hash = START;
  STX_EACH_PIXEL (x, y, width, height)
    stx_row16(&disparity, y)[x] = (uint16_t)(2560 + 7 * y);
  ck_assert(stx_egomotion_prepare(state, v->impl->backend, width, height, NULL));
  for (int i = 0; i < 3; i++) {
    StxEgomotionResult result;
    fill_grains(&left, 3 * i);
    ck_assert(stx_egomotion_frame(state, &frame, &result, NULL));
    ck_assert_int_eq(result.motion.state, i == 0 ? STX_MOTION_FIRST : STX_MOTION_KNOWN);
    hash = stx_hash(hash, result.motion.rotation,
        sizeof result.motion - offsetof(StxMotion, rotation)); /* what is before has a hole */
    hash = stx_hash(hash, result.points, result.count * sizeof *result.points);
  }
  impl->half(&left, &half, 0, half.height);
  hash = hash_image(hash, half.data, half.stride, (size_t)half.width, half.height);
  stx_egomotion_free(state);
  return hash;
}

/* Three bands of rows. */
static uint64_t hash_overlay(const VariantsRun *v)
{
  STX_MALLOCED StxStixel *records = malloc(120 * 900 * sizeof *records);
  StxOverlayParams params = overlay_plain("I420", 701, 851, 8);
  StxRandom random = {9};
  StxImage8 planes[3];
  StxFrame frame;
  uint64_t hash = START;
  params.outlines = true;
  params.alpha = .3;
  size_t count = overlay_random_stixels(&params, &random, records);
  overlay_frame_new(&params, 1, planes, &frame);
  overlay_frame_fill(&params, planes, 77);
  overlay_draw_with(v->impl->name, v->threads, &params, &frame, records, count);
  for (int p = 0; p < overlay_frame_planes(&params); p++)
    hash = hash_image(
        hash, planes[p].data, planes[p].stride, (size_t)planes[p].width, planes[p].height);
  overlay_frame_free(&params, planes);
  return hash;
}

/* The numbers are those of x86-64 (GCC 12), before there were others. */
const VariantsStem variants_stems[] = {{"sgm", &stx_sgm_impls, hash_sgm, 0x373b81dc57e1d2ca},
    {"colmean", &stx_colmean_impls, hash_colmean, 0xdcce06e3c2fa679f},
    {"satdp", &stx_satdp_impls, hash_satdp, 0x010d1249d3805d1e},
    {"fulldp", &stx_fulldp_impls, hash_fulldp, 0xf6a6a90af94ce0e8},
    {"rdp", &stx_rdp_impls, hash_rdp, 0x9522eecaad3f3999},
    {"ground", &stx_ground_impls, hash_ground, 0xc82b0446453336d9},
    {"luma", &stx_luma_impls, hash_luma, 0xe1bf7f9ee52fc50a},
    {"rectify", &stx_rectify_impls, hash_rectify, 0x491f777db232116e},
    {"egomotion", &stx_egomotion_impls, hash_egomotion, 0x9ac8fcaa2eb363cf},
    {"overlay", &stx_overlay_impls, hash_overlay, 0}};
const size_t variants_stem_count = sizeof variants_stems / sizeof variants_stems[0];
