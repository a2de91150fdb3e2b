// SIMD registers and the few operations that kernels need beyond arithmetic. The only file that
// includes xsimd.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <xsimd/xsimd.hpp>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <immintrin.h>
#endif

namespace posenc {

using Batch = xsimd::batch<float>;
using IntBatch = xsimd::batch<std::int32_t>;
using DoubleBatch = xsimd::batch<double>;
using BoolBatch = Batch::batch_bool_type;

/// float32 lanes of a register: 4 in WebAssembly.
inline constexpr int kLanes = static_cast<int>(Batch::size);
static_assert(DoubleBatch::size * 2 == Batch::size);

using xsimd::max;
using xsimd::select;

inline Batch load(const float* p) { return Batch::load_unaligned(p); }
inline IntBatch load(const std::int32_t* p) { return IntBatch::load_unaligned(p); }
inline DoubleBatch load(const double* p) { return DoubleBatch::load_unaligned(p); }
inline void store(float* p, Batch x) { x.store_unaligned(p); }

/// a·b + c: one rounding in the relaxed WebAssembly build, two elsewhere, so that the other builds
/// agree bit for bit.
inline Batch fma(Batch a, Batch b, Batch c) {
#if defined(__wasm_relaxed_simd__)
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return a * b + c;
#endif
}

inline DoubleBatch fma(DoubleBatch a, DoubleBatch b, DoubleBatch c) {
#if defined(__wasm_relaxed_simd__)
  return wasm_f64x2_relaxed_madd(a, b, c);
#else
  return a * b + c;
#endif
}

/// kLanes numbers as 32-bit ones.
inline IntBatch load_wide(const std::uint16_t* p) {
#if defined(__wasm_simd128__)
  return IntBatch(wasm_u32x4_load16x4(p));
#else
  std::int32_t lanes[kLanes];
  std::copy_n(p, kLanes, lanes);
  return load(lanes);
#endif
}

/// The same of twice as many bytes.
inline void load_wide(const std::int8_t* p, IntBatch (&out)[2]) {
#if defined(__wasm_simd128__)
  const v128_t words = wasm_i16x8_load8x8(p);
  out[0] = IntBatch(wasm_i32x4_extend_low_i16x8(words));
  out[1] = IntBatch(wasm_i32x4_extend_high_i16x8(words));
#else
  std::int32_t lanes[2 * kLanes];
  std::copy_n(p, 2 * kLanes, lanes);
  out[0] = load(lanes);
  out[1] = load(lanes + kLanes);
#endif
}

/// from[index[0]], from[index[1]], …
inline Batch gather(const float* from, const std::int32_t* index) {
  if constexpr (kLanes == 4) {
    return Batch(from[index[0]], from[index[1]], from[index[2]], from[index[3]]);
  } else {
    float lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) lanes[i] = from[index[i]];
    return load(lanes);
  }
}

/// (x 0 0 0)
inline Batch first_lane(float x) {
  float lanes[kLanes] = {x};
  return load(lanes);
}

/// The larger of both; NaN where x is.
inline Batch at_least(Batch x, Batch floor) {
#if defined(__wasm_simd128__)
  return wasm_f32x4_pmax(x, floor);
#else
  return select(x < floor, floor, x);
#endif
}

inline IntBatch bits(Batch x) { return xsimd::bitwise_cast<std::int32_t>(x); }
inline Batch from_bits(IntBatch x) { return xsimd::bitwise_cast<float>(x); }
inline BoolBatch as_float_mask(IntBatch::batch_bool_type mask) {
  return xsimd::batch_bool_cast<float>(mask);
}

/// (a0 b0 a1 b1 …) of the lower halves.
inline Batch zip_low(Batch a, Batch b) { return xsimd::zip_lo(a, b); }
/// (a b a b …) of the upper halves.
inline Batch zip_high(Batch a, Batch b) { return xsimd::zip_hi(a, b); }

/// Rows become columns: afterwards rows[i] holds number i of each row, in their order.
inline void transpose(Batch (&rows)[kLanes]) {
  if constexpr (kLanes == 4) {
    const Batch even_low = zip_low(rows[0], rows[2]);
    const Batch even_high = zip_high(rows[0], rows[2]);
    const Batch odd_low = zip_low(rows[1], rows[3]);
    const Batch odd_high = zip_high(rows[1], rows[3]);
    rows[0] = zip_low(even_low, odd_low);
    rows[1] = zip_high(even_low, odd_low);
    rows[2] = zip_low(even_high, odd_high);
    rows[3] = zip_high(even_high, odd_high);
  } else {
    float in[kLanes][kLanes];
    float out[kLanes][kLanes];
    for (int i = 0; i < kLanes; ++i) store(in[i], rows[i]);
    for (int i = 0; i < kLanes; ++i) {
      for (int j = 0; j < kLanes; ++j) out[j][i] = in[i][j];
    }
    for (int i = 0; i < kLanes; ++i) rows[i] = load(out[i]);
  }
}

/// (x1 x0 x3 x2 …): the members of each pair change places.
inline Batch swap_pairs(Batch x) {
#if defined(__wasm_simd128__)
  return wasm_i32x4_shuffle(x, x, 1, 0, 3, 2);
#elif defined(__SSE2__) && !defined(__AVX__)
  return _mm_shuffle_ps(x, x, 0xB1);
#else
  alignas(64) float lanes[kLanes];
  x.store_aligned(lanes);
  for (int i = 0; i < kLanes; i += 2) std::swap(lanes[i], lanes[i + 1]);
  return Batch::load_aligned(lanes);
#endif
}

/// Rounds two double registers into one float register.
inline Batch narrow(DoubleBatch low, DoubleBatch high) {
#if defined(__wasm_simd128__)
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high),
                            0, 1, 4, 5);
#elif defined(__SSE2__) && !defined(__AVX__)
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
#else
  alignas(64) double wide[kLanes];
  alignas(64) float narrow[kLanes];
  low.store_aligned(wide);
  high.store_aligned(wide + DoubleBatch::size);
  for (int i = 0; i < kLanes; ++i) narrow[i] = static_cast<float>(wide[i]);
  return Batch::load_aligned(narrow);
#endif
}

/// The low 32 bits of every double of two registers.
inline IntBatch low_words(DoubleBatch low, DoubleBatch high) {
#if defined(__wasm_simd128__)
  return IntBatch(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6));
#elif defined(__SSE2__) && !defined(__AVX__)
  return _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(low), _mm_castpd_ps(high), 0x88));
#else
  alignas(64) std::int64_t words[kLanes];
  alignas(64) std::int32_t narrow[kLanes];
  xsimd::bitwise_cast<std::int64_t>(low).store_aligned(words);
  xsimd::bitwise_cast<std::int64_t>(high).store_aligned(words + DoubleBatch::size);
  for (int i = 0; i < kLanes; ++i) narrow[i] = static_cast<std::int32_t>(words[i]);
  return IntBatch::load_aligned(narrow);
#endif
}

}  // namespace posenc
