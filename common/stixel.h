/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stixel record, the output of the pipelines and the input of applications.
 *
 * A buffer of stixels is an array of these records without a header, little-endian, sorted by
 * column, then from the bottom of the image up. Every image row of every column belongs to
 * exactly one record. Column c covers the image columns c·w … min((c+1)·w, width)−1, where w is
 * the cell width (caps field stixel-width). See docs/formats.md.
 */
#ifndef STX_STIXEL_H
#define STX_STIXEL_H

#include <assert.h>
#include <stdint.h>

typedef enum {
  STX_KIND_SEGMENT = 0, /* a piece of a column without a class (rdp-columns) */
  STX_KIND_GROUND = 1,  /* road, sidewalk, terrain: disparity falls linearly towards the horizon */
  STX_KIND_OBJECT = 2,  /* stands upright: one disparity */
  STX_KIND_SKY = 3,     /* infinitely far: disparity 0 */
  STX_KIND_CARRIER = 4, /* what carries the camera, such as a bonnet: disparity 0 */
} StxKind;

#define STX_LABEL_NONE 255

typedef struct {
  uint16_t column;        /* index of the stixel column, from the left */
  uint16_t top, bottom;   /* image rows, both inclusive, top <= bottom; row 0 is the image's top */
  uint8_t kind;           /* StxKind */
  uint8_t label;          /* Cityscapes train id 0…18; STX_LABEL_NONE without semantics */
  float disparity_top;    /* pixels of the full image at row top */
  float disparity_bottom; /* at row bottom, linear between; both 0: unknown or infinitely far */
  float cost;             /* this stixel's share of the column's energy, in nats (>= 0 or so); of a
                             segment the largest distance of its cells from its line, in pixels */
  float confidence;       /* 0…1: root mean square of the disparity confidence inside */
} StxStixel;

static_assert(sizeof(StxStixel) == 24, "the record is 24 bytes, packed");

#endif
