/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of obstacles: what its files share. Nothing else includes this.
 *
 *   obstacles.c          parameters, state, what a frame goes through
 *   obstacles_stixels.c  what stands in a frame of stixels, and what belongs together
 *   obstacles_scan.c     the same of a scan's clusters
 *   obstacles_measure.c  records of groups
 *   obstacles_track.c    following
 *   obstacles_assign.c   the assignment of obstacles to tracks
 */
#ifndef STX_OBSTACLES_PRIVATE_H
#define STX_OBSTACLES_PRIVATE_H

#include "common/obstacles/obstacles.h"

#define OBSTACLES_NONE UINT32_MAX
#define OBSTACLES_GROUND 128   /* m: the road's height is known so far ahead */
#define OBSTACLES_GRID 128     /* cells of a scan's ground, in each direction */
#define OBSTACLES_CANDIDATES 8 /* obstacles at most that a track may be, the best */

/* A stixel or a point that stands on the ground, or near it. */
typedef struct {
  uint32_t record;   /* its place in the frame */
  uint32_t group;    /* of stixels another piece of the same group, of points the cluster; the
                        first piece of all has itself */
  float left, right; /* x of its edges, metres */
  float z, range;    /* distance ahead; what counts as near: z, or of a point the range */
  float top, bottom; /* y of its ends */
  float ground;      /* y of the ground there, or not a number */
  float weight;      /* pixels, or 1 */
  float confidence;
  uint16_t column;
  uint8_t label;
} Piece;

/* What is to be sorted: by key, in the order of the records where keys are equal. */
typedef struct {
  uint64_t key;
  uint32_t index;
} SortItem;

/* Where an obstacle is expected. One axis: position and speed, and how sure they are. */
typedef struct {
  double at, speed;
  double p00, p01, p11; /* covariance */
} Axis;

typedef struct {
  Axis x, z;
  double width;
  uint32_t id, age;
  int unseen; /* frames in a row */
  int out;    /* frames in a row in which it was not in the corridor */
  int seen;   /* times, with a time that had passed */
  uint8_t label;
  uint32_t place; /* of this frame's obstacle, or OBSTACLES_NONE */
} Track;

/* An obstacle that a track may be, and what speaks for it: 0…1. */
typedef struct {
  uint32_t obstacle;
  float benefit;
} Candidate;

typedef struct {
  Candidate candidate[OBSTACLES_CANDIDATES];
  int count;
  uint32_t assigned; /* the obstacle, or OBSTACLES_NONE */
} Choices;

struct StxObstacles {
  StxObstaclesParams params;
  size_t records, directions; /* prepared for */

  void *memory; /* of what follows, with `size` bytes */
  size_t size;
  Piece *pieces; /* of this frame, `count` */
  size_t count;
  SortItem *items, *groups, *spare; /* of pieces; of groups; to sort either */
  uint32_t *starts;                 /* of each column its first piece; one more than columns */
  uint32_t *nearest;                /* piece of each direction, or OBSTACLES_NONE */
  uint16_t *members;                /* of each record */
  float *ground;  /* y of the ground below a scan, by cells, or below stixels by distance; */
  float *weights; /*   what it was made of */
  StxObstacle *obstacle;
  StxFreeSpace *free_space;
  uint16_t *entered;
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

  bool begun; /* there was a frame; */
  bool of_scan;
  uint64_t time;
  StxCamera camera;
  int width, height, stixel_width;
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

/* Finds what stands: state->pieces with their groups. Free space is written, too, but for the
 * obstacles in it. */
void stx_obstacles_stand(StxObstacles *state, const StxObstaclesFrame *frame);
bool stx_obstacles_check_frame(
    const StxObstacles *state, const StxObstaclesFrame *frame, StxError *error);
void stx_obstacles_cluster(StxObstacles *state, const StxObstaclesScan *scan);

/* Pieces in groups to sorted obstacles, members, and obstacles of the free space. */
void stx_obstacles_measure(StxObstacles *state, const StxObstaclesFrame *frame);

/* Ids and speeds of the sorted obstacles; dt: seconds since the last frame, 0: not known. */
void stx_obstacles_follow(StxObstacles *state, double dt, const Noise *noise);

/* Fills in `assigned` of `count` choices; obstacles are numbered below `obstacles`. */
void stx_obstacles_assign(StxObstacles *state, size_t obstacles);

#endif
