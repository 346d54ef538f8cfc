/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which classes are ground and sky, as users write it: read, written and refused. */
#include "common/satdp/satdp.h"
#include "tests/testing.h"

#include <string.h>

static const StxSpelling *spelling(void)
{
  return stx_fields_find(&stx_satdp_fields, "class-kinds")->spelling;
}

static StxSatdpParams good_params(void)
{
  StxSatdpParams params = STX_SATDP_DEFAULTS;
  params.grid = (StxGrid){64, 64, 8, 8, 19};
  return params;
}

START_TEST(reads_names_and_numbers)
{
  static const struct {
    const char *text;
    uint32_t ground, sky;
    const char *written;
  } cases[] = {
      {"ground=road,1,9;sky=10", 1u << 0 | 1u << 1 | 1u << 9, 1u << 10,
          "ground=road,sidewalk,terrain;sky=sky"},
      {"sky=sky,31;ground=traffic light", 1u << 6, 1u << 10 | 1u << 31,
          "ground=traffic light;sky=sky,31"},
      {"ground=18,18", 1u << 18, 0, "ground=bicycle;sky="},
      {"ground=;sky=", 0, 0, "ground=;sky="},
      {"", 0, 0, "ground=;sky="},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSatdpParams params = good_params(), before = params;
    StxError error = {""};
    char text[STX_SPELLING_SIZE];
    ck_assert_msg(spelling()->read(cases[i].text, &params, &error), "%s", error.text);
    ck_assert_uint_eq(params.ground_classes, cases[i].ground);
    ck_assert_uint_eq(params.sky_classes, cases[i].sky);
    ck_assert(stx_satdp_check(&params, NULL));
    spelling()->write(&params, text);
    ck_assert_str_eq(text, cases[i].written);
    params.ground_classes = before.ground_classes, params.sky_classes = before.sky_classes;
    ck_assert_mem_eq(&params, &before, sizeof params);
  }
}
END_TEST

START_TEST(writes_the_most_there_can_be)
{
  StxSatdpParams params = good_params();
  char text[STX_SPELLING_SIZE];
  params.ground_classes = params.sky_classes = UINT32_MAX;
  spelling()->write(&params, text);
  const char *sky = strstr(text, ";sky=road,sidewalk,");
  ck_assert_ptr_nonnull(sky);
  ck_assert_str_eq(sky + strlen(sky) - 3, ",31");
}
END_TEST

/* The words of the refusal; and what was read is refused by the check, too. */
START_TEST(refuses_what_it_does_not_understand)
{
  static const char *const cases[][2] = {
      {"ground=road;sky=0", "class 0 (road) is ground and sky"},
      {"ground=30,31;sky=10,31", "class 31 (none) is ground and sky"},
      {"ground=32", "there is no class 32, must be a name of Cityscapes or 0 to 31"},
      {"ground=01", "there is no class 01"},
      {"ground=-1", "there is no class -1"},
      {"ground=,road", "there is no class ,"},
      {"ground=roads;sky=10", "there is no class roads"},
      {"ground=none", "there is no class none"},
      {"grass=9;sky=10", "class_kinds: grass=9, must be ground=CLASS,... or sky=CLASS,..."},
      {"ground", "class_kinds: ground, must be"},
      {"0,1,9", "class_kinds: 0,1,9, must be"},
      {";", "class_kinds: , must be"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSatdpParams params = good_params();
    StxError error = {""};
    ck_assert_msg(!spelling()->read(cases[i][0], &params, &error), "%s", cases[i][0]);
    ck_assert_msg(
        strstr(error.text, cases[i][1]) != NULL, "'%s' lacks '%s'", error.text, cases[i][1]);
    ck_assert(!stx_satdp_check(&params, &error));
    ck_assert_msg(strstr(error.text, i < 2 ? cases[i][1] : "class_kinds is not understood") != NULL,
        "'%s'", error.text);
  }
}
END_TEST

static const StxTest tests[] = {{&reads_names_and_numbers}, {&writes_the_most_there_can_be},
    {&refuses_what_it_does_not_understand}};
STX_TESTING_MAIN("satdp_kinds", tests)
