// The way back through what acts row by row: norms, activations, the loss.
#pragma once

#include <cstdint>

#include "model/activation.hpp"
#include "model/norm.hpp"

namespace posenc {

/// Adds to `d_x` the gradient by x of `normalize`, and to `d_weight` and `d_bias` (null = not
/// wanted) those by its parameters.
void normalize_back(const Norm& norm, const float* x /* (rows, width) */,
                    const float* d_out /* (rows, width) */, std::int64_t rows, std::int64_t width,
                    float* d_x /* (rows, width) */, float* d_weight /* (width) */,
                    float* d_bias /* (width) */);

/// d_x = d_out · f'(x); `d_x` may be `d_out`.
void activate_back(Activation f, const float* x, const float* d_out, std::int64_t count,
                   float* d_x);

/// Mean of −ln softmax(logits)[target] over rows, each times its weight (null = 1), and by that sum
/// of weights divided. Turns the logits into the gradient of it. 0, and gradients 0, where all
/// weights are 0.
double cross_entropy(float* logits /* (rows, classes) */, const std::int32_t* targets /* (rows) */,
                     const float* weights /* (rows) */, std::int64_t rows, std::int64_t classes);

}  // namespace posenc
