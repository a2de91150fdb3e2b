// How hooks add to the gradients of trained parameters.
#pragma once

#include <cstdint>

namespace posenc {

/// Adds to an element of a gradient, unless it is null: not wanted.
inline void add_to(float* gradient, std::int64_t i, double amount) {
  if (gradient != nullptr) gradient[i] += static_cast<float>(amount);
}

}  // namespace posenc
