// How hooks add to the gradients of trained parameters.
#pragma once

#include <algorithm>
#include <cstdint>

namespace posenc {

/// True where a gradient says nothing of what it belongs to, be that NaN.
inline bool all_zero(const float* gradient, std::int64_t count) {
  return std::all_of(gradient, gradient + count, [](float d) { return d == 0.0F; });
}

/// Adds to an element of a gradient, unless it is null: not wanted.
inline void add_to(float* gradient, std::int64_t i, double amount) {
  if (gradient != nullptr) gradient[i] += static_cast<float>(amount);
}

}  // namespace posenc
