/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/tools/programs.h"

#include <png.h>

#include <glib/gstdio.h>
#include <string.h>

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

static void save_png(
    const char *path, int format, const void *data, ptrdiff_t stride, int width, int height)
{
  png_image png = {.version = PNG_IMAGE_VERSION,
      .format = (png_uint_32)format,
      .width = (png_uint_32)width,
      .height = (png_uint_32)height};
  ck_assert_msg(png_image_write_to_file(&png, path, 0, data, (int)stride, NULL), "%s", png.message);
}

void save_png8(const char *path, const StxImage8 *image)
{
  save_png(path, PNG_FORMAT_GRAY, image->data, image->stride, image->width, image->height);
}

void save_png16(const char *path, const StxImage16 *image)
{
  save_png(path, PNG_FORMAT_LINEAR_Y, image->data, image->stride / 2, image->width, image->height);
}
