// What biases of the distance alone have in common: an encoding gives the bias (and the weight,
// where it has weights) of one distance, this gives rows and ranges of them.
#pragma once

#include "position/position.hpp"

namespace posenc {

class DistanceBias : public Encoding, public Bias {
 public:
  explicit DistanceBias(int heads) : heads_(heads) {}
  const Bias* bias() const final { return this; }

  int heads() const final { return heads_; }
  bool toeplitz() const final { return true; }
  void by_distance(int head, std::int64_t first, std::int64_t count, float* out) const final {
    for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(at(head, first + i));
  }
  void row(int head, Positions query, Positions keys, float* out) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      out[n] = static_cast<float>(at(head, distance(query, keys, n)));
    }
  }
  void row_grad(int head, Positions query, Positions keys, const float* d_row,
                std::span<float* const> grads) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      at_grad(head, distance(query, keys, n), static_cast<double>(d_row[n]), grads);
    }
  }

  void weights_by_distance(int head, std::int64_t first, std::int64_t count,
                           float* out) const final {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<float>(weight_at(head, first + i));
    }
  }
  void weights_row(int head, Positions query, Positions keys, float* out) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      out[n] = static_cast<float>(weight_at(head, distance(query, keys, n)));
    }
  }
  void weights_row_grad(int head, Positions query, Positions keys, const float* d_row,
                        std::span<float* const> grads) const final {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      weight_at_grad(head, distance(query, keys, n), static_cast<double>(d_row[n]), grads);
    }
  }

 private:
  static std::int64_t distance(Positions query, Positions keys, std::int64_t n) {
    return std::int64_t{query.at(0)} - keys.at(n);
  }

  /// The bias of a distance, query − key.
  virtual double at(int head, std::int64_t distance) const = 0;
  /// Adds d · ∂at/∂parameter to the gradients.
  virtual void at_grad(int /*head*/, std::int64_t /*distance*/, double /*d*/,
                       std::span<float* const> /*grads*/) const {}
  /// The same of weights.
  virtual double weight_at(int /*head*/, std::int64_t /*distance*/) const { return 1.0; }
  virtual void weight_at_grad(int /*head*/, std::int64_t /*distance*/, double /*d*/,
                              std::span<float* const> /*grads*/) const {}

  int heads_;
};

}  // namespace posenc
