// A perceptron with one hidden layer of rectified units, from trained float32 weights:
//   out_h = b2_h + Σ_i w2_hi · max(0, b1_i + Σ_j w1_ij · x_j)
#pragma once

#include <algorithm>
#include <cstdint>

#include "position/gradient.hpp"

namespace posenc {

template <int Inputs>
class ReluPerceptron {
 public:
  /// `b2` may be null.
  ReluPerceptron(std::int64_t width, const float* w1 /* (width, Inputs) */,
                 const float* b1 /* (width) */, const float* w2 /* (outputs, width) */,
                 const float* b2 /* (outputs) */)
      : width_(width), w1_(w1), b1_(b1), w2_(w2), b2_(b2) {}

  double output(std::int64_t h, const double (&x)[Inputs]) const {
    double sum = b2_ == nullptr ? 0.0 : static_cast<double>(b2_[h]);
    for (std::int64_t i = 0; i < width_; ++i) {
      sum += static_cast<double>(w2_[h * width_ + i]) * std::max(unit(i, x), 0.0);
    }
    return sum;
  }

  /// Gradients of the weights; a null one is not wanted.
  struct Gradients {
    float *w1, *b1, *w2, *b2;
  };

  /// Adds d · ∂out_h/∂weight to the gradients, writes d · ∂out_h/∂x.
  void backward(std::int64_t h, const double (&x)[Inputs], double d, const Gradients& grads,
                double (&d_x)[Inputs]) const {
    std::fill(d_x, d_x + Inputs, 0.0);
    add_to(grads.b2, h, d);
    for (std::int64_t i = 0; i < width_; ++i) {
      const double u = unit(i, x);
      if (u <= 0) continue;
      add_to(grads.w2, h * width_ + i, d * u);
      const double d_u = d * static_cast<double>(w2_[h * width_ + i]);
      add_to(grads.b1, i, d_u);
      for (int j = 0; j < Inputs; ++j) {
        add_to(grads.w1, i * Inputs + j, d_u * x[j]);
        d_x[j] += d_u * static_cast<double>(w1_[i * Inputs + j]);
      }
    }
  }

 private:
  double unit(std::int64_t i, const double (&x)[Inputs]) const {
    double sum = static_cast<double>(b1_[i]);
    for (int j = 0; j < Inputs; ++j) sum += static_cast<double>(w1_[i * Inputs + j]) * x[j];
    return sum;
  }

  std::int64_t width_;
  const float* w1_;
  const float* b1_;
  const float* w2_;
  const float* b2_;
};

}  // namespace posenc
