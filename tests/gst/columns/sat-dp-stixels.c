/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sat-dp-stixels: what comes out equals the reference called directly, with the road line and the
 * parameters that the properties and caps ask for; what does not fit is refused with a reason.
 */
#include "common/satdp/satdp_prior.h"
#include "tests/gst/fixtures/columns_fixture.h"

#include <string.h>

#include "common/fulldp/fulldp.h"
#include "common/rdp/rdp.h"
#include "common/roadline/roadline_track.h"
#include "common/satdp/satdp.h"

/* A camera whose road is that of columns_street. */
#define CAMERA ",camera-focal=500.0,camera-cy=30.0,camera-baseline=0.6,camera-height=1.5"
static const StxCamera camera = {.focal = 500, .cy = 30, .baseline = 0.6, .height = 1.5};
static const StxGrid small = {96, 90, 4, 4, 0};

/* ---- What the reference says --------------------------------------------------------------- */

/* `impls`: of one of the two models. */
static GByteArray *reference_of(const StxImplTable *impls, const StxSatdpParams *params,
    const StxCamera *eye, const StxRoadLine *line, const guint16 *data, const guint8 *starts)
{
  const StxSatdpImpl *impl = stx_impl_named(impls, "omp");
  gsize cells = (gsize)stx_grid_columns(&params->grid) * stx_grid_rows(&params->grid);
  GByteArray *records = g_byte_array_sized_new(cells * sizeof(StxStixel));
  gpointer scratch = g_aligned_alloc(1, impl->scratch_size(params, 1) + STX_ALIGN, STX_ALIGN);
  g_autofree StxSatdpTables *tables = g_new(StxSatdpTables, 1);
  StxPlace place = {.threads = 1};
  StxSatdpResult result;
  StxError error = {""};

  ck_assert_msg(stx_satdp_prepare(params, eye, line, tables, &error), "%s", error.text);
  if (impls == &stx_fulldp_impls)
    stx_fulldp_prepare(params, tables);
  impl->run(params, tables, tables->has_ground, data, starts, (StxStixel *)records->data, &result,
      scratch, &place, NULL);
  records->len = result.count * sizeof(StxStixel);
  g_aligned_free(scratch);
  return records;
}

static GByteArray *reference(const StxSatdpParams *params, const StxCamera *eye,
    const StxRoadLine *line, const guint16 *data)
{
  return reference_of(&stx_satdp_impls, params, eye, line, data, NULL);
}

/* With candidates; epsilon in 1/256 px. */
static GByteArray *reference_rdp(const StxImplTable *impls, const StxSatdpParams *params,
    const StxRoadLine *line, const guint16 *data, int epsilon)
{
  const StxRdpImpl *impl = stx_impl_named(&stx_rdp_impls, "omp");
  StxRdpParams rdp = {.grid = params->grid, .epsilon = epsilon};
  gpointer scratch = g_aligned_alloc(1, impl->scratch_size(&rdp, 1) + STX_ALIGN, STX_ALIGN);
  g_autofree guint8 *kept =
      g_malloc((gsize)stx_grid_columns(&params->grid) * (gsize)stx_grid_rows(&params->grid));
  StxPlace place = {.threads = 1};
  StxRdpResult ignored;
  GByteArray *records;

  impl->run(&rdp, data, NULL, kept, &ignored, scratch, &place, NULL);
  records = reference_of(impls, params, &camera, line, data, kept);
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

/* ---- Equal to the reference ---------------------------------------------------------------- */

static const StxGrid grids[] = {{1, 1, 8, 8, 0}, {8, 90, 8, 8, 0}, {96, 5, 8, 8, 0},
    {97, 91, 4, 4, 0}, {97, 91, 4, 4, 19}, {40, 1024, 8, 1, 3}, {33, 90, 1, 7, 32}};

STX_TEST_LOOP(every_backend_equals_reference, 2)
{
  static const char *const backends[] = {"omp", "auto"};
  StxRoadLine line;

  ck_assert(stx_roadline_from_camera(&camera, &line));
  for (guint i = 0; i < G_N_ELEMENTS(grids); i++) {
    g_autofree gchar *text = g_strdup_printf("backend=%s threads=3", backends[_i]);
    g_auto(Stage) fixture = begin(text, &grids[i], CAMERA);
    StxSatdpParams params = params_for(&grids[i]);
    g_autofree guint16 *data = columns_street(&grids[i], i);

    columns_expect(
        columns_run(&fixture, &grids[i], data), reference(&params, &camera, &line, data), text);
    stx_test_expect_silence(fixture.bus);
  }
}

/* A frame 16 × 16 in columns of 4 cells: rows, or a mask of half the size; cells of the carrier by
 * column. */
static const struct {
  const char *text;
  guint16 cells[4];
} carriers[] = {{"0", {0}}, {"5", {1, 1, 1, 1}}, {"6", {2, 2, 2, 2}}, {"16", {4, 4, 4, 4}},
    {NULL, {0, 1, 4, 1}}};
static const char mask[] = "....##.."
                           "....##.."
                           "..####.."
                           "..####.."
                           "....##.."
                           "...###.#"
                           "..#####."
                           "#.#####.";

static void write_mask(const gchar *file)
{
  GString *pgm = g_string_new("P5 # 8 x 8\n8 8\n255\n");
  for (guint i = 0; i < sizeof mask - 1; i++)
    g_string_append_c(pgm, mask[i] == '#' ? 7 : 0);
  ck_assert(g_file_set_contents(file, pgm->str, (gssize)pgm->len, NULL));
  g_string_free(pgm, TRUE);
}

STX_TEST_LOOP(the_carrier_is_left_out_and_marked, G_N_ELEMENTS(carriers))
{
  const StxGrid grid = {16, 16, 4, 4, 0};
  const guint16 *cells = carriers[_i].cells;
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = columns_street(&grid, 1), *hidden = NULL;
  g_autofree gchar *file = g_build_filename(g_get_tmp_dir(), "carrier.pgm", NULL);
  g_autofree gchar *text =
      g_strdup_printf("carrier=%s", carriers[_i].text != NULL ? carriers[_i].text : file);
  g_autofree StxStixel *marked = g_new(StxStixel, 16);
  StxRoadLine line;
  gsize count = 0;

  write_mask(file);
  ck_assert(stx_roadline_from_camera(&camera, &line));
  hidden = g_memdup2(data, stx_grid_bytes(&grid));
  for (int k = 0; k < 8; k++) /* of disparity and weight */
    for (int row = 4 - cells[k % 4]; row < 4; row++)
      hidden[4 * k + row] = 0;
  {
    g_auto(Stage) fixture = begin(text, &grid, CAMERA);
    g_autoptr(GByteArray) records = reference(&params, &camera, &line, hidden);
    const StxStixel *all = (const StxStixel *)records->data;
    for (guint i = 0; i < records->len / sizeof *all; i++) {
      guint16 first = (guint16)(16 - 4 * cells[all[i].column]);
      StxStixel record = all[i];
      if (first < 16 && (i == 0 || all[i - 1].column != record.column))
        marked[count++] =
            (StxStixel){record.column, first, 15, STX_KIND_CARRIER, STX_LABEL_NONE, 0, 0, 0, 1};
      if (record.top >= first)
        continue;
      if (record.bottom >= first) {
        gfloat rows = (gfloat)(record.bottom - record.top), kept = (gfloat)(first - 1 - record.top);
        record.disparity_bottom =
            record.disparity_top + (record.disparity_bottom - record.disparity_top) * (kept / rows);
        record.bottom = (guint16)(first - 1);
      }
      marked[count++] = record;
    }
    columns_expect(columns_run(&fixture, &grid, data),
        g_byte_array_append(g_byte_array_new(), (guint8 *)marked, count * sizeof *marked), text);
    stx_test_expect_silence(fixture.bus);
  }
}

/* Wrong disparities everywhere, small ones in the sky. */
static guint16 *spoiled_street(const StxGrid *grid)
{
  guint16 *data = columns_street(grid, 1);
  gsize rows = (gsize)stx_grid_rows(grid), cells = rows * (gsize)stx_grid_columns(grid);

  for (gsize i = 0; i < cells; i++)
    if (i % 7 == 0 || (i % rows < 5 && i % 3 > 0)) {
      data[i] = i % 7 == 0 ? 20 * STX_DISPARITY_ONE : 40;
      data[cells + i] = STX_WEIGHT_ONE;
    }
  return data;
}

/* Every number reaches the parameters, on the frame after it was set. */
static const struct {
  const char *name;
  gsize offset;
  double value;
  gboolean outliers; /* of the other model */
} numbers[] = {
    {"stixel-cost", offsetof(StxSatdpParams, stixel_cost), 0.25},
    {"semantic-weight", offsetof(StxSatdpParams, semantic_weight), 2},
    {"sigma-disparity-ground", offsetof(StxSatdpParams, sigma_disparity[0]), 0.25},
    {"sigma-disparity-object", offsetof(StxSatdpParams, sigma_disparity[1]), 0.25},
    {"sigma-disparity-sky", offsetof(StxSatdpParams, sigma_disparity[2]), 0.25},
    {"sigma-weight", offsetof(StxSatdpParams, sigma_weight), 4},
    {"sigma-height", offsetof(StxSatdpParams, sigma_height), 2},
    {"sigma-angle", offsetof(StxSatdpParams, sigma_angle), 0.5},
    {"sigma-depth", offsetof(StxSatdpParams, sigma_depth), 20},
    {"ground-sigma-intercept", offsetof(StxSatdpParams, ground_sigma_intercept), 0.01},
    {"ground-sigma-slope", offsetof(StxSatdpParams, ground_sigma_slope), 0.01},
    {"object-sigma-slope", offsetof(StxSatdpParams, object_sigma_slope), 1},
    {"pair-cost", offsetof(StxSatdpParams, pair_cost), 0},
    {"pair-slope", offsetof(StxSatdpParams, pair_slope), 0},
    {"pair-tolerance", offsetof(StxSatdpParams, pair_tolerance), 9},
    {"horizon-cost", offsetof(StxSatdpParams, horizon_cost), 0},
    {"unknown-cost", offsetof(StxSatdpParams, unknown_cost), 20},
    {"outlier-share-ground", offsetof(StxSatdpParams, outlier_share[0]), 0.9, TRUE},
    {"outlier-share-object", offsetof(StxSatdpParams, outlier_share[1]), 0.9, TRUE},
    {"outlier-share-sky", offsetof(StxSatdpParams, outlier_share[2]), 0.9, TRUE},
    {"outlier-range", offsetof(StxSatdpParams, outlier_range), 1, TRUE},
};

STX_TEST_LOOP(every_number_counts, G_N_ELEMENTS(numbers))
{
  gboolean outliers = numbers[_i].outliers;
  const StxImplTable *impls = outliers ? &stx_fulldp_impls : &stx_satdp_impls;
  StxGrid grid = {97, 91, 4, 4, outliers ? 0 : 19};
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = outliers ? spoiled_street(&grid) : columns_street(&grid, 1);
  g_auto(Stage) fixture = begin(outliers ? "model=gaussian-uniform" : "", &grid, CAMERA);
  StxRoadLine line;
  g_autoptr(GByteArray) plain = NULL;
  GByteArray *changed;

  ck_assert(stx_roadline_from_camera(&camera, &line));
  plain = reference_of(impls, &params, &camera, &line, data, NULL);
  columns_expect(columns_run(&fixture, &grid, data), g_byte_array_ref(plain), "defaults");
  *(double *)((char *)&params + numbers[_i].offset) = numbers[_i].value;
  g_object_set(fixture.element, numbers[_i].name, numbers[_i].value, NULL);
  changed = reference_of(impls, &params, &camera, &line, data, NULL);
  ck_assert_msg(changed->len != plain->len || memcmp(changed->data, plain->data, plain->len) != 0,
      "%s changes nothing here: choose another value", numbers[_i].name);
  columns_expect(columns_run(&fixture, &grid, data), changed, numbers[_i].name);
}

/* Where nothing is known, an object; sky, once that costs less; and not once that costs more. */
STX_TEST(costs_of_the_first_count)
{
  StxGrid grid = {8, 40, 8, 8, 0};
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = g_malloc0(stx_grid_bytes(&grid));
  g_auto(Stage) fixture = begin("first-object-cost=2", &grid, "");
  StxCamera unknown = {0};
  static const double costs[] = {0, 3};

  params.first_object_cost = 2;
  for (guint i = 0; i < G_N_ELEMENTS(costs); i++) {
    params.first_sky_cost = costs[i];
    GByteArray *expected = reference(&params, &unknown, NULL, data);
    ck_assert_int_eq(
        ((const StxStixel *)expected->data)->kind, i == 0 ? STX_KIND_SKY : STX_KIND_OBJECT);
    g_object_set(fixture.element, "first-sky-cost", costs[i], NULL);
    columns_expect(columns_run(&fixture, &grid, data), expected, "first-sky-cost");
  }
}

STX_TEST(kinds_of_classes_count)
{
  StxGrid grid = {97, 91, 4, 4, 19};
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = columns_street(&grid, 1);
  g_auto(Stage) fixture = begin("", &grid, CAMERA);
  StxRoadLine line;
  g_autoptr(GByteArray) plain = NULL;
  GByteArray *changed;

  ck_assert(stx_roadline_from_camera(&camera, &line));
  plain = reference(&params, &camera, &line, data);
  columns_expect(columns_run(&fixture, &grid, data), g_byte_array_ref(plain), "defaults");
  params.ground_classes = 1u << 2;
  params.sky_classes = 1u << 0;
  g_object_set(fixture.element, "class-kinds", "ground=building;sky=road", NULL);
  changed = reference(&params, &camera, &line, data);
  ck_assert(changed->len != plain->len || memcmp(changed->data, plain->data, plain->len) != 0);
  columns_expect(columns_run(&fixture, &grid, data), changed, "other kinds");
}

/* ---- Candidates ---------------------------------------------------------------------------- */

STX_TEST_LOOP(candidates_are_those_of_rdp, 2 * G_N_ELEMENTS(grids))
{
  static const char *const backends[] = {"backend=omp threads=3", ""};
  static const struct {
    double epsilon;
    int expected;
  } epsilons[] = {{4, 1024}, {1.0 / 3, 85}, {30, 7680}, {0, 0}};
  StxGrid grid = grids[_i / 2];
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = columns_street(&grid, 1);
  g_auto(Stage) fixture = begin(backends[_i % 2], &grid, CAMERA);
  StxRoadLine line;

  ck_assert(stx_roadline_from_camera(&camera, &line));
  gst_util_set_object_arg(G_OBJECT(fixture.element), "cut-candidates", "rdp");
  for (guint i = 0; i < G_N_ELEMENTS(epsilons); i++) {
    g_object_set(fixture.element, "epsilon", epsilons[i].epsilon, NULL);
    columns_expect(columns_run(&fixture, &grid, data),
        reference_rdp(&stx_satdp_impls, &params, &line, data, epsilons[i].expected), "rdp");
  }
  gst_util_set_object_arg(G_OBJECT(fixture.element), "cut-candidates", "all");
  columns_expect(
      columns_run(&fixture, &grid, data), reference(&params, &camera, &line, data), "all");
  stx_test_expect_silence(fixture.bus);
}

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

/* ---- Outliers ------------------------------------------------------------------------------ */

static const StxGrid outlier_grids[] = {{1, 1, 8, 8, 0}, {97, 91, 4, 4, 19}, {33, 90, 1, 7, 32}};

/* The other model, from every row and from candidates. */
STX_TEST_LOOP(outliers_equal_reference, 2 * G_N_ELEMENTS(outlier_grids))
{
  static const char *const backends[] = {"backend=omp threads=3", ""};
  StxGrid grid = outlier_grids[_i / 2];
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = columns_street(&grid, 2);
  g_autofree gchar *text = g_strdup_printf("model=gaussian-uniform epsilon=2 %s", backends[_i % 2]);
  g_auto(Stage) fixture = begin(text, &grid, CAMERA);
  StxRoadLine line;

  ck_assert(stx_roadline_from_camera(&camera, &line));
  columns_expect(columns_run(&fixture, &grid, data),
      reference_of(&stx_fulldp_impls, &params, &camera, &line, data, NULL), text);
  gst_util_set_object_arg(G_OBJECT(fixture.element), "cut-candidates", "rdp");
  columns_expect(columns_run(&fixture, &grid, data),
      reference_rdp(&stx_fulldp_impls, &params, &line, data, 512), text);
  stx_test_expect_silence(fixture.bus);
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

STX_TEST_LOOP(choice_of_ground, 3)
{
  static const char *const lines[] = {"ground=calibration", "ground=estimate", ""};
  StxSatdpParams params = params_for(&small);
  g_autofree guint16 *data = columns_street(&small, 3);
  StxRoadLine calibrated, expected;
  g_auto(Stage) fixture = columns_begin("sat-dp-stixels", lines[_i], &small, CAMERA);

  ck_assert(stx_roadline_from_camera(&camera, &calibrated));
  expected = _i == 1 ? estimate(&small, data, &calibrated) : calibrated;
  columns_expect(
      columns_run(&fixture, &small, data), reference(&params, &camera, &expected, data), lines[_i]);
}

STX_TEST(a_road_bends_if_it_may)
{
  StxGrid grid = {320, 240, 4, 4, 0};
  StxSatdpParams params = params_for(&grid);
  g_autofree guint16 *data = columns_rise(&grid);
  gpointer scratch = g_aligned_alloc(1, stx_roadline_scratch(&grid) + STX_ALIGN, STX_ALIGN);
  g_auto(Stage) fixture = begin("ground=piecewise post-messages=true", &grid, CAMERA);
  StxRoadTrack track;
  const StxRoadLine *line;
  g_autoptr(GstMessage) message = NULL;
  gdouble horizon;
  guint bends;
  ck_assert(stx_road_track_reset(&track, STX_ROAD_PIECEWISE, &camera, NULL));
  line = stx_road_track_follow(&track, &grid, data, scratch);
  ck_assert_int_gt(line->bends, 0);
  columns_expect(
      columns_run(&fixture, &grid, data), reference(&params, &camera, line, data), "bent");
  message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
  ck_assert(gst_structure_get(gst_message_get_structure(message), "bends", G_TYPE_UINT, &bends,
      "horizon", G_TYPE_DOUBLE, &horizon, NULL));
  ck_assert_uint_eq(bends, (guint)line->bends);
  ck_assert(ABS(horizon - stx_roadline_end(line)) < 1e-9);
  ck_assert(ABS(horizon + 120) < 30); /* 180 rows beyond what is seen */
  g_aligned_free(scratch);
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
