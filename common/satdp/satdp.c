/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp: the table of fields, the tables that the arithmetic reads, and the list of
 * implementations. The sigmas are folded into the weights here, so that the code below does not
 * know metres:
 *
 *   ground at image row y   σ² = σ_d² + (D(y)·σ_H/H)² + (f·slope·σ_angle)² + the frame's own noise,
 *                           D the expected line
 *   object at disparity d   σ² = σ_d² + min(d²·σ_depth/(f·B), d·OBJECT_SHARE)²
 *   sky                     σ² = σ_d²
 *   scale                   2047 · 65536/65025 · min σ_d² / σ², at least 1
 */
#include "common/satdp/satdp.h"
#include "common/cpu.h"
#include "common/satdp/satdp_private.h"

#include <math.h>
#include <string.h>

/* ---- Fields ------------------------------------------------------------------------------ */

#define FIELD(kind, member) STX_FIELD(kind, StxSatdpParams, member)
#define NUMBER(member, least, most) FIELD(DOUBLE, member), .low = least, .high = most
#define PAIR_SLOPE_MOST 100
#define NOISE_LEAST 0.0625
#define INTERCEPT_LEAST 0.01
#define NOISE(kind) NUMBER(sigma_disparity[kind], NOISE_LEAST, 64), .unit = "px"
#define COST(member) NUMBER(member, 0, 1000), .unit = "nat"
#define OUTLIERS(kind) NUMBER(outlier_share[kind], 0.001, 0.9)

static const StxField fields[] = {
    {"stixel-cost", "Stixel cost", "Cost of each stixel after the first, nats (-1 = automatic)",
        COST(stixel_cost), .negative = "automatic"},
    {"semantic-weight", "Semantic weight", "Weight of the class costs",
        NUMBER(semantic_weight, 0, 16)},
    {"sigma-disparity-ground", "Disparity noise, ground", "Noise of the ground's disparity, pixels",
        NOISE(0)},
    {"sigma-disparity-object", "Disparity noise, object", "Noise of an object's disparity, pixels",
        NOISE(1)},
    {"sigma-disparity-sky", "Disparity noise, sky", "Noise of the sky's disparity, pixels",
        NOISE(2)},
    {"sigma-weight", "Weight of the noise's logarithm",
        "Weight of the noise's normalisation, nats (0 = none)", NUMBER(sigma_weight, 0, 16),
        .unit = "nat"},
    {"sigma-height", "Ground unevenness", "Unevenness of the ground, metres",
        NUMBER(sigma_height, 0, 10), .unit = "m"},
    {"sigma-angle", "Ground pitch", "Noise of the ground's pitch, radians",
        NUMBER(sigma_angle, 0, 1), .unit = "rad"},
    {"sigma-depth", "Object depth",
        "Extent of an upright object in depth, metres, at most a tenth of its distance",
        NUMBER(sigma_depth, 0, 100), .unit = "m"},
    {"ground-sigma-intercept", "Ground intercept",
        "Noise of a ground stixel's line at the horizon, pixels of disparity",
        NUMBER(ground_sigma_intercept, INTERCEPT_LEAST, 10000), .unit = "px"},
    {"ground-sigma-slope", "Ground slope",
        "Noise of a ground stixel's slope, relative to the road's",
        NUMBER(ground_sigma_slope, 0.01, 100)},
    {"object-sigma-slope", "Object slope",
        "Noise of an object's slope, pixels per row (0 = upright, as always with "
        "model=gaussian-uniform)",
        NUMBER(object_sigma_slope, 0, 100), .unit = "px/row"},
    {"pair-cost", "Pair cost", "Cost of an unlikely pair of neighbours, nats", COST(pair_cost)},
    {"pair-slope", "Pair slope",
        "Further cost of an unlikely neighbour, nats per pixel of disparity",
        NUMBER(pair_slope, 0, PAIR_SLOPE_MOST), .unit = "nat/px"},
    {"pair-tolerance", "Pair tolerance",
        "Difference up to which neighbours meet, pixels of disparity",
        NUMBER(pair_tolerance, 0, 255), .unit = "px"},
    {"horizon-cost", "Horizon cost",
        "Cost of a cell of ground above, or sky below the horizon, nats", COST(horizon_cost)},
    {"unknown-cost", "Unknown cost",
        "Cost of an unknown cell of ground or object above the horizon, nats, unless the matcher "
        "finds the sky",
        COST(unknown_cost)},
    {"sky-cost", "Sky cost", "Cost of a cell of ground or object where the matcher found sky, nats",
        NUMBER(sky_cost, 0, 32), .unit = "nat"},
    {"first-object-cost", "First object cost", "Cost of an object at the bottom of a column, nats",
        COST(first_object_cost)},
    {"first-sky-cost", "First sky cost", "Cost of sky at the bottom of a column, nats",
        COST(first_sky_cost)},
    {"change-cost", "Change cost",
        "Cost of a cell of another kind than in the frame before, while the camera stands, and of "
        "what lies on the road but is no ground, nats (0 = each frame and column alone)",
        NUMBER(change_cost, 0, 4), .unit = "nat"},
    {"raised-cost", "Raised cost",
        "Cost of a cell of ground that is above the road, as rocks and seats are, nats (0 = they "
        "are not looked for)",
        NUMBER(raised_cost, 0, 32), .unit = "nat"},
    {"class-kinds", "Kinds of classes",
        "Classes of ground and sky, by name or number; others are objects", .field = "class_kinds",
        STX_STORED(SPELLED, StxSatdpParams, ground_classes), .spelling = &stx_class_kinds},
    {"outlier-share-ground", "Outliers, ground",
        "Share of outliers in ground (model=gaussian-uniform)", OUTLIERS(0)},
    {"outlier-share-object", "Outliers, object",
        "Share of outliers in an object (model=gaussian-uniform)", OUTLIERS(1)},
    {"outlier-share-sky", "Outliers, sky", "Share of outliers in sky (model=gaussian-uniform)",
        OUTLIERS(2)},
    {"outlier-range", "Outlier range", "Range of outliers (model=gaussian-uniform), pixels",
        NUMBER(outlier_range, 1, 256), .unit = "px"},
};
static const StxSatdpParams defaults = STX_SATDP_DEFAULTS;
STX_FIELDS_CHECK(stx_class_kinds_check)
const StxFields stx_satdp_fields = {
    STX_FIELDS_OF(fields), &defaults, .check = stx_class_kinds_check_any};

/* ---- Checks ------------------------------------------------------------------------------ */

bool stx_satdp_check(const StxSatdpParams *params, StxError *error)
{
  if (!stx_grid_check(&params->grid, error))
    return false;
  int cells = stx_grid_rows(&params->grid);
  if (cells > STX_MAX_ROWS)
    return stx_fail(error,
        "%d rows of cells (image height %d, cell_height %d), must be 1 to %d: use larger cells",
        cells, params->grid.height, params->grid.cell_height, STX_MAX_ROWS);
  if (!stx_class_kinds_check(params, error))
    return false;
  return stx_fields_check(&stx_satdp_fields, params, error);
}

/* Each bend above the one before, where the road is still to be seen. */
static bool check_bends(const StxRoadLine *line, StxError *error)
{
  if (line->bends < 0 || line->bends > STX_ROAD_BENDS)
    return stx_fail(error, "road has %d bends, must be 0 to %d", line->bends, STX_ROAD_BENDS);
  for (int i = 0; i < line->bends; i++) {
    const StxRoadBend *bend = &line->bend[i];
    double below = i == 0 ? 1 << 20 : bend[-1].row;
    if (!(bend->slope > 0 && bend->slope <= 64))
      return stx_fail(error,
          "road slope above bend %d is %g, must be above 0, to 64 px of disparity per row", i + 1,
          bend->slope);
    if (!(bend->row < below && stx_roadline_at(line, bend->row) > 0))
      return stx_fail(error, "bend %d of the road is at row %g, must be above row %g, but %s",
          i + 1, bend->row, below, "below the end of the road");
  }
  return true;
}

static bool check_line(const StxRoadLine *line, StxError *error)
{
  if (!(fabs(line->tilt) <= STX_ROAD_TILT && fabs(line->centre) <= 1 << 20))
    return stx_fail(error,
        "road is tilted by %g rows per column around column %g, must be at most %g, and within %d",
        line->tilt, line->centre, STX_ROAD_TILT, 1 << 20);
  if (!(line->slope > 0 && line->slope <= 64))
    return stx_fail(
        error, "road slope is %g, must be above 0, to 64 px of disparity per row", line->slope);
  if (!(fabs(line->horizon) <= 1 << 20))
    return stx_fail(
        error, "road horizon is at row %g, must be within %d rows", line->horizon, 1 << 20);
  return check_bends(line, error);
}

/* ---- Tables ------------------------------------------------------------------------------ */

static double square(double value)
{
  return value * value;
}

static double least_variance(const StxSatdpParams *params)
{
  const double *sigma = params->sigma_disparity;
  return square(fmin(fmin(sigma[0], sigma[1]), sigma[2]));
}

/* The scale of stx_fold for a kind of this variance. Large variances, infinite ones, and 0 · ∞,
 * which a camera at no height makes at the horizon, have the least scale there is: a kind for which
 * cells weigh nothing would fit everything. */
static uint32_t weight_scale(const StxSatdpParams *params, double variance)
{
  if (!isfinite(variance))
    return 1;
  double one = (double)STX_FOLDED_MAX * 65536 / STX_WEIGHT_ONE;
  uint32_t scale = (uint32_t)(one * least_variance(params) / variance + 0.5);
  return scale > 0 ? scale : 1;
}

static int32_t nats(double value)
{
  return (int32_t)floor(value * STX_ENERGY_ONE + 0.5);
}

/* The noise term of a known cell of a kind with this variance. ln(sigma) counts to 16 at most,
 * which a camera close to the ground can make more. */
static int32_t noise_energy(const StxSatdpParams *params, double variance)
{
  double logarithm = log(variance / least_variance(params)) / 2;
  bool finite = isfinite(variance) && logarithm < 16;
  return nats(params->sigma_weight * (finite ? logarithm : 16));
}

static void prepare_geometry(const StxGrid *grid, StxSatdpTables *tables)
{
  int rows = stx_grid_rows(grid);
  tables->rows = rows;
  tables->cell = 2 * grid->cell_height;
  for (int u = 0; u < rows; u++) {
    int row = rows - 1 - u;
    tables->x[u] = stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1;
  }
  for (int u = 0; u <= rows; u++)
    tables->cut[u] = 2 * stx_grid_top(grid, rows - u) - 1;
}

/* The depth of an object is at most this share of its distance. Otherwise things closer than a few
 * sigma_depth, which are large in disparity, would have no disparity of their own. */
#define OBJECT_SHARE 0.1

static void prepare_object(
    const StxSatdpParams *params, const StxCamera *camera, StxSatdpTables *tables)
{
  double depth = 0; /* pixels of disparity per pixel² for sigma_depth */
  if (camera != NULL && stx_camera_is_metric(camera))
    depth = params->sigma_depth / (camera->focal * camera->baseline);
  for (int bin = 0; bin < 65536 >> STX_OBJECT_BIN; bin++) {
    double disparity = ((bin << STX_OBJECT_BIN) + (1 << STX_OBJECT_BIN) / 2) / 256.0;
    double extent = disparity * fmin(disparity * depth, OBJECT_SHARE);
    double variance = square(params->sigma_disparity[1]) + square(extent);
    tables->object_scale[bin] = weight_scale(params, variance);
    tables->noise_object[bin] = noise_energy(params, variance);
  }
}

#define CLEAN 0.25  /* px: a road's noise (StxRoadLine) where sigma_disparity is enough */
#define SCATTER 2.5 /* weight of noise above CLEAN, since neighbours share a part of theirs */

/* Noise of the ground: where the camera's height is unknown, sigma_height cannot count. Seen from
 * steeply above a slanted object fits the ground as well, and would with less noise cost less. */
static void prepare_ground(const StxSatdpParams *params, const StxCamera *camera,
    const StxRoadLine *line, StxSatdpTables *tables)
{
  double focal = camera != NULL && camera->focal > 0 ? camera->focal : params->grid.width;
  double height = camera != NULL && camera->height > 0 ? params->sigma_height / camera->height : 0;
  double clean = square(CLEAN / stx_grid_pixel(&params->grid));
  double scatter = square(SCATTER) * fmax(square(line->noise) - clean, 0);
  bool leans = line->slope <= STX_SATDP_LEANING * params->object_sigma_slope;
  double least = leans ? square(params->sigma_disparity[1]) : 0;
  for (int u = 0; u < tables->rows; u++) {
    double row = tables->x[u] / 2.0, slope = stx_roadline_slope(line, row);
    double unevenness = stx_roadline_at(line, row) * height * (slope / line->slope);
    double angle = focal * slope * params->sigma_angle;
    double variance =
        square(params->sigma_disparity[0]) + square(unevenness) + square(angle) + scatter;
    variance = fmax(variance, least);
    tables->ground_scale[u] = weight_scale(params, variance);
    tables->noise_ground[u] = noise_energy(params, variance);
  }
}

#define FOOT_DEEP 3.    /* heights of the camera by which a foot may be under the road, … */
#define FOOT_METRES 3.  /* … and metres, … */
#define FOOT_STEEP 0.15 /* … or a valley be steep towards it */

static void prepare_feet(const StxSatdpParams *params, const StxCamera *camera,
    const StxRoadLine *line, StxSatdpTables *tables)
{
  double focal = camera != NULL && camera->focal > 0 ? camera->focal : params->grid.width;
  double height = camera != NULL ? camera->height : 0;
  tables->foot_share =
      (float)fmin(1 / (1 + FOOT_DEEP), height > 0 ? height / (height + FOOT_METRES) : 1);
  tables->foot_below = (float)(FOOT_STEEP * focal * line->slope * STX_DISPARITY_ONE);
}

static void prepare_prior(
    const StxSatdpParams *params, const StxRoadLine *line, StxSatdpTables *tables)
{
  double one = STX_FOLDED_MAX * least_variance(params); /* precision of one nat per pixel² */
  tables->ground_slope = (float)(line->slope * STX_DISPARITY_ONE / 2);
  tables->horizon_x = (float)(2 * line->horizon);
  tables->tilt = (float)line->tilt;
  tables->across = 2 * params->grid.cell_width;
  tables->middle = (float)(params->grid.cell_width - 1 - 2 * line->centre);
  tables->lambda_intercept = (float)(one / square(params->ground_sigma_intercept));
  tables->lambda_slope =
      (float)fmin(one / square(params->ground_sigma_slope * line->slope / 2), 0x1p60);
}

/* A tiny sigma must not make the precision infinite: 2^60 leaves an object no slope either. */
static double object_precision(const StxSatdpParams *params)
{
  double one = STX_FOLDED_MAX * least_variance(params);
  return stx_satdp_slanted(params) ? fmin(one / square(params->object_sigma_slope / 2), 0x1p60) : 0;
}

/* Where a bent road stands as steep as a wall, which is when its disparity hardly changes from row
 * to row, walls would pass for it: there ground must be near what is expected. */
static void prepare_bends(
    const StxSatdpParams *params, const StxRoadLine *line, StxSatdpTables *tables)
{
  int pixel = stx_grid_steps(&params->grid);
  tables->off_road = nats(params->horizon_cost);
  for (int u = 0; u < tables->rows; u++) {
    double row = tables->x[u] / 2.0, d = STX_DISPARITY_ONE * fmax(stx_roadline_at(line, row), 0);
    double off = pixel + d / 10;
    bool steep = stx_roadline_slope(line, row) < line->slope / 2;
    tables->road_low[u] = steep ? (uint16_t)fmin(fmax(d - off, 0), 65535) : 0;
    tables->road_high[u] = steep ? (uint16_t)fmin(d + off, 65535) : 65535;
  }
}

/* The cost of a cell of sky, in nats, if the matcher has looked for the sky. */
static double left_out(const StxSatdpParams *params)
{
  return params->sky_known ? params->sky_cost : 0;
}

static void prepare_horizon(
    const StxSatdpParams *params, const StxRoadLine *line, StxSatdpTables *tables)
{
  int32_t cost = line != NULL ? nats(params->horizon_cost) : 0;
  int32_t unknown = line != NULL && !params->sky_known ? nats(params->unknown_cost) : 0;
  double end = line != NULL ? 2 * stx_roadline_end(line) : 0;
  double sky = line != NULL ? fmin(end, 2 * line->horizon) : 0;
  int32_t anywhere = nats(left_out(params)), mirror = line != NULL ? anywhere : 0;
  tables->hidden = nats(STX_SATDP_HIDDEN);
  for (int u = 0; u < tables->rows; u++) {
    bool beyond = tables->x[u] < end, above = tables->x[u]<sky, below = tables->x[u]> sky;
    tables->horizon_ground[u + 1] = tables->horizon_ground[u] + (beyond ? cost : 0);
    tables->horizon_sky[u + 1] = tables->horizon_sky[u] + (below ? cost + mirror : 0) + anywhere;
    tables->unknown[u] = above ? unknown : 0;
    double road = line != NULL && !beyond ? stx_roadline_at(line, tables->x[u] / 2.0) : 0;
    tables->road[u] = (uint16_t)fmin(fmax(floor(STX_DISPARITY_ONE * road + 0.5), 0), 65535);
  }
}

/* The next odd multiple of 2^-22 energies per step, which is at most 2^-6 energies off over all
 * disparities that there are. */
static uint32_t pair_slope(const StxSatdpParams *params)
{
  double slope = params->pair_slope * STX_ENERGY_ONE / STX_DISPARITY_ONE;
  return slope > 0 ? 2 * (uint32_t)floor(slope * 0x1p21) + 1 : 0;
}

static double automatic_cost(const StxSatdpParams *params)
{
  if (params->stixel_cost >= 0)
    return params->stixel_cost;
  return params->grid.classes > 0 ? 10 : 5.6;
}

/* All that the tables are made of, with 256 steps for a pixel: that is one of a camera with a
 * shorter baseline. Within the bounds for which the arithmetic was made: no sigma is less, and no
 * step costs more, than may be with 256 of them in a pixel. */
typedef struct {
  StxSatdpParams params;
  StxCamera camera;
  StxRoadLine line;
} InSteps;

static InSteps in_steps(
    const StxSatdpParams *params, const StxCamera *camera, const StxRoadLine *line)
{
  InSteps in = {.params = *params};
  double pixel = stx_grid_pixel(&params->grid);
  for (int kind = 0; kind < 3; kind++)
    in.params.sigma_disparity[kind] = fmax(params->sigma_disparity[kind] / pixel, NOISE_LEAST);
  in.params.ground_sigma_intercept = fmax(params->ground_sigma_intercept / pixel, INTERCEPT_LEAST);
  in.params.object_sigma_slope /= pixel;
  in.params.pair_slope = fmin(params->pair_slope * pixel, PAIR_SLOPE_MOST);
  in.params.pair_tolerance /= pixel;
  if (camera != NULL)
    in.camera = *camera;
  in.camera.baseline /= pixel;
  if (line != NULL)
    in.line = stx_roadline_times(line, 1 / pixel);
  return in;
}

static void prepare_tables(const StxSatdpParams *params, const StxCamera *camera,
    const StxRoadLine *line, StxSatdpTables *tables)
{
  prepare_geometry(&params->grid, tables);
  prepare_object(params, camera, tables);
  tables->has_ground = line != NULL;
  tables->lambda_intercept = tables->lambda_slope = 1; /* never zero, even where unused */
  if (line != NULL) {
    prepare_ground(params, camera, line, tables);
    prepare_prior(params, line, tables);
    prepare_feet(params, camera, line, tables);
    prepare_bends(params, line, tables);
  }
  prepare_horizon(params, line, tables);
  tables->evidence_scale =
      (uint32_t)(nats(params->sky_cost + left_out(params)) * 65536.0 / STX_WEIGHT_ONE + 0.5);
  tables->lambda_object = (float)object_precision(params);
  tables->sky_scale = weight_scale(params, square(params->sigma_disparity[2]));
  tables->noise_sky = noise_energy(params, square(params->sigma_disparity[2]));
  tables->class_scale = (int32_t)floor(params->semantic_weight * 256 + 0.5);
  tables->first_object = nats(params->first_object_cost);
  tables->first_sky = nats(params->first_sky_cost);
  tables->change = nats(params->change_cost);
  tables->raised = nats(params->raised_cost);
  tables->stixel_cost = nats(automatic_cost(params));
  tables->pair_cost = nats(params->pair_cost);
  tables->pair_slope = pair_slope(params);
  tables->pair_tolerance = (int32_t)floor(params->pair_tolerance * STX_DISPARITY_ONE + 0.5);
  tables->residual_energy =
      (float)(STX_ENERGY_ONE / (STX_FOLDED_MAX * least_variance(params) * 65536.0));
}

bool stx_satdp_prepare(const StxSatdpParams *params, const StxCamera *camera,
    const StxRoadLine *line, StxSatdpTables *tables, StxError *error)
{
  if (!stx_satdp_check(params, error) || (line != NULL && !check_line(line, error)))
    return false;
  InSteps in = in_steps(params, camera, line);
  memset(tables, 0, sizeof *tables);
  prepare_tables(
      &in.params, camera != NULL ? &in.camera : NULL, line != NULL ? &in.line : NULL, tables);
  return true;
}

/* ---- Implementations --------------------------------------------------------------------- */

#define FUNCTIONS(isa) stx_satdp_scratch_size_##isa, stx_satdp_run_##isa
STX_HOST_TABLE(StxSatdpImpl, stx_satdp, FUNCTIONS);
