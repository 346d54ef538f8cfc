/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One description of the model serves both directions: a function that codes a number returns it,
 * and when it decodes, what it is given does not matter. */
#include "gst/io/metacode.h"

#include <math.h>
#include <string.h>

#define FORMAT 2
#define HEAD 9  /* bytes: the format; length and sum of the metas */
#define BLOCK 6 /* bytes in front of a meta: number, version, length */
#define NONE G_MAXUINT32
#define SPECIAL(bits) ((bits) == NAN_BITS ? 1 : (bits) == INFINITY_BITS ? 2 : 0)
#define NAN_BITS 0x7fc00000u
#define INFINITY_BITS 0x7f800000u
#define PLAIN 13 /* in place of a power of 2: floats are coded as their bits */

/* ---- Tables -------------------------------------------------------------------------------- */

/* The number from which a field is predicted. */
typedef enum {
  BEFORE, /* the field in the record before */
  BESIDE, /* in the record of the column to the left, at the same height */
  BELOW,  /* bottom of a stixel: the top of the one below */
  END,    /* disparity at the bottom: the disparity at the top */
} From;

/* Fields of a record that follow each other and are alike. */
typedef struct {
  guint8 at, bytes, count; /* a count of 0: there are no more */
  guint8 step;             /* floats: rounded ones are multiples of 2^-step; 0: integers */
  From from;
} Field;

typedef struct {
  guint size;   /* of a record */
  guint fields; /* those of `field`, counted one by one */
  guint kind;   /* place of a byte that says how the fields behind it behave; 0: there is none */
  Field field[9];
} Table;

static const Table bytes_table = {1, 1, 0, {{0, 1, 1, 0, BEFORE}}};
static const Table points_table = {24, 6, 0, {{0, 4, 6, 6, BEFORE}}};
static const Table stixels_table = {24, 9, 6,
    {{0, 2, 1, 0, BEFORE}, {4, 2, 1, 0, BELOW}, {6, 1, 1, 0, BESIDE}, {2, 2, 1, 0, BESIDE},
        {7, 1, 1, 0, BESIDE}, {8, 4, 1, 5, BESIDE}, {12, 4, 1, 5, END}, {16, 4, 1, 2, BESIDE},
        {20, 4, 1, 5, BESIDE}}};
static const Table obstacles_table = {64, 22, 0,
    {{0, 4, 2, 0, BEFORE}, {8, 2, 6, 0, BEFORE}, {20, 4, 1, 0, BEFORE}, {24, 1, 4, 0, BEFORE},
        {28, 4, 7, 6, BEFORE}, {56, 4, 2, 4, BEFORE}}};
static const Table free_table = {
    12, 4, 0, {{10, 2, 1, 0, BEFORE}, {8, 2, 1, 0, BEFORE}, {0, 4, 2, 5, BEFORE}}};
static const Table velocities_table = {32, 10, 24,
    {{24, 1, 2, 0, BESIDE}, {26, 2, 1, 0, BESIDE}, {28, 4, 1, 0, BESIDE}, {0, 4, 6, 4, BESIDE}}};

/* The metas by their number: bytes of their numbers, and their buffers. Others are plain bytes. */
static const struct {
  guint numbers;
  const Table *buffers[2];
} metas[] = {{0}, {140, {&stixels_table}}, {140, {&obstacles_table, &free_table}},
    {172, {&points_table}}, {0, {&velocities_table, &velocities_table}}};

/* ---- Bits ---------------------------------------------------------------------------------- */

/* The probability of a 1 less a half, of 65536, and how often it was asked. */
typedef struct {
  gint16 one;
  guint16 count;
} Model;

/* Is a number special, is it 0, its sign, its length in bits, and its first bits by length. */
typedef struct {
  Model special[4], zero, sign, length[32], bits[32][8];
} NumberModel;

typedef struct {
  gboolean decodes, exact;
  guint32 low, high, code;
  const guint8 *from, *end; /* what is decoded */
  guint beyond;             /* bytes that were read behind the end */
  GByteArray *to;           /* what is coded */
  guint8 *data;             /* the metas, the first `done` bytes of which are known */
  gsize size, done;
  NumberModel head;
  gsize image;   /* where the numbers of the stixels are; 0: nowhere */
  guint *beside; /* by stixel: the one to the left of it */
  gsize stixels;
} Coder;

static guint32 next_byte(Coder *coder)
{
  return coder->from < coder->end ? *coder->from++ : (coder->beyond++, 0);
}

static guint code_bit(Coder *coder, Model *model, guint bit)
{
  const guint32 range = coder->high - coder->low;
  const guint32 middle = coder->low + (guint32)((guint64)range * (guint)(32768 + model->one) >> 16);
  gint step;

  if (coder->decodes)
    bit = coder->code <= middle;
  if (bit)
    coder->high = middle;
  else
    coder->low = middle + 1;
  for (; ((coder->low ^ coder->high) >> 24) == 0; coder->low <<= 8) {
    const guint8 first = (guint8)(coder->high >> 24);

    if (coder->decodes)
      coder->code = coder->code << 8 | next_byte(coder);
    else
      g_byte_array_append(coder->to, &first, 1);
    coder->high = coder->high << 8 | 255;
  }
  step = ((bit ? 32735 : -32736) - model->one) * 2 / (2 * model->count + 3);
  model->one = (gint16)(model->one + step);
  model->count += model->count < 30;
  return bit;
}

/* A difference, of which small ones are short. */
static guint32 code_number(Coder *coder, NumberModel *model, guint32 value)
{
  guint negative = value >> 31, length = 1, bits;
  guint32 found = 1, size = negative ? -value : value;

  if (code_bit(coder, &model->zero, size == 0))
    return 0;
  negative = code_bit(coder, &model->sign, negative);
  bits = g_bit_storage(size) - 1;
  for (guint i = 5; i-- > 0;)
    length = length << 1 | code_bit(coder, &model->length[length], bits >> i & 1);
  bits = length & 31;
  for (guint i = bits; i-- > 0;) {
    Model even = {0, 0}; /* of the low bits, which are noise */

    found = found << 1 |
            code_bit(coder, bits - i <= 3 ? &model->bits[bits][found] : &even, size >> i & 1);
  }
  return negative ? -found : found;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static guint32 get(const guint8 *at, guint bytes)
{
  guint32 value = 0;

  memcpy(&value, at, bytes);
  return GUINT32_FROM_LE(value);
}

static void set(guint8 *at, guint bytes, guint32 value)
{
  value = GUINT32_TO_LE(value);
  memcpy(at, &value, bytes);
}

/* A float and its bits. */
typedef union {
  guint32 bits;
  float value;
} Float;

/* A float times a power of 2, where that makes whole numbers of all of its field. */
static guint32 to_whole(guint32 bits, guint step)
{
  const double value = step < PLAIN ? ldexp((Float){bits}.value, (int)step) : 0;

  if (step == PLAIN)
    return bits;
  return fabs(value) < 2147483648.0 ? (guint32)(gint32)value : 0; /* and 0 of what is no number */
}

static guint32 from_whole(guint32 whole, guint step)
{
  return step == PLAIN ? whole : (Float){.value = (float)ldexp((gint32)whole, -(int)step)}.bits;
}

/* Rounds a field unless it must be exact. Returns the power of 2. */
static guint prepare(const Coder *coder, guint8 *at, gsize count, guint size, guint step)
{
  guint found = 0;

  for (gsize i = 0; i < count; i++, at += size) {
    Float f = {get(at, 4)};

    if (!coder->exact && fabsf(f.value) < 32768) {
      f.value = rintf(ldexpf(f.value, (int)step)) / (float)(1 << step) + 0;
      set(at, 4, f.bits);
    }
    while (
        found < PLAIN && !SPECIAL(f.bits) && from_whole(to_whole(f.bits, found), found) != f.bits)
      found++;
  }
  return found;
}

/* ---- Records ------------------------------------------------------------------------------- */

/* Codes a field that is expected to be `less` than `other`; NULL: nothing is expected. Not a number
 * and infinity are told apart from other floats, and predict none: the last usual float does. */
static void code_field(Coder *coder, NumberModel *model, guint8 *at, const guint8 *other,
    guint less, const Field *field, guint step, guint32 *usual)
{
  guint32 value = get(at, field->bytes), expected = other != NULL ? get(other, field->bytes) : 0;
  guint unusual = field->step > 0 ? SPECIAL(expected) : 0, kind = SPECIAL(value);

  if (field->step > 0 && code_bit(coder, &model->special[unusual > 0], kind > 0)) {
    kind = code_bit(coder, &model->special[2 + (unusual > 1)], kind > 1);
    set(at, 4, kind ? INFINITY_BITS : NAN_BITS);
    return;
  }
  expected = (unusual ? *usual : to_whole(expected, step)) - less;
  *usual = expected + code_number(coder, model, to_whole(value, step) - expected);
  set(at, field->bytes, from_whole(*usual, step));
}

/* Finds the record of the column to the left at the height of this one's bottom. `columns` are the
 * first ones of both columns. */
static gsize find_left(Coder *coder, const guint8 *records, gsize i, gsize columns[2])
{
  const guint8 *now = records + 24 * i;
  const gboolean new = i == 0 || get(now, 2) != get(now - 24, 2);
  gsize left = i > 0 ? i - 1 : 0;

  if (new) {
    columns[0] = columns[1];
    columns[1] = i;
  }
  if (columns[1] > 0)
    left = new ? columns[0] : coder->beside[i - 1];
  while (left + 1 < columns[1] && get(records + left * 24 + 2, 2) + 8 > get(now + 4, 2))
    left++;
  return coder->beside[i] = (guint)left;
}

static void code_table(Coder *coder, const Table *table, gsize count)
{
  const guint kinds = table->kind > 0 ? 16 : 1, size = table->size;
  guint8 *records = coder->data + coder->done;
  NumberModel *models = g_new0(NumberModel, table->fields * kinds);
  guint32 usual[24] = {0};
  guint steps[24];
  gsize columns[2] = {0};
  guint k = 0;

  for (const Field *field = table->field; k < table->fields; field++)
    for (guint c = 0; c < field->count; c++, k++) {
      steps[k] = PLAIN;
      if (field->step > 0 && !coder->decodes)
        steps[k] = prepare(coder, records + field->at + 4 * c, count, size, field->step);
      if (field->step > 0)
        steps[k] = MIN(code_number(coder, &coder->head, steps[k]), PLAIN);
    }
  if (table == &stixels_table) {
    g_free(coder->beside);
    coder->beside = g_new0(guint, coder->stixels = count);
  }
  for (gsize i = 0; i < count && coder->beyond <= 4; i++) {
    guint8 *now = records + i * size;
    const guint8 *before = i > 0 ? now - size : now, *left = before;
    guint model = 0;

    if (table == &velocities_table && coder->stixels == count)
      left = records + coder->beside[i] * size;
    k = 0;
    for (const Field *field = table->field; k < table->fields; field++)
      for (guint c = 0; c < field->count; c++, k++) {
        const guint at = field->at + field->bytes * c;
        const gboolean is_kind = kinds > 1 && at == table->kind;
        const guint8 *other = i > 0 ? before + at : NULL;
        gboolean above = FALSE; /* … the record before, in its column */

        if (table == &stixels_table && k == 2)
          left = records + find_left(coder, records, i, columns) * size;
        if (field->from == END)
          other = now + at - 4;
        else if (i > 0 && field->from == BELOW) {
          above = get(now, 2) == get(before, 2);
          other = above ? before + 2 : records + 4;
        } else if (i > 0 && field->from == BESIDE)
          other = left + at;
        if (is_kind && i > 0)
          model = left[at] & 7;
        code_field(
            coder, &models[k * kinds + model], now + at, other, above, field, steps[k], &usual[k]);
        if (is_kind)
          model = (now[at] & 7u) * 2 + (i > 0 && now[at] == left[at]);
      }
  }
  coder->done += count * size;
  g_free(models);
}

/* ---- Metas --------------------------------------------------------------------------------- */

/* A number outside of records. */
static guint32 code_head(Coder *coder, guint bytes, guint32 expected)
{
  guint8 *at = coder->data + coder->done;

  set(at, bytes, expected + code_number(coder, &coder->head, get(at, bytes) - expected));
  coder->done += bytes;
  return get(at, bytes);
}

/* The numbers of a meta, and its buffers; what fits no table is plain bytes. */
static void code_meta(Coder *coder, guint meta, gsize size)
{
  const gsize begin = coder->done, end = begin + size;
  const guint numbers = meta < G_N_ELEMENTS(metas) ? metas[meta].numbers : 0;

  for (guint i = 0; i < numbers && numbers <= size; i += 4)
    code_head(coder, 4, meta == 2 && coder->image > 0 ? get(coder->data + coder->image + i, 4) : 0);
  if (meta == 1 && numbers <= size)
    coder->image = begin;
  for (guint i = 0; i < 2 && meta < G_N_ELEMENTS(metas) && end - coder->done >= 4; i++) {
    const Table *table = metas[meta].buffers[i];
    gsize length = code_head(coder, 4, 0);

    if (length == NONE)
      continue;
    if (table == NULL || length > end - coder->done || length % table->size != 0)
      break;
    code_table(coder, table, length / table->size);
  }
  code_table(coder, &bytes_table, end - coder->done);
}

static void code_metas(Coder *coder)
{
  coder->high = G_MAXUINT32;
  while (coder->size - coder->done >= BLOCK && coder->beyond <= 4) {
    guint meta = code_head(coder, 1, 0), version = code_head(coder, 1, 1);
    gsize size = code_head(coder, 4, 0);

    code_meta(coder, version == 1 ? meta : 0, MIN(size, coder->size - coder->done));
  }
  code_table(coder, &bytes_table, coder->size - coder->done);
  g_free(coder->beside);
}

/* FNV-1a: an arithmetic decoder makes something of any bytes. */
static guint32 sum_of(const guint8 *data, gsize size)
{
  guint32 sum = 2166136261u;

  for (gsize i = 0; i < size; i++)
    sum = (sum ^ data[i]) * 16777619u;
  return sum;
}

gboolean gst_stx_metas_code(GBytes *bytes, gboolean exact, GByteArray *to)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  guint8 head[HEAD] = {FORMAT}, last;
  guint begin = to->len;
  Coder coder = {.exact = exact, .to = to, .size = size};

  if (size > GST_STX_METACODE_MOST)
    return FALSE;
  coder.data = g_memdup2(data, size);
  g_byte_array_append(to, head, sizeof head);
  code_metas(&coder);
  last = (guint8)((coder.low >> 24) + 1); /* with zeros behind it, between the two */
  g_byte_array_append(to, &last, 1);
  set(to->data + begin + 1, 4, (guint32)size);
  set(to->data + begin + 5, 4, sum_of(coder.data, size));
  g_free(coder.data);
  return TRUE;
}

GBytes *gst_stx_metas_decode(const guint8 *data, gsize size, const gchar **why)
{
  Coder coder = {.decodes = TRUE, .from = data + HEAD, .end = data + size};

  *why = "it is of another version";
  if (size > 0 && data[0] != FORMAT)
    return NULL;
  *why = "it is cut or forged";
  if (size <= HEAD || get(data + 1, 4) > GST_STX_METACODE_MOST)
    return NULL;
  coder.size = get(data + 1, 4);
  coder.data = g_malloc0(coder.size);
  for (guint i = 0; i < 4; i++)
    coder.code = coder.code << 8 | next_byte(&coder);
  code_metas(&coder);
  if (coder.beyond <= 4 && sum_of(coder.data, coder.size) == get(data + 5, 4))
    return g_bytes_new_take(coder.data, coder.size);
  g_free(coder.data);
  return NULL;
}
