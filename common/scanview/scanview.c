/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dots of a scan: colours, places, and their order by a radix sort. */
#include "common/scanview/scanview.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clusters/clusters_look.h"

#define NEAREST 0.1 /* metres */
#define MARGIN 16   /* pixels beyond the frame from which a dot may reach in */
#define MOST_SIZE 32
#define DIGIT 11 /* bits */
#define DIGITS (1 << DIGIT)

/* ---- Fields -------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_SCANVIEW_CLUSTERS, "clusters", "Ground, one colour per cluster"},
    {STX_SCANVIEW_LABELS, "labels", "Ground and obstacles"},
    {STX_SCANVIEW_RANGE, "range", "Near red to far blue"},
    {STX_SCANVIEW_HEIGHT, "height", "2 m below to 2 m above the sensor"},
    {STX_SCANVIEW_INTENSITY, "intensity", "Intensity"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxScanviewParams, member)

static const StxField fields[] = {
    {"mode", "Mode", "Colours of points", FIELD(CHOICE, mode), .choices = modes},
    {"point-size", "Point size", "Dot diameter, pixels (0 = by the frame)",
        FIELD(DOUBLE, point_size), .high = MOST_SIZE, .unit = "px"},
    {"alpha", "Alpha", "Opacity of the dots", FIELD(DOUBLE, alpha), .high = 1},
    {"max-range", "Maximum range", "Distance of the farthest colour, metres",
        FIELD(DOUBLE, max_range), .low = 1, .high = 1000, .unit = "m"},
    {"legend", "Legend", "Corner of the legend", FIELD(CHOICE, legend),
        .choices = stx_legend_choices},
    {"obstacles", "Obstacles", "Draw boxes and distances of attached obstacles",
        FIELD(BOOL, obstacles)},
};
static const StxScanviewParams defaults = STX_SCANVIEW_DEFAULTS;
const StxFields stx_scanview_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_scanview_check(const StxScanviewParams *params, StxError *error)
{
  return stx_fields_check(&stx_scanview_fields, params, error);
}

/* ---- Colours ------------------------------------------------------------------------------- */

/* A point that is seen. */
typedef struct {
  float z, u, v; /* metres along the optical axis; pixels */
  StxRgb colour;
} Dot;

/* Properties of the whole scan that its colours need. */
typedef struct {
  StxScanviewMode mode;
  double full_range;
  float full_intensity;
} Shades;

static StxRgb ramp(float value, float low, float high)
{
  float share = (value - low) / (high - low);
  int index = share > 0 ? share < 1 ? (int)(share * 255 + 0.5f) : 255 : 0;
  return stx_palette_colour(STX_PALETTE_DISTANCE, index);
}

static StxRgb colour_of(const Shades *shades, const float *p, const uint32_t *label)
{
  switch (shades->mode) {
  case STX_SCANVIEW_HEIGHT:
    return ramp(p[2], -2, 2);
  case STX_SCANVIEW_INTENSITY:
    return ramp(p[3], 0, shades->full_intensity);
  case STX_SCANVIEW_RANGE:
    break;
  default:
    if (label != NULL)
      return stx_scan_colour(*label, shades->mode == STX_SCANVIEW_CLUSTERS);
  }
  double range = sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
  return ramp((float)-range, (float)-shades->full_range, 0);
}

/* ---- Places -------------------------------------------------------------------------------- */

static double row_of(const double *row, const float *p)
{
  return row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
}

/* Not a number fails every comparison. */
static bool place(const StxScanviewLens *lens, int width, int height, const float *p, Dot *dot)
{
  double z = row_of(lens->extrinsics + 8, p);
  if (!(z >= NEAREST && z < INFINITY))
    return false;
  double u = lens->camera.focal * (row_of(lens->extrinsics, p) / z) + lens->camera.cx;
  double v = lens->camera.focal * (row_of(lens->extrinsics + 4, p) / z) + lens->camera.cy;
  if (!(u > -MARGIN && u < width + MARGIN && v > -MARGIN && v < height + MARGIN))
    return false;
  dot->z = (float)z;
  dot->u = (float)u;
  dot->v = (float)v;
  return true;
}

/* ---- Order --------------------------------------------------------------------------------- */

static uint32_t bits_of(float z) /* positive: larger bits, farther */
{
  uint32_t bits;
  memcpy(&bits, &z, sizeof bits);
  return bits;
}

/* One digit of the sort: from the farthest on. */
static void sort_digit(const Dot *from, Dot *to, size_t count, int shift, uint32_t *starts)
{
  memset(starts, 0, DIGITS * sizeof *starts);
  for (size_t i = 0; i < count; i++)
    starts[DIGITS - 1 - (bits_of(from[i].z) >> shift & (DIGITS - 1))]++;
  uint32_t sum = 0;
  for (int d = 0; d < DIGITS; d++) {
    uint32_t here = starts[d];
    starts[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++)
    to[starts[DIGITS - 1 - (bits_of(from[i].z) >> shift & (DIGITS - 1))]++] = from[i];
}

/* Is `a` drawn over `b`, a dot that is equally far? */
static bool is_over(const Dot *a, const Dot *b)
{
  if (a->u != b->u)
    return a->u > b->u;
  if (a->v != b->v)
    return a->v > b->v;
  int light_a = a->colour.r + a->colour.g + a->colour.b;
  int light_b = b->colour.r + b->colour.g + b->colour.b;
  return light_a != light_b ? light_a > light_b
                            : memcmp(&a->colour, &b->colour, sizeof a->colour) > 0;
}

/* ---- Entry --------------------------------------------------------------------------------- */

typedef struct {
  Dot *dots, *other;
  StxCanvasDot *sorted;
  float *depths;
  uint32_t *starts;
} Room;

static size_t lay_out(size_t points, Room *room, void *memory)
{
  StxLayout at = {.memory = memory};
  STX_TAKE(&at, room->dots, points);
  STX_TAKE(&at, room->other, points);
  STX_TAKE(&at, room->sorted, points);
  STX_TAKE(&at, room->depths, points);
  STX_TAKE(&at, room->starts, (size_t)DIGITS);
  return at.size;
}

size_t stx_scanview_size(size_t points)
{
  Room room;
  return lay_out(points, &room, NULL);
}

size_t stx_scanview_dots(const StxScanviewParams *params, const StxScanviewLens *lens, int width,
    int height, const StxScan *scan, void *memory, const StxCanvasDot **dots, const float **depths)
{
  Room room;
  size_t count = 0;
  Shades shades = {params->mode, params->max_range,
      params->mode == STX_SCANVIEW_INTENSITY ? stx_scan_full_intensity(scan->points, scan->count)
                                             : 1};
  lay_out(scan->count, &room, memory);
  for (size_t i = 0; i < scan->count; i++) {
    const float *point = scan->points + 4 * i;
    if (!place(lens, width, height, point, &room.dots[count]))
      continue;
    room.dots[count++].colour =
        colour_of(&shades, point, scan->labels == NULL ? NULL : &scan->labels[i]);
  }
  sort_digit(room.dots, room.other, count, 0, room.starts);
  sort_digit(room.other, room.dots, count, DIGIT, room.starts);
  sort_digit(room.dots, room.other, count, 2 * DIGIT, room.starts);
  for (size_t i = 1; i < count; i++) { /* few are equally far */
    Dot dot = room.other[i];
    size_t at = i;
    for (; at > 0 && room.other[at - 1].z == dot.z && is_over(&room.other[at - 1], &dot); at--)
      room.other[at] = room.other[at - 1];
    room.other[at] = dot;
  }
  for (size_t i = 0; i < count; i++) {
    const Dot *dot = &room.other[i];
    room.sorted[i] = (StxCanvasDot){dot->u + .5f, dot->v + .5f, dot->colour};
    room.depths[i] = dot->z;
  }
  *dots = room.sorted;
  if (depths != NULL)
    *depths = room.depths;
  return count;
}

/* ---- On a canvas --------------------------------------------------------------------------- */

#define BOX_NEAREST .1 /* metres */

static void draw_legend(const StxScanviewParams *params, const StxScan *scan, StxCanvas *canvas)
{
  StxBar bar = {.palette = STX_PALETTE_DISTANCE, .title = "range", .unit = "m"};
  switch (params->mode) {
  case STX_SCANVIEW_HEIGHT:
    bar.title = "height";
    bar.low = -2;
    bar.high = 2;
    break;
  case STX_SCANVIEW_INTENSITY:
    bar.title = "intensity";
    bar.unit = NULL;
    bar.high = (double)stx_scan_full_intensity(scan->points, scan->count);
    break;
  default:
    bar.reversed = true;
    bar.high = params->max_range;
  }
  if (scan->labels != NULL &&
      (params->mode == STX_SCANVIEW_CLUSTERS || params->mode == STX_SCANVIEW_LABELS))
    stx_scan_names(canvas, params->legend, params->mode == STX_SCANVIEW_CLUSTERS, NULL);
  else
    stx_canvas_bar(canvas, params->legend, &bar);
}

size_t stx_scanview_draw(const StxScanviewParams *params, const StxScanviewLens *lens,
    const StxScan *scan, double strength, int threads, void *memory, StxCanvas *canvas)
{
  const StxCanvasParams *frame = stx_canvas_params(canvas);
  const StxCanvasDot *dots;
  size_t count =
      stx_scanview_dots(params, lens, frame->width, frame->height, scan, memory, &dots, NULL);
  double suits = fmin(fmax(frame->width / 500., 1.5), 9); /* neighbours on a car do not touch */
  double size = params->point_size > 0 ? params->point_size : suits;
  stx_canvas_dots(canvas, dots, count, size / 2, params->alpha * strength, threads);
  draw_legend(params, scan, canvas);
  return count;
}

/* ---- Boxes --------------------------------------------------------------------------------- */

/* A corner of an obstacle in the picture. `right`, `up`, `far`: 0 or 1. False: behind the camera,
 * or not a number. */
static bool corner_of(const StxScanviewLens *lens, const StxObstacle *o, int right, int up, int far,
    double *u, double *v)
{
  double depth = o->depth > 0 ? o->depth : 0;
  double x = o->x + (right - .5) * o->width, y = o->y - up * o->height, z = o->z + far * depth;
  const double p[3] = {z, -x, -y}; /* on the axes of the points */
  double q[3];
  for (int i = 0; i < 3; i++) {
    const double *row = lens->extrinsics + 4 * i;
    q[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
  }
  *u = lens->camera.focal * q[0] / q[2] + lens->camera.cx;
  *v = lens->camera.focal * q[1] / q[2] + lens->camera.cy;
  return q[2] >= BOX_NEAREST && isfinite(*u) && isfinite(*v);
}

/* The rectangle around the box's corners, if its middle is in the picture; a box seen from its side
 * fills half of it. */
static bool box_of(const StxScanviewLens *lens, const StxCanvasParams *frame,
    const StxObstacle *obstacle, StxBox *box)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < 8; i++) {
    double at[2];
    if (!corner_of(lens, obstacle, i & 1, i >> 1 & 1, i >> 2, &at[0], &at[1]))
      return false;
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], at[k] + .5);
      high[k] = fmax(high[k], at[k] + .5);
    }
  }
  *box = (StxBox){low[0], low[1], high[0] - low[0], high[1] - low[1]};
  double x = box->x + box->width / 2, y = box->y + box->height / 2;
  return x >= 0 && x < frame->width && y >= 0 && y < frame->height;
}

/* Above the box, or not at all where that of something nearer is: below, it would stand within
 * another box, and be taken for its distance. */
static bool write_distance(
    const StxBox *box, double distance, double size, StxRgb colour, StxCanvas *canvas)
{
  char text[32];
  int tenths = (int)(distance * 10 + .5); /* a decimal point in every locale */
  StxSpot above = {box->x + box->width / 2, box->y - size / 2};
  snprintf(text, sizeof text, "%d.%d m", tenths / 10, tenths % 10);
  return stx_canvas_label(canvas, text, size, above, STX_ANCHOR_CENTRE_BASE, colour);
}

/* Whether it is one of a scan that is seen; then its box, and how it is drawn. */
static bool is_seen(const StxScanviewLens *lens, const StxCanvas *canvas,
    const StxObstacle *obstacle, StxBox *box, StxRgb *colour)
{
  bool warns = obstacle->flags & STX_OBSTACLE_IN_CORRIDOR;
  *colour = stx_colour(warns ? STX_MEANS_WARNING : STX_MEANS_INK);
  return obstacle->source == STX_OBSTACLE_LIDAR &&
         box_of(lens, stx_canvas_params(canvas), obstacle, box);
}

/* No box lies over a distance, so the distances come last. */
void stx_scanview_boxes(const StxScanviewLens *lens, const StxObstacle *obstacles, size_t count,
    double strength, StxCanvas *canvas)
{
  const StxCanvasParams *frame = stx_canvas_params(canvas);
  StxCanvasUnit unit = stx_canvas_unit(frame->width, frame->height);
  StxBox box;
  StxRgb colour;
  for (size_t i = count; i-- > 0;)
    if (is_seen(lens, canvas, &obstacles[i], &box, &colour))
      stx_canvas_outline(canvas, box, unit.line * 2, unit.line, (StxInk){colour, strength});
  size_t i = count;
  for (int left = STX_LABELS_MAX; left > 0;) {
    i = stx_label_next(obstacles, NULL, count, i);
    if (i == count)
      break;
    if (is_seen(lens, canvas, &obstacles[i], &box, &colour))
      left -= write_distance(&box, (double)obstacles[i].z, unit.text, colour, canvas);
  }
}
