/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-sei: what it writes into coded pictures comes back, through files, cuts and decoders. */
#include "gst/stixels/stixels.h"

#include "tests/gst/fixtures/util.h"

#include <gst/video/video-sei.h>
#include <math.h>
#include <string.h>

/* ---- Pictures that are no real ones --------------------------------------------------------- */

static const struct {
  const char *caps;
  guint prefix; /* bytes of a length; 0: start codes */
  guint8 before[2], picture[2], sei[2];
  guint sei_bytes;
} kinds[] = {
    {"video/x-h264,stream-format=byte-stream,alignment=au", 0, {0x67, 9}, {0x65, 8}, {6}, 1},
    {"video/x-h264,stream-format=avc,alignment=au,codec_data=(buffer)01640028ff", 4, {0x67, 9},
        {0x65, 8}, {6}, 1},
    {"video/x-h264,stream-format=avc,alignment=au,codec_data=(buffer)01640028fd", 2, {0x67, 9},
        {0x41, 8}, {6}, 1},
    {"video/x-h265,stream-format=byte-stream,alignment=au", 0, {0x42, 1}, {0x26, 1}, {0x4e, 1}, 2},
};

static void put_unit(GByteArray *bytes, guint prefix, const guint8 head[2])
{
  const guint8 start[] = {0, 0, 1}, length[] = {0, 0, 0, 5}, body[] = {1, 2, 3};

  if (prefix > 0)
    g_byte_array_append(bytes, length + 4 - prefix, prefix);
  else
    g_byte_array_append(bytes, start, sizeof start);
  g_byte_array_append(bytes, head, 2);
  g_byte_array_append(bytes, body, sizeof body);
}

static GstBuffer *new_picture(guint kind)
{
  GByteArray *bytes = g_byte_array_new();
  GBytes *whole;
  GstBuffer *buffer;

  put_unit(bytes, kinds[kind].prefix, kinds[kind].before);
  put_unit(bytes, kinds[kind].prefix, kinds[kind].picture);
  whole = g_byte_array_free_to_bytes(bytes);
  buffer = gst_buffer_new_wrapped_bytes(whole);
  g_bytes_unref(whole);
  GST_BUFFER_PTS(buffer) = 0;
  return buffer;
}

/* Zeros, which have to be escaped once they are compressed, and others. */
static void attach(GstBuffer *buffer)
{
  StxMotion motion = {.state = STX_MOTION_KNOWN, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  g_autoptr(GstBuffer) points = gst_buffer_new_allocate(NULL, 100 * sizeof(StxMotionPoint), NULL);
  GstMapInfo map;

  gst_buffer_map(points, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8)(i * i * i >> 5);
  gst_buffer_unmap(points, &map);
  gst_buffer_add_stx_motion_meta(buffer, &motion, 7, points, 64, 32);
}

/* The message of the first SEI unit, from the UUID on, as a parser has it. Fails if there is none,
 * or if it looks like two. */
static GByteArray *message_of(GstBuffer *buffer, guint kind)
{
  GByteArray *message = g_byte_array_new();
  guint zeros = 0, prefix = kinds[kind].prefix, size = 0, at = 2;
  gsize begin = (prefix > 0 ? 2 * prefix : 3 + 4) + 5, end;
  GstMapInfo map;

  gst_buffer_map(buffer, &map, GST_MAP_READ);
  end = map.size;
  for (guint i = 0; i < prefix; i++)
    end = (i > 0 ? end << 8 : 0) | map.data[begin - prefix + i];
  end = prefix > 0 ? begin + end : map.size;
  ck_assert_int_eq(memcmp(map.data + begin, kinds[kind].sei, kinds[kind].sei_bytes), 0);
  for (gsize i = begin + kinds[kind].sei_bytes; i < end; i++) {
    if (prefix == 0 && zeros >= 2 && map.data[i] == 1)
      break;
    if (zeros == 2 && map.data[i] == 3) {
      zeros = 0;
      continue;
    }
    ck_assert(zeros < 2 || map.data[i] > 3);
    zeros = map.data[i] == 0 ? zeros + 1 : 0;
    g_byte_array_append(message, map.data + i, 1);
  }
  gst_buffer_unmap(buffer, &map);
  ck_assert_uint_eq(message->data[0], 5);
  for (size = message->data[1]; message->data[at - 1] == 255; at++)
    size += message->data[at];
  ck_assert_uint_ge(message->len, at + size + 1);
  ck_assert_uint_eq(message->data[at + size], 0x80);
  g_byte_array_set_size(message, at + size);
  g_byte_array_remove_range(message, 0, at);
  return message;
}

static GstBuffer *pass_by(const char *line, const char *caps, GstBuffer *buffer, gboolean warns)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);
  GstBuffer *output;

  gst_harness_set_src_caps_str(harness, caps);
  output = gst_harness_push_and_pull(harness, buffer);
  if (warns)
    stx_test_expect_warning(bus, "SEI");
  else
    stx_test_expect_silence(bus);
  return output;
}

static GstBuffer *pass(const char *caps, GstBuffer *buffer, gboolean warns)
{
  return pass_by("stixel-sei", caps, buffer, warns);
}

#define RAW "video/x-raw,format=GRAY8,width=64,height=32,framerate=10/1"

static GstBuffer *read_back(const guint8 *message, gsize size, gboolean warns)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);

  gst_buffer_add_video_sei_user_data_unregistered_meta(
      frame, (guint8 *)message, (guint8 *)message + 16, size - 16);
  return pass(RAW, frame, warns);
}

STX_TEST_LOOP(metas_come_back_from_the_message, G_N_ELEMENTS(kinds))
{
  GstBuffer *picture = new_picture((guint)_i);
  gsize size = gst_buffer_get_size(picture);
  g_autoptr(GBytes) sent = NULL;
  g_autoptr(GBytes) found = NULL;
  g_autoptr(GByteArray) message = NULL;
  g_autoptr(GstBuffer) frame = NULL;

  attach(picture);
  sent = gst_stx_metas_to_bytes(picture);
  picture = pass(kinds[_i].caps, picture, FALSE);
  ck_assert_uint_gt(gst_buffer_get_size(picture), size);
  message = message_of(picture, (guint)_i);
  gst_buffer_unref(picture);
  frame = read_back(message->data, message->len, FALSE);
  found = gst_stx_metas_to_bytes(frame);
  ck_assert(found != NULL && g_bytes_equal(sent, found));
}

/* Records of a street, in columns; numbers that are not finite come back, too. */
static GstBuffer *new_street(void)
{
  enum { COLUMNS = 40, EACH = 3 };
  static const GstStxStixelInfo info = {640, 96, 16, COLUMNS, {.focal = 500.25, .baseline = .5}};
  StxStixel stixels[COLUMNS * EACH];
  g_autoptr(GstBuffer) held = NULL;
  GstBuffer *picture = new_picture(0);

  for (guint i = 0; i < COLUMNS * EACH; i++) {
    const guint column = i / EACH, from_below = i % EACH, border = 40 + column * 7 % 5;
    const float noise = (float)(i * i % 61) / 977;

    stixels[i] = (StxStixel){(guint16)column, (guint16)(from_below == 2 ? 0 : border - from_below),
        (guint16)(from_below == 0 ? 95 : border - from_below), (guint8)(from_below + 1), 255,
        from_below == 2 ? 0 : 8 + noise, from_below == 2 ? 0 : 9 - noise, 3 + noise, noise};
  }
  stixels[5].cost = INFINITY;
  stixels[6].cost = NAN;
  stixels[9].disparity_top = -0.f;
  held = gst_buffer_new_memdup(stixels, sizeof stixels);
  gst_buffer_add_stx_stixel_meta(picture, held, &info);
  return picture;
}

static void get_stixels(GstBuffer *buffer, StxStixel stixels[120])
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(buffer);

  ck_assert_uint_eq(
      gst_buffer_extract(meta->stixels, 0, stixels, 120 * sizeof *stixels), 120 * sizeof *stixels);
}

/* Rounded, the message is less than half as long; places and kinds stay. */
STX_TEST(records_are_exact_or_near)
{
  g_autoptr(GstBuffer) picture = new_street();
  StxStixel sent[120], found[120];
  guint sizes[2];

  get_stixels(picture, sent);
  for (guint rounds = 0; rounds < 2; rounds++) {
    g_autoptr(GstBuffer) coded = pass_by(rounds ? "stixel-sei exact=false" : "stixel-sei",
        kinds[0].caps, gst_buffer_ref(picture), FALSE);
    g_autoptr(GByteArray) message = message_of(coded, 0);
    g_autoptr(GstBuffer) frame = read_back(message->data, message->len, FALSE);

    sizes[rounds] = message->len;
    get_stixels(frame, found);
    ck_assert(rounds || memcmp(sent, found, sizeof sent) == 0);
    for (guint i = 0; i < 120; i++) {
      ck_assert_int_eq(memcmp(&sent[i], &found[i], offsetof(StxStixel, disparity_top)), 0);
      ck_assert(fabsf(sent[i].disparity_top - found[i].disparity_top) <= 1 / 64.f);
      ck_assert(fabsf(sent[i].confidence - found[i].confidence) <= 1 / 64.f);
    }
    ck_assert(isnan(found[6].cost) && isinf(found[5].cost));
  }
  ck_assert_msg(2 * sizes[1] < sizes[0], "%u bytes, exact %u", sizes[1], sizes[0]);
}

/* Velocities were made of the points of the motion, which are half of the bytes. */
STX_TEST(points_are_left_out_beside_velocities)
{
  GstBuffer *picture = new_picture(0);
  g_autoptr(GstBuffer) none = gst_buffer_new(), coded = NULL, frame = NULL;
  g_autoptr(GByteArray) message = NULL;
  GstStxMotionMeta *motion;

  attach(picture);
  gst_buffer_add_stx_velocities_meta(picture, none, none);
  coded = pass(kinds[0].caps, picture, FALSE);
  message = message_of(coded, 0);
  frame = read_back(message->data, message->len, FALSE);
  motion = gst_buffer_get_stx_motion_meta(frame);
  ck_assert(motion != NULL && motion->points == NULL && motion->interval == 7);
  ck_assert_ptr_ne(gst_buffer_get_stx_velocities_meta(frame), NULL);
}

/* A decoder and an encoder pass on what the parser said of another picture. */
STX_TEST_LOOP(a_picture_gets_one_message, G_N_ELEMENTS(kinds))
{
  GstBuffer *picture = new_picture((guint)_i);
  gsize size;
  g_autoptr(GByteArray) message = NULL;

  attach(picture);
  picture = pass(kinds[_i].caps, picture, FALSE);
  size = gst_buffer_get_size(picture);
  picture = pass(kinds[_i].caps, picture, FALSE);
  ck_assert_uint_eq(gst_buffer_get_size(picture), size);
  message = message_of(picture, (guint)_i);
  gst_buffer_unref(picture);
  picture = new_picture((guint)_i);
  attach(picture);
  gst_buffer_add_video_sei_user_data_unregistered_meta(
      picture, message->data, message->data + 16, message->len - 16);
  picture = pass(kinds[_i].caps, picture, FALSE);
  ck_assert_uint_eq(gst_buffer_get_size(picture), size);
  gst_buffer_unref(picture);
}

STX_TEST(bytes_without_a_picture_stay_as_they_are)
{
  static const guint8 noise[] = {0, 0, 0, 200, 0x65, 0, 0, 1, 0x46, 0, 0, 1};

  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
    for (gsize size = 0; size <= sizeof noise; size++) {
      g_autoptr(GstBuffer) buffer =
          size > 0 ? gst_buffer_new_memdup(noise, size) : gst_buffer_new_allocate(NULL, 0, NULL);

      attach(buffer);
      buffer = pass(kinds[kind].caps, buffer, FALSE);
      ck_assert_uint_eq(gst_buffer_get_size(buffer), size);
    }
}

STX_TEST(messages_that_are_cut_or_forged_are_left_out)
{
  GstBuffer *picture = new_picture(0);
  g_autoptr(GByteArray) message = NULL;

  attach(picture);
  picture = pass(kinds[0].caps, picture, FALSE);
  message = message_of(picture, 0);
  gst_buffer_unref(picture);
  for (guint length = 17; length < message->len; length += length < 64 ? 1 : 37) {
    g_autoptr(GstBuffer) frame = read_back(message->data, length, TRUE);

    ck_assert_ptr_eq(gst_buffer_get_stx_motion_meta(frame), NULL);
  }
  for (guint at = 16; at < message->len; at += at < 40 ? 1 : 97) { /* the head, then numbers */
    g_autoptr(GstBuffer) frame = NULL;

    message->data[at] ^= 0x55;
    frame = read_back(message->data, message->len, TRUE);
    ck_assert_ptr_eq(gst_buffer_get_stx_motion_meta(frame), NULL);
    message->data[at] ^= 0x55;
  }
  for (guint at = 0; at < 16; at += 5) { /* another's */
    g_autoptr(GstBuffer) frame = NULL;

    message->data[at] ^= 1;
    frame = read_back(message->data, message->len, FALSE);
    ck_assert_ptr_eq(gst_buffer_get_stx_motion_meta(frame), NULL);
    message->data[at] ^= 1;
  }
}

/* ---- Files ---------------------------------------------------------------------------------- */

typedef struct {
  GPtrArray *sums;   /* of the metas of each frame; "" of none */
  guint keys, first; /* key frames so far; those before number `first` and what follows are cut */
} Seen;

static GstPadProbeReturn note(GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  g_autoptr(GBytes) bytes = gst_stx_metas_to_bytes(GST_PAD_PROBE_INFO_BUFFER(probe));

  g_ptr_array_add(((Seen *)data)->sums,
      bytes != NULL ? g_compute_checksum_for_bytes(G_CHECKSUM_SHA1, bytes) : g_strdup(""));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn cut(GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  Seen *seen = data;

  seen->keys +=
      !GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(probe), GST_BUFFER_FLAG_DELTA_UNIT);
  return seen->keys > seen->first ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static Seen play(const char *line, guint first)
{
  Seen seen = {g_ptr_array_new_with_free_func(g_free), 0, first};
  g_autoptr(GstElement) pipeline = stx_test_parse(line);

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, note, &seen);
  if (first > 0)
    stx_test_probe(pipeline, "cut", "sink", GST_PAD_PROBE_TYPE_BUFFER, cut, &seen);
  stx_test_play(pipeline);
  return seen;
}

#define SIZE "video/x-raw,width=160,height=48,framerate=10/1"
#define VIEW(view) "street-scene-src num-buffers=15 view=" view " ! " SIZE
#define STIXELS                                                                                    \
  VIEW("left")                                                                                     \
  " ! o.sink " VIEW("disparity") " ! downsample-transpose ! sat-dp-stixels ! o.stixels "           \
                                 "stixel-overlay name=o ! stixel-obstacles ! videoconvert ! "      \
                                 "identity name=out ! "

static const struct {
  const char *encoder, *parser, *decoder, *muxer, *demuxer;
} files[] = {
    {"x264enc", "h264parse", "avdec_h264", "matroskamux", "matroskademux"},
    {"x264enc", "h264parse", "avdec_h264", "mp4mux", "qtdemux"},
    {"x265enc", "h265parse", "avdec_h265", "matroskamux", "matroskademux"},
};

static gboolean is_there(const char *factory)
{
  g_autoptr(GstElementFactory) found = gst_element_factory_find(factory);

  return found != NULL;
}

/* With frames that change their order; whole, and from the third key frame on. */
STX_TEST_LOOP(a_file_has_the_metas_of_each_frame, G_N_ELEMENTS(files))
{
  const gboolean is_h265 = g_str_has_prefix(files[_i].encoder, "x265");
  g_autofree gchar *path = g_strdup_printf("file-%d", _i);
  g_autofree gchar *write =
      g_strdup_printf(STIXELS "%s key-int-max=5 %s ! stixel-sei ! %s ! %s ! filesink location=%s",
          files[_i].encoder, is_h265 ? "option-string=open-gop=0" : "bframes=2", files[_i].parser,
          files[_i].muxer, path);
  Seen sent, found;

  if (!is_there(files[_i].encoder) || !is_there(files[_i].parser) || !is_there(files[_i].decoder) ||
      (is_h265 && !GST_CHECK_VERSION(1, 24, 0)))
    return;
  sent = play(write, 0);
  for (guint i = 0; i < 4; i++) { /* read behind the parser or the decoder */
    guint first = i / 2 * 2;
    g_autofree gchar *read =
        g_strdup_printf("filesrc location=%s ! %s ! %s ! identity name=cut ! %s%s ! %sfakesink "
                        "name=out",
            path, files[_i].demuxer, files[_i].parser, i % 2 ? "stixel-sei ! " : "",
            files[_i].decoder, i % 2 ? "" : "stixel-sei ! ");

    found = play(read, first);
    ck_assert_uint_gt(found.sums->len, 0);
    ck_assert(first > 0 || found.sums->len == sent.sums->len);
    for (guint k = 0; k < found.sums->len; k++) {
      const char *expected = g_ptr_array_index(sent.sums, sent.sums->len - found.sums->len + k);

      ck_assert_str_ne(expected, "");
      ck_assert_msg(
          strcmp(g_ptr_array_index(found.sums, k), expected) == 0, "frame %u: %s", k, read);
    }
    g_ptr_array_unref(found.sums);
  }
  g_ptr_array_unref(sent.sums);
}
