/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of every sensor: shots at literal places become points where the manuals say; what is
 * foreign, cut or impossible is told apart; calibrations are read or refused. */
#include "tests/common/lidar_packet/packet_case.h"
#include "tests/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEGREE (M_PI / 180)

/* ---- Helpers ------------------------------------------------------------------------------- */

typedef struct {
  StxLidarSensor sensor;
  StxLidarPacket packet;
  uint8_t bytes[STX_PACKET_CASE_SIZE];
} Rig;

static StxLidarSensorKind sensor_named(const char *nick)
{
  return (StxLidarSensorKind)stx_field_choice_named(stx_lidar_sensors, nick)->value;
}

/* A file of that text, which the caller removes. */
static void write_file(char path[32], const void *text, size_t size)
{
  strcpy(path, "/tmp/stx-packet-XXXXXX");
  int fd = mkstemp(path);
  ck_assert(fd >= 0 && write(fd, text, size) == (ssize_t)size);
  close(fd);
}

static bool open_bytes(
    StxLidarSensor *sensor, const char *nick, const void *text, size_t size, StxError *error)
{
  char path[32];
  write_file(path, text, size);
  bool good =
      stx_lidar_sensor_open(sensor, sensor_named(nick), path, STX_LIDAR_FIRING_MAKER, error);
  unlink(path);
  return good;
}

static bool open_with(StxLidarSensor *sensor, const char *nick, const char *text, StxError *error)
{
  return open_bytes(sensor, nick, text, strlen(text), error);
}

/* 64 lasers as the ROS drivers have them, at 0.1 degree from each other from -3 up. */
static void write_lasers(char *text, size_t size, unsigned lasers)
{
  size_t at = (size_t)snprintf(text, size, "distance_resolution: 0.002\nlasers:\n");
  for (unsigned l = 0; l < lasers; l++)
    at += (size_t)snprintf(text + at, size - at,
        "- {laser_id: %u, rot_correction: 0.01, vert_correction: %d.%03d}\n", l, 0, (int)(l * 2));
}

static Rig *rig_of(const StxPacketKind *kind)
{
  static char text[STX_PACKET_CORRECTION];
  Rig *rig = calloc(1, sizeof *rig);
  StxError error = {""};
  bool good;
  if (kind->profile != NULL)
    stx_packet_metadata(kind, text, sizeof text);
  else
    write_lasers(text, sizeof text, 64);
  if (strstr(kind->sensor, "at128") != NULL) {
    stx_packet_correction((uint8_t *)text);
    good = open_bytes(&rig->sensor, kind->sensor, text, sizeof text, &error);
  } else if (kind->profile != NULL || strstr(kind->sensor, "64e") != NULL)
    good = open_with(&rig->sensor, kind->sensor, text, &error);
  else
    good = stx_lidar_sensor_open(
        &rig->sensor, sensor_named(kind->sensor), NULL, STX_LIDAR_FIRING_MAKER, &error);
  ck_assert_msg(good, "%s: %s", kind->sensor, error.text);
  stx_packet_write(kind, 3, rig->bytes);
  return rig;
}

static const StxPacketKind *kind_named(const char *sensor, const char *profile)
{
  for (size_t k = 0; k < stx_packet_kind_count; k++)
    if (strcmp(stx_packet_kinds[k].sensor, sensor) == 0 &&
        (profile == NULL || strcmp(stx_packet_kinds[k].profile, profile) == 0))
      return &stx_packet_kinds[k];
  ck_abort_msg("no kind %s", sensor);
  return NULL;
}

static StxLidarVerdict decode(Rig *rig, const StxPacketKind *kind)
{
  return stx_lidar_packet_decode(&rig->sensor, rig->bytes, kind->size, &rig->packet);
}

static void expect_point(const Rig *rig, size_t i, const double xyz[3], int intensity,
    StxLidarMark mark, const char *what)
{
  const float *point = rig->packet.points[i];
  const StxLidarMark *found = &rig->packet.marks[i];
  for (int c = 0; c < 3; c++)
    ck_assert_msg(fabs(point[c] - xyz[c]) < 2e-4, "%s: %c is %g; expected %g", what, "xyz"[c],
        (double)point[c], xyz[c]);
  ck_assert_msg(point[3] == intensity, "%s: intensity %g", what, (double)point[3]);
  ck_assert_msg(found->ring == mark.ring && found->echo == mark.echo, "%s: ring %d, echo %d", what,
      found->ring, found->echo);
  ck_assert_msg(abs((int)found->time - (int)mark.time) <= 1, "%s: time %u; expected %u", what,
      found->time, mark.time);
}

/* ---- Shots at literal places --------------------------------------------------------------- */

/* A shot of packet 3, whose first block looks to `azimuth` degrees: 1000 units of `unit` metres,
 * and its place. `step` blocks further, each a fifth of a degree, `late` of one turned meanwhile.
 */
static const struct {
  const char *sensor;
  unsigned block, shot;
  double unit, azimuth, elevation;
  uint16_t ring;
  uint32_t time;
} shots[] = {
    /* laser 1 of the second round: 55296 + 2304 of 110592 ns */
    {"vlp-16", 5, 17, .002, 7.2 + 1 + .2 * 57600 / 110592, 1, 8, 5 * 110592 + 57600},
    {"vlp-16", 0, 0, .002, 7.2, -15, 0, 0},
    {"puck-hi-res", 1, 31, .002, 7.2 + .2 + .2 * 89856 / 110592, 10, 15, 110592 + 89856},
    /* two lasers at a time */
    {"vlp-32c", 2, 3, .004, 7.2 + .4 + .2 * 2304 / 55296 - 1.4, -15.639, 1, 2 * 55296 + 2304},
    {"vlp-32c", 11, 29, .004, 7.2 + 2.2 + .2 * 32256 / 55296 - 1.4, 15, 31, 11 * 55296 + 32256},
    {"hdl-32e", 0, 31, .002, 7.2 + .2 * 35712 / 46080, 32. / 3, 31, 35712},
    /* the lower bank: laser 37 is the second of the second four */
    {"hdl-64e-s3", 3, 5, .002, 3.6 + .2 + .2 * 8500 / 57600 - .01 / DEGREE, .074 / DEGREE, 37,
        57600 + 8500},
    /* laser 75, of the second half: ten groups and a rest */
    {"vls-128", 6, 11, .004, 1.8 + .2 + .2 * 26650 / 53300 + .911, -2.65, 47, 53300 + 26650},
    {"pandar-xt16", 7, 2, .004, 4.8 + 1.4, 11, 2, 7 * 50000 + 2 * 3024},
    {"pandar-xt32", 4, 1, .004, 4.8 + .8 + .077, 13.952, 1, 4 * 50000 + 1512},
    {"pandar-xt32m", 5, 17, .004, 3.6 + 1 - .049, -2.605, 17, 5 * 50000 + 2888},
    {"pandar-qt64", 3, 0, .004, 2.4 + .6 + 8.736, -52.121, 0, 3 * 166667},
    {"pandar-qt128", 1, 0, .004, 1.2 + .2 + 10.108, -52.627, 0, 111110},
    {"pandar-40p", 9, 0, .004, 6 + 1.8 - 1.042, 14.794, 0, 9 * 55560},
    {"pandar-64", 5, 63, .004, 3.6 + 1 - 1.042, -24.879, 63, 5 * 55560},
    {"pandar-128", 1, 2, .004, 1.2 + .2 + 1.258, 11.919, 2, 55556},
    /* the mirror at 10.705 degrees, of a face that begins at 10 */
    {"pandar-at128", 1, 5, .004, 2 * .705 - 1 + .06, .5, 5, 41666},
};

STX_TEST_LOOP(shots_are_where_the_manual_says, sizeof shots / sizeof shots[0])
{
  const StxPacketKind *kind = kind_named(shots[_i].sensor, NULL);
  bool hesai = strstr(kind->sensor, "pandar") != NULL;
  STX_MALLOCED Rig *rig = rig_of(kind);
  double range = 1000 * shots[_i].unit, a = shots[_i].azimuth * DEGREE;
  double level = cos(shots[_i].elevation * DEGREE), rise = sin(shots[_i].elevation * DEGREE);
  double ahead = range * level * cos(a), right = range * level * sin(a);
  double maker[2][3] = {{ahead, -right, range * rise}, {right, ahead, range * rise}};
  StxLidarMark mark = {.time = shots[_i].time, .ring = shots[_i].ring};
  stx_packet_return(kind, shots[_i].block, shots[_i].shot, 0, 1000, 77, rig->bytes);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
  ck_assert_uint_eq(rig->packet.count, 1);
  expect_point(rig, 0, maker[hesai], 77, mark, kind->sensor);
  ck_assert(rig->packet.at[0] >= rig->packet.low && rig->packet.at[0] <= rig->packet.high);
}

/* A VLS-128 with two returns, at 20 turns a second: a packet is one azimuth, and the one before
 * says how fast it turns. */
STX_TEST(packets_of_one_azimuth)
{
  const StxPacketKind *kind = kind_named("vls-128", NULL);
  STX_MALLOCED Rig *rig = rig_of(kind);
  for (unsigned p = 0; p < 2; p++) {
    double a = (10 + p * .4 + p * .4 * 42.64 / 53.3 - 6.354) * DEGREE, h = .43 * DEGREE;
    for (unsigned b = 0; b < 12; b++) {
      stx_packet_put(
          rig->bytes + 100 * b, (uint16_t[]){0xEEFF, 0xDDFF, 0xCCFF, 0xBBFF}[b / 2 % 4], 2);
      stx_packet_put(rig->bytes + 100 * b + 2, 1000 + p * 40, 2);
    }
    rig->bytes[1204] = 0x39;
    stx_packet_put(rig->bytes + 1200, 5000 + p * 53, 4);
    stx_packet_return(kind, 6, 31, 0, 1000, 1, rig->bytes);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    ck_assert_float_eq_tol(rig->packet.points[0][2], (float)(4 * sin(h)), 1e-5F);
    if (p == 1) /* microseconds: 53 are 53.3 */
      ck_assert_float_eq_tol(rig->packet.points[0][1], (float)(-4 * cos(h) * sin(a)), 2e-4F);
  }
}

/* As the ROS drivers have it: lasers of a VLP-32C one by one, 1/100 degree, the last block still;
 * of two returns the second a block ahead. */
STX_TEST(shots_are_where_ros_has_them)
{
  static const struct {
    unsigned block, shot;
    uint8_t mode;
    double azimuth;
  } ros[] = {{2, 3, 0x37, 7.2 + .4 + .03 - 1.4}, /* 3 of 24 parts of .2, rounded */
      {11, 3, 0x37, 7.2 + 2.2 - 1.4}, {1, 3, 0x39, 7.2 + .4 - 1.4}};
  const StxPacketKind *kind = kind_named("vlp-32c", NULL);
  for (size_t i = 0; i < sizeof ros / sizeof ros[0]; i++) {
    STX_MALLOCED Rig *rig = rig_of(kind);
    double level = cos(-15.639 * DEGREE), a = ros[i].azimuth * DEGREE;
    const double xyz[3] = {4 * level * cos(a), -4 * level * sin(a), 4 * sin(-15.639 * DEGREE)};
    StxError error = {""};
    ck_assert(stx_lidar_sensor_open(
        &rig->sensor, STX_LIDAR_SENSOR_VLP_32C, NULL, STX_LIDAR_FIRING_ROS, &error));
    rig->bytes[1204] = ros[i].mode;
    stx_packet_return(kind, ros[i].block, ros[i].shot, 0, 1000, 1, rig->bytes);
    for (unsigned b = 0; b < 12 && ros[i].mode == 0x39; b++) /* each block twice */
      stx_packet_put(rig->bytes + 100 * b + 2, 720 + b / 2 * 40, 2);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    for (int c = 0; c < 3; c++)
      ck_assert_msg(fabs(rig->packet.points[0][c] - xyz[c]) < 1e-5, "%zu: %c is %g; expected %g", i,
          "xyz"[c], (double)rig -> packet.points[0][c], xyz[c]);
  }
}

/* An Ouster's pixel, by the formula of its manual: column 50, beam 7 looks 53 degrees up. */
STX_TEST_LOOP(pixels_are_where_the_manual_says, 5)
{
  const StxPacketKind *kind = &stx_packet_kinds[stx_packet_kind_count - 5 + (size_t)_i];
  bool low = strstr(kind->profile, "RNG15") != NULL, dual = strstr(kind->profile, "DUAL") != NULL;
  double range = low ? 8 : 1.5, e = 2 * M_PI * (1 - 50. / 512), h = 53 * DEGREE, n = .02;
  double a = 1 * DEGREE, x = (range - n) * cos(e + a) * cos(h) + n * cos(e);
  double y = (range - n) * sin(e + a) * cos(h) + n * sin(e), z = (range - n) * sin(h);
  const double xyz[3] = {-x, -y, z + .03618};
  StxLidarMark mark = {.time = 2 * 195312, .ring = 7};
  STX_MALLOCED Rig *rig = rig_of(kind);
  stx_packet_return(kind, 2, 7, 0, low ? 1000 : 1500, 200, rig->bytes);
  for (unsigned echo = 0; echo < 2 && dual; echo++) /* of two that are alike one is left */
    stx_packet_return(kind, 3, 7, echo, 2000, 9, rig->bytes);
  if (dual)
    stx_packet_return(kind, 2, 7, 1, 2000, 9, rig->bytes);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
  ck_assert_uint_eq(rig->packet.count, dual ? 3 : 1);
  expect_point(rig, 0, xyz, 200, mark, kind->profile);
  ck_assert_uint_eq(rig->packet.marks[dual].echo, dual);
  ck_assert_uint_eq(rig->packet.frame, 7);
  ck_assert_uint_eq(rig->packet.piece, 3);
  ck_assert_uint_eq(rig->packet.pieces, 32);
}

/* A window around 0: packets are counted from where it begins. */
STX_TEST(a_window_of_columns)
{
  const StxPacketKind *kind = kind_named("ouster", "RNG15_RFL8_NIR8");
  char text[4096], whole[8192];
  STX_MALLOCED Rig *rig = rig_of(kind);
  StxError error = {""};
  stx_packet_metadata(kind, text, sizeof text);
  snprintf(whole, sizeof whole, "{\"column_window\": [400, 100], %s", text + 1);
  ck_assert_msg(open_with(&rig->sensor, kind->sensor, whole, &error), "%s", error.text);
  for (unsigned number = 0; number < 32; number++) {
    stx_packet_write(kind, number, rig->bytes);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    if (number >= 25 || number <= 6) {
      ck_assert_uint_eq(rig->packet.pieces, 14);
      ck_assert_uint_eq(rig->packet.piece, (number + 7) % 32);
    }
  }
}

/* 24 November 2026, 10:00:00.503, and what the manuals say of when the first block was fired. The
 * year counts from 2000 or 1900, or there are seconds in its place, or nothing. */
STX_TEST_LOOP(dates, 4)
{
  static const uint8_t date[][6] = {
      {26, 11, 24, 10, 0, 0}, {126, 11, 24, 10, 0, 0}, {0, 0, 0x6B, 0x05, 0x60, 0x20}, {0}};
  static const struct {
    const char *sensor;
    size_t date;
    int64_t first; /* nanoseconds */
  } sensors[] = {{"pandar-xt32", 1065, 6000 - 7 * 50000}, {"pandar-qt64", 1062, 38020},
      {"pandar-40p", 1256, -83250 - 9 * 55560}, {"pandar-64", 1188, -97250 - 5 * 55560}};
  for (size_t s = 0; s < sizeof sensors / sizeof sensors[0]; s++) {
    const StxPacketKind *kind = kind_named(sensors[s].sensor, NULL);
    STX_MALLOCED Rig *rig = rig_of(kind);
    memcpy(rig->bytes + sensors[s].date, date[_i], 6);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    ck_assert_uint_eq(rig->packet.time_modulus, _i < 3 ? 0 : 1000000000);
    ck_assert_int_eq((int64_t)rig->packet.time,
        (_i < 3 ? INT64_C(1795514400503000000) : 503000000) + sensors[s].first);
  }
}

/* Nearer than the sensor can see: no return. */
STX_TEST(what_is_too_near)
{
  static const struct {
    const char *sensor;
    uint32_t units;
  } sensors[] = {
      {"pandar-xt32", 13}, {"pandar-qt64", 25}, {"pandar-40p", 75}, {"pandar-at128", 250}};
  for (size_t s = 0; s < sizeof sensors / sizeof sensors[0]; s++) {
    const StxPacketKind *kind = kind_named(sensors[s].sensor, NULL);
    STX_MALLOCED Rig *rig = rig_of(kind);
    stx_packet_return(kind, 0, 0, 0, sensors[s].units, 1, rig->bytes);
    stx_packet_return(kind, 0, 1, 0, sensors[s].units - 1, 1, rig->bytes);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    ck_assert_msg(rig->packet.count == 1 && rig->packet.marks[0].ring == 0, "%s: %zu points",
        kind->sensor, rig->packet.count);
  }
}

/* ---- Returns ------------------------------------------------------------------------------- */

/* Two blocks of one azimuth: what is alike in both is one point, of the first. */
STX_TEST(two_returns_of_a_shot)
{
  static const struct {
    const char *sensor;
    size_t mode;
    unsigned block; /* of the second return */
  } sensors[] = {{"vlp-16", 1204, 1}, {"vlp-32c", 1204, 1}, {"vls-128", 1204, 1},
      {"pandar-xt32", 1062, 1}, {"pandar-40p", 1254, 1}};
  for (size_t s = 0; s < sizeof sensors / sizeof sensors[0]; s++) {
    const StxPacketKind *kind = kind_named(sensors[s].sensor, NULL);
    bool velodyne = sensors[s].mode == 1204;
    STX_MALLOCED Rig *rig = rig_of(kind);
    rig->bytes[sensors[s].mode] = 0x39;
    for (unsigned b = 0; b < kind->blocks; b++) { /* each twice */
      uint8_t *block = rig->bytes + kind->first + b * kind->next;
      stx_packet_put(block + kind->before - 2, 1000 + b / 2 * 20, 2);
      if (s == 2)
        stx_packet_put(block, (uint16_t[]){0xEEFF, 0xDDFF, 0xCCFF, 0xBBFF}[b / 2 % 4], 2);
    }
    stx_packet_return(kind, 0, 3, 0, 1000, 10, rig->bytes);
    stx_packet_return(kind, 1, 3, 0, 1000, 10, rig->bytes);
    stx_packet_return(kind, 0, 4, 0, 2000, 20, rig->bytes);
    stx_packet_return(kind, 1, 4, 0, 1500, 30, rig->bytes);
    ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
    ck_assert_msg(rig->packet.count == 3, "%s: %zu points", kind->sensor, rig->packet.count);
    float range = 0;
    for (size_t i = 0; i < 3; i++) {
      const float *p = rig->packet.points[i];
      range += sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      ck_assert_uint_eq(rig->packet.marks[i].echo, p[3] == 30);
    }
    float unit = velodyne && s == 0 ? 2e-3F : 4e-3F;
    ck_assert_msg(fabsf(range - 4500 * unit) < 1e-3F, "%s: %g m", kind->sensor, (double)range);
  }
}

/* ---- What is no such packet ---------------------------------------------------------------- */

STX_TEST_LOOP(every_sensor_is_found_by_its_packets, stx_packet_kind_count)
{
  const StxPacketKind *kind = &stx_packet_kinds[_i];
  STX_MALLOCED Rig *rig = rig_of(kind);
  StxLidarSensorKind found = stx_lidar_sensor_find(rig->bytes, kind->size);
  ck_assert_msg(found == sensor_named(kind->sensor), "%s is taken for %d", kind->sensor, found);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
}

STX_TEST_LOOP(cut_and_foreign_packets, stx_packet_kind_count)
{
  const StxPacketKind *kind = &stx_packet_kinds[_i];
  STX_MALLOCED Rig *rig = rig_of(kind);
  for (size_t size = 0; size < kind->size; size += size < 40 ? 1 : 37) {
    STX_GUARDED uint8_t *exact = stx_guarded_alloc(size);
    if (size > 0)
      memcpy(exact, rig->bytes, size);
    StxLidarVerdict verdict = stx_lidar_packet_decode(&rig->sensor, exact, size, &rig->packet);
    bool legacy = kind->profile != NULL && kind->first == 0;
    ck_assert_msg(size < 16 ? verdict != STX_LIDAR_GOOD
                            : verdict == (legacy ? STX_LIDAR_FOREIGN : STX_LIDAR_TRUNCATED),
        "%s of %zu bytes: %d", kind->sensor, size, verdict);
  }
  for (size_t other = 0; other < stx_packet_kind_count; other++)
    if (strcmp(stx_packet_kinds[other].sensor, kind->sensor) != 0) {
      stx_packet_write(&stx_packet_kinds[other], 0, rig->bytes);
      ck_assert_int_ne((int)stx_lidar_packet_decode(
                           &rig->sensor, rig->bytes, stx_packet_kinds[other].size, &rig->packet),
          STX_LIDAR_GOOD);
    }
}

STX_TEST_LOOP(impossible_packets, stx_packet_kind_count)
{
  const StxPacketKind *kind = &stx_packet_kinds[_i];
  STX_MALLOCED Rig *rig = rig_of(kind);
  uint8_t *second = rig->bytes + kind->first + kind->next;
  if (kind->profile != NULL)
    stx_packet_put(second + 8, 512, 2); /* there are columns 0 to 511 */
  else
    stx_packet_put(second + kind->before - 2, 36000, 2);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_FORGED);
}

/* A motor may tremble and pass over azimuths, but no packet goes around more than once. */
STX_TEST(azimuths_of_blocks)
{
  static const struct {
    uint32_t block[10];
    StxLidarVerdict verdict;
  } cases[] = {{{100, 90, 80, 90, 90, 100, 110, 120, 130, 140}, STX_LIDAR_GOOD},
      {{35900, 35950, 0, 50, 100, 30000, 30050, 30100, 30150, 30200}, STX_LIDAR_GOOD},
      {{100, 120, 18000, 140, 160, 180, 200, 220, 240, 260}, STX_LIDAR_FORGED}};
  const StxPacketKind *kind = kind_named("pandar-40p", NULL);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    STX_MALLOCED Rig *rig = rig_of(kind);
    for (unsigned b = 0; b < 10; b++) {
      stx_packet_put(
          rig->bytes + kind->first + b * kind->next + kind->before - 2, cases[c].block[b], 2);
      stx_packet_return(kind, b, 3, 0, 1000, 10, rig->bytes);
    }
    ck_assert_int_eq((int)decode(rig, kind), cases[c].verdict);
    for (size_t i = 0; i < rig->packet.count && c < 2; i++)
      ck_assert(rig->packet.at[i] >= rig->packet.low && rig->packet.at[i] <= rig->packet.high);
  }
}

/* CRC-64/XZ of "123456789" is 995DC9BBDF1939FA: a packet of that sum, and one bit flipped. */
STX_TEST(an_ousters_sum)
{
  const StxPacketKind *kind = kind_named("ouster", "RNG15_RFL8_NIR8");
  STX_MALLOCED Rig *rig = rig_of(kind);
  stx_packet_put(rig->bytes + kind->size - 8, 1, 8);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_FORGED);
  stx_packet_put(rig->bytes + kind->size - 8, UINT64_C(0xDEADBEEF0000C0DE), 8);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
  uint64_t crc = ~UINT64_C(0);
  for (size_t i = 0; i < kind->size - 8; i++) { /* bit by bit */
    crc ^= rig->bytes[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? UINT64_C(0xC96C5795D7870F42) : 0);
  }
  stx_packet_put(rig->bytes + kind->size - 8, ~crc, 8);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
  rig->bytes[500] ^= 4;
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_FORGED);
}

/* ---- Calibrations -------------------------------------------------------------------------- */

static const struct {
  const char *sensor, *text, *reason;
} refusals[] = {
    {"vlp-16", "lasers:\n- {laser_id: 0}\n", "1 entries; 16 lasers"},
    {"vlp-16", "lasers: none\n", "0 entries"},
    {"hdl-64e-s2", "{}", "0 entries"},
    {"pandar-xt16", "Channel,Elevation,Azimuth\n1,15,0\n", "1 lines; expected 16"},
    {"pandar-xt16", "1,15,0\n1,15,0\n", ":2: channel 1 is twice"},
    {"pandar-xt16", "17,15,0\n", "channel 17"},
    {"pandar-xt16", "1,95,0\n", "elevation 95"},
    {"ouster", "[]", "calibration"},
    {"ouster", "{\"beam_altitude_angles\": [[1]]}", "do not turn"},
    {"ouster", "{\"udp_profile_lidar\": \"RNG77\"}", "RNG77"},
    {"ouster", "{\"udp_profile_lidar\": \"RNG\\u00077\"}", "RNG?7"},
    {"ouster", "{\"beam_altitude_angles\": [1], \"beam_azimuth_angles\": [1, 2]}", "2 numbers"},
    {"ouster", "{\"beam_altitude_angles\": [100], \"beam_azimuth_angles\": [1]}", "altitude 100"},
    {"ouster", "{\"columns_per_frame\": 9000}", "9000; expected 16 to 4096"},
    {"ouster", "{}", "no \"pixels_per_column\"; an Ouster's metadata; api/v1/sensor"},
    {"ouster",
        "{\"beam_altitude_angles\": [1], \"beam_azimuth_angles\": [1], "
        "\"lidar_to_sensor_transform\": [1]}",
        "lidar_to_sensor_transform"},
    {"ouster",
        "{\"beam_altitude_angles\": [1], \"beam_azimuth_angles\": [1], "
        "\"column_window\": [\"all\", 3]}",
        "number 1 of \"column_window\""},
    {"pandar-at128", "1,15,0\n", "version 1.5, 47144 bytes"},
};

STX_TEST_LOOP(bad_calibrations, sizeof refusals / sizeof refusals[0])
{
  STX_MALLOCED StxLidarSensor *sensor = malloc(sizeof *sensor);
  StxError error = {""};
  ck_assert_msg(!open_with(sensor, refusals[_i].sensor, refusals[_i].text, &error),
      "accepted; expected %s", refusals[_i].reason);
  STX_MALLOCED char *words = strdup(refusals[_i].reason);
  for (char *word = strtok(words, ";"); word != NULL; word = strtok(NULL, ";"))
    ck_assert_msg(
        strstr(error.text, word + (*word == ' ')) != NULL, "\"%s\" lacks \"%s\"", error.text, word);
}

STX_TEST(some_sensors_need_a_calibration)
{
  static const char *const sensors[] = {"hdl-64e-s2", "hdl-64e-s3", "ouster", "pandar-at128"};
  STX_MALLOCED StxLidarSensor *sensor = malloc(sizeof *sensor);
  StxError error = {""};
  for (int s = 0; s < 4; s++) {
    ck_assert(!stx_lidar_sensor_open(
        sensor, sensor_named(sensors[s]), NULL, STX_LIDAR_FIRING_MAKER, &error));
    ck_assert_msg(strstr(error.text, "needs") != NULL, "%s", error.text);
  }
}

/* Files of a VLS-128 state 7 mm; its packets have 4. */
STX_TEST(the_resolution_of_a_file_is_not_used)
{
  char text[8192];
  STX_MALLOCED StxLidarSensor *sensor = malloc(sizeof *sensor);
  StxError error = {""};
  write_lasers(text, sizeof text, 64);
  text[strlen("distance_resolution: 0.00")] = '7';
  ck_assert_msg(open_with(sensor, "hdl-64e-s2", text, &error), "%s", error.text);
  ck_assert_double_eq(sensor->resolution, 0.002);
  ck_assert_double_eq(sensor->stated, 0.007);
}

/* All corrections of an HDL-64E at once, in figures that can be followed: a shot of 4 m straight
 * ahead, whose near distances are 1 and 2 cm too short. */
STX_TEST(corrections_of_a_laser)
{
  const StxPacketKind *kind = kind_named("vlp-16", NULL);
  char text[4096];
  STX_MALLOCED Rig *rig = rig_of(kind);
  StxError error = {""};
  size_t at = (size_t)snprintf(text, sizeof text, "lasers:\n");
  for (int l = 0; l < 16; l++)
    at += (size_t)snprintf(text + at, sizeof text - at,
        "- {laser_id: %d, vert_correction: 0, dist_correction: 0.03, dist_correction_x: 0.01, "
        "dist_correction_y: 0.02, horiz_offset_correction: 0.025, vert_offset_correction: 0.2}\n",
        l);
  ck_assert_msg(open_with(&rig->sensor, "vlp-16", text, &error), "%s", error.text);
  stx_packet_write(kind, 0, rig->bytes);
  stx_packet_return(kind, 0, 0, 0, 2000, 5, rig->bytes);
  ck_assert_int_eq((int)decode(rig, kind), STX_LIDAR_GOOD);
  double near = (4.03 - 1.93) / (25.04 - 1.93);
  const double xyz[3] = {4 + .03 * near + .02 * (1 - near), .025, .2};
  expect_point(rig, 0, xyz, 5, (StxLidarMark){0}, "corrected");
}
