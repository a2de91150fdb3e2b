// The one place where positions become angles: position · frequency is formed and reduced in
// float64, so that only the sine and cosine are rounded to float32 (error ≤ 2e-7 up to position
// 2^24, where a float32 angle is wrong by radians).
#pragma once

#include <cstdint>

#include "core/math.hpp"

namespace posenc {

/// A quarter turn is π/2 radians.
inline constexpr double kQuarterTurns = 0.63661977236758134308;  // 2/π

namespace detail {

/// `at(i)` gives the functions of the angles i, i + 1, … of a register.
template <class At>
void write_sincos(std::int64_t count, At at, float* sin, float* cos) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const SinCos y = at(i);
    store(sin + i, y.sin);
    store(cos + i, y.cos);
  }
  if (i == count) return;
  float last_sin[kLanes];
  float last_cos[kLanes];
  const SinCos y = at(i);
  store(last_sin, y.sin);
  store(last_cos, y.cos);
  for (int lane = 0; i < count; ++i, ++lane) {
    sin[i] = last_sin[lane];
    cos[i] = last_cos[lane];
  }
}

/// Doubles of a register of floats that stand in its upper half.
inline constexpr int kUpper = kLanes / 2;

}  // namespace detail

/// Sines and cosines of `position · frequencies[i]` radians, `count` of each. Reads whole
/// registers: `frequencies` must be readable up to `padded_frequencies(count)`.
inline void sincos_row(double position, const double* frequencies, std::int64_t count, float* sin,
                       float* cos) {
  const DoubleBatch at(position * kQuarterTurns);
  detail::write_sincos(
      count,
      [=](std::int64_t i) {
        return sincos(at * load(frequencies + i), at * load(frequencies + i + detail::kUpper));
      },
      sin, cos);
}

/// Sines and cosines of angles in quarter turns. Reads whole registers, like `sincos_row`.
inline void sincos_turns(const double* turns, std::int64_t count, float* sin, float* cos) {
  detail::write_sincos(
      count,
      [=](std::int64_t i) { return sincos(load(turns + i), load(turns + i + detail::kUpper)); },
      sin, cos);
}

/// The same, rounded from float64 (`precise_sincos`).
inline void precise_sincos_turns(const double* turns, std::int64_t count, float* sin, float* cos) {
  detail::write_sincos(
      count,
      [=](std::int64_t i) {
        return precise_sincos(load(turns + i), load(turns + i + detail::kUpper));
      },
      sin, cos);
}

/// Sines and cosines of sums of two angles from those of both: no angle is reduced, and with
/// `precise_sincos_turns` for both the error stays below 1.8e-7. Reads whole registers.
inline void add_angles(const float* sin_a, const float* cos_a, const float* sin_b,
                       const float* cos_b, std::int64_t count, float* sin, float* cos) {
  detail::write_sincos(
      count,
      [=](std::int64_t i) {
        const Batch sa = load(sin_a + i);
        const Batch ca = load(cos_a + i);
        const Batch sb = load(sin_b + i);
        const Batch cb = load(cos_b + i);
        return SinCos{fma(sa, cb, ca * sb), fma(ca, cb, -(sa * sb))};
      },
      sin, cos);
}

/// `count` rounded up to whole registers.
inline std::int64_t padded_frequencies(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

}  // namespace posenc
