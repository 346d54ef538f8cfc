/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folders of KITTI's stereo benchmarks:
 *
 *   2015  image_2 image_3 disp_noc_0 disp_occ_0 semantic calib   (colour, Cityscapes label ids)
 *   2012  image_0 image_1 disp_noc disp_occ calib                (gray)
 *
 * A frame is a file of one name in all of them; the part of the name before '_' is its
 * calibration's. Disparities are 16-bit PNG, value / 256 pixels, 0 unknown.
 */
#include "examples/stx-eval/stx_eval.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "examples/shared/png_io.h"

typedef struct {
  char *left, *right, *labels, *calib; /* folders; NULL: none */
  char *truth[TRUTH_COUNT];
  char *calibration; /* one file for all frames, or NULL */
  int pair;          /* which cameras of a calibration file: 0 gray, 2 colour */
  GPtrArray *names;
} Kitti;

/* The first of the folders `names` (NULL-terminated) in root, or NULL. */
static char *find_folder(const char *root, const char *const *names)
{
  for (; *names != NULL; names++) {
    char *path = g_build_filename(root, *names, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      return path;
    g_free(path);
  }
  return NULL;
}

static bool find_pictures(Kitti *kitti, const char *root, StxError *error)
{
  static const char *const pairs[][2] = {{"image_2", "image_3"}, {"image_0", "image_1"}};
  for (int i = 0; i < 2 && kitti->right == NULL; i++) {
    g_clear_pointer(&kitti->left, g_free);
    kitti->left = find_folder(root, (const char *[]){pairs[i][0], NULL});
    kitti->right = find_folder(root, (const char *[]){pairs[i][1], NULL});
    kitti->pair = i == 0 ? 2 : 0;
  }
  return (kitti->left != NULL && kitti->right != NULL) ||
         stx_fail(error,
             "%s: no stereo pictures: looked for the folders image_2 and image_3 (KITTI 2015) or "
             "image_0 and image_1 (KITTI 2012)",
             root);
}

static bool find_truth(Kitti *kitti, const char *root, StxError *error)
{
  kitti->truth[TRUTH_NOC] = find_folder(root, (const char *[]){"disp_noc_0", "disp_noc", NULL});
  kitti->truth[TRUTH_ALL] = find_folder(root, (const char *[]){"disp_occ_0", "disp_occ", NULL});
  kitti->labels = find_folder(root, (const char *[]){"semantic", NULL});
  kitti->calib = find_folder(root, (const char *[]){"calib", NULL});
  return kitti->truth[TRUTH_NOC] != NULL || kitti->truth[TRUTH_ALL] != NULL ||
         kitti->labels != NULL ||
         stx_fail(error,
             "%s: no truth: looked for the folders disp_noc_0, disp_noc, disp_occ_0, disp_occ and "
             "semantic",
             root);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_file(const char *folder, const char *name)
{
  char *path = g_build_filename(folder, name, NULL);
  bool found = g_file_test(path, G_FILE_TEST_IS_REGULAR);
  g_free(path);
  return found;
}

/* The names of the frames: what has a truth and both pictures. */
static bool find_frames(Kitti *kitti, StxError *error)
{
  const char *folder = kitti->truth[TRUTH_NOC]   ? kitti->truth[TRUTH_NOC]
                       : kitti->truth[TRUTH_ALL] ? kitti->truth[TRUTH_ALL]
                                                 : kitti->labels;
  GDir *dir = g_dir_open(folder, 0, NULL);
  if (dir == NULL)
    return stx_fail(error, "%s: cannot be read", folder);
  const char *name;
  while ((name = g_dir_read_name(dir)) != NULL)
    if (g_str_has_suffix(name, ".png") && has_file(kitti->left, name) &&
        has_file(kitti->right, name))
      g_ptr_array_add(kitti->names, g_strdup(name));
  g_dir_close(dir);
  g_ptr_array_sort(kitti->names, compare_names);
  return kitti->names->len > 0 ||
         stx_fail(error, "%s: no frames: no .png here has pictures of its name in %s and %s",
             folder, kitti->left, kitti->right);
}

static void kitti_close(DataSet *set)
{
  Kitti *kitti = set->data;
  char **strings[] = {&kitti->left, &kitti->right, &kitti->labels, &kitti->calib,
      &kitti->truth[TRUTH_NOC], &kitti->truth[TRUTH_ALL], &kitti->calibration};
  for (size_t i = 0; i < G_N_ELEMENTS(strings); i++)
    g_free(*strings[i]);
  g_ptr_array_unref(kitti->names);
  g_free(kitti);
}

/* ---- Loading ------------------------------------------------------------------------------ */

static bool load8(bool (*load)(const char *, StxImage8 *, StxError *), const char *folder,
    const char *name, StxImage8 *image, StxError *error)
{
  char *path = g_build_filename(folder, name, NULL);
  bool good = load(path, image, error);
  g_free(path);
  return good;
}

/* A file that the data set has not for this frame is no error. */
static bool load_truth(const char *folder, const char *name, StxImage16 *image, StxError *error)
{
  if (folder == NULL || !has_file(folder, name))
    return true;
  char *path = g_build_filename(folder, name, NULL);
  bool good = png_load_gray16(path, image, error);
  g_free(path);
  return good;
}

static bool load_labels(const Kitti *kitti, const char *name, StxImage8 *labels, StxError *error)
{
  if (kitti->labels == NULL || !has_file(kitti->labels, name))
    return true;
  if (!load8(png_load_ids8, kitti->labels, name, labels, error))
    return false;
  uint8_t map[256];
  stx_labels_from_cityscapes(map);
  for (int y = 0; y < labels->height; y++)
    for (int x = 0; x < labels->width; x++)
      stx_row8(labels, y)[x] = map[stx_row8(labels, y)[x]];
  return true;
}

static bool load_camera(const Kitti *kitti, const char *name, StxCamera *camera, StxError *error)
{
  if (kitti->calibration != NULL)
    return stx_camera_load(kitti->calibration, kitti->pair, camera, error);
  if (kitti->calib == NULL)
    return true;
  char *file = g_strdup_printf("%.*s.txt", (int)strcspn(name, "_."), name);
  char *path = g_build_filename(kitti->calib, file, NULL);
  bool good = stx_camera_load(path, kitti->pair, camera, error);
  g_free(path);
  g_free(file);
  return good;
}

static bool same_size(const StxImage8 *left, int width, int height, const char *what,
    const char *name, StxError *error)
{
  return (width == left->width && height == left->height) ||
         stx_fail(error, "%s: the left picture has %d × %d pixels, the %s %d × %d", name,
             left->width, left->height, what, width, height);
}

static bool check_sizes(const EvalFrame *f, StxError *error)
{
  const StxImage8 *left = &f->left;
  if (!same_size(left, f->right.width, f->right.height, "right one", f->name, error))
    return false;
  if (f->labels.data != NULL &&
      !same_size(left, f->labels.width, f->labels.height, "label image", f->name, error))
    return false;
  for (int t = 0; t < TRUTH_COUNT; t++)
    if (f->truth[t].data != NULL &&
        !same_size(left, f->truth[t].width, f->truth[t].height, "true disparity", f->name, error))
      return false;
  return true;
}

/* Calibrations of pictures of another size are scaled, and say so. */
static bool fit_camera(EvalFrame *f, StxError *error)
{
  StxError note;
  if (!stx_camera_fit(&f->camera, f->left.width, f->left.height, &note))
    return stx_fail(error, "%s: %.200s", f->name, note.text);
  if (note.text[0] != '\0')
    g_printerr("%s: %s\n", f->name, note.text);
  return true;
}

static bool kitti_load(DataSet *set, size_t index, EvalFrame *frame, StxError *error)
{
  const Kitti *kitti = set->data;
  const char *name = g_ptr_array_index(kitti->names, index);
  *frame = (EvalFrame){0};
  snprintf(frame->name, sizeof frame->name, "%.*s", (int)strcspn(name, "."), name);
  bool good = load8(png_load_gray8, kitti->left, name, &frame->left, error) &&
              load8(png_load_gray8, kitti->right, name, &frame->right, error) &&
              load_labels(kitti, name, &frame->labels, error) &&
              load_camera(kitti, name, &frame->camera, error);
  for (int t = 0; good && t < TRUTH_COUNT; t++)
    good = load_truth(kitti->truth[t], name, &frame->truth[t], error);
  good = good && check_sizes(frame, error) && fit_camera(frame, error);
  if (!good)
    eval_frame_free(frame);
  return good;
}

bool eval_open_kitti(DataSet *set, const char *folder, const char *calibration, StxError *error)
{
  if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
    return stx_fail(error, "%s: no such folder", folder);
  Kitti *kitti = g_new0(Kitti, 1);
  kitti->names = g_ptr_array_new_with_free_func(g_free);
  kitti->calibration = g_strdup(calibration);
  *set = (DataSet){.load = kitti_load, .close = kitti_close, .data = kitti};
  g_strlcpy(set->name, folder, sizeof set->name);

  char *training = find_folder(folder, (const char *[]){"training", NULL});
  const char *root = training != NULL ? training : folder;
  bool good = find_pictures(kitti, root, error) && find_truth(kitti, root, error) &&
              find_frames(kitti, error);
  g_free(training);
  set->count = kitti->names->len;
  set->has_labels = kitti->labels != NULL;
  if (!good)
    kitti_close(set);
  return good;
}
