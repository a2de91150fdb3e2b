#include "model/norm.hpp"

#include <cmath>

namespace posenc {

RowScale row_scale(const Norm& norm, const float* x, std::int64_t width) {
  const auto count = static_cast<double>(width);
  double mean = 0.0;
  if (norm.kind == NormKind::layer) {
    for (std::int64_t i = 0; i < width; ++i) mean += double{x[i]};
    mean /= count;
  }
  double squares = 0.0;
  for (std::int64_t i = 0; i < width; ++i) {
    squares += (double{x[i]} - mean) * (double{x[i]} - mean);
  }
  const double factor = 1.0 / std::sqrt(squares / count + double{norm.epsilon});
  return {static_cast<float>(mean), static_cast<float>(factor)};
}

void normalize(const Norm& norm, const float* x, std::int64_t rows, std::int64_t width,
               float* out) {
  for (std::int64_t row = 0; row < rows; ++row, x += width, out += width) {
    const auto [mean, factor] = row_scale(norm, x, width);
    for (std::int64_t i = 0; i < width; ++i) {
      const float weight = norm.weight == nullptr ? 1.0F : norm.weight[i];
      const float bias = norm.bias == nullptr ? 0.0F : norm.bias[i];
      out[i] = (x[i] - mean) * factor * weight + bias;
    }
  }
}

}  // namespace posenc
