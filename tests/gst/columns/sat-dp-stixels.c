/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sat-dp-stixels: the road and the kinds of a frame in those that follow, against the reference
 * called directly. What each property does: tests/frames/records.txt and playing.c.
 */
#include "common/satdp/satdp_prior.h"
#include "tests/gst/fixtures/columns_fixture.h"

#include <string.h>

#include "common/roadline/roadline_track.h"
#include "common/satdp/satdp.h"

/* A camera whose road is that of columns_street. */
#define CAMERA ",camera-focal=500.0,camera-cy=30.0,camera-baseline=0.6,camera-height=1.5"
static const StxCamera camera = {.focal = 500, .cy = 30, .baseline = 0.6, .height = 1.5};
static const StxGrid small = {96, 90, 4, 4, 0};

/* ---- What the reference says --------------------------------------------------------------- */

static GByteArray *reference(const StxSatdpParams *params, const StxCamera *eye,
    const StxRoadLine *line, const guint16 *data)
{
  const StxSatdpImpl *impl = stx_impl_named(&stx_satdp_impls, "omp");
  gsize cells = (gsize)stx_grid_columns(&params->grid) * stx_grid_rows(&params->grid);
  GByteArray *records = g_byte_array_sized_new(cells * sizeof(StxStixel));
  gpointer scratch = g_aligned_alloc(1, impl->scratch_size(params, 1) + STX_ALIGN, STX_ALIGN);
  g_autofree StxSatdpTables *tables = g_new(StxSatdpTables, 1);
  StxPlace place = {.threads = 1};
  StxSatdpResult result;
  StxError error = {""};

  ck_assert_msg(stx_satdp_prepare(params, eye, line, tables, &error), "%s", error.text);
  impl->run(params, tables, tables->has_ground, data, NULL, (StxStixel *)records->data, &result,
      scratch, &place, NULL);
  records->len = result.count * sizeof(StxStixel);
  g_aligned_free(scratch);
  return records;
}

static StxSatdpParams params_for(const StxGrid *grid)
{
  StxSatdpParams params = STX_SATDP_DEFAULTS;
  params.grid = *grid;
  return params;
}

/* Each frame alone, as the reference has them. */
static Stage begin(const char *properties, const StxGrid *grid, const char *more)
{
  g_autofree gchar *alone = g_strconcat("change-cost=0 ", properties, NULL);

  return columns_begin("sat-dp-stixels", alone, grid, more);
}

/* ---- Candidates ---------------------------------------------------------------------------- */

/* Few candidates: other stixels, and less work. */
STX_TEST(candidates_save_work)
{
  StxGrid grid = {97, 91, 4, 4, 0};
  g_autofree guint16 *data = columns_street(&grid, 1);
  g_auto(Stage) fixture = begin("post-messages=true", &grid, CAMERA);
  guint64 evaluated[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr(GstMessage) message = NULL;

    gst_util_set_object_arg(G_OBJECT(fixture.element), "cut-candidates", i == 0 ? "all" : "rdp");
    gst_buffer_unref(columns_run(&fixture, &grid, data));
    message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
    ck_assert(
        gst_structure_get_uint64(gst_message_get_structure(message), "evaluated", &evaluated[i]));
  }
  ck_assert_uint_lt(evaluated[1], evaluated[0]);
}

/* ---- The road ------------------------------------------------------------------------------ */

static StxRoadLine estimate(const StxGrid *grid, const guint16 *data, const StxRoadLine *prior)
{
  gpointer scratch = g_aligned_alloc(1, stx_roadline_scratch(grid) + STX_ALIGN, STX_ALIGN);
  StxRoadLine line = {0};

  ck_assert(stx_roadline_estimate(grid, data, prior, &line, scratch));
  g_aligned_free(scratch);
  return line;
}

/* The second frame's line is half way between the first's and its own; a flush forgets it. */
STX_TEST(estimated_road_follows_the_frames)
{
  StxSatdpParams params = params_for(&small);
  StxCamera unknown = {0};
  g_autofree guint16 *first = columns_street(&small, 1);
  g_autofree guint16 *second = columns_street(&small, 2);
  g_auto(Stage) fixture = begin("", &small, "");
  StxRoadLine line = estimate(&small, first, NULL), next = estimate(&small, second, &line);
  StxRoadLine mixed = line;

  columns_expect(
      columns_run(&fixture, &small, first), reference(&params, &unknown, &line, first), "first");
  mixed.slope = line.slope + 0.5 * (next.slope - line.slope);
  mixed.horizon = line.horizon + 0.5 * (next.horizon - line.horizon);
  mixed.tilt = line.tilt + 0.5 * (next.tilt - line.tilt);
  mixed.centre = next.centre;
  columns_expect(columns_run(&fixture, &small, second),
      reference(&params, &unknown, &mixed, second), "second");

  stx_test_flush(fixture.harness);
  next = estimate(&small, second, NULL);
  columns_expect(columns_run(&fixture, &small, second), reference(&params, &unknown, &next, second),
      "flushed");
}

/* All but the lowest rows of the second frame are unknown: what was there stays. */
STX_TEST(kinds_of_a_frame_are_a_prior_of_the_next)
{
  StxSatdpParams params = params_for(&small);
  gsize cells = (gsize)stx_grid_columns(&small) * (gsize)stx_grid_rows(&small);
  g_autofree guint16 *first = columns_street(&small, 1);
  g_autofree guint16 *second = columns_street(&small, 1);
  g_autofree guint16 *moved = columns_street(&small, 1);
  g_autofree gchar *memory = g_malloc0(stx_satdp_prior_size(&small));
  StxSatdpPrior prior = {memory, FALSE};
  g_auto(Stage) fixture = columns_begin("sat-dp-stixels", "ground=calibration", &small, CAMERA);
  StxRoadLine line;
  GByteArray *alone, *then;

  for (gsize i = 0; i < 2 * cells; i++)
    second[i] = i % 7 < 4 ? 0 : second[i];
  for (gsize i = 0; i < cells; i++) {
    second[cells + i] = moved[cells + i] = i % 7 < 4 ? 0 : STX_WEIGHT_ONE;
    moved[i] = (guint16)(i % 7 < 4 ? 0 : 2 * second[i]);
  }
  ck_assert(stx_roadline_from_camera(&camera, &line));
  ck_assert(stx_satdp_prior(&prior, &params, first, &line) == NULL);
  alone = reference(&params, &camera, &line, first);
  stx_satdp_remember(
      &prior, &small, (const StxStixel *)alone->data, alone->len / sizeof(StxStixel));
  columns_expect(columns_run(&fixture, &small, first), alone, "first");
  alone = reference(&params, &camera, &line, second);
  params.prior = stx_satdp_prior(&prior, &params, second, &line);
  then = reference(&params, &camera, &line, second);
  ck_assert(then->len != alone->len || memcmp(then->data, alone->data, then->len) != 0);
  columns_expect(columns_run(&fixture, &small, second), then, "second");
  params.prior = NULL;
  columns_expect(columns_run(&fixture, &small, moved), reference(&params, &camera, &line, moved),
      "of a camera that moves");
  stx_test_flush(fixture.harness);
  columns_expect(columns_run(&fixture, &small, second), alone, "flushed");
}

/* The road that bends is told. */
STX_TEST(a_road_bends_if_it_may)
{
  StxGrid grid = {320, 240, 4, 4, 0};
  g_autofree guint16 *data = columns_rise(&grid);
  g_auto(Stage) fixture = begin("ground=piecewise post-messages=true", &grid, CAMERA);
  g_autoptr(GstMessage) message = NULL;
  gdouble horizon;
  guint bends;

  gst_buffer_unref(columns_run(&fixture, &grid, data));
  message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
  ck_assert(gst_structure_get(gst_message_get_structure(message), "bends", G_TYPE_UINT, &bends,
      "horizon", G_TYPE_DOUBLE, &horizon, NULL));
  ck_assert_uint_gt(bends, 0);
  ck_assert(ABS(horizon + 120) < 30); /* 180 rows beyond what is seen */
}

STX_TEST(no_road_warns_once_and_goes_on)
{
  StxSatdpParams params = params_for(&small);
  StxCamera unknown = {0};
  g_autofree guint16 *data = g_malloc0(stx_grid_bytes(&small));
  g_auto(Stage) fixture = begin("", &small, "");

  for (int frame = 0; frame < 3; frame++)
    columns_expect(
        columns_run(&fixture, &small, data), reference(&params, &unknown, NULL, data), "");
  stx_test_expect_warning(fixture.bus, "calibration");
}
