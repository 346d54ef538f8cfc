/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The carrier of the camera, where its picture shows it: a bonnet, a mount, the robot's own parts.
 * It is neither an obstacle nor the end of free space, and it lies on no road.
 *
 * It is given: as rows from below, or as a picture (PGM, binary) of any size, whose values above 0
 * are the carrier. In each column of cells it fills the cells from the bottom up to the first of
 * which less than half belongs to it. Before a frame is segmented these cells become unknown, of
 * weight 0; afterwards records end above them, and one of kind CARRIER, of unknown disparity, takes
 * their rows.
 */
#pragma once

#include "common/columns.h"
#include "common/stixel.h"

/* Cells of the carrier in each of stx_grid_columns() columns, from `text`: a number of image rows.
 * False, with the reason, for what is no number from 0 to the image's height. */
bool stx_carrier_from_rows(const StxGrid *grid, const char *text, uint16_t *cells, StxError *error);

/* Makes the carrier likewise from the bytes of a PGM file; `name` is for messages. */
bool stx_carrier_from_pgm(const StxGrid *grid, const char *name, const void *bytes, size_t size,
    uint16_t *cells, StxError *error);

/* Makes the carrier's cells unknown. */
void stx_carrier_hide(const StxGrid *grid, const uint16_t *cells, void *columns);

/* Copies the records of a frame, with the carrier in them: at most as many as there are cells.
 * Returns their number. */
size_t stx_carrier_mark(const StxGrid *grid, const uint16_t *cells, const StxStixel *records,
    size_t count, StxStixel *marked);
