/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the makers' files: numbers in packets, and beams. */
#pragma once

#include "common/lidar_packet/lidar_packet.h"

static inline uint32_t stx_le16(const uint8_t *at)
{
  return at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t stx_le32(const uint8_t *at)
{
  return stx_le16(at) | stx_le16(at + 2) << 16;
}

static inline uint64_t stx_le64(const uint8_t *at)
{
  return stx_le32(at) | (uint64_t)stx_le32(at + 4) << 32;
}

/* A beam's angles in degrees. */
void stx_lidar_beam_angles(StxLidarBeam *beam, double azimuth, double elevation);

/* Cosine and sine of an angle in 1/25600 degree. */
void stx_lidar_direction(int32_t angle, float *cosine, float *sine);

/* Returns of a Hesai's shot by the mode in the packet; 0: there is no such mode. */
unsigned stx_hesai_returns(uint8_t mode);

/* The sum at the end of an Ouster's packet. */
uint64_t stx_lidar_sum(const uint8_t *bytes, size_t size);
