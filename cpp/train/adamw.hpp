// The optimizer.
#pragma once

#include <cstdint>

namespace posenc {

/// AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization", algorithm 2).
struct AdamW {
  float rate = 1e-3F;
  float beta1 = 0.9F, beta2 = 0.999F;
  float epsilon = 1e-8F;
  float decay = 0.0F;
};

/// Step `step` (1, 2, …) of some parameters, by gradients times `factor`. `first` and `second` are
/// the moments, zeros before step 1.
void adamw_step(const AdamW& optimizer, std::int64_t step, const float* gradient, float factor,
                std::int64_t count, float* first, float* second, float* parameters);

/// Σ x², in float64.
double sum_of_squares(const float* x, std::int64_t count);

}  // namespace posenc
