// Frequencies of sinusoids and rotations: one float64 per pair, padded so that kernels may read
// whole registers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

  /// Those given, or else base^(−2i / rotary_dim) for every pair.
  FrequencyTable(std::span<const double> given, double base, double rotary_dim)
      : FrequencyTable(
            given.empty()
                ? FrequencyTable(base, static_cast<std::int64_t>(rotary_dim) / 2, rotary_dim / 2)
                : FrequencyTable(given)) {}

  /// The frequencies that float32 arithmetic gives, 1 / base^(2i/d) rounded at every step as by
  /// Hugging Face's code; with base 0, the present ones rounded once.
  void round_to_float32(double base) {
    for (std::int64_t i = 0; i < count_; ++i) {
      if (base == 0.0) {
        values_[i] = static_cast<float>(values_[i]);
        continue;
      }
      const float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * count_);
      const auto power = static_cast<float>(std::pow(base, static_cast<double>(exponent)));
      values_[i] = 1.0F / power;
    }
  }

  /// Makes frequencies below a floor zero: their pairs stand still.
  void stop_below(double floor) {
    for (std::int64_t i = 0; i < count_; ++i) {
      if (values_[i] < floor) values_[i] = 0.0;
    }
  }

  /// Keeps the first `kept` frequencies and makes the others zero.
  void stop_after(std::int64_t kept) {
    for (std::int64_t i = kept; i < count_; ++i) values_[i] = 0.0;
  }

  bool ok() const { return values_.ok() && rows_.ok(); }
  std::span<const double> values() const {
    return {values_.data(), static_cast<std::size_t>(count_)};
  }
  /// Sines and cosines of position · frequency, error ≤ 2e-7 up to position 2^24. They depend on
  /// the position alone, bit for bit, whatever was asked before; a position near the last one takes
  /// a tenth of the time of a far one.
  void sincos(std::int64_t position, float* sin /* (count) */, float* cos /* (count) */) const;
  /// The same at any real position; a whole one gives the same bits.
  void sincos_real(double position, float* sin, float* cos) const {
    if (position == std::floor(position)) {
      sincos(static_cast<std::int64_t>(position), sin, cos);
    } else {
      sincos_row(position, values_.data(), count_, sin, cos);
    }
  }
  /// The same with position · frequency rounded to float32.
  void sincos_float32(std::int32_t position, float* sin, float* cos) const {
    for (std::int64_t i = 0; i < count_; ++i) {
      const float angle = static_cast<float>(position) * static_cast<float>(values_[i]);
      sin[i] = static_cast<float>(std::sin(static_cast<double>(angle)));
      cos[i] = static_cast<float>(std::cos(static_cast<double>(angle)));
    }
  }

 private:
  /// A position is a multiple of this, the anchor, and a step of 0 … kSpan − 1.
  static constexpr std::int64_t kSpan = 32;

  explicit FrequencyTable(std::int64_t count)
      : count_(count),
        padded_(padded_frequencies(count)),
        values_(padded_),
        rows_((1 + kSpan) * 2 * padded_) {
    for (std::int64_t i = count; values_.ok() && i < padded_; ++i) values_[i] = 0.0;
  }

  float* row(std::int64_t i) const { return rows_.data() + i * 2 * padded_; }
  void write_row(std::int64_t position, float* sines) const;

  std::int64_t count_;
  std::int64_t padded_;
  Buffer<double> values_;
  // What sincos has met: sines and cosines of the last anchor, then of every step.
  mutable Buffer<float> rows_;
  mutable std::int64_t anchored_at_ = std::numeric_limits<std::int64_t>::min();
  mutable std::uint32_t steps_made_ = 0;
};

}  // namespace posenc
