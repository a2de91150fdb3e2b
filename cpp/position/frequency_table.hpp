// Frequencies of sinusoids and rotations: one float64 per pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/angle.hpp"
#include "position/angle_table.hpp"

namespace posenc {

class FrequencyTable {
 public:
  /// base^(−i / denominator) for i = 0 … count − 1, in radians per position.
  FrequencyTable(double base, std::int64_t count, double denominator) : FrequencyTable(count) {
    if (!ok()) return;
    for (std::int64_t i = 0; i < count; ++i) {
      at(i) = std::pow(base, -static_cast<double>(i) / denominator);
    }
  }

  /// Given frequencies, in radians per position.
  explicit FrequencyTable(std::span<const double> frequencies)
      : FrequencyTable(static_cast<std::int64_t>(frequencies.size())) {
    if (ok()) std::copy(frequencies.begin(), frequencies.end(), &at(0));
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
        at(i) = static_cast<float>(at(i));
        continue;
      }
      const float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * count_);
      const auto power = static_cast<float>(std::pow(base, static_cast<double>(exponent)));
      at(i) = 1.0F / power;
    }
  }

  /// Makes frequencies below a floor zero: their pairs stand still.
  void stop_below(double floor) {
    for (std::int64_t i = 0; i < count_; ++i) {
      if (at(i) < floor) at(i) = 0.0;
    }
  }

  /// Keeps the first `kept` frequencies and makes the others zero.
  void stop_after(std::int64_t kept) {
    for (std::int64_t i = kept; i < count_; ++i) at(i) = 0.0;
  }

  bool ok() const { return angles_.ok(); }
  std::span<const double> values() const {
    return {angles_.frequencies(), static_cast<std::size_t>(count_)};
  }
  /// Sines and cosines of position · frequency: see AngleTable::sincos.
  void sincos(std::int64_t position, float* sin /* (count) */, float* cos /* (count) */) const {
    angles_.sincos(&position, sin, cos);
  }
  /// The same at any real position; a whole one gives the same bits.
  void sincos_real(double position, float* sin, float* cos) const {
    if (position == std::floor(position)) {
      sincos(static_cast<std::int64_t>(position), sin, cos);
    } else {
      sincos_row(position, angles_.frequencies(), count_, sin, cos);
    }
  }
  /// The same with position · frequency rounded to float32.
  void sincos_float32(std::int32_t position, float* sin, float* cos) const {
    for (std::int64_t i = 0; i < count_; ++i) {
      const float angle =
          static_cast<float>(position) * static_cast<float>(values()[static_cast<std::size_t>(i)]);
      sin[i] = static_cast<float>(std::sin(static_cast<double>(angle)));
      cos[i] = static_cast<float>(std::cos(static_cast<double>(angle)));
    }
  }

 private:
  explicit FrequencyTable(std::int64_t count) : count_(count), angles_(1, 1, count) {}

  double& at(std::int64_t i) { return angles_.frequency(0, i); }

  std::int64_t count_;
  AngleTable angles_;
};

}  // namespace posenc
