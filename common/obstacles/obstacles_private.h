/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of obstacles: what its files share. Nothing else includes this.
 *
 *   obstacles.c          parameters, state, what a frame goes through
 *   obstacles_stixels.c  what stands in a frame of stixels, and on which ground
 *   obstacles_scan.c     the same of a scan's clusters
 *   obstacles_measure.c  which groups are obstacles, and their records
 *   obstacles_track.c    following
 *   obstacles_shapes.c   the stixels that are expected of what is followed
 *   obstacles_points.c   velocities of points that were matched
 *   obstacles_motion.c   what is followed, with the camera's motion taken out
 */
#pragma once

#include "common/obstacles/obstacles.h"
#include "common/roadline/roadline.h"

#define OBSTACLES_NONE UINT32_MAX
#define OBSTACLES_GROUND 128   /* m: the road's height is known so far ahead */
#define OBSTACLES_GRID 128     /* cells of a scan's ground, in each direction */
#define OBSTACLES_FINE 512     /* of the cells in which clusters are looked at, likewise */
#define OBSTACLES_JOINTS 4     /* pieces at most beside which a piece stands, from the bottom up */
#define OBSTACLES_POINTS 4096  /* matched points of a frame, the first */
#define OBSTACLES_CANDIDATES 8 /* obstacles at most that a track may be, the best */

/* A stixel or a point that stands on the ground, or near it. Metres; ground and what is made of it
 * are not a number where the ground is not known. */
typedef struct {
  uint32_t record;       /* its place in the frame */
  uint32_t group;        /* of stixels another piece of the same group, at last its first piece; of
                            points the cluster */
  float left, right;     /* x of its edges */
  float z, range;        /* distance ahead; what counts as near: z, or of a point the range */
  float middle, z_top;   /* z of its middle and of its upper end: it may lean */
  float top, bottom;     /* y of its ends */
  float ground;          /* y of the ground there */
  float near, far, high; /* of its group, while it is the first piece: middles; height; */
  float group_left, group_right; /* edges */
  float weight;                  /* pixels, or 1 */
  float confidence;
  float owned;          /* rows that its owner covers */
  uint32_t owner;       /* the track of which it was, or OBSTACLES_NONE */
  uint32_t group_owner; /* of its group, while it is the first piece: a track that was seen twice or
                           more, or OBSTACLES_NONE */
  uint16_t column;
  uint8_t label;
  bool cut; /* at the upper border of the image: it may be higher */
} Piece;

/* The extent of points of a scan: metres, heights above the ground. */
typedef struct {
  float left, right, near, far, high, foot;
  uint32_t points, first; /* their number; the first of them */
} Span;

/* An entry to sort: by key, then in the order of the records. */
typedef struct {
  uint64_t key;
  uint32_t index;
} SortItem;

/* Expectation along one axis: position and speed with their covariance. */
typedef struct {
  double at, speed;
  double p00, p01, p11; /* covariance */
} Axis;

/* A track with the camera's motion has two filters, of a thing that moves and of one that stands;
 * how well each predicts the measurements says which it is. Without it only the first, with speeds
 * relative to the sensor. */
typedef struct {
  Axis x, z;                     /* the moving hypothesis */
  double cross[2][2];            /* covariance of place and speed across with those ahead */
  Axis still_x, still_z;         /* if it stands: speeds are 0 */
  double standing;               /* the probability of that */
  double left, right;            /* of its edges, less x */
  double y;                      /* of its middle */
  double surprise_x, surprise_z; /* squares of how far off it was lately, in what was expected */
  double width, depth;
  double shared; /* of the rows where it was expected or is seen, those of both */
  uint32_t id, age;
  int unseen; /* frames in a row */
  int out;    /* frames in a row in which it was not in the corridor */
  int seen;   /* times, with a time that had passed */
  uint8_t label;
  uint8_t moves;                      /* StxMoves */
  bool matched;                       /* its points had a velocity in this frame */
  float closing_speed, lateral_speed; /* as said last */
  uint32_t place;                     /* of this frame's obstacle, or OBSTACLES_NONE */
} Track;

/* A stixel that a track was seen as: its middle, width, and the y of its ends at z. Metres. */
typedef struct {
  float x, z, width, top, bottom;
  uint32_t owner; /* the track */
} Part;

/* An obstacle that a track may be, and what speaks for it: 0…1. */
typedef struct {
  uint32_t obstacle;
  float benefit;
  float shared; /* of the rows where it is expected or seen, those of both */
} Candidate;

typedef struct {
  Candidate candidate[OBSTACLES_CANDIDATES];
  int count;
  uint32_t assigned; /* the obstacle, or OBSTACLES_NONE */
} Choices;

/* Sums of equations for a velocity; of what they leave. */
typedef struct {
  double xx, xz, zz, x, z, square;
  struct {
    double weight, across, ahead, off;
  } of[3]; /* of the equations for u, v and d alone */
  uint32_t points;
} Sums;

/* A velocity over ground, m/s, and its covariance. */
typedef struct {
  double x, z, xx, xz, zz;
  double still;    /* squares of standard deviations by which it is more than none, if it stands */
  uint32_t points; /* 0: none */
} Observed;

/* One of the three equations of a point: across · x + ahead · z = off, with noise 1. */
typedef struct {
  double across, ahead, off;
} Equation;

typedef struct {
  Equation equation[3];
  uint32_t record; /* of its stixel */
} ObstaclesPoint;

/* A stixel and its velocity over ground, with its covariance. */
typedef struct {
  double x, y, z, disparity; /* of its middle */
  double speed_x, speed_z, xx, xz, zz;
  uint16_t column, top, bottom;
  uint8_t moves;  /* StxMoves */
  uint8_t unseen; /* frames in a row without a point */
  bool known;     /* of what has a place: else nothing of it counts */
} Flow;

struct StxObstacles {
  StxObstaclesParams params;
  size_t records, directions; /* prepared for */
  size_t stixels;             /* prepared for */
  int columns;                /* of this frame; 0 of a scan */
  int stixel_width;           /* likewise */

  void *memory; /* of what follows, with `size` bytes */
  size_t size;
  Piece *pieces; /* of this frame, `count` */
  size_t count;
  SortItem *items, *groups, *spare; /* of pieces; of groups; to sort either */
  SortItem *joints, *spare_joints;  /* of pieces that may be one thing; to sort them */
  size_t joint_count;
  uint32_t *starts;       /* of each column its first piece; one more than columns */
  uint32_t *nearest;      /* piece of each direction, or OBSTACLES_NONE */
  uint16_t *members;      /* of each record */
  float *ground;          /* y of the ground below a scan, by cells, or below stixels by distance */
  float *weights;         /* how many values each of `ground` was made of */
  double lean;            /* of the ground below stixels, in y per metre to the right */
  uint32_t *part, *cells; /* of each point of a scan: another of its part; its cell */
  uint32_t *fine;         /* first point of each cell */
  float *edges;           /* of each cell: its lowest above the lower layer, or highest in it */
  Span *spans;            /* of each group, or part */
  uint32_t *largest;      /* the largest part of each group */
  size_t room_for_spans;
  StxObstacle *obstacle;
  StxVelocity *velocity; /* of each obstacle */
  Observed *observed;    /* the measured velocity of each obstacle's points */
  Sums *sums;            /* normal equations of each obstacle's points */
  ObstaclesPoint *points;
  size_t point_count;
  double tilt;        /* of a frame, px: how far all points may be too low */
  uint32_t *first[2]; /* by frame, in turns: first stixel of each column; one more than columns */
  Flow *flow[2];      /* by frame, in turns: the flow of each stixel */
  size_t room_for_columns, room_for_flows;
  int turn;          /* this frame's index of first and flow */
  size_t before;     /* stixels of the frame before; 0: they are not known */
  Sums *stixel_sums; /* of each stixel */
  StxVelocity *stixel_velocity;
  StxFreeSpace *free_space;
  uint16_t *entered;
  Part *parts; /* of what is followed, `part_count`; room for stixels of two frames */
  size_t part_count;
  float *expected; /* rows in the image of each track's parts */
  float *covered;  /* rows in the image of each obstacle's pieces */
  Track *tracks;
  Choices *choices;
  float *prices;   /* of obstacles, while they are assigned */
  uint32_t *owner; /* choices of each obstacle, or OBSTACLES_NONE */
  uint32_t *waiting;
  size_t tracked, room_for_tracks;

  size_t obstacles, left_out;
  uint32_t next_id;
  int corridor_out; /* frames in a row in which nothing was in the corridor */
  bool occupied;

  StxMotion given;       /* by the parameters, of the last frame that brought none */
  StxMotion last_motion; /* the last that was known */
  int waited;            /* frames since last_motion */
  uint64_t hash;         /* of the stixels */
  int repeated;          /* frames in a row with the same hash */
  bool again;            /* this frame is the one before */
  bool stood;            /* the last frame had the time of the one before */
  bool guided;           /* the camera's motion is known: what is followed says what is one thing */
  double continuity;     /* as it usually is */
  bool begun;            /* there was a frame; */
  bool of_scan;
  uint64_t time, latest; /* from which the next step counts; of the last frame */
  StxCamera camera;
  int width, height;
};

/* Noise of z at a distance, metres: of stixels by the camera, of a scan constant. */
typedef struct {
  double fixed, squared; /* fixed + squared · z² */
} Noise;

static inline double obstacles_noise(const Noise *noise, double z)
{
  return noise->fixed + noise->squared * z * z;
}

/* Sorts `count` items; `spare` has room for as many. */
void stx_obstacles_sort(SortItem *items, SortItem *spare, size_t count);

/* Refuses what the contract says. */
bool stx_obstacles_check_frame(
    const StxObstacles *state, const StxObstaclesFrame *frame, StxError *error);

/* Finds what stands: state->pieces with their groups, and free space but for the obstacles in it.
 */
void stx_obstacles_stand(StxObstacles *state, const StxObstaclesFrame *frame);
void stx_obstacles_cluster(StxObstacles *state, const StxObstaclesScan *scan);

/* Does it stand low enough to be in the way? */
static inline bool stx_obstacles_is_low(const StxObstacles *state, const Piece *piece)
{
  return !(piece->ground - piece->bottom > (float)state->params.clearance);
}

/* The parts of what is followed: go on to this frame; find pieces that are theirs; are replaced by
 * what is seen now. */
void stx_obstacles_move_parts(StxObstacles *state, double dt, const StxMotion *motion);
void stx_obstacles_claim(StxObstacles *state, const StxObstaclesFrame *frame);
void stx_obstacles_number_parts(StxObstacles *state, const uint32_t *now);
void stx_obstacles_keep_parts(StxObstacles *state);

/* The intersection over union of the rows that are expected and seen; < 0: too few. */
double stx_obstacles_continuity(const StxObstacles *state);

/* Returns the intersection over union of one thing's expected and seen rows. */
double stx_obstacles_overlap(double expected, double covered, double rows);

/* Pieces in groups to sorted obstacles, members, and obstacles of the free space. */
void stx_obstacles_measure(StxObstacles *state, const StxObstaclesFrame *frame);

/* Predicts the tracks for this frame; motion: of the camera, or NULL. */
void stx_obstacles_foretell(StxObstacles *state, double dt, const StxMotion *motion);

/* Ids and speeds of the sorted obstacles; dt: seconds since the last frame, 0: not known; motion:
 * of the camera, or NULL. */
void stx_obstacles_follow(
    StxObstacles *state, double dt, const StxMotion *motion, const Noise *noise);

#define OBSTACLES_ACCELERATION 4.0 /* m/s²: its standard deviation */

void stx_obstacles_kalman_predict(Axis *axis, double dt);
void stx_obstacles_kalman_correct(Axis *axis, double at, double noise);

/* Finds the positions of the frame's stixels. */
void stx_obstacles_place(StxObstacles *state, const StxObstaclesFrame *frame);

/* Velocities of the obstacles' points: state->observed. */
void stx_obstacles_observe(StxObstacles *state, const StxObstaclesFrame *frame, double dt);

/* Velocities of the frame's stixels: state->stixel_velocity. */
void stx_obstacles_flow(StxObstacles *state, const StxObstaclesFrame *frame, double dt);
StxVelocity stx_obstacles_say_flow(Flow *flow, bool of_standing);

/* The row of the principal point; the middle, where the camera does not say. */
static inline double obstacles_centre_row(const StxObstaclesFrame *frame)
{
  const StxCamera *c = &frame->camera;
  return c->missing & STX_CAMERA_CY ? .5 * (frame->height - 1) : c->cy;
}

/* No obstacle of the frame has a velocity. */
void stx_obstacles_know_nothing(StxObstacles *state);

/* With the camera's motion: where a track is to be expected; what is seen of it, in a frame with
 * matched points or none; a new one. */
void stx_obstacles_expect(Track *track, const StxMotion *motion, double dt);
void stx_obstacles_see(
    Track *track, const StxObstacle *o, const Observed *observed, bool matched, double noise);
void stx_obstacles_begin(Track *track, const StxObstacle *o);

/* The velocity of a track, and its obstacle's speeds. */
StxVelocity stx_obstacles_say(
    Track *track, const StxMotion *motion, double dt, double noise, StxObstacle *o);

/* Its position: that of the likelier hypothesis. */
static inline double obstacles_x(const Track *track)
{
  return track->standing > .5 ? track->still_x.at : track->x.at;
}

static inline double obstacles_z(const Track *track)
{
  return track->standing > .5 ? track->still_z.at : track->z.at;
}

/* Fills in `assigned` of the tracks' choices; obstacles are numbered below `obstacles`. */
void stx_obstacles_auction(StxObstacles *state, size_t obstacles);
