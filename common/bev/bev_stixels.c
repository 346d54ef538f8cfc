/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer of stixels: pieces of wedges, row by row; and what is drawn over it: the camera's cone,
 * corridor, obstacles, legend. */
#include "common/bev/bev_stixels.h"

#include <stdio.h>

#include "common/bev/bev_private.h"
#include "common/metres.h"

#define SLOW .3          /* metres per second: counts as standing still */
#define AHEAD .5         /* seconds that an arrow of speed is long */
#define NEAR_OBSTACLE .5 /* metres between a thing and the obstacle of which it is a part */

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_BEV_BY_DISTANCE, "distance", "Near red to far blue"},
    {STX_BEV_BY_KIND, "kind", "Ground, object, segment"},
    {STX_BEV_BY_CLASS, "class", "Semantic class, Cityscapes' colours"},
    {STX_BEV_BY_OBSTACLE, "obstacle", "One colour each"},
    {STX_BEV_BY_HEIGHT, "height", "Upper edge, 2 m below to 2 m above the camera"},
    {0},
};
static const StxFieldChoice shows[] = {
    {STX_BEV_SHOW_GROUND, "ground", "Ground"},
    {STX_BEV_SHOW_THINGS, "objects", "Objects and segments"},
    {STX_BEV_SHOW_FREE, "free-space", "How far it is free"},
    {STX_BEV_SHOW_CONE, "cone", "Field of view"},
    {STX_BEV_SHOW_OBSTACLES, "obstacles", "Obstacles: boxes, numbers, speeds"},
    {STX_BEV_SHOW_CORRIDOR, "corridor", "Corridor"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxBevStixelsParams, member)

static const StxField fields[] = {
    {"mode", "Mode", "Colours of stixels", FIELD(CHOICE, mode), .choices = modes},
    {"show", "Show", "Parts to draw", FIELD(FLAGS, show), .choices = shows},
    {"max-distance", "Largest distance",
        "Distance of the farthest colour with mode=distance, metres", FIELD(DOUBLE, max_distance),
        .low = 1, .high = 1000, .unit = "m"},
    {"uncertainty", "Uncertainty", "Disparity error drawn as length of an object, pixels",
        FIELD(DOUBLE, uncertainty), .low = 0, .high = 10, .unit = "px"},
    {"corridor-width", "Corridor width", "Width of the corridor, metres (0 = none)",
        FIELD(DOUBLE, corridor_width), .low = 0, .high = 100, .unit = "m"},
    {"corridor-length", "Corridor length", "Length of the corridor, metres",
        FIELD(DOUBLE, corridor_length), .low = 0, .high = 250, .unit = "m"},
    {"corridor-offset", "Corridor offset", "Corridor centre to the right of the camera, metres",
        FIELD(DOUBLE, corridor_offset), .low = -50, .high = 50, .unit = "m"},
    {"labels-max", "Maximum of labels",
        "Numbered obstacles: the nearest, moving ones and those in the corridor first",
        FIELD(INT, labels_max), .high = STX_LABELS_MOST},
    {"fit", "Fit", "Magnify 5 or 25 times where most of what stixels cover is that near",
        FIELD(BOOL, fit)},
};
static const StxBevStixelsParams defaults = STX_BEV_STIXELS_DEFAULTS;
const StxFields stx_bev_stixels_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_bev_stixels_check(const StxBevStixelsParams *params, StxError *error)
{
  return stx_fields_check(&stx_bev_stixels_fields, params, error);
}

bool stx_bev_stixels_can_place(const StxCamera *camera, StxError *error)
{
  bool cx = !(camera->missing & STX_CAMERA_CX);
  if (stx_camera_is_metric(camera) && cx)
    return true;
  return stx_fail(error, "a view from above is to scale, and of the camera is unknown:%s%s%s",
      camera->focal > 0 ? "" : " focal length", camera->baseline > 0 ? "" : " baseline",
      cx ? "" : " cx");
}

double stx_bev_stroke(const StxBevParams *params)
{
  int side = params->width < params->height ? params->width : params->height;
  return side < 640 ? 2 : side / 320.0;
}

/* ---- Pieces of a wedge -------------------------------------------------------------------- */

/* x/z of the rays at its edges, and how it is free: not beyond `free`. */
typedef struct {
  double left, right;
  double free;
} Wedge;

typedef struct {
  double near, far; /* metres; far may be infinite */
} Piece;

typedef struct {
  StxBev *bev;
  const StxBevStixelsParams *params;
  const StxBevStixels *stixels;
  double stroke;
} Layer;

static Wedge wedge_of(const StxBevStixels *s, int column)
{
  double left = (double)column * s->stixel_width - .5, right = left + s->stixel_width;
  right = right < s->width - .5 ? right : s->width - .5;
  return (Wedge){(left - s->camera.cx) / s->camera.focal, (right - s->camera.cx) / s->camera.focal,
      .free = NAN};
}

/* The first whole number from 0 on that is not below `value`, or `high`. Without ceil(), which is a
 * call where the compiler may not use the processor's. */
static int first_from(double value, int high)
{
  if (!(value > 0))
    return 0;
  int below = value < high ? (int)value : high;
  return below < high && below < value ? below + 1 : below;
}

/* All pixels whose centres lie in it; in every row at least `stroke` of them. */
static void fill(StxBev *bev, const Wedge *wedge, Piece piece, double stroke, uint32_t key)
{
  const StxBevPlan *plan = &bev->plan;
  int width = bev->params.width;
  int height = bev->params.height;
  int first = first_from(floor(plan->row - .5 - piece.far * plan->scale) + 1, height);
  int end = first_from(floor(plan->row - .5 - piece.near * plan->scale) + 1, height);
  for (int y = first; y < end; y++) {
    double ahead = plan->row - y - .5;
    double left = plan->column + wedge->left * ahead, right = plan->column + wedge->right * ahead;
    double middle = (left + right) / 2;
    if (right - left < stroke) {
      left = middle - stroke / 2;
      right = middle + stroke / 2;
    }
    stx_bev_put_span(bev, y, first_from(left - .5, width), first_from(right - .5, width), key);
  }
}

/* ---- Records ------------------------------------------------------------------------------ */

static double depth_of(const Layer *layer, double disparity)
{
  const StxCamera *camera = &layer->stixels->camera;
  return disparity > 0 ? camera->focal * camera->baseline / disparity : INFINITY;
}

/* The depth of an edge below the camera, metres. */
static double drop_of(const Layer *layer, double row, double disparity)
{
  const StxCamera *camera = &layer->stixels->camera;
  return (row - camera->cy) * depth_of(layer, disparity) / camera->focal;
}

/* Does a segment reach farther than it rises? */
static bool is_flat(const Layer *layer, const StxStixel *record)
{
  double top = (double)record->disparity_top, bottom = (double)record->disparity_bottom;
  if (layer->stixels->camera.missing & STX_CAMERA_CY || top >= bottom)
    return false;
  double rise = drop_of(layer, record->bottom + .5, bottom) - drop_of(layer, record->top - .5, top);
  return top <= 0 || fabs(rise) < depth_of(layer, top) - depth_of(layer, bottom);
}

static bool is_thing(const Layer *layer, const StxStixel *record)
{
  return record->kind == STX_KIND_OBJECT ||
         (record->kind == STX_KIND_SEGMENT && !is_flat(layer, record));
}

static bool has_place(const Layer *layer, const StxStixel *record)
{
  const StxBevStixels *s = layer->stixels;
  return record->kind <= STX_KIND_OBJECT && (int64_t)record->column * s->stixel_width < s->width &&
         record->top <= record->bottom && isfinite(record->disparity_top) &&
         isfinite(record->disparity_bottom) && record->disparity_bottom > 0;
}

/* The smaller and the larger disparity of its edges; of a thing whose upper edge has none, that of
 * the lower one. */
static void disparities_of(
    const Layer *layer, const StxStixel *record, double *small, double *large)
{
  double top = (double)record->disparity_top, bottom = (double)record->disparity_bottom;
  if (!(top > 0))
    top = is_thing(layer, record) ? bottom : 0;
  *small = top < bottom ? top : bottom;
  *large = top < bottom ? bottom : top;
}

static Piece piece_of(const Layer *layer, const StxStixel *record)
{
  double small, large, stroke = layer->stroke / layer->bev->plan.scale;
  double off = layer->params->uncertainty;
  disparities_of(layer, record, &small, &large);
  if (!is_thing(layer, record))
    return (Piece){depth_of(layer, large), depth_of(layer, small)};
  Piece piece = {depth_of(layer, large + off),
      depth_of(layer, small - off > small / 2 ? small - off : small / 2)};
  double middle = (piece.near + piece.far) / 2;
  if (piece.far - piece.near < stroke)
    piece = (Piece){middle > stroke / 2 ? middle - stroke / 2 : 0, middle + stroke / 2};
  return piece;
}

/* Returns the height of the stixel's upper edge above the camera; 0: it is unknown. */
static float height_of(const Layer *layer, const StxStixel *record)
{
  const StxCamera *camera = &layer->stixels->camera;
  double disparity = (double)record->disparity_top > 0 ? (double)record->disparity_top
                                                       : (double)record->disparity_bottom;
  if (camera->missing & STX_CAMERA_CY)
    return 0;
  return (float)((camera->cy - (record->top - .5)) * depth_of(layer, disparity) / camera->focal);
}

/* ---- Colours ------------------------------------------------------------------------------ */

static uint32_t class_of(const StxStixel *record)
{
  return record->label < STX_LABEL_CLASSES ? record->label : STX_BEV_NO_CLASS;
}

/* The nearest obstacle of which it may be a part. */
static uint32_t obstacle_colour(const Layer *layer, const StxStixel *record, Piece piece)
{
  const StxBevStixels *s = layer->stixels;
  for (size_t i = 0; i < s->obstacle_count; i++) {
    const StxObstacle *o = &s->obstacles[i];
    if (record->column >= o->first_column && record->column <= o->last_column &&
        record->top <= o->bottom && record->bottom >= o->top &&
        piece.far >= (double)o->z - NEAR_OBSTACLE &&
        piece.near <= (double)o->z + (double)o->depth + NEAR_OBSTACLE)
      return STX_BEV_CLUSTER + (o->id > 0 ? o->id : (uint32_t)i + 1) % STX_BEV_HUES;
  }
  return STX_BEV_NONE;
}

static uint32_t colour_of(const Layer *layer, const StxStixel *record, Piece piece)
{
  float far = (float)layer->params->max_distance;
  switch (layer->params->mode) {
  case STX_BEV_BY_KIND:
    return STX_BEV_KIND + record->kind;
  case STX_BEV_BY_CLASS:
    return STX_BEV_CLASS + class_of(record);
  case STX_BEV_BY_OBSTACLE:
    return obstacle_colour(layer, record, piece);
  case STX_BEV_BY_HEIGHT:
    return STX_BEV_RAMPS + stx_bev_ramp(height_of(layer, record), -2, 2);
  default:
    return STX_BEV_RAMPS +
           stx_bev_ramp((float)depth_of(layer, (double)record->disparity_bottom), far, 0);
  }
}

static uint32_t ground_colour(const Layer *layer, const StxStixel *record)
{
  uint32_t class = STX_BEV_NO_CLASS;
  if (layer->params->mode == STX_BEV_BY_CLASS)
    class = class_of(record);
  if (layer->params->mode == STX_BEV_BY_KIND)
    class = record->kind == STX_KIND_GROUND ? STX_BEV_AS_GROUND : STX_BEV_AS_SEGMENT;
  return STX_BEV_ROAD + 2 * class;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static void put_ground(const Layer *layer, const Wedge *wedge, const StxStixel *record)
{
  Piece piece = piece_of(layer, record), within = piece, beyond = piece;
  uint32_t colour = ground_colour(layer, record);
  if (!(layer->params->show & STX_BEV_SHOW_FREE) || !(wedge->free > piece.near)) {
    fill(layer->bev, wedge, piece, 0, colour);
    return;
  }
  within.far = beyond.near = fmin(piece.far, wedge->free);
  fill(layer->bev, wedge, within, 0, colour + 1);
  fill(layer->bev, wedge, beyond, 0, colour);
}

/* The end of a column's free space, by its records; NaN: none. */
static double end_of_free(const Layer *layer, const StxStixel *record, size_t count)
{
  const StxBevStixels *s = layer->stixels;
  double seen = 0, end = INFINITY;
  for (size_t i = 0; i < count; i++) {
    double small, large;
    if (!has_place(layer, &record[i]))
      continue;
    disparities_of(layer, &record[i], &small, &large);
    if (is_thing(layer, &record[i]))
      end = fmin(end, depth_of(layer, large));
    else
      seen = fmax(seen, depth_of(layer, small));
  }
  if (s->free_space != NULL)
    end = record->column < s->directions ? (double)s->free_space[record->column].z : (double)NAN;
  return isinf(end) ? seen : end;
}

/* Records of one column, in a row. */
static void put_column(const Layer *layer, const StxStixel *record, size_t count)
{
  unsigned show = layer->params->show;
  Wedge wedge = wedge_of(layer->stixels, record->column);
  wedge.free = end_of_free(layer, record, count);
  if (show & STX_BEV_SHOW_FREE && wedge.free > 0)
    fill(layer->bev, &wedge, (Piece){0, wedge.free}, 0, STX_BEV_FREE);
  for (size_t i = 0; i < count; i++) {
    if (!has_place(layer, &record[i]))
      continue;
    if (is_thing(layer, &record[i]) && show & STX_BEV_SHOW_THINGS) {
      Piece piece = piece_of(layer, &record[i]);
      fill(layer->bev, &wedge, piece, layer->stroke,
          stx_bev_key(STX_BEV_RANK_THING, stx_bev_height(height_of(layer, &record[i])),
              colour_of(layer, &record[i], piece)));
    } else if (!is_thing(layer, &record[i]) && show & STX_BEV_SHOW_GROUND) {
      put_ground(layer, &wedge, &record[i]);
    }
  }
}

typedef struct {
  StxBevOver over;
  const StxBevStixelsParams *params;
  const StxBevStixels *stixels;
} Scene;

/* ---- Cone and corridor -------------------------------------------------------------------- */

static void draw_ray(const Scene *scene, double column)
{
  const StxCamera *camera = &scene->stixels->camera;
  double slope = (column - camera->cx) / camera->focal;
  double ahead = stx_bev_farthest(&scene->over) / scene->over.plan.scale / sqrt(1 + slope * slope);
  const StxSpot ray[] = {
      stx_bev_spot(&scene->over, 0, 0), stx_bev_spot(&scene->over, slope * ahead, ahead)};
  stx_canvas_line(scene->over.canvas, ray, 2, scene->over.line, stx_bev_ink(STX_MEANS_SENSOR, .45));
}

static void draw_corridor(const Scene *scene)
{
  const StxBevStixelsParams *p = scene->params;
  double left = p->corridor_offset - p->corridor_width / 2, right = left + p->corridor_width;
  const StxSpot edge[] = {stx_bev_spot(&scene->over, left, 0),
      stx_bev_spot(&scene->over, left, p->corridor_length),
      stx_bev_spot(&scene->over, right, p->corridor_length), stx_bev_spot(&scene->over, right, 0)};
  if (p->corridor_width > 0 && p->corridor_length > 0)
    stx_canvas_line(
        scene->over.canvas, edge, 4, 1.5 * scene->over.line, stx_bev_ink(STX_MEANS_CORRIDOR, .7));
}

/* ---- Obstacles ---------------------------------------------------------------------------- */

static StxMeaning meaning_of(const StxObstacle *o)
{
  return o->flags & STX_OBSTACLE_IN_CORRIDOR ? STX_MEANS_WARNING : STX_MEANS_INK;
}

/* Its front, and how far it was seen to reach; at least as large as a stroke. */
static StxBox box_of(const Scene *scene, const StxObstacle *o)
{
  const StxBevOver *over = &scene->over;
  double least = 2 * stx_bev_stroke(over->params);
  double width = (double)o->width * over->plan.scale, depth = (double)o->depth * over->plan.scale;
  StxSpot front = stx_bev_spot(over, (double)o->x, (double)o->z);
  width = width > least ? width : least;
  depth = depth > least ? depth : least;
  return (StxBox){front.x - width / 2, front.y - depth, width, depth};
}

/* Its place in half a second at this velocity, in metres per second. */
static void draw_speed(const Scene *scene, StxSpot from, double right, double ahead, StxInk ink)
{
  const StxBevOver *over = &scene->over;
  double speed = sqrt(right * right + ahead * ahead);
  if (!(speed >= SLOW))
    return;
  double x = right / speed, y = -ahead / speed, length = AHEAD * speed * over->plan.scale;
  StxSpot tip = {from.x + x * length, from.y + y * length};
  stx_canvas_arrow(over->canvas, from, tip, .6 * over->text, 1.3 * over->line, ink);
}

/* Draws the arrows of moving stixels: thin, and below those of obstacles. */
static void draw_stixel_speeds(const Scene *scene)
{
  const StxBevStixels *s = scene->stixels;
  for (size_t i = 0; s->stixel_velocities != NULL && i < s->count; i++) {
    const StxVelocity *v = &s->stixel_velocities[i];
    double u = (s->stixels[i].column + .5) * s->stixel_width - .5;
    double z = s->camera.focal * s->camera.baseline / (double)s->stixels[i].disparity_bottom;
    if (v->moves >= STX_MOVES_ON && z > 0 && isfinite(z))
      draw_speed(scene, stx_bev_spot(&scene->over, (u - s->camera.cx) * z / s->camera.focal, z),
          (double)v->x, (double)v->z, stx_bev_ink(STX_MEANS_CORRIDOR, .5));
  }
}

/* Beside the box, where it fits. False: nowhere, or it has no number. */
static bool draw_number(const Scene *scene, const StxObstacle *o)
{
  StxBox box = box_of(scene, o);
  char text[16];
  double pad = scene->over.text / 3, y = box.y + box.height / 2;
  StxRgb colour = stx_colour(meaning_of(o));
  snprintf(text, sizeof text, "%u", o->id);
  return o->id > 0 && (stx_canvas_label(scene->over.canvas, text, scene->over.text,
                           (StxSpot){box.x + box.width + pad, y}, STX_ANCHOR_LEFT_MIDDLE, colour) ||
                          stx_canvas_label(scene->over.canvas, text, scene->over.text,
                              (StxSpot){box.x - pad, y}, STX_ANCHOR_RIGHT_MIDDLE, colour));
}

static void draw_obstacles(const Scene *scene)
{
  const StxBevStixels *s = scene->stixels;
  const StxVelocity *v = s->velocities;
  draw_stixel_speeds(scene);
  for (size_t i = 0; i < s->obstacle_count; i++) {
    const StxObstacle *o = &s->obstacles[i];
    StxBox box = box_of(scene, o);
    StxSpot middle = {box.x + box.width / 2, box.y + box.height / 2};
    StxInk ink = stx_bev_ink(meaning_of(o), .9);
    stx_canvas_outline(scene->over.canvas, box, 0, 1.3 * scene->over.line, ink);
    if (v == NULL) /* seen from the sensor, as both go on now; else over ground */
      draw_speed(scene, middle, (double)o->lateral_speed, -(double)o->closing_speed, ink);
    else if (v[i].moves >= STX_MOVES_ON)
      draw_speed(scene, middle, (double)v[i].x, (double)v[i].z, ink);
  }
  size_t next = s->obstacle_count;
  for (int left = scene->params->labels_max; left > 0;) {
    next = stx_label_next(s->obstacles, s->velocities, s->obstacle_count, next);
    if (next == s->obstacle_count)
      return;
    left -= draw_number(scene, &s->obstacles[next]);
  }
}

/* ---- Legend ------------------------------------------------------------------------------- */

enum { MOST_NAMES = 2 * STX_LABEL_CLASSES + 8 };

typedef struct {
  const StxBev *bev;
  StxName name[MOST_NAMES];
  size_t count;
} Names;

static void add(Names *names, const char *name, int colour)
{
  names->name[names->count++] = (StxName){.name = name, .colour = names->bev->colour[colour]};
}

/* The ground; `area` is the value of its colour where that is not its class. */
static void list_areas(Names *names, const Scene *scene, int area)
{
  unsigned show = scene->params->show;
  bool free = show & STX_BEV_SHOW_FREE;
  if (show & STX_BEV_SHOW_GROUND && free)
    add(names, "free ground", STX_BEV_ROAD + 2 * area + 1);
  if (show & STX_BEV_SHOW_GROUND)
    add(names, free ? "other ground" : "ground", STX_BEV_ROAD + 2 * area);
  if (free)
    add(names, "free, unseen", STX_BEV_FREE);
}

static void list_kinds(Names *names, const Scene *scene)
{
  bool seen[8] = {false};
  for (size_t i = 0; i < scene->stixels->count; i++)
    seen[scene->stixels->stixels[i].kind & 7] = true;
  if (seen[STX_KIND_OBJECT])
    add(names, "object", STX_BEV_KIND + STX_KIND_OBJECT);
  if (seen[STX_KIND_SEGMENT])
    add(names, "segment", STX_BEV_KIND + STX_KIND_SEGMENT);
  list_areas(names, scene, seen[STX_KIND_GROUND] ? STX_BEV_AS_GROUND : STX_BEV_AS_SEGMENT);
}

/* A class of things in their colour, of ground alone in that of free ground. */
static void list_classes(Names *names, const Scene *scene)
{
  bool things[STX_BEV_CLASSES] = {false}, ground[STX_BEV_CLASSES] = {false};
  for (size_t i = 0; i < scene->stixels->count; i++) {
    const StxStixel *s = &scene->stixels->stixels[i];
    int class = s->label < STX_LABEL_CLASSES ? s->label : STX_BEV_NO_CLASS;
    if (s->kind == STX_KIND_GROUND)
      ground[class] = true;
    else if (s->kind < STX_KIND_SKY)
      things[class] = true;
  }
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    if (things[k] || ground[k])
      add(names, stx_label_name(k), things[k] ? STX_BEV_CLASS + k : STX_BEV_ROAD + 2 * k + 1);
  if (things[STX_BEV_NO_CLASS])
    add(names, "no label", STX_BEV_CLASS + STX_BEV_NO_CLASS);
  if (ground[STX_BEV_NO_CLASS])
    list_areas(names, scene, STX_BEV_NO_CLASS);
  else if (scene->params->show & STX_BEV_SHOW_FREE)
    add(names, "free, unseen", STX_BEV_FREE);
}

static void draw_legend(const Scene *scene, StxBev *bev)
{
  Names names = {.bev = bev};
  switch (scene->params->mode) {
  case STX_BEV_BY_KIND:
    list_kinds(&names, scene);
    stx_bev_tell_names(bev, "kind of stixel", names.name, names.count);
    break;
  case STX_BEV_BY_CLASS:
    list_classes(&names, scene);
    stx_bev_tell_names(bev, "class", names.name, names.count);
    break;
  case STX_BEV_BY_OBSTACLE:
    names.name[names.count++] = (StxName){.name = "obstacle", .swatch = STX_SWATCH_CLUSTERS};
    add(&names, "of no obstacle", STX_BEV_NONE);
    list_areas(&names, scene, STX_BEV_NO_CLASS);
    stx_bev_tell_names(bev, "stixels", names.name, names.count);
    break;
  case STX_BEV_BY_HEIGHT:
    list_areas(&names, scene, STX_BEV_NO_CLASS);
    stx_bev_tell_height(bev, names.name, names.count);
    break;
  default:
    list_areas(&names, scene, STX_BEV_NO_CLASS);
    stx_bev_tell_bar(bev, &(StxBar){.palette = STX_PALETTE_DISTANCE,
                              .reversed = true,
                              .high = scene->params->max_distance,
                              .title = "distance",
                              .unit = "m",
                              .names = names.name,
                              .count = names.count});
  }
}

/* Drawn over the layer, as a part of it. */
static void draw_over(StxBev *bev, const StxBevStixelsParams *params, const StxBevStixels *stixels)
{
  Scene scene = {stx_bev_over(bev, bev->canvas), params, stixels};
  bool known = stixels->obstacles != NULL || stixels->free_space != NULL;
  if (params->show & STX_BEV_SHOW_CONE) {
    draw_ray(&scene, -.5);
    draw_ray(&scene, stixels->width - .5);
  }
  if (params->show & STX_BEV_SHOW_CORRIDOR && known)
    draw_corridor(&scene);
  draw_legend(&scene, bev);
  stx_bev_claim_rings(&scene.over);
  if (params->show & STX_BEV_SHOW_OBSTACLES)
    draw_obstacles(&scene);
}

/* ---- All of it ---------------------------------------------------------------------------- */

void stx_bev_put_stixels(
    StxBev *bev, const StxBevStixelsParams *params, const StxBevStixels *stixels)
{
  Layer layer = {bev, params, stixels, stx_bev_stroke(&bev->params)};
  const StxStixel *record = stixels->stixels;
  size_t first = 0;
  for (size_t i = 1; i <= stixels->count; i++) {
    if (i < stixels->count && record[i].column == record[first].column)
      continue;
    if ((int64_t)record[first].column * stixels->stixel_width < stixels->width)
      put_column(&layer, record + first, i - first);
    first = i;
  }
  draw_over(bev, params, stixels);
}
