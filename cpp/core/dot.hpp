// Products and sums of float arrays.
#pragma once

#include <cstdint>

#include "core/simd.hpp"

namespace posenc {

/// Σ a·b
inline float dot(const float* a, const float* b, std::int64_t count) {
  Batch sums(0.0F);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) sums = fma(load(a + i), load(b + i), sums);
  float lanes[kLanes];
  store(lanes, sums);
  float sum = 0.0F;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// out += factor · x
void add_times(float factor, const float* x, std::int64_t count, float* out);

/// x *= factor
void multiply(float factor, std::int64_t count, float* x);

}  // namespace posenc
