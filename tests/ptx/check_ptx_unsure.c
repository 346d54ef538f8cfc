/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks which bits of a result are unknown: whatever the unsure bits of the sources are, the
 * others stay as they are, for every form of forms.txt; and they are as few as they should be where
 * compilers lean on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptx/ptx_private.h"
#include "tests/testing.h"

enum { TRIES = 60, FILLINGS = 24 };

static uint64_t state = 0x9E3779B97F4A7C15;

static uint64_t random_bits(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Mostly few bits, or a byte, as padding has it. */
static uint64_t random_unsure(void)
{
  switch (random_bits() % 4) {
  case 0:
    return 0;
  case 1:
    return UINT64_C(0xff) << (random_bits() % 8 * 8);
  case 2:
    return random_bits() & random_bits() & random_bits();
  default:
    return UINT64_C(1) << random_bits() % 64;
  }
}

static uint64_t run_lane(const PtxForm *form, PtxAlu run, const uint64_t *value)
{
  PtxLanes lanes[4];
  const uint64_t *source[4];
  uint64_t result[PTX_LANES] = {0};
  for (int i = 0; i < form->sources; i++) {
    lanes[i].lane[0] = value[i];
    source[i] = lanes[i].lane;
  }
  run(result, source, 1);
  return result[0];
}

static uint64_t unsure_of(
    const PtxForm *form, PtxAlu run, const uint64_t *value, const uint64_t *unsure)
{
  PtxLanes lanes[4], mask[4];
  const uint64_t *source[4];
  uint64_t result[PTX_LANES] = {0};
  PtxInstruction at = {.form = form, .spread = ptx_spread(form), .sources = form->sources};
  for (int i = 0; i < form->sources; i++) {
    lanes[i].lane[0] = value[i];
    mask[i].lane[0] = unsure[i] & ptx_low_bits(form->source[i].bits);
    source[i] = lanes[i].lane;
  }
  ptx_spread_unsure(&at, run, source, mask, 1, result);
  return result[0];
}

/* ---- Never too few ------------------------------------------------------------------------ */

static void check_fillings(const PtxForm *form, PtxAlu run, const uint64_t *value)
{
  uint64_t unsure[4], filled[4], bits = ptx_low_bits(form->result.bits);
  for (int i = 0; i < 4; i++)
    unsure[i] = random_unsure();
  uint64_t expected = run_lane(form, run, value), spread = unsure_of(form, run, value, unsure);
  for (int k = 0; k < FILLINGS; k++) {
    for (int i = 0; i < form->sources; i++)
      filled[i] = value[i] ^ (unsure[i] & random_bits());
    uint64_t result = run_lane(form, run, filled);
    ck_assert_msg(((result ^ expected) & ~spread & bits) == 0,
        "%s of %#llx (%#llx unsure), %#llx (%#llx): %#llx and %#llx, but only %#llx unsure",
        form->name, (unsigned long long)value[0], (unsigned long long)unsure[0],
        (unsigned long long)value[1], (unsigned long long)unsure[1], (unsigned long long)expected,
        (unsigned long long)result, (unsigned long long)spread);
  }
}

static int check_form(char *line)
{
  char *rest = NULL, *name = strtok_r(line, " \n", &rest), *word;
  const PtxForm *form = ptx_form(name);
  uint64_t value[4] = {0};
  ck_assert_msg(form != NULL, "%s", name);
  for (int i = 0; i < form->sources && (word = strtok_r(NULL, " \n", &rest)) != NULL; i++)
    value[i] = strtoull(word, NULL, 0);
  if (form->divides) /* by what is unsure: of that nothing is known, and nobody tries */
    return 0;
  for (int i = 0; i < TRIES; i++) {
    check_fillings(form, form->run, value);
    if (form->second != NULL)
      check_fillings(form, form->second, value);
  }
  return 1;
}

STX_TEST(known_bits_never_change)
{
  char line[256], path[1024];
  snprintf(path, sizeof path, "%s/tests/ptx/forms.txt", getenv("STX_SOURCE_DIR"));
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s cannot be read", path);
  int lines = 0;
  while (fgets(line, sizeof line, file) != NULL)
    lines += line[0] != '#' ? check_form(line) : 0;
  fclose(file);
  ck_assert_int_gt(lines, 700);
}

/* ---- Not too many ------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  struct {
    uint64_t value, unsure;
  } source[4];
  uint64_t unsure;
} Vector;

static const Vector vectors[] = {
    {"and.b32", {{0xff, 0xffff}, {0x0ff0, 0}}, 0x0ff0},
    {"or.b32", {{0, 0xffff}, {0x0ff0, 0}}, 0xf00f},
    {"and.pred", {{1, 1}, {0, 0}}, 0},
    {"or.pred", {{1, 1}, {1, 0}}, 0},
    {"or.pred", {{1, 1}, {0, 0}}, 1},
    {"xor.b32", {{5, 0xf0}, {3, 0x0f}}, 0xff},
    {"not.b32", {{5, 0x10}}, 0x10},
    {"lop3.b32", {{0, 0xff}, {0x3c, 0}, {0, 0}, {0xc0, 0}}, 0x3c},
    {"selp.b32", {{7, 0xf0}, {5, 0x0f}, {1, 0}}, 0xf0},
    {"selp.b32", {{7, 0}, {5, 0}, {1, 1}}, 2},
    {"add.s32", {{0x10, 0x01}, {0x20, 0}}, 0x01},
    {"add.s32", {{0xff, 0x01}, {0x01, 0}}, 0x1ff},
    {"sub.s32", {{0x20, 0}, {0x10, 0x0f}}, 0x1f},
    {"mul.lo.s32", {{0x100, 0x100}, {3, 0}}, 0xffffff00},
    {"setp.eq.s32", {{4, 0xff}, {0x104, 0}}, 0},
    {"setp.eq.s32", {{4, 0xff}, {0x04, 0}}, 1},
    {"setp.lt.u32", {{3, 0x0f}, {16, 0}}, 0},
    {"setp.lt.u32", {{3, 0x0f}, {15, 0}}, 1},
    {"setp.lt.s32", {{3, 0x80000000}, {16, 0}}, 0},
    {"setp.gt.s32", {{3, 0x80000000}, {1, 0}}, 1},
    {"min.u32", {{0x1000, 0xff}, {0x20, 0}}, 0},
    {"min.u32", {{0x10, 0x0f}, {0x20, 0}}, 0x0f},
    {"max.s32", {{0xffffff00, 0xff}, {0, 0}}, 0},
    {"min.u16x2", {{0x00100010, 0x000f0000}, {0x00200020, 0}}, 0x000f0000},
    {"shl.b32", {{1, 0x81}, {4, 0}}, 0x810},
    {"shl.b32", {{1, 0}, {4, 1}}, 0xffffffff},
    {"shr.s32", {{0x80000000, 0x80000000}, {4, 0}}, 0xf8000000},
    {"prmt.b32", {{0, 0xff00}, {0, 0}, {0x7631, 0}}, 0x000000ff},
    {"bfi.b32", {{0, 0x3}, {0, 0xff}, {4, 0}, {2, 0}}, 0xcf | 0x30},
    {"cvt.u32.u16", {{0, 0xffff0000}}, 0},
    {"cvt.s32.s16", {{0, 0x8000}}, 0xffff8000},
    {"vabsdiff4.u32.u32.u32", {{0, 0x100}, {0, 0}, {0, 0}}, 0xff00},
    {"mul.f32", {{0, 1}, {0, 0}}, 0xffffffff},
};

STX_TEST(no_more_bits_are_unsure_than_must_be)
{
  for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
    const Vector *vector = &vectors[v];
    const PtxForm *form = ptx_form(vector->name);
    uint64_t value[4], unsure[4];
    ck_assert_msg(form != NULL, "%s", vector->name);
    for (int i = 0; i < 4; i++) {
      value[i] = vector->source[i].value;
      unsure[i] = vector->source[i].unsure;
    }
    uint64_t result = unsure_of(form, form->run, value, unsure);
    ck_assert_msg(result == vector->unsure, "vector %zu, %s: %#llx are unsure, not %#llx", v,
        vector->name, (unsigned long long)result, (unsigned long long)vector->unsure);
  }
}
