#include "position/position.hpp"

#include <algorithm>
#include <cmath>

#include "position/rotation.hpp"

namespace posenc {

bool PositionDomain::holds(Positions positions) const {
  const int read = one_for_all && positions.axes == 1 ? 1 : axes;
  if (positions.axes < read) return false;
  if (positions.axes == 1) {
    // Without an exit the loop fills registers.
    int outside = 0;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      outside |= (positions.data[t] < low ? 1 : 0) | (positions.data[t] > high ? 1 : 0);
    }
    return outside == 0;
  }
  for (std::int64_t t = 0; t < positions.count; ++t) {
    for (int axis = 0; axis < read; ++axis) {
      const std::int32_t p = positions.at(t, axis);
      if (p < low || p > high) return false;
    }
  }
  return true;
}

PositionDomain PositionDomain::intersection(PositionDomain other) const {
  return {std::max(low, other.low), std::min(high, other.high), std::max(axes, other.axes),
          (axes == 1 || one_for_all) && (other.axes == 1 || other.one_for_all)};
}

void Rotate::turn(Side side, int head, const float* x, const float* cos, const float* sin,
                  std::int64_t tokens, float* out) const {
  const std::int64_t first = table_of(side, head) * (rotary_dim() / 2);
  rotate_rows(*this, x, cos + first, sin + first, tokens, out);
}

void Rotate::input_grad(Side side, int head, const float* /*x*/, const float* cos, const float* sin,
                        const float* d_out, std::int64_t tokens, float* d_x) const {
  // A pair turns by a matrix; its gradient turns by the transposed one, which has the opposite
  // sine.
  const std::int64_t pairs = rotary_dim() / 2;
  const bool half = layout() == PairLayout::half;
  const std::int64_t part = pairs / parts();
  const std::int64_t apart = half ? part : 1;
  cos += table_of(side, head) * pairs;
  sin += table_of(side, head) * pairs;
  for (std::int64_t t = 0; t < tokens; ++t) {
    std::copy_n(d_out, head_dim(), d_x);
    const float* d = d_out + offset();
    float* out = d_x + offset();
    for (std::int64_t i = 0; i < pairs; ++i) {
      const std::int64_t first = half ? 2 * i - i % part : 2 * i;
      const float a = d[first];
      const float b = d[first + apart];
      out[first] = a * cos[i] + b * sin[i];
      out[first + apart] = b * cos[i] - a * sin[i];
    }
    cos += table_width();
    sin += table_width();
    d_out += head_dim();
    d_x += head_dim();
  }
}

double Encoding::score_scale(std::int64_t head_dim) const {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace posenc
