/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets of LiDAR sensors to points: one UDP payload at a time, as the makers' manuals define it.
 *
 *   Velodyne  VLP-16, Puck Hi-Res, VLP-32C, HDL-32E, HDL-64E S2 and S3, VLS-128: 12 blocks of 32
 *             shots. VLP-16 User Manual 63-9243, VLP-32C 63-9325, HDL-32E 63-9277, HDL-64E S3
 *             63-HDL64ES3
 *   Ouster    every sensor that turns, firmware 2 and later, in each lidar profile, and the legacy
 *             one: columns of pixels. Ouster, "Firmware User Manual", Sensor Data
 *   Hesai     PandarXT-16, XT-32, XT-32M, PandarQT64, QT128, Pandar40P, Pandar64, Pandar128 (E3X
 *             and OT128), AT128. The sensors' user manuals, "Point Cloud Data Packet"
 *
 * A point is four float32, x, y, z and intensity, as those of lidar_file.h; the intensity is the
 * sensor's reflectivity, 0 … 255. With each point goes a StxLidarMark: when, by which beam. Shots
 * without a return are no points; of returns of one shot that are alike the first is left.
 *
 * Axes, from the sensor, z up: Velodyne x where the azimuth is 0, y to the left of it; Hesai the
 * maker's, y where the azimuth is 0 and x to the right of it; Ouster the sensor's frame of its
 * metadata (x away from the connector).
 *
 * Rings: Velodyne from 0, the lowest, up; Hesai and Ouster in the maker's order, from 0, which is
 * the highest beam, but of QT64 and QT128 the lowest.
 *
 * Nothing is allocated but while a calibration is read. A sensor belongs to one thread at a time;
 * of a VLS-128 with two returns it remembers where the last packet looked.
 */
#pragma once

#include "common/fields.h"

#define STX_LIDAR_BEAMS 128
#define STX_LIDAR_SLOTS 128    /* shots of a group of Velodyne's blocks */
#define STX_LIDAR_COLUMNS 4096 /* of an Ouster's turn */
#define STX_LIDAR_PACKET_POINTS 4096
#define STX_LIDAR_TURN 9216000     /* a whole turn: angles are in 1/25600 degree */
#define STX_LIDAR_PACKET_MAX 65535 /* bytes */

/* Every sensor: its value, STX_LIDAR_SENSOR_…; its nick; the record's name; what it is. A maker's
 * records stand in a file of its own. */
#define STX_LIDAR_SENSORS(SENSOR)                                                                  \
  SENSOR(VLP_16, "vlp-16", vlp_16, "Velodyne VLP-16, Puck Lite")                                   \
  SENSOR(PUCK_HI_RES, "puck-hi-res", puck_hi_res, "Velodyne Puck Hi-Res")                          \
  SENSOR(VLP_32C, "vlp-32c", vlp_32c, "Velodyne VLP-32C, Ultra Puck")                              \
  SENSOR(HDL_32E, "hdl-32e", hdl_32e, "Velodyne HDL-32E")                                          \
  SENSOR(HDL_64E_S2, "hdl-64e-s2", hdl_64e_s2, "Velodyne HDL-64E S2")                              \
  SENSOR(HDL_64E_S3, "hdl-64e-s3", hdl_64e_s3, "Velodyne HDL-64E S3")                              \
  SENSOR(VLS_128, "vls-128", vls_128, "Velodyne VLS-128, Alpha Prime")                             \
  SENSOR(OUSTER, "ouster", ouster, "Ouster OS0, OS1, OS2, OSDome, by its metadata")                \
  SENSOR(XT16, "pandar-xt16", xt16, "Hesai PandarXT-16")                                           \
  SENSOR(XT32, "pandar-xt32", xt32, "Hesai PandarXT-32")                                           \
  SENSOR(XT32M, "pandar-xt32m", xt32m, "Hesai PandarXT-32M")                                       \
  SENSOR(QT64, "pandar-qt64", qt64, "Hesai PandarQT64")                                            \
  SENSOR(QT128, "pandar-qt128", qt128, "Hesai QT128")                                              \
  SENSOR(PANDAR_40P, "pandar-40p", pandar_40p, "Hesai Pandar40P")                                  \
  SENSOR(PANDAR_64, "pandar-64", pandar_64, "Hesai Pandar64")                                      \
  SENSOR(PANDAR_128, "pandar-128", pandar_128, "Hesai Pandar128, OT128")                           \
  SENSOR(AT128, "pandar-at128", at128, "Hesai AT128")

#define STX_LIDAR_SENSOR_VALUE(NAME, nick, record, text) STX_LIDAR_SENSOR_##NAME,
typedef enum {
  STX_LIDAR_SENSOR_AUTO,
  STX_LIDAR_SENSORS(STX_LIDAR_SENSOR_VALUE) /* in the order of the list */
  STX_LIDAR_SENSOR_COUNT
} StxLidarSensorKind;

/* Beside each point, in the order of the points; 8 bytes. */
typedef struct {
  uint32_t time; /* nanoseconds, since the packet's time or, of a whole turn, since the turn's */
  uint16_t ring; /* which beam */
  uint8_t echo;  /* 0; of a second return of the same shot 1, of a third 2 */
  uint8_t zero;
} StxLidarMark;

/* A decoded packet; 115 KiB. */
typedef struct {
  uint64_t time;          /* of the sensor's clock, nanoseconds … */
  uint64_t time_modulus;  /* … that begins again after so many; 0: never */
  uint64_t order;         /* that rises from packet to packet … */
  uint64_t order_modulus; /* … and begins again after so many; 0: never */
  uint32_t step;          /* … by about this from this one to the next */

  bool turns;       /* a turn ends where the azimuth says; else with its frame */
  uint32_t azimuth; /* of the first shots, 0 … STX_LIDAR_TURN − 1 */
  int32_t low;      /* the smallest `at` that any beam may have, perhaps negative */
  int32_t high;     /* the largest … */
  int32_t ahead;    /* … and of the first shots */
  int32_t gap;      /* azimuths between its shots that the sensor was told to leave out; or 0 */
  uint32_t span;    /* nanoseconds from `time` to the next packet's */

  uint64_t frame;         /* number of the turn, where the sensor counts them */
  uint32_t piece, pieces; /* which of a turn's packets */

  size_t count;
  float points[STX_LIDAR_PACKET_POINTS][4];
  StxLidarMark marks[STX_LIDAR_PACKET_POINTS];
  int32_t at[STX_LIDAR_PACKET_POINTS]; /* azimuth − that of the packet; only if it turns */
} StxLidarPacket;

typedef struct {
  double azimuth, elevation;                       /* radians; the first clockwise, added */
  double distance, distance_x, distance_y;         /* metres; added far away, near in x and in y */
  double across, up;                               /* where the beam begins, metres */
  double focal_distance, focal_slope, least, most; /* of the intensity; HDL-64E */
  uint16_t ring;
} StxLidarBeam;

/* One shot of a group of blocks. */
typedef struct {
  uint16_t beam;
  uint32_t time; /* nanoseconds after the group's first */
} StxLidarSlot;

/* The azimuth of shots between two azimuths of a packet (Velodyne). */
typedef enum {
  STX_LIDAR_FIRING_MAKER, /* by the time in the maker's manual */
  STX_LIDAR_FIRING_ROS    /* as the ROS drivers compute it */
} StxLidarFiring;
extern const StxFieldChoice stx_lidar_firings[];

/* Hesai AT128's mirror: where its faces begin and end, and the elevation of each channel, 1/25600
 * degree; what channels are off at every second degree, 1/100 degree; the most of that. */
#define STX_LIDAR_FACES 8
typedef struct {
  unsigned faces;
  int32_t begin[STX_LIDAR_FACES], end[STX_LIDAR_FACES], rise[STX_LIDAR_BEAMS], most;
  int16_t azimuth[STX_LIDAR_BEAMS * 180], elevation[STX_LIDAR_BEAMS * 180];
} StxLidarMirror;

struct StxLidarSensorInfo;

/* A sensor whose packets are read. Made by stx_lidar_sensor_open; others do not change it. */
typedef struct {
  const struct StxLidarSensorInfo *info;
  unsigned beams;
  bool near_far; /* the beams have distances or offsets */
  StxLidarBeam beam[STX_LIDAR_BEAMS];
  float level[STX_LIDAR_BEAMS], rise[STX_LIDAR_BEAMS]; /* cosine and sine of the elevation */
  float east[STX_LIDAR_BEAMS], north[STX_LIDAR_BEAMS]; /* sine and cosine of the azimuth */
  int32_t turn[STX_LIDAR_BEAMS];                       /* azimuth in 1/25600 degree */
  int32_t turn_low, turn_high;                         /* of all beams */
  double resolution;                                   /* metres of a unit of distance */
  double stated; /* Velodyne: the same by the calibration, which is not believed */

  unsigned slots; /* Velodyne */
  bool ros;
  StxLidarSlot slot[STX_LIDAR_SLOTS];
  uint32_t last_shot;       /* its time */
  uint32_t azimuth, micros; /* of the packet before, and the rate that it was read with */
  double rate;

  /* Ouster */
  unsigned columns, columns_per_packet, window[2], returns, pixel_size, reflectivity, packet_size;
  bool legacy, fusa, low_rate;
  double origin, origin_up, to_sensor[12]; /* metres; three rows of four */
  float ray[STX_LIDAR_BEAMS][9];           /* lidar_packet_ouster.c */
  float encoder[STX_LIDAR_COLUMNS][5];     /* of a column: cosine, sine, where beams begin */

  StxLidarMirror mirror; /* AT128 */
} StxLidarSensor;

typedef enum {
  STX_LIDAR_GOOD,
  STX_LIDAR_FOREIGN,   /* no packet of points of this sensor */
  STX_LIDAR_TRUNCATED, /* it begins like one, and ends too early */
  STX_LIDAR_FORGED     /* it looks like one, but holds what the sensor cannot have sent */
} StxLidarVerdict;

/*
 * A sensor's record.
 *
 * name    as users know it
 * layout  what the maker's file knows of it
 * probe   is this a packet of points of that sensor?
 * open    fills a zeroed *sensor whose info is set, from the file, or from the maker's angles if
 *         `calibration` is NULL
 * decode  as stx_lidar_packet_decode
 */
typedef struct StxLidarSensorInfo {
  const char *name;
  const void *layout;
  bool (*probe)(const struct StxLidarSensorInfo *info, const uint8_t *bytes, size_t size);
  bool (*open)(StxLidarSensor *sensor, const char *calibration, StxError *error);
  StxLidarVerdict (*decode)(
      StxLidarSensor *sensor, const uint8_t *bytes, size_t size, StxLidarPacket *packet);
} StxLidarSensorInfo;

/* StxLidarSensorKind as users know it. */
extern const StxFieldChoice stx_lidar_sensors[];

/* The sensor that sends such packets; AUTO: unknown. An HDL-64E S2 counts as S3, since their
 * packets are equal. */
StxLidarSensorKind stx_lidar_sensor_find(const void *bytes, size_t size);

/*
 * Gets ready to read the packets of a sensor. `calibration` is the path of its file, or NULL for
 * the angles that the maker publishes for all sensors of the kind:
 *   Velodyne  YAML with `lasers`, as the ROS drivers have it; needed for HDL-64E. Its
 *             distance_resolution is not used: the model has one, and files state others
 *   Hesai     CSV with channel, elevation and azimuth in degrees, as the sensor gives it; AT128:
 *             its correction file, version 1.5; needed
 *   Ouster    the sensor's metadata, JSON of any firmware; needed
 * `firing` ROS reproduces clouds of the ROS drivers (velodyne_pointcloud, nebula): azimuths are
 * rounded to 1/100 degree; a block looks to where the next one begins, of a packet's last blocks
 * nowhere further; the lasers of a VLP-32C fire one by one.
 * On failure error names the file, the place, the value and what was expected.
 */
bool stx_lidar_sensor_open(StxLidarSensor *sensor, StxLidarSensorKind kind, const char *calibration,
    StxLidarFiring firing, StxError *error);

/* Reads a packet; unless it is GOOD, *packet holds anything. */
StxLidarVerdict stx_lidar_packet_decode(
    StxLidarSensor *sensor, const void *bytes, size_t size, StxLidarPacket *packet);
