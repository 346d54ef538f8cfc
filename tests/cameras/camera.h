/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A live source that shows pictures.h as a camera would: frames come some time after they were
 * taken, not always the same; their times are not quite regular; some are lost, one of the first
 * dozen and one in a hundred later. What it shows follows from the caps and `choose`. All of a
 * pipeline show the same number at the same time.
 */
#ifndef STX_CAMERAS_CAMERA_H
#define STX_CAMERAS_CAMERA_H

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

typedef enum {
  CAMERA_LEFT,
  CAMERA_RIGHT,
  CAMERA_SIDE_BY_SIDE,
  CAMERA_TOP_BOTTOM,
  CAMERA_DEPTH,        /* GRAY16_LE, millimetres */
  CAMERA_LEFT_DEPTH,   /* BGRA: below the left picture its depth, 32 bits per pixel */
  CAMERA_COLOUR_DEPTH, /* RGB: behind the left picture its depth, 16 bits per pixel */
} CameraView;

#define TYPE_CAMERA (camera_get_type())
G_DECLARE_DERIVABLE_TYPE(Camera, camera, TEST, CAMERA, GstPushSrc)

struct _CameraClass {
  GstPushSrcClass parent_class;

  /* Chooses the view for frames of this size. */
  CameraView (*choose)(Camera *self, int width, int height);
};

/* The delay of a frame, besides the jitter: 0 at first. */
void camera_set_delay(Camera *self, GstClockTime delay);

/* From now on the cameras of all pipelines show the same number at the same time. */
void camera_share_numbers(void);

/* Whether the camera loses this frame, for tests of losses. */
gboolean camera_loses(CameraView view, guint64 number);

#endif
