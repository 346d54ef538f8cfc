/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pair: the evidence against its definition, evidence that is known, what it says, and when. */
#include "common/pair/pair_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

#define WIDTH 260
#define HEIGHT 140

/* ---- The definition, word by word ---------------------------------------------------------- */

typedef struct {
  const StxImage8 *image[2];
  int x, y, disparity, rows; /* of a match, in columns of the fold */
  bool alike;                /* likewise of none */
} Brute;

static int64_t folded(const StxImage8 *image, int x, int y)
{
  return stx_row8(image, y)[2 * x] + stx_row8(image, y)[2 * x + 1];
}

static int64_t brute_texture(const StxImage8 *image, int x, int y)
{
  int64_t a = 0, b = 0, c = 0;

  for (int v = y - 3; v <= y + 3; v++)
    for (int u = x - 4; u < x + 4; u++) {
      int64_t gx = folded(image, u + 1, v) - folded(image, u - 1, v);
      int64_t gy = folded(image, u, v + 1) - folded(image, u, v - 1);

      a += gx * gx;
      b += gy * gy;
      c += gx * gy;
    }
  return a + b > 0 ? (a * b - c * c) / (a + b) : 0;
}

static bool brute_point(const StxImage8 *image, int column, int row, int *x, int *y)
{
  int64_t most = 0;

  for (int k = 0; k < 16; k++) {
    int u = 5 + (4 * column + k % 4) * (image->width / 2 - 10) / (4 * STX_PAIR_GRID_COLUMNS);
    int v = 5 + (4 * row + k / 4) * (image->height - 10) / (4 * STX_PAIR_GRID_ROWS);

    if (brute_texture(image, u, v) > most) {
      most = brute_texture(image, u, v);
      *x = u;
      *y = v;
    }
  }
  return most >= STX_PAIR_TEXTURE;
}

static int brute_score(const Brute *brute, const StxImage8 *image, int u, int v)
{
  int64_t n = STX_PAIR_WINDOW_WIDTH * STX_PAIR_WINDOW_HEIGHT;
  int64_t a = 0, b = 0, aa = 0, bb = 0, ab = 0, cov, all;

  for (int j = -3; j <= 3; j++)
    for (int i = -4; i < 4; i++) {
      int64_t p = folded(brute->image[0], brute->x + i, brute->y + j);
      int64_t q = folded(image, u + i, v + j);

      a += p;
      b += q;
      aa += p * p;
      bb += q * q;
      ab += p * q;
    }
  cov = n * ab - a * b;
  all = (n * aa - a * a) * (n * bb - b * b);
  if (cov <= 0 || all == 0 || cov * cov < all / 4)
    return 0;
  return (int)(cov * cov / (all / 4096 + 1));
}

/* The best place in an image, then the best of those that are not near it. */
static void brute_search(const Brute *brute, const StxImage8 *image, const StxPairParams *params,
    int best[3], int *second)
{
  int half = params->max_disparity / 2;

  best[0] = *second = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int v = brute->y - params->reach; v <= brute->y + params->reach; v++)
      for (int u = brute->x - half; u <= brute->x + half; u++) {
        int score;

        if (v < 5 || v >= image->height - 5 || u < 5 || u >= image->width / 2 - 5)
          continue;
        score = brute_score(brute, image, u, v);
        if (pass == 0 && score > best[0]) {
          best[0] = score;
          best[1] = u;
          best[2] = v;
        }
        if (pass == 1 && (abs(u - best[1]) > 2 || abs(v - best[2]) > 2) && score > *second)
          *second = score;
      }
}

static bool brute_match(Brute *brute, const StxPairParams *params)
{
  int best[3], second, own[3], alike = 0;

  brute_search(brute, brute->image[1], params, best, &second);
  if (params->distinct)
    brute_search(brute, brute->image[0], params, own, &alike);
  brute->disparity = brute->x - best[1];
  brute->rows = best[2] - brute->y;
  brute->alike = best[0] >= 2048 && best[0] < STX_PAIR_GOOD;
  return best[0] >= STX_PAIR_GOOD && 2 * (4096 - best[0]) <= 4096 - second && alike < best[0];
}

static bool brute_same(const Brute *brute)
{
  for (int j = -3; j <= 3; j++)
    for (int i = -8; i < 8; i++)
      if (stx_row8(brute->image[0], brute->y + j)[2 * brute->x + i] !=
          stx_row8(brute->image[1], brute->y + j)[2 * brute->x + i])
        return false;
  return true;
}

/* All but the model. */
static StxPairEvidence brute_measure(
    const StxPairParams *params, const StxImage8 *left, const StxImage8 *right)
{
  Brute brute = {.image = {left, right}};
  StxPairEvidence evidence = {0};

  for (int k = 0; k < 2; k++) {
    int64_t sum = 0;

    STX_EACH_PIXEL (x, y, left->width / 2, left->height)
      sum += folded(brute.image[k], x, y);
    evidence.gray[k] = (int)(sum / (2 * (left->width / 2) * left->height));
  }
  for (int cell = 0; cell < STX_PAIR_CELLS; cell++) {
    int column = cell % STX_PAIR_GRID_COLUMNS, row = cell / STX_PAIR_GRID_COLUMNS;

    evidence.points[1] += brute_point(right, column, row, &brute.x, &brute.y);
    if (!brute_point(left, column, row, &brute.x, &brute.y))
      continue;
    evidence.points[0]++;
    evidence.same += brute_same(&brute);
    if (!brute_match(&brute, params)) {
      evidence.alike += brute.alike;
      continue;
    }
    evidence.matched++;
    evidence.ahead += brute.disparity >= 2;
    evidence.behind += brute.disparity <= -2;
    evidence.level += abs(brute.rows) <= 1;
    evidence.upright += abs(brute.disparity) <= 1;
  }
  return evidence;
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* The brightness at (x, y) of an endless plane: blotches, and a grain of `noise` levels. */
static int plane(int x, int y)
{
  uint32_t h = ((uint32_t)(x + 4096) / 5) * 2654435761u ^ ((uint32_t)(y + 4096) / 3) * 2246822519u;

  h ^= h >> 15;
  h *= 2654435769u;
  return 60 + (int)((h >> 16) % 120);
}

typedef struct {
  int disparity, rows;
  double lean, stretch, gain, offset; /* rows at the right, at the lower border */
  double twist;                       /* likewise in the corner of both */
  int noise;
  bool scatter; /* the rows of each sixth of the columns are others */
} Look;

static StxImage8 picture(const Look *look, int width, int height, StxRandom *random)
{
  StxImage8 image = stx_test_image8(width, height, 7);

  STX_EACH_PIXEL (x, y, width, height) {
    double shift = look->rows + look->lean * (2 * x - width) / width +
                   look->stretch * (2 * y - height) / height +
                   look->twist * (2 * x - width) * (2 * y - height) / (width * height);
    int more = look->scatter ? (x * 6 / width * 7) % 17 - 8 : 0;
    double value =
        plane(x + look->disparity, y - (int)(shift + (shift < 0 ? -.5 : .5)) - more) * look->gain +
        look->offset + (look->noise > 0 ? stx_random_below(random, 2 * look->noise + 1) : 0) -
        look->noise;

    stx_row8(&image, y)[x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
  return image;
}

static void measure(
    const StxPairParams *params, const StxImage8 *left, const StxImage8 *right, StxPairEvidence *to)
{
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_pair_scratch(left->width, left->height));

  stx_pair_measure(params, left, right, scratch, to);
}

static const Look still = {.gain = 1};

/* Two pictures of the plane, the second as it is looked at. */
static StxPairEvidence evidence_of(const StxPairParams *params, const Look *look)
{
  StxRandom random = {5};
  STX_AUTO(StxImage8) left = picture(&still, WIDTH, HEIGHT, &random);
  STX_AUTO(StxImage8) right = picture(look, WIDTH, HEIGHT, &random);
  StxPairEvidence evidence;

  measure(params, &left, &right, &evidence);
  return evidence;
}

/* ---- Evidence ------------------------------------------------------------------------------ */

STX_TEST(evidence_is_its_definition)
{
  StxRandom random = {77};
  int cases = stx_rounds(12);

  for (int i = 0; i < cases; i++) {
    int width = STX_PAIR_MIN_WIDTH + stx_random_below(&random, 60);
    int height = STX_PAIR_MIN_HEIGHT + stx_random_below(&random, 20);
    StxPairParams params = {
        2 + stx_random_below(&random, 60), 1 + stx_random_below(&random, 5), i % 2 == 1};
    Look look = {stx_random_below(&random, 30) - 10, stx_random_below(&random, 5) - 2, 0, 0,
        .5 + stx_random_below(&random, 10) / 10., 0, stx_random_below(&random, 40), i % 3 == 0};
    STX_AUTO(StxImage8) left = picture(&still, width, height, &random);
    STX_AUTO(StxImage8) right = picture(i == 1 ? &still : &look, width, height, &random);
    StxPairEvidence expected = brute_measure(&params, &left, &right), actual;

    measure(&params, &left, &right, &actual);
    expected.fitted = actual.fitted;
    expected.model = actual.model;
    expected.geometry = actual.geometry;
    stx_expect_same(&expected, &actual, sizeof expected, "evidence");
  }
}

/* A view without contrast has no point, at no gray level. */
STX_TEST(flat_views_have_no_points)
{
  for (int gray = 0; gray < 256; gray += 51) {
    StxPairParams params = {64, 3};
    Look flat = {.offset = gray};
    StxPairEvidence evidence = evidence_of(&params, &flat);

    ck_assert_int_gt(evidence.points[0], STX_PAIR_CELLS * 9 / 10);
    ck_assert_int_eq(evidence.points[1], 0);
    ck_assert_int_eq(evidence.gray[1], gray);
    ck_assert_int_eq(evidence.matched, 0);
  }
}

static void expect_model(Look look, StxPairModel expected)
{
  StxPairParams params = {64, 12};
  StxPairEvidence evidence = evidence_of(&params, &look);

  ck_assert_int_gt(evidence.matched, evidence.points[0] / 3);
  ck_assert_int_ge(10 * evidence.fitted, 9 * evidence.matched);
  ck_assert_int_eq(evidence.model.shift, expected.shift);
  ck_assert_int_eq(evidence.model.lean, expected.lean);
  ck_assert_int_eq(evidence.model.stretch, expected.stretch);
}

STX_TEST(model_is_how_the_views_lie)
{
  expect_model((Look){.disparity = 20, .gain = 1}, (StxPairModel){0, 0, 0});
  expect_model((Look){.disparity = 20, .gain = 1, .rows = 5}, (StxPairModel){5, 0, 0});
  expect_model((Look){.disparity = -6, .gain = 1, .rows = -12}, (StxPairModel){-12, 0, 0});
  expect_model((Look){.disparity = 4, .gain = 1, .lean = 6}, (StxPairModel){0, 6, 0});
  expect_model(
      (Look){.disparity = 8, .gain = 1, .rows = 2, .stretch = -5}, (StxPairModel){2, 0, -5});
  expect_model((Look){.disparity = 20, .gain = .5, .offset = 90, .noise = 3, .rows = -3},
      (StxPairModel){-3, 0, 0});
}

/* All in pixels per pixel, as the focal length is not known. What the picture turns by in the place
 * where the right view has a point adds to shift, roll and scale. */
STX_TEST(geometry_is_how_a_camera_is_turned)
{
  StxPairParams params = {64, 24};
  Look look = {.disparity = 20, .gain = 1, .rows = 6, .twist = 7, .lean = 3};
  double further = -20 / (WIDTH / 2.), lower = 6 / (HEIGHT / 2.);
  StxPairEvidence evidence = evidence_of(&params, &look);
  const StxPairGeometry *geometry = &evidence.geometry;

  ck_assert_int_lt(4 * evidence.fitted, 3 * evidence.matched);
  ck_assert_int_ge(10 * geometry->fitted, 9 * evidence.matched);
  ck_assert_double_eq_tol(geometry->shift + 20 * geometry->tilt, 6 + 3 * further, .5);
  ck_assert_double_eq_tol(geometry->roll, (3 + 7 * lower) / (WIDTH / 2.), .003);
  ck_assert_double_eq_tol(geometry->yaw, 7 / (WIDTH / 2. * HEIGHT / 2.), .0001);
  ck_assert_double_eq_tol(geometry->scale, 7 * further / (HEIGHT / 2.), .005);
  ck_assert_double_eq_tol(geometry->pitch, 0, .0002);
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* Checks the verdict on a pair of pictures; its text must contain `word`. */
static void expect_verdict(const Look *look, StxPairVerdict expected, const char *word)
{
  StxRandom random = {5};
  STX_AUTO(StxImage8) left = picture(&still, WIDTH, HEIGHT, &random);
  STX_AUTO(StxImage8) right = picture(look, WIDTH, HEIGHT, &random);
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_pair_scratch(WIDTH, HEIGHT));
  StxPairFinding finding;
  char text[256];

  stx_pair_examine(64, &left, &right, scratch, &finding);
  stx_pair_describe(&finding, text);
  ck_assert_msg(finding.verdict == expected, "%s instead of %s: %s", stx_pair_name(finding.verdict),
      stx_pair_name(expected), text);
  ck_assert_msg(strstr(text, word) != NULL, "\"%s\" without \"%s\"", text, word);
}

STX_TEST(verdict_names_what_is_wrong)
{
  static const struct {
    Look look;
    StxPairVerdict verdict;
    const char *word;
  } cases[] = {
      {{.disparity = 20, .gain = 1}, STX_PAIR_PLAUSIBLE, "can be a rectified pair"},
      {{.disparity = 20, .gain = 1, .rows = 1}, STX_PAIR_PLAUSIBLE, "can be"},
      {{.disparity = 20, .gain = 1.5, .offset = -60}, STX_PAIR_PLAUSIBLE, "can be"},
      {{.disparity = 20, .gain = 1, .noise = 20}, STX_PAIR_PLAUSIBLE, "can be"},
      {{.disparity = -20, .gain = 1}, STX_PAIR_SWAPPED, "exchange"},
      {{.disparity = -20, .gain = 1, .rows = 4}, STX_PAIR_SWAPPED, "swapped"},
      {{.disparity = 20, .gain = 1, .rows = 2}, STX_PAIR_ROWS, "the right view lies 2 rows lower"},
      {{.disparity = 20, .gain = 1, .rows = -20}, STX_PAIR_ROWS, "20 rows higher"},
      {{.disparity = 4, .gain = 1, .lean = 6}, STX_PAIR_ROWS,
          "6 rows higher at the left border, 6 rows lower at the right"},
      {{.disparity = 4, .gain = 1, .rows = 6, .twist = 7}, STX_PAIR_UNRECTIFIED,
          "not rectified: the right view lies 6 rows lower in the centre, is rolled by 0.2"},
      {{.disparity = 20, .gain = 1, .stretch = 7}, STX_PAIR_SCALED, "11.4 % larger"},
      {{.disparity = 20, .gain = 1, .stretch = -7}, STX_PAIR_SCALED, "% smaller"},
      {{.disparity = 20, .gain = 1, .scatter = true}, STX_PAIR_MOMENT, "not of one moment"},
      {{.offset = 3}, STX_PAIR_DARK_RIGHT, "the right view shows nothing (mean gray 3 of 255)"},
      {{.gain = .01, .offset = 250}, STX_PAIR_DARK_RIGHT, "mean gray 25"},
      {{.gain = 1}, STX_PAIR_SAME, "the same picture"},
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_verdict(&cases[i].look, cases[i].verdict, cases[i].word);
}

/* Evidence at both sides of each limit. */
STX_TEST(verdict_has_these_limits)
{
  static const struct {
    StxPairEvidence evidence;
    StxPairVerdict verdict;
  } cases[] = {
      {{.points = {7, 7}}, STX_PAIR_UNKNOWN},
      {{.points = {0, 0}}, STX_PAIR_BLANK},
      {{.points = {0, 1}}, STX_PAIR_UNKNOWN},
      {{.points = {1, 0}}, STX_PAIR_UNKNOWN},
      {{.points = {5, 40}}, STX_PAIR_DARK_LEFT},
      {{.points = {6, 40}}, STX_PAIR_UNKNOWN},
      {{.points = {39, 0}}, STX_PAIR_UNKNOWN},
      {{.points = {40, 5}}, STX_PAIR_DARK_RIGHT},
      {{.points = {100, 40}, .matched = 5, .alike = 30}, STX_PAIR_UNRELATED},
      {{.points = {100, 40}, .matched = 6, .alike = 94}, STX_PAIR_UNKNOWN},
      {{.points = {100, 40}, .matched = 0, .alike = 29}, STX_PAIR_UNKNOWN}, /* noise */
      {{.points = {100, 39}, .matched = 0, .alike = 99}, STX_PAIR_UNKNOWN},
      {{.points = {100, 90}, .same = 95}, STX_PAIR_SAME},
      {{.points = {100, 90}, .same = 94}, STX_PAIR_UNKNOWN},
      {{.points = {100, 90}, .matched = 7, .fitted = 7, .level = 7}, STX_PAIR_UNKNOWN},
      {{.points = {100, 90}, .matched = 8, .fitted = 6, .level = 6}, STX_PAIR_PLAUSIBLE},
      {{.points = {100, 90}, .matched = 8, .fitted = 5, .level = 4}, STX_PAIR_UNKNOWN},
      {{.points = {100, 90}, .matched = 8, .fitted = 5, .level = 3}, STX_PAIR_MOMENT},
      {{.points = {100, 90}, .matched = 46, .geometry = {.fitted = 36, .scale = -.015}},
          STX_PAIR_UNRECTIFIED},
      {{.points = {100, 90}, .matched = 46, .geometry = {.fitted = 35}}, STX_PAIR_MOMENT},
      {{.points = {100, 90}, .matched = 40, .upright = 30}, STX_PAIR_TURNED},
      {{.points = {100, 90}, .matched = 40, .upright = 29}, STX_PAIR_MOMENT},
      {{.points = {100, 90}, .matched = 46, .geometry = {.fitted = 46, .scale = .016}},
          STX_PAIR_MOMENT},
      {{.points = {100, 90}, .matched = 46, .level = 23, .geometry = {.fitted = 46}},
          STX_PAIR_UNKNOWN},
      {{.points = {100, 90}, .matched = 12, .geometry = {.fitted = 11}}, STX_PAIR_UNRECTIFIED},
      {{.points = {100, 90}, .matched = 11, .geometry = {.fitted = 11}}, STX_PAIR_MOMENT},
      {{.points = {100, 90}, .matched = 20, .fitted = 20, .behind = 12, .ahead = 1},
          STX_PAIR_SWAPPED},
      {{.points = {100, 90}, .matched = 20, .fitted = 20, .behind = 11, .ahead = 1},
          STX_PAIR_PLAUSIBLE},
      {{.points = {100, 90}, .matched = 20, .fitted = 20, .behind = 12, .ahead = 2},
          STX_PAIR_PLAUSIBLE},
      {{.points = {100, 90}, .matched = 20, .fitted = 15, .model = {1, 2, 0}}, STX_PAIR_PLAUSIBLE},
      {{.points = {100, 90}, .matched = 20, .fitted = 15, .model = {-1, 0, 2}}, STX_PAIR_PLAUSIBLE},
      {{.points = {100, 90}, .matched = 20, .fitted = 15, .model = {-2, 0, 0}}, STX_PAIR_ROWS},
      {{.points = {100, 90}, .matched = 20, .fitted = 15, .model = {0, -3, 0}}, STX_PAIR_ROWS},
      {{.points = {100, 90}, .matched = 20, .fitted = 15, .model = {5, 0, 3}}, STX_PAIR_SCALED},
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_msg(stx_pair_judge(&cases[i].evidence) == cases[i].verdict, "case %zu is %s", i,
        stx_pair_name(stx_pair_judge(&cases[i].evidence)));
}

STX_TEST(small_pictures_are_unknown)
{
  STX_AUTO(StxImage8) small = stx_test_image8(STX_PAIR_MIN_WIDTH - 1, 300, 0);
  StxPairFinding finding = {.verdict = STX_PAIR_SAME};

  ck_assert(stx_pair_is_small(300, STX_PAIR_MIN_HEIGHT - 1));
  ck_assert(!stx_pair_is_small(STX_PAIR_MIN_WIDTH, STX_PAIR_MIN_HEIGHT));
  stx_pair_examine(64, &small, &small, NULL, &finding);
  ck_assert_int_eq(finding.verdict, STX_PAIR_UNKNOWN);
}

/* ---- Over time ----------------------------------------------------------------------------- */

/* Frames every 100 ms, a letter for each: u, p, s, r, m, as they would be judged; what is told, at
 * which frame: "10W" is a warning at frame 10. */
static void expect_story(const char *frames, const char *expected)
{
  StxPairWatch watch = {0};
  char told[64] = "";

  for (int i = 0; frames[i] != '\0'; i++) {
    int64_t time = 100000000ll * i;
    StxPairFinding finding = {.verdict = frames[i] == 'p'   ? STX_PAIR_PLAUSIBLE
                                         : frames[i] == 's' ? STX_PAIR_SWAPPED
                                         : frames[i] == 'r' ? STX_PAIR_ROWS
                                         : frames[i] == 'm' ? STX_PAIR_MOMENT
                                                            : STX_PAIR_UNKNOWN};
    StxPairNews news = STX_PAIR_NO_NEWS;
    size_t end = strlen(told);

    if (stx_pair_watch_is_due(&watch, time))
      news = stx_pair_watch_note(&watch, time, &finding);
    if (news == STX_PAIR_WARN)
      snprintf(told + end, sizeof told - end, "%d%s ", i, stx_pair_name(watch.said));
    else if (news == STX_PAIR_CLEARED)
      snprintf(told + end, sizeof told - end, "%dclear ", i);
  }
  ck_assert_msg(strcmp(told, expected) == 0, "%s: %s", frames, told);
}

STX_TEST(watch_warns_once_after_a_second)
{
  expect_story("ssssssssss", "");
  expect_story("sssssssssss", "10swapped ");
  expect_story("ssssssssssssssssssssssssssssssssssssssss", "10swapped ");
  expect_story("pppppppppppppppppppppppppppp", "");
  /* Seen every second while all is well. */
  expect_story("ppppprrrrrrrrrrrrrrrrrrrrrrrrrrrr", "20rows ");
  /* One plausible pair, and it begins anew. */
  expect_story("rrrrrrprrrrrrrrrr", "");
  /* The most frequent one; pairs that say nothing are passed over. */
  expect_story("smmmmmsmmmmmmmmmm", "10moment ");
  expect_story("ruruuuuuuuuruuuuuuu", "");
  expect_story("ummmmmmmmmmmmmm", "12moment ");
}

STX_TEST(watch_clears_after_a_second)
{
  expect_story("sssssssssssssssppppppppppppppppppppppppppppppppppppp", "10swapped 30clear ");
  expect_story("sssssssssssssssppppppppppppppppppppssssssssssssssssssssssssss",
      "10swapped 30clear 50swapped ");
}

/* The same, and what is told at the end. */
static void expect_end(const char *frames, const char *expected)
{
  StxPairWatch watch = {0};
  bool warns;

  for (int i = 0; frames[i] != '\0'; i++) {
    StxPairFinding finding = {.verdict = frames[i] == 'p'   ? STX_PAIR_PLAUSIBLE
                                         : frames[i] == 's' ? STX_PAIR_SWAPPED
                                                            : STX_PAIR_UNKNOWN};

    if (stx_pair_watch_is_due(&watch, 100000000ll * i))
      stx_pair_watch_note(&watch, 100000000ll * i, &finding);
  }
  warns = stx_pair_watch_end(&watch) == STX_PAIR_WARN;
  ck_assert_str_eq(warns ? stx_pair_name(watch.said) : "", expected);
  ck_assert_int_eq(stx_pair_watch_end(&watch), STX_PAIR_NO_NEWS);
}

STX_TEST(watch_warns_at_the_end_of_a_short_stream)
{
  expect_end("", "");
  expect_end("s", "swapped");
  expect_end("ssuus", "swapped");
  expect_end("uusuu", "");
  expect_end("sssssssss", "swapped");
  expect_end("p", "");
  expect_end("u", "");
  /* Once plausible: the end of a good recording may be bad. */
  expect_end("ppppps", "");
  expect_end("pppppppppppsssss", "");
  /* Has been told. */
  expect_end("sssssssssssss", "");
}

STX_TEST(watch_looks_seldom_while_all_is_well)
{
  StxPairWatch watch = {0};
  StxPairFinding good = {.verdict = STX_PAIR_PLAUSIBLE}, bad = {.verdict = STX_PAIR_ROWS};
  int64_t second = 1000000000;

  ck_assert(stx_pair_watch_is_due(&watch, 7 * second));
  stx_pair_watch_note(&watch, 7 * second, &good);
  ck_assert(!stx_pair_watch_is_due(&watch, 8 * second - 1));
  ck_assert(stx_pair_watch_is_due(&watch, 8 * second));
  ck_assert(stx_pair_watch_is_due(&watch, 7 * second - 1)); /* time has gone back */
  stx_pair_watch_note(&watch, 8 * second, &bad);
  ck_assert(stx_pair_watch_is_due(&watch, 8 * second + second / 5));
}
