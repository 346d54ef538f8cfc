/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/calibration/calibration_case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/testing.h"

static void write_file(char name[], const char *text)
{
  int fd = mkstemp(name);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
}

bool calibration_case_load(const char *first, const char *second, int pair, double unit, int width,
    int height, StxCalibration *calibration, StxError *error)
{
  char names[2][32] = {"/tmp/stx-first-XXXXXX", "/tmp/stx-second-XXXXXX"};
  StxCalibrationFiles files = {names[0], second != NULL ? names[1] : NULL, pair, unit};
  write_file(names[0], first);
  if (second != NULL)
    write_file(names[1], second);
  bool good = stx_calibration_load(&files, width, height, calibration, error);
  unlink(names[0]);
  if (second != NULL)
    unlink(names[1]);
  return good;
}
