/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing stixels on a picture: what stixel-overlay does to a frame.
 *
 * Every pixel of the frame is covered by at most one stixel. Pixel y shows the image row under its
 * centre: with n image rows (or columns) drawn on N pixels row floor((2y + 1)·n / (2N)), and
 * likewise where the image was cut or has borders. So a frame of any size can be drawn on, and the
 * stixels of one column meet without gap or overlap.
 *
 * Colours, and how they are blended into a frame: common/colour/colour.h.
 *
 * The legend is drawn on a canvas (common/canvas/canvas.h), which is blended over the stixels. All
 * pixel arithmetic is on integers.
 *
 * Memory: prepared state and scratch belong to the caller; see stx_overlay_size and
 * scratch_size. Threads: one StxOverlay per thread.
 */
#ifndef STX_OVERLAY_H
#define STX_OVERLAY_H

#include "common/camera.h"
#include "common/labels.h"
#include "common/lookup/placement.h"
#include "common/canvas/canvas.h"
#include "common/stixel.h"

/* ---- Parameters --------------------------------------------------------------------------- */

typedef enum {
  STX_OVERLAY_DISTANCE, /* near red, over yellow and green, to far blue */
  STX_OVERLAY_KIND,     /* ground, object, sky, segment */
  STX_OVERLAY_CLASS,    /* Cityscapes' colours by train id; grey: no label */

  /* The record's numbers, from dark blue, low, to yellow, high; sky as in KIND, grey: unknown. */
  STX_OVERLAY_HEIGHT,     /* of each row above the road, or above the camera, in metres */
  STX_OVERLAY_CONFIDENCE, /* 0…1 */
  STX_OVERLAY_COST,       /* nats; of segments the error of the line in pixels */
  STX_OVERLAY_MODES
} StxOverlayMode;

/* Does a bar of colours explain the mode, or a list of names? */
STX_INLINE bool stx_overlay_has_scale(StxOverlayMode mode)
{
  return mode != STX_OVERLAY_KIND && mode != STX_OVERLAY_CLASS;
}

/* Contents of the labels of obstacles. */
typedef enum {
  STX_OVERLAY_LABEL_DISTANCE = 1,
  STX_OVERLAY_LABEL_CLASS = 2,
  STX_OVERLAY_LABEL_ID = 4,
  STX_OVERLAY_LABEL_SPEED = 8, /* over ground, of what moves */
  STX_OVERLAY_LABEL_BOX = 16,  /* frames of those that are labelled first */
} StxOverlayLabels;

/* The quantity that colours of STX_OVERLAY_DISTANCE are linear in. AUTO: depth with a camera. */
typedef enum { STX_SCALE_AUTO, STX_SCALE_DISPARITY, STX_SCALE_DEPTH } StxOverlayScale;

#define STX_OVERLAY_MAX_SIDE 32768     /* pixels */
#define STX_OVERLAY_MAX_DISPARITY 1024 /* pixels */
#define STX_OVERLAY_LEAST_DISTANCE .1  /* metres */
#define STX_OVERLAY_MAX_DISTANCE 1000  /* metres */
#define STX_OVERLAY_MAX_HEIGHT 100     /* metres */
#define STX_OVERLAY_MAX_COST 1000      /* nats, or pixels */
#define STX_OVERLAY_MAX_LINE 64        /* pixels */
#define STX_OVERLAY_MAX_TEXT 200       /* pixels */

/* Ranges, units and texts of these: stx_overlay_fields. */
typedef struct {
  StxOverlayMode mode;
  StxOverlayScale scale;
  StxLegend legend;
  bool fill; /* false: outlines alone, in the colours themselves */
  bool outlines;
  int line_width;       /* pixels of outlines; 0: as suits the frame */
  unsigned show;        /* set of 1 << StxKind; hidden kinds leave the picture alone */
  double alpha;         /* opacity of objects; ground and sky are drawn fainter */
  double dim;           /* how much of that a record of confidence 0 loses; sky loses nothing */
  double max_disparity; /* pixels: this and more is the nearest colour */
  double max_distance;  /* metres: this and more is the farthest colour */
  double max_height;    /* metres: this and more is the highest colour */
  double max_cost;      /* nats: likewise */

  /* The marks (overlay_marks.h). Metres; a corridor of width 0: none. */
  unsigned labels; /* set of StxOverlayLabels */
  int labels_max;  /* labels on a frame */
  bool free_space;
  bool velocities; /* arrows */
  double corridor_width, corridor_length, corridor_offset;
  int text_size; /* height of a digit, pixels; 0: as suits the frame */

  StxCamera camera; /* metric for STX_SCALE_DEPTH, else may be all 0 */

  int width, height;         /* the stixels' image, pixels */
  int stixel_width, columns; /* columns·stixel_width >= width is not required */

  const StxPixelFormat *format;
  int frame_width, frame_height;
  StxPlacement placement; /* of the image in the frame, neither turned nor mirrored; all 0: it fills
                             the frame, whose aspect must be the image's within 2 % */
  StxMatrix matrix;       /* of YUV formats */
  bool full_range;
} StxOverlayParams;

#define STX_OVERLAY_DEFAULTS                                                                       \
  {                                                                                                \
    .mode = STX_OVERLAY_DISTANCE, .scale = STX_SCALE_AUTO, .legend = STX_LEGEND_TOP_LEFT,          \
    .fill = true, .outlines = true, .alpha = .5, .max_disparity = 64, .max_distance = 50,          \
    .max_height = 4, .max_cost = 20, .corridor_length = 30, .labels_max = STX_LABELS_MAX,          \
    .show = 1u << STX_KIND_SEGMENT | 1u << STX_KIND_GROUND | 1u << STX_KIND_OBJECT |               \
            1u << STX_KIND_SKY | 1u << STX_KIND_CARRIER                                            \
  }

/* Every field of StxOverlayParams but camera, placement, format and full_range. */
STX_API const StxFields stx_overlay_fields;

/* False, with a text that names field, value and choices, for what the table does not allow, for
 * STX_SCALE_DEPTH or STX_OVERLAY_HEIGHT without the camera, and for a frame in which the image does
 * not lie upright, or which has another aspect. */
STX_API bool stx_overlay_check(const StxOverlayParams *params, StxError *error);

/* ---- Drawing ------------------------------------------------------------------------------ */

/* Colour tables, and where columns and rows lie, for one set of parameters. */
typedef struct StxOverlay StxOverlay;

/* Bytes of the block that stx_overlay_init needs; params have passed the check. */
STX_API size_t stx_overlay_size(const StxOverlayParams *params);

/* Prepares `memory` (aligned to STX_ALIGN) and returns it as an StxOverlay. */
STX_API StxOverlay *stx_overlay_init(void *memory, const StxOverlayParams *params);

/*
 * Adds to what the legend of KIND and CLASS lists: 1 << StxKind for each kind, or 1 << train id for
 * each label and 1 << STX_LABEL_CLASSES for records without one. Returns true if there is a legend
 * and that changes it.
 */
STX_API bool stx_overlay_see(StxOverlay *overlay, unsigned seen);

/* Draws the legend on a canvas for such frames: for names, of what the StxOverlay was shown so far.
 */
STX_API void stx_overlay_draw_legend(const StxOverlay *overlay, StxCanvas *canvas);

/* Multiplies the opacity of stixels and outlines, but not of the legend, by `strength`, 0…1, which
 * is 1 after stx_overlay_init. Returns true if that changes anything: what was uploaded is out of
 * date then. */
STX_API bool stx_overlay_fade(StxOverlay *overlay, double strength);

/* The result of a frame. A record is skipped, never drawn in part, if its column does not exist,
 * top > bottom, bottom lies below the image, its kind is unknown, a disparity is not finite, or it
 * does not lie above the column's previous record. */
typedef struct {
  uint32_t drawn;    /* records that were valid, hidden kinds included */
  uint32_t skipped;  /* records that were not */
  uint32_t seen;     /* kinds or labels among those that are drawn: for stx_overlay_see */
  uint32_t reserved; /* 0 */
} StxOverlayResult;

/*
 * A frame is drawn in two steps:
 *
 *   link  orders and checks the records, leaves that in the scratch, fills the result
 *   draw  draws what `link` left
 *
 * Both steps get the same overlay, records, count, scratch and number of threads. The legend of
 * KIND and CLASS lists what the records hold: stx_overlay_see gets the result's, and if it returns
 * true, the legend is drawn anew. So it grows but does not flicker. For the rest see StxPlace.
 *
 * overlay   always on the host, made by stx_overlay_init
 * prepared  what `upload` wrote; of host implementations, which have no upload, the overlay itself
 * records   `count` of them (1 << 30 at most), aligned to 4 bytes, in the order of stixel.h; may be
 *           NULL if count is 0
 * frame     pixels that no record covers keep their value; strides of a device's are positive
 */
typedef struct {
  StxImplInfo info;

  /* Bytes of scratch, for both steps, of a frame with `count` records. */
  size_t (*scratch_size)(const StxOverlayParams *params, size_t count, int threads);

  /* NULL for host implementations. Copies the overlay to `prepared`, stx_overlay_size bytes of the
   * device: after stx_overlay_init, and whenever stx_overlay_fade returned true. */
  bool (*upload)(const StxOverlay *overlay, void *prepared, const StxPlace *place, StxError *error);

  bool (*link)(const StxOverlay *overlay, const void *prepared, const StxStixel *records,
      size_t count, StxOverlayResult *result, void *scratch, const StxPlace *place,
      StxError *error);

  bool (*draw)(const StxOverlay *overlay, const void *prepared, const StxFrame *frame,
      const StxStixel *records, size_t count, void *scratch, const StxPlace *place,
      StxError *error);
} StxOverlayImpl;

/* "omp" draws bands of rows in parallel, if the frame is large. */
STX_API const StxImplTable stx_overlay_impls;

/* Both steps of a frame, and stx_overlay_see, with an implementation of the host. */
STX_API StxOverlayResult stx_overlay_draw_all(const StxOverlayImpl *impl, StxOverlay *overlay,
    const StxFrame *frame, const StxStixel *records, size_t count, void *scratch, int threads);

#endif
