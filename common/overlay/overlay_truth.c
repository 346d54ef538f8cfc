/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Column by column: the record that covers each row in either, then the runs of rows that the same
 * two cover.
 */
#include "common/overlay/overlay_truth.h"

#include <math.h>

#include "common/metrics/metrics.h"

/* One of the two sets of records, and how far it has been read. */
typedef struct {
  const StxStixel *records;
  size_t count, next;
  const StxStixel **rows; /* of the column at hand: who covers each, or NULL */
} Side;

size_t stx_judge_most(size_t count)
{
  return 2 * count; /* a run begins where a record begins, or behind the end of one */
}

static size_t lay_out(const StxJudgement *judgement, Side *side, Side *true_side, void *memory)
{
  StxLayout at = {.memory = memory};
  STX_TAKE(&at, side->rows, judgement->height);
  STX_TAKE(&at, true_side->rows, judgement->height);
  return at.size;
}

size_t stx_judge_scratch(const StxJudgement *judgement)
{
  Side unused;
  return lay_out(judgement, &unused, &unused, NULL);
}

/* ---- Columns ------------------------------------------------------------------------------ */

static bool is_valid(const StxJudgement *judgement, const StxStixel *stixel, int above)
{
  return stixel->column < judgement->columns && stixel->top <= stixel->bottom &&
         stixel->bottom < above && stixel->kind <= STX_KIND_CARRIER &&
         isfinite(stixel->disparity_top) && isfinite(stixel->disparity_bottom);
}

/* Finds the record of each row of a column. Returns the number of invalid records. */
static uint32_t read_column(const StxJudgement *judgement, Side *side, int column)
{
  uint32_t skipped = 0;
  int above = judgement->height;
  for (int y = 0; y < judgement->height; y++)
    side->rows[y] = NULL;
  for (; side->next < side->count && side->records[side->next].column <= column; side->next++) {
    const StxStixel *stixel = &side->records[side->next];
    if (stixel->column < column || !is_valid(judgement, stixel, above)) {
      skipped++;
      continue;
    }
    for (int y = stixel->top; y <= stixel->bottom; y++)
      side->rows[y] = stixel;
    above = stixel->top;
  }
  return skipped;
}

/* ---- Verdicts ----------------------------------------------------------------------------- */

static bool is_upright(const StxStixel *stixel)
{
  return stixel->kind == STX_KIND_OBJECT || stixel->kind == STX_KIND_SEGMENT;
}

static bool agree(const StxStixel *stixel, const StxStixel *truth, int row)
{
  return !stx_disparity_is_bad(
      stx_stixel_disparity_at(truth, row), stx_stixel_disparity_at(stixel, row));
}

/* Is anything known here that says whether an object is right? */
static bool counts(const StxStixel *stixel, const StxStixel *truth, int row)
{
  return stixel != NULL && truth != NULL && (is_upright(stixel) || is_upright(truth)) &&
         (!is_upright(truth) || stx_stixel_disparity_at(truth, row) != STX_DISPARITY_UNKNOWN);
}

/* STX_VERDICTS: none. */
static StxVerdict judge_pair(const StxStixel *stixel, const StxStixel *truth, int row)
{
  if (!counts(stixel, truth, row))
    return STX_VERDICTS;
  bool same = agree(stixel, truth, row);
  if (!is_upright(stixel))
    return truth->kind == STX_KIND_SEGMENT && same ? STX_VERDICTS : STX_VERDICT_MISSED;
  if (!is_upright(truth))
    return stixel->kind == STX_KIND_SEGMENT && same ? STX_VERDICTS : STX_VERDICT_FALSE;
  return same ? STX_VERDICT_FOUND : STX_VERDICT_MISPLACED;
}

static int pixels_across(const StxJudgement *judgement, int column)
{
  int64_t left = (int64_t)column * judgement->stixel_width, inside = judgement->width - left;
  int64_t across = inside < judgement->stixel_width ? inside : judgement->stixel_width;
  return across < 0 ? 0 : (int)across;
}

/* The runs of a column, from the bottom up. Returns how many records were written. */
static size_t judge_column(const StxJudgement *judgement, const Side *side, const Side *true_side,
    int column, StxStixel *out, StxVerdicts *verdicts)
{
  size_t written = 0;
  for (int bottom = judgement->height - 1, top; bottom >= 0; bottom = top - 1) {
    const StxStixel *stixel = side->rows[bottom], *truth = true_side->rows[bottom];
    for (top = bottom; top > 0; top--)
      if (side->rows[top - 1] != stixel || true_side->rows[top - 1] != truth)
        break;
    StxVerdict verdict = judge_pair(stixel, truth, (top + bottom) / 2);
    if (verdict == STX_VERDICTS)
      continue;
    verdicts->pixels[verdict] +=
        (uint64_t)(bottom - top + 1) * (uint64_t)pixels_across(judgement, column);
    StxStixel piece = verdict == STX_VERDICT_MISSED ? *truth : *stixel;
    piece.kind = STX_KIND_OBJECT;
    piece.label = (uint8_t)verdict;
    piece.top = (uint16_t)top;
    piece.bottom = (uint16_t)bottom;
    out[written++] = piece;
  }
  return written;
}

size_t stx_judge(const StxJudgement *judgement, const StxStixel *records, size_t count,
    const StxStixel *truth, size_t truth_count, StxStixel *out, void *scratch,
    StxVerdicts *verdicts)
{
  Side side = {.records = records, .count = count};
  Side true_side = {.records = truth, .count = truth_count};
  size_t written = 0;
  *verdicts = (StxVerdicts){0};
  lay_out(judgement, &side, &true_side, scratch);
  for (int c = 0; c < judgement->columns; c++) {
    verdicts->skipped += read_column(judgement, &side, c) + read_column(judgement, &true_side, c);
    written += judge_column(judgement, &side, &true_side, c, out + written, verdicts);
  }
  verdicts->skipped += (uint32_t)(count - side.next + truth_count - true_side.next);
  return written;
}
