// The layer that models are mostly made of.
#pragma once

#include <cstdint>

#include "core/status.hpp"

namespace posenc {

/// Rows times a matrix whose rows are the weights of one output each, as checkpoints hold them.
struct LinearProblem {
  std::int64_t rows = 0, inputs = 0, outputs = 0;
  const float* input = nullptr;   // (rows, inputs)
  const float* weight = nullptr;  // (outputs, inputs)
  const float* bias = nullptr;    // (outputs), or null
  float* output = nullptr;        // (rows, outputs), none of the others
};

/// output = input · weightᵀ + bias. `shape` for negative sizes.
Status linear(const LinearProblem& problem);

}  // namespace posenc
