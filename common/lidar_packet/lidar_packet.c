/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of sensors, which of them a packet is from, and what is computed of beams. */
#include "common/lidar_packet/lidar_packet_private.h"

#include <math.h>
#include <string.h>

#define CHOICE(NAME, nick, record, text) {STX_LIDAR_SENSOR_##NAME, nick, text},
const StxFieldChoice stx_lidar_sensors[] = {
    {STX_LIDAR_SENSOR_AUTO, "auto", "By the first packets"}, STX_LIDAR_SENSORS(CHOICE){0}};

const StxFieldChoice stx_lidar_firings[] = {
    {STX_LIDAR_FIRING_MAKER, "maker", "By the firing times of the manual"},
    {STX_LIDAR_FIRING_ROS, "ros", "As the ROS drivers compute them"}, {0}};

#define DECLARE(NAME, nick, record, text) extern const StxLidarSensorInfo stx_lidar_##record;
STX_LIDAR_SENSORS(DECLARE)

#define RECORD(NAME, nick, record, text) [STX_LIDAR_SENSOR_##NAME] = &stx_lidar_##record,
static const StxLidarSensorInfo *const sensors[STX_LIDAR_SENSOR_COUNT] = {
    STX_LIDAR_SENSORS(RECORD)};

StxLidarSensorKind stx_lidar_sensor_find(const void *bytes, size_t size)
{
  for (int kind = STX_LIDAR_SENSOR_COUNT - 1; kind > STX_LIDAR_SENSOR_AUTO; kind--)
    if (sensors[kind]->probe(sensors[kind], bytes, size))
      return (StxLidarSensorKind)kind;
  return STX_LIDAR_SENSOR_AUTO;
}

/* Computed once from the beams. */
static void prepare(StxLidarSensor *sensor)
{
  for (unsigned b = 0; b < sensor->beams; b++) {
    const StxLidarBeam *beam = &sensor->beam[b];
    int32_t turn = (int32_t)lrint(beam->azimuth / (2 * M_PI) * STX_LIDAR_TURN);
    sensor->level[b] = (float)cos(beam->elevation);
    sensor->rise[b] = (float)sin(beam->elevation);
    sensor->north[b] = (float)cos(beam->azimuth);
    sensor->east[b] = (float)sin(beam->azimuth);
    sensor->turn[b] = turn;
    sensor->turn_low = b == 0 || turn < sensor->turn_low ? turn : sensor->turn_low;
    sensor->turn_high = b == 0 || turn > sensor->turn_high ? turn : sensor->turn_high;
    sensor->near_far = sensor->near_far || beam->distance != 0 || beam->distance_x != 0 ||
                       beam->distance_y != 0 || beam->across != 0 || beam->up != 0 ||
                       beam->focal_slope != 0;
  }
}

bool stx_lidar_sensor_open(StxLidarSensor *sensor, StxLidarSensorKind kind, const char *calibration,
    StxLidarFiring firing, StxError *error)
{
  const StxLidarSensorInfo *info = (unsigned)kind < STX_LIDAR_SENSOR_COUNT ? sensors[kind] : NULL;
  memset(sensor, 0, sizeof *sensor);
  sensor->info = info;
  sensor->ros = firing == STX_LIDAR_FIRING_ROS;
  if (info == NULL)
    return stx_fail(error, "no sensor has the number %d", (int)kind);
  if (!info->open(sensor, calibration, error))
    return false;
  prepare(sensor);
  return true;
}

StxLidarVerdict stx_lidar_packet_decode(
    StxLidarSensor *sensor, const void *bytes, size_t size, StxLidarPacket *packet)
{
  static const uint8_t nothing[1];
  return sensor->info->decode(sensor, size > 0 ? bytes : nothing, size, packet);
}

/* ---- Beams --------------------------------------------------------------------------------- */

#define DEGREE (M_PI / 180)

void stx_lidar_beam_angles(StxLidarBeam *beam, double azimuth, double elevation)
{
  beam->azimuth = azimuth * DEGREE;
  beam->elevation = elevation * DEGREE;
}

void stx_lidar_direction(int32_t angle, float *cosine, float *sine)
{
  double radians = angle * (2 * M_PI / STX_LIDAR_TURN);
  *cosine = (float)cos(radians);
  *sine = (float)sin(radians);
}
