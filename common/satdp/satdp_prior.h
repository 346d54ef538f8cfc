/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The prior of a frame's kinds: what is known before its columns are cut (StxSatdpParams.prior).
 *
 * The kinds of the frame before, so that a camera's noise does not turn ground into objects and
 * back. A cell can tell if it is known in both frames, with nearly the weight of a certain one. It
 * has moved if its disparities differ by more than a quarter of a pixel and a 64th: there any kind
 * is as likely as another. If more than one in sixteen has moved, so has the camera, and no kind is
 * kept: kinds would lag behind.
 *
 * Things on the ground (satdp_raised.c): a column alone cannot tell a low one, such as a rock, from
 * the pavement behind a kerb, but a pavement goes on beside it; nor the top of a high one, such as
 * a seat, from ground behind it.
 *
 * Cells that lie on the road that the frame shows are ground, where no frame before says else: a
 * column sees less of a noisy road than the frame. They lie there if they are near it, and the
 * disparity grows as the road's. A road that objects may lean as much as tells nothing.
 *
 * Ghosts are cells that the matcher has guessed, as on wet, overexposed or too near roads, and in
 * pairs that are not quite rectified. Nothing can be seen behind the road, by more than its
 * scatter, eight pixels and a fifth of its disparity, which is a dip a quarter as deep as the
 * camera is high. Such cells are made unknown unless two thirds of those around them agree within
 * two pixels: where the road ends at a drop, what lies below is seen, and matches.
 */
#pragma once

#include "common/satdp/satdp.h"

/* A stream's; all 0 but `memory` before the first frame. */
typedef struct {
  void *memory;        /* stx_satdp_prior_size(grid) bytes, aligned like an int32_t */
  bool known;          /* there is a frame before */
  const void *columns; /* this frame's for StxSatdpImpl: as given, or in `memory` without ghosts */
} StxSatdpPrior;

size_t stx_satdp_prior_size(const StxGrid *grid);

/*
 * Returns the prior of a frame, columns · rows bytes in `memory`, or NULL if nothing is known, and
 * sets prior->columns. Reads all channels of the columns, which are on the host.
 *
 * params  grid, object_sigma_slope; change_cost and raised_cost: what costs nothing is not looked
 *         for
 * line    the frame's road, or NULL. Without one that was found in the frame nothing lies on it:
 *         the road may be beside where the calibration says
 */
const uint8_t *stx_satdp_prior(StxSatdpPrior *prior, const StxSatdpParams *params,
    const void *columns, const StxRoadLine *line);

/* Keeps the kinds of the records that came of it, which are on the host. */
void stx_satdp_remember(
    StxSatdpPrior *prior, const StxGrid *grid, const StxStixel *records, size_t count);

/*
 * Adds STX_SATDP_RAISED to the cells of `prior` that are things on the road; true if there are any.
 *
 * disparity  the first channel of the columns, behind which is that of the weights
 * road       its disparity at each cell; 0: it has none there
 * scatter    steps by which a cell of the road may be nearer
 * queue      scratch, a number for each cell
 */
bool stx_satdp_find_raised(const StxGrid *grid, const uint16_t *disparity, const uint16_t *road,
    int scatter, uint8_t *prior, int32_t *queue);
