#include "position/angle_table.hpp"

#include <algorithm>
#include <limits>

#include "core/angle.hpp"

namespace posenc {

namespace {

template <class T>
void fill(Buffer<T>& buffer, std::int64_t count, T value) {
  if (buffer.ok()) std::fill_n(buffer.data(), count, value);
}

}  // namespace

AngleTable::AngleTable(std::int64_t tables, int axes, std::int64_t pairs)
    : axes_(axes),
      width_(tables * pairs),
      padded_(padded_frequencies(width_)),
      frequencies_(padded_frequencies(axes * width_)),
      phases_(width_),
      turns_(padded_),
      rows_((2 + kSpan) * 2 * padded_),
      anchor_(axes),
      step_(axes),
      at_(axes) {
  fill(frequencies_, padded_frequencies(axes * width_), 0.0);
  fill(phases_, width_, 0.0);
  fill(turns_, padded_, 0.0);
  fill(anchor_, axes, std::numeric_limits<std::int64_t>::min());
}

void AngleTable::write_row(const std::int64_t* coordinates, bool with_phases, float* sines) const {
  for (std::int64_t i = 0; i < width_; ++i) {
    turns_[i] = with_phases ? phases_[i] * kQuarterTurns : 0.0;
  }
  for (int axis = 0; axis < axes_; ++axis) {
    const double at = static_cast<double>(coordinates[axis]) * kQuarterTurns;
    const double* frequencies = frequencies_.data() + axis * width_;
    for (std::int64_t i = 0; i < width_; ++i) turns_[i] += at * frequencies[i];
  }
  precise_sincos_turns(turns_.data(), padded_, sines, sines + padded_);
}

void AngleTable::sincos(Positions token, float* sin, float* cos) const {
  for (int axis = 0; axis < axes_; ++axis) at_[axis] = token.at(0, token.axes == 1 ? 0 : axis);
  sincos(at_.data(), sin, cos);
}

void AngleTable::sincos(const std::int64_t* coordinates, float* sin, float* cos) const {
  bool moved = false;
  bool same_step = true;
  for (int axis = 0; axis < axes_; ++axis) {
    step_[axis] = coordinates[axis] & (kSpan - 1);
    same_step &= step_[axis] == step_[0];
    const std::int64_t anchor = coordinates[axis] - step_[axis];
    moved |= anchor != anchor_[axis];
    anchor_[axis] = anchor;
  }
  float* const anchor = row(0);
  if (moved) write_row(anchor_.data(), true, anchor);

  float* const step = same_step ? row(2 + step_[0]) : row(1);
  const std::uint32_t bit = same_step ? std::uint32_t{1} << step_[0] : 0;
  if ((steps_made_ & bit) == 0) write_row(step_.data(), false, step);
  steps_made_ |= bit;
  add_angles(anchor, anchor + padded_, step, step + padded_, width_, sin, cos);
}

}  // namespace posenc
