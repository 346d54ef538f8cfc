/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files bev*.c only. */
#pragma once

#include <math.h>

#include "common/bev/bev.h"
#include "common/labels.h"
#include "common/canvas/canvas.h"

/* Numbers of colours. Ground of stixels has one for each class, for none, and as one of two kinds,
 * and each of these twice: beyond what is free, and within. */
enum {
  STX_BEV_HUES = 64,
  STX_BEV_RAMP = 256,
  STX_BEV_NO_CLASS = STX_LABEL_CLASSES,
  STX_BEV_CLASSES,
  STX_BEV_AS_GROUND = STX_BEV_CLASSES,
  STX_BEV_AS_SEGMENT,
  STX_BEV_AREAS,

  STX_BEV_BACKGROUND = 0, /* of a pixel without a key */
  STX_BEV_NONE,
  STX_BEV_GROUND,
  STX_BEV_OBSTACLE,
  STX_BEV_NO_CLUSTER,
  STX_BEV_CLUSTER,
  STX_BEV_RAMPS = STX_BEV_CLUSTER + STX_BEV_HUES, /* of heights, distances, intensities */
  STX_BEV_FREE = STX_BEV_RAMPS + STX_BEV_RAMP,
  STX_BEV_ROAD,                                    /* + 2 · class, + 1 where it is free */
  STX_BEV_KIND = STX_BEV_ROAD + 2 * STX_BEV_AREAS, /* + StxKind */
  STX_BEV_CLASS = STX_BEV_KIND + 4,                /* + class */
  STX_BEV_INK = STX_BEV_CLASS + STX_BEV_CLASSES,
  STX_BEV_COLOURS
};

/*
 * The 32 bits of a pixel: rank, height, colour, from the top bit down; the largest is seen, and 0
 * is nothing. Areas lie below all points, and things of stixels among points of the ground, over
 * which they stand.
 */
enum {
  STX_BEV_RANK_AREA,
  STX_BEV_RANK_NONE,
  STX_BEV_RANK_GROUND,
  STX_BEV_RANK_THING = STX_BEV_RANK_GROUND,
  STX_BEV_RANK_OBSTACLE
};
#define STX_BEV_RANK_SHIFT 30
#define STX_BEV_HEIGHT_SHIFT 16
#define STX_BEV_COLOUR_MASK 0xFFFFu
#define STX_BEV_HEIGHT_STEPS (1 << (STX_BEV_RANK_SHIFT - STX_BEV_HEIGHT_SHIFT))

struct StxBev {
  StxBevParams params;
  StxBevPlan plan;
  StxRgb colour[STX_BEV_COLOURS];
  uint8_t bytes[STX_BEV_COLOURS][4]; /* of a pixel of that colour */
  uint32_t *key;                     /* by pixel */
  StxCanvas *rings;                  /* over all layers: the same in all pictures */
  StxCanvas *canvas;                 /* over the rings: changes from picture to picture */
  StxCanvas *legend;                 /* over all: the colours' meanings */
  bool tells_height;                 /* the bar of heights is on the canvas */
};

/* Height above the sensor, metres, in steps of 1/256 m. */
static inline uint32_t stx_bev_height(float z)
{
  float steps = (z + STX_BEV_HEIGHT_STEPS / 512.0f) * 256;
  return steps > 0 ? steps < STX_BEV_HEIGHT_STEPS - 1 ? (uint32_t)steps : STX_BEV_HEIGHT_STEPS - 1
                   : 0;
}

/* 0 … 255: `value` between low and high. */
static inline uint32_t stx_bev_ramp(float value, float low, float high)
{
  float share = (value - low) / (high - low);
  return (uint32_t)(share > 0 ? share < 1 ? share * 255 + 0.5f : 255 : 0);
}

static inline uint32_t stx_bev_key(uint32_t rank, uint32_t height, uint32_t colour)
{
  return rank << STX_BEV_RANK_SHIFT | height << STX_BEV_HEIGHT_SHIFT | colour;
}

/* Pixels from `first` to before `end` of a row, as far as they are in the picture. */
static inline void stx_bev_put_span(StxBev *bev, int row, int first, int end, uint32_t key)
{
  uint32_t *at = bev->key + (size_t)row * (size_t)bev->params.width;
  first = first < 0 ? 0 : first;
  end = end > bev->params.width ? bev->params.width : end;
  for (int x = first; x < end; x++)
    at[x] = key > at[x] ? key : at[x];
}

/* The two forms of a legend, over all layers; labels keep away from it. */
void stx_bev_tell_bar(StxBev *bev, const StxBar *bar);
void stx_bev_tell_names(StxBev *bev, const char *title, const StxName *names, size_t count);

/* The bar of heights, once in a picture, with names beside it. */
void stx_bev_tell_height(StxBev *bev, const StxName *names, size_t count);

/* ---- Over the layers ---------------------------------------------------------------------- */

/* The canvas of lines and letters, and their sizes. */
typedef struct {
  const StxBevParams *params;
  StxBevPlan plan;
  StxCanvas *canvas;
  double text, line; /* sizes, pixels */
} StxBevOver;

/* Drawing on bev->rings, or bev->canvas. */
StxBevOver stx_bev_over(const StxBev *bev, StxCanvas *canvas);
StxInk stx_bev_ink(StxMeaning meaning, double opacity);
StxSpot stx_bev_spot(const StxBevOver *over, double right, double ahead);
double stx_bev_farthest(const StxBevOver *over); /* pixels, from the sensor to a corner */

/* Rings, distances, the bar of scale, the sensor, if the parameters want them; and only the places
 * of the letters, so that other letters keep away. */
void stx_bev_draw_rings(const StxBevOver *over);
void stx_bev_claim_rings(const StxBevOver *over);
