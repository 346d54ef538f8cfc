/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/folder.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

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
  g_autofree gchar *k = g_strdup_printf(
      "[%g, 0, %g, 0, %g, %g, 0, 0, 1]", camera.focal, camera.cx, camera.focal, camera.cy);
  gchar *opencv;
  g_autofree gchar *lens = g_strdup_printf(
      "fx=%g\nfy=%g\ncx=%g\ncy=%g\nk1=0\nk2=0\n", camera.focal, camera.focal, camera.cx, camera.cy);

  opencv = g_strdup_printf("%%YAML:1.0\n---\nimage_width: %d\nimage_height: %d\nK1: %s\n"
                           "D1: [0, 0, 0, 0, 0]\nK2: %s\nD2: [0, 0, 0, 0, 0]\n"
                           "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [%g, 0, 0]\n",
      FOLDER_WIDTH, FOLDER_HEIGHT, k, k, -camera.baseline);
  write_text("stereo.yml", g_strdup(opencv));
  write_text("camera.yml", opencv);
  write_text("SN12345678.conf",
      g_strdup_printf("[LEFT_CAM_HD]\n%s[RIGHT_CAM_HD]\n%s[STEREO]\nBaseline=%g\n"
                      "RX_HD=0\nCV_HD=0\nRZ_HD=0\n",
          lens, lens, 1000 * camera.baseline));
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
}

/* ---- Pictures ------------------------------------------------------------------------------ */

#define PICTURES_OF_A_SEQUENCE 12

static GstBuffer *new_picture(gboolean right, guint number)
{
  g_autofree guint8 *luma = picture_new(FOLDER_WIDTH, FOLDER_HEIGHT, right, number);
  gsize pixels = FOLDER_WIDTH * FOLDER_HEIGHT;
  guint8 *rgb = g_malloc(3 * pixels);

  for (gsize i = 0; i < 3 * pixels; i++)
    rgb[i] = luma[i / 3];
  return gst_buffer_new_wrapped(rgb, 3 * pixels);
}

/* Right are those with a name that says so, and KITTI's. */
static gboolean is_right(const char *name)
{
  return strstr(name, "right") != NULL || strstr(name, "image_3") != NULL;
}

static void write_sequence(const char *pattern, guint first)
{
  g_autoptr(Harness) encoder = gst_harness_new_parse("pngenc compression-level=1");
  g_autofree gchar *folder = g_path_get_dirname(pattern);

  g_mkdir_with_parents(folder, 0700);
  gst_harness_set_src_caps_str(encoder, "video/x-raw,format=RGB,framerate=10/1,width=" G_STRINGIFY(
                                            FOLDER_WIDTH) ",height=" G_STRINGIFY(FOLDER_HEIGHT));
  for (guint i = 0; i < PICTURES_OF_A_SEQUENCE; i++) {
    g_autoptr(GstBuffer) picture =
        gst_harness_push_and_pull(encoder, new_picture(is_right(pattern), i));
    g_autofree gchar *name = g_strdup_printf(pattern, first + i);
    GstMapInfo map;

    gst_buffer_map(picture, &map, GST_MAP_READ);
    ck_assert(g_file_set_contents(name, (const gchar *)map.data, (gssize)map.size, NULL));
    gst_buffer_unmap(picture, &map);
  }
}

static void write_video(const char *name)
{
  const char *view = is_right(name) ? "right" : "left";
  g_autofree gchar *pattern = g_strdup_printf("%s-%%d.png", view);
  g_autofree gchar *line =
      g_strdup_printf("multifilesrc location=%s caps=image/png,framerate=10/1 ! pngdec ! "
                      "videoconvert ! video/x-raw,format=I420 ! x264enc bitrate=16000 "
                      "speed-preset=ultrafast ! mp4mux ! filesink location=%s",
          pattern, name);

  write_sequence(pattern, 0);
  stx_test_runs(line);
}

void folder_fill(gchar **words)
{
  for (; *words != NULL; words++) {
    const char *name = strchr(*words, '=');
    guint first = 0;

    if (!g_str_has_prefix(*words, "location=") || g_file_test(name + 1, G_FILE_TEST_EXISTS))
      continue;
    if (words[1] != NULL && g_str_has_prefix(words[1], "start-index="))
      first = (guint)strtoul(strchr(words[1], '=') + 1, NULL, 10);
    if (g_str_has_suffix(name, ".png"))
      write_sequence(name + 1, first);
    else if (g_str_has_suffix(name, ".mp4"))
      write_video(name + 1);
  }
}

/* ---- The folder ---------------------------------------------------------------------------- */

gchar *folder_enter(void)
{
  gchar *folder = g_dir_make_tmp("stx-cameras-XXXXXX", NULL);

  ck_assert(folder != NULL && g_chdir(folder) == 0);
  write_calibrations();
  return folder;
}

static void remove_all(const gchar *folder)
{
  GDir *files = g_dir_open(folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name(files)) != NULL) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);

    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      remove_all(path);
    else
      g_unlink(path);
  }
  g_dir_close(files);
  g_rmdir(folder);
}

void folder_leave(gchar *folder)
{
  remove_all(folder);
  g_free(folder);
}
