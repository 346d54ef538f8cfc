/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two media types between the segmentation elements, as caps:
 *
 *   application/x-stixel-columns  what downsample-transpose writes: the memory of common/columns.h.
 *                                 width, height (image), stixel-width, stixel-height (cell),
 *                                 columns, rows, classes, and disparity-steps where that is not 256
 *   application/x-stixels         StxStixel records (common/stixel.h): width, height, stixel-width,
 *                                 columns
 *
 * Both carry framerate and, where known, the camera-… fields of camera.h. docs/formats.md
 * describes them for applications. columns and rows follow from the sizes; they stand in the caps
 * for the reader's convenience and are checked, not trusted.
 */
#pragma once

#include <gst/gst.h>

#include "common/camera.h"
#include "common/columns.h"
#include "gst/stixels/stixels.h"

/*
 * Fixed caps for a grid. framerate is taken from the first structure of `timing` (any caps, may
 * be NULL: 0/1, variable). Camera fields are added where `camera` knows them. Transfer full.
 */
GstCaps *gst_stx_columns_caps_new(
    const StxGrid *grid, const StxCamera *camera, const GstCaps *timing);

/*
 * Reads fixed columns caps. False with a text in `error` (and *grid untouched) when the media type
 * is another, a field is missing, a size is out of range (stx_grid_check) or columns or rows
 * contradict the sizes.
 */
gboolean gst_stx_columns_caps_parse(const GstCaps *caps, StxGrid *grid, StxError *error);

/* gst_stx_stixel_info_from_caps () of stixels alone, with the texts that elements post. */
gboolean gst_stx_stixels_caps_parse(const GstCaps *caps, GstStxStixelInfo *info, StxError *error);

/* The same for caps of obstacles, which name the image of their stixels; those of a scan name none:
 * `info` is all 0. */
gboolean gst_stx_obstacles_caps_parse(const GstCaps *caps, GstStxStixelInfo *info, StxError *error);

/* Removes the fields of which `keeps` is false. */
void gst_stx_columns_keep(GstStructure *structure, gboolean (*keeps)(const char *name));

/*
 * Turns one structure of columns caps into one of stixels caps (`name` GST_STX_STIXELS_MEDIA_TYPE)
 * or back: the fields that both have are copied, fixed or not; the others are left open. For
 * transform_caps of elements that read columns and write stixels. Transfer full.
 */
GstStructure *gst_stx_columns_rename(const GstStructure *from, const char *name);
