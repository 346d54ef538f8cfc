/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper: frames that are loaded once, however many settings are tried on them. */
#include "examples/stx-eval/stx_eval_paper.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of street, and where the road comes from on them. */
typedef struct {
  const char *name;
  StxSceneTerrain terrain;
  StxRoadMode ground;
  bool studied;
} Scene;

static const Scene scenes[] = {
    {"street", STX_SCENE_GENTLE, STX_ROAD_AUTO, true},
    {"flat street", STX_SCENE_FLAT, STX_ROAD_AUTO, false},
    {"sloped street", STX_SCENE_SLOPED, STX_ROAD_AUTO, false},
    {"hilly street", STX_SCENE_HILLY, STX_ROAD_AUTO, false},
    {"hilly street (piecewise)", STX_SCENE_HILLY, STX_ROAD_PIECEWISE, false},
};

#define SCENES (sizeof scenes / sizeof scenes[0])

typedef struct {
  EvalFrame *frames;
  size_t count;
} Kept;

/* ---- Frames in memory ----------------------------------------------------------------------- */

static void *copy_of(const void *data, size_t size)
{
  return data == NULL ? NULL : memcpy(g_malloc(size), data, size);
}

static void copy8(StxImage8 *image)
{
  image->data = copy_of(image->data, (size_t)image->stride * (size_t)image->height);
}

/* Scoring draws into a frame, so everybody gets their own. */
static bool load_kept(DataSet *set, size_t index, EvalFrame *frame, StxError *error)
{
  const Kept *kept = set->data;
  (void)error;
  *frame = kept->frames[index];
  copy8(&frame->left);
  copy8(&frame->right);
  copy8(&frame->labels);
  frame->points = copy_of(frame->points, frame->point_count * sizeof *frame->points);
  for (int t = 0; t < TRUTH_COUNT; t++) {
    StxImage16 *truth = &frame->truth[t];
    truth->data = copy_of(truth->data, (size_t)truth->stride * (size_t)truth->height);
  }
  return true;
}

static void close_kept(DataSet *set)
{
  Kept *kept = set->data;
  for (size_t i = 0; i < kept->count; i++)
    eval_frame_free(&kept->frames[i]);
  g_free(kept->frames);
  g_free(kept);
}

/* Moves all frames of `source` to the end of what is kept, and closes it. */
static bool keep(Kept *kept, DataSet *source, StxError *error)
{
  bool good = true;
  kept->frames = g_renew(EvalFrame, kept->frames, kept->count + source->count);
  for (size_t i = 0; good && i < source->count; i++) {
    good = source->load(source, i, &kept->frames[kept->count], error);
    kept->count += good;
  }
  source->close(source);
  return good;
}

/* The next data set of the list, still without frames. */
static DataSet *begin(PaperDataList *list, const char *name, StxError *error)
{
  if (list->count == PAPER_DATA) {
    stx_fail(error, "%s: more than %d data sets", name, PAPER_DATA);
    return NULL;
  }
  PaperData *data = &list->data[list->count++];
  g_strlcpy(data->name, name, sizeof data->name);
  data->set = (DataSet){.load = load_kept, .close = close_kept, .data = g_new0(Kept, 1)};
  g_strlcpy(data->set.name, name, sizeof data->set.name);
  return &data->set;
}

static void end(DataSet *set)
{
  const Kept *kept = set->data;
  set->count = kept->count;
  set->has_labels = kept->count > 0;
  for (size_t i = 0; i < kept->count; i++)
    set->has_labels &= kept->frames[i].labels.data != NULL;
}

/* ---- Sources -------------------------------------------------------------------------------- */

bool paper_add_folder(PaperDataList *list, const char *text, StxError *error)
{
  const char *folder = strchr(text, '=');
  DataSet source;
  if (folder == NULL || folder == text || folder[1] == '\0')
    return stx_fail(error, "what is '%s'? Give NAME=FOLDER (see --help)", text);
  if (!eval_open_kitti(&source, folder + 1, NULL, error))
    return false;
  char *name = g_strndup(text, (size_t)(folder - text));
  DataSet *set = begin(list, name, error);
  bool good = set != NULL;
  if (good)
    good = keep(set->data, &source, error);
  else
    source.close(&source);
  if (good)
    end(set);
  g_free(name);
  return good;
}

static bool add_scene(PaperDataList *list, const char *name, const Scene *scene, int width,
    int height, uint64_t seed, size_t count, StxError *error)
{
  StxSceneParams street = {.width = width, .height = height, .terrain = scene->terrain};
  DataSet *set = begin(list, name, error);
  if (set == NULL)
    return false;
  Kept *kept = set->data;
  list->data[list->count - 1].ground = scene->ground;
  for (street.seed = seed; street.seed < seed + count; street.seed++) {
    DataSet source;
    if (!eval_open_street(&source, &street, 1, false, error) || !keep(kept, &source, error))
      return false;
    g_snprintf(
        kept->frames[kept->count - 1].name, sizeof kept->frames->name, "seed %d", (int)street.seed);
  }
  end(set);
  return true;
}

bool paper_add_streets(PaperDataList *list, int width, int height, uint64_t seed, size_t count,
    bool study, StxError *error)
{
  bool good = true;
  for (const Scene *scene = scenes; good && scene < scenes + SCENES; scene++)
    if (scene->studied || !study)
      good = add_scene(list, scene->name, scene, width, height, seed, count, error);
  return good;
}

bool paper_add_large_street(PaperDataList *list, uint64_t seed, StxError *error)
{
  bool good = add_scene(list, "street, 2048×1024", &scenes[0], 2048, 1024, seed, 1, error);
  if (good)
    list->data[list->count - 1].max_disparity = 256;
  return good;
}

void paper_close(PaperDataList *list)
{
  for (size_t i = 0; i < list->count; i++)
    list->data[i].set.close(&list->data[i].set);
  list->count = 0;
}
