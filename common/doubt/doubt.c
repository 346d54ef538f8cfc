/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/doubt/doubt.h"

#define ROWS 32    /* of samples */
#define COLUMNS 64 /* in a row */
#define STEEP 8    /* parts of the height from one row of the order to the other */
#define ENOUGH 100 /* samples of a kind, to be judged by */
#define SPREAD 257 /* between two numbers of 8 bits that were spread to 16 */
#define TINY 16 /* 1/16 pixel: a map of 8 bits reaches more, that of one picture twice does not */

/* ---- Counting ----------------------------------------------------------------------------- */

static int swap(int value)
{
  return (value & 255) << 8 | value >> 8;
}

static bool is_jump(int a, int b)
{
  return a > b ? a - b > SPREAD : b - a > SPREAD;
}

/* OpenCV's are signed, and a 16th pixel each: with 16 times as much as KITTI's they compare. */
static int value_of(uint16_t raw, StxDisparityEncoding encoding)
{
  if (encoding != STX_DISPARITY_OPENCV)
    return raw;
  return raw < 4096 ? raw * 16 : raw < 32768 ? 65535 : 0;
}

typedef struct {
  const uint16_t *row, *below; /* below: further down in the lower half, or NULL */
  int width;
  StxDisparityEncoding encoding;
} Row;

static void count_row(const Row *row, StxDoubtCounts *counts)
{
  int columns = row->width - 1 < COLUMNS ? row->width - 1 : COLUMNS;
  for (int i = 0; i < columns; i++) {
    int x = (int)((int64_t)i * (row->width - 1) / columns);
    int value = value_of(row->row[x], row->encoding);
    counts->known += value != 0;
    counts->spread += value != 0 && row->row[x] % SPREAD == 0;
    counts->small += value != 0 && row->row[x] < 256;
    counts->tiny += value != 0 && row->row[x] < TINY;
    counts->beyond += value > (int64_t)row->width * STX_DISPARITY_ONE / 2;
    int beside = value_of(row->row[x + 1], row->encoding);
    if (value != 0 && beside != 0) {
      counts->pairs++;
      counts->jumps += is_jump(value, beside);
      counts->steps += value != beside;
      counts->swapped_jumps += is_jump(swap(value), swap(beside));
    }
    int lower = row->below != NULL ? value_of(row->below[x], row->encoding) : 0;
    if (value != 0 && lower != 0) {
      counts->over++;
      counts->steps += value != lower;
      counts->above += value > lower + lower / 16;
      counts->below += lower > value + value / 16;
    }
  }
}

void stx_doubt_count(const StxImage16 *map, StxDisparityEncoding encoding, StxDoubtCounts *counts)
{
  int rows = map->height < ROWS ? map->height : ROWS, step = map->height / STEEP;
  for (int i = 0; i < rows; i++) {
    int y = (int)((int64_t)i * map->height / rows);
    bool is_low = step > 0 && y >= map->height / 2 && y + step < map->height;
    count_row(
        &(Row){stx_row16(map, y), is_low ? stx_row16(map, y + step) : NULL, map->width, encoding},
        counts);
  }
}

/* ---- Judging ------------------------------------------------------------------------------ */

static bool is_mostly(int most, int other, int all)
{
  return all >= ENOUGH && 2 * most > all && 4 * other < most;
}

StxDoubt stx_doubt_judge(const StxDoubtCounts *c, StxDisparityEncoding encoding)
{
  bool is_depth = stx_disparity_is_depth(encoding);
  /* Depths of what is far jump by metres where disparities do by parts of a pixel. */
  if (c->pairs >= ENOUGH && c->jumps * (is_depth ? 2 : 3) > c->pairs)
    return 4 * c->swapped_jumps < c->jumps ? STX_DOUBT_SWAPPED : STX_DOUBT_PICTURE;
  if (c->known >= ENOUGH && c->steps > 0 && c->spread == c->known)
    return STX_DOUBT_SPREAD;
  /* Numbers so small would be something very far in 1/16 pixel, or very near in mm. */
  if (!is_depth && encoding != STX_DISPARITY_OPENCV && c->known >= ENOUGH && c->small == c->known &&
      c->tiny < c->known)
    return STX_DOUBT_SMALL;
  if (!is_depth && c->known >= ENOUGH && 4 * c->beyond > c->known)
    return STX_DOUBT_RANGE;
  if (!is_depth && is_mostly(c->above, c->below, c->over))
    return STX_DOUBT_DEPTH;
  return is_depth && is_mostly(c->below, c->above, c->over) ? STX_DOUBT_DISPARITY : STX_DOUBT_NONE;
}

const char *stx_doubt_text(StxDoubt doubt)
{
  switch (doubt) {
  case STX_DOUBT_SWAPPED:
    return "its numbers have their two bytes in the other order: they are GRAY16_BE, as in PNG "
           "files, and need videoconvert";
  case STX_DOUBT_PICTURE:
    return "it is full of texture, as a picture is: put stereo-sgm in front, which makes "
           "disparities of two";
  case STX_DOUBT_DEPTH:
    return "its numbers fall from top to bottom, as depths do: set disparity-encoding=depth-mm, or "
           "turn the picture the right way up";
  case STX_DOUBT_DISPARITY:
    return "its numbers grow from top to bottom, as disparities do: set disparity-encoding=kitti, "
           "cityscapes or opencv";
  case STX_DOUBT_RANGE:
    return "it has disparities of more than half of the image's width: set disparity-encoding to "
           "cityscapes, opencv or depth-mm";
  case STX_DOUBT_SPREAD:
    return "all its numbers are multiples of 257: videoconvert made 16 bits of a map of 8; save "
           "the map in 16 bits, as its disparity-encoding says";
  case STX_DOUBT_SMALL:
    return "none of its disparities reaches one pixel: numbers of 8 bits were stored in 16; "
           "multiply whole pixels by 256, or set disparity-encoding=opencv for 16ths of a pixel";
  default:
    return "";
  }
}
