/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels as a camera sees them that orbits a place ahead: what stixel-orbit draws.
 *
 * Every stixel is a flat quad in space (quad.h), seen from both sides. With a picture it shows the
 * part of the picture that it covers, without one the colours of quad.h, darker where the
 * quad turns away from the light, and a little darker in every second column, so that stixels can
 * be told apart. Behind everything lies a grid on the road, of 10 m, where the road is level: at
 * the camera's height below it (1.65 m if that is unknown), tilted by its pitch.
 *
 * The view. The place looked at lies `ahead` metres in front of the camera and 1 m above the road.
 * From there the eye is `distance` metres away, `elevation` radians above the horizon, and
 * `azimuth` radians to the right: 0 is straight behind the camera. 45° fit between the upper and
 * the lower edge of the view. Elevation keeps from 90°, where no side is up.
 *
 * The visible surfaces. The outline of a quad, made half a pixel of the picture wider on either
 * side, cut off at the edges of the view and at 0.1 m before the eye, is rounded to 1/16 pixel; a
 * pixel is covered if its centre lies inside, or on a left edge or an upper end. The nearest of the
 * quads that cover a pixel is seen: by 1 / distance in steps of 2⁻²⁷ 1/m; ties go to the first
 * record. These are integers. How far a quad's plane is at a pixel, and which part of the picture
 * it shows there, is floating point, in orbit_math.h: the picture's pixel is the one that the ray
 * hits, within the quad, and never a mixture.
 *
 * Memory: the caller's scratch. Threads: nothing here has state.
 */
#pragma once

#include "common/colour/colour.h"
#include "common/quad/quad.h"
#include "common/lookup/placement.h"
#include "common/canvas/canvas.h"

#define STX_ORBIT_MAX_SIDE 8192
#define STX_ORBIT_MAX_COUNT (1 << 22) /* records */
#define STX_ORBIT_NEAR .1             /* metres before the eye */

/* Ranges, units and texts of these: stx_orbit_fields. */
typedef struct {
  int width, height;            /* of the view, pixels */
  const StxPixelFormat *format; /* of one plane, RGB */
  double azimuth, elevation;    /* radians */
  double distance, ahead;       /* metres */
  bool grid;
  StxLegend legend;
} StxOrbitParams;

#define STX_ORBIT_DEFAULTS                                                                         \
  {                                                                                                \
    .width = 800, .height = 450, .azimuth = .35, .elevation = .44, .distance = 34, .ahead = 17,    \
    .grid = true, .legend = STX_LEGEND_TOP_LEFT                                                    \
  }

/* Every field of StxOrbitParams but the format. */
extern const StxFields stx_orbit_fields;

/* False, with a text that names field, value and range, for what the table does not allow, and for
 * any other format. */
bool stx_orbit_check(const StxOrbitParams *params, StxError *error);

/* A picture of the stixels' image: where that lies in it, and how to read it. */
typedef struct {
  StxFrame frame;
  const StxPixelFormat *format; /* any */
  StxMatrix matrix;             /* of YUV formats */
  bool full_range;
  int width, height;
  StxPlacement placement;
} StxOrbitPicture;

/* The scene: stixels, camera and colours. */
typedef struct {
  StxQuadImage image;
  const StxStixel *records;       /* aligned to 4 bytes; may be NULL if count is 0 */
  size_t count;                   /* STX_ORBIT_MAX_COUNT at most */
  const StxOrbitPicture *picture; /* NULL: colours */
  StxQuadColours colours;
} StxOrbitScene;

typedef struct {
  StxImplInfo info;

  /* Bytes of scratch of a scene with `count` records. */
  size_t (*scratch_size)(const StxOrbitParams *params, size_t count, int threads);

  /* Every pixel of the view is written; bytes that carry no channel become 255. For the rest see
   * StxPlace. */
  bool (*draw)(const StxOrbitParams *params, const StxOrbitScene *scene, const StxFrame *view,
      void *scratch, const StxPlace *place, StxError *error);
} StxOrbitImpl;

/* "omp" fills spans of rows in parallel. */
extern const StxImplTable stx_orbit_impls;

/* The position in the view of a point in the camera's axes (metres.h), pixels from the top left
 * corner. False: it is not before the eye. */
bool stx_orbit_project(const StxOrbitParams *params, const StxCamera *camera, const double point[3],
    double *x, double *y);

/* Writes distances along the grid, where the camera stands, and the legend, on an empty canvas of
 * the view. The legend lists the kinds or classes that the records hold. */
void stx_orbit_letter(const StxOrbitParams *params, const StxOrbitScene *scene, StxCanvas *canvas);
