/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of the street: building an object from convex parts. All sizes in metres, in the object's
 * frame (origin on the ground, y up, z the way it looks).
 */
#ifndef STX_SCENE_PARTS_PRIVATE_H
#define STX_SCENE_PARTS_PRIVATE_H

#include "common/scene/scene_private.h"

/* Paint of what follows: material, class, pattern, colour. */
typedef struct {
  StxScene *scene;
  Material material;
  int label, variant;
  const float *colour;
} Brush;

/* Begins an object at a place; false when the tables are full. The parts that follow belong to it
 * (at most 64 with 256 planes). */
bool stx_scene_begin(StxScene *scene, const ScenePlace *place);
/* The same, sheared along the slope of the road: for what is long and stands on wheels. */
bool stx_scene_begin_on_slope(StxScene *scene, const ScenePlace *place);

void stx_scene_box(
    const Brush *brush, double x0, double x1, double y0, double y1, double z0, double z1);
void stx_scene_capsule(
    const Brush *brush, double r, double ax, double ay, double az, double bx, double by, double bz);
void stx_scene_ellipsoid(
    const Brush *brush, double x, double y, double z, double rx, double ry, double rz);
/* Two wheels of radius r on the ground: inner < |x| < outer, axle at z. */
void stx_scene_wheels(const Brush *brush, double z, double r, double inner, double outer);
/* A convex profile in (z, y), either sense of turn, drawn out to |x| + taper·(y − lowest y) <=
 * half. */
ScenePart *stx_scene_prism(
    const Brush *brush, const double (*zy)[2], int corners, double half, double taper);
/* A plate in the plane z = const: the triangle with a horizontal base and equal sides of 60°. */
void stx_scene_triangle(const Brush *brush, double base, double apex, double z, double thickness);

/* The shadow of the newest object: its outline as a patch on the ground, away from the sun by the
 * shadow of something `up` metres high; round: an ellipse. */
void stx_scene_add_shadow(StxScene *scene, double up, double half_x, double half_z, double soft,
    float strength, bool round);

#endif
