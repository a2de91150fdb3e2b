// Tables of cosines and sines that come from outside: the caches of ONNX's RotaryEmbedding.
#pragma once

#include <algorithm>

#include "position/position.hpp"

namespace posenc {

/// Turns the leading dimensions of a head; position p by row p of the tables. Cosines and sines may
/// be any numbers.
class GivenTable final : public Rotate {
 public:
  GivenTable(std::int64_t head_dim, std::int64_t rotary_dim, PairLayout layout,
             const float* cos /* (rows, rotary_dim/2) */, const float* sin /* the same */)
      : head_dim_(head_dim), rotary_dim_(rotary_dim), layout_(layout), cos_(cos), sin_(sin) {}

  PairLayout layout() const override { return layout_; }
  std::int64_t head_dim() const override { return head_dim_; }
  std::int64_t rotary_dim() const override { return rotary_dim_; }
  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    const std::int64_t pairs = rotary_dim_ / 2;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      const std::int64_t row = positions.at(t, 0) * pairs;
      std::copy_n(cos_ + row, pairs, cos + t * pairs);
      std::copy_n(sin_ + row, pairs, sin + t * pairs);
    }
  }

 private:
  std::int64_t head_dim_, rotary_dim_;
  PairLayout layout_;
  const float* cos_;
  const float* sin_;
};

}  // namespace posenc
