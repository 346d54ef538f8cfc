/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/tools/programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/labels.h"
#include "common/scene/scene.h"
#include "examples/shared/png_io.h"

int run_program(const char *variable, const char *arguments, char **output, char **errors)
{
  const char *program = g_getenv(variable);
  ck_assert_msg(program != NULL, "%s is not set: run through meson test", variable);
  char *command = g_strdup_printf("%s %s", program, arguments);
  int status = -1;
  GError *error = NULL;
  ck_assert_msg(g_spawn_command_line_sync(command, output, errors, &status, &error), "%s: %s",
      command, error ? error->message : "");
  g_free(command);
  return status;
}

json_t *run_json(const char *variable, const char *arguments)
{
  char *output, *errors;
  int status = run_program(variable, arguments, &output, &errors);
  ck_assert_msg(status == 0, "%s: status %d: %s", arguments, status, errors);
  json_error_t error;
  json_t *root = json_loads(output, 0, &error);
  ck_assert_msg(root != NULL, "%s: %s", arguments, error.text);
  g_free(output);
  g_free(errors);
  return root;
}

void expect_error(const char *variable, const char *arguments, const char *words)
{
  char *output, *errors;
  int status = run_program(variable, arguments, &output, &errors);
  ck_assert_msg(status != 0, "%s: accepted", arguments);
  ck_assert_msg(
      strstr(errors, words) != NULL, "%s: '%s' does not say '%s'", arguments, errors, words);
  g_free(output);
  g_free(errors);
}

static void append_default(GString *text, const StxFields *table, const StxField *field)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], spelled[STX_SPELLING_SIZE];
  if (field->type == STX_FIELD_SPELLED) {
    field->spelling->write(table->defaults, spelled);
    g_string_append_printf(text, "'%s'", spelled);
    return;
  }
  double value = stx_field_get(field, table->defaults);
  if (field->type == STX_FIELD_CHOICE)
    g_string_append(text, stx_field_choice(field->choices, (int)value)->nick);
  else
    g_string_append(text, g_ascii_dtostr(number, sizeof number, value));
}

char *options_of(const StxFields *table)
{
  GString *text = g_string_new("");
  for (size_t i = 0; i < table->count; i++) {
    const StxField *field = &table->fields[i];
    if (field->name == NULL || field->type == STX_FIELD_BOOL)
      continue;
    g_string_append_printf(text, " --%s ", field->name);
    append_default(text, table, field);
  }
  return g_string_free(text, FALSE);
}

double number_at(json_t *root, const char *path)
{
  char **keys = g_strsplit(path, ".", -1);
  json_t *node = root;
  for (char **key = keys; *key != NULL; key++)
    node = json_object_get(node, *key);
  ck_assert_msg(json_is_number(node), "no number at %s", path);
  g_strfreev(keys);
  return json_number_value(node);
}

char *path_in(const char *folder, const char *sub, const char *name)
{
  char *parent = g_build_filename(folder, sub, NULL);
  ck_assert_int_eq(g_mkdir_with_parents(parent, 0700), 0);
  char *path = g_build_filename(parent, name, NULL);
  g_free(parent);
  return path;
}

void remove_folder(char *folder)
{
  char *command = g_strdup_printf("rm -r '%s'", folder);
  ck_assert(g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL));
  g_free(command);
  g_free(folder);
}

/* ---- A folder like KITTI's, made from the street ------------------------------------------- */

static void write_calibration(const char *folder, const StxCamera *camera)
{
  char *path = g_build_filename(folder, "calib", "000000.txt", NULL);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (int k = 0; k < 4; k++)
    fprintf(file, "P%d: %.17g 0 %.17g %.17g 0 %.17g %.17g 0 0 0 1 0\n", k, camera->focal,
        camera->cx, k % 2 ? -camera->baseline * camera->focal : 0.0, camera->focal, camera->cy);
  fclose(file);
  g_free(path);
}

static void save8(const char *folder, const char *sub, const StxImage8 *image)
{
  char *path = g_build_filename(folder, sub, "000000_10.png", NULL);
  StxError error;
  ck_assert_msg(png_save_gray8(path, image, &error), "%s", error.text);
  g_free(path);
}

static void save16(const char *folder, const char *sub, const StxImage16 *image)
{
  char *path = g_build_filename(folder, sub, "000000_10.png", NULL);
  StxError error;
  ck_assert_msg(png_save_gray16(path, image, &error), "%s", error.text);
  g_free(path);
}

/* Train ids back to label ids. */
static void to_label_ids(const StxImage8 *labels)
{
  uint8_t map[256], back[256] = {0};
  stx_labels_from_cityscapes(map);
  for (int id = 0; id < 256; id++)
    if (map[id] != STX_LABEL_NONE)
      back[map[id]] = (uint8_t)id;
  for (int y = 0; y < labels->height; y++)
    for (int x = 0; x < labels->width; x++)
      stx_row8(labels, y)[x] = back[stx_row8(labels, y)[x]];
}

char *make_street_folder(int width, int height)
{
  static const char *const subs[] = {"image_0", "image_1", "disp_occ", "semantic", "calib"};
  StxSceneParams params = {.seed = 1, .width = width, .height = height, .speed = 10, .noise = 2};
  StxScene *scene = stx_scene_new(&params, NULL);
  StxImage8 left = stx_test_image8(width, height, 0), right = stx_test_image8(width, height, 0),
            labels = stx_test_image8(width, height, 0);
  StxImage16 disparity = stx_test_image16(width, height, 0);
  char *folder = g_dir_make_tmp("stx-XXXXXX", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(subs); i++) {
    char *path = g_build_filename(folder, "training", subs[i], NULL);
    ck_assert_int_eq(g_mkdir_with_parents(path, 0700), 0);
    g_free(path);
  }
  stx_scene_move(scene, 0);
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &left);
  stx_scene_render(scene, STX_SCENE_RIGHT, 1, &right);
  stx_scene_truth(scene, &disparity, &labels);
  to_label_ids(&labels);
  char *training = g_build_filename(folder, "training", NULL);
  save8(training, "image_0", &left);
  save8(training, "image_1", &right);
  save8(training, "semantic", &labels);
  save16(training, "disp_occ", &disparity);
  write_calibration(training, &stx_scene_params(scene)->camera);
  g_free(training);
  stx_test_image8_free(&left);
  stx_test_image8_free(&right);
  stx_test_image8_free(&labels);
  stx_test_image16_free(&disparity);
  stx_scene_free(scene);
  return folder;
}
