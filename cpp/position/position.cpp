#include "position/position.hpp"

#include <cmath>

#include "position/rotation.hpp"

namespace posenc {

void Rotate::turn(Side /*side*/, int /*head*/, const float* x, const float* cos, const float* sin,
                  std::int64_t tokens, float* out) const {
  rotate_rows(*this, x, cos, sin, tokens, out);
}

double Encoding::score_scale(std::int64_t head_dim) const {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace posenc
