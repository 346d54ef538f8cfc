/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/folder.h"

#include <glib/gstdio.h>

#include "tests/cameras/pictures.h"
#include "tests/gst/fixtures/util.h"

static void write_text(const char *name, gchar *text)
{
  ck_assert(g_file_set_contents(name, text, -1, NULL));
  g_free(text);
}

/* The cameras of these tests, which are a rectified pair as they come, in the form of OpenCV, of
 * ZED, of KITTI and of Cityscapes. */
static void write_calibrations(void)
{
  StxCamera camera = picture_camera(FOLDER_WIDTH, FOLDER_HEIGHT);
  gchar *k = g_strdup_printf(
      "[%g, 0, %g, 0, %g, %g, 0, 0, 1]", camera.focal, camera.cx, camera.focal, camera.cy);
  gchar *lens = g_strdup_printf(
      "fx=%g\nfy=%g\ncx=%g\ncy=%g\nk1=0\nk2=0\n", camera.focal, camera.focal, camera.cx, camera.cy);

  write_text(
      "stereo.yml", g_strdup_printf("%%YAML:1.0\n---\nimage_width: %d\nimage_height: %d\nK1: %s\n"
                                    "D1: [0, 0, 0, 0, 0]\nK2: %s\nD2: [0, 0, 0, 0, 0]\n"
                                    "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [%g, 0, 0]\n",
                        FOLDER_WIDTH, FOLDER_HEIGHT, k, k, -camera.baseline));
  write_text("SN12345678.conf",
      g_strdup_printf("[LEFT_CAM_HD]\n%s[RIGHT_CAM_HD]\n%s[STEREO]\nBaseline=%g\n", lens, lens,
          1000 * camera.baseline));
  write_text("calib.txt",
      g_strdup_printf("P0: %g 0 %g 0 0 %g %g 0 0 0 1 0\nP1: %g 0 %g %g 0 %g %g 0 0 0 1 0\n",
          camera.focal, camera.cx, camera.focal, camera.cy, camera.focal, camera.cx,
          -camera.focal * camera.baseline, camera.focal, camera.cy));
  write_text("camera.json",
      g_strdup_printf("{\"intrinsic\": {\"fx\": %g, \"fy\": %g, \"u0\": %g, \"v0\": %g, "
                      "\"width\": %d, \"height\": %d},\n"
                      " \"extrinsic\": {\"baseline\": %g, \"z\": 1.65, \"pitch\": 0}}\n",
          camera.focal, camera.focal, camera.cx, camera.cy, FOLDER_WIDTH, FOLDER_HEIGHT,
          camera.baseline));
  g_free(lens);
  g_free(k);
}

gchar *folder_enter(void)
{
  gchar *folder = g_dir_make_tmp("stx-cameras-XXXXXX", NULL);

  ck_assert(folder != NULL && g_chdir(folder) == 0);
  write_calibrations();
  return folder;
}

void folder_leave(gchar *folder)
{
  GDir *files = g_dir_open(folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name(files)) != NULL)
    g_unlink(name);
  g_dir_close(files);
  g_rmdir(folder);
  g_free(folder);
}
