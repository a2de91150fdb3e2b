// A loss that is a random sum of what an encoding does at its hooks: in float64 by its reference,
// its gradient by the kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samples.hpp"

namespace posenc::test {

/// Of the hooks `embed`, `rotate`, `bias`, `scale` and the mix of heads, whichever the encoding
/// fills, for a few tokens of all heads.
class HookLoss {
 public:
  HookLoss(const Sample& sample, int heads);

  double value() const;
  /// Adds to the gradients of the encoding's tensor parameters; null = not wanted.
  void add_gradient(std::span<float* const> grads) const;

 private:
  const Sample& sample_;
  int heads_, axes_;
  std::vector<std::int32_t> positions_;  // (tokens, axes)
  std::vector<float> rows_;  // (sides, heads, tokens, width): what is turned; or scores and biases,
                             // (2, heads, tokens), that are mixed
  std::vector<float> weights_;  // of the sums; each hook takes as many as it needs
};

}  // namespace posenc::test
