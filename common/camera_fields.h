/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a camera as users give them, and the camera of data. */
#pragma once

#include "common/camera.h"
#include "common/fields.h"

/* The fields of StxCamera: focal, cx, cy, baseline, camera-height, camera-pitch, in this order. */
extern const StxFields stx_camera_fields;

/* Only then is there a number that speaks of pixels of an image. */
bool stx_camera_has_pixels(const StxCamera *camera);

/*
 * A camera that came with data which was computed for width × height pixels: disparities, columns,
 * stixels. Nothing scales such values, so false, with a text in `error`, where it names another
 * size. One that names none is taken for one of that size.
 */
bool stx_camera_expect(const StxCamera *camera, int width, int height, StxError *error);

/* The same, and makes it name that size; false, too, where its units are wrong. */
bool stx_camera_of_data(StxCamera *camera, int width, int height, StxError *error);
