/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval paper: the command line. */
#include "examples/stx-eval/stx_eval_paper.h"

#include "examples/shared/options.h"

/* Seeds of the streets: 1 to --seeds for the study, as many after them for all other tables. */
typedef struct {
  PaperHow how;
  char *tables, *size, *csv;
  gboolean json, markdown;
  int seeds, width, height;
  bool comparison, growth, study;
} Options;

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"tables", 0, 0, G_OPTION_ARG_STRING, &o->tables,
          "all (default), comparison, growth or study", "T"},
      {"seeds", 0, 0, G_OPTION_ARG_INT, &o->seeds,
          "streets 1 to N for the study, N + 1 to 2 N for the rest (4)", "N"},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size,
          "of the streets (1242x375, and one of 2048x1024)", "WxH"},
      {"repeat", 0, 0, G_OPTION_ARG_INT, &o->how.repeat, "runs; the fastest counts (1)", "N"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->how.threads, "0: all cores (1)", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown, "print tables for a page", NULL},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv, "write stixels-*.csv there", "DIR"},
      {NULL},
  };
  GOptionContext *context =
      g_option_context_new("[NAME=FOLDER…] - compares stixel models as their paper does");
  g_option_context_set_summary(context,
      "D. Hernandez-Juarez et al., \"3D Perception with Slanted Stixels on GPU\", 2021: its "
      "model,\n"
      "the one it replaces, and segments of rdp, on synthetic streets and on FOLDERs in KITTI's\n"
      "stereo layout, which the tables call NAME.");
  g_option_context_add_main_entries(context, entries, NULL);
  return context;
}

static bool apply(Options *o, StxError *error)
{
  static const char *const tables[] = {"all", "comparison", "growth", "study", NULL};
  int chosen = options_choose("tables", o->tables != NULL ? o->tables : "all", tables, error);
  if (chosen < 0)
    return false;
  if (o->seeds < 1 || o->seeds > 1000)
    return stx_fail(error, "--seeds=%d: must be 1 to 1000", o->seeds);
  if (o->how.repeat < 1)
    return stx_fail(error, "--repeat=%d: must be at least 1", o->how.repeat);
  if (!options_check_threads(o->how.threads, error))
    return false;
  if (o->json && o->markdown)
    return stx_fail(error, "--json or --markdown, not both");
  o->comparison = chosen == 0 || chosen == 1;
  o->growth = chosen == 0 || chosen == 2;
  o->study = chosen == 0 || chosen == 3;
  return o->size == NULL || options_size("size", o->size, false, &o->width, &o->height, error);
}

/* ---- Measuring ------------------------------------------------------------------------------ */

/* Folders first: the first data set shows the growth. */
static bool open_data(
    const Options *o, int folders, char **folder, bool study, PaperDataList *list, StxError *error)
{
  for (int i = 0; i < folders; i++)
    if (!paper_add_folder(list, folder[i], error))
      return false;
  uint64_t seed = 1 + (study ? 0 : (uint64_t)o->seeds);
  return paper_add_streets(list, o->width, o->height, seed, (size_t)o->seeds, study, error);
}

static json_t *list_of(const json_t *root, const char *name)
{
  return json_object_get(root, name);
}

static bool measure(const Options *o, int folders, char **folder, json_t *root, StxError *error)
{
  PaperDataList tried = {.count = 0}, kept = {.count = 0};
  bool good = true;
  if (o->comparison || o->growth)
    good = open_data(o, folders, folder, false, &kept, error);
  if (good && o->comparison && o->size == NULL)
    good = paper_add_large_street(&kept, 1 + (uint64_t)o->seeds, error);
  if (good && o->study)
    good = open_data(o, folders, folder, true, &tried, error);
  if (good && o->comparison)
    good =
        paper_compare(&o->how, &kept, list_of(root, "comparison"), list_of(root, "frames"), error);
  if (good && o->growth)
    good = paper_growth(&o->how, &kept, list_of(root, "growth"), list_of(root, "exponents"), error);
  if (good && o->study)
    good = paper_study(&o->how, &tried, list_of(root, "study"), error);
  paper_close(&tried);
  paper_close(&kept);
  return good;
}

static json_t *new_root(const Options *o)
{
  return json_pack("{s:{s:i, s:i, s:i, s:i, s:i}, s:[], s:[], s:[], s:[], s:[]}", "settings",
      "width", o->width, "height", o->height, "seeds", o->seeds, "repeat", o->how.repeat, "threads",
      o->how.threads, "comparison", "frames", "growth", "exponents", "study");
}

static bool run(const Options *o, int folders, char **folder, StxError *error)
{
  json_t *root = new_root(o);
  bool good = measure(o, folders, folder, root, error);
  if (good && o->json) {
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
  } else if (good)
    paper_print(stdout, root, o->markdown);
  if (good && o->csv != NULL)
    good = paper_write_csv(o->csv, root, error);
  json_decref(root);
  return good;
}

bool eval_paper(int argc, char **argv, StxError *error)
{
  Options o = {.how = {.repeat = 1, .threads = 1}, .seeds = 4, .width = 1242, .height = 375};
  bool good = options_parse(make_context(&o), &argc, &argv, error) && apply(&o, error) &&
              run(&o, argc - 1, argv + 1, error);
  g_free(o.tables);
  g_free(o.size);
  g_free(o.csv);
  return good;
}
