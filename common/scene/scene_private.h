/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of the street (see scene.h): what its files share. Nothing else includes this.
 *
 *   scene.c         parameters, cameras, frames
 *   scene_ground.c  relief of the road, its intersection with rays, shadows on it
 *   scene_layout.c  what stands where
 *   scene_models.c  what a car, a person, a tree is made of
 *   scene_cast.c    rays against objects
 *   scene_shade.c   colours of surfaces, light, haze
 *   scene_render.c  tiles, outlines, rows to bytes
 *   scene_lidar.c   scans of a spinning LiDAR
 *   scene_board.c   the chessboard: where it is held, rays against it, its colour
 */
#pragma once

#include "common/rectify/rectify.h"
#include "common/calibration/calibration_lens.h"
#include "common/scene/scene.h"

/* ---- Extent of the world, metres ---------------------------------------------------------- */

#define SCENE_BEHIND 60.0 /* objects begin so far behind the camera */
#define SCENE_AHEAD 270.0 /* and end so far ahead */
#define SCENE_END 600.0   /* the ground ends; distant hills stand here */
#define SCENE_HILLS 52.0  /* no hill is higher */
#define SCENE_KNOT 60.0   /* length of one vertical curve of the road */
#define SCENE_KNOTS 14
#define SCENE_KERB_LEFT (-7.7)
#define SCENE_KERB_RIGHT 5.45
#define SCENE_LANE_LEFT (-3.65) /* middle of the oncoming lane; ours is at 0 */
#define SCENE_KERB_HEIGHT .14
#define SCENE_WALK 3.9      /* width of a sidewalk, kerb stone included */
#define SCENE_LOT 14.0      /* mean width of a building lot */
#define SCENE_CROSSING 95.0 /* metres of street per zebra crossing */
#define SCENE_CROSSINGS 8
#define SCENE_SUN_X (-.52) /* unit vector towards the sun: from the left, from behind */
#define SCENE_SUN_Y .74
#define SCENE_SUN_Z (-.4264)

#define SCENE_MAX_OBJECTS 1024
#define SCENE_MAX_PARTS 12288
#define SCENE_MAX_PLANES 4096
#define SCENE_MAX_SHADOWS 1024
#define SCENE_MAX_LOTS 40
#define SCENE_MAX_HAZARDS 32
#define SCENE_BLOCK 32  /* rows that a thread takes at a time */
#define SCENE_NOISE 128 /* side of the noise table, a power of two */

/* ---- Surfaces ----------------------------------------------------------------------------- */

typedef enum { SHAPE_BOX, SHAPE_CONVEX, SHAPE_CAPSULE, SHAPE_ELLIPSOID, SHAPE_WHEELS } Shape;

typedef enum {
  MATERIAL_PLAIN,
  MATERIAL_FACADE,
  MATERIAL_ROOF,
  MATERIAL_LEAVES,
  MATERIAL_HEDGE,
  MATERIAL_BARK,
  MATERIAL_PAINT, /* car body */
  MATERIAL_GLASS, /* car cabin: windows below the roof's edge */
  MATERIAL_WHEEL,
  MATERIAL_CLOTH,
  MATERIAL_BRICK,
  MATERIAL_PLANKS,
  MATERIAL_SIGN_ROUND,
  MATERIAL_SIGN_TRIANGLE,
  MATERIAL_SIGN_BLUE,
  MATERIAL_TRAFFIC_LIGHT,
  MATERIAL_BUS
} Material;

/* One convex surface in the frame of its object. */
typedef struct {
  uint8_t shape, material, label, planes; /* planes: of SHAPE_CONVEX */
  uint16_t first_plane;
  uint16_t variant; /* chooses patterns of the material */
  float colour[3];  /* linear light, 0 … 1 */
  double a[3];      /* box: least corner; capsule: one end; ellipsoid, wheels: centre */
  double b[3]; /* box: greatest corner; capsule: other end; ellipsoid: radii; wheels: b[0], b[1]
                  inner and outer |x| */
  double r;    /* capsule, wheels: radius */
} ScenePart;

typedef struct {
  double n[3], d; /* inside: n · p <= d, |n| = 1 */
} ScenePlane;

/* Parts with a common frame: local (x, y, z) → world: sheared up the slope, turned about y. */
typedef struct {
  double origin[3];
  double cosine, sine; /* local z axis in the world: (sine, 0, cosine) */
  double slope;        /* of the road below: dy per dz of the world */
  double lo[3], hi[3]; /* local bounds of all parts */
  double near;         /* least depth from the camera, or range from the LiDAR */
  double speed[2];     /* along x and z of the world, m/s */
  int first_part, parts;
  unsigned instance;
} SceneObject;

/* The bounds of a part in the picture: columns and rows, inclusive; empty if x0 > x1. */
typedef struct {
  int16_t x0, x1, y0, y1;
} SceneCover;

/* A soft dark patch on the ground. */
typedef struct {
  double x, z, cosine, sine;
  double half_x, half_z; /* half extents along the local axes */
  double soft;           /* width of the edge, metres */
  float strength;
  bool round, contact; /* contact: hides the sky too */
} SceneShadow;

/* A building lot on one side: its stretch along z and what shades from there. */
typedef struct {
  double z0, z1; /* z relative to the camera */
  double front;  /* x of the facade */
  double top;    /* y of the eaves, world; very low where nothing is built */
} SceneLot;

/* The surface that a ray met: object >= 0, or one of these. */
enum {
  HIT_SKY = -1,
  HIT_ROAD = -2,
  HIT_WALK = -3,
  HIT_KERB = -4,
  HIT_HILLS = -5,
  HIT_BOARD = -6,
  HIT_PIT = -8,    /* a wall or the floor of one */
  HIT_NOTHING = -7 /* there was no ray: the lens shows nothing there */
};

typedef struct {
  double t;
  int32_t object, part;
  int16_t face; /* box: 2·axis + (greatest side), of a pit too; convex: plane; wheels: 1 for the
                   disc */
} SceneContact;

/* A ray with what rows of pixels share: where it meets the two levels of the ground. */
typedef struct {
  StxSceneRay ray;
  double road, walk; /* t on the level of the road and of the sidewalk, INFINITY for never */
  int eye;           /* of a row of a picture, */
  double v;          /* which row */
} SceneProbe;

/* A contact, ready to be coloured, in the object's frame (world frame where there is no object). */
typedef struct {
  double p[3], n[3]; /* point, unit normal */
  double foot[3];    /* what one pixel covers along the axes, metres */
  double world[3];   /* the point in the world */
} SceneSpot;

/* The chessboard in the world. */
typedef struct {
  double centre[3], across[3], down[3], normal[3]; /* unit vectors; the normal faces the cameras */
  double half_x, half_y;                           /* metres, the white around it included */
} SceneBoard;

/* A real camera: how its pictures arise from directions of the rectified pair. */
typedef struct {
  StxPreparedLens lens;
  double turn[9];    /* from the rectified pair's directions to the camera's */
  float (*place)[2]; /* where the rectified picture has what each pixel shows; NAN: nowhere */
} SceneReal;

/* Linear light, r g b and a fourth lane of no meaning: one SSE or NEON register. */
typedef float SceneColour __attribute__((vector_size(16)));

struct StxScene {
  StxSceneParams params;
  uint64_t frame;
  double time, travelled;      /* s, m */
  double forward_y, forward_z; /* viewing direction of a car that goes straight on */
  double aside;                /* x of the left camera, */
  double axis[3][3];           /* its axes in the world: to the right, down, ahead */
  bool turned;                 /* to a side */
  StxMotion motion;            /* to this frame */
  double stance;               /* slope on which the car stands */

  double knot_z, knot_slope[SCENE_KNOTS], knot_height[SCENE_KNOTS], end_height;

  int64_t stretch; /* of the first crossing */
  double crossing[SCENE_CROSSINGS];

  int objects, parts, planes, shadows, lots[2];
  SceneObject object[SCENE_MAX_OBJECTS];
  ScenePart part[SCENE_MAX_PARTS];
  SceneCover object_cover[SCENE_MAX_OBJECTS], cover[SCENE_MAX_PARTS]; /* in the picture of `eye` */
  ScenePlane plane[SCENE_MAX_PLANES];
  int hazards;
  StxSceneHazard hazard[SCENE_MAX_HAZARDS];
  SceneBoard board;
  SceneReal real[2]; /* with a calibration, which is a copy; else `place` is NULL */
  StxCalibration calibration;
  SceneShadow shadow[SCENE_MAX_SHADOWS];
  SceneLot lot[2][SCENE_MAX_LOTS];
  uint16_t shadow_first[512], shadow_list[8192]; /* shadows that touch a metre of the road */

  int threads, tile_w, tile_h, tiles_x, tiles_y;
  SceneCover sight; /* the pixels, of the rectified picture, that are looked at: tiles' extent */
  int eye;          /* whose objects the tiles list; -1 none */
  uint16_t *tile_count; /* per tile */
  uint16_t *tile_list;  /* SCENE_MAX_OBJECTS per tile, ascending `near` */
  SceneContact *rows;   /* SCENE_BLOCK + 2 rows per thread */

  float noise[SCENE_NOISE * SCENE_NOISE]; /* -1 … 1 */
};

/* ---- Random numbers as functions of place -------------------------------------------------- */

static inline uint64_t scene_mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* A random stream that depends on what (kind) stands where (index). */
static inline uint64_t scene_key(uint64_t seed, unsigned kind, int64_t index)
{
  return scene_mix(scene_mix(seed + 0x9e3779b97f4a7c15u * (kind + 1)) ^ (uint64_t)index);
}

/* The next number of a stream, 0 <= u < 1. */
static inline double scene_uniform(uint64_t *key)
{
  *key += 0x9e3779b97f4a7c15u;
  return (double)(scene_mix(*key) >> 11) * 0x1p-53;
}

static inline double scene_between(uint64_t *key, double low, double high)
{
  return low + (high - low) * scene_uniform(key);
}

/* ---- Small arithmetic --------------------------------------------------------------------- */

static inline int64_t scene_floor(double x)
{
  int64_t i = (int64_t)x;
  return i - ((double)i > x);
}

static inline double scene_clamp(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

static inline double scene_abs(double x)
{
  return x < 0 ? -x : x;
}

static inline double scene_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Minimum and maximum, without the call of fmin and fmax. */
static inline double scene_min(double a, double b)
{
  return a < b ? a : b;
}

static inline double scene_max(double a, double b)
{
  return a > b ? a : b;
}

/* Share of a pixel within one interval. */
static inline double scene_band(double x, double foot, double low, double high)
{
  double w = scene_max(foot, 1e-3);
  return scene_clamp(scene_min(x + .5 * w, high) - scene_max(x - .5 * w, low), 0, w) / w;
}

/* 0 below low, 1 above high, smooth between. */
static inline double scene_step(double low, double high, double x)
{
  double t = scene_clamp((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

/* libm's sine may differ between machines; these series are good to 1e-11 for |a| <= π/4. */
static inline double scene_sine(double a)
{
  double q = a * a;
  return a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));
}

static inline double scene_cosine(double a)
{
  double q = a * a;
  return 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90 * (1 - q / 132)))));
}

/* Sum of two uniform numbers, scaled to a standard deviation of 1: bits 20·k … of a random number,
 * k = 0 … 2. */
static inline float scene_deviate(uint64_t bits, int k)
{
  int sum = (int)(bits >> (20 * k) & 1023) + (int)(bits >> (20 * k + 10) & 1023);
  return (float)(sum - 1023) * (1 / 418.05f);
}

/* World → object, for points and for directions. */
static inline void scene_turn(const SceneObject *object, const double v[3], double out[3])
{
  out[0] = object->cosine * v[0] - object->sine * v[2];
  out[1] = v[1] - object->slope * v[2];
  out[2] = object->sine * v[0] + object->cosine * v[2];
}

static inline void scene_to_local(
    const SceneObject *object, const StxSceneRay *ray, StxSceneRay *out)
{
  double moved[3];
  for (int i = 0; i < 3; i++)
    moved[i] = ray->origin[i] - object->origin[i];
  scene_turn(object, moved, out->origin);
  scene_turn(object, ray->direction, out->direction);
}

/* ---- What a scene has --------------------------------------------------------------------- */

/* Beside what every street has. Shares are of the cells that hold one. */
typedef struct {
  double ahead, oncoming; /* vehicles on our lane, on the other */
  double pace;            /* of those that come on, times the usual */
  double tall;            /* 1: these are vans and buses only */
  double parked, walkers; /* vehicles at the left kerb; people on the sidewalks */
  double weave;           /* m: how far the car goes to either side */
  bool brakes, cross, rain, hazards;
} SceneTraits;

const SceneTraits *stx_scene_traits(const StxScene *scene);

/* The way in metres, and the speed, at a time of a car on our lane that is so many seconds ahead of
 * us in what it does. */
typedef struct {
  double way, speed;
} SceneDrive;
SceneDrive stx_scene_drive(const StxScene *scene, double early);

/* ---- scene.c ------------------------------------------------------------------------------- */

SceneProbe stx_scene_probe(const StxScene *scene, const StxSceneRay *ray);

/* A point of the world as an eye of the rectified pair has it: right, down, depth. */
void stx_scene_from_eye(
    const StxScene *scene, StxSceneEye eye, const double world[3], double out[3]);

/* ---- scene_board.c ------------------------------------------------------------------------- */

/* Holds the board where the frame wants it. */
void stx_scene_board_place(StxScene *scene);
/* Replaces *contact where the ray meets the board. */
void stx_scene_board_cast(const StxScene *scene, const StxSceneRay *ray, SceneContact *contact);
/* Share of white of what a pixel covers: foot metres along the board's axes around a point. */
double stx_scene_board_white(const StxScene *scene, const double p[2], const double foot[2]);

/* ---- scene_ground.c ------------------------------------------------------------------------ */

void stx_scene_ground_layout(StxScene *scene);
double stx_scene_ground_slope(const StxScene *scene, double z);
/* First t > 0 at which the ray falls to `level` above the road's surface; INFINITY for never. */
double stx_scene_ground_meet(const StxScene *scene, const StxSceneRay *ray, double level);
SceneContact stx_scene_ground_cast(const StxScene *scene, const SceneProbe *probe);
/* Writes the normal of a contact of HIT_PIT: a wall's; the floor keeps the road's. */
void stx_scene_pit_normal(const StxScene *scene, const SceneContact *contact, double n[3]);
/* Shares of the sunlight and of the light of the sky that reach a point of the world, 0 … 1. */
typedef struct {
  double sun, sky;
} SceneLight;
SceneLight stx_scene_light(const StxScene *scene, const double world[3], bool on_ground);
void stx_scene_shadow_index(StxScene *scene);

/* ---- scene_layout.c, scene_models.c -------------------------------------------------------- */

void stx_scene_layout(StxScene *scene);
/* z of the zebra crossing in the stretch of street to which z belongs. */
double stx_scene_crossing(const StxScene *scene, double z);

/* The place of a model: position, facing (unit vector of the local z axis), chance. */
typedef struct {
  double x, z, face_x, face_z;
  double level; /* above the road */
  uint64_t key;
  unsigned instance;
  double speed[2]; /* over ground, along x and z */
} ScenePlace;

void stx_scene_car(StxScene *scene, const ScenePlace *place);
void stx_scene_van(StxScene *scene, const ScenePlace *place);
void stx_scene_bus(StxScene *scene, const ScenePlace *place);
void stx_scene_person(StxScene *scene, const ScenePlace *place, double stride);
void stx_scene_tree(StxScene *scene, const ScenePlace *place);
void stx_scene_lamp(StxScene *scene, const ScenePlace *place);
void stx_scene_sign(StxScene *scene, const ScenePlace *place);
void stx_scene_traffic_light(StxScene *scene, const ScenePlace *place);
/* The local x axis runs along the street, z away from it; the front is at z = 0. Returns the height
 * of the eaves over the place. */
double stx_scene_building(StxScene *scene, const ScenePlace *place, double width, double depth);
void stx_scene_barrier(StxScene *scene, const ScenePlace *place, double width);
/* A thing on the road; of a pit nothing stands there. */
void stx_scene_hazard(StxScene *scene, const ScenePlace *place, const StxSceneHazard *hazard);

/* The part's box in the frame of its object. */
void stx_scene_part_bounds(const ScenePart *part, double lo[3], double hi[3]);
/* Corner i (bit k: the greater side of axis k) of a box in the object's frame, in the world. */
void stx_scene_corner(
    const SceneObject *object, const double lo[3], const double hi[3], int i, double out[3]);
/* Objects by `near`, ascending; equal ones by index, so that the order is the same everywhere. */
void stx_scene_sort(const StxScene *scene, uint16_t *order);

/* ---- scene_cast.c -------------------------------------------------------------------------- */

/* Tightens *best by every object (any ray). */
void stx_scene_cast_all(const StxScene *scene, const StxSceneRay *ray, SceneContact *best);
/* Tightens *best by the listed objects that may cover pixel (x, y), ascending `near`, which must
 * count as t of the ray does: depth from a camera, or range from a LiDAR. */
void stx_scene_cast_pixel(const StxScene *scene, const StxSceneRay *ray, int x, int y,
    const uint16_t *list, size_t count, SceneContact *best);
void stx_scene_normal(
    const StxScene *scene, const SceneContact *contact, const double p[3], double n[3]);
int stx_scene_label(const StxScene *scene, const SceneContact *contact, double x);

/* ---- scene_shade.c ------------------------------------------------------------------------- */

/* Noise −1 … 1 on a grid of unit cells, `coarse` of which a pixel covers (< 1). */
float stx_scene_noise(const StxScene *scene, double x, double y, double coarse);

/* Noise −1 … 1 with grains of the given size (cell), faded out where a pixel (foot) covers one. */
static inline float scene_grain(const StxScene *scene, double x, double y, double cell_x,
    double cell_y, double foot_x, double foot_y)
{
  double per_x = 1 / cell_x, per_y = 1 / cell_y, coarse = scene_max(foot_x * per_x, foot_y * per_y);
  return coarse < 1 ? stx_scene_noise(scene, x * per_x, y * per_y, coarse) : 0;
}

double stx_scene_hill_top(const StxScene *scene, double x);
/* Linear light of what the ray met. */
SceneColour stx_scene_shade(
    const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray);
