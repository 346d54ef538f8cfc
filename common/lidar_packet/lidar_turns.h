/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets to turns. A turn of a rotating sensor begins, for each beam by itself, where the beam's
 * azimuth crosses the cut: a point belongs to the turn in which its own beam is then, so each beam
 * has each direction once. Beams look up to ±10° aside, so two turns may be open at a
 * time. Where the sensor counts its turns (Ouster), a turn is what has the same number.
 *
 * Packets are expected in order. One that is missing shows in a gap of numbers or times; one that
 * comes late joins its turn if that is still open; one that comes twice is left out. After a gap
 * of half a turn and more, or where the sensor began anew, what is open ends.
 *
 * A packet that does not follow the one before (its number or time is elsewhere, or it begins while
 * that one lasted) is strange: another sensor sent it, or its clock was set. It is left out; after
 * STX_LIDAR_STRANGERS in a row the sensor has begun anew.
 *
 * A sensor that stands still, whose azimuth crosses nothing, ends a turn every second.
 *
 * The caller keeps the points of the two open turns:
 *
 *   fate = stx_lidar_turns_place (&turns, packet);
 *   hand_over ();
 *   if (fate == STX_LIDAR_FATE_TAKEN)
 *     for (t = 0; t < 2; t++)
 *       stx_lidar_turns_add (&turns, packet, t, points[t], marks[t]);  // large enough
 *   hand_over ();
 *
 * where hand_over () takes points[0] while turns.ended > 0, makes points[1] points[0], and calls
 * stx_lidar_turns_close (&turns).
 */
#pragma once

#include "common/lidar_packet/lidar_packet.h"

/* Packets that are remembered, to tell late ones from doubled ones. One that is late by more than
 * half of them is left out. */
#define STX_LIDAR_ORDERS 64
#define STX_LIDAR_STRANGERS 8

typedef struct {
  uint64_t number;    /* counted on; the sensor's, where it counts */
  size_t count;       /* points */
  uint64_t time, end; /* the first point, the end of the last packet: the sensor's clock, which
                         goes on here, nanoseconds */
  uint32_t packets, lost;
  uint64_t spans; /* the time that its packets take, nanoseconds */
  bool begun;     /* it is there from its beginning on */
  bool complete;  /* … to its end, and no packet is missing; known when it has ended */
} StxLidarTurn;

typedef enum {
  STX_LIDAR_FATE_TAKEN,
  STX_LIDAR_FATE_LATE,
  STX_LIDAR_FATE_DOUBLED,
  STX_LIDAR_FATE_STRANGE
} StxLidarFate;

/* Zero it to begin with, and set the cut. */
typedef struct {
  int32_t cut; /* where turns begin, 0 … STX_LIDAR_TURN − 1 */

  StxLidarTurn open[2];
  unsigned ended;               /* how many of the open ones came to their end */
  uint64_t lost, late, doubled; /* packets, since the start; late ones may have been taken */
  uint64_t strange, restarts;   /* packets; how often the sensor began anew */

  /* Private from here on. */
  bool running;
  uint32_t strangers;                         /* in a row */
  uint64_t orders[STX_LIDAR_ORDERS], packets; /* of the last packets, counted on */
  uint64_t order, wrapped_order;              /* of the newest packet */
  uint64_t clock, wrapped_clock;
  int64_t position, whole; /* its azimuth, whole turns included; turns from here on begin whole */
  double rate;             /* of the azimuth, a nanosecond; 0: not known */
  int64_t place, lowest;   /* of this packet; the first turn that it may belong to */
  uint64_t now;            /* its time */
  uint32_t piece;          /* of a turn that the sensor counts: the newest */
  uint32_t span, step;     /* of the newest packet */
  int32_t low, gap;        /* its lowest beam; the last packet's with a gap */
} StxLidarTurns;

/* Assigns a packet to a turn. Turns that end before it are closed next; then, if it was TAKEN, it
 * is added to both that are open. Adding may end a turn, too: see `ended`. */
StxLidarFate stx_lidar_turns_place(StxLidarTurns *turns, const StxLidarPacket *packet);

/* Adds those of the packet's points that belong into open[which] to its points and marks, which
 * have space behind open[which].count. Marks get the time since the turn's. */
void stx_lidar_turns_add(StxLidarTurns *turns, const StxLidarPacket *packet, unsigned which,
    float *points, StxLidarMark *marks);

/* The oldest open turn is done with. */
void stx_lidar_turns_close(StxLidarTurns *turns);

/* Everything that is open ends: the stream does, or jumps. The next packet begins anew. */
void stx_lidar_turns_finish(StxLidarTurns *turns);

/*
 * Moves the points of a turn to the moment of its time: the sensor drives ahead, along x, at
 * `speed` metres a second and turns to the left by `yaw_rate` radians a second, both constant
 * during the turn. Before that, all points are turned by `yaw` radians to the left.
 */
typedef struct {
  double yaw, speed, yaw_rate;
} StxLidarMotion;
void stx_lidar_move(
    const StxLidarMotion *motion, size_t count, const StxLidarMark *marks, float *points);
