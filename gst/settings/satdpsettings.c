/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/settings/satdpsettings.h"

#include "common/rdp/rdp.h"

/* Pixels: the largest that STX_RDP_MAX_EPSILON allows, in whole pixels. */
#define EPSILON_MAX (STX_RDP_MAX_EPSILON / STX_DISPARITY_ONE)

static const StxFieldChoice models[] = {
    {GST_STX_SATDP_GAUSSIAN, "gaussian", "Least squares per stixel, quadratic in the rows"},
    {GST_STX_SATDP_GAUSSIAN_UNIFORM, "gaussian-uniform",
        "Expects wrong disparities; cubic in the rows"},
    {0},
};
static const StxFieldChoice grounds[] = {
    {STX_ROAD_AUTO, "auto", "From calibration if camera height and cy are known, else estimated"},
    {STX_ROAD_CALIBRATION, "calibration", "From focal length, baseline, camera height and pitch"},
    {STX_ROAD_ESTIMATE, "estimate", "Estimated from every frame, smoothed over frames"},
    {STX_ROAD_PIECEWISE, "piecewise",
        "Likewise, and bent where the road rises or falls ahead; begins with the calibration"},
    {0},
};
static const StxFieldChoice candidates[] = {
    {GST_STX_CANDIDATES_ALL, "all", "At every cell: the exact optimum"},
    {GST_STX_CANDIDATES_RDP, "rdp", "Where rdp-columns cuts with the same epsilon: faster"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstStxSatdpSettings, member)

static const StxField fields[] = {
    {"model", "Model", "Energy of a stixel", FIELD(CHOICE, model), .choices = models,
        .at_start = true},
    {"ground", "Ground", "Where the expected disparity of the road comes from",
        FIELD(CHOICE, ground), .choices = grounds, .type_name = "GstStxGround", .at_start = true},
    {"post-messages", "Post messages", "Post an element message stx-stixels-stats for every frame",
        FIELD(BOOL, post_messages)},
    {"cut-candidates", "Candidates of cuts", "Where a stixel may begin", FIELD(CHOICE, candidates),
        .choices = candidates, .type_name = "GstSatDpStixelsCandidates"},
    {"epsilon", "Epsilon",
        "With cut-candidates=rdp: how far a cell may lie from the line between two candidates, "
        "in pixels of disparity; more gives fewer candidates",
        FIELD(DOUBLE, epsilon), .high = EPSILON_MAX, .unit = "px"},
};
static const GstStxSatdpSettings defaults = GST_STX_SATDP_SETTINGS_DEFAULTS;
const StxFields gst_stx_satdp_fields = {STX_FIELDS_OF(fields), &defaults};
