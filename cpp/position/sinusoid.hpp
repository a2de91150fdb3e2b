// Rows of sines and cosines at any real position, in the two orders of columns.
#pragma once

#include "position/frequency_table.hpp"

namespace posenc {

class Sinusoid {
 public:
  /// Frequencies base^(−i / denominator) for `width` columns. Interleaved, an odd width ends in
  /// half a pair.
  Sinusoid(double base, std::int64_t width, double denominator, bool interleaved,
           bool cosine_first = false)
      : width_(width),
        cosine_first_(cosine_first),
        frequencies_(base, interleaved ? (width + 1) / 2 : width / 2, denominator),
        row_(2 * padded_frequencies(pairs())) {}

  bool ok() const { return frequencies_.ok() && row_.ok(); }
  std::span<const double> frequencies() const { return frequencies_.values(); }
  std::int64_t pairs() const { return static_cast<std::int64_t>(frequencies_.values().size()); }

  /// All first functions and all second ones.
  void write_halves(double position, float* first /* (pairs) */, float* second) const {
    frequencies_.sincos_real(position, cosine_first_ ? second : first,
                             cosine_first_ ? first : second);
  }

  /// They take turns.
  void write_interleaved(double position, float* row /* (width) */) const {
    float* first = row_.data();
    float* second = first + padded_frequencies(pairs());
    write_halves(position, first, second);
    std::int64_t i = 0;
    for (; 2 * (i + kLanes) <= width_; i += kLanes) {
      const Batch a = load(first + i);
      const Batch b = load(second + i);
      store(row + 2 * i, zip_low(a, b));
      store(row + 2 * i + kLanes, zip_high(a, b));
    }
    for (; 2 * i < width_; ++i) {
      row[2 * i] = first[i];
      if (2 * i + 1 < width_) row[2 * i + 1] = second[i];
    }
  }

 private:
  std::int64_t width_;
  bool cosine_first_;
  FrequencyTable frequencies_;
  mutable Buffer<float> row_;  // scratch: first functions, then second ones
};

}  // namespace posenc
