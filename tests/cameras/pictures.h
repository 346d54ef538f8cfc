/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures of the cameras of these tests: a few frames of the synthetic street, over and over, each
 * with its number painted into the upper left corner, so that a wrong pair is seen wherever
 * pictures have been on their way.
 */
#ifndef STX_CAMERAS_PICTURES_H
#define STX_CAMERAS_PICTURES_H

#include <gst/video/video.h>

#include "common/camera.h"

#define PICTURES 3 /* number n shows what n + PICTURES shows */

/* Numbers are painted modulo this. */
#define PICTURE_NUMBERS 4096

/* The street's camera for pictures of this size. */
StxCamera picture_camera(int width, int height);

/* width × height bytes of luma, to be freed; `width` at least 256, `height` 16. Any thread. */
guint8 *picture_new(int width, int height, gboolean right, guint64 number);

/* The disparity of the left picture in 1/256 pixel, 0: none. Stays valid. Any thread. */
const guint16 *picture_truth(int width, int height, guint64 number);

/* The number in a picture whose left border is column `x` of the frame, or −1. */
gint picture_number(const GstVideoFrame *frame, int x, int y);

#endif
