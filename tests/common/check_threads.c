/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every fast implementation against the reference where fewer threads come than were asked for:
 * because the system grants fewer, or none (the linker sends the pool's pthread_create() here; see
 * meson.build), because two threads ask at once, and within a piece of another loop. Nobody has as
 * many cores as MANY. Memory is filled with one byte for the reference and with another for what is
 * tested, so that whatever nobody wrote differs.
 */
#include "common/parallel.h"
#include "tests/common/colmean/colmean_case.h"
#include "tests/common/granted_threads.h"
#include "tests/common/ground/ground_case.h"
#include "tests/common/overlay/overlay_frames.h"
#include "tests/common/rdp/rdp_case.h"
#include "tests/common/fulldp/fulldp_case.h"
#include "tests/common/sgm/sgm_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 48, REFERENCE_FILLING = 0x3C, TESTED_FILLING = 0xA5 };

/* One algorithm: a case with the reference's result, and a comparison of one implementation. */
typedef struct {
  const StxImplTable *impls;
  void *(*open)(void);
  void (*compare)(const void *opened, const StxImplInfo *impl, int threads, const char *what);
  void (*close)(void *opened);
} Stem;

/* ---- ground ------------------------------------------------------------------------------- */

typedef struct {
  GroundCase *c;
  GroundRun expected;
} Ground;

static void *open_ground(void)
{
  Ground *g = malloc(sizeof *g);
  g->c = ground_case_new((StxGroundParams)STX_GROUND_DEFAULTS, GROUND_TILTED, 9000, 3);
  g->expected = ground_run(stx_impl_named(&stx_ground_impls, "c"), g->c, 1, "reference");
  ck_assert_uint_gt(g->expected.result.clusters, 0);
  return g;
}

static void compare_ground(
    const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Ground *g = opened;
  GroundRun run = ground_run((const StxGroundImpl *)impl, g->c, threads, what);
  ground_expect_same(g->c, &g->expected, &run, what);
  ground_run_free(&run);
}

static void close_ground(void *opened)
{
  Ground *g = opened;
  ground_run_free(&g->expected);
  ground_case_free(g->c);
  free(g);
}

static const Stem ground = {&stx_ground_impls, open_ground, compare_ground, close_ground};

/* ---- rdp ---------------------------------------------------------------------------------- */

typedef struct {
  RdpCase *c;
  RdpRun expected;
} Rdp;

static void *open_rdp(void)
{
  Rdp *r = malloc(sizeof *r);
  r->c = rdp_case_new(rdp_params(150, 70, 1, 300, 3), RDP_STREET, 5);
  r->expected = rdp_run(stx_impl_named(&stx_rdp_impls, "c"), r->c, 1);
  return r;
}

static void compare_rdp(const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Rdp *r = opened;
  RdpRun run = rdp_run((const StxRdpImpl *)impl, r->c, threads);
  rdp_expect_same(r->c, &r->expected, &run, what);
  rdp_run_free(&run);
}

static void close_rdp(void *opened)
{
  Rdp *r = opened;
  rdp_run_free(&r->expected);
  rdp_case_free(r->c);
  free(r);
}

static const Stem rdp = {&stx_rdp_impls, open_rdp, compare_rdp, close_rdp};

/* ---- satdp, fulldp -------------------------------------------------------------------------- */

typedef struct {
  Case *c;
  StxStixel *stixels;
  StxSatdpResult result;
} Satdp;

static void *open_case(const StxSatdpImpl *reference)
{
  Satdp *s = malloc(sizeof *s);
  StxRandom random = {6};
  s->c = new_case(case_params(70, 40, 4, 3), &case_camera, &(StxRoadLine){0.3, 20, 1});
  fill_case(s->c, STREET, &random);
  stx_fulldp_prepare(&s->c->params, &s->c->tables);
  s->stixels = run_case(reference, s->c, 1, &s->result);
  return s;
}

static void *open_satdp(void)
{
  return open_case(satdp_reference());
}

static void *open_fulldp(void)
{
  return open_case(fulldp_reference());
}

static void compare_satdp(
    const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Satdp *s = opened;
  StxSatdpResult result;
  StxStixel *stixels = run_case((const StxSatdpImpl *)impl, s->c, threads, &result);
  if (result.count != s->result.count)
    ck_abort_msg("%s: %u stixels, not %u", what, result.count, s->result.count);
  stx_expect_same(s->stixels, stixels, result.count * sizeof *stixels, what);
  stx_guarded_free(stixels);
}

static void close_satdp(void *opened)
{
  Satdp *s = opened;
  stx_guarded_free(s->stixels);
  free_case(s->c);
  free(s);
}

static const Stem satdp = {&stx_satdp_impls, open_satdp, compare_satdp, close_satdp};
static const Stem fulldp = {&stx_fulldp_impls, open_fulldp, compare_satdp, close_satdp};

/* ---- sgm ---------------------------------------------------------------------------------- */

typedef struct {
  SgmPair pair;
  SgmResult expected;
} Sgm;

static void *open_sgm(void)
{
  Sgm *s = malloc(sizeof *s);
  StxRandom random = {7};
  s->pair = sgm_new_pair(sgm_defaults(200, 50, 64));
  sgm_fill_pair(&s->pair, STX_FILL_STEPS, 12, &random);
  s->expected = sgm_run(sgm_reference(), &s->pair, 1);
  return s;
}

static void compare_sgm(const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Sgm *s = opened;
  SgmResult run = sgm_run((const StxSgmImpl *)impl, &s->pair, threads);
  stx_expect_same_image16(&s->expected.disparity, &run.disparity, what);
  stx_expect_same_image8(&s->expected.confidence, &run.confidence, what);
  sgm_free_result(&run);
}

static void close_sgm(void *opened)
{
  Sgm *s = opened;
  sgm_free_result(&s->expected);
  sgm_free_pair(&s->pair);
  free(s);
}

static const Stem sgm = {&stx_sgm_impls, open_sgm, compare_sgm, close_sgm};

/* ---- colmean ------------------------------------------------------------------------------ */

typedef struct {
  ColmeanCase c;
  uint16_t *expected;
} Colmean;

/* Holes are filled, and a class cost is a pass of its own: 30 blocks. */
static void *open_colmean(void)
{
  Colmean *m = malloc(sizeof *m);
  StxRandom random = {8};
  StxColmeanParams params = {.grid = {1100, 190, 2, 2, 2},
      .reduction = STX_REDUCE_WEIGHTED,
      .semantics = STX_SEMANTICS_SCORES_U8,
      .fill_width = 40};
  m->c = colmean_make_case(&params, COLMEAN_PLANAR, 3, true, STX_FILL_STEPS, &random);
  m->expected = colmean_run(colmean_reference(), &m->c, 1);
  return m;
}

static void compare_colmean(
    const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Colmean *m = opened;
  uint16_t *columns = colmean_run((const StxColmeanImpl *)impl, &m->c, threads);
  stx_expect_same(m->expected, columns, stx_grid_bytes(&m->c.params.grid), what);
  stx_guarded_free(columns);
}

static void close_colmean(void *opened)
{
  Colmean *m = opened;
  stx_guarded_free(m->expected);
  colmean_free_case(&m->c);
  free(m);
}

static const Stem colmean = {&stx_colmean_impls, open_colmean, compare_colmean, close_colmean};

/* ---- overlay ------------------------------------------------------------------------------ */

typedef struct {
  StxOverlayParams params;
  StxStixel records[120 * 900];
  size_t count;
  StxImage8 expected[3];
} Overlay;

/* Three bands of rows. */
static void *open_overlay(void)
{
  Overlay *o = malloc(sizeof *o);
  StxRandom random = {9};
  StxFrame frame;
  o->params = overlay_plain("I420", 701, 851, 8);
  o->params.outlines = true;
  o->params.alpha = .3;
  o->count = overlay_random_stixels(&o->params, &random, o->records);
  overlay_frame_new(&o->params, 1, o->expected, &frame);
  overlay_frame_fill(&o->params, o->expected, 77);
  overlay_draw(&o->params, &frame, o->records, o->count);
  return o;
}

static void compare_overlay(
    const void *opened, const StxImplInfo *impl, int threads, const char *what)
{
  const Overlay *o = opened;
  StxImage8 planes[3];
  StxFrame frame;
  overlay_frame_new(&o->params, 1, planes, &frame);
  overlay_frame_fill(&o->params, planes, 77);
  overlay_draw_with(impl->name, threads, &o->params, &frame, o->records, o->count);
  for (int p = 0; p < overlay_frame_planes(&o->params); p++)
    stx_expect_same_image8(&o->expected[p], &planes[p], what);
  overlay_frame_free(&o->params, planes);
}

static void close_overlay(void *opened)
{
  Overlay *o = opened;
  overlay_frame_free(&o->params, o->expected);
  free(o);
}

static const Stem overlay = {&stx_overlay_impls, open_overlay, compare_overlay, close_overlay};

/* ---- All ---------------------------------------------------------------------------------- */

static void compare_impls(const Stem *stem, const void *opened, int threads)
{
  for (size_t i = 0; i < stem->impls->count; i++) {
    const StxImplInfo *impl = stx_impl_at(stem->impls, i);
    char what[80];
    snprintf(what, sizeof what, "%s, %d threads", impl->name, threads);
    if (stx_impl_usable(impl))
      stem->compare(opened, impl, threads, what);
  }
}

typedef struct {
  const Stem *stem;
  const void *opened;
} Check;

static void *compare_beside(void *data)
{
  const Check *check = data;
  compare_impls(check->stem, check->opened, 3);
  return NULL;
}

static void compare_within(void *data, int i, int worker)
{
  const Check *check = data;
  compare_impls(check->stem, check->opened, 3);
}

/* Asks for more threads than there may be; then from two threads at once; then within a loop. */
static void compare_all(const Stem *stem, const void *opened)
{
  static const int threads[] = {1, 2, 5, MANY};
  Check check = {stem, opened};
  for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
    compare_impls(stem, opened, threads[t]);
  pthread_t beside = start_thread(compare_beside, &check);
  compare_impls(stem, opened, 2);
  pthread_join(beside, NULL);
  stx_parallel(2, 2, compare_within, &check);
}

static void check_stem(const Stem *stem)
{
  static const int more[] = {0, 1, 1, MANY};
  stx_guarded_filling(REFERENCE_FILLING);
  void *opened = stem->open();
  stx_guarded_filling(TESTED_FILLING);
  for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
    grant_threads(more[i]);
    compare_all(stem, opened);
  }
  stem->close(opened);
}

#define CHECK_STEM(stem)                                                                           \
  START_TEST(stem##_needs_no_number_of_threads)                                                    \
  {                                                                                                \
    check_stem(&stem);                                                                             \
  }                                                                                                \
  END_TEST

CHECK_STEM(ground)
CHECK_STEM(rdp)
CHECK_STEM(satdp)
CHECK_STEM(fulldp)
CHECK_STEM(sgm)
CHECK_STEM(colmean)
CHECK_STEM(overlay)

static const StxTest tests[] = {{&ground_needs_no_number_of_threads},
    {&rdp_needs_no_number_of_threads}, {&satdp_needs_no_number_of_threads},
    {&fulldp_needs_no_number_of_threads}, {&sgm_needs_no_number_of_threads},
    {&colmean_needs_no_number_of_threads}, {&overlay_needs_no_number_of_threads}};
STX_TESTING_MAIN("threads", tests)
