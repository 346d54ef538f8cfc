/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_border.h"

#include "common/parallel.h"
#include "common/sgm/sgm_math.h"

enum { WINDOW = STX_SGM_BORDER_WINDOW };

typedef struct {
  const StxSgmParams *params;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
} Border;

/* x1 of the header, or −1; width >= WINDOW. */
static int first_seen(const uint16_t *disparity, int width, int max_disparity)
{
  int known = 0, x = 0;
  for (int i = 0; i < WINDOW; i++)
    known += disparity[i] != STX_DISPARITY_UNKNOWN;
  for (; known < STX_SGM_BORDER_KNOWN; x++) {
    if (x + 1 == max_disparity || x + WINDOW == width)
      return -1;
    known +=
        (disparity[x + WINDOW] != STX_DISPARITY_UNKNOWN) - (disparity[x] != STX_DISPARITY_UNKNOWN);
  }
  while (disparity[x] == STX_DISPARITY_UNKNOWN)
    x++;
  return x;
}

static void clear_row(void *data, int y, int worker)
{
  const Border *b = data;
  uint16_t *disparity = stx_row16(b->disparity, y);
  const int width = b->params->width;
  const int seen = width >= WINDOW ? first_seen(disparity, width, b->params->max_disparity) : 0;
  const int pixels = seen >= 0 && width >= WINDOW ? stx_sgm_rounded(disparity[seen]) : WINDOW;
  const int strip = seen < 0 ? WINDOW : seen < pixels ? seen : pixels; /* columns not seen */
  for (int x = 0; x < strip; x++) {
    if (disparity[x] != STX_DISPARITY_UNKNOWN && b->confidence->data != NULL)
      stx_row8(b->confidence, y)[x] = 0;
    disparity[x] = STX_DISPARITY_UNKNOWN;
  }
}

void stx_sgm_border(const StxSgmParams *params, const StxImage16 *disparity,
    const StxImage8 *confidence, int threads)
{
  Border border = {params, disparity, confidence};
  stx_parallel(threads, params->height, clear_row, &border);
}
