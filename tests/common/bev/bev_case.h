/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks of scans from above share: pictures in guarded memory, and their pixels. */
#ifndef BEV_CASE_H
#define BEV_CASE_H

#include "common/bev/bev.h"
#include "tests/testing.h"

#define BEV_FORMATS 10
extern const char *const bev_formats[BEV_FORMATS];

/* Where nothing is drawn. */
extern const int bev_background[3];

typedef struct {
  StxBevParams params;
  StxBev *bev;
  StxImage8 plane; /* guarded, its rows padded */
  StxFrame frame;
} BevPicture;

/* One pixel per metre, the sensor in the middle, points of one pixel, no rings. */
StxBevParams bev_plain(int width, int height);

/* The picture of some points; bev_picture_free it. */
BevPicture bev_picture_of(
    StxBevParams params, const float (*points)[4], const uint32_t *labels, size_t count);
void bev_picture_free(BevPicture *p);

const uint8_t *bev_pixel(const BevPicture *p, int x, int y);
void bev_expect_pixel(const BevPicture *p, int x, int y, const int rgb[3], const char *what);

#endif
