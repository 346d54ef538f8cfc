/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A synthetic street: what a stereo camera and a LiDAR on a moving car see, with the exact truth.
 *
 * Method: ray casting of an endless procedural world. Everything (relief of the road, buildings,
 * trees, cars, people) is a function of (seed, place, time), so that any frame can be made on its
 * own, in any order. One ray per pixel meets analytic surfaces; colours come from noise that is
 * faded out where a pixel becomes larger than its grain, so that the left and the right picture of
 * a point agree. Pixels on outlines get four more rays for their colour. The page
 * docs/algorithms/scene.md explains the parts.
 *
 * Coordinates of a frame: metres, x right, y up, z along the street; the origin is the road's
 * surface right below the left camera; where the car weaves it is the middle of the lane beside it.
 * The cameras are a rectified pair: the right one stands `baseline` further to the right. The car
 * follows the road, so `pitch` counts from the road's slope below the car, as a calibration would
 * have it; only on STX_SCENE_SLOPED it counts from level.
 *
 * With a calibration, the pictures are those of two real cameras, with lens distortion and not
 * quite parallel; rectification (common/rectify/rectify.h) turns them into the rectified pair. The
 * truth, the camera in the parameters, and rays still belong to the rectified pair.
 *
 * Same bytes everywhere: pixels and points depend on + − × ÷ and √ of IEEE doubles and floats only,
 * never on the number of threads, the order of calls, or libm.
 */
#ifndef STX_SCENE_H
#define STX_SCENE_H

#include "common/calibration/calibration.h"
#include "common/camera.h"
#include "common/egomotion/motion.h"
#include "common/fields.h"
#include "common/extrinsics/extrinsics.h"

#define STX_SCENE_MAX_SIZE 8192 /* largest width and height, pixels */

/* The slope of the road. The first is a town on rolling land; the others test programs on roads
 * that are not planes. */
typedef enum {
  STX_SCENE_GENTLE, /* slopes of up to 5.2 % */
  STX_SCENE_FLAT,
  STX_SCENE_SLOPED, /* one slope all along, 8 to 12 %, up with even seeds and down with odd ones;
                       the car does not tilt with it, as if its calibration were wrong by that */
  STX_SCENE_HILLY   /* 8 to 12 % up and down in turns: crests and valleys, 120 m apart */
} StxSceneTerrain;

typedef enum {
  STX_SCENE_STREET,
  STX_SCENE_CHESSBOARD, /* a chessboard is held up before the cameras, in the street */
  STX_SCENE_HAZARDS, /* small things lie on our lane, and holes are in it, but no traffic ahead */
  /* The street again, with more of what makes motion hard; what each has is one table. */
  STX_SCENE_TURNS,      /* the car weaves within its lane */
  STX_SCENE_BRAKING,    /* the car and the traffic ahead brake, stand and start, again and again */
  STX_SCENE_ONCOMING,   /* more and faster traffic comes on */
  STX_SCENE_CROSSING,   /* people walk across; there is no traffic */
  STX_SCENE_OCCLUSIONS, /* vans and buses come on and hide people who walk */
  STX_SCENE_RAIN        /* more noise, streaks, and an exposure that changes */
} StxSceneKind;

/* A board for calibration that is held still for some frames, then otherwise: near and far, tilted,
 * in all parts of the pictures, and wholly in both of them if that is possible. Its pose depends on
 * the seed and on frame / hold; nothing stands before it. White around it is as wide as a
 * square. */
typedef struct {
  int columns, rows; /* corners between squares, across and down */
  double square;     /* side of a square, metres */
  int hold;          /* frames */
} StxSceneBoard;

/* The scene to draw. Zero is a good value for every field but width and height. Ranges, units and
 * texts of these: stx_scene_fields. */
typedef struct {
  uint64_t seed;     /* which street */
  int width, height; /* pixels */
  StxCamera camera;  /* focal 0: the camera of stx_scene_camera() */
  double speed;      /* of the car that carries the camera, m/s */
  int fps_n, fps_d;  /* frames per second; 0/0: 10/1. Frame n is at n·fps_d/fps_n seconds */
  double noise; /* standard deviation of the sensor noise, grey levels; independent in the left and
                   the right picture and from frame to frame */
  StxSceneTerrain terrain;
  StxSceneKind kind;
  StxSceneBoard board; /* all zero: 9 x 6 corners, squares of .1 m, held for 5 frames */
  int threads;         /* 0: all cores */

  /* The cameras that take the pictures; NULL: a rectified pair. It is copied, and decides all
   * of `camera` but height (0: the usual one) and pitch. */
  const StxCalibration *calibration;
} StxSceneParams;

/* A drive through a town, seen by a usual camera. */
#define STX_SCENE_DEFAULTS                                                                         \
  {                                                                                                \
    .speed = 10, .noise = 1.2, .board = { 9, 6, .1, 5 }                                            \
  }

/* Every field of StxSceneParams but the seed; what is 0 for a default counts as filled in. */
STX_API const StxFields stx_scene_fields;

/* Cityscapes train ids, as far as they occur. */
enum {
  STX_SCENE_ROAD = 0,
  STX_SCENE_SIDEWALK = 1, /* kerbs too */
  STX_SCENE_BUILDING = 2,
  STX_SCENE_WALL = 3,
  STX_SCENE_FENCE = 4,
  STX_SCENE_POLE = 5,
  STX_SCENE_LIGHT = 6, /* traffic light */
  STX_SCENE_SIGN = 7,  /* and the chessboard */
  STX_SCENE_VEGETATION = 8,
  STX_SCENE_TERRAIN = 9,
  STX_SCENE_SKY = 10,
  STX_SCENE_PERSON = 11,
  STX_SCENE_CAR = 13,
  STX_SCENE_TRUCK = 14,
  STX_SCENE_BUS = 15,
  STX_SCENE_VOID = 255 /* small things on the road have no train id */
};

typedef enum { STX_SCENE_LEFT, STX_SCENE_RIGHT } StxSceneEye;

/* A street, a camera and the frame it stands at. Opaque; holds all memory it will ever need. */
typedef struct StxScene StxScene;

/* The default camera for pictures of this size: focal .58 × width, principal point in the middle
 * across and at .46 × height, baseline .54 m, 1.65 m above the road, pitch 0 (close to KITTI). */
STX_API StxCamera stx_scene_camera(int width, int height);

/* The rectified pair of a calibration, for pictures of this size, without height and pitch: what
 * stx_rectify_view() makes of it with alpha 0, or where that cannot be, -1. False with an error. */
bool stx_scene_rectified(
    const StxCalibration *calibration, int width, int height, StxCamera *camera, StxError *error);

/* A street at frame 0, or NULL with an error that names the field, its value and the range.
 * Free with stx_scene_free(), which accepts NULL. */
STX_API StxScene *stx_scene_new(const StxSceneParams *params, StxError *error);
STX_API void stx_scene_free(StxScene *scene);

/* The parameters with all defaults filled in. The calibration in them is the scene's own. */
STX_API const StxSceneParams *stx_scene_params(const StxScene *scene);

/* Goes to a frame (.6 ms). Frames may come in any order. */
STX_API void stx_scene_move(StxScene *scene, uint64_t frame);

/* The motion of the left camera, of the rectified pair, since the frame before: known exactly, with
 * deviations of 0. STX_MOTION_FIRST in frame 0. */
STX_API StxMotion stx_scene_motion(const StxScene *scene);

/*
 * The picture of one eye, of a real camera with a calibration: black where its lens shows nothing,
 * or what is seen more than 84 degrees from straight ahead. `channels` 3 (R, G, B bytes) or 1 (luma
 * of exactly those colours before rounding, BT.601 weights). `image` must have the scene's width
 * and height in pixels and channels × width bytes per row; the bytes between rows are not touched.
 */
STX_API void stx_scene_render(
    StxScene *scene, StxSceneEye eye, int channels, const StxImage8 *image);

/*
 * The truth of the LEFT picture, at the centres of its pixels; with a calibration that of the
 * rectified left picture. Either image may be NULL.
 *   disparity: focal × baseline / depth in 1/256 pixels, rounded to nearest. 0 (unknown) for the
 *     sky, which is infinitely far, and where 16 bits do not suffice (255.998 pixels or more).
 *     The point is at x − disparity in the right picture, unless something hides it there.
 *   labels: Cityscapes train ids.
 */
STX_API void stx_scene_truth(StxScene *scene, const StxImage16 *disparity, const StxImage8 *labels);

/* ---- Any other sensor --------------------------------------------------------------------- */

/* origin + t·direction, t > 0; direction of any length but 0. */
typedef struct {
  double origin[3], direction[3];
} StxSceneRay;

/* The first surface a ray meets: t in units of |direction| (infinite for the sky), class, and a
 * number that tells objects of one class apart (1 … 65535, the same in all frames; 0 for what is
 * not an object: ground, sky, distant hills), and its speed over ground: m/s to the right and
 * ahead, in the axes of the left camera. */
typedef struct {
  double t;
  int label;
  unsigned instance;
  double speed[2];
} StxSceneHit;

/* Casts one ray through the whole scene, without the pictures' tables: about 5 µs. Reentrant. */
STX_API StxSceneHit stx_scene_cast(const StxScene *scene, const StxSceneRay *ray);

/* The ray through a point of a (rectified) picture, pixels (0, 0 = centre of the top left pixel).
 * Its t is the depth: disparity = focal × baseline / t. */
StxSceneRay stx_scene_ray(const StxScene *scene, StxSceneEye eye, double u, double v);

/* The surfaces that the rays through `count` points of a picture meet. */
STX_API void stx_scene_hits(const StxScene *scene, StxSceneEye eye, const double (*points)[2],
    size_t count, StxSceneHit *hits);

/* The position of a point of the frame in the picture that stx_scene_render() draws, with a
 * calibration the real camera's. False if it falls nowhere: behind the camera, or where the lens
 * shows nothing; it may lie outside of the picture. */
bool stx_scene_project(
    const StxScene *scene, StxSceneEye eye, const double point[3], double pixel[2]);

/* ---- Small things on the road -------------------------------------------------------------- */

typedef enum {
  STX_SCENE_BOX,    /* of cardboard */
  STX_SCENE_PALLET, /* of planks */
  STX_SCENE_TYRE,   /* it lies */
  STX_SCENE_BAR,    /* a kerb stone or a sill across the lane */
  STX_SCENE_PIT     /* with upright walls */
} StxSceneThing;

/* Things and holes on the lane. Metres. */
typedef struct {
  StxSceneThing thing;
  double x, z;          /* middle of its foot; of a pit, of its opening */
  double width, length; /* along its own axes, x and z turned by `turn` */
  double turn;          /* sine of its angle about the vertical, clockwise seen from above */
  double height; /* above the road: .05, .1, .2 or .3, of a tyre .1 or .2; of a pit −.1, −.2
                           or −.3 */
} StxSceneHazard;

/* The hazards of this frame of STX_SCENE_HAZARDS, by z of their cells of 12 m; other scenes have
 * none. The scene owns *list until its next frame. */
STX_API size_t stx_scene_hazards(const StxScene *scene, const StxSceneHazard **list);

/* Height of the road's surface at z, metres, in this frame's coordinates: piecewise quadratic with
 * continuous slope (vertical curves as road builders make them), −80 … 600 m. */
STX_API double stx_scene_road(const StxScene *scene, double z);

/* ---- A spinning LiDAR ---------------------------------------------------------------------- */

#define STX_SCENE_MAX_BEAMS 128
#define STX_SCENE_MAX_STEPS 8192

/*
 * A sensor straight above the left camera's place, `height` above the road. Its frame: x forward,
 * y left, z up, as the car stands on the slope of the road, then tilted. Beams lie at equal steps
 * of elevation. One turn is taken in an instant, the frame's: the points need no correction for
 * the car's motion.
 */
typedef struct {
  int beams;
  int steps;                   /* azimuths per turn */
  double top, bottom;          /* elevation of the first and the last beam, degrees, top > bottom; a
                                  single beam lies in the middle */
  double height;               /* metres */
  double range_min, range_max; /* what is nearer or farther is not seen; metres, min < max */
  double noise;                /* standard deviation of the range, metres */
  double dropout;              /* share of returns that are lost, at random */
  double roll, pitch;          /* radians: right side down, front down. The sensor is rolled about
                                  its x axis, then pitched about the car's y axis */
} StxSceneLidar;

/* Result of stx_scene_lidar(64). */
#define STX_SCENE_LIDAR_DEFAULTS                                                                   \
  {                                                                                                \
    .beams = 64, .steps = 2000, .top = 2, .bottom = -24.8, .height = 1.73, .range_min = .9,        \
    .range_max = 120, .noise = .02, .dropout = .01                                                 \
  }

/* Every field of StxSceneLidar: ranges, units and texts. */
STX_API const StxFields stx_scene_lidar_fields;

/* Classes of SemanticKITTI, as far as they occur. Ground: 40, 48, 72. */
enum {
  STX_SCENE_POINT_CAR = 10,
  STX_SCENE_POINT_BUS = 13,
  STX_SCENE_POINT_TRUCK = 18,
  STX_SCENE_POINT_PERSON = 30,
  STX_SCENE_POINT_ROAD = 40,
  STX_SCENE_POINT_SIDEWALK = 48, /* kerbs too */
  STX_SCENE_POINT_BUILDING = 50,
  STX_SCENE_POINT_FENCE = 51, /* walls too, as SemanticKITTI has it */
  STX_SCENE_POINT_VEGETATION = 70,
  STX_SCENE_POINT_TRUNK = 71,
  STX_SCENE_POINT_TERRAIN = 72,
  STX_SCENE_POINT_POLE = 80,
  STX_SCENE_POINT_SIGN = 81,
  STX_SCENE_POINT_OTHER = 99 /* traffic lights */
};

/* A usual sensor of so many beams: 2000 azimuths, 1.73 m high (KITTI), .9 … 120 m, noise .02 m,
 * 1 % lost, level. Elevation by number of beams: to 16: 15 … −15 (VLP-16), to 32: 10.67 … −30.67
 * (HDL-32E), to 64: 2 … −24.8 (HDL-64E), above: 15 … −25 (VLS-128). */
STX_API StxSceneLidar stx_scene_lidar(int beams);

/* False with an error that names the field, its value and the range. */
STX_API bool stx_scene_lidar_check(const StxSceneLidar *lidar, StxError *error);

/* Its pose relative to the left camera: of a camera that is pitched by its own pitch, and of a car
 * that stands on the road's slope. */
STX_API StxExtrinsics stx_scene_lidar_extrinsics(
    const StxSceneLidar *lidar, const StxCamera *camera);

/*
 * One turn of a sensor that stx_scene_lidar_check() accepts: clockwise seen from above, from
 * straight back over the left side to the front, at the azimuths 180° − 360°·step/steps from x to
 * y; beam 0 is the top one. Returns the number of points: rays
 * that meet nothing in range, and returns that are lost, leave none.
 *   points: x, y, z in the sensor's frame (metres) and the intensity 0 … 1; NULL or
 *     steps × beams of them.
 *   labels: SemanticKITTI's encoding, class in the low 16 bits; in the high ones the instance of
 *     what can move (vehicles, people: see StxSceneHit), else 0. NULL or steps × beams of them.
 * What is behind the returned number is scratch. Order: azimuth by azimuth, in each from the top
 * beam down. A function of (seed, frame, sensor): points and labels of two calls belong together.
 * The intensity is a rough one: brightness of the surface, bright leaves and signs. Noise moves a
 * point along its ray, after the range limits. Threads as in the parameters; about 25 ms for
 * 64 × 2000 rays on one. Not while another call works on this scene.
 */
STX_API size_t stx_scene_scan(
    StxScene *scene, const StxSceneLidar *lidar, float (*points)[4], uint32_t *labels);

#endif
