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

static void draw_kinds(const Scene *scene)
{
  static const char *const names[] = {"segment", "ground", "object"};
  StxName list[3];
  size_t count = 0;
  bool seen[3] = {false};
  for (size_t i = 0; i < scene->stixels->count; i++)
    if (scene->stixels->stixels[i].kind < 3)
      seen[scene->stixels->stixels[i].kind] = true;
  for (int kind = 0; kind < 3; kind++)
    if (seen[kind])
      list[count++] = (StxName){names[kind], stx_colour_kind((StxKind)kind)};
  stx_sheet_names(scene->over.sheet, scene->params->legend, list, count);
}

static void draw_classes(const Scene *scene)
{
  StxName list[STX_LABEL_CLASSES];
  size_t count = 0;
  bool seen[256] = {false};
  for (size_t i = 0; i < scene->stixels->count; i++)
    if (scene->stixels->stixels[i].kind != STX_KIND_SKY)
      seen[scene->stixels->stixels[i].label] = true;
  for (int label = 0; label < STX_LABEL_CLASSES; label++)
    if (seen[label])
      list[count++] = (StxName){stx_label_name(label), stx_bev_class_colour(label)};
  stx_sheet_names(scene->over.sheet, scene->params->legend, list, count);
}

static void draw_legend(const Scene *scene)
{
  StxBar distances = {STX_PALETTE_DISTANCE, true, 0, scene->params->max_distance, "m", NULL};
  StxBar heights = {STX_PALETTE_DISTANCE, false, -2, 2, "m", NULL};
  switch (scene->params->mode) {
  case STX_BEV_BY_DISTANCE:
    stx_sheet_bar(scene->over.sheet, scene->params->legend, &distances);
    break;
  case STX_BEV_BY_HEIGHT:
    stx_sheet_bar(scene->over.sheet, scene->params->legend, &heights);
    break;
  case STX_BEV_BY_KIND:
    draw_kinds(scene);
    break;
  case STX_BEV_BY_CLASS:
    draw_classes(scene);
    break;
  default:
    break;
  }
}

void stx_bev_draw_over(
    const StxBevOver *over, const StxBevStixelsParams *params, const StxBevStixels *stixels)
{
  Scene scene = {*over, params, stixels};
  bool known = stixels->obstacles != NULL || stixels->free_space != NULL;
  if (params->show & STX_BEV_SHOW_CONE) {
    draw_ray(&scene, -.5);
    draw_ray(&scene, stixels->width - .5);
  }
  if (params->show & STX_BEV_SHOW_CORRIDOR && known)
    draw_corridor(&scene);
  draw_legend(&scene);
  stx_bev_claim_rings(over);
  if (params->show & STX_BEV_SHOW_OBSTACLES)
    draw_obstacles(&scene);
}
