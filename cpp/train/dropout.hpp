// Dropout: Srivastava 2014, scaled while training, so that nothing changes afterwards.
#pragma once

#include <cstdint>

namespace posenc {

/// Drops numbers of what sublayers add to the residual stream, and of its start (GPT-2).
struct Dropout {
  float rate = 0.0F;  ///< Share that becomes 0, below 1. 0 = off.
  std::uint64_t seed = 0;
};

/// Places where numbers are dropped; each has a stream of its own.
inline constexpr std::uint64_t kDropInput = 0;
constexpr std::uint64_t drop_attention(std::int64_t layer) {
  return 1 + 2 * static_cast<std::uint64_t>(layer);
}
constexpr std::uint64_t drop_mlp(std::int64_t layer) { return 1 + drop_attention(layer); }

/// Numbers become 0 or x / (1 − rate). The same place drops the same ones: gradients pass by the
/// same call.
void drop(const Dropout& dropout, std::uint64_t place, std::int64_t count, float* x);

}  // namespace posenc
