/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of every sensor, written by the offsets of the makers' manuals: for the tests of
 * common/lidar_packet, of lidar-decode, and for what the fuzzer begins with. */
#pragma once

#include "common/lidar_packet/lidar_packet.h"

#define STX_PACKET_CASE_SIZE 65536

/* blocks (of a Velodyne or Hesai) or columns (of an Ouster) with so many shots each, which begin at
 * `first` + block · `next` + `before` and are `shot` bytes apart. */
typedef struct {
  const char *sensor;  /* the nick */
  const char *profile; /* of an Ouster */
  size_t size, first, next, before, shot;
  unsigned blocks, shots;
} StxPacketKind;

extern const StxPacketKind stx_packet_kinds[];
extern const size_t stx_packet_kind_count;

/* A packet without a return: the `number`th of a stream, of which each takes about a degree. */
void stx_packet_write(const StxPacketKind *kind, unsigned number, uint8_t *bytes);

/* A return, in units of the sensor; `echo` > 0 of an Ouster's pixel is its second one. */
void stx_packet_return(const StxPacketKind *kind, unsigned block, unsigned shot, unsigned echo,
    uint32_t distance, uint8_t intensity, uint8_t *bytes);

/* An Ouster's metadata for the kind: 512 columns, beams 1 degree apart from 60 degrees down, of
 * azimuth -1. */
size_t stx_packet_metadata(const StxPacketKind *kind, char *text, size_t size);

/* An AT128's correction file: three faces of 60 degrees from 10, 130 and 250 degrees on, which
 * sweep 120; channel c looks c / 10 degrees up and 1 degree back, and 0.06 degree further where the
 * mirror is at 10 to 12 degrees. */
#define STX_PACKET_CORRECTION 47176
void stx_packet_correction(uint8_t *file);

/* Bytes, lowest first. */
void stx_packet_put(uint8_t *at, uint64_t value, unsigned bytes);
