/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching: the table of fields; the method is in sgm.h. */
#include "common/sgm/sgm.h"

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice disparities[] = {
    {STX_SGM_AUTO, "auto", "As the pictures need, up to 256"},
    {64, "64", "64"},
    {128, "128", "128"},
    {256, "256", "256"},
    {0},
};
static const StxFieldChoice path_counts[] = {
    {4, "4", "Rows and columns"},
    {8, "8", "Also diagonals"},
    {0},
};
static const StxFieldChoice searches[] = {
    {STX_SGM_FULL, "full", "All"},
    {STX_SGM_COARSE_TO_FINE, "coarse-to-fine", "32 around a match at half the size, faster"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxSgmParams, member)

static const StxField fields[] = {
    {FIELD(INT, width), .low = 1, .high = STX_SGM_MAX_SIZE, .unit = "px"},
    {FIELD(INT, height), .low = 1, .high = STX_SGM_MAX_SIZE, .unit = "px"},
    {"max-disparity", "Disparities", "Candidate disparities, pixels", FIELD(CHOICE, max_disparity),
        .unit = "px", .choices = disparities},
    {"disparity-at-infinity", "Disparity at infinity",
        "Disparity of infinitely far things, from which disparities count, pixels (-257 = 0, or "
        "what the first pairs prove)",
        FIELD(INT, infinity), .low = STX_SGM_INFINITY_AUTO, .high = STX_SGM_INFINITY_MOST,
        .unit = "px"},
    {"paths", "Paths", "Aggregation paths", FIELD(CHOICE, paths), .choices = path_counts},
    {"search", "Search", "Candidates of a pixel", FIELD(CHOICE, search), .choices = searches},
    {"p1", "P1", "Penalty of a disparity step of one pixel, census bits", FIELD(INT, p1),
        .high = STX_SGM_MAX_PENALTY, .unit = "bits"},
    {"p2", "P2", "Penalty of larger steps, census bits (>= p1)", FIELD(INT, p2),
        .high = STX_SGM_MAX_PENALTY, .unit = "bits"},
    {"uniqueness", "Uniqueness", "Percent by which the best candidate must beat the second",
        FIELD(INT, uniqueness), .high = 50, .unit = "%"},
    {"lr-max-diff", "Left-right check",
        "Largest left-right difference of disparities, pixels (-1 = no check)",
        FIELD(INT, lr_max_diff), .low = -1, .high = 255, .unit = "px"},
    {"texture", "Texture",
        "Contrast that a pixel's 9x7 window must exceed, gray levels (-1 = no check)",
        FIELD(INT, texture), .low = -1, .high = 254, .unit = "gray levels"},
    {"median", "Median", "3x3 median of the disparity", FIELD(BOOL, median)},
    {"sky", "Sky", "Make disparities of the sky unknown", FIELD(BOOL, sky)},
    {FIELD(INT, depth), .high = STX_SGM_MAX_SCALE},
};
static const StxSgmParams defaults = STX_SGM_DEFAULTS;
static bool check_penalties(const StxSgmParams *p, StxError *error)
{
  return p->p1 <= p->p2 ||
         stx_fail(error, "p1 is %d, but must not exceed p2, which is %d", p->p1, p->p2);
}
STX_FIELDS_CHECK(check_penalties)
const StxFields stx_sgm_fields = {STX_FIELDS_OF(fields), &defaults, .must = ", but must be from ",
    .choose = ", choose ", .bare = true, .check = check_penalties_any};

bool stx_sgm_check(const StxSgmParams *p, StxError *error)
{
  return stx_fields_check(&stx_sgm_fields, p, error) && check_penalties(p, error);
}
