/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of fields: what they allow is accepted, what they do not is refused by the stem. */
#include "tests/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/bev/bev_stixels.h"
#include "common/colmean/colmean.h"
#include "common/ground/ground.h"
#include "common/extrinsics/extrinsics.h"
#include "common/scanview/scanview.h"
#include "common/hazards/hazards.h"
#include "common/obstacles/obstacles.h"
#include "common/occupancy/occupancy.h"
#include "common/overlay/overlay.h"
#include "common/rdp/rdp.h"
#include "common/satdp/satdp.h"
#include "common/scene/scene.h"
#include "common/sgm/sgm.h"

/* ---- Every stem --------------------------------------------------------------------------- */

/* A table, its stem's check, and parameters that pass it; `at`: where in them the table's struct
 * lies, bytes. */
typedef struct {
  const char *name;
  const StxFields *table;
  bool (*check)(const void *params, StxError *error);
  const void *good;
  size_t size, at;
} Stem;

#define STEM_CHECK(stem, Params)                                                                   \
  static bool check_##stem(const void *params, StxError *error)                                    \
  {                                                                                                \
    return stx_##stem##_check((const Params *)params, error);                                      \
  }
#define STEM(stem, Params, ...)                                                                    \
  static Params stem = __VA_ARGS__;                                                                \
  STEM_CHECK(stem, Params)
STEM_CHECK(grid, StxGrid)
STEM(sgm, StxSgmParams, STX_SGM_DEFAULTS)
STEM(colmean, StxColmeanParams, STX_COLMEAN_DEFAULTS)
STEM(satdp, StxSatdpParams, STX_SATDP_DEFAULTS)
STEM(rdp, StxRdpParams, STX_RDP_DEFAULTS)
STEM(ground, StxGroundParams, STX_GROUND_DEFAULTS)
STEM(overlay, StxOverlayParams, STX_OVERLAY_DEFAULTS)
STEM(bev, StxBevParams, STX_BEV_DEFAULTS)
STEM(bev_stixels, StxBevStixelsParams, STX_BEV_STIXELS_DEFAULTS)
STEM(extrinsics, StxExtrinsics, {0})
STEM(scanview, StxScanviewParams, STX_SCANVIEW_DEFAULTS)
STEM(hazards, StxHazardsParams, STX_HAZARDS_DEFAULTS)
STEM(obstacles, StxObstaclesParams, STX_OBSTACLES_DEFAULTS)
STEM(occupancy, StxOccupancyParams, STX_OCCUPANCY_DEFAULTS)
STEM(scene_lidar, StxSceneLidar, STX_SCENE_LIDAR_DEFAULTS)

static bool check_scene(const void *params, StxError *error)
{
  StxScene *scene = stx_scene_new(params, error);
  stx_scene_free(scene);
  return scene != NULL;
}

static StxSceneParams scene = STX_SCENE_DEFAULTS;

#define ROW(name, table, check, good, at)                                                          \
  {                                                                                                \
    name, table, check, &good, sizeof good, at                                                     \
  }
static const Stem stems[] = {
    ROW("sgm", &stx_sgm_fields, check_sgm, sgm, 0),
    ROW("grid", &stx_grid_fields, check_grid, colmean.grid, 0),
    ROW("cells of colmean", &stx_grid_fields, check_colmean, colmean,
        offsetof(StxColmeanParams, grid)),
    ROW("colmean", &stx_colmean_fields, check_colmean, colmean, 0),
    ROW("cells of satdp", &stx_grid_fields, check_satdp, satdp, offsetof(StxSatdpParams, grid)),
    ROW("satdp", &stx_satdp_fields, check_satdp, satdp, 0),
    ROW("cells of rdp", &stx_grid_fields, check_rdp, rdp, offsetof(StxRdpParams, grid)),
    ROW("rdp", &stx_rdp_fields, check_rdp, rdp, 0),
    ROW("ground", &stx_ground_fields, check_ground, ground, 0),
    ROW("overlay", &stx_overlay_fields, check_overlay, overlay, 0),
    ROW("bev", &stx_bev_fields, check_bev, bev, 0),
    ROW("bev_mode", &stx_bev_mode_fields, check_bev, bev, 0),
    ROW("bev_stixels", &stx_bev_stixels_fields, check_bev_stixels, bev_stixels, 0),
    ROW("extrinsics", &stx_extrinsics_fields, check_extrinsics, extrinsics, 0),
    ROW("scanview", &stx_scanview_fields, check_scanview, scanview, 0),
    ROW("hazards", &stx_hazards_fields, check_hazards, hazards, 0),
    ROW("obstacles", &stx_obstacles_fields, check_obstacles, obstacles, 0),
    ROW("occupancy", &stx_occupancy_fields, check_occupancy, occupancy, 0),
    ROW("scene", &stx_scene_fields, check_scene, scene, 0),
    ROW("scene_lidar", &stx_scene_lidar_fields, check_scene_lidar, scene_lidar, 0),
};
enum { STEMS = sizeof stems / sizeof stems[0] };

/* The sizes that come with the data. */
static void fill_in_sizes(void)
{
  sgm.width = sgm.height = 64;
  colmean.grid.width = colmean.grid.height = 64;
  satdp.grid = rdp.grid = colmean.grid;
  overlay.width = overlay.height = overlay.frame_width = overlay.frame_height = 64;
  overlay.stixel_width = overlay.columns = 8;
  overlay.format = bev.format = stx_pixel_format("RGB");
  scene.width = scene.height = 64;
  scene.fps_n = scene.fps_d = 1;
  scene.camera = stx_scene_camera(64, 64);
}

typedef void (*Visit)(const Stem *stem, const StxField *field);

static void visit_all(Visit visit)
{
  fill_in_sizes();
  for (size_t s = 0; s < STEMS; s++)
    for (size_t i = 0; i < stems[s].table->count; i++)
      visit(&stems[s], &stems[s].table->fields[i]);
}

/* ---- One value in good parameters --------------------------------------------------------- */

typedef union {
  max_align_t aligned;
  char bytes[1024];
} Params;

static bool is_whole(const StxField *field)
{
  return field->type != STX_FIELD_DOUBLE;
}

static Params with(const Stem *stem, const StxField *field, double value)
{
  Params params;
  int whole = is_whole(field) ? (int)value : 0;
  ck_assert_uint_le(stem->size, sizeof params);
  memcpy(&params, stem->good, stem->size);
  char *at = params.bytes + stem->at + field->offset;
  if (is_whole(field))
    memcpy(at, &whole, sizeof whole);
  else
    memcpy(at, &value, sizeof value);
  return params;
}

static void expect_accepted(const Stem *stem, const StxField *field, double value)
{
  StxError error = {"left over"};
  Params params = with(stem, field, value);
  ck_assert_msg(stx_field_check(stem->table, field, params.bytes + stem->at, NULL),
      "%s: %s refuses %.17g", stem->name, field->field, value);
  ck_assert_msg(stx_fields_check(stem->table, params.bytes + stem->at, &error), "%s: %s",
      stem->name, error.text);
  ck_assert_str_eq(error.text, "");
}

/* By the stem, not only by the table; returns the text. */
static StxError expect_refused(const Stem *stem, const StxField *field, double value)
{
  StxError error = {""};
  Params params = with(stem, field, value);
  char begin[64];
  snprintf(begin, sizeof begin, is_whole(field) ? "%s is %.0f" : "%s is %g", field->field, value);
  ck_assert_msg(!stem->check(&params, &error), "%s accepts %s", stem->name, begin);
  ck_assert_msg(
      strncmp(error.text, begin, strlen(begin)) == 0, "'%s' should be '%s'", error.text, begin);
  ck_assert(!stem->check(&params, NULL));
  ck_assert(!stx_field_check(stem->table, field, params.bytes + stem->at, NULL));
  return error;
}

static void expect_words(const StxError *error, const char *format, double value)
{
  char words[32];
  snprintf(words, sizeof words, format, value);
  stx_expect_words(error, words);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void check_range(const Stem *stem, const StxField *field)
{
  const double low = field->low, high = field->high;
  const bool whole = is_whole(field);
  if (field->type != STX_FIELD_INT && field->type != STX_FIELD_DOUBLE)
    return;
  ck_assert_msg(low < high, "%s", field->field);
  expect_accepted(stem, field, low);
  expect_accepted(stem, field, high);
  if (field->negative != NULL)
    expect_accepted(stem, field, -1);
  else
    expect_refused(stem, field, whole ? low - 1 : nextafter(low, -INFINITY));
  if (high >= INT32_MAX)
    return;
  StxError error = expect_refused(stem, field, whole ? high + 1 : nextafter(high, INFINITY));
  expect_words(&error, whole ? " %.0f to " : " %g to ", low);
  expect_words(&error, whole ? " to %.0f" : " to %g", high);
  if (!whole) {
    expect_refused(stem, field, NAN);
    expect_refused(stem, field, INFINITY);
  }
}

STX_TEST(ranges_end_where_the_tables_say)
{
  visit_all(check_range);
}

static void check_choices(const Stem *stem, const StxField *field)
{
  int largest = 0;
  if (field->type != STX_FIELD_CHOICE)
    return;
  for (const StxFieldChoice *c = field->choices; c->nick != NULL; c++) {
    expect_accepted(stem, field, c->value);
    largest = c->value > largest ? c->value : largest;
    ck_assert_ptr_eq(stx_field_choice(field->choices, c->value), c);
    ck_assert_ptr_eq(stx_field_choice_named(field->choices, c->nick), c);
  }
  StxError error = expect_refused(stem, field, largest + 1);
  expect_refused(stem, field, -1);
  for (const StxFieldChoice *c = field->choices; c->nick != NULL; c++) {
    expect_words(&error, "%.0f", c->value);
    stx_expect_words(&error, c->nick);
  }
  ck_assert_ptr_null(stx_field_choice_named(field->choices, "nonsense"));
}

STX_TEST(choices_are_all_there_are)
{
  visit_all(check_choices);
}

STX_TEST(defaults_are_accepted)
{
  StxError error;
  fill_in_sizes();
  for (size_t s = 0; s < STEMS; s++)
    ck_assert_msg(stems[s].check(stems[s].good, &error), "%s: %s", stems[s].name, error.text);
}

static void check_default(const Stem *stem, const StxField *field)
{
  if (field->name == NULL || field->type >= STX_FIELD_FLAGS)
    return;
  double value = stx_field_get(field, stem->table->defaults);
  ck_assert_msg(
      stx_field_check(stem->table, field, stem->table->defaults, NULL), "%s", field->name);
  if (field->type <= STX_FIELD_UINT)
    ck_assert_msg(value >= stx_field_low(field) && value <= stx_field_high(field), "%s is %g",
        field->name, value);
}

/* A user reads back the value that was set. */
static void check_round_trip(const Stem *stem, const StxField *field)
{
  const double values[] = {stx_field_low(field), stx_field_high(field), 1};
  Params params;
  memcpy(&params, stem->good, stem->size);
  for (size_t i = 0; field->type != STX_FIELD_SPELLED && i < sizeof values / sizeof values[0];
       i++) {
    stx_field_set(field, params.bytes + stem->at, values[i]);
    double expected = field->type == STX_FIELD_BOOL ? values[i] != 0 : values[i];
    ck_assert_double_eq(stx_field_get(field, params.bytes + stem->at), expected);
  }
}

STX_TEST(users_get_what_they_set)
{
  visit_all(check_default);
  visit_all(check_round_trip);
}

STX_TEST(scaled_fields_are_numbers_of_units)
{
  const StxField *epsilon = stx_fields_find(&stx_rdp_fields, "epsilon");
  StxRdpParams params = STX_RDP_DEFAULTS;
  ck_assert_double_eq(stx_field_get(epsilon, &params), 2);
  ck_assert_double_eq(stx_field_low(epsilon), 0);
  ck_assert_double_eq(stx_field_high(epsilon), 255);
  stx_field_set(epsilon, &params, 1.0 / 3);
  ck_assert_int_eq(params.epsilon, 85);
}

STX_TEST(missing_is_a_value_of_its_own)
{
  typedef struct {
    double number;
    unsigned missing;
  } Place;
  static const StxField field = {.low = -1,
      .high = 1,
      .missing = 4,
      .unset = -2,
      .missing_at = offsetof(Place, missing),
      STX_FIELD(DOUBLE, Place, number)};
  Place place = {.missing = 7};
  ck_assert_double_eq(stx_field_low(&field), -2);
  ck_assert_double_eq(stx_field_get(&field, &place), -2);
  stx_field_set(&field, &place, 0);
  ck_assert(place.missing == 3 && stx_field_get(&field, &place) == 0);
  stx_field_set(&field, &place, .5);
  ck_assert(place.missing == 3 && stx_field_get(&field, &place) == .5);
  stx_field_set(&field, &place, -2);
  ck_assert(place.missing == 7 && place.number == 0);
  ck_assert(stx_field_get(&field, &place) == -2 && stx_field_is_missing(&field, &place));
}

/* The spelling of the unit in the text that users read. */
static const char *const unit_words[][2] = {{"px", "ixel"}, {"pixels", "ixels"}, {"m", "etres"},
    {"m²", "quare metres"}, {"m/s", "m/s"}, {"s", "econds"}, {"rad", "radians"}, {"rad/s", "rad/s"},
    {"degrees", "degrees"}, {"nat", "nats"}, {"nat/px", "nats per pixel"},
    {"px/row", "pixels per row"}, {"%", "ercent"}, {"bits", "bits"}, {"cells", "ells"},
    {"gray levels", "gray levels"}, {"grey levels", "grey levels"}};

static void check_unit(const StxField *field)
{
  for (size_t i = 0; i < sizeof unit_words / sizeof unit_words[0]; i++)
    if (strcmp(field->unit, unit_words[i][0]) == 0) {
      ck_assert_msg(strstr(field->text, unit_words[i][1]) != NULL, "%s: no %s in '%s'", field->name,
          unit_words[i][1], field->text);
      return;
    }
  ck_abort_msg("%s: how is %s written?", field->name, field->unit);
}

static void check_words(const Stem *stem, const StxField *field)
{
  ck_assert_msg(field->type <= STX_FIELD_SPELLED, "%s", field->field);
  ck_assert_msg(
      (field->type == STX_FIELD_SPELLED) == (field->spelling != NULL), "%s", field->field);
  ck_assert_msg((field->type == STX_FIELD_CHOICE) <= (field->choices != NULL), "%s", field->field);
  for (const StxField *other = stem->table->fields; other < field; other++)
    ck_assert_msg(other->offset != field->offset, "%s is %s", field->field, other->field);
  if (field->name == NULL)
    return;
  ck_assert_ptr_eq(stx_fields_find(stem->table, field->name), field); /* no other has its name */
  ck_assert_uint_eq(
      strspn(field->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(field->name));
  ck_assert_ptr_nonnull(field->text);
  ck_assert_msg(field->text[strlen(field->text) - 1] != '.', "%s", field->text);
  if (field->unit != NULL)
    check_unit(field);
}

STX_TEST(tables_are_complete)
{
  visit_all(check_words);
}
