/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn over stixels: the camera's cone, corridor, obstacles, legend. */
#include <stdio.h>

#include "common/bev/bev_over.h"

#define SLOW .3  /* metres per second: standing still, as far as anybody can tell */
#define AHEAD .5 /* seconds that an arrow of speed is long */

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
  stx_sheet_line(scene->over.sheet, ray, 2, scene->over.line, stx_bev_ink(STX_MEANS_SENSOR, .45));
}

static void draw_corridor(const Scene *scene)
{
  const StxBevStixelsParams *p = scene->params;
  double left = p->corridor_offset - p->corridor_width / 2, right = left + p->corridor_width;
  const StxSpot edge[] = {stx_bev_spot(&scene->over, left, 0),
      stx_bev_spot(&scene->over, left, p->corridor_length),
      stx_bev_spot(&scene->over, right, p->corridor_length), stx_bev_spot(&scene->over, right, 0)};
  if (p->corridor_width > 0 && p->corridor_length > 0)
    stx_sheet_line(
        scene->over.sheet, edge, 4, 1.5 * scene->over.line, stx_bev_ink(STX_MEANS_CORRIDOR, .7));
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

/* Where it will be in half a second, seen from the sensor, as both go on now. */
static void draw_speed(const Scene *scene, const StxObstacle *o, StxBox box)
{
  const StxBevOver *over = &scene->over;
  double right = (double)o->lateral_speed, ahead = -(double)o->closing_speed;
  double speed = sqrt(right * right + ahead * ahead), head = .6 * over->text;
  if (!(speed >= SLOW))
    return;
  double x = right / speed, y = -ahead / speed, length = AHEAD * speed * over->plan.scale;
  StxSpot from = {box.x + box.width / 2, box.y + box.height / 2};
  StxSpot tip = {from.x + x * length, from.y + y * length};
  const StxSpot shaft[] = {from, tip};
  const StxSpot barbs[] = {{tip.x - (x - .5 * y) * head, tip.y - (y + .5 * x) * head}, tip,
      {tip.x - (x + .5 * y) * head, tip.y - (y - .5 * x) * head}};
  StxInk ink = stx_bev_ink(meaning_of(o), .9);
  stx_sheet_line(over->sheet, shaft, 2, 1.3 * over->line, ink);
  stx_sheet_line(over->sheet, barbs, 3, 1.3 * over->line, ink);
}

/* Beside the box, where there is room. */
static void draw_number(const Scene *scene, const StxObstacle *o, StxBox box)
{
  char text[16];
  double pad = scene->over.text / 3, y = box.y + box.height / 2;
  StxRgb colour = stx_colour(meaning_of(o));
  snprintf(text, sizeof text, "%u", o->id);
  if (o->id > 0 && !stx_sheet_label(scene->over.sheet, text, scene->over.text,
                       (StxSpot){box.x + box.width + pad, y}, STX_ANCHOR_LEFT_MIDDLE, colour))
    stx_sheet_label(scene->over.sheet, text, scene->over.text, (StxSpot){box.x - pad, y},
        STX_ANCHOR_RIGHT_MIDDLE, colour);
}

static void draw_obstacles(const Scene *scene)
{
  const StxBevStixels *s = scene->stixels;
  for (size_t i = 0; i < s->obstacle_count; i++) {
    StxBox box = box_of(scene, &s->obstacles[i]);
    stx_sheet_outline(scene->over.sheet, box, 0, 1.3 * scene->over.line,
        stx_bev_ink(meaning_of(&s->obstacles[i]), .9));
    draw_speed(scene, &s->obstacles[i], box);
  }
  for (size_t i = 0; i < s->obstacle_count; i++) /* the nearest first: they get the room */
    draw_number(scene, &s->obstacles[i], box_of(scene, &s->obstacles[i]));
}

/* ---- Legend ------------------------------------------------------------------------------- */

void stx_bev_tell_bar(StxBev *bev, const StxBar *bar)
{
  stx_sheet_claim(bev->sheet, stx_sheet_bar(bev->legend, bev->params.legend, bar));
}

void stx_bev_tell_names(StxBev *bev, const char *title, const StxName *names, size_t count)
{
  stx_sheet_claim(
      bev->sheet, stx_sheet_names(bev->legend, bev->params.legend, title, names, count));
}

void stx_bev_tell_height(StxBev *bev, const StxName *names, size_t count)
{
  const StxBar bar = {.palette = STX_PALETTE_DISTANCE,
      .low = -2,
      .high = 2,
      .title = "height",
      .unit = "m",
      .names = names,
      .count = count};
  if (bev->tells_height)
    stx_bev_tell_names(bev, NULL, names, count);
  else
    stx_bev_tell_bar(bev, &bar);
  bev->tells_height = true;
}

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

/* What lies on the ground; `area` is what the ground's colour shows where that is not its class. */
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
  bool seen[4] = {false};
  for (size_t i = 0; i < scene->stixels->count; i++)
    seen[scene->stixels->stixels[i].kind & 3] = true;
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
    else if (s->kind != STX_KIND_SKY)
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

static void list_obstacles(Names *names, const Scene *scene)
{
  names->name[names->count++] = (StxName){.name = "obstacle", .swatch = STX_SWATCH_CLUSTERS};
  add(names, "of no obstacle", STX_BEV_NONE);
  list_areas(names, scene, STX_BEV_NO_CLASS);
}

static void draw_distances(StxBev *bev, const Scene *scene, const Names *names)
{
  const StxBar bar = {.palette = STX_PALETTE_DISTANCE,
      .reversed = true,
      .high = scene->params->max_distance,
      .title = "distance",
      .unit = "m",
      .names = names->name,
      .count = names->count};
  stx_bev_tell_bar(bev, &bar);
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
    list_obstacles(&names, scene);
    stx_bev_tell_names(bev, "stixels", names.name, names.count);
    break;
  case STX_BEV_BY_HEIGHT:
    list_areas(&names, scene, STX_BEV_NO_CLASS);
    stx_bev_tell_height(bev, names.name, names.count);
    break;
  default:
    list_areas(&names, scene, STX_BEV_NO_CLASS);
    draw_distances(bev, scene, &names);
  }
}

void stx_bev_draw_over(StxBev *bev, const StxBevStixelsParams *params, const StxBevStixels *stixels)
{
  Scene scene = {stx_bev_over(bev, bev->sheet), params, stixels};
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
