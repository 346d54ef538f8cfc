/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the checks of scans from above: pictures in guarded memory, and their pixels. */
#ifndef BEV_CASE_H
#define BEV_CASE_H

#include "common/bev/bev_stixels.h"
#include "tests/testing.h"

#define BEV_FORMATS 10
extern const char *const bev_formats[BEV_FORMATS];

/* The colour where nothing is drawn. */
extern const int bev_background[3];

typedef struct {
  StxBevParams params;
  StxBev *bev;
  StxImage8 plane; /* guarded, its rows padded */
  StxFrame frame;
} BevPicture;

/* One pixel per metre, the sensor in the middle, points of one pixel, no rings. */
StxBevParams bev_plain(int width, int height);

/* One that nothing is drawn on yet, with so many bytes between rows; bev_picture_free it. */
BevPicture bev_picture_new(StxBevParams params, int padding);

/* The picture of some points; bev_picture_free it. */
BevPicture bev_picture_of(
    StxBevParams params, const float (*points)[4], const uint32_t *labels, size_t count);
void bev_picture_free(BevPicture *p);
STX_AUTO_VALUE(BevPicture, bev_picture_free)

const uint8_t *bev_pixel(const BevPicture *p, int x, int y);
void bev_expect_pixel(const BevPicture *p, int x, int y, const int rgb[3], const char *what);
void bev_expect_colour(const BevPicture *p, int x, int y, StxRgb rgb, const char *what);
StxRgb bev_on_background(StxRgb colour, int part); /* of 256 */

/* ---- Stixels ------------------------------------------------------------------------------ */

enum { BEV_WIDTH = 100, BEV_COLUMN = 10, BEV_HEIGHT = 80 };

/* A pixel of disparity is 100 m; columns 0 … 4 are to the left, 5 … 9 to the right, each .1 m wide
 * at 1 m. */
extern const StxCamera bev_camera;

/* 40 m ahead and 20 m to either side, a metre a pixel; nothing is drawn over it. */
StxBevParams bev_ahead(void);

/* Layers alone, by kind, as long as they are. */
StxBevStixelsParams bev_plain_stixels(void);

/* From 1 m above the camera to 1 m below, at 10 m. */
StxStixel bev_object(int column, double disparity);
StxStixel bev_ground(int column, double top, double bottom);

StxBevStixels bev_frame_of(const StxStixel *records, size_t count);
BevPicture bev_stixel_picture(
    StxBevParams params, const StxBevStixelsParams *stixels, const StxBevStixels *frame);

#endif
