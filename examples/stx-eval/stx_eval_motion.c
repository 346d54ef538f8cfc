/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval motion: the camera's own motion beside the true one, by KITTI odometry's measure. */
#include <glib.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/egomotion/egomotion.h"
#include "common/sgm/sgm.h"
#include "examples/shared/clock.h"
#include "examples/shared/options.h"
#include "examples/shared/table.h"
#include "examples/stx-eval/stx_eval_sequence.h"

#define FRAMES_PER_SECOND 10
#define LENGTHS 15

typedef struct {
  StxSgmParams sgm;
  StxSceneParams street;
  char *sequence, *calibration, *size, *backend_name;
  StxBackend backend;
  gboolean json, log, perfect;
  gint64 seed;
  int seeds, first, frames, width, height, threads;
} Options;

/* Pieces of so many frames or, negative, metres. */
static const int lengths[LENGTHS] = {
    2, 5, 10, 20, 50, 100, 200, -100, -200, -300, -400, -500, -600, -700, -800};

typedef struct {
  uint64_t pieces;
  double shift, turn; /* sums: share of the length, degrees for each metre */
} LengthScore;

typedef struct {
  uint64_t frames, states[STX_MOTION_STILL + 1];
  double points, agree, ms;   /* sums over frames whose motion is known; ms over all */
  double off[2], expected[2]; /* sums of squares: rotation, radians, and translation, m; of errors
                                 and of the standard deviations that were given */
  double uneven[2]; /* sums of squares of second differences of translations: found, true */
  uint64_t even;    /* how many */
  LengthScore lengths[LENGTHS];
} Score;

/* ---- Motions --------------------------------------------------------------------------------- */

/* `later` after `first`. */
static StxMotion chain(const StxMotion *first, const StxMotion *later)
{
  StxMotion both = {.state = STX_MOTION_KNOWN};
  for (int i = 0; i < 3; i++) {
    both.translation[i] = later->translation[i];
    for (int k = 0; k < 3; k++) {
      both.translation[i] += later->rotation[3 * i + k] * first->translation[k];
      for (int j = 0; j < 3; j++)
        both.rotation[3 * i + j] += later->rotation[3 * i + k] * first->rotation[3 * k + j];
    }
  }
  return both;
}

static double length_of(const double v[3])
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void eval_motion_difference(
    const StxMotion *found, const StxMotion *truth, double turn[3], double shift[3])
{
  double r[9] = {0};
  for (int i = 0; i < 3; i++) {
    shift[i] = truth->translation[i];
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++)
        r[3 * i + j] += truth->rotation[3 * i + k] * found->rotation[3 * j + k];
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      shift[i] -= r[3 * i + k] * found->translation[k];
  turn[0] = (r[7] - r[5]) / 2;
  turn[1] = (r[2] - r[6]) / 2;
  turn[2] = (r[3] - r[1]) / 2;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Of a drive: what was found, and the truth, of each frame. */
typedef struct {
  StxMotion *found, *truth;
  size_t frames;
} Track;

static void add_piece(const Track *track, size_t first, int length, LengthScore *score)
{
  StxMotion found = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, truth = found;
  double metres = 0, turn[3], shift[3];
  size_t end = first + 1;
  for (; end < track->frames; end++) {
    if (track->found[end].state != STX_MOTION_KNOWN)
      return;
    found = chain(&found, &track->found[end]);
    truth = chain(&truth, &track->truth[end]);
    metres += length_of(track->truth[end].translation);
    if (length > 0 ? end - first + 1 == (size_t)length : metres >= -length)
      break;
  }
  if (end == track->frames || metres < .1)
    return;
  eval_motion_difference(&found, &truth, turn, shift);
  score->pieces++;
  score->shift += length_of(shift) / metres;
  score->turn += length_of(turn) * 180 / G_PI / metres;
}

static void add_frame(const StxMotion *found, const StxMotion *truth, Score *score)
{
  double turn[3], shift[3];
  score->frames++;
  score->states[found->state]++;
  if (found->state != STX_MOTION_KNOWN)
    return;
  score->points += found->points;
  score->agree += found->agree;
  eval_motion_difference(found, truth, turn, shift);
  for (int i = 0; i < 3; i++) {
    score->off[0] += turn[i] * turn[i];
    score->off[1] += shift[i] * shift[i];
    score->expected[0] += found->deviation[i] * found->deviation[i];
    score->expected[1] += found->deviation[3 + i] * found->deviation[3 + i];
  }
}

static double second_difference(const StxMotion *three)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double d = three[0].translation[i] - 2 * three[1].translation[i] + three[2].translation[i];
    sum += d * d;
  }
  return sum;
}

/* A car goes on evenly: what its steps differ by from frame to frame is mostly error. */
static void add_steps(const Track *track, Score *score)
{
  for (size_t i = 0, known = 0; i < track->frames; i++) {
    known = track->found[i].state == STX_MOTION_KNOWN ? known + 1 : 0;
    if (known < 3)
      continue;
    score->uneven[0] += second_difference(&track->found[i - 2]);
    score->uneven[1] += second_difference(&track->truth[i - 2]);
    score->even++;
  }
}

/* The standard deviation of independent errors of steps, with such second differences. */
static double unevenness(const Score *score, int which)
{
  return score->even > 0 ? sqrt(score->uneven[which] / (6 * (double)score->even)) : NAN;
}

static void add_track(const Track *track, Score *score)
{
  add_steps(track, score);
  for (size_t i = 0; i < track->frames; i++)
    add_frame(&track->found[i], &track->truth[i], score);
  for (int l = 0; l < LENGTHS; l++)
    for (size_t i = 0; i < track->frames; i++)
      add_piece(track, i, lengths[l], &score->lengths[l]);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A matcher, what it needs, and what it leads to. */
typedef struct {
  const Options *options;
  const StxSgmImpl *sgm;
  StxSgmParams params;
  StxImage16 disparity;
  void *scratch;
  StxEgomotion *state;
} Finder;

static bool open_finder(Finder *f, const Options *o, int width, int height, StxError *error)
{
  *f = (Finder){.options = o, .sgm = stx_impl_pick(&stx_sgm_impls, STX_BACKEND_AUTO)};
  f->params = o->sgm;
  f->params.width = width;
  f->params.height = height;
  f->state = stx_egomotion_new();
  if (!stx_sgm_check(&f->params, error))
    return false;
  size_t size = f->sgm->scratch_size(&f->params, o->threads);
  f->disparity =
      (StxImage16){g_new(uint16_t, (size_t)width * (size_t)height), 2 * width, width, height};
  f->scratch = aligned_alloc(STX_ALIGN, stx_align(size));
  return ((f->scratch != NULL && f->state != NULL) || stx_fail(error, "not enough memory")) &&
         stx_egomotion_prepare(f->state, o->backend, width, height, error);
}

static void close_finder(Finder *f)
{
  stx_egomotion_free(f->state);
  g_free(f->disparity.data);
  free(f->scratch);
}

static bool find(Finder *f, const EvalFrame *frame, uint64_t time, StxMotion *found, Score *score,
    StxError *error)
{
  const Options *o = f->options;
  const StxImage8 none = {NULL, 0, frame->left.width, frame->left.height};
  StxEgomotionResult result;
  StxEgomotionFrame input = {.left = frame->left,
      .disparity =
          o->perfect && frame->truth[TRUTH_NOC].data ? frame->truth[TRUTH_NOC] : f->disparity,
      .camera = frame->camera,
      .time = time,
      .threads = o->threads};
  if (!f->sgm->run(&f->params, &frame->left, &frame->right, &f->disparity, &none, f->scratch,
          &(StxPlace){.threads = o->threads}, error))
    return false;
  double begin = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  bool good = stx_egomotion_frame(f->state, &input, &result, error);
  score->ms += clock_ms(CLOCK_PROCESS_CPUTIME_ID) - begin;
  *found = result.motion;
  return good;
}

static void log_frame(const Options *o, const char *name, const Track *track, size_t i)
{
  static const char *const states[] = {"known", "first", "too few points", "no agreement", "still"};
  const StxMotion *found = &track->found[i];
  double turn[3] = {0}, shift[3] = {0};
  if (found->state == STX_MOTION_KNOWN)
    eval_motion_difference(found, &track->truth[i], turn, shift);
  if (o->log)
    fprintf(stderr,
        "frame %s: %s, %u of %u points agree, z %.3f m; off by %.1f %.1f %.1f mm, %.3f %.3f %.3f "
        "mrad; deviations %.1f %.1f %.1f mm %.3f %.3f %.3f mrad\n",
        name, states[found->state], found->agree, found->points, found->translation[2],
        1e3 * shift[0], 1e3 * shift[1], 1e3 * shift[2], 1e3 * turn[0], 1e3 * turn[1], 1e3 * turn[2],
        1e3 * found->deviation[3], 1e3 * found->deviation[4], 1e3 * found->deviation[5],
        1e3 * found->deviation[0], 1e3 * found->deviation[1], 1e3 * found->deviation[2]);
}

static Track new_track(size_t frames)
{
  return (Track){g_new0(StxMotion, frames), g_new0(StxMotion, frames), frames};
}

static void free_track(Track *track)
{
  g_free(track->found);
  g_free(track->truth);
}

static bool run_sequence(const Options *o, Score *score, StxError *error)
{
  EvalSequence sequence;
  Finder finder = {.options = NULL};
  if (!eval_sequence_open(&sequence, o->sequence, o->calibration, error))
    return false;
  const size_t all = sequence.names->len, first = (size_t)o->first < all ? (size_t)o->first : all;
  Track track = new_track(all);
  track.frames = o->frames > 0 && (size_t)o->frames < all - first ? (size_t)o->frames : all - first;
  bool good = true;
  for (size_t i = 0; good && i < track.frames; i++) {
    EvalFrame frame;
    good = eval_sequence_load(&sequence, first + i, &frame, error);
    if (!good)
      break;
    track.truth[i] = eval_sequence_motion(&sequence, first + i);
    if (finder.options == NULL)
      good = open_finder(&finder, o, frame.left.width, frame.left.height, error);
    good = good && find(&finder, &frame, (uint64_t)llround(sequence.times[first + i] * 1e9),
                       &track.found[i], score, error);
    log_frame(o, frame.name, &track, i);
    eval_frame_free(&frame);
  }
  if (good)
    add_track(&track, score);
  close_finder(&finder);
  free_track(&track);
  eval_sequence_close(&sequence);
  return good;
}

/* ---- The synthetic street -------------------------------------------------------------------- */

static bool run_street(const Options *o, uint64_t seed, Score *score, StxError *error)
{
  StxSceneParams params = o->street;
  DataSet set;
  Finder finder;
  params.seed = seed;
  params.width = o->width;
  params.height = o->height;
  params.fps_n = FRAMES_PER_SECOND;
  params.fps_d = 1;
  if (!eval_open_street(&set, &params, (size_t)o->frames, EVAL_FRAMES, error))
    return false;
  StxScene *scene = stx_scene_new(&params, error);
  Track track = new_track((size_t)o->frames);
  bool good = open_finder(&finder, o, o->width, o->height, error) && scene != NULL;
  for (size_t i = 0; good && i < track.frames; i++) {
    EvalFrame frame;
    good = set.load(&set, i, &frame, error);
    if (!good)
      break;
    stx_scene_move(scene, i);
    track.truth[i] = stx_scene_motion(scene);
    good = find(&finder, &frame, i * 1000000000 / FRAMES_PER_SECOND, &track.found[i], score, error);
    log_frame(o, frame.name, &track, i);
    eval_frame_free(&frame);
  }
  if (good)
    add_track(&track, score);
  stx_scene_free(scene);
  close_finder(&finder);
  free_track(&track);
  set.close(&set);
  return good;
}

/* ---- Report ---------------------------------------------------------------------------------- */

static json_t *lengths_json(const Score *score)
{
  json_t *list = json_array();
  for (int l = 0; l < LENGTHS; l++) {
    const LengthScore *s = &score->lengths[l];
    double n = (double)s->pieces;
    if (s->pieces > 0)
      json_array_append_new(
          list, json_pack("{s:i, s:I, s:f, s:f}", lengths[l] > 0 ? "frames" : "metres",
                    abs(lengths[l]), "pieces", (json_int_t)s->pieces, "translation", s->shift / n,
                    "degrees_per_metre", s->turn / n));
  }
  return list;
}

static json_t *score_json(const char *name, const Score *s)
{
  static const char *const states[] = {"known", "first", "too_few", "disagree", "still"};
  double known = (double)s->states[STX_MOTION_KNOWN];
  json_t *root = json_pack("{s:s, s:I}", "name", name, "frames", (json_int_t)s->frames);
  for (int i = 0; i <= STX_MOTION_STILL; i++)
    json_object_set_new(root, states[i], json_integer((json_int_t)s->states[i]));
  json_object_set_new(root, "points", table_json(s->points / known));
  json_object_set_new(root, "agree", table_json(s->agree / s->points));
  json_object_set_new(root, "turn_over_deviation", table_json(sqrt(s->off[0] / s->expected[0])));
  json_object_set_new(root, "shift_over_deviation", table_json(sqrt(s->off[1] / s->expected[1])));
  json_object_set_new(root, "uneven_found", table_json(unevenness(s, 0)));
  json_object_set_new(root, "uneven_true", table_json(unevenness(s, 1)));
  json_object_set_new(root, "ms", table_json(s->ms / (double)s->frames));
  json_object_set_new(root, "lengths", lengths_json(s));
  return root;
}

static void print(const char *name, const Score *s, bool json)
{
  json_t *root = score_json(name, s), *row;
  size_t i;
  if (json) {
    table_dump(stdout, root);
    return;
  }
  printf("%s: %d frames, %d with a motion, %.0f points each, of which %.1f %% agree; %.2f ms of "
         "CPU\n",
      name, (int)s->frames, (int)s->states[STX_MOTION_KNOWN],
      table_number(root, &(TableCell){"points", 1, 0, 0, NULL}),
      table_number(root, &(TableCell){"agree", 100, 0, 0, NULL}),
      table_number(root, &(TableCell){"ms", 1, 0, 0, NULL}));
  printf("errors of a frame over the standard deviations given: rotation %.2f, translation %.2f\n",
      table_number(root, &(TableCell){"turn_over_deviation", 1, 0, 0, NULL}),
      table_number(root, &(TableCell){"shift_over_deviation", 1, 0, 0, NULL}));
  printf("steps uneven by %.1f mm, the true ones by %.1f mm\n",
      table_number(root, &(TableCell){"uneven_found", 1e3, 0, 0, NULL}),
      table_number(root, &(TableCell){"uneven_true", 1e3, 0, 0, NULL}));
  printf("pieces of         number  translation %%   degrees/m\n");
  json_array_foreach(json_object_get(root, "lengths"), i, row)
  {
    bool metres = json_object_get(row, "metres") != NULL;
    printf("%6d %-9s %8d %14.3f %11.5f\n",
        (int)json_integer_value(json_object_get(row, metres ? "metres" : "frames")),
        metres ? "m" : "frames", (int)json_integer_value(json_object_get(row, "pieces")),
        100 * json_number_value(json_object_get(row, "translation")),
        json_number_value(json_object_get(row, "degrees_per_metre")));
  }
  json_decref(root);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"sequence", 0, 0, G_OPTION_ARG_FILENAME, &o->sequence,
          "a real street: pictures, calib.txt and poses.txt as in KITTI's odometry", "FOLDER"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration,
          "in place of the sequence's calib.txt", "FILE"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "of the first street (1)", "N"},
      {"seeds", 0, 0, G_OPTION_ARG_INT, &o->seeds, "so many streets (1)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames,
          "of each street, ten per second (20); of a sequence at most (all)", "N"},
      {"first", 0, 0, G_OPTION_ARG_INT, &o->first, "frame of a sequence to begin with (0)", "N"},
      {"perfect", 0, 0, G_OPTION_ARG_NONE, &o->perfect, "with the street's true disparities", NULL},
      {"size", 0, 0, G_OPTION_ARG_STRING, &o->size, "of the street's pictures (1242x375)", "WxH"},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend_name, "of the motion: auto, omp or c",
          "B"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "0: all cores", "N"},
      {"log", 0, 0, G_OPTION_ARG_NONE, &o->log, "each frame's motion and error, on stderr", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- measures the camera's own motion");
  g_option_context_set_summary(context,
      "The motion between frames, put together over pieces, beside the true one: the distance\n"
      "between the two ends as a share of the way, and the angle for each metre of it.");
  g_option_context_add_main_entries(context, entries, NULL);
  options_add_group(context,
      &(OptionGroup){"sgm", "Stereo:", "the stereo matcher", {{&stx_sgm_fields, &o->sgm}}});
  options_add_group(context,
      &(OptionGroup){"street", "Street:", "street-scene-src", {{&stx_scene_fields, &o->street}}});
  return context;
}

static bool apply(Options *o, StxError *error)
{
  static const char *const choices[] = {"auto", "omp", "c", NULL};
  static const StxBackend backends[] = {STX_BACKEND_AUTO, STX_BACKEND_OMP, STX_BACKEND_C};
  int backend =
      options_choose("backend", o->backend_name != NULL ? o->backend_name : "auto", choices, error);
  if (backend < 0 || !options_check_threads(o->threads, error))
    return false;
  if (o->frames < 0 || o->seeds < 1 || o->first < 0)
    return stx_fail(error, "--seeds=%d --frames=%d --first=%d: must be at least 1, 0 and 0",
        o->seeds, o->frames, o->first);
  if (o->sequence != NULL && (o->perfect || o->size != NULL))
    return stx_fail(error, "--sequence has no use for %s", o->perfect ? "--perfect" : "--size");
  o->backend = backends[backend];
  o->threads = stx_threads(o->threads);
  if (o->frames == 0 && o->sequence == NULL)
    o->frames = 20;
  return o->size == NULL || options_size("size", o->size, false, &o->width, &o->height, error);
}

static bool run(const Options *o, StxError *error)
{
  Score score = {0};
  bool good = true;
  char *name = o->sequence != NULL ? g_strdup(o->sequence)
                                   : g_strdup_printf("synthetic street, seeds %lld to %lld",
                                         (long long)o->seed, (long long)o->seed + o->seeds - 1);
  if (o->sequence != NULL)
    good = run_sequence(o, &score, error);
  for (int i = 0; good && o->sequence == NULL && i < o->seeds; i++)
    good = run_street(o, (uint64_t)(o->seed + i), &score, error);
  if (good)
    print(name, &score, o->json);
  g_free(name);
  return good;
}

bool eval_motion(int argc, char **argv, StxError *error)
{
  Options o = {.sgm = eval_defaults().sgm,
      .street = {EVAL_STREET},
      .seed = 1,
      .seeds = 1,
      .width = 1242,
      .height = 375};
  bool good = options_parse(make_context(&o), &argc, &argv, error);
  if (good && argc > 1)
    good = stx_fail(error, "'%s': a folder is that of --sequence (see --help)", argv[1]);
  good = good && apply(&o, error) && run(&o, error);
  char *strings[] = {o.sequence, o.calibration, o.size, o.backend_name};
  for (size_t i = 0; i < G_N_ELEMENTS(strings); i++)
    g_free(strings[i]);
  return good;
}
