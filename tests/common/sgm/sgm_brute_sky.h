/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brute force for the check programs of sgm: common/sgm/sgm_sky.h once more, by other means. Gray
 * values are looked at again and again, patches are flooded from the top edge, means and ratios are
 * floating point. Shares no code with the implementations.
 */
#pragma once

#include "tests/common/sgm/sgm_case.h"

#define BRUTE_TILES 4096

/* Counts of the cases that decide what is sky. */
typedef struct {
  int near;     /* smooth tiles that the other camera sees elsewhere */
  int clouds;   /* candidates that are not smooth */
  int below;    /* inner tiles of no patch */
  int joined;   /* patches that meet further down */
  int wires;    /* across which a patch goes on */
  int bars;     /* that are too thick for that */
  int matched;  /* patches that match at their disparities */
  int tied;     /* patches as large as the one that tells how bright the sky is */
  int dark;     /* patches below the frame's mean that are sure, … */
  int too_dark; /* … and that would be if they were brighter */
  int glaring;  /* patches of which nothing but their brightness tells that they are sky */
  int burnt;    /* those of them that are clipped */
  int others;   /* the sky that is not sure */
  int walls;    /* patches as bright as the sky that are walls */
  int noisy;    /* frames without flat tiles */
  int margin;   /* pixels around the sky */
  int rough;    /* and others that are not like it */
  int taken;    /* tiles of other patches that became sky */
  int grown;    /* tiles that became sky; and those … */
  int stopped;  /* … beside sky that did not, as the steps were over */
  int edges;    /* patches that begin below blank tiles */
  int too_low;  /* inner tiles too far below these */
  int enclosed; /* patches that are sky although they are not at the top edge */
} BruteSky;

/* Whether a pixel is brighter than its counterpart on the other side of (x, y). */
int brute_census_bit(const StxImage8 *image, int x, int y, int dx, int dy);

/* C(p,d) of sgm.h. */
int brute_cost(const SgmPair *pair, int x, int y, int d);

/* Marks the sky in a result for a pair of at most BRUTE_TILES tiles, and adds to what was met. */
void brute_sky(const SgmPair *pair, const SgmResult *result, BruteSky *met);
