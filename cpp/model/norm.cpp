#include "model/norm.hpp"

#include <cmath>

#include "core/simd.hpp"

namespace posenc {

namespace {

/// Σ (x − mean)², in float64.
double sum_of_squares(const float* x, std::int64_t width, double mean) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double d = double{x[i]} - mean;
    sum += d * d;
  }
  return sum;
}

double mean_of(const float* x, std::int64_t width) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < width; ++i) sum += double{x[i]};
  return sum / static_cast<double>(width);
}

}  // namespace

void normalize(const Norm& norm, const float* x, std::int64_t rows, std::int64_t width,
               float* out) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, out += width) {
    const double mean = norm.kind == NormKind::layer ? mean_of(x, width) : 0.0;
    const double variance = sum_of_squares(x, width, mean) / static_cast<double>(width);
    const auto factor = static_cast<float>(1.0 / std::sqrt(variance + double{norm.epsilon}));
    const auto shift = static_cast<float>(mean);
    for (std::int64_t i = 0; i < width; ++i) {
      const float weight = norm.weight == nullptr ? 1.0F : norm.weight[i];
      const float bias = norm.bias == nullptr ? 0.0F : norm.bias[i];
      out[i] = (x[i] - shift) * factor * weight + bias;
    }
  }
}

}  // namespace posenc
