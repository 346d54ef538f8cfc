/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files orbit*.c only. */
#pragma once

#include "common/orbit/orbit.h"

/* An axis of the camera's space. */
typedef struct {
  double x, y, z;
} StxVector;

typedef struct {
  StxVector eye;
  StxVector right, down, forward; /* of the view */
  StxVector up, level;            /* of the road: away from it, and ahead along it */
  double focal, middle_x, middle_y;
  double camera_height;
} StxOrbitView;

/* A number that is linear in the position on the view: at (x, y) it is one + x · across + y · down.
 */
typedef struct {
  double one, across, down;
} StxAffine;

#define STX_ORBIT_CORNERS 9 /* 4, and one for each edge that may cut */
#define STX_ORBIT_GRAIN 16  /* of a pixel */
#define STX_ORBIT_KEY 0x1p27

/* A stixel, ready to be drawn. At the point of its plane that is seen at (x, y), nearness is
 * 1 / distance along `forward`; column, row and depth are those of the picture, times nearness and
 * depth, and the depth times nearness. */
typedef struct {
  StxAffine nearness, column, row, depth;
  double least, most;              /* nearness, of its corners */
  double left, right, top, bottom; /* in the picture */
  int32_t x[STX_ORBIT_CORNERS], y[STX_ORBIT_CORNERS];
  int corners; /* 0: nothing of it is seen */
  StxRgb colour;
  bool by_distance; /* the colour is that of the palette */
  uint16_t shade;   /* of 256 */
} StxOrbitQuad;

/* The rows that a quad may cover; none: end = first. */
typedef struct {
  int first, end;
} StxOrbitRows;

/* All that a pixel depends on. */
typedef struct {
  const StxOrbitParams *params;
  const StxOrbitScene *scene;
  StxOrbitView view;
  StxAffine ray[3]; /* of the view's rays, which are 1 long along `forward`, in the camera's axes */
  StxRgb palette[256]; /* far … near */
  StxRgb background, grid;
  int32_t yuv[5];      /* luma, red of V, green of U, green of V, blue of U: 1/65536 */
  int black;           /* of luma */
  StxOrbitQuad *quads; /* as many as records */
  StxOrbitRows *rows;
} StxOrbitFrame;

StxOrbitView stx_orbit_view(const StxOrbitParams *params, const StxCamera *camera);

/* Everything but quads and rows. */
void stx_orbit_frame(
    StxOrbitFrame *frame, const StxOrbitParams *params, const StxOrbitScene *scene);

/* Fills quads[i] and rows[i]. */
void stx_orbit_quad(StxOrbitFrame *frame, size_t i);

#define STX_ORBIT_IMPL(suffix)                                                                     \
  size_t stx_orbit_scratch_size_##suffix(const StxOrbitParams *params, size_t count, int threads); \
  bool stx_orbit_draw_##suffix(const StxOrbitParams *params, const StxOrbitScene *scene,           \
      const StxFrame *view, void *scratch, const StxPlace *place, StxError *error);
STX_ORBIT_IMPL(base)
STX_ORBIT_IMPL(avx2)
STX_ORBIT_IMPL(avx512)
