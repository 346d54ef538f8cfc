/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hesai's angles, lidar_packet_hesai_angles.c. */
#pragma once

#include <stdint.h>

/* Returns of a shot by the mode in the packet; 0: there is no such mode. */
unsigned stx_hesai_returns(uint8_t mode);

extern const int32_t stx_hesai_xt32_angles[32][2];
extern const int32_t stx_hesai_xt32m_angles[32][2];
extern const int32_t stx_hesai_qt64_angles[64][2];
extern const int32_t stx_hesai_qt128_angles[128][2];
extern const int32_t stx_hesai_pandar_40p_angles[40][2];
extern const int32_t stx_hesai_pandar_64_angles[64][2];
extern const int32_t stx_hesai_pandar_128_angles[128][2];
