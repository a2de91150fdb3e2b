// The functions between the matrices of an MLP.
#pragma once

#include <cstdint>

namespace posenc {

enum class Activation : std::uint8_t {
  silu,       ///< x · σ(x)
  gelu,       ///< x · Φ(x), with the error function
  gelu_tanh,  ///< its approximation by tanh (Hendrycks and Gimpel 2016, section 2)
  relu,       ///< max(x, 0)
};

/// out = f(x); `out` may be `x`.
void activate(Activation f, const float* x, std::int64_t count, float* out);

}  // namespace posenc
