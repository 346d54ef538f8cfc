/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of LiDAR points: from the bytes of one whole scan in memory to packed points.
 *
 * Formats, told apart by their content:
 *   KITTI     no header; 4 little-endian float32 per point: x y z intensity (0…1).
 *             A. Geiger et al., "Vision meets Robotics: The KITTI Dataset", IJRR 2013
 *   nuScenes  no header; 5 little-endian float32 per point: x y z intensity (0…255) and the ring,
 *             which is not read. H. Caesar et al., "nuScenes", CVPR 2020
 *   PCD       the Point Cloud Library's .pcd 0.6 and 0.7: DATA ascii, binary and
 *             binary_compressed (LZF). R. Rusu, S. Cousins, "3D is here", ICRA 2011
 *
 * A point is four float32 in the machine's byte order: x, y, z, intensity, 16 bytes. The values
 * are the file's, neither scaled nor turned; by convention metres, x forward, y left, z up (PCD's
 * VIEWPOINT is not applied). What is not finite stays as it is: no point is ever lost, and their
 * order is the file's.
 *
 * PCD may have its fields in any order and of any type (F 4 8, I and U 1 2 4 8, any COUNT of the
 * others). Their names, in any case: x, y, z, and intensity, else i, reflectance, reflectivity,
 * remission or scalar_intensity; without any of these the intensity is 0. Other numbers are rounded
 * to the nearest float32; a number in text to the nearest double first, whatever the locale, nan
 * and inf included. Numbers have at most 511 characters. Blank lines between points, any line ends,
 * lines that a PCD header does not know and bytes after the last point are skipped.
 *
 * Nothing is allocated. Time is linear in the number of bytes. Any number of threads may read.
 */
#ifndef STX_LIDAR_FILE_H
#define STX_LIDAR_FILE_H

#include "common/fields.h"

#define STX_LIDAR_POINT_FLOATS 4 /* x, y, z, intensity */

/* Every format: its value, STX_LIDAR_…; its nick; and what it is, for users. A format is a line
 * here and a record (StxLidarFormatInfo) stx_lidar_‹nick› in a file of its own. */
#define STX_LIDAR_FORMATS(FORMAT)                                                                  \
  FORMAT(KITTI, kitti, "float32 x, y, z, intensity")                                               \
  FORMAT(NUSCENES, nuscenes, "float32 x, y, z, intensity, ring")                                   \
  FORMAT(PCD, pcd, "Point Cloud Library")

#define STX_LIDAR_VALUE(NAME, nick, text) STX_LIDAR_##NAME,
typedef enum {
  STX_LIDAR_AUTO,
  STX_LIDAR_FORMATS(STX_LIDAR_VALUE) /* in the order of the list */
  STX_LIDAR_FORMAT_COUNT
} StxLidarFormat;

typedef enum {
  STX_LIDAR_TEXT,   /* one line per point */
  STX_LIDAR_LITTLE, /* one record per point, little-endian */
  STX_LIDAR_LZF     /* LZF of one array per field, little-endian */
} StxLidarEncoding;

typedef enum {
  STX_LIDAR_ABSENT,
  STX_LIDAR_F32,
  STX_LIDAR_F64,
  STX_LIDAR_I8,
  STX_LIDAR_I16,
  STX_LIDAR_I32,
  STX_LIDAR_I64,
  STX_LIDAR_U8,
  STX_LIDAR_U16,
  STX_LIDAR_U32,
  STX_LIDAR_U64,
  STX_LIDAR_TYPE_COUNT
} StxLidarType;

/* One of x, y, z, intensity. `at` is the number of its column of text; the byte offset within a
 * record; or the sum of the sizes of the fields before it, which times `points` is the byte offset
 * of its array. */
typedef struct {
  StxLidarType type;
  size_t at;
} StxLidarField;

/* The header of a file. Made by stx_lidar_file_probe and not to be changed. */
typedef struct {
  StxLidarFormat format; /* never AUTO */
  size_t points;         /* 16 · points fits a size_t; 0 is a valid scan */
  size_t scratch_size;   /* bytes that reading needs; 0 unless the encoding is LZF */

  StxLidarEncoding encoding;
  StxLidarField fields[STX_LIDAR_POINT_FLOATS]; /* in the order of a point */
  size_t record;                                /* columns or bytes of one point */
  size_t size;                                  /* bytes of the file */
  size_t data;                                  /* where the points begin, bytes */
  size_t packed;                                /* LZF: bytes of the compressed points */
  size_t lines;                                 /* text: lines before the first point */
} StxLidarFile;

/*
 * Looks at the header in `bytes`, and checks that as many points as it announces fit into `size`
 * bytes. (Whether text holds that many numbers shows when it is read.) So what the caller then
 * allocates is bounded: the points take at most 6 times `size` bytes; with LZF, the scratch 88
 * times and the points 6 times the scratch.
 *
 * `format` AUTO looks for the header of a PCD file; what has none is KITTI or nuScenes
 * according to the size and to the first 1000 points: coordinates of 10^-7 to 10^6 m or 0,
 * intensities of 0 to 65535, rings that are integers of 0 to 1023 (or any of them not a number).
 * Where both are possible, or neither, it fails and asks for a choice. No bytes at all are a KITTI
 * scan of no points.
 *
 * On failure *file is undefined, and error names the line or the byte, the value found, and what
 * would be possible.
 */
STX_API bool stx_lidar_file_probe(
    const void *bytes, size_t size, StxLidarFormat format, StxLidarFile *file, StxError *error);

/*
 * Reads all points of the file that `file` was probed from; `bytes` are the same, of any alignment.
 * `points` holds file->points points, `scratch` for file->scratch_size bytes, also of any
 * alignment; none of the three may overlap. The two may be NULL where they have no size.
 *
 * Fails, with the line or byte in error, on text that is no number, on lines with too few or too
 * many numbers, on files that end too early, and on compressed data that is damaged; `points` then
 * holds anything.
 */
STX_API bool stx_lidar_file_read(
    const StxLidarFile *file, const void *bytes, float *points, void *scratch, StxError *error);

#define STX_LIDAR_HEADER_SIZE 4096 /* bytes by which a file is recognized, comments included */

/*
 * A format's record.
 *
 * extension, media_type  "pcd", "application/x-pcd"; NULL without a header
 * shape       of a file without a header, for messages: "points of 4 float32"; NULL: it has one
 * matches     do these bytes begin like such a file? Without a header: may they be one?
 * recognizes  are these the first bytes of such a file without a doubt, and of no other format?
 *             They have to reach to the end of what says so: PCD's line FIELDS, which names x, y
 *             and z; about 100 bytes and what comments take. What is recognized
 *             is not always what can be read. NULL without a header
 * probe       fills a zeroed *file whose format and size are set, as stx_lidar_file_probe
 */
typedef struct {
  const char *extension, *media_type, *shape;
  bool (*matches)(const uint8_t *bytes, size_t size);
  bool (*recognizes)(const uint8_t *bytes, size_t size);
  bool (*probe)(const uint8_t *bytes, StxLidarFile *file, StxError *error);
} StxLidarFormatInfo;

/* The record of a format but AUTO; NULL: there is no such format. */
const StxLidarFormatInfo *stx_lidar_format_info(StxLidarFormat format);

/* StxLidarFormat as users know it. */
STX_API const StxFieldChoice stx_lidar_formats[];

/* "kitti", "nuscenes", "pcd"; "auto". */
STX_API const char *stx_lidar_format_name(StxLidarFormat format);

#endif
