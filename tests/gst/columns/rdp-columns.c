/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp-columns: what comes out equals the reference called directly with what the properties ask
 * for; statistics, changes in mid-stream, refusals, states.
 */
#include "tests/gst/fixtures/columns_fixture.h"

#include <string.h>

#include "common/rdp/rdp.h"

#define CAMERA ",camera-focal=500.0,camera-cy=30.0,camera-baseline=0.6,camera-height=1.5"
#define COLUMNS "application/x-stixel-columns,framerate=10/1,"
#define SMALL COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2,classes=0"
#define SMALL_BYTES (2 * 2 * 2 * 2)

#define BEGIN(properties, grid) columns_begin("rdp-columns", properties, grid, CAMERA)

static const StxGrid small = {96, 90, 4, 4, 0};

/* ---- What the reference says --------------------------------------------------------------- */

static GByteArray *reference(
    const StxGrid *grid, int epsilon, int median, const guint16 *data, StxRdpResult *result)
{
  const StxRdpImpl *impl = stx_impl_named(&stx_rdp_impls, "omp");
  StxRdpParams params = {.grid = *grid, .epsilon = epsilon, .median = median};
  gsize cells = (gsize)stx_grid_columns(grid) * (gsize)stx_grid_rows(grid);
  GByteArray *records = g_byte_array_sized_new((guint)(cells * sizeof(StxStixel)));
  gpointer scratch = g_aligned_alloc(1, impl->scratch_size(&params, 1) + STX_ALIGN, STX_ALIGN);
  StxPlace place = {.threads = 1};
  StxRdpResult found;

  impl->run(&params, data, (StxStixel *)records->data, NULL, &found, scratch, &place, NULL);
  records->len = (guint)(found.count * sizeof(StxStixel));
  if (result != NULL)
    *result = found;
  g_aligned_free(scratch);
  return records;
}

/* ---- Equal to the reference ---------------------------------------------------------------- */

static const StxGrid grids[] = {{1, 1, 1, 1, 0}, {1, 1, 8, 8, 0}, {8, 2, 1, 1, 0},
    {97, 91, 1, 1, 0}, {97, 91, 4, 4, 19}, {96, 5, 8, 8, 0}, {33, 90, 1, 7, 32}, {250, 3, 1, 1, 0},
    {3, STX_RDP_MAX_ROWS, 1, 1, 0}, {2, 32768, 1, 2, 0}};

STX_TEST_LOOP(every_backend_equals_reference, 2)
{
  static const struct {
    const char *nick;
    StxBackend backend;
  } backends[] = {{"omp", STX_BACKEND_OMP}, {"auto", STX_BACKEND_AUTO}};
  g_autofree gchar *text =
      g_strdup_printf("backend=%s threads=3 epsilon=1 median=3", backends[_i].nick);

  for (guint i = 0; i < G_N_ELEMENTS(grids); i++) {
    g_autofree guint16 *data = columns_street(&grids[i], i);
    Stage fixture;

    if (stx_impl_pick(&stx_rdp_impls, backends[_i].backend) == NULL)
      continue;
    fixture = BEGIN(text, &grids[i]);
    columns_expect(columns_run(&fixture, &grids[i], data),
        reference(&grids[i], STX_DISPARITY_ONE, 3, data, NULL), text);
    stx_test_expect_silence(fixture.bus);
    stx_test_stage_end(&fixture);
  }
}

/* Each on the frame after it was set, one after another in one stream, the defaults first. */
static const struct {
  double epsilon;
  int median;
  int expected; /* 1/256 px */
} settings[] = {
    {1.0 / 3, 0, 85},
    {0.5 / 256 + 1e-9, 0, 1},
    {0.5 / 256 - 1e-9, 0, 0},
    {0, 7, 0},
    {0, 5, 0},
    {1, 5, 256},
    {1, 0, 256},
    {255, 3, 65280},
};

STX_TEST(properties_count_from_the_next_frame)
{
  g_autofree guint16 *data = columns_street(&small, 1);
  g_auto(Stage) fixture = BEGIN("", &small);
  const StxRdpParams defaults = STX_RDP_DEFAULTS;
  GByteArray *last = reference(&small, defaults.epsilon, defaults.median, data, NULL);

  columns_expect(columns_run(&fixture, &small, data), g_byte_array_ref(last), "defaults");
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    GByteArray *expected = reference(&small, settings[i].expected, settings[i].median, data, NULL);
    g_autofree gchar *what =
        g_strdup_printf("epsilon %g, median %d", settings[i].epsilon, settings[i].median);

    ck_assert_msg(last->len != expected->len || memcmp(last->data, expected->data, last->len) != 0,
        "%s changes nothing here: choose other values", what);
    g_byte_array_unref(last);
    last = g_byte_array_ref(expected);
    g_object_set(
        fixture.element, "epsilon", settings[i].epsilon, "median", settings[i].median, NULL);
    columns_expect(columns_run(&fixture, &small, data), expected, what);
  }
  g_byte_array_unref(last);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static const Refusal refusals[] = {
    {COLUMNS "width=1,height=16385,stixel-width=1,stixel-height=1,columns=1,rows=16385,classes=0",
        4 * 16385, {"16385", "16384", "stixel-height=2"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2", 1,
        {"classes", "lack"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=3,rows=2,classes=0", 1,
        {"columns=3", "2"}},
    {COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=3,classes=0", 1,
        {"rows=3", "2"}},
    {COLUMNS "width=0,height=16,stixel-width=8,stixel-height=8,columns=0,rows=2,classes=0", 1,
        {"width", "32768"}},
    {"video/x-raw,format=GRAY16_LE,width=16,height=16", 1,
        {"video/x-raw", "application/x-stixel-columns"}},
    {SMALL, SMALL_BYTES - 1, {"15 bytes", "16"}},
    {SMALL, 0, {"0 bytes", "16"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("rdp-columns", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

STX_TEST(refuses_other_medians)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GstElement) element = gst_parse_launch("rdp-columns median=4", &error);

  ck_assert_msg(error != NULL, "median=4 was taken");
  ck_assert_msg(strstr(error->message, "median") != NULL, "%s", error->message);
}
