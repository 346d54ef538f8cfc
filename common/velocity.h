/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Velocities over ground: a record for every obstacle and for every stixel of a frame, in their
 * order. Axes are the sensor's in this frame (obstacle.h): x to the right, z ahead; the sensor's
 * own motion is removed.
 *
 * A buffer of them is an array of records without a header, little-endian. See docs/formats.md.
 */
#ifndef STX_VELOCITY_H
#define STX_VELOCITY_H

#include <assert.h>
#include <stdint.h>

typedef enum {
  STX_MOVES_UNKNOWN = 0,  /* not yet known, or of what has none: sky and ground */
  STX_MOVES_NOT = 1,      /* it stands */
  STX_MOVES_ON = 2,       /* in any other direction than */
  STX_MOVES_ONCOMING = 3, /* against the direction in which the sensor looks */
} StxMoves;

/* Metres and seconds; not a number: not known, or not well enough to be worth saying. */
typedef struct {
  float x, z;                     /* m/s */
  float deviation_x, deviation_z; /* standard deviations of these, also where they are not said */
  float contact;                  /* of an obstacle: s until it is at the sensor, if both go on */
  float contact_deviation;        /* standard deviation of contact, s */
  uint8_t moves;                  /* StxMoves */
  uint8_t reserved[7];            /* 0 */
} StxVelocity;

static_assert(sizeof(StxVelocity) == 32, "the record is 32 bytes, packed");

#endif
