/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every form that computes: ptx_alu.c includes this twice, for the functions and for the table.
 *
 * X1 … X4 have so many sources: name, type of the result, types of the sources, the result of
 * a, b, c and d. The dots of a name are written as underscores. XD divides, XM moves, XS selects.
 * Comparisons of floats that end with u are true if either is no number. By the beginning of the
 * name ptx_unsure.c knows how unknown bits of a source spread to the result.
 */
/* clang-format off */
#define ARITHMETIC(T)                                                                              \
  X2(add_##T, T, T, T, a + b) X2(sub_##T, T, T, T, a - b)
#define ORDER(T)                                                                                   \
  X2(min_##T, T, T, T, a < b ? a : b) X2(max_##T, T, T, T, a > b ? a : b)                          \
  X2(setp_eq_##T, pred, T, T, a == b) X2(setp_ne_##T, pred, T, T, a != b)                          \
  X2(setp_lt_##T, pred, T, T, a < b) X2(setp_le_##T, pred, T, T, a <= b)                           \
  X2(setp_gt_##T, pred, T, T, a > b) X2(setp_ge_##T, pred, T, T, a >= b)
#define BITS(T)                                                                                    \
  X2(and_##T, T, T, T, a & b) X2(or_##T, T, T, T, a | b) X2(xor_##T, T, T, T, a ^ b)
#define MOVES(T)                                                                                   \
  XM(mov_##T, T) XS(selp_##T, T)
#define SHIFTS(U, S, bits)                                                                         \
  X2(shl_b##bits, U, U, u32, b < bits ? a << (b & (bits - 1)) : 0)                                 \
  X2(shr_u##bits, U, U, u32, b < bits ? a >> (b & (bits - 1)) : 0)                                 \
  X2(shr_s##bits, S, S, u32, a >> (b < bits ? b : bits - 1))
#define FLOATS(T)                                                                                  \
  ARITHMETIC(T) X2(mul_##T, T, T, T, a *b) X2(div_rn_##T, T, T, T, a / b)                          \
  X2(add_rn_##T, T, T, T, a + b) X2(sub_rn_##T, T, T, T, a - b) X2(mul_rn_##T, T, T, T, a *b)      \
  X1(rcp_rn_##T, T, T, 1 / a) X1(neg_##T, T, T, -a) X2(min_##T, T, T, T, least_##T(a, b))          \
  X2(max_##T, T, T, T, most_##T(a, b)) X2(setp_eq_##T, pred, T, T, a == b)                         \
  X2(setp_ne_##T, pred, T, T, a < b || a > b) X2(setp_lt_##T, pred, T, T, a < b)                   \
  X2(setp_le_##T, pred, T, T, a <= b) X2(setp_gt_##T, pred, T, T, a > b)                           \
  X2(setp_ge_##T, pred, T, T, a >= b) X2(setp_equ_##T, pred, T, T, !(a < b || a > b))              \
  X2(setp_neu_##T, pred, T, T, a != b) X2(setp_ltu_##T, pred, T, T, !(a >= b))                     \
  X2(setp_leu_##T, pred, T, T, !(a > b)) X2(setp_gtu_##T, pred, T, T, !(a <= b))                   \
  X2(setp_geu_##T, pred, T, T, !(a < b)) X2(setp_num_##T, pred, T, T, !isnan(a) && !isnan(b))      \
  X2(setp_nan_##T, pred, T, T, isnan(a) || isnan(b))
#define CONVERT(to, from)                                                                          \
  X1(cvt_##to##_##from, to, from, (to)a)
#define TO_FLOAT(to, from)                                                                         \
  X1(cvt_rn_##to##_##from, to, from, (to)a)
#define TO_WHOLE(to, from, wide)                                                                   \
  X1(cvt_rzi_##to##_##from, to, from, trunc_##to(a, wide))

ARITHMETIC(u16) ARITHMETIC(s16) ARITHMETIC(u32) ARITHMETIC(s32) ARITHMETIC(u64) ARITHMETIC(s64)
ORDER(u16) ORDER(s16) ORDER(u32) ORDER(s32) ORDER(u64) ORDER(s64)
X2(setp_eq_b16, pred, b16, b16, a == b)
X2(setp_ne_b16, pred, b16, b16, a != b)
X2(setp_eq_b32, pred, b32, b32, a == b)
X2(setp_ne_b32, pred, b32, b32, a != b)
X2(setp_eq_b64, pred, b64, b64, a == b)
X2(setp_ne_b64, pred, b64, b64, a != b)
BITS(b16) BITS(b32) BITS(b64)
X2(and_pred, pred, pred, pred, a & b)
X2(or_pred, pred, pred, pred, a | b)
X1(not_b16, b16, b16, (b16)~a)
X1(not_b32, b32, b32, ~a)
X1(not_b64, b64, b64, ~a)
X2(xor_pred, pred, pred, pred, a ^ b)
X1(not_pred, pred, pred, !a)
MOVES(b16) MOVES(u16) MOVES(s16) MOVES(b32) MOVES(u32) MOVES(s32) MOVES(b64) MOVES(u64) MOVES(s64)
XM(mov_pred, pred)
XM(mov_f32, b32)
XM(mov_f64, b64)
XS(selp_f32, b32)
XS(selp_f64, b64)
X2(pack_b64, u64, u32, u32, (u64)b << 32 | a)
X2(pack_b32, u32, u16, u16, (u32)b << 16 | a)
SHIFTS(u16, s16, 16) SHIFTS(u32, s32, 32) SHIFTS(u64, s64, 64)
X3(shf_r_wrap_b32, u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c & 31)))
X3(shf_l_wrap_b32, u32, u32, u32, u32, (u32)((((u64)b << 32 | a) << (c & 31)) >> 32))
X2(mul_lo_u16, u16, u16, u16, (u16)((u32)a * b))
X2(mul_lo_s16, u16, u16, u16, (u16)((u32)a * b))
X2(mul_lo_u32, u32, u32, u32, a *b)
X2(mul_lo_s32, u32, u32, u32, a *b)
X2(mul_lo_u64, u64, u64, u64, a *b)
X2(mul_lo_s64, u64, u64, u64, a *b)
X2(mul_hi_u32, u32, u32, u32, (u32)((u64)a * b >> 32))
X2(mul_hi_s32, s32, s32, s32, (s32)((s64)a * b >> 32))
X2(mul_wide_u16, u32, u16, u16, (u32)a *b)
X2(mul_wide_s16, s32, s16, s16, (s32)a *b)
X2(mul_wide_u32, u64, u32, u32, (u64)a *b)
X2(mul_wide_s32, s64, s32, s32, (s64)a *b)
X3(mad_lo_u32, u32, u32, u32, u32, a *b + c)
X3(mad_lo_s32, u32, u32, u32, u32, a *b + c)
X3(mad_lo_s64, u64, u64, u64, u64, a *b + c)
X3(mad_lo_u64, u64, u64, u64, u64, a *b + c)
X3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
X3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c)
XD(div_u16, u16, a / b)
XD(div_u32, u32, a / b)
XD(div_u64, u64, a / b)
XD(div_s32, s32, b == -1 ? (s32)(0 - (u32)a) : a / b)
XD(div_s64, s64, b == -1 ? (s64)(0 - (u64)a) : a / b)
XD(rem_u16, u16, a % b)
XD(rem_u32, u32, a % b)
XD(rem_u64, u64, a % b)
XD(rem_s32, s32, b == -1 ? 0 : a % b)
XD(rem_s64, s64, b == -1 ? 0 : a % b)
X1(abs_s32, u32, s32, a < 0 ? 0 - (u32)a : (u32)a)
X1(abs_s64, u64, s64, a < 0 ? 0 - (u64)a : (u64)a)
X1(abs_f32, b32, b32, a & 0x7fffffff)
X1(abs_f64, b64, b64, a & INT64_MAX)
X1(neg_s16, u16, u16, (u16)(0 - a))
X1(abs_s16, u16, s16, (u16)(a < 0 ? -a : a))
X1(neg_s32, u32, u32, 0 - a)
X1(neg_s64, u64, u64, 0 - a)
X1(popc_b32, u32, u32, (u32)__builtin_popcount(a))
X1(popc_b64, u32, u64, (u32)__builtin_popcountll(a))
X1(clz_b32, u32, u32, a == 0 ? 32 : (u32)__builtin_clz(a))
X1(clz_b64, u32, u64, a == 0 ? 64 : (u32)__builtin_clzll(a))
X1(bfind_shiftamt_u32, u32, u32, a == 0 ? UINT32_MAX : (u32)__builtin_clz(a))
X1(bfind_u32, u32, u32, a == 0 ? UINT32_MAX : 31 - (u32)__builtin_clz(a))
X1(brev_b32, u32, u32, brev(a))
X4(bfi_b32, u32, u32, u32, u32, u32, (u32)insert(a, b, c, d, 32))
X4(bfi_b64, u64, u64, u64, u32, u32, insert(a, b, c, d, 64))
X3(prmt_b32, u32, u32, u32, u32, permute(a, b, c))
X4(lop3_b32, u32, u32, u32, u32, u32, table_of_three(a, b, c, d))
X3(dp4a_u32_u32, u32, u32, u32, u32, dot_of_bytes(a, b, c))
X3(vabsdiff4_u32_u32_u32, u32, u32, u32, u32, ((void)c, bytes_apart(a, b)))
X3(vabsdiff4_u32_u32_u32_add, u32, u32, u32, u32, c + sum_of_bytes(bytes_apart(a, b)))
X2(max_u16x2, u16x2, u16x2, u16x2, most_halves(a, b))
X2(add_s16x2, u16x2, u16x2, u16x2, add_halves(a, b))
X2(add_u16x2, u16x2, u16x2, u16x2, add_halves(a, b))
X2(min_u16x2, u16x2, u16x2, u16x2, least_halves(a, b))
FLOATS(f32) FLOATS(f64)
X1(sqrt_rn_f32, f32, f32, sqrtf(a))
X1(sqrt_rn_f64, f64, f64, sqrt(a))
CONVERT(u16, u8) CONVERT(u16, u32) CONVERT(u16, s32) CONVERT(u16, u64) CONVERT(s16, s8)
CONVERT(u32, u8) CONVERT(u32, u16) CONVERT(u32, u64) CONVERT(s32, s8) CONVERT(s32, s16)
CONVERT(s32, u16) CONVERT(u64, u8) CONVERT(u64, u16) CONVERT(u64, u32) CONVERT(s64, s8)
CONVERT(s64, s16) CONVERT(s64, s32) CONVERT(s64, u32) CONVERT(u8, u32) CONVERT(u8, u16)
CONVERT(f64, f32)
TO_FLOAT(f32, f64) TO_FLOAT(f32, u8) TO_FLOAT(f32, u16) TO_FLOAT(f32, s16) TO_FLOAT(f32, u32)
TO_FLOAT(f32, s32) TO_FLOAT(f32, u64) TO_FLOAT(f32, s64) TO_FLOAT(f64, u8) TO_FLOAT(f64, u16)
TO_FLOAT(f64, s16) TO_FLOAT(f64, u32) TO_FLOAT(f64, s32) TO_FLOAT(f64, u64) TO_FLOAT(f64, s64)
TO_WHOLE(s32, f32, false) TO_WHOLE(u32, f32, false) TO_WHOLE(s32, f64, true)
TO_WHOLE(u32, f64, true) TO_WHOLE(s64, f32, true) TO_WHOLE(u64, f32, true) TO_WHOLE(s64, f64, true)
TO_WHOLE(u64, f64, true)
X1(cvta_to_global_u64, u64, u64, a)
X1(cvta_shared_u64, u64, u64, a + PTX_SHARED_WINDOW)
