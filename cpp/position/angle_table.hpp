// Angles that are linear in several whole coordinates: pair i of a table turns by
// phase_i + Σ_axis coordinate_axis · frequency_axis,i. Several tables may lie side by side.
//
// Every coordinate is taken apart into a multiple of 32, the anchor, and a step of 0 … 31. Sines
// and cosines of both are rounded from float64 and put together by the angle-addition formulas: no
// error accumulates, and where tokens follow each other that is all the work there is.
#pragma once

#include "core/buffer.hpp"
#include "position/position.hpp"

namespace posenc {

class AngleTable {
 public:
  /// Zero frequencies and phases.
  AngleTable(std::int64_t tables, int axes, std::int64_t pairs);

  bool ok() const {
    return frequencies_.ok() && phases_.ok() && turns_.ok() && rows_.ok() && anchor_.ok() &&
           step_.ok() && at_.ok();
  }
  /// Radians per unit of a coordinate; `column` = table · pairs + pair. They must not change after
  /// the first call of `sincos`.
  double& frequency(int axis, std::int64_t column) { return frequencies_[axis * width_ + column]; }
  /// Radians at the origin.
  double& phase(std::int64_t column) { return phases_[column]; }
  /// All frequencies, (axes, tables, pairs), readable in whole registers.
  const double* frequencies() const { return frequencies_.data(); }

  /// Sines and cosines of one token, error ≤ 2e-7 up to coordinates of 2^24. They depend on the
  /// coordinates alone, bit for bit, whatever was asked before; tokens near the last one are fast.
  /// A token of a single coordinate has it on every axis.
  void sincos(Positions token, float* sin /* (tables · pairs) */, float* cos) const;
  /// The same at coordinates given as (axes).
  void sincos(const std::int64_t* coordinates, float* sin, float* cos) const;

 private:
  static constexpr std::int64_t kSpan = 32;

  float* row(std::int64_t i) const { return rows_.data() + i * 2 * padded_; }
  /// Sines, then cosines, of the coordinates' angles from the phases on, or from 0.
  void write_row(const std::int64_t* coordinates, bool with_phases, float* sines) const;

  int axes_;
  std::int64_t width_;
  std::int64_t padded_;
  Buffer<double> frequencies_;    // (axes, tables, pairs)
  Buffer<double> phases_;         // (tables, pairs)
  mutable Buffer<double> turns_;  // scratch, in quarter turns
  // Rows that sincos has met: of the last anchor, of the last step that differs between axes, then
  // of every step that is the same on all axes.
  mutable Buffer<float> rows_;
  mutable std::uint32_t steps_made_ = 0;
  mutable Buffer<std::int64_t> anchor_;  // coordinates of its row
  mutable Buffer<std::int64_t> step_;    // scratch: steps of the coordinates
  mutable Buffer<std::int64_t> at_;      // scratch: a token's coordinates
};

}  // namespace posenc
