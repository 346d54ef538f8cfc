/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels by dynamic programming over summed-area tables: the O(h²) model ("gaussian").
 *
 * Source: D. Hernandez-Juarez et al., "3D Perception with Slanted Stixels on GPU", TPDS 32(10),
 * 2021: model Eq. 5, 7, 12, recurrence Eq. 8–9, tables §3.3–3.4, backtracking §4.5.
 *
 * A column is cut into stixels [vb, vt] of kind ground, object or sky, from the image bottom up,
 * at the least total energy that this recurrence finds:
 *
 *   T_K(k) = min over vb <= k of  Data_K(vb,k) + Sem_K(vb,k) + Horizon_K(vb,k) + Unknown_K(vb,k)
 *            + Noise_K(vb,k)
 *            + ( vb = 0 ? First_K : C + min over P of  T_P(vb−1) + Pair(P→K at vb) )
 *
 * with ties to the smallest vb, then to P in the order ground, object, sky; the column's answer
 * is the smallest T_K(h−1), ties to ground, object, sky. Pair looks at the plane of the one stixel
 * that T_P(vb−1) keeps, so that now and then another segmentation costs less (stx_satdp_least).
 * Energies are integers in 1/1024 nat (int64_t, |E| < 2^53, so that a double holds the same
 * number), so every implementation compares the same values.
 *
 * Terms (satdp_cost_math.h has the arithmetic, docs/algorithms/satdp.md the derivations):
 *   Data     weighted least squares of the cells' disparities to the stixel's plane, in closed
 *            form from integer sums; the sigmas are folded into integer weights per cell and
 *            kind, so the data term never falls when a stixel grows. Ground: a line with a prior
 *            on slope and intercept at the horizon (Eq. 7), of deviations from the expected ground
 *            that are rounded to 1/256 px and count as 128 px at most; object: its weighted mean,
 *            or with object_sigma_slope a line with a prior on its slope of mean 0 (Eq. 7); sky:
 *            0. Cells of unknown disparity do not enter. An object without any known cell has
 *            unknown disparity (0) and no pair costs; a ground of this sort has the prior plane.
 *   Sem      semantic_weight · Σ class cost of the cheapest class of the kind (ties: smallest
 *            id); nothing for a kind that has none of the classes
 *   Where the road is tilted (roadline.h), each column has its own horizon, and rows here are
 *   relative to it; the sigmas and costs by row follow in steps of whole cells and of eight
 *   columns.
 *   Horizon  horizon_cost per cell row for ground above and sky below the horizon. If the road
 *            bends, "above" is beyond its end, and "below" what lies below that and below the
 *            horizon of its near line; and where it is less than half as steep in disparity as
 *            near the camera, a cell of ground costs as much, too, whose disparity is known and
 *            farther from the road's than 1 px and a tenth of it
 *   Unknown  unknown_cost per cell of unknown disparity above the horizon, for ground and object:
 *            what a matcher cannot measure up there is more likely sky (D. Pfeiffer and U. Franke,
 *            BMVC 2011: how probable a measurement exists at all depends on the kind). As
 *            with Horizon, a cell is above if its centre is; without a road line none is. Not with
 *            sky_known: a matcher that looks for the sky did not find it there. And
 *            sky_cost, times its weight over STX_WEIGHT_ONE, per cell of unknown disparity,
 *            wherever it is: what a matcher takes for sky (columns.h). STX_SATDP_HIDDEN per cell
 *            of unknown disparity of an object where the road is expected, if the next known cell
 *            above is farther than the road there: what is seen above does not reach down so far
 *            With sky_known what the matcher leaves out is no sky, though a far shore matches at
 *            0, too: sky_cost per cell of sky, and as much more for the others where it found sky.
 *            Below the horizon it is no sky that it found, but snow or what mirrors the sky:
 *            sky_cost more per cell of sky there
 *   Noise    sigma_weight · ln(sigma / smallest sigma) per cell of known disparity, sigma as it is
 *            folded into the cell's weight: what normalizes the Gaussian of Eq. 6 and 12. Without
 *            it, a kind of large sigma wins wherever nothing fits
 *   Prior    change_cost per cell that had another kind in the frame before, and raised_cost per
 *            cell of ground where something is on it (`prior`): part of Noise in every sum
 *   First    first_object_cost or first_sky_cost if the lowest stixel of a column is an object or
 *            sky (the prior of the first stixel in Eq. 8): a road camera looks down on ground. With
 *            a road line a nat more for an object whose lowest cell is unknown: with the defaults
 *            ground below it costs less, as a black floor before a wall
 *   Pair     looks at both planes at the image row between the cells vb−1 and vb. There a slanted
 *            object is at least 1/256 px, and no nearer than the nearest cell from its first one
 *            up, however far its line goes on through unknown cells. Two values
 *            meet there if they differ by at most pair_tolerance.
 *              ground → ground  0 if they meet, else α
 *              ground → object  0 if they meet, else α + β·|difference|
 *              ground → sky     α if the ground's value there is at most pair_tolerance,
 *                               else forbidden
 *              object → ground  forbidden if the ground is nearer by more than pair_tolerance
 *              object → object  α + β·difference if the upper one is nearer, else 0
 *              object ↔ sky     0
 *              sky → ground, sky → sky  forbidden
 *
 * Records have the segments' rows, but for the foot of an object on a ground: that boundary moves
 * by up to half a cell to where their planes meet (stx_settle_foot). An object whose foot is far
 * under the road, as where the road is overexposed, has unknown disparity (stx_refuse_foot).
 *
 * Candidates. The start rows may be restricted: then vb is 0 or a row that the caller allows, and
 * so k is the last row or the one below such a row; all else stands. With m allowed rows in a
 * column of h there are m² instead of h² candidates.
 */
#ifndef STX_SATDP_H
#define STX_SATDP_H

#include "common/camera.h"
#include "common/columns.h"
#include "common/roadline/roadline.h"
#include "common/stixel.h"

#define STX_ENERGY_ONE 1024 /* one nat */

/* Cost in nats of an unknown cell of an object where the road is expected and nearer than what is
 * above: roads have less texture than what stands on them. */
#define STX_SATDP_HIDDEN 0.4

/* In StxSatdpParams.prior: something is on the ground in this cell (satdp_prior.h). */
#define STX_SATDP_RAISED 0x40

/* Epsilon of rdp.h, in pixels, where what it keeps tells at which rows stixels may begin. */
#define STX_SATDP_EPSILON 0.5

/* Costs in nats, lengths as stated. Ranges, units and texts of these: stx_satdp_fields. */
typedef struct {
  StxGrid grid;       /* rows of cells: 1…STX_MAX_ROWS */
  double stixel_cost; /* C of every stixel after the first; negative: automatic, 5.6 without
                         classes and 10 with them */
  double semantic_weight;
  double sigma_disparity[3];     /* noise of the disparity in ground, object, sky, px */
  double sigma_weight;           /* of the logarithm of a sigma, paid per known cell */
  double sigma_height;           /* unevenness of the ground, m */
  double sigma_angle;            /* pitch of the ground against the expected, rad */
  double sigma_depth;            /* depth of an object that counts as upright, m;
                                    at most a tenth of its distance counts */
  double ground_sigma_intercept; /* prior of a ground's disparity at the horizon, px */
  double ground_sigma_slope;     /* prior of its slope, share of the expected */
  double object_sigma_slope;     /* prior of an object's slope, pixels per image row; 0: upright */
  double pair_cost;              /* α, an unlikely neighbour */
  double pair_slope;             /* β, per pixel of disparity between two neighbours */
  double pair_tolerance;         /* planes at most so far apart meet, px */
  double horizon_cost;           /* per cell of ground above or sky below the horizon */
  double unknown_cost;           /* per cell of ground or object above the horizon whose disparity
                                    is unknown; */
  double sky_cost;               /* and that is surely sky */
  double first_object_cost;      /* of an object as the lowest stixel of its column */
  double first_sky_cost;         /* likewise of sky */
  double change_cost;            /* per cell of another kind than `prior` has */
  double raised_cost;            /* per cell of ground that `prior` says is raised */
  uint32_t ground_classes;       /* bit k: class k is ground; */
  uint32_t sky_classes;          /* bit k: class k is sky (no bit in both); others are objects;
                                    users write both as "ground=road,1,9;sky=10" */
  double outlier_share[3];       /* of fulldp alone: share of wrong disparities among those that are
                                    known, in ground, object, sky */
  double outlier_range;          /* likewise: disparities that a wrong one may have, px */
  bool sky_known;                /* of the columns, so no row of the table: what made them has
                                    looked for the sky, and says where it is */
  const uint8_t *prior; /* likewise, where the columns are: the kind that each cell had in the
                           frame before, or has by the frame's road (StxKind; 0: any is as likely),
                           and STX_SATDP_RAISED where something is on the ground, in the order of a
                           channel. NULL: nothing is known, as for fulldp */
} StxSatdpParams;

/* Cityscapes' train ids: ground = road 0, sidewalk 1, terrain 9; sky = 10. */
#define STX_SATDP_DEFAULTS                                                                         \
  {                                                                                                \
    .stixel_cost = -1, .semantic_weight = 1.5, .sigma_disparity = {0.7, 1.15, 1},                  \
    .sigma_height = 0.06, .sigma_angle = 0.003, .sigma_depth = 0.05, .ground_sigma_intercept = 10, \
    .ground_sigma_slope = 0.3, .object_sigma_slope = 0.02, .pair_cost = 0.1, .pair_slope = 0.1,    \
    .pair_tolerance = 2, .horizon_cost = 3, .unknown_cost = 0.3, .sky_cost = 6,                    \
    .first_object_cost = 5, .first_sky_cost = 5, .change_cost = 1, .raised_cost = 4,               \
    .ground_classes = 1u << 0 | 1u << 1 | 1u << 9, .sky_classes = 1u << 10,                        \
    .outlier_share = {0.15, 0.15, 0.4}, .outlier_range = 128                                       \
  }

/*
 * The tables of the arithmetic, made once per road line on the host and read by every
 * implementation, CUDA included. Plain data, no pointers.
 *
 * Cells are indexed from the image bottom up: u = rows − 1 − cell row, as the recurrence runs.
 * x is twice an image row, so that a cell's centre is an integer whatever its height (the last,
 * smaller one included): x = its top row + its bottom row. The boundary below cell u lies at
 * cut[u], also in units of x; cut[rows] is the upper edge of the image.
 *
 * Folded weight of a cell = min(STX_FOLDED_MAX, (weight · scale + 2^15) >> 16), at least 1 unless
 * the weight is 0, and 0 where the disparity is unknown. It is off by less than one unit, and so a
 * data term by less than Σ r² / (2047 · min σ_d²) nats, r the pixels by which a cell is from its
 * plane.
 *
 * Bounds: folded weight < 2^11, disparity < 2^16, |x| <= 2^16, at most 2^10 cells, hence every sum
 * (Σw … Σwd², Σwxd) <= 2^53: int64_t and double hold the same number.
 */
#define STX_FOLDED_MAX 2047
#define STX_OBJECT_BIN 6 /* object_scale is indexed by disparity >> this */

/*
 * Tables of fulldp.h alone, filled by stx_fulldp_prepare. Energies of a known cell, by u, by
 * disparity >> STX_OBJECT_BIN, or of every cell: `flat` is what it costs at least, `cap` what its
 * distance to the plane adds at most. cap < 2^14, |flat| < 2^14.
 */
typedef struct {
  int32_t ground_flat[STX_MAX_ROWS], ground_cap[STX_MAX_ROWS];
  int32_t object_flat[65536 >> STX_OBJECT_BIN], object_cap[65536 >> STX_OBJECT_BIN];
  int32_t sky_flat, sky_cap;
  float steepest; /* slope of a line at most, 1/256 px per unit of x */
} StxMixture;

typedef struct {
  int rows, has_ground;
  int32_t x[STX_MAX_ROWS];
  int32_t cut[STX_MAX_ROWS + 1];
  uint32_t ground_scale[STX_MAX_ROWS];
  uint32_t object_scale[65536 >> STX_OBJECT_BIN];
  uint32_t sky_scale;
  int32_t class_scale; /* semantic_weight · 256: energy of a cell = (cost · this + 128) >> 8 */
  int32_t horizon_ground[STX_MAX_ROWS + 1]; /* [u]: horizon energy of ground in the cells below u */
  int32_t horizon_sky[STX_MAX_ROWS + 1];
  uint16_t road_low[STX_MAX_ROWS], road_high[STX_MAX_ROWS]; /* of ground at cell u; else it costs */
  int32_t off_road; /* that much, if its disparity is known. 0 and 65535: any is good */
  int32_t unknown[STX_MAX_ROWS]; /* energy of ground and object if cell u is unknown, … */
  uint16_t road[STX_MAX_ROWS];   /* … of object `hidden` more, below what is farther than that
                                         disparity of the road; 0: none, … */
  int32_t hidden;                /* … */
  uint32_t evidence_scale;       /* … more by its weight: stx_cell_energy; */
  int32_t noise_ground[STX_MAX_ROWS]; /* of each kind if it is known */
  int32_t noise_object[65536 >> STX_OBJECT_BIN];
  int32_t noise_sky;
  int32_t change;                  /* of a cell of another kind than before, … */
  int32_t raised;                  /* … and of ground where it is raised */
  int32_t first_object, first_sky; /* energies, integers; stx_first_object */
  int32_t stixel_cost, pair_cost;  /* likewise */
  uint32_t pair_slope;             /* 2^-22 energies per 1/256 px: 0, or odd and below 2^31.
                                     Times a difference of values, below 2^21, it is exact and
                                     never ends in one half: integers round it in one addition */
  int32_t pair_tolerance;          /* 1/256 px */
  float residual_energy;           /* energy of one unit of Σ folded weight · (1/256 px)² */
  float ground_slope, horizon_x; /* expected ground: ground_slope · (x − horizon_x), 1/256 px */
  float tilt, across, middle, cell; /* of the road: in column c all of it, and what the tables say
                                        by u, lies tilt · (across · c + middle) units of x lower,
                                        of which a cell has `cell` */
  float foot_share, foot_below; /* an object's foot has at least this share of the road's disparity
                                    there, or at most so much less, 1/256 px */
  float lambda_intercept, lambda_slope; /* precision of the prior, in units of folded weights */
  float lambda_object;                  /* likewise of an object's slope; 0: upright */
  StxMixture mixture;
} StxSatdpTables;

/*
 * Fills `tables` (61 KB; about 10 µs, so once per frame is fine). `camera` may be NULL or unknown:
 * sigmas that need a length which is not known fall back to the disparity noise, and a missing
 * focal length counts as the image width. `line` NULL: no ground kind and no horizon. Fails like
 * stx_satdp_check, and if the line is not a road: slope not in (0, 64], horizon not within 2^20.
 */
STX_API bool stx_satdp_prepare(const StxSatdpParams *params, const StxCamera *camera,
    const StxRoadLine *line, StxSatdpTables *tables, StxError *error);

/* Units of x by which a column's road lies lower than the middle one's. */
STX_INLINE float stx_column_drop(const StxSatdpTables *tables, float column)
{
  return tables->tilt * (tables->across * column + tables->middle);
}

/* True if objects may be slanted, which needs more sums. */
STX_INLINE bool stx_satdp_slanted(const StxSatdpParams *params)
{
  return params->object_sigma_slope > 0;
}

/* The result of a frame, and the share of work that candidates and exact pruning left. */
typedef struct {
  uint64_t evaluated; /* (vb, k, kind) triples whose data term was computed … */
  uint32_t count;     /* records written */
  uint32_t reserved;  /* 0 */
} StxSatdpResult;

/* … of this many, those of all rows. */
STX_INLINE uint64_t stx_satdp_pairs(const StxGrid *grid, bool has_ground)
{
  uint64_t columns = (uint64_t)stx_grid_columns(grid), rows = (uint64_t)stx_grid_rows(grid);

  return columns * (has_ground ? 3 : 2) * rows * (rows + 1) / 2;
}

typedef struct {
  StxImplInfo info;
  size_t (*scratch_size)(const StxSatdpParams *params, int threads);
  /*
   * Segments every column. Needs tables that stx_satdp_prepare made from `params`; a device, a copy
   * of them. Any cell values are allowed.
   *
   * has_ground as in the tables, which may lie where the caller's processor cannot read; only a
   *          device looks at it
   * columns  stx_grid_bytes(&params->grid) bytes, 2-byte aligned
   * starts   columns · rows bytes in the order of a channel: not 0 where a stixel may begin, that
   *          is, have its lowest cell (what rdp.h calls kept). NULL: everywhere. Where a column's
   *          lowest cell is 0 a stixel begins there all the same
   * stixels  columns · rows records; the first result->count are written, contiguous and
   *          sorted; what follows them is left undefined
   *
   * For the rest see StxPlace.
   *
   * A record's ends are its plane's values at its first and last image row, ground clamped to
   * >= 0, slanted objects to 1/256 … 65535/256; its cost is its share of the column's energy, that
   * with the stixel below included; its confidence is the root of its cells' mean weight over
   * STX_WEIGHT_ONE, and 1 where weights that cannot be would make it more.
   */
  bool (*run)(const StxSatdpParams *params, const StxSatdpTables *tables, bool has_ground,
      const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
      void *scratch, const StxPlace *place, StxError *error);
} StxSatdpImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_satdp_impls;

/* Every field of StxSatdpParams but the grid's (stx_grid_fields). */
STX_API const StxFields stx_satdp_fields;

/* Refuses what the tables do not allow, too many rows, and a class that is ground and sky; the text
 * names the field, its value and range. */
STX_API bool stx_satdp_check(const StxSatdpParams *params, StxError *error);

#endif
