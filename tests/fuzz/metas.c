/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as metas of a buffer. What is taken is written again as the same, and can be asked for
 * stixels and obstacles. Any bytes also come back from the code of an SEI message, and may be one.
 */
#include "gst/io/metacode.h"
#include "gst/stixels/stixels.h"
#include "tests/fuzz/fuzz.h"

enum { POINTS = 2 };

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  gst_init(NULL, NULL);
  return 0;
}

static void look_up(GstBuffer *buffer)
{
  g_autoptr(GstCaps) caps =
      gst_caps_from_string("video/x-raw,format=GRAY8,width=16,height=2,framerate=10/1");
  g_autoptr(GstStxStixels) stixels = gst_stx_stixels_new_from_buffer(buffer, caps, NULL);
  g_autoptr(GstStxObstacles) obstacles = gst_stx_obstacles_new_from_buffer(buffer, caps, NULL);
  gdouble x, y, width, height;

  for (guint i = 0; stixels != NULL && i < gst_stx_stixels_get_count(stixels); i++)
    gst_stx_stixels_get_rectangle(stixels, i, &x, &y, &width, &height);
  for (guint i = 0; obstacles != NULL && i < gst_stx_obstacles_get_count(obstacles); i++)
    gst_stx_obstacles_get_rectangle(obstacles, i, &x, &y, &width, &height);
}

static void check_code(GBytes *bytes)
{
  g_autoptr(GByteArray) code = g_byte_array_new();
  g_autoptr(GBytes) back = NULL;
  g_autoptr(GBytes) forged = NULL;
  const gchar *why;

  gst_stx_metas_code(bytes, TRUE, code);
  back = gst_stx_metas_decode(code->data, code->len, &why);
  stx_fuzz_expect(back != NULL && g_bytes_equal(bytes, back), "other bytes from their code");
  for (gsize i = 9; i < code->len; i++) /* behind the head: the sum is that of other bytes */
    code->data[i] ^= (guint8)(i % 5 == 0);
  forged = gst_stx_metas_decode(code->data, code->len, &why);
  stx_fuzz_expect(forged == NULL || g_bytes_equal(bytes, forged), "forged code is taken");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, POINTS * 16, NULL);
  g_autoptr(GstBuffer) copy = gst_buffer_new_allocate(NULL, POINTS * 16, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) once = NULL;
  g_autoptr(GBytes) twice = NULL;

  if (size % 8 == 0) /* it takes longer */
    check_code(bytes);
  if (!gst_stx_metas_from_bytes(buffer, bytes, &error)) {
    stx_fuzz_expect_text(error->message);
    stx_fuzz_expect(gst_stx_metas_to_bytes(buffer) == NULL, "refused, and yet added");
    return 0;
  }
  once = gst_stx_metas_to_bytes(buffer);
  look_up(buffer);
  if (once == NULL)
    return 0;
  stx_fuzz_expect(gst_stx_metas_from_bytes(copy, once, NULL), "its own bytes refused");
  twice = gst_stx_metas_to_bytes(copy);
  stx_fuzz_expect(g_bytes_equal(once, twice), "other bytes");
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

static void attach(GstBuffer *buffer, size_t kind)
{
  static const GstStxStixelInfo info = {16, 2, 8, 2, {.focal = 50, .baseline = .5}};
  static const guint8 zeros[64];
  const size_t sizes[] = {24, 64, 24, 32, 6, 6, 16, 8};
  g_autoptr(GstBuffer) held = gst_buffer_new_memdup(zeros, sizes[kind]);
  StxMotion motion = {.state = STX_MOTION_FIRST};

  if (kind == 0)
    gst_buffer_add_stx_stixel_meta(buffer, held, &info);
  else if (kind == 1)
    gst_buffer_add_stx_obstacles_meta(buffer, held, NULL, &info);
  else if (kind == 2)
    gst_buffer_add_stx_motion_meta(buffer, &motion, 1, held, 16, 2);
  else if (kind == 3)
    gst_buffer_add_stx_velocities_meta(buffer, held, held);
  else if (kind == 4)
    gst_buffer_add_stx_confidence_meta(buffer, held, 3, 2);
  else if (kind == 5)
    gst_buffer_add_stx_occupancy_meta(buffer, held, 2, 3, .5);
  else if (kind == 6)
    gst_buffer_add_stx_turn_meta(buffer, held);
  else
    gst_buffer_add_stx_point_labels_meta(buffer, held);
}

/* Each alone, then all from the first on. */
bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, POINTS * 16, NULL);
  g_autoptr(GBytes) bytes = NULL;
  gsize size;
  const guint8 *data;

  if (number >= 16)
    return false;
  for (size_t kind = number < 8 ? number : 0; kind <= number % 8; kind++)
    attach(buffer, kind);
  bytes = gst_stx_metas_to_bytes(buffer);
  data = g_bytes_get_data(bytes, &size);
  for (gsize i = 0; i < size; i++)
    stx_fuzz_put_byte(seed, data[i]);
  return true;
}

static const char *const words[] = {"\1\1", "\2\1", "\3\1", "\377\377\377\377", "\1\2", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 200000};
