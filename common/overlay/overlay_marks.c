/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines and text over the picture: how far it is free, the corridor, distances of obstacles or of
 * the stixels themselves. */
#include "common/overlay/overlay_marks.h"
#include "common/metres.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/overlay/overlay_private.h"

#define BORDER .6 /* opacity of the dark border around a line */
#define WIDER 2.  /* width of the border, of the line's */

/* A frame's marks while they are drawn. */
typedef struct {
  StxCanvas *canvas;
  const StxOverlayParams *params;
  const StxOverlayFacts *facts;
  StxPlacement at; /* of the image in the frame */
  double text, line;
} Marks;

/* A point of the image, from its top left corner, in the frame. */
static StxSpot spot_of(const Marks *marks, double u, double v)
{
  StxSpot spot;
  stx_placement_point(&marks->at, u, v, &spot.x, &spot.y);
  return spot;
}

/* A line that shows on any picture. */
static void stroke(const Marks *marks, const StxSpot *points, size_t count, StxMeaning meaning)
{
  StxInk border = {stx_colour(STX_MEANS_HALO), BORDER}, ink = {stx_colour(meaning), 1};
  stx_canvas_line(marks->canvas, points, count, marks->line * WIDER, border);
  stx_canvas_line(marks->canvas, points, count, marks->line, ink);
}

/* ---- Free space --------------------------------------------------------------------------- */

/* The row below the lowest object of a column whose records begin at *next, or -1; *next goes on to
 * the next column. */
static int lowest_object(const StxOverlayFacts *facts, int column, size_t *next)
{
  int row = -1;
  for (; *next < facts->stixel_count && facts->stixels[*next].column <= column; ++*next) {
    const StxStixel *stixel = &facts->stixels[*next];
    if (row < 0 && stixel->column == column && stixel->kind == STX_KIND_OBJECT)
      row = stixel->bottom + 1;
  }
  return row;
}

static int free_row(const StxOverlayFacts *facts, int column, size_t *next)
{
  if (facts->free_space == NULL)
    return lowest_object(facts, column, next);
  if ((size_t)column >= facts->free_count)
    return -1;
  const StxFreeSpace *space = &facts->free_space[column];
  return isfinite(space->z) ? space->row + 1 : -1;
}

static void draw_free_space(const Marks *marks, StxSpot *steps)
{
  const StxOverlayParams *params = marks->params;
  size_t next = 0, count = 0;
  for (int c = 0; c < params->columns; c++) {
    int row = free_row(marks->facts, c, &next);
    double left = (double)c * params->stixel_width, right = left + params->stixel_width;
    if (row < 0 || row > params->height || left >= params->width) {
      if (count > 0)
        stroke(marks, steps, count, STX_MEANS_FREE_SPACE);
      count = 0;
      continue;
    }
    steps[count++] = spot_of(marks, left, row);
    steps[count++] = spot_of(marks, fmin(right, params->width), row);
  }
  if (count > 0)
    stroke(marks, steps, count, STX_MEANS_FREE_SPACE);
}

/* ---- The road ------------------------------------------------------------------------------ */

/* A plane: in an image its rows, from the centre of the first, are linear in disparity. */
typedef struct {
  double horizon, slope; /* row = horizon + slope · disparity */
} Road;

#define FEW 8      /* stixels of the ground say too little of it */
#define OUTLIER 10 /* rows: ground that is no part of the road */

/* Sums of a line by least squares. */
typedef struct {
  double n, d, row, dd, drow;
  size_t stixels;
} Sums;

static void add(Sums *sums, double disparity, double row, double weight)
{
  sums->n += weight;
  sums->d += weight * disparity;
  sums->row += weight * row;
  sums->dd += weight * disparity * disparity;
  sums->drow += weight * disparity * row;
}

static bool is_ground(const StxStixel *stixel)
{
  return stixel->kind == STX_KIND_GROUND && stixel->disparity_top > 0 &&
         stixel->disparity_bottom > stixel->disparity_top && isfinite(stixel->disparity_bottom);
}

static double row_at(const Road *road, double disparity)
{
  return road->horizon + road->slope * disparity;
}

static bool fits(const Road *known, const StxStixel *stixel)
{
  return known == NULL ||
         (fabs(row_at(known, (double)stixel->disparity_top) - stixel->top) < OUTLIER &&
             fabs(row_at(known, (double)stixel->disparity_bottom) - stixel->bottom) < OUTLIER);
}

/* Fits the road to all stixels of the ground, or to those near `known`. False: too few. */
static bool fit(const StxOverlayFacts *facts, const Road *known, Road *road)
{
  Sums sums = {0};
  for (size_t i = 0; i < facts->stixel_count; i++) {
    const StxStixel *stixel = &facts->stixels[i];
    if (!is_ground(stixel) || !fits(known, stixel))
      continue;
    add(&sums, (double)stixel->disparity_top, stixel->top, stixel->bottom - stixel->top + 1);
    add(&sums, (double)stixel->disparity_bottom, stixel->bottom, stixel->bottom - stixel->top + 1);
    sums.stixels++;
  }
  double spread = sums.n * sums.dd - sums.d * sums.d;
  if (sums.stixels < FEW || !(spread > 0))
    return false;
  road->slope = (sums.n * sums.drow - sums.d * sums.row) / spread;
  road->horizon = (sums.row - road->slope * sums.d) / sums.n;
  return road->slope > 0;
}

static bool find_road(const StxCamera *camera, const StxOverlayFacts *facts, Road *road)
{
  Road first;
  if (fit(facts, NULL, &first)) {
    if (!fit(facts, &first, road))
      *road = first;
    return true;
  }
  if (!stx_camera_has_ground(camera))
    return false;
  road->horizon = camera->cy - camera->focal * tan(camera->pitch);
  road->slope = camera->height / (camera->baseline * cos(camera->pitch));
  return true;
}

/* ---- Corridor ----------------------------------------------------------------------------- */

/* A point of the road at x metres to the right, where things have that disparity. */
static StxSpot road_spot(const Marks *marks, const Road *road, double x, double disparity)
{
  const StxCamera *camera = &marks->params->camera;
  double cx = camera->missing & STX_CAMERA_CX ? (marks->params->width - 1) / 2. : camera->cx;
  return spot_of(marks, cx + .5 + x * disparity / camera->baseline,
      road->horizon + .5 + road->slope * disparity);
}

/* The sides of the corridor are straight lines in the image: places and rows are linear in
 * disparity. They begin at the image's lower edge. */
static void draw_corridor(const Marks *marks)
{
  const StxOverlayParams *params = marks->params;
  double half = params->corridor_width / 2, offset = params->corridor_offset;
  Road road;
  if (!stx_camera_is_metric(&params->camera) || !find_road(&params->camera, marks->facts, &road))
    return;
  double far = params->camera.focal * params->camera.baseline / params->corridor_length;
  double near = (params->height - .5 - road.horizon) / road.slope;
  if (!(near > far))
    return;
  StxSpot line[] = {road_spot(marks, &road, offset - half, near),
      road_spot(marks, &road, offset - half, far), road_spot(marks, &road, offset + half, far),
      road_spot(marks, &road, offset + half, near)};
  stroke(marks, line, 4, STX_MEANS_CORRIDOR);
}

/* ---- Velocities --------------------------------------------------------------------------- */

#define ARROW_SECONDS .5
#define NEAREST .5 /* m: an arrow ends there, if what it shows passes the camera before */
#define SHORTEST 3 /* lines wide: a shorter arrow shows nothing */

/* Draws the arrow from a foot (u, v), where things have that disparity, to its later place. */
static void draw_velocity(const Marks *marks, double u, double v, double disparity,
    const StxVelocity *velocity, double width)
{
  const StxCamera *c = &marks->params->camera;
  double cx = c->missing & STX_CAMERA_CX ? (marks->params->width - 1) / 2. : c->cx;
  double cy = c->missing & STX_CAMERA_CY ? (marks->params->height - 1) / 2. : c->cy;
  double z = c->focal * c->baseline / disparity, seconds = ARROW_SECONDS;
  double speed_x = (double)velocity->x, speed_z = (double)velocity->z;
  if (velocity->moves < STX_MOVES_ON || !isfinite(speed_x + speed_z) || !(z > NEAREST))
    return;
  if (z + speed_z * seconds < NEAREST)
    seconds = (NEAREST - z) / speed_z;
  double then = z + speed_z * seconds, x = (u - cx - .5) * z / c->focal + speed_x * seconds;
  StxSpot from = spot_of(marks, u, v);
  StxSpot tip = spot_of(marks, cx + .5 + x * c->focal / then, cy + .5 + (v - cy - .5) * z / then);
  if (hypot(tip.x - from.x, tip.y - from.y) < SHORTEST * width)
    return;
  StxInk border = {stx_colour(STX_MEANS_HALO), BORDER};
  StxInk ink = {
      stx_colour(velocity->moves == STX_MOVES_ONCOMING ? STX_MEANS_WARNING : STX_MEANS_INK), 1};
  stx_canvas_arrow(marks->canvas, from, tip, marks->text / 2, width * WIDER, border);
  stx_canvas_arrow(marks->canvas, from, tip, marks->text / 2, width, ink);
}

/* The key of the arrows' lengths, in the lower left corner. */
static void draw_key(const Marks *marks)
{
  char text[32];
  double y = marks->params->frame_height - 1.5 * marks->text, length = 2 * marks->text;
  StxInk ink = {stx_colour(STX_MEANS_INK), 1}, border = {stx_colour(STX_MEANS_HALO), BORDER};
  StxSpot from = {marks->text / 2, y}, tip = {marks->text / 2 + length, y};
  snprintf(text, sizeof text, "over ground, %.1f s", ARROW_SECONDS);
  stx_canvas_arrow(marks->canvas, from, tip, marks->text / 2, marks->line * WIDER, border);
  stx_canvas_arrow(marks->canvas, from, tip, marks->text / 2, marks->line, ink);
  stx_canvas_label(marks->canvas, text, marks->text, (StxSpot){tip.x + marks->text / 2, y},
      STX_ANCHOR_LEFT_MIDDLE, ink.colour);
}

/* Thin ones of stixels, below those of obstacles. */
static void draw_velocities(const Marks *marks)
{
  const StxOverlayFacts *facts = marks->facts;
  const StxCamera *c = &marks->params->camera;
  double stixel_width = marks->params->stixel_width;
  if (!stx_camera_is_metric(c) || facts->velocities == NULL)
    return;
  for (size_t i = 0; facts->stixel_velocities != NULL && i < facts->stixel_count; i++) {
    const StxStixel *s = &facts->stixels[i];
    if (s->disparity_bottom > 0)
      draw_velocity(marks, (s->column + .5) * stixel_width, s->bottom + 1,
          (double)s->disparity_bottom, &facts->stixel_velocities[i], marks->line / 2);
  }
  for (size_t i = 0; i < facts->obstacle_count; i++) {
    const StxObstacle *o = &facts->obstacles[i];
    draw_velocity(marks, .5 * (o->left + o->right + 1), o->bottom + 1,
        c->focal * c->baseline / (double)o->z, &facts->velocities[i], 1.5 * marks->line);
  }
  draw_key(marks);
}

#define NARROWEST 1.5 /* heights of text: narrower things of stixels have no label */
#define STEP .05      /* neighbours are one thing if their disparities differ by this share, */
#define STEP_PIXELS 1 /* or by so many pixels, at most */

/* Something that gets a label: where it is in the image, pixels from its top left corner. */
typedef struct {
  double left, right, top;
  double disparity; /* of the nearest */
} Thing;

/* ---- Labels ------------------------------------------------------------------------------- */

/* Above the upper edge from `left` to `right`; else higher, or just below it. False: there is no
 * room. */
static bool put_label(const Marks *marks, const char *text, double left, double right, double top)
{
  static const double lines[] = {0, -1, -2, 1.3};
  StxRgb ink = stx_colour(STX_MEANS_INK);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    StxSpot at = {(left + right) / 2, top + marks->text * (1.7 * lines[i] - .6)};
    /* Into the frame, and a little more, so that rounding does not matter. */
    StxBox box = stx_canvas_text_box(text, marks->text, at, STX_ANCHOR_CENTRE_BASE);
    double beyond = box.x + box.width - marks->params->frame_width;
    at.x += box.x < 0 ? .5 - box.x : beyond > 0 ? -.5 - beyond : 0;
    if (!stx_canvas_label(marks->canvas, text, marks->text, at, STX_ANCHOR_CENTRE_BASE, ink))
      continue;
    const StxSpot edge[] = {{left, top}, {right, top}};
    double first = fmax(left, 0), above = fmax(top - marks->line / 2, 0);
    StxBox line = {first, above, fmin(right, marks->params->frame_width) - first, marks->line};
    /* No line strikes out what is written of something nearer, nor the other way round. */
    if (!(marks->params->labels & STX_OVERLAY_LABEL_BOX) && stx_canvas_claim(marks->canvas, line))
      stroke(marks, edge, 2, STX_MEANS_INK);
    return true;
  }
  return false;
}

/* ---- Obstacles ---------------------------------------------------------------------------- */

/* Rounds a number from 10 on to two digits. */
static long two_digits(double value, double (*whole)(double))
{
  double unit = value >= 100 ? pow(10, floor(log10(value)) - 1) : 1;
  return (long)(whole(value / unit) * unit + .5);
}

void stx_metres_spell(double depth, double deviation, char text[STX_METRES_TEXT])
{
  double off = deviation / depth, least = depth / (1 + 2 * off);
  bool more = off >= 1. / 3, about = off >= .1 && !more;
  double value = more ? least : depth;
  const char *sign = more ? "> " : about ? "\u2248 " : "";
  if (!(value < 1e9))
    snprintf(text, STX_METRES_TEXT, "far");
  else if (value < 9.95)
    snprintf(
        text, STX_METRES_TEXT, "%s%ld.%ld m", sign, lrint(10 * value) / 10, lrint(10 * value) % 10);
  else
    snprintf(text, STX_METRES_TEXT, "%s%ld m", sign,
        more    ? two_digits(value, floor)
        : about ? two_digits(value, rint)
                : lrint(value));
}

/* Puts a dot between this and what was written before. */
static void spell_on(char *text, size_t size, const char *part)
{
  size_t length = strlen(text);
  if (part[0] != '\0')
    snprintf(text + length, size - length, "%s%s", length > 0 ? " \u00b7 " : "", part);
}

/* Writes the label of an obstacle: those of its number, class, distance and speed that are
 * wanted. */
static void spell(const StxOverlayParams *params, const StxObstacle *obstacle,
    const StxVelocity *velocity, char *text, size_t size)
{
  char part[STX_METRES_TEXT];
  text[0] = '\0';
  if (params->labels & STX_OVERLAY_LABEL_ID && obstacle->id > 0) {
    snprintf(part, sizeof part, "#%u", obstacle->id);
    spell_on(text, size, part);
  }
  if (params->labels & STX_OVERLAY_LABEL_CLASS && obstacle->label < STX_LABEL_CLASSES)
    spell_on(text, size, stx_label_name(obstacle->label));
  if (params->labels & STX_OVERLAY_LABEL_DISTANCE) {
    bool scanned = obstacle->source == STX_OBSTACLE_LIDAR;
    double z = obstacle->z, deviation = scanned ? 0 : stx_metres_deviation(&params->camera, z);
    stx_metres_spell(z, deviation, part);
    spell_on(text, size, part);
  }
  if (params->labels & STX_OVERLAY_LABEL_SPEED && velocity != NULL &&
      velocity->moves >= STX_MOVES_ON && isfinite(velocity->x + velocity->z)) {
    snprintf(part, sizeof part, "%.1f m/s", hypot((double)velocity->x, (double)velocity->z));
    spell_on(text, size, part);
  }
}

static void draw_frame(const Marks *marks, const StxObstacle *o, StxMeaning meaning)
{
  StxSpot corners[] = {spot_of(marks, o->left, o->top), spot_of(marks, o->right + 1, o->top),
      spot_of(marks, o->right + 1, o->bottom + 1), spot_of(marks, o->left, o->bottom + 1),
      spot_of(marks, o->left, o->top)};
  stroke(marks, corners, sizeof corners / sizeof corners[0], meaning);
}

/* Frames of the obstacles whose labels come first, the nearest above the others. Small things and
 * holes, which are no stixels, always have one. */
static void draw_frames(const Marks *marks)
{
  const StxOverlayFacts *facts = marks->facts;
  size_t order[STX_LABELS_MOST], count = 0, last = facts->obstacle_count;
  int most = marks->params->labels & STX_OVERLAY_LABEL_BOX ? marks->params->labels_max : 0;
  while ((int)count < most && (last = stx_label_next(facts->obstacles, facts->velocities,
                                   facts->obstacle_count, last)) < facts->obstacle_count)
    order[count++] = last;
  while (count-- > 0) {
    const StxObstacle *o = &facts->obstacles[order[count]];
    draw_frame(marks, o, o->flags & STX_OBSTACLE_IN_CORRIDOR ? STX_MEANS_WARNING : STX_MEANS_INK);
  }
  for (size_t i = 0; i < facts->obstacle_count; i++)
    if (stx_obstacle_is_hazard(&facts->obstacles[i]))
      draw_frame(marks, &facts->obstacles[i],
          facts->obstacles[i].flags & STX_OBSTACLE_HOLE ? STX_MEANS_FALSE_NEGATIVE
                                                        : STX_MEANS_WARNING);
}

static void label_obstacles(const Marks *marks)
{
  const StxOverlayFacts *facts = marks->facts;
  const StxVelocity *velocities = facts->velocities;
  size_t i = facts->obstacle_count;
  for (int left = marks->params->labels_max; left > 0;) {
    i = stx_label_next(facts->obstacles, velocities, facts->obstacle_count, i);
    if (i == facts->obstacle_count)
      return;
    const StxObstacle *obstacle = &facts->obstacles[i];
    StxSpot from = spot_of(marks, obstacle->left, obstacle->top);
    StxSpot to = spot_of(marks, obstacle->right + 1, obstacle->top);
    char text[96];
    spell(marks->params, obstacle, velocities != NULL ? &velocities[i] : NULL, text, sizeof text);
    if (text[0] != '\0')
      left -= put_label(marks, text, from.x, to.x, from.y);
  }
}

/* ---- Stixels ------------------------------------------------------------------------------ */

/* The nearest object of a column, or NULL; *next goes on to the next column. */
static const StxStixel *nearest_object(const StxOverlayFacts *facts, int column, size_t *next)
{
  const StxStixel *nearest = NULL;
  for (; *next < facts->stixel_count && facts->stixels[*next].column <= column; ++*next) {
    const StxStixel *stixel = &facts->stixels[*next];
    if (stixel->column != column || stixel->kind != STX_KIND_OBJECT ||
        !(stixel->disparity_bottom > 0) || !isfinite(stixel->disparity_bottom))
      continue;
    if (nearest == NULL || stixel->disparity_bottom > nearest->disparity_bottom)
      nearest = stixel;
  }
  return nearest;
}

/* Neighbouring columns whose nearest objects are about as near. Returns their number. */
static size_t find_things(const Marks *marks, Thing *things)
{
  const StxOverlayParams *params = marks->params;
  size_t next = 0, count = 0;
  bool open = false;
  for (int c = 0; c < params->columns; c++) {
    const StxStixel *stixel = nearest_object(marks->facts, c, &next);
    double left = (double)c * params->stixel_width, right = left + params->stixel_width;
    if (stixel == NULL) {
      open = false;
      continue;
    }
    double known = open ? things[count - 1].disparity : 0;
    double off = fabs(known - (double)stixel->disparity_bottom);
    if (!open || !(off <= fmax(STEP_PIXELS, STEP * known)))
      things[count++] = (Thing){left, right, stixel->top, 0};
    Thing *thing = &things[count - 1];
    thing->right = right;
    thing->top = fmin(thing->top, stixel->top);
    thing->disparity = fmax(thing->disparity, (double)stixel->disparity_bottom);
    open = true;
  }
  return count;
}

static int nearer(const void *a, const void *b)
{
  const Thing *one = a, *other = b;
  if (one->disparity != other->disparity)
    return one->disparity > other->disparity ? -1 : 1;
  return one->left < other->left ? -1 : 1;
}

static void label_stixels(const Marks *marks, Thing *things)
{
  const StxCamera *camera = &marks->params->camera;
  size_t count = find_things(marks, things);
  int left = marks->params->labels_max;
  qsort(things, count, sizeof *things, nearer);
  for (size_t i = 0; i < count && left > 0; i++) {
    const Thing *thing = &things[i];
    StxSpot from = spot_of(marks, thing->left, thing->top);
    StxSpot to = spot_of(marks, thing->right, thing->top);
    char text[STX_METRES_TEXT];
    if (to.x - from.x < NARROWEST * marks->text)
      continue;
    snprintf(text, sizeof text, "%.1f px", thing->disparity);
    if (stx_camera_is_metric(camera)) {
      double z = stx_metres_depth(camera, (float)thing->disparity);
      stx_metres_spell(z, stx_metres_deviation(camera, z), text);
    }
    left -= put_label(marks, text, from.x, to.x, from.y);
  }
}

/* ---- All of it ---------------------------------------------------------------------------- */

bool stx_overlay_has_marks(const StxOverlayParams *params)
{
  return params->labels != 0 || params->free_space || params->velocities ||
         params->corridor_width > 0;
}

/* Steps and labels are drawn one after the other. */
size_t stx_overlay_mark_scratch(const StxOverlayParams *params)
{
  size_t steps = 2 * (size_t)params->columns * sizeof(StxSpot);
  size_t labels = (size_t)params->columns * sizeof(Thing);
  return steps > labels ? steps : labels;
}

static Marks begin(StxCanvas *canvas, const StxOverlayParams *params, const StxOverlayFacts *facts)
{
  StxCanvasUnit unit = stx_canvas_unit(params->frame_width, params->frame_height);
  return (Marks){.canvas = canvas,
      .params = params,
      .facts = facts,
      .at = stx_overlay_placement(params),
      .text = params->text_size > 0 ? params->text_size : unit.text,
      .line = params->line_width > 0 ? params->line_width : unit.line};
}

void stx_overlay_draw_lines(
    StxCanvas *canvas, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch)
{
  Marks marks = begin(canvas, params, facts);
  if (params->corridor_width > 0)
    draw_corridor(&marks);
  if (params->free_space)
    draw_free_space(&marks, scratch);
  if (params->velocities)
    draw_velocities(&marks);
  draw_frames(&marks);
}

void stx_overlay_draw_labels(
    StxCanvas *canvas, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch)
{
  Marks marks = begin(canvas, params, facts);
  if (params->labels == 0)
    return;
  if (facts->obstacles != NULL)
    label_obstacles(&marks);
  else if (params->labels & STX_OVERLAY_LABEL_DISTANCE)
    label_stixels(&marks, scratch);
}
