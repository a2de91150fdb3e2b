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
  /// From a row of the output to the next; 0 = outputs.
  std::int64_t output_stride = 0;

  std::int64_t stride() const { return output_stride == 0 ? outputs : output_stride; }
};

/// output = input · weightᵀ + bias. `shape` for negative sizes.
Status linear(const LinearProblem& problem);

}  // namespace posenc
