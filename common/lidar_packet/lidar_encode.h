/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points to the packets that a sensor would send of them: a Velodyne VLP-16 with 75 packets of 24
 * rounds a turn (1206 bytes), or an Ouster with 32 beams, 1024 columns and profile
 * RNG19_RFL8_SIG16_NIR16 (64 packets of 6400 bytes), whose beams look where an HDL-32E's do. It is
 * for tests and for lines without a sensor.
 *
 * A point becomes the shot of the beam and the firing that look nearest to it, if that is half a
 * step of beams away at most; of several, the nearest. So what is decoded again lies where the
 * sensor looks, in steps of 2 mm (VLP-16) or 1 mm: half a step of azimuth, 0.1 or 0.18 degree,
 * beside the point. Axes are those of the decoded points of the sensor. Points that are not finite,
 * nearer than 0.1 m or farther than the sensor can say are left out.
 *
 * Nothing is allocated; an encoder belongs to one thread.
 */
#pragma once

#include "common/lidar_packet/lidar_packet.h"

#define STX_LIDAR_ENCODE_CELLS 32768 /* shots of a turn at most */
#define STX_LIDAR_ENCODE_SIZE 6400   /* bytes of a packet at most */

typedef enum { STX_LIDAR_ENCODE_VLP_16, STX_LIDAR_ENCODE_OUSTER } StxLidarEncodeKind;
extern const StxFieldChoice stx_lidar_encode_kinds[];

/* Made by stx_lidar_encode_open; 200 KiB. */
typedef struct {
  StxLidarEncodeKind kind;
  unsigned beams, columns, packets;       /* of a turn */
  size_t size;                            /* of a packet, bytes */
  uint32_t range[STX_LIDAR_ENCODE_CELLS]; /* by column and beam, in units; 0: no return */
  uint8_t intensity[STX_LIDAR_ENCODE_CELLS];
} StxLidarEncoder;

void stx_lidar_encode_open(StxLidarEncoder *encoder, StxLidarEncodeKind kind);

/* Takes the points of a turn. Returns how many found a shot of their own. */
size_t stx_lidar_encode_turn(StxLidarEncoder *encoder, const float *points, size_t count);

/* Writes packet `number` of the turn, encoder->size bytes, of the turn `turn` that begins at `time`
 * nanoseconds and takes `duration`. */
void stx_lidar_encode_packet(const StxLidarEncoder *encoder, unsigned number, uint64_t turn,
    uint64_t time, uint64_t duration, uint8_t *bytes);

/* The metadata that an Ouster would give, JSON; returns its length, which is below `size`. */
#define STX_LIDAR_ENCODE_METADATA 4096
size_t stx_lidar_encode_metadata(char *text, size_t size);
