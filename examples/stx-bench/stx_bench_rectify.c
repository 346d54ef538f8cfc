/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A camera as most are, for the stage rectify. */
#include "examples/stx-bench/stx_bench.h"

#define FOCAL .55 /* of the width */
#define TURN .01  /* radians, about the vertical */

void bench_rectify_view(const BenchInput *input, StxRectifyView *view)
{
  double focal = FOCAL * input->width, x = input->width / 2.0, y = input->height / 2.0;
  *view = (StxRectifyView){
      .lens = {focal, focal, x, y, STX_LENS_BROWN, {-.17, .025, .001, -.002}},
      .source_width = input->width,
      .source_height = input->height,
      .r = {1, 0, -TURN, 0, 1, 0, TURN, 0, 1},
      .fx = focal,
      .fy = focal,
      .cx = x,
      .cy = y,
      .width = input->width,
      .height = input->height,
      .scale = 1,
  };
}
