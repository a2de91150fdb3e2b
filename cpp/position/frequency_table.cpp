#include "position/frequency_table.hpp"

namespace posenc {

void FrequencyTable::sincos(std::int64_t position, float* sin, float* cos) const {
  const std::int64_t offset = position & (kSpan - 1);
  float* const anchor = row(0);
  if (position - offset != anchored_at_) {
    anchored_at_ = position - offset;
    write_row(anchored_at_, anchor);
  }
  float* const step = row(1 + offset);
  if ((steps_made_ >> offset & 1U) == 0) {
    steps_made_ |= 1U << offset;
    write_row(offset, step);
  }
  add_angles(anchor, anchor + padded_, step, step + padded_, count_, sin, cos);
}

void FrequencyTable::write_row(std::int64_t position, float* sines) const {
  precise_sincos_row(static_cast<double>(position), values_.data(), padded_, sines,
                     sines + padded_);
}

}  // namespace posenc
