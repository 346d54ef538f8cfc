/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUDA's vector types, integer intrinsics and atomics in plain C++. Threads of a block take turns
 * and only change at barriers and warp operations, so an atomic is an ordinary update; it is
 * written as an atomic of the compiler all the same, so that the thread sanitizer sees one.
 */
#pragma once

/* ---- Vector types --------------------------------------------------------------------------- */

#define STX_EMU_VECTOR2(name, type, alignment)                                                     \
  struct __attribute__((aligned(alignment))) name {                                                \
    type x, y;                                                                                     \
  };                                                                                               \
  static inline name make_##name(type x, type y)                                                   \
  {                                                                                                \
    return {x, y};                                                                                 \
  }
#define STX_EMU_VECTOR4(name, type, alignment)                                                     \
  struct __attribute__((aligned(alignment))) name {                                                \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  static inline name make_##name(type x, type y, type z, type w)                                   \
  {                                                                                                \
    return {x, y, z, w};                                                                           \
  }
STX_EMU_VECTOR2(char2, signed char, 2)
STX_EMU_VECTOR2(uchar2, unsigned char, 2)
STX_EMU_VECTOR2(short2, short, 4)
STX_EMU_VECTOR2(ushort2, unsigned short, 4)
STX_EMU_VECTOR2(int2, int, 8)
STX_EMU_VECTOR2(uint2, unsigned, 8)
STX_EMU_VECTOR2(float2, float, 8)
STX_EMU_VECTOR2(double2, double, 16)
STX_EMU_VECTOR2(ulonglong2, unsigned long long, 16)
STX_EMU_VECTOR2(longlong2, long long, 16)
STX_EMU_VECTOR4(char4, signed char, 4)
STX_EMU_VECTOR4(uchar4, unsigned char, 4)
STX_EMU_VECTOR4(short4, short, 8)
STX_EMU_VECTOR4(ushort4, unsigned short, 8)
STX_EMU_VECTOR4(int4, int, 16)
STX_EMU_VECTOR4(uint4, unsigned, 16)
STX_EMU_VECTOR4(float4, float, 16)

/* ---- Scalars -------------------------------------------------------------------------------- */

template <typename T> static inline T min(T a, T b)
{
  return b < a ? b : a;
}

template <typename T> static inline T max(T a, T b)
{
  return a < b ? b : a;
}

template <typename T> static inline T __ldg(const T *at)
{
  return *at;
}

/* There is but one address space. */
static inline size_t __cvta_generic_to_global(const void *at)
{
  return (size_t)at;
}

static inline void *__cvta_global_to_generic(size_t at)
{
  return (void *)at;
}

static inline int __popc(unsigned v)
{
  return __builtin_popcount(v);
}

static inline int __popcll(unsigned long long v)
{
  return __builtin_popcountll(v);
}

static inline int __ffs(int v)
{
  return __builtin_ffs(v);
}

static inline int __clz(int v)
{
  return v == 0 ? 32 : __builtin_clz((unsigned)v);
}

static inline int __clzll(long long v)
{
  return v == 0 ? 64 : __builtin_clzll((unsigned long long)v);
}

static inline unsigned __brev(unsigned v)
{
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (v >> i & 1u) << (31 - i);
  return r;
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
  return (unsigned)((uint64_t)a * b >> 32);
}

static inline int __mul24(int a, int b)
{
  return (int)((int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8));
}

static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift)
{
  return (unsigned)((((uint64_t)hi << 32 | lo) << (shift & 31)) >> 32);
}

static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift)
{
  return (unsigned)(((uint64_t)hi << 32 | lo) >> (shift & 31));
}

static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift)
{
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}

static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift)
{
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/* Bytes of y:x by the low three bits of each digit of the selector, as CUDA has it: it masks out
 * the fourth one, by which PTX's prmt repeats a sign. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
  uint64_t both = (uint64_t)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= (unsigned)(both >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
  return result;
}

static inline float __saturatef(float v)
{
  return v > 0 ? v < 1 ? v : 1 : 0;
}

static inline unsigned __float_as_uint(float v)
{
  return stx_emu::from_bits<unsigned>(stx_emu::to_bits(v));
}

static inline float __uint_as_float(unsigned v)
{
  return stx_emu::from_bits<float>(stx_emu::to_bits(v));
}

static inline float __int_as_float(int v)
{
  return stx_emu::from_bits<float>(stx_emu::to_bits(v));
}

/* ---- Four bytes or two halves of a word at a time ------------------------------------------- */

#define STX_EMU_LANES(name, bits, expression)                                                      \
  static inline unsigned name(unsigned x, unsigned y)                                              \
  {                                                                                                \
    const int most = (1 << bits) - 1;                                                              \
    unsigned result = 0;                                                                           \
    for (int i = 0; i < 32; i += bits) {                                                           \
      int p = (int)(x >> i) & most, q = (int)(y >> i) & most;                                      \
      result |= ((unsigned)(expression) & (unsigned)most) << i;                                    \
    }                                                                                              \
    return result;                                                                                 \
  }
STX_EMU_LANES(__vminu4, 8, p < q ? p : q)
STX_EMU_LANES(__vmaxu4, 8, p > q ? p : q)
STX_EMU_LANES(__vadd4, 8, p + q)
STX_EMU_LANES(__vaddus4, 8, p + q > most ? most : p + q)
STX_EMU_LANES(__vsub4, 8, p - q)
STX_EMU_LANES(__vsubus4, 8, p < q ? 0 : p - q)
STX_EMU_LANES(__vabsdiffu4, 8, p < q ? q - p : p - q)
STX_EMU_LANES(__vavgu4, 8, (p + q + 1) >> 1)
STX_EMU_LANES(__vhaddu4, 8, (p + q) >> 1)
STX_EMU_LANES(__vcmpeq4, 8, p == q ? most : 0)
STX_EMU_LANES(__vcmpne4, 8, p != q ? most : 0)
STX_EMU_LANES(__vcmpgtu4, 8, p > q ? most : 0)
STX_EMU_LANES(__vcmpgeu4, 8, p >= q ? most : 0)
STX_EMU_LANES(__vcmpltu4, 8, p < q ? most : 0)
STX_EMU_LANES(__vcmpleu4, 8, p <= q ? most : 0)
STX_EMU_LANES(__vseteq4, 8, p == q)
STX_EMU_LANES(__vminu2, 16, p < q ? p : q)
STX_EMU_LANES(__vmaxu2, 16, p > q ? p : q)
STX_EMU_LANES(__vadd2, 16, p + q)
STX_EMU_LANES(__vaddus2, 16, p + q > most ? most : p + q)
STX_EMU_LANES(__vsub2, 16, p - q)
STX_EMU_LANES(__vsubus2, 16, p < q ? 0 : p - q)
STX_EMU_LANES(__vavgu2, 16, (p + q + 1) >> 1)
STX_EMU_LANES(__vcmpeq2, 16, p == q ? most : 0)
STX_EMU_LANES(__vcmpgtu2, 16, p > q ? most : 0)

static inline unsigned __viaddmin_u16x2(unsigned x, unsigned y, unsigned z)
{
  return __vminu2(__vadd2(x, y), z);
}

static inline unsigned __vsadu4(unsigned x, unsigned y)
{
  unsigned d = __vabsdiffu4(x, y);
  return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}

static inline unsigned __dp4a(unsigned x, unsigned y, unsigned c)
{
  for (int i = 0; i < 32; i += 8)
    c += (x >> i & 255) * (y >> i & 255);
  return c;
}

static inline int __dp4a(int x, int y, int c)
{
  for (int i = 0; i < 32; i += 8)
    c += (int8_t)(x >> i) * (int8_t)(y >> i);
  return c;
}

/* ---- Atomics and fences --------------------------------------------------------------------- */

/* T is taken from the address alone, as CUDA's overloads do. */
template <typename T> struct stx_emu_plain {
  typedef T type;
};

#define STX_EMU_ATOMIC(name, expression)                                                           \
  template <typename T> static inline T name(T *at, typename stx_emu_plain<T>::type value)         \
  {                                                                                                \
    T old = __atomic_load_n(at, __ATOMIC_RELAXED), now;                                            \
    do                                                                                             \
      now = (T)(expression);                                                                       \
    while (                                                                                        \
        !__atomic_compare_exchange_n(at, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));   \
    return old;                                                                                    \
  }
STX_EMU_ATOMIC(atomicAdd, old + value)
STX_EMU_ATOMIC(atomicSub, old - value)
STX_EMU_ATOMIC(atomicMin, old < value ? old : value)
STX_EMU_ATOMIC(atomicMax, old > value ? old : value)
STX_EMU_ATOMIC(atomicOr, old | value)
STX_EMU_ATOMIC(atomicAnd, old &value)
STX_EMU_ATOMIC(atomicXor, old ^ value)
STX_EMU_ATOMIC(atomicExch, value)

template <typename T>
static inline T atomicCAS(
    T *at, typename stx_emu_plain<T>::type expected, typename stx_emu_plain<T>::type value)
{
  T old = expected;
  __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old;
}

static inline void __threadfence_block()
{
  stx_emu::fence_block();
}

static inline void __threadfence()
{
  stx_emu::fence();
}

static inline void __threadfence_system()
{
  stx_emu::fence();
}

/* See cuda/driver/gpu.cuh. */

static inline unsigned stx_peek(const unsigned *at)
{
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline unsigned stx_add_in_order(unsigned *to, unsigned value)
{
  stx_emu::fence();
  unsigned before = atomicAdd(to, value);
  stx_emu::fence();
  return before;
}
