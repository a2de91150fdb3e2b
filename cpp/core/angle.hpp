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

/// `turns(i)` gives the angles i, i + 1, … of a register, in quarter turns.
template <class Turns>
void sincos_all(std::int64_t count, Turns turns, float* sin, float* cos) {
  constexpr int kHalf = kLanes / 2;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const SinCos y = sincos(turns(i), turns(i + kHalf));
    store(sin + i, y.sin);
    store(cos + i, y.cos);
  }
  if (i == count) return;
  float last_sin[kLanes];
  float last_cos[kLanes];
  const SinCos y = sincos(turns(i), turns(i + kHalf));
  store(last_sin, y.sin);
  store(last_cos, y.cos);
  for (int lane = 0; i < count; ++i, ++lane) {
    sin[i] = last_sin[lane];
    cos[i] = last_cos[lane];
  }
}

}  // namespace detail

/// Sines and cosines of `position · frequencies[i]` radians, `count` of each. Reads whole
/// registers: `frequencies` must be readable up to `padded_frequencies(count)`.
inline void sincos_row(double position, const double* frequencies, std::int64_t count, float* sin,
                       float* cos) {
  const DoubleBatch at(position * kQuarterTurns);
  detail::sincos_all(
      count, [=](std::int64_t i) { return at * load(frequencies + i); }, sin, cos);
}

/// Sines and cosines of angles in quarter turns. Reads whole registers, like `sincos_row`.
inline void sincos_turns(const double* turns, std::int64_t count, float* sin, float* cos) {
  detail::sincos_all(
      count, [=](std::int64_t i) { return load(turns + i); }, sin, cos);
}

/// `count` rounded up to whole registers.
inline std::int64_t padded_frequencies(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

}  // namespace posenc
