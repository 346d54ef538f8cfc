/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arithmetic: every form that nvcc makes of our kernels, by its whole name. Meaning as in NVIDIA's
 * "PTX ISA"; of a float that is not a number the bits are 0x7fffffff, as on a GPU.
 */
#include "tests/ptx/ptx_private.h"

#include <math.h>
#include <string.h>

typedef uint8_t pred, u8;
typedef int8_t s8;
typedef uint16_t u16, b16;
typedef uint32_t u32, b32, u16x2;
typedef uint64_t u64, b64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* ---- Lanes as values of a type, and back ----------------------------------------------------- */

#define INTEGER(T)                                                                                 \
  static inline T get_##T(uint64_t lane)                                                           \
  {                                                                                                \
    return (T)lane;                                                                                \
  }                                                                                                \
  __attribute__((unused)) static inline uint64_t put_##T(T value)                                  \
  {                                                                                                \
    return (uint64_t)value;                                                                        \
  }
INTEGER(u8)
INTEGER(s8)
INTEGER(u16)
INTEGER(s16)
INTEGER(b16)
INTEGER(u32)
INTEGER(s32)
INTEGER(b32)
INTEGER(u16x2)
INTEGER(u64)
INTEGER(s64)
INTEGER(b64)

static inline pred get_pred(uint64_t lane)
{
  return lane & 1;
}

static inline uint64_t put_pred(pred value)
{
  return value != 0;
}

static inline f32 get_f32(uint64_t lane)
{
  uint32_t bits = (uint32_t)lane;
  f32 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t put_f32(f32 value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? 0x7fffffff : bits;
}

static inline f64 get_f64(uint64_t lane)
{
  f64 value;
  memcpy(&value, &lane, sizeof value);
  return value;
}

static inline uint64_t put_f64(f64 value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* ---- Functions that C has no operator for ------------------------------------------------------
 */

/* -0 lies below 0, and what is not a number is left out. */
#define LEAST_OF(T, U)                                                                             \
  static inline T least_##T(T a, T b)                                                              \
  {                                                                                                \
    if (isnan(a) || isnan(b))                                                                      \
      return isnan(a) ? b : a;                                                                     \
    return a == b ? (signbit(a) ? a : b) : a < b ? a : b;                                          \
  }                                                                                                \
  static inline T most_##T(T a, T b)                                                               \
  {                                                                                                \
    if (isnan(a) || isnan(b))                                                                      \
      return isnan(a) ? b : a;                                                                     \
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;                                          \
  }
LEAST_OF(f32, u32)
LEAST_OF(f64, u64)

/* To integers, towards zero: out of range the nearest; what is not a number 0, but the number with
 * only the top bit if either type has 64 bits. */
#define TO_INTEGER(T, low, high, nothing)                                                          \
  static inline T trunc_##T(f64 value, bool wide)                                                  \
  {                                                                                                \
    if (isnan(value))                                                                              \
      return wide ? (T)(nothing) : 0;                                                              \
    f64 whole = trunc(value);                                                                      \
    return whole <= (f64)(low) ? (low) : whole >= (f64)(high) ? (high) : (T)whole;                 \
  }
TO_INTEGER(s32, INT32_MIN, INT32_MAX, INT32_MIN)
TO_INTEGER(u32, 0, UINT32_MAX, UINT32_C(1) << 31)
TO_INTEGER(s64, INT64_MIN, INT64_MAX, INT64_MIN)
TO_INTEGER(u64, 0, UINT64_MAX, UINT64_C(1) << 63)

static inline u32 brev(u32 v)
{
  u32 turned = 0;
  for (int i = 0; i < 32; i++)
    turned |= (v >> i & 1) << (31 - i);
  return turned;
}

/* Four bytes of the eight of b:a, each chosen by four bits; the top one of these spreads its sign.
 */
static inline u32 permute(u32 a, u32 b, u32 how)
{
  u64 both = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; i++) {
    u32 choice = how >> (4 * i);
    u32 byte = (u32)(both >> (8 * (choice & 7))) & 0xff;
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

static inline u32 table_of_three(u32 a, u32 b, u32 c, u32 table)
{
  u32 result = 0;
  for (int i = 0; i < 8; i++)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

static inline u64 insert(u64 from, u64 into, u32 at, u32 length, u32 bits)
{
  at &= 0xff, length &= 0xff;
  if (at >= bits || length == 0)
    return into;
  u64 mask = length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
  return (into & ~(mask << at)) | (from & mask) << at;
}

static inline u32 bytes_apart(u32 a, u32 b)
{
  u32 result = 0;
  for (int i = 0; i < 32; i += 8) {
    int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff);
    result |= (u32)(x > y ? x - y : y - x) << i;
  }
  return result;
}

static inline u32 sum_of_bytes(u32 a)
{
  return (a & 0xff) + (a >> 8 & 0xff) + (a >> 16 & 0xff) + (a >> 24);
}

static inline u32 dot_of_bytes(u32 a, u32 b, u32 c)
{
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}

static inline u32 add_halves(u32 a, u32 b)
{
  return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
}

static inline u32 least_halves(u32 a, u32 b)
{
  u32 low = (a & 0xffff) < (b & 0xffff) ? a & 0xffff : b & 0xffff;
  return low | (a >> 16 < b >> 16 ? a & 0xffff0000 : b & 0xffff0000);
}

static inline u32 most_halves(u32 a, u32 b)
{
  u32 low = (a & 0xffff) > (b & 0xffff) ? a & 0xffff : b & 0xffff;
  return low | (a >> 16 > b >> 16 ? a & 0xffff0000 : b & 0xffff0000);
}

/* ---- The table ------------------------------------------------------------------------------ */

#define EACH_LANE                                                                                  \
  for (int l = 0; l < PTX_LANES; l++)                                                              \
    if (mask >> l & 1)
#define FUNCTION(name) static void run_##name(uint64_t *d_, const uint64_t *const *s, uint32_t mask)
#define TAKE(T, v, i) T v = get_##T(s[i][l])

#define X1(name, R, A, result)                                                                     \
  FUNCTION(name)                                                                                   \
  {                                                                                                \
    EACH_LANE                                                                                      \
    {                                                                                              \
      TAKE(A, a, 0);                                                                               \
      d_[l] = put_##R((R)(result));                                                                \
    }                                                                                              \
  }
#define X2(name, R, A, B, result)                                                                  \
  FUNCTION(name)                                                                                   \
  {                                                                                                \
    EACH_LANE                                                                                      \
    {                                                                                              \
      TAKE(A, a, 0);                                                                               \
      TAKE(B, b, 1);                                                                               \
      d_[l] = put_##R((R)(result));                                                                \
    }                                                                                              \
  }
#define XD(name, T, result) X2(name, T, T, T, result)
#define XM(name, T) X1(name, T, T, a)
#define X3(name, R, A, B, C, result)                                                               \
  FUNCTION(name)                                                                                   \
  {                                                                                                \
    EACH_LANE                                                                                      \
    {                                                                                              \
      TAKE(A, a, 0);                                                                               \
      TAKE(B, b, 1);                                                                               \
      TAKE(C, c, 2);                                                                               \
      d_[l] = put_##R((R)(result));                                                                \
    }                                                                                              \
  }
#define XS(name, T) X3(name, T, T, T, pred, c ? a : b)
#define X4(name, R, A, B, C, D, result)                                                            \
  FUNCTION(name)                                                                                   \
  {                                                                                                \
    EACH_LANE                                                                                      \
    {                                                                                              \
      TAKE(A, a, 0);                                                                               \
      TAKE(B, b, 1);                                                                               \
      TAKE(C, c, 2);                                                                               \
      TAKE(D, d, 3);                                                                               \
      d_[l] = put_##R((R)(result));                                                                \
    }                                                                                              \
  }

#include "tests/ptx/ptx_forms.inc.h"

#undef X1
#undef X2
#undef XD
#undef XM
#undef X3
#undef X4
#undef XS
#define TYPED(name, R, ...) #name, .run = run_##name, .result = TYPE_##R, .source = {__VA_ARGS__ }
#define X1(name, R, A, ...) {TYPED(name, R, TYPE_##A), .sources = 1},
#define X2(name, R, A, B, ...) {TYPED(name, R, TYPE_##A, TYPE_##B), .sources = 2},
#define X3(name, R, A, B, C, ...) {TYPED(name, R, TYPE_##A, TYPE_##B, TYPE_##C), .sources = 3},
#define X4(name, R, A, B, C, D, ...)                                                               \
  {TYPED(name, R, TYPE_##A, TYPE_##B, TYPE_##C, TYPE_##D), .sources = 4},
#define XD(name, T, ...) {TYPED(name, T, TYPE_##T, TYPE_##T), .sources = 2, .divides = true},
#define XM(name, T) {TYPED(name, T, TYPE_##T), .sources = 1, .moves = true},
#define XS(name, T) {TYPED(name, T, TYPE_##T, TYPE_##T, TYPE_pred), .sources = 3, .selects = true},

#define INTEGER_TYPE(bits)                                                                         \
  {                                                                                                \
    bits, false, false                                                                             \
  }
#define SIGNED_TYPE(bits)                                                                          \
  {                                                                                                \
    bits, true, false                                                                              \
  }
#define FLOAT_TYPE(bits)                                                                           \
  {                                                                                                \
    bits, false, true                                                                              \
  }
#define TYPE_pred INTEGER_TYPE(1)
#define TYPE_u8 INTEGER_TYPE(8)
#define TYPE_u16 INTEGER_TYPE(16)
#define TYPE_b16 INTEGER_TYPE(16)
#define TYPE_u32 INTEGER_TYPE(32)
#define TYPE_b32 INTEGER_TYPE(32)
#define TYPE_u16x2 INTEGER_TYPE(32)
#define TYPE_u64 INTEGER_TYPE(64)
#define TYPE_b64 INTEGER_TYPE(64)
#define TYPE_s8 SIGNED_TYPE(8)
#define TYPE_s16 SIGNED_TYPE(16)
#define TYPE_s32 SIGNED_TYPE(32)
#define TYPE_s64 SIGNED_TYPE(64)
#define TYPE_f32 FLOAT_TYPE(32)
#define TYPE_f64 FLOAT_TYPE(64)

/* The halves of a word go to two registers. */
FUNCTION(unpack_b64)
{
  EACH_LANE d_[l] = (u32)s[0][l];
}
FUNCTION(upper_b64)
{
  EACH_LANE d_[l] = s[0][l] >> 32;
}
FUNCTION(unpack_b32)
{
  EACH_LANE d_[l] = (u16)s[0][l];
}
FUNCTION(upper_b32)
{
  EACH_LANE d_[l] = (u16)(s[0][l] >> 16);
}

static const PtxForm forms[] = {
#include "tests/ptx/ptx_forms.inc.h"
    {TYPED(unpack_b64, u32, TYPE_u64), .sources = 1, .second = run_upper_b64},
    {TYPED(unpack_b32, u16, TYPE_u32), .sources = 1, .second = run_upper_b32},
};

static bool same_name(const char *form, const char *name)
{
  for (; *form != '\0' && *name != '\0'; form++, name++)
    if (*form != (*name == '.' ? '_' : *name))
      return false;
  return *form == *name;
}

const PtxForm *ptx_form(const char *name)
{
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (same_name(forms[i].name, name))
      return &forms[i];
  return NULL;
}
