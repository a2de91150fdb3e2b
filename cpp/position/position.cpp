#include "position/position.hpp"

#include <cmath>

#include "position/rotation.hpp"

namespace posenc {

void Rotate::turn(Side side, int head, const float* x, const float* cos, const float* sin,
                  std::int64_t tokens, float* out) const {
  const std::int64_t first = table_of(side, head) * (rotary_dim() / 2);
  rotate_rows(*this, x, cos + first, sin + first, tokens, out);
}

double Encoding::score_scale(std::int64_t head_dim) const {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace posenc
