/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hesai: a header (not of Pandar40P), blocks of an azimuth in 1/100 degree and a shot of each
 * channel, and a tail with the return mode, the date and the microseconds. All sensors are made
 * alike; where what stands is the layout.
 *
 * The azimuth of a block holds for all its channels: each adds its own offset, in which the maker
 * has counted how far the sensor turns until the channel fires. With two or three returns of a shot
 * as many blocks have the same azimuth.
 */
#include "common/lidar_packet/lidar_packet_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_file.h"

#define SECOND UINT64_C(1000000000)

/* Offsets are bytes from the beginning of the packet.
 *
 * header    bytes before the first block, which begin with EE FF; 0: none, and blocks with FF EE
 * counts    of laser_num and block_num in the header
 * unit      where the millimetres of a unit of distance stand; 0: 4 mm
 * sequence  of the number of the packet; packets may do without if they end there
 * least     bytes of the shortest packet
 * first, block, channel   nanoseconds from the packet's time to its first block's; from block to
 *           block; and from channel to channel, the last of `together` groups beginning anew
 * near      metres: what is nearer is no return */
typedef struct {
  uint8_t channels, blocks, returns, shot, header, counts, unit;
  uint16_t mode, date, micros, sequence, least, most;
  int32_t first, block, channel;
  uint8_t together;
  double near;
  const int32_t (*angles)[2];
} Layout;

/* ---- The maker's angles -------------------------------------------------------------------- */

/* Elevation and azimuth of each channel, from 1 on, 1/1000 degree. */
static const int32_t xt32_angles[32][2] = {{14972, 82}, {13952, 77}, {12939, 78}, {11931, 76},
    {10926, 64}, {9922, 60}, {8917, 49}, {7917, 45}, {6920, 34}, {5920, 28}, {4922, 21}, {3925, 14},
    {2930, 9}, {1936, -1}, {945, -7}, {-48, -15}, {-1040, -26}, {-2036, -31}, {-3029, -38},
    {-4025, -46}, {-5020, -61}, {-6016, -66}, {-7014, -69}, {-8014, -77}, {-9011, -88},
    {-10011, -92}, {-11006, -98}, {-12004, -93}, {-12996, -102}, {-13997, -104}, {-15005, -119},
    {-16024, -130}};

static const int32_t xt32m_angles[32][2] = {{19407, 94}, {18106, 89}, {16801, 83}, {15512, 77},
    {14214, 70}, {12917, 63}, {11661, 55}, {10362, 46}, {9066, 34}, {7769, 27}, {6475, 18},
    {5181, 6}, {3885, 0}, {2595, -12}, {1299, -23}, {-5, -33}, {-1310, -41}, {-2605, -49},
    {-3905, -61}, {-5204, -71}, {-6496, -80}, {-7792, -91}, {-9087, -98}, {-10386, -109},
    {-11685, -118}, {-12955, -127}, {-14242, -115}, {-15537, -125}, {-16834, -133}, {-18129, -146},
    {-19424, -156}, {-20720, -166}};

static const int32_t qt64_angles[64][2] = {{-52121, 8736}, {-49785, 8314}, {-47577, 7964},
    {-45477, 7669}, {-43465, 7417}, {-41528, 7198}, {-39653, 7007}, {-37831, 6838}, {-36055, 6688},
    {-34320, 6554}, {-32619, 6434}, {-30950, 6326}, {-29308, 6228}, {-27690, 6140}, {-26094, 6059},
    {-24517, 5987}, {-22964, -5270}, {-21420, -5216}, {-19889, -5167}, {-18372, -5123},
    {-16865, -5083}, {-15368, -5047}, {-13880, -5016}, {-12399, -4988}, {-10925, -4963},
    {-9457, -4942}, {-7994, -4924}, {-6535, -4910}, {-5079, -4898}, {-3626, -4889}, {-2175, -4884},
    {-725, -4881}, {725, 5493}, {2175, 5496}, {3626, 5502}, {5079, 5512}, {6534, 5525},
    {7993, 5541}, {9456, 5561}, {10923, 5584}, {12397, 5611}, {13877, 5642}, {15365, 5676},
    {16861, 5716}, {18368, 5759}, {19885, 5808}, {21415, 5862}, {22959, 5921}, {24524, -5330},
    {26101, -5396}, {27697, -5469}, {29315, -5550}, {30957, -5640}, {32627, -5740}, {34328, -5850},
    {36064, -5974}, {37840, -6113}, {39662, -6269}, {41537, -6447}, {43475, -6651}, {45487, -6887},
    {47587, -7163}, {49795, -7493}, {52133, -7892}};

static const int32_t qt128_angles[128][2] = {{-52627, 10108}, {-51028, 9720}, {-49515, 9384},
    {-48074, 9091}, {-46695, 8833}, {-45369, 8603}, {-44090, 8396}, {-42852, 8209}, {-41651, 8040},
    {-40482, 7885}, {-39343, 7743}, {-38231, 7612}, {-37143, 7492}, {-36076, 7380}, {-35030, 7277},
    {-34002, 7180}, {-32992, 7090}, {-31996, 7006}, {-31015, 6928}, {-30048, 6854}, {-29093, 6785},
    {-28149, 6721}, {-27216, 6660}, {-26292, 6602}, {-25378, 6549}, {-24473, 6498}, {-23575, 6450},
    {-22685, 6405}, {-21802, 6363}, {-20926, 6323}, {-20056, 6285}, {-19191, 6250}, {-18331, -6217},
    {-17477, -6186}, {-16627, -6157}, {-15781, -6129}, {-14940, -6104}, {-14102, -6080},
    {-13268, -6057}, {-12436, -6037}, {-11608, -6018}, {-10783, -6000}, {-9960, -5984},
    {-9139, -5969}, {-8320, -5955}, {-7503, -5943}, {-6688, -5927}, {-5874, -5923}, {-5061, -5915},
    {-4250, -5908}, {-3439, -5902}, {-2630, -5897}, {-1820, -5894}, {-1012, -5892}, {-203, -5891},
    {606, -5891}, {1414, -5893}, {2223, -5896}, {3033, -5899}, {3843, -5905}, {4654, -5911},
    {5466, -5919}, {6279, -5927}, {7094, -5938}, {7910, 5949}, {8728, 5962}, {9547, 5976},
    {10369, 5992}, {11194, 6008}, {12020, 6027}, {12850, 6047}, {13683, 6068}, {14519, 6091},
    {15359, 6116}, {16202, 6143}, {17050, 6171}, {17902, 6201}, {18759, 6233}, {19621, 6267},
    {20488, 6304}, {21362, 6343}, {22241, 6384}, {23128, 6427}, {24022, 6474}, {24923, 6523},
    {25833, 6575}, {26751, 6631}, {27679, 6690}, {28618, 6752}, {29567, 6819}, {30528, 6890},
    {31502, 6966}, {32490, 7047}, {33493, 7134}, {34512, 7227}, {35549, 7327}, {19191, -6250},
    {20056, -6285}, {20926, -6323}, {21802, -6363}, {22685, -6405}, {23575, -6450}, {24473, -6498},
    {25378, -6549}, {26292, -6602}, {27216, -6660}, {28149, -6721}, {29093, -6785}, {30048, -6854},
    {31015, -6928}, {31996, -7006}, {32992, -7090}, {34002, -7180}, {35030, -7277}, {36076, -7380},
    {37143, -7492}, {38231, -7612}, {39343, -7743}, {40482, -7885}, {41651, -8040}, {42852, -8209},
    {44090, -8396}, {45369, -8603}, {46695, -8833}, {48074, -9091}, {49515, -9384}, {51028, -9720},
    {52627, -10108}};

static const int32_t pandar_40p_angles[40][2] = {{14794, -1042}, {10944, -1042}, {7971, -1042},
    {4969, -1042}, {2952, -1042}, {1940, -1042}, {1600, 3125}, {1263, -5208}, {925, -1042},
    {587, 3125}, {249, -5208}, {-88, -1042}, {-425, 3125}, {-763, -5208}, {-1101, -1042},
    {-1439, 3125}, {-1776, -5208}, {-2116, -1042}, {-2453, 3125}, {-2788, -5208}, {-3128, -1042},
    {-3463, 3125}, {-3800, -5208}, {-4138, -1042}, {-4473, 3125}, {-4808, -5208}, {-5145, -1042},
    {-5479, 3125}, {-5814, -5208}, {-6149, -1042}, {-7151, -1042}, {-8147, -1042}, {-9148, -1042},
    {-10133, -1042}, {-11120, -1042}, {-12094, -1042}, {-13062, -1042}, {-14018, -1042},
    {-18977, -1042}, {-24985, -1042}};

static const int32_t pandar_64_angles[64][2] = {{14900, -1042}, {11050, -1042}, {8077, -1042},
    {5075, -1042}, {3058, -1042}, {2046, -1042}, {1878, 1042}, {1706, 3125}, {1540, 5208},
    {1369, -5208}, {1202, -3125}, {1031, -1042}, {864, 1042}, {693, 3125}, {526, 5208},
    {355, -5208}, {187, -3125}, {18, -1042}, {-151, 1042}, {-319, 3125}, {-490, 5208},
    {-657, -5208}, {-827, -3125}, {-995, -1042}, {-1166, 1042}, {-1333, 3125}, {-1504, 5208},
    {-1670, -5208}, {-1842, -3125}, {-2010, -1042}, {-2180, 1042}, {-2347, 3125}, {-2518, 5208},
    {-2682, -5208}, {-2855, -3125}, {-3022, -1042}, {-3192, 1042}, {-3357, 3125}, {-3530, 5208},
    {-3694, -5208}, {-3866, -3125}, {-4032, -1042}, {-4203, 1042}, {-4367, 3125}, {-4540, 5208},
    {-4702, -5208}, {-4874, -3125}, {-5039, -1042}, {-5211, 1042}, {-5373, 3125}, {-5547, 5208},
    {-5708, -5208}, {-5880, -3125}, {-6043, -1042}, {-7045, -1042}, {-8041, -1042}, {-9042, -1042},
    {-10027, -1042}, {-11014, -1042}, {-11988, -1042}, {-12956, -1042}, {-13912, -1042},
    {-18871, -1042}, {-24879, -1042}};

static const int32_t pandar_128_angles[128][2] = {{15139, 157}, {13432, 129}, {11919, 1258},
    {10634, 1247}, {9967, 145}, {9300, 123}, {8621, 100}, {7945, 78}, {7595, 1338}, {7244, 1316},
    {6905, 1298}, {6550, 1280}, {6193, 1282}, {5843, 1334}, {5482, 1314}, {5116, 1363}, {4768, 141},
    {4402, 99}, {4040, 171}, {3680, 150}, {3314, 115}, {2940, 97}, {2580, 166}, {2203, 123},
    {2081, -3092}, {1967, 1374}, {1844, 4550}, {1710, -3071}, {1596, 1362}, {1474, 4542},
    {1333, -3033}, {1230, 1385}, {1109, 4535}, {970, -3053}, {856, 1330}, {734, 4609}, {597, -3085},
    {477, 1314}, {361, 4528}, {217, -3064}, {102, 150}, {-12, 2981}, {-146, -1431}, {-272, 173},
    {-387, 2954}, {-522, -1445}, {-649, 139}, {-757, 2941}, {-899, -1478}, {-1018, 161},
    {-1135, 3027}, {-1272, -1455}, {-1397, 131}, {-1512, 3015}, {-1648, -1495}, {-1777, 115},
    {-1884, 2985}, {-2028, -1470}, {-2146, 202}, {-2261, 3012}, {-2397, -1505}, {-2526, 188},
    {-2639, 2975}, {-2775, -1521}, {-2894, 1399}, {-3016, 4636}, {-3154, -3055}, {-3271, 1374},
    {-3394, 4623}, {-3534, -3068}, {-3644, 1382}, {-3768, 4595}, {-3913, -3078}, {-4022, 1336},
    {-4149, 4621}, {-4285, -3093}, {-4405, 1351}, {-4520, 4587}, {-4662, -3104}, {-4777, 1358},
    {-4896, 4613}, {-5043, -3119}, {-5155, 1407}, {-5272, 4677}, {-5419, -3126}, {-5539, 1421},
    {-5654, 4665}, {-5806, -3147}, {-5907, 198}, {-6288, 194}, {-6669, 171}, {-7039, 178},
    {-7416, 148}, {-7794, 149}, {-8173, 123}, {-8546, 126}, {-8915, 1427}, {-9295, 1408},
    {-9666, 1433}, {-10041, 1386}, {-10414, 1411}, {-10785, 1385}, {-11150, 1363}, {-11521, 1362},
    {-11895, 200}, {-12260, 179}, {-12638, 154}, {-12992, 133}, {-13368, 217}, {-13727, 194},
    {-14096, 169}, {-14451, 147}, {-14806, 1568}, {-15167, 1590}, {-15517, 1516}, {-15881, 1536},
    {-16233, 1584}, {-16585, 1557}, {-16934, 1509}, {-17288, 1533}, {-17642, 361}, {-18332, 336},
    {-19005, 313}, {-19665, 285}, {-20318, 1590}, {-21598, 1551}, {-22989, 312}, {-24710, 302}};

/* ---- Calibration --------------------------------------------------------------------------- */

/* Three numbers of a line: channel, elevation, azimuth. False where it does not begin with one. */
static bool read_row(const char *line, double row[3])
{
  char *end;
  for (int i = 0; i < 3; i++) {
    line += strspn(line, " \t");
    row[i] = strchr("\r\n", *line) != NULL ? NAN : stx_text_number(line, &end);
    if (!isfinite(row[i]) || end == line)
      return false;
    line = end + strspn(end, " \t");
    line += *line == ',';
  }
  return true;
}

static bool take_row(StxLidarSensor *sensor, const double row[3], uint64_t seen[2],
    const char *name, int number, StxError *error)
{
  unsigned at = row[0] >= 1 && row[0] <= sensor->beams ? (unsigned)row[0] - 1 : sensor->beams;
  if (at == sensor->beams || at + 1 != row[0] || (seen[at / 64] >> at % 64 & 1) != 0)
    return stx_fail(error, "%s:%d: channel %g is twice there or not 1 to %u, as %s has them", name,
        number, row[0], sensor->beams, sensor->info->name);
  if (fabs(row[1]) > 90 || fabs(row[2]) > 90)
    return stx_fail(error, "%s:%d: elevation %g and azimuth %g; expected -90 to 90 degrees", name,
        number, row[1], row[2]);
  seen[at / 64] |= UINT64_C(1) << at % 64;
  stx_lidar_beam_angles(&sensor->beam[at], row[2], row[1]);
  return true;
}

static bool read_lines(StxLidarSensor *sensor, const char *text, const char *name, StxError *error)
{
  uint64_t seen[2] = {0};
  unsigned found = 0;
  double row[3];
  bool good = true;
  for (int number = 1; good && text != NULL; number++) {
    if (read_row(text, row)) {
      good = take_row(sensor, row, seen, name, number, error);
      found++;
    }
    text = strchr(text, '\n');
    if (text != NULL)
      text++;
  }
  if (good && found != sensor->beams)
    good = stx_fail(error,
        "%s: %u lines of channel, elevation, azimuth; expected %u, one for each channel of %s",
        name, found, sensor->beams, sensor->info->name);
  return good;
}

static bool open(StxLidarSensor *sensor, const char *calibration, StxError *error)
{
  const Layout *layout = sensor->info->layout;
  bool good = true;
  sensor->beams = layout->channels;
  for (unsigned b = 0; b < sensor->beams; b++) {
    if (layout->angles != NULL)
      stx_lidar_beam_angles(
          &sensor->beam[b], layout->angles[b][1] / 1000., layout->angles[b][0] / 1000.);
    else
      stx_lidar_beam_angles(&sensor->beam[b], 0, 15 - 2. * b); /* PandarXT-16 */
    sensor->beam[b].ring = (uint16_t)b;
  }
  if (calibration != NULL) {
    char *text = stx_text_file_load(calibration, "a CSV of channel, elevation, azimuth", error);
    good = text != NULL && read_lines(sensor, text, stx_text_file_name(calibration), error);
    free(text);
  }
  return good;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static size_t block_size(const Layout *layout)
{
  return (layout->header == 0 ? 4 : 2) + (size_t)layout->channels * layout->shot;
}

static bool begins(const Layout *layout, const uint8_t *bytes, size_t size)
{
  if (layout->header == 0)
    return size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xEE;
  return size >= layout->counts + 2u && bytes[0] == 0xEE && bytes[1] == 0xFF && bytes[2] != 4 &&
         bytes[layout->counts] == layout->channels && bytes[layout->counts + 1] == layout->blocks;
}

static bool probe(const StxLidarSensorInfo *info, const uint8_t *bytes, size_t size)
{
  const Layout *layout = info->layout;
  return size >= layout->least && size <= layout->most && begins(layout, bytes, size);
}

unsigned stx_hesai_returns(uint8_t mode)
{
  if (mode == 0x33 || mode == 0x34 || mode == 0x37 || mode == 0x38)
    return 1;
  return mode >= 0x39 && mode <= 0x3E ? 2 + (mode == 0x3D) : 0;
}

/* Seconds since 1970 of year, month, day, hour, minute, second; by the days of the years since
 * March of year 0. Firmware counts years from 1900, older one from 2000; without a year, the last
 * four bytes are the seconds, the highest first. 0: this is no date. */
static uint64_t seconds_of(const uint8_t *date)
{
  int64_t year = date[0] + (date[0] < 70 ? 2000 : date[0] < 200 ? 1900 : 1800);
  int64_t month = date[1], day = date[2];
  if (date[0] == 0 && date[1] == 0)
    return (uint64_t)date[2] << 24 | (uint64_t)date[3] << 16 | (uint64_t)date[4] << 8 | date[5];
  if (month < 1 || month > 12 || day < 1 || day > 31 || date[3] > 23 || date[4] > 59 ||
      date[5] > 60)
    return 0;
  year -= month <= 2;
  int64_t days = 365 * year + year / 4 - year / 100 + year / 400 +
                 (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 719468;
  return (uint64_t)(((days * 24 + date[3]) * 60 + date[4]) * 60 + date[5]);
}

#define MOST_BLOCKS 10
#define BEHIND 1000 /* 1/100 degree that the azimuth may go back, of a motor that trembles */

typedef struct {
  const StxLidarSensor *sensor;
  const Layout *layout;
  const uint8_t *bytes;
  unsigned returns;
  double unit;               /* metres */
  int32_t turn[MOST_BLOCKS]; /* from the first block to each, 1/100 degree */
  int32_t low, high;         /* the least and the most of them */
} Packet;

static const uint8_t *shots_of(const Packet *packet, unsigned block)
{
  size_t size = block_size(packet->layout), before = packet->layout->header == 0 ? 4 : 2;
  return packet->bytes + packet->layout->header + block * size + before;
}

static uint32_t azimuth_of(const Packet *packet, unsigned block)
{
  return stx_le16(shots_of(packet, block) - 2);
}

static bool is_sound(Packet *packet)
{
  const Layout *layout = packet->layout;
  packet->returns = stx_hesai_returns(packet->bytes[layout->mode]);
  packet->unit = (layout->unit > 0 ? packet->bytes[layout->unit] : 4) / 1000.;
  if (packet->returns == 0 || packet->returns > layout->returns || packet->unit == 0 ||
      packet->unit > 0.02 || stx_le32(packet->bytes + layout->micros) > 1000000)
    return false;
  for (unsigned b = 0; b < layout->blocks; b++) {
    const uint8_t *shots = shots_of(packet, b);
    if (azimuth_of(packet, b) >= 36000)
      return false;
    if (layout->header == 0 && (shots[-4] != 0xFF || shots[-3] != 0xEE))
      return false;
  }
  for (unsigned b = 1; b < layout->blocks; b++) {
    int32_t step = (int32_t)((azimuth_of(packet, b) + 36000 - azimuth_of(packet, b - 1)) % 36000);
    packet->turn[b] = packet->turn[b - 1] + (step >= 36000 - BEHIND ? step - 36000 : step);
    packet->low = packet->turn[b] < packet->low ? packet->turn[b] : packet->low;
    packet->high = packet->turn[b] > packet->high ? packet->turn[b] : packet->high;
  }
  return packet->low >= -BEHIND &&
         packet->high < 36000; /* else they look further than once around */
}

/* Time of a block, nanoseconds after the packet's earliest. */
static uint32_t time_of(const Packet *packet, unsigned block)
{
  int32_t step = packet->layout->block;
  return (uint32_t)(block / packet->returns * (uint32_t)(step < 0 ? -step : step));
}

/* An earlier return of the same shot is equal. */
static bool is_doubled(const Packet *packet, unsigned block, size_t at)
{
  const uint8_t *own = shots_of(packet, block) + at;
  for (unsigned b = block - block % packet->returns; b < block; b++)
    if (memcmp(shots_of(packet, b) + at, own, 3) == 0)
      return true;
  return false;
}

static void add_block(const Packet *packet, unsigned block, StxLidarPacket *out)
{
  const StxLidarSensor *sensor = packet->sensor;
  const Layout *layout = packet->layout;
  const uint8_t *shot = shots_of(packet, block);
  uint32_t azimuth = azimuth_of(packet, block), time = time_of(packet, block);
  int32_t begin = packet->turn[block] * 256;
  uint32_t near = (uint32_t)ceil(layout->near / packet->unit - 1e-6);
  float block_cosine, block_sine;
  size_t n = out->count;
  stx_lidar_direction((int32_t)azimuth * 256, &block_cosine, &block_sine);
  for (unsigned c = 0; c < layout->channels; c++, shot += layout->shot) {
    uint32_t units = stx_le16(shot);
    if (units < near || units == 0 ||
        (packet->returns > 1 && is_doubled(packet, block, (size_t)c * layout->shot)))
      continue;
    float cosine = block_cosine * sensor->north[c] - block_sine * sensor->east[c];
    float sine = block_sine * sensor->north[c] + block_cosine * sensor->east[c];
    float distance = (float)(units * packet->unit), flat = distance * sensor->level[c];
    float *point = out->points[n];
    point[0] = flat * sine;
    point[1] = flat * cosine;
    point[2] = distance * sensor->rise[c];
    point[3] = shot[2];
    out->marks[n] = (StxLidarMark){
        .time = time + c % (layout->channels / layout->together) * (uint32_t)layout->channel,
        .ring = (uint16_t)c,
        .echo = (uint8_t)(block % packet->returns)};
    out->at[n++] = begin + sensor->turn[c];
  }
  out->count = n;
}

static void describe(const Packet *packet, size_t size, StxLidarPacket *out)
{
  const Layout *layout = packet->layout;
  const uint8_t *bytes = packet->bytes;
  unsigned groups = layout->blocks / packet->returns;
  uint32_t step = (uint32_t)(layout->block < 0 ? -layout->block : layout->block);
  /* A layout that gives the time of the last block: the packet begins earlier. */
  int64_t first = layout->first - (layout->block < 0 ? (int64_t)step * (groups - 1) : 0);
  uint64_t seconds = seconds_of(bytes + layout->date);
  out->turns = true;
  out->span = groups * step;
  out->time = (seconds > 0 ? seconds : 1) * SECOND + (uint64_t)first +
              stx_le32(bytes + layout->micros) * UINT64_C(1000);
  out->time_modulus = seconds > 0 ? 0 : SECOND; /* without a date the sensor counts microseconds */
  if (seconds == 0)
    out->time %= SECOND;
  if (layout->sequence > 0 && size >= layout->sequence + 4u) {
    out->order = stx_le32(bytes + layout->sequence);
    out->order_modulus = UINT64_C(1) << 32;
    out->step = 1;
  } else {
    out->order = out->time / 1000;
    out->order_modulus = out->time_modulus / 1000;
    out->step = (out->span + 500) / 1000;
  }
  out->azimuth = azimuth_of(packet, 0) * 256;
  out->low = packet->sensor->turn_low + packet->low * 256;
  out->ahead = packet->sensor->turn_high;
  out->high = packet->high * 256 + out->ahead;
  out->count = 0;
}

static StxLidarVerdict decode(
    StxLidarSensor *sensor, const uint8_t *bytes, size_t size, StxLidarPacket *out)
{
  const Layout *layout = sensor->info->layout;
  Packet packet = {.sensor = sensor, .layout = layout, .bytes = bytes};
  if (!begins(layout, bytes, size) || size > layout->most)
    return STX_LIDAR_FOREIGN;
  if (size < layout->least)
    return STX_LIDAR_TRUNCATED;
  if (!is_sound(&packet))
    return STX_LIDAR_FORGED;
  describe(&packet, size, out);
  for (unsigned block = 0; block < layout->blocks / packet.returns * packet.returns; block++)
    add_block(&packet, block, out);
  return STX_LIDAR_GOOD;
}

/* ---- The sensors --------------------------------------------------------------------------- */

#define SENSOR(record, nick, ...)                                                                  \
  static const Layout record##_layout = {__VA_ARGS__};                                             \
  const StxLidarSensorInfo stx_lidar_##record = {nick, &record##_layout, probe, open, decode}

/* The channels of these fire one after the other. */
#define XT(size, ...)                                                                              \
  .header = 12, .counts = 6, .unit = 9, .shot = 4, .mode = (size)-18, .date = (size)-15,           \
  .micros = (size)-9, .sequence = (size)-4, .least = (size), .most = (size) + 64, .first = 6000,   \
  .block = -50000, __VA_ARGS__

SENSOR(xt16, "pandar-xt16",
    XT(568, .channels = 16, .blocks = 8, .returns = 2, .channel = 3024, .together = 1,
        .near = 0.05));
SENSOR(xt32, "pandar-xt32",
    XT(1080, .channels = 32, .blocks = 8, .returns = 2, .channel = 1512, .together = 1,
        .near = 0.05, .angles = xt32_angles));
SENSOR(xt32m, "pandar-xt32m",
    XT(820, .channels = 32, .blocks = 6, .returns = 3, .channel = 2888, .together = 2, .near = 0.5,
        .angles = xt32m_angles));
SENSOR(qt64, "pandar-qt64", .channels = 64, .blocks = 4, .returns = 2, .shot = 4, .header = 12,
    .counts = 6, .unit = 9, .mode = 1060, .date = 1062, .micros = 1056, .sequence = 1068,
    .least = 1068, .most = 1136, .first = 38020, .block = 166667, .channel = 2129, .together = 1,
    .near = 0.1, .angles = qt64_angles);
SENSOR(qt128, "pandar-qt128", .channels = 128, .blocks = 2, .returns = 2, .shot = 4, .header = 12,
    .counts = 6, .unit = 9, .mode = 1073, .date = 1076, .micros = 1082, .sequence = 1087,
    .least = 1095, .most = 1159, .first = 9000, .block = 111110, .channel = 0, .together = 1,
    .near = 0.05, .angles = qt128_angles);
SENSOR(pandar_40p, "pandar-40p", .channels = 40, .blocks = 10, .returns = 2, .shot = 3,
    .mode = 1254, .date = 1256, .micros = 1250, .sequence = 1262, .least = 1262, .most = 1266,
    .first = -83250, .block = -55560, .channel = 0, .together = 1, .near = 0.3,
    .angles = pandar_40p_angles);
SENSOR(pandar_64, "pandar-64", .channels = 64, .blocks = 6, .returns = 2, .shot = 3, .header = 8,
    .counts = 2, .unit = 5, .mode = 1186, .date = 1188, .micros = 1182, .sequence = 1194,
    .least = 1194, .most = 1198, .first = -97250, .block = -55560, .channel = 0, .together = 1,
    .near = 0.3, .angles = pandar_64_angles);
SENSOR(pandar_128, "pandar-128", .channels = 128, .blocks = 2, .returns = 2, .shot = 3,
    .header = 12, .counts = 6, .unit = 9, .mode = 817, .date = 820, .micros = 826, .sequence = 831,
    .least = 861, .most = 925, .first = 45724, .block = -55556, .channel = 0, .together = 1,
    .near = 0.1, .angles = pandar_128_angles);
