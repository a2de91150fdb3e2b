// Frequencies of sinusoids and rotations: one float64 per pair, padded so that kernels may read
// whole registers.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/angle.hpp"
#include "core/buffer.hpp"

namespace posenc {

class FrequencyTable {
 public:
  /// base^(−i / denominator) for i = 0 … count − 1, in radians per position.
  FrequencyTable(double base, std::int64_t count, double denominator) : FrequencyTable(count) {
    if (!values_.ok()) return;
    for (std::int64_t i = 0; i < count; ++i) {
      values_[i] = std::pow(base, -static_cast<double>(i) / denominator);
    }
  }

  /// Given frequencies, in radians per position.
  explicit FrequencyTable(std::span<const double> frequencies)
      : FrequencyTable(static_cast<std::int64_t>(frequencies.size())) {
    if (values_.ok()) std::copy(frequencies.begin(), frequencies.end(), values_.data());
  }

  bool ok() const { return values_.ok(); }
  std::span<const double> values() const {
    return {values_.data(), static_cast<std::size_t>(count_)};
  }
  void sincos(double position, float* sin /* (count) */, float* cos /* (count) */) const {
    sincos_row(position, values_.data(), count_, sin, cos);
  }

 private:
  explicit FrequencyTable(std::int64_t count) : count_(count), values_(padded_frequencies(count)) {
    for (std::int64_t i = count; values_.ok() && i < padded_frequencies(count); ++i) {
      values_[i] = 0.0;
    }
  }

  std::int64_t count_;
  Buffer<double> values_;
};

}  // namespace posenc
