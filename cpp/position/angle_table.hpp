// Angles that are linear in several coordinates: pair i of a table turns by
// phase_i + Σ_axis coordinate_axis · frequency_axis,i. Several tables may lie side by side.
#pragma once

#include <span>

#include "core/angle.hpp"
#include "core/buffer.hpp"
#include "position/position.hpp"

namespace posenc {

class AngleTable {
 public:
  /// Zero frequencies and phases.
  AngleTable(std::int64_t tables, int axes, std::int64_t pairs)
      : axes_(axes),
        width_(tables * pairs),
        frequencies_(axes * width_),
        phases_(width_),
        turns_(padded_frequencies(width_)) {
    for (std::int64_t i = 0; frequencies_.ok() && i < axes * width_; ++i) frequencies_[i] = 0.0;
    for (std::int64_t i = 0; phases_.ok() && i < width_; ++i) phases_[i] = 0.0;
    for (std::int64_t i = width_; turns_.ok() && i < padded_frequencies(width_); ++i) {
      turns_[i] = 0.0;
    }
  }

  bool ok() const { return frequencies_.ok() && phases_.ok() && turns_.ok(); }
  /// Radians per unit of a coordinate; `column` = table · pairs + pair.
  double& frequency(int axis, std::int64_t column) { return frequencies_[axis * width_ + column]; }
  /// Radians at the origin.
  double& phase(std::int64_t column) { return phases_[column]; }

  /// Sines and cosines of one token. A token of a single coordinate has it on every axis.
  void sincos(Positions token, float* sin /* (tables · pairs) */, float* cos) const {
    for (std::int64_t i = 0; i < width_; ++i) turns_[i] = phases_[i] * kQuarterTurns;
    for (int axis = 0; axis < axes_; ++axis) {
      const double at = token.at(0, token.axes == 1 ? 0 : axis) * kQuarterTurns;
      const double* frequencies = frequencies_.data() + axis * width_;
      for (std::int64_t i = 0; i < width_; ++i) turns_[i] += at * frequencies[i];
    }
    sincos_turns(turns_.data(), width_, sin, cos);
  }

 private:
  int axes_;
  std::int64_t width_;
  Buffer<double> frequencies_;    // (axes, tables, pairs)
  Buffer<double> phases_;         // (tables, pairs)
  mutable Buffer<double> turns_;  // scratch for one token, in quarter turns
};

}  // namespace posenc
