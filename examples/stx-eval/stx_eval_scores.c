/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Class scores of a network, from files. */
#include "examples/stx-eval/stx_eval.h"

#include <glib.h>
#include <string.h>

#include "examples/shared/options.h"

#define CLASSES STX_LABEL_CLASSES

static size_t score_bytes(const EvalFrame *frame, int shift)
{
  return sizeof(float) * CLASSES * (size_t)stx_score_side(frame->left.width, shift) *
         (size_t)stx_score_side(frame->left.height, shift);
}

static bool load_file(const char *path, EvalFrame *frame, StxError *error)
{
  gsize bytes;
  if (!g_file_get_contents(path, (char **)&frame->scores, &bytes, NULL))
    return stx_fail(error, "%s: cannot be read", path);
  for (int shift = 0; shift <= STX_SCORE_SHIFT_MAX; shift++)
    if (bytes == score_bytes(frame, shift)) {
      frame->score_shift = shift;
      return true;
    }
  return stx_fail(error,
      "%s has %zu bytes; for %s it must be %d images of float32, of %d×%d or 1/2, 1/4 or 1/8 of it",
      path, bytes, frame->name, CLASSES, frame->left.width, frame->left.height);
}

bool eval_load_scores(const char *folder, size_t index, EvalFrame *frame, StxError *error)
{
  GPtrArray *names = list_files(folder, "");
  if (names == NULL)
    return stx_fail(error, "--scores=%s: no such folder", folder);
  bool good = index < names->len || stx_fail(error, "--scores=%s: %u files, but %s is number %zu",
                                        folder, names->len, frame->name, index + 1);
  if (good) {
    char *path = g_build_filename(folder, g_ptr_array_index(names, index), NULL);
    good = load_file(path, frame, error);
    g_free(path);
  }
  g_ptr_array_unref(names);
  return good;
}

void eval_set_scores(const EvalFrame *frame, StxPipelineInput *input)
{
  input->scores = frame->scores;
  input->score_shift = frame->score_shift;
  input->pixel_stride = sizeof(float);
  input->row_stride = input->pixel_stride * stx_score_side(frame->left.width, frame->score_shift);
  input->class_stride = input->row_stride * stx_score_side(frame->left.height, frame->score_shift);
}
