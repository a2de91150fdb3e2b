// Frequencies of sinusoids and rotations: one float64 per pair, padded so that kernels may read
// whole registers.
#pragma once

#include <cmath>
#include <span>

#include "core/angle.hpp"
#include "core/buffer.hpp"

namespace posenc {

class FrequencyTable {
 public:
  /// base^(−i / denominator) for i = 0 … count − 1, in radians per position.
  FrequencyTable(double base, std::int64_t count, double denominator)
      : count_(count), values_(padded_frequencies(count)) {
    if (!values_.ok()) return;
    for (std::int64_t i = 0; i < padded_frequencies(count); ++i) {
      values_[i] = i < count ? std::pow(base, -static_cast<double>(i) / denominator) : 0.0;
    }
  }

  bool ok() const { return values_.ok(); }
  std::span<const double> values() const {
    return {values_.data(), static_cast<std::size_t>(count_)};
  }
  void sincos(std::int32_t position, float* sin /* (count) */, float* cos /* (count) */) const {
    sincos_row(position, values_.data(), count_, sin, cos);
  }

 private:
  std::int64_t count_;
  Buffer<double> values_;
};

}  // namespace posenc
