/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder in which a line runs, with the files that the pages' lines name. */
#ifndef STX_CAMERAS_FOLDER_H
#define STX_CAMERAS_FOLDER_H

#include <glib.h>

/* Of the pictures for which the calibrations in it hold. */
#define FOLDER_WIDTH 1280
#define FOLDER_HEIGHT 720

/* A new one becomes the working directory. */
gchar *folder_enter(void);

/* Pictures and videos that a line reads: what stands behind location= and ends in .png or .mp4. */
void folder_fill(gchar **words);

/* Removes it with all that is in it; takes the name. */
void folder_leave(gchar *folder);

#endif
