// The way back through a linear layer, y = x·Wᵀ + b.
#pragma once

#include <cstdint>

#include "core/status.hpp"

namespace posenc {

/// One layer and what it was given.
struct LinearBackProblem {
  std::int64_t rows = 0, inputs = 0, outputs = 0;
  const float* d_output = nullptr;  // (rows, outputs): the gradient by y
  const float* input = nullptr;     // (rows, inputs): x
  const float* weight = nullptr;    // (outputs, inputs): W
  float* d_input =
      nullptr;  // (rows, inputs); `add` tells whether it is added to. Null = not wanted
  float* d_weight = nullptr;  // (outputs, inputs): added to. Null = not wanted
  float* d_bias = nullptr;    // (outputs): added to. Null = not wanted
  bool add = false;
};

/// Gradients by x, W and b: dY·W, dYᵀ·X and the sums of the columns of dY. The same bits on every
/// run. `memory` when there is no room for panels.
Status linear_back(const LinearBackProblem& problem);

}  // namespace posenc
