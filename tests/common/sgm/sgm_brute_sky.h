/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brute force for the check programs of sgm: common/sgm/sgm_sky.h once more, by other means. Gray
 * values are looked at again and again, patches are flooded from the top edge, means and ratios are
 * floating point. Shares no code with the implementations.
 */
#ifndef STX_TESTS_SGM_BRUTE_SKY_H
#define STX_TESTS_SGM_BRUTE_SKY_H

#include "tests/common/sgm/sgm_case.h"

#define BRUTE_TILES 4096

/* Counts of the cases that decide what is sky. */
typedef struct {
  int below;     /* candidates of no patch */
  int joined;    /* patches that meet further down */
  int far, near; /* patches with samples */
  int bare;      /* and without */
  int glaring;   /* patches more than three times as bright as the frame */
  int tied;      /* patches that weigh as much as the one chosen */
  int trusted;   /* skies that would be others if no patch counted twice */
  int unlike;    /* far patches that are too bright or too dark */
  int margin;    /* pixels around the sky */
  int rough;     /* and others that are not like it */
  int wires;     /* across which a patch goes on */
  int walls;     /* far patches whose outline is near and plane, … */
  int plain;     /* and those of them that are sky all the same: votes, … */
  int between;   /* … brightness */
  int behind;    /* patches that are no sky, but go on where it was hidden, … */
  int apart;     /* … and those that would, if their means did not differ */
  int grown;     /* tiles that became sky; and those … */
  int stopped;   /* … beside sky that did not, as it came from a small patch or steps were over */
} BruteSky;

static inline int brute_clamp(int value, int count)
{
  return value < 0 ? 0 : value < count ? value : count - 1;
}

/* Whether a pixel is brighter than its counterpart on the other side of (x, y). */
int brute_census_bit(const StxImage8 *image, int x, int y, int dx, int dy);

/* C(p,d) of sgm.h. */
int brute_cost(const SgmPair *pair, int x, int y, int d);

/* Marks the sky in a result for a pair of at most BRUTE_TILES tiles, and adds to what was met. */
void brute_sky(const SgmPair *pair, const SgmResult *result, BruteSky *met);

/* Marks what the right camera does not see in row y. */
void brute_border(const SgmPair *pair, const SgmResult *result, int y);

#endif
