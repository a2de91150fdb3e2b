// The one place where positions become angles: position · frequency is formed and reduced in
// float64, so that only the sine and cosine are rounded to float32 (error ≤ 2e-7 up to position
// 2^24, where a float32 angle is wrong by radians).
#pragma once

#include <cstdint>

#include "core/math.hpp"

namespace posenc {

/// Sines and cosines of `position · frequencies[i]` radians, `count` of each. Reads whole
/// registers: `frequencies` must be readable up to `padded_frequencies(count)`.
inline void sincos_row(double position, const double* frequencies, std::int64_t count, float* sin,
                       float* cos) {
  constexpr double kQuarterTurns = 0.63661977236758134308;  // 2/π
  const DoubleBatch at(position * kQuarterTurns);
  constexpr int kHalf = kLanes / 2;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const SinCos y = sincos(at * load(frequencies + i), at * load(frequencies + i + kHalf));
    store(sin + i, y.sin);
    store(cos + i, y.cos);
  }
  if (i == count) return;
  float last_sin[kLanes];
  float last_cos[kLanes];
  const SinCos y = sincos(at * load(frequencies + i), at * load(frequencies + i + kHalf));
  store(last_sin, y.sin);
  store(last_cos, y.cos);
  for (int lane = 0; i < count; ++i, ++lane) {
    sin[i] = last_sin[lane];
    cos[i] = last_cos[lane];
  }
}

/// `count` rounded up to whole registers.
inline std::int64_t padded_frequencies(std::int64_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

}  // namespace posenc
