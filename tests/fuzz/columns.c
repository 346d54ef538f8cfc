/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns into sat-dp-stixels and rdp-columns: any cells, in caps that fit or not. What comes out
 * covers every row of every column once, in order, with numbers that are in range.
 */
#include <math.h>
#include <string.h>

#include "common/columns.h"
#include "common/stixel.h"
#include "tests/fuzz/rig.h"

/* ---- What comes out ------------------------------------------------------------------------ */

static void check_record(const StxStixel *record, const StxGrid *grid)
{
  stx_fuzz_expect(record->top <= record->bottom, "rows %u to %u", record->top, record->bottom);
  stx_fuzz_expect(record->kind <= STX_KIND_SKY, "kind %u", record->kind);
  stx_fuzz_expect(
      record->label == STX_LABEL_NONE || record->label < grid->classes, "label %u", record->label);
  stx_fuzz_expect(isfinite(record->disparity_top) && isfinite(record->disparity_bottom) &&
                      isfinite(record->cost) && record->confidence >= 0 && record->confidence <= 1,
      "%g %g %g %g", (double)record->disparity_top, (double)record->disparity_bottom,
      (double)record->cost, (double)record->confidence);
}

/* From the first column on, each from the bottom of the image up. */
static void check_cover(const StxStixel *records, gsize count, const StxGrid *grid)
{
  int column = 0, below = grid->height;

  for (gsize i = 0; i < count; i++) {
    check_record(&records[i], grid);
    stx_fuzz_expect(records[i].column == column && records[i].bottom + 1 == below,
        "record %" G_GSIZE_FORMAT " is not the next one", i);
    below = records[i].top;
    if (below == 0) {
      below = grid->height;
      column++;
    }
  }
  stx_fuzz_expect(
      column == stx_grid_columns(grid) && below == grid->height, "it ends in column %d", column);
}

static void take_stixels(StxRig *rig, GstBuffer *output, const GstCaps *caps)
{
  gint columns = 0;
  GstMapInfo map;

  gst_structure_get_int(gst_caps_get_structure(caps, 0), "columns", &columns);
  stx_fuzz_expect(columns == stx_grid_columns(rig->expected), "other columns in the caps");
  stx_fuzz_expect(gst_buffer_map(output, &map, GST_MAP_READ), "no map");
  stx_fuzz_expect(map.size % sizeof(StxStixel) == 0, "no whole records");
  check_cover((const StxStixel *)(gpointer)map.data, map.size / sizeof(StxStixel), rig->expected);
  gst_buffer_unmap(output, &map);
}

static StxRig rigs[] = {
    {"sat-dp-stixels threads=1", {"sink"}, NULL, take_stixels},
    {"sat-dp-stixels threads=1 backend=c", {"sink"}, NULL, take_stixels},
    {"sat-dp-stixels threads=1 cut-candidates=rdp ground=estimate post-messages=true", {"sink"},
        NULL, take_stixels},
    {"sat-dp-stixels threads=1 stixel-cost=0 sigma-disparity-object=64 unknown-cost=1000 "
     "ground-sigma-slope=0.01 pair-slope=100",
        {"sink"}, NULL, take_stixels},
    {"rdp-columns threads=1", {"sink"}, NULL, take_stixels},
    {"rdp-columns threads=1 epsilon=0 median=7 post-messages=true", {"sink"}, NULL, take_stixels},
    {"rdp-columns threads=1 backend=c median=3", {"sink"}, NULL, take_stixels},
};

/* ---- What goes in -------------------------------------------------------------------------- */

#define MOST_CELLS 1024

/* A grid of few cells, or any numbers. */
static StxGrid read_grid(StxFuzzInput *input)
{
  StxGrid grid;

  if (stx_fuzz_byte(input) >= 0xF0) {
    grid.width = stx_fuzz_number(input);
    grid.height = stx_fuzz_number(input);
    grid.cell_width = stx_fuzz_number(input);
    grid.cell_height = stx_fuzz_number(input);
    grid.classes = stx_fuzz_number(input);
    return grid;
  }
  grid.cell_width = stx_fuzz_size(input, STX_GRID_MAX_CELL);
  grid.cell_height = stx_fuzz_size(input, STX_GRID_MAX_CELL);
  grid.width = stx_fuzz_size(input, 6 * grid.cell_width);
  grid.height = stx_fuzz_size(input, 24 * grid.cell_height);
  grid.classes = stx_fuzz_below(input, STX_MAX_CLASSES + 2);
  return grid;
}

static GstCaps *caps_of(StxFuzzInput *input, const StxGrid *grid)
{
  StxError error;
  gboolean good = stx_grid_check(grid, &error);
  gint wrong = stx_fuzz_byte(input);
  GstCaps *caps = gst_caps_new_simple("application/x-stixel-columns", "width", G_TYPE_INT,
      grid->width, "height", G_TYPE_INT, grid->height, "stixel-width", G_TYPE_INT, grid->cell_width,
      "stixel-height", G_TYPE_INT, grid->cell_height, "classes", G_TYPE_INT, grid->classes,
      "columns", G_TYPE_INT, good && wrong != 255 ? stx_grid_columns(grid) : stx_fuzz_number(input),
      "rows", G_TYPE_INT, good && wrong != 254 ? stx_grid_rows(grid) : stx_fuzz_number(input),
      "framerate", GST_TYPE_FRACTION, 10, 1, NULL);

  stx_fuzz_add_camera(input, caps);
  return caps;
}

/* Of the caps where they make few cells, else of a few bytes. */
static gsize size_of(const StxGrid *grid)
{
  StxError error;

  return stx_grid_check(grid, &error) &&
                 (gsize)stx_grid_columns(grid) * stx_grid_rows(grid) <= MOST_CELLS
             ? stx_grid_bytes(grid)
             : 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  StxFuzzInput input = {data, data + size};
  StxRig *rig = &rigs[stx_fuzz_below(&input, G_N_ELEMENTS(rigs))];
  StxGrid grid = read_grid(&input);
  gsize bytes = stx_rig_wrong_size(&input, size_of(&grid));
  StxRigLayout layout = stx_rig_layout(&input);
  guint frames = 1 + (guint)stx_fuzz_below(&input, 2);

  rig->expected = &grid;
  stx_rig_begin(rig);
  stx_rig_caps(rig, 0, caps_of(&input, &grid));
  stx_rig_segment(rig, 0);
  for (guint i = 0; i < frames; i++, input.at += input.at < input.end)
    stx_rig_push(rig, 0, stx_rig_buffer(&input, layout, bytes, i));
  if (stx_rig_end(rig))
    stx_fuzz_expect(rig->outputs == frames, "%u buffers came out of %u", rig->outputs, frames);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

/* A road below the middle, a box on it, and holes. */
static void put_cells(StxBytes *seed, int rows, size_t number)
{
  for (int row = 0; row < rows; row++) {
    int disparity = row > rows / 2 ? 64 * (row - rows / 2) : row > rows / 4 ? 512 : 0;

    disparity = (size_t)row == number % 7 ? 0 : disparity;
    stx_bytes_put(seed, &(uint16_t){(uint16_t)disparity}, 2);
  }
}

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const int grids[][5] = {
      {8, 8, 16, 96, 0}, {4, 4, 17, 45, 19}, {1, 1, 3, 24, 0}, {128, 128, 300, 200, 32}};
  const int *grid = grids[number / G_N_ELEMENTS(rigs) % G_N_ELEMENTS(grids)];

  if (number >= 2 * G_N_ELEMENTS(rigs) * G_N_ELEMENTS(grids))
    return false;
  stx_fuzz_put_byte(seed, (int)(number % G_N_ELEMENTS(rigs)));
  stx_fuzz_put_byte(seed, 0);
  for (int i = 0; i < 4; i++)
    stx_fuzz_put_number(seed, grid[i]);
  stx_fuzz_put_byte(seed, grid[4]);
  stx_fuzz_put_byte(seed, 0);                 /* of the right size */
  stx_fuzz_put_byte(seed, (int)(number & 3)); /* layout */
  stx_fuzz_put_byte(seed, (int)(number & 1)); /* frames */
  stx_fuzz_put_byte(seed, 0);                 /* the right counts */
  stx_fuzz_put_camera(seed, (StxFuzzCamera)(number % 3));
  for (int column = 0; column < 3; column++)
    put_cells(seed, (grid[3] + grid[1] - 1) / grid[1], number + (size_t)column);
  return true;
}

static const char *const words[] = {"\xFF\xFF", "\x01\xFE", "\xFF\xFF\xFF\x7F", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 5000};
