/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-check: what is wrong with a pair, found by trying what would put it right. */
#include "examples/stx-check/stx_check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/camera.h"
#include "examples/shared/options.h"

#define PAIRS 20   /* looked at, unless the user says another number */
#define TRIED 5    /* of each attempt */
#define MOMENTS 10 /* tried to either side */
#define APART 150  /* pictures, looked for by the motion in both: 5 s of 30 a second */

enum { PLAUSIBLE, IMPLAUSIBLE, USAGE, UNKNOWN }; /* exit status */

typedef struct {
  int max_disparity, pairs;
  const char *left, *right, *calibration_path, *second_path;
  CheckFiles files;
  StxCalibration calibration;
  bool has_calibration;
} Check;

/* ---- Calibration --------------------------------------------------------------------------- */

/* One of real lenses is kept for an attempt; one of a rectified pair is only read. */
static bool read_calibration(Check *check, StxError *error)
{
  const char *path = check->calibration_path;
  StxCalibrationFiles files = {.path = path, .second = check->second_path, .pair = -1};
  StxCamera camera;
  if (files.second != NULL || stx_calibration_is_known(path, error)) {
    check->has_calibration = stx_calibration_load(&files, 0, 0, &check->calibration, error);
    return check->has_calibration;
  }
  if (!stx_camera_load(path, -1, &camera, error))
    return false;
  printf("calibration: focal length %g px, baseline %g m: a rectified pair's\n", camera.focal,
      camera.baseline);
  return true;
}

/* ---- Attempts ------------------------------------------------------------------------------ */

/* Would they be plausible? */
static bool helps(const Check *check, CheckTry attempt)
{
  CheckResult result;
  StxError error;
  if (!check_look(&check->files, &attempt, check->max_disparity, TRIED, &result, &error))
    return false;
  return result.pairs > 0 && result.finding.verdict == STX_PAIR_PLAUSIBLE;
}

static void try_rows(const Check *check, CheckTry attempt)
{
  if (attempt.rows != 0 && helps(check, attempt))
    printf("tried: plausible %swith the right view %d rows %s: rectify, see docs/calibration.md\n",
        attempt.swap ? "when exchanged, and " : "", abs(attempt.rows),
        attempt.rows > 0 ? "higher" : "lower");
}

static void try_swapped(const Check *check, int rows)
{
  if (helps(check, (CheckTry){.swap = true}))
    printf("tried: plausible when exchanged: %s is the left view, %s the right one\n", check->right,
        check->left);
  else
    try_rows(check, (CheckTry){.swap = true, .rows = -rows});
}

static bool try_moment(const Check *check, int later)
{
  if (later == 0 || !helps(check, (CheckTry){.later = later}))
    return false;
  printf("tried: plausible with each right picture %d pictures %s: drop the first %d of the %s "
         "ones\n",
      abs(later), later > 0 ? "later" : "earlier", abs(later), later > 0 ? "right" : "left");
  return true;
}

static void try_moments(const Check *check)
{
  int lag;
  if (MIN(check->files.left->len, check->files.right->len) == 1) {
    printf("not tried: other moments; give videos or folders of numbered pictures\n");
    return;
  }
  if (check_lag(&check->files, APART, &lag) &&
      (try_moment(check, lag) || try_moment(check, lag - 1) || try_moment(check, lag + 1)))
    return;
  for (int k = 1; k <= MOMENTS; k++)
    if (try_moment(check, -k) || try_moment(check, k))
      return;
}

/* With the names of this call, to be pasted into a shell. */
static void tell_next(const Check *check, bool calibrated)
{
  char *const *decoded = check->files.decoded;
  const char *names[] = {
      calibrated && decoded[0] == NULL ? check->files.left->pdata[0] : check->left,
      calibrated && decoded[1] == NULL ? check->files.right->pdata[0] : check->right,
      calibrated ? check->calibration_path : "camera.yml",
      check->second_path != NULL ? check->second_path : ""};
  char *quoted[4];
  for (int i = 0; i < 4; i++)
    quoted[i] = g_shell_quote(names[i]);
  if (calibrated)
    printf("next: gst-launch-1.0 stereo-stixels name=stixels calibration=%s%s%s ! videoconvert ! "
           "pngenc ! filesink location=stixels.png filesrc location=%s ! %s ! stixels.sink_left "
           "filesrc location=%s ! %s ! stixels.sink_right\n",
        quoted[2], check->second_path != NULL ? " calibration-right=" : "",
        check->second_path != NULL ? quoted[3] : "", quoted[0],
        decoded[0] == NULL ? "pngdec" : "decodebin", quoted[1],
        decoded[1] == NULL ? "pngdec" : "decodebin");
  else
    printf("next, if the cameras move and turn in these pictures: stx-calibrate %s %s --baseline "
           "METRES -o %s && stx-check %s %s %s\n"
           "or record a chessboard with both: stx-calibrate left.mkv right.mkv --board 9x6 "
           "--square 0.025 -o %s\n",
        quoted[0], quoted[1], quoted[2], quoted[0], quoted[1], quoted[2], quoted[2]);
  for (int i = 0; i < 4; i++)
    g_free(quoted[i]);
}

static void tell_angles(const StxPairFinding *finding)
{
  StxPairAngles angles = stx_pair_angles(finding);
  printf("measured: pitch %.1f degrees for a focal length of %d px, the width, or principal points "
         "%.0f rows apart; roll %.1f degrees; lenses that bend lines hide the yaw\n",
      angles.pitch, finding->width, finding->evidence.geometry.shift, angles.roll);
}

static void try_calibration(const Check *check, StxPairVerdict verdict)
{
  CheckTry attempt = {.rectify = &check->calibration};
  bool helped = check->has_calibration && helps(check, attempt);
  if (check->has_calibration)
    printf("tried: rectified by %s (%s) they are %s\n", check->calibration_path,
        check->calibration.format,
        helped ? "plausible: put stereo-rectify with this file before stereo-sgm"
               : "no better: is the file of another camera, or of another unit?");
  if (helped || verdict == STX_PAIR_ROWS || verdict == STX_PAIR_UNRECTIFIED)
    tell_next(check, helped);
}

static void try_all(const Check *check, const StxPairFinding *finding)
{
  StxPairVerdict verdict = finding->verdict;
  int rows = finding->evidence.model.shift;
  if (verdict == STX_PAIR_SWAPPED)
    try_swapped(check, rows);
  if (verdict == STX_PAIR_ROWS)
    try_rows(check, (CheckTry){.rows = rows});
  if (verdict == STX_PAIR_MOMENT || verdict == STX_PAIR_SCALED)
    try_moments(check);
  if (verdict == STX_PAIR_UNRECTIFIED)
    tell_angles(finding);
  if (verdict != STX_PAIR_SAME && verdict < STX_PAIR_DARK_LEFT)
    try_calibration(check, verdict);
}

/* ---- The program --------------------------------------------------------------------------- */

static void tell_range(const StxSgmRange *range)
{
  printf("range: max-disparity=%d\n", range->max_disparity);
  if (range->infinity != 0)
    printf("infinity: the farthest things have a disparity of %d px: the cameras look apart, or "
           "their principal points differ; stereo-sgm counts from there (disparity-at-infinity)\n",
        range->infinity);
}

static int tell(const Check *check, const CheckResult *result)
{
  StxPairVerdict verdict = result->finding.verdict;
  char text[256];
  stx_pair_describe(&result->finding, text);
  printf("%d %s:", result->pairs, result->pairs == 1 ? "pair" : "pairs");
  for (int v = 0; v < STX_PAIR_VERDICTS; v++)
    if (result->seen_as[v] > 0)
      printf(" %d %s", result->seen_as[v], stx_pair_name((StxPairVerdict)v));
  printf("\n%s\n", text);
  if (verdict == STX_PAIR_PLAUSIBLE)
    tell_range(&result->range);
  else if (verdict != STX_PAIR_UNKNOWN)
    try_all(check, &result->finding);
  return verdict == STX_PAIR_PLAUSIBLE ? PLAUSIBLE
         : verdict == STX_PAIR_UNKNOWN ? UNKNOWN
                                       : IMPLAUSIBLE;
}

static bool parse(Check *check, int argc, char **argv, StxError *error)
{
  const GOptionEntry entries[] = {{"max-disparity", 0, 0, G_OPTION_ARG_INT, &check->max_disparity,
                                      "largest disparity, pixels (128)", "N"},
      {"pairs", 0, 0, G_OPTION_ARG_INT, &check->pairs, "look at so many pairs at most (20)", "N"},
      {NULL}};
  GOptionContext *context = g_option_context_new(
      "LEFT RIGHT [CALIBRATION [SECOND]] - says whether two views can be a stereo pair");
  g_option_context_set_summary(context,
      "LEFT and RIGHT are PNG files, folders of these, patterns such as left-%04d.png, or videos\n"
      "and JPEGs, which gst-launch-1.0 decodes: the first 300 pictures are looked at. Where\n"
      "the views cannot be a rectified pair, it says why (swapped, not rectified, of two "
      "scales\n"
      "or moments, covered, twice the same), and tries what would put it right; with the\n"
      "calibration of the camera, as stereo-rectify and stereo-sgm read it, that, too; SECOND\n"
      "is the second file of one that has two.\n\n"
      "Exit status: 0 plausible, 1 not, 2 wrong arguments or files, 3 nothing can be said.");
  g_option_context_add_main_entries(context, entries, NULL);
  if (!options_parse(context, &argc, &argv, error))
    return false;
  if (argc < 3 || argc > 5)
    return stx_fail(error, "give LEFT and RIGHT, and perhaps a calibration (see --help)");
  if (check->max_disparity < 2 || check->max_disparity > 256)
    return stx_fail(error, "--max-disparity=%d: expected 2 to 256", check->max_disparity);
  if (check->pairs < 1)
    return stx_fail(error, "--pairs=%d: expected at least 1", check->pairs);
  check->left = argv[1];
  check->right = argv[2];
  check->calibration_path = argc > 3 ? argv[3] : NULL;
  check->second_path = argc > 4 ? argv[4] : NULL;
  return true;
}

static int run(Check *check, int argc, char **argv, StxError *error)
{
  CheckResult result;
  if (!parse(check, argc, argv, error) ||
      !check_files_find(&check->files, check->left, check->right, error) ||
      (check->calibration_path != NULL && !read_calibration(check, error)) ||
      !check_look(
          &check->files, &(CheckTry){0}, check->max_disparity, check->pairs, &result, error))
    return USAGE;
  return tell(check, &result);
}

int main(int argc, char **argv)
{
  Check check = {.max_disparity = 128, .pairs = PAIRS};
  StxError error = {""};
  setlocale(LC_CTYPE, "");
  int status = run(&check, argc, argv, &error);
  if (status == USAGE)
    fprintf(stderr, "stx-check: %s\n", error.text);
  check_files_clear(&check.files);
  return status;
}
