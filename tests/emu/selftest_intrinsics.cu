/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The results of the intrinsics, against literal values from the CUDA C++ Programming Guide's and
 * the CUDA Math API's definitions, and byte by byte. The kernels are CUDA like any other; blocks
 * have 16 × 2 × 2 threads, the grid 2 × 3 × 2 blocks.
 */
#include "cuda/driver/gpu.cuh"

#include "tests/emu/selftest_args.h"

#define TEST(name) STX_KERNEL(selftest_##name, SelftestIntrinsicsArgs, 64)
#define EXPECT(value, expected) expect(a.result, __LINE__, (uint32_t)(value), (uint32_t)(expected))

STX_DEVICE void expect(uint32_t *result, uint32_t line, uint32_t value, uint32_t expected)
{
  if (value == expected || atomicCAS(&result[0], 0u, line) != 0)
    return;
  result[1] = value;
  result[2] = expected;
}

/* Number of the thread in its block; its lane is that modulo 32. */
STX_DEVICE unsigned number()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* ---- Scalars ------------------------------------------------------------------------------- */

STX_DEVICE void expect_bits(const SelftestIntrinsicsArgs &a)
{
  EXPECT(__popc(0xf0f00001u), 9);
  EXPECT(__popcll(0x8000000000000003ull), 3);
  EXPECT(__ffs(0), 0);
  EXPECT(__ffs(0x50), 5);
  EXPECT(__ffs((int)0x80000000), 32);
  EXPECT(__clz(0), 32);
  EXPECT(__clz(1), 31);
  EXPECT(__clz(-1), 0);
  EXPECT(__clzll(0), 64);
  EXPECT(__brev(0x80000005u), 0xa0000001u);
  EXPECT(__funnelshift_l(0x89abcdefu, 0x01234567u, 8), 0x23456789u);
  EXPECT(__funnelshift_l(0x89abcdefu, 0x01234567u, 32), 0x01234567u);
  EXPECT(__funnelshift_lc(0x89abcdefu, 0x01234567u, 33), 0x89abcdefu);
  EXPECT(__funnelshift_r(0x89abcdefu, 0x01234567u, 8), 0x6789abcdu);
  EXPECT(__funnelshift_r(0x89abcdefu, 0x01234567u, 32), 0x89abcdefu);
  EXPECT(__funnelshift_rc(0x89abcdefu, 0x01234567u, 33), 0x01234567u);
  EXPECT(__byte_perm(0x33221100u, 0x77665544u, 0x7610), 0x77661100u);
  EXPECT(__byte_perm(0x33221100u, 0x77665544u, 0x0123), 0x00112233u);
  /* PTX's prmt spreads a sign where the fourth bit is set; the intrinsic does not look at it. */
  EXPECT(__byte_perm(0x00008000u, 0x00000080u, 0x9c98), 0x80808000u);
}

TEST(scalars)
{
  expect_bits(a);
  EXPECT(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT(__mul24(0x00ffffff, 5), -5);
  EXPECT(__mul24(0x7f000003, 4), 12);
  EXPECT(__saturatef(-1.0f) == 0.0f && __saturatef(0.25f) == 0.25f && __saturatef(2.0f) == 1.0f, 1);
  EXPECT(min(-3, 2), -3);
  EXPECT(max(3u, 0xfffffff0u), 0xfffffff0u);
  EXPECT(__float_as_uint(-2.0f), 0xc0000000u);
  EXPECT(__uint_as_float(0x3f800000u) == 1.0f, 1);
  EXPECT(__dp4a(0xff010203u, 0x02030405u, 10u), 10 + 255 * 2 + 3 + 8 + 15);
  EXPECT(__dp4a((int)0xff010203u, 0x02030405, 10), 10 - 2 + 3 + 8 + 15);
  EXPECT(__vsadu4(0x00ff1020u, 0xff002010u), 255 + 255 + 16 + 16);
  EXPECT(__viaddmin_u16x2(0x00050003u, 0x00010002u, 0x00070004u), 0x00060004u);
  EXPECT(__viaddmin_u16x2(0x0001ffffu, 0x00010002u, 0x00010004u), 0x00010001u);
  EXPECT(__cvta_global_to_generic(__cvta_generic_to_global(a.result)) == a.result, 1);
  const uint4 v = make_uint4(1, 2, 3, 4);
  EXPECT(__ldg(&v.z), 3);
  EXPECT(sizeof(uint4) + alignof(uint4) + alignof(ushort4) + alignof(uchar4), 16 + 16 + 8 + 4);
}

/* ---- Bytes and halves ---------------------------------------------------------------------- */

STX_DEVICE uint32_t at(uint32_t word, int lane, int bits)
{
  return word >> lane * bits & ((1u << bits) - 1);
}

/* Word by word as the definitions say, each part on its own. */
#define EXPECT_PARTS(name, bits, expected)                                                         \
  for (int lane = 0; lane < 32 / bits; lane++) {                                                   \
    const uint32_t p = at(x, lane, bits), q = at(y, lane, bits), most = (1u << bits) - 1;          \
    EXPECT(at(name(x, y), lane, bits), (expected)&most);                                           \
  }

STX_DEVICE void expect_parts(const SelftestIntrinsicsArgs &a, uint32_t x,
    uint32_t y){EXPECT_PARTS(__vminu4, 8, p < q ? p : q) EXPECT_PARTS(
    __vmaxu4, 8, p < q ? q : p) EXPECT_PARTS(__vadd4, 8, p + q) EXPECT_PARTS(__vaddus4, 8,
    p + q < most ? p + q : most) EXPECT_PARTS(__vsub4, 8, p - q) EXPECT_PARTS(__vsubus4, 8,
    p > q ? p - q : 0) EXPECT_PARTS(__vabsdiffu4, 8, p > q ? p - q : q - p) EXPECT_PARTS(__vavgu4,
    8, (p + q) / 2 + (p + q) % 2) EXPECT_PARTS(__vhaddu4, 8, (p + q) / 2) EXPECT_PARTS(__vcmpeq4, 8,
    p == q ? most : 0) EXPECT_PARTS(__vcmpne4, 8, p == q ? 0 : most) EXPECT_PARTS(__vcmpgtu4, 8,
    p > q ? most : 0) EXPECT_PARTS(__vcmpgeu4, 8, p < q ? 0 : most)
        EXPECT_PARTS(__vcmpltu4, 8, p < q ? most : 0) EXPECT_PARTS(__vcmpleu4, 8, p > q ? 0 : most)
            EXPECT_PARTS(__vseteq4, 8, p == q ? 1 : 0) EXPECT_PARTS(__vminu2, 16, p < q ? p : q)
                EXPECT_PARTS(__vmaxu2, 16, p < q ? q : p) EXPECT_PARTS(__vadd2, 16, p + q)
                    EXPECT_PARTS(__vaddus2, 16, p + q < most ? p + q : most) EXPECT_PARTS(
                        __vsub2, 16, p - q) EXPECT_PARTS(__vsubus2, 16, p > q ? p - q : 0)
                        EXPECT_PARTS(__vavgu2, 16, (p + q) / 2 + (p + q) % 2)
                            EXPECT_PARTS(__vcmpeq2, 16, p == q ? most : 0)
                                EXPECT_PARTS(__vcmpgtu2, 16, p > q ? most : 0)}

TEST(bytes)
{
  const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80808080u, 0xffffffffu, 0x00ff00ff, 0x01000100};
  for (uint32_t x : edges)
    for (uint32_t y : edges)
      expect_parts(a, x, y);
  uint32_t x = number() + 1, y = blockIdx.x + 77;
  for (int i = 0; i < 20; i++) {
    x = x * 1664525u + 1013904223u;
    y = y * 22695477u + 1u;
    expect_parts(a, x ^ x >> 16, i % 4 == 0 ? x ^ x >> 16 : y ^ y >> 15);
  }
}

/* ---- Atomics ------------------------------------------------------------------------------- */

TEST(atomics)
{
  STX_SHARED(unsigned, s, 8);
  STX_SHARED(unsigned long long, wide, 3);
  STX_SHARED(int, least, 1);
  const unsigned n = number();
  if (n < 8)
    s[n] = n == 3 || n == 6 ? ~0u : 0;
  if (n < 3)
    wide[n] = n < 2 ? 0xffffffffull : ~0ull;
  if (n == 0)
    least[0] = 7;
  __syncthreads();
  atomicAdd(&s[0], n);
  atomicMax(&s[1], n + 5);
  atomicOr(&s[2], 1u << n % 32);
  atomicAnd(&s[3], ~(1u << n % 31));
  atomicXor(&s[4], n);
  atomicCAS(&s[5], 0u, 9u);
  atomicMin(&s[6], 100 - n);
  if (n == 1)
    EXPECT(atomicExch(&s[7], 4u), 0);
  atomicAdd(&wide[0], 1ull);
  atomicMax(&wide[1], 1ull << n % 48);
  atomicMin(&wide[2], (unsigned long long)(100 - n) << 32 | n);
  atomicMin(&least[0], (int)n - 40);
  EXPECT(stx_peek(&s[1]) >= n + 5, 1);
  __syncthreads();
  const unsigned expected[] = {63 * 64 / 2, 63 + 5, ~0u, 0x80000000u, 0, 9, 100 - 63, 4};
  for (int i = 0; i < 8; i++)
    EXPECT(s[i], expected[i]);
  EXPECT(wide[0] >> 32, 1);
  EXPECT(wide[0], 63);
  EXPECT(wide[1] >> 32, 1 << 15);
  EXPECT(wide[2] >> 32, 100 - 63);
  EXPECT(wide[2], 63);
  EXPECT(least[0], -40);
}

/* ---- Warps --------------------------------------------------------------------------------- */

/* Every lane brings 100 + its number. */
TEST(shuffles)
{
  const unsigned lane = number() % 32;
  const int mine = 100 + (int)lane;
  const unsigned all = STX_FULL_WARP;
  EXPECT(__shfl_sync(all, mine, 5), 105);
  EXPECT(__shfl_sync(all, mine, 37), 105);
  EXPECT(__shfl_sync(all, mine, -1), 131);
  EXPECT(__shfl_sync(all, mine, 11, 8), 100 + (lane & 24) + 3);
  EXPECT(__shfl_up_sync(all, mine, 1), lane == 0 ? 100 : 99 + lane);
  EXPECT(__shfl_up_sync(all, mine, 3, 4), lane % 4 == 3 ? 97 + lane : 100 + lane);
  EXPECT(__shfl_down_sync(all, mine, 31), lane == 0 ? 131 : 100 + lane);
  EXPECT(__shfl_down_sync(all, mine, 2, 16), lane % 16 < 14 ? 102 + lane : 100 + lane);
  EXPECT(__shfl_xor_sync(all, mine, 31), 131 - lane);
  /* Beyond its own group a lane reaches down only. */
  EXPECT(__shfl_xor_sync(all, mine, 16, 8), lane < 16 ? 100 + lane : 84 + lane);
  EXPECT(__shfl_sync(all, (unsigned char)(200 + lane), 40), 208);
  EXPECT(__shfl_sync(all, (unsigned long long)lane << 40, 9) >> 40, 9);
  EXPECT(__shfl_sync(all, 0.5f * (float)lane, 7) == 3.5f, 1);
  EXPECT(__shfl_sync(all, 0.25 * lane, 3) == 0.75, 1);
  if (lane >= 24)
    EXPECT(__shfl_down_sync(0xff000000u, mine, 1), lane < 31 ? 101 + lane : 131);
}

TEST(votes)
{
  const unsigned lane = number() % 32, all = STX_FULL_WARP;
  EXPECT(__ballot_sync(all, lane % 4 == 1), 0x22222222u);
  EXPECT(__any_sync(all, lane == 9), 1);
  EXPECT(__any_sync(all, lane == 32), 0);
  EXPECT(__all_sync(all, lane < 32), 1);
  EXPECT(__all_sync(all, lane != 31), 0);
  EXPECT(__match_any_sync(all, lane % 8), 0x01010101u << lane % 8);
  EXPECT(__match_any_sync(all, (unsigned long long)(lane / 16) << 33),
      lane < 16 ? 0xffffu : 0xffff0000u);
  if (lane < 3)
    EXPECT(__ballot_sync(7u, lane != 1), 5);
  EXPECT(__reduce_min_sync(all, lane ^ 21), 0);
  EXPECT(__reduce_min_sync(all, 0u - 1 - lane), 0xffffffe0u);
  EXPECT(__reduce_max_sync(all, (lane ^ 21) + 5), 36);
  EXPECT(__reduce_add_sync(all, lane + 0x10000000u), 31 * 32 / 2); /* modulo 2^32 */
  if (lane >= 30)
    EXPECT(__reduce_max_sync(0xc0000000u, 40 - lane), 10);
  if (lane >= 30)
    EXPECT(__reduce_add_sync(0xc0000000u, lane), 61);
}

TEST(barriers)
{
  const unsigned n = number();
  EXPECT(__syncthreads_count(n % 3 == 0), 22);
  EXPECT(__syncthreads_or(n == 63) != 0, 1);
  EXPECT(__syncthreads_or(n == 64) != 0, 0);
  EXPECT(__syncthreads_and(n < 64) != 0, 1);
  EXPECT(__syncthreads_and(n != 0) != 0, 0);
}

TEST(indices)
{
  EXPECT(blockDim.x * 10000 + blockDim.y * 100 + blockDim.z, 160202);
  EXPECT(gridDim.x * 10000 + gridDim.y * 100 + gridDim.z, 20302);
  EXPECT(threadIdx.x < 16 && threadIdx.y < 2 && threadIdx.z < 2, 1);
  EXPECT(blockIdx.x < 2 && blockIdx.y < 3 && blockIdx.z < 2, 1);
  /* x runs fastest: lane 1 is the neighbour of lane 0. */
  EXPECT(__shfl_sync(STX_FULL_WARP, threadIdx.x * 100 + threadIdx.y, 17), 101);
}
