/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Elements that stand in for those which the pages name and a test cannot have. They have the
 * names, pads, caps and properties of the real ones, as far as the pages need them; a line with any
 * other property does not parse.
 *
 *   v4l2src        /dev/video2 is the right camera; a frame twice as wide as high, or wider, holds
 *                  both views; any other is the left camera
 *   zedsrc, zeddemux            Stereolabs' plugin for ZED cameras
 *   realsensesrc, rsdemux       WKD.SMRT's plugin for RealSense cameras
 *   autovideosink  no window; everything else a sink does
 */
#ifndef STX_CAMERAS_STAND_INS_H
#define STX_CAMERAS_STAND_INS_H

/* After gst_init; from then on the names above mean these, whatever is installed. */
void stand_ins_register(void);

#endif
