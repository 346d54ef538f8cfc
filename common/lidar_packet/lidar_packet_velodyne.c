/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Velodyne: 12 blocks of 100 bytes (a flag that names the bank of lasers, an azimuth in 1/100
 * degree, 32 shots of a distance and an intensity), microseconds since the full hour, the return
 * mode, the product.
 *
 * The azimuth of a block is that of its first shot. A shot that is fired t later looks t · rate
 * further; the rate is the mean of the packet's blocks, steps across a gap in the azimuths (a
 * sensor that was told to look at a part of the turn) left out. One group of blocks is one round of
 * all lasers: 1 block, HDL-64E 2, VLS-128 4; a VLP-16 has two rounds in a block. With two returns
 * each block comes twice, the last return first; of HDL-64E the pair of blocks does, the strongest
 * return first.
 */
#include "common/lidar_packet/lidar_packet_private.h"

#include <math.h>

#include "common/calibration/calibration_file.h"
#include "common/text_file.h"

#define PACKET 1206
#define BLOCKS 12
#define BLOCK 100
#define BLOCK_SHOTS 32
#define DUAL 0x39
#define VLP_32C 0x28
#define MILLION 1000000
#define LONGEST_GAP 2e8 /* nanoseconds */

/* blocks      of a group
 * rounds      of all lasers in a block
 * group       nanoseconds of a group
 * wait        nanoseconds that the first shot is fired before the packet's time
 * shots       how the lasers fire: `together` at a time, every `shot` nanoseconds; HDL-64E's four
 *             of a group of four at `four` */
typedef struct {
  uint8_t product; /* 0: the packet does not say */
  uint8_t lasers, blocks, rounds;
  uint32_t group, wait, shot, together;
  uint16_t four[4];
  double resolution;
  double (*elevation)(unsigned laser); /* degrees; NULL: each sensor has its own */
  double (*azimuth)(unsigned laser);   /* NULL: 0 */
} Layout;

/* ---- The maker's angles -------------------------------------------------------------------- */

/* Lasers fire alternately from the lower and the upper half. */
static double halves(unsigned laser, double low, double high, double step)
{
  return (laser % 2 == 0 ? low : high) + step * (laser / 2);
}

static double vlp_16_elevation(unsigned laser)
{
  return halves(laser, -15, 1, 2);
}

static double hi_res_elevation(unsigned laser)
{
  return halves(laser, -10, 2. / 3, 4. / 3);
}

static double hdl_32e_elevation(unsigned laser)
{
  return halves(laser, -92. / 3, -28. / 3, 4. / 3);
}

/* 1/1000 degree. */
static double vlp_32c_elevation(unsigned laser)
{
  static const int16_t angles[32] = {-25000, -1000, -1667, -15639, -11310, 0, -667, -8843, -7254,
      333, -333, -6148, -5333, 1333, 667, -4000, -4667, 1667, 1000, -3667, -3333, 3333, 2333, -2667,
      -3000, 7000, 4667, -2333, -2000, 15000, 10333, -1333};
  return angles[laser] / 1000.;
}

/* 1/10 degree. */
static double vlp_32c_azimuth(unsigned laser)
{
  static const int8_t angles[32] = {14, -42, 14, -14, 14, -14, 42, -14, 14, -42, 14, -14, 42, -14,
      42, -14, 14, -42, 14, -42, 42, -14, 14, -14, 14, -14, 14, -42, 42, -14, 14, -14};
  return angles[laser] / 10.;
}

static double vls_128_elevation(unsigned laser)
{
  static const int16_t angles[128] = {-11742, -1990, 3400, -5290, -780, 4610, -4080, 1310, -6500,
      -1110, 4280, -4410, 100, 6480, -3200, 2190, -3860, 1530, -9244, -1770, 2740, -5950, -560,
      4830, -2980, 2410, -6280, -890, 3620, -5070, 320, 7580, -340, 5180, -3640, 1750, -25000,
      -2430, 2960, -5730, 540, 9700, -2760, 2630, -7650, -1550, 3840, -4850, 3180, -5510, -120,
      5730, -4300, 1090, -16042, -2210, 4060, -4630, 760, 15000, -3420, 1970, -6850, -1330, -5620,
      -230, 5430, -3530, 980, -19582, -2320, 3070, -4740, 650, 11750, -2650, 1860, -7150, -1440,
      3950, -2100, 3290, -5400, -10, 4500, -4190, 1200, -13565, -1220, 4170, -4520, 870, 6080,
      -3310, 2080, -6650, 1420, -10346, -1880, 3510, -6060, -670, 4720, -3970, 2300, -6390, -1000,
      4390, -5180, 210, 6980, -3090, 4980, -3750, 1640, -8352, -2540, 2850, -5840, -450, 8430,
      -2870, 2520, -6170, -1660, 3730, -4960, 430};
  return angles[laser] / 1000.;
}

/* The continuation of the four azimuths of the maker's table. */
static double vls_128_azimuth(unsigned laser)
{
  static const double angles[8] = {6.354, 4.548, 2.732, 0.911, -0.911, -2.732, -4.548, -6.354};
  return angles[laser % 8];
}

/* ---- Calibration --------------------------------------------------------------------------- */

static void number_rings(StxLidarSensor *sensor)
{
  for (unsigned b = 0; b < sensor->beams; b++) {
    double own = sensor->beam[b].elevation;
    unsigned below = 0;
    for (unsigned other = 0; other < sensor->beams; other++) {
      double elevation = sensor->beam[other].elevation;
      below += elevation < own || (elevation == own && other < b);
    }
    sensor->beam[b].ring = (uint16_t)below;
  }
}

static double number(const json_t *object, const char *key, double otherwise)
{
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* ROS turns the other way around and writes radians and metres. */
static void read_beam(const json_t *laser, StxLidarBeam *beam)
{
  *beam = (StxLidarBeam){
      .azimuth = -number(laser, "rot_correction", 0),
      .elevation = number(laser, "vert_correction", NAN),
      .distance = number(laser, "dist_correction", 0),
      .distance_x = number(laser, "dist_correction_x", 0),
      .distance_y = number(laser, "dist_correction_y", 0),
      .across = number(laser, "horiz_offset_correction", 0),
      .up = number(laser, "vert_offset_correction", 0),
      .focal_distance = number(laser, "focal_distance", 0),
      .focal_slope = number(laser, "focal_slope", 0),
      .least = number(laser, "min_intensity", 0),
      .most = number(laser, "max_intensity", 255),
  };
}

static bool is_possible(const StxLidarBeam *beam)
{
  return fabs(beam->elevation) <= M_PI / 2 && fabs(beam->azimuth) <= M_PI &&
         fabs(beam->distance) <= 10 && fabs(beam->distance_x) <= 10 &&
         fabs(beam->distance_y) <= 10 && fabs(beam->across) <= 1 && fabs(beam->up) <= 1 &&
         fabs(beam->focal_distance) <= 1000 && fabs(beam->focal_slope) <= 1000;
}

static bool read_lasers(
    StxLidarSensor *sensor, const json_t *tree, const char *name, StxError *error)
{
  const json_t *lasers = json_object_get(tree, "lasers");
  uint64_t seen[2] = {0};
  if (json_array_size(lasers) != sensor->beams)
    return stx_fail(error, "%s: %zu entries under \"lasers\"; %s has %u lasers", name,
        json_array_size(lasers), sensor->info->name, sensor->beams);
  for (unsigned i = 0; i < sensor->beams; i++) {
    const json_t *laser = json_array_get(lasers, i);
    double id = number(laser, "laser_id", -1);
    unsigned at = id >= 0 && id < sensor->beams ? (unsigned)id : sensor->beams;
    if (at == sensor->beams || at != id || (seen[at / 64] >> at % 64 & 1) != 0)
      return stx_fail(error, "%s: laser_id of entry %u is missing, twice or not 0 to %u", name, i,
          sensor->beams - 1);
    seen[at / 64] |= UINT64_C(1) << at % 64;
    read_beam(laser, &sensor->beam[at]);
    if (!is_possible(&sensor->beam[at]))
      return stx_fail(error,
          "%s: laser %u: vert_correction is missing, or a correction is impossible; expected "
          "radians and metres",
          name, at);
  }
  return true;
}

static void set_slots(StxLidarSensor *sensor, const Layout *layout)
{
  sensor->slots = layout->blocks * BLOCK_SHOTS;
  for (unsigned s = 0; s < sensor->slots; s++) {
    unsigned laser = s % layout->lasers, round = s / layout->lasers;
    uint32_t time = laser / layout->together * layout->shot;
    if (layout->four[3] > 0) /* both banks at once */
      time = laser % BLOCK_SHOTS / 4 * layout->shot + layout->four[laser % 4];
    else if (layout->lasers == STX_LIDAR_BEAMS) /* it rests for a shot after the first half */
      time += laser / 64 * layout->shot;
    sensor->slot[s] = (StxLidarSlot){
        .beam = (uint16_t)laser, .time = round * (layout->group / layout->rounds) + time};
    if (sensor->slot[s].time > sensor->last_shot)
      sensor->last_shot = sensor->slot[s].time;
  }
}

static bool open(StxLidarSensor *sensor, const char *calibration, StxError *error)
{
  const Layout *layout = sensor->info->layout;
  sensor->beams = layout->lasers;
  sensor->resolution = layout->resolution;
  if (calibration == NULL && layout->elevation == NULL)
    return stx_fail(error,
        "%s needs its calibration: the angles of each of these sensors are its own; name the YAML "
        "file of the ROS drivers",
        sensor->info->name);
  for (unsigned b = 0; b < sensor->beams && calibration == NULL; b++)
    stx_lidar_beam_angles(
        &sensor->beam[b], layout->azimuth != NULL ? layout->azimuth(b) : 0, layout->elevation(b));
  if (calibration != NULL) {
    json_t *tree = stx_calibration_tree(calibration, error);
    bool good = tree != NULL && read_lasers(sensor, tree, stx_text_file_name(calibration), error);
    sensor->stated = number(tree, "distance_resolution", sensor->resolution);
    json_decref(tree);
    if (!good)
      return false;
  }
  number_rings(sensor);
  set_slots(sensor, layout);
  return true;
}

/* ---- Packets ------------------------------------------------------------------------------- */

/* Fields that are equal in all blocks of a packet. */
typedef struct {
  const StxLidarSensor *sensor;
  const Layout *layout;
  const uint8_t *bytes;
  bool dual;
  unsigned groups;
  uint32_t azimuth[BLOCKS]; /* of a group, 1/100 degree */
  uint32_t time[BLOCKS];    /* of a group, nanoseconds */
  uint32_t gap, span;       /* 1/100 degree; nanoseconds */
  uint32_t ros_azimuth[BLOCKS], ros_step[BLOCKS];
  double rate; /* 1/25600 degree a nanosecond */
  int32_t at[STX_LIDAR_SLOTS];
  float cosine[STX_LIDAR_SLOTS], sine[STX_LIDAR_SLOTS]; /* of a shot, against its block */
} Packet;

static int bank_of(const uint8_t *block)
{
  static const uint16_t flags[] = {0xEEFF, 0xDDFF, 0xCCFF, 0xBBFF};
  uint32_t flag = stx_le16(block);
  for (int bank = 0; bank < 4; bank++)
    if (flag == flags[bank])
      return bank;
  return -1;
}

/* The block of that group, bank and return. */
static unsigned block_of(const Packet *packet, unsigned group, unsigned bank, unsigned echo)
{
  unsigned blocks = packet->layout->blocks;
  if (!packet->dual)
    return group * blocks + bank;
  return blocks == 2 ? group * 4 + echo * 2 + bank : (group * blocks + bank) * 2 + echo;
}

static bool probe(const StxLidarSensorInfo *info, const uint8_t *bytes, size_t size)
{
  const Layout *layout = info->layout;
  if (size != PACKET || bank_of(bytes) != 0)
    return false;
  if (layout->product != 0)
    return bytes[PACKET - 1] == layout->product;
  for (unsigned b = 0; b < BLOCKS; b++)
    if (bank_of(bytes + b * BLOCK) < 0 || bank_of(bytes + b * BLOCK) > 1)
      return false;
  return bank_of(bytes + BLOCK) == 1;
}

static bool has_returns_of_two(const Packet *packet)
{
  if (packet->layout->product != 0)
    return packet->bytes[PACKET - 2] == DUAL;
  return stx_le16(packet->bytes + 2) == stx_le16(packet->bytes + 2 * BLOCK + 2);
}

/* The azimuths of the groups; FORGED if they are none, or the blocks in another order. */
static StxLidarVerdict find_groups(Packet *packet)
{
  unsigned blocks = packet->layout->blocks, echoes = packet->dual ? 2 : 1;
  packet->groups = BLOCKS / (blocks * echoes);
  for (unsigned g = 0; g < packet->groups; g++) {
    packet->azimuth[g] = stx_le16(packet->bytes + block_of(packet, g, 0, 0) * BLOCK + 2);
    for (unsigned bank = 0; bank < blocks; bank++)
      for (unsigned echo = 0; echo < echoes; echo++) {
        const uint8_t *block = packet->bytes + block_of(packet, g, bank, echo) * BLOCK;
        if (bank_of(block) != (int)bank || stx_le16(block + 2) >= 36000)
          return STX_LIDAR_FORGED;
      }
  }
  return STX_LIDAR_GOOD;
}

static uint32_t step_to(const Packet *packet, unsigned group)
{
  return (packet->azimuth[group] + 36000 - packet->azimuth[group - 1]) % 36000;
}

/* Returns the rate of turning by a packet of one group: the azimuth since the last packet, if that
 * came just before, else the last rate; 10 turns a second to begin with. */
static double rate_since(const Packet *packet)
{
  const StxLidarSensor *sensor = packet->sensor;
  uint32_t micros = stx_le32(packet->bytes + 1200) - sensor->micros;
  uint32_t turned = (packet->azimuth[0] + 36000 - sensor->azimuth) % 36000;
  if (sensor->rate > 0 && micros >= 20 && micros < 2000 && turned > 0 && turned < 3600)
    return 256. * turned / (micros * 1000.);
  return sensor->rate > 0 ? sensor->rate : STX_LIDAR_TURN / 1e8;
}

/* The rate is the mean step of the azimuth from group to group; a step that is twice the least is a
 * gap, and takes its time. */
static void find_rate(Packet *packet)
{
  uint32_t least = 36000, sum = 0, count = 0, group = packet->layout->group;
  for (unsigned g = 1; g < packet->groups; g++)
    least = step_to(packet, g) < least ? step_to(packet, g) : least;
  uint32_t most = 2 * least + 2;
  for (unsigned g = 1; g < packet->groups; g++) {
    sum += step_to(packet, g) <= most ? step_to(packet, g) : 0;
    count += step_to(packet, g) <= most;
  }
  packet->rate = rate_since(packet);
  if (count > 0 && sum > 0 && sum <= count * 1000)
    packet->rate = 256. * sum / count / group;
  for (unsigned g = 1; g < packet->groups; g++) {
    bool jumps = step_to(packet, g) > most;
    packet->gap = jumps ? step_to(packet, g) : packet->gap;
    double left_out = 256. * step_to(packet, g) / packet->rate;
    packet->time[g] = packet->time[g - 1] +
                      (jumps ? (uint32_t)(left_out < LONGEST_GAP ? left_out : LONGEST_GAP) : group);
  }
  packet->span = packet->time[packet->groups - 1] + group;
}

/* The direction of each shot relative to the group's azimuth: the beam's angle and the turn of the
 * sensor, at most two degrees. */
static void find_directions(Packet *packet)
{
  const StxLidarSensor *sensor = packet->sensor;
  for (unsigned s = 0; s < sensor->slots; s++) {
    unsigned b = sensor->slot[s].beam;
    double turned = packet->rate * sensor->slot[s].time;
    double radians = turned * (2 * M_PI / STX_LIDAR_TURN);
    float c = (float)(1 - radians * radians / 2);
    float n = (float)(radians - radians * radians * radians / 6);
    packet->at[s] = sensor->turn[b] + (int32_t)turned;
    packet->cosine[s] = c * sensor->north[b] - n * sensor->east[b];
    packet->sine[s] = n * sensor->north[b] + c * sensor->east[b];
  }
}

/* Finds the azimuth that ROS drivers start from in each block, and how far they go to its end. */
static void find_ros_blocks(Packet *packet)
{
  unsigned dual = packet->dual, still = BLOCKS - 1 - (packet->layout->rounds == 2 ? 1 : 4) * dual;
  uint32_t next = stx_le16(packet->bytes + 2), step = 0;
  for (unsigned b = 0; b < BLOCKS; b++) {
    uint32_t azimuth = next;
    if (b < BLOCKS - 1 - dual) {
      next = stx_le16(packet->bytes + (b + 1 + dual) * BLOCK + 2);
      step = (next + 36000 - azimuth) % 36000;
    }
    packet->ros_azimuth[b] = azimuth;
    packet->ros_step[b] = b >= BLOCKS - 1 - dual && b == still ? 0 : step;
  }
}

/* The direction of a shot by the ROS drivers; returns it against the first block's. */
static int32_t ros_direction(
    const Packet *packet, unsigned block, unsigned slot, float *cosine, float *sine)
{
  const StxLidarSensor *sensor = packet->sensor;
  const StxLidarSlot *shot = &sensor->slot[slot];
  double part = shot->time / (double)packet->layout->group;
  if (packet->layout->product == VLP_32C)
    part = slot * (double)packet->layout->shot / packet->layout->group;
  int32_t azimuth = (int32_t)lround(packet->ros_azimuth[block] + packet->ros_step[block] * part +
                                    sensor->beam[shot->beam].azimuth * (18000 / M_PI));
  stx_lidar_direction(azimuth * 256, cosine, sine);
  azimuth = (azimuth - (int32_t)packet->azimuth[0] + 2 * 36000 + 18000) % 36000 - 18000;
  return azimuth * 256;
}

/* The HDL-64E S3's manual: distances that are right far away are off nearby, differently in x and
 * y, and beams begin beside the axis. `point` is forward, left, up. */
static void near_point(const StxLidarSensor *sensor, unsigned b, float cosine, float sine,
    double measured, float point[4])
{
  const StxLidarBeam *beam = &sensor->beam[b];
  double x = beam->distance, y = beam->distance;
  double flat = (measured + beam->distance) * sensor->level[b];
  if (beam->distance_x != 0 && beam->distance_y != 0 && measured < 25.04) {
    double near_x = (fabs(flat * sine) - 2.4) / (25.04 - 2.4);
    double near_y = (fabs(flat * cosine) - 1.93) / (25.04 - 1.93);
    x = near_x * beam->distance + (1 - near_x) * beam->distance_x;
    y = near_y * beam->distance + (1 - near_y) * beam->distance_y;
  }
  double right = (measured + x) * sensor->level[b] * sine - beam->across * cosine;
  point[0] = (float)((measured + y) * sensor->level[b] * cosine + beam->across * sine);
  point[1] = (float)-right;
  point[2] = (float)((measured + (x + y) / 2) * sensor->rise[b] + beam->up);
}

static float brightness(const StxLidarBeam *beam, uint32_t distance, uint8_t intensity)
{
  double focus = 1 - beam->focal_distance / 131, away = 1 - distance / 65535.;
  double value = intensity + 256 * beam->focal_slope * fabs(focus * focus - away * away);
  return (float)(value < beam->least ? beam->least : value > beam->most ? beam->most : value);
}

static void add_block(
    const Packet *packet, unsigned group, unsigned bank, unsigned echo, StxLidarPacket *out)
{
  const StxLidarSensor *sensor = packet->sensor;
  const uint8_t *shot = packet->bytes + block_of(packet, group, bank, echo) * BLOCK + 4;
  const uint8_t *other = packet->bytes + block_of(packet, group, bank, 0) * BLOCK + 4;
  uint32_t azimuth = packet->azimuth[group];
  int32_t begin = (int32_t)((azimuth + 36000 - packet->azimuth[0]) % 36000) * 256;
  uint32_t time = packet->time[group];
  float block_cosine, block_sine;
  size_t n = out->count;
  stx_lidar_direction((int32_t)azimuth * 256, &block_cosine, &block_sine);
  for (unsigned j = 0; j < BLOCK_SHOTS; j++, shot += 3, other += 3) {
    uint32_t units = stx_le16(shot);
    if (units == 0 || (echo > 0 && units == stx_le16(other)))
      continue;
    unsigned s = bank * BLOCK_SHOTS + j, b = sensor->slot[s].beam;
    float cosine = block_cosine * packet->cosine[s] - block_sine * packet->sine[s];
    float sine = block_sine * packet->cosine[s] + block_cosine * packet->sine[s];
    out->at[n] = begin + packet->at[s];
    if (sensor->ros)
      out->at[n] = ros_direction(packet, block_of(packet, group, bank, echo), s, &cosine, &sine);
    float distance = (float)(units * sensor->resolution), flat = distance * sensor->level[b];
    float *point = out->points[n];
    point[0] = flat * cosine;
    point[1] = -flat * sine;
    point[2] = distance * sensor->rise[b];
    point[3] = shot[2];
    if (sensor->near_far) {
      near_point(sensor, b, cosine, sine, units * sensor->resolution, point);
      point[3] = brightness(&sensor->beam[b], units, shot[2]);
    }
    out->marks[n++] = (StxLidarMark){
        .time = time + sensor->slot[s].time, .ring = sensor->beam[b].ring, .echo = (uint8_t)echo};
  }
  out->count = n;
}

/* Time and place of the packet. */
static void describe(const Packet *packet, StxLidarPacket *out)
{
  const Layout *layout = packet->layout;
  uint64_t hour = UINT64_C(3600) * MILLION, micros = stx_le32(packet->bytes + 1200);
  uint32_t last = packet->azimuth[packet->groups - 1] + 36000 - packet->azimuth[0];
  int32_t most = (int32_t)(packet->rate * packet->sensor->last_shot) + 1;
  int32_t off = packet->sensor->ros ? 2 * most + 256 : 0; /* blocks may be a step ahead */
  out->turns = true;
  out->gap = (int32_t)packet->gap * 256;
  out->span = packet->span;
  out->step = (out->span + 500) / 1000;
  out->order = micros;
  out->order_modulus = hour;
  out->time_modulus = hour * 1000;
  out->time = (micros * 1000 + out->time_modulus - layout->wait) % out->time_modulus;
  out->azimuth = packet->azimuth[0] * 256;
  out->low = packet->sensor->turn_low - (off > 0 ? 256 : 0);
  out->ahead = packet->sensor->turn_high;
  out->high = (int32_t)(last % 36000) * 256 + out->ahead + most + off;
  out->count = 0;
}

static StxLidarVerdict decode(
    StxLidarSensor *sensor, const uint8_t *bytes, size_t size, StxLidarPacket *out)
{
  const Layout *layout = sensor->info->layout;
  Packet packet = {.sensor = sensor, .layout = layout, .bytes = bytes};
  if (size < 2 || size > PACKET || bank_of(bytes) != 0)
    return STX_LIDAR_FOREIGN;
  if (size < PACKET)
    return STX_LIDAR_TRUNCATED;
  if (layout->product != 0 && bytes[PACKET - 1] != layout->product)
    return STX_LIDAR_FOREIGN;
  packet.dual = has_returns_of_two(&packet);
  if (find_groups(&packet) != STX_LIDAR_GOOD || stx_le32(bytes + 1200) >= UINT32_C(3601) * MILLION)
    return STX_LIDAR_FORGED;
  find_rate(&packet);
  sensor->azimuth = packet.azimuth[0];
  sensor->micros = stx_le32(bytes + 1200);
  sensor->rate = packet.rate;
  find_directions(&packet);
  if (sensor->ros)
    find_ros_blocks(&packet);
  describe(&packet, out);
  for (unsigned g = 0; g < packet.groups; g++)
    for (unsigned bank = 0; bank < layout->blocks; bank++)
      for (unsigned echo = 0; echo <= packet.dual; echo++)
        add_block(&packet, g, bank, echo, out);
  return STX_LIDAR_GOOD;
}

/* ---- The sensors --------------------------------------------------------------------------- */

#define SENSOR(record, nick, ...)                                                                  \
  static const Layout record##_layout = {__VA_ARGS__};                                             \
  const StxLidarSensorInfo stx_lidar_##record = {nick, &record##_layout, probe, open, decode}

SENSOR(vlp_16, "vlp-16", .product = 0x22, .lasers = 16, .blocks = 1, .rounds = 2, .group = 110592,
    .shot = 2304, .together = 1, .resolution = 0.002, .elevation = vlp_16_elevation);
SENSOR(puck_hi_res, "puck-hi-res", .product = 0x24, .lasers = 16, .blocks = 1, .rounds = 2,
    .group = 110592, .shot = 2304, .together = 1, .resolution = 0.002,
    .elevation = hi_res_elevation);
SENSOR(vlp_32c, "vlp-32c", .product = VLP_32C, .lasers = 32, .blocks = 1, .rounds = 1,
    .group = 55296, .shot = 2304, .together = 2, .resolution = 0.004,
    .elevation = vlp_32c_elevation, .azimuth = vlp_32c_azimuth);
SENSOR(hdl_32e, "hdl-32e", .product = 0x21, .lasers = 32, .blocks = 1, .rounds = 1, .group = 46080,
    .shot = 1152, .together = 1, .resolution = 0.002, .elevation = hdl_32e_elevation);
SENSOR(hdl_64e_s2, "hdl-64e-s2", .lasers = 64, .blocks = 2, .rounds = 1, .group = 48000,
    .shot = 6000, .together = 4, .four = {0, 1260, 2460, 3660}, .resolution = 0.002);
SENSOR(hdl_64e_s3, "hdl-64e-s3", .lasers = 64, .blocks = 2, .rounds = 1, .group = 57600,
    .shot = 7200, .together = 4, .four = {0, 1300, 2500, 3700}, .resolution = 0.002);
SENSOR(vls_128, "vls-128", .product = 0xA1, .lasers = 128, .blocks = 4, .rounds = 1, .group = 53300,
    .wait = 8700, .shot = 2665, .together = 8, .resolution = 0.004, .elevation = vls_128_elevation,
    .azimuth = vls_128_azimuth);
