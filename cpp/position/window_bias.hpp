// What the biases of image windows have in common: a number per head and relative position (Δy, Δx)
// inside a window, Δ = query − key. Positions have the axes y and x. Relative positions that no two
// tokens of one window have count as the nearest that some have.
#pragma once

#include <algorithm>

#include "position/position.hpp"

namespace posenc {

/// Relative positions in a window, as cells in row-major order.
struct WindowCells {
  std::int64_t height, width;

  std::int64_t count() const { return (2 * height - 1) * (2 * width - 1); }
  std::int64_t dy(std::int64_t cell) const { return cell / (2 * width - 1) - (height - 1); }
  std::int64_t dx(std::int64_t cell) const { return cell % (2 * width - 1) - (width - 1); }
  std::int64_t cell(std::int64_t dy, std::int64_t dx) const {
    const std::int64_t row = std::clamp(dy, 1 - height, height - 1) + height - 1;
    const std::int64_t column = std::clamp(dx, 1 - width, width - 1) + width - 1;
    return row * (2 * width - 1) + column;
  }
};

class WindowBias : public Encoding, public Bias {
 public:
  WindowBias(int heads, WindowCells cells) : heads_(heads), cells_(cells) {}
  const Bias* bias() const final { return this; }
  PositionDomain domain() const final { return {.axes = 2}; }

  int heads() const final { return heads_; }
  bool toeplitz() const final { return false; }
  void row(int head, Positions query, Positions keys, float* out) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) out[n] = at(head, cell(query, keys, n));
  }
  void row_grad(int head, Positions query, Positions keys, const float* d_row,
                std::span<float* const> grads) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      at_grad(head, cell(query, keys, n), static_cast<double>(d_row[n]), grads);
    }
  }

 protected:
  const WindowCells& cells() const { return cells_; }

 private:
  virtual float at(int head, std::int64_t cell) const = 0;
  /// Adds d · ∂at/∂parameter to the gradients.
  virtual void at_grad(int head, std::int64_t cell, double d,
                       std::span<float* const> grads) const = 0;

  std::int64_t cell(Positions query, Positions keys, std::int64_t n) const {
    const auto difference = [&](int axis) {
      return std::int64_t{query.at(0, axis)} - keys.at(n, axis);
    };
    return cells_.cell(difference(0), difference(1));
  }

  int heads_;
  WindowCells cells_;
};

}  // namespace posenc
